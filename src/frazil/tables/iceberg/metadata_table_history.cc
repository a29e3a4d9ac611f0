#include <set>

#include "frazil/tables/iceberg/ancestry.h"
#include "frazil/tables/iceberg/metadata_table.h"

namespace frazil::tables::iceberg {
namespace {

using Rows = std::vector<std::vector<Value>>;

Value Optional(const std::optional<int64_t>& number) { return number ? Value(*number) : Value(); }
Value Micros(int64_t millis) { return Value(millis * 1000); }

Result<DataTypePtr> SnapshotsSchema(const MetadataSource&) {
  return DataType::Struct({{"committed_at", DataType::Timestamp(), false},
                           {"snapshot_id", DataType::Long(), false},
                           {"parent_id", DataType::Long()},
                           {"operation", DataType::String()},
                           {"manifest_list", DataType::String()},
                           {"summary", DataType::Map(DataType::String(), DataType::String(), false)}});
}

Result<Rows> SnapshotsRows(const MetadataSource& source, const Snapshot*) {
  Rows rows;
  for (const auto& snapshot : source.metadata->snapshots) {
    Value::List summary;
    for (const auto& [key, value] : snapshot.summary) {
      summary.emplace_back(key);
      summary.emplace_back(value);
    }
    rows.push_back({Micros(snapshot.timestamp_ms), Value(snapshot.snapshot_id), Optional(snapshot.parent_id),
                    snapshot.operation.empty() ? Value() : Value(snapshot.operation),
                    snapshot.manifest_list.empty() ? Value() : Value(snapshot.manifest_list),
                    Value(std::move(summary))});
  }
  return rows;
}

Result<DataTypePtr> HistorySchema(const MetadataSource&) {
  return DataType::Struct({{"made_current_at", DataType::Timestamp(), false},
                           {"snapshot_id", DataType::Long(), false},
                           {"parent_id", DataType::Long()},
                           {"is_current_ancestor", DataType::Boolean(), false}});
}

Result<Rows> HistoryRows(const MetadataSource& source, const Snapshot*) {
  std::set<int64_t> ancestors;
  for (const Snapshot* s : AncestorsOf(*source.metadata, source.metadata->current_snapshot()))
    ancestors.insert(s->snapshot_id);
  Rows rows;
  for (const auto& entry : source.metadata->snapshot_log) {
    const Snapshot* snapshot = source.metadata->FindSnapshot(entry.snapshot_id);
    rows.push_back({Micros(entry.timestamp_ms), Value(entry.snapshot_id),
                    snapshot == nullptr ? Value() : Optional(snapshot->parent_id),
                    Value(ancestors.count(entry.snapshot_id) != 0)});
  }
  return rows;
}

Result<DataTypePtr> RefsSchema(const MetadataSource&) {
  return DataType::Struct({{"name", DataType::String(), false},
                           {"type", DataType::String(), false},
                           {"snapshot_id", DataType::Long(), false},
                           {"max_reference_age_in_ms", DataType::Long()},
                           {"min_snapshots_to_keep", DataType::Integer()},
                           {"max_snapshot_age_in_ms", DataType::Long()}});
}

Result<Rows> RefsRows(const MetadataSource& source, const Snapshot*) {
  Rows rows;
  for (const auto& [name, ref] : source.metadata->refs) {
    rows.push_back({Value(name), Value(ref.is_branch ? "BRANCH" : "TAG"), Value(ref.snapshot_id),
                    Optional(ref.max_ref_age_ms), Optional(ref.min_snapshots_to_keep),
                    Optional(ref.max_snapshot_age_ms)});
  }
  return rows;
}

Result<DataTypePtr> MetadataLogSchema(const MetadataSource&) {
  return DataType::Struct({{"timestamp", DataType::Timestamp(), false},
                           {"file", DataType::String(), false},
                           {"latest_snapshot_id", DataType::Long()},
                           {"latest_schema_id", DataType::Integer()},
                           {"latest_sequence_number", DataType::Long()}});
}

Result<Rows> MetadataLogRows(const MetadataSource& source, const Snapshot*) {
  const TableMetadata& metadata = *source.metadata;
  std::vector<MetadataLogEntry> log = metadata.metadata_log;
  log.push_back({metadata.last_updated_ms, metadata.metadata_location});
  Rows rows;
  for (const auto& entry : log) {
    std::optional<int64_t> id;
    for (const auto& made_current : metadata.snapshot_log) {
      if (made_current.timestamp_ms <= entry.timestamp_ms) id = made_current.snapshot_id;
    }
    const Snapshot* snapshot = id ? metadata.FindSnapshot(*id) : nullptr;
    rows.push_back(
        {Micros(entry.timestamp_ms), Value(entry.file), Optional(id),
         snapshot != nullptr && snapshot->schema_id ? Value(static_cast<int64_t>(*snapshot->schema_id)) : Value(),
         snapshot != nullptr ? Value(snapshot->sequence_number) : Value()});
  }
  return rows;
}

}  // namespace

std::vector<MetadataTableKind> HistoryTables() {
  return {{"snapshots", false, SnapshotsSchema, SnapshotsRows},
          {"history", false, HistorySchema, HistoryRows},
          {"refs", false, RefsSchema, RefsRows},
          {"metadata_log_entries", false, MetadataLogSchema, MetadataLogRows}};
}

}  // namespace frazil::tables::iceberg
