#include <algorithm>
#include <charconv>

#include "frazil/connect/literal_proto_internal.h"

// Fields that the protocol calls deprecated are what clients of Spark 3.5 and 4.0 send.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;
using Literal = proto::Expression::Literal;

constexpr int kMaxDecimalPrecision = 38;

Error InvalidLiteral(const std::string& what) {
  return Error::Plain(ExceptionClass::kIllegalArgument, "Invalid literal in the Spark Connect plan: " + what + ".");
}

// Digits of a decimal as Java's BigDecimal prints it: sign, digits, fraction, exponent.
struct DecimalText {
  int128 unscaled = 0;
  int digits = 1;
  int scale = 0;
};

Result<DecimalText> ParseDecimalText(const std::string& text) {
  DecimalText decimal;
  size_t at = 0;
  bool negative = false;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
  int significant = 0;
  bool any = false;
  bool after_point = false;
  for (; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (character < '0' || character > '9') break;
    any = true;
    if (significant > 0 || character != '0') ++significant;
    if (significant > kMaxDecimalPrecision) {
      return Error::Of(ExceptionClass::kArithmetic, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                       {{"precision", std::to_string(significant)}, {"maxPrecision", "38"}});
    }
    decimal.unscaled = decimal.unscaled * 10 + (character - '0');
    if (after_point) ++decimal.scale;
  }
  if (!any) return InvalidLiteral("decimal '" + text + "'");
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return InvalidLiteral("decimal '" + text + "'");
    ++at;
    if (at < text.size() && text[at] == '+') ++at;
    int exponent = 0;
    const auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
    if (code != std::errc() || end != text.data() + text.size()) return InvalidLiteral("decimal '" + text + "'");
    decimal.scale -= exponent;
  }
  decimal.digits = std::max(significant, 1);
  while (decimal.scale < 0) {
    if (decimal.unscaled != 0 && ++decimal.digits > kMaxDecimalPrecision)
      return InvalidLiteral("decimal '" + text + "'");
    decimal.unscaled *= 10;
    ++decimal.scale;
  }
  if (negative) decimal.unscaled = -decimal.unscaled;
  return decimal;
}

Result<TypedValue> ReadDecimal(const Literal::Decimal& message) {
  FRAZIL_ASSIGN_OR_RETURN(auto decimal, ParseDecimalText(message.value()));
  int scale = decimal.scale;
  int precision = std::max(decimal.digits, scale);
  if (message.has_scale()) scale = std::max(scale, message.scale());
  if (message.has_precision()) precision = std::max(precision, message.precision());
  // Digits before the point must still fit when the scale grows.
  precision = std::max(precision, decimal.digits + (scale - decimal.scale));
  precision = std::max(precision, scale);
  if (precision > kMaxDecimalPrecision || scale > kMaxDecimalPrecision) {
    return Error::Of(ExceptionClass::kArithmetic, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                     {{"precision", std::to_string(precision)}, {"maxPrecision", "38"}});
  }
  for (int missing = scale - decimal.scale; missing > 0; --missing) decimal.unscaled *= 10;
  return TypedValue{DataType::Decimal(precision, scale), Value(Decimal128{decimal.unscaled})};
}

// The type that the message states beside the value, or null.
Result<DataTypePtr> StatedType(const Literal& message, const DdlParser& parse_ddl) {
  if (!message.has_data_type() || message.data_type().kind_case() == proto::DataType::KIND_NOT_SET)
    return DataTypePtr();
  return ReadDataType(message.data_type(), parse_ddl);
}

bool IsSet(const proto::DataType& type) { return type.kind_case() != proto::DataType::KIND_NOT_SET; }

template <typename Elements, typename Make>
TypedValue MakeArray(const DataTypePtr& stated, const DataTypePtr& element_type, const Elements& elements, Make make) {
  Value::List values;
  values.reserve(elements.size());
  for (const auto& element : elements) values.push_back(make(element));
  return {stated != nullptr ? stated : DataType::Array(element_type, false), Value(std::move(values))};
}

Result<TypedValue> ReadSpecializedArray(const Literal::SpecializedArray& message, const DataTypePtr& stated) {
  using Kind = Literal::SpecializedArray::ValueTypeCase;
  switch (message.value_type_case()) {
    case Kind::kBools:
      return MakeArray(stated, DataType::Boolean(), message.bools().values(), [](bool v) { return Value(v); });
    case Kind::kInts: {
      // Narrower integers come as ints too; the stated type tells.
      return MakeArray(stated, DataType::Integer(), message.ints().values(),
                       [](int32_t v) { return Value(static_cast<int64_t>(v)); });
    }
    case Kind::kLongs:
      return MakeArray(stated, DataType::Long(), message.longs().values(), [](int64_t v) { return Value(v); });
    case Kind::kFloats:
      return MakeArray(stated, DataType::Float(), message.floats().values(), [](float v) { return Value(v); });
    case Kind::kDoubles:
      return MakeArray(stated, DataType::Double(), message.doubles().values(), [](double v) { return Value(v); });
    case Kind::kStrings:
      return MakeArray(stated, DataType::String(), message.strings().values(),
                       [](const std::string& v) { return Value(v); });
    case Kind::VALUE_TYPE_NOT_SET:
      break;
  }
  return InvalidLiteral("array without elements' kind");
}

Result<TypedValue> ReadArray(const Literal& message, const DataTypePtr& stated, const DdlParser& parse_ddl) {
  DataTypePtr element_type;
  if (stated != nullptr && stated->id() == TypeId::kArray) {
    element_type = stated->element_type();
  } else if (IsSet(message.array().element_type())) {
    FRAZIL_ASSIGN_OR_RETURN(element_type, ReadDataType(message.array().element_type(), parse_ddl));
  }
  Value::List values;
  for (const auto& element : message.array().elements()) {
    FRAZIL_ASSIGN_OR_RETURN(auto read, ReadLiteral(element, parse_ddl));
    if (element_type == nullptr) element_type = read.type;
    values.push_back(std::move(read.value));
  }
  if (element_type == nullptr) return InvalidLiteral("empty array without a type");
  DataTypePtr type = stated != nullptr ? stated : DataType::Array(element_type, true);
  return TypedValue{std::move(type), Value(std::move(values))};
}

Result<TypedValue> ReadMap(const Literal& message, const DataTypePtr& stated, const DdlParser& parse_ddl) {
  const auto& map = message.map();
  if (map.keys_size() != map.values_size()) return InvalidLiteral("map with unequal numbers of keys and values");
  DataTypePtr key_type;
  DataTypePtr value_type;
  if (stated != nullptr && stated->id() == TypeId::kMap) {
    key_type = stated->key_type();
    value_type = stated->value_type();
  } else {
    if (IsSet(map.key_type())) {
      FRAZIL_ASSIGN_OR_RETURN(key_type, ReadDataType(map.key_type(), parse_ddl));
    }
    if (IsSet(map.value_type())) {
      FRAZIL_ASSIGN_OR_RETURN(value_type, ReadDataType(map.value_type(), parse_ddl));
    }
  }
  Value::List entries;
  for (int i = 0; i < map.keys_size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto key, ReadLiteral(map.keys(i), parse_ddl));
    FRAZIL_ASSIGN_OR_RETURN(auto value, ReadLiteral(map.values(i), parse_ddl));
    if (key_type == nullptr) key_type = key.type;
    if (value_type == nullptr) value_type = value.type;
    entries.push_back(std::move(key.value));
    entries.push_back(std::move(value.value));
  }
  if (key_type == nullptr || value_type == nullptr) return InvalidLiteral("empty map without a type");
  DataTypePtr type = stated != nullptr ? stated : DataType::Map(key_type, value_type, true);
  return TypedValue{std::move(type), Value(std::move(entries))};
}

Result<TypedValue> ReadStructLiteral(const Literal& message, DataTypePtr type, const DdlParser& parse_ddl) {
  if (type == nullptr) {
    if (!IsSet(message.struct_().struct_type())) return InvalidLiteral("struct without a type");
    FRAZIL_ASSIGN_OR_RETURN(type, ReadDataType(message.struct_().struct_type(), parse_ddl));
  }
  if (type->id() != TypeId::kStruct || static_cast<int>(type->fields().size()) != message.struct_().elements_size()) {
    return InvalidLiteral("struct whose values do not match its fields");
  }
  Value::List values;
  for (const auto& element : message.struct_().elements()) {
    FRAZIL_ASSIGN_OR_RETURN(auto read, ReadLiteral(element, parse_ddl));
    values.push_back(std::move(read.value));
  }
  return TypedValue{std::move(type), Value(std::move(values))};
}

std::string DecimalToText(int128 unscaled, int scale) {
  const bool negative = unscaled < 0;
  unsigned __int128 rest =
      negative ? -static_cast<unsigned __int128>(unscaled) : static_cast<unsigned __int128>(unscaled);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (scale > 0) {
    if (static_cast<int>(digits.size()) <= scale) digits.insert(0, scale - digits.size() + 1, '0');
    digits.insert(digits.size() - scale, ".");
  }
  return negative ? "-" + digits : digits;
}

constexpr int64_t kNanosPerMicro = 1000;

}  // namespace

Result<TypedValue> ReadLiteral(const Literal& message, const DdlParser& parse_ddl) {
  FRAZIL_ASSIGN_OR_RETURN(DataTypePtr stated, StatedType(message, parse_ddl));
  const auto made = [&](const DataTypePtr& type, Value value) -> Result<TypedValue> {
    return TypedValue{stated != nullptr ? stated : type, std::move(value)};
  };
  using Kind = Literal::LiteralTypeCase;
  switch (message.literal_type_case()) {
    case Kind::kNull: {
      if (stated != nullptr) return TypedValue{stated, Value()};
      if (!IsSet(message.null())) return TypedValue{DataType::Null(), Value()};
      FRAZIL_ASSIGN_OR_RETURN(auto type, ReadDataType(message.null(), parse_ddl));
      return TypedValue{std::move(type), Value()};
    }
    case Kind::kBinary:
      return made(DataType::Binary(), Value(message.binary()));
    case Kind::kBoolean:
      return made(DataType::Boolean(), Value(message.boolean()));
    case Kind::kByte:
      return made(DataType::Byte(), Value(static_cast<int64_t>(message.byte())));
    case Kind::kShort:
      return made(DataType::Short(), Value(static_cast<int64_t>(message.short_())));
    case Kind::kInteger:
      return made(DataType::Integer(), Value(static_cast<int64_t>(message.integer())));
    case Kind::kLong:
      return made(DataType::Long(), Value(message.long_()));
    case Kind::kFloat:
      return made(DataType::Float(), Value(message.float_()));
    case Kind::kDouble:
      return made(DataType::Double(), Value(message.double_()));
    case Kind::kDecimal:
      return ReadDecimal(message.decimal());
    case Kind::kString:
      return made(DataType::String(), Value(message.string()));
    case Kind::kDate:
      return made(DataType::Date(), Value(static_cast<int64_t>(message.date())));
    case Kind::kTimestamp:
      return made(DataType::Timestamp(), Value(message.timestamp()));
    case Kind::kTimestampNtz:
      return made(DataType::TimestampNtz(), Value(message.timestamp_ntz()));
    case Kind::kCalendarInterval:
      return made(DataType::CalendarInterval(),
                  Value(CalendarIntervalValue{message.calendar_interval().months(), message.calendar_interval().days(),
                                              message.calendar_interval().microseconds()}));
    case Kind::kYearMonthInterval:
      return made(DataType::YearMonthInterval(), Value(static_cast<int64_t>(message.year_month_interval())));
    case Kind::kDayTimeInterval:
      return made(DataType::DayTimeInterval(), Value(message.day_time_interval()));
    case Kind::kArray:
      return ReadArray(message, stated, parse_ddl);
    case Kind::kMap:
      return ReadMap(message, stated, parse_ddl);
    case Kind::kStruct:
      return ReadStructLiteral(message, stated, parse_ddl);
    case Kind::kSpecializedArray:
      return ReadSpecializedArray(message.specialized_array(), stated);
    case Kind::kTime:
      return made(DataType::Time(message.time().has_precision() ? message.time().precision() : 6),
                  Value(message.time().nano() / kNanosPerMicro));
    case Kind::LITERAL_TYPE_NOT_SET:
      break;
  }
  if (stated != nullptr) return TypedValue{stated, Value()};
  return InvalidLiteral("no kind is set");
}

void WriteLiteral(const DataType& type, const Value& value, Literal* message) {
  if (value.is_null()) {
    WriteDataType(type, message->mutable_null());
    return;
  }
  switch (type.id()) {
    case TypeId::kNull:
      message->mutable_null()->mutable_null();
      return;
    case TypeId::kBoolean:
      message->set_boolean(value.boolean());
      return;
    case TypeId::kByte:
      message->set_byte(static_cast<int32_t>(value.integer()));
      return;
    case TypeId::kShort:
      message->set_short_(static_cast<int32_t>(value.integer()));
      return;
    case TypeId::kInteger:
      message->set_integer(static_cast<int32_t>(value.integer()));
      return;
    case TypeId::kLong:
      message->set_long_(value.integer());
      return;
    case TypeId::kFloat:
      message->set_float_(value.float32());
      return;
    case TypeId::kDouble:
      message->set_double_(value.float64());
      return;
    case TypeId::kDecimal:
      message->mutable_decimal()->set_value(DecimalToText(value.decimal(), type.scale()));
      message->mutable_decimal()->set_precision(type.precision());
      message->mutable_decimal()->set_scale(type.scale());
      return;
    case TypeId::kString:
      message->set_string(value.string());
      return;
    case TypeId::kBinary:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      message->set_binary(value.string());
      return;
    case TypeId::kDate:
      message->set_date(static_cast<int32_t>(value.integer()));
      return;
    case TypeId::kTimestamp:
      message->set_timestamp(value.integer());
      return;
    case TypeId::kTimestampNtz:
      message->set_timestamp_ntz(value.integer());
      return;
    case TypeId::kTime:
      message->mutable_time()->set_nano(value.integer() * kNanosPerMicro);
      message->mutable_time()->set_precision(type.time_precision());
      return;
    case TypeId::kYearMonthInterval:
      message->set_year_month_interval(static_cast<int32_t>(value.integer()));
      return;
    case TypeId::kDayTimeInterval:
      message->set_day_time_interval(value.integer());
      return;
    case TypeId::kCalendarInterval:
      message->mutable_calendar_interval()->set_months(value.calendar_interval().months);
      message->mutable_calendar_interval()->set_days(value.calendar_interval().days);
      message->mutable_calendar_interval()->set_microseconds(value.calendar_interval().micros);
      return;
    case TypeId::kArray:
      WriteDataType(*type.element_type(), message->mutable_array()->mutable_element_type());
      for (const auto& element : value.list()) {
        WriteLiteral(*type.element_type(), element, message->mutable_array()->add_elements());
      }
      return;
    case TypeId::kMap:
      WriteDataType(*type.key_type(), message->mutable_map()->mutable_key_type());
      WriteDataType(*type.value_type(), message->mutable_map()->mutable_value_type());
      for (size_t i = 0; i + 1 < value.list().size(); i += 2) {
        WriteLiteral(*type.key_type(), value.list()[i], message->mutable_map()->add_keys());
        WriteLiteral(*type.value_type(), value.list()[i + 1], message->mutable_map()->add_values());
      }
      return;
    case TypeId::kStruct:
      WriteDataType(type, message->mutable_struct_()->mutable_struct_type());
      for (size_t i = 0; i < type.fields().size() && i < value.list().size(); ++i) {
        WriteLiteral(*type.fields()[i].type, value.list()[i], message->mutable_struct_()->add_elements());
      }
      return;
  }
}

}  // namespace frazil::connect
