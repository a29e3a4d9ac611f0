// Statistics files: sketches of columns, and figures of partitions.

#include <algorithm>

#include "frazil/base/uuid.h"
#include "frazil/codec/puffin.h"
#include "frazil/codec/theta_sketch.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_scan.h"
#include "frazil/tables/iceberg/procedures_internal.h"
#include "frazil/tables/iceberg/snapshot_producer.h"

namespace frazil::tables::iceberg {
namespace {

constexpr char kSketchBlob[] = "apache-datasketches-theta-v1";

JsonValue Number(int64_t number) { return JsonValue::OfNumber(std::to_string(number)); }

JsonValue Object(std::vector<std::pair<std::string, JsonValue>> members) {
  JsonValue object;
  object.kind = JsonValue::Kind::kObject;
  object.members = std::move(members);
  return object;
}

/// Puts a file's entry in the place of the one that its snapshot had. Files of a commit that failed are deleted.
Status SetEntry(const IcebergTable& table, int64_t snapshot_id, const std::string& path,
                std::vector<JsonValue> TableMetadata::*list, const JsonValue& entry) {
  auto committed = ChangeTable(table, [&](const TableMetadata& base) -> Result<std::optional<TableMetadata>> {
    if (base.FindSnapshot(snapshot_id) == nullptr)
      return IllegalArgument("Snapshot not found: " + std::to_string(snapshot_id));
    TableMetadata next = base;
    std::erase_if(next.*list, [&](const JsonValue& item) {
      const JsonValue* id = item.Find("snapshot-id");
      return id != nullptr && id->text == std::to_string(snapshot_id);
    });
    (next.*list).push_back(entry);
    return std::optional<TableMetadata>(std::move(next));
  });
  if (committed.ok()) return {};
  if (committed.error().kind != ErrorKind::kUnknownCommit) table.operations()->DeleteQuietly({path});
  return std::move(committed).error();
}

/// What compute_table_stats has found, column by column, as a statistics file ("Table Statistics").
Result<RowSet> StoreTableStatistics(const Table& any, const std::vector<Value>& arguments) {
  const IcebergTable& table = Iceberg(any);
  const TableMetadata& metadata = table.metadata();
  for (const auto& argument : arguments) {
    if (argument.is_null()) return IllegalArgument("a statistics file takes no NULL");
  }
  const int64_t snapshot_id = arguments[0].integer();
  const Snapshot* snapshot = metadata.FindSnapshot(snapshot_id);
  if (snapshot == nullptr) return IllegalArgument("Snapshot not found: " + std::to_string(snapshot_id));
  const auto& names = arguments[1].list();
  const auto& hashes = arguments[2].list();
  if (names.size() != hashes.size()) return IllegalArgument("a statistics file takes the hashes of each column");
  const SchemaPtr schema = metadata.SchemaOf(*snapshot);
  codec::PuffinWriter puffin;
  JsonValue blobs;
  blobs.kind = JsonValue::Kind::kArray;
  for (size_t i = 0; i < names.size(); ++i) {
    const Schema::Located* column = schema->Find({names[i].string()}, true);
    if (column == nullptr) return IllegalArgument("Can't find column " + names[i].string() + " in the table");
    const TypeKind kind = column->field->type->kind;
    if (kind == TypeKind::kUuid || kind == TypeKind::kFixed)
      return Error::Unsupported("statistics of columns of Iceberg's type " + TypeText(*column->field->type));
    std::vector<uint64_t> least;
    for (const auto& hash : hashes[i].list()) least.push_back(static_cast<uint64_t>(hash.integer()));
    const auto sketch = codec::ThetaSketch::OfLeast(std::move(least));
    const std::string ndv = std::to_string(static_cast<int64_t>(sketch.Estimate()));
    puffin.Add(kSketchBlob, {column->field->id}, {{"ndv", ndv}}, snapshot_id, snapshot->sequence_number,
               sketch.Serialize());
    JsonValue fields;
    fields.kind = JsonValue::Kind::kArray;
    fields.items.push_back(Number(column->field->id));
    blobs.items.push_back(Object({{"type", JsonValue::OfString(kSketchBlob)},
                                  {"snapshot-id", Number(snapshot_id)},
                                  {"sequence-number", Number(snapshot->sequence_number)},
                                  {"fields", std::move(fields)},
                                  {"properties", Object({{"ndv", JsonValue::OfString(ndv)}})}}));
  }
  const std::string data = puffin.Finish();
  // The footer: magic, payload, its size, flags, magic.
  int64_t payload = 0;
  for (size_t i = 0; i < 4; ++i)
    payload |= static_cast<int64_t>(static_cast<uint8_t>(data[data.size() - 12 + i])) << 8 * i;
  const std::string path =
      TableOperations::MetadataPath(metadata, std::to_string(snapshot_id) + "-" + RandomUuidText() + ".stats");
  FRAZIL_RETURN_IF_ERROR(table.operations()->store().WriteNew(path, data));
  FRAZIL_RETURN_IF_ERROR(SetEntry(table, snapshot_id, path, &TableMetadata::statistics,
                                  Object({{"snapshot-id", Number(snapshot_id)},
                                          {"statistics-path", JsonValue::OfString(path)},
                                          {"file-size-in-bytes", Number(static_cast<int64_t>(data.size()))},
                                          {"file-footer-size-in-bytes", Number(payload + 16)},
                                          {"blob-metadata", std::move(blobs)}})));
  return RowSet{DataType::Struct({{"statistics_file", DataType::String()}}), {{Value(path)}}};
}

/// Figures of one partition of one spec ("Partition Statistics File").
struct PartitionFigures {
  std::vector<Value> partition;
  int32_t spec_id = 0;
  int64_t records = 0, files = 0, bytes = 0;
  int64_t position_records = 0, position_files = 0, equality_records = 0, equality_files = 0, vectors = 0;
  const Snapshot* updated_by = nullptr;

  void Count(const DataFile& file) {
    switch (file.content) {
      case FileContent::kData:
        records += file.record_count;
        files += 1;
        bytes += file.size;
        return;
      case FileContent::kPositionDeletes:
        position_records += file.record_count;
        (file.is_deletion_vector() ? vectors : position_files) += 1;
        return;
      case FileContent::kEqualityDeletes:
        equality_records += file.record_count;
        equality_files += 1;
        return;
    }
  }
};

Result<std::map<std::string, PartitionFigures>> CollectFigures(const TableOperations& operations,
                                                               const TableMetadata& metadata, const Snapshot& snapshot,
                                                               const UnifiedPartition& partition) {
  std::map<std::string, PartitionFigures> all;
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations.ReadManifests(metadata, snapshot));
  for (const auto& manifest : *manifests) {
    const PartitionSpec* spec = metadata.FindSpec(manifest.spec_id);
    if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(manifest.spec_id));
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations.ReadEntries(metadata, manifest));
    for (const auto& entry : *entries) {
      auto& figures = all[PartitionKey(entry.file->spec_id, entry.file->partition)];
      figures.partition = partition.Arrange(*spec, entry.file->partition);
      figures.spec_id = manifest.spec_id;
      if (entry.status != EntryStatus::kDeleted) figures.Count(*entry.file);
      const Snapshot* by = metadata.FindSnapshot(entry.snapshot_id);
      if (by != nullptr && (figures.updated_by == nullptr || by->timestamp_ms > figures.updated_by->timestamp_ms))
        figures.updated_by = by;
    }
  }
  return all;
}

ScanColumn Column(const char* name, DataTypePtr type, int32_t id, bool nullable) {
  ScanColumn column;
  column.name = name;
  column.type = std::move(type);
  column.field_id = id;
  column.nullable = nullable;
  return column;
}

std::vector<ScanColumn> FigureColumns(const UnifiedPartition& partition, bool has_vectors) {
  ScanColumn values = Column("partition", partition.spark_type, 1, false);
  for (size_t i = 0; i < partition.field_ids.size(); ++i) {
    const auto& field = partition.spark_type->fields()[i];
    values.children.push_back(Column(field.name.c_str(), field.type, partition.field_ids[i], true));
  }
  const DataTypePtr number = DataType::Integer(), big = DataType::Long();
  std::vector<ScanColumn> columns = {std::move(values),
                                     Column("spec_id", number, 2, false),
                                     Column("data_record_count", big, 3, false),
                                     Column("data_file_count", number, 4, false),
                                     Column("total_data_file_size_in_bytes", big, 5, false),
                                     Column("position_delete_record_count", big, 6, !has_vectors),
                                     Column("position_delete_file_count", number, 7, !has_vectors),
                                     Column("equality_delete_record_count", big, 8, !has_vectors),
                                     Column("equality_delete_file_count", number, 9, !has_vectors),
                                     Column("total_record_count", big, 10, true),
                                     Column("last_updated_at", big, 11, true),
                                     Column("last_updated_snapshot_id", big, 12, true)};
  if (has_vectors) columns.push_back(Column("dv_count", number, 13, false));
  return columns;
}

Result<RowSet> ComputePartitionStatistics(const Table& any, const std::vector<Value>& arguments) {
  const IcebergTable& table = Iceberg(any);
  const TableMetadata& metadata = table.metadata();
  RowSet result{DataType::Struct({{"partition_statistics_file", DataType::String()}}), {}};
  const Snapshot* snapshot = metadata.current_snapshot();
  if (!arguments[0].is_null()) {
    snapshot = metadata.FindSnapshot(arguments[0].integer());
    if (snapshot == nullptr) return IllegalArgument("Snapshot not found: " + std::to_string(arguments[0].integer()));
  }
  FRAZIL_ASSIGN_OR_RETURN(UnifiedPartition partition, UnifyPartitions(metadata));
  if (partition.field_ids.empty()) return IllegalArgument("Table must be partitioned");
  if (snapshot == nullptr) return result;
  FRAZIL_ASSIGN_OR_RETURN(auto all, CollectFigures(*table.operations(), metadata, *snapshot, partition));
  if (all.empty()) return result;
  const bool has_vectors = metadata.format_version >= 3;
  WriteTask task;
  task.columns = FigureColumns(partition, has_vectors);
  std::vector<StructField> fields;
  for (const auto& column : task.columns) fields.emplace_back(column.name, column.type, column.nullable);
  auto rows = std::make_shared<RowSet>();
  rows->schema = DataType::Struct(std::move(fields));
  for (auto& [key, figures] : all) {
    std::vector<Value> row = {Value(std::move(figures.partition)), Value(static_cast<int64_t>(figures.spec_id))};
    for (const int64_t number : {figures.records, figures.files, figures.bytes, figures.position_records,
                                 figures.position_files, figures.equality_records, figures.equality_files})
      row.emplace_back(number);
    row.emplace_back();  // How many rows are left after deletes is not counted, as in Iceberg itself.
    row.push_back(figures.updated_by == nullptr ? Value() : Value(figures.updated_by->timestamp_ms));
    row.push_back(figures.updated_by == nullptr ? Value() : Value(figures.updated_by->snapshot_id));
    if (has_vectors) row.emplace_back(figures.vectors);
    rows->rows.push_back(std::move(row));
  }
  const std::string folder = TableOperations::MetadataPath(metadata, "");
  task.location = folder.substr(0, folder.find_last_not_of('/') + 1);
  task.file_name_prefix = "partition-stats-" + std::to_string(snapshot->snapshot_id) + "-" + RandomUuidText() + "-*";
  task.target_file_size = INT64_MAX;
  FRAZIL_ASSIGN_OR_RETURN(auto files, table.operations()->files());
  FRAZIL_ASSIGN_OR_RETURN(auto written, files->WriteRows(table.operations()->context(), task, std::move(rows)));
  if (written.size() != 1)
    return Error::Internal("a statistics file became " + std::to_string(written.size()) + " files");
  FRAZIL_RETURN_IF_ERROR(table.operations()->store().Sync(written[0].path));
  FRAZIL_RETURN_IF_ERROR(SetEntry(table, snapshot->snapshot_id, written[0].path, &TableMetadata::partition_statistics,
                                  Object({{"snapshot-id", Number(snapshot->snapshot_id)},
                                          {"statistics-path", JsonValue::OfString(written[0].path)},
                                          {"file-size-in-bytes", Number(written[0].size)}})));
  result.rows.push_back({Value(written[0].path)});
  return result;
}

}  // namespace

std::vector<TableProcedure> StatisticsProcedures() {
  return {{"#store_table_stats",
           {{"snapshot_id", DataType::Long(), true},
            {"columns", DataType::Array(DataType::String(), true), true},
            {"least_hashes", DataType::Array(DataType::Array(DataType::Long(), true), true), true}},
           StoreTableStatistics},
          {"compute_partition_stats", {{"snapshot_id", DataType::Long()}}, ComputePartitionStatistics}};
}

}  // namespace frazil::tables::iceberg
