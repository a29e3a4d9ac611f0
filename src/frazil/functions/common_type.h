#pragma once

// Spark's rules for the type that two or more expressions are brought to, with and without ANSI.
// https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#type-promotion-and-precedence

#include <vector>

#include "frazil/types/data_type.h"

namespace frazil::functions {

inline constexpr int kMaxDecimalPrecision = 38;

/// The type that holds both without loss or text conversion ("tightest common type"); nullptr where there is none.
DataTypePtr TightestCommonType(const DataTypePtr& left, const DataTypePtr& right, bool ansi);
/// As above, and decimals of other precision, and text promoted (to the other type with ANSI, else to text).
DataTypePtr WiderType(const DataTypePtr& left, const DataTypePtr& right, bool ansi);
/// As WiderType, but text is not promoted without ANSI: greatest and least.
DataTypePtr WiderTypeWithoutText(const DataTypePtr& left, const DataTypePtr& right, bool ansi);
/// For CASE, COALESCE, IN, array(...), set operations: one type for all.
DataTypePtr WiderCommonType(const std::vector<DataTypePtr>& types, bool ansi);
DataTypePtr WiderCommonTypeWithoutText(const std::vector<DataTypePtr>& types, bool ansi);
/// What text turns into beside an operand of another type with ANSI on ("findWiderTypeForString"); nullptr where it
/// does not.
DataTypePtr PromoteText(const DataTypePtr& left, const DataTypePtr& right);
/// What both sides of a comparison turn into where one is text, without ANSI.
DataTypePtr LegacyComparisonType(const DataTypePtr& left, const DataTypePtr& right);

/// The decimal type that holds every value of an integral type: INT -> (10,0); float and double -> (14,7), (30,15).
DataTypePtr DecimalForType(const DataType& type);
/// The decimal type that holds both; digits before the point win where 38 are not enough.
DataTypePtr WiderDecimal(const DataType& left, const DataType& right);

/// Result types of decimal arithmetic; `allow_precision_loss` is spark.sql.decimalOperations.allowPrecisionLoss.
DataTypePtr DecimalAdd(const DataType& left, const DataType& right, bool allow_precision_loss);
DataTypePtr DecimalMultiply(const DataType& left, const DataType& right, bool allow_precision_loss);
DataTypePtr DecimalDivide(const DataType& left, const DataType& right, bool allow_precision_loss);
DataTypePtr DecimalRemainder(const DataType& left, const DataType& right, bool allow_precision_loss);
/// decimal(min(precision, 38), min(scale, 38)).
DataTypePtr BoundedDecimal(int precision, int scale);

/// The type with the names of another's struct fields, where both are structs of as many fields (inside arrays too):
/// comparisons go by position.
DataTypePtr WithNamesOf(const DataTypePtr& type, const DataType& named);
/// CHAR and VARCHAR as STRING; others as they are.
DataTypePtr WithoutLength(const DataTypePtr& type);
/// Whether values of the type can be compared with <: no maps, no variants, no legacy intervals.
bool IsOrderable(const DataType& type);
/// Whether the type has a map (or variant) anywhere inside: no equality.
bool ContainsMap(const DataType& type);

}  // namespace frazil::functions
