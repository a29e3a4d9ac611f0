// window(time, duration [, slide [, start]]): the time windows that a row falls in, as a column "window" of the input.
// https://spark.apache.org/docs/latest/api/sql/#window. Source of the formula: Spark's TimeWindowing rule.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/constant.h"
#include "frazil/plan/make_logical.h"
#include "frazil/types/interval.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;

namespace {

constexpr int64_t kMicrosPerDay = 86400LL * 1000 * 1000;

ExprPtr Call(std::string name, std::vector<ExprPtr> arguments) {
  return plan::MakeFunctionExpr(std::move(name), std::move(arguments), {}, true);
}
ExprPtr Micros(int64_t value) { return plan::MakeLiteralExpr(DataType::Long(), Value(value)); }

ExprPtr TypedArgument(const ExpressionPtr& typed) {
  Attribute unnamed;
  unnamed.name = "argument";
  return MakeTypedExpr(unnamed, typed);
}

}  // namespace

Result<int64_t> Analyzer::WindowDuration(const ExprPtr& source, const Scope& scope) {
  FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(source, scope));
  if (const auto number = functions::ConstantInteger(*typed); number && typed->type->IsIntegral()) return *number;
  const auto text = typed->type->IsString() ? functions::ConstantText(*typed) : std::nullopt;
  if (text) {
    FRAZIL_ASSIGN_OR_RETURN(const auto interval, ParseCalendarInterval(*text));
    if (interval.months != 0) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "Intervals greater than a month is not supported (" + *text + ").");
    }
    return interval.days * kMicrosPerDay + interval.micros;
  }
  if (typed->type->id() == TypeId::kDayTimeInterval) {
    if (auto value = functions::ConstantValue(*typed)) return value->integer();
  }
  return Error::Of("DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", {{"sqlExpr", "\"window(" + typed->sql + ")\""},
                                                            {"inputName", "`duration`"},
                                                            {"inputType", "\"STRING\""},
                                                            {"inputExpr", "\"" + typed->sql + "\""}});
}

Result<Attribute> Analyzer::AddTimeWindow(const plan::FunctionExpr& call, Relation* input) {
  Scope scope;
  scope.input = input;
  if (call.arguments.size() < 2 || call.arguments.size() > 4) {
    return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", "`window`"},
                                                           {"expectedNum", "[2, 3, 4]"},
                                                           {"actualNum", std::to_string(call.arguments.size())},
                                                           {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto time, AnalyzeScalar(call.arguments[0], scope));
  if (time->type->id() == TypeId::kStruct && time->type->FieldIndex("end") >= 0) {
    // A window of windows counts by the last instant of the inner one.
    FRAZIL_ASSIGN_OR_RETURN(time, AnalyzeScalar(Call("window_time", {TypedArgument(time)}), scope));
  }
  if (time->type->id() == TypeId::kTimestampNtz) return Error::Unsupported("window OVER TIMESTAMP_NTZ");
  time = MakeCast(time, DataType::Timestamp(), settings_.eval_mode());
  FRAZIL_ASSIGN_OR_RETURN(const int64_t width, WindowDuration(call.arguments[1], scope));
  int64_t slide = width, start = 0;
  if (call.arguments.size() > 2) {
    FRAZIL_ASSIGN_OR_RETURN(slide, WindowDuration(call.arguments[2], scope));
  }
  if (call.arguments.size() > 3) {
    FRAZIL_ASSIGN_OR_RETURN(start, WindowDuration(call.arguments[3], scope));
  }
  const auto check = [&](bool holds, const char* left, int64_t value, const char* right,
                         const std::string& bound) -> Result<bool> {
    if (holds) return true;
    return Error::Of("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION",
                     {{"sqlExpr", "\"window(" + time->sql + ", " + std::to_string(width) + ", " +
                                      std::to_string(slide) + ", " + std::to_string(start) + ")\""},
                      {"leftExprName", left},
                      {"leftExprValue", std::to_string(value)},
                      {"constraint", "<="},
                      {"rightExprName", right},
                      {"rightExprValue", bound}});
  };
  if (width <= 0 || slide <= 0) {
    return Error::Of("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                     {{"sqlExpr", "\"window(" + time->sql + ")\""},
                      {"exprName", width <= 0 ? "window_duration" : "slide_duration"},
                      {"valueRange", "(0, 9223372036854775807]"},
                      {"currentValue", std::to_string(width <= 0 ? width : slide) + "L"}});
  }
  FRAZIL_RETURN_IF_ERROR(check(slide <= width, "`slide_duration`", slide, "`window_duration`", std::to_string(width)));
  FRAZIL_RETURN_IF_ERROR(
      check(std::abs(start) < slide, "`abs(start_time)`", std::abs(start), "`slide_duration`", std::to_string(slide)));

  const ExprPtr micros = Call("unix_micros", {TypedArgument(time)});
  const ExprPtr last_start = Call("-", {micros, Call("pmod", {Call("-", {micros, Micros(start)}), Micros(slide)})});
  const auto window_at = [&](int64_t steps_back) {
    const ExprPtr from = steps_back == 0 ? last_start : Call("-", {last_start, Micros(steps_back * slide)});
    return Call("named_struct",
                {plan::MakeLiteralExpr(DataType::String(), Value("start")), Call("timestamp_micros", {from}),
                 plan::MakeLiteralExpr(DataType::String(), Value("end")),
                 Call("timestamp_micros", {Call("+", {from, Micros(width)})})});
  };
  auto present = plan::MakeFilter(input->plan, MakeCall("is_not_null", {time}, DataType::Boolean(), false));
  const int64_t overlapping = (width + slide - 1) / slide;
  Attribute attribute;
  if (overlapping == 1) {
    FRAZIL_ASSIGN_OR_RETURN(auto window, AnalyzeScalar(window_at(0), scope));
    attribute = NewAttribute("window", window->type, false);
    auto output = present->output;
    std::vector<ExpressionPtr> expressions;
    for (const auto& column : output) expressions.push_back(MakeColumn(column));
    expressions.push_back(std::move(window));
    output.push_back(attribute);
    input->plan = plan::MakeProject(present, std::move(expressions), std::move(output));
  } else {
    // Every window that may hold the row; those that end before it go.
    std::vector<ExprPtr> candidates;
    for (int64_t i = overlapping - 1; i >= 0; --i) candidates.push_back(window_at(i));
    FRAZIL_ASSIGN_OR_RETURN(auto windows, AnalyzeScalar(Call("array", std::move(candidates)), scope));
    attribute = NewAttribute("window", windows->type->element_type(), false);
    auto node = std::make_shared<plan::GenerateNode>();
    node->output = present->output;
    node->output.push_back(attribute);
    node->child = present;
    node->generator = "explode";
    node->arguments = {std::move(windows)};
    node->generated_columns = 1;
    FRAZIL_ASSIGN_OR_RETURN(auto end, ExtractField(MakeColumn(attribute), "end"));
    FRAZIL_ASSIGN_OR_RETURN(auto inside, AnalyzeScalar(Call("<", {TypedArgument(time), TypedArgument(end)}), scope));
    input->plan = plan::MakeFilter(node, std::move(inside));
  }
  input->hidden.push_back({attribute, false});
  input->select = nullptr;
  input->select_root = nullptr;
  return attribute;
}

Result<bool> Analyzer::ReplaceTimeWindows(std::vector<ExprPtr>* expressions, Relation* input,
                                          std::vector<std::pair<std::string, Attribute>>* known) {
  for (auto& expression : *expressions) {
    const ExprPtr inner = expression->kind == ExprKind::kAlias ? expression->As<plan::AliasExpr>().child : expression;
    if (inner->kind != ExprKind::kFunction) continue;
    const auto& call = inner->As<plan::FunctionExpr>();
    const auto name = FunctionName(call.name);
    if (name == "session_window") return Error::Unsupported("session_window");
    if (name != "window") continue;
    // The same call is the same column.
    std::string key;
    Scope scope;
    scope.input = input;
    for (const auto& argument : call.arguments) {
      FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(argument, scope));
      key += MeaningOf(*typed) + ";";
    }
    auto found = std::find_if(known->begin(), known->end(), [&](const auto& entry) { return entry.first == key; });
    if (found == known->end()) {
      FRAZIL_ASSIGN_OR_RETURN(auto attribute, At(AddTimeWindow(call, input), inner->origin));
      known->emplace_back(key, attribute);
      found = known->end() - 1;
    }
    auto column = MakeTypedExpr(found->second);
    expression = expression->kind == ExprKind::kAlias
                     ? plan::MakeAliasExpr(column, expression->As<plan::AliasExpr>().names[0])
                     : column;
  }
  return true;
}

}  // namespace frazil::analysis
