#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "frazil/expressions/predicate.h"
#include "frazil/tables/iceberg/manifest.h"
#include "frazil/tables/iceberg/schema.h"

namespace frazil::tables::iceberg {

struct BoundPredicate;
using BoundPredicatePtr = std::shared_ptr<const BoundPredicate>;

/// A predicate whose tests name fields by number: column ids of a schema, or positions of partition fields. Never holds
/// kNot. A test that cannot be told (of an unknown column, or with constants of another type) has field -1: it may be
/// true, and never surely is.
struct BoundPredicate {
  PredicateOp op = PredicateOp::kTrue;
  std::vector<BoundPredicatePtr> children;
  int32_t field = -1;
  DataTypePtr type;
  std::vector<Value> values;

  static BoundPredicatePtr Constant(bool value);
  static BoundPredicatePtr Combine(PredicateOp op, std::vector<BoundPredicatePtr> children);
  static BoundPredicatePtr Test(PredicateOp op, int32_t field, DataTypePtr type, std::vector<Value> values);
};

/// Null binds as kTrue.
BoundPredicatePtr Bind(const PredicatePtr& predicate, const Schema& schema);

/// What is known of a field's values in a group of rows.
struct ValueRange {
  std::optional<Value> lower,
      upper;  ///< Of the values that are neither null nor NaN. Bounds may be wider than the values.
  std::optional<int64_t> row_count, null_count, nan_count;
};
using RangeLookup = std::function<ValueRange(int32_t field, const DataType& type)>;

/// Whether some row of the group can make the predicate true. Nulls and NaN count as in Spark: NaN is the greatest,
/// comparisons with null are not true.
bool MayMatch(const BoundPredicate& predicate, const RangeLookup& range_of);
/// Whether surely all rows of the group make it true.
bool AllMatch(const BoundPredicate& predicate, const RangeLookup& range_of);

/// Range of a single value, which may be older than the type that its column has now.
ValueRange RangeOf(const DataType& type, const Value& written);
/// Range of a column in a data file by its metrics.
ValueRange FileRange(const DataFile& file, int32_t field_id, const Type& type);
/// Range of a partition field over a manifest. `type` is the field's.
ValueRange SummaryRange(const FieldSummary& summary, const Type& type);

}  // namespace frazil::tables::iceberg
