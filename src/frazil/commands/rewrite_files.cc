#include "frazil/commands/rewrite_files.h"

#include "frazil/analysis/dml/row_level.h"
#include "frazil/base/text.h"
#include "frazil/commands/table_writer.h"
#include "frazil/commands/z_order.h"

namespace frazil::commands {

Result<RewrittenFiles> RewriteFiles(const analysis::ResolvedTable& table, const tables::TableScanPtr& scan,
                                    const std::vector<std::vector<std::string>>& groups,
                                    const tables::WriteOptions& options, CommandContext& context,
                                    const std::vector<size_t>& curve) {
  const analysis::RowLevelTarget target{scan, QuoteIdentifier(table.full_name), Join(table.full_name, "."),
                                        table.full_name, table.table->schema()};
  FRAZIL_ASSIGN_OR_RETURN(auto write, table.table->StartWrite(options));
  RewrittenFiles rewritten;
  for (size_t i = 0; i < groups.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTargetFiles(target, groups[i], context));
    tables::WriteTask task = write->task();
    // One name for each group: its files are numbered from the start again.
    if (i > 0) task.file_name_prefix += "-g" + std::to_string(i + 1);
    plan::LogicalPlanPtr copied = analysis::CopiedRows(rows);
    if (!curve.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(copied, AlongZCurve(copied, curve, context));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto files, WriteFiles(copied, *write, task, context));
    rewritten.removed += static_cast<int64_t>(groups[i].size());
    rewritten.added += static_cast<int64_t>(files.size());
    write->AddFiles(std::move(files));
    write->RemoveFiles(groups[i]);
  }
  FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  return rewritten;
}

}  // namespace frazil::commands
