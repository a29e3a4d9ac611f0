#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// A setting's value and the name under which it was found.
struct FoundSetting {
  std::string value;
  std::string key;
};

/// By the first of `names` that is set and not empty: each as it is (a catalog's own, or a Hadoop name), then as a
/// Hadoop setting of a catalog ("hadoop.") and of the session ("spark.hadoop.").
inline std::optional<FoundSetting> FindCloudSetting(const SettingLookup& settings,
                                                    std::initializer_list<std::string> names) {
  if (!settings) return std::nullopt;
  for (const std::string& name : names) {
    for (const char* prefix : {"", "hadoop.", "spark.hadoop."}) {
      const std::string key = prefix + name;
      if (auto value = settings(key); value && !value->empty()) return FoundSetting{*value, key};
    }
  }
  return std::nullopt;
}

}  // namespace frazil::storage
