#include "frazil/tables/delta/delta_write.h"

#include <algorithm>
#include <set>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/codec/deletion_vector.h"
#include "frazil/tables/delta/clustering.h"
#include "frazil/tables/delta/column_mapping.h"
#include "frazil/tables/delta/deletion_vectors.h"
#include "frazil/tables/delta/delta_scan.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/file_statistics.h"
#include "frazil/tables/delta/generated_columns.h"
#include "frazil/tables/delta/iceberg_compat.h"
#include "frazil/tables/delta/new_metadata.h"
#include "frazil/tables/delta/partition_values.h"
#include "frazil/tables/delta/paths.h"
#include "frazil/tables/delta/row_tracking.h"
#include "frazil/tables/partition_folder.h"

namespace frazil::tables::delta {
namespace {

int64_t IntegerProperty(const Metadata& metadata, std::string_view key, int64_t otherwise) {
  const std::string* text = metadata.Property(key);
  return text != nullptr ? ParseInteger<int64_t>(*text).value_or(otherwise) : otherwise;
}

/// The entry of a write's summary that names the identity columns whose values the table gives, one a line.
constexpr const char* kIdentityColumns = "identityColumns";

/// The texts of a file's partition, by which files of one partition are told.
std::string PartitionKey(const PartitionTexts& partition) {
  PartitionTexts sorted = partition;
  std::sort(sorted.begin(), sorted.end());
  std::string key;
  for (const auto& [name, value] : sorted) key += name + "\n" + (value ? "=" + *value : "") + "\n\n";
  return key;
}

const std::string* FindOption(const WriteOptions& options, const std::string& key) {
  auto found = options.options.find(key);
  return found == options.options.end() ? nullptr : &found->second;
}

}  // namespace

Result<std::unique_ptr<DeltaWrite>> DeltaWrite::Start(CommitTarget target, SnapshotPtr snapshot, Metadata metadata,
                                                      Protocol protocol, std::shared_ptr<const StagedCreation> staged,
                                                      const WriteOptions& options, bool with_change_rows) {
  FRAZIL_RETURN_IF_ERROR(CheckNotPinned(target));
  std::unique_ptr<DeltaWrite> write(new DeltaWrite());
  write->target_ = std::move(target);
  write->snapshot_ = std::move(snapshot);
  write->metadata_ = std::move(metadata);
  write->protocol_ = std::move(protocol);
  write->staged_ = std::move(staged);
  write->options_ = options;
  write->row_figures_.started_micros = write->row_figures_.found_micros = NowMicros();
  write->changes_metadata_ = write->staged_ != nullptr;
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(write->metadata_));
  if (options.schema != nullptr) {
    // Columns that were there are the same ones, unless all rows go and they have another type now.
    FRAZIL_ASSIGN_OR_RETURN(auto former, ParseSchema(write->metadata_.schema_string));
    const bool overwrites = options.partition_columns.has_value();
    FRAZIL_ASSIGN_OR_RETURN(auto evolved,
                            WithColumnMapping(WithNotesOf(options.schema, *former, overwrites), &write->metadata_));
    FRAZIL_ASSIGN_OR_RETURN(write->metadata_.schema_string, SchemaString(evolved, mapping != ColumnMapping::kNone));
    if (options.partition_columns) write->metadata_.partition_columns = *options.partition_columns;
    write->changes_metadata_ = true;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto schema, ParseSchema(write->metadata_.schema_string));
  if (options.schema != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(write->protocol_, RequiredProtocol(write->protocol_, &write->metadata_, *schema));
  }
  bool keeps_changes = write->metadata_.IsTrue("delta.enableChangeDataFeed");
  if (options.mode == WriteMode::kRewriteFiles && options.operation != "rewrite" && keeps_changes &&
      !with_change_rows) {
    return Error::Unsupported("replacing a part of the rows of files of Delta tables with delta.enableChangeDataFeed");
  }
  FRAZIL_RETURN_IF_ERROR(CheckWrite(write->protocol_, write->metadata_, *schema, write->target_.context.name));
  FRAZIL_RETURN_IF_ERROR(CheckIcebergCompat(write->snapshot_.get(), write->protocol_, write->metadata_, *schema, {}));
  FRAZIL_RETURN_IF_ERROR(write->PrepareTask(schema));
  if (keeps_changes && with_change_rows) {
    // PROTOCOL.md, "Add CDC File": files below _change_data, with the kind of each row.
    WriteTask task = write->task_;
    task.location = storage::JoinPath(task.location, "_change_data");
    task.file_name_prefix = "cdc-" + RandomUuidText();
    ScanColumn kind;
    kind.name = kChangeTypeColumn;
    kind.type = DataType::String();
    task.columns.push_back(std::move(kind));
    if (!task.write_field_ids) NumberLeaves(&task.columns);
    write->change_task_ = std::move(task);
  }
  if (options.mode == WriteMode::kRewriteFiles) FRAZIL_RETURN_IF_ERROR(write->AddLineageColumns());
  return write;
}

DeltaWrite::~DeltaWrite() {
  if (!ended_) Abort();
}

Status DeltaWrite::PrepareTask(const DataTypePtr& schema) {
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata_));
  task_.location = target_.log->table();
  task_.columns = ToWrittenColumns(schema, mapping);
  // Mapped columns have ids of their own, which files must have too (PROTOCOL.md, "Writer Requirements for Column
  // Mapping").
  task_.write_field_ids = mapping != ColumnMapping::kNone;
  if (!task_.write_field_ids) NumberLeaves(&task_.columns);
  task_.drop_partition_columns = !WritesPartitionColumns(protocol_, metadata_);
  if (!task_.drop_partition_columns) task_.format_options[kPartitionColumnsLast] = "true";
  FRAZIL_ASSIGN_OR_RETURN(auto partitions, PartitionIndexes(metadata_, *schema));
  for (size_t index : partitions) {
    PartitionField field;
    field.name = task_.columns[index].name;
    field.source = {field.name};
    field.result_type = task_.columns[index].type;
    partition_types_.push_back(field.result_type);
    task_.partitions.push_back(std::move(field));
  }
  task_.file_name_prefix = "part-" + RandomUuidText();
  if (options_.sort) task_.sort = *options_.sort;
  const std::string* codec = FindOption(options_, "compression");
  if (codec == nullptr) codec = metadata_.Property("delta.parquet.compression.codec");
  const auto& settings = target_.context.settings;
  const auto of_session = settings != nullptr ? settings("spark.sql.parquet.compression.codec") : std::nullopt;
  task_.compression = AsciiLower(codec != nullptr ? *codec : of_session.value_or("snappy"));
  if (const auto* limit = FindOption(options_, "maxrecordsperfile")) task_.format_options["maxrecordsperfile"] = *limit;
  return {};
}

Status DeltaWrite::AddLineageColumns() {
  FRAZIL_ASSIGN_OR_RETURN(auto columns, RowTrackingColumns(metadata_));
  for (auto& column : columns) {
    lineage_columns_.push_back(column.name);
    task_.columns.push_back(std::move(column));
  }
  return {};
}

void DeltaWrite::AddFiles(std::vector<WrittenFile> files) {
  added_.insert(added_.end(), std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()));
}

void DeltaWrite::AddChangeFiles(std::vector<WrittenFile> files) {
  change_files_.insert(change_files_.end(), std::make_move_iterator(files.begin()),
                       std::make_move_iterator(files.end()));
}

void DeltaWrite::DeleteRows(const std::string& path, std::vector<int64_t> positions) {
  auto& deleted = deleted_rows_[storage::LocalPath(path)];
  deleted.insert(deleted.end(), positions.begin(), positions.end());
}

PartitionTexts DeltaWrite::PartitionOf(const WrittenFile& file) const {
  PartitionTexts partition;
  for (size_t i = 0; i < task_.partitions.size(); ++i) {
    partition.emplace_back(task_.partitions[i].name, WritePartitionValue(*partition_types_[i], file.partition[i]));
  }
  return partition;
}

Status DeltaWrite::MarkDeletedRows(int64_t now_ms, std::vector<FileAction>* actions) {
  if (deleted_rows_.empty()) return {};
  const std::string& table = target_.log->table();
  const Uuid uuid = Uuid::Random();
  std::string vectors(1, '\x01');  // The version of the file's format.
  size_t found = 0;
  for (const auto& file : snapshot_->LiveFiles()) {
    auto deleted = deleted_rows_.find(storage::LocalPath(FilePathOf(table, file->path)));
    if (deleted == deleted_rows_.end()) continue;
    ++found;
    std::vector<int64_t> positions = deleted->second;
    if (file->deletion_vector) {
      FRAZIL_ASSIGN_OR_RETURN(auto former, ReadDeletionVector(*target_.context.store, table, *file->deletion_vector));
      positions.insert(positions.end(), former->begin(), former->end());
    }
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    actions->push_back(file->Removed(now_ms, true));
    if (static_cast<int64_t>(positions.size()) == file->record_count) continue;
    FileAction marked = *file;
    marked.data_change = true;
    marked.modification_time = now_ms;
    std::string blob = codec::WriteDeletionVector(positions);
    DeletionVectorDescriptor descriptor;
    descriptor.storage_type = "u";
    descriptor.path_or_inline =
        EncodeBase85(std::string_view(reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size()));
    descriptor.offset = static_cast<int32_t>(vectors.size());
    descriptor.size_in_bytes =
        static_cast<int32_t>(blob.size() - 8);  // Without the size in front and the checksum behind.
    descriptor.cardinality = static_cast<int64_t>(positions.size());
    vectors += blob;
    marked.deletion_vector = std::move(descriptor);
    marked.stats = WithWideBounds(file->stats);
    actions->push_back(std::move(marked));
  }
  if (found != deleted_rows_.size())
    return Error::Internal("a statement deletes rows of files that its table does not have");
  if (vectors.size() == 1) return {};
  vector_file_ = storage::JoinPath(table, "deletion_vector_" + uuid.ToString() + ".bin");
  return target_.context.store->WriteNew(*vector_file_, vectors);
}

void DeltaWrite::RemoveFiles(std::vector<std::string> paths) {
  removed_paths_.insert(removed_paths_.end(), std::make_move_iterator(paths.begin()),
                        std::make_move_iterator(paths.end()));
}

std::vector<FileAction> DeltaWrite::AddedFiles(int64_t now_ms) const {
  // The log has no statistics of what the schema does not name.
  std::vector<std::string> left_out = lineage_columns_;
  for (const auto& field : task_.partitions) left_out.push_back(field.name);
  int64_t indexed = IntegerProperty(metadata_, "delta.dataSkippingNumIndexedCols", 32);
  std::vector<FileAction> actions;
  std::optional<StringMap> tags;
  if (options_.summary.contains("clusterBy")) {
    std::vector<std::string> columns;
    for (const auto& column : ClusteringColumnsOf(*snapshot_)) columns.push_back(Join(column, "."));
    tags = CubeTags(columns);
  }
  for (const auto& file : added_) {
    FileAction action;
    action.path = LogPathOf(target_.log->table(), file.path);
    action.partition = PartitionOf(file);
    action.size = file.size;
    action.modification_time = now_ms;
    action.data_change = options_.operation != "rewrite";
    action.stats = StatisticsText(file, task_.columns, left_out, indexed);
    action.record_count = file.record_count;
    if (tags) {
      action.tags = tags;
      action.clustering_provider = "liquid";
    }
    actions.push_back(std::move(action));
  }
  return actions;
}

Status DeltaWrite::TakeFiles(int64_t now_ms, Change* change) const {
  if (staged_ == nullptr) return {};
  if (staged_->cloned != nullptr) {
    for (const auto& file : staged_->cloned->LiveFiles()) {
      FileAction taken = *file;
      taken.path = AbsoluteLogPathOf(staged_->cloned_location, file->path);
      taken.modification_time = now_ms;
      taken.data_change = true;
      taken.bounds = nullptr;
      if (taken.deletion_vector && taken.deletion_vector->storage_type == "u") {
        FRAZIL_ASSIGN_OR_RETURN(auto path, DeletionVectorPath(staged_->cloned_location, *taken.deletion_vector));
        taken.deletion_vector->storage_type = "p";
        taken.deletion_vector->path_or_inline = UriOf(path);
      }
      change->files.push_back(std::move(taken));
    }
  }
  for (const auto& file : staged_->definition.adopted_files) {
    FileAction taken;
    taken.path = LogPathOf(target_.log->table(), file.path);
    taken.partition = PartitionOf(file);
    taken.size = file.size;
    taken.modification_time = now_ms;
    taken.stats = "{\"numRecords\":" + std::to_string(file.record_count) + "}";
    taken.record_count = file.record_count;
    change->files.push_back(std::move(taken));
  }
  return {};
}

Status DeltaWrite::AddDomains(Change* change) const {
  if (staged_ == nullptr) return {};
  if (staged_->cloned != nullptr) {
    auto domain = staged_->cloned->domains.find(kClusteringDomain);
    if (domain != staged_->cloned->domains.end()) change->domains.push_back(domain->second);
    return {};
  }
  const auto& columns = staged_->definition.clustering_columns;
  const bool was_clustered = snapshot_ != nullptr && snapshot_->domains.contains(kClusteringDomain);
  if (columns.empty() && !was_clustered) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto schema, ParseSchema(metadata_.schema_string));
  FRAZIL_ASSIGN_OR_RETURN(auto domain, ClusteringDomainOf(columns, metadata_, *schema));
  domain.removed = columns.empty();
  change->domains.push_back(std::move(domain));
  return {};
}

Status DeltaWrite::NoteIdentities() {
  auto given = options_.summary.find(kIdentityColumns);
  if (given == options_.summary.end()) return {};
  const auto names = Split(given->second, '\n');
  FRAZIL_ASSIGN_OR_RETURN(auto schema, ParseSchema(metadata_.schema_string));
  std::map<std::string, int64_t> last;
  for (const auto& column : GeneratedColumnsOf(*schema)) {
    if (!column.is_identity || std::find(names.begin(), names.end(), column.name) == names.end()) continue;
    const auto& written = task_.columns[static_cast<size_t>(schema->FieldIndex(column.name))];
    std::optional<int64_t> most = column.last;
    for (const auto& file : added_) {
      auto statistics = file.columns.find(written.field_id);
      if (statistics == file.columns.end())
        return Error::Internal("no statistics of the identity column " + column.name);
      const auto& bound = column.step > 0 ? statistics->second.upper : statistics->second.lower;
      if (!bound) continue;
      const int64_t value = bound->integer();
      if (!most || (column.step > 0 ? value > *most : value < *most)) most = value;
    }
    if (most) last[column.name] = *most;
  }
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata_));
  FRAZIL_ASSIGN_OR_RETURN(metadata_.schema_string,
                          SchemaString(WithLastValues(schema, last), mapping != ColumnMapping::kNone));
  changes_metadata_ = true;
  return {};
}

Result<std::vector<FileAction>> DeltaWrite::ReplacedFiles(const std::vector<FileAction>& added, int64_t now_ms) const {
  std::vector<FileAction> removed;
  if (snapshot_ == nullptr) return removed;
  const auto live = snapshot_->LiveFiles();
  const auto remove = [&](const FileActionPtr& file) {
    removed.push_back(file->Removed(now_ms, options_.operation != "rewrite"));
  };
  switch (options_.mode) {
    case WriteMode::kAppend:
      break;
    case WriteMode::kReplaceTable:
      for (const auto& file : live) remove(file);
      break;
    case WriteMode::kOverwriteByFilter: {
      FRAZIL_ASSIGN_OR_RETURN(auto pruner, FilePruner::Make(*snapshot_, target_.context));
      const PredicatePtr filter = options_.filter != nullptr ? options_.filter : Predicate::True();
      for (const auto& file : live) {
        FRAZIL_ASSIGN_OR_RETURN(auto partition, pruner.PartitionValues(*file));
        if (!pruner.MayMatch(*filter, *file, partition)) continue;
        if (!pruner.MustMatch(*filter, partition)) {
          return Error::Unsupported("overwriting a part of the rows of a file of a Delta table, by the condition " +
                                    (options_.filter_text.empty() ? filter->ToString() : options_.filter_text));
        }
        remove(file);
      }
      break;
    }
    case WriteMode::kOverwriteDynamic: {
      std::set<std::string> partitions;
      for (const auto& file : added) partitions.insert(PartitionKey(file.partition));
      for (const auto& file : live) {
        if (partitions.contains(PartitionKey(file->partition))) remove(file);
      }
      break;
    }
    case WriteMode::kRewriteFiles: {
      std::set<std::string> paths;
      for (const auto& path : removed_paths_) paths.insert(storage::LocalPath(path));
      for (const auto& file : live) {
        if (paths.contains(storage::LocalPath(FilePathOf(target_.log->table(), file->path)))) remove(file);
      }
      if (removed.size() != paths.size())
        return Error::Internal("a statement rewrites files that its table does not have");
      break;
    }
  }
  return removed;
}

Result<CommitOutcome> DeltaWrite::Commit() {
  int64_t now_ms = NowMicros() / 1000;
  Change change;
  change.base = snapshot_;
  change.files = AddedFiles(now_ms);
  auto removed = ReplacedFiles(change.files, now_ms);
  if (!removed.ok()) {
    Abort();
    return std::move(removed).error();
  }
  change.files.insert(change.files.end(), std::make_move_iterator(removed->begin()),
                      std::make_move_iterator(removed->end()));
  for (Status done :
       {TakeFiles(now_ms, &change), AddDomains(&change), NoteIdentities(), MarkDeletedRows(now_ms, &change.files)}) {
    if (done.ok()) continue;
    Abort();
    return std::move(done).error();
  }
  for (const auto& file : change_files_) {
    change.change_files.push_back({LogPathOf(target_.log->table(), file.path), PartitionOf(file), file.size});
  }
  change.changes_data = options_.operation != "rewrite";
  switch (options_.mode) {
    case WriteMode::kAppend:
      break;
    case WriteMode::kOverwriteByFilter:
    case WriteMode::kRewriteFiles:
      change.read_filter = options_.filter != nullptr ? options_.filter : Predicate::True();
      break;
    case WriteMode::kOverwriteDynamic:
    case WriteMode::kReplaceTable:
      change.read_filter = Predicate::True();
      break;
  }
  if (reads_table_) change.read_filter = Predicate::True();
  if (!change.changes_data) change.read_filter = nullptr;
  if (changes_metadata_) {
    if (snapshot_ == nullptr || metadata_ != *snapshot_->metadata) change.metadata = metadata_;
    if (snapshot_ == nullptr || !(protocol_ == snapshot_->protocol)) change.protocol = protocol_;
  }
  // Writes that were done before are not done again (idempotent writes).
  const std::string* app = FindOption(options_, "txnappid");
  const std::string* app_version = FindOption(options_, "txnversion");
  if (app != nullptr && app_version != nullptr) {
    const auto version = ParseInteger<int64_t>(*app_version);
    if (!version || *version < 0) {
      Abort();
      return Error::Plain(
          ExceptionClass::kIllegalArgument,
          "Invalid value '" + *app_version + "' for option 'txnVersion', must be a non-negative integer");
    }
    if (snapshot_ != nullptr) {
      auto known = snapshot_->transactions.find(*app);
      if (known != snapshot_->transactions.end() && known->second.version >= *version) {
        Abort();
        return CommitOutcome{};
      }
    }
    change.transactions.push_back({*app, *version, now_ms});
  }
  bool nothing = change.files.empty() && change.domains.empty() && !change.metadata && !change.protocol &&
                 change.transactions.empty();
  if (nothing && (options_.mode == WriteMode::kRewriteFiles || options_.operation == "delete")) {
    ended_ = true;
    return CommitOutcome{};
  }
  Describe(&change);
  // Before the log names a file, the file must be safe.
  std::vector<WrittenFile> written = added_;
  written.insert(written.end(), change_files_.begin(), change_files_.end());
  for (const auto& file : written) {
    Status synced = target_.context.store->Sync(file.path);
    if (!synced.ok()) {
      Abort();
      return std::move(synced).error();
    }
  }
  auto committed = CommitChange(target_, std::move(change));
  if (!committed.ok()) {
    // Files whose commit may have come through stay.
    if (committed.error().kind == ErrorKind::kUnknownCommit) {
      ended_ = true;
    } else {
      Abort();
    }
    return std::move(committed).error();
  }
  ended_ = true;
  CommitOutcome outcome;
  if (*committed != nullptr) outcome.snapshot_id = (*committed)->version;
  return outcome;
}

void DeltaWrite::DeleteAddedFiles() {
  std::vector<std::string> paths;
  for (const auto& file : added_) paths.push_back(file.path);
  for (const auto& file : change_files_) paths.push_back(file.path);
  if (vector_file_) paths.push_back(*vector_file_);
  for (const auto& path : paths) {
    Status deleted = target_.context.store->Delete(path);
    if (!deleted.ok())
      Log(LogLevel::kWarn, "A file could not be deleted", {{"path", path}, {"error", deleted.error().message}});
  }
  added_.clear();
  change_files_.clear();
}

void DeltaWrite::Abort() {
  if (ended_) return;
  ended_ = true;
  DeleteAddedFiles();
}

}  // namespace frazil::tables::delta
