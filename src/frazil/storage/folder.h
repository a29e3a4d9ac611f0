#pragma once

#include <string>

#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// A folder as tables are called by it: a plain path for file:..., other locations as they are, no slashes at the end.
inline std::string FolderOf(const std::string& location) {
  std::string folder = SchemeOf(location) == "file" ? LocalPath(location) : location;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

}  // namespace frazil::storage
