// Hints, and watermarks, which are hints to a batch.

#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/base/origin.h"
#include "frazil/base/text.h"
#include "frazil/plan/streaming.h"
#include "frazil/plan/watermark.h"
#include "frazil/sql/parser.h"
#include "frazil/types/interval.h"

namespace frazil::analysis {

namespace {

/// "10 seconds" as milliseconds; a month has 31 days, as in Spark's EventTimeWatermark.
Result<int64_t> DelayMillis(const std::string& text) {
  FRAZIL_ASSIGN_OR_RETURN(const auto interval, ParseCalendarInterval(text));
  constexpr int64_t kDay = 24LL * 3600 * 1000;
  const int64_t millis = (interval.months * 31LL + interval.days) * kDay + interval.micros / 1000;
  if (millis < 0) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "requirement failed: delay threshold (" + text + ") should not be negative.");
  }
  return millis;
}

Error NoEventTime(const plan::WatermarkPlan& watermark, const DataType& type) {
  return Error::Of("EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE",
                   {{"eventName", QuoteIdentifier(watermark.event_time)}, {"eventType", "\"" + type.Sql() + "\""}});
}

bool IsPartitioningHint(const std::string& name) {
  return name == "REPARTITION" || name == "REPARTITION_BY_RANGE" || name == "REBALANCE" || name == "COALESCE";
}

bool IsJoinHint(const std::string& name) {
  static const std::set<std::string_view> kNames = {"BROADCAST",    "BROADCASTJOIN",       "MAPJOIN",
                                                    "MERGE",        "MERGEJOIN",           "SHUFFLE_MERGE",
                                                    "SHUFFLE_HASH", "SHUFFLE_REPLICATE_NL"};
  return kNames.count(name) != 0;
}

/// A hint's parameter as a text, or nullopt.
std::optional<std::string> TextOf(const plan::Expr& parameter) {
  if (parameter.kind != plan::ExprKind::kLiteral) return std::nullopt;
  const auto& literal = parameter.As<plan::LiteralExpr>();
  if (!literal.type->IsString() || literal.value.is_null()) return std::nullopt;
  return literal.value.string();
}

std::optional<int64_t> PartitionsOf(const plan::Expr& parameter) {
  if (parameter.kind != plan::ExprKind::kLiteral) return std::nullopt;
  const auto& literal = parameter.As<plan::LiteralExpr>();
  const bool is_integer = literal.type->id() == TypeId::kInteger || literal.type->id() == TypeId::kLong;
  if (!is_integer || literal.value.is_null()) return std::nullopt;
  const int64_t number = literal.value.integer();
  if (number > std::numeric_limits<int32_t>::max() || number < std::numeric_limits<int32_t>::min()) return std::nullopt;
  return number;
}

/// What Spark's ResolveHints refuses before it looks at columns: numbers of partitions, parameters of other kinds.
/// The innermost hint comes first. `shown`: a parameter's SQL text.
Status CheckHints(const plan::HintPlan& hint, const std::function<std::string(const plan::ExprPtr&)>& shown) {
  if (hint.child->kind == plan::PlanKind::kHint)
    FRAZIL_RETURN_IF_ERROR(CheckHints(hint.child->As<plan::HintPlan>(), shown));
  const std::string name = AsciiUpper(hint.name);
  const auto& parameters = hint.parameters;
  if (IsJoinHint(name)) {
    for (const auto& parameter : parameters) {
      if (parameter->kind == plan::ExprKind::kAttribute || TextOf(*parameter)) continue;
      const bool is_literal = parameter->kind == plan::ExprKind::kLiteral;
      return Error::Of("_LEGACY_ERROR_TEMP_1046",
                       {{"unsupported", "\"" + shown(parameter) + "\""},
                        {"class", std::string("class org.apache.spark.sql.catalyst.") +
                                      (is_literal ? "expressions.Literal" : "analysis.UnresolvedFunction")}});
    }
  }
  if (!IsPartitioningHint(name)) return {};
  const auto partitions = parameters.empty() ? std::nullopt : PartitionsOf(*parameters[0]);
  if (name == "COALESCE" && (parameters.size() != 1 || !partitions))
    return Error::Of("_LEGACY_ERROR_TEMP_1048", {{"hintName", name}});
  std::vector<std::string> invalid;
  for (size_t i = partitions ? 1 : 0; i < parameters.size(); ++i) {
    if (parameters[i]->kind == plan::ExprKind::kAttribute || TextOf(*parameters[i])) continue;
    invalid.push_back("\"" + shown(parameters[i]) + "\"");
  }
  if (!invalid.empty())
    return Error::Of("_LEGACY_ERROR_TEMP_1047", {{"hintName", name}, {"invalidParams", Join(invalid, ",")}});
  if (partitions && *partitions <= 0) {
    return Error::Plain(ExceptionClass::kIllegalArgument, "requirement failed: Number of partitions (" +
                                                              std::to_string(*partitions) + ") must be positive.");
  }
  return {};
}

}  // namespace

Result<Relation> Analyzer::AnalyzeHint(const plan::HintPlan& hint) {
  if (const auto* watermark = dynamic_cast<const plan::WatermarkPlan*>(&hint)) {
    FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(hint.child));
    FRAZIL_ASSIGN_OR_RETURN(const int64_t delay, DelayMillis(watermark->delay));
    FRAZIL_ASSIGN_OR_RETURN(auto name, sql::ParseMultipartIdentifier(watermark->event_time, context_.parser_options()));
    const auto column = plan::MakeAttributeExpr(std::move(name));
    Scope scope;
    scope.input = &child;
    FRAZIL_ASSIGN_OR_RETURN(const auto typed, AnalyzeScalar(column, scope));
    if (typed->type->id() != TypeId::kTimestamp && typed->type->id() != TypeId::kTimestampNtz)
      return NoEventTime(*watermark, *typed->type);
    // Over a batch a watermark is nothing; over a stream the event times are observed.
    if (context_.bound_streams.empty() && !plan::IsStreaming(*child.plan)) return child;
    auto node = std::make_shared<plan::CollectMetricsNode>();
    node->name = std::string(plan::kWatermarkMetric) + ":" + std::to_string(delay) + ":" +
                 std::to_string(context_.NextId()) + ":" + watermark->event_time;
    node->plan_id = hint.plan_id.value_or(0);
    scope.allow_aggregates = true;
    const auto instant = plan::MakeFunctionExpr("to_timestamp_ltz", {column});
    for (const char* function : {"max", "min", "avg"}) {
      const auto millis = plan::MakeFunctionExpr("unix_millis", {instant});
      const auto metric = plan::MakeAliasExpr(plan::MakeFunctionExpr(function, {millis}), function);
      FRAZIL_ASSIGN_OR_RETURN(auto item, AnalyzeSelectItem(metric, scope));
      node->metrics.push_back(item.expression);
      node->metric_names.push_back(function);
    }
    node->output = child.plan->output;
    node->child = child.plan;
    return OnTop(child, std::move(node));
  }
  const auto shown = [this](const plan::ExprPtr& parameter) {
    const auto typed = AnalyzeScalar(parameter, Scope());
    if (typed.ok()) return (*typed)->sql;
    // A call on columns: its text.
    const auto& origin = parameter->origin;
    const auto context = ContextOf(origin);
    return context ? context->fragment : std::string();
  };
  FRAZIL_RETURN_IF_ERROR(CheckHints(hint, shown));
  // Join and partitioning hints change no rows; unknown ones are passed over as Spark does (with a warning).
  FRAZIL_ASSIGN_OR_RETURN(auto child, AnalyzePlan(hint.child));
  if (!IsPartitioningHint(AsciiUpper(hint.name))) return child;
  Scope scope;
  scope.input = &child;
  if (child.select != nullptr) scope.fallback = &child.select->input();
  for (const auto& parameter : hint.parameters) {
    if (parameter->kind == plan::ExprKind::kAttribute) FRAZIL_RETURN_IF_ERROR(AnalyzeScalar(parameter, scope).status());
    const auto text = TextOf(*parameter);
    if (!text) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto name,
                            At(sql::ParseMultipartIdentifier(*text, context_.parser_options()), hint.origin));
    FRAZIL_RETURN_IF_ERROR(AnalyzeScalar(plan::MakeAttributeExpr(std::move(name), hint.origin), scope).status());
  }
  return child;
}

}  // namespace frazil::analysis
