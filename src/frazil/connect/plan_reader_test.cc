#include <gtest/gtest.h>

#include "frazil/connect/name_parser.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/testing/fake_session.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;
using Parts = std::vector<std::string>;

Result<DataTypePtr> NoDdl(const std::string& text) { return Error::Internal("DDL " + text); }

class PlanReaderTest : public ::testing::Test {
 protected:
  plan::PlanPtr Read(const proto::Relation& message) {
    PlanReader reader(&session_);
    auto plan = reader.ReadRelation(message);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    return plan.ok() ? *plan : nullptr;
  }
  plan::ExprPtr ReadExpression(const proto::Expression& message) {
    PlanReader reader(&session_);
    auto expression = reader.ReadExpression(message);
    EXPECT_TRUE(expression.ok()) << expression.error().message;
    return expression.ok() ? *expression : nullptr;
  }
  static void SetRange(proto::Relation* relation) { relation->mutable_range()->set_end(3); }

  testing::FakeSession session_{"user", "id", std::make_shared<testing::FakeAnswers>()};
};

TEST(AttributeName, SplitsAtDotsOutsideOfBackQuotes) {
  EXPECT_EQ(*ParseAttributeName("a"), Parts({"a"}));
  EXPECT_EQ(*ParseAttributeName("a.b c.`d.e``f`"), Parts({"a", "b c", "d.e`f"}));
  EXPECT_EQ(*ParseAttributeName(""), Parts({""}));
  for (const char* wrong : {"a.", ".a", "a..b", "`a", "`a`b", "a`b`"}) {
    const auto parts = ParseAttributeName(wrong);
    ASSERT_FALSE(parts.ok()) << wrong;
    EXPECT_EQ(parts.error().condition, "INVALID_ATTRIBUTE_NAME_SYNTAX");
  }
}

TEST(Literals, DecimalsHoldTheirDigitsAndWhatIsAskedFor) {
  proto::Expression::Literal message;
  message.mutable_decimal()->set_value("-1.23");
  message.mutable_decimal()->set_precision(10);
  message.mutable_decimal()->set_scale(0);
  const auto read = ReadLiteral(message, NoDdl);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->type->SimpleString(), "decimal(10,2)");
  EXPECT_EQ(read->value, Value(Decimal128{-123}));
  message.mutable_decimal()->Clear();
  message.mutable_decimal()->set_value("1E+3");
  EXPECT_EQ(ReadLiteral(message, NoDdl)->type->SimpleString(), "decimal(4,0)");
  message.mutable_decimal()->set_value("1e-3");
  EXPECT_EQ(ReadLiteral(message, NoDdl)->type->SimpleString(), "decimal(3,3)");
  for (const char* wrong : {"", "x", "1.2.3", "1e", "123456789012345678901234567890123456789"}) {
    message.mutable_decimal()->set_value(wrong);
    EXPECT_FALSE(ReadLiteral(message, NoDdl).ok()) << wrong;
  }
}

TEST(Literals, NestedValuesComeBackAsTheyWent) {
  const auto type = DataType::Struct({StructField("a", DataType::Array(DataType::Integer())),
                                      StructField("m", DataType::Map(DataType::String(), DataType::Decimal(5, 2))),
                                      StructField("t", DataType::Time(6)), StructField("n", DataType::Date())});
  const Value value(Value::List{Value(Value::List{Value(1), Value()}),
                                Value(Value::List{Value("k"), Value(Decimal128{-5})}), Value(int64_t{3600000000}),
                                Value()});
  proto::Expression::Literal message;
  WriteLiteral(*type, value, &message);
  EXPECT_EQ(message.struct_().elements(1).map().values(0).decimal().value(), "-0.05");
  const auto read = ReadLiteral(message, NoDdl);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->type->Equals(*type)) << read->type->SimpleString();
  EXPECT_EQ(read->value, value);
}

TEST(Literals, SpecializedArraysHaveNoNulls) {
  proto::Expression::Literal message;
  message.mutable_specialized_array()->mutable_longs()->add_values(7);
  const auto read = ReadLiteral(message, NoDdl);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->type->Equals(*DataType::Array(DataType::Long(), false)));
  EXPECT_EQ(read->value, Value(Value::List{Value(7)}));
}

TEST(Types, EveryTypeComesBackAsItWent) {
  StructField commented("c", DataType::String(), false);
  commented.SetComment("it's \"quoted\"");
  const auto type = DataType::Struct(
      {StructField("null", DataType::Null()), StructField("boolean", DataType::Boolean()),
       StructField("byte", DataType::Byte()), StructField("short", DataType::Short()),
       StructField("float", DataType::Float()), StructField("double", DataType::Double()),
       StructField("binary", DataType::Binary()), StructField("char", DataType::Char(3)),
       StructField("varchar", DataType::Varchar(4)),
       StructField("collated", DataType::StringWithCollation("UTF8_LCASE")),
       StructField("timestamp", DataType::Timestamp()), StructField("ntz", DataType::TimestampNtz()),
       StructField("time", DataType::Time(3)), StructField("calendar", DataType::CalendarInterval()),
       StructField("months", DataType::YearMonthInterval(IntervalField::kMonth, IntervalField::kMonth)),
       StructField("seconds", DataType::DayTimeInterval(IntervalField::kHour, IntervalField::kSecond)),
       StructField("map", DataType::Map(DataType::Long(), DataType::Variant(), false)), std::move(commented)});
  proto::DataType message;
  WriteDataType(*type, &message);
  const auto read = ReadDataType(message, NoDdl);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ((*read)->Json(), type->Json());
}

TEST_F(PlanReaderTest, KeepsPlanIdsAndColumnsOfPlans) {
  proto::Relation message;
  message.mutable_common()->set_plan_id(2);
  SetRange(message.mutable_filter()->mutable_input());
  message.mutable_filter()->mutable_input()->mutable_common()->set_plan_id(1);
  auto* condition = message.mutable_filter()->mutable_condition()->mutable_unresolved_function();
  condition->set_function_name(">");
  auto* column = condition->add_arguments()->mutable_unresolved_attribute();
  column->set_unparsed_identifier("id");
  column->set_plan_id(1);
  condition->add_arguments()->mutable_literal()->set_integer(1);
  const auto plan = Read(message);
  ASSERT_EQ(plan->kind, plan::PlanKind::kFilter);
  EXPECT_EQ(plan->plan_id, 2);
  const auto& filter = plan->As<plan::FilterPlan>();
  EXPECT_EQ(filter.child->plan_id, 1);
  const auto& call = filter.condition->As<plan::FunctionExpr>();
  EXPECT_TRUE(call.is_operator);
  EXPECT_EQ(call.arguments[0]->As<plan::AttributeExpr>().plan_id, 1);
}

TEST_F(PlanReaderTest, ProjectWithoutInputReadsOneRow) {
  proto::Relation message;
  message.mutable_project()->add_expressions()->mutable_literal()->set_integer(1);
  EXPECT_EQ(Read(message)->As<plan::ProjectPlan>().child->kind, plan::PlanKind::kOneRow);
}

TEST_F(PlanReaderTest, GroupingSetsSelectTheColumnsInFront) {
  proto::Relation message;
  auto* aggregate = message.mutable_aggregate();
  SetRange(aggregate->mutable_input());
  aggregate->set_group_type(proto::Aggregate::GROUP_TYPE_GROUPING_SETS);
  aggregate->add_grouping_expressions()->mutable_unresolved_attribute()->set_unparsed_identifier("a");
  aggregate->add_aggregate_expressions()->mutable_unresolved_attribute()->set_unparsed_identifier("b");
  aggregate->add_grouping_sets()->add_grouping_set()->mutable_unresolved_attribute()->set_unparsed_identifier("a");
  aggregate->add_grouping_sets();
  const auto plan = Read(message);
  const auto& read = plan->As<plan::AggregatePlan>();
  EXPECT_FALSE(read.prepend_grouping);
  ASSERT_EQ(read.aggregates.size(), 2U);
  EXPECT_EQ(read.aggregates[0]->As<plan::AttributeExpr>().name, Parts({"a"}));
  ASSERT_EQ(read.grouping.size(), 1U);
  ASSERT_EQ(read.grouping[0].sets.size(), 2U);
  EXPECT_TRUE(read.grouping[0].sets[1].empty());
}

TEST_F(PlanReaderTest, WindowBoundsKeepTheirMeaning) {
  proto::Expression message;
  auto* window = message.mutable_window();
  window->mutable_window_function()->mutable_unresolved_function()->set_function_name("sum");
  auto* frame = window->mutable_frame_spec();
  frame->set_frame_type(proto::Expression::Window::WindowFrame::FRAME_TYPE_ROW);
  frame->mutable_lower()->set_unbounded(true);
  frame->mutable_upper()->mutable_value()->mutable_literal()->set_long_(-1);
  const auto expression = ReadExpression(message);
  const auto& read = expression->As<plan::WindowExpr>().window.frame;
  EXPECT_EQ(read->type, FrameType::kRows);
  EXPECT_EQ(read->start.type, FrameBoundType::kUnboundedPreceding);
  EXPECT_EQ(read->end.type, FrameBoundType::kFollowing);
  EXPECT_EQ(read->end.offset->As<plan::LiteralExpr>().value, Value(-1));
}

TEST_F(PlanReaderTest, NthValueTakesIgnoreNullsFromItsThirdArgument) {
  proto::Expression message;
  auto* call = message.mutable_unresolved_function();
  call->set_function_name("nth_value");
  call->add_arguments()->mutable_unresolved_attribute()->set_unparsed_identifier("a");
  call->add_arguments()->mutable_literal()->set_integer(2);
  call->add_arguments()->mutable_literal()->set_boolean(true);
  const auto expression = ReadExpression(message);
  const auto& read = expression->As<plan::FunctionExpr>();
  EXPECT_EQ(read.arguments.size(), 2U);
  EXPECT_EQ(read.ignore_nulls, true);
}

TEST_F(PlanReaderTest, FromJsonTakesTheSchemaAsJson) {
  proto::Expression message;
  auto* call = message.mutable_unresolved_function();
  call->set_function_name("from_json");
  call->add_arguments()->mutable_unresolved_attribute()->set_unparsed_identifier("a");
  call->add_arguments()->mutable_literal()->set_string(
      R"({"type":"struct","fields":[{"name":"x","type":"long","nullable":true,"metadata":{}}]})");
  const auto expression = ReadExpression(message);
  const auto& schema = expression->As<plan::FunctionExpr>().arguments[1]->As<plan::LiteralExpr>();
  EXPECT_EQ(schema.value, Value("STRUCT<x: BIGINT>"));
}

TEST_F(PlanReaderTest, FunctionsOverRowsAreInlinedArrays) {
  proto::Relation message;
  SetRange(message.mutable_map_partitions()->mutable_input());
  auto& function = *message.mutable_map_partitions()->mutable_func();
  function.set_function_name("f");
  function.mutable_python_udf()->set_eval_type(205);
  function.mutable_python_udf()->mutable_output_type()->mutable_struct_();
  const auto plan = Read(message);
  ASSERT_EQ(plan->kind, plan::PlanKind::kProject);
  const auto& inlined = plan->As<plan::ProjectPlan>().expressions.at(0)->As<plan::FunctionExpr>();
  EXPECT_EQ(inlined.name, std::vector<std::string>{"inline"});
  const auto& call = inlined.arguments.at(0)->As<plan::PythonFunctionExpr>();
  EXPECT_EQ(call.eval_type, 205);
  EXPECT_EQ(call.arguments.at(0)->As<plan::FunctionExpr>().name, std::vector<std::string>{"struct"});
}

TEST_F(PlanReaderTest, RegisteredFunctionsAreTemporaryOnesWithTheCodeAsBody) {
  proto::Command command;
  auto& function = *command.mutable_register_function();
  function.set_function_name("f");
  function.mutable_python_udf()->set_command("code");
  function.mutable_python_udf()->mutable_output_type()->mutable_integer();
  PlanReader reader(&session_);
  const auto read = reader.ReadCommand(command);
  ASSERT_TRUE(read.ok());
  const auto& definition = (*read)->As<plan::FunctionDdlCommand>();
  EXPECT_TRUE(definition.temporary && definition.or_replace);
  EXPECT_EQ(definition.body->As<plan::PythonFunctionExpr>().command, "code");
}

TEST_F(PlanReaderTest, FunctionsWithoutCodeAreNoPlans) {
  proto::Relation message;
  SetRange(message.mutable_co_group_map()->mutable_input());
  PlanReader reader(&session_);
  const auto plan = reader.ReadRelation(message);
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("without code"), std::string::npos);
}

TEST_F(PlanReaderTest, NamesWhatIsNotSupported) {
  proto::Command command;
  command.mutable_register_function()->set_function_name("f");
  command.mutable_register_function()->mutable_java_udf()->set_class_name("example.F");
  PlanReader reader(&session_);
  const auto read = reader.ReadCommand(command);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kUnsupported);
}

TEST_F(PlanReaderTest, CatalogCallsCarryTheirFields) {
  proto::Relation message;
  message.mutable_catalog()->mutable_list_columns()->set_table_name("t");
  auto plan = Read(message);
  EXPECT_EQ(plan->As<plan::CatalogCallPlan>().call, "ListColumns");
  EXPECT_EQ(plan->As<plan::CatalogCallPlan>().arguments, (plan::Options{{"table_name", "t"}}));
  message.mutable_catalog()->mutable_list_columns()->set_db_name("");
  plan = Read(message);
  EXPECT_EQ(plan->As<plan::CatalogCallPlan>().arguments, (plan::Options{{"table_name", "t"}, {"db_name", ""}}));
}

TEST_F(PlanReaderTest, SubqueriesFindTheirRelationsById) {
  proto::Relation message;
  auto* with = message.mutable_with_relations();
  SetRange(with->add_references());
  with->mutable_references(0)->mutable_common()->set_plan_id(9);
  auto* subquery = with->mutable_root()->mutable_project()->add_expressions()->mutable_subquery_expression();
  subquery->set_plan_id(9);
  subquery->set_subquery_type(proto::SubqueryExpression::SUBQUERY_TYPE_SCALAR);
  const auto plan = Read(message);
  const auto& root = plan->As<plan::WithRelationsPlan>().root->As<plan::ProjectPlan>();
  const auto& read = root.expressions[0]->As<plan::SubqueryExpr>();
  ASSERT_NE(read.plan, nullptr);
  EXPECT_EQ(read.plan->kind, plan::PlanKind::kRange);
}

TEST(StorageLevels, ComeBackAsTheyWent) {
  proto::StorageLevel level;
  level.set_use_disk(true);
  level.set_replication(2);
  proto::StorageLevel read;
  WriteStorageLevel(StorageLevelText(level), &read);
  EXPECT_EQ(read.SerializeAsString(), level.SerializeAsString());
  WriteStorageLevel("MEMORY_AND_DISK", &read);
  EXPECT_TRUE(read.use_memory() && read.use_disk() && read.deserialized());
  WriteStorageLevel("", &read);
  EXPECT_FALSE(read.use_memory() || read.use_disk());
}

}  // namespace
}  // namespace frazil::connect
