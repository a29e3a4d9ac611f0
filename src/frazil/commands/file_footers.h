#pragma once

#include <functional>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/codec/data_file.h"
#include "frazil/commands/command_context.h"
#include "frazil/tables/scan.h"

namespace frazil::commands {

/// The columns of a scan as the readers of data files know them.
std::vector<codec::FileColumn> FileColumnsOf(const std::vector<tables::ScanColumn>& columns);

/// Calls `work` for 0 ... count - 1 on several threads, and gives the first error of each thread's part. For footers,
/// whose readers wait for the store most of the time.
Status ForEachFile(size_t count, size_t threads, const std::function<Status(size_t)>& work);

/// Leaves those files of a plan that REORG TABLE ... APPLY (PURGE) rewrites: with deleted rows, or with columns that
/// the table has no more. Reads the footers of the others.
Status KeepFilesToPurge(const tables::TableScan& scan, tables::ScanPlan* plan, CommandContext& context);

}  // namespace frazil::commands
