#include "frazil/tables/delta/transaction.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/delta/checkpoint.h"
#include "frazil/tables/delta/delta_scan.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/iceberg_compat.h"
#include "frazil/tables/delta/log_cleanup.h"
#include "frazil/tables/delta/row_tracking.h"

namespace frazil::tables::delta {
namespace {

constexpr const char* kConflictDocs = "https://docs.delta.io/latest/concurrency-control.html";
constexpr const char* kEngineInfo = "Frazil";  // What the history shows.

constexpr std::string_view kWriteSerializable = "WriteSerializable";

/// That of the table (delta.isolationLevel), which is Serializable where the table says nothing; commits that change no
/// data need none beyond their own files.
std::string_view IsolationLevel(const Change& change) {
  if (!change.changes_data) return "SnapshotIsolation";
  const Metadata* metadata = change.base != nullptr ? change.base->metadata.get() : nullptr;
  const std::string* level = metadata != nullptr ? metadata->Property("delta.isolationLevel") : nullptr;
  return level != nullptr && EqualsIgnoreCase(*level, kWriteSerializable) ? kWriteSerializable : "Serializable";
}

Error Conflict(Error error) {
  error.kind = ErrorKind::kConflict;
  return error;
}

Error FileConflict(std::string_view condition, const CommitInfo* winner, const std::string& table, int64_t version) {
  std::string operation = winner != nullptr ? winner->Text("operation") : std::string();
  return Conflict(
      Error::Of(std::string(condition) + ".WITHOUT_HINT", {{"operation", operation.empty() ? "transaction" : operation},
                                                           {"tableName", table},
                                                           {"version", std::to_string(version)},
                                                           {"docLink", kConflictDocs}}));
}

/// Whether the commit of a version, which came in between, keeps the change from being committed after it.
Status CheckAgainst(const CommitTarget& target, const Change& change, const FilePruner* pruner, int64_t version) {
  const std::string path = CommitPath(target.log->log(), version);
  FRAZIL_ASSIGN_OR_RETURN(std::string text, target.context.store->Read(path));
  FRAZIL_ASSIGN_OR_RETURN(auto actions, ParseCommit(text, path));
  const std::string& table = target.context.name;
  const CommitInfo* info = nullptr;
  for (const auto& action : actions) {
    if (const auto* found = std::get_if<CommitInfo>(&action)) info = found;
  }
  const auto told = [&] { return info == nullptr ? std::string() : "\nConflicting commit: " + info->content.Write(); };
  // Files that the change removes, or adds anew with other notes.
  std::set<std::string> touched;
  for (const auto& file : change.files) touched.insert(file.Key());
  // Under WriteSerializable rows that others appended without reading are as if they came later.
  bool ignores_adds = info != nullptr && info->IsTrue("isBlindAppend") && !change.metadata &&
                      IsolationLevel(change) == kWriteSerializable;
  for (const auto& action : actions) {
    if (std::holds_alternative<Protocol>(action)) {
      return Conflict(Error::Of("DELTA_PROTOCOL_CHANGED",
                                {{"additionalInfo", ""}, {"conflictingCommit", told()}, {"docLink", kConflictDocs}}));
    }
    if (std::holds_alternative<Metadata>(action)) {
      return Conflict(Error::Of("DELTA_METADATA_CHANGED",
                                {{"tableName", table}, {"conflictingCommit", told()}, {"docLink", kConflictDocs}}));
    }
    if (const auto* transaction = std::get_if<Transaction>(&action)) {
      for (const auto& own : change.transactions) {
        if (own.app_id == transaction->app_id) {
          return Conflict(
              Error::Of("DELTA_CONCURRENT_TRANSACTION", {{"conflictingCommit", told()}, {"docLink", kConflictDocs}}));
        }
      }
    }
    if (const auto* domain = std::get_if<DomainMetadata>(&action)) {
      for (const auto& own : change.domains) {
        if (own.domain == domain->domain) {
          return Conflict(
              Error::Of("DELTA_CONCURRENT_TRANSACTION", {{"conflictingCommit", told()}, {"docLink", kConflictDocs}}));
        }
      }
    }
    const auto* file = std::get_if<FileAction>(&action);
    if (file == nullptr) continue;
    if (file->is_removed && touched.contains(file->Key()))
      return FileConflict("DELTA_CONCURRENT_DELETE_DELETE", info, table, version);
    if (change.read_filter == nullptr || !file->data_change || pruner == nullptr) continue;
    if (!file->is_removed && ignores_adds) continue;
    FileAction known = *file;
    if (file->is_removed && !file->has_extended_metadata) {
      // The tombstone does not tell its partition; the file that it stands for does.
      FileActionPtr former = change.base->files.Find(file->Key());
      if (former != nullptr) known = *former;
    }
    FRAZIL_ASSIGN_OR_RETURN(auto partition, pruner->PartitionValues(known));
    if (pruner->MayMatch(*change.read_filter, known, partition)) {
      return FileConflict(file->is_removed ? "DELTA_CONCURRENT_DELETE_READ" : "DELTA_CONCURRENT_APPEND", info, table,
                          version);
    }
  }
  return {};
}

CommitInfo MakeCommitInfo(const Change& change, const Snapshot* base, const Metadata& metadata, int64_t now_ms,
                          std::optional<int64_t> in_commit_ms, const std::string& txn_id) {
  CommitInfo info;
  info.content.kind = JsonValue::Kind::kObject;
  auto& members = info.content.members;
  const auto object = [](const std::vector<std::pair<std::string, std::string>>& entries, bool is_json) {
    JsonValue value;
    value.kind = JsonValue::Kind::kObject;
    for (const auto& [key, text] : entries) {
      JsonValue member = JsonValue::OfString(text);
      if (is_json) {
        if (auto parsed = ParseJson(text); parsed.ok()) member = *std::move(parsed);
      }
      value.members.emplace_back(key, std::move(member));
    }
    return value;
  };
  if (in_commit_ms) members.emplace_back("inCommitTimestamp", JsonValue::OfNumber(std::to_string(*in_commit_ms)));
  members.emplace_back("timestamp", JsonValue::OfNumber(std::to_string(in_commit_ms.value_or(now_ms))));
  members.emplace_back("operation", JsonValue::OfString(change.operation));
  members.emplace_back("operationParameters", object(change.parameters, true));
  if (base != nullptr) members.emplace_back("readVersion", JsonValue::OfNumber(std::to_string(change.base->version)));
  bool blind = change.read_filter == nullptr;
  bool removes =
      std::any_of(change.files.begin(), change.files.end(), [](const FileAction& file) { return file.is_removed; });
  members.emplace_back("isolationLevel", JsonValue::OfString(std::string(IsolationLevel(change))));
  members.emplace_back("isBlindAppend", JsonValue::OfBoolean(blind && !removes));
  members.emplace_back("operationMetrics", object(change.metrics, false));
  if (!change.user_metadata.empty()) members.emplace_back("userMetadata", JsonValue::OfString(change.user_metadata));
  // All writes here keep the ids of rows that they move.
  if (metadata.IsTrue("delta.enableRowTracking"))
    members.emplace_back("tags", object({{"delta.rowTracking.preserved", "true"}}, false));
  members.emplace_back("engineInfo", JsonValue::OfString(kEngineInfo));
  members.emplace_back("txnId", JsonValue::OfString(txn_id));
  return info;
}

void WriteDueCheckpoint(const CommitTarget& target, const Snapshot& snapshot) {
  int64_t interval = 10;
  if (const std::string* text = snapshot.metadata->Property("delta.checkpointInterval"))
    interval = ParseInteger<int64_t>(*text).value_or(interval);
  if (interval <= 0 || snapshot.version == 0 || snapshot.version % interval != 0) return;
  // The commit stands without it; the next one that is due is written by whoever comes then.
  Status written =
      WriteCheckpoint(target.context, target.log->columnar_files(), target.log->log(), snapshot, NowMicros() / 1000);
  if (!written.ok()) {
    Log(LogLevel::kWarn, "A checkpoint could not be written",
        {{"table", target.log->table()},
         {"version", std::to_string(snapshot.version)},
         {"error", written.error().message}});
    return;
  }
  Status cleaned = CleanUpLog(target.context, target.log->log(), snapshot, NowMicros() / 1000);
  if (!cleaned.ok()) {
    Log(LogLevel::kWarn, "Old files of a Delta log could not be deleted",
        {{"table", target.log->table()}, {"error", cleaned.error().message}});
  }
}

}  // namespace

std::string ListParameter(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const auto& text : texts) {
    if (list.size() > 1) list += ',';
    AppendJsonString(text, &list);
  }
  return JsonString(list + "]");
}

Status CheckNotPinned(const CommitTarget& target) {
  if (!target.pinned_version) return {};
  return Error::Of("DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION",
                   {{"historicalVersion", std::to_string(*target.pinned_version)}});
}

Result<SnapshotPtr> CommitChange(const CommitTarget& target, Change change) {
  FRAZIL_RETURN_IF_ERROR(CheckNotPinned(target));
  const std::string txn_id = RandomUuidText();
  SnapshotPtr base = change.base;
  std::optional<FilePruner> pruner;
  if (change.base != nullptr) {
    const Metadata& metadata = change.metadata ? *change.metadata : *change.base->metadata;
    DataTypePtr schema = change.base->schema;
    if (change.metadata) {
      FRAZIL_ASSIGN_OR_RETURN(schema, ParseSchema(change.metadata->schema_string));
    }
    const Protocol protocol = change.protocol.value_or(change.base->protocol);
    FRAZIL_RETURN_IF_ERROR(CheckWrite(protocol, metadata, *schema, target.context.name));
    FRAZIL_RETURN_IF_ERROR(CheckIcebergCompat(change.base.get(), protocol, metadata, *schema, change.files));
    bool removes_rows = std::any_of(change.files.begin(), change.files.end(),
                                    [](const FileAction& file) { return file.is_removed && file.data_change; });
    if (removes_rows && change.base->metadata->IsTrue("delta.appendOnly")) {
      return Error::Of("DELTA_CANNOT_MODIFY_APPEND_ONLY",
                       {{"table_name", target.context.name}, {"config", "delta.appendOnly"}});
    }
    FRAZIL_ASSIGN_OR_RETURN(pruner, FilePruner::Make(*change.base, target.context));
  }
  if (change.base == nullptr) {
    if (!change.metadata || !change.protocol)
      return Error::Internal("the first commit of a Delta table has no metadata");
    FRAZIL_ASSIGN_OR_RETURN(auto schema, ParseSchema(change.metadata->schema_string));
    FRAZIL_RETURN_IF_ERROR(CheckWrite(*change.protocol, *change.metadata, *schema, target.context.name));
    FRAZIL_RETURN_IF_ERROR(CheckIcebergCompat(nullptr, *change.protocol, *change.metadata, *schema, change.files));
  }
  thread_local std::minstd_rand random{std::random_device{}()};
  for (int64_t attempt = 0;; ++attempt) {
    int64_t now_ms = NowMicros() / 1000;
    const Metadata& metadata = change.metadata ? *change.metadata : *base->metadata;
    std::optional<int64_t> in_commit_ms;
    if (metadata.IsTrue("delta.enableInCommitTimestamps"))
      in_commit_ms = std::max(now_ms, base != nullptr ? base->timestamp_ms + 1 : 0);
    const int64_t next_version = base != nullptr ? base->version + 1 : 0;
    if (in_commit_ms && base != nullptr && !base->metadata->IsTrue("delta.enableInCommitTimestamps")) {
      // PROTOCOL.md, "In-Commit Timestamps": of versions before this one the files tell the time.
      auto& configuration = change.metadata->configuration;
      configuration["delta.inCommitTimestampEnablementVersion"] = std::to_string(next_version);
      configuration["delta.inCommitTimestampEnablementTimestamp"] = std::to_string(*in_commit_ms);
    }
    std::vector<FileAction> files = change.files;
    std::vector<DomainMetadata> domains = change.domains;
    const Protocol& protocol = change.protocol ? *change.protocol : base->protocol;
    if (HasFeature(protocol, "rowTracking") && !metadata.IsTrue("delta.rowTrackingSuspended"))
      FRAZIL_RETURN_IF_ERROR(AssignRowIds(base.get(), next_version, &files, &domains));
    std::vector<Action> actions;
    actions.push_back(MakeCommitInfo(change, base.get(), metadata, now_ms, in_commit_ms, txn_id));
    if (change.protocol) actions.push_back(*change.protocol);
    if (change.metadata) actions.push_back(*change.metadata);
    for (const auto& transaction : change.transactions) actions.push_back(transaction);
    for (auto& domain : domains) actions.push_back(std::move(domain));
    for (auto& file : files) actions.push_back(std::move(file));
    for (const auto& file : change.change_files) actions.push_back(file);
    std::string text;
    for (const auto& action : actions) text += WriteAction(action) + "\n";

    std::optional<std::string> expected;
    if (base != nullptr) expected = CommitPath(target.log->log(), base->version);
    std::string written;
    FRAZIL_ASSIGN_OR_RETURN(CommitState state, target.commit_point->Swap(expected, text, &written));
    if (state == CommitState::kCommitted) {
      const int64_t version = next_version;
      SnapshotPtr next;
      // The commit stands, whatever comes now.
      if (auto info = target.context.store->Stat(written); info.ok()) {
        next = target.log->Advance(base, std::move(actions), {version, written, info->size, info->modified_micros});
      }
      if (next == nullptr) {
        FRAZIL_ASSIGN_OR_RETURN(next, target.log->Update(target.context));
      }
      if (next != nullptr && next->version == version) WriteDueCheckpoint(target, *next);
      return next;
    }
    FRAZIL_ASSIGN_OR_RETURN(auto newest, target.log->Update(target.context));
    if (change.base == nullptr || newest == nullptr || newest->version <= base->version) {
      return Conflict(Error::Of("DELTA_CONCURRENT_WRITE", {{"conflictingCommit", ""}, {"docLink", kConflictDocs}}));
    }
    for (int64_t version = base->version + 1; version <= newest->version; ++version) {
      FRAZIL_RETURN_IF_ERROR(CheckAgainst(target, change, &*pruner, version));
    }
    base = newest;
    // Writers that collided do not collide again.
    if (attempt > 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random() % (1000 * std::min<int64_t>(attempt, 20))));
  }
}

}  // namespace frazil::tables::delta
