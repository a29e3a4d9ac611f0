#pragma once

#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/clustered_files.h"
#include "frazil/tables/delta/actions.h"
#include "frazil/tables/delta/snapshot.h"

namespace frazil::tables::delta {

// CLUSTER BY: the table keeps the columns' physical names in a domain, so that they stay the same when they are called
// otherwise. Source: PROTOCOL.md, "Clustered Table".

inline constexpr const char* kClusteringDomain = "delta.clustering";

/// The domain's new content; no columns: the table is not clustered any more, but may be again. Errors where a column
/// is not there, can have no statistics, or is one too many.
Result<DomainMetadata> ClusteringDomainOf(const std::vector<std::vector<std::string>>& columns,
                                          const Metadata& metadata, const DataType& schema);

/// The columns that a table is clustered by, under the names that they have now.
std::vector<std::vector<std::string>> ClusteringColumnsOf(const Snapshot& snapshot);

/// Names the files that one OPTIMIZE has put in order together: a cube, with an id of its own, in the order of columns.
/// Source: Delta's ZCubeInfo.
StringMap CubeTags(const std::vector<std::string>& columns);

/// Which files OPTIMIZE puts in order: those in none of the present columns, and those of cubes that are small, unless
/// one such cube is all there is. Files that another kind of clustering made stay as they are.
ClusteringChoice ChooseFilesToCluster(const Snapshot& snapshot, const std::string& table, bool is_full);

}  // namespace frazil::tables::delta
