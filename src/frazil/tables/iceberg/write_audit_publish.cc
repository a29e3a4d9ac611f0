#include "frazil/tables/iceberg/write_audit_publish.h"

#include "frazil/tables/iceberg/errors.h"

namespace frazil::tables::iceberg {
namespace {

std::optional<std::string> Setting(const TableOperations& operations, const TableMetadata& metadata, const char* key) {
  if (!operations.context().settings || !metadata.PropertyAsBoolean("write.wap.enabled", false)) return std::nullopt;
  auto value = operations.context().settings(key);
  return value && !value->empty() ? value : std::nullopt;
}

}  // namespace

std::optional<std::string> AuditBranch(const TableOperations& operations, const TableMetadata& metadata) {
  auto branch = Setting(operations, metadata, "spark.wap.branch");
  return branch && metadata.refs.count(*branch) != 0 ? branch : std::nullopt;
}

Status ApplyAudit(const TableOperations& operations, const TableMetadata& metadata, SnapshotChange* change) {
  if (change->branch != kMainBranch || change->stage_only) return {};
  auto branch = Setting(operations, metadata, "spark.wap.branch");
  auto id = Setting(operations, metadata, "spark.wap.id");
  if (branch && id) {
    return Validation("Cannot set both WAP ID and branch, but got ID [" + *id + "] and branch [" + *branch + "]");
  }
  if (branch) {
    change->branch = *branch;
    change->create_branch = true;
  }
  if (id) {
    change->stage_only = true;
    change->summary["wap.id"] = *id;
  }
  return {};
}

}  // namespace frazil::tables::iceberg
