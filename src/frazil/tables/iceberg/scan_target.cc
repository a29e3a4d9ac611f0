#include <algorithm>
#include <chrono>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_scan.h"
#include "frazil/types/value.h"

namespace frazil::tables::iceberg {
namespace {

Result<std::optional<int64_t>> NumberOption(const ScanOptions& options, const std::string& key) {
  auto found = options.options.find(key);
  if (found == options.options.end()) return std::optional<int64_t>();
  auto number = ParseInteger<int64_t>(TrimBlanks(found->second));
  if (!number) return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + found->second + "\"");
  return number;
}

/// "2001-01-01T00:00:00+00:00".
std::string IsoTime(int64_t millis) {
  std::string text = ValueToString(*DataType::Timestamp(), Value(millis * 1000), "UTC");
  std::replace(text.begin(), text.end(), ' ', 'T');
  return text + "+00:00";
}

Result<const Snapshot*> SnapshotAt(const TableMetadata& metadata, int64_t millis) {
  std::optional<int64_t> id;
  for (const auto& entry : metadata.snapshot_log) {
    if (entry.timestamp_ms <= millis) id = entry.snapshot_id;
  }
  const Snapshot* found = id ? metadata.FindSnapshot(*id) : nullptr;
  if (found == nullptr) return IllegalArgument("Cannot find a snapshot older than " + IsoTime(millis));
  return found;
}

Result<std::set<int64_t>> AppendsBetween(const TableMetadata& metadata, int64_t start, const Snapshot& end) {
  std::set<int64_t> appends;
  const Snapshot* current = &end;
  while (current != nullptr) {
    if (current->snapshot_id == start) return appends;
    if (current->operation == "append") appends.insert(current->snapshot_id);
    if (!current->parent_id) break;
    if (*current->parent_id == start) return appends;  // The start itself may be expired.
    current = metadata.FindSnapshot(*current->parent_id);
  }
  return IllegalArgument("Starting snapshot (exclusive) " + std::to_string(start) +
                         " is not a parent ancestor of end snapshot " + std::to_string(end.snapshot_id));
}

}  // namespace

Result<ScanTarget> FindScanTarget(const TableMetadata& metadata, const ScanOptions& options) {
  std::optional<int64_t> snapshot_id = options.snapshot_id, start = options.start_snapshot_id,
                         end = options.end_snapshot_id;
  std::optional<int64_t> time_ms;
  if (options.timestamp_micros) {
    time_ms = *options.timestamp_micros / 1000 - (*options.timestamp_micros % 1000 < 0 ? 1 : 0);
  }
  auto fill = [&](std::optional<int64_t>* out, const std::string& key) -> Status {
    if (*out) return {};
    FRAZIL_ASSIGN_OR_RETURN(*out, NumberOption(options, key));
    return {};
  };
  FRAZIL_RETURN_IF_ERROR(fill(&snapshot_id, "snapshot-id"));
  FRAZIL_RETURN_IF_ERROR(fill(&time_ms, "as-of-timestamp"));
  FRAZIL_RETURN_IF_ERROR(fill(&start, "start-snapshot-id"));
  FRAZIL_RETURN_IF_ERROR(fill(&end, "end-snapshot-id"));
  std::string reference = options.reference;
  for (const char* key : {"branch", "tag"}) {
    auto named = options.options.find(key);
    if (reference.empty() && named != options.options.end()) reference = named->second;
  }
  int ways = (snapshot_id ? 1 : 0) + (time_ms ? 1 : 0) + (reference.empty() ? 0 : 1);
  if (ways > 1) return IllegalArgument("Can specify only one of snapshot-id, as-of-timestamp, branch, tag");

  ScanTarget target;
  target.schema = metadata.schema();
  if (start || end) {
    if (snapshot_id || time_ms) return IllegalArgument("Cannot use time travel in incremental scan");
    if (!start) {
      return IllegalArgument(
          "Cannot set only `end-snapshot-id` for incremental scans. Please, set `start-snapshot-id` too.");
    }
    const Snapshot* last =
        end ? metadata.FindSnapshot(*end) : metadata.BranchHead(reference.empty() ? kMainBranch : reference);
    if (last == nullptr)
      return IllegalArgument("Cannot find the end snapshot: " + (end ? std::to_string(*end) : "null"));
    FRAZIL_ASSIGN_OR_RETURN(target.appended_by, AppendsBetween(metadata, *start, *last));
    target.snapshot = last;
    return target;
  }
  if (snapshot_id) {
    target.snapshot = metadata.FindSnapshot(*snapshot_id);
    if (target.snapshot == nullptr)
      return IllegalArgument("Cannot find snapshot with ID " + std::to_string(*snapshot_id));
    target.time_travel = true;
  } else if (time_ms) {
    FRAZIL_ASSIGN_OR_RETURN(target.snapshot, SnapshotAt(metadata, *time_ms));
    target.time_travel = true;
  } else if (!reference.empty()) {
    auto ref = metadata.refs.find(reference);
    if (ref == metadata.refs.end()) {
      if (reference != kMainBranch)
        return IllegalArgument("Cannot find matching snapshot ID or reference name for version " + reference);
      target.snapshot = metadata.current_snapshot();
      return target;
    }
    target.snapshot = metadata.FindSnapshot(ref->second.snapshot_id);
    // Branches are read with the table's schema, tags with the one of their snapshot.
    target.time_travel = !ref->second.is_branch;
  } else {
    target.snapshot = metadata.current_snapshot();
  }
  if (target.time_travel) target.schema = metadata.SchemaOf(*target.snapshot);
  return target;
}

}  // namespace frazil::tables::iceberg
