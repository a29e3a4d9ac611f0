#include "frazil/expressions/expression.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

Attribute IntAttribute(AttributeId id, std::string name, bool nullable = true) {
  Attribute attribute;
  attribute.id = id;
  attribute.name = std::move(name);
  attribute.type = DataType::Integer();
  attribute.nullable = nullable;
  return attribute;
}

TEST(ExpressionTest, Literals) {
  const auto one = MakeLiteral(DataType::Integer(), Value(1));
  EXPECT_FALSE(one->nullable);
  EXPECT_EQ(one->sql, "1");
  const auto null = MakeNull(DataType::String());
  EXPECT_TRUE(null->nullable);
  EXPECT_EQ(null->sql, "NULL");
}

TEST(ExpressionTest, Columns) {
  const auto column = MakeColumn(IntAttribute(7, "a", false));
  EXPECT_EQ(column->As<ColumnExpression>().id, 7u);
  EXPECT_FALSE(column->nullable);
  EXPECT_EQ(column->sql, "a");
  const auto outer = MakeColumn(IntAttribute(7, "a"), true);
  EXPECT_TRUE(outer->As<ColumnExpression>().is_outer);
  EXPECT_EQ(outer->sql, "outer(a)");
}

TEST(ExpressionTest, Calls) {
  const auto a = MakeColumn(IntAttribute(1, "a"));
  const auto one = MakeLiteral(DataType::Integer(), Value(1));
  EXPECT_EQ(MakeCall("greatest", {a, one}, DataType::Integer(), false)->sql, "greatest(a, 1)");
  EXPECT_EQ(MakeCall("add", {a, one}, DataType::Integer(), true, EvalMode::kAnsi, "(a + 1)")->sql, "(a + 1)");
}

TEST(ExpressionTest, Casts) {
  const auto a = MakeColumn(IntAttribute(1, "a", false));
  EXPECT_EQ(MakeCast(a, DataType::Integer(), EvalMode::kAnsi), a);
  const auto implicit = MakeCast(a, DataType::Long(), EvalMode::kAnsi);
  EXPECT_EQ(implicit->sql, "a");
  EXPECT_FALSE(implicit->nullable);
  const auto written = MakeCast(a, DataType::Long(), EvalMode::kAnsi, true);
  EXPECT_EQ(written->sql, "CAST(a AS BIGINT)");
  const auto tried = MakeCast(a, DataType::Date(), EvalMode::kTry, true);
  EXPECT_EQ(tried->sql, "TRY_CAST(a AS DATE)");
  EXPECT_TRUE(tried->nullable);
  EXPECT_FALSE(MakeCast(a, DataType::Long(), EvalMode::kTry, true)->nullable);
  const auto text = MakeLiteral(DataType::String(), Value("1"));
  EXPECT_TRUE(MakeCast(text, DataType::Integer(), EvalMode::kAnsi)->nullable);
  EXPECT_FALSE(MakeCast(text, DataType::Binary(), EvalMode::kTry)->nullable);
  const auto array = DataType::Array(DataType::Integer());
  EXPECT_EQ(MakeCast(MakeNull(DataType::Null()), array, EvalMode::kAnsi, true)->sql, "NULL");
}

TEST(ExpressionTest, WithSqlCopies) {
  const auto a = MakeColumn(IntAttribute(1, "a"));
  const auto b = WithSql(a, "b");
  EXPECT_EQ(a->sql, "a");
  EXPECT_EQ(b->sql, "b");
  EXPECT_EQ(b->As<ColumnExpression>().name, "a");
}

std::shared_ptr<WindowExpression> FullWindow() {
  const auto column = [](AttributeId id) { return MakeColumn(IntAttribute(id, "c" + std::to_string(id))); };
  auto window = std::make_shared<WindowExpression>();
  window->type = DataType::Long();
  window->function = "sum";
  window->arguments = {column(1), column(2)};
  window->filter = column(3);
  window->partition_by = {column(4)};
  window->order_by = {{column(5), false, false}};
  window->frame.start = {FrameBoundType::kPreceding, column(6)};
  window->frame.end = {FrameBoundType::kFollowing, column(7)};
  return window;
}

TEST(ExpressionTest, ChildrenComeBackInTheirPlaces) {
  const auto window = FullWindow();
  auto children = Children(*window);
  ASSERT_EQ(children.size(), 7u);
  for (size_t i = 0; i < children.size(); ++i) {
    EXPECT_EQ(children[i]->As<ColumnExpression>().id, i + 1);
    children[i] = MakeLiteral(DataType::Integer(), Value(static_cast<int>(i)));
  }
  const auto changed = WithChildren(*window, children);
  EXPECT_EQ(Children(*changed), children);
  const auto& copy = changed->As<WindowExpression>();
  EXPECT_EQ(copy.function, "sum");
  EXPECT_FALSE(copy.order_by[0].ascending);
  EXPECT_EQ(copy.frame.end.type, FrameBoundType::kFollowing);
  EXPECT_EQ(Children(*window)[0]->kind, ExpressionKind::kColumn);  // the first is as it was
}

TEST(ExpressionTest, AbsentChildrenStayAbsent) {
  auto aggregate = std::make_shared<AggregateExpression>();
  aggregate->type = DataType::Long();
  aggregate->function = "count";
  EXPECT_TRUE(Children(*aggregate).empty());
  EXPECT_EQ(WithChildren(*aggregate, {})->As<AggregateExpression>().filter, nullptr);
}

TEST(ExpressionTest, VisitGoesParentsFirstAndStopsWhereTold) {
  const auto a = MakeColumn(IntAttribute(1, "a"));
  const auto inner = MakeCall("inner", {a}, DataType::Integer(), true);
  const auto outer = MakeCall("outer", {inner, a}, DataType::Integer(), true);
  std::vector<std::string> seen;
  VisitExpression(*outer, [&](const Expression& expression) {
    seen.push_back(expression.sql);
    return expression.sql != "inner(a)";
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"outer(inner(a), a)", "inner(a)", "a"}));
}

}  // namespace
}  // namespace frazil
