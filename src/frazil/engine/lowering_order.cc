// The order of rows: ORDER BY, and the order in which rows leave a window.
//
// Spark sorts for a window and lets the rows out in that order, and its sorts keep the order of equal rows. DuckDB's
// windows put out partition after partition as they come, and its sorts do not keep the order of equal rows. So the
// rows get their position as the last key of every sort, as long as they are few: with many, Spark's own order depends
// on how its tasks share the rows, and numbering them would take the whole plan below down to one thread.

#include <algorithm>
#include <limits>

#include "frazil/engine/lowering.h"
#include "frazil/expressions/predicate.h"
#include "frazil/tables/partitioned_rows.h"

namespace frazil::engine {
namespace {

constexpr double kFewRows = 100'000;
constexpr double kManyRows = std::numeric_limits<double>::infinity();
// A file has at most about one row for so many bytes.
constexpr double kLeastRowBytes = 8;
// Rows that a generator makes of one row, and the rounds of a recursion: guesses.
constexpr double kGeneratedRows = 10, kRounds = 100;

double EstimateScan(const tables::TableScan& scan) {
  if (dynamic_cast<const tables::PartitionedRows*>(&scan) != nullptr) return kManyRows;
  if (scan.has_rows()) return 1;
  if (const auto rows = scan.estimated_row_count()) return static_cast<double>(*rows);
  const auto planned = scan.Plan(Predicate::True());
  if (!planned.ok()) return kManyRows;
  double rows = 0;
  for (const auto& file : planned->files) {
    if (file.size < 0 && file.record_count < 0) return kManyRows;
    rows += file.record_count >= 0 ? static_cast<double>(file.record_count)
                                   : static_cast<double>(file.size) / kLeastRowBytes;
  }
  return rows;
}

duckdb::OrderByNode AscendingBy(LoweredExpression key) {
  return duckdb::OrderByNode(duckdb::OrderType::ASCENDING, duckdb::OrderByNullType::NULLS_FIRST, std::move(key));
}

duckdb::vector<duckdb::OrderByNode> CopyOf(const duckdb::vector<duckdb::OrderByNode>& keys) {
  duckdb::vector<duckdb::OrderByNode> copy;
  for (const auto& key : keys) copy.emplace_back(key.type, key.null_order, key.expression->Copy());
  return copy;
}

// The keys by which the input of one window function must be sorted.
struct WindowSort {
  std::vector<std::string> partition_by;
  duckdb::vector<duckdb::OrderByNode> keys;
};

// Whether the partition keys of `upper` are the first ones of `lower`, in any order, and fewer.
bool IsCoarser(const WindowSort& upper, const WindowSort& lower) {
  const auto count = static_cast<std::ptrdiff_t>(upper.partition_by.size());
  return upper.partition_by.size() < lower.partition_by.size() &&
         std::is_permutation(upper.partition_by.begin(), upper.partition_by.end(), lower.partition_by.begin(),
                             lower.partition_by.begin() + count);
}

}  // namespace

double Lowering::EstimateRows(const plan::LogicalPlan& plan) {
  const auto known = estimated_rows_.find(&plan);
  if (known != estimated_rows_.end()) return known->second;
  estimated_rows_[&plan] = kRounds;  // For a recursion's reference to itself.
  double rows = 0;
  for (const auto& input : plan::Inputs(plan)) rows += EstimateRows(*input);
  switch (plan.kind) {
    case plan::LogicalKind::kScan:
      rows = EstimateScan(*plan.As<plan::ScanNode>().scan);
      break;
    case plan::LogicalKind::kRows:
      rows = static_cast<double>(plan.As<plan::RowsNode>().rows->rows.size());
      break;
    case plan::LogicalKind::kArrowRows:
      for (const auto& batch : plan.As<plan::ArrowRowsNode>().data->batches) {
        rows += static_cast<double>(batch.num_rows());
      }
      break;
    case plan::LogicalKind::kRange: {
      const auto& range = plan.As<plan::RangeNode>();
      rows = std::max(
          0.0, (static_cast<double>(range.end) - static_cast<double>(range.start)) / static_cast<double>(range.step));
      break;
    }
    case plan::LogicalKind::kOneRow:
      rows = 1;
      break;
    case plan::LogicalKind::kJoin: {
      const auto& join = plan.As<plan::JoinNode>();
      if (join.condition == nullptr) rows = EstimateRows(*join.left) * EstimateRows(*join.right);
      break;
    }
    case plan::LogicalKind::kLimit: {
      const auto& limit = plan.As<plan::LimitNode>().limit;
      if (limit.has_value()) rows = std::min(rows, static_cast<double>(*limit));
      break;
    }
    case plan::LogicalKind::kTail:
      rows = std::min(rows, static_cast<double>(plan.As<plan::TailNode>().limit));
      break;
    case plan::LogicalKind::kAggregate: {
      const auto& aggregate = plan.As<plan::AggregateNode>();
      if (aggregate.grouping.empty()) rows = 1;
      rows *= static_cast<double>(std::max<size_t>(1, aggregate.grouping_sets.size()));
      break;
    }
    case plan::LogicalKind::kGenerate:
      rows *= kGeneratedRows;
      break;
    case plan::LogicalKind::kUnpivot:
      rows *= static_cast<double>(plan.As<plan::UnpivotNode>().groups.size());
      break;
    case plan::LogicalKind::kWith: {
      // The definitions are looked at where they are referred to.
      rows = EstimateRows(*plan.As<plan::WithNode>().child);
      break;
    }
    case plan::LogicalKind::kCteReference: {
      const auto definition = cte_plans_.find(plan.As<plan::CteReferenceNode>().id);
      rows = definition == cte_plans_.end() ? kRounds : EstimateRows(*definition->second);
      break;
    }
    case plan::LogicalKind::kRecursiveCte:
      rows = EstimateRows(*plan.As<plan::RecursiveCteNode>().anchor) * kRounds;
      break;
    case plan::LogicalKind::kProject:
    case plan::LogicalKind::kFilter:
    case plan::LogicalKind::kSetOperation:
    case plan::LogicalKind::kSort:
    case plan::LogicalKind::kWindow:
    case plan::LogicalKind::kDistinct:
    case plan::LogicalKind::kDeduplicate:
    case plan::LogicalKind::kSample:
    case plan::LogicalKind::kRepartition:
    case plan::LogicalKind::kCollectMetrics:
      break;
  }
  estimated_rows_[&plan] = rows;
  return rows;
}

Result<Block> Lowering::LowerSort(const plan::SortNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  Block block = Open(std::move(child));
  auto order = duckdb::make_uniq<duckdb::OrderModifier>();
  OrderedRows ordered(*this);
  FRAZIL_ASSIGN_OR_RETURN(order->orders, LowerOrder(node.keys));
  if (order->orders.empty()) return block;
  if (EstimateRows(*node.child) <= kFewRows) order->orders.push_back(AscendingBy(RowPosition()));
  if (ordered.wanted()) {
    const auto names = block.columns;
    block = Select(ordered.Number(std::move(block)), PassThrough(names), true);
  }
  block.modifiers.push_back(std::move(order));
  return block;
}

namespace {

// Where the windows below could as well stand above this node's, Spark puts those with more partition keys there: one
// node for both, so that WindowOrder decides. Null where that is not so.
std::shared_ptr<plan::ProjectNode> WithWindowsBelow(const plan::WindowNode& node) {
  const auto* project =
      node.child->kind == plan::LogicalKind::kProject ? &node.child->As<plan::ProjectNode>() : nullptr;
  const auto& below = project == nullptr ? node.child : project->child;
  if (below->kind != plan::LogicalKind::kWindow) return nullptr;
  const auto& lower = below->As<plan::WindowNode>();
  std::set<AttributeId> available;
  for (const auto& attribute : lower.child->output) available.insert(attribute.id);
  for (const auto& upper_expression : node.windows) {
    const auto& upper = upper_expression->As<WindowExpression>();
    bool movable = true;
    VisitExpression(upper, [&](const Expression& part) {
      movable = movable && part.kind != ExpressionKind::kSubquery &&
                (part.kind != ExpressionKind::kColumn || available.count(part.As<ColumnExpression>().id) != 0);
      return movable;
    });
    for (const auto& lower_expression : lower.windows) {
      movable = movable && upper.partition_by.size() < lower_expression->As<WindowExpression>().partition_by.size();
    }
    if (!movable) return nullptr;
  }
  auto both = std::make_shared<plan::WindowNode>();
  both->child = lower.child;
  both->output = lower.output;
  both->windows = lower.windows;
  both->windows.insert(both->windows.end(), node.windows.begin(), node.windows.end());
  both->output.insert(both->output.end(), node.output.end() - static_cast<std::ptrdiff_t>(node.windows.size()),
                      node.output.end());
  auto result = std::make_shared<plan::ProjectNode>();
  result->child = both;
  result->output = node.output;
  for (size_t i = 0; i < node.output.size(); ++i) {
    const bool from_project = project != nullptr && i < project->expressions.size();
    result->expressions.push_back(from_project ? project->expressions[i] : MakeColumn(node.output[i]));
  }
  return result;
}

}  // namespace

Result<duckdb::vector<duckdb::OrderByNode>> Lowering::OrderWindows(const plan::WindowNode& node,
                                                                   const std::string& position) {
  // As Spark stacks its window operators: one for each specification in the order of their appearance, but those with
  // more partition keys above those whose keys are a part of them.
  struct Numbered {
    WindowSort sort;
    std::vector<const WindowExpression*> windows;
  };
  std::vector<Numbered> sorts;
  std::map<std::string, size_t> known;
  std::vector<const WindowExpression*> unsorted;
  for (const auto& expression : node.windows) {
    const auto& window = expression->As<WindowExpression>();
    WindowSort sort;
    for (const auto& key : window.partition_by) {
      FRAZIL_ASSIGN_OR_RETURN(auto lowered, Lower(*key));
      sort.partition_by.push_back(lowered->ToString());
    }
    std::vector<SortKey> order;
    for (const auto& key : window.partition_by) order.push_back(SortKey{key, true, true});
    order.insert(order.end(), window.order_by.begin(), window.order_by.end());
    FRAZIL_ASSIGN_OR_RETURN(sort.keys, LowerOrder(order));
    std::string text;
    for (auto& key : sort.keys) text += key.ToString() + ";";
    const auto [found, is_new] = known.emplace(text, sorts.size());
    if (is_new) sorts.push_back({std::move(sort), {}});
    sorts[found->second].windows.push_back(&window);
  }
  for (size_t end = sorts.size(); end > 1; --end) {
    for (size_t i = 0; i + 1 < end; ++i) {
      if (IsCoarser(sorts[i + 1].sort, sorts[i].sort)) std::swap(sorts[i], sorts[i + 1]);
    }
  }
  // Each sort keeps the order of the one before among rows that are equal for it.
  duckdb::vector<duckdb::OrderByNode> order;
  order.push_back(AscendingBy(ColumnRefOf(position)));
  for (auto& [sort, windows] : sorts) {
    for (const auto* window : windows) window_ties_[window] = CopyOf(order);
    auto keys = std::move(sort.keys);
    for (auto& key : order) keys.push_back(std::move(key));
    order = std::move(keys);
  }
  return order;
}

Result<Block> Lowering::LowerWindowNode(const plan::WindowNode& node) {
  const bool few = EstimateRows(*node.child) <= kFewRows;
  if (few) {
    if (const auto merged = WithWindowsBelow(node)) return LowerProject(*merged);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  Block input = Open(std::move(child));
  auto outputs = input.columns;
  duckdb::vector<duckdb::OrderByNode> orders;
  if (few) {
    const std::string position = FreshName();
    FRAZIL_ASSIGN_OR_RETURN(orders, OrderWindows(node, position));
    input = Numbered(std::move(input), position);
  }
  auto columns = PassThrough(input.columns);
  const size_t first = node.output.size() - node.windows.size();
  for (size_t i = 0; i < node.windows.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*node.windows[i]));
    outputs.push_back(ColumnName(node.output[first + i].id));
    columns.emplace_back(outputs.back(), std::move(value));
  }
  Block block = Select(std::move(input), std::move(columns), true);
  if (!few) return block;
  auto order = duckdb::make_uniq<duckdb::OrderModifier>();
  order->orders = std::move(orders);
  block = Select(Wrap(std::move(block)), PassThrough(outputs), true);
  block.modifiers.push_back(std::move(order));
  return block;
}

}  // namespace frazil::engine
