#pragma once

#include <vector>

#include "frazil/types/abstract_type.h"
#include "frazil/types/data_type.h"

namespace frazil {

// Spark's rules for the type that expressions are brought to, with ANSI (spark.sql.ansi.enabled) and without. Null
// pointers mean "there is none".
// https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#type-promotion-and-precedence

struct CoercionSettings {
  bool ansi = true;
  bool case_sensitive = false;         ///< Of struct fields that are to be the same.
  bool retain_fraction_first = false;  ///< spark.sql.legacy.decimal.retainFractionDigitsOnTruncate
};

/// The type that holds both without loss or change of kind.
DataTypePtr FindTightestCommonType(const DataTypePtr& left, const DataTypePtr& right, const CoercionSettings& settings);
/// The type that both turn into in an expression: decimals may lose digits; text becomes the other type (ANSI) or the
/// other type becomes text.
DataTypePtr FindWiderTypeForTwo(const DataTypePtr& left, const DataTypePtr& right, const CoercionSettings& settings);
/// As FindWiderTypeForTwo without turning anything into or out of text: greatest, least.
DataTypePtr FindWiderTypeWithoutStringPromotion(const std::vector<DataTypePtr>& types,
                                                const CoercionSettings& settings);
/// One type for all: CASE, COALESCE, IN, array(), set operations. No types give void.
DataTypePtr FindWiderCommonType(const std::vector<DataTypePtr>& types, const CoercionSettings& settings);

/// ANSI: what both operands of a binary operator become where one of them is text.
DataTypePtr FindWiderTypeForString(const DataTypePtr& left, const DataTypePtr& right);
/// Without ANSI: what both sides of a comparison become where one is text or where dates meet timestamps.
/// `cast_datetime_to_string`: spark.sql.legacy.typeCoercion.datetimeToString.enabled.
DataTypePtr FindCommonTypeForBinaryComparison(const DataTypePtr& left, const DataTypePtr& right,
                                              bool cast_datetime_to_string = false);
/// The decimal (or double) type of a decimal beside another number.
DataTypePtr FindWiderTypeForDecimal(const DataTypePtr& left, const DataTypePtr& right,
                                    const CoercionSettings& settings);

/// The type that an argument of type `from` is cast to where a function expects `expected`: `from` itself where it is
/// accepted.
DataTypePtr ImplicitCast(const DataTypePtr& from, const AbstractType& expected, const CoercionSettings& settings);

}  // namespace frazil
