#include "frazil/engine/file_tolerance.h"

#include "frazil/base/logging.h"
#include "frazil/base/text.h"

namespace frazil::engine {

FileTolerance::FileTolerance(const std::map<std::string, std::string>& options,
                             const functions::ExpressionSettings& settings) {
  const auto is_on = [&](const char* option, const char* setting) {
    if (const auto found = options.find(option); found != options.end()) return EqualsIgnoreCase(found->second, "true");
    return settings.lookup && EqualsIgnoreCase(settings.lookup(setting).value_or("false"), "true");
  };
  corrupt_ = is_on("ignorecorruptfiles", "spark.sql.files.ignoreCorruptFiles");
  missing_ = is_on("ignoremissingfiles", "spark.sql.files.ignoreMissingFiles");
}

bool FileTolerance::Forgives(duckdb::FileSystem& file_system, const std::string& path) const {
  if (!forgives_any()) return false;
  const bool exists = file_system.FileExists(path);
  const bool forgiven = exists ? corrupt_ : missing_;
  if (forgiven)
    Log(LogLevel::kWarn, exists ? "A corrupt file is left out" : "A missing file is left out", {{"path", path}});
  return forgiven;
}

}  // namespace frazil::engine
