#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"

namespace frazil::commands {

/// How many files took the place of how many.
struct RewrittenFiles {
  int64_t removed = 0, added = 0;
};

/// Writes the rows of each group of data files (paths of `scan`) into new files, in the order of `options.sort` if
/// there is one, and commits all of them in place of the old ones. Rows keep their lineage. `curve`: columns (indexes
/// of the schema) along whose Z curve the rows stand instead. On any failure nothing is left behind.
Result<RewrittenFiles> RewriteFiles(const analysis::ResolvedTable& table, const tables::TableScanPtr& scan,
                                    const std::vector<std::vector<std::string>>& groups,
                                    const tables::WriteOptions& options, CommandContext& context,
                                    const std::vector<size_t>& curve = {});

}  // namespace frazil::commands
