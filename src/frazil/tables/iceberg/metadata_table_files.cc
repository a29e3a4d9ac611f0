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

/// The values of FileFields, one by one.
class FileValues {
 public:
  FileValues(const MetadataSource& source, const DataFile& file) : source_(source), file_(file) {}

  std::vector<Value> All() const {
    std::vector<Value> row;
    for (size_t i = 0; i < Count(source_); ++i) row.push_back(At(i));
    return row;
  }
  static size_t Count(const MetadataSource& source) { return source.partition.field_ids.empty() ? 20 : 21; }

  Value At(size_t column) const {
    // The column `partition`, which only partitioned tables have, stands as the fifth.
    if (source_.partition.field_ids.empty() && column >= 4) ++column;
    switch (column) {
      case 0:
        return Value(static_cast<int64_t>(file_.content));
      case 1:
        return Value(file_.path);
      case 2:
        return Value(file_.format);
      case 3:
        return Value(static_cast<int64_t>(file_.spec_id));
      case 4: {
        const PartitionSpec* spec = source_.metadata->FindSpec(file_.spec_id);
        return spec == nullptr ? Value() : Value(source_.partition.Arrange(*spec, file_.partition));
      }
      case 5:
        return Value(file_.record_count);
      case 6:
        return Value(file_.size);
      case 7:
        return CountsValue(file_.has_column_sizes, file_.column_sizes);
      case 8:
        return CountsValue(file_.has_value_counts, file_.value_counts);
      case 9:
        return CountsValue(file_.has_null_counts, file_.null_counts);
      case 10:
        return CountsValue(file_.has_nan_counts, file_.nan_counts);
      case 11:
        return BoundsValue(file_.has_bounds, file_.lower_bounds);
      case 12:
        return BoundsValue(file_.has_bounds, file_.upper_bounds);
      case 13:
        return Optional(file_.key_metadata);
      case 14: {
        if (!file_.split_offsets) return Value();
        Value::List offsets;
        for (int64_t offset : *file_.split_offsets) offsets.emplace_back(offset);
        return Value(std::move(offsets));
      }
      case 15: {
        if (file_.equality_ids.empty()) return Value();
        Value::List ids;
        for (int32_t id : file_.equality_ids) ids.emplace_back(static_cast<int64_t>(id));
        return Value(std::move(ids));
      }
      case 16:
        return file_.sort_order_id ? Value(static_cast<int64_t>(*file_.sort_order_id)) : Value();
      case 17:
        return Optional(file_.first_row_id);
      case 18:
        return Optional(file_.referenced_data_file);
      case 19:
        return Optional(file_.content_offset);
      default:
        return Optional(file_.content_size);
    }
  }

 private:
  const MetadataSource& source_;
  const DataFile& file_;
};

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
  auto chosen = [wanted, all](const MetadataSource& source, const Snapshot* snapshot,
                              const std::set<size_t>& wanted_columns) -> Result<Rows> {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, ManifestsOf(source, snapshot, all));
    std::erase_if(manifests, [&](const ManifestFile& m) {
      return wanted != Wanted::kBoth && (m.content == ManifestContent::kData) != (wanted == Wanted::kData);
    });
    auto columns = MetricColumns(*source.metadata->schema());
    return RowsOfEntries(source, manifests, [&](const ManifestEntry& entry) -> std::optional<std::vector<Value>> {
      if (entry.status == EntryStatus::kDeleted) return std::nullopt;
      const size_t count = FileValues::Count(source);
      const FileValues values(source, *entry.file);
      std::vector<Value> row(count + 1);
      for (const size_t column : wanted_columns)
        row[column] = column < count ? values.At(column) : ReadableMetrics(columns, *entry.file);
      return row;
    });
  };
  auto rows = [chosen](const MetadataSource& source, const Snapshot* snapshot) -> Result<Rows> {
    std::set<size_t> every;
    for (size_t i = 0; i <= FileValues::Count(source); ++i) every.insert(i);
    return chosen(source, snapshot, every);
  };
  return {std::move(name), !all, FilesSchema, rows, chosen};
}

MetadataTableKind EntriesKind(std::string name, bool all) {
  auto chosen = [all](const MetadataSource& source, const Snapshot* snapshot,
                      const std::set<size_t>& wanted_columns) -> Result<Rows> {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, ManifestsOf(source, snapshot, all));
    auto columns = MetricColumns(*source.metadata->schema());
    return RowsOfEntries(source, manifests, [&](const ManifestEntry& entry) -> std::optional<std::vector<Value>> {
      return std::vector<Value>{
          Value(static_cast<int64_t>(entry.status)),
          Value(entry.snapshot_id),
          Optional(entry.sequence_number),
          Optional(entry.file_sequence_number),
          wanted_columns.count(4) > 0 ? Value(Value::List(FileValues(source, *entry.file).All())) : Value(),
          wanted_columns.count(5) > 0 ? ReadableMetrics(columns, *entry.file) : Value()};
    });
  };
  auto rows = [chosen](const MetadataSource& source, const Snapshot* snapshot) {
    return chosen(source, snapshot, {0, 1, 2, 3, 4, 5});
  };
  return {std::move(name), !all, EntriesSchema, rows, chosen};
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
