#include "frazil/streaming/join_times.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "frazil/functions/constant.h"
#include "frazil/streaming/event_time.h"

namespace frazil::streaming {
namespace {

constexpr int64_t kMicrosPerMilli = 1000;
constexpr int64_t kMicrosPerDay = 86400LL * 1000 * 1000;
constexpr int64_t kDaysPerMonth = 31;  // Of a bound that is meant to be wide enough.

using Ids = std::set<AttributeId>;

Ids IdsOf(const plan::LogicalPlan& plan) {
  Ids ids;
  for (const auto& column : plan.output) ids.insert(column.id);
  return ids;
}

/// Whether the expression has columns, and all of them are of `ids`.
bool IsOver(const Expression& expression, const Ids& ids) {
  bool any = false, all = true;
  VisitExpression(expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kSubquery) all = false;
    if (part.kind != ExpressionKind::kColumn) return all;
    any = true;
    all = all && ids.contains(part.As<ColumnExpression>().id);
    return all;
  });
  return any && all;
}

bool IsTime(const DataType& type) { return type.id() == TypeId::kTimestamp || type.id() == TypeId::kTimestampNtz; }

/// The microseconds of a constant interval.
std::optional<int64_t> IntervalMicros(const Expression& interval) {
  if (interval.kind == ExpressionKind::kCall) {
    const auto& call = interval.As<CallExpression>();
    if (call.function != "interval_negative" || call.arguments.size() != 1) return std::nullopt;
    const auto micros = IntervalMicros(*call.arguments[0]);
    int64_t negative = 0;
    if (!micros || __builtin_sub_overflow(int64_t{0}, *micros, &negative)) return std::nullopt;
    return negative;
  }
  const auto value = functions::ConstantValue(interval);
  if (!value || value->is_null()) return std::nullopt;
  if (interval.type->id() == TypeId::kDayTimeInterval) return value->integer();
  if (interval.type->id() != TypeId::kCalendarInterval) return std::nullopt;
  const auto& parts = value->calendar_interval();
  int64_t micros = 0;
  if (__builtin_mul_overflow(parts.months * kDaysPerMonth + parts.days, kMicrosPerDay, &micros) ||
      __builtin_add_overflow(micros, parts.micros, &micros)) {
    return std::nullopt;
  }
  return micros;
}

/// A column and what is added to it.
struct MovedTime {
  AttributeId column = 0;
  int64_t micros = 0;
};

std::optional<MovedTime> MovedTimeOf(const Expression& expression) {
  if (!IsTime(*expression.type)) return std::nullopt;
  if (expression.kind == ExpressionKind::kColumn) return MovedTime{expression.As<ColumnExpression>().id, 0};
  if (expression.kind == ExpressionKind::kCast) return MovedTimeOf(*expression.As<CastExpression>().child);
  if (expression.kind != ExpressionKind::kCall) return std::nullopt;
  const auto& call = expression.As<CallExpression>();
  if (call.function != "timestamp_add_interval" || call.arguments.size() != 2) return std::nullopt;
  auto moved = MovedTimeOf(*call.arguments[0]);
  const auto micros = IntervalMicros(*call.arguments[1]);
  if (!moved || !micros) return std::nullopt;
  if (__builtin_add_overflow(moved->micros, *micros, &moved->micros)) return std::nullopt;
  return moved;
}

/// earlier < later, or earlier <= later.
struct Order {
  MovedTime earlier, later;
  bool may_be_equal = false;
};

std::optional<Order> OrderOf(const Expression& condition) {
  if (condition.kind != ExpressionKind::kCall) return std::nullopt;
  const auto& call = condition.As<CallExpression>();
  const bool may_be_equal = call.function == "less_or_equal" || call.function == "greater_or_equal";
  const bool rises = call.function == "less" || call.function == "less_or_equal";
  const bool falls = call.function == "greater" || call.function == "greater_or_equal";
  if ((!rises && !falls) || call.arguments.size() != 2) return std::nullopt;
  const auto left = MovedTimeOf(*call.arguments[0]), right = MovedTimeOf(*call.arguments[1]);
  if (!left || !right) return std::nullopt;
  return rises ? Order{*left, *right, may_be_equal} : Order{*right, *left, may_be_equal};
}

/// Of `other` time + o <= `mine` time + m, where the other side's rows that are still to come are behind the watermark:
/// my rows up to watermark + o - m have no partner any more; as in Spark but for that one itself where the times may be
/// equal. The least of all such bounds, in milliseconds.
std::optional<int64_t> RangeBehind(const std::vector<ExpressionPtr>& conditions, const Ids& mine, const Ids& other,
                                   const std::map<AttributeId, int64_t>& event_times) {
  std::optional<int64_t> least;
  for (const auto& condition : conditions) {
    const auto order = OrderOf(*condition);
    if (!order || !mine.contains(order->later.column) || !other.contains(order->earlier.column)) continue;
    if (!event_times.contains(order->earlier.column)) continue;
    int64_t micros = 0;
    if (__builtin_sub_overflow(order->earlier.micros, order->later.micros, &micros)) continue;
    int64_t millis = micros / kMicrosPerMilli;
    if (micros % kMicrosPerMilli < 0) --millis;
    if (order->may_be_equal) --millis;
    least = std::min(least.value_or(millis), millis);
  }
  return least;
}

ExpressionPtr EventTimeOf(const plan::LogicalPlan& side, const std::map<AttributeId, int64_t>& event_times) {
  for (const auto& column : side.output) {
    if (event_times.contains(column.id)) return MakeColumn(column);
  }
  return nullptr;
}

}  // namespace

std::vector<ExpressionPtr> Conjuncts(const ExpressionPtr& condition) {
  if (condition == nullptr) return {};
  if (condition->kind == ExpressionKind::kCall && condition->As<CallExpression>().function == "and") {
    std::vector<ExpressionPtr> all;
    for (const auto& argument : condition->As<CallExpression>().arguments) {
      for (auto& part : Conjuncts(argument)) all.push_back(std::move(part));
    }
    return all;
  }
  return {condition};
}

JoinTimes TimesOfJoin(const plan::JoinNode& join) {
  JoinTimes times;
  const auto event_times = EventTimeColumns(join);
  const Ids left = IdsOf(*join.left), right = IdsOf(*join.right);
  const auto is_event_time = [&](const Expression& key) {
    return key.kind == ExpressionKind::kColumn && event_times.contains(key.As<ColumnExpression>().id);
  };
  const auto conditions = Conjuncts(join.condition);
  for (const auto& condition : conditions) {
    if (IsOver(*condition, left)) times.left.conditions.push_back(condition);
    if (IsOver(*condition, right)) times.right.conditions.push_back(condition);
    if (condition->kind != ExpressionKind::kCall) continue;
    const auto& call = condition->As<CallExpression>();
    if (call.function != "equal" && call.function != "null_safe_equal") continue;
    ExpressionPtr left_key = call.arguments[0], right_key = call.arguments[1];
    if (IsOver(*left_key, right)) std::swap(left_key, right_key);
    if (!IsOver(*left_key, left) || !IsOver(*right_key, right)) continue;
    times.has_equality = true;
    if (times.watermark_in_keys || (!is_event_time(*left_key) && !is_event_time(*right_key))) continue;
    times.watermark_in_keys = true;
    times.left.time = left_key;
    times.right.time = right_key;
  }
  const auto add_range = [&](JoinSide& side, const plan::LogicalPlan& plan, const Ids& mine, const Ids& other) {
    const auto behind = RangeBehind(conditions, mine, other, event_times);
    side.has_range = behind.has_value();
    if (!behind || times.watermark_in_keys) return;
    side.time = EventTimeOf(plan, event_times);
    side.behind_ms = *behind;
  };
  add_range(times.left, *join.left, left, right);
  add_range(times.right, *join.right, right, left);
  return times;
}

}  // namespace frazil::streaming
