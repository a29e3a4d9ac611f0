#include "frazil/types/value.h"

#include <cmath>

#include "frazil/base/byte_text.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"
#include "frazil/types/float_text.h"
#include "frazil/types/interval.h"

namespace frazil {
namespace {

template <typename T>
int Order(const T& left, const T& right) {
  return left < right ? -1 : (right < left ? 1 : 0);
}

// NaN is equal to itself and above all else; -0.0 equals 0.0.
template <typename T>
int OrderFloats(T left, T right) {
  if (std::isnan(left) || std::isnan(right))
    return static_cast<int>(std::isnan(left)) - static_cast<int>(std::isnan(right));
  return Order(left, right);
}

int OrderNullable(const DataType& type, const Value& left, const Value& right) {
  if (left.is_null() || right.is_null()) return static_cast<int>(right.is_null()) - static_cast<int>(left.is_null());
  return CompareValues(type, left, right);
}

int OrderLists(const DataType& type, const Value::List& left, const Value::List& right) {
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const DataType* element = type.fields()[0].type.get();
    if (type.id() == TypeId::kStruct) element = type.fields()[i].type.get();
    if (type.id() == TypeId::kMap) element = type.fields()[i % 2].type.get();
    if (const int order = OrderNullable(*element, left[i], right[i]); order != 0) return order;
  }
  return Order(left.size(), right.size());
}

const TimeZone& ZoneByName(std::string_view name) {
  // Names reach this place checked (settings refuse unknown zones).
  auto zone = TimeZone::Find(name);
  // Zones are kept for the life of the process.
  return zone.ok() ? **zone : *TimeZone::Utc();
}

class ValuePrinter {
 public:
  explicit ValuePrinter(std::string_view time_zone) : time_zone_(time_zone) {}

  std::string Print(const DataType& type, const Value& value) const {
    if (value.is_null()) return "null";
    switch (type.id()) {
      case TypeId::kNull:
        return "null";
      case TypeId::kBoolean:
        return value.boolean() ? "true" : "false";
      case TypeId::kByte:
      case TypeId::kShort:
      case TypeId::kInteger:
      case TypeId::kLong:
        return std::to_string(value.integer());
      case TypeId::kFloat:
        return FloatToString(value.float32());
      case TypeId::kDouble:
        return DoubleToString(value.float64());
      case TypeId::kDecimal:
        return DecimalToString(value.decimal(), type.scale());
      case TypeId::kString:
      case TypeId::kBinary:
      case TypeId::kVariant:
      case TypeId::kGeometry:
      case TypeId::kGeography:
        return value.string();
      case TypeId::kDate:
        return FormatDate(value.integer());
      case TypeId::kTimestamp:
        return FormatTimestamp(value.integer(), ZoneByName(time_zone_));
      case TypeId::kTimestampNtz:
        return FormatTimestampNtz(value.integer());
      case TypeId::kTime:
        return FormatTime(value.integer());
      case TypeId::kYearMonthInterval:
        return YearMonthIntervalToString(value.integer(), type.start_field(), type.end_field());
      case TypeId::kDayTimeInterval:
        return DayTimeIntervalToString(value.integer(), type.start_field(), type.end_field());
      case TypeId::kCalendarInterval:
        return CalendarIntervalToString(value.calendar_interval());
      case TypeId::kArray:
        return "[" + PrintElements(type, value.list()) + "]";
      case TypeId::kStruct:
        return "{" + PrintElements(type, value.list()) + "}";
      case TypeId::kMap:
        return "{" + PrintEntries(type, value.list()) + "}";
    }
    return {};
  }

 private:
  std::string PrintElements(const DataType& type, const Value::List& elements) const {
    std::string text;
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) text += ", ";
      const size_t field = type.id() == TypeId::kStruct ? i : 0;
      text += Print(*type.fields()[field].type, elements[i]);
    }
    return text;
  }

  std::string PrintEntries(const DataType& type, const Value::List& entries) const {
    std::string text;
    for (size_t i = 0; i + 1 < entries.size(); i += 2) {
      if (i > 0) text += ", ";
      text += Print(*type.key_type(), entries[i]) + " -> " + Print(*type.value_type(), entries[i + 1]);
    }
    return text;
  }

  std::string_view time_zone_;
};

class SqlPrinter {
 public:
  explicit SqlPrinter(std::string_view time_zone) : time_zone_(time_zone) {}

  // As Spark's Literal.sql.
  std::string Print(const DataType& type, const Value& value) const {
    if (value.is_null()) return PrintNull(type);
    switch (type.id()) {
      case TypeId::kByte:
        return Text(type, value) + "Y";
      case TypeId::kShort:
        return Text(type, value) + "S";
      case TypeId::kLong:
        return Text(type, value) + "L";
      case TypeId::kFloat:
        return "CAST('" + Text(type, value) + "' AS FLOAT)";
      case TypeId::kDouble:
        return std::isfinite(value.float64()) ? Text(type, value) + "D" : "CAST('" + Text(type, value) + "' AS DOUBLE)";
      case TypeId::kDecimal:
        return DecimalToJavaString(value.decimal(), type.scale()) + "BD";
      case TypeId::kString:
        return Quote(value.string()) + (type.collation().empty() ? "" : " collate " + type.collation());
      case TypeId::kArray:
        return "ARRAY(" + PrintElements(type, value.list()) + ")";
      case TypeId::kStruct:
        return "NAMED_STRUCT(" + PrintFields(type, value.list()) + ")";
      case TypeId::kMap:
        return "MAP(" + PrintElements(type, value.list()) + ")";
      case TypeId::kNull:
      case TypeId::kBoolean:
      case TypeId::kInteger:
      case TypeId::kBinary:
      case TypeId::kDate:
      case TypeId::kTimestamp:
      case TypeId::kTimestampNtz:
      case TypeId::kTime:
      case TypeId::kYearMonthInterval:
      case TypeId::kDayTimeInterval:
      case TypeId::kCalendarInterval:
      case TypeId::kVariant:
      case TypeId::kGeometry:
      case TypeId::kGeography:
        break;
    }
    return PrintPlain(type, value);
  }

  // As in column names: numbers and strings bare.
  std::string PrintPretty(const DataType& type, const Value& value) const {
    if (value.is_null()) return "NULL";
    if (type.id() == TypeId::kDecimal) return DecimalToJavaString(value.decimal(), type.scale());
    const bool plain_string = type.id() == TypeId::kString && type.collation().empty();
    if (plain_string || type.IsNumeric()) return Text(type, value);
    return Print(type, value);
  }

 private:
  static std::string Quote(const std::string& text) {
    std::string quoted = "'";
    for (const char character : text) {
      if (character == '\\' || character == '\'') quoted += '\\';
      quoted += character;
    }
    return quoted + "'";
  }

  static std::string PrintNull(const DataType& type) {
    if (type.id() == TypeId::kNull || type.IsComplex()) return "NULL";
    return "CAST(NULL AS " + type.Sql() + ")";
  }

  std::string Text(const DataType& type, const Value& value) const { return ValueToString(type, value, time_zone_); }

  std::string PrintPlain(const DataType& type, const Value& value) const {
    const std::string text = Text(type, value);
    if (type.id() == TypeId::kBinary) return "X'" + HexUpper(text) + "'";
    if (type.id() == TypeId::kDate) return "DATE '" + text + "'";
    if (type.id() == TypeId::kTime) return "TIME '" + text + "'";
    if (type.id() == TypeId::kTimestamp) return "TIMESTAMP '" + text + "'";
    if (type.id() == TypeId::kTimestampNtz) return "TIMESTAMP_NTZ '" + text + "'";
    if (type.id() == TypeId::kCalendarInterval) return "INTERVAL '" + text + "'";
    return text;
  }

  std::string PrintElements(const DataType& type, const Value::List& elements) const {
    std::string text;
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) text += ", ";
      const size_t field = type.id() == TypeId::kMap ? i % 2 : 0;
      text += Print(*type.fields()[field].type, elements[i]);
    }
    return text;
  }

  std::string PrintFields(const DataType& type, const Value::List& values) const {
    std::string text;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text += ", ";
      text += "'" + type.fields()[i].name + "', " + Print(*type.fields()[i].type, values[i]);
    }
    return text;
  }

  std::string_view time_zone_;
};

}  // namespace

int CompareValues(const DataType& type, const Value& left, const Value& right) {
  switch (type.id()) {
    case TypeId::kNull:
      return 0;
    case TypeId::kBoolean:
      return Order(left.boolean(), right.boolean());
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
      return Order(left.integer(), right.integer());
    case TypeId::kFloat:
      return OrderFloats(left.float32(), right.float32());
    case TypeId::kDouble:
      return OrderFloats(left.float64(), right.float64());
    case TypeId::kDecimal:
      return Order(left.decimal(), right.decimal());
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return Order(left.string(), right.string());
    case TypeId::kCalendarInterval: {
      // Not an order that users see; Spark uses the same to group.
      const auto& a = left.calendar_interval();
      const auto& b = right.calendar_interval();
      if (a.months != b.months) return Order(a.months, b.months);
      if (a.days != b.days) return Order(a.days, b.days);
      return Order(a.micros, b.micros);
    }
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kStruct:
      return OrderLists(type, left.list(), right.list());
  }
  return 0;
}

std::string ValueToString(const DataType& type, const Value& value, std::string_view time_zone) {
  return ValuePrinter(time_zone).Print(type, value);
}

std::string LiteralSql(const DataType& type, const Value& value, std::string_view time_zone) {
  return SqlPrinter(time_zone).PrintPretty(type, value);
}

std::string QuotedLiteralSql(const DataType& type, const Value& value, std::string_view time_zone) {
  return SqlPrinter(time_zone).Print(type, value);
}

}  // namespace frazil
