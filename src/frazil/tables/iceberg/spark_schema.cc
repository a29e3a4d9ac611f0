#include "frazil/tables/iceberg/spark_schema.h"

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/single_value.h"

namespace frazil::tables::iceberg {

namespace {

/// "geometry(EPSG:3857)", "geography(OGC:CRS84, spherical)": of the reference systems those that Spark knows.
Result<DataTypePtr> ToSpatialType(const Type& type) {
  std::string system = "OGC:CRS84", edges = "spherical";
  if (const size_t open = type.text.find('('); open != std::string::npos && type.text.back() == ')') {
    const std::string inside = type.text.substr(open + 1, type.text.size() - open - 2);
    const size_t comma = inside.find(',');
    system = TrimBlanks(inside.substr(0, comma));
    if (comma != std::string::npos) edges = TrimBlanks(inside.substr(comma + 1));
  }
  if (EqualsIgnoreCase(system, "OGC:CRS84") && EqualsIgnoreCase(edges, "spherical"))
    return type.kind == TypeKind::kGeometry ? DataType::Geometry(4326) : DataType::Geography(4326);
  if (type.kind == TypeKind::kGeometry && EqualsIgnoreCase(system, "EPSG:3857")) return DataType::Geometry(3857);
  if (type.kind == TypeKind::kGeometry && EqualsIgnoreCase(system, "SRID:0")) return DataType::Geometry(0);
  if (!EqualsIgnoreCase(edges, "spherical"))
    return UnsupportedOperation("Cannot convert unsupported type to Spark: " + TypeText(type));
  return Error::Of(ExceptionClass::kIllegalArgument, "ST_INVALID_CRS_VALUE", {{"crs", system}});
}

}  // namespace

Result<DataTypePtr> ToSparkType(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return DataType::Boolean();
    case TypeKind::kInt:
      return DataType::Integer();
    case TypeKind::kLong:
      return DataType::Long();
    case TypeKind::kFloat:
      return DataType::Float();
    case TypeKind::kDouble:
      return DataType::Double();
    case TypeKind::kDecimal:
      return DataType::Decimal(type.precision, type.scale);
    case TypeKind::kDate:
      return DataType::Date();
    case TypeKind::kTimestamp:
      return DataType::TimestampNtz();
    case TypeKind::kTimestampTz:
      return DataType::Timestamp();
    case TypeKind::kString:
    case TypeKind::kUuid:
      return DataType::String();
    case TypeKind::kFixed:
    case TypeKind::kBinary:
      return DataType::Binary();
    case TypeKind::kUnknown:
      return DataType::Null();
    case TypeKind::kVariant:
      return DataType::Variant();
    case TypeKind::kTime:
      return UnsupportedOperation("Spark does not support time fields");
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      return UnsupportedOperation("Cannot convert unsupported type to Spark: " + TypeText(type));
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
      return ToSpatialType(type);
    case TypeKind::kStruct:
      return ToSparkStruct(type.fields);
    case TypeKind::kList: {
      FRAZIL_ASSIGN_OR_RETURN(DataTypePtr element, ToSparkType(*type.fields[0].type));
      return DataType::Array(std::move(element), !type.fields[0].required);
    }
    case TypeKind::kMap: {
      FRAZIL_ASSIGN_OR_RETURN(DataTypePtr key, ToSparkType(*type.fields[0].type));
      FRAZIL_ASSIGN_OR_RETURN(DataTypePtr value, ToSparkType(*type.fields[1].type));
      return DataType::Map(std::move(key), std::move(value), !type.fields[1].required);
    }
  }
  return Error::Internal("unknown Iceberg type");
}

Result<DataTypePtr> ToSparkStruct(const std::vector<NestedField>& fields) {
  std::vector<StructField> result;
  result.reserve(fields.size());
  for (const auto& field : fields) {
    FRAZIL_ASSIGN_OR_RETURN(DataTypePtr type, ToSparkType(*field.type));
    StructField spark(field.name, std::move(type), !field.required);
    if (field.doc) spark.SetComment(*field.doc);
    // Spark keeps defaults as SQL text in the column's metadata.
    auto add_default = [&](const std::shared_ptr<const JsonValue>& json, const char* key) -> Status {
      if (json == nullptr) return {};
      FRAZIL_ASSIGN_OR_RETURN(Value value, FromJsonValue(*field.type, *json));
      std::string text = LiteralSql(*spark.type, value);
      if (spark.type->IsString()) {
        // A string literal of Spark SQL: quotes and backslashes are escaped.
        text = "'";
        for (char c : value.string()) {
          if (c == '\'' || c == '\\') text += '\\';
          text += c;
        }
        text += "'";
      }
      spark.metadata[key] = JsonString(text);
      return {};
    };
    FRAZIL_RETURN_IF_ERROR(add_default(field.write_default, "CURRENT_DEFAULT"));
    FRAZIL_RETURN_IF_ERROR(add_default(field.initial_default, "EXISTS_DEFAULT"));
    result.push_back(std::move(spark));
  }
  return DataType::Struct(std::move(result));
}

Result<DataTypePtr> ToSparkSchema(const Schema& schema) { return ToSparkStruct(schema.fields()); }

Result<TypePtr> FromSparkType(const DataType& type, const std::function<int32_t()>& next_id) {
  switch (type.id()) {
    case TypeId::kBoolean:
      return Type::Primitive(TypeKind::kBoolean);
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
      return Type::Primitive(TypeKind::kInt);
    case TypeId::kLong:
      return Type::Primitive(TypeKind::kLong);
    case TypeId::kFloat:
      return Type::Primitive(TypeKind::kFloat);
    case TypeId::kDouble:
      return Type::Primitive(TypeKind::kDouble);
    case TypeId::kDecimal:
      return Type::Decimal(type.precision(), type.scale());
    case TypeId::kString:
      return Type::Primitive(TypeKind::kString);
    case TypeId::kBinary:
      return Type::Primitive(TypeKind::kBinary);
    case TypeId::kDate:
      return Type::Primitive(TypeKind::kDate);
    case TypeId::kTimestamp:
      return Type::Primitive(TypeKind::kTimestampTz);
    case TypeId::kTimestampNtz:
      return Type::Primitive(TypeKind::kTimestamp);
    case TypeId::kVariant:
      return Type::Primitive(TypeKind::kVariant);
    case TypeId::kNull:
      return Type::Primitive(TypeKind::kUnknown);
    case TypeId::kStruct: {
      FRAZIL_ASSIGN_OR_RETURN(auto fields, FromSparkSchema(type, next_id));
      return Type::Struct(std::move(fields));
    }
    case TypeId::kArray: {
      int32_t id = next_id();
      FRAZIL_ASSIGN_OR_RETURN(TypePtr element, FromSparkType(*type.element_type(), next_id));
      return Type::List(id, !type.contains_null(), std::move(element));
    }
    case TypeId::kMap: {
      int32_t key_id = next_id(), value_id = next_id();
      FRAZIL_ASSIGN_OR_RETURN(TypePtr key, FromSparkType(*type.key_type(), next_id));
      FRAZIL_ASSIGN_OR_RETURN(TypePtr value, FromSparkType(*type.value_type(), next_id));
      return Type::Map(key_id, std::move(key), value_id, !type.value_contains_null(), std::move(value));
    }
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return UnsupportedOperation("Not a supported type: " + type.SimpleString());
}

Result<std::vector<NestedField>> FromSparkSchema(const DataType& schema, const std::function<int32_t()>& next_id) {
  std::vector<NestedField> fields;
  for (const auto& spark : schema.fields()) {
    NestedField field;
    field.id = next_id();
    field.name = spark.name;
    field.required = !spark.nullable;
    if (spark.metadata.count("comment") != 0) field.doc = spark.Comment();
    fields.push_back(std::move(field));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(fields[i].type, FromSparkType(*schema.fields()[i].type, next_id));
  }
  return fields;
}

Result<std::vector<ScanColumn>> ToScanColumns(const std::vector<NestedField>& fields) {
  std::vector<ScanColumn> columns;
  columns.reserve(fields.size());
  for (const auto& field : fields) {
    ScanColumn column;
    column.name = field.name;
    FRAZIL_ASSIGN_OR_RETURN(column.type, ToSparkType(*field.type));
    column.nullable = !field.required;
    column.field_id = field.id;
    if (field.initial_default != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(Value value, FromJsonValue(*field.type, *field.initial_default));
      column.missing_value = std::move(value);
    }
    FRAZIL_ASSIGN_OR_RETURN(column.children, ToScanColumns(field.type->fields));
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace frazil::tables::iceberg
