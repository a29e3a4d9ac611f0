#include "frazil/tables/delta/clustering.h"

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {
namespace {

constexpr size_t kMostColumns = 4;

bool HasBounds(const DataType& type) {
  switch (type.id()) {
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kString:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<DomainMetadata> ClusteringDomainOf(const std::vector<std::vector<std::string>>& columns,
                                          const Metadata& metadata, const DataType& schema) {
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata));
  if (columns.size() > kMostColumns) {
    return Error::Of("DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS", {{"numColumnsLimit", std::to_string(kMostColumns)},
                                                              {"actualNumColumns", std::to_string(columns.size())}});
  }
  std::string list;
  for (const auto& column : columns) {
    const DataType* type = &schema;
    std::string path;
    for (const auto& name : column) {
      const int index = type->id() == TypeId::kStruct ? type->FieldIndex(name) : -1;
      if (index < 0) {
        return Error::Of("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                         {{"columnName", Join(column, ".")}, {"tableSchema", SchemaTreeString(schema)}});
      }
      const StructField& field = type->fields()[static_cast<size_t>(index)];
      path += (path.empty() ? "" : ",") + JsonString(PhysicalName(field, mapping));
      type = field.type.get();
    }
    if (!HasBounds(*type)) {
      return Error::Of("DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED",
                       {{"columnsWithDataTypes", Join(column, ".") + " : " + type->Sql()}});
    }
    list += (list.empty() ? "[" : ",[") + path + "]";
  }
  DomainMetadata domain;
  domain.domain = kClusteringDomain;
  domain.configuration = "{\"clusteringColumns\":[" + list + "],\"domainName\":\"" + kClusteringDomain + "\"}";
  return domain;
}

std::vector<std::vector<std::string>> ClusteringColumnsOf(const Snapshot& snapshot) {
  std::vector<std::vector<std::string>> columns;
  auto domain = snapshot.domains.find(kClusteringDomain);
  auto mapping = ColumnMappingOf(*snapshot.metadata);
  if (domain == snapshot.domains.end() || !mapping.ok()) return columns;
  auto content = ParseJson(domain->second.configuration);
  const JsonValue* list = content.ok() ? content->Find("clusteringColumns") : nullptr;
  if (list == nullptr) return columns;
  for (const auto& path : list->items) {
    std::vector<std::string> column;
    const DataType* type = snapshot.schema.get();
    for (const auto& name : path.items) {
      const DataType* inner = nullptr;
      if (type == nullptr || type->id() != TypeId::kStruct) break;
      for (const auto& field : type->fields()) {
        if (PhysicalName(field, *mapping) != name.text) continue;
        column.push_back(field.name);
        inner = field.type.get();
      }
      type = inner;
    }
    if (column.size() == path.items.size() && !column.empty()) columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace frazil::tables::delta
