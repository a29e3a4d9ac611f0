#include "frazil/engine/functions/text_record.h"

#include <cmath>
#include <cstdlib>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/functions/datetime_pattern.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/types/calendar.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"
#include "frazil/types/float_text.h"
#include "frazil/types/interval.h"

namespace frazil::engine {
namespace {

using duckdb::FlatVector;
using duckdb::idx_t;

template <typename T>
bool Put(duckdb::Vector& vector, idx_t row, T value) {
  reinterpret_cast<T*>(FlatVector::GetData(vector))[row] = value;
  FlatVector::SetNull(vector, row, false);
  return true;
}

bool PutText(duckdb::Vector& vector, idx_t row, std::string_view text) {
  return Put(vector, row, duckdb::StringVector::AddStringOrBlob(vector, text.data(), text.size()));
}

bool PutInteger(const DataType& type, duckdb::Vector& vector, idx_t row, int64_t value) {
  switch (type.id()) {
    case TypeId::kByte:
      return value >= INT8_MIN && value <= INT8_MAX && Put(vector, row, static_cast<int8_t>(value));
    case TypeId::kShort:
      return value >= INT16_MIN && value <= INT16_MAX && Put(vector, row, static_cast<int16_t>(value));
    case TypeId::kInteger:
      return value >= INT32_MIN && value <= INT32_MAX && Put(vector, row, static_cast<int32_t>(value));
    default:
      return Put(vector, row, value);
  }
}

bool PutDecimal(const DataType& type, std::string_view text, duckdb::Vector& vector, idx_t row) {
  // Commas group digits, wherever they stand; blanks around the number spoil it.
  std::string digits(text);
  std::erase(digits, ',');
  if (digits.empty() || TrimControls(digits).size() != digits.size()) return false;
  const auto cast = CastStringToDecimal(digits, ShapeOf(type));
  if (cast.outcome != DecimalCast::Outcome::kValue) return false;
  WithDecimalStorage(vector.GetType(),
                     [&](auto example) { Put(vector, row, NarrowTo<decltype(example)>(cast.unscaled)); });
  return true;
}

std::optional<int64_t> ReadInteger(std::string_view text) {
  if (text.empty()) return std::nullopt;
  size_t i = text[0] == '-' || text[0] == '+' ? 1 : 0;
  if (i == text.size()) return std::nullopt;
  __int128 value = 0;
  for (; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
    if (value > static_cast<__int128>(INT64_MAX) + 1) return std::nullopt;
  }
  if (text[0] == '-') value = -value;
  if (value > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<double> ReadDouble(std::string_view text) {
  if (text == "NaN") return std::nan("");
  if (text == "Infinity" || text == "+Infinity" || text == "INF" || text == "+INF" || text == "Inf") return INFINITY;
  if (text == "-Infinity" || text == "-INF" || text == "-Inf") return -INFINITY;
  if (text.empty() || text.find_first_not_of("0123456789+-.eEdDfF") != std::string_view::npos) return std::nullopt;
  std::string copy(text);
  if (std::isalpha(static_cast<unsigned char>(copy.back())) != 0) copy.pop_back();
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || *end != '\0') return std::nullopt;
  return value;
}

// Blanks around the number are left aside, as Java does for fractions only.
std::optional<double> ReadFraction(std::string_view text, const RecordOptions& options) {
  if (const auto value = ReadDouble(TrimControls(text)); value.has_value()) return value;
  if (text == options.Get("nanvalue", "NaN")) return std::nan("");
  if (text == options.Get("positiveinf", "Inf")) return INFINITY;
  if (text == options.Get("negativeinf", "-Inf")) return -INFINITY;
  return std::nullopt;
}

std::optional<int64_t> ReadTimestamp(std::string_view text, const RecordOptions& options) {
  if (options.timestamp_format.empty()) return ParseTimestamp(text, *options.zone);
  const auto parsed = DatetimePattern::Of(options.timestamp_format).Parse(text);
  if (!parsed.has_value()) return std::nullopt;
  return parsed->utc_micros.has_value() ? *parsed->utc_micros : options.zone->ToUtcMicros(parsed->local_micros);
}

std::string DecodeBase64(std::string_view text) {
  std::string result;
  unsigned group = 0;
  int digits = 0;
  for (char c : text) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) continue;
    group = group << 6 | static_cast<unsigned>(digit);
    if (++digits == 4) {
      for (int shift = 16; shift >= 0; shift -= 8) result += static_cast<char>(group >> shift);
      group = 0;
      digits = 0;
    }
  }
  if (digits == 2) result += static_cast<char>(group >> 4);
  if (digits == 3) {
    result += static_cast<char>(group >> 10);
    result += static_cast<char>(group >> 2);
  }
  return result;
}

}  // namespace

void CheckLocale(const std::map<std::string, std::string>& options) {
  const auto found = options.find("locale");
  if (found == options.end() || EqualsIgnoreCase(found->second, "en-US")) return;
  ThrowSparkError(Error::Unsupported("the option locale with " + found->second + " (only en-US)"));
}

RecordOptions RecordOptions::Of(std::map<std::string, std::string> values, const std::string& session_zone) {
  RecordOptions options;
  options.values = std::move(values);
  CheckLocale(options.values);
  options.zone = ValueOrThrow(TimeZone::Find(options.Get("timezone", session_zone)));
  options.timestamp_format = options.Get("timestampformat", "");
  options.timestamp_ntz_format = options.Get("timestampntzformat", "");
  options.date_format = options.Get("dateformat", "");
  options.fail_fast = AsciiUpper(options.Get("mode", "PERMISSIVE")) == "FAILFAST";
  return options;
}

std::string RecordOptions::Get(const std::string& key, std::string fallback) const {
  const auto found = values.find(key);
  return found == values.end() ? fallback : found->second;
}

bool RecordOptions::IsTrue(const std::string& key, bool fallback) const {
  const auto found = values.find(key);
  return found == values.end() ? fallback : AsciiLower(found->second) == "true";
}

JsonOptions RecordOptions::json() const {
  JsonOptions json;
  json.single_quotes = IsTrue("allowsinglequotes", true);
  json.unquoted_names = IsTrue("allowunquotedfieldnames", false);
  json.comments = IsTrue("allowcomments", false);
  json.leading_zeros = IsTrue("allownumericleadingzeros", false);
  json.non_numeric_numbers = IsTrue("allownonnumericnumbers", true);
  json.backslash_any = IsTrue("allowbackslashescapinganycharacter", false);
  json.control_characters = IsTrue("allowunquotedcontrolchars", false);
  return json;
}

void WriteNull(duckdb::Vector& vector, idx_t row) {
  FlatVector::SetNull(vector, row, true);
  if (vector.GetType().InternalType() == duckdb::PhysicalType::LIST)
    FlatVector::GetData<duckdb::list_entry_t>(vector)[row] = {duckdb::ListVector::GetListSize(vector), 0};
}

bool WriteText(const DataType& type, std::string_view text, const RecordOptions& options, duckdb::Vector& vector,
               idx_t row) {
  switch (type.id()) {
    case TypeId::kString:
      return PutText(vector, row, text);
    case TypeId::kBinary:
      return PutText(vector, row, text);
    case TypeId::kBoolean: {
      const std::string lower = AsciiLower(text);
      if (lower != "true" && lower != "false") return false;
      return Put(vector, row, lower == "true");
    }
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong: {
      const auto value = ReadInteger(text);
      return value.has_value() && PutInteger(type, vector, row, *value);
    }
    case TypeId::kFloat: {
      const auto value = ReadFraction(text, options);
      return value.has_value() && Put(vector, row, static_cast<float>(*value));
    }
    case TypeId::kDouble: {
      const auto value = ReadFraction(text, options);
      return value.has_value() && Put(vector, row, *value);
    }
    case TypeId::kDecimal:
      return PutDecimal(type, text, vector, row);
    case TypeId::kDate: {
      if (!options.date_format.empty()) {
        const auto parsed = DatetimePattern::Of(options.date_format).Parse(text);
        return parsed.has_value() &&
               Put(vector, row, static_cast<int32_t>(FloorDivide(parsed->local_micros, kMicrosPerDay)));
      }
      const auto days = ParseDate(TrimControls(text));
      return days.has_value() && Put(vector, row, *days);
    }
    case TypeId::kTimestamp: {
      const auto micros = ReadTimestamp(text, options);
      return micros.has_value() && Put(vector, row, *micros);
    }
    case TypeId::kTimestampNtz: {
      if (!options.timestamp_ntz_format.empty()) {
        const auto parsed = DatetimePattern::Of(options.timestamp_ntz_format).Parse(text);
        return parsed.has_value() && Put(vector, row, parsed->local_micros);
      }
      const auto micros = ParseTimestampNtz(text, false);
      return micros.has_value() && Put(vector, row, *micros);
    }
    case TypeId::kTime: {
      const auto micros = ParseTime(text);
      return micros.has_value() && Put(vector, row, *micros);
    }
    case TypeId::kYearMonthInterval: {
      auto months = ParseYearMonthInterval(TrimBlanks(text), type.start_field(), type.end_field());
      return months.ok() && Put(vector, row, *months);
    }
    case TypeId::kDayTimeInterval: {
      auto micros = ParseDayTimeInterval(TrimBlanks(text), type.start_field(), type.end_field());
      return micros.ok() && Put(vector, row, *micros);
    }
    case TypeId::kCalendarInterval: {
      auto interval = ParseCalendarInterval(text);
      return interval.ok() && Put(vector, row, duckdb::interval_t{interval->months, interval->days, interval->micros});
    }
    case TypeId::kNull:
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kStruct:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return false;
  }
  return false;
}

bool WriteJson(const DataType& type, const Json& json, const RecordOptions& options, duckdb::Vector& vector, idx_t row,
               bool* complete) {
  if (json.kind == Json::Kind::kNull) {
    WriteNull(vector, row);
    return true;
  }
  const auto write_or_null = [&](const DataType& part, const Json& value, duckdb::Vector& target, idx_t at) {
    if (!WriteJson(part, value, options, target, at, complete)) {
      WriteNull(target, at);
      *complete = false;
    }
  };
  switch (type.id()) {
    case TypeId::kBoolean:
      return json.kind == Json::Kind::kBoolean && Put(vector, row, json.boolean);
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong: {
      if (json.kind != Json::Kind::kInteger) return false;
      const auto value = ReadInteger(json.text);
      return value.has_value() && PutInteger(type, vector, row, *value);
    }
    case TypeId::kFloat:
    case TypeId::kDouble: {
      const bool is_number = json.kind == Json::Kind::kInteger || json.kind == Json::Kind::kFraction;
      // Only the words for what is no number may stand in quotes.
      const bool is_word =
          json.kind == Json::Kind::kString && (json.text == "NaN" || json.text.find("INF") != std::string::npos ||
                                               json.text.find("Infinity") != std::string::npos);
      if (!is_number && !is_word) return false;
      const auto value = ReadDouble(json.text);
      if (!value.has_value()) return false;
      return type.id() == TypeId::kFloat ? Put(vector, row, static_cast<float>(*value)) : Put(vector, row, *value);
    }
    case TypeId::kDecimal:
      if (json.kind != Json::Kind::kInteger && json.kind != Json::Kind::kFraction && json.kind != Json::Kind::kString)
        return false;
      return PutDecimal(type, json.text, vector, row);
    case TypeId::kString:
      return PutText(vector, row, json.kind == Json::Kind::kString ? json.text : json.ToText());
    case TypeId::kBinary:
      return json.kind == Json::Kind::kString && PutText(vector, row, DecodeBase64(json.text));
    case TypeId::kTimestamp:
      if (json.kind == Json::Kind::kInteger) {
        const auto seconds = ReadInteger(json.text);
        return seconds.has_value() && Put(vector, row, *seconds * kMicrosPerSecond);
      }
      return json.kind == Json::Kind::kString && WriteText(type, json.text, options, vector, row);
    case TypeId::kDate:
      if (json.kind == Json::Kind::kInteger) {
        const auto days = ReadInteger(json.text);
        return days.has_value() && PutInteger(*DataType::Integer(), vector, row, *days);
      }
      return json.kind == Json::Kind::kString && WriteText(type, json.text, options, vector, row);
    case TypeId::kTimestampNtz:
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
      return json.kind == Json::Kind::kString && WriteText(type, json.text, options, vector, row);
    case TypeId::kArray: {
      if (json.kind != Json::Kind::kArray) return false;
      const idx_t begin = duckdb::ListVector::GetListSize(vector);
      const idx_t size = json.items.size();
      duckdb::ListVector::Reserve(vector, begin + size);
      duckdb::ListVector::SetListSize(vector, begin + size);
      Put(vector, row, duckdb::list_entry_t{begin, size});
      // An element that does not fit spoils the array; only a struct can be there in part.
      for (idx_t i = 0; i < size; ++i) {
        if (!WriteJson(*type.element_type(), json.items[i], options, duckdb::ListVector::GetEntry(vector), begin + i,
                       complete))
          return false;
      }
      return true;
    }
    case TypeId::kMap: {
      if (json.kind != Json::Kind::kObject) return false;
      const idx_t begin = duckdb::ListVector::GetListSize(vector);
      const idx_t size = json.members.size();
      duckdb::ListVector::Reserve(vector, begin + size);
      duckdb::ListVector::SetListSize(vector, begin + size);
      Put(vector, row, duckdb::list_entry_t{begin, size});
      for (idx_t i = 0; i < size; ++i) {
        if (!WriteText(*type.key_type(), json.members[i].first, options, duckdb::MapVector::GetKeys(vector), begin + i))
          return false;
        if (!WriteJson(*type.value_type(), json.members[i].second, options, duckdb::MapVector::GetValues(vector),
                       begin + i, complete))
          return false;
      }
      return true;
    }
    case TypeId::kStruct: {
      if (json.kind != Json::Kind::kObject) return false;
      FlatVector::Validity(vector).SetValid(row);
      auto& members = duckdb::StructVector::GetEntries(vector);
      for (size_t i = 0; i < type.fields().size(); ++i) {
        const Json* value = nullptr;
        // The last member of a name counts.
        for (const auto& [name, member] : json.members) {
          if (name == type.fields()[i].name) value = &member;
        }
        if (value == nullptr) {
          WriteNull(*members[i], row);
        } else {
          write_or_null(*type.fields()[i].type, *value, *members[i], row);
        }
      }
      return true;
    }
    case TypeId::kNull:
      WriteNull(vector, row);
      return true;
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return false;
  }
  return false;
}

namespace {

JsonSelection SelectionOf(const DataType& type) {
  JsonSelection selection;
  if (type.id() == TypeId::kStruct) {
    selection.all = false;
    for (const auto& field : type.fields()) selection.fields.emplace_back(field.name, SelectionOf(*field.type));
  } else if (type.id() == TypeId::kArray) {
    JsonSelection item = SelectionOf(*type.element_type());
    selection.all = item.all;
    if (!item.all) selection.items.push_back(std::move(item));
  }
  return selection;
}

}  // namespace

JsonSelection SelectionOfRecord(const DataType& type) {
  JsonSelection selection = SelectionOf(type);
  if (selection.all) return selection;
  if (selection.items.empty()) {
    JsonSelection item = selection;
    selection.items.push_back(std::move(item));
  } else {
    selection.fields = selection.items[0].fields;
  }
  return selection;
}

// --- writing
// ----------------------------------------------------------------------------------------------------------------------------------------------------

std::optional<std::string> SimpleText(const DataType& type, const VectorReader& reader, idx_t row,
                                      const RecordOptions& options) {
  const auto at = reader.unified.sel->get_index(row);
  if (!reader.unified.validity.RowIsValid(at)) return std::nullopt;
  const auto value = [&](auto example) { return reinterpret_cast<const decltype(example)*>(reader.unified.data)[at]; };
  switch (type.id()) {
    case TypeId::kBoolean:
      return value(bool{}) ? "true" : "false";
    case TypeId::kByte:
      return std::to_string(value(int8_t{}));
    case TypeId::kShort:
      return std::to_string(value(int16_t{}));
    case TypeId::kInteger:
      return std::to_string(value(int32_t{}));
    case TypeId::kLong:
      return std::to_string(value(int64_t{}));
    case TypeId::kFloat:
      return FloatToString(value(float{}));
    case TypeId::kDouble:
      return DoubleToString(value(double{}));
    case TypeId::kDecimal: {
      std::string text;
      WithDecimalStorage(reader.logical_type,
                         [&](auto example) { text = DecimalToString(WideOf(value(example)), type.scale()); });
      return text;
    }
    case TypeId::kString: {
      const auto text = value(duckdb::string_t{});
      return std::string(text.GetData(), text.GetSize());
    }
    case TypeId::kBinary: {
      const auto bytes = value(duckdb::string_t{});
      return Base64Encode({bytes.GetData(), bytes.GetSize()});
    }
    case TypeId::kDate:
      if (!options.date_format.empty()) {
        const int64_t micros = value(int32_t{}) * kMicrosPerDay;
        return DatetimePattern::Of(options.date_format).Format(micros, micros, *TimeZone::Utc());
      }
      return FormatDate(value(int32_t{}));
    case TypeId::kTimestamp: {
      const auto micros = value(int64_t{});
      const std::string& pattern = options.timestamp_format;
      if (pattern.empty() && options.IsTrue("hivetext", false)) return FormatTimestamp(micros, *options.zone);
      return DatetimePattern::Of(pattern.empty() ? "yyyy-MM-dd'T'HH:mm:ss.SSSXXX" : std::string_view(pattern))
          .Format(options.zone->ToLocalMicros(micros), micros, *options.zone);
    }
    case TypeId::kTimestampNtz: {
      const auto micros = value(int64_t{});
      const std::string& pattern = options.timestamp_ntz_format;
      return DatetimePattern::Of(pattern.empty() ? "yyyy-MM-dd'T'HH:mm:ss.SSS" : std::string_view(pattern))
          .Format(micros, micros, *TimeZone::Utc());
    }
    case TypeId::kTime:
      return FormatTime(value(int64_t{}));
    case TypeId::kYearMonthInterval:
      return YearMonthIntervalToString(value(int32_t{}), type.start_field(), type.end_field());
    case TypeId::kDayTimeInterval:
      return DayTimeIntervalToString(value(int64_t{}), type.start_field(), type.end_field());
    case TypeId::kCalendarInterval: {
      const auto interval = value(duckdb::interval_t{});
      return CalendarIntervalToString({interval.months, interval.days, interval.micros});
    }
    case TypeId::kNull:
      return std::nullopt;
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kStruct:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      ThrowSparkError(Error::Unsupported("text of " + type.SimpleString()));
  }
  return std::nullopt;
}

namespace {

bool IsNullAt(const VectorReader& reader, idx_t row) {
  return !reader.unified.validity.RowIsValid(reader.unified.sel->get_index(row));
}

// A key of a map: structs show their values only.
std::string KeyText(const DataType& type, const VectorReader& reader, idx_t row, const RecordOptions& options) {
  if (type.id() == TypeId::kStruct) {
    const auto at = reader.unified.sel->get_index(row);
    std::string text = "[";
    for (size_t i = 0; i < type.fields().size(); ++i) {
      if (i > 0) text += ",";
      text += KeyText(*type.fields()[i].type, reader.children[i], at, options);
    }
    return text + "]";
  }
  return SimpleText(type, reader, row, options).value_or("null");
}

}  // namespace

void AppendJsonValue(const DataType& type, const VectorReader& reader, idx_t row, const RecordOptions& options,
                     std::string* out) {
  if (IsNullAt(reader, row)) {
    *out += "null";
    return;
  }
  const auto at = reader.unified.sel->get_index(row);
  switch (type.id()) {
    case TypeId::kStruct: {
      *out += '{';
      bool first = true;
      const bool keeps_nulls = !options.IsTrue("ignorenullfields", true);
      for (size_t i = 0; i < type.fields().size(); ++i) {
        if (IsNullAt(reader.children[i], at) && !keeps_nulls) continue;
        if (!first) *out += ',';
        first = false;
        AppendJsonText(type.fields()[i].name, out);
        *out += ':';
        AppendJsonValue(*type.fields()[i].type, reader.children[i], at, options, out);
      }
      *out += '}';
      return;
    }
    case TypeId::kArray: {
      const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(reader.unified.data)[at];
      *out += '[';
      for (idx_t i = 0; i < entry.length; ++i) {
        if (i > 0) *out += ',';
        AppendJsonValue(*type.element_type(), reader.children[0], entry.offset + i, options, out);
      }
      *out += ']';
      return;
    }
    case TypeId::kMap: {
      const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(reader.unified.data)[at];
      const VectorReader& pairs = reader.children[0];
      *out += '{';
      for (idx_t i = 0; i < entry.length; ++i) {
        if (i > 0) *out += ',';
        const auto pair = pairs.unified.sel->get_index(entry.offset + i);
        AppendJsonText(KeyText(*type.key_type(), pairs.children[0], pair, options), out);
        *out += ':';
        AppendJsonValue(*type.value_type(), pairs.children[1], pair, options, out);
      }
      *out += '}';
      return;
    }
    case TypeId::kBoolean:
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kDecimal:
      *out += *SimpleText(type, reader, row, options);
      return;
    case TypeId::kFloat:
    case TypeId::kDouble: {
      const std::string text = *SimpleText(type, reader, row, options);
      const bool is_number = std::isdigit(static_cast<unsigned char>(text.back())) != 0;
      if (is_number) {
        *out += text;
      } else {
        AppendJsonText(text, out);
      }
      return;
    }
    default:
      AppendJsonText(*SimpleText(type, reader, row, options), out);
      return;
  }
}

}  // namespace frazil::engine
