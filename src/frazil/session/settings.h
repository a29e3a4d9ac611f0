#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/functions/function.h"
#include "frazil/sql/parser.h"

namespace frazil::session {

/// A setting that Frazil knows: Spark's name, Spark's default.
struct KnownSetting {
  std::string_view key;
  std::string_view default_value;
  std::string_view documentation;
  bool is_static = false;  ///< Fixed when the server starts.
};

const std::vector<KnownSetting>& KnownSettings();
const KnownSetting* FindSetting(std::string_view key);
/// Spark's current name of a setting that was renamed ("spark.sql.avro.…" and the like); the key itself otherwise.
std::string CanonicalKey(std::string_view key);
/// Whether SET and RESET take a key: static settings of Spark SQL and those of Spark's core (spark.driver.*,
/// spark.executor.*, ...) are fixed when the server starts.
enum class Changeable { kYes, kStatic, kNotInSession };
Changeable ChangeableOf(std::string_view key);
/// Checks a value for a known key by its type, its range and its choices. Error INVALID_CONF_VALUE.*.
Status CheckSettingValue(const std::string& key, const std::string& value);

using Lookup = std::function<std::optional<std::string>(std::string_view)>;

/// The settings that decide what expressions mean, read from a session's settings.
functions::ExpressionSettings ReadExpressionSettings(const Lookup& lookup);
sql::ParserOptions ReadParserOptions(const Lookup& lookup);

}  // namespace frazil::session
