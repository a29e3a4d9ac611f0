#include "frazil/tables/delta/checkpoint.h"

#include <map>
#include <optional>

#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/arrow_column.h"
#include "frazil/tables/delta/parsed_statistics.h"

namespace frazil::tables::delta {
namespace {

DataTypePtr TextMap() { return DataType::Map(DataType::String(), DataType::String()); }
DataTypePtr TextList() { return DataType::Array(DataType::String()); }

DataTypePtr VectorType() {
  return DataType::Struct({{"storageType", DataType::String()},
                           {"pathOrInlineDv", DataType::String()},
                           {"offset", DataType::Integer()},
                           {"sizeInBytes", DataType::Integer()},
                           {"cardinality", DataType::Long()}});
}

// --- reading

std::optional<std::string> OptionalText(const ArrowColumn& object, const char* field, int64_t row) {
  ArrowColumn column = object.Field(field);
  if (column.IsNull(row)) return std::nullopt;
  return std::string(column.Text(row));
}

std::string TextOf(const ArrowColumn& object, const char* field, int64_t row) {
  return OptionalText(object, field, row).value_or("");
}

std::optional<int64_t> OptionalInteger(const ArrowColumn& object, const char* field, int64_t row) {
  ArrowColumn column = object.Field(field);
  if (column.IsNull(row)) return std::nullopt;
  return column.Integer(row);
}

bool BooleanOf(const ArrowColumn& object, const char* field, int64_t row, bool otherwise) {
  ArrowColumn column = object.Field(field);
  return column.IsNull(row) ? otherwise : column.Boolean(row);
}

PartitionTexts PartitionOf(const ArrowColumn& object, int64_t row) {
  PartitionTexts partition;
  ArrowColumn column = object.Field("partitionValues");
  if (column.IsNull(row)) return partition;
  auto [from, to] = column.Range(row);
  ArrowColumn keys = column.Keys(), values = column.MapValues();
  for (int64_t i = from; i < to; ++i) {
    partition.emplace_back(keys.Text(i), values.IsNull(i) ? std::nullopt : std::optional<std::string>(values.Text(i)));
  }
  return partition;
}

std::optional<StringMap> TextsOf(const ArrowColumn& object, const char* field, int64_t row) {
  ArrowColumn column = object.Field(field);
  if (column.IsNull(row)) return std::nullopt;
  StringMap texts;
  auto [from, to] = column.Range(row);
  ArrowColumn keys = column.Keys(), values = column.MapValues();
  for (int64_t i = from; i < to; ++i) {
    if (!values.IsNull(i)) texts.emplace_back(keys.Text(i), values.Text(i));
  }
  return texts;
}

std::optional<std::vector<std::string>> ListOf(const ArrowColumn& object, const char* field, int64_t row) {
  ArrowColumn column = object.Field(field);
  if (column.IsNull(row)) return std::nullopt;
  std::vector<std::string> texts;
  auto [from, to] = column.Range(row);
  ArrowColumn elements = column.Elements();
  for (int64_t i = from; i < to; ++i) texts.emplace_back(elements.Text(i));
  return texts;
}

FileAction FileOf(const ArrowColumn& object, int64_t row, bool removed) {
  FileAction file;
  file.path = TextOf(object, "path", row);
  file.partition = PartitionOf(object, row);
  file.size = OptionalInteger(object, "size", row).value_or(-1);
  file.data_change = BooleanOf(object, "dataChange", row, true);
  file.stats = TextOf(object, "stats", row);
  file.record_count = RecordCountOf(file.stats);
  file.tags = TextsOf(object, "tags", row);
  ArrowColumn vector = object.Field("deletionVector");
  // A struct whose fields are all absent is what some writers leave for none.
  if (!vector.IsNull(row) && !vector.Field("storageType").IsNull(row)) {
    DeletionVectorDescriptor descriptor;
    descriptor.storage_type = TextOf(vector, "storageType", row);
    descriptor.path_or_inline = TextOf(vector, "pathOrInlineDv", row);
    if (auto offset = OptionalInteger(vector, "offset", row)) descriptor.offset = static_cast<int32_t>(*offset);
    descriptor.size_in_bytes = static_cast<int32_t>(OptionalInteger(vector, "sizeInBytes", row).value_or(0));
    descriptor.cardinality = OptionalInteger(vector, "cardinality", row).value_or(0);
    file.deletion_vector = std::move(descriptor);
  }
  file.base_row_id = OptionalInteger(object, "baseRowId", row);
  file.default_row_commit_version = OptionalInteger(object, "defaultRowCommitVersion", row);
  file.is_removed = removed;
  if (removed) {
    file.deletion_timestamp = OptionalInteger(object, "deletionTimestamp", row);
    file.has_extended_metadata = BooleanOf(object, "extendedFileMetadata", row, false);
  } else {
    file.modification_time = OptionalInteger(object, "modificationTime", row).value_or(0);
    file.clustering_provider = TextOf(object, "clusteringProvider", row);
  }
  return file;
}

Metadata MetadataOf(const ArrowColumn& object, int64_t row) {
  Metadata metadata;
  metadata.id = TextOf(object, "id", row);
  metadata.name = OptionalText(object, "name", row);
  metadata.description = OptionalText(object, "description", row);
  ArrowColumn format = object.Field("format");
  if (!format.IsNull(row)) {
    metadata.provider = TextOf(format, "provider", row);
    metadata.format_options = TextsOf(format, "options", row).value_or(StringMap());
  }
  metadata.schema_string = TextOf(object, "schemaString", row);
  metadata.partition_columns = ListOf(object, "partitionColumns", row).value_or(std::vector<std::string>());
  for (auto& [key, value] : TextsOf(object, "configuration", row).value_or(StringMap()))
    metadata.configuration[key] = value;
  metadata.created_time = OptionalInteger(object, "createdTime", row);
  return metadata;
}

/// The action of each row of a batch.
Status PlayBatch(const ArrowBatch& batch, std::vector<Sidecar>* sidecars, SnapshotBuilder* builder) {
  ArrowColumn rows = ArrowColumn::OfBatch(batch, *CheckpointSchema());
  ArrowColumn add = rows.Field("add"), remove = rows.Field("remove"), metadata = rows.Field("metaData"),
              protocol = rows.Field("protocol");
  ArrowColumn txn = rows.Field("txn"), domain = rows.Field("domainMetadata"), sidecar = rows.Field("sidecar");
  // A struct may be there with nothing in it; what each action must have tells.
  const auto has = [](const ArrowColumn& object, const char* field, int64_t row) {
    return !object.IsNull(row) && !object.Field(field).IsNull(row);
  };
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    if (has(add, "path", row)) {
      builder->Apply(FileOf(add, row, false));
    } else if (has(remove, "path", row)) {
      builder->Apply(FileOf(remove, row, true));
    } else if (has(metadata, "id", row)) {
      builder->Apply(MetadataOf(metadata, row));
    } else if (has(protocol, "minReaderVersion", row)) {
      Protocol read;
      read.min_reader_version = static_cast<int32_t>(OptionalInteger(protocol, "minReaderVersion", row).value_or(1));
      read.min_writer_version = static_cast<int32_t>(OptionalInteger(protocol, "minWriterVersion", row).value_or(1));
      if (read.min_reader_version >= 3) read.reader_features = ListOf(protocol, "readerFeatures", row);
      if (read.min_writer_version >= 7) read.writer_features = ListOf(protocol, "writerFeatures", row);
      builder->Apply(std::move(read));
    } else if (has(txn, "appId", row)) {
      builder->Apply(Transaction{TextOf(txn, "appId", row), OptionalInteger(txn, "version", row).value_or(0),
                                 OptionalInteger(txn, "lastUpdated", row)});
    } else if (has(domain, "domain", row)) {
      builder->Apply(DomainMetadata{TextOf(domain, "domain", row), TextOf(domain, "configuration", row),
                                    BooleanOf(domain, "removed", row, false)});
    } else if (has(sidecar, "path", row)) {
      sidecars->push_back({TextOf(sidecar, "path", row), OptionalInteger(sidecar, "sizeInBytes", row).value_or(0)});
    }
  }
  return {};
}

// --- writing

void AppendText(ArrowColumnBuilder& builder, const std::optional<std::string>& text) {
  if (text) {
    builder.Append(std::string_view(*text));
  } else {
    builder.AppendNull();
  }
}

void AppendInteger(ArrowColumnBuilder& builder, const std::optional<int64_t>& number) {
  if (number) {
    builder.Append(*number);
  } else {
    builder.AppendNull();
  }
}

template <typename Texts>
void AppendTexts(ArrowColumnBuilder& builder, const Texts& texts) {
  for (const auto& [key, value] : texts) {
    builder.Child(0).Append(std::string_view(key));
    AppendText(builder.Child(1), value);
  }
  builder.EndRow();
}

void AppendList(ArrowColumnBuilder& builder, const std::optional<std::vector<std::string>>& texts) {
  if (!texts) {
    builder.AppendNull();
    return;
  }
  for (const auto& text : *texts) builder.Child(0).Append(std::string_view(text));
  builder.EndRow();
}

std::optional<std::string> UnlessEmpty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

class CheckpointBuilder {
 public:
  CheckpointBuilder() : rows_(CheckpointSchema()) {}
  int64_t length() const { return rows_.length(); }
  ArrowBatch Finish() { return rows_.FinishBatch(); }

  void Add(const FileAction& file) {
    ArrowColumnBuilder& object = Begin(file.is_removed ? "remove" : "add");
    object.Field("path").Append(std::string_view(file.path));
    if (file.is_removed && !file.has_extended_metadata) {
      object.Field("partitionValues").AppendNull();
    } else {
      AppendTexts(object.Field("partitionValues"), file.partition);
    }
    AppendInteger(object.Field("size"), file.size >= 0 ? std::optional<int64_t>(file.size) : std::nullopt);
    object.Field("dataChange").Append(false);
    AppendText(object.Field("stats"), UnlessEmpty(file.stats));
    if (file.tags) {
      AppendTexts(object.Field("tags"), *file.tags);
    } else {
      object.Field("tags").AppendNull();
    }
    ArrowColumnBuilder& vector = object.Field("deletionVector");
    if (file.deletion_vector) {
      vector.Field("storageType").Append(std::string_view(file.deletion_vector->storage_type));
      vector.Field("pathOrInlineDv").Append(std::string_view(file.deletion_vector->path_or_inline));
      AppendInteger(vector.Field("offset"), file.deletion_vector->offset
                                                ? std::optional<int64_t>(*file.deletion_vector->offset)
                                                : std::nullopt);
      vector.Field("sizeInBytes").Append(static_cast<int64_t>(file.deletion_vector->size_in_bytes));
      vector.Field("cardinality").Append(file.deletion_vector->cardinality);
      vector.EndRow();
    } else {
      vector.AppendNull();
    }
    AppendInteger(object.Field("baseRowId"), file.base_row_id);
    AppendInteger(object.Field("defaultRowCommitVersion"), file.default_row_commit_version);
    if (file.is_removed) {
      AppendInteger(object.Field("deletionTimestamp"), file.deletion_timestamp);
      object.Field("extendedFileMetadata").Append(file.has_extended_metadata);
    } else {
      object.Field("modificationTime").Append(file.modification_time);
      AppendText(object.Field("clusteringProvider"), UnlessEmpty(file.clustering_provider));
    }
    End(object);
  }

  void Add(const Metadata& metadata) {
    ArrowColumnBuilder& object = Begin("metaData");
    object.Field("id").Append(std::string_view(metadata.id));
    AppendText(object.Field("name"), metadata.name);
    AppendText(object.Field("description"), metadata.description);
    ArrowColumnBuilder& format = object.Field("format");
    format.Field("provider").Append(std::string_view(metadata.provider));
    AppendTexts(format.Field("options"), metadata.format_options);
    format.EndRow();
    object.Field("schemaString").Append(std::string_view(metadata.schema_string));
    AppendList(object.Field("partitionColumns"), metadata.partition_columns);
    AppendTexts(object.Field("configuration"), metadata.configuration);
    AppendInteger(object.Field("createdTime"), metadata.created_time);
    End(object);
  }

  void Add(const Protocol& protocol) {
    ArrowColumnBuilder& object = Begin("protocol");
    object.Field("minReaderVersion").Append(static_cast<int64_t>(protocol.min_reader_version));
    object.Field("minWriterVersion").Append(static_cast<int64_t>(protocol.min_writer_version));
    AppendList(object.Field("readerFeatures"), protocol.reader_features);
    AppendList(object.Field("writerFeatures"), protocol.writer_features);
    End(object);
  }

  void Add(const Transaction& transaction) {
    ArrowColumnBuilder& object = Begin("txn");
    object.Field("appId").Append(std::string_view(transaction.app_id));
    object.Field("version").Append(transaction.version);
    AppendInteger(object.Field("lastUpdated"), transaction.last_updated);
    End(object);
  }

  void Add(const DomainMetadata& domain) {
    ArrowColumnBuilder& object = Begin("domainMetadata");
    object.Field("domain").Append(std::string_view(domain.domain));
    object.Field("configuration").Append(std::string_view(domain.configuration));
    object.Field("removed").Append(domain.removed);
    End(object);
  }

 private:
  ArrowColumnBuilder& Begin(std::string_view action) {
    for (size_t i = 0; i < CheckpointSchema()->fields().size(); ++i) {
      if (CheckpointSchema()->fields()[i].name != action) rows_.Child(i).AppendNull();
    }
    return rows_.Field(action);
  }
  void End(ArrowColumnBuilder& object) {
    object.EndRow();
    rows_.EndRow();
  }

  ArrowColumnBuilder rows_;
};

}  // namespace

const DataTypePtr& CheckpointSchema() {
  static const DataTypePtr schema = DataType::Struct({
      {"txn", DataType::Struct(
                  {{"appId", DataType::String()}, {"version", DataType::Long()}, {"lastUpdated", DataType::Long()}})},
      {"add", DataType::Struct({{"path", DataType::String()},
                                {"partitionValues", TextMap()},
                                {"size", DataType::Long()},
                                {"modificationTime", DataType::Long()},
                                {"dataChange", DataType::Boolean()},
                                {"tags", TextMap()},
                                {"deletionVector", VectorType()},
                                {"baseRowId", DataType::Long()},
                                {"defaultRowCommitVersion", DataType::Long()},
                                {"clusteringProvider", DataType::String()},
                                {"stats", DataType::String()}})},
      {"remove", DataType::Struct({{"path", DataType::String()},
                                   {"deletionTimestamp", DataType::Long()},
                                   {"dataChange", DataType::Boolean()},
                                   {"extendedFileMetadata", DataType::Boolean()},
                                   {"partitionValues", TextMap()},
                                   {"size", DataType::Long()},
                                   {"deletionVector", VectorType()},
                                   {"baseRowId", DataType::Long()},
                                   {"defaultRowCommitVersion", DataType::Long()},
                                   {"stats", DataType::String()},
                                   {"tags", TextMap()}})},
      {"metaData",
       DataType::Struct({{"id", DataType::String()},
                         {"name", DataType::String()},
                         {"description", DataType::String()},
                         {"format", DataType::Struct({{"provider", DataType::String()}, {"options", TextMap()}})},
                         {"schemaString", DataType::String()},
                         {"partitionColumns", TextList()},
                         {"configuration", TextMap()},
                         {"createdTime", DataType::Long()}})},
      {"protocol", DataType::Struct({{"minReaderVersion", DataType::Integer()},
                                     {"minWriterVersion", DataType::Integer()},
                                     {"readerFeatures", TextList()},
                                     {"writerFeatures", TextList()}})},
      {"domainMetadata",
       DataType::Struct(
           {{"domain", DataType::String()}, {"configuration", DataType::String()}, {"removed", DataType::Boolean()}})},
      {"sidecar", DataType::Struct({{"path", DataType::String()},
                                    {"sizeInBytes", DataType::Long()},
                                    {"modificationTime", DataType::Long()},
                                    {"tags", TextMap()}})},
  });
  return schema;
}

namespace {

/// Reads the statistics that a checkpoint has as columns alone, of files that have come without.
Status ReadParsedStatistics(const TableContext& context, const ColumnarFiles& files,
                            const std::vector<std::string>& paths, SnapshotBuilder* builder) {
  const Snapshot& state = builder->snapshot();
  if (state.metadata == nullptr) return {};
  bool is_missing = false;
  state.files.ForEach(
      [&](const FileActionPtr& file) { is_missing = is_missing || (!file->is_removed && file->stats.empty()); });
  if (!is_missing) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto schema, ParseSchema(state.metadata->schema_string));
  FRAZIL_ASSIGN_OR_RETURN(const ColumnMapping mapping, ColumnMappingOf(*state.metadata));
  const DataTypePtr statistics = ParsedStatisticsType(*schema, mapping);
  std::vector<StructField> fields;
  for (const auto& field : CheckpointSchema()->fields()) {
    if (field.name == "add") fields = field.type->fields();
  }
  fields.emplace_back("stats_parsed", statistics);
  const DataTypePtr wanted = DataType::Struct({{"add", DataType::Struct(std::move(fields))}});
  const auto take = [&](const ArrowBatch& batch) -> Status {
    const ArrowColumn add = ArrowColumn::OfBatch(batch, *wanted).Field("add");
    const ArrowColumn parsed = add.Field("stats_parsed");
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (add.IsNull(row) || add.Field("path").IsNull(row)) continue;
      FileAction file = FileOf(add, row, false);
      if (!file.stats.empty()) continue;
      file.stats = ParsedStatisticsText(parsed, *statistics, row);
      if (file.stats.empty()) continue;
      file.record_count = RecordCountOf(file.stats);
      builder->Apply(std::move(file));
    }
    return {};
  };
  for (const auto& path : paths) FRAZIL_RETURN_IF_ERROR(files.Read(context, path, wanted, take));
  return {};
}

}  // namespace

Status ReadCheckpoint(const TableContext& context, const ColumnarFiles& files, const std::string& log,
                      const CheckpointFiles& checkpoint, SnapshotBuilder* builder) {
  std::vector<Sidecar> sidecars;
  std::vector<std::string> read;
  const auto play = [&](const ArrowBatch& batch) { return PlayBatch(batch, &sidecars, builder); };
  for (const auto& path : checkpoint.paths) {
    if (!path.ends_with(".json")) {
      FRAZIL_RETURN_IF_ERROR(files.Read(context, path, CheckpointSchema(), play));
      read.push_back(path);
      continue;
    }
    FRAZIL_ASSIGN_OR_RETURN(std::string text, context.store->Read(path));
    FRAZIL_ASSIGN_OR_RETURN(auto actions, ParseCommit(text, path));
    for (auto& action : actions) {
      if (auto* sidecar = std::get_if<Sidecar>(&action)) {
        sidecars.push_back(*sidecar);
      } else {
        builder->Apply(std::move(action));
      }
    }
  }
  const std::vector<Sidecar> named = std::move(sidecars);
  sidecars.clear();
  for (const auto& sidecar : named) {
    bool is_absolute = !storage::SchemeOf(sidecar.path).empty();
    std::string path =
        is_absolute ? sidecar.path : storage::JoinPath(storage::JoinPath(log, "_sidecars"), sidecar.path);
    FRAZIL_RETURN_IF_ERROR(files.Read(context, path, CheckpointSchema(), play));
    read.push_back(path);
  }
  Status statistics = ReadParsedStatistics(context, files, read, builder);
  // Without statistics every file is read, and no row is missed.
  if (!statistics.ok())
    Log(LogLevel::kWarn, "The statistics of a checkpoint cannot be read",
        {{"path", checkpoint.paths[0]}, {"error", statistics.error().message}});
  return {};
}

std::optional<int64_t> IntervalMillis(const std::string& text) {
  std::string trimmed(TrimBlanks(text));
  if (trimmed.size() > 9 && EqualsIgnoreCase(trimmed.substr(0, 9), "interval ")) trimmed = trimmed.substr(9);
  // Pairs of a number and a unit.
  int64_t millis = 0;
  auto words = Split(trimmed, ' ');
  std::erase(words, "");
  if (words.empty() || words.size() % 2 != 0) return std::nullopt;
  for (size_t i = 0; i < words.size(); i += 2) {
    const auto number = ParseInteger<int64_t>(words[i]);
    if (!number) return std::nullopt;
    std::string unit = AsciiLower(words[i + 1]);
    if (unit.ends_with('s')) unit.pop_back();
    static const std::map<std::string, int64_t> units = {{"week", 604800000}, {"day", 86400000}, {"hour", 3600000},
                                                         {"minute", 60000},   {"second", 1000},  {"millisecond", 1}};
    auto found = units.find(unit);
    if (found == units.end()) return std::nullopt;
    if (*number > INT64_MAX / found->second || *number < 0) return std::nullopt;
    millis += *number * found->second;
  }
  return millis;
}

Status WriteCheckpoint(const TableContext& context, const ColumnarFiles& files, const std::string& log,
                       const Snapshot& snapshot, int64_t now_ms) {
  constexpr int64_t kWeek = 604800000;
  const std::string* retention = snapshot.metadata->Property("delta.deletedFileRetentionDuration");
  int64_t oldest_tombstone = now_ms - (retention != nullptr ? IntervalMillis(*retention).value_or(kWeek) : kWeek);
  constexpr int64_t kBatchRows = 16384;  // Texts of a batch have 32-bit offsets.
  auto table = std::make_shared<ArrowTable>();
  table->schema = CheckpointSchema();
  int64_t actions = 0;
  CheckpointBuilder builder;
  const auto end_batch = [&] {
    actions += builder.length();
    table->batches.push_back(builder.Finish());
    builder = CheckpointBuilder();
  };
  builder.Add(snapshot.protocol);
  builder.Add(*snapshot.metadata);
  for (const auto& [app, transaction] : snapshot.transactions) builder.Add(transaction);
  for (const auto& [name, domain] : snapshot.domains) builder.Add(domain);
  int64_t added = 0;
  for (const auto& file : snapshot.LiveFiles()) {
    builder.Add(*file);
    ++added;
    if (builder.length() >= kBatchRows) end_batch();
  }
  snapshot.files.ForEach([&](const FileActionPtr& file) {
    if (!file->is_removed || file->deletion_timestamp.value_or(0) <= oldest_tombstone) return;
    builder.Add(*file);
    if (builder.length() >= kBatchRows) end_batch();
  });
  if (builder.length() > 0) end_batch();

  FRAZIL_ASSIGN_OR_RETURN(std::string written, files.Write(context, log, ".checkpoint-" + RandomUuidText(), table));
  std::string path = CommitPath(log, snapshot.version);
  path.replace(path.size() - 5, 5, ".checkpoint.parquet");
  Status synced = context.store->Sync(written);
  if (synced.ok()) synced = context.store->Rename(written, path);
  if (!synced.ok()) {
    FRAZIL_RETURN_IF_ERROR(context.store->Delete(written));
    return synced;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto info, context.store->Stat(path));
  return context.store->WriteHint(
      storage::JoinPath(log, "_last_checkpoint"),
      "{\"version\":" + std::to_string(snapshot.version) + ",\"size\":" + std::to_string(actions) +
          ",\"sizeInBytes\":" + std::to_string(info.size) + ",\"numOfAddFiles\":" + std::to_string(added) + "}");
}

}  // namespace frazil::tables::delta
