#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::LogicalPlan;
using plan::LogicalPlanPtr;

ExpressionPtr TransformExpression(const ExpressionPtr& expression,
                                  const std::function<ExpressionPtr(const ExpressionPtr&)>& replace) {
  if (auto replacement = replace(expression)) return replacement;
  auto children = Children(*expression);
  bool changed = false;
  for (auto& child : children) {
    auto transformed = TransformExpression(child, replace);
    changed = changed || transformed != child;
    child = std::move(transformed);
  }
  return changed ? WithChildren(*expression, std::move(children)) : expression;
}

Result<ExpressionPtr> TryTransformExpression(
    const ExpressionPtr& expression, const std::function<Result<ExpressionPtr>(const ExpressionPtr&)>& replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto replacement, replace(expression));
  if (replacement != nullptr) return replacement;
  auto children = Children(*expression);
  bool changed = false;
  for (auto& child : children) {
    FRAZIL_ASSIGN_OR_RETURN(auto transformed, TryTransformExpression(child, replace));
    changed = changed || transformed != child;
    child = std::move(transformed);
  }
  if (!changed) return expression;
  return WithChildren(*expression, std::move(children));
}

namespace {

// Writes the text that MeaningOf returns.
class MeaningWriter {
 public:
  std::string Take() { return std::move(text_); }

  void Write(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::kLiteral: {
        const auto& literal = expression.As<LiteralExpression>();
        text_ += "lit(" + literal.type->SimpleString() + ":";
        text_ += literal.value.is_null() ? std::string("null") : LiteralSql(*literal.type, literal.value);
        text_ += ")";
        return;
      }
      case ExpressionKind::kColumn: {
        const auto made = plan_columns_.find(expression.As<ColumnExpression>().id);
        text_ += made == plan_columns_.end() ? "#" + std::to_string(expression.As<ColumnExpression>().id)
                                             : "%" + std::to_string(made->second);
        return;
      }
      case ExpressionKind::kLambdaVariable: {
        const auto found = variables_.find(expression.As<LambdaVariableExpression>().id);
        text_ += "$" + std::to_string(found == variables_.end() ? expression.As<LambdaVariableExpression>().id
                                                                : found->second);
        return;
      }
      case ExpressionKind::kLambda: {
        const auto& lambda = expression.As<LambdaExpression>();
        for (const auto& parameter : lambda.parameters) variables_.emplace(parameter->id, variables_.size());
        text_ += "lambda";
        break;
      }
      case ExpressionKind::kCall: {
        const auto& call = expression.As<CallExpression>();
        text_ += call.function + "/" + std::to_string(static_cast<int>(call.mode));
        // The result type tells apart what the arguments alone do not (schemas, formats).
        text_ += ":" + call.type->SimpleString();
        if (call.arguments.size() == 2 && IsCommutative(call.function)) {
          WriteUnordered(call.arguments);
          return;
        }
        break;
      }
      case ExpressionKind::kCast:
        text_ += "cast/" + std::to_string(static_cast<int>(expression.As<CastExpression>().mode)) + ":" +
                 expression.type->SimpleString();
        break;
      case ExpressionKind::kSubquery: {
        const auto& subquery = expression.As<SubqueryExpression>();
        text_ += "subquery" + std::to_string(static_cast<int>(subquery.subquery_kind)) + "{";
        WritePlan(static_cast<const LogicalPlan&>(*subquery.plan));
        text_ += "}";
        break;
      }
      case ExpressionKind::kAggregate: {
        const auto& aggregate = expression.As<AggregateExpression>();
        text_ += "agg:" + aggregate.function + (aggregate.distinct ? " distinct" : "") +
                 (aggregate.ignore_nulls ? " ignore" : "") + (aggregate.filter ? " filter" : "") + "/" +
                 std::to_string(static_cast<int>(aggregate.mode)) + ":" + aggregate.type->SimpleString();
        WriteOrder(aggregate.order_by);
        break;
      }
      case ExpressionKind::kWindow: {
        const auto& window = expression.As<WindowExpression>();
        text_ += "window:" + window.function + (window.distinct ? " distinct" : "") +
                 (window.ignore_nulls ? " ignore" : "") + (window.filter ? " filter" : "") + " a" +
                 std::to_string(window.arguments.size()) + " p" + std::to_string(window.partition_by.size()) + " f" +
                 std::to_string(static_cast<int>(window.frame.type)) +
                 std::to_string(static_cast<int>(window.frame.start.type)) +
                 std::to_string(static_cast<int>(window.frame.end.type));
        WriteOrder(window.order_by);
        break;
      }
    }
    text_ += "(";
    for (const auto& child : Children(expression)) {
      Write(*child);
      text_ += ",";
    }
    text_ += ")";
  }

 private:
  void WriteOrder(const std::vector<SortKey>& keys) {
    for (const auto& key : keys) text_ += std::string(key.ascending ? " asc" : " desc") + (key.nulls_first ? "f" : "l");
  }

  static bool IsCommutative(const std::string& function) {
    static constexpr std::string_view kNames[] = {
        "add", "multiply", "and", "or", "equal", "null_safe_equal", "bitwise_and", "bitwise_or", "bitwise_xor"};
    return std::find(std::begin(kNames), std::end(kNames), function) != std::end(kNames);
  }

  // a + b means the same as b + a.
  void WriteUnordered(const std::vector<ExpressionPtr>& operands) {
    std::vector<std::string> texts;
    for (const auto& operand : operands) {
      const std::string before = std::exchange(text_, {});
      Write(*operand);
      texts.push_back(std::exchange(text_, before));
    }
    std::sort(texts.begin(), texts.end());
    text_ += "(";
    for (const auto& text : texts) text_ += text + ",";
    text_ += ")";
  }

  // Columns that the plan makes itself are numbered as they come.
  void WritePlan(const LogicalPlan& plan) {
    text_ += "<" + std::to_string(static_cast<int>(plan.kind));
    for (const auto& input : plan::Inputs(plan)) WritePlan(*input);
    WriteParameters(plan);
    for (const auto& expression : plan::NodeExpressions(plan)) {
      Write(*expression);
      text_ += ";";
    }
    for (const auto& attribute : plan.output) {
      plan_columns_.emplace(attribute.id, plan_columns_.size());
      text_ += "%" + std::to_string(plan_columns_[attribute.id]);
    }
    text_ += ">";
  }

  // What a node says beside its inputs and expressions.
  void WriteParameters(const LogicalPlan& plan) {
    switch (plan.kind) {
      case plan::LogicalKind::kScan: {
        const auto& scan = plan.As<plan::ScanNode>();
        text_ += scan.table_name;
        for (const auto& column : scan.columns) text_ += "," + std::to_string(column.index) + column.metadata_name;
        return;
      }
      case plan::LogicalKind::kRows:
        for (const auto& row : plan.As<plan::RowsNode>().rows->rows) {
          for (size_t i = 0; i < row.size(); ++i) {
            text_ += row[i].is_null() ? std::string("null") : LiteralSql(*plan.output[i].type, row[i]);
            text_ += ",";
          }
        }
        return;
      case plan::LogicalKind::kArrowRows:
        text_ += std::to_string(reinterpret_cast<uintptr_t>(plan.As<plan::ArrowRowsNode>().data.get()));
        return;
      case plan::LogicalKind::kRange: {
        const auto& range = plan.As<plan::RangeNode>();
        text_ += std::to_string(range.start) + "," + std::to_string(range.end) + "," + std::to_string(range.step);
        return;
      }
      case plan::LogicalKind::kJoin:
        text_ += std::to_string(static_cast<int>(plan.As<plan::JoinNode>().type)) +
                 (plan.As<plan::JoinNode>().is_lateral ? "l" : "");
        return;
      case plan::LogicalKind::kSetOperation:
        text_ += std::to_string(static_cast<int>(plan.As<plan::SetOperationNode>().type)) +
                 (plan.As<plan::SetOperationNode>().all ? "a" : "");
        return;
      case plan::LogicalKind::kSort:
        WriteOrder(plan.As<plan::SortNode>().keys);
        return;
      case plan::LogicalKind::kLimit:
        text_ += std::to_string(plan.As<plan::LimitNode>().limit.value_or(-1)) + "," +
                 std::to_string(plan.As<plan::LimitNode>().offset);
        return;
      case plan::LogicalKind::kTail:
        text_ += std::to_string(plan.As<plan::TailNode>().limit);
        return;
      case plan::LogicalKind::kAggregate:
        text_ += std::to_string(plan.As<plan::AggregateNode>().grouping.size());
        for (const auto& set : plan.As<plan::AggregateNode>().grouping_sets) {
          text_ += "|";
          for (const size_t index : set) text_ += std::to_string(index) + ",";
        }
        return;
      case plan::LogicalKind::kGenerate:
        text_ += plan.As<plan::GenerateNode>().generator + (plan.As<plan::GenerateNode>().outer ? "o" : "");
        return;
      case plan::LogicalKind::kCteReference:
        text_ += std::to_string(plan.As<plan::CteReferenceNode>().id);
        return;
      case plan::LogicalKind::kSample:
        // Never the same twice.
        text_ += std::to_string(reinterpret_cast<uintptr_t>(&plan));
        return;
      case plan::LogicalKind::kRecursiveCte:
        text_ += std::to_string(plan.As<plan::RecursiveCteNode>().id);
        return;
      case plan::LogicalKind::kUnpivot:
        for (const auto& group : plan.As<plan::UnpivotNode>().groups) text_ += group.name + ",";
        return;
      case plan::LogicalKind::kDeduplicate:
        text_ += std::to_string(plan.As<plan::DeduplicateNode>().keys.size());
        return;
      case plan::LogicalKind::kOneRow:
      case plan::LogicalKind::kProject:
      case plan::LogicalKind::kFilter:
      case plan::LogicalKind::kWindow:
      case plan::LogicalKind::kDistinct:
      case plan::LogicalKind::kRepartition:
      case plan::LogicalKind::kWith:
      case plan::LogicalKind::kCollectMetrics:
        return;
    }
  }

  std::string text_;
  std::map<AttributeId, size_t> variables_;
  std::map<AttributeId, size_t> plan_columns_;
};

void CollectOuter(const LogicalPlan& plan, std::set<AttributeId>* used, std::set<AttributeId>* made) {
  for (const auto& attribute : plan.output) made->insert(attribute.id);
  for (const auto& expression : plan::NodeExpressions(plan)) {
    for (const AttributeId id : ReferencedColumns(*expression)) used->insert(id);
  }
  for (const auto& input : plan::Inputs(plan)) CollectOuter(*input, used, made);
}

LogicalPlanPtr SubstituteInPlan(const LogicalPlanPtr& plan, const std::map<AttributeId, ExpressionPtr>& columns);

}  // namespace

std::string MeaningOf(const Expression& expression) {
  MeaningWriter writer;
  writer.Write(expression);
  return writer.Take();
}

bool ContainsKind(const Expression& expression, ExpressionKind kind) {
  bool found = false;
  VisitExpression(expression, [&](const Expression& part) {
    found = found || part.kind == kind;
    return !found;
  });
  return found;
}

std::vector<AttributeId> ReferencedColumns(const Expression& expression) {
  std::vector<AttributeId> ids;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kColumn) ids.push_back(part.As<ColumnExpression>().id);
    if (part.kind == ExpressionKind::kSubquery) {
      const auto outer = OuterReferences(static_cast<const LogicalPlan&>(*part.As<SubqueryExpression>().plan));
      ids.insert(ids.end(), outer.begin(), outer.end());
    }
    return true;
  });
  return ids;
}

std::vector<AttributeId> OuterReferences(const LogicalPlan& plan) {
  std::set<AttributeId> used, made;
  CollectOuter(plan, &used, &made);
  std::vector<AttributeId> outer;
  std::set_difference(used.begin(), used.end(), made.begin(), made.end(), std::back_inserter(outer));
  return outer;
}

bool IsNondeterministic(const Expression& expression) {
  bool found = false;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kCall)
      found = found || plan::IsNondeterministicFunction(part.As<CallExpression>().function);
    return !found;
  });
  return found;
}

ExpressionPtr SubstituteColumns(const ExpressionPtr& expression, const std::map<AttributeId, ExpressionPtr>& columns) {
  return TransformExpression(expression, [&](const ExpressionPtr& part) -> ExpressionPtr {
    if (part->kind == ExpressionKind::kColumn) {
      const auto found = columns.find(part->As<ColumnExpression>().id);
      return found == columns.end() ? nullptr : found->second;
    }
    if (part->kind == ExpressionKind::kSubquery) {
      const auto& subquery = part->As<SubqueryExpression>();
      auto old_plan = std::static_pointer_cast<const LogicalPlan>(subquery.plan);
      auto new_plan = SubstituteInPlan(old_plan, columns);
      if (new_plan == old_plan) return nullptr;
      auto copy = std::make_shared<SubqueryExpression>(subquery);
      copy->plan = new_plan;
      for (auto& value : copy->values) value = SubstituteColumns(value, columns);
      return copy;
    }
    return nullptr;
  });
}

namespace {

// Applies `change` to every expression of a copy of the node.
void ChangeKeys(std::vector<SortKey>* keys, const std::map<AttributeId, ExpressionPtr>& columns) {
  for (auto& key : *keys) key.expression = SubstituteColumns(key.expression, columns);
}
void ChangeAll(std::vector<ExpressionPtr>* expressions, const std::map<AttributeId, ExpressionPtr>& columns) {
  for (auto& expression : *expressions) expression = SubstituteColumns(expression, columns);
}

LogicalPlanPtr SubstituteInNode(const LogicalPlanPtr& plan, const std::map<AttributeId, ExpressionPtr>& columns) {
  using namespace frazil::plan;  // NOLINT: node names only
  switch (plan->kind) {
    case LogicalKind::kProject: {
      auto copy = std::make_shared<ProjectNode>(plan->As<ProjectNode>());
      ChangeAll(&copy->expressions, columns);
      return copy;
    }
    case LogicalKind::kFilter: {
      auto copy = std::make_shared<FilterNode>(plan->As<FilterNode>());
      copy->condition = SubstituteColumns(copy->condition, columns);
      return copy;
    }
    case LogicalKind::kJoin: {
      auto copy = std::make_shared<JoinNode>(plan->As<JoinNode>());
      if (copy->condition != nullptr) copy->condition = SubstituteColumns(copy->condition, columns);
      return copy;
    }
    case LogicalKind::kSort: {
      auto copy = std::make_shared<SortNode>(plan->As<SortNode>());
      ChangeKeys(&copy->keys, columns);
      return copy;
    }
    case LogicalKind::kAggregate: {
      auto copy = std::make_shared<AggregateNode>(plan->As<AggregateNode>());
      ChangeAll(&copy->grouping, columns);
      ChangeAll(&copy->aggregates, columns);
      return copy;
    }
    case LogicalKind::kWindow: {
      auto copy = std::make_shared<WindowNode>(plan->As<WindowNode>());
      ChangeAll(&copy->windows, columns);
      return copy;
    }
    case LogicalKind::kGenerate: {
      auto copy = std::make_shared<GenerateNode>(plan->As<GenerateNode>());
      ChangeAll(&copy->arguments, columns);
      return copy;
    }
    case LogicalKind::kUnpivot: {
      auto copy = std::make_shared<UnpivotNode>(plan->As<UnpivotNode>());
      ChangeAll(&copy->ids, columns);
      for (auto& group : copy->groups) ChangeAll(&group.values, columns);
      return copy;
    }
    case LogicalKind::kRepartition: {
      auto copy = std::make_shared<RepartitionNode>(plan->As<RepartitionNode>());
      ChangeAll(&copy->expressions, columns);
      return copy;
    }
    case LogicalKind::kCollectMetrics: {
      auto copy = std::make_shared<CollectMetricsNode>(plan->As<CollectMetricsNode>());
      ChangeAll(&copy->metrics, columns);
      return copy;
    }
    case LogicalKind::kScan:
    case LogicalKind::kRows:
    case LogicalKind::kArrowRows:
    case LogicalKind::kRange:
    case LogicalKind::kOneRow:
    case LogicalKind::kSetOperation:
    case LogicalKind::kLimit:
    case LogicalKind::kTail:
    case LogicalKind::kDistinct:
    case LogicalKind::kDeduplicate:
    case LogicalKind::kSample:
    case LogicalKind::kWith:
    case LogicalKind::kCteReference:
    case LogicalKind::kRecursiveCte:
      return plan;
  }
  return plan;
}

LogicalPlanPtr SubstituteInPlan(const LogicalPlanPtr& plan, const std::map<AttributeId, ExpressionPtr>& columns) {
  bool concerned = false;
  for (const AttributeId id : OuterReferences(*plan)) concerned = concerned || columns.count(id) > 0;
  if (!concerned) return plan;
  std::map<AttributeId, ExpressionPtr> outer;
  for (const auto& [id, expression] : columns) {
    outer[id] = TransformExpression(expression, [](const ExpressionPtr& part) -> ExpressionPtr {
      if (part->kind != ExpressionKind::kColumn || part->As<ColumnExpression>().is_outer) return nullptr;
      auto copy = std::make_shared<ColumnExpression>(part->As<ColumnExpression>());
      copy->is_outer = true;
      return copy;
    });
  }
  const std::function<LogicalPlanPtr(const LogicalPlanPtr&)> walk = [&](const LogicalPlanPtr& node) {
    auto inputs = plan::Inputs(*node);
    for (auto& input : inputs) input = walk(input);
    return SubstituteInNode(plan::WithInputs(*node, std::move(inputs)), outer);
  };
  return walk(plan);
}

}  // namespace

DataTypePtr StringsWithoutLength(const DataTypePtr& type) {
  if (type->id() == TypeId::kString) return type->length_kind() == StringLength::kUnbounded ? type : DataType::String();
  if (type->id() == TypeId::kArray) {
    auto element = StringsWithoutLength(type->element_type());
    return element == type->element_type() ? type : DataType::Array(std::move(element), type->contains_null());
  }
  if (type->id() == TypeId::kMap) {
    auto key = StringsWithoutLength(type->key_type());
    auto value = StringsWithoutLength(type->value_type());
    const bool same = key == type->key_type() && value == type->value_type();
    return same ? type : DataType::Map(std::move(key), std::move(value), type->value_contains_null());
  }
  if (type->id() != TypeId::kStruct) return type;
  auto fields = type->fields();
  bool same = true;
  for (auto& field : fields) {
    auto changed = StringsWithoutLength(field.type);
    same = same && changed == field.type;
    field.type = std::move(changed);
  }
  return same ? type : DataType::Struct(std::move(fields));
}

LogicalPlanPtr ReplaceNode(const LogicalPlanPtr& plan, const LogicalPlanPtr& old, const LogicalPlanPtr& replacement) {
  if (plan == old) return replacement;
  auto inputs = plan::Inputs(*plan);
  if (inputs.size() != 1) return plan;
  auto input = ReplaceNode(inputs[0], old, replacement);
  if (input == inputs[0]) return plan;
  return plan::WithInputs(*plan, {std::move(input)});
}

}  // namespace frazil::analysis
