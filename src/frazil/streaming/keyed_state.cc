#include "frazil/streaming/keyed_state.h"

namespace frazil::streaming {
namespace {

/// In a delta: the key is gone.
constexpr const char* kRemoved = "removed";
/// A snapshot is written when this many deltas are behind it, or when they are half as large as it is.
constexpr int64_t kMostDeltas = 100;
constexpr int64_t kSmallChange = 1000;  // Rows; so few make no snapshot by themselves.

int64_t CountOf(const ArrowTable& rows) {
  int64_t count = 0;
  for (const auto& batch : rows.batches) count += batch.num_rows();
  return count;
}

}  // namespace

std::vector<std::string> KeyedState::Columns() const {
  std::vector<std::string> names;
  for (const auto& field : schema_->fields()) names.push_back(field.name);
  return names;
}

std::shared_ptr<plan::ArrowRowsNode> KeyedState::Node(const ArrowTablePtr& rows) const {
  auto node = std::make_shared<plan::ArrowRowsNode>();
  for (const auto& field : rows->schema->fields()) {
    node->output.push_back(NewColumn(context_, field.name, field.type));
    node->output.back().nullable = true;
  }
  node->data = rows;
  return node;
}

Result<plan::LogicalPlanPtr> KeyedState::Merge(const ArrowTablePtr& changes, const plan::PlanPtr& later) {
  if (changes == nullptr) return statements_.Run(later);
  FRAZIL_ASSIGN_OR_RETURN(const auto earlier, statements_.Join(statements_.Put(Node(changes)), later,
                                                               plan::JoinType::kLeftAnti, SameKeys(keys_)));
  return statements_.Run(Statements::UnionAll(earlier, later));
}

Status KeyedState::SetRows() {
  const auto& kept = store_.kept;
  rows_ = statements_.Put(Node(kept.rows));
  if (kept.changes == nullptr) return {};
  const auto changes = statements_.Put(Node(kept.changes));
  FRAZIL_ASSIGN_OR_RETURN(const auto same,
                          statements_.Join(rows_, changes, plan::JoinType::kLeftAnti, SameKeys(keys_)));
  FRAZIL_ASSIGN_OR_RETURN(auto others, statements_.Filter(changes, std::string("NOT ") + kRemoved));
  FRAZIL_ASSIGN_OR_RETURN(others, statements_.Select(others, Columns()));
  rows_ = Statements::UnionAll(same, others);
  return {};
}

Status KeyedState::Load(int64_t version, const DataTypePtr& schema) {
  std::vector<StructField> fields;
  for (const auto& field : schema->fields()) fields.emplace_back(field.name, field.type, true);
  schema_ = DataType::Struct(fields);
  fields.emplace_back(kRemoved, DataType::Boolean(), true);
  delta_schema_ = DataType::Struct(std::move(fields));
  auto& kept = store_.kept;
  if (kept.version == version) return SetRows();
  kept = {};
  FRAZIL_ASSIGN_OR_RETURN(const int64_t snapshot, store_.SnapshotUpTo(version));
  FRAZIL_ASSIGN_OR_RETURN(kept.rows, store_.ReadSnapshot(snapshot, schema_));
  for (int64_t delta = snapshot + 1; delta <= version; ++delta) {
    FRAZIL_ASSIGN_OR_RETURN(const auto changes, store_.ReadDelta(delta, delta_schema_));
    FRAZIL_ASSIGN_OR_RETURN(const auto merged, Merge(kept.changes, statements_.Put(Node(changes))));
    kept.changes = merged->As<plan::ArrowRowsNode>().data;
    ++kept.deltas;
  }
  if (kept.changes != nullptr) {
    FRAZIL_RETURN_IF_ERROR(SetRows());
    FRAZIL_ASSIGN_OR_RETURN(const auto rows, statements_.Run(rows_));
    kept.rows = rows->As<plan::ArrowRowsNode>().data;
    kept.changes = nullptr;
  }
  kept.count = CountOf(*kept.rows);
  kept.version = version;
  return SetRows();
}

Status KeyedState::Save(int64_t version, const plan::PlanPtr& changed, const plan::PlanPtr& removed, int64_t count) {
  auto& kept = store_.kept;
  kept.version = -1;  // Until it is written.
  auto items = Columns();
  items.push_back(std::string("false AS ") + kRemoved);
  plan::PlanPtr changes = changed;
  if (removed != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(changes, statements_.Join(changes, removed, plan::JoinType::kLeftAnti, SameKeys(keys_)));
  }
  FRAZIL_ASSIGN_OR_RETURN(changes, statements_.Select(changes, items));
  if (removed != nullptr) {
    items.back() = std::string("true AS ") + kRemoved;
    FRAZIL_ASSIGN_OR_RETURN(const auto gone, statements_.Select(removed, items));
    changes = Statements::UnionAll(changes, gone);
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto delta, statements_.Run(changes));
  FRAZIL_ASSIGN_OR_RETURN(const auto merged, Merge(kept.changes, statements_.Put(delta)));
  kept.changes = merged->As<plan::ArrowRowsNode>().data;
  const int64_t changed_rows = RowCount(*merged);
  const int64_t snapshot_rows = CountOf(*kept.rows);
  ++kept.deltas;
  if (kept.deltas < kMostDeltas && (changed_rows < kSmallChange || 2 * changed_rows < snapshot_rows)) {
    FRAZIL_RETURN_IF_ERROR(store_.SaveDelta(version, *delta->As<plan::ArrowRowsNode>().data));
  } else {
    FRAZIL_RETURN_IF_ERROR(SetRows());
    FRAZIL_ASSIGN_OR_RETURN(const auto rows, statements_.Run(rows_));
    FRAZIL_RETURN_IF_ERROR(store_.Save(version, rows->As<plan::ArrowRowsNode>().data));
    kept.changes = nullptr;
    kept.deltas = 0;
  }
  kept.count = count;
  kept.version = version;
  return {};
}

}  // namespace frazil::streaming
