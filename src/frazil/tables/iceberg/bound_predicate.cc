#include "frazil/tables/iceberg/bound_predicate.h"

#include <algorithm>
#include <cmath>

#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

bool IsFloating(const DataType& type) { return type.id() == TypeId::kFloat || type.id() == TypeId::kDouble; }

bool IsNan(const Value& value) {
  if (const auto* number = std::get_if<float>(&value.storage())) return std::isnan(*number);
  if (const auto* number = std::get_if<double>(&value.storage())) return std::isnan(*number);
  return false;
}

/// Same kind of value: constants can be compared with the column's bounds as they are.
bool Comparable(const DataType& left, const DataType& right) {
  if (left.id() != right.id()) {
    auto whole = [](const DataType& t) { return t.IsIntegral(); };
    return whole(left) && whole(right);
  }
  return left.id() != TypeId::kDecimal || left.scale() == right.scale();
}

BoundPredicatePtr BindNode(const Predicate& predicate, const Schema& schema) {
  switch (predicate.op) {
    case PredicateOp::kTrue:
      return BoundPredicate::Constant(true);
    case PredicateOp::kFalse:
      return BoundPredicate::Constant(false);
    case PredicateOp::kAnd:
    case PredicateOp::kOr: {
      std::vector<BoundPredicatePtr> children;
      for (const auto& child : predicate.children) children.push_back(BindNode(*child, schema));
      return BoundPredicate::Combine(predicate.op, std::move(children));
    }
    case PredicateOp::kNot:
      return BoundPredicate::Test(PredicateOp::kEqual, -1, nullptr, {});
    default:
      break;
  }
  const Schema::Located* found = schema.Find(predicate.column);
  int32_t field = -1;
  DataTypePtr type = predicate.type;
  if (found != nullptr && !found->in_collection && found->field->type->IsPrimitive()) {
    auto spark = ToSparkType(*found->field->type);
    bool has_constants = !predicate.values.empty();
    if (spark.ok() && (!has_constants || (predicate.type != nullptr && Comparable(**spark, *predicate.type)))) {
      field = found->field->id;
      type = *spark;
      // Writers do not agree on how uuids are ordered, so their bounds cannot be used.
      TypeKind kind = found->field->type->kind;
      if (kind == TypeKind::kUnknown || kind == TypeKind::kUuid) field = -1;
    }
  }
  return BoundPredicate::Test(predicate.op, field, std::move(type), predicate.values);
}

struct Tester {
  const BoundPredicate& test;
  ValueRange range;
  const DataType& type;

  Tester(const BoundPredicate& predicate, ValueRange value_range)
      : test(predicate), range(std::move(value_range)), type(*predicate.type) {
    // A bound that is NaN says nothing.
    if (range.lower && IsNan(*range.lower)) range.lower.reset();
    if (range.upper && IsNan(*range.upper)) range.upper.reset();
  }

  int Compare(const Value& a, const Value& b) const { return CompareValues(type, a, b); }
  bool AllNull() const { return range.row_count && range.null_count && *range.null_count >= *range.row_count; }
  bool NoNull() const { return range.null_count && *range.null_count == 0; }
  bool NoNan() const { return !IsFloating(type) || (range.nan_count && *range.nan_count == 0); }
  bool MayHaveNan() const { return !NoNan(); }
  /// Some value that is neither null nor NaN may be there.
  bool MayHaveNumber() const {
    if (!IsFloating(type) || !range.row_count || !range.nan_count || !range.null_count) return true;
    return *range.nan_count + *range.null_count < *range.row_count;
  }

  bool MayEqual(const Value& value) const {
    if (IsNan(value)) return MayHaveNan();
    if (!MayHaveNumber()) return false;
    if (range.lower && Compare(value, *range.lower) < 0) return false;
    if (range.upper && Compare(value, *range.upper) > 0) return false;
    return true;
  }
  /// All values are this one: the bounds are equal, so they are not cut off either.
  bool Only(const Value& value) const {
    return range.lower && range.upper && NoNan() && !IsNan(value) && Compare(*range.lower, value) == 0 &&
           Compare(*range.upper, value) == 0;
  }
  bool SurelyNotEqual(const Value& value) const {
    if (IsNan(value)) return NoNan();
    return (range.lower && Compare(value, *range.lower) < 0) || (range.upper && Compare(value, *range.upper) > 0);
  }

  bool MayMatch() const {
    const std::vector<Value>& values = test.values;
    if (test.op == PredicateOp::kIsNull) return !NoNull();
    if (test.op == PredicateOp::kNotNan) return true;
    if (AllNull()) return false;
    switch (test.op) {
      case PredicateOp::kNotNull:
        return true;
      case PredicateOp::kIsNan:
        return MayHaveNan();
      case PredicateOp::kLess:
        if (IsNan(values[0])) return MayHaveNumber();
        return MayHaveNumber() && !(range.lower && Compare(*range.lower, values[0]) >= 0);
      case PredicateOp::kLessOrEqual:
        if (IsNan(values[0])) return true;
        return MayHaveNumber() && !(range.lower && Compare(*range.lower, values[0]) > 0);
      case PredicateOp::kGreater:
        if (IsNan(values[0])) return false;
        return MayHaveNan() || !(range.upper && Compare(*range.upper, values[0]) <= 0);
      case PredicateOp::kGreaterOrEqual:
        if (IsNan(values[0])) return MayHaveNan();
        return MayHaveNan() || !(range.upper && Compare(*range.upper, values[0]) < 0);
      case PredicateOp::kEqual:
        return MayEqual(values[0]);
      case PredicateOp::kNotEqual:
        return !Only(values[0]);
      case PredicateOp::kIn:
        return std::any_of(values.begin(), values.end(), [&](const Value& v) { return MayEqual(v); });
      case PredicateOp::kNotIn:
        return std::none_of(values.begin(), values.end(), [&](const Value& v) { return Only(v); });
      case PredicateOp::kStartsWith: {
        const std::string& prefix = values[0].string();
        if (range.lower && range.lower->string().compare(0, prefix.size(), prefix) > 0) return false;
        if (range.upper && range.upper->string().compare(0, prefix.size(), prefix) < 0) return false;
        return true;
      }
      default:
        return true;
    }
  }

  bool AllMatch() const {
    const std::vector<Value>& values = test.values;
    if (test.op == PredicateOp::kIsNull) return AllNull();
    if (!NoNull()) return false;
    if (test.op == PredicateOp::kNotNull) return true;
    if (test.op == PredicateOp::kIsNan)
      return range.row_count && range.nan_count && *range.nan_count == *range.row_count;
    if (!NoNan()) return false;
    bool literal_nan = !values.empty() && IsNan(values[0]);
    switch (test.op) {
      case PredicateOp::kNotNan:
        return true;
      case PredicateOp::kLess:
      case PredicateOp::kLessOrEqual:
        if (literal_nan) return true;
        if (!range.upper) return false;
        return Compare(*range.upper, values[0]) < (test.op == PredicateOp::kLess ? 0 : 1);
      case PredicateOp::kGreater:
      case PredicateOp::kGreaterOrEqual:
        if (literal_nan || !range.lower) return false;
        return Compare(*range.lower, values[0]) > (test.op == PredicateOp::kGreater ? 0 : -1);
      case PredicateOp::kEqual:
        return Only(values[0]);
      case PredicateOp::kNotEqual:
        return SurelyNotEqual(values[0]);
      case PredicateOp::kIn:
        return std::any_of(values.begin(), values.end(), [&](const Value& v) { return Only(v); });
      case PredicateOp::kNotIn:
        return std::all_of(values.begin(), values.end(), [&](const Value& v) { return SurelyNotEqual(v); });
      case PredicateOp::kStartsWith:
        return range.lower && range.upper && range.lower->string().starts_with(values[0].string()) &&
               range.upper->string().starts_with(values[0].string());
      default:
        return false;
    }
  }
};

}  // namespace

BoundPredicatePtr BoundPredicate::Constant(bool value) {
  auto predicate = std::make_shared<BoundPredicate>();
  predicate->op = value ? PredicateOp::kTrue : PredicateOp::kFalse;
  return predicate;
}

BoundPredicatePtr BoundPredicate::Combine(PredicateOp op, std::vector<BoundPredicatePtr> children) {
  if (children.size() == 1) return children[0];
  if (children.empty()) return Constant(op == PredicateOp::kAnd);
  auto predicate = std::make_shared<BoundPredicate>();
  predicate->op = op;
  predicate->children = std::move(children);
  return predicate;
}

BoundPredicatePtr BoundPredicate::Test(PredicateOp op, int32_t field, DataTypePtr type, std::vector<Value> values) {
  auto predicate = std::make_shared<BoundPredicate>();
  predicate->op = op;
  predicate->field = field;
  predicate->type = std::move(type);
  predicate->values = std::move(values);
  return predicate;
}

BoundPredicatePtr Bind(const PredicatePtr& predicate, const Schema& schema) {
  if (predicate == nullptr) return BoundPredicate::Constant(true);
  PredicatePtr without_not = PushDownNot(predicate);
  return BindNode(*without_not, schema);
}

bool MayMatch(const BoundPredicate& predicate, const RangeLookup& range_of) {
  switch (predicate.op) {
    case PredicateOp::kTrue:
      return true;
    case PredicateOp::kFalse:
      return false;
    case PredicateOp::kAnd:
      return std::all_of(predicate.children.begin(), predicate.children.end(),
                         [&](const auto& c) { return MayMatch(*c, range_of); });
    case PredicateOp::kOr:
      return std::any_of(predicate.children.begin(), predicate.children.end(),
                         [&](const auto& c) { return MayMatch(*c, range_of); });
    default:
      if (predicate.field < 0) return true;
      return Tester(predicate, range_of(predicate.field, *predicate.type)).MayMatch();
  }
}

bool AllMatch(const BoundPredicate& predicate, const RangeLookup& range_of) {
  switch (predicate.op) {
    case PredicateOp::kTrue:
      return true;
    case PredicateOp::kFalse:
      return false;
    case PredicateOp::kAnd:
      return std::all_of(predicate.children.begin(), predicate.children.end(),
                         [&](const auto& c) { return AllMatch(*c, range_of); });
    case PredicateOp::kOr:
      return std::any_of(predicate.children.begin(), predicate.children.end(),
                         [&](const auto& c) { return AllMatch(*c, range_of); });
    default:
      if (predicate.field < 0) return false;
      return Tester(predicate, range_of(predicate.field, *predicate.type)).AllMatch();
  }
}

ValueRange RangeOf(const DataType& type, const Value& written) {
  const Value value = Promoted(type.id() == TypeId::kDouble, written);
  ValueRange range;
  range.row_count = 1;
  range.null_count = value.is_null() ? 1 : 0;
  range.nan_count = IsNan(value) ? 1 : 0;
  if (!value.is_null() && !IsNan(value)) range.lower = range.upper = value;
  return range;
}

ValueRange FileRange(const DataFile& file, int32_t field_id, const Type& type) {
  ValueRange range;
  if (const int64_t* count = FindById(file.value_counts, field_id)) range.row_count = *count;
  if (const int64_t* count = FindById(file.null_counts, field_id)) range.null_count = *count;
  if (const int64_t* count = FindById(file.nan_counts, field_id)) range.nan_count = *count;
  auto bound = [&](const BoundsById& bounds) -> std::optional<Value> {
    const std::string* bytes = FindById(bounds, field_id);
    if (bytes == nullptr) return std::nullopt;
    auto value = FromBytes(type, *bytes);
    // A bound that cannot be read says nothing: the file is read then.
    return value.ok() ? std::optional<Value>(*std::move(value)) : std::nullopt;
  };
  range.lower = bound(file.lower_bounds);
  range.upper = bound(file.upper_bounds);
  return range;
}

ValueRange SummaryRange(const FieldSummary& summary, const Type& type) {
  ValueRange range;
  if (!summary.contains_null) range.null_count = 0;
  bool floating = type.kind == TypeKind::kFloat || type.kind == TypeKind::kDouble;
  if (summary.contains_nan && !*summary.contains_nan) range.nan_count = 0;
  auto bound = [&](const std::optional<std::string>& bytes) -> std::optional<Value> {
    if (!bytes) return std::nullopt;
    auto value = FromBytes(type, *bytes);
    return value.ok() ? std::optional<Value>(*std::move(value)) : std::nullopt;
  };
  range.lower = bound(summary.lower);
  range.upper = bound(summary.upper);
  if (summary.contains_null && !summary.lower && !summary.upper && (!floating || range.nan_count)) {
    range.row_count = range.null_count = 1;  // Nothing but null.
  }
  return range;
}

}  // namespace frazil::tables::iceberg
