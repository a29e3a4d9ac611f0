#include <algorithm>

#include "frazil/analysis/python_table_functions_internal.h"
#include "frazil/base/json.h"
#include "frazil/expressions/python_call.h"
#include "frazil/functions/constant.h"
#include "frazil/sql/parser.h"

namespace frazil::analysis {
namespace {

// Beyond pyspark.util.PythonEvalType: the call of analyze() (python/frazil/table_function_worker.py).
constexpr int kAnalyzeTableFunction = 1300;
constexpr int kArrowTableFunction = 302;  // SQL_ARROW_UDTF
constexpr const char* kRow = "_row";

std::string Part(const std::string& bytes) {
  std::string part;
  for (int shift = 56; shift >= 0; shift -= 8)
    part += static_cast<char>(static_cast<uint64_t>(bytes.size()) >> shift & 255);
  return part + bytes;
}

/// What is in front of the TABLE keyword of an argument: its name, if it has one.
const plan::ExprPtr& Unnamed(const plan::ExprPtr& argument) {
  return argument->kind == plan::ExprKind::kNamedArgument ? argument->As<plan::NamedArgumentExpr>().value : argument;
}

plan::ExprPtr WithNameOf(const plan::ExprPtr& argument, plan::ExprPtr value) {
  if (argument->kind != plan::ExprKind::kNamedArgument) return value;
  auto named = std::make_shared<plan::NamedArgumentExpr>(argument->As<plan::NamedArgumentExpr>());
  named->value = std::move(value);
  return named;
}

// What analyze() answers.
struct Analysis {
  DataTypePtr schema;
  bool with_single_partition = false;
  std::vector<std::string> partition_by;
  std::vector<plan::ExprPtr> order_by, select;
  std::string pickled;
};

Result<Analysis> ReadAnalysis(const std::string& answer, const sql::ParserOptions& options) {
  if (answer.size() < 8) return Error::Internal("analyze() of a table function gave nothing");
  uint64_t size = 0;
  for (size_t i = 0; i < 8; ++i) size = size << 8 | static_cast<unsigned char>(answer[i]);
  if (size > answer.size() - 8) return Error::Internal("what analyze() of a table function gave is cut");
  FRAZIL_ASSIGN_OR_RETURN(const auto json, ParseJson(std::string_view(answer).substr(8, size)));
  Analysis analysis;
  analysis.pickled = answer.substr(8 + size);
  FRAZIL_ASSIGN_OR_RETURN(analysis.schema, DataType::FromJson(json.Find("schema")->text));
  analysis.with_single_partition = json.Find("single_partition")->boolean;
  for (const auto& item : json.Find("partition_by")->items) analysis.partition_by.push_back(item.text);
  for (const auto& item : json.Find("order_by")->items) {
    auto order = std::make_shared<plan::SortOrderExpr>();
    FRAZIL_ASSIGN_OR_RETURN(order->child, sql::ParseExpression(item.Find("name")->text, options));
    order->ascending = item.Find("ascending")->boolean;
    const auto* nulls_first = item.Find("nulls_first");
    if (nulls_first->kind == JsonValue::Kind::kBoolean) order->nulls_first = nulls_first->boolean;
    analysis.order_by.push_back(std::move(order));
  }
  for (const auto& item : json.Find("select")->items) {
    FRAZIL_ASSIGN_OR_RETURN(auto column, sql::ParseExpression(item.Find("name")->text, options));
    const auto& alias = item.Find("alias")->text;
    analysis.select.push_back(alias.empty() ? column : plan::MakeAliasExpr(column, alias));
  }
  return analysis;
}

// Calls analyze() with the types of the arguments, and the values of those that are constant.
Result<Analysis> Analyze(const PythonTableFunction& function, const std::vector<plan::ExprPtr>& arguments,
                         const TableFunctionScope& scope, AnalysisContext& context) {
  std::vector<ExpressionPtr> values;
  std::string described;
  for (const auto& argument : arguments) {
    const auto& value = Unnamed(argument);
    const bool is_table = value->kind == plan::ExprKind::kTableArgument;
    bool is_constant = false;
    DataTypePtr type;
    if (is_table) {
      FRAZIL_ASSIGN_OR_RETURN(const auto columns, scope.columns_of(value->As<plan::TableArgumentExpr>().plan));
      std::vector<StructField> fields;
      for (const auto& column : columns) fields.emplace_back(column.name, column.type, column.nullable);
      type = DataType::Struct(std::move(fields));
      values.push_back(MakeLiteral(DataType::Boolean(), Value()));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(auto typed, scope.analyze_argument(value));
      type = typed->type;
      is_constant = functions::IsFoldable(*typed);
      values.push_back(is_constant ? std::move(typed) : MakeLiteral(DataType::Boolean(), Value()));
    }
    const auto flag = [](bool is) { return is ? "true" : "false"; };
    described +=
        std::string(described.empty() ? "" : ",") + "{\"type\":" + JsonString(type->Json()) +
        ",\"constant\":" + flag(is_constant) + ",\"table\":" + flag(is_table) + ",\"name\":" +
        (argument->kind == plan::ExprKind::kNamedArgument ? JsonString(argument->As<plan::NamedArgumentExpr>().name)
                                                          : "null") +
        "}";
  }
  PythonFunction code;
  code.name = function.name;
  code.eval_type = kAnalyzeTableFunction;
  code.python_version = function.python_version;
  code.command =
      Part("{\"name\":" + JsonString(function.name) + ",\"arguments\":[" + described + "]}") + Part(function.command);
  code.argument_names.resize(values.size());
  values.insert(values.begin(), MakeLiteral(DataType::Binary(), Value(code.Encode())));
  const auto call = MakeCall(kNondeterministicPythonFunction, std::move(values), DataType::Binary(), true,
                             EvalMode::kAnsi, function.name + "()");
  auto answer = context.EvaluateConstant(call);
  if (!answer.ok()) {
    if (!answer.error().condition.empty() || answer.error().exception_class != ExceptionClass::kSparkRuntime)
      return std::move(answer).error();
    return Error::Of("TABLE_VALUED_FUNCTION_FAILED_TO_ANALYZE_IN_PYTHON", {{"msg", answer.error().message}});
  }
  return ReadAnalysis(answer->string(), context.parser_options());
}

Error Incompatible(const PythonTableFunction& function, const std::string& requested, const std::string& property) {
  return Error::Of("TABLE_VALUED_FUNCTION_REQUIRED_METADATA_INCOMPATIBLE_WITH_CALL",
                   {{"functionName", QuoteIdentifier(function.name)},
                    {"requestedMetadata", requested},
                    {"invalidFunctionCallProperty", property}});
}

// The rows of the table argument with the keys that they are grouped and sorted by: _row, _p0, ..., _o0, ...
struct TableRows {
  std::shared_ptr<plan::ProjectPlan> rows;
  size_t partitions = 0;
  std::string order;  ///< JSON: for each key whether it ascends, and whether NULLs are first.
  size_t orders = 0;
};

Result<TableRows> RowsOf(const PythonTableFunction& function, const plan::TableArgumentExpr& table,
                         const Analysis* analysis, const sql::ParserOptions& options) {
  auto partition_by = table.partition_by;
  auto order_by = table.order_by;
  std::vector<plan::ExprPtr> select;
  if (analysis != nullptr) {
    const bool asks = analysis->with_single_partition || !analysis->partition_by.empty();
    if (asks && (table.with_single_partition || !partition_by.empty())) {
      return Incompatible(function, "specified its own required partitioning of the input table",
                          "specified the WITH SINGLE PARTITION or PARTITION BY clause; please remove these clauses and "
                          "retry the query again.");
    }
    for (const auto& text : analysis->partition_by) {
      FRAZIL_ASSIGN_OR_RETURN(auto key, sql::ParseExpression(text, options));
      partition_by.push_back(std::move(key));
    }
    order_by.insert(order_by.end(), analysis->order_by.begin(), analysis->order_by.end());
    select = analysis->select;
  }
  if (select.empty()) select.push_back(std::make_shared<plan::StarExpr>());
  TableRows result;
  result.rows = std::make_shared<plan::ProjectPlan>();
  result.rows->child = table.plan;
  auto& columns = result.rows->expressions;
  columns.push_back(plan::MakeAliasExpr(plan::MakeFunctionExpr("struct", std::move(select)), kRow));
  for (auto& key : partition_by) {
    if (key->kind == plan::ExprKind::kAlias) key = key->As<plan::AliasExpr>().child;
    columns.push_back(plan::MakeAliasExpr(key, "_p" + std::to_string(result.partitions++)));
  }
  for (const auto& order : order_by) {
    const auto* sort = order->kind == plan::ExprKind::kSortOrder ? &order->As<plan::SortOrderExpr>() : nullptr;
    const bool ascending = sort == nullptr || sort->ascending;
    const bool nulls_first = sort != nullptr ? sort->nulls_first.value_or(ascending) : ascending;
    columns.push_back(
        plan::MakeAliasExpr(sort == nullptr ? order : sort->child, "_o" + std::to_string(result.orders++)));
    result.order += std::string(result.order.empty() ? "[" : ",[") + (ascending ? "true" : "false") + "," +
                    (nulls_first ? "true" : "false") + "]";
  }
  return result;
}

}  // namespace

Result<plan::PlanPtr> PlanPythonTableFunction(const PythonTableFunction& function,
                                              const std::vector<plan::ExprPtr>& arguments,
                                              const TableFunctionScope& scope, AnalysisContext& context) {
  const auto is_table = [](const plan::ExprPtr& argument) {
    return Unnamed(argument)->kind == plan::ExprKind::kTableArgument;
  };
  const auto tables = std::count_if(arguments.begin(), arguments.end(), is_table);
  if (tables > 1) return Error::Of("TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS", {{"num", std::to_string(tables)}});
  const auto table = std::find_if(arguments.begin(), arguments.end(), is_table);
  std::optional<Analysis> analysis;
  if (function.return_type == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(analysis, Analyze(function, arguments, scope, context));
  }
  auto call = std::make_shared<plan::PythonFunctionExpr>();
  call->name = function.name;
  call->eval_type = function.eval_type;
  call->python_version = function.python_version;
  call->deterministic = function.deterministic;
  call->output_type = analysis ? analysis->schema : function.return_type;
  call->arguments = arguments;
  std::string spec = "{\"name\":" + JsonString(function.name);
  auto project = std::make_shared<plan::ProjectPlan>();
  plan::ExprPtr rows_of_call = call;
  if (table == arguments.end()) {
    for (const auto& argument : arguments) {
      if (function.eval_type != kArrowTableFunction) break;
      FRAZIL_ASSIGN_OR_RETURN(const auto typed, scope.analyze_argument(Unnamed(argument)));
      if (!functions::IsFoldable(*typed)) return Error::Of("LATERAL_JOIN_WITH_ARROW_UDTF_UNSUPPORTED");
    }
    project->child = std::make_shared<plan::OneRowPlan>();
    spec += ",\"table\":null,\"order\":[]}";
  } else {
    const auto& argument = Unnamed(*table)->As<plan::TableArgumentExpr>();
    FRAZIL_ASSIGN_OR_RETURN(const auto rows,
                            RowsOf(function, argument, analysis ? &*analysis : nullptr, context.parser_options()));
    auto groups = std::make_shared<plan::AggregatePlan>();
    groups->child = rows.rows;
    for (size_t i = 0; i < rows.partitions; ++i)
      groups->grouping.emplace_back().sets = {{plan::MakeAttributeExpr({"_p" + std::to_string(i)})}};
    std::vector<plan::ExprPtr> parts = {plan::MakeAttributeExpr({kRow})};
    for (size_t i = 0; i < rows.orders; ++i) parts.push_back(plan::MakeAttributeExpr({"_o" + std::to_string(i)}));
    const auto index = static_cast<size_t>(table - arguments.begin());
    call->arguments[index] = WithNameOf(
        *table, plan::MakeFunctionExpr("collect_list", {plan::MakeFunctionExpr("struct", std::move(parts))}));
    groups->aggregates = {plan::MakeAliasExpr(call, "result")};
    project->child = std::move(groups);
    rows_of_call = plan::MakeAttributeExpr({"result"});
    spec += ",\"table\":" + std::to_string(index) + ",\"order\":[" + rows.order + "]}";
  }
  call->command = Part(spec) + Part(function.command) + Part(analysis ? analysis->pickled : "");
  project->expressions = {plan::MakeFunctionExpr("inline", {std::move(rows_of_call)})};
  return plan::PlanPtr(std::move(project));
}

}  // namespace frazil::analysis
