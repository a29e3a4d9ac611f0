#include "frazil/tables/delta/partition_values.h"

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/partition_folder.h"
#include "frazil/types/calendar.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"

namespace frazil::tables::delta {
namespace {

std::optional<Value> ReadInteger(const std::string& text, int64_t least, int64_t most) {
  const auto number = ParseInteger<int64_t>(text);
  if (!number || *number < least || *number > most) return std::nullopt;
  return Value(*number);
}

std::optional<double> ReadDouble(const std::string& text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  char* end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

/// Each character of the text is one byte.
std::optional<std::string> ReadBinary(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      bytes += text[i];
    } else if ((c == 0xC2 || c == 0xC3) && i + 1 < text.size()) {
      bytes += static_cast<char>((c & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

std::string WriteBinary(const std::string& bytes) {
  std::string text;
  for (char byte : bytes) {
    auto c = static_cast<unsigned char>(byte);
    if (c < 0x80) {
      text += byte;
    } else {
      text += static_cast<char>(0xC0 | c >> 6);
      text += static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return text;
}

}  // namespace

std::string IsoTimestamp(int64_t micros, int digits, bool with_zone) {
  int64_t days = FloorDivide(micros, 86400000000LL);
  int64_t of_day = micros - days * 86400000000LL;
  int64_t seconds = of_day / 1000000, fraction = of_day % 1000000;
  char time[40];
  if (digits == 3) {
    std::snprintf(time, sizeof(time), "T%02lld:%02lld:%02lld.%03lld", static_cast<long long>(seconds / 3600),
                  static_cast<long long>(seconds / 60 % 60), static_cast<long long>(seconds % 60),
                  static_cast<long long>(fraction / 1000));
  } else {
    std::snprintf(time, sizeof(time), "T%02lld:%02lld:%02lld.%06lld", static_cast<long long>(seconds / 3600),
                  static_cast<long long>(seconds / 60 % 60), static_cast<long long>(seconds % 60),
                  static_cast<long long>(fraction));
  }
  return FormatDate(days) + time + (with_zone ? "Z" : "");
}

std::optional<Value> ReadValueText(const std::string& text, const DataType& type, const TimeZone& zone) {
  switch (type.id()) {
    case TypeId::kBoolean:
      if (EqualsIgnoreCase(text, "true")) return Value(true);
      if (EqualsIgnoreCase(text, "false")) return Value(false);
      return std::nullopt;
    case TypeId::kByte:
      return ReadInteger(text, INT8_MIN, INT8_MAX);
    case TypeId::kShort:
      return ReadInteger(text, INT16_MIN, INT16_MAX);
    case TypeId::kInteger:
      return ReadInteger(text, INT32_MIN, INT32_MAX);
    case TypeId::kLong:
      return ReadInteger(text, INT64_MIN, INT64_MAX);
    case TypeId::kFloat: {
      auto number = ReadDouble(text);
      return number ? std::optional<Value>(Value(static_cast<float>(*number))) : std::nullopt;
    }
    case TypeId::kDouble: {
      auto number = ReadDouble(text);
      return number ? std::optional<Value>(Value(*number)) : std::nullopt;
    }
    case TypeId::kDecimal: {
      DecimalCast cast = CastStringToDecimal(text, ShapeOf(type));
      if (cast.outcome != DecimalCast::Outcome::kValue) return std::nullopt;
      return Value(Decimal128{cast.unscaled});
    }
    case TypeId::kString:
      return Value(text);
    case TypeId::kBinary: {
      auto bytes = ReadBinary(text);
      return bytes ? std::optional<Value>(Value(*std::move(bytes))) : std::nullopt;
    }
    case TypeId::kDate: {
      auto days = ParseDate(text);
      return days ? std::optional<Value>(Value(static_cast<int64_t>(*days))) : std::nullopt;
    }
    case TypeId::kTimestamp: {
      auto micros = ParseTimestamp(text, zone);
      return micros ? std::optional<Value>(Value(*micros)) : std::nullopt;
    }
    case TypeId::kTimestampNtz: {
      auto micros = ParseTimestampNtz(text);
      return micros ? std::optional<Value>(Value(*micros)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Result<Value> ReadPartitionValue(const std::optional<std::string>& text, const DataType& type, const TimeZone& zone) {
  if (!text || text->empty()) return Value();
  auto value = ReadValueText(*text, type, zone);
  if (!value) return Error::Storage("The Delta log has the partition value '" + *text + "', which is no " + type.Sql());
  return *std::move(value);
}

std::optional<std::string> WritePartitionValue(const DataType& type, const Value& value) {
  if (value.is_null()) return std::nullopt;
  switch (type.id()) {
    case TypeId::kTimestamp:
      return IsoTimestamp(value.integer(), 6, true);
    case TypeId::kString:
    case TypeId::kBinary: {
      std::string text = type.id() == TypeId::kString ? value.string() : WriteBinary(value.string());
      // As Spark, which cannot tell such a text from the folder of NULLs.
      if (text.empty() || text == kHiveDefaultPartition) return std::nullopt;
      return text;
    }
    default:
      return ValueToString(type, value);
  }
}

}  // namespace frazil::tables::delta
