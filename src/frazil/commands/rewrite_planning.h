#pragma once

// Which files rewrite_data_files replaces: Iceberg's bin-packing planner.
// Source: https://iceberg.apache.org/docs/latest/spark-procedures/#options-for-rewrite_data_files and the rules of
// Iceberg's BinPackRewriteFilePlanner.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/scan.h"

namespace frazil::commands {

/// How files are chosen. Sizes are bytes.
struct RewriteChoice {
  int64_t target_size = 512LL * 1024 * 1024;
  int64_t min_size = 0, max_size = 0;  ///< Files out of this range are chosen.
  int64_t min_input_files = 5;
  int64_t max_group_size = 100LL * 1024 * 1024 * 1024;
  int64_t max_files = std::numeric_limits<int64_t>::max();  ///< No more files are rewritten at once.
  /// Files with so many delete files, or so great a part of their rows deleted, are chosen.
  int64_t delete_files = std::numeric_limits<int64_t>::max();
  double delete_ratio = 0.3;
  bool all = false;
  /// The partition spec of the new files. Files of other specs have no partition in it, and may all become one.
  int32_t output_spec_id = 0;
  std::optional<int64_t> wanted_spec_id;  ///< What the option says of it.
  bool remove_dangling_deletes = false;   ///< Afterwards delete files that concern no row any more are left out.
  /// The order of the groups: "bytes-asc", "bytes-desc", "files-asc", "files-desc", or "none", as they are found.
  std::string job_order = "none";
  /// Several commits, each of some of the groups: what one of them cannot do is left to another call.
  bool partial_progress = false;
  int64_t max_commits = 10;
  std::optional<int64_t> max_failed_commits;  ///< Absent: as many as there may be commits.
};

/// The procedure's options over the table's properties. Options that only say how a cluster shares the work are checked
/// and have no other meaning. `rewriter`: "BIN-PACK", "SORT" or "Z-ORDER". Errors, with Iceberg's own words: options
/// that are unknown to it, or whose values cannot be.
Result<RewriteChoice> ReadRewriteChoice(const std::map<std::string, std::string>& options,
                                        const std::map<std::string, std::string>& properties,
                                        std::string_view rewriter = "BIN-PACK");

/// Files of one partition that are rewritten together.
struct RewriteGroup {
  std::vector<const tables::ScanFile*> files;
  int64_t bytes = 0;
};

/// The groups worth rewriting, in the order of the jobs, whose files belong to the plan.
std::vector<RewriteGroup> PlanRewrite(const tables::ScanPlan& plan, const RewriteChoice& choice);

}  // namespace frazil::commands
