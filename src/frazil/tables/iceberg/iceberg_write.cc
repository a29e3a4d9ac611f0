#include "frazil/tables/iceberg/iceberg_write.h"

#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/iceberg/data_file_format.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/metrics_config.h"
#include "frazil/tables/iceberg/spark_schema.h"
#include "frazil/tables/iceberg/write_audit_publish.h"
#include "frazil/tables/row_lineage.h"

namespace frazil::tables::iceberg {
namespace {

constexpr char kSnapshotPropertyPrefix[] = "snapshot-property.";

int64_t NumberOf(const std::optional<std::string>& text, int64_t otherwise) {
  return text ? ParseInteger<int64_t>(*text).value_or(otherwise) : otherwise;
}

Result<FileFormat> FormatOf(const std::string& name) {
  auto format = ParseFileFormat(AsciiUpper(name));
  if (!format.ok()) return IllegalArgument("Invalid file format: " + name);
  return format;
}

/// Spark's types are wider than these: files would hold them as texts and bytes of any length, which other readers
/// refuse.
bool IsUnwritable(const Type& type) { return type.kind == TypeKind::kUuid || type.kind == TypeKind::kFixed; }

Status CheckWritable(const std::vector<NestedField>& fields) {
  for (const auto& field : fields) {
    if (IsUnwritable(*field.type))
      return Error::Unsupported("writing columns of Iceberg's type " + TypeText(*field.type));
    FRAZIL_RETURN_IF_ERROR(CheckWritable(field.type->fields));
  }
  return {};
}

/// The columns that a write is given. Those of types that cannot be written are left to be NULL: as columns of no type
/// they stay out of the files.
Result<std::vector<ScanColumn>> ColumnsToWrite(const Schema& schema, const PartitionSpec& spec) {
  FRAZIL_ASSIGN_OR_RETURN(auto columns, ToScanColumns(schema.fields()));
  for (size_t i = 0; i < columns.size(); ++i) {
    const NestedField& field = schema.fields()[i];
    const bool places_rows = std::any_of(spec.fields.begin(), spec.fields.end(),
                                         [&](const SpecField& part) { return part.source_id == field.id; });
    if (IsUnwritable(*field.type) && !places_rows && !field.required) {
      columns[i].type = DataType::Null();
    } else {
      FRAZIL_RETURN_IF_ERROR(CheckWritable({field}));
    }
  }
  return columns;
}

/// The same rows in other files.
bool IsCompaction(const WriteOptions& options) {
  return options.mode == WriteMode::kRewriteFiles && options.operation == "rewrite";
}

/// The order of the rows; of one that the table does not know the id is 0, as if they had none.
Result<SortOrder> OrderOfRows(const TableMetadata& metadata, const WriteOptions& options) {
  if (!options.sort) return metadata.sort_order();
  FRAZIL_ASSIGN_OR_RETURN(SortOrder order, BuildSortOrder(*metadata.schema(), *options.sort));
  order.order_id = 0;
  for (const auto& known : metadata.sort_orders) {
    if (SameSortOrder(known, order)) order.order_id = known.order_id;
  }
  return order;
}

/// A property of data files that is a number.
struct NumberProperty {
  const char* key;
  const char* subject;  ///< Of Iceberg's message that it must be positive; null: it may be any number.
};
constexpr NumberProperty kNumberProperties[] = {
    {"write.target-file-size-bytes", nullptr},
    {"write.parquet.row-group-size-bytes", "Row group size"},
    {"write.parquet.page-size-bytes", "Page size"},
    {"write.parquet.page-row-limit", "Page row count limit"},
    {"write.parquet.dict-size-bytes", "Dictionary page size"},
    {"write.parquet.compression-level", nullptr},
    {"write.parquet.bloom-filter-max-bytes", "bloom Filter Max Bytes"},
    {"write.parquet.row-group-check-min-record-count", "Row group check minimal record count"},
    {"write.parquet.row-group-check-max-record-count", "Row group check maximum record count"},
    {"write.orc.stripe-size-bytes", "Stripe size"},
    {"write.orc.block-size-bytes", "Block size"},
    {"write.orc.vectorized.batch-size", "VectorizedRow batch size"},
    {"write.avro.compression-level", nullptr},
};

/// Properties and options that are numbers, or one of few words.
Status CheckWriteProperties(const TableMetadata& metadata, const WriteOptions& options) {
  const auto number = [](const std::string& text) -> Status {
    if (ParseInteger<int64_t>(text)) return {};
    return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + text + "\"");
  };
  for (const auto& [key, subject] : kNumberProperties) {
    auto own = metadata.properties.find(key);
    if (own == metadata.properties.end()) continue;
    FRAZIL_RETURN_IF_ERROR(number(own->second));
    if (subject != nullptr && ParseInteger<int64_t>(own->second) <= 0)
      return IllegalArgument(std::string(subject) + " must be > 0");
  }
  // They would have chosen what is written to, or read.
  constexpr std::pair<const char*, const char*> kTimeTravel[] = {
      {"snapshot-id", "versionAsOf"}, {"as-of-timestamp", "timestampAsOf"}, {"tag", "versionAsOf"}};
  for (const auto& [key, instead] : kTimeTravel) {
    if (!options.options.contains(key)) continue;
    return IllegalArgument(std::string("Time travel option `") + key +
                           "` is no longer supported, use Spark built-in `" + instead + "` instead");
  }
  const std::string page_version = metadata.Property("write.parquet.page-version", "v1");
  if (page_version != "v1" && page_version != "v2")
    return IllegalArgument("Unsupported Parquet page version: " + page_version + " (must be v1 or v2)");
  for (const char* key : {"target-file-size-bytes", "compression-level"}) {
    if (auto own = WriteOption(options, key)) FRAZIL_RETURN_IF_ERROR(number(*own));
  }
  // How rows are spread over files: one writer does it for all of these.
  for (const char* key : {"write.distribution-mode", "write.delete.distribution-mode", "write.update.distribution-mode",
                          "write.merge.distribution-mode"}) {
    auto own = metadata.properties.find(key);
    if (own == metadata.properties.end()) continue;
    const std::string mode = AsciiLower(own->second);
    if (mode != "none" && mode != "hash" && mode != "range")
      return IllegalArgument("Invalid distribution mode: " + own->second);
  }
  for (const char* operation : {"delete", "update", "merge"}) {
    const std::string mode =
        AsciiLower(metadata.Property("write." + std::string(operation) + ".mode", "copy-on-write"));
    if (options.operation == operation && mode != "copy-on-write" && mode != "merge-on-read")
      return IllegalArgument("Unknown row-level operation mode: " + mode);
  }
  if (metadata.properties.count("write.location-provider.impl") != 0)
    return Error::Unsupported("the table property write.location-provider.impl (a Java class)");
  return {};
}

Result<WriteTask> MakeTask(const TableMetadata& metadata, const PartitionSpec& spec, const SortOrder& order,
                           const WriteOptions& options) {
  FRAZIL_RETURN_IF_ERROR(CheckWriteProperties(metadata, options));
  WriteTask task;
  task.location = TableOperations::DataLocation(metadata);
  FRAZIL_ASSIGN_OR_RETURN(
      task.format,
      FormatOf(WriteOption(options, "write-format").value_or(metadata.Property("write.format.default", "parquet"))));
  FRAZIL_ASSIGN_OR_RETURN(task.columns, ColumnsToWrite(*metadata.schema(), spec));
  FRAZIL_ASSIGN_OR_RETURN(task.partitions, ToPartitionFields(spec, *metadata.schema()));
  if (options.mode == WriteMode::kRewriteFiles && metadata.format_version >= 3) {
    for (const LineageColumn& lineage : {kRowIdColumn, kLastUpdatedColumn}) {
      ScanColumn column;
      column.name = lineage.name;
      column.type = DataType::Long();
      column.field_id = lineage.field_id;
      task.columns.push_back(std::move(column));
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(task.sort, ToSortFields(order, *metadata.schema()));
  task.file_name_prefix = "00000-0-" + RandomUuidText();
  FRAZIL_ASSIGN_OR_RETURN(const std::string manifest_name, FileFormatName(task.format));
  const std::string prefix = "write." + AsciiLower(manifest_name) + ".";
  task.compression =
      AsciiLower(WriteOption(options, "compression-codec")
                     .value_or(metadata.Property(prefix + "compression-codec", DefaultCodec(task.format))));
  task.target_file_size = NumberOf(WriteOption(options, "target-file-size-bytes"),
                                   metadata.PropertyAsLong("write.target-file-size-bytes", 512LL * 1024 * 1024));
  task.row_group_size = metadata.PropertyAsLong("write.parquet.row-group-size-bytes", 128LL * 1024 * 1024);
  for (const auto& [key, value] : metadata.properties) {
    if (key.starts_with(prefix)) task.format_options[key] = value;
  }
  if (const auto level = WriteOption(options, "compression-level"))
    task.format_options[prefix + "compression-level"] = *level;
  for (const char* key : {"write.object-storage.enabled", "write.object-storage.partitioned-paths"}) {
    auto own = metadata.properties.find(key);
    if (own != metadata.properties.end()) task.format_options[key] = own->second;
  }
  return task;
}

/// A MERGE that only inserts rows: it has seen that nothing matches them.
bool InsertsUnmatched(const WriteOptions& options) {
  return options.mode == WriteMode::kAppend && options.operation == "merge";
}

std::string IsolationLevel(const TableMetadata& metadata, const WriteOptions& options) {
  if (auto own = WriteOption(options, "isolation-level")) return AsciiLower(*own);
  // Compaction minds deletes of the rows that it moves, not rows that others add.
  if (IsCompaction(options)) return "snapshot";
  if (options.mode != WriteMode::kRewriteFiles && !InsertsUnmatched(options)) return {};
  std::string operation = options.operation == "update" || options.operation == "merge" ? options.operation : "delete";
  return AsciiLower(metadata.Property("write." + operation + ".isolation-level", "serializable"));
}

}  // namespace

std::optional<std::string> WriteOption(const WriteOptions& options, const std::string& key) {
  auto found = options.options.find(key);
  return found == options.options.end() ? std::nullopt : std::optional<std::string>(found->second);
}

bool NamesBranch(const WriteOptions& options) {
  return !options.branch.empty() || WriteOption(options, "branch").has_value();
}

void ApplyCommonOptions(const WriteOptions& options, SnapshotChange* change) {
  std::string branch = options.branch.empty() ? WriteOption(options, "branch").value_or("") : options.branch;
  if (!branch.empty()) change->branch = std::move(branch);
  for (const auto& [key, value] : options.options) {
    if (key.starts_with(kSnapshotPropertyPrefix))
      change->summary[key.substr(sizeof(kSnapshotPropertyPrefix) - 1)] = value;
  }
  for (const auto& [key, value] : options.summary) change->summary[key] = value;
  if (auto wap_id = WriteOption(options, "wap-id")) {
    // Write-audit-publish: the snapshot is made, and published by a later commit.
    change->stage_only = true;
    change->summary["wap.id"] = *wap_id;
  }
}

Result<CommitOutcome> CommitSnapshot(
    const TableOperationsPtr& operations, SnapshotChange change, const std::vector<std::string>& data_files,
    const std::function<Result<TableMetadata>(const TableMetadataPtr& base)>& prepare) {
  SnapshotProducer producer(operations, std::move(change));
  auto committed = operations->CommitChange([&](const TableMetadataPtr& base) -> Result<std::optional<TableMetadata>> {
    FRAZIL_ASSIGN_OR_RETURN(TableMetadata prepared, prepare(base));
    FRAZIL_ASSIGN_OR_RETURN(TableMetadata next, producer.Apply(prepared));
    return std::optional<TableMetadata>(std::move(next));
  });
  if (committed.ok()) {
    producer.CleanUpAfter(**committed);
    CommitOutcome outcome;
    outcome.snapshot_id = producer.snapshot_id();
    return outcome;
  }
  if (committed.error().kind == ErrorKind::kUnknownCommit) return std::move(committed).error();
  producer.CleanUpAll();
  operations->DeleteQuietly(data_files);
  if (committed.error().kind != ErrorKind::kConflict) return std::move(committed).error();
  CommitOutcome outcome;
  outcome.state = CommitState::kConflict;
  outcome.conflict = committed.error().message;
  return outcome;
}

Result<std::unique_ptr<IcebergWrite>> IcebergWrite::Start(TableOperationsPtr operations, TableMetadataPtr metadata,
                                                          std::shared_ptr<const StagedCreation> staged,
                                                          const WriteOptions& options) {
  std::unique_ptr<IcebergWrite> write(new IcebergWrite());
  write->operations_ = std::move(operations);
  write->metadata_ = std::move(metadata);
  write->staged_ = std::move(staged);
  write->options_ = options;
  write->spec_ = &write->metadata_->spec();
  if (auto spec_id = WriteOption(options, "output-spec-id")) {
    write->spec_ = write->metadata_->FindSpec(static_cast<int32_t>(NumberOf(spec_id, -1)));
    if (write->spec_ == nullptr) {
      // Compaction and writes have words of their own for it.
      if (!IsCompaction(options))
        return IllegalArgument("Output spec id " + *spec_id + " is not a valid spec id for table");
      return IllegalArgument("Cannot use output spec id " + *spec_id +
                             " because the table does not contain a reference to this spec-id.");
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(SortOrder order, OrderOfRows(*write->metadata_, options));
  write->sort_order_id_ = order.order_id;
  FRAZIL_ASSIGN_OR_RETURN(write->task_, MakeTask(*write->metadata_, *write->spec_, order, options));
  return write;
}

IcebergWrite::~IcebergWrite() {
  if (!done_) Abort();
}

void IcebergWrite::AddFiles(std::vector<WrittenFile> files) {
  for (auto& file : files) added_.push_back(std::move(file));
}

void IcebergWrite::RemoveFiles(std::vector<std::string> paths) {
  for (auto& path : paths) removed_.push_back(std::move(path));
}

Status IcebergWrite::MarkRows() {
  if (metadata_->format_version < 2) return IllegalArgument("Deletes are supported in V2 and above");
  marks_rows_ = true;
  return {};
}

void IcebergWrite::SetReadsTable() {
  // In other modes the filter says what goes.
  if (options_.mode == WriteMode::kRewriteFiles || InsertsUnmatched(options_)) options_.filter = Predicate::True();
}

void IcebergWrite::DeleteRows(const std::string& path, std::vector<int64_t> positions) {
  if (positions.empty()) return;
  auto& all = deleted_rows_[path];
  all.insert(all.end(), positions.begin(), positions.end());
}

void IcebergWrite::Abort() {
  done_ = true;
  operations_->DeleteQuietly(OwnFiles());
  RemoveEmptyLocation();
}

std::vector<std::string> IcebergWrite::OwnFiles() const {
  std::vector<std::string> paths = delete_paths_;
  if (options_.operation == "add_files") return paths;
  for (const auto& file : added_) paths.push_back(file.path);
  return paths;
}

void IcebergWrite::RemoveEmptyLocation() const {
  // A table that did not come into being leaves no folders either: they would look like a namespace.
  if (staged_ == nullptr || !metadata_->snapshots.empty() || !metadata_->metadata_log.empty()) return;
  auto left = operations_->store().List(metadata_->location, true);
  if (!left.ok() || !left->empty()) return;
  Status removed = operations_->store().DeleteRecursively(metadata_->location);
  if (!removed.ok())
    Log(LogLevel::kWarn, "A folder could not be deleted",
        {{"path", metadata_->location}, {"error", removed.error().message}});
}

Status IcebergWrite::AddDeletes(const Snapshot* head, SnapshotChange* change) {
  change->kind = SnapshotChange::Kind::kRowDelta;
  const bool is_delete = options_.operation == "delete";
  // UPDATE and MERGE write rows that they read: what others delete meanwhile must not come back. Deletes of the same
  // rows do not hurt each other.
  change->validate_no_conflicting_deletes = !is_delete;
  change->removed_deletes_must_exist = !is_delete;
  change->allow_deleted_files = is_delete;
  if (deleted_rows_.empty()) return {};
  if (head == nullptr) return Error::Internal("a statement deletes rows of an empty table");
  for (const auto& [path, positions] : deleted_rows_) change->referenced_data_files.insert(path);
  FRAZIL_ASSIGN_OR_RETURN(NewDeletes deletes, WritePositionDeletes(*operations_, *metadata_, *head,
                                                                   std::move(deleted_rows_), &delete_paths_));
  deleted_rows_.clear();
  change->added_deletes = std::move(deletes.added);
  for (const auto& file : deletes.replaced) change->removed_deletes.insert(DeleteFileKey(*file));
  return {};
}

Result<SnapshotChange> IcebergWrite::BuildChange() {
  SnapshotChange change;
  ApplyCommonOptions(options_, &change);
  // Compaction is of the branch that it read, whatever branch is being audited.
  bool audited = staged_ == nullptr && !IsCompaction(options_) && !NamesBranch(options_);
  if (audited) FRAZIL_RETURN_IF_ERROR(ApplyAudit(*operations_, *metadata_, &change));
  MetricsConfig metrics = MetricsConfig::Of(*metadata_);
  for (const auto& written : added_) {
    FRAZIL_ASSIGN_OR_RETURN(DataFilePtr file, ToDataFile(written, *metadata_, *spec_, sort_order_id_, metrics));
    change.added.push_back(std::move(file));
  }
  const Snapshot* head = metadata_->BranchHead(change.branch);
  std::string isolation = IsolationLevel(*metadata_, options_);
  if (!isolation.empty() && isolation != "serializable" && isolation != "snapshot") {
    return IllegalArgument("Invalid isolation level: " + isolation);
  }
  std::optional<int64_t> validate_from;
  if (auto from = WriteOption(options_, "validate-from-snapshot-id")) validate_from = NumberOf(from, -1);
  auto validate = [&] {
    change.validate_no_conflicting_data = isolation == "serializable";
    change.validate_no_conflicting_deletes = !isolation.empty();
    change.validate_from = validate_from;
  };
  switch (options_.mode) {
    case WriteMode::kAppend:
      change.kind = SnapshotChange::Kind::kAppend;
      if (!InsertsUnmatched(options_) || isolation != "serializable") break;
      change.validate_no_conflicting_data = true;
      change.validate_from = validate_from;
      if (!change.validate_from && head != nullptr) change.validate_from = head->snapshot_id;
      change.conflict_filter = options_.filter != nullptr ? options_.filter : Predicate::True();
      break;
    case WriteMode::kOverwriteByFilter:
      change.kind = SnapshotChange::Kind::kOverwrite;
      change.delete_filter = options_.filter != nullptr ? options_.filter : Predicate::True();
      validate();
      break;
    case WriteMode::kOverwriteDynamic:
      change.kind = SnapshotChange::Kind::kReplacePartitions;
      if (spec_->unpartitioned()) {
        change.delete_filter = Predicate::True();
      } else {
        for (const auto& file : change.added) {
          change.replaced_partitions.emplace(PartitionKey(file->spec_id, file->partition),
                                             std::pair(file->spec_id, file->partition));
        }
      }
      validate();
      break;
    case WriteMode::kReplaceTable:
      change.kind = SnapshotChange::Kind::kOverwrite;
      change.delete_filter = Predicate::True();
      break;
    case WriteMode::kRewriteFiles:
      change.kind = IsCompaction(options_) ? SnapshotChange::Kind::kRewrite : SnapshotChange::Kind::kOverwrite;
      for (const auto& path : removed_) change.removed_paths.insert(storage::LocalPath(path));
      validate();
      // The statement has read the head that was loaded; an empty branch has nothing before it.
      if (!change.validate_from && head != nullptr) change.validate_from = head->snapshot_id;
      change.conflict_filter = options_.filter != nullptr ? options_.filter : Predicate::True();
      if (marks_rows_) FRAZIL_RETURN_IF_ERROR(AddDeletes(head, &change));
      break;
  }
  return change;
}

Result<CommitOutcome> IcebergWrite::Commit() {
  if (done_) return Error::Internal("an Iceberg write was ended twice");
  auto change = BuildChange();
  if (!change.ok()) {
    Abort();
    return std::move(change).error();
  }
  done_ = true;
  if (options_.mode == WriteMode::kOverwriteDynamic && added_.empty())
    return CommitOutcome{};  // Spark makes no commit of it.
  if (staged_ != nullptr && options_.operation.empty() && added_.empty()) return CommitStagedOnly();
  auto outcome = CommitSnapshot(operations_, *std::move(change), OwnFiles(),
                                [&](const TableMetadataPtr& base) { return Prepare(base); });
  bool unknown = !outcome.ok() && outcome.error().kind == ErrorKind::kUnknownCommit;
  if (!unknown && (!outcome.ok() || outcome->state != CommitState::kCommitted)) RemoveEmptyLocation();
  return outcome;
}

Result<TableMetadata> IcebergWrite::Prepare(const TableMetadataPtr& base) const {
  auto lost = [&](const std::string& why) {
    return ConflictingCommit("Cannot commit to " + operations_->name() + ": " + why);
  };
  if (staged_ == nullptr) {
    if (base == nullptr) return lost("the table was dropped");
    if (!metadata_->IsSameTable(*base)) return lost("the table was dropped and created anew");
    if (base->FindSpec(spec_->spec_id) == nullptr) return lost("its partition spec is gone");
    return *base;
  }
  FRAZIL_ASSIGN_OR_RETURN(TableMetadata prepared, ApplyStaged(*staged_, base.get(), operations_->name()));
  // The files were written with the ids that the table was going to have when the write began.
  if (!SameType(*prepared.schema()->root(), *metadata_->schema()->root()) ||
      !CompatibleSpecs(prepared.spec(), metadata_->spec()) || prepared.default_spec_id != metadata_->default_spec_id) {
    return lost("the replaced table has changed");
  }
  return prepared;
}

Result<CommitOutcome> IcebergWrite::CommitStagedOnly() const {
  CommitOutcome outcome;
  auto committed = operations_->CommitChange([&](const TableMetadataPtr& base) -> Result<std::optional<TableMetadata>> {
    FRAZIL_ASSIGN_OR_RETURN(TableMetadata prepared, Prepare(base));
    return std::optional<TableMetadata>(std::move(prepared));
  });
  if (committed.ok()) return outcome;
  if (committed.error().kind != ErrorKind::kConflict) return std::move(committed).error();
  outcome.state = CommitState::kConflict;
  outcome.conflict = committed.error().message;
  return outcome;
}

}  // namespace frazil::tables::iceberg
