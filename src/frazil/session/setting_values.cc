// What values settings take. Source: the settings' types, choices and checks in Spark 4.1, as its errors tell them.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/session/settings.h"
#include "frazil/types/time_zone.h"

namespace frazil::session {

namespace {

enum class SettingType { kInt, kLong, kBytes };

// A number's type and what it must be besides.
struct NumberSetting {
  SettingType type = SettingType::kInt;
  int64_t least = std::numeric_limits<int64_t>::min();
  std::string_view requirement = "";
};

const std::map<std::string_view, NumberSetting>& NumberSettings() {
  static const std::map<std::string_view, NumberSetting> kSettings = {
      {"spark.sql.autoBroadcastJoinThreshold", {SettingType::kBytes}},
      {"spark.sql.cteRecursionLevelLimit", {}},
      {"spark.sql.execution.arrow.maxRecordsPerBatch", {}},
      {"spark.sql.files.maxPartitionBytes", {SettingType::kBytes}},
      {"spark.sql.files.maxRecordsPerFile", {SettingType::kLong}},
      {"spark.sql.maxMetadataStringLength", {SettingType::kInt, 4, "This value must be bigger than 3."}},
      {"spark.sql.maxPlanStringLength",
       {SettingType::kBytes, 0,
        "Invalid value for 'spark.sql.maxPlanStringLength'.  Length must be a valid string length (nonnegative and "
        "shorter than the maximum size)."}},
      {"spark.sql.pivotMaxValues", {}},
      {"spark.sql.pyspark.plotting.max_rows", {}},
      {"spark.sql.repl.eagerEval.maxNumRows", {}},
      {"spark.sql.repl.eagerEval.truncate", {}},
      {"spark.sql.session.localRelationBatchOfChunksSizeBytes",
       {SettingType::kLong, 1, "The batch size in bytes must be positive"}},
      {"spark.sql.session.localRelationCacheThreshold",
       {SettingType::kInt, 0, "The threshold of cached local relations must not be negative"}},
      {"spark.sql.session.localRelationChunkSizeBytes",
       {SettingType::kLong, 1, "The chunk size in bytes must be positive"}},
      {"spark.sql.session.localRelationChunkSizeRows",
       {SettingType::kInt, 1, "The chunk size in number of rows must be positive"}},
      {"spark.sql.session.localRelationSizeLimit", {SettingType::kBytes}},
      {"spark.sql.shuffle.partitions",
       {SettingType::kInt, 1, "The value of spark.sql.shuffle.partitions must be positive"}},
      {"spark.sql.transposeMaxValues", {}},
  };
  return kSettings;
}

// Choices in the order of Spark's errors; their case does not matter.
const std::map<std::string_view, std::vector<std::string>>& ChoiceSettings() {
  static const std::map<std::string_view, std::vector<std::string>> kSettings = {
      {"spark.sql.binaryOutputStyle", {"UTF-8", "BASIC", "BASE64", "HEX", "HEX_DISCRETE"}},
      {"spark.sql.execution.arrow.compression.codec", {"none", "zstd", "lz4"}},
      {"spark.sql.execution.pandas.structHandlingMode", {"legacy", "row", "dict"}},
      {"spark.sql.legacy.ctePrecedencePolicy", {"EXCEPTION", "LEGACY", "CORRECTED"}},
      {"spark.sql.legacy.timeParserPolicy", {"EXCEPTION", "LEGACY", "CORRECTED"}},
      {"spark.sql.mapKeyDedupPolicy", {"EXCEPTION", "LAST_WIN"}},
      {"spark.sql.parquet.compression.codec",
       {"brotli", "uncompressed", "lzo", "snappy", "lz4_raw", "none", "zstd", "lz4", "gzip"}},
      {"spark.sql.sources.partitionOverwriteMode", {"STATIC", "DYNAMIC"}},
      {"spark.sql.storeAssignmentPolicy", {"ANSI", "LEGACY", "STRICT"}},
      {"spark.sql.timestampType", {"TIMESTAMP_NTZ", "TIMESTAMP_LTZ"}},
  };
  return kSettings;
}

// As Java's parseInt and parseLong, which take '+' too.
std::optional<int64_t> ReadLong(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return ParseInteger<int64_t>(text);
}

std::optional<int64_t> ReadInt(std::string_view text) {
  const auto number = ReadLong(text);
  const bool fits = number.has_value() && *number >= std::numeric_limits<int32_t>::min() &&
                    *number <= std::numeric_limits<int32_t>::max();
  return fits ? number : std::nullopt;
}

// A number of bytes with a unit behind it or none: "10m", "-1".
std::optional<int64_t> ReadBytes(std::string_view text) {
  static const std::map<std::string_view, int> kShifts = {{"", 0},   {"b", 0},   {"k", 10}, {"kb", 10},
                                                          {"m", 20}, {"mb", 20}, {"g", 30}, {"gb", 30},
                                                          {"t", 40}, {"tb", 40}, {"p", 50}, {"pb", 50}};
  const size_t digits = std::min(text.find_first_not_of("-0123456789"), text.size());
  const auto number = ParseInteger<int64_t>(text.substr(0, digits));
  const auto shift = kShifts.find(AsciiLower(text.substr(digits)));
  if (!number.has_value() || shift == kShifts.end()) return std::nullopt;
  const int64_t unit = int64_t{1} << shift->second;
  if (*number > std::numeric_limits<int64_t>::max() / unit || *number < std::numeric_limits<int64_t>::min() / unit) {
    return std::nullopt;
  }
  return *number * unit;
}

Error BadValue(const std::string& kind, Error::Parameters more, const std::string& key, const std::string& value) {
  more.insert(more.begin(), {{"confName", key}, {"confValue", value}});
  return Error::Of(ExceptionClass::kIllegalArgument, "INVALID_CONF_VALUE." + kind, std::move(more));
}

Status CheckNumber(const NumberSetting& setting, const std::string& key, const std::string& value) {
  const std::string text = AsciiLower(TrimBlanks(value));
  std::optional<int64_t> number;
  std::string shown = value;
  std::string type;
  switch (setting.type) {
    case SettingType::kInt:
      number = ReadInt(text);
      type = "int";
      break;
    case SettingType::kLong:
      number = ReadLong(text);
      type = "long";
      break;
    case SettingType::kBytes:
      number = ReadBytes(text);
      type = "bytes in BYTE";
      // Spark shows what it has read, not what was written.
      if (number.has_value()) shown = std::to_string(*number) + "b";
      break;
  }
  if (!number.has_value()) return BadValue("TYPE_MISMATCH", {{"confType", type}}, key, value);
  if (*number < setting.least) {
    return BadValue("REQUIREMENT", {{"confRequirement", std::string(setting.requirement)}}, key, shown);
  }
  return Status::Ok();
}

}  // namespace

Status CheckSettingValue(const std::string& key, const std::string& value) {
  if (key == "spark.sql.session.timeZone") {
    return TimeZone::Find(value).ok() ? Status::Ok() : Status(BadValue("TIME_ZONE", {}, key, value));
  }
  if (const auto number = NumberSettings().find(key); number != NumberSettings().end()) {
    return CheckNumber(number->second, key, value);
  }
  if (const auto choices = ChoiceSettings().find(key); choices != ChoiceSettings().end()) {
    const bool known = std::any_of(choices->second.begin(), choices->second.end(),
                                   [&](const std::string& choice) { return EqualsIgnoreCase(choice, value); });
    if (known) return Status::Ok();
    return BadValue("OUT_OF_RANGE_OF_OPTIONS", {{"confOptions", Join(choices->second, ", ")}}, key, value);
  }
  if (key == "spark.sql.streaming.multipleWatermarkPolicy" && !EqualsIgnoreCase(value, "min") &&
      !EqualsIgnoreCase(value, "max")) {
    return BadValue("REQUIREMENT",
                    {{"confRequirement", "Invalid value for '" + key + "'. Valid values are 'min' and 'max'"}}, key,
                    value);
  }
  const auto* setting = FindSetting(key);
  const bool is_boolean = setting != nullptr && (setting->default_value == "true" || setting->default_value == "false");
  const std::string_view text = TrimBlanks(value);
  if (is_boolean && !EqualsIgnoreCase(text, "true") && !EqualsIgnoreCase(text, "false")) {
    return BadValue("TYPE_MISMATCH", {{"confType", "boolean"}}, key, value);
  }
  return Status::Ok();
}

}  // namespace frazil::session
