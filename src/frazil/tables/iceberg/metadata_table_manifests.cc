#include <algorithm>

#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/metadata_table.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/snapshot_producer.h"
#include "frazil/tables/iceberg/spark_schema.h"
#include "frazil/tables/transform.h"

namespace frazil::tables::iceberg {
namespace {

using Rows = std::vector<std::vector<Value>>;

DataTypePtr SummariesType(bool nan_nullable) {
  return DataType::Array(DataType::Struct({{"contains_null", DataType::Boolean(), false},
                                           {"contains_nan", DataType::Boolean(), nan_nullable},
                                           {"lower_bound", DataType::String()},
                                           {"upper_bound", DataType::String()}}),
                         false);
}

Result<DataTypePtr> ManifestsSchema(const MetadataSource&) {
  return DataType::Struct({{"content", DataType::Integer(), false},
                           {"path", DataType::String(), false},
                           {"length", DataType::Long(), false},
                           {"partition_spec_id", DataType::Integer(), false},
                           {"added_snapshot_id", DataType::Long(), false},
                           {"added_data_files_count", DataType::Integer(), false},
                           {"existing_data_files_count", DataType::Integer(), false},
                           {"deleted_data_files_count", DataType::Integer(), false},
                           {"added_delete_files_count", DataType::Integer(), false},
                           {"existing_delete_files_count", DataType::Integer(), false},
                           {"deleted_delete_files_count", DataType::Integer(), false},
                           {"partition_summaries", SummariesType(true), false}});
}

Result<DataTypePtr> AllManifestsSchema(const MetadataSource&) {
  return DataType::Struct({{"content", DataType::Integer(), false},
                           {"path", DataType::String(), false},
                           {"length", DataType::Long(), false},
                           {"partition_spec_id", DataType::Integer()},
                           {"added_snapshot_id", DataType::Long()},
                           {"added_data_files_count", DataType::Integer()},
                           {"existing_data_files_count", DataType::Integer()},
                           {"deleted_data_files_count", DataType::Integer()},
                           {"added_delete_files_count", DataType::Integer(), false},
                           {"existing_delete_files_count", DataType::Integer(), false},
                           {"deleted_delete_files_count", DataType::Integer(), false},
                           {"partition_summaries", SummariesType(true)},
                           {"reference_snapshot_id", DataType::Long(), false},
                           {"key_metadata", DataType::Binary()}});
}

Result<Value> SummariesValue(const MetadataSource& source, const ManifestFile& manifest) {
  Value::List list;
  const PartitionSpec* spec = source.metadata->FindSpec(manifest.spec_id);
  if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(manifest.spec_id));
  for (size_t i = 0; i < manifest.summaries.size() && i < spec->fields.size(); ++i) {
    const FieldSummary& summary = manifest.summaries[i];
    TypePtr type = PartitionFieldType(spec->fields[i], *source.metadata->SchemaForSpec(*spec));
    auto spark = ToSparkType(*type);
    auto text = [&](const std::optional<std::string>& bytes) {
      if (!spark.ok()) return Value();
      if (!bytes) return Value("null");  // What Iceberg shows where no file has a value.
      auto value = FromBytes(*type, *bytes);
      return value.ok() ? Value(PartitionValueText(spec->fields[i].transform, **spark, *value)) : Value();
    };
    list.emplace_back(Value::List{Value(summary.contains_null),
                                  summary.contains_nan ? Value(*summary.contains_nan) : Value(), text(summary.lower),
                                  text(summary.upper)});
  }
  return Value(std::move(list));
}

Result<std::vector<Value>> ManifestRow(const MetadataSource& source, const ManifestFile& manifest) {
  bool data = manifest.content == ManifestContent::kData;
  auto count = [&](const std::optional<int32_t>& number, bool counts) {
    return Value(static_cast<int64_t>(counts ? number.value_or(0) : 0));
  };
  FRAZIL_ASSIGN_OR_RETURN(Value summaries, SummariesValue(source, manifest));
  return std::vector<Value>{Value(static_cast<int64_t>(manifest.content)),
                            Value(manifest.path),
                            Value(manifest.length),
                            Value(static_cast<int64_t>(manifest.spec_id)),
                            Value(manifest.added_snapshot_id),
                            count(manifest.added_files, data),
                            count(manifest.existing_files, data),
                            count(manifest.deleted_files, data),
                            count(manifest.added_files, !data),
                            count(manifest.existing_files, !data),
                            count(manifest.deleted_files, !data),
                            std::move(summaries)};
}

Result<Rows> ManifestsRows(const MetadataSource& source, const Snapshot* snapshot) {
  Rows rows;
  if (snapshot == nullptr) return rows;
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, source.operations->ReadManifests(*source.metadata, *snapshot));
  for (const auto& manifest : *manifests) {
    FRAZIL_ASSIGN_OR_RETURN(auto row, ManifestRow(source, manifest));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Rows> AllManifestsRows(const MetadataSource& source, const Snapshot*) {
  Rows rows;
  for (const auto& snapshot : source.metadata->snapshots) {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, source.operations->ReadManifests(*source.metadata, snapshot));
    for (const auto& manifest : *manifests) {
      FRAZIL_ASSIGN_OR_RETURN(auto row, ManifestRow(source, manifest));
      row.emplace_back(snapshot.snapshot_id);
      row.push_back(manifest.key_metadata ? Value(*manifest.key_metadata) : Value());
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

Result<DataTypePtr> PartitionsSchema(const MetadataSource& source) {
  std::vector<StructField> fields;
  if (!source.partition.field_ids.empty()) {
    fields.emplace_back("partition", source.partition.spark_type, false);
    fields.emplace_back("spec_id", DataType::Integer(), false);
  }
  auto add = [&](const char* name, DataTypePtr type, bool nullable, const char* comment) {
    StructField field(name, std::move(type), nullable);
    field.SetComment(comment);
    fields.push_back(std::move(field));
  };
  add("record_count", DataType::Long(), false, "Count of records in data files");
  add("file_count", DataType::Integer(), false, "Count of data files");
  add("total_data_file_size_in_bytes", DataType::Long(), false, "Total size in bytes of data files");
  add("position_delete_record_count", DataType::Long(), false, "Count of records in position delete files");
  add("position_delete_file_count", DataType::Integer(), false, "Count of position delete files");
  add("equality_delete_record_count", DataType::Long(), false, "Count of records in equality delete files");
  add("equality_delete_file_count", DataType::Integer(), false, "Count of equality delete files");
  add("last_updated_at", DataType::Timestamp(), true, "Commit time of snapshot that last updated this partition");
  add("last_updated_snapshot_id", DataType::Long(), true, "Id of snapshot that last updated this partition");
  return DataType::Struct(std::move(fields));
}

struct PartitionCounts {
  std::vector<Value> values;
  int32_t spec_id = 0;
  int64_t records = 0, files = 0, bytes = 0;
  int64_t position_records = 0, position_files = 0, equality_records = 0, equality_files = 0;
  std::optional<int64_t> updated_ms, updated_by;
};

Result<Rows> PartitionsRows(const MetadataSource& source, const Snapshot* snapshot) {
  Rows rows;
  bool partitioned = !source.partition.field_ids.empty();
  std::map<std::string, PartitionCounts> partitions;
  if (snapshot != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, source.operations->ReadManifests(*source.metadata, *snapshot));
    for (const auto& manifest : *manifests) {
      FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, source.operations->ReadEntries(*source.metadata, manifest));
      for (const auto& entry : *entries) {
        if (entry.status == EntryStatus::kDeleted) continue;
        const DataFile& file = *entry.file;
        const PartitionSpec* spec = source.metadata->FindSpec(file.spec_id);
        if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(file.spec_id));
        std::vector<Value> values = source.partition.Arrange(*spec, file.partition);
        PartitionCounts& counts = partitions[PartitionKey(0, values)];
        counts.values = std::move(values);
        const Snapshot* made_by = source.metadata->FindSnapshot(entry.snapshot_id);
        if (made_by != nullptr && (!counts.updated_ms || made_by->timestamp_ms > *counts.updated_ms)) {
          counts.spec_id = file.spec_id;
          counts.updated_ms = made_by->timestamp_ms;
          counts.updated_by = made_by->snapshot_id;
        }
        switch (file.content) {
          case FileContent::kData:
            counts.records += file.record_count;
            counts.files += 1;
            counts.bytes += file.size;
            break;
          case FileContent::kPositionDeletes:
            counts.position_records += file.record_count;
            counts.position_files += 1;
            break;
          case FileContent::kEqualityDeletes:
            counts.equality_records += file.record_count;
            counts.equality_files += 1;
            break;
        }
      }
    }
  }
  for (auto& [key, counts] : partitions) {
    std::vector<Value> row;
    if (partitioned) {
      row.emplace_back(Value::List(std::move(counts.values)));
      row.emplace_back(static_cast<int64_t>(counts.spec_id));
    }
    for (int64_t number : {counts.records, counts.files, counts.bytes, counts.position_records, counts.position_files,
                           counts.equality_records, counts.equality_files}) {
      row.emplace_back(number);
    }
    row.push_back(counts.updated_ms ? Value(*counts.updated_ms * 1000) : Value());
    row.push_back(counts.updated_by ? Value(*counts.updated_by) : Value());
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<MetadataTableKind> ManifestTables() {
  return {{"manifests", true, ManifestsSchema, ManifestsRows},
          {"all_manifests", false, AllManifestsSchema, AllManifestsRows},
          {"partitions", true, PartitionsSchema, PartitionsRows}};
}

}  // namespace frazil::tables::iceberg
