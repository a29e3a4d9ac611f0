#include <duckdb/common/file_system.hpp>
#include <duckdb/main/connection.hpp>

#include <algorithm>
#include <charconv>
#include <set>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/functions/json_value.h"
#include "frazil/engine/infer_schema.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"

namespace frazil::engine {
namespace {

// --- CSV ---------------------------------------------------------------------------------------------------------------------------------------------------

// The cells of a line, without quotes. Values only decide on types here: from_csv reads them.
std::vector<std::string> CellsOf(const std::string& line, const ReaderOptions& options) {
  std::string separator = Get(options, "sep", Get(options, "delimiter", ","));
  if (separator == "\\t") separator = "\t";
  const std::string quote_text = Get(options, "quote", "\""), escape_text = Get(options, "escape", "\\");
  const char quote = quote_text.empty() ? '\0' : quote_text[0], escape = escape_text.empty() ? '\0' : escape_text[0];
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size();) {
    if (quoted && line[i] == escape && i + 1 < line.size() && (line[i + 1] == quote || line[i + 1] == escape)) {
      cells.back() += line[i + 1];
      i += 2;
    } else if (quote != '\0' && line[i] == quote && (quoted || cells.back().empty())) {
      quoted = !quoted;
      ++i;
    } else if (!quoted && line.compare(i, separator.size(), separator) == 0) {
      cells.emplace_back();
      i += separator.size();
    } else {
      cells.back() += line[i++];
    }
  }
  return cells;
}

// In the order in which Spark tries them; a column's type only moves on.
enum class CsvType { kNull, kInteger, kLong, kDecimal, kDouble, kDate, kTimestampNtz, kTimestamp, kBoolean, kString };

bool IsInteger(std::string_view text, int64_t* value) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto number = ParseInteger<int64_t>(text);
  if (number) *value = *number;
  return number.has_value();
}

bool IsDouble(std::string_view text) {
  const std::string word = AsciiLower(text);
  if (word == "nan" || word == "inf" || word == "-inf" || word == "infinity" || word == "-infinity") return true;
  if (!text.empty() && (text.back() == 'd' || text.back() == 'D' || text.back() == 'f' || text.back() == 'F')) text.remove_suffix(1);
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const char first = !text.empty() && text[0] == '-' ? (text.size() > 1 ? text[1] : '\0') : (text.empty() ? '\0' : text[0]);
  if ((first < '0' || first > '9') && first != '.') return false;
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ptr == text.data() + text.size() && result.ec != std::errc::invalid_argument;
}

class CsvInference {
 public:
  CsvInference(const ReaderOptions& options, const functions::ExpressionSettings& settings) : options_(options), ntz_(settings.timestamp_ntz_default) {
    auto zone = TimeZone::Find(settings.time_zone);
    zone_ = zone.ok() ? *zone : TimeZone::Utc();
    prefers_date_ = IsTrue(options, "prefersdate", true) && !options.contains("dateformat");
    prefers_decimal_ = IsTrue(options, "prefersdecimal", false);
    null_value_ = Get(options, "nullvalue", "");
  }

  CsvType TypeOf(const std::string& text) const {
    if (text.empty() || text == null_value_) return CsvType::kNull;
    int64_t number = 0;
    if (IsInteger(text, &number)) {
      return number >= INT32_MIN && number <= INT32_MAX ? CsvType::kInteger : CsvType::kLong;
    }
    if (const auto decimal = ParseDecimal(text); decimal.has_value() && decimal->shape.scale == 0) return CsvType::kDecimal;
    if (IsDouble(text)) return CsvType::kDouble;
    if (prefers_date_ && ParseDate(text).has_value() && text.size() == 10) return CsvType::kDate;
    if (!options_.contains("timestampformat") && text.size() >= 10 && text.size() > 4 && text[4] == '-') {
      if (ntz_ && ParseTimestampNtz(text, false).has_value()) return CsvType::kTimestampNtz;
      if (ParseTimestamp(text, *zone_).has_value()) return CsvType::kTimestamp;
    }
    const std::string word = AsciiLower(text);
    if (word == "true" || word == "false") return CsvType::kBoolean;
    return CsvType::kString;
  }

  static CsvType Merge(CsvType left, CsvType right) {
    if (left == right || right == CsvType::kNull) return left;
    if (left == CsvType::kNull) return right;
    const CsvType low = std::min(left, right), high = std::max(left, right);
    if (high <= CsvType::kDouble) return high;
    const bool both_times = low >= CsvType::kDate && high <= CsvType::kTimestamp;
    if (both_times) return high;
    return CsvType::kString;
  }

  static DataTypePtr ToSpark(CsvType type) {
    switch (type) {
      case CsvType::kInteger: return DataType::Integer();
      case CsvType::kLong: return DataType::Long();
      case CsvType::kDecimal: return DataType::Decimal(38, 0);
      case CsvType::kDouble: return DataType::Double();
      case CsvType::kDate: return DataType::Date();
      case CsvType::kTimestampNtz: return DataType::TimestampNtz();
      case CsvType::kTimestamp: return DataType::Timestamp();
      case CsvType::kBoolean: return DataType::Boolean();
      case CsvType::kNull:
      case CsvType::kString: return DataType::String();
    }
    return DataType::String();
  }

 private:
  const ReaderOptions& options_;
  bool ntz_ = false, prefers_date_ = true, prefers_decimal_ = false;
  std::string null_value_;
  std::shared_ptr<const TimeZone> zone_;
};

// Empty names become _c<i>; repeated ones get their position behind them, as Spark's CSVUtils.makeSafeHeader.
std::vector<std::string> SafeHeader(const std::vector<std::string>& cells, const ReaderOptions& options) {
  std::map<std::string, int> seen;
  for (const auto& cell : cells) ++seen[AsciiLower(cell)];
  std::vector<std::string> names;
  const std::string null_value = Get(options, "nullvalue", "");
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty() || cells[i] == null_value) {
      names.push_back("_c" + std::to_string(i));
    } else if (seen[AsciiLower(cells[i])] > 1) {
      names.push_back(cells[i] + std::to_string(i));
    } else {
      names.push_back(cells[i]);
    }
  }
  return names;
}

// --- JSON --------------------------------------------------------------------------------------------------------------------------------------------------

class JsonInference {
 public:
  explicit JsonInference(const ReaderOptions& options)
      : primitives_as_string_(IsTrue(options, "primitivesasstring", false)), prefers_decimal_(IsTrue(options, "prefersdecimal", false)) {}

  DataTypePtr TypeOf(const Json& json) const {
    switch (json.kind) {
      case Json::Kind::kNull: return DataType::Null();
      case Json::Kind::kBoolean: return primitives_as_string_ ? DataType::String() : DataType::Boolean();
      case Json::Kind::kInteger: {
        if (primitives_as_string_) return DataType::String();
        if (ParseInteger<int64_t>(json.text)) return DataType::Long();
        const auto decimal = ParseDecimal(json.text);
        return decimal.has_value() ? DataType::Decimal(std::max(decimal->shape.precision, decimal->shape.scale), decimal->shape.scale) : DataType::Double();
      }
      case Json::Kind::kFraction: {
        if (primitives_as_string_) return DataType::String();
        if (prefers_decimal_) {
          if (const auto decimal = ParseDecimal(json.text); decimal.has_value()) {
            return DataType::Decimal(std::max(decimal->shape.precision, decimal->shape.scale), decimal->shape.scale);
          }
        }
        return DataType::Double();
      }
      case Json::Kind::kString: return DataType::String();
      case Json::Kind::kArray: {
        DataTypePtr element = DataType::Null();
        for (const auto& item : json.items) element = Merge(element, TypeOf(item));
        return DataType::Array(element, true);
      }
      case Json::Kind::kObject: {
        std::map<std::string, DataTypePtr> fields;
        for (const auto& [name, value] : json.members) {
          auto& field = fields[name];
          field = field == nullptr ? TypeOf(value) : Merge(field, TypeOf(value));
        }
        return StructOf(fields);
      }
    }
    return DataType::String();
  }

  DataTypePtr Merge(const DataTypePtr& left, const DataTypePtr& right) const {
    if (left->id() == TypeId::kNull) return right;
    if (right->id() == TypeId::kNull) return left;
    if (left->EqualsIgnoreNullability(*right)) return left;
    const auto is = [&](TypeId a, TypeId b) { return (left->id() == a && right->id() == b) || (left->id() == b && right->id() == a); };
    if (is(TypeId::kLong, TypeId::kDouble)) return DataType::Double();
    if (is(TypeId::kDecimal, TypeId::kDouble)) return DataType::Double();
    if (is(TypeId::kLong, TypeId::kDecimal) || (left->id() == TypeId::kDecimal && right->id() == TypeId::kDecimal)) {
      return DecimalOf(WiderDecimal(DecimalForType(*left), DecimalForType(*right)));
    }
    if (left->id() == TypeId::kArray && right->id() == TypeId::kArray) return DataType::Array(Merge(left->element_type(), right->element_type()), true);
    if (left->id() == TypeId::kStruct && right->id() == TypeId::kStruct) {
      std::map<std::string, DataTypePtr> fields;
      for (const auto& field : left->fields()) fields[field.name] = field.type;
      for (const auto& field : right->fields()) {
        auto& mine = fields[field.name];
        mine = mine == nullptr ? field.type : Merge(mine, field.type);
      }
      return StructOf(fields);
    }
    return DataType::String();
  }

  // What is only ever NULL is a string; structs without fields and arrays of them go.
  static DataTypePtr Canonical(const DataTypePtr& type) {
    switch (type->id()) {
      case TypeId::kNull: return DataType::String();
      case TypeId::kArray: {
        auto element = Canonical(type->element_type());
        return element == nullptr ? nullptr : DataType::Array(element, true);
      }
      case TypeId::kStruct: {
        std::vector<StructField> fields;
        for (const auto& field : type->fields()) {
          auto inner = Canonical(field.type);
          if (inner != nullptr) fields.emplace_back(field.name, inner, true);
        }
        return fields.empty() ? nullptr : DataType::Struct(std::move(fields));
      }
      default: return type;
    }
  }

 private:
  static DataTypePtr StructOf(const std::map<std::string, DataTypePtr>& fields) {
    std::vector<StructField> result;
    for (const auto& [name, type] : fields) result.emplace_back(name, type, true);
    return DataType::Struct(std::move(result));
  }

  bool primitives_as_string_ = false, prefers_decimal_ = false;
};

}  // namespace

Result<DataTypePtr> InferCsvSchema(duckdb::Connection& connection, const std::vector<std::string>& paths, const ReaderOptions& options,
                                   const functions::ExpressionSettings& settings, const CancelToken* cancel) {
  auto& file_system = duckdb::FileSystem::GetFileSystem(*connection.context);
  const bool infer = IsTrue(options, "inferschema", false);
  const CsvInference inference(options, settings);
  std::vector<std::string> names;
  std::vector<CsvType> types;
  bool named = false;
  for (const auto& path : paths) {
    RecordReader reader(file_system, storage::LocalPath(path), tables::FileFormat::kCsv, options);
    if (!named && reader.header().has_value()) {
      names = SafeHeader(CellsOf(*reader.header(), options), options);
      types.resize(names.size(), CsvType::kNull);
      named = true;
    }
    if (named && !infer) break;
    std::string line;
    while (reader.Next(&line)) {
      FRAZIL_RETURN_IF_ERROR(CheckNotCancelled(cancel));
      const auto cells = CellsOf(line, options);
      if (!named) {
        for (size_t i = 0; i < cells.size(); ++i) names.push_back("_c" + std::to_string(i));
        types.resize(names.size(), CsvType::kNull);
        named = true;
      }
      if (!infer) break;
      for (size_t i = 0; i < cells.size() && i < types.size(); ++i) {
        if (types[i] != CsvType::kString) types[i] = CsvInference::Merge(types[i], inference.TypeOf(cells[i]));
      }
    }
  }
  if (!named) return DataType::Struct({});
  std::vector<StructField> fields;
  for (size_t i = 0; i < names.size(); ++i) fields.emplace_back(names[i], infer ? CsvInference::ToSpark(types[i]) : DataType::String(), true);
  return DataType::Struct(std::move(fields));
}

Result<DataTypePtr> InferJsonSchema(duckdb::Connection& connection, const std::vector<std::string>& paths, const ReaderOptions& options,
                                    const CancelToken* cancel) {
  auto& file_system = duckdb::FileSystem::GetFileSystem(*connection.context);
  const JsonInference inference(options);
  JsonOptions json_options;
  json_options.single_quotes = IsTrue(options, "allowsinglequotes", true);
  json_options.unquoted_names = IsTrue(options, "allowunquotedfieldnames", false);
  json_options.comments = IsTrue(options, "allowcomments", false);
  const std::string mode = AsciiUpper(Get(options, "mode", "PERMISSIVE"));
  const std::string corrupt = Get(options, "columnnameofcorruptrecord", "_corrupt_record");
  DataTypePtr schema = DataType::Struct({});
  bool has_corrupt = false;
  for (const auto& path : paths) {
    RecordReader reader(file_system, storage::LocalPath(path), tables::FileFormat::kJson, options);
    std::string record;
    while (reader.Next(&record)) {
      FRAZIL_RETURN_IF_ERROR(CheckNotCancelled(cancel));
      const auto json = ReadJson(record, json_options);
      // The members of arrays count as records; null and empty arrays say nothing.
      DataTypePtr type = json.has_value() ? inference.TypeOf(*json) : DataType::String();
      while (type->id() == TypeId::kArray) type = type->element_type();
      if (type->id() == TypeId::kNull) continue;
      if (type->id() == TypeId::kStruct) {
        schema = inference.Merge(schema, type);
        continue;
      }
      if (mode == "FAILFAST") {
        return Error::Of("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", {{"badRecord", record}, {"failFastMode", "FAILFAST"}});
      }
      has_corrupt = has_corrupt || mode != "DROPMALFORMED";
    }
  }
  auto canonical = JsonInference::Canonical(schema);
  std::vector<StructField> fields;
  if (canonical != nullptr) fields = canonical->fields();
  if (has_corrupt) {
    StructField field(corrupt, DataType::String(), true);
    const auto place = std::lower_bound(fields.begin(), fields.end(), field.name, [](const StructField& a, const std::string& name) { return a.name < name; });
    fields.insert(place, std::move(field));
  }
  return DataType::Struct(std::move(fields));
}

}  // namespace frazil::engine
