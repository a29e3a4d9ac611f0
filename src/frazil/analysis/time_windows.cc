// window(time, duration [, slide [, start]]) and session_window(time, gap): the time windows that a row falls in, as a
// column of the input. The analysis of a call looks for that column; where there is none yet, it fails, and the
// operator under way adds the column to its input and begins again.
// https://spark.apache.org/docs/latest/api/sql/#window. Source of the formula: Spark's TimeWindowing rule.

#include <algorithm>
#include <utility>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/bound_streams_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/constant.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/streaming.h"
#include "frazil/plan/watermark.h"
#include "frazil/types/interval.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;

namespace {

/// Of overlapping windows: more are made one by one.
constexpr int64_t kMostWindowsAtOnce = 128;
constexpr int64_t kMicrosPerDay = 86400LL * 1000 * 1000;

ExprPtr Call(std::string name, std::vector<ExprPtr> arguments) {
  return plan::MakeFunctionExpr(std::move(name), std::move(arguments), {}, true);
}
ExprPtr Micros(int64_t value) { return plan::MakeLiteralExpr(DataType::Long(), Value(value)); }

// Spark calls both ends nullable.
DataTypePtr WindowType(const DataTypePtr& time) {
  return DataType::Struct({StructField("start", time, true), StructField("end", time, true)});
}

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
  // The window that begins so many microseconds before the last one that holds the time; null: that one itself.
  const auto window_at = [&](const ExprPtr& back) {
    const ExprPtr from = back == nullptr ? last_start : Call("-", {last_start, back});
    return Call("named_struct",
                {plan::MakeLiteralExpr(DataType::String(), Value("start")), Call("timestamp_micros", {from}),
                 plan::MakeLiteralExpr(DataType::String(), Value("end")),
                 Call("timestamp_micros", {Call("+", {from, Micros(width)})})});
  };
  auto present = plan::MakeFilter(input->plan, MakeCall("is_not_null", {time}, DataType::Boolean(), false));
  const int64_t overlapping = (width + slide - 1) / slide;
  Attribute attribute;
  if (overlapping == 1) {
    FRAZIL_ASSIGN_OR_RETURN(auto window, AnalyzeScalar(window_at(nullptr), scope));
    attribute = NewAttribute("window", WindowType(time->type), false);
    auto output = present->output;
    std::vector<ExpressionPtr> expressions;
    for (const auto& column : output) expressions.push_back(MakeColumn(column));
    expressions.push_back(std::move(window));
    output.push_back(attribute);
    input->plan = plan::MakeProject(present, std::move(expressions), std::move(output));
  } else {
    // Every window that may hold the row; those that end before it go.
    auto node = std::make_shared<plan::GenerateNode>();
    node->output = present->output;
    node->child = present;
    node->generator = "explode";
    node->generated_columns = 1;
    plan::LogicalPlanPtr rows;
    attribute = NewAttribute("window", WindowType(time->type), true);
    if (overlapping <= kMostWindowsAtOnce) {
      std::vector<ExprPtr> candidates;
      for (int64_t i = overlapping - 1; i >= 0; --i) candidates.push_back(window_at(Micros(i * slide)));
      FRAZIL_ASSIGN_OR_RETURN(auto windows, AnalyzeScalar(Call("array", std::move(candidates)), scope));
      node->output.push_back(attribute);
      node->arguments = {std::move(windows)};
      rows = node;
    } else {
      // One by one from their numbers: so many of them have no place in one value, nor in the plan.
      const auto number = NewAttribute(plan::kWindowNumber, DataType::Long(), false);
      const auto steps = Call("sequence", {Micros(overlapping - 1), Micros(0), Micros(-1)});
      FRAZIL_ASSIGN_OR_RETURN(auto numbers, AnalyzeScalar(steps, scope));
      node->output.push_back(number);
      node->arguments = {std::move(numbers)};
      FRAZIL_ASSIGN_OR_RETURN(auto window,
                              AnalyzeScalar(window_at(Call("*", {MakeTypedExpr(number), Micros(slide)})), scope));
      std::vector<ExpressionPtr> expressions;
      for (const auto& column : present->output) expressions.push_back(MakeColumn(column));
      expressions.push_back(std::move(window));
      auto output = present->output;
      output.push_back(attribute);
      rows = plan::MakeProject(node, std::move(expressions), std::move(output));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto end, ExtractField(MakeColumn(attribute), "end"));
    FRAZIL_ASSIGN_OR_RETURN(auto inside, AnalyzeScalar(Call("<", {TypedArgument(time), TypedArgument(end)}), scope));
    input->plan = plan::MakeFilter(rows, std::move(inside));
  }
  return attribute;
}

Result<Attribute> Analyzer::AddSessionWindow(const plan::FunctionExpr& call, const std::vector<ExpressionPtr>* keys,
                                             Relation* input) {
  Scope scope;
  scope.input = input;
  if (call.arguments.size() != 2) {
    return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", "`session_window`"},
                                                           {"expectedNum", "2"},
                                                           {"actualNum", std::to_string(call.arguments.size())},
                                                           {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto time, AnalyzeScalar(call.arguments[0], scope));
  if (time->type->id() == TypeId::kTimestampNtz) return Error::Unsupported("session_window OVER TIMESTAMP_NTZ");
  time = MakeCast(time, DataType::Timestamp(), settings_.eval_mode());
  FRAZIL_ASSIGN_OR_RETURN(auto gap, AnalyzeScalar(call.arguments[1], scope));
  if (functions::IsFoldable(*gap) && gap->type->IsString()) {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t micros, WindowDuration(call.arguments[1], scope));
    gap = MakeLiteral(DataType::DayTimeInterval(), Value(micros));
  } else if (gap->type->IsString()) {
    gap = MakeCast(gap, DataType::CalendarInterval(), settings_.eval_mode());
  }
  FRAZIL_ASSIGN_OR_RETURN(auto until, AnalyzeScalar(Call("+", {TypedArgument(time), TypedArgument(gap)}), scope));
  const auto begin = NewAttribute("begin", DataType::Timestamp()), end = NewAttribute("end", DataType::Timestamp());
  const auto add = [&](const std::vector<std::pair<Attribute, ExpressionPtr>>& columns) {
    std::vector<ExpressionPtr> expressions;
    auto output = input->plan->output;
    for (const auto& column : output) expressions.push_back(MakeColumn(column));
    for (const auto& [attribute, value] : columns) {
      output.push_back(attribute);
      expressions.push_back(value);
    }
    input->plan = plan::MakeProject(input->plan, std::move(expressions), std::move(output));
  };
  input->plan = plan::MakeFilter(input->plan, MakeCall("is_not_null", {time}, DataType::Boolean(), false));
  add({{begin, time}, {end, until}});
  FRAZIL_ASSIGN_OR_RETURN(auto lasts, AnalyzeScalar(Call("<", {MakeTypedExpr(begin), MakeTypedExpr(end)}), scope));
  input->plan = plan::MakeFilter(input->plan, std::move(lasts));
  ExpressionPtr first = MakeColumn(begin), last = MakeColumn(end);
  // In a stream rows of later batches may join a session, so that the grouping has to put them together.
  const bool is_stream = keys != nullptr && plan::ReadsStream(*input->plan, BoundScans(context_));
  if (keys != nullptr && !is_stream) {
    // Rows whose own windows touch, with the same other keys, share one window from the first begin to the last end.
    const auto over = [&](const char* function, const Attribute& argument, std::vector<ExpressionPtr> partition_by,
                          bool ordered, WindowFrame frame) {
      auto window = std::make_shared<WindowExpression>();
      window->function = function;
      window->is_aggregate = true;
      window->arguments = {MakeColumn(argument)};
      window->partition_by = std::move(partition_by);
      if (ordered) window->order_by = {SortKey{MakeColumn(begin), true, true}};
      window->frame = frame;
      window->type = argument.type;
      window->nullable = true;
      window->sql = std::string(function) + " over session";
      auto attribute = NewAttribute(function, argument.type);
      input->plan = plan::MakeWindow(input->plan, {window}, {attribute});
      return attribute;
    };
    const FrameBound from_start{FrameBoundType::kUnboundedPreceding, nullptr};
    const FrameBound one_before{FrameBoundType::kPreceding, MakeLiteral(DataType::Long(), Value(int64_t{1}))};
    const FrameBound here{FrameBoundType::kCurrentRow, nullptr};
    const FrameBound to_end{FrameBoundType::kUnboundedFollowing, nullptr};
    const auto before = over("max", end, *keys, true, WindowFrame{FrameType::kRows, from_start, one_before});
    const auto is_new = NewAttribute("is_new", DataType::Long(), false);
    FRAZIL_ASSIGN_OR_RETURN(
        auto starts,
        AnalyzeScalar(Call("when", {Call("<=", {MakeTypedExpr(begin), MakeTypedExpr(before)}), Micros(0), Micros(1)}),
                      scope));
    add({{is_new, std::move(starts)}});
    // By range: rows of the same instant are of the same session, whichever of them comes first.
    const auto number = over("sum", is_new, *keys, true, WindowFrame{FrameType::kRange, from_start, here});
    auto session = *keys;
    session.push_back(MakeColumn(number));
    const WindowFrame whole{FrameType::kRows, from_start, to_end};
    first = MakeColumn(over("min", begin, session, false, whole));
    last = MakeColumn(over("max", end, session, false, whole));
  }
  FRAZIL_ASSIGN_OR_RETURN(
      auto made, AnalyzeScalar(Call("named_struct",
                                    {plan::MakeLiteralExpr(DataType::String(), Value("start")), TypedArgument(first),
                                     plan::MakeLiteralExpr(DataType::String(), Value("end")), TypedArgument(last)}),
                               scope));
  auto attribute = NewAttribute("session_window", WindowType(time->type), false);
  if (is_stream) attribute.metadata[plan::kSessionWindowKey] = "true";
  add({{attribute, std::move(made)}});
  return attribute;
}

Result<ExpressionPtr> Analyzer::FindTimeWindow(const plan::FunctionExpr& call, const std::string& name) {
  std::string meaning = name + "(";
  for (const auto& argument : call.arguments) {
    FRAZIL_ASSIGN_OR_RETURN(auto typed, Analyze(argument));
    meaning += MeaningOf(*typed) + ";";
  }
  for (const auto& window : time_windows_) {
    if (window.meaning != meaning) continue;
    const auto* input = scopes_.empty() ? nullptr : scopes_.back()->input;
    for (const auto* relation : {input, scopes_.empty() ? nullptr : scopes_.back()->fallback}) {
      if (relation == nullptr) continue;
      const auto& columns = relation->plan->output;
      const bool there = std::any_of(columns.begin(), columns.end(),
                                     [&](const Attribute& column) { return column.id == window.column.id; });
      if (there) return MakeColumn(window.column);
    }
  }
  wanted_time_window_ = WantedTimeWindow{std::make_shared<const plan::FunctionExpr>(call), std::move(meaning)};
  return UnresolvedRoutine(call.name);
}

Result<Relation> Analyzer::WithTimeWindows(Relation* input, const std::function<Result<Relation>()>& analyze,
                                           const std::function<Result<std::vector<ExpressionPtr>>()>& keys) {
  while (true) {
    auto outer = std::exchange(wanted_time_window_, std::nullopt);
    auto result = analyze();
    const auto wanted = std::exchange(wanted_time_window_, std::move(outer));
    if (result.ok() || !wanted) return result;
    const auto& call = *wanted->call;
    Attribute column;
    if (FunctionName(call.name) == "window") {
      FRAZIL_ASSIGN_OR_RETURN(column, At(AddTimeWindow(call, input), call.origin));
    } else {
      std::vector<ExpressionPtr> other_keys;
      if (keys) {
        // The session among the keys is wanted there once more.
        auto noted = wanted_time_window_;
        FRAZIL_ASSIGN_OR_RETURN(other_keys, keys());
        wanted_time_window_ = std::move(noted);
      }
      FRAZIL_ASSIGN_OR_RETURN(column, At(AddSessionWindow(call, keys ? &other_keys : nullptr, input), call.origin));
    }
    time_windows_.push_back({wanted->meaning, column});
    input->hidden.push_back({column, false});
    input->select = nullptr;
    input->select_root = nullptr;
  }
}

}  // namespace frazil::analysis
