#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/table_metadata.h"

namespace frazil::tables::iceberg {

/// What expire_snapshots is asked for; what is absent comes from the table (history.expire.*).
struct ExpirationRequest {
  std::optional<int64_t> older_than_ms;
  std::optional<int64_t> retain_last;
  std::vector<int64_t> snapshot_ids;  ///< These go in any case.
};

struct Expiration {
  std::set<int64_t> snapshots;
  std::vector<std::string> references;  ///< Branches and tags that are older than they may be.
};

/// The snapshots that no branch or tag retains ("Snapshot Retention Policy"). Snapshots that are on no branch (staged
/// ones) go by their age. Error: a named snapshot that a branch or tag stands at.
Result<Expiration> PlanExpiration(const TableMetadata& metadata, const ExpirationRequest& request, int64_t now_ms);

/// Takes snapshots out of the metadata, with the references to them, their statistics, and the part of the log that is
/// no longer whole.
void RemoveSnapshots(TableMetadata* metadata, const std::set<int64_t>& snapshots);

/// Takes out the schemas and partition specs that no snapshot's files need any more, and that are not in use.
/// `specs_in_use`: those of the manifests of all snapshots.
void RemoveUnusedSchemasAndSpecs(TableMetadata* metadata, const std::set<int32_t>& specs_in_use);

}  // namespace frazil::tables::iceberg
