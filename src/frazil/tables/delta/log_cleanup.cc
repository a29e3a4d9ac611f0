#include "frazil/tables/delta/log_cleanup.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/checkpoint.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/log_files.h"

namespace frazil::tables::delta {
namespace {

constexpr int64_t kDayMs = 86400000, kMinuteMs = 60000;
constexpr int64_t kUsualRetentionMs = 30 * kDayMs;

/// The last version that a file of the log tells of: N.json, N.crc, N.checkpoint…, N.M.compacted.json.
std::optional<int64_t> LastVersionOf(const std::string& path) {
  const auto parts = Split(path.substr(path.rfind('/') + 1), '.');
  if (parts.size() < 2 || parts[0].size() != 20) return std::nullopt;
  const bool is_compacted = parts.size() == 4 && parts[2] == "compacted" && parts[3] == "json";
  const bool is_known = (parts.size() == 2 && (parts[1] == "json" || parts[1] == "crc")) || is_compacted ||
                        (parts.size() > 2 && parts[1] == "checkpoint");
  return is_known ? ParseInteger<int64_t>(parts[is_compacted ? 1 : 0]) : std::nullopt;
}

}  // namespace

Status CleanUpLog(const TableContext& context, const std::string& log, const Snapshot& snapshot, int64_t now_ms,
                  std::optional<int64_t> retention_ms) {
  const Metadata& metadata = *snapshot.metadata;
  const std::string* enabled = metadata.Property("delta.enableExpiredLogCleanup");
  if (enabled != nullptr && EqualsIgnoreCase(*enabled, "false")) return {};
  const std::string* property = metadata.Property("delta.logRetentionDuration");
  const int64_t usual_ms =
      property != nullptr ? IntervalMillis(*property).value_or(kUsualRetentionMs) : kUsualRetentionMs;
  const int64_t granularity_ms = retention_ms ? kMinuteMs : kDayMs;
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*context.store, log));
  if (listing.commits.empty()) return {};
  // Ages are told by one clock, that of the store, as long as it does not go before ours; in whole days, as Delta
  // counts them. A version that is deleted too early could be committed a second time.
  const int64_t newest_ms = std::min(now_ms, listing.commits.back().modified_micros / 1000);
  const int64_t cutoff_ms = (newest_ms - retention_ms.value_or(usual_ms)) / granularity_ms * granularity_ms;
  std::optional<int64_t> last_expired;
  for (const auto& commit : listing.commits) {
    if (commit.modified_micros / 1000 >= cutoff_ms) break;
    last_expired = commit.version;
  }
  if (!last_expired) return {};
  std::optional<int64_t> kept_checkpoint;
  for (const auto& checkpoint : listing.checkpoints) {
    if (checkpoint.version <= *last_expired) kept_checkpoint = checkpoint.version;
  }
  if (!kept_checkpoint) return {};
  if (HasFeature(snapshot.protocol, kCheckpointProtection)) {
    const std::string* before = metadata.Property("delta.requireCheckpointProtectionBeforeVersion");
    if (before != nullptr && *kept_checkpoint < ParseInteger<int64_t>(*before).value_or(INT64_MAX)) return {};
  }
  FRAZIL_ASSIGN_OR_RETURN(auto objects, context.store->List(log, false));
  std::vector<std::pair<int64_t, std::string>> expired;
  for (const auto& object : objects) {
    const auto version = object.is_directory ? std::nullopt : LastVersionOf(object.path);
    if (version && *version < *kept_checkpoint) expired.emplace_back(*version, object.path);
  }
  // The oldest first: whoever dies in the middle leaves a log without gaps.
  std::sort(expired.begin(), expired.end());
  for (const auto& [version, path] : expired) FRAZIL_RETURN_IF_ERROR(context.store->Delete(path));
  return {};
}

}  // namespace frazil::tables::delta
