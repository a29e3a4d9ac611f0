#include "frazil/tables/delta/schema.h"

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::tables::delta {
namespace {

std::string MetadataText(const StructField& field, const char* key) {
  auto found = field.metadata.find(key);
  if (found == field.metadata.end()) return {};
  auto json = ParseJson(found->second);
  return json.ok() && json->kind == JsonValue::Kind::kString ? json->text : std::string();
}

int32_t MetadataInteger(const StructField& field, const char* key) {
  auto found = field.metadata.find(key);
  return found != field.metadata.end() ? ParseInteger<int32_t>(found->second).value_or(-1) : -1;
}

/// The type with each struct's fields changed.
template <typename Change>
DataTypePtr WithFields(const DataTypePtr& type, const Change& change) {
  switch (type->id()) {
    case TypeId::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) {
        field.type = WithFields(field.type, change);
        change(&field);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeId::kArray:
      return DataType::Array(WithFields(type->element_type(), change), type->contains_null());
    case TypeId::kMap:
      return DataType::Map(WithFields(type->key_type(), change), WithFields(type->value_type(), change),
                           type->value_contains_null());
    default:
      return type;
  }
}

ScanColumn ToScanColumn(const StructField& field, ColumnMapping mapping);

std::vector<ScanColumn> ChildrenOf(const DataTypePtr& type, ColumnMapping mapping) {
  std::vector<ScanColumn> children;
  switch (type->id()) {
    case TypeId::kStruct:
      for (const auto& field : type->fields()) children.push_back(ToScanColumn(field, mapping));
      break;
    case TypeId::kArray:
      children.push_back(ToScanColumn(StructField("element", type->element_type()), ColumnMapping::kNone));
      break;
    case TypeId::kMap:
      children.push_back(ToScanColumn(StructField("key", type->key_type()), ColumnMapping::kNone));
      children.push_back(ToScanColumn(StructField("value", type->value_type()), ColumnMapping::kNone));
      break;
    default:
      break;
  }
  // What lists and maps are made of has no name of its own to map, what is in it has.
  for (auto& child : children) child.children = ChildrenOf(child.type, mapping);
  return children;
}

ScanColumn ToScanColumn(const StructField& field, ColumnMapping mapping) {
  ScanColumn column;
  column.name = PhysicalName(field, mapping);
  column.type = field.type;
  column.nullable = field.nullable;
  if (mapping == ColumnMapping::kId) {
    column.field_id = MetadataInteger(field, kColumnIdKey);
    column.names_without_ids = {column.name};
  }
  return column;
}

/// `ids` and `path`: the nested ids of the nearest field, and where `type` stands in it.
void GiveIds(const DataType& type, const std::map<std::string, int64_t>& ids, const std::string& path,
             std::vector<ScanColumn>* columns) {
  for (size_t i = 0; i < columns->size(); ++i) {
    ScanColumn& column = (*columns)[i];
    if (type.id() == TypeId::kStruct) {
      const StructField& field = type.fields()[i];
      column.field_id = MetadataInteger(field, kColumnIdKey);
      GiveIds(*column.type, NestedIdsOf(field), column.name, &column.children);
      continue;
    }
    const std::string inner = path + "." + column.name;
    if (auto found = ids.find(inner); found != ids.end()) column.field_id = static_cast<int32_t>(found->second);
    if (column.type->IsComplex()) GiveIds(*column.type, ids, inner, &column.children);
  }
}

}  // namespace

std::map<std::string, int64_t> NestedIdsOf(const StructField& field) {
  std::map<std::string, int64_t> ids;
  const auto found = field.metadata.find(kNestedIdsKey);
  if (found == field.metadata.end()) return ids;
  const auto json = ParseJson(found->second);
  if (!json.ok()) return ids;
  for (const auto& [path, id] : json->members) {
    if (const auto number = ParseInteger<int64_t>(id.text)) ids[path] = *number;
  }
  return ids;
}

Result<DataTypePtr> ParseSchema(const std::string& schema_string) {
  if (schema_string.empty()) return DataType::Struct({});
  auto schema = DataType::FromJson(schema_string);
  if (!schema.ok())
    return Error::Storage("The schema of the Delta table cannot be understood: " + schema.error().message);
  if ((*schema)->id() != TypeId::kStruct)
    return Error::Storage("The schema of the Delta table is no struct: " + schema_string);
  return schema;
}

Result<ColumnMapping> ColumnMappingOf(const Metadata& metadata) {
  const std::string* mode = metadata.Property("delta.columnMapping.mode");
  if (mode == nullptr || EqualsIgnoreCase(*mode, "none")) return ColumnMapping::kNone;
  if (EqualsIgnoreCase(*mode, "name")) return ColumnMapping::kName;
  if (EqualsIgnoreCase(*mode, "id")) return ColumnMapping::kId;
  return Error::Unsupported("the column mapping mode " + *mode + " of Delta tables");
}

DataTypePtr VisibleSchema(const DataTypePtr& schema) {
  return WithFields(schema, [](StructField* field) {
    std::string noted = MetadataText(*field, kCharVarcharKey);
    if (field->type->IsString() && !noted.empty()) {
      bool is_char = noted.starts_with("char(");
      const size_t digits = noted.find('(') + 1;
      const int length =
          ParseInteger<int>(std::string_view(noted).substr(digits, noted.size() - digits - 1)).value_or(0);
      if (length > 0) field->type = is_char ? DataType::Char(length) : DataType::Varchar(length);
      field->metadata.erase(kCharVarcharKey);
    }
    std::erase_if(field->metadata, [](const auto& entry) { return entry.first.starts_with("delta."); });
  });
}

std::string PhysicalName(const StructField& field, ColumnMapping mapping) {
  if (mapping == ColumnMapping::kNone) return field.name;
  std::string name = MetadataText(field, kPhysicalNameKey);
  return name.empty() ? field.name : name;
}

DataTypePtr PhysicalType(const DataTypePtr& type, ColumnMapping mapping) {
  if (mapping == ColumnMapping::kNone) return type;
  return WithFields(type, [&](StructField* field) { field->name = PhysicalName(*field, mapping); });
}

std::vector<ScanColumn> ToScanColumns(const DataType& schema, ColumnMapping mapping) {
  std::vector<ScanColumn> columns;
  for (const auto& field : schema.fields()) {
    columns.push_back(ToScanColumn(field, mapping));
    columns.back().children = ChildrenOf(field.type, mapping);
  }
  return columns;
}

std::vector<ScanColumn> ToWrittenColumns(const DataTypePtr& schema, ColumnMapping mapping) {
  const DataTypePtr physical = PhysicalType(schema, mapping);
  auto columns = ToScanColumns(*physical, ColumnMapping::kNone);
  if (mapping != ColumnMapping::kNone) GiveIds(*physical, {}, "", &columns);
  return columns;
}

Result<std::vector<size_t>> PartitionIndexes(const Metadata& metadata, const DataType& schema) {
  std::vector<size_t> indexes;
  for (const auto& name : metadata.partition_columns) {
    int index = schema.FieldIndex(name);
    if (index < 0) {
      return Error::Of("DELTA_PARTITION_COLUMN_NOT_FOUND",
                       {{"columnName", QuoteIdentifier(name)}, {"schemaMap", schema.SimpleString()}});
    }
    indexes.push_back(static_cast<size_t>(index));
  }
  return indexes;
}

}  // namespace frazil::tables::delta
