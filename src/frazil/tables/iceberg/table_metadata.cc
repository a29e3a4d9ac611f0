#include "frazil/tables/iceberg/table_metadata.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::tables::iceberg {

const SchemaPtr& TableMetadata::schema() const {
  for (const auto& schema : schemas) {
    if (schema->schema_id() == current_schema_id) return schema;
  }
  return schemas.front();  // Parsing and the builders see to it that the current one is there.
}

const PartitionSpec& TableMetadata::spec() const {
  const PartitionSpec* found = FindSpec(default_spec_id);
  return found != nullptr ? *found : specs.front();
}

const SortOrder& TableMetadata::sort_order() const {
  static const SortOrder unsorted;
  const SortOrder* found = FindSortOrder(default_sort_order_id);
  return found != nullptr ? *found : unsorted;
}

SchemaPtr TableMetadata::FindSchema(int32_t schema_id) const {
  for (const auto& schema : schemas) {
    if (schema->schema_id() == schema_id) return schema;
  }
  return nullptr;
}

const PartitionSpec* TableMetadata::FindSpec(int32_t spec_id) const {
  for (const auto& spec : specs) {
    if (spec.spec_id == spec_id) return &spec;
  }
  return nullptr;
}

const SortOrder* TableMetadata::FindSortOrder(int32_t order_id) const {
  for (const auto& order : sort_orders) {
    if (order.order_id == order_id) return &order;
  }
  return nullptr;
}

const Snapshot* TableMetadata::FindSnapshot(int64_t snapshot_id) const {
  // The newest ones are asked for most.
  for (auto it = snapshots.rbegin(); it != snapshots.rend(); ++it) {
    if (it->snapshot_id == snapshot_id) return &*it;
  }
  return nullptr;
}

const Snapshot* TableMetadata::current_snapshot() const {
  return current_snapshot_id ? FindSnapshot(*current_snapshot_id) : nullptr;
}

const Snapshot* TableMetadata::BranchHead(const std::string& branch) const {
  auto ref = refs.find(branch);
  if (ref == refs.end()) return branch == kMainBranch ? current_snapshot() : nullptr;
  return FindSnapshot(ref->second.snapshot_id);
}

SchemaPtr TableMetadata::SchemaOf(const Snapshot& snapshot) const {
  if (snapshot.schema_id) {
    if (SchemaPtr found = FindSchema(*snapshot.schema_id)) return found;
  }
  return schema();
}

const SchemaPtr& TableMetadata::SchemaForSpec(const PartitionSpec& spec) const {
  auto has_all = [&](const Schema& candidate) {
    return std::all_of(spec.fields.begin(), spec.fields.end(),
                       [&](const SpecField& f) { return candidate.Find(f.source_id) != nullptr; });
  };
  if (has_all(*schema())) return schema();
  const SchemaPtr* newest = nullptr;
  for (const auto& candidate : schemas) {
    if (has_all(*candidate) && (newest == nullptr || candidate->schema_id() > (*newest)->schema_id()))
      newest = &candidate;
  }
  return newest != nullptr ? *newest : schema();
}

std::string TableMetadata::Property(const std::string& key, const std::string& otherwise) const {
  auto found = properties.find(key);
  return found == properties.end() ? otherwise : found->second;
}

int64_t TableMetadata::PropertyAsLong(const std::string& key, int64_t otherwise) const {
  auto found = properties.find(key);
  if (found == properties.end()) return otherwise;
  return ParseInteger<int64_t>(TrimBlanks(found->second)).value_or(otherwise);
}

bool TableMetadata::PropertyAsBoolean(const std::string& key, bool otherwise) const {
  auto found = properties.find(key);
  return found == properties.end() ? otherwise : EqualsIgnoreCase(found->second, "true");
}

}  // namespace frazil::tables::iceberg
