#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/json.h"
#include "frazil/base/result.h"

namespace frazil::tables::iceberg {

constexpr char kMainBranch[] = "main";

/// "Snapshots".
struct Snapshot {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_id;
  int64_t sequence_number = 0;
  int64_t timestamp_ms = 0;
  std::string operation;  ///< "append", "overwrite", "delete", "replace"; empty where the file has none (v1).
  std::map<std::string, std::string> summary;  ///< Without "operation".
  std::string manifest_list;                   ///< Empty: `manifests` (v1).
  std::vector<std::string> manifests;
  std::optional<int32_t> schema_id;
  std::optional<int64_t> first_row_id;  ///< v3.
  std::optional<int64_t> added_rows;
  std::optional<std::string> key_id;  ///< Set: the manifest list is encrypted.
  std::vector<std::pair<std::string, JsonValue>> unknown;
};

/// "Snapshot References": a branch or tag.
struct SnapshotRef {
  int64_t snapshot_id = 0;
  bool is_branch = true;
  std::optional<int64_t> min_snapshots_to_keep;
  std::optional<int64_t> max_snapshot_age_ms;
  std::optional<int64_t> max_ref_age_ms;
  bool operator==(const SnapshotRef&) const = default;
};

Result<Snapshot> ParseSnapshot(const JsonValue& json);
JsonValue SnapshotToJson(const Snapshot& snapshot);
Result<SnapshotRef> ParseSnapshotRef(const JsonValue& json);
JsonValue SnapshotRefToJson(const SnapshotRef& ref);

}  // namespace frazil::tables::iceberg
