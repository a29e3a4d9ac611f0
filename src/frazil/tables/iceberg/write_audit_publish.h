#pragma once

#include <optional>
#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/snapshot_producer.h"
#include "frazil/tables/iceberg/table_operations.h"

namespace frazil::tables::iceberg {

/// Write-audit-publish, as Iceberg's Spark runtime has it: where the table allows it (write.wap.enabled), the session's
/// spark.wap.branch redirects reads and writes that name no branch, and spark.wap.id stages writes.

/// The branch that reads go to, if it is there.
std::optional<std::string> AuditBranch(const TableOperations& operations, const TableMetadata& metadata);
/// Redirects or stages a change that names no branch.
Status ApplyAudit(const TableOperations& operations, const TableMetadata& metadata, SnapshotChange* change);

}  // namespace frazil::tables::iceberg
