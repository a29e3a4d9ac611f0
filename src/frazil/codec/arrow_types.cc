#include "frazil/codec/arrow_types_internal.h"

namespace frazil::codec {

Error ArrowFailure(const arrow::Status& status, bool from_client) {
  if (from_client)
    return Error::Plain(ExceptionClass::kIllegalArgument, "The Arrow data cannot be read: " + status.ToString());
  return Error::Internal("Arrow: " + status.ToString());
}

namespace {

Result<std::shared_ptr<arrow::Field>> FieldOf(const std::string& name, const DataType& type, bool nullable,
                                              const std::string& time_zone) {
  FRAZIL_ASSIGN_OR_RETURN(auto converted, ToArrowType(type, time_zone));
  // A column of void has only NULLs.
  return arrow::field(name, std::move(converted), nullable || type.id() == TypeId::kNull);
}

}  // namespace

Result<std::shared_ptr<arrow::DataType>> ToArrowType(const DataType& type, const std::string& time_zone) {
  switch (type.id()) {
    case TypeId::kNull:
      return arrow::null();
    case TypeId::kBoolean:
      return arrow::boolean();
    case TypeId::kByte:
      return arrow::int8();
    case TypeId::kShort:
      return arrow::int16();
    case TypeId::kInteger:
      return arrow::int32();
    case TypeId::kLong:
      return arrow::int64();
    case TypeId::kFloat:
      return arrow::float32();
    case TypeId::kDouble:
      return arrow::float64();
    case TypeId::kDecimal:
      return arrow::decimal128(type.precision(), type.scale());
    case TypeId::kString:
      return arrow::utf8();
    case TypeId::kBinary:
      return arrow::binary();
    case TypeId::kDate:
      return arrow::date32();
    case TypeId::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO, time_zone);
    case TypeId::kTimestampNtz:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeId::kTime:
      return arrow::time64(arrow::TimeUnit::NANO);
    case TypeId::kYearMonthInterval:
      return arrow::int32();
    case TypeId::kDayTimeInterval:
      return arrow::duration(arrow::TimeUnit::MICRO);
    case TypeId::kCalendarInterval:
      return arrow::month_day_nano_interval();
    case TypeId::kArray: {
      FRAZIL_ASSIGN_OR_RETURN(auto element, FieldOf("element", *type.element_type(), type.contains_null(), time_zone));
      return arrow::list(std::move(element));
    }
    case TypeId::kMap: {
      FRAZIL_ASSIGN_OR_RETURN(auto key, FieldOf("key", *type.key_type(), false, time_zone));
      FRAZIL_ASSIGN_OR_RETURN(auto value, FieldOf("value", *type.value_type(), type.value_contains_null(), time_zone));
      return std::static_pointer_cast<arrow::DataType>(
          std::make_shared<arrow::MapType>(std::move(key), std::move(value)));
    }
    case TypeId::kStruct: {
      arrow::FieldVector fields;
      for (const auto& field : type.fields()) {
        FRAZIL_ASSIGN_OR_RETURN(auto converted, FieldOf(field.name, *field.type, field.nullable, time_zone));
        fields.push_back(std::move(converted));
      }
      return arrow::struct_(std::move(fields));
    }
    case TypeId::kVariant:
      return arrow::struct_(
          {arrow::field("value", arrow::binary(), false), arrow::field("metadata", arrow::binary(), false)});
    case TypeId::kGeometry:
      return Error::Unsupported("GEOMETRY values in results");
    case TypeId::kGeography:
      return Error::Unsupported("GEOGRAPHY values in results");
  }
  return Error::Internal("Unknown type id");
}

Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const DataType& schema, const std::string& time_zone) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    FRAZIL_ASSIGN_OR_RETURN(auto converted, FieldOf(field.name, *field.type, field.nullable, time_zone));
    fields.push_back(std::move(converted));
  }
  return arrow::schema(std::move(fields));
}

Result<DataTypePtr> FromArrowType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return DataType::Null();
    case arrow::Type::BOOL:
      return DataType::Boolean();
    case arrow::Type::INT8:
      return DataType::Byte();
    case arrow::Type::UINT8:
    case arrow::Type::INT16:
      return DataType::Short();
    case arrow::Type::UINT16:
    case arrow::Type::INT32:
      return DataType::Integer();
    case arrow::Type::UINT32:
    case arrow::Type::INT64:
      return DataType::Long();
    case arrow::Type::UINT64:
      return DataType::Decimal(20, 0);
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
      return DataType::Float();
    case arrow::Type::DOUBLE:
      return DataType::Double();
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      if (decimal.precision() > 38 || decimal.scale() < 0) break;
      return DataType::Decimal(decimal.precision(), decimal.scale());
    }
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return DataType::String();
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return DataType::Binary();
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return DataType::Date();
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).timezone().empty() ? DataType::TimestampNtz()
                                                                               : DataType::Timestamp();
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return DataType::Time();
    case arrow::Type::DURATION:
      return DataType::DayTimeInterval();
    case arrow::Type::INTERVAL_MONTHS:
      return DataType::YearMonthInterval();
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return DataType::CalendarInterval();
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW: {
      const auto& field = *type.field(0);
      FRAZIL_ASSIGN_OR_RETURN(auto element, FromArrowType(*field.type()));
      return DataType::Array(std::move(element), field.nullable());
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      FRAZIL_ASSIGN_OR_RETURN(auto key, FromArrowType(*map.key_type()));
      FRAZIL_ASSIGN_OR_RETURN(auto value, FromArrowType(*map.item_type()));
      return DataType::Map(std::move(key), std::move(value), map.item_field()->nullable());
    }
    case arrow::Type::STRUCT: {
      std::vector<StructField> fields;
      for (const auto& field : type.fields()) {
        FRAZIL_ASSIGN_OR_RETURN(auto converted, FromArrowType(*field->type()));
        fields.emplace_back(field->name(), std::move(converted), field->nullable());
      }
      return DataType::Struct(std::move(fields));
    }
    case arrow::Type::DICTIONARY:
      return FromArrowType(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::RUN_END_ENCODED:
      return FromArrowType(*static_cast<const arrow::RunEndEncodedType&>(type).value_type());
    case arrow::Type::EXTENSION:
      return FromArrowType(*static_cast<const arrow::ExtensionType&>(type).storage_type());
    default:
      break;
  }
  return Error::Of(ExceptionClass::kUnsupportedOperation, "UNSUPPORTED_ARROWTYPE", {{"typeName", type.ToString()}});
}

Result<DataTypePtr> FromArrowSchema(const arrow::Schema& schema) {
  std::vector<StructField> fields;
  for (const auto& field : schema.fields()) {
    FRAZIL_ASSIGN_OR_RETURN(auto type, FromArrowType(*field->type()));
    fields.emplace_back(field->name(), std::move(type), field->nullable());
  }
  return DataType::Struct(std::move(fields));
}

}  // namespace frazil::codec
