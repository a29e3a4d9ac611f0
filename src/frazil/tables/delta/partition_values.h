#pragma once

#include <optional>
#include <string>

#include "frazil/base/result.h"
#include "frazil/types/data_type.h"
#include "frazil/types/time_zone.h"
#include "frazil/types/value.h"

namespace frazil::tables::delta {

/// A partition value of the log as a value of its column. `zone`: for timestamps that name none. Error where the text
/// is no value of the type. Source: PROTOCOL.md, "Partition Value Serialization".
Result<Value> ReadPartitionValue(const std::optional<std::string>& text, const DataType& type, const TimeZone& zone);
/// The text of a value; NULL and empty strings give nullopt. Timestamps are written in UTC.
std::optional<std::string> WritePartitionValue(const DataType& type, const Value& value);

/// A value of a column's statistics or partition: numbers, texts and dates as JSON and Delta write them; nullopt where
/// the text is none.
std::optional<Value> ReadValueText(const std::string& text, const DataType& type, const TimeZone& zone);

/// "2024-01-31T12:00:00.123456Z", with `digits` (3 or 6) digits of the second's fraction; NTZ: without the Z.
std::string IsoTimestamp(int64_t micros, int digits, bool with_zone);

}  // namespace frazil::tables::delta
