#include "frazil/tables/iceberg/ancestry.h"

#include <algorithm>

namespace frazil::tables::iceberg {

std::vector<const Snapshot*> AncestorsOf(const TableMetadata& metadata, const Snapshot* snapshot) {
  std::vector<const Snapshot*> result;
  // A damaged file may lead round in a circle.
  while (snapshot != nullptr && result.size() <= metadata.snapshots.size()) {
    result.push_back(snapshot);
    snapshot = snapshot->parent_id ? metadata.FindSnapshot(*snapshot->parent_id) : nullptr;
  }
  return result;
}

bool IsAncestorOf(const TableMetadata& metadata, const Snapshot* snapshot, int64_t ancestor) {
  auto all = AncestorsOf(metadata, snapshot);
  return std::any_of(all.begin(), all.end(), [&](const Snapshot* s) { return s->snapshot_id == ancestor; });
}

}  // namespace frazil::tables::iceberg
