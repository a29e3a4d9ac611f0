#include "frazil/tables/iceberg/snapshot_summary.h"

#include <optional>

#include "frazil/base/integer_text.h"

namespace frazil::tables::iceberg {
namespace {

std::optional<int64_t> NumberAt(const std::map<std::string, std::string>& map, const std::string& key) {
  auto found = map.find(key);
  return found == map.end() ? std::nullopt : ParseInteger<int64_t>(found->second);
}

}  // namespace

void SnapshotSummary::Metrics::Count(const DataFile& file, bool added) {
  // Of a file with several deletion vectors only the vector's own part counts.
  (added ? added_size : removed_size) += file.is_deletion_vector() ? file.content_size.value_or(0) : file.size;
  switch (file.content) {
    case FileContent::kData:
      (added ? added_files : removed_files) += 1;
      (added ? added_records : deleted_records) += file.record_count;
      return;
    case FileContent::kPositionDeletes:
      if (file.is_deletion_vector()) {
        (added ? added_dvs : removed_dvs) += 1;
      } else {
        (added ? added_pos_delete_files : removed_pos_delete_files) += 1;
      }
      (added ? added_delete_files : removed_delete_files) += 1;
      (added ? added_pos_deletes : removed_pos_deletes) += file.record_count;
      return;
    case FileContent::kEqualityDeletes:
      (added ? added_delete_files : removed_delete_files) += 1;
      (added ? added_eq_delete_files : removed_eq_delete_files) += 1;
      (added ? added_eq_deletes : removed_eq_deletes) += file.record_count;
      return;
  }
}

std::map<std::string, std::string> SnapshotSummary::Metrics::Entries() const {
  std::map<std::string, std::string> entries;
  auto put = [&](const char* key, int64_t value) {
    if (value > 0) entries[key] = std::to_string(value);
  };
  put("added-data-files", added_files);
  put("deleted-data-files", removed_files);
  put("added-equality-delete-files", added_eq_delete_files);
  put("removed-equality-delete-files", removed_eq_delete_files);
  put("added-position-delete-files", added_pos_delete_files);
  put("removed-position-delete-files", removed_pos_delete_files);
  put("added-delete-files", added_delete_files);
  put("removed-delete-files", removed_delete_files);
  put("added-dvs", added_dvs);
  put("removed-dvs", removed_dvs);
  put("added-records", added_records);
  put("deleted-records", deleted_records);
  put("added-files-size", added_size);
  put("removed-files-size", removed_size);
  put("added-position-deletes", added_pos_deletes);
  put("removed-position-deletes", removed_pos_deletes);
  put("added-equality-deletes", added_eq_deletes);
  put("removed-equality-deletes", removed_eq_deletes);
  return entries;
}

void SnapshotSummary::Count(const DataFile& file, const std::string& partition_path, bool added) {
  metrics_.Count(file, added);
  by_partition_[partition_path].Count(file, added);
}

std::map<std::string, std::string> SnapshotSummary::Build(const Snapshot* previous) const {
  std::map<std::string, std::string> summary = properties_;
  summary.emplace("engine-name", "frazil");
  summary.emplace("engine-version", FRAZIL_VERSION);
  summary.emplace("iceberg-version", "Frazil " FRAZIL_VERSION);
  for (auto& [key, value] : metrics_.Entries()) summary[key] = std::move(value);
  if (duplicate_deletes_ > 0) summary["deleted-duplicate-files"] = std::to_string(duplicate_deletes_);
  summary["changed-partition-count"] = std::to_string(by_partition_.size());
  if (static_cast<int64_t>(by_partition_.size()) <= partition_limit_) {
    if (!by_partition_.empty()) summary["partition-summaries-included"] = "true";
    for (const auto& [path, metrics] : by_partition_) {
      if (path.empty()) continue;
      std::string text;
      for (const auto& [key, value] : metrics.Entries()) text += (text.empty() ? "" : ",") + key + "=" + value;
      summary["partitions." + path] = std::move(text);
    }
  }
  struct Total {
    const char* total;
    const char* added;
    const char* removed;
  };
  static constexpr Total kTotals[] = {
      {"total-records", "added-records", "deleted-records"},
      {"total-files-size", "added-files-size", "removed-files-size"},
      {"total-data-files", "added-data-files", "deleted-data-files"},
      {"total-delete-files", "added-delete-files", "removed-delete-files"},
      {"total-position-deletes", "added-position-deletes", "removed-position-deletes"},
      {"total-equality-deletes", "added-equality-deletes", "removed-equality-deletes"},
  };
  for (const auto& total : kTotals) {
    // Where an earlier snapshot does not tell its total, the later ones cannot either.
    std::optional<int64_t> value =
        previous == nullptr ? std::optional<int64_t>(0) : NumberAt(previous->summary, total.total);
    if (!value || *value < 0) continue;
    *value += NumberAt(summary, total.added).value_or(0) - NumberAt(summary, total.removed).value_or(0);
    if (*value >= 0) summary[total.total] = std::to_string(*value);
  }
  return summary;
}

}  // namespace frazil::tables::iceberg
