// An Iceberg table as a streaming source: the files that its snapshots appended, one after the other.
// Source: SparkMicroBatchStream and StreamingOffset of Iceberg, whose options, offsets and texts these are.

#include <algorithm>
#include <limits>

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/ancestry.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_scan.h"
#include "frazil/tables/iceberg/iceberg_table.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

constexpr int64_t kNoSnapshot = -1;

/// Behind the first `position` files of a snapshot.
struct Place {
  int64_t snapshot_id = kNoSnapshot;
  int64_t position = -1;
};

std::string TextOf(const Place& place) {
  return "{\"version\":1,\"snapshot_id\":" + std::to_string(place.snapshot_id) +
         ",\"position\":" + std::to_string(place.position) + ",\"scan_all_files\":false}";
}

Result<Place> ReadPlace(const std::string& text) {
  FRAZIL_ASSIGN_OR_RETURN(auto json, ParseJson(text));
  const auto *snapshot = json.Find("snapshot_id"), *position = json.Find("position");
  const auto* whole = json.Find("scan_all_files");
  if (snapshot == nullptr || position == nullptr) return IllegalArgument("Cannot parse StreamingOffset JSON: " + text);
  if (whole != nullptr && whole->boolean) return Error::Unsupported("Iceberg's streaming offsets with scan_all_files");
  return Place{ParseInteger<int64_t>(snapshot->text).value_or(kNoSnapshot),
               ParseInteger<int64_t>(position->text).value_or(-1)};
}

Result<int64_t> NumberOption(const MicroBatches::Options& options, const std::string& key, int64_t otherwise) {
  const auto found = options.find(key);
  if (found == options.end()) return otherwise;
  const auto number = ParseInteger<int64_t>(TrimBlanks(found->second));
  if (!number) return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + found->second + "\"");
  return *number;
}

bool IsTrue(const MicroBatches::Options& options, const std::string& key) {
  const auto found = options.find(key);
  return found != options.end() && EqualsIgnoreCase(found->second, "true");
}

const Snapshot* HeadOf(const TableMetadata& metadata, const MicroBatches::Options& options) {
  const auto branch = options.find("branch");
  return branch == options.end() ? metadata.current_snapshot() : metadata.BranchHead(branch->second);
}

/// Whether a snapshot's files are part of the stream; an error where they cannot be.
Result<bool> IsRead(const Snapshot& snapshot, const MicroBatches::Options& options) {
  if (snapshot.operation == "append") return true;
  if (snapshot.operation == "replace") return false;
  if (snapshot.operation == "delete") {
    if (IsTrue(options, "streaming-skip-delete-snapshots")) return false;
    return Error::Plain(ExceptionClass::kSpark,
                        "Cannot process delete snapshot: " + std::to_string(snapshot.snapshot_id) +
                            ", to ignore deletes, set streaming-skip-delete-snapshots=true");
  }
  if (snapshot.operation == "overwrite") {
    if (IsTrue(options, "streaming-skip-overwrite-snapshots")) return false;
    return Error::Plain(ExceptionClass::kSpark,
                        "Cannot process overwrite snapshot: " + std::to_string(snapshot.snapshot_id) +
                            ", to ignore overwrites, set streaming-skip-overwrite-snapshots=true");
  }
  return Error::Plain(ExceptionClass::kSpark,
                      "Cannot process unknown snapshot operation: " + AsciiLower(snapshot.operation) +
                          " (snapshot id " + std::to_string(snapshot.snapshot_id) + ")");
}

/// The snapshots from the place on, oldest first; the place's own among them.
Result<std::vector<const Snapshot*>> SnapshotsFrom(const TableMetadata& metadata, const Place& start,
                                                   const MicroBatches::Options& options) {
  auto ancestors = AncestorsOf(metadata, HeadOf(metadata, options));
  std::reverse(ancestors.begin(), ancestors.end());
  if (start.snapshot_id == kNoSnapshot) {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t from,
                            NumberOption(options, "stream-from-timestamp", std::numeric_limits<int64_t>::min()));
    std::erase_if(ancestors, [&](const Snapshot* snapshot) { return snapshot->timestamp_ms < from; });
    return ancestors;
  }
  const auto first = std::find_if(ancestors.begin(), ancestors.end(),
                                  [&](const Snapshot* snapshot) { return snapshot->snapshot_id == start.snapshot_id; });
  if (first == ancestors.end()) {
    return Error::Plain(ExceptionClass::kSpark, "Cannot load current offset at snapshot " +
                                                    std::to_string(start.snapshot_id) +
                                                    ", the snapshot was expired or removed");
  }
  return std::vector<const Snapshot*>(first, ancestors.end());
}

}  // namespace

std::string IcebergTable::StreamDescription() const { return "org.apache.iceberg.spark.source.SparkMicroBatchStream"; }

Result<DataTypePtr> IcebergTable::StreamSchema(const Options& options) const {
  for (const char* key : {"streaming-max-files-per-micro-batch", "streaming-max-rows-per-micro-batch"}) {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t most, NumberOption(options, key, 1));
    if (most <= 0) return IllegalArgument("Invalid value for " + std::string(key) + ": " + std::to_string(most));
  }
  for (const char* key : {"snapshot-id", "as-of-timestamp", "tag", "start-snapshot-id", "end-snapshot-id"}) {
    if (options.contains(key)) return IllegalArgument("Cannot set option " + std::string(key) + " for streaming reads");
  }
  FRAZIL_RETURN_IF_ERROR(NumberOption(options, "stream-from-timestamp", 0).status());
  if (const auto branch = options.find("branch");
      branch != options.end() && metadata_->BranchHead(branch->second) == nullptr) {
    return Validation("Cannot use branch (does not exist): " + branch->second);
  }
  return schema_;
}

Result<std::optional<std::string>> IcebergTable::FirstPlace(const Options& options) const {
  FRAZIL_ASSIGN_OR_RETURN(auto snapshots, SnapshotsFrom(*metadata_, Place(), options));
  return std::optional<std::string>(TextOf(snapshots.empty() ? Place() : Place{snapshots.front()->snapshot_id, 0}));
}

Result<std::vector<ScanFile>> IcebergTable::AppendedFiles(int64_t snapshot_id) const {
  ScanTarget target;
  target.snapshot = metadata_->FindSnapshot(snapshot_id);
  target.schema = metadata_->schema();
  target.appended_by = {snapshot_id};
  FRAZIL_ASSIGN_OR_RETURN(auto scan, IcebergScan::Make(operations_, metadata_, std::move(target)));
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(Predicate::True()));
  return std::move(plan.files);
}

Result<std::string> IcebergTable::NextPlace(const std::string& start, bool all, const Options& options) const {
  FRAZIL_ASSIGN_OR_RETURN(const Place begin, ReadPlace(start));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  FRAZIL_ASSIGN_OR_RETURN(int64_t files_left, NumberOption(options, "streaming-max-files-per-micro-batch", kMost));
  FRAZIL_ASSIGN_OR_RETURN(int64_t rows_left, NumberOption(options, "streaming-max-rows-per-micro-batch", kMost));
  if (all) files_left = rows_left = kMost;
  FRAZIL_ASSIGN_OR_RETURN(auto snapshots, SnapshotsFrom(*metadata_, begin, options));
  Place end = begin;
  bool any = false;
  for (const Snapshot* snapshot : snapshots) {
    FRAZIL_ASSIGN_OR_RETURN(bool reads, IsRead(*snapshot, options));
    const bool is_first = snapshot->snapshot_id == begin.snapshot_id;
    int64_t position = is_first ? std::max<int64_t>(0, begin.position) : 0;
    if (!reads) {
      if (!is_first) end = {snapshot->snapshot_id, 0};
      continue;
    }
    FRAZIL_ASSIGN_OR_RETURN(auto files, AppendedFiles(snapshot->snapshot_id));
    for (; position < static_cast<int64_t>(files.size()); ++position) {
      const int64_t rows = std::max<int64_t>(0, files[static_cast<size_t>(position)].record_count);
      // A batch has one file at least, however many rows that has.
      if (any && (files_left < 1 || rows > rows_left)) return TextOf(end);
      any = true;
      --files_left;
      rows_left -= std::min(rows, rows_left);
      end = {snapshot->snapshot_id, position + 1};
    }
    if (files.empty() && !is_first) end = {snapshot->snapshot_id, 0};
  }
  return TextOf(end);
}

Result<MicroBatch> IcebergTable::Between(const std::string& start, const std::string& end,
                                         const Options& options) const {
  FRAZIL_ASSIGN_OR_RETURN(const Place begin, ReadPlace(start));
  FRAZIL_ASSIGN_OR_RETURN(const Place last, ReadPlace(end));
  FRAZIL_ASSIGN_OR_RETURN(auto snapshots, SnapshotsFrom(*metadata_, begin, options));
  ScanTarget target;
  target.schema = metadata_->schema();
  target.appended_by.emplace();
  std::vector<std::string> paths;
  MicroBatch batch;
  batch.rows = 0;
  for (const Snapshot* snapshot : snapshots) {
    FRAZIL_ASSIGN_OR_RETURN(bool reads, IsRead(*snapshot, options));
    const bool is_last = snapshot->snapshot_id == last.snapshot_id;
    if (reads) {
      FRAZIL_ASSIGN_OR_RETURN(auto files, AppendedFiles(snapshot->snapshot_id));
      const int64_t from = snapshot->snapshot_id == begin.snapshot_id ? std::max<int64_t>(0, begin.position) : 0;
      int64_t to = static_cast<int64_t>(files.size());
      if (is_last) to = std::min(to, last.position);
      for (int64_t i = from; i < to; ++i) {
        const auto& file = files[static_cast<size_t>(i)];
        paths.push_back(file.path);
        if (file.record_count >= 0 && batch.rows) *batch.rows += file.record_count;
        if (file.record_count < 0) batch.rows.reset();
      }
      target.appended_by->insert(snapshot->snapshot_id);
      target.snapshot = snapshot;
    }
    if (is_last) break;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto scan, IcebergScan::Make(operations_, metadata_, std::move(target)));
  FRAZIL_ASSIGN_OR_RETURN(batch.scan, scan->RestrictTo(paths));
  return batch;
}

}  // namespace frazil::tables::iceberg
