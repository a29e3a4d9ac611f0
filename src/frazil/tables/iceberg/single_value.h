#pragma once

#include <string>
#include <string_view>

#include "frazil/base/json.h"
#include "frazil/base/result.h"
#include "frazil/tables/iceberg/type.h"
#include "frazil/types/value.h"

namespace frazil::tables::iceberg {

/// Single values of primitive types. A Value is held as types/value.h says for the Spark type; uuid as its text, time
/// as microseconds.

/// Binary form ("Appendix D: Single-value serialization"): bounds and partition summaries. Precondition: not null.
std::string ToBytes(const Type& type, const Value& value);
/// Takes the shorter forms that a promoted column has in older files: int for long, float for double.
Result<Value> FromBytes(const Type& type, std::string_view bytes);

/// A value of a column that was FLOAT when the file was written and is DOUBLE now (`is_double`), as the column has it
/// now.
Value Promoted(bool is_double, const Value& value);

/// JSON form ("Appendix C"): defaults.
Result<JsonValue> ToJsonValue(const Type& type, const Value& value);
Result<Value> FromJsonValue(const Type& type, const JsonValue& json);

/// "f79c3e09-677c-4bbd-a479-3f349cb785e7" from 16 bytes, and back.
std::string UuidText(std::string_view bytes);
Result<std::string> UuidBytes(std::string_view text);

/// A lower bound of at most `length` characters (strings) or bytes (binary) that is not greater than the value.
std::string TruncateLowerBound(bool is_text, const std::string& value, size_t length);
/// An upper bound of at most `length` characters or bytes that is not less; false where there is none (then no bound is
/// kept).
bool TruncateUpperBound(bool is_text, const std::string& value, size_t length, std::string* bound);

}  // namespace frazil::tables::iceberg
