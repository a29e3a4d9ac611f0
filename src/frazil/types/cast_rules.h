#pragma once

#include "frazil/types/data_type.h"

namespace frazil {

// Which types can be cast to which. https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#cast

/// Whether Spark counts the type among the atomic ones: all but void, legacy intervals and the nested types.
bool IsAtomicType(const DataType& type);
/// DATE, TIME, TIMESTAMP and TIMESTAMP_NTZ.
bool IsDatetimeType(const DataType& type);
/// Types equal, nullability and (unless `case_sensitive`) the case of field names left aside.
bool SameType(const DataType& left, const DataType& right, bool case_sensitive = false);

/// CAST without ANSI.
bool CanCast(const DataType& from, const DataType& to);
/// CAST with spark.sql.ansi.enabled.
bool CanAnsiCast(const DataType& from, const DataType& to);
/// TRY_CAST: as with ANSI, but nested types must be able to hold the NULL of a failed element.
bool CanTryCast(const DataType& from, const DataType& to);
/// A cast that can neither fail nor lose anything.
bool CanUpCast(const DataType& from, const DataType& to);
/// Whether casting a value that is not NULL may give NULL.
bool ForceNullable(const DataType& from, const DataType& to);

/// spark.sql.storeAssignmentPolicy: what INSERT and UPDATE may put into a column.
enum class StoreAssignmentPolicy { kAnsi, kStrict, kLegacy };
/// Nested types are compared element by element, structs by position.
bool CanStoreAssign(StoreAssignmentPolicy policy, const DataType& from, const DataType& to);
/// The rule of the ANSI policy, which implicit casts follow too.
bool CanAnsiStoreAssign(const DataType& from, const DataType& to);

}  // namespace frazil
