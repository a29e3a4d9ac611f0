#pragma once

// Files that a scan may leave out. Internal to engine/.

#include <map>
#include <string>

#include <duckdb.hpp>
#include <duckdb/common/file_system.hpp>

#include "frazil/functions/function.h"

namespace frazil::engine {

/// The options ignoreCorruptFiles and ignoreMissingFiles, else the settings spark.sql.files.* of these names.
class FileTolerance {
 public:
  FileTolerance() = default;
  FileTolerance(const std::map<std::string, std::string>& options, const functions::ExpressionSettings& settings);

  bool forgives_any() const { return corrupt_ || missing_; }
  /// Whether a file that could not be opened or read is left out from there on.
  bool Forgives(duckdb::FileSystem& file_system, const std::string& path) const;

 private:
  bool corrupt_ = false, missing_ = false;
};

}  // namespace frazil::engine
