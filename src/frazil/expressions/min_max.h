#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frazil/expressions/predicate.h"
#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil {

/// What is known of a column's values in one file, row group or partition. Anything absent is unknown, and then taken
/// as possible.
struct ColumnBounds {
  /// No value that is neither NULL nor NaN is below `lower` or above `upper`. They need not be values of the column
  /// (cut-off strings are allowed).
  std::optional<Value> lower;
  std::optional<Value> upper;
  std::optional<int64_t> null_count;
  std::optional<int64_t> value_count;  ///< All values, NULL and NaN included.
  std::optional<int64_t>
      nan_count;  ///< FLOAT and DOUBLE. Where it is unknown, NaN (greater than every number) may be among the values.
};

/// Gives the bounds of a column of a predicate, in that type; nothing for a column of which nothing is known.
using ColumnBoundsLookup =
    std::function<std::optional<ColumnBounds>(const std::vector<std::string>& column, const DataType& type)>;

/// Whether the predicate may be true for some row: false means that the rows can be left out.
bool MayMatch(const Predicate& predicate, const ColumnBoundsLookup& bounds);

/// Whether the predicate is true for every row: only then may, for example, a whole file be deleted without reading it.
/// Columns of which nothing is known never match surely.
bool MustMatch(const Predicate& predicate, const ColumnBoundsLookup& bounds);

/// Bounds of a column that has one value in all rows, as partition columns have. `value` null: all are NULL.
ColumnBounds ConstantBounds(const DataType& type, const Value& value);

}  // namespace frazil
