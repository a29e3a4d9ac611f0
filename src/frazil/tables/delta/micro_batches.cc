// A Delta table as a streaming source: the files of a state of it, then those that later commits added.
// Source: DeltaSource, DeltaSourceOffset and DeltaOptions of Delta Lake, whose options, offsets and texts these are.

#include <algorithm>
#include <limits>

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/changes_scan.h"
#include "frazil/tables/delta/delta_scan.h"
#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/delta/log_files.h"
#include "frazil/tables/delta/schema.h"
#include "frazil/types/datetime.h"

namespace frazil::tables::delta {
namespace {

using Options = MicroBatches::Options;

constexpr int64_t kBeforeFirst = -1;
constexpr int64_t kDefaultFiles = 1000;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Behind the file `index` of a version: of all its files (the state at which the stream began), or of those that its
/// commit added.
struct Place {
  int64_t version = 0;
  int64_t index = kBeforeFirst;
  bool is_state = false;
};

std::string TextOf(const Place& place, const std::string& table_id) {
  return "{\"sourceVersion\":1,\"reservoirId\":" + JsonString(table_id) +
         ",\"reservoirVersion\":" + std::to_string(place.version) + ",\"index\":" + std::to_string(place.index) +
         ",\"isStartingVersion\":" + (place.is_state ? "true" : "false") + "}";
}

Result<Place> ReadPlace(const std::string& text, const std::string& table_id) {
  auto json = ParseJson(text);
  const auto* source = json.ok() ? json->Find("sourceVersion") : nullptr;
  const auto* version = json.ok() ? json->Find("reservoirVersion") : nullptr;
  const auto* index = json.ok() ? json->Find("index") : nullptr;
  if (source == nullptr || version == nullptr || index == nullptr)
    return Error::Of("DELTA_INVALID_SOURCE_OFFSET_FORMAT");
  const int64_t source_version = ParseInteger<int64_t>(source->text).value_or(0);
  if (source_version != 1 && source_version != 3)
    return Error::Of("DELTA_INVALID_SOURCE_VERSION", {{"version", source->text}});
  if (const auto* id = json->Find("reservoirId"); id != nullptr && id->text != table_id) {
    return Error::Of("DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
                     {{"newTableId", table_id}, {"oldTableId", id->text}});
  }
  const auto* state = json->Find("isStartingVersion");
  Place place;
  place.version = ParseInteger<int64_t>(version->text).value_or(0);
  // Newer versions of Delta count from -100 on where they have read nothing.
  place.index = std::max(kBeforeFirst, ParseInteger<int64_t>(index->text).value_or(kBeforeFirst));
  place.is_state = state != nullptr && state->boolean;
  return place;
}

bool IsTrue(const Options& options, const std::string& key) {
  const auto found = options.find(key);
  return found != options.end() && EqualsIgnoreCase(found->second, "true");
}

bool ReadsFeed(const Options& options) {
  return IsTrue(options, "readchangefeed") || IsTrue(options, "readchangedata");
}

Result<int64_t> Limit(const Options& options, const std::string& key, const std::string& name, int64_t otherwise) {
  const auto found = options.find(key);
  if (found == options.end()) return otherwise;
  std::string text = AsciiLower(TrimBlanks(found->second));
  int64_t unit = 1;
  if (key == "maxbytespertrigger") {
    for (const auto& [suffix, bytes] :
         {std::pair<std::string_view, int64_t>{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}}) {
      if (text.ends_with("b")) text.pop_back();
      if (!text.ends_with(suffix)) continue;
      text.pop_back();
      unit = bytes;
      break;
    }
  }
  const auto number = ParseInteger<int64_t>(text);
  if (!number || *number <= 0) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Invalid value '" + found->second + "' for option '" + name + "', must be a positive integer");
  }
  return *number * unit;
}

struct Limits {
  int64_t files = kMost, bytes = kMost;
};

Result<Limits> LimitsOf(const Options& options) {
  Limits limits;
  const bool by_bytes = options.contains("maxbytespertrigger");
  FRAZIL_ASSIGN_OR_RETURN(limits.files,
                          Limit(options, "maxfilespertrigger", "maxFilesPerTrigger", by_bytes ? kMost : kDefaultFiles));
  FRAZIL_ASSIGN_OR_RETURN(limits.bytes, Limit(options, "maxbytespertrigger", "maxBytesPerTrigger", kMost));
  return limits;
}

/// The files of a state in the order in which a stream reads them.
std::vector<FileActionPtr> FilesOfState(const Snapshot& snapshot) {
  auto files = snapshot.LiveFiles();
  std::sort(files.begin(), files.end(), [](const FileActionPtr& left, const FileActionPtr& right) {
    return std::pair(left->modification_time, left->path) < std::pair(right->modification_time, right->path);
  });
  return files;
}

/// Reads the commits of a table that a stream goes through.
class Commits {
 public:
  static Result<Commits> List(const TableContext& context, const DeltaLog& log, const Options& options) {
    Commits commits(context, log, options);
    FRAZIL_ASSIGN_OR_RETURN(commits.listing_, ListLog(*context.store, log.log()));
    return commits;
  }

  /// The files that a version added. Errors: it did more than that; it is gone.
  Result<std::vector<FileActionPtr>> AddedBy(int64_t version) const {
    FRAZIL_ASSIGN_OR_RETURN(auto actions, ActionsOf(version));
    std::vector<FileActionPtr> added;
    const FileAction* removed = nullptr;
    for (const auto& action : actions) {
      const auto* file = std::get_if<FileAction>(&action);
      if (file == nullptr || !file->data_change) continue;
      if (file->is_removed) {
        removed = file;
      } else {
        added.push_back(std::make_shared<const FileAction>(*file));
      }
    }
    if (removed == nullptr) return added;
    const bool ignores_changes = IsTrue(options_, "ignorechanges");
    if (IsTrue(options_, "skipchangecommits")) return std::vector<FileActionPtr>();
    if (ignores_changes) return added;
    if (!added.empty()) {
      return Error::Of("DELTA_SOURCE_TABLE_IGNORE_CHANGES", {{"changeInfo", removed->path},
                                                             {"removedFile", removed->path},
                                                             {"version", std::to_string(version)},
                                                             {"dataPath", "file:" + log_.table()}});
    }
    if (!IsTrue(options_, "ignoredeletes")) {
      return Error::Of(
          "DELTA_SOURCE_IGNORE_DELETE",
          {{"removedFile", removed->path}, {"version", std::to_string(version)}, {"dataPath", "file:" + log_.table()}});
    }
    return added;
  }

  Result<std::vector<Action>> ActionsOf(int64_t version) const {
    for (const auto& commit : listing_.commits) {
      if (commit.version != version) continue;
      FRAZIL_ASSIGN_OR_RETURN(std::string text, context_.store->Read(commit.path));
      return ParseCommit(text, commit.path);
    }
    return Error::Of("DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE");
  }

 private:
  Commits(const TableContext& context, const DeltaLog& log, const Options& options)
      : context_(context), log_(log), options_(options) {}

  const TableContext& context_;
  const DeltaLog& log_;
  const Options& options_;
  LogListing listing_;
};

}  // namespace

Result<DataTypePtr> DeltaTable::StreamSchema(const Options& options) const {
  FRAZIL_RETURN_IF_ERROR(LimitsOf(options).status());
  if (options.contains("startingversion") && options.contains("startingtimestamp")) {
    return Error::Of("DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET",
                     {{"version", "startingVersion"}, {"timestamp", "startingTimestamp"}});
  }
  for (const char* key : {"schematrackinglocation", "schemalocation", "excluderegex", "witheventtimeorder"}) {
    if (options.contains(key))
      return Error::Unsupported(std::string("Streaming from Delta tables with the option ") + key);
  }
  for (const char* key : {"versionasof", "timestampasof"}) {
    if (options.contains(key))
      return Error::Unsupported(std::string("time travel (the option ") + key +
                                ") with a streaming read of Delta tables");
  }
  if (!ReadsFeed(options)) return VisibleSchema(schema_);
  std::vector<StructField> fields = VisibleSchema(schema_)->fields();
  for (auto& field : FeedColumns()) fields.push_back(std::move(field));
  return DataType::Struct(std::move(fields));
}

Result<std::optional<std::string>> DeltaTable::FirstPlace(const Options& options) const {
  Place place{snapshot_->version, kBeforeFirst, true};
  if (const auto version = options.find("startingversion"); version != options.end()) {
    place = {snapshot_->version + 1, kBeforeFirst, false};
    if (!EqualsIgnoreCase(version->second, "latest")) {
      const auto number = ParseInteger<int64_t>(version->second);
      if (!number || *number < 0) {
        return Error::Plain(ExceptionClass::kIllegalArgument,
                            "Invalid value '" + version->second +
                                "' for option 'startingVersion', must be greater than or equal to zero");
      }
      if (*number > snapshot_->version + 1) {
        return Error::Of(
            "DELTA_VERSION_NOT_FOUND",
            {{"userVersion", version->second}, {"earliest", "0"}, {"latest", std::to_string(snapshot_->version)}});
      }
      place.version = *number;
    }
  } else if (const auto time = options.find("startingtimestamp"); time != options.end()) {
    FRAZIL_ASSIGN_OR_RETURN(auto zone, SessionZone(target_.context));
    const auto micros = ParseTimestamp(time->second, *zone);
    if (!micros) return Error::Of("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.OPTION", {{"expr", "'" + time->second + "'"}});
    // The first version that was committed then or later.
    place = {0, kBeforeFirst, false};
    auto before = target_.log->VersionAt(target_.context, *micros);
    if (before.ok()) {
      FRAZIL_ASSIGN_OR_RETURN(auto state, target_.log->At(target_.context, *before));
      place.version = state->timestamp_ms * 1000 < *micros - *micros % 1000 ? *before + 1 : *before;
    } else if (before.error().condition == "DELTA_TIMESTAMP_GREATER_THAN_COMMIT") {
      return std::move(before).error();
    } else {
      FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*target_.context.store, target_.log->log()));
      if (!listing.commits.empty()) place.version = listing.commits.front().version;
    }
  }
  return std::optional<std::string>(TextOf(place, metadata_.id));
}

Result<std::string> DeltaTable::NextPlace(const std::string& start, bool all, const Options& options) const {
  FRAZIL_ASSIGN_OR_RETURN(Place place, ReadPlace(start, metadata_.id));
  FRAZIL_ASSIGN_OR_RETURN(Limits left, LimitsOf(options));
  if (all) left = {};
  const bool feed = ReadsFeed(options);
  bool any = false;
  // Whether a file still belongs to the batch; one always does.
  const auto admits = [&](const FileAction& file) {
    if (any && (left.files < 1 || left.bytes < 1)) return false;
    any = true;
    --left.files;
    left.bytes -= std::min(left.bytes, std::max<int64_t>(0, file.size));
    return true;
  };
  if (place.is_state) {
    if (place.version > snapshot_->version) return start;
    FRAZIL_ASSIGN_OR_RETURN(auto state, target_.log->At(target_.context, place.version));
    const auto files = FilesOfState(*state);
    while (place.index + 1 < static_cast<int64_t>(files.size())) {
      if (!admits(*files[static_cast<size_t>(place.index + 1)])) return TextOf(place, metadata_.id);
      ++place.index;
    }
    place = {place.version + 1, kBeforeFirst, false};
    // Changes have other columns than the state's files: they get batches of their own.
    if (feed && any) return TextOf(place, metadata_.id);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto commits, Commits::List(target_.context, *target_.log, options));
  while (place.version <= snapshot_->version) {
    if (feed) {
      // The changes of a commit stay together.
      FRAZIL_ASSIGN_OR_RETURN(auto actions, commits.ActionsOf(place.version));
      int64_t files = 0;
      for (const auto& action : actions) {
        if (std::holds_alternative<FileAction>(action) || std::holds_alternative<ChangeFile>(action)) ++files;
      }
      if (any && files > left.files) break;
      any = any || files > 0;
      left.files -= std::min(files, left.files);
    } else {
      FRAZIL_ASSIGN_OR_RETURN(auto files, commits.AddedBy(place.version));
      while (place.index + 1 < static_cast<int64_t>(files.size())) {
        if (!admits(*files[static_cast<size_t>(place.index + 1)])) return TextOf(place, metadata_.id);
        ++place.index;
      }
    }
    place = {place.version + 1, kBeforeFirst, false};
  }
  return TextOf(place, metadata_.id);
}

Result<MicroBatch> DeltaTable::Between(const std::string& start, const std::string& end, const Options& options) const {
  FRAZIL_ASSIGN_OR_RETURN(Place place, ReadPlace(start, metadata_.id));
  FRAZIL_ASSIGN_OR_RETURN(const Place last, ReadPlace(end, metadata_.id));
  std::vector<FileActionPtr> files;
  const auto take = [&](const std::vector<FileActionPtr>& from, int64_t to) {
    for (int64_t i = place.index + 1; i <= to && i < static_cast<int64_t>(from.size()); ++i)
      files.push_back(from[static_cast<size_t>(i)]);
  };
  SnapshotPtr state;
  if (place.is_state) {
    FRAZIL_ASSIGN_OR_RETURN(state, target_.log->At(target_.context, place.version));
    take(FilesOfState(*state), last.is_state ? last.index : kMost - 1);
    place = {place.version + 1, kBeforeFirst, false};
  }
  MicroBatch batch;
  if (ReadsFeed(options)) {
    const bool has_commits = !last.is_state && place.version < last.version;
    if (!files.empty() && has_commits)
      return Error::Unsupported("the changes of a Delta table together with the state before them");
    if (!has_commits) {
      FRAZIL_ASSIGN_OR_RETURN(
          batch.scan, MakeInsertsScan(target_.context, target_.log, state != nullptr ? state : snapshot_, files));
      return batch;
    }
    FRAZIL_ASSIGN_OR_RETURN(batch.scan,
                            MakeChangesScan(target_.context, target_.log, snapshot_, place.version, last.version - 1));
    return batch;
  }
  if (!last.is_state) {
    FRAZIL_ASSIGN_OR_RETURN(auto commits, Commits::List(target_.context, *target_.log, options));
    for (; place.version <= last.version; place = {place.version + 1, kBeforeFirst, false}) {
      if (place.version == last.version && last.index == kBeforeFirst) break;
      FRAZIL_ASSIGN_OR_RETURN(auto added, commits.AddedBy(place.version));
      take(added, place.version == last.version ? last.index : kMost - 1);
    }
  }
  // These files as a state of their own, with the columns that the table has now.
  auto only = std::make_shared<Snapshot>(*snapshot_);
  only->files = FileSet();
  batch.rows = 0;
  int64_t order = 0;
  for (const auto& file : files) {
    auto added = std::make_shared<FileAction>(*file);
    added->order = order++;
    const int64_t deleted = file->deletion_vector ? file->deletion_vector->cardinality : 0;
    if (file->record_count < 0) batch.rows.reset();
    if (batch.rows) *batch.rows += file->record_count - deleted;
    only->files.Put(std::move(added));
  }
  FRAZIL_ASSIGN_OR_RETURN(batch.scan, DeltaScan::Make(target_.context, location(), std::move(only)));
  return batch;
}

}  // namespace frazil::tables::delta
