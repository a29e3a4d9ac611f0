// EXPLAIN's text. Spark's own text shows its physical operators; ours has the same shape (names of the logical
// operators, columns as name#id).

#include "frazil/plan/explain.h"

#include <functional>
#include <map>

namespace frazil::plan {
namespace {

std::string ColumnText(const Attribute& attribute) {
  std::string text = attribute.name + "#" + std::to_string(attribute.id);
  if (attribute.type->id() == TypeId::kLong) text += "L";
  return text;
}

std::string ListText(const std::vector<std::string>& parts) {
  std::string text = "[";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += ", ";
    text += parts[i];
  }
  return text + "]";
}

std::string OutputText(const std::vector<Attribute>& output) {
  std::vector<std::string> parts;
  for (const auto& attribute : output) parts.push_back(ColumnText(attribute));
  return ListText(parts);
}

std::string ExpressionsText(const std::vector<ExpressionPtr>& expressions) {
  std::vector<std::string> parts;
  for (const auto& expression : expressions) parts.push_back(expression->sql);
  return ListText(parts);
}

std::string KeysText(const std::vector<SortKey>& keys) {
  std::vector<std::string> parts;
  for (const auto& key : keys) {
    parts.push_back(key.expression->sql + (key.ascending ? " ASC" : " DESC") +
                    (key.nulls_first ? " NULLS FIRST" : " NULLS LAST"));
  }
  return ListText(parts);
}

const char* JoinText(JoinType type) {
  switch (type) {
    case JoinType::kInner:
      return "Inner";
    case JoinType::kCross:
      return "Cross";
    case JoinType::kLeftOuter:
      return "LeftOuter";
    case JoinType::kRightOuter:
      return "RightOuter";
    case JoinType::kFullOuter:
      return "FullOuter";
    case JoinType::kLeftSemi:
      return "LeftSemi";
    case JoinType::kLeftAnti:
      return "LeftAnti";
  }
  return "";
}

std::string SetOperationText(const SetOperationNode& node) {
  switch (node.type) {
    case SetOperationType::kUnion:
      return node.all ? "Union" : "Union distinct";
    case SetOperationType::kIntersect:
      return node.all ? "Intersect All" : "Intersect";
    case SetOperationType::kExcept:
      return node.all ? "Except All" : "Except";
  }
  return "";
}

std::string ProjectText(const ProjectNode& node) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < node.expressions.size(); ++i) {
    const auto& expression = *node.expressions[i];
    const bool is_column =
        expression.kind == ExpressionKind::kColumn && expression.As<ColumnExpression>().id == node.output[i].id;
    parts.push_back(is_column ? ColumnText(node.output[i]) : expression.sql + " AS " + ColumnText(node.output[i]));
  }
  return "Project " + ListText(parts);
}

std::string NodeText(const LogicalPlan& plan) {
  switch (plan.kind) {
    case LogicalKind::kScan:
      return "Scan " + plan.As<ScanNode>().table_name + OutputText(plan.output);
    case LogicalKind::kRows:
    case LogicalKind::kArrowRows:
      return "LocalRelation " + OutputText(plan.output);
    case LogicalKind::kRange: {
      const auto& range = plan.As<RangeNode>();
      return "Range (" + std::to_string(range.start) + ", " + std::to_string(range.end) +
             ", step=" + std::to_string(range.step) + ")";
    }
    case LogicalKind::kOneRow:
      return "OneRowRelation";
    case LogicalKind::kProject:
      return ProjectText(plan.As<ProjectNode>());
    case LogicalKind::kFilter:
      return "Filter " + plan.As<FilterNode>().condition->sql;
    case LogicalKind::kJoin: {
      const auto& join = plan.As<JoinNode>();
      return std::string(join.is_lateral ? "LateralJoin " : "Join ") + JoinText(join.type) +
             (join.condition ? ", " + join.condition->sql : "");
    }
    case LogicalKind::kSetOperation:
      return SetOperationText(plan.As<SetOperationNode>());
    case LogicalKind::kSort:
      return "Sort " + KeysText(plan.As<SortNode>().keys) + ", true";
    case LogicalKind::kLimit: {
      const auto& limit = plan.As<LimitNode>();
      std::string text =
          limit.limit ? "GlobalLimit " + std::to_string(*limit.limit) : "Offset " + std::to_string(limit.offset);
      if (limit.limit && limit.offset > 0) text += ", Offset " + std::to_string(limit.offset);
      return text;
    }
    case LogicalKind::kTail:
      return "Tail " + std::to_string(plan.As<TailNode>().limit);
    case LogicalKind::kAggregate: {
      const auto& aggregate = plan.As<AggregateNode>();
      return "Aggregate " + ExpressionsText(aggregate.grouping) + ", " + ExpressionsText(aggregate.aggregates);
    }
    case LogicalKind::kWindow:
      return "Window " + ExpressionsText(plan.As<WindowNode>().windows);
    case LogicalKind::kGenerate: {
      const auto& generate = plan.As<GenerateNode>();
      return "Generate " + generate.generator + ExpressionsText(generate.arguments) + (generate.outer ? ", outer" : "");
    }
    case LogicalKind::kDistinct:
      return "Distinct";
    case LogicalKind::kDeduplicate:
      return "Deduplicate";
    case LogicalKind::kSample: {
      const auto& sample = plan.As<SampleNode>();
      return "Sample " + std::to_string(sample.lower_bound) + ", " + std::to_string(sample.upper_bound) + ", " +
             (sample.with_replacement ? "true" : "false") + ", " + std::to_string(sample.seed);
    }
    case LogicalKind::kRepartition: {
      const auto& repartition = plan.As<RepartitionNode>();
      return "Repartition " +
             (repartition.partitions ? std::to_string(*repartition.partitions) + ", " : std::string()) +
             ExpressionsText(repartition.expressions);
    }
    case LogicalKind::kWith:
      return "WithCTE";
    case LogicalKind::kCteReference:
      return "CTERelationRef " + std::to_string(plan.As<CteReferenceNode>().id) + ", " + OutputText(plan.output);
    case LogicalKind::kRecursiveCte:
      return "UnionLoop " + std::to_string(plan.As<RecursiveCteNode>().id);
    case LogicalKind::kUnpivot:
      return "Expand " + OutputText(plan.output);
    case LogicalKind::kCollectMetrics:
      return "CollectMetrics " + plan.As<CollectMetricsNode>().name + ", " +
             ExpressionsText(plan.As<CollectMetricsNode>().metrics);
  }
  return "";
}

void AppendSubqueries(const Expression& expression, std::vector<LogicalPlanPtr>* plans) {
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kSubquery) {
      plans->push_back(std::static_pointer_cast<const LogicalPlan>(part.As<SubqueryExpression>().plan));
    }
    return true;
  });
}

// The inputs of a node, and behind them the plans of the subqueries in its expressions.
std::vector<LogicalPlanPtr> Children(const LogicalPlan& plan) {
  auto children = Inputs(plan);
  for (const auto& expression : NodeExpressions(plan)) AppendSubqueries(*expression, &children);
  return children;
}

using NodeLine = std::function<std::string(const LogicalPlan&)>;

// `prefix` stands in front of the children's lines: Spark's tree drawing with "+- " for the last child and ":- " for
// the others.
void AppendTree(const LogicalPlan& plan, const std::string& first_prefix, const std::string& prefix,
                const NodeLine& line, std::string* text) {
  *text += first_prefix + line(plan) + "\n";
  const auto children = Children(plan);
  for (size_t i = 0; i < children.size(); ++i) {
    const bool last = i + 1 == children.size();
    AppendTree(*children[i], prefix + (last ? "+- " : ":- "), prefix + (last ? "   " : ":  "), line, text);
  }
}

// "Filter (a > 1)" -> {"Filter", "(a > 1)"}.
std::pair<std::string, std::string> NameAndArguments(const LogicalPlan& plan) {
  const std::string text = NodeText(plan);
  const size_t end = std::min(text.find(' '), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

// The inputs come before what they go into, as Spark numbers its operators.
void Number(const LogicalPlan& plan, std::map<const LogicalPlan*, size_t>* numbers,
            std::vector<const LogicalPlan*>* order) {
  for (const auto& child : Children(plan)) Number(*child, numbers, order);
  if (numbers->emplace(&plan, order->size() + 1).second) order->push_back(&plan);
}

std::string ColumnsLine(const std::string& name, const std::vector<Attribute>& columns) {
  return name + " [" + std::to_string(columns.size()) + "]: " + OutputText(columns) + "\n";
}

}  // namespace

std::string FormattedExplainString(const LogicalPlan& plan) {
  std::map<const LogicalPlan*, size_t> numbers;
  std::vector<const LogicalPlan*> order;
  Number(plan, &numbers, &order);
  const auto title = [&](const LogicalPlan& node) {
    return NameAndArguments(node).first + " (" + std::to_string(numbers.at(&node)) + ")";
  };
  std::string text;
  AppendTree(plan, "", "", title, &text);
  text += "\n";
  for (const auto* node : order) {
    const auto [name, arguments] = NameAndArguments(*node);
    text += "\n(" + std::to_string(numbers.at(node)) + ") " + name + "\n";
    for (const auto& child : Inputs(*node)) text += ColumnsLine("Input", child->output);
    text += ColumnsLine("Output", node->output);
    if (!arguments.empty()) text += "Arguments: " + arguments + "\n";
  }
  return text;
}

std::string ExplainString(const LogicalPlan& plan, bool verbose) {
  const auto line = [verbose](const LogicalPlan& node) {
    return NodeText(node) + (verbose ? "  Output" + OutputText(node.output) : "");
  };
  std::string text;
  AppendTree(plan, "", "", line, &text);
  return text;
}

}  // namespace frazil::plan
