#include "frazil/tables/iceberg/equality_deletes.h"

#include <algorithm>
#include <map>

#include "frazil/tables/iceberg/data_file_format.h"
#include "frazil/tables/iceberg/delete_file_index.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_scan.h"
#include "frazil/tables/iceberg/name_mapping.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

/// A column as it is now, or as it was last where it was dropped.
Result<NestedField> FindColumn(const TableMetadata& metadata, int32_t id) {
  std::vector<SchemaPtr> schemas = {metadata.schema()};
  schemas.insert(schemas.end(), metadata.schemas.rbegin(), metadata.schemas.rend());
  for (const auto& schema : schemas) {
    const Schema::Located* found = schema->Find(id);
    if (found == nullptr) continue;
    if (found->path.size() > 1) return Error::Unsupported("Iceberg equality delete files by nested columns");
    return *found->field;
  }
  return Validation("Cannot find the column " + std::to_string(id) + " of an equality delete file");
}

Result<ScanFile> ToScanFile(const DataFile& file) {
  ScanFile scanned;
  scanned.path = file.path;
  FRAZIL_ASSIGN_OR_RETURN(scanned.format, ParseFileFormat(file.format));
  scanned.size = file.size;
  scanned.record_count = file.record_count;
  return scanned;
}

}  // namespace

Result<std::vector<int64_t>> FindEqualRows(const TableOperations& operations, const TableMetadata& metadata,
                                           const DataFile& data, const std::vector<DataFilePtr>& deletes) {
  std::vector<int64_t> positions;
  if (deletes.empty()) return positions;
  auto files = operations.files();
  if (!files.ok()) return Error::Unsupported("Iceberg equality delete files");
  std::map<std::vector<int32_t>, std::vector<DataFilePtr>> by_columns;
  for (const auto& file : deletes) {
    if (file->equality_ids.empty())
      return DamagedMetadata("The equality delete file " + file->path + " does not name its columns");
    std::vector<int32_t> ids = file->equality_ids;
    std::sort(ids.begin(), ids.end());
    by_columns[ids].push_back(file);
  }
  for (const auto& [ids, group] : by_columns) {
    std::vector<NestedField> fields;
    for (const int32_t id : ids) {
      FRAZIL_ASSIGN_OR_RETURN(auto field, FindColumn(metadata, id));
      fields.push_back(std::move(field));
    }
    ScanPlan rows, others;
    rows.match_by_field_id = others.match_by_field_id = true;
    FRAZIL_ASSIGN_OR_RETURN(rows.columns, ToScanColumns(fields));
    others.columns = rows.columns;
    auto mapping = metadata.properties.find("schema.name-mapping.default");
    if (mapping != metadata.properties.end()) FRAZIL_RETURN_IF_ERROR(ApplyNameMapping(mapping->second, &rows.columns));
    // In delete files a column is there, or else NULL.
    for (auto& column : others.columns) column.missing_value.reset();
    FRAZIL_ASSIGN_OR_RETURN(auto scanned, ToScanFile(data));
    const PartitionSpec* spec = metadata.FindSpec(data.spec_id);
    for (size_t i = 0; spec != nullptr && i < spec->fields.size() && i < data.partition.size(); ++i) {
      const SpecField& field = spec->fields[i];
      if (field.transform != TransformKind::kIdentity || !field.unknown_transform.empty()) continue;
      for (size_t k = 0; k < ids.size(); ++k) {
        if (ids[k] == field.source_id)
          scanned.constants[k] = Promoted(fields[k].type->kind == TypeKind::kDouble, data.partition[i]);
      }
    }
    rows.files.push_back(std::move(scanned));
    for (const auto& file : group) {
      FRAZIL_ASSIGN_OR_RETURN(auto other, ToScanFile(*file));
      others.files.push_back(std::move(other));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto found,
                            (*files)->MatchingRows(operations.context(), std::move(rows), std::move(others)));
    positions.insert(positions.end(), found.begin(), found.end());
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

}  // namespace frazil::tables::iceberg
