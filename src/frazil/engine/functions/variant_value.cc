#include "frazil/engine/functions/variant_value.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace frazil::engine {
namespace {

enum PrimitiveType : uint8_t {
  kNull = 0,
  kTrue = 1,
  kFalse = 2,
  kInt8 = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kDecimal4 = 8,
  kDecimal8 = 9,
  kDecimal16 = 10,
  kDate = 11,
  kTimestamp = 12,
  kTimestampNtz = 13,
  kFloat = 14,
  kBinary = 15,
  kLongString = 16,
};

void AppendBytes(int128 value, size_t size, std::string* out) {
  for (size_t i = 0; i < size; ++i) *out += static_cast<char>(value >> (8 * i));
}

size_t BytesFor(size_t value) { return value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFFFF ? 3 : 4; }

class Encoder {
 public:
  void Value(const Variant& variant, std::string* out) {
    const auto primitive = [&](PrimitiveType type) { *out += static_cast<char>(type << 2); };
    switch (variant.kind) {
      case Variant::Kind::kNull:
        primitive(kNull);
        return;
      case Variant::Kind::kBoolean:
        primitive(variant.boolean ? kTrue : kFalse);
        return;
      case Variant::Kind::kInteger: {
        const int64_t value = variant.integer;
        if (value == static_cast<int8_t>(value)) {
          primitive(kInt8);
          AppendBytes(value, 1, out);
        } else if (value == static_cast<int16_t>(value)) {
          primitive(kInt16);
          AppendBytes(value, 2, out);
        } else if (value == static_cast<int32_t>(value)) {
          primitive(kInt32);
          AppendBytes(value, 4, out);
        } else {
          primitive(kInt64);
          AppendBytes(value, 8, out);
        }
        return;
      }
      case Variant::Kind::kDouble: {
        primitive(kDouble);
        int64_t bits = 0;
        std::memcpy(&bits, &variant.number, 8);
        AppendBytes(bits, 8, out);
        return;
      }
      case Variant::Kind::kFloat: {
        primitive(kFloat);
        const auto number = static_cast<float>(variant.number);
        int32_t bits = 0;
        std::memcpy(&bits, &number, 4);
        AppendBytes(bits, 4, out);
        return;
      }
      case Variant::Kind::kDecimal: {
        const int128 size = variant.unscaled < 0 ? -variant.unscaled : variant.unscaled;
        const bool four = size <= 999'999'999 && variant.scale <= 9;
        const bool eight = size <= 999'999'999'999'999'999LL && variant.scale <= 18;
        primitive(four ? kDecimal4 : eight ? kDecimal8 : kDecimal16);
        *out += static_cast<char>(variant.scale);
        AppendBytes(variant.unscaled, four ? 4 : eight ? 8 : 16, out);
        return;
      }
      case Variant::Kind::kDate:
        primitive(kDate);
        AppendBytes(variant.integer, 4, out);
        return;
      case Variant::Kind::kTimestamp:
        primitive(kTimestamp);
        AppendBytes(variant.integer, 8, out);
        return;
      case Variant::Kind::kTimestampNtz:
        primitive(kTimestampNtz);
        AppendBytes(variant.integer, 8, out);
        return;
      case Variant::Kind::kBinary:
        primitive(kBinary);
        AppendBytes(static_cast<int64_t>(variant.text.size()), 4, out);
        *out += variant.text;
        return;
      case Variant::Kind::kString:
        if (variant.text.size() < 64) {
          *out += static_cast<char>(variant.text.size() << 2 | 1);
        } else {
          primitive(kLongString);
          AppendBytes(static_cast<int64_t>(variant.text.size()), 4, out);
        }
        *out += variant.text;
        return;
      case Variant::Kind::kArray: {
        std::string data;
        std::vector<size_t> offsets;
        for (const auto& item : variant.items) {
          offsets.push_back(data.size());
          Value(item, &data);
        }
        offsets.push_back(data.size());
        const bool large = variant.items.size() > 0xFF;
        const size_t offset_size = BytesFor(data.size());
        *out += static_cast<char>(((large ? 1 : 0) << 2 | (offset_size - 1)) << 2 | 3);
        AppendBytes(static_cast<int64_t>(variant.items.size()), large ? 4 : 1, out);
        for (size_t offset : offsets) AppendBytes(static_cast<int64_t>(offset), offset_size, out);
        *out += data;
        return;
      }
      case Variant::Kind::kObject: {
        // Values stand in the order written, fields sorted by name.
        std::string data;
        struct Field {
          std::string_view name;
          size_t id, offset;
        };
        std::vector<Field> fields;
        for (const auto& [name, member] : variant.members) {
          fields.push_back({name, Id(name), data.size()});
          Value(member, &data);
        }
        std::sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) { return a.name < b.name; });
        size_t largest = 0;
        for (const auto& field : fields) largest = std::max(largest, field.id);
        const bool large = fields.size() > 0xFF;
        const size_t id_size = BytesFor(largest), offset_size = BytesFor(data.size());
        *out += static_cast<char>(((large ? 1 : 0) << 4 | (id_size - 1) << 2 | (offset_size - 1)) << 2 | 2);
        AppendBytes(static_cast<int64_t>(fields.size()), large ? 4 : 1, out);
        for (const auto& field : fields) AppendBytes(static_cast<int64_t>(field.id), id_size, out);
        for (const auto& field : fields) AppendBytes(static_cast<int64_t>(field.offset), offset_size, out);
        AppendBytes(static_cast<int64_t>(data.size()), offset_size, out);
        *out += data;
        return;
      }
    }
  }

  std::string Metadata() const {
    size_t total = 0;
    for (const auto& name : names_) total += name.size();
    const size_t size = BytesFor(std::max(total, names_.size()));
    std::string out(1, static_cast<char>(1 | (size - 1) << 6));
    AppendBytes(static_cast<int64_t>(names_.size()), size, &out);
    size_t offset = 0;
    for (const auto& name : names_) {
      AppendBytes(static_cast<int64_t>(offset), size, &out);
      offset += name.size();
    }
    AppendBytes(static_cast<int64_t>(offset), size, &out);
    for (const auto& name : names_) out += name;
    return out;
  }

 private:
  size_t Id(const std::string& name) {
    const auto [found, is_new] = ids_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }
  std::map<std::string, size_t> ids_;
  std::vector<std::string> names_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view metadata) : metadata_(metadata) {}

  std::optional<Variant> Value(std::string_view bytes, int depth) const {
    if (bytes.empty() || depth > 1000) return std::nullopt;
    const auto header = static_cast<unsigned char>(bytes[0]);
    const unsigned info = header >> 2;
    bytes.remove_prefix(1);
    Variant result;
    switch (header & 3) {
      case 0:
        return Primitive(info, bytes);
      case 1:
        if (bytes.size() < info) return std::nullopt;
        result.kind = Variant::Kind::kString;
        result.text = bytes.substr(0, info);
        return result;
      case 2:
        return Object(info, bytes, depth);
      default:
        return Array(info, bytes, depth);
    }
  }

 private:
  static std::optional<uint64_t> Unsigned(std::string_view bytes, size_t at, size_t size) {
    if (at + size > bytes.size()) return std::nullopt;
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i)
      value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
  }
  static std::optional<int128> Signed(std::string_view bytes, size_t at, size_t size) {
    if (at + size > bytes.size()) return std::nullopt;
    unsigned __int128 value = 0;
    for (size_t i = 0; i < size; ++i)
      value |= static_cast<unsigned __int128>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    const size_t shift = 128 - 8 * size;
    return static_cast<int128>(value << shift) >> shift;
  }

  std::optional<Variant> Primitive(unsigned type, std::string_view bytes) const {
    Variant result;
    const auto number = [&](Variant::Kind kind, size_t size) -> std::optional<Variant> {
      const auto value = Signed(bytes, 0, size);
      if (!value.has_value()) return std::nullopt;
      result.kind = kind;
      result.integer = static_cast<int64_t>(*value);
      return result;
    };
    switch (type) {
      case kNull:
        return result;
      case kTrue:
      case kFalse:
        result.kind = Variant::Kind::kBoolean;
        result.boolean = type == kTrue;
        return result;
      case kInt8:
        return number(Variant::Kind::kInteger, 1);
      case kInt16:
        return number(Variant::Kind::kInteger, 2);
      case kInt32:
        return number(Variant::Kind::kInteger, 4);
      case kInt64:
        return number(Variant::Kind::kInteger, 8);
      case kDate:
        return number(Variant::Kind::kDate, 4);
      case kTimestamp:
        return number(Variant::Kind::kTimestamp, 8);
      case kTimestampNtz:
        return number(Variant::Kind::kTimestampNtz, 8);
      case kDouble: {
        if (bytes.size() < 8) return std::nullopt;
        result.kind = Variant::Kind::kDouble;
        std::memcpy(&result.number, bytes.data(), 8);
        return result;
      }
      case kFloat: {
        if (bytes.size() < 4) return std::nullopt;
        float value = 0;
        std::memcpy(&value, bytes.data(), 4);
        result.kind = Variant::Kind::kFloat;
        result.number = value;
        return result;
      }
      case kDecimal4:
      case kDecimal8:
      case kDecimal16: {
        const auto value = Signed(bytes, 1, type == kDecimal4 ? 4 : type == kDecimal8 ? 8 : 16);
        if (!value.has_value()) return std::nullopt;
        result.kind = Variant::Kind::kDecimal;
        result.scale = static_cast<unsigned char>(bytes[0]);
        result.unscaled = *value;
        return result;
      }
      case kBinary:
      case kLongString: {
        const auto size = Unsigned(bytes, 0, 4);
        if (!size.has_value() || bytes.size() < 4 + *size) return std::nullopt;
        result.kind = type == kBinary ? Variant::Kind::kBinary : Variant::Kind::kString;
        result.text = bytes.substr(4, *size);
        return result;
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<std::string> Name(uint64_t id) const {
    if (metadata_.empty()) return std::nullopt;
    const size_t size = (static_cast<unsigned char>(metadata_[0]) >> 6) + 1u;
    const auto count = Unsigned(metadata_, 1, size);
    if (!count.has_value() || id >= *count) return std::nullopt;
    const auto begin = Unsigned(metadata_, 1 + size * (1 + id), size),
               end = Unsigned(metadata_, 1 + size * (2 + id), size);
    const size_t text = 1 + size * (*count + 2);
    if (!begin.has_value() || !end.has_value() || *begin > *end || text + *end > metadata_.size()) return std::nullopt;
    return std::string(metadata_.substr(text + *begin, *end - *begin));
  }

  std::optional<Variant> Object(unsigned info, std::string_view bytes, int depth) const {
    const size_t count_size = (info >> 4 & 1) != 0 ? 4 : 1, id_size = (info >> 2 & 3) + 1, offset_size = (info & 3) + 1;
    const auto count = Unsigned(bytes, 0, count_size);
    if (!count.has_value()) return std::nullopt;
    const size_t ids = count_size, offsets = ids + id_size * *count, data = offsets + offset_size * (*count + 1);
    Variant result;
    result.kind = Variant::Kind::kObject;
    for (uint64_t i = 0; i < *count; ++i) {
      const auto id = Unsigned(bytes, ids + id_size * i, id_size);
      const auto offset = Unsigned(bytes, offsets + offset_size * i, offset_size);
      if (!id.has_value() || !offset.has_value() || data + *offset > bytes.size()) return std::nullopt;
      auto name = Name(*id);
      auto value = Value(bytes.substr(data + *offset), depth + 1);
      if (!name.has_value() || !value.has_value()) return std::nullopt;
      result.members.emplace_back(std::move(*name), std::move(*value));
    }
    return result;
  }

  std::optional<Variant> Array(unsigned info, std::string_view bytes, int depth) const {
    const size_t count_size = (info >> 2 & 1) != 0 ? 4 : 1, offset_size = (info & 3) + 1;
    const auto count = Unsigned(bytes, 0, count_size);
    if (!count.has_value()) return std::nullopt;
    const size_t offsets = count_size, data = offsets + offset_size * (*count + 1);
    Variant result;
    result.kind = Variant::Kind::kArray;
    for (uint64_t i = 0; i < *count; ++i) {
      const auto offset = Unsigned(bytes, offsets + offset_size * i, offset_size);
      if (!offset.has_value() || data + *offset > bytes.size()) return std::nullopt;
      auto value = Value(bytes.substr(data + *offset), depth + 1);
      if (!value.has_value()) return std::nullopt;
      result.items.push_back(std::move(*value));
    }
    return result;
  }

  std::string_view metadata_;
};

}  // namespace

const Variant* Variant::Find(std::string_view name) const {
  for (const auto& [member, value] : members) {
    if (member == name) return &value;
  }
  return nullptr;
}

EncodedVariant EncodeVariant(const Variant& variant) {
  Encoder encoder;
  EncodedVariant result;
  encoder.Value(variant, &result.value);
  result.metadata = encoder.Metadata();
  return result;
}

std::optional<Variant> DecodeVariant(std::string_view value, std::string_view metadata) {
  return Decoder(metadata).Value(value, 0);
}

}  // namespace frazil::engine
