#include "frazil/tables/delta/column_mapping.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/delta/iceberg_compat.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {
namespace {

constexpr const char* kMaxColumnId = "delta.columnMapping.maxColumnId";

std::optional<int64_t> IdOf(const StructField& field) {
  auto found = field.metadata.find(kColumnIdKey);
  return found == field.metadata.end() ? std::nullopt : ParseInteger<int64_t>(found->second);
}

int64_t GreatestId(const DataType& type) {
  int64_t greatest = 0;
  switch (type.id()) {
    case TypeId::kStruct:
      for (const auto& field : type.fields()) {
        greatest = std::max({greatest, IdOf(field).value_or(0), GreatestId(*field.type)});
        for (const auto& [path, id] : NestedIdsOf(field)) greatest = std::max(greatest, id);
      }
      return greatest;
    case TypeId::kArray:
      return GreatestId(*type.element_type());
    case TypeId::kMap:
      return std::max(GreatestId(*type.key_type()), GreatestId(*type.value_type()));
    default:
      return greatest;
  }
}

DataTypePtr Mapped(const DataTypePtr& type, bool has_unmapped_files, int64_t* max_id) {
  switch (type->id()) {
    case TypeId::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) {
        if (!IdOf(field)) field.metadata[kColumnIdKey] = std::to_string(++*max_id);
        if (!field.metadata.contains(kPhysicalNameKey)) {
          field.metadata[kPhysicalNameKey] = JsonString(has_unmapped_files ? field.name : "col-" + RandomUuidText());
        }
        field.type = Mapped(field.type, has_unmapped_files, max_id);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeId::kArray:
      return DataType::Array(Mapped(type->element_type(), has_unmapped_files, max_id), type->contains_null());
    case TypeId::kMap: {
      auto key = Mapped(type->key_type(), has_unmapped_files, max_id);
      return DataType::Map(std::move(key), Mapped(type->value_type(), has_unmapped_files, max_id),
                           type->value_contains_null());
    }
    default:
      return type;
  }
}

/// Numbers what stands within lists and maps of a field, at `path`, up to the next structs.
void NumberNested(const DataType& type, const std::string& path, std::map<std::string, int64_t>* ids, int64_t* max_id) {
  const auto number = [&](const DataType& inner, const char* name) {
    const std::string place = path + "." + name;
    if (!ids->contains(place)) (*ids)[place] = ++*max_id;
    NumberNested(inner, place, ids, max_id);
  };
  if (type.id() == TypeId::kArray) number(*type.element_type(), "element");
  if (type.id() == TypeId::kMap) {
    number(*type.key_type(), "key");
    number(*type.value_type(), "value");
  }
}

/// The mapped type with ids for elements, keys and values. Source: PROTOCOL.md, "Writer Requirements for
/// IcebergCompatV2".
DataTypePtr WithNestedIds(const DataTypePtr& type, int64_t* max_id) {
  switch (type->id()) {
    case TypeId::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) {
        std::map<std::string, int64_t> ids = NestedIdsOf(field);
        NumberNested(*field.type, PhysicalName(field, ColumnMapping::kName), &ids, max_id);
        std::string json;
        for (const auto& [path, id] : ids)
          json += (json.empty() ? "" : ",") + JsonString(path) + ":" + std::to_string(id);
        field.metadata[kNestedIdsKey] = "{" + json + "}";
        field.type = WithNestedIds(field.type, max_id);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeId::kArray:
      return DataType::Array(WithNestedIds(type->element_type(), max_id), type->contains_null());
    case TypeId::kMap: {
      auto key = WithNestedIds(type->key_type(), max_id);
      return DataType::Map(std::move(key), WithNestedIds(type->value_type(), max_id), type->value_contains_null());
    }
    default:
      return type;
  }
}

}  // namespace

Result<DataTypePtr> WithColumnMapping(const DataTypePtr& schema, Metadata* metadata, bool has_unmapped_files) {
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(*metadata));
  if (mapping == ColumnMapping::kNone) return schema;
  const std::string* known = metadata->Property(kMaxColumnId);
  int64_t max_id = std::max(known != nullptr ? ParseInteger<int64_t>(*known).value_or(0) : 0, GreatestId(*schema));
  DataTypePtr mapped = Mapped(schema, has_unmapped_files, &max_id);
  if (IcebergCompatVersion(*metadata) > 1) mapped = WithNestedIds(mapped, &max_id);
  metadata->configuration[kMaxColumnId] = std::to_string(max_id);
  return mapped;
}

DataTypePtr WithNotesOf(const DataTypePtr& schema, const DataType& former, bool same_types_only) {
  if (schema->id() != former.id()) return schema;
  switch (schema->id()) {
    case TypeId::kStruct: {
      std::vector<StructField> fields = schema->fields();
      for (auto& field : fields) {
        const int index = former.FieldIndex(field.name);
        if (index < 0) continue;
        const StructField& before = former.fields()[static_cast<size_t>(index)];
        if (same_types_only &&
            !field.type->EqualsIgnoreNullability(*VisibleSchema(DataType::Struct({before}))->fields()[0].type))
          continue;
        for (const auto& [key, value] : before.metadata) {
          if (key.starts_with("delta.")) field.metadata.emplace(key, value);
        }
        field.type = WithNotesOf(field.type, *before.type, same_types_only);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeId::kArray:
      return DataType::Array(WithNotesOf(schema->element_type(), *former.element_type(), same_types_only),
                             schema->contains_null());
    case TypeId::kMap:
      return DataType::Map(WithNotesOf(schema->key_type(), *former.key_type(), same_types_only),
                           WithNotesOf(schema->value_type(), *former.value_type(), same_types_only),
                           schema->value_contains_null());
    default:
      return schema;
  }
}

Status CheckModeChange(const Metadata* former, const Metadata& metadata) {
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping wanted, ColumnMappingOf(metadata));
  if (former == nullptr) return {};
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping present, ColumnMappingOf(*former));
  if (wanted == present || (present == ColumnMapping::kNone && wanted == ColumnMapping::kName)) return {};
  const auto name = [](ColumnMapping mapping) {
    return mapping == ColumnMapping::kNone ? "none" : mapping == ColumnMapping::kName ? "name" : "id";
  };
  return Error::Of("DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
                   {{"oldMode", name(present)}, {"newMode", name(wanted)}});
}

}  // namespace frazil::tables::delta
