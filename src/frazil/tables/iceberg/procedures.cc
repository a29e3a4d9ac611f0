#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_format.h"
#include "frazil/tables/iceberg/procedures_internal.h"

namespace frazil::tables::iceberg {

Result<TableMetadataPtr> ChangeTable(
    const IcebergTable& table,
    const std::function<Result<std::optional<TableMetadata>>(const TableMetadata& base)>& change) {
  return table.operations()->CommitChange([&](const TableMetadataPtr& base) -> Result<std::optional<TableMetadata>> {
    if (base == nullptr || !table.metadata().IsSameTable(*base)) {
      return ConflictingCommit("Cannot commit to " + table.operations()->name() + ": the table was dropped");
    }
    return change(*base);
  });
}

Status CheckMayDeleteFiles(const TableMetadata& metadata, const char* what) {
  if (metadata.PropertyAsBoolean("gc.enabled", true)) return {};
  return Validation(std::string("Cannot ") + what + ": GC is disabled (deleting files may corrupt other tables)");
}

const TableProcedure* IcebergFormat::FindProcedure(std::string_view name) const {
  static const std::vector<TableProcedure> procedures = [] {
    std::vector<TableProcedure> all;
    for (auto& group : {SnapshotProcedures(), CleaningProcedures(), ManifestProcedures(), DeleteProcedures(),
                        StatisticsProcedures(), PathProcedures()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  for (const auto& procedure : procedures) {
    if (EqualsIgnoreCase(procedure.name, name)) return &procedure;
  }
  return nullptr;
}

}  // namespace frazil::tables::iceberg
