#include <algorithm>
#include <charconv>

#include <duckdb/common/file_system.hpp>
#include <duckdb/main/connection.hpp>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/functions/csv_line.h"
#include "frazil/engine/functions/datetime_pattern.h"
#include "frazil/engine/functions/text_record.h"
#include "frazil/engine/infer_schema.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"

namespace frazil::engine {
namespace {

// In the order in which Spark tries them on a text.
enum class CsvType { kNull, kInteger, kLong, kDecimal, kDouble, kDate, kTimestampNtz, kTimestamp, kBoolean, kString };

// What the texts of a column are so far.
struct ColumnType {
  CsvType type = CsvType::kNull;
  int digits = 0;  ///< kDecimal: without a fraction.
};

template <typename T>
bool IsWhole(std::string_view text) {
  if (text.starts_with("+-")) return false;
  if (text.starts_with('+')) text.remove_prefix(1);
  return ParseInteger<T>(text).has_value();
}

// As Java reads a double, where blanks around the number are left aside.
bool IsDouble(std::string_view text) {
  text = TrimControls(text);
  std::string_view unsigned_text = text;
  if (text.starts_with('+') || text.starts_with('-')) unsigned_text.remove_prefix(1);
  if (unsigned_text == "NaN" || unsigned_text == "Infinity") return true;
  if (!text.empty() && std::string_view("dDfF").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const char first = text.starts_with('-') ? (text.size() > 1 ? text[1] : '\0') : (text.empty() ? '\0' : text[0]);
  if ((first < '0' || first > '9') && first != '.') return false;
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ptr == text.data() + text.size() && result.ec != std::errc::invalid_argument;
}

// Spark's CSVInferSchema: each text is tried from the type that the column has so far.
class CsvInference {
 public:
  CsvInference(const ReaderOptions& options, const functions::ExpressionSettings& settings)
      : ntz_(settings.timestamp_ntz_default),
        prefers_date_(IsTrue(options, "preferdate", true)),
        date_format_(Get(options, "dateformat", "yyyy-MM-dd")),
        timestamp_format_(Get(options, "timestampformat", "")),
        timestamp_ntz_format_(Get(options, "timestampntzformat", "")),
        no_numbers_{Get(options, "nanvalue", "NaN"), Get(options, "positiveinf", "Inf"),
                    Get(options, "negativeinf", "-Inf")} {
    auto zone = TimeZone::Find(Get(options, "timezone", settings.time_zone));
    zone_ = zone.ok() ? *zone : TimeZone::Utc();
  }

  void Add(const std::string& text, ColumnType* column) const {
    if (text.empty() || column->type == CsvType::kString) return;
    *column = Merge(*column, TypeOf(text, column->type));
  }

  static DataTypePtr ToSpark(const ColumnType& column) {
    switch (column.type) {
      case CsvType::kInteger:
        return DataType::Integer();
      case CsvType::kLong:
        return DataType::Long();
      case CsvType::kDecimal:
        return DataType::Decimal(column.digits, 0);
      case CsvType::kDouble:
        return DataType::Double();
      case CsvType::kDate:
        return DataType::Date();
      case CsvType::kTimestampNtz:
        return DataType::TimestampNtz();
      case CsvType::kTimestamp:
        return DataType::Timestamp();
      case CsvType::kBoolean:
        return DataType::Boolean();
      case CsvType::kNull:
      case CsvType::kString:
        return DataType::String();
    }
    return DataType::String();
  }

 private:
  // The first type from `from` on that takes the text.
  ColumnType TypeOf(const std::string& text, CsvType from) const {
    if (from <= CsvType::kInteger && IsWhole<int32_t>(text)) return {CsvType::kInteger};
    if (from <= CsvType::kLong && IsWhole<int64_t>(text)) return {CsvType::kLong};
    if (from <= CsvType::kDecimal) {
      const bool has_exponent = text.find_first_of("eE") != std::string::npos;
      const auto decimal = has_exponent ? std::nullopt : ParseDecimal(ReplaceAll(text, ",", ""));
      if (decimal.has_value() && decimal->shape.scale == 0)
        return {CsvType::kDecimal, std::max(decimal->shape.precision, 1)};
    }
    if (from <= CsvType::kDouble &&
        (IsDouble(text) || std::find(no_numbers_.begin(), no_numbers_.end(), text) != no_numbers_.end())) {
      return {CsvType::kDouble};
    }
    const bool tries_dates = from == CsvType::kDate || (from < CsvType::kDate && prefers_date_);
    if (tries_dates && DatetimePattern::Of(date_format_).Parse(text).has_value()) return {CsvType::kDate};
    if (from <= CsvType::kTimestampNtz && ntz_ && IsTimestampNtz(text)) return {CsvType::kTimestampNtz};
    if (from <= CsvType::kTimestamp && IsTimestamp(text)) return {CsvType::kTimestamp};
    if (EqualsIgnoreCase(text, "true") || EqualsIgnoreCase(text, "false")) return {CsvType::kBoolean};
    return {CsvType::kString};
  }

  bool IsTimestamp(const std::string& text) const {
    if (timestamp_format_.empty()) return ParseTimestamp(text, *zone_).has_value();
    return DatetimePattern::Of(timestamp_format_).Parse(text).has_value();
  }

  bool IsTimestampNtz(const std::string& text) const {
    if (timestamp_ntz_format_.empty()) return ParseTimestampNtz(text, false).has_value();
    return DatetimePattern::Of(timestamp_ntz_format_).Parse(text).has_value();
  }

  static int DigitsOf(const ColumnType& column) {
    return column.type == CsvType::kInteger ? 10 : column.type == CsvType::kLong ? 20 : column.digits;
  }

  static ColumnType Merge(const ColumnType& left, const ColumnType& right) {
    if (left.type == CsvType::kNull) return right;
    const CsvType low = std::min(left.type, right.type), high = std::max(left.type, right.type);
    if (high == CsvType::kDecimal) return {high, std::max(DigitsOf(left), DigitsOf(right))};
    if (high <= CsvType::kDouble) return {high};
    const bool both_times = low >= CsvType::kDate && high <= CsvType::kTimestamp;
    return {both_times || low == high ? high : CsvType::kString};
  }

  bool ntz_ = false, prefers_date_ = true;
  std::string date_format_, timestamp_format_, timestamp_ntz_format_;
  std::vector<std::string> no_numbers_;
  std::shared_ptr<const TimeZone> zone_;
};

// NULLs become _c<i>; repeated names get their position behind them, as Spark's CSVUtils.makeSafeHeader.
std::vector<std::string> SafeHeader(const std::vector<std::optional<std::string>>& cells, bool case_sensitive) {
  const auto key = [&](const std::string& name) { return case_sensitive ? name : AsciiLower(name); };
  std::map<std::string, int> seen;
  for (const auto& cell : cells) {
    if (cell.has_value()) ++seen[key(*cell)];
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].has_value() || cells[i]->empty()) {
      names.push_back("_c" + std::to_string(i));
    } else {
      names.push_back(*cells[i] + (seen[key(*cells[i])] > 1 ? std::to_string(i) : ""));
    }
  }
  return names;
}

}  // namespace

Result<DataTypePtr> InferCsvSchema(duckdb::Connection& connection, const std::vector<std::string>& paths,
                                   const ReaderOptions& options, const functions::ExpressionSettings& settings,
                                   const CancelToken* cancel) {
  auto& file_system = duckdb::FileSystem::GetFileSystem(*connection.context);
  const bool infer = IsTrue(options, "inferschema", false);
  CheckLocale(options);
  FRAZIL_RETURN_IF_ERROR(CheckRecordOptions(tables::FileFormat::kCsv, options));
  const CsvShape shape(options);
  const CsvInference inference(options, settings);
  std::vector<std::string> names;
  std::vector<ColumnType> types;
  bool named = false;
  for (const auto& path : paths) {
    RecordReader reader(file_system, storage::LocalPath(path), tables::FileFormat::kCsv, options,
                        FileTolerance(options, settings));
    if (!named && reader.header().has_value()) {
      names = SafeHeader(SplitCsvLine(*reader.header(), shape), settings.case_sensitive);
      types.resize(names.size());
      named = true;
    }
    if (named && !infer) break;
    std::string line;
    while (reader.Next(&line)) {
      FRAZIL_RETURN_IF_ERROR(CheckNotCancelled(cancel));
      const auto cells = SplitCsvLine(line, shape);
      if (!named) {
        for (size_t i = 0; i < cells.size(); ++i) names.push_back("_c" + std::to_string(i));
        types.resize(names.size());
        named = true;
      }
      if (!infer) break;
      for (size_t i = 0; i < cells.size() && i < types.size(); ++i) {
        if (cells[i].has_value()) inference.Add(*cells[i], &types[i]);
      }
    }
  }
  if (!named) return DataType::Struct({});
  std::vector<StructField> fields;
  for (size_t i = 0; i < names.size(); ++i)
    fields.emplace_back(names[i], infer ? CsvInference::ToSpark(types[i]) : DataType::String(), true);
  return DataType::Struct(std::move(fields));
}

}  // namespace frazil::engine
