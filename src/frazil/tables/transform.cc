#include "frazil/tables/transform.h"

#include <chrono>
#include <cstring>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"

namespace frazil::tables {
namespace {

constexpr int64_t kMicrosPerDay = 86400000000;
constexpr int64_t kMicrosPerHour = 3600000000;

int64_t FloorDivide(int64_t value, int64_t by) {
  int64_t quotient = value / by;
  return value % by != 0 && (value < 0) != (by < 0) ? quotient - 1 : quotient;
}

std::chrono::year_month_day CivilDate(int64_t days) {
  return std::chrono::year_month_day(std::chrono::sys_days(std::chrono::days(days)));
}

int64_t DaysOf(const DataType& source, const Value& value) {
  return source.id() == TypeId::kDate ? value.integer() : FloorDivide(value.integer(), kMicrosPerDay);
}

std::string Padded(int64_t number, int width) {
  std::string digits = std::to_string(number < 0 ? -number : number);
  while (static_cast<int>(digits.size()) < width) digits.insert(digits.begin(), '0');
  return number < 0 ? "-" + digits : digits;
}

std::string DateText(int64_t days) {
  auto date = CivilDate(days);
  return Padded(static_cast<int>(date.year()), 4) + "-" + Padded(static_cast<unsigned>(date.month()), 2) + "-" +
         Padded(static_cast<unsigned>(date.day()), 2);
}

std::string MonthText(int64_t months) {
  return Padded(1970 + FloorDivide(months, 12), 4) + "-" + Padded(months - FloorDivide(months, 12) * 12 + 1, 2);
}

/// As java.time.LocalTime's toString: no seconds where they are 0, and three or six digits of the fraction.
std::string TimeText(int64_t micros) {
  int64_t seconds = micros / 1000000, fraction = micros % 1000000;
  std::string text = Padded(seconds / 3600, 2) + ":" + Padded(seconds / 60 % 60, 2);
  if (seconds % 60 == 0 && fraction == 0) return text;
  text += ":" + Padded(seconds % 60, 2);
  if (fraction == 0) return text;
  return text + "." + (fraction % 1000 == 0 ? Padded(fraction / 1000, 3) : Padded(fraction, 6));
}

std::string TimestampText(int64_t micros) {
  int64_t days = FloorDivide(micros, kMicrosPerDay);
  return DateText(days) + "T" + TimeText(micros - days * kMicrosPerDay);
}

/// The unscaled number as the fewest bytes of big-endian two's complement, as Java's BigInteger.toByteArray.
std::string MinimalBytes(int128 value) {
  std::string bytes(16, '\0');
  for (int i = 15; i >= 0; --i) {
    bytes[static_cast<size_t>(i)] = static_cast<char>(value & 0xFF);
    value >>= 8;
  }
  size_t start = 0;
  while (start < 15) {
    auto byte = static_cast<uint8_t>(bytes[start]);
    auto next = static_cast<uint8_t>(bytes[start + 1]);
    if ((byte == 0x00 && next < 0x80) || (byte == 0xFF && next >= 0x80)) {
      ++start;
    } else {
      break;
    }
  }
  return bytes.substr(start);
}

std::string TruncateText(const std::string& text, int32_t width) {
  size_t position = 0;
  for (int32_t i = 0; i < width && position < text.size(); ++i) {
    ++position;
    while (position < text.size() && (static_cast<uint8_t>(text[position]) & 0xC0) == 0x80) ++position;
  }
  return text.substr(0, position);
}

Value Truncate(int32_t width, const DataType& source, const Value& value) {
  switch (source.id()) {
    case TypeId::kString:
      return Value(TruncateText(value.string(), width));
    case TypeId::kBinary:
      return Value(value.string().substr(0, static_cast<size_t>(width)));
    case TypeId::kDecimal: {
      int128 unscaled = value.decimal();
      return Value(Decimal128{unscaled - ((unscaled % width) + width) % width});
    }
    default: {
      // Wraps around below the smallest number of the type, as Java does.
      int64_t number = value.integer();
      int64_t remainder = ((number % width) + width) % width;
      auto result = static_cast<int64_t>(static_cast<uint64_t>(number) - static_cast<uint64_t>(remainder));
      return Value(source.id() == TypeId::kLong ? result : static_cast<int64_t>(static_cast<int32_t>(result)));
    }
  }
}

}  // namespace

std::string TransformName(TransformKind kind, int32_t parameter) {
  switch (kind) {
    case TransformKind::kIdentity:
      return "identity";
    case TransformKind::kBucket:
      return "bucket[" + std::to_string(parameter) + "]";
    case TransformKind::kTruncate:
      return "truncate[" + std::to_string(parameter) + "]";
    case TransformKind::kYear:
      return "year";
    case TransformKind::kMonth:
      return "month";
    case TransformKind::kDay:
      return "day";
    case TransformKind::kHour:
      return "hour";
    case TransformKind::kVoid:
      return "void";
  }
  return {};
}

bool TransformAccepts(TransformKind kind, const DataType& source) {
  TypeId id = source.id();
  switch (kind) {
    case TransformKind::kIdentity:
      return !source.IsComplex() && id != TypeId::kVariant && id != TypeId::kGeometry && id != TypeId::kGeography &&
             id != TypeId::kNull;
    case TransformKind::kVoid:
      return true;
    case TransformKind::kBucket:
      return source.IsIntegral() || id == TypeId::kDecimal || source.IsDatetime() || id == TypeId::kTime ||
             source.IsString() || id == TypeId::kBinary;
    case TransformKind::kTruncate:
      return source.IsIntegral() || id == TypeId::kDecimal || source.IsString() || id == TypeId::kBinary;
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay:
      return source.IsDatetime();
    case TransformKind::kHour:
      return id == TypeId::kTimestamp || id == TypeId::kTimestampNtz;
  }
  return false;
}

DataTypePtr TransformResultType(TransformKind kind, const DataTypePtr& source) {
  switch (kind) {
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kVoid:
      return source;
    case TransformKind::kDay:
      return DataType::Date();
    case TransformKind::kBucket:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kHour:
      return DataType::Integer();
  }
  return source;
}

int32_t Murmur3(std::string_view data) {
  constexpr uint32_t kC1 = 0xcc9e2d51, kC2 = 0x1b873593;
  auto rotate = [](uint32_t x, int by) { return (x << by) | (x >> (32 - by)); };
  uint32_t hash = 0;
  size_t blocks = data.size() / 4;
  for (size_t i = 0; i < blocks; ++i) {
    uint32_t k;
    std::memcpy(&k, data.data() + i * 4, 4);
    hash ^= rotate(k * kC1, 15) * kC2;
    hash = rotate(hash, 13) * 5 + 0xe6546b64;
  }
  uint32_t tail = 0;
  for (size_t i = data.size(); i > blocks * 4; --i) tail = tail << 8 | static_cast<uint8_t>(data[i - 1]);
  if (data.size() % 4 != 0) hash ^= rotate(tail * kC1, 15) * kC2;
  hash ^= static_cast<uint32_t>(data.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return static_cast<int32_t>(hash ^ hash >> 16);
}

int32_t BucketHash(const DataType& type, const Value& value) {
  switch (type.id()) {
    case TypeId::kString:
    case TypeId::kBinary:
      return Murmur3(value.string());
    case TypeId::kDecimal:
      return Murmur3(MinimalBytes(value.decimal()));
    default: {
      // Every whole number is hashed as a 64-bit one, so that int columns can become long.
      int64_t number = value.integer();
      char bytes[8];
      std::memcpy(bytes, &number, 8);
      return Murmur3(std::string_view(bytes, 8));
    }
  }
}

Value ApplyTransform(TransformKind kind, int32_t parameter, const DataType& source, const Value& value) {
  if (value.is_null()) return value;
  switch (kind) {
    case TransformKind::kIdentity:
      return value;
    case TransformKind::kBucket:
      return Value(static_cast<int64_t>((BucketHash(source, value) & 0x7FFFFFFF) % parameter));
    case TransformKind::kTruncate:
      return Truncate(parameter, source, value);
    case TransformKind::kYear:
      return Value(static_cast<int64_t>(static_cast<int>(CivilDate(DaysOf(source, value)).year()) - 1970));
    case TransformKind::kMonth: {
      auto date = CivilDate(DaysOf(source, value));
      return Value(static_cast<int64_t>((static_cast<int>(date.year()) - 1970) * 12 +
                                        static_cast<int>(static_cast<unsigned>(date.month())) - 1));
    }
    case TransformKind::kDay:
      return Value(DaysOf(source, value));
    case TransformKind::kHour:
      return Value(FloorDivide(value.integer(), kMicrosPerHour));
    case TransformKind::kVoid:
      return Value();
  }
  return Value();
}

std::string PartitionValueText(TransformKind kind, const DataType& result_type, const Value& value) {
  if (value.is_null()) return "null";
  switch (kind) {
    case TransformKind::kYear:
      return Padded(1970 + value.integer(), 4);
    case TransformKind::kMonth:
      return MonthText(value.integer());
    case TransformKind::kDay:
      return DateText(value.integer());
    case TransformKind::kHour: {
      int64_t days = FloorDivide(value.integer(), 24);
      return DateText(days) + "-" + Padded(value.integer() - days * 24, 2);
    }
    case TransformKind::kBucket:
      return std::to_string(value.integer());
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kVoid:
      break;
  }
  switch (result_type.id()) {
    case TypeId::kDate:
      return DateText(value.integer());
    case TypeId::kTimestampNtz:
      return TimestampText(value.integer());
    case TypeId::kTimestamp:
      return TimestampText(value.integer()) + "Z";
    case TypeId::kTime:
      return TimeText(value.integer());
    case TypeId::kString:
      return value.string();
    case TypeId::kBinary:
      return Base64Encode(value.string());
    default:
      return ValueToString(result_type, value);
  }
}

std::string PartitionPath(const std::vector<PartitionField>& fields, const std::vector<Value>& values) {
  std::string path;
  for (size_t i = 0; i < fields.size() && i < values.size(); ++i) {
    if (i > 0) path += '/';
    path += UrlEncode(fields[i].name);
    path += '=';
    path += UrlEncode(PartitionValueText(fields[i].transform, *fields[i].result_type, values[i]));
  }
  return path;
}

}  // namespace frazil::tables
