#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::catalogs {

/// Types of Thrift, as they stand in messages.
enum class ThriftType : uint8_t {
  kStop = 0,
  kBool = 2,
  kByte = 3,
  kDouble = 4,
  kI16 = 6,
  kI32 = 8,
  kI64 = 10,
  kString = 11,
  kStruct = 12,
  kMap = 13,
  kSet = 14,
  kList = 15,
};

/// A value of Thrift without its interface description: fields by number. What is read can be written again unchanged,
/// also fields that nobody here knows.
/// https://github.com/apache/thrift/blob/master/doc/specs/thrift-binary-protocol.md
struct ThriftValue {
  ThriftType type = ThriftType::kStop;  ///< kStop: no value.
  int64_t number = 0;                   ///< Booleans and whole numbers; a double's bits.
  std::string text;
  std::map<int16_t, ThriftValue> fields;                     ///< Of a struct.
  ThriftType element = ThriftType::kString;                  ///< Of a list or set; values of a map.
  ThriftType key = ThriftType::kString;                      ///< Of a map.
  std::vector<ThriftValue> items;                            ///< Of a list or set.
  std::vector<std::pair<ThriftValue, ThriftValue>> entries;  ///< Of a map.

  static ThriftValue String(std::string text);
  static ThriftValue Bool(bool value);
  static ThriftValue I32(int32_t value);
  static ThriftValue I64(int64_t value);
  static ThriftValue Struct(std::map<int16_t, ThriftValue> fields = {});
  static ThriftValue List(ThriftType element, std::vector<ThriftValue> items);
  static ThriftValue StringMap(const std::map<std::string, std::string>& entries);

  /// The field of a struct, or an empty value.
  const ThriftValue& At(int16_t field) const;
  /// The texts of a map of texts.
  std::map<std::string, std::string> ToStringMap() const;
};

/// The binary protocol.
void WriteThrift(const ThriftValue& value, std::string* out);

/// Gives the next bytes of a message.
using ThriftSource = std::function<Status(char* out, size_t length)>;
/// Refuses what is nested deeper than 64 or larger than 256 MB.
Result<ThriftValue> ReadThrift(const ThriftSource& source, ThriftType type);

// --- numbers of the protocol, most significant byte first

void WriteNumber(uint64_t value, int bytes, std::string* out);
Result<uint64_t> ReadNumber(const ThriftSource& source, int bytes);

}  // namespace frazil::catalogs
