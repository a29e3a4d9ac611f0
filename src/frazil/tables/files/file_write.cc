#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/expressions/min_max.h"
#include "frazil/storage/folder.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/files/partition_types.h"
#include "frazil/tables/partition_folder.h"

namespace frazil::tables {

namespace {

// The codec of a format's files where neither table nor write names one: the session's setting, else Spark's default.
struct CodecChoice {
  const char* setting;
  const char* otherwise;
  const char* table_option;  ///< What the format itself calls it.
};

std::optional<CodecChoice> CodecChoiceOf(FileFormat format) {
  switch (format) {
    case FileFormat::kParquet:
      return CodecChoice{"spark.sql.parquet.compression.codec", "snappy", "parquet.compression"};
    case FileFormat::kOrc:
      return CodecChoice{"spark.sql.orc.compression.codec", "zstd", "orc.compress"};
    case FileFormat::kAvro:
      return CodecChoice{"spark.sql.avro.compression.codec", "snappy", "avro.codec"};
    case FileFormat::kCsv:
    case FileFormat::kJson:
    case FileFormat::kText:
    case FileFormat::kBinary:
      return std::nullopt;
  }
  return std::nullopt;
}

// What stands before the extension for a codec, as Spark has it. Text files get theirs from the engine.
std::string CodecSuffix(FileFormat format, const std::string& codec) {
  if (format == FileFormat::kOrc) return codec == "none" || codec == "uncompressed" ? "" : "." + codec;
  if (format != FileFormat::kParquet) return "";
  static const std::map<std::string, std::string> kSuffixes = {{"snappy", ".snappy"}, {"gzip", ".gz"},
                                                               {"zstd", ".zstd"},     {"brotli", ".br"},
                                                               {"lz4", ".lz4raw"},    {"lz4_raw", ".lz4raw"}};
  const auto found = kSuffixes.find(codec);
  return found == kSuffixes.end() ? "" : found->second;
}

/// Files are written below <location>/_temporary/<id>, where no reader looks, and moved into place by Commit. What an
/// overwrite replaces goes after the new files are in place: a crash between the two leaves rows twice, never lost.
/// Plain folders know no atomic commit; Iceberg tables do.
class FileTableWrite : public TableWrite {
 public:
  FileTableWrite(TableContext context, const TableDefinition& definition, FileFormat format,
                 const WriteOptions& options, CommitPointPtr commit_point)
      : context_(std::move(context)),
        location_(*definition.location),
        options_(options),
        commit_point_(std::move(commit_point)) {
    staging_ = storage::JoinPath(storage::JoinPath(location_, "_temporary"), RandomUuidText());
    task_.location = staging_;
    task_.format = format;
    task_.partitions = definition.partitioning;
    for (auto& field : task_.partitions) {
      field.name = field.source[0];
      field.result_type = definition.schema->fields()[definition.schema->FieldIndex(field.source[0])].type;
    }
    task_.drop_partition_columns = true;
    for (const auto& field : definition.schema->fields()) {
      ScanColumn column;
      column.name = field.name;
      column.type = field.type;
      task_.columns.push_back(std::move(column));
    }
    // Options of the table, then those of the write; a table's properties may name the codec as well.
    for (const auto& [key, value] : definition.properties) task_.format_options[AsciiLower(key)] = value;
    for (const auto& [key, value] : definition.options) task_.format_options[AsciiLower(key)] = value;
    for (const auto& [key, value] : options.options) task_.format_options[key] = value;
    task_.compression = "none";
    const auto choice = CodecChoiceOf(format);
    if (choice.has_value()) {
      task_.compression = choice->otherwise;
      if (context_.settings != nullptr) {
        const auto codec = context_.settings(choice->setting);
        if (codec.has_value()) task_.compression = AsciiLower(*codec);
      }
    }
    for (const char* key : {choice.has_value() ? choice->table_option : "compression", "compression"}) {
      auto found = task_.format_options.find(key);
      if (found != task_.format_options.end()) task_.compression = AsciiLower(found->second);
    }
    // As Spark calls its files: a task's number, the write, the number of the file, the codec.
    task_.file_name_prefix = "part-*-" + RandomUuidText() + (task_.partitions.empty() ? "-c000" : ".c000");
    task_.file_name_prefix += CodecSuffix(format, task_.compression);
  }

  ~FileTableWrite() override {
    if (!ended_) Abort();
  }

  const WriteTask& task() const override { return task_; }
  void AddFiles(std::vector<WrittenFile> files) override { files_.insert(files_.end(), files.begin(), files.end()); }
  void RemoveFiles(std::vector<std::string>) override {}

  Result<CommitOutcome> Commit() override {
    FRAZIL_RETURN_IF_ERROR(ReadRegistry());
    FRAZIL_ASSIGN_OR_RETURN(auto replaced, Replaced());
    ended_ = true;
    std::set<std::string> folders;
    for (const auto& file : files_) {
      std::string inside = file.path.substr(staging_.size() + 1);
      std::string target = TargetOf(inside);
      size_t slash = target.rfind('/');
      if (folders.insert(target.substr(0, slash)).second)
        FRAZIL_RETURN_IF_ERROR(context_.store->CreateFolder(target.substr(0, slash)));
      FRAZIL_RETURN_IF_ERROR(context_.store->Rename(file.path, target));
    }
    FRAZIL_RETURN_IF_ERROR(context_.store->CreateFolder(location_));
    for (const auto& path : replaced) FRAZIL_RETURN_IF_ERROR(context_.store->Delete(path));
    FRAZIL_RETURN_IF_ERROR(DropEmptied(replaced));
    FRAZIL_RETURN_IF_ERROR(context_.store->DeleteRecursively(staging_));
    // Others may be writing below it.
    FRAZIL_RETURN_IF_ERROR(DropIfEmpty(storage::JoinPath(location_, "_temporary")));
    FRAZIL_RETURN_IF_ERROR(context_.store->Write(storage::JoinPath(location_, "_SUCCESS"), ""));
    if (commit_point_ != nullptr) {
      std::string written;
      FRAZIL_ASSIGN_OR_RETURN(auto state, commit_point_->Swap(std::nullopt, "", &written));
      if (state == CommitState::kConflict) return CommitOutcome{state, std::nullopt, "the table was created meanwhile"};
    }
    FRAZIL_RETURN_IF_ERROR(TellRegistry());
    return CommitOutcome{};
  }

  void Abort() override {
    ended_ = true;
    // A failure to clean up leaves files where no reader looks; the statement's own error matters more.
    (void)context_.store->DeleteRecursively(staging_).ok();
    (void)DropIfEmpty(storage::JoinPath(location_, "_temporary")).ok();
  }

 private:
  /// Present files that the write replaces.
  Result<std::vector<std::string>> Replaced() {
    std::vector<std::string> replaced;
    if (options_.mode == WriteMode::kAppend) return replaced;
    FRAZIL_RETURN_IF_ERROR(AddReplacedElsewhere(&replaced));
    FRAZIL_ASSIGN_OR_RETURN(bool exists, context_.store->Exists(location_));
    if (!exists) return replaced;
    FRAZIL_ASSIGN_OR_RETURN(auto entries, context_.store->List(location_, true));
    const std::set<std::string> touched = Touched();
    for (const auto& entry : entries) {
      std::string inside = entry.path.substr(location_.size() + 1);
      if (inside.starts_with("_temporary/") || inside == "_SUCCESS") continue;
      size_t slash = inside.rfind('/');
      std::string folder = slash == std::string::npos ? "" : inside.substr(0, slash);
      for (const auto& [partition, location] : elsewhere_) {
        if (entry.path.starts_with(location + "/")) folder = partition;
      }
      FRAZIL_ASSIGN_OR_RETURN(const bool goes, IsReplaced(folder, touched));
      if (goes) replaced.push_back(entry.path);
    }
    return replaced;
  }

  /// The folders "a=1/b=x" that the new files go to.
  std::set<std::string> Touched() const {
    std::set<std::string> touched;
    for (const auto& file : files_) {
      std::string inside = file.path.substr(staging_.size() + 1);
      size_t slash = inside.rfind('/');
      touched.insert(slash == std::string::npos ? "" : inside.substr(0, slash));
    }
    return touched;
  }

  /// Whether the files of a folder "a=1/b=x" go.
  Result<bool> IsReplaced(const std::string& folder, const std::set<std::string>& touched) {
    if (options_.mode == WriteMode::kOverwriteDynamic && !task_.partitions.empty()) return touched.contains(folder);
    if (options_.mode == WriteMode::kOverwriteByFilter && options_.filter != nullptr) return FolderMatches(folder);
    return true;
  }

  // --- where the catalog keeps the partitions

  std::string FolderOf(const PartitionValues& values) const {
    std::string folder;
    for (size_t i = 0; i < task_.partitions.size(); ++i)
      folder += (i == 0 ? "" : "/") + PartitionFolder(task_.partitions[i].name, values[i]);
    return folder;
  }

  /// Which partitions there are, and which of them do not lie where their values say.
  Status ReadRegistry() {
    registry_ = RegistryOf(commit_point_.get());
    if (registry_ == nullptr) return {};
    FRAZIL_ASSIGN_OR_RETURN(auto known, registry_->ListPartitions());
    for (auto& partition : known) {
      const std::string folder = FolderOf(partition.values);
      const std::string location = storage::FolderOf(partition.location);
      if (location != storage::JoinPath(location_, folder)) elsewhere_[folder] = location;
      known_[folder] = std::move(partition.values);
    }
    return {};
  }

  /// Where a new file "a=1/b=x/part-..." goes.
  std::string TargetOf(const std::string& inside) const {
    const size_t slash = inside.rfind('/');
    const auto found = slash == std::string::npos ? elsewhere_.end() : elsewhere_.find(inside.substr(0, slash));
    return found == elsewhere_.end() ? storage::JoinPath(location_, inside)
                                     : storage::JoinPath(found->second, inside.substr(slash + 1));
  }

  Status AddReplacedElsewhere(std::vector<std::string>* replaced) {
    const std::set<std::string> touched = Touched();
    for (const auto& [folder, location] : elsewhere_) {
      FRAZIL_ASSIGN_OR_RETURN(const bool goes, IsReplaced(folder, touched));
      FRAZIL_ASSIGN_OR_RETURN(const bool exists, context_.store->Exists(location));
      // What lies within the table's folder is found there.
      if (!goes || !exists || location.starts_with(location_ + "/")) continue;
      FRAZIL_ASSIGN_OR_RETURN(const auto entries, context_.store->List(location, true));
      for (const auto& entry : entries) replaced->push_back(entry.path);
    }
    return {};
  }

  /// New partitions become known; those that the write has emptied are none any more (as in Spark, a dynamic overwrite
  /// empties none).
  Status TellRegistry() {
    if (registry_ == nullptr) return {};
    const std::set<std::string> touched = Touched();
    std::vector<KnownPartition> fresh;
    for (const auto& folder : touched) {
      if (known_.contains(folder)) continue;
      KnownPartition partition;
      for (const auto& part : Split(folder, '/')) {
        const std::string text = PercentDecode(part.substr(part.find('=') + 1));
        partition.values.push_back(text == kHiveDefaultPartition ? std::nullopt : std::optional<std::string>(text));
      }
      partition.location = storage::JoinPath(location_, folder);
      fresh.push_back(std::move(partition));
    }
    FRAZIL_RETURN_IF_ERROR(registry_->AddPartitions(fresh));
    // TRUNCATE takes the rows and leaves the partitions.
    const bool keeps = options_.operation == "delete" || options_.mode == WriteMode::kAppend ||
                       options_.mode == WriteMode::kOverwriteDynamic;
    if (keeps) return {};
    std::vector<PartitionValues> emptied;
    for (const auto& [folder, values] : known_) {
      if (touched.contains(folder)) continue;
      FRAZIL_ASSIGN_OR_RETURN(const bool goes, IsReplaced(folder, touched));
      if (goes) emptied.push_back(values);
    }
    return registry_->DropPartitions(emptied);
  }

  /// A folder that came to hold nothing; one that another writer fills again meanwhile stays. Stores without folders of
  /// their own have nothing to drop.
  Status DropIfEmpty(const std::string& folder) {
    FRAZIL_ASSIGN_OR_RETURN(const auto before, context_.store->List(folder, /*recursive=*/false));
    if (!before.empty()) return {};
    Status deleted = context_.store->Delete(folder);
    if (deleted.ok()) return {};
    FRAZIL_ASSIGN_OR_RETURN(const auto after, context_.store->List(folder, /*recursive=*/false));
    return after.empty() ? deleted : Status();
  }

  /// The partitions of the replaced files, where nothing is left of them.
  Status DropEmptied(const std::vector<std::string>& replaced) {
    std::set<std::string, std::greater<>> folders;  // The deepest ones first.
    for (const auto& path : replaced) {
      for (size_t slash = path.rfind('/'); slash != std::string::npos && slash > location_.size();
           slash = path.rfind('/', slash - 1))
        folders.insert(path.substr(0, slash));
    }
    for (const auto& folder : folders) FRAZIL_RETURN_IF_ERROR(DropIfEmpty(folder));
    return {};
  }

  Result<bool> FolderMatches(const std::string& folder) {
    FRAZIL_ASSIGN_OR_RETURN(const auto zone, SessionZone(context_));
    std::map<std::string, Value, IgnoreCaseLess> values;
    for (const auto& part : Split(folder, '/')) {
      size_t equals = part.find('=');
      if (equals == std::string::npos) continue;
      std::string name = PercentDecode(part.substr(0, equals));
      std::string text = PercentDecode(part.substr(equals + 1));
      for (const auto& field : task_.partitions) {
        if (!EqualsIgnoreCase(field.name, name)) continue;
        std::optional<std::string> given =
            text == kHiveDefaultPartition ? std::nullopt : std::optional<std::string>(text);
        FRAZIL_ASSIGN_OR_RETURN(values[name], PartitionTextToValue(given, *field.result_type, *zone));
      }
    }
    return MayMatch(*options_.filter,
                    [&](const std::vector<std::string>& path, const DataType& type) -> std::optional<ColumnBounds> {
                      auto found = path.size() == 1 ? values.find(path[0]) : values.end();
                      if (found == values.end()) return std::nullopt;
                      return ConstantBounds(type, found->second);
                    });
  }

  TableContext context_;
  std::string location_;
  std::string staging_;
  WriteOptions options_;
  CommitPointPtr commit_point_;
  PartitionRegistry* registry_ = nullptr;         ///< Of the commit point; null: folders alone are partitions.
  std::map<std::string, PartitionValues> known_;  ///< Its partitions, by "a=1/b=x".
  std::map<std::string, std::string> elsewhere_;  ///< Folders of those that lie elsewhere.
  WriteTask task_;
  std::vector<WrittenFile> files_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<TableWrite> StartFileWrite(TableContext context, const TableDefinition& definition, FileFormat format,
                                           const WriteOptions& options, CommitPointPtr commit_point) {
  return std::make_unique<FileTableWrite>(std::move(context), definition, format, options, std::move(commit_point));
}

}  // namespace frazil::tables
