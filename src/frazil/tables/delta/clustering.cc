#include "frazil/tables/delta/clustering.h"

#include <algorithm>
#include <map>

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/delta/paths.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {
namespace {

constexpr size_t kMostColumns = 4;
constexpr const char* kCubeId = "ZCUBE_ID";
constexpr const char* kCubeColumns = "ZCUBE_ZORDER_BY";
constexpr const char* kProvider = "liquid";
/// spark.databricks.delta.optimize.clustering.mergeStrategy.minCubeSize.threshold: so large a cube stays as it is.
constexpr int64_t kLargeCube = 100LL << 30;

std::string ColumnsText(const std::vector<std::string>& columns) {
  std::string text = "[";
  for (const auto& column : columns) text += (text.size() > 1 ? "," : "") + JsonString(column);
  return text + "]";
}

const std::string* TagOf(const FileAction& file, std::string_view name) {
  if (!file.tags) return nullptr;
  for (const auto& [key, value] : *file.tags) {
    if (key == name) return &value;
  }
  return nullptr;
}

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

StringMap CubeTags(const std::vector<std::string>& columns) {
  return {{kCubeId, RandomUuidText()}, {kCubeColumns, ColumnsText(columns)}};
}

ClusteringChoice ChooseFilesToCluster(const Snapshot& snapshot, const std::string& table, bool is_full) {
  std::vector<std::string> columns;
  for (const auto& column : ClusteringColumnsOf(snapshot)) columns.push_back(Join(column, "."));
  const std::string wanted = ColumnsText(columns);
  std::map<std::string, std::vector<const FileAction*>> cubes;
  std::vector<const FileAction*> chosen;
  ClusteringChoice choice;
  bool has_others = false;
  for (const auto& file : snapshot.LiveFiles()) {
    const std::string* id = TagOf(*file, kCubeId);
    const std::string* order = TagOf(*file, kCubeColumns);
    const bool in_cube = id != nullptr && order != nullptr;
    const bool is_ours = file->clustering_provider.empty() || file->clustering_provider == kProvider;
    if (in_cube && *order == wanted && is_ours) {
      cubes[*id].push_back(file.get());
      ++choice.cube_files;
      choice.cube_bytes += std::max<int64_t>(file->size, 0);
      continue;
    }
    ++choice.other_files;
    choice.other_bytes += std::max<int64_t>(file->size, 0);
    if (!is_full && (in_cube || !is_ours)) continue;
    has_others = true;
    chosen.push_back(file.get());
  }
  choice.cubes = static_cast<int64_t>(cubes.size());
  std::erase_if(cubes, [](const auto& cube) {
    int64_t bytes = 0;
    for (const auto* file : cube.second) bytes += std::max<int64_t>(file->size, 0);
    return bytes >= kLargeCube;
  });
  if (has_others || cubes.size() > 1) {
    for (const auto& [id, files] : cubes) chosen.insert(chosen.end(), files.begin(), files.end());
  }
  for (const auto* file : chosen) choice.files.push_back(FilePathOf(table, file->path));
  return choice;
}

}  // namespace frazil::tables::delta
