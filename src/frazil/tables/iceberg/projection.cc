#include "frazil/tables/iceberg/projection.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/spark_schema.h"
#include "frazil/tables/transform.h"

namespace frazil::tables::iceberg {
namespace {

/// One step down or up in a type whose values can be counted; nullopt where there is none.
std::optional<Value> Neighbour(const DataType& type, const Value& value, int step) {
  switch (type.id()) {
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz: {
      int64_t result = 0;
      if (__builtin_add_overflow(value.integer(), static_cast<int64_t>(step), &result)) return std::nullopt;
      return Value(result);
    }
    case TypeId::kDecimal:
      return Value(Decimal128{value.decimal() + step});
    default:
      return std::nullopt;
  }
}

class FieldProjection {
 public:
  FieldProjection(const BoundPredicate& test, const SpecField& field, int32_t position, DataTypePtr result_type)
      : test_(test), field_(field), position_(position), result_type_(std::move(result_type)) {}

  /// Null where nothing can be said.
  BoundPredicatePtr Inclusive() const {
    switch (test_.op) {
      case PredicateOp::kIsNull:
      case PredicateOp::kNotNull:
        return field_.transform == TransformKind::kVoid ? nullptr : Test(test_.op, {});
      case PredicateOp::kIsNan:
      case PredicateOp::kNotNan:
        return field_.transform == TransformKind::kIdentity ? Test(test_.op, {}) : nullptr;
      default:
        break;
    }
    switch (field_.transform) {
      case TransformKind::kVoid:
        return nullptr;
      case TransformKind::kIdentity:
        return Test(test_.op, test_.values);
      case TransformKind::kBucket:
        if (test_.op == PredicateOp::kEqual || test_.op == PredicateOp::kIn) return Test(test_.op, TransformedValues());
        return nullptr;
      case TransformKind::kTruncate:
        if (test_.op == PredicateOp::kStartsWith) return Prefix();
        return InclusiveOrdered();
      case TransformKind::kYear:
      case TransformKind::kMonth:
      case TransformKind::kDay:
      case TransformKind::kHour:
        return InclusiveOrdered();
    }
    return nullptr;
  }

  BoundPredicatePtr Strict() const {
    switch (test_.op) {
      case PredicateOp::kIsNull:
      case PredicateOp::kNotNull:
        return field_.transform == TransformKind::kVoid ? nullptr : Test(test_.op, {});
      case PredicateOp::kIsNan:
      case PredicateOp::kNotNan:
        return field_.transform == TransformKind::kIdentity ? Test(test_.op, {}) : nullptr;
      default:
        break;
    }
    switch (field_.transform) {
      case TransformKind::kVoid:
        return nullptr;
      case TransformKind::kIdentity:
        return Test(test_.op, test_.values);
      case TransformKind::kBucket:
        if (test_.op == PredicateOp::kNotEqual || test_.op == PredicateOp::kNotIn)
          return Test(test_.op, TransformedValues());
        return nullptr;
      case TransformKind::kTruncate:
        if (test_.op == PredicateOp::kStartsWith) {
          // All rows of the partition begin with its value: the prefix must not be longer.
          size_t length = PrefixLength();
          if (length > static_cast<size_t>(field_.parameter)) return nullptr;
          return length == static_cast<size_t>(field_.parameter) ? Test(PredicateOp::kEqual, test_.values)
                                                                 : Test(PredicateOp::kStartsWith, test_.values);
        }
        return StrictOrdered();
      case TransformKind::kYear:
      case TransformKind::kMonth:
      case TransformKind::kDay:
      case TransformKind::kHour:
        return StrictOrdered();
    }
    return nullptr;
  }

 private:
  bool OfTime() const { return field_.transform != TransformKind::kTruncate; }
  Value Transformed(const Value& value) const {
    return ApplyTransform(field_.transform, field_.parameter, *test_.type, value);
  }
  std::vector<Value> TransformedValues() const {
    std::vector<Value> result;
    for (const auto& value : test_.values) {
      Value transformed = Transformed(value);
      if (std::find(result.begin(), result.end(), transformed) == result.end())
        result.push_back(std::move(transformed));
    }
    return result;
  }
  BoundPredicatePtr Test(PredicateOp op, std::vector<Value> values) const {
    return BoundPredicate::Test(op, position_, result_type_, std::move(values));
  }
  size_t PrefixLength() const {
    return test_.type->IsString() ? Utf8Length(test_.values[0].string()) : test_.values[0].string().size();
  }
  BoundPredicatePtr Prefix() const {
    size_t length = PrefixLength();
    if (length < static_cast<size_t>(field_.parameter)) return Test(PredicateOp::kStartsWith, test_.values);
    return Test(PredicateOp::kEqual, {Transformed(test_.values[0])});
  }
  /// Early writers put times before 1970 one partition too late: those partitions stay possible.
  Value Later(const Value& value) const { return OfTime() && value.integer() < 0 ? Value(value.integer() + 1) : value; }
  std::vector<Value> WithLater(std::vector<Value> values) const {
    if (!OfTime()) return values;
    size_t count = values.size();
    for (size_t i = 0; i < count; ++i) {
      if (values[i].integer() >= 0) continue;
      Value later(values[i].integer() + 1);
      if (std::find(values.begin(), values.end(), later) == values.end()) values.push_back(std::move(later));
    }
    return values;
  }

  /// Below the smallest number truncation wraps around: the partition, among those of great numbers, where the smallest
  /// ones are too. Null where there is none.
  std::optional<Value> WrappedPartition() const {
    TypeId id = test_.type->id();
    if (field_.transform != TransformKind::kTruncate || (id != TypeId::kInteger && id != TypeId::kLong))
      return std::nullopt;
    int64_t smallest = id == TypeId::kLong ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int32_t>::min();
    Value partition = Transformed(Value(smallest));
    return partition.integer() > smallest ? std::optional<Value>(std::move(partition)) : std::nullopt;
  }
  BoundPredicatePtr InclusiveOrdered() const {
    BoundPredicatePtr ordered = InclusiveInOrder();
    auto wrapped = WrappedPartition();
    if (!wrapped || (test_.op != PredicateOp::kLess && test_.op != PredicateOp::kLessOrEqual)) return ordered;
    return BoundPredicate::Combine(PredicateOp::kOr, {ordered, Test(PredicateOp::kEqual, {*wrapped})});
  }
  BoundPredicatePtr StrictOrdered() const {
    BoundPredicatePtr ordered = StrictInOrder();
    auto wrapped = WrappedPartition();
    if (!wrapped || (test_.op != PredicateOp::kGreater && test_.op != PredicateOp::kGreaterOrEqual)) return ordered;
    return BoundPredicate::Combine(PredicateOp::kAnd, {ordered, Test(PredicateOp::kNotEqual, {*wrapped})});
  }

  /// The transform keeps the order of values.
  BoundPredicatePtr InclusiveInOrder() const {
    switch (test_.op) {
      case PredicateOp::kLess: {
        auto before = Neighbour(*test_.type, test_.values[0], -1);
        return Test(PredicateOp::kLessOrEqual, {Later(Transformed(before ? *before : test_.values[0]))});
      }
      case PredicateOp::kLessOrEqual:
        return Test(PredicateOp::kLessOrEqual, {Later(Transformed(test_.values[0]))});
      case PredicateOp::kGreater: {
        auto after = Neighbour(*test_.type, test_.values[0], 1);
        return Test(PredicateOp::kGreaterOrEqual, {Transformed(after ? *after : test_.values[0])});
      }
      case PredicateOp::kGreaterOrEqual:
        return Test(PredicateOp::kGreaterOrEqual, {Transformed(test_.values[0])});
      case PredicateOp::kEqual:
      case PredicateOp::kIn:
        return Test(PredicateOp::kIn, WithLater(TransformedValues()));
      default:
        return nullptr;
    }
  }

  BoundPredicatePtr StrictInOrder() const {
    switch (test_.op) {
      case PredicateOp::kLess:
        return Test(PredicateOp::kLess, {Transformed(test_.values[0])});
      case PredicateOp::kLessOrEqual: {
        auto after = Neighbour(*test_.type, test_.values[0], 1);
        return Test(PredicateOp::kLess, {Transformed(after ? *after : test_.values[0])});
      }
      case PredicateOp::kGreater:
        return Test(PredicateOp::kGreater, {Later(Transformed(test_.values[0]))});
      case PredicateOp::kGreaterOrEqual: {
        auto before = Neighbour(*test_.type, test_.values[0], -1);
        return Test(PredicateOp::kGreater, {Later(Transformed(before ? *before : test_.values[0]))});
      }
      case PredicateOp::kNotEqual:
      case PredicateOp::kNotIn:
        return Test(PredicateOp::kNotIn, WithLater(TransformedValues()));
      default:
        return nullptr;
    }
  }

  const BoundPredicate& test_;
  const SpecField& field_;
  int32_t position_;
  DataTypePtr result_type_;
};

BoundPredicatePtr Project(const BoundPredicatePtr& predicate, const PartitionSpec& spec, const Schema& schema,
                          bool strict) {
  switch (predicate->op) {
    case PredicateOp::kTrue:
    case PredicateOp::kFalse:
      return predicate;
    case PredicateOp::kAnd:
    case PredicateOp::kOr: {
      std::vector<BoundPredicatePtr> children;
      for (const auto& child : predicate->children) children.push_back(Project(child, spec, schema, strict));
      return BoundPredicate::Combine(predicate->op, std::move(children));
    }
    default:
      break;
  }
  std::vector<BoundPredicatePtr> projected;
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const SpecField& field = spec.fields[i];
    if (predicate->field < 0 || field.source_id != predicate->field || !field.unknown_transform.empty()) continue;
    const Schema::Located* source = schema.Find(field.source_id);
    // The text of a uuid is not what its bucket is made of.
    if (source == nullptr ||
        (source->field->type->kind == TypeKind::kUuid && field.transform != TransformKind::kIdentity))
      continue;
    auto result_type = ToSparkType(*PartitionFieldType(field, schema));
    if (!result_type.ok()) continue;
    FieldProjection projection(*predicate, field, static_cast<int32_t>(i), *result_type);
    BoundPredicatePtr part = strict ? projection.Strict() : projection.Inclusive();
    if (part != nullptr) projected.push_back(std::move(part));
  }
  // Each inclusive part must hold, any strict part suffices; of no part: everything may match, and nothing surely does.
  return BoundPredicate::Combine(strict ? PredicateOp::kOr : PredicateOp::kAnd, std::move(projected));
}

}  // namespace

BoundPredicatePtr ProjectInclusive(const BoundPredicatePtr& predicate, const PartitionSpec& spec,
                                   const Schema& schema) {
  return Project(predicate, spec, schema, false);
}

BoundPredicatePtr ProjectStrict(const BoundPredicatePtr& predicate, const PartitionSpec& spec, const Schema& schema) {
  return Project(predicate, spec, schema, true);
}

}  // namespace frazil::tables::iceberg
