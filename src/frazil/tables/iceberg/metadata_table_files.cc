#include <algorithm>
#include <set>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/metadata_table.h"
#include "frazil/tables/iceberg/parallel_for.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

using Rows = std::vector<std::vector<Value>>;

Value Optional(const std::optional<int64_t>& number) { return number ? Value(*number) : Value(); }
Value Optional(const std::optional<std::string>& text) { return text ? Value(*text) : Value(); }

/// The columns that have metrics: primitive ones, by full name.
std::vector<std::pair<std::string, const NestedField*>> MetricColumns(const Schema& schema) {
  std::vector<std::pair<std::string, const NestedField*>> result;
  std::vector<const Type*> types = {schema.root().get()};
  while (!types.empty()) {
    const Type* type = types.back();
    types.pop_back();
    for (const auto& field : type->fields) {
      if (field.type->IsPrimitive() && ToSparkType(*field.type).ok())
        result.emplace_back(schema.NameOf(field.id), &field);
      if (field.type->IsNested()) types.push_back(field.type.get());
    }
  }
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return result;
}

Result<StructField> ReadableMetricsField(const MetadataSource& source) {
  std::vector<StructField> columns;
  for (const auto& [name, field] : MetricColumns(*source.metadata->schema())) {
    FRAZIL_ASSIGN_OR_RETURN(DataTypePtr type, ToSparkType(*field->type));
    columns.emplace_back(name, DataType::Struct({{"column_size", DataType::Long()},
                                                 {"value_count", DataType::Long()},
                                                 {"null_value_count", DataType::Long()},
                                                 {"nan_value_count", DataType::Long()},
                                                 {"lower_bound", type},
                                                 {"upper_bound", type}}));
  }
  return StructField("readable_metrics", DataType::Struct(std::move(columns)));
}

std::vector<StructField> FileFields(const MetadataSource& source) {
  DataTypePtr counts = DataType::Map(DataType::Integer(), DataType::Long(), false);
  DataTypePtr bounds = DataType::Map(DataType::Integer(), DataType::Binary(), false);
  std::vector<StructField> fields = {{"content", DataType::Integer()},
                                     {"file_path", DataType::String(), false},
                                     {"file_format", DataType::String(), false},
                                     {"spec_id", DataType::Integer()}};
  if (!source.partition.field_ids.empty()) fields.emplace_back("partition", source.partition.spark_type, false);
  std::vector<StructField> rest = {{"record_count", DataType::Long(), false},
                                   {"file_size_in_bytes", DataType::Long(), false},
                                   {"column_sizes", counts},
                                   {"value_counts", counts},
                                   {"null_value_counts", counts},
                                   {"nan_value_counts", counts},
                                   {"lower_bounds", bounds},
                                   {"upper_bounds", bounds},
                                   {"key_metadata", DataType::Binary()},
                                   {"split_offsets", DataType::Array(DataType::Long(), false)},
                                   {"equality_ids", DataType::Array(DataType::Integer(), false)},
                                   {"sort_order_id", DataType::Integer()},
                                   {"first_row_id", DataType::Long()},
                                   {"referenced_data_file", DataType::String()},
                                   {"content_offset", DataType::Long()},
                                   {"content_size_in_bytes", DataType::Long()}};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
}

Value CountsValue(bool present, const CountsById& counts) {
  if (!present) return Value();
  Value::List list;
  for (const auto& [id, count] : counts) {
    list.emplace_back(static_cast<int64_t>(id));
    list.emplace_back(count);
  }
  return Value(std::move(list));
}

Value BoundsValue(bool present, const BoundsById& bounds) {
  if (!present) return Value();
  Value::List list;
  for (const auto& [id, bytes] : bounds) {
    list.emplace_back(static_cast<int64_t>(id));
    list.emplace_back(bytes);
  }
  return Value(std::move(list));
}

std::vector<Value> FileValues(const MetadataSource& source, const DataFile& file) {
  std::vector<Value> row = {Value(static_cast<int64_t>(file.content)), Value(file.path), Value(file.format),
                            Value(static_cast<int64_t>(file.spec_id))};
  if (!source.partition.field_ids.empty()) {
    const PartitionSpec* spec = source.metadata->FindSpec(file.spec_id);
    row.push_back(spec == nullptr ? Value() : Value(source.partition.Arrange(*spec, file.partition)));
  }
  row.emplace_back(file.record_count);
  row.emplace_back(file.size);
  row.push_back(CountsValue(file.has_column_sizes, file.column_sizes));
  row.push_back(CountsValue(file.has_value_counts, file.value_counts));
  row.push_back(CountsValue(file.has_null_counts, file.null_counts));
  row.push_back(CountsValue(file.has_nan_counts, file.nan_counts));
  row.push_back(BoundsValue(file.has_bounds, file.lower_bounds));
  row.push_back(BoundsValue(file.has_bounds, file.upper_bounds));
  row.push_back(Optional(file.key_metadata));
  if (file.split_offsets) {
    Value::List offsets;
    for (int64_t offset : *file.split_offsets) offsets.emplace_back(offset);
    row.emplace_back(std::move(offsets));
  } else {
    row.emplace_back();
  }
  if (!file.equality_ids.empty()) {
    Value::List ids;
    for (int32_t id : file.equality_ids) ids.emplace_back(static_cast<int64_t>(id));
    row.emplace_back(std::move(ids));
  } else {
    row.emplace_back();
  }
  row.push_back(file.sort_order_id ? Value(static_cast<int64_t>(*file.sort_order_id)) : Value());
  row.push_back(Optional(file.first_row_id));
  row.push_back(Optional(file.referenced_data_file));
  row.push_back(Optional(file.content_offset));
  row.push_back(Optional(file.content_size));
  return row;
}

Value ReadableMetrics(const std::vector<std::pair<std::string, const NestedField*>>& columns, const DataFile& file) {
  Value::List result;
  for (const auto& [name, field] : columns) {
    auto count = [&](const CountsById& counts) {
      const int64_t* found = FindById(counts, field->id);
      return found == nullptr ? Value() : Value(*found);
    };
    auto bound = [&](const BoundsById& bounds) {
      const std::string* bytes = FindById(bounds, field->id);
      if (bytes == nullptr) return Value();
      auto value = FromBytes(*field->type, *bytes);
      return value.ok() ? *value : Value();
    };
    result.emplace_back(Value::List{count(file.column_sizes), count(file.value_counts), count(file.null_counts),
                                    count(file.nan_counts), bound(file.lower_bounds), bound(file.upper_bounds)});
  }
  return Value(std::move(result));
}

/// The manifests of one snapshot, or of all snapshots without repeats.
Result<std::vector<ManifestFile>> ManifestsOf(const MetadataSource& source, const Snapshot* snapshot, bool all) {
  std::vector<ManifestFile> result;
  std::set<std::string> seen;
  std::vector<const Snapshot*> snapshots;
  if (all) {
    for (const auto& s : source.metadata->snapshots) snapshots.push_back(&s);
  } else if (snapshot != nullptr) {
    snapshots.push_back(snapshot);
  }
  for (const Snapshot* s : snapshots) {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, source.operations->ReadManifests(*source.metadata, *s));
    for (const auto& manifest : *manifests) {
      if (seen.insert(manifest.path).second) result.push_back(manifest);
    }
  }
  return result;
}

/// Reads the entries of manifests and makes rows of them, manifest by manifest in order.
Result<Rows> RowsOfEntries(const MetadataSource& source, const std::vector<ManifestFile>& manifests,
                           const std::function<std::optional<std::vector<Value>>(const ManifestEntry&)>& make_row) {
  std::vector<Rows> parts(manifests.size());
  FRAZIL_RETURN_IF_ERROR(ParallelFor(manifests.size(), ReadThreads(), [&](size_t i) -> Status {
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, source.operations->ReadEntries(*source.metadata, manifests[i]));
    for (const auto& entry : *entries) {
      if (auto row = make_row(entry)) parts[i].push_back(*std::move(row));
    }
    return {};
  }));
  Rows rows;
  for (auto& part : parts)
    rows.insert(rows.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return rows;
}

Result<DataTypePtr> FilesSchema(const MetadataSource& source) {
  std::vector<StructField> fields = FileFields(source);
  FRAZIL_ASSIGN_OR_RETURN(StructField metrics, ReadableMetricsField(source));
  fields.push_back(std::move(metrics));
  return DataType::Struct(std::move(fields));
}

Result<DataTypePtr> EntriesSchema(const MetadataSource& source) {
  FRAZIL_ASSIGN_OR_RETURN(StructField metrics, ReadableMetricsField(source));
  return DataType::Struct({{"status", DataType::Integer(), false},
                           {"snapshot_id", DataType::Long()},
                           {"sequence_number", DataType::Long()},
                           {"file_sequence_number", DataType::Long()},
                           {"data_file", DataType::Struct(FileFields(source)), false},
                           std::move(metrics)});
}

enum class Wanted { kData, kDeletes, kBoth };

MetadataTableKind FilesKind(std::string name, Wanted wanted, bool all) {
  auto rows = [wanted, all](const MetadataSource& source, const Snapshot* snapshot) -> Result<Rows> {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, ManifestsOf(source, snapshot, all));
    std::erase_if(manifests, [&](const ManifestFile& m) {
      return wanted != Wanted::kBoth && (m.content == ManifestContent::kData) != (wanted == Wanted::kData);
    });
    auto columns = MetricColumns(*source.metadata->schema());
    return RowsOfEntries(source, manifests, [&](const ManifestEntry& entry) -> std::optional<std::vector<Value>> {
      if (entry.status == EntryStatus::kDeleted) return std::nullopt;
      std::vector<Value> row = FileValues(source, *entry.file);
      row.push_back(ReadableMetrics(columns, *entry.file));
      return row;
    });
  };
  return {std::move(name), !all, FilesSchema, rows};
}

MetadataTableKind EntriesKind(std::string name, bool all) {
  auto rows = [all](const MetadataSource& source, const Snapshot* snapshot) -> Result<Rows> {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, ManifestsOf(source, snapshot, all));
    auto columns = MetricColumns(*source.metadata->schema());
    return RowsOfEntries(source, manifests, [&](const ManifestEntry& entry) -> std::optional<std::vector<Value>> {
      return std::vector<Value>{Value(static_cast<int64_t>(entry.status)),
                                Value(entry.snapshot_id),
                                Optional(entry.sequence_number),
                                Optional(entry.file_sequence_number),
                                Value(Value::List(FileValues(source, *entry.file))),
                                ReadableMetrics(columns, *entry.file)};
    });
  };
  return {std::move(name), !all, EntriesSchema, rows};
}

}  // namespace

std::vector<MetadataTableKind> FileTables() {
  return {FilesKind("files", Wanted::kBoth, false),
          FilesKind("data_files", Wanted::kData, false),
          FilesKind("delete_files", Wanted::kDeletes, false),
          FilesKind("all_files", Wanted::kBoth, true),
          FilesKind("all_data_files", Wanted::kData, true),
          FilesKind("all_delete_files", Wanted::kDeletes, true),
          EntriesKind("entries", false),
          EntriesKind("all_entries", true)};
}

}  // namespace frazil::tables::iceberg
