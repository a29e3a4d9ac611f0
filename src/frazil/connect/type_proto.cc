#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/connect/type_proto_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

Result<IntervalField> ReadIntervalField(int32_t field, IntervalField first, IntervalField last, int32_t base) {
  const int32_t value = field + base;
  if (value < static_cast<int32_t>(first) || value > static_cast<int32_t>(last)) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Interval field " + std::to_string(field) + " does not exist.");
  }
  return static_cast<IntervalField>(value);
}

// The protocol counts the fields of each kind of interval from 0.
constexpr int32_t kFirstDayTimeField = static_cast<int32_t>(IntervalField::kDay);

Result<DataTypePtr> ReadYearMonth(const proto::DataType::YearMonthInterval& message) {
  IntervalField start = IntervalField::kYear;
  IntervalField end = IntervalField::kMonth;
  if (message.has_start_field()) {
    FRAZIL_ASSIGN_OR_RETURN(start,
                            ReadIntervalField(message.start_field(), IntervalField::kYear, IntervalField::kMonth, 0));
    end = start;
  }
  if (message.has_end_field()) {
    FRAZIL_ASSIGN_OR_RETURN(end,
                            ReadIntervalField(message.end_field(), IntervalField::kYear, IntervalField::kMonth, 0));
  }
  return DataType::YearMonthInterval(start, end);
}

Result<DataTypePtr> ReadDayTime(const proto::DataType::DayTimeInterval& message) {
  IntervalField start = IntervalField::kDay;
  IntervalField end = IntervalField::kSecond;
  if (message.has_start_field()) {
    FRAZIL_ASSIGN_OR_RETURN(start, ReadIntervalField(message.start_field(), IntervalField::kDay, IntervalField::kSecond,
                                                     kFirstDayTimeField));
    end = start;
  }
  if (message.has_end_field()) {
    FRAZIL_ASSIGN_OR_RETURN(
        end, ReadIntervalField(message.end_field(), IntervalField::kDay, IntervalField::kSecond, kFirstDayTimeField));
  }
  return DataType::DayTimeInterval(start, end);
}

Result<DataTypePtr> ReadStruct(const proto::DataType::Struct& message, const DdlParser& parse_ddl) {
  std::vector<StructField> fields;
  fields.reserve(message.fields_size());
  for (const auto& field : message.fields()) {
    FRAZIL_ASSIGN_OR_RETURN(auto type, ReadDataType(field.data_type(), parse_ddl));
    StructField made(field.name(), std::move(type), field.nullable());
    if (field.has_metadata() && !field.metadata().empty()) {
      FRAZIL_ASSIGN_OR_RETURN(auto metadata, ParseJson(field.metadata()));
      for (const auto& [key, value] : metadata.members) made.metadata[key] = value.Write();
    }
    fields.push_back(std::move(made));
  }
  return DataType::Struct(std::move(fields));
}

std::string MetadataJson(const std::map<std::string, std::string>& metadata) {
  std::string text = "{";
  for (const auto& [key, value] : metadata) {
    if (text.size() > 1) text += ',';
    AppendJsonString(key, &text);
    text += ':';
    text += value;
  }
  text += '}';
  return text;
}

bool NeedsQuotes(const std::string& name) {
  if (name.empty()) return true;
  bool only_digits = true;
  for (const char character : name) {
    const bool digit = character >= '0' && character <= '9';
    const bool letter = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    if (!digit) only_digits = false;
    if (!digit && !letter && character != '_') return true;
  }
  return only_digits;
}

}  // namespace

Result<DataTypePtr> ReadDataType(const proto::DataType& message, const DdlParser& parse_ddl) {
  using Kind = proto::DataType::KindCase;
  switch (message.kind_case()) {
    case Kind::kNull:
      return DataType::Null();
    case Kind::kBinary:
      return DataType::Binary();
    case Kind::kBoolean:
      return DataType::Boolean();
    case Kind::kByte:
      return DataType::Byte();
    case Kind::kShort:
      return DataType::Short();
    case Kind::kInteger:
      return DataType::Integer();
    case Kind::kLong:
      return DataType::Long();
    case Kind::kFloat:
      return DataType::Float();
    case Kind::kDouble:
      return DataType::Double();
    case Kind::kDecimal:
      return DataType::Decimal(message.decimal().has_precision() ? message.decimal().precision() : 10,
                               message.decimal().has_scale() ? message.decimal().scale() : 0);
    case Kind::kString: {
      const std::string& collation = message.string().collation();
      if (collation.empty() || collation == "UTF8_BINARY") return DataType::String();
      return DataType::StringWithCollation(collation);
    }
    case Kind::kChar:
      return DataType::Char(message.char_().length());
    case Kind::kVarChar:
      return DataType::Varchar(message.var_char().length());
    case Kind::kDate:
      return DataType::Date();
    case Kind::kTimestamp:
      return DataType::Timestamp();
    case Kind::kTimestampNtz:
      return DataType::TimestampNtz();
    case Kind::kCalendarInterval:
      return DataType::CalendarInterval();
    case Kind::kYearMonthInterval:
      return ReadYearMonth(message.year_month_interval());
    case Kind::kDayTimeInterval:
      return ReadDayTime(message.day_time_interval());
    case Kind::kArray: {
      FRAZIL_ASSIGN_OR_RETURN(auto element, ReadDataType(message.array().element_type(), parse_ddl));
      return DataType::Array(std::move(element), message.array().contains_null());
    }
    case Kind::kStruct:
      return ReadStruct(message.struct_(), parse_ddl);
    case Kind::kMap: {
      FRAZIL_ASSIGN_OR_RETURN(auto key, ReadDataType(message.map().key_type(), parse_ddl));
      FRAZIL_ASSIGN_OR_RETURN(auto value, ReadDataType(message.map().value_type(), parse_ddl));
      return DataType::Map(std::move(key), std::move(value), message.map().value_contains_null());
    }
    case Kind::kVariant:
      return DataType::Variant();
    case Kind::kUdt:
      return ReadDataType(message.udt().sql_type(), parse_ddl);
    case Kind::kGeometry:
      return DataType::Geometry(message.geometry().srid());
    case Kind::kGeography:
      return DataType::Geography(message.geography().srid());
    case Kind::kUnparsed:
      return ReadTypeText(message.unparsed().data_type_string(), parse_ddl);
    case Kind::kTime:
      return DataType::Time(message.time().has_precision() ? message.time().precision() : 6);
    case Kind::KIND_NOT_SET:
      break;
  }
  return Error::Plain(ExceptionClass::kIllegalArgument, "A data type of the Spark Connect plan has no kind.");
}

void WriteDataType(const DataType& type, proto::DataType* message) {
  switch (type.id()) {
    case TypeId::kNull:
      message->mutable_null();
      return;
    case TypeId::kBoolean:
      message->mutable_boolean();
      return;
    case TypeId::kByte:
      message->mutable_byte();
      return;
    case TypeId::kShort:
      message->mutable_short_();
      return;
    case TypeId::kInteger:
      message->mutable_integer();
      return;
    case TypeId::kLong:
      message->mutable_long_();
      return;
    case TypeId::kFloat:
      message->mutable_float_();
      return;
    case TypeId::kDouble:
      message->mutable_double_();
      return;
    case TypeId::kDecimal:
      message->mutable_decimal()->set_precision(type.precision());
      message->mutable_decimal()->set_scale(type.scale());
      return;
    case TypeId::kString:
      switch (type.length_kind()) {
        case StringLength::kUnbounded:
          message->mutable_string()->set_collation(type.collation().empty() ? "UTF8_BINARY" : type.collation());
          return;
        case StringLength::kChar:
          message->mutable_char_()->set_length(type.length());
          return;
        case StringLength::kVarchar:
          message->mutable_var_char()->set_length(type.length());
          return;
      }
      return;
    case TypeId::kBinary:
      message->mutable_binary();
      return;
    case TypeId::kDate:
      message->mutable_date();
      return;
    case TypeId::kTimestamp:
      message->mutable_timestamp();
      return;
    case TypeId::kTimestampNtz:
      message->mutable_timestamp_ntz();
      return;
    case TypeId::kTime:
      message->mutable_time()->set_precision(type.time_precision());
      return;
    case TypeId::kYearMonthInterval:
      message->mutable_year_month_interval()->set_start_field(static_cast<int32_t>(type.start_field()));
      message->mutable_year_month_interval()->set_end_field(static_cast<int32_t>(type.end_field()));
      return;
    case TypeId::kDayTimeInterval:
      message->mutable_day_time_interval()->set_start_field(static_cast<int32_t>(type.start_field()) -
                                                            kFirstDayTimeField);
      message->mutable_day_time_interval()->set_end_field(static_cast<int32_t>(type.end_field()) - kFirstDayTimeField);
      return;
    case TypeId::kCalendarInterval:
      message->mutable_calendar_interval();
      return;
    case TypeId::kArray:
      WriteDataType(*type.element_type(), message->mutable_array()->mutable_element_type());
      message->mutable_array()->set_contains_null(type.contains_null());
      return;
    case TypeId::kMap:
      WriteDataType(*type.key_type(), message->mutable_map()->mutable_key_type());
      WriteDataType(*type.value_type(), message->mutable_map()->mutable_value_type());
      message->mutable_map()->set_value_contains_null(type.value_contains_null());
      return;
    case TypeId::kStruct: {
      auto* struct_message = message->mutable_struct_();
      for (const auto& field : type.fields()) {
        auto* field_message = struct_message->add_fields();
        field_message->set_name(field.name);
        WriteDataType(*field.type, field_message->mutable_data_type());
        field_message->set_nullable(field.nullable);
        if (!field.metadata.empty()) field_message->set_metadata(MetadataJson(field.metadata));
      }
      return;
    }
    case TypeId::kVariant:
      message->mutable_variant();
      return;
    case TypeId::kGeometry:
      message->mutable_geometry()->set_srid(type.srid());
      return;
    case TypeId::kGeography:
      message->mutable_geography()->set_srid(type.srid());
      return;
  }
}

Result<DataTypePtr> ReadTypeText(const std::string& text, const DdlParser& parse_ddl) {
  const std::string_view trimmed = TrimBlanks(text);
  if (!trimmed.empty() && (trimmed.front() == '{' || trimmed.front() == '"')) return DataType::FromJson(trimmed);
  return parse_ddl(text);
}

std::string StructToDdl(const DataType& schema) {
  std::string text;
  for (const auto& field : schema.fields()) {
    if (!text.empty()) text += ',';
    text += NeedsQuotes(field.name) ? QuoteIdentifier(field.name) : field.name;
    text += ' ';
    text += field.type->Sql();
    if (!field.nullable) text += " NOT NULL";
    const std::string comment = field.Comment();
    if (!comment.empty()) text += " COMMENT '" + ReplaceAll(ReplaceAll(comment, "\\", "\\\\"), "'", "\\'") + "'";
  }
  return text;
}

}  // namespace frazil::connect
