#include <map>

#include "frazil/tables/iceberg/metadata_table.h"
#include "frazil/tables/iceberg/parallel_for.h"
#include "frazil/tables/iceberg/position_deletes.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

using Rows = std::vector<std::vector<Value>>;

Result<DataTypePtr> DeletesSchema(const MetadataSource& source) {
  FRAZIL_ASSIGN_OR_RETURN(DataTypePtr row, ToSparkSchema(*source.metadata->schema()));
  std::vector<StructField> fields = {
      {"file_path", DataType::String(), false}, {"pos", DataType::Long(), false}, {"row", std::move(row)}};
  if (!source.partition.field_ids.empty()) fields.emplace_back("partition", source.partition.spark_type, false);
  fields.emplace_back("spec_id", DataType::Integer(), false);
  fields.emplace_back("delete_file_path", DataType::String(), false);
  if (source.metadata->format_version >= 3) {
    fields.emplace_back("content_offset", DataType::Long());
    fields.emplace_back("content_size_in_bytes", DataType::Long());
  }
  static const std::map<std::string, const char*, std::less<>> comments = {
      {"file_path", "Path of a file in which a deleted row is stored"},
      {"pos", "Ordinal position of a deleted row in the data file"},
      {"row", "Deleted row values"},
      {"partition", "Partition that position delete row belongs to"},
      {"spec_id", "Spec ID used to track the file containing a row"},
      {"delete_file_path", "Path of the file in which a row is stored"},
      {"content_offset", "The offset in the DV where the content starts"},
      {"content_size_in_bytes", "The length in bytes of the DV blob"},
  };
  for (auto& field : fields) field.SetComment(comments.at(field.name));
  return DataType::Struct(std::move(fields));
}

/// Deleted rows themselves, which old writers may keep beside the positions, are not shown.
Result<Rows> DeletesRows(const MetadataSource& source, const Snapshot* snapshot) {
  Rows rows;
  if (snapshot == nullptr) return rows;
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, source.operations->ReadManifests(*source.metadata, *snapshot));
  std::vector<DataFilePtr> files;
  for (const auto& manifest : *manifests) {
    if (manifest.content != ManifestContent::kDeletes) continue;
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, source.operations->ReadEntries(*source.metadata, manifest));
    for (const auto& entry : *entries) {
      if (entry.status != EntryStatus::kDeleted && entry.file->content == FileContent::kPositionDeletes)
        files.push_back(entry.file);
    }
  }
  std::vector<PositionsByFile> found(files.size());
  FRAZIL_RETURN_IF_ERROR(ParallelFor(files.size(), ReadThreads(), [&](size_t i) -> Status {
    FRAZIL_ASSIGN_OR_RETURN(found[i], ReadPositionDeletes(*source.operations, *files[i]));
    return {};
  }));
  auto optional = [](const std::optional<int64_t>& number) { return number ? Value(*number) : Value(); };
  for (size_t i = 0; i < files.size(); ++i) {
    const DataFile& file = *files[i];
    for (const auto& [path, positions] : found[i]) {
      for (int64_t position : positions) {
        std::vector<Value> row = {Value(path), Value(position), Value()};
        if (!source.partition.field_ids.empty()) {
          const PartitionSpec* spec = source.metadata->FindSpec(file.spec_id);
          row.push_back(spec == nullptr ? Value() : Value(source.partition.Arrange(*spec, file.partition)));
        }
        row.emplace_back(static_cast<int64_t>(file.spec_id));
        row.emplace_back(file.path);
        if (source.metadata->format_version >= 3) {
          row.push_back(optional(file.content_offset));
          row.push_back(optional(file.content_size));
        }
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace

std::vector<MetadataTableKind> DeleteTables() { return {{"position_deletes", true, DeletesSchema, DeletesRows}}; }

}  // namespace frazil::tables::iceberg
