// explode and its kin: in LATERAL VIEW and in FROM; table-valued functions.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/python_table_functions_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/constant.h"
#include "frazil/functions/signature.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/python_table_function.h"
#include "frazil/sql/keywords.h"
#include "frazil/sql/parser.h"

namespace frazil::analysis {

using plan::ExprKind;

Result<GenerateStep> Analyzer::MakeGenerator(const plan::FunctionExpr& call, const std::vector<std::string>& names,
                                             bool outer, const Scope& scope) {
  std::string name = FunctionName(call.name);
  const auto* definition = functions::FindFunction(name);
  if (definition == nullptr || definition->generate == nullptr) {
    return Error::Of("UNSUPPORTED_GENERATOR.NOT_GENERATOR",
                     {{"functionName", QuoteIdentifier(call.name)}, {"classCanonicalName", name}});
  }
  scopes_.push_back(&scope);
  auto prepared = PrepareCall(call, definition);
  scopes_.pop_back();
  if (!prepared.ok()) return std::move(prepared).error();
  const int count = static_cast<int>(prepared->arguments.size());
  if (count < definition->min_arguments || (definition->max_arguments >= 0 && count > definition->max_arguments)) {
    const auto expected = definition->max_arguments < 0 ? "> " + std::to_string(definition->min_arguments - 1)
                                                        : std::to_string(definition->min_arguments);
    return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", QuoteIdentifier(name)},
                                                           {"expectedNum", expected},
                                                           {"actualNum", std::to_string(count)},
                                                           {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto columns, definition->generate(*prepared));
  GenerateStep step;
  step.outer = outer || name.ends_with("_outer");
  if (name.ends_with("_outer")) name.resize(name.size() - 6);
  step.generator = name;
  step.arguments = prepared->arguments;
  if (!names.empty() && names.size() != columns.size()) {
    return Error::Of("UDTF_ALIAS_NUMBER_MISMATCH",
                     {{"aliasesSize", std::to_string(columns.size())}, {"aliasesNames", Join(names, ",")}});
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    step.columns.push_back(
        NewAttribute(names.empty() ? columns[i].name : names[i], columns[i].type, columns[i].nullable || step.outer));
  }
  return step;
}

namespace {

plan::LogicalPlanPtr MakeGenerate(plan::LogicalPlanPtr child, GenerateStep step) {
  auto node = std::make_shared<plan::GenerateNode>();
  node->output = child->output;
  node->output.insert(node->output.end(), step.columns.begin(), step.columns.end());
  node->child = std::move(child);
  node->generator = std::move(step.generator);
  node->arguments = std::move(step.arguments);
  node->generated_columns = step.columns.size();
  node->outer = step.outer;
  return node;
}

// The parameters of range(), by the number of arguments: a single one is the end.
const char* RangeParameter(size_t index, size_t count) {
  static constexpr const char* kNames[] = {"start", "end", "step", "numSlices"};
  return kNames[count == 1 ? 1 : index];
}

}  // namespace

Result<Relation> Analyzer::AnalyzeLateralView(const plan::LateralViewPlan& view) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(view.child));
  if (view.generator->kind != ExprKind::kFunction) {
    return Error::Of("UNSUPPORTED_GENERATOR.NOT_GENERATOR",
                     {{"functionName", "`expression`"}, {"classCanonicalName", "expression"}});
  }
  Scope scope;
  scope.input = &child;
  const auto& call = view.generator->As<plan::FunctionExpr>();
  const auto name = FunctionName(call.name);
  if (name.empty() || functions::FindFunction(name) == nullptr)
    return At(UnresolvedRoutine(call.name), view.generator->origin);
  FRAZIL_ASSIGN_OR_RETURN(auto step,
                          At(MakeGenerator(call, view.column_aliases, view.outer, scope), view.generator->origin));
  if (!view.alias.empty()) {
    for (auto& column : step.columns) column.qualifier = {view.alias};
  }
  Relation relation = child;
  relation.select = nullptr;
  relation.select_root = nullptr;
  relation.output.insert(relation.output.end(), step.columns.begin(), step.columns.end());
  relation.plan = MakeGenerate(child.plan, std::move(step));
  return relation;
}

Result<Relation> Analyzer::AnalyzeTableChanges(const plan::TableFunctionPlan& function, bool by_path) {
  const std::string name = by_path ? "table_changes_by_path" : "table_changes";
  if (function.arguments.size() < 2 || function.arguments.size() > 3) {
    return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", QuoteIdentifier(name)},
                                                           {"expectedNum", "[2, 3]"},
                                                           {"actualNum", std::to_string(function.arguments.size())},
                                                           {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  std::vector<std::pair<DataTypePtr, Value>> values;
  for (const auto& argument : function.arguments) {
    Scope scope;
    FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(argument, scope));
    if (typed->type->IsDatetime()) typed = MakeCast(typed, DataType::String(), settings_.eval_mode());
    FRAZIL_ASSIGN_OR_RETURN(auto value, context_.EvaluateConstant(typed));
    const bool fits = (typed->type->IsIntegral() && !values.empty()) || typed->type->IsString();
    if (value.is_null() || !fits) {
      return Error::Of("UNEXPECTED_INPUT_TYPE",
                       {{"functionName", QuoteIdentifier(name)},
                        {"paramIndex", std::to_string(values.size() + 1)},
                        {"inputSql", "\"" + typed->sql + "\""},
                        {"inputType", "\"" + typed->type->Sql() + "\""},
                        {"requiredType", values.empty() ? "\"STRING\"" : "(\"BIGINT\" or \"STRING\")"}});
    }
    values.emplace_back(typed->type, std::move(value));
  }
  std::vector<std::string> table = {"delta", values[0].second.string()};
  if (!by_path) {
    FRAZIL_ASSIGN_OR_RETURN(table, sql::ParseMultipartIdentifier(values[0].second.string(), context_.parser_options()));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, LoadTableByName(table));
  if (resolved.table->provider() != "delta") return Error::Of("DELTA_ONLY_OPERATION", {{"operation", name}});
  tables::ScanOptions options;
  options.options["readchangefeed"] = "true";
  for (size_t i = 1; i < values.size(); ++i) {
    const std::string bound = i == 1 ? "starting" : "ending";
    const auto& [type, value] = values[i];
    if (type->IsString()) {
      options.options[bound + "timestamp"] = value.string();
    } else {
      options.options[bound + "version"] = std::to_string(value.integer());
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto scan, resolved.table->Scan(options));
  return ScanRelation(scan, Join(resolved.full_name, "."), resolved.full_name);
}

Result<Relation> Analyzer::AnalyzeTableFunction(const plan::TableFunctionPlan& function) {
  std::vector<std::string> full_name = function.name;
  if (function.identifier != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(full_name, AnalyzeIdentifierText(function.identifier));
  }
  plan::FunctionExpr call;
  call.name = full_name;
  call.arguments = function.arguments;
  call.origin = function.origin;
  if (const auto sql_function = FindSqlFunction(full_name)) {
    if (!sql_function->returns_table && sql_function->class_name.empty())
      return At(Error::Of("NOT_A_TABLE_FUNCTION", {{"functionName", QuoteIdentifier(SqlFunctionName(*sql_function))}}),
                function.origin);
    return At(AnalyzeSqlTableFunction(*sql_function, call), function.origin);
  }
  const auto* inline_python = dynamic_cast<const plan::PythonTableFunctionPlan*>(&function);
  std::optional<PythonTableFunction> python;
  if (inline_python != nullptr) {
    python = PythonTableFunction{full_name.empty() ? "" : full_name.back(),
                                 inline_python->code,
                                 inline_python->python_version,
                                 inline_python->eval_type,
                                 inline_python->return_type,
                                 inline_python->deterministic};
  } else if (full_name.size() == 1) {
    python = context_.FindPythonTableFunction(full_name[0]);
  }
  if (python) {
    const TableFunctionScope scope{[&](const plan::ExprPtr& argument) { return AnalyzeScalar(argument, Scope()); },
                                   [&](const plan::PlanPtr& table) -> Result<std::vector<Attribute>> {
                                     FRAZIL_ASSIGN_OR_RETURN(const auto relation, AnalyzePlan(table));
                                     return relation.output;
                                   }};
    FRAZIL_ASSIGN_OR_RETURN(const auto rows, PlanPythonTableFunction(*python, function.arguments, scope, context_));
    return AnalyzePlan(rows);
  }
  const std::string name = FunctionName(full_name);
  if (name == "range") {
    const size_t count = function.arguments.size();
    if (count == 0 || count > 4) {
      return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", "`range`"},
                                                             {"expectedNum", "[1, 2, 3, 4]"},
                                                             {"actualNum", std::to_string(count)},
                                                             {"docroot", "https://spark.apache.org/docs/latest"}});
    }
    std::vector<int64_t> numbers;
    for (size_t i = 0; i < count; ++i) {
      const auto& argument = function.arguments[i];
      const bool is_slices = i == 3;
      const auto wanted = is_slices ? DataType::Integer() : DataType::Long();
      Scope scope;
      FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(argument, scope));
      // range knows its arguments by their places alone.
      if (argument->kind == ExprKind::kNamedArgument || !functions::IsFoldable(*typed)) {
        return Error::Of("NON_FOLDABLE_ARGUMENT", {{"funcName", "`range`"},
                                                   {"paramName", QuoteIdentifier(RangeParameter(i, count))},
                                                   {"paramType", "\"" + wanted->Sql() + "\""}});
      }
      const auto refused = [&] {
        return Error::Of("UNEXPECTED_INPUT_TYPE", {{"functionName", "`range`"},
                                                   {"paramIndex", functions::Ordinal(count == 1 ? 1 : i)},
                                                   {"inputSql", "\"" + typed->sql + "\""},
                                                   {"inputType", "\"" + typed->type->Sql() + "\""},
                                                   {"requiredType", "\"" + wanted->Sql() + "\""}});
      };
      if (!typed->type->IsNumeric() && !typed->type->IsString()) return refused();
      const auto number = WithOrigin(MakeCast(typed, wanted, settings_.eval_mode()), InObject(function.origin));
      FRAZIL_ASSIGN_OR_RETURN(auto value, context_.EvaluateConstant(number));
      if (value.is_null()) return refused();
      numbers.push_back(value.integer());
    }
    const int64_t step = count > 2 ? numbers[2] : 1;
    if (step == 0) return Error::Of("FAILED_FUNCTION_CALL", {{"funcName", "`range`"}});
    if (count > 3 && numbers[3] <= 0)
      return Error::Plain(ExceptionClass::kIllegalArgument, "Positive number of partitions required");
    return count == 1 ? MakeRange(0, numbers[0], 1) : MakeRange(numbers[0], numbers[1], step);
  }
  if (name == "table_changes" || name == "table_changes_by_path")
    return AnalyzeTableChanges(function, name == "table_changes_by_path");
  if (name == "sql_keywords" && function.arguments.empty()) {
    auto rows = std::make_shared<RowSet>();
    rows->schema = DataType::Struct(
        {StructField("keyword", DataType::String(), false), StructField("reserved", DataType::Boolean(), false)});
    for (const auto& keyword : sql::AllKeywords())
      rows->rows.push_back({Value(std::string(keyword.text)), Value(keyword.reserved)});
    return RowsRelation(std::move(rows));
  }
  const auto* definition = name.empty() ? nullptr : functions::FindFunction(name);
  if (definition == nullptr) {
    return Error::Of("UNRESOLVABLE_TABLE_VALUED_FUNCTION", {{"name", QuoteIdentifier(full_name)}});
  }
  if (definition->generate == nullptr)
    return Error::Of("NOT_A_TABLE_FUNCTION", {{"functionName", QuoteIdentifier(full_name)}});
  Scope scope;
  FRAZIL_ASSIGN_OR_RETURN(auto step, MakeGenerator(call, {}, false, scope));
  Relation relation;
  relation.output = step.columns;
  relation.plan = MakeGenerate(plan::MakeOneRow(), std::move(step));
  return relation;
}

}  // namespace frazil::analysis
