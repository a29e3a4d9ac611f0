#include "frazil/tables/delta/snapshot.h"

#include <algorithm>
#include <utility>

#include "frazil/tables/delta/file_statistics.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {

void FileSet::ForEach(const std::function<void(const FileActionPtr&)>& visit) const {
  for (const auto& [key, file] : *base_) {
    if (changes_.empty() || !changes_.contains(key)) visit(file);
  }
  for (const auto& [key, file] : changes_) visit(file);
}

FileActionPtr FileSet::Find(const std::string& key) const {
  auto changed = changes_.find(key);
  if (changed != changes_.end()) return changed->second;
  auto found = base_->find(key);
  return found == base_->end() ? nullptr : found->second;
}

void FileSet::Put(FileActionPtr file) {
  const auto count = [&](const FileAction& counted, int sign) {
    if (counted.is_removed) return;
    live_count_ += sign;
    live_bytes_ += sign * std::max<int64_t>(counted.size, 0);
    if (counted.record_count < 0) {
      live_unknown_ += sign;
    } else {
      const int64_t deleted = counted.deletion_vector ? counted.deletion_vector->cardinality : 0;
      live_rows_ += sign * (counted.record_count - deleted);
    }
  };
  auto [slot, is_new] = changes_.try_emplace(file->Key());
  if (!is_new) {
    count(*slot->second, -1);
  } else if (!base_->empty()) {
    if (auto found = base_->find(slot->first); found != base_->end()) count(*found->second, -1);
  }
  count(*file, 1);
  slot->second = std::move(file);
}

void FileSet::Consolidate() {
  constexpr size_t kSmall = 512;
  if (changes_.size() < std::max(kSmall, base_->size() / 8)) return;
  if (base_->empty()) {
    base_ = std::make_shared<const Layer>(std::exchange(changes_, {}));
    return;
  }
  auto merged = std::make_shared<Layer>(*base_);
  for (auto& [key, file] : changes_) (*merged)[key] = std::move(file);
  base_ = std::move(merged);
  changes_.clear();
}

const std::vector<FileActionPtr>& Snapshot::LiveFiles() const {
  std::call_once(live_made_, [&] {
    live_.reserve(static_cast<size_t>(std::max<int64_t>(files.live_count(), 0)));
    files.ForEach([&](const FileActionPtr& file) {
      if (!file->is_removed) live_.push_back(file);
    });
    std::sort(live_.begin(), live_.end(), [](const auto& a, const auto& b) { return a->order < b->order; });
  });
  return live_;
}

void SnapshotBuilder::ApplyFile(FileAction file) {
  file.order = snapshot_.next_order++;
  if (!file.stats.empty()) file.bounds = std::make_shared<BoundsCache>();
  snapshot_.files.Put(std::make_shared<const FileAction>(std::move(file)));
}

void SnapshotBuilder::Apply(Action action) {
  if (auto* file = std::get_if<FileAction>(&action)) {
    ApplyFile(std::move(*file));
  } else if (auto* protocol = std::get_if<Protocol>(&action)) {
    snapshot_.protocol = std::move(*protocol);
    has_protocol_ = true;
  } else if (auto* metadata = std::get_if<Metadata>(&action)) {
    snapshot_.metadata = std::make_shared<const Metadata>(std::move(*metadata));
    snapshot_.schema = nullptr;
  } else if (auto* transaction = std::get_if<Transaction>(&action)) {
    snapshot_.transactions[transaction->app_id] = *transaction;
  } else if (auto* domain = std::get_if<DomainMetadata>(&action)) {
    // A removed domain is as one that never was; its tombstone is of no use to readers.
    if (domain->removed) {
      snapshot_.domains.erase(domain->domain);
    } else {
      snapshot_.domains[domain->domain] = *domain;
    }
  } else if (auto* info = std::get_if<CommitInfo>(&action)) {
    int64_t timestamp = info->Integer("inCommitTimestamp", -1);
    if (timestamp >= 0) in_commit_timestamp_ = timestamp;
  }
  // Sidecars are followed by the reader of checkpoints; files of changes are no state.
}

void SnapshotBuilder::ApplyCommit(std::vector<Action> actions) {
  in_commit_timestamp_.reset();
  const auto is_tombstone = [](const Action& action) {
    const auto* file = std::get_if<FileAction>(&action);
    return file != nullptr && file->is_removed;
  };
  for (auto& action : actions) {
    if (is_tombstone(action)) Apply(action);
  }
  for (auto& action : actions) {
    if (!is_tombstone(action)) Apply(std::move(action));
  }
}

Result<SnapshotPtr> SnapshotBuilder::Finish(int64_t version, int64_t timestamp_ms) {
  bool known = has_protocol_ || snapshot_.version >= 0;
  if (!known || snapshot_.metadata == nullptr) {
    return Error::Of("DELTA_STATE_RECOVER_ERROR",
                     {{"operation", known ? "metadata" : "protocol"}, {"version", std::to_string(version)}});
  }
  if (snapshot_.schema == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(snapshot_.schema, ParseSchema(snapshot_.metadata->schema_string));
  }
  snapshot_.version = version;
  snapshot_.timestamp_ms = timestamp_ms;
  snapshot_.files.Consolidate();
  return SnapshotPtr(std::make_shared<const Snapshot>(std::move(snapshot_)));
}

}  // namespace frazil::tables::delta
