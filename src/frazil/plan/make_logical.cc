#include "frazil/plan/make_logical.h"

#include <utility>

namespace frazil::plan {
namespace {

void AppendNullable(const std::vector<Attribute>& attributes, bool make_nullable, std::vector<Attribute>* output) {
  for (const auto& attribute : attributes) {
    output->push_back(attribute);
    if (make_nullable) output->back().nullable = true;
  }
}

std::vector<Attribute> JoinOutput(const LogicalPlan& left, const LogicalPlan& right, JoinType type) {
  std::vector<Attribute> output;
  AppendNullable(left.output, type == JoinType::kRightOuter || type == JoinType::kFullOuter, &output);
  if (type != JoinType::kLeftSemi && type != JoinType::kLeftAnti) {
    AppendNullable(right.output, type == JoinType::kLeftOuter || type == JoinType::kFullOuter, &output);
  }
  return output;
}

// The columns that a node adds behind those of its input.
std::vector<Attribute> WithAdded(const std::vector<Attribute>& input, const std::vector<Attribute>& old_output,
                                 size_t added) {
  std::vector<Attribute> output = input;
  output.insert(output.end(), old_output.end() - static_cast<std::ptrdiff_t>(added), old_output.end());
  return output;
}

template <typename T>
std::shared_ptr<T> CopyNode(const LogicalPlan& plan) {
  return std::make_shared<T>(plan.As<T>());
}

// A copy whose only input is `child` and whose output is that of the child.
template <typename T>
LogicalPlanPtr PassThrough(const LogicalPlan& plan, LogicalPlanPtr child) {
  auto copy = CopyNode<T>(plan);
  copy->output = child->output;
  copy->child = std::move(child);
  return copy;
}

template <typename T>
LogicalPlanPtr WithChild(const LogicalPlan& plan, LogicalPlanPtr child) {
  auto copy = CopyNode<T>(plan);
  copy->child = std::move(child);
  return copy;
}

}  // namespace

LogicalPlanPtr MakeProject(LogicalPlanPtr child, std::vector<ExpressionPtr> expressions,
                           std::vector<Attribute> output) {
  auto node = std::make_shared<ProjectNode>();
  node->child = std::move(child);
  node->expressions = std::move(expressions);
  node->output = std::move(output);
  return node;
}

LogicalPlanPtr MakeColumnProject(LogicalPlanPtr child, const std::vector<Attribute>& columns) {
  std::vector<ExpressionPtr> expressions;
  expressions.reserve(columns.size());
  for (const auto& column : columns) expressions.push_back(MakeColumn(column));
  return MakeProject(std::move(child), std::move(expressions), columns);
}

LogicalPlanPtr MakeFilter(LogicalPlanPtr child, ExpressionPtr condition) {
  auto node = std::make_shared<FilterNode>();
  node->output = child->output;
  node->child = std::move(child);
  node->condition = std::move(condition);
  return node;
}

LogicalPlanPtr MakeJoin(LogicalPlanPtr left, LogicalPlanPtr right, JoinType type, ExpressionPtr condition,
                        bool is_lateral) {
  auto node = std::make_shared<JoinNode>();
  node->output = JoinOutput(*left, *right, type);
  node->left = std::move(left);
  node->right = std::move(right);
  node->type = type;
  node->condition = std::move(condition);
  node->is_lateral = is_lateral;
  return node;
}

LogicalPlanPtr MakeSort(LogicalPlanPtr child, std::vector<SortKey> keys) {
  auto node = std::make_shared<SortNode>();
  node->output = child->output;
  node->child = std::move(child);
  node->keys = std::move(keys);
  return node;
}

LogicalPlanPtr MakeLimit(LogicalPlanPtr child, std::optional<int64_t> limit, int64_t offset) {
  auto node = std::make_shared<LimitNode>();
  node->output = child->output;
  node->child = std::move(child);
  node->limit = limit;
  node->offset = offset;
  return node;
}

LogicalPlanPtr MakeDistinct(LogicalPlanPtr child) {
  auto node = std::make_shared<DistinctNode>();
  node->output = child->output;
  node->child = std::move(child);
  return node;
}

LogicalPlanPtr MakeOneRow() { return std::make_shared<OneRowNode>(); }

LogicalPlanPtr MakeRows(std::shared_ptr<const RowSet> rows, std::vector<Attribute> output) {
  auto node = std::make_shared<RowsNode>();
  node->rows = std::move(rows);
  node->output = std::move(output);
  return node;
}

LogicalPlanPtr MakeAggregate(LogicalPlanPtr child, std::vector<ExpressionPtr> grouping,
                             std::vector<ExpressionPtr> aggregates, std::vector<std::vector<size_t>> grouping_sets,
                             std::vector<Attribute> output) {
  auto node = std::make_shared<AggregateNode>();
  node->child = std::move(child);
  node->grouping = std::move(grouping);
  node->aggregates = std::move(aggregates);
  node->grouping_sets = std::move(grouping_sets);
  node->output = std::move(output);
  return node;
}

LogicalPlanPtr MakeWindow(LogicalPlanPtr child, std::vector<ExpressionPtr> windows, std::vector<Attribute> added) {
  auto node = std::make_shared<WindowNode>();
  node->output = child->output;
  node->output.insert(node->output.end(), added.begin(), added.end());
  node->child = std::move(child);
  node->windows = std::move(windows);
  return node;
}

LogicalPlanPtr WithInputs(const LogicalPlan& plan, std::vector<LogicalPlanPtr> inputs) {
  switch (plan.kind) {
    case LogicalKind::kScan:
      return CopyNode<ScanNode>(plan);
    case LogicalKind::kRows:
      return CopyNode<RowsNode>(plan);
    case LogicalKind::kArrowRows:
      return CopyNode<ArrowRowsNode>(plan);
    case LogicalKind::kRange:
      return CopyNode<RangeNode>(plan);
    case LogicalKind::kOneRow:
      return CopyNode<OneRowNode>(plan);
    case LogicalKind::kCteReference:
      return CopyNode<CteReferenceNode>(plan);
    case LogicalKind::kProject:
      return WithChild<ProjectNode>(plan, std::move(inputs[0]));
    case LogicalKind::kAggregate:
      return WithChild<AggregateNode>(plan, std::move(inputs[0]));
    case LogicalKind::kUnpivot:
      return WithChild<UnpivotNode>(plan, std::move(inputs[0]));
    case LogicalKind::kFilter:
      return PassThrough<FilterNode>(plan, std::move(inputs[0]));
    case LogicalKind::kSort:
      return PassThrough<SortNode>(plan, std::move(inputs[0]));
    case LogicalKind::kLimit:
      return PassThrough<LimitNode>(plan, std::move(inputs[0]));
    case LogicalKind::kTail:
      return PassThrough<TailNode>(plan, std::move(inputs[0]));
    case LogicalKind::kDistinct:
      return PassThrough<DistinctNode>(plan, std::move(inputs[0]));
    case LogicalKind::kDeduplicate:
      return PassThrough<DeduplicateNode>(plan, std::move(inputs[0]));
    case LogicalKind::kSample:
      return PassThrough<SampleNode>(plan, std::move(inputs[0]));
    case LogicalKind::kRepartition:
      return PassThrough<RepartitionNode>(plan, std::move(inputs[0]));
    case LogicalKind::kCollectMetrics:
      return PassThrough<CollectMetricsNode>(plan, std::move(inputs[0]));
    case LogicalKind::kWindow: {
      auto copy = CopyNode<WindowNode>(plan);
      copy->output = WithAdded(inputs[0]->output, plan.output, copy->windows.size());
      copy->child = std::move(inputs[0]);
      return copy;
    }
    case LogicalKind::kGenerate: {
      auto copy = CopyNode<GenerateNode>(plan);
      copy->output = WithAdded(inputs[0]->output, plan.output, copy->generated_columns);
      copy->child = std::move(inputs[0]);
      return copy;
    }
    case LogicalKind::kJoin: {
      auto copy = CopyNode<JoinNode>(plan);
      copy->output = JoinOutput(*inputs[0], *inputs[1], copy->type);
      copy->left = std::move(inputs[0]);
      copy->right = std::move(inputs[1]);
      return copy;
    }
    case LogicalKind::kSetOperation: {
      auto copy = CopyNode<SetOperationNode>(plan);
      copy->inputs = std::move(inputs);
      return copy;
    }
    case LogicalKind::kWith: {
      auto copy = CopyNode<WithNode>(plan);
      for (size_t i = 0; i < copy->definitions.size(); ++i) copy->definitions[i].plan = std::move(inputs[i]);
      copy->child = std::move(inputs.back());
      copy->output = copy->child->output;
      return copy;
    }
    case LogicalKind::kRecursiveCte: {
      auto copy = CopyNode<RecursiveCteNode>(plan);
      copy->anchor = std::move(inputs[0]);
      copy->recursive = std::move(inputs[1]);
      return copy;
    }
  }
  return nullptr;
}

}  // namespace frazil::plan
