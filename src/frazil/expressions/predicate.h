#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil {

enum class PredicateOp : uint8_t {
  kTrue,
  kFalse,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kNotNull,
  kIsNan,   ///< False for NULL, as Spark's isnan.
  kNotNan,  ///< The opposite of kIsNan: true for NULL.
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kEqual,
  kNotEqual,
  kIn,
  kNotIn,
  kStartsWith,
  kNotStartsWith,
};

struct Predicate;
using PredicatePtr = std::shared_ptr<const Predicate>;

/// The small language in which filters reach a table for pruning: tests of one column against constants, combined by
/// AND, OR, NOT. A predicate given to a table may be weaker than the query's filter, never stronger: the engine applies
/// the whole filter again to rows.
struct Predicate {
  PredicateOp op = PredicateOp::kTrue;
  std::vector<PredicatePtr> children;  ///< kAnd, kOr, kNot.
  std::vector<std::string> column;     ///< Name path of the column (nested fields follow).
  DataTypePtr type;                    ///< Type of the column and of the constants.
  std::vector<Value> values;           ///< One for comparisons, several for kIn and kNotIn; never null.

  static PredicatePtr True();
  static PredicatePtr False();
  static PredicatePtr And(std::vector<PredicatePtr> children);
  static PredicatePtr Or(std::vector<PredicatePtr> children);
  static PredicatePtr Not(PredicatePtr child);
  static PredicatePtr Test(PredicateOp op, std::vector<std::string> column, DataTypePtr type,
                           std::vector<Value> values = {});

  std::string ToString() const;
};

/// The same predicate without kNot, which moves into the leaves: true, false and unknown (NULL) for the same rows as
/// before.
PredicatePtr PushDownNot(const PredicatePtr& predicate);

}  // namespace frazil
