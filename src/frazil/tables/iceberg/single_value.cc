#include "frazil/tables/iceberg/single_value.h"

#include <charconv>
#include <chrono>
#include <cstring>

#include "frazil/base/byte_text.h"
#include "frazil/base/integer_text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"

namespace frazil::tables::iceberg {
namespace {

template <typename T>
std::string LittleEndian(T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  return std::string(raw, sizeof(T));
}

template <typename T>
T FromLittleEndian(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// The fewest bytes of big-endian two's complement.
std::string BigEndian(int128 value) {
  std::string bytes;
  while (true) {
    auto byte = static_cast<uint8_t>(value & 0xFF);
    bytes.insert(bytes.begin(), static_cast<char>(byte));
    value >>= 8;
    if ((value == 0 && byte < 0x80) || (value == -1 && byte >= 0x80)) return bytes;
  }
}

Error Malformed(const Type& type, std::string_view bytes) {
  return DamagedMetadata("A value of type " + TypeText(type) + " has " + std::to_string(bytes.size()) + " bytes");
}

Result<std::string> FromHex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    auto byte = ParseInteger<unsigned>(text.substr(i, 2), 16);
    if (!byte) return IllegalArgument("Not hexadecimal: " + std::string(text));
    bytes.push_back(static_cast<char>(*byte));
  }
  if (text.size() % 2 != 0) return IllegalArgument("Not hexadecimal: " + std::string(text));
  return bytes;
}

/// Reads "2026-11-30", "10:12:55.038194" and both with 'T' between, of a timestamp also "+00:00" or "Z" behind: days
/// and microseconds.
struct DateAndTime {
  int64_t days = 0;
  int64_t micros = 0;
};
bool ReadNumber(std::string_view& text, size_t digits, int64_t* number) {
  if (text.size() < digits) return false;
  auto read = ParseInteger<int64_t>(text.substr(0, digits));
  if (!read) return false;
  *number = *read;
  text.remove_prefix(digits);
  return true;
}
bool ReadSign(std::string_view& text, char sign) {
  if (text.empty() || text[0] != sign) return false;
  text.remove_prefix(1);
  return true;
}
bool ReadDate(std::string_view& text, int64_t* days) {
  bool negative = ReadSign(text, '-');
  if (!negative) ReadSign(text, '+');
  size_t dash = text.find('-');
  int64_t year = 0, month = 0, day = 0;
  if (dash == std::string_view::npos || dash < 4 || !ReadNumber(text, dash, &year) || !ReadSign(text, '-') ||
      !ReadNumber(text, 2, &month) || !ReadSign(text, '-') || !ReadNumber(text, 2, &day)) {
    return false;
  }
  std::chrono::year_month_day date(std::chrono::year(static_cast<int>(negative ? -year : year)),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return false;
  *days = std::chrono::sys_days(date).time_since_epoch().count();
  return true;
}
bool ReadTime(std::string_view& text, int64_t* micros) {
  int64_t hours = 0, minutes = 0, seconds = 0;
  if (!ReadNumber(text, 2, &hours) || !ReadSign(text, ':') || !ReadNumber(text, 2, &minutes)) return false;
  if (ReadSign(text, ':') && !ReadNumber(text, 2, &seconds)) return false;
  int64_t fraction = 0;
  if (ReadSign(text, '.')) {
    int64_t unit = 100000;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      fraction += (text[0] - '0') * unit;
      unit /= 10;
      text.remove_prefix(1);
    }
  }
  *micros = ((hours * 60 + minutes) * 60 + seconds) * 1000000 + fraction;
  return true;
}

Result<Value> ParseTemporal(const Type& type, std::string_view text) {
  Error error =
      IllegalArgument("Cannot parse default as a " + TypeText(type) + " value: \"" + std::string(text) + "\"");
  int64_t days = 0, micros = 0;
  if (type.kind == TypeKind::kDate) {
    if (!ReadDate(text, &days) || !text.empty()) return error;
    return Value(days);
  }
  if (type.kind == TypeKind::kTime) {
    if (!ReadTime(text, &micros) || !text.empty()) return error;
    return Value(micros);
  }
  if (!ReadDate(text, &days) || !ReadSign(text, 'T') || !ReadTime(text, &micros)) return error;
  if (type.kind == TypeKind::kTimestampTz) {
    if (text != "+00:00" && text != "Z") return error;
  } else if (!text.empty()) {
    return error;
  }
  return Value(days * 86400000000 + micros);
}

std::string TemporalText(const Type& type, int64_t number) {
  auto padded = [](int64_t value, size_t width) {
    std::string digits = std::to_string(value);
    return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
  };
  auto date = [&](int64_t days) {
    std::chrono::year_month_day d{std::chrono::sys_days(std::chrono::days(days))};
    return padded(static_cast<int>(d.year()), 4) + "-" + padded(static_cast<unsigned>(d.month()), 2) + "-" +
           padded(static_cast<unsigned>(d.day()), 2);
  };
  auto time = [&](int64_t micros) {
    std::string text = padded(micros / 3600000000, 2) + ":" + padded(micros / 60000000 % 60, 2) + ":" +
                       padded(micros / 1000000 % 60, 2);
    return micros % 1000000 == 0 ? text : text + "." + padded(micros % 1000000, 6);
  };
  if (type.kind == TypeKind::kDate) return date(number);
  if (type.kind == TypeKind::kTime) return time(number);
  int64_t days = number / 86400000000;
  if (number % 86400000000 < 0) --days;
  return date(days) + "T" + time(number - days * 86400000000) + (type.kind == TypeKind::kTimestampTz ? "+00:00" : "");
}

}  // namespace

std::string UuidText(std::string_view bytes) {
  std::string hex = HexLower(bytes);
  if (hex.size() != 32) return hex;
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" +
         hex.substr(20);
}

Result<std::string> UuidBytes(std::string_view text) {
  std::string digits;
  for (char c : text) {
    if (c != '-') digits += c;
  }
  if (digits.size() != 32) return IllegalArgument("Invalid UUID string: " + std::string(text));
  return FromHex(digits);
}

std::string ToBytes(const Type& type, const Value& value) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return std::string(1, value.boolean() ? '\x01' : '\x00');
    case TypeKind::kInt:
    case TypeKind::kDate:
      return LittleEndian(static_cast<int32_t>(value.integer()));
    case TypeKind::kLong:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      return LittleEndian(value.integer());
    case TypeKind::kFloat:
      return LittleEndian(value.float32());
    case TypeKind::kDouble:
      return LittleEndian(value.float64());
    case TypeKind::kDecimal:
      return BigEndian(value.decimal());
    case TypeKind::kUuid: {
      auto bytes = UuidBytes(value.string());
      return bytes.ok() ? *bytes : std::string();
    }
    case TypeKind::kString:
    case TypeKind::kFixed:
    case TypeKind::kBinary:
      return value.string();
    case TypeKind::kUnknown:
    case TypeKind::kVariant:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  return {};
}

Result<Value> FromBytes(const Type& type, std::string_view bytes) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      if (bytes.size() != 1) return Malformed(type, bytes);
      return Value(bytes[0] != 0);
    case TypeKind::kInt:
    case TypeKind::kDate:
      if (bytes.size() != 4) return Malformed(type, bytes);
      return Value(static_cast<int64_t>(FromLittleEndian<int32_t>(bytes)));
    case TypeKind::kLong:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      if (bytes.size() == 4 && type.kind == TypeKind::kLong)
        return Value(static_cast<int64_t>(FromLittleEndian<int32_t>(bytes)));
      if (bytes.size() != 8) return Malformed(type, bytes);
      return Value(FromLittleEndian<int64_t>(bytes));
    case TypeKind::kFloat:
      if (bytes.size() != 4) return Malformed(type, bytes);
      return Value(FromLittleEndian<float>(bytes));
    case TypeKind::kDouble:
      if (bytes.size() == 4) return Value(static_cast<double>(FromLittleEndian<float>(bytes)));
      if (bytes.size() != 8) return Malformed(type, bytes);
      return Value(FromLittleEndian<double>(bytes));
    case TypeKind::kDecimal: {
      if (bytes.empty() || bytes.size() > 16) return Malformed(type, bytes);
      int128 number = static_cast<int8_t>(bytes[0]);
      for (size_t i = 1; i < bytes.size(); ++i) number = number * 256 + static_cast<uint8_t>(bytes[i]);
      return Value(Decimal128{number});
    }
    case TypeKind::kUuid:
      if (bytes.size() != 16) return Malformed(type, bytes);
      return Value(UuidText(bytes));
    case TypeKind::kString:
    case TypeKind::kFixed:
    case TypeKind::kBinary:
      return Value(std::string(bytes));
    case TypeKind::kUnknown:
    case TypeKind::kVariant:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  return DamagedMetadata("A bound of type " + TypeText(type) + " cannot be read");
}

Value Promoted(bool is_double, const Value& value) {
  const auto* narrow = std::get_if<float>(&value.storage());
  return is_double && narrow != nullptr ? Value(static_cast<double>(*narrow)) : value;
}

Result<JsonValue> ToJsonValue(const Type& type, const Value& value) {
  if (value.is_null()) return JsonValue();
  switch (type.kind) {
    case TypeKind::kBoolean:
      return JsonValue::OfBoolean(value.boolean());
    case TypeKind::kInt:
    case TypeKind::kLong:
      return JsonValue::OfNumber(std::to_string(value.integer()));
    case TypeKind::kFloat: {
      char buffer[64];
      auto end = std::to_chars(buffer, buffer + sizeof(buffer), value.float32()).ptr;
      return JsonValue::OfNumber(std::string(buffer, end));
    }
    case TypeKind::kDouble: {
      char buffer[64];
      auto end = std::to_chars(buffer, buffer + sizeof(buffer), value.float64()).ptr;
      return JsonValue::OfNumber(std::string(buffer, end));
    }
    case TypeKind::kDecimal:
      return JsonValue::OfString(ValueToString(*DataType::Decimal(type.precision, type.scale), value));
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return JsonValue::OfString(TemporalText(type, value.integer()));
    case TypeKind::kString:
    case TypeKind::kUuid:
      return JsonValue::OfString(value.string());
    case TypeKind::kFixed:
    case TypeKind::kBinary:
      return JsonValue::OfString(HexLower(value.string()));
    default:
      return Error::Unsupported("a default value of type " + TypeText(type));
  }
}

Result<Value> FromJsonValue(const Type& type, const JsonValue& json) {
  if (json.kind == JsonValue::Kind::kNull) return Value();
  Error error = IllegalArgument("Cannot parse default as a " + TypeText(type) + " value: " + json.Write());
  bool is_text = json.kind == JsonValue::Kind::kString;
  const char* begin = json.text.data();
  const char* end = begin + json.text.size();
  switch (type.kind) {
    case TypeKind::kBoolean:
      if (json.kind != JsonValue::Kind::kBoolean) return error;
      return Value(json.boolean);
    case TypeKind::kInt:
    case TypeKind::kLong: {
      auto number = ToLong(json);
      if (!number.ok()) return error;
      return Value(*number);
    }
    case TypeKind::kFloat: {
      float number = 0;
      if (json.kind != JsonValue::Kind::kNumber || std::from_chars(begin, end, number).ec != std::errc()) return error;
      return Value(number);
    }
    case TypeKind::kDouble: {
      double number = 0;
      if (json.kind != JsonValue::Kind::kNumber || std::from_chars(begin, end, number).ec != std::errc()) return error;
      return Value(number);
    }
    case TypeKind::kDecimal: {
      // The text has the scale of the type: its digits are the unscaled number.
      if (!is_text || json.text.empty()) return error;
      int128 number = 0;
      for (char c : json.text) {
        if (c >= '0' && c <= '9')
          number = number * 10 + (c - '0');
        else if (c != '-' && c != '+' && c != '.')
          return error;
      }
      return Value(Decimal128{json.text[0] == '-' ? -number : number});
    }
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      if (!is_text) return error;
      return ParseTemporal(type, json.text);
    case TypeKind::kString:
    case TypeKind::kUuid:
      if (!is_text) return error;
      return Value(json.text);
    case TypeKind::kFixed:
    case TypeKind::kBinary: {
      if (!is_text) return error;
      FRAZIL_ASSIGN_OR_RETURN(std::string bytes, FromHex(json.text));
      return Value(std::move(bytes));
    }
    default:
      return Error::Unsupported("a default value of type " + TypeText(type));
  }
}

namespace {

/// Where the first `length` characters of UTF-8 end.
size_t CharactersEnd(const std::string& value, size_t length) {
  size_t position = 0;
  for (size_t i = 0; i < length && position < value.size(); ++i) {
    ++position;
    while (position < value.size() && (static_cast<uint8_t>(value[position]) & 0xC0) == 0x80) ++position;
  }
  return position;
}

uint32_t DecodeCharacter(std::string_view bytes) {
  auto first = static_cast<uint8_t>(bytes[0]);
  if (bytes.size() == 1) return first;
  uint32_t code = first & (0xFFu >> (bytes.size() + 1));
  for (size_t i = 1; i < bytes.size(); ++i) code = code << 6 | (static_cast<uint8_t>(bytes[i]) & 0x3F);
  return code;
}

std::string EncodeCharacter(uint32_t code) {
  std::string bytes;
  if (code < 0x80) {
    bytes.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    bytes.push_back(static_cast<char>(0xC0 | code >> 6));
    bytes.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else if (code < 0x10000) {
    bytes.push_back(static_cast<char>(0xE0 | code >> 12));
    bytes.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    bytes.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    bytes.push_back(static_cast<char>(0xF0 | code >> 18));
    bytes.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3F)));
    bytes.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    bytes.push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
  return bytes;
}

}  // namespace

std::string TruncateLowerBound(bool is_text, const std::string& value, size_t length) {
  return value.substr(0, is_text ? CharactersEnd(value, length) : length);
}

bool TruncateUpperBound(bool is_text, const std::string& value, size_t length, std::string* bound) {
  size_t end = is_text ? CharactersEnd(value, length) : std::min(length, value.size());
  if (end == value.size()) {
    *bound = value;
    return true;
  }
  std::string prefix = value.substr(0, end);
  // The last character that can be made greater, made greater by one; what follows it is dropped.
  while (!prefix.empty()) {
    if (!is_text) {
      auto last = static_cast<uint8_t>(prefix.back());
      prefix.pop_back();
      if (last == 0xFF) continue;
      prefix.push_back(static_cast<char>(last + 1));
      *bound = std::move(prefix);
      return true;
    }
    size_t start = prefix.size() - 1;
    while (start > 0 && (static_cast<uint8_t>(prefix[start]) & 0xC0) == 0x80) --start;
    uint32_t code = DecodeCharacter(std::string_view(prefix).substr(start));
    prefix.resize(start);
    if (code >= 0x10FFFF) continue;
    ++code;
    if (code >= 0xD800 && code <= 0xDFFF) code = 0xE000;  // Surrogates are no characters.
    prefix += EncodeCharacter(code);
    *bound = std::move(prefix);
    return true;
  }
  return false;
}

}  // namespace frazil::tables::iceberg
