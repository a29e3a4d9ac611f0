#include <utility>

#include <duckdb/parser/expression/cast_expression.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/comparison_expression.hpp>
#include <duckdb/parser/expression/conjunction_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/function_expression.hpp>
#include <duckdb/parser/expression/window_expression.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>
#include <duckdb/parser/query_node/recursive_cte_node.hpp>
#include <duckdb/parser/query_node/set_operation_node.hpp>
#include <duckdb/parser/result_modifier.hpp>
#include <duckdb/parser/tableref/basetableref.hpp>
#include <duckdb/parser/tableref/emptytableref.hpp>
#include <duckdb/parser/tableref/subqueryref.hpp>

#include "frazil/engine/functions/group_key.h"
#include "frazil/engine/lowering.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

// How often each column is named in an expression. `opaque` is set where it holds a subquery, whose references are not
// seen.
void CountReferences(const duckdb::ParsedExpression& expression, std::map<std::string, int>& counts, bool& opaque,
                     bool in_lambda = false) {
  switch (expression.GetExpressionClass()) {
    case duckdb::ExpressionClass::COLUMN_REF: {
      const auto& names = expression.Cast<duckdb::ColumnRefExpression>().column_names;
      counts[names.back()] += in_lambda ? 2 : 1;  // A lambda's body runs many times.
      return;
    }
    case duckdb::ExpressionClass::SUBQUERY:
      opaque = true;
      return;
    case duckdb::ExpressionClass::LAMBDA:
      in_lambda = true;
      break;
    default:
      break;
  }
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      expression, [&](const duckdb::ParsedExpression& child) { CountReferences(child, counts, opaque, in_lambda); });
}

bool IsPlainColumn(const duckdb::ParsedExpression& expression, const std::string& name) {
  return expression.GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF &&
         expression.Cast<duckdb::ColumnRefExpression>().column_names.back() == name;
}

bool IsTrivial(const duckdb::ParsedExpression& expression) {
  return expression.GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF ||
         expression.GetExpressionClass() == duckdb::ExpressionClass::CONSTANT;
}

void SubstituteColumns(LoweredExpression& expression,
                       const std::map<std::string, const duckdb::ParsedExpression*>& values) {
  if (expression->GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF) {
    const auto found = values.find(expression->Cast<duckdb::ColumnRefExpression>().column_names.back());
    if (found == values.end()) return;
    // The alias is the place in a struct that is made of the columns.
    auto alias = expression->GetAlias();
    expression = found->second->Copy();
    expression->SetAlias(std::move(alias));
    return;
  }
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      *expression, [&](LoweredExpression& child) { SubstituteColumns(child, values); });
}

// Depth of an expression, counted to keep merged projections from nesting without bound.
int DepthOf(const duckdb::ParsedExpression& expression) {
  int depth = 0;
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      expression, [&](const duckdb::ParsedExpression& child) { depth = std::max(depth, DepthOf(child)); });
  return depth + 1;
}

constexpr int kMaxMergedDepth = 200;

// Operators that compute all that stands below them, whatever it is, and whose left operand may be long.
const ExpressionPtr* NextInChain(const Expression& expression) {
  if (expression.kind == ExpressionKind::kCast) return &expression.As<CastExpression>().child;
  if (expression.kind != ExpressionKind::kCall) return nullptr;
  static const std::set<std::string> kOperators = {"add", "subtract", "multiply", "concat"};
  const auto& call = expression.As<CallExpression>();
  return kOperators.count(call.function) != 0 && !call.arguments.empty() ? &call.arguments[0] : nullptr;
}

// DuckDB looks for common parts of an expression in time that grows with the third power of its depth.
constexpr int kLongestChain = 64;

// The expression `depth` links down the chain, or null where the chain ends before.
ExpressionPtr LinkAt(const ExpressionPtr& expression, int depth) {
  const ExpressionPtr* link = &expression;
  for (int i = 0; i < depth && link != nullptr; ++i) link = NextInChain(**link);
  return link == nullptr ? nullptr : *link;
}

ExpressionPtr WithLink(const ExpressionPtr& expression, int depth, const ExpressionPtr& replacement) {
  if (depth == 0) return replacement;
  auto children = Children(*expression);
  children[0] = WithLink(children[0], depth - 1, replacement);
  return WithChildren(*expression, std::move(children));
}

LoweredExpression BigintOf(int64_t value) { return ConstantOf(duckdb::Value::BIGINT(value)); }

LoweredExpression CompareOf(duckdb::ExpressionType type, LoweredExpression left, LoweredExpression right) {
  return duckdb::make_uniq<duckdb::ComparisonExpression>(type, std::move(left), std::move(right));
}

std::vector<std::string> NamesOf(const std::vector<Attribute>& output) {
  std::vector<std::string> names;
  for (const auto& attribute : output) names.push_back(ColumnName(attribute.id));
  return names;
}

// The columns, those that decide which rows are equal as keys.
std::vector<std::pair<std::string, LoweredExpression>> AsKeys(const std::vector<std::string>& names,
                                                              const std::vector<Attribute>& output,
                                                              const std::function<bool(AttributeId)>& is_key) {
  std::map<std::string, const Attribute*> attributes;
  for (const auto& attribute : output) {
    if (is_key(attribute.id)) attributes[ColumnName(attribute.id)] = &attribute;
  }
  std::vector<std::pair<std::string, LoweredExpression>> select;
  for (const auto& name : names) {
    const auto found = attributes.find(name);
    select.emplace_back(
        name, found == attributes.end() ? ColumnRefOf(name) : GroupKeyOf(*found->second->type, ColumnRefOf(name)));
  }
  return select;
}

LoweredExpression RowNumber() {
  auto window = duckdb::make_uniq<duckdb::WindowExpression>(duckdb::ExpressionType::WINDOW_ROW_NUMBER, INVALID_CATALOG,
                                                            INVALID_SCHEMA, "row_number");
  window->start = duckdb::WindowBoundary::UNBOUNDED_PRECEDING;
  window->end = duckdb::WindowBoundary::CURRENT_ROW_ROWS;
  return window;
}

}  // namespace

std::vector<std::pair<std::string, LoweredExpression>> PassThrough(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, LoweredExpression>> select;
  for (const auto& name : names) select.emplace_back(name, ColumnRefOf(name));
  return select;
}

// --- blocks
// ---------------------------------------------------------------------------------------------------------------------------------------------

QueryNodePtr Lowering::ToQueryNode(Block block) {
  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  node->from_table = block.from ? std::move(block.from) : duckdb::make_uniq<duckdb::EmptyTableRef>();
  if (!block.where.empty()) {
    node->where_clause = block.where.size() == 1
                             ? std::move(block.where[0])
                             : LoweredExpression(duckdb::make_uniq<duckdb::ConjunctionExpression>(
                                   duckdb::ExpressionType::CONJUNCTION_AND, std::move(block.where)));
  }
  if (!block.has_select) block.select = PassThrough(block.columns);
  for (auto& [name, value] : block.select) {
    value->SetAlias(name);
    node->select_list.push_back(std::move(value));
  }
  if (node->select_list.empty()) {
    // DuckDB has no SELECT without columns; nobody refers to this one.
    auto dummy =
        block.is_aggregate ? CallOf("count_star", LoweredArguments()) : ConstantOf(duckdb::Value::BOOLEAN(true));
    dummy->SetAlias("no_columns");
    node->select_list.push_back(std::move(dummy));
  }
  node->groups = std::move(block.groups);
  if (block.is_aggregate) node->aggregate_handling = duckdb::AggregateHandling::STANDARD_HANDLING;
  node->modifiers = std::move(block.modifiers);
  return node;
}

TableRefPtr Lowering::ToTableRef(Block block) {
  if (!block.has_select && block.where.empty() && block.modifiers.empty() && block.from != nullptr)
    return std::move(block.from);
  auto statement = duckdb::make_uniq<duckdb::SelectStatement>();
  statement->node = ToQueryNode(std::move(block));
  return duckdb::make_uniq<duckdb::SubqueryRef>(std::move(statement), FreshTable());
}

Block Lowering::FromTable(TableRefPtr table, std::vector<std::string> columns) {
  Block block;
  block.from = std::move(table);
  block.columns = std::move(columns);
  return block;
}

Block Lowering::Wrap(Block block) {
  auto columns = block.columns;
  return FromTable(ToTableRef(std::move(block)), std::move(columns));
}

Block Lowering::Open(Block block) {
  if (!block.has_select && block.modifiers.empty()) return block;
  return Wrap(std::move(block));
}

std::vector<std::string> Lowering::Carried(const Block& block) const {
  std::vector<std::string> result;
  for (const auto& name : block.columns) {
    if (carried_.count(name) != 0) result.push_back(name);
  }
  return result;
}

Block Lowering::Select(Block child, std::vector<std::pair<std::string, LoweredExpression>> columns, bool closed) {
  Block block = Open(std::move(child));
  for (const auto& name : Carried(block)) {
    const bool there =
        std::any_of(columns.begin(), columns.end(), [&](const auto& column) { return column.first == name; });
    if (!there) columns.emplace_back(name, ColumnRefOf(name));
  }
  block.columns.clear();
  for (const auto& column : columns) block.columns.push_back(column.first);
  block.select = std::move(columns);
  block.has_select = true;
  block.closed = closed;
  return block;
}

// --- rows in order
// --------------------------------------------------------------------------------------------------------------------------------------

Lowering::OrderedRows::OrderedRows(Lowering& lowering)
    : lowering_(lowering),
      outer_position_(std::exchange(lowering.row_position_, lowering.FreshName())),
      outer_wanted_(std::exchange(lowering.row_position_wanted_, false)) {}

Lowering::OrderedRows::~OrderedRows() {
  lowering_.row_position_ = std::move(outer_position_);
  lowering_.row_position_wanted_ = outer_wanted_;
}

bool Lowering::OrderedRows::wanted() const { return lowering_.row_position_wanted_; }

Block Lowering::OrderedRows::Number(Block input) {
  return lowering_.Numbered(std::move(input), lowering_.row_position_);
}

Block Lowering::Numbered(Block input, const std::string& position) {
  auto columns = PassThrough(input.columns);
  columns.emplace_back(position, RowNumber());
  return Wrap(Select(std::move(input), std::move(columns), true));
}

LoweredExpression Lowering::RowPosition() {
  if (row_position_.empty()) return BigintOf(0);
  row_position_wanted_ = true;
  return ColumnRefOf(row_position_);
}

// --- statement
// ------------------------------------------------------------------------------------------------------------------------------------------

Result<duckdb::unique_ptr<duckdb::SelectStatement>> Lowering::LowerStatement(const plan::LogicalPlanPtr& plan) {
  root_ = plan;
  FRAZIL_ASSIGN_OR_RETURN(auto block, LowerPlan(*plan));
  const auto wanted = NamesOf(plan->output);
  if (block.columns != wanted) {
    if (block.has_select || !block.modifiers.empty()) block = Wrap(std::move(block));
    block.select = PassThrough(wanted);
    block.has_select = true;
    block.columns = wanted;
  }
  auto statement = duckdb::make_uniq<duckdb::SelectStatement>();
  statement->node = ToQueryNode(std::move(block));
  return statement;
}

Result<Block> Lowering::LowerPlan(const plan::LogicalPlan& plan) {
  switch (plan.kind) {
    case plan::LogicalKind::kScan:
      return LowerScan(plan.As<plan::ScanNode>());
    case plan::LogicalKind::kRows: {
      const auto& node = plan.As<plan::RowsNode>();
      std::vector<size_t> columns;
      for (size_t i = 0; i < node.output.size(); ++i) columns.push_back(i);
      return LowerRows(*node.rows, node.output, columns);
    }
    case plan::LogicalKind::kArrowRows:
      return LowerArrowRows(plan.As<plan::ArrowRowsNode>());
    case plan::LogicalKind::kRange:
      return LowerRange(plan.As<plan::RangeNode>());
    case plan::LogicalKind::kOneRow:
      return LowerOneRow();
    case plan::LogicalKind::kProject:
      return LowerProject(plan.As<plan::ProjectNode>());
    case plan::LogicalKind::kFilter:
      return LowerFilter(plan.As<plan::FilterNode>());
    case plan::LogicalKind::kJoin:
      return LowerJoin(plan.As<plan::JoinNode>());
    case plan::LogicalKind::kSetOperation:
      return LowerSetOperation(plan.As<plan::SetOperationNode>());
    case plan::LogicalKind::kSort:
      return LowerSort(plan.As<plan::SortNode>());
    case plan::LogicalKind::kLimit:
      return LowerLimit(plan.As<plan::LimitNode>());
    case plan::LogicalKind::kTail:
      return LowerTail(plan.As<plan::TailNode>());
    case plan::LogicalKind::kAggregate:
      return LowerAggregateNode(plan.As<plan::AggregateNode>());
    case plan::LogicalKind::kWindow:
      return LowerWindowNode(plan.As<plan::WindowNode>());
    case plan::LogicalKind::kGenerate:
      return LowerGenerate(plan.As<plan::GenerateNode>());
    case plan::LogicalKind::kDistinct:
      return LowerDistinct(plan.As<plan::DistinctNode>());
    case plan::LogicalKind::kDeduplicate:
      return LowerDeduplicate(plan.As<plan::DeduplicateNode>());
    case plan::LogicalKind::kSample:
      return LowerSample(plan.As<plan::SampleNode>());
    case plan::LogicalKind::kRepartition:
      return LowerPlan(*plan.As<plan::RepartitionNode>().child);
    case plan::LogicalKind::kWith:
      return LowerWith(plan.As<plan::WithNode>());
    case plan::LogicalKind::kCteReference:
      return LowerCteReference(plan.As<plan::CteReferenceNode>());
    case plan::LogicalKind::kRecursiveCte:
      return LowerRecursiveCte(plan.As<plan::RecursiveCteNode>());
    case plan::LogicalKind::kUnpivot:
      return LowerUnpivot(plan.As<plan::UnpivotNode>());
    case plan::LogicalKind::kCollectMetrics: {
      const auto& node = plan.As<plan::CollectMetricsNode>();
      observed_.push_back(&node);
      return LowerPlan(*node.child);
    }
  }
  return Error::Internal("Unknown kind of plan node");
}

// --- project and filter
// ---------------------------------------------------------------------------------------------------------------------------------

std::shared_ptr<plan::ProjectNode> Lowering::CutLongChains(const plan::ProjectNode& node) {
  std::shared_ptr<plan::ProjectNode> below;
  std::shared_ptr<plan::ProjectNode> above;
  for (size_t i = 0; i < node.expressions.size(); ++i) {
    const auto rest = LinkAt(node.expressions[i], kLongestChain);
    if (rest == nullptr || LinkAt(rest, kLongestChain) == nullptr) continue;
    if (below == nullptr) {
      below = std::make_shared<plan::ProjectNode>();
      below->child = node.child;
      below->output = node.child->output;
      for (const auto& attribute : below->output) below->expressions.push_back(MakeColumn(attribute));
      above = std::make_shared<plan::ProjectNode>(node);
    }
    Attribute attribute;
    attribute.id = next_own_id_++;
    attribute.name = "chain";
    attribute.type = rest->type;
    attribute.nullable = rest->nullable;
    below->output.push_back(attribute);
    below->expressions.push_back(rest);
    above->expressions[i] = WithLink(node.expressions[i], kLongestChain, MakeColumn(attribute));
  }
  if (above != nullptr) above->child = std::move(below);
  return above;
}

Result<Block> Lowering::LowerProject(const plan::ProjectNode& node) {
  if (const auto cut = CutLongChains(node)) {
    FRAZIL_ASSIGN_OR_RETURN(auto block, LowerProject(cut->child->As<plan::ProjectNode>()));
    cut_.push_back(cut);
    std::vector<std::pair<std::string, LoweredExpression>> columns;
    for (size_t i = 0; i < cut->expressions.size(); ++i) {
      FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*cut->expressions[i]));
      columns.emplace_back(ColumnName(cut->output[i].id), std::move(value));
    }
    return Select(Wrap(std::move(block)), std::move(columns), true);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  std::vector<std::pair<std::string, LoweredExpression>> columns;
  std::map<std::string, int> counts;
  bool opaque = false;
  OrderedRows ordered(*this);
  for (size_t i = 0; i < node.expressions.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*node.expressions[i]));
    CountReferences(*value, counts, opaque);
    columns.emplace_back(ColumnName(node.output[i].id), std::move(value));
  }
  if (ordered.wanted()) return Select(ordered.Number(std::move(child)), std::move(columns), opaque);
  if (!child.has_select || child.closed || opaque || !child.modifiers.empty())
    return Select(std::move(child), std::move(columns), opaque);

  // Puts the child's values in the place of its columns where none would be computed twice.
  std::map<std::string, const duckdb::ParsedExpression*> values;
  for (const auto& [name, value] : child.select) {
    const auto found = counts.find(name);
    if (found == counts.end()) continue;
    if (!IsTrivial(*value) && (found->second > 1 || DepthOf(*value) > kMaxMergedDepth)) {
      return Select(std::move(child), std::move(columns), false);
    }
    values[name] = value.get();
  }
  for (auto& column : columns) SubstituteColumns(column.second, values);
  for (const auto& name : Carried(child))
    columns.emplace_back(name, values.count(name) ? values[name]->Copy() : ColumnRefOf(name));
  child.columns.clear();
  for (const auto& column : columns) child.columns.push_back(column.first);
  child.select = std::move(columns);
  return child;
}

Result<Block> Lowering::LowerFilter(const plan::FilterNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto block, LowerPlan(*node.child));
  OrderedRows ordered(*this);
  NoteConjuncts(*node.condition);
  FRAZIL_ASSIGN_OR_RETURN(auto condition, Lower(*node.condition));
  if (ordered.wanted()) {
    const auto names = block.columns;
    Block numbered = ordered.Number(std::move(block));
    numbered.where.push_back(std::move(condition));
    return Select(std::move(numbered), PassThrough(names), true);
  }
  bool mergeable = block.modifiers.empty() && !block.closed;
  if (mergeable && block.has_select) {
    // Columns that pass through the select unchanged are there below it too.
    std::map<std::string, int> counts;
    bool opaque = false;
    CountReferences(*condition, counts, opaque);
    mergeable = !opaque;
    for (const auto& [name, value] : block.select) {
      if (counts.count(name) != 0 && !IsPlainColumn(*value, name)) mergeable = false;
    }
    // A name below the select that is not put out must not capture one of an outer query: names are unique, so there is
    // none.
  }
  if (!mergeable) block = Wrap(std::move(block));
  block.where.push_back(std::move(condition));
  return block;
}

// --- limit, distinct
// -------------------------------------------------------------------------------------------------------------------------------

Result<Block> Lowering::LowerLimit(const plan::LimitNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto block, LowerPlan(*node.child));
  const bool has_limit = std::any_of(block.modifiers.begin(), block.modifiers.end(), [](const auto& modifier) {
    return modifier->type == duckdb::ResultModifierType::LIMIT_MODIFIER;
  });
  if (has_limit) block = Wrap(std::move(block));
  auto limit = duckdb::make_uniq<duckdb::LimitModifier>();
  if (node.limit.has_value()) limit->limit = BigintOf(*node.limit);
  if (node.offset > 0) limit->offset = BigintOf(node.offset);
  block.modifiers.push_back(std::move(limit));
  return block;
}

Result<Block> Lowering::LowerTail(const plan::TailNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  const auto names = child.columns;
  const std::string position = FreshName(), total = FreshName();
  auto columns = PassThrough(names);
  columns.emplace_back(position, RowNumber());
  auto count = duckdb::make_uniq<duckdb::WindowExpression>(duckdb::ExpressionType::WINDOW_AGGREGATE, INVALID_CATALOG,
                                                           INVALID_SCHEMA, "count_star");
  count->start = duckdb::WindowBoundary::UNBOUNDED_PRECEDING;
  count->end = duckdb::WindowBoundary::UNBOUNDED_FOLLOWING;
  columns.emplace_back(total, std::move(count));
  Block numbered = Wrap(Select(std::move(child), std::move(columns), true));
  numbered.where.push_back(CompareOf(duckdb::ExpressionType::COMPARE_GREATERTHAN, ColumnRefOf(position),
                                     CallOf("-", ColumnRefOf(total), BigintOf(node.limit))));
  auto order = duckdb::make_uniq<duckdb::OrderModifier>();
  order->orders.emplace_back(duckdb::OrderType::ASCENDING, duckdb::OrderByNullType::NULLS_LAST, ColumnRefOf(position));
  numbered.modifiers.push_back(std::move(order));
  numbered.select = PassThrough(names);
  numbered.has_select = true;
  numbered.columns = names;
  return numbered;
}

Result<Block> Lowering::LowerDistinct(const plan::DistinctNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  Block block = Open(std::move(child));
  const auto names = block.columns;
  block = Select(std::move(block), AsKeys(names, node.child->output, [](AttributeId) { return true; }), true);
  block.modifiers.push_back(duckdb::make_uniq<duckdb::DistinctModifier>());
  return block;
}

Result<Block> Lowering::LowerDeduplicate(const plan::DeduplicateNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  Block block = Open(std::move(child));
  const auto names = block.columns;
  const auto is_key = [&](AttributeId id) {
    return std::find(node.keys.begin(), node.keys.end(), id) != node.keys.end();
  };
  block = Wrap(Select(std::move(block), AsKeys(names, node.child->output, is_key), true));
  block = Select(std::move(block), PassThrough(names), true);
  auto distinct = duckdb::make_uniq<duckdb::DistinctModifier>();
  for (const AttributeId key : node.keys) distinct->distinct_on_targets.push_back(ColumnRefOf(ColumnName(key)));
  if (distinct->distinct_on_targets.empty()) {
    auto limit = duckdb::make_uniq<duckdb::LimitModifier>();
    limit->limit = BigintOf(1);
    block.modifiers.push_back(std::move(limit));
    return block;
  }
  block.modifiers.push_back(std::move(distinct));
  return block;
}

Result<Block> Lowering::LowerSample(const plan::SampleNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  const auto names = child.columns;
  const std::string position = FreshName();
  Block numbered = Numbered(std::move(child), position);
  if (node.with_replacement) {
    // As many copies of a row as the draw says.
    const std::string copy = FreshName();
    auto repeated = PassThrough(names);
    repeated.emplace_back(
        copy, CallOf("unnest",
                     CallOf("range", CallOf("spark_sample_copies", BigintOf(node.seed), ColumnRefOf(position),
                                            ConstantOf(duckdb::Value::DOUBLE(node.upper_bound - node.lower_bound))))));
    Block spread = Wrap(Select(std::move(numbered), std::move(repeated), true));
    spread.columns = names;
    return Select(std::move(spread), PassThrough(names), false);
  }
  numbered.where.push_back(CallOf("spark_sample_keep", BigintOf(node.seed), ColumnRefOf(position),
                                  ConstantOf(duckdb::Value::DOUBLE(node.lower_bound)),
                                  ConstantOf(duckdb::Value::DOUBLE(node.upper_bound))));
  return Select(std::move(numbered), PassThrough(names), true);
}

// --- set operations and common tables
// -------------------------------------------------------------------------------------------------------------------

Result<Block> Lowering::LowerSetOperation(const plan::SetOperationNode& node) {
  auto operation = duckdb::make_uniq<duckdb::SetOperationNode>();
  switch (node.type) {
    case plan::SetOperationType::kUnion:
      operation->setop_type = duckdb::SetOperationType::UNION;
      break;
    case plan::SetOperationType::kIntersect:
      operation->setop_type = duckdb::SetOperationType::INTERSECT;
      break;
    case plan::SetOperationType::kExcept:
      operation->setop_type = duckdb::SetOperationType::EXCEPT;
      break;
  }
  operation->setop_all = node.all;
  for (const auto& input : node.inputs) {
    FRAZIL_ASSIGN_OR_RETURN(auto block, LowerPlan(*input));
    if (!block.modifiers.empty()) block = Wrap(std::move(block));
    // By position: each input puts out exactly its plan's columns in order.
    const auto wanted = NamesOf(input->output);
    // UNION puts out its rows as keys; INTERSECT and EXCEPT put out those of the left side as they are.
    const bool as_keys = node.type == plan::SetOperationType::kUnion && !node.all &&
                         std::any_of(input->output.begin(), input->output.end(),
                                     [](const Attribute& attribute) { return NeedsGroupKey(*attribute.type); });
    if (block.columns != wanted || as_keys) {
      if (block.has_select) block = Wrap(std::move(block));
      block.select = as_keys ? AsKeys(wanted, input->output, [](AttributeId) { return true; }) : PassThrough(wanted);
      block.has_select = true;
      block.columns = wanted;
    }
    operation->children.push_back(ToQueryNode(std::move(block)));
  }
  auto statement = duckdb::make_uniq<duckdb::SelectStatement>();
  statement->node = std::move(operation);
  auto table = duckdb::make_uniq<duckdb::SubqueryRef>(std::move(statement), FreshTable());
  const auto names = NamesOf(node.output);
  for (const auto& name : names) table->column_name_alias.push_back(name);
  return FromTable(std::move(table), names);
}

namespace {
std::string CteName(uint64_t id) { return "cte" + std::to_string(id); }
}  // namespace

Result<Block> Lowering::LowerWith(const plan::WithNode& node) {
  duckdb::CommonTableExpressionMap definitions;
  for (const auto& definition : node.definitions) {
    cte_plans_[definition.id] = definition.plan.get();
    auto info = duckdb::make_uniq<duckdb::CommonTableExpressionInfo>();
    FRAZIL_ASSIGN_OR_RETURN(auto block, LowerPlan(*definition.plan));
    const auto wanted = NamesOf(definition.plan->output);
    if (block.columns != wanted) {
      if (block.has_select || !block.modifiers.empty()) block = Wrap(std::move(block));
      block.select = PassThrough(wanted);
      block.has_select = true;
      block.columns = wanted;
    }
    info->query = duckdb::make_uniq<duckdb::SelectStatement>();
    info->query->node = ToQueryNode(std::move(block));
    definitions.map.insert(CteName(definition.id), std::move(info));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  const auto names = child.columns;
  auto statement = duckdb::make_uniq<duckdb::SelectStatement>();
  statement->node = ToQueryNode(std::move(child));
  statement->node->cte_map = std::move(definitions);
  return FromTable(duckdb::make_uniq<duckdb::SubqueryRef>(std::move(statement), FreshTable()), names);
}

Result<Block> Lowering::LowerCteReference(const plan::CteReferenceNode& node) {
  auto table = duckdb::make_uniq<duckdb::BaseTableRef>();
  table->table_name = CteName(node.id);
  table->alias = FreshTable();
  auto names = NamesOf(node.output);
  for (const auto& name : names) table->column_name_alias.push_back(name);
  const auto depth = recursion_depths_.find(node.id);
  if (names.empty() && depth == recursion_depths_.end()) table->column_name_alias.push_back("no_columns");
  if (depth == recursion_depths_.end()) return FromTable(std::move(table), std::move(names));

  // Inside the recursive part the depth comes along.
  table->column_name_alias.push_back(depth->second);
  auto columns = names;
  columns.push_back(depth->second);
  return FromTable(std::move(table), std::move(columns));
}

Result<Block> Lowering::LowerRecursiveCte(const plan::RecursiveCteNode& node) {
  if (!node.union_all) return Error::Of("UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE");
  const auto names = NamesOf(node.output);
  auto recursion = duckdb::make_uniq<duckdb::RecursiveCTENode>();
  recursion->ctename = CteName(node.id);
  recursion->union_all = true;
  const std::string depth = "depth" + std::to_string(node.id);

  FRAZIL_ASSIGN_OR_RETURN(auto anchor, LowerPlan(*node.anchor));
  auto anchor_columns = PassThrough(NamesOf(node.anchor->output));
  anchor_columns.emplace_back(depth, BigintOf(0));
  recursion->left = ToQueryNode(Select(std::move(anchor), std::move(anchor_columns), true));

  recursion_depths_[node.id] = depth;
  carried_.insert(depth);
  auto recursive = LowerPlan(*node.recursive);
  if (!recursive.ok()) return recursive.status();
  auto columns = PassThrough(NamesOf(node.recursive->output));
  const auto carried = Carried(*recursive);
  if (std::find(carried.begin(), carried.end(), depth) == carried.end()) {
    return Error::Unsupported(
        "a recursive common table expression whose reference to itself is inside an aggregate or a subquery");
  }
  // Rows that a round puts out are one deeper than those it began with, and end the statement at the limit. Computed on
  // what is left of them: the last round reads rows, but keeps none.
  columns.emplace_back(depth, CallOf("spark_recursion_depth", ColumnRefOf(depth), BigintOf(node.max_depth)));
  recursion->right = ToQueryNode(Select(*std::move(recursive), std::move(columns), true));
  carried_.erase(depth);
  recursion_depths_.erase(node.id);

  for (const auto& name : names) recursion->aliases.push_back(name);
  recursion->aliases.push_back(depth);
  auto info = duckdb::make_uniq<duckdb::CommonTableExpressionInfo>();
  info->query = duckdb::make_uniq<duckdb::SelectStatement>();
  for (const auto& alias : recursion->aliases) info->aliases.push_back(alias);
  info->query->node = std::move(recursion);

  auto reference = duckdb::make_uniq<duckdb::BaseTableRef>();
  reference->table_name = CteName(node.id);
  reference->alias = FreshTable();
  Block outer = FromTable(std::move(reference), names);
  outer.select = PassThrough(names);
  outer.has_select = true;
  auto statement = duckdb::make_uniq<duckdb::SelectStatement>();
  statement->node = ToQueryNode(std::move(outer));
  statement->node->cte_map.map.insert(CteName(node.id), std::move(info));
  return FromTable(duckdb::make_uniq<duckdb::SubqueryRef>(std::move(statement), FreshTable()), names);
}

}  // namespace frazil::engine
