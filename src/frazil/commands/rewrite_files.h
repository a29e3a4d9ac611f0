#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"

namespace frazil::commands {

/// How many files took the place of how many.
struct RewrittenFiles {
  int64_t removed = 0, added = 0;
  std::vector<int64_t> added_bytes;  ///< One for each added file.
};

/// An order by several columns at once: a place on a curve through the space of their values, cut up into parts of
/// about as many rows.
struct CurveOrder {
  bool is_hilbert = false;      ///< Else z-order.
  std::vector<size_t> columns;  ///< Of the table's schema; at least one.
};

/// Writes the rows of each group of data files (paths of `scan`) into new files, in the order of `options.sort` if
/// there is one or else of the curve, and commits all of them in place of the old ones. Rows keep their lineage. On any
/// failure nothing is left behind.
Result<RewrittenFiles> RewriteFiles(const analysis::ResolvedTable& table, const tables::TableScanPtr& scan,
                                    const std::vector<std::vector<std::string>>& groups,
                                    const tables::WriteOptions& options, CommandContext& context,
                                    const std::optional<CurveOrder>& curve = std::nullopt);

}  // namespace frazil::commands
