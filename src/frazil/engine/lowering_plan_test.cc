#include <gtest/gtest.h>

#include "frazil/engine/testing/plan_builder.h"

namespace frazil::engine {
namespace {

using namespace testing;  // NOLINT: the builders
using plan::LogicalPlanPtr;
using Lines = std::vector<std::string>;

LogicalPlanPtr Numbers() {
  return Rows({{"a", DataType::Integer()}, {"b", DataType::String()}},
              {{Value(1), Value("x")}, {Value(2), Value("y")}, {Value(3), Value()}, {Value(), Value("z")}});
}

TEST(LoweringPlan, ProjectsAndFilters) {
  auto rows = Numbers();
  auto filtered = plan::MakeFilter(rows, Call("greater", {Col(rows, 0), Int(1)}, DataType::Boolean()));
  auto projected = Project(filtered, {Call("add", {Col(rows, 0), Int(10)}, DataType::Integer()), Col(rows, 1)});
  EXPECT_EQ(RunRows(projected), (Lines{"12|y", "13|NULL"}));
}

TEST(LoweringPlan, HundredsOfNestedProjects) {
  LogicalPlanPtr plan = Numbers();
  for (int i = 0; i < 600; ++i)
    plan = Project(plan, {Call("add", {Col(plan, 0), Int(1)}, DataType::Integer()), Col(plan, 1)});
  EXPECT_EQ(RunRows(plan), (Lines{"601|x", "602|y", "603|NULL", "NULL|z"}));
}

TEST(LoweringPlan, HundredsOfAddedColumns) {
  LogicalPlanPtr plan = Numbers();
  for (int i = 0; i < 200; ++i) {
    std::vector<ExpressionPtr> expressions;
    std::vector<Attribute> output = plan->output;
    for (size_t k = 0; k < plan->output.size(); ++k) expressions.push_back(Col(plan, k));
    expressions.push_back(Call("add", {Col(plan, 0), Int(i)}, DataType::Integer()));
    output.push_back(NewAttribute("n", DataType::Integer()));
    plan = plan::MakeProject(plan, std::move(expressions), std::move(output));
    plan = plan::MakeFilter(plan, Call("is_not_null", {Col(plan, 0)}, DataType::Boolean()));
  }
  auto last = Project(plan, {Col(plan, 201)});
  EXPECT_EQ(RunRows(last), (Lines{"200", "201", "202"}));
}

TEST(LoweringPlan, SortKeepsItsOrderThroughProjectsAndFilters) {
  auto rows = Numbers();
  auto sorted = plan::MakeSort(rows, {SortKey{Col(rows, 0), false, false}});
  auto projected = Project(sorted, {Call("add", {Col(rows, 0), Int(0)}, DataType::Integer())});
  EXPECT_EQ(RunRows(projected), (Lines{"3", "2", "1", "NULL"}));
  auto filtered = plan::MakeFilter(sorted, Call("less", {Col(rows, 0), Int(3)}, DataType::Boolean()));
  EXPECT_EQ(RunRows(filtered), (Lines{"2|y", "1|x"}));
}

TEST(LoweringPlan, NullsFirstAndLast) {
  auto rows = Numbers();
  EXPECT_EQ(RunRows(Project(plan::MakeSort(rows, {SortKey{Col(rows, 0), true, true}}), {Col(rows, 0)})),
            (Lines{"NULL", "1", "2", "3"}));
  EXPECT_EQ(RunRows(Project(plan::MakeSort(rows, {SortKey{Col(rows, 0), true, false}}), {Col(rows, 0)})),
            (Lines{"1", "2", "3", "NULL"}));
}

TEST(LoweringPlan, LimitOffsetAndTail) {
  auto rows = Numbers();
  EXPECT_EQ(RunRows(plan::MakeLimit(rows, 2, 1)), (Lines{"2|y", "3|NULL"}));
  EXPECT_EQ(RunRows(plan::MakeLimit(plan::MakeLimit(rows, 3), 1, 2)), (Lines{"3|NULL"}));
  auto tail = std::make_shared<plan::TailNode>();
  tail->child = rows;
  tail->output = rows->output;
  tail->limit = 2;
  EXPECT_EQ(RunRows(tail), (Lines{"3|NULL", "NULL|z"}));
}

TEST(LoweringPlan, JoinsOfEveryType) {
  auto left = Rows({{"a", DataType::Integer()}}, {{Value(1)}, {Value(2)}, {Value()}});
  auto right = Rows({{"b", DataType::Integer()}}, {{Value(2)}, {Value(3)}});
  auto equal = Call("equal", {Col(left, 0), Col(right, 0)}, DataType::Boolean());
  const auto run = [&](plan::JoinType type, ExpressionPtr condition) {
    auto lines = RunRows(plan::MakeJoin(left, right, type, std::move(condition)));
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  EXPECT_EQ(run(plan::JoinType::kInner, equal), (Lines{"2|2"}));
  EXPECT_EQ(run(plan::JoinType::kLeftOuter, equal), (Lines{"1|NULL", "2|2", "NULL|NULL"}));
  EXPECT_EQ(run(plan::JoinType::kRightOuter, equal), (Lines{"2|2", "NULL|3"}));
  EXPECT_EQ(run(plan::JoinType::kFullOuter, equal), (Lines{"1|NULL", "2|2", "NULL|3", "NULL|NULL"}));
  EXPECT_EQ(run(plan::JoinType::kLeftSemi, equal), (Lines{"2"}));
  EXPECT_EQ(run(plan::JoinType::kLeftAnti, equal), (Lines{"1", "NULL"}));
  EXPECT_EQ(run(plan::JoinType::kCross, nullptr).size(), 6u);
  auto other =
      Call("less", {Call("add", {Col(left, 0), Col(right, 0)}, DataType::Integer()), Int(4)}, DataType::Boolean());
  EXPECT_EQ(run(plan::JoinType::kLeftSemi, other), (Lines{"1"}));
  EXPECT_EQ(run(plan::JoinType::kLeftAnti, other), (Lines{"2", "NULL"}));
  EXPECT_EQ(run(plan::JoinType::kFullOuter, other), (Lines{"1|2", "2|NULL", "NULL|3", "NULL|NULL"}));
  EXPECT_EQ(run(plan::JoinType::kLeftSemi, nullptr), (Lines{"1", "2", "NULL"}));
}

TEST(LoweringPlan, GroupingSetsWithGroupingId) {
  auto rows = Rows({{"a", DataType::Integer()}, {"b", DataType::Integer()}},
                   {{Value(1), Value(10)}, {Value(1), Value(20)}, {Value(2), Value(10)}});
  auto aggregate = plan::MakeAggregate(rows, {Col(rows, 0), Col(rows, 1)},
                                       {Aggregate("sum", {Col(rows, 1)}, DataType::Long())}, {{0, 1}, {0}, {}},
                                       {NewAttribute("a", DataType::Integer()), NewAttribute("b", DataType::Integer()),
                                        NewAttribute("s", DataType::Long()), NewAttribute("g", DataType::Long())});
  auto lines = RunRows(aggregate);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (Lines{"1|10|10|0", "1|20|20|0", "1|NULL|30|1", "2|10|10|0", "2|NULL|10|1", "NULL|NULL|40|3"}));
}

TEST(LoweringPlan, AggregateOfNothingGivesOneRow) {
  auto rows = Rows({{"a", DataType::Integer()}}, {});
  auto aggregate = plan::MakeAggregate(
      rows, {}, {Aggregate("count", {}, DataType::Long()), Aggregate("sum", {Col(rows, 0)}, DataType::Long())}, {},
      {NewAttribute("n", DataType::Long()), NewAttribute("s", DataType::Long())});
  EXPECT_EQ(RunRows(aggregate), (Lines{"0|NULL"}));
  auto constant = plan::MakeAggregate(Numbers(), {Int(5)}, {Aggregate("count", {}, DataType::Long())}, {},
                                      {NewAttribute("k", DataType::Integer()), NewAttribute("n", DataType::Long())});
  EXPECT_EQ(RunRows(constant), (Lines{"5|4"}));
}

TEST(LoweringPlan, Windows) {
  auto rows = Rows({{"a", DataType::Integer()}}, {{Value(1)}, {Value(2)}, {Value(3)}});
  auto sum = std::make_shared<WindowExpression>();
  sum->function = "sum";
  sum->is_aggregate = true;
  sum->arguments = {Col(rows, 0)};
  sum->type = DataType::Long();
  sum->order_by = {SortKey{Col(rows, 0), true, true}};
  sum->frame =
      WindowFrame{FrameType::kRows, {FrameBoundType::kPreceding, Int(1)}, {FrameBoundType::kCurrentRow, nullptr}};
  auto number = std::make_shared<WindowExpression>();
  number->function = "row_number";
  number->type = DataType::Integer();
  number->order_by = {SortKey{Col(rows, 0), false, true}};
  number->frame = WindowFrame{
      FrameType::kRows, {FrameBoundType::kUnboundedPreceding, nullptr}, {FrameBoundType::kCurrentRow, nullptr}};
  auto window = plan::MakeWindow(rows, {sum, number},
                                 {NewAttribute("s", DataType::Long()), NewAttribute("n", DataType::Integer())});
  auto lines = RunRows(window);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (Lines{"1|1|3", "2|3|2", "3|5|1"}));
}

std::shared_ptr<SubqueryExpression> Subquery(SubqueryKind kind, LogicalPlanPtr plan, DataTypePtr type) {
  auto result = std::make_shared<SubqueryExpression>();
  result->subquery_kind = kind;
  result->plan = std::move(plan);
  result->type = std::move(type);
  return result;
}

TEST(LoweringPlan, Subqueries) {
  auto rows = Numbers();
  auto inner = Rows({{"k", DataType::Integer()}}, {{Value(2)}, {Value()}});
  auto in = Subquery(SubqueryKind::kIn, inner, DataType::Boolean());
  in->values = {Col(rows, 0)};
  EXPECT_EQ(RunRows(plan::MakeFilter(rows, in)), (Lines{"2|y"}));
  EXPECT_EQ(RunRows(plan::MakeFilter(rows, Call("not", {in}, DataType::Boolean()))), (Lines{}));

  auto correlated =
      plan::MakeFilter(inner, Call("equal", {Col(inner, 0), MakeColumn(rows->output[0], true)}, DataType::Boolean()));
  auto exists = Subquery(SubqueryKind::kExists, correlated, DataType::Boolean());
  exists->is_correlated = true;
  EXPECT_EQ(RunRows(plan::MakeFilter(rows, exists)), (Lines{"2|y"}));

  auto scalar = Subquery(SubqueryKind::kScalar, inner, DataType::Integer());
  auto result = SharedEngine().Collect(Project(rows, {scalar}), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().condition, "SCALAR_SUBQUERY_TOO_MANY_ROWS");

  auto pairs =
      Rows({{"k", DataType::Integer()}, {"t", DataType::String()}}, {{Value(2), Value("y")}, {Value(1), Value("q")}});
  auto pair_in = Subquery(SubqueryKind::kIn, pairs, DataType::Boolean());
  pair_in->values = {Col(rows, 0), Col(rows, 1)};
  EXPECT_EQ(RunRows(plan::MakeFilter(rows, pair_in)), (Lines{"2|y"}));
}

TEST(LoweringPlan, LateralJoin) {
  auto rows = Rows({{"a", DataType::Integer()}}, {{Value(1)}, {Value(2)}});
  auto inner =
      Project(plan::MakeOneRow(), {Call("add", {MakeColumn(rows->output[0], true), Int(5)}, DataType::Integer())});
  EXPECT_EQ(RunRows(plan::MakeJoin(rows, inner, plan::JoinType::kInner, nullptr, true)), (Lines{"1|6", "2|7"}));
}

TEST(LoweringPlan, SetOperations) {
  auto left = Rows({{"a", DataType::Integer()}}, {{Value(1)}, {Value(1)}, {Value()}});
  auto right = Rows({{"b", DataType::Integer()}}, {{Value(1)}, {Value()}});
  const auto run = [&](plan::SetOperationType type, bool all) {
    auto node = std::make_shared<plan::SetOperationNode>();
    node->type = type;
    node->all = all;
    node->inputs = {left, right};
    node->output = {NewAttribute("a", DataType::Integer())};
    auto lines = RunRows(node);
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  EXPECT_EQ(run(plan::SetOperationType::kUnion, true), (Lines{"1", "1", "1", "NULL", "NULL"}));
  EXPECT_EQ(run(plan::SetOperationType::kUnion, false), (Lines{"1", "NULL"}));
  EXPECT_EQ(run(plan::SetOperationType::kIntersect, true), (Lines{"1", "NULL"}));
  EXPECT_EQ(run(plan::SetOperationType::kExcept, true), (Lines{"1"}));
  EXPECT_EQ(run(plan::SetOperationType::kExcept, false), (Lines{}));
}

std::shared_ptr<plan::GenerateNode> Generate(const std::string& name, LogicalPlanPtr child,
                                             std::vector<ExpressionPtr> arguments, std::vector<Attribute> generated,
                                             bool outer) {
  auto node = std::make_shared<plan::GenerateNode>();
  node->generator = name;
  node->child = child;
  node->arguments = std::move(arguments);
  node->generated_columns = generated.size();
  node->output = child->output;
  node->output.insert(node->output.end(), generated.begin(), generated.end());
  node->outer = outer;
  return node;
}

TEST(LoweringPlan, Generators) {
  auto type = DataType::Array(DataType::Integer());
  auto rows =
      Rows({{"k", DataType::Integer()}, {"a", type}},
           {{Value(1), Value(Value::List{Value(7), Value(8)})}, {Value(2), Value(Value::List{})}, {Value(3), Value()}});
  auto plain = Generate("posexplode", rows, {Col(rows, 1)},
                        {NewAttribute("pos", DataType::Integer()), NewAttribute("col", DataType::Integer())}, false);
  EXPECT_EQ(RunRows(Project(plain, {Col(plain, 0), Col(plain, 2), Col(plain, 3)})), (Lines{"1|0|7", "1|1|8"}));
  auto outer = Generate("posexplode", rows, {Col(rows, 1)},
                        {NewAttribute("pos", DataType::Integer()), NewAttribute("col", DataType::Integer())}, true);
  EXPECT_EQ(RunRows(Project(outer, {Col(outer, 0), Col(outer, 2), Col(outer, 3)})),
            (Lines{"1|0|7", "1|1|8", "2|NULL|NULL", "3|NULL|NULL"}));

  auto map = Rows({{"m", DataType::Map(DataType::String(), DataType::Integer())}},
                  {{Value(Value::List{Value("a"), Value(1), Value("b"), Value(2)})}});
  auto entries = Generate("explode", map, {Col(map, 0)},
                          {NewAttribute("key", DataType::String()), NewAttribute("value", DataType::Integer())}, false);
  EXPECT_EQ(RunRows(Project(entries, {Col(entries, 1), Col(entries, 2)})), (Lines{"a|1", "b|2"}));

  auto pair = DataType::Struct({{"x", DataType::Integer()}, {"y", DataType::String()}});
  auto structs =
      Rows({{"s", DataType::Array(pair)}}, {{Value(Value::List{Value(Value::List{Value(1), Value("p")}), Value()})}});
  auto fields = Generate("inline", structs, {Col(structs, 0)},
                         {NewAttribute("x", DataType::Integer()), NewAttribute("y", DataType::String())}, false);
  EXPECT_EQ(RunRows(Project(fields, {Col(fields, 1), Col(fields, 2)})), (Lines{"1|p", "NULL|NULL"}));

  auto one = plan::MakeOneRow();
  auto stack = Generate("stack", one, {Int(2), Int(1), Text("a"), Int(2), Text("b")},
                        {NewAttribute("c0", DataType::Integer()), NewAttribute("c1", DataType::String())}, false);
  EXPECT_EQ(RunRows(stack), (Lines{"1|a", "2|b"}));
}

TEST(LoweringPlan, RecursionCountsItsDepth) {
  const auto recursive = [](int64_t until) {
    auto node = std::make_shared<plan::RecursiveCteNode>();
    node->id = 77;
    node->anchor = Project(plan::MakeOneRow(), {Int(1)});
    auto reference = std::make_shared<plan::CteReferenceNode>();
    reference->id = 77;
    reference->output = {NewAttribute("n", DataType::Integer())};
    auto filtered = plan::MakeFilter(reference, Call("less", {Col(reference, 0), Int(until)}, DataType::Boolean()));
    node->recursive = Project(filtered, {Call("add", {Col(reference, 0), Int(1)}, DataType::Integer())});
    node->output = {NewAttribute("n", DataType::Integer())};
    return node;
  };
  EXPECT_EQ(RunRows(recursive(5)), (Lines{"1", "2", "3", "4", "5"}));
  auto result = SharedEngine().Collect(recursive(1000), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().condition, "RECURSION_LEVEL_LIMIT_EXCEEDED") << result.error().message;
}

TEST(LoweringPlan, CommonTablesAreReadTwice) {
  auto with = std::make_shared<plan::WithNode>();
  with->definitions = {{5, Numbers()}};
  const auto reference = [] {
    auto node = std::make_shared<plan::CteReferenceNode>();
    node->id = 5;
    node->output = {NewAttribute("a", DataType::Integer()), NewAttribute("b", DataType::String())};
    return node;
  };
  auto left = reference(), right = reference();
  with->child = plan::MakeJoin(left, right, plan::JoinType::kInner,
                               Call("equal", {Col(left, 0), Col(right, 0)}, DataType::Boolean()));
  with->output = with->child->output;
  EXPECT_EQ(RunRows(with).size(), 3u);
}

TEST(LoweringPlan, SampleDrawsAsSparkDoes) {
  auto range = std::make_shared<plan::RangeNode>();
  range->end = 20;
  range->output = {NewAttribute("id", DataType::Long())};
  auto sample = std::make_shared<plan::SampleNode>();
  sample->child = range;
  sample->output = range->output;
  sample->upper_bound = 0.5;
  sample->seed = 42;
  const auto first = RunRows(sample), second = RunRows(sample);
  EXPECT_EQ(first, second);
  EXPECT_GT(first.size(), 3u);
  EXPECT_LT(first.size(), 17u);
}

TEST(LoweringPlan, UnpivotLeavesOutNulls) {
  auto rows = Rows({{"id", DataType::Integer()}, {"x", DataType::Integer()}, {"y", DataType::Integer()}},
                   {{Value(1), Value(10), Value()}});
  auto node = std::make_shared<plan::UnpivotNode>();
  node->child = rows;
  node->ids = {Col(rows, 0)};
  node->groups = {{"x", {Col(rows, 1)}}, {"y", {Col(rows, 2)}}};
  node->output = {NewAttribute("id", DataType::Integer()), NewAttribute("variable", DataType::String()),
                  NewAttribute("value", DataType::Integer())};
  EXPECT_EQ(RunRows(node), (Lines{"1|x|10"}));
  auto with_nulls = std::make_shared<plan::UnpivotNode>(*node);
  with_nulls->include_nulls = true;
  EXPECT_EQ(RunRows(with_nulls), (Lines{"1|x|10", "1|y|NULL"}));
}

TEST(LoweringPlan, PlansWithoutColumnsKeepTheirRows) {
  auto empty = Project(Numbers(), {});
  auto rows = SharedEngine().Collect(empty, {});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(rows->rows.size(), 4u);
  auto counted = plan::MakeAggregate(empty, {}, {Aggregate("count", {}, DataType::Long())}, {},
                                     {NewAttribute("n", DataType::Long())});
  EXPECT_EQ(RunRows(counted), (Lines{"4"}));
}

}  // namespace
}  // namespace frazil::engine
