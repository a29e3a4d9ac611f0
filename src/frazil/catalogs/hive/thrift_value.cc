#include "frazil/catalogs/hive/thrift_value.h"

namespace frazil::catalogs {
namespace {

constexpr uint64_t kLongest = 256ULL * 1024 * 1024;

Error Malformed() { return Error::Storage("Malformed Thrift message"); }

class Reader {
 public:
  explicit Reader(const ThriftSource& source) : source_(source) {}

  Result<ThriftValue> Value(ThriftType type, int depth) {
    if (depth > 64) return Malformed();
    ThriftValue value;
    value.type = type;
    switch (type) {
      case ThriftType::kBool:
      case ThriftType::kByte:
        return Number(std::move(value), 1);
      case ThriftType::kI16:
        return Number(std::move(value), 2);
      case ThriftType::kI32:
        return Number(std::move(value), 4);
      case ThriftType::kI64:
      case ThriftType::kDouble:
        return Number(std::move(value), 8);
      case ThriftType::kString: {
        FRAZIL_ASSIGN_OR_RETURN(const uint64_t length, Length(1));
        value.text.resize(length);
        FRAZIL_RETURN_IF_ERROR(source_(value.text.data(), length));
        return value;
      }
      case ThriftType::kStruct:
        while (true) {
          FRAZIL_ASSIGN_OR_RETURN(const uint64_t field_type, ReadNumber(source_, 1));
          if (field_type == 0) return value;
          FRAZIL_ASSIGN_OR_RETURN(const uint64_t id, ReadNumber(source_, 2));
          FRAZIL_ASSIGN_OR_RETURN(value.fields[static_cast<int16_t>(id)],
                                  Value(static_cast<ThriftType>(field_type), depth + 1));
        }
      case ThriftType::kList:
      case ThriftType::kSet: {
        FRAZIL_ASSIGN_OR_RETURN(const uint64_t element, ReadNumber(source_, 1));
        value.element = static_cast<ThriftType>(element);
        FRAZIL_ASSIGN_OR_RETURN(const uint64_t count, Length(1));
        for (uint64_t i = 0; i < count; ++i) {
          FRAZIL_ASSIGN_OR_RETURN(auto item, Value(value.element, depth + 1));
          value.items.push_back(std::move(item));
        }
        return value;
      }
      case ThriftType::kMap: {
        FRAZIL_ASSIGN_OR_RETURN(const uint64_t key, ReadNumber(source_, 1));
        FRAZIL_ASSIGN_OR_RETURN(const uint64_t element, ReadNumber(source_, 1));
        value.key = static_cast<ThriftType>(key);
        value.element = static_cast<ThriftType>(element);
        FRAZIL_ASSIGN_OR_RETURN(const uint64_t count, Length(2));
        for (uint64_t i = 0; i < count; ++i) {
          FRAZIL_ASSIGN_OR_RETURN(auto name, Value(value.key, depth + 1));
          FRAZIL_ASSIGN_OR_RETURN(auto item, Value(value.element, depth + 1));
          value.entries.emplace_back(std::move(name), std::move(item));
        }
        return value;
      }
      case ThriftType::kStop:
        break;
    }
    return Malformed();
  }

 private:
  Result<ThriftValue> Number(ThriftValue value, int bytes) {
    FRAZIL_ASSIGN_OR_RETURN(const uint64_t number, ReadNumber(source_, bytes));
    // The sign is that of the type.
    const int shift = 64 - 8 * bytes;
    value.number = static_cast<int64_t>(number << shift) >> shift;
    return value;
  }

  /// A length or count, each of which stands for at least `size` bytes of the message.
  Result<uint64_t> Length(uint64_t size) {
    FRAZIL_ASSIGN_OR_RETURN(const uint64_t length, ReadNumber(source_, 4));
    taken_ += length * size;
    if (length > kLongest || taken_ > kLongest) return Malformed();
    return length;
  }

  const ThriftSource& source_;
  uint64_t taken_ = 0;
};

}  // namespace

ThriftValue ThriftValue::String(std::string text) {
  ThriftValue value;
  value.type = ThriftType::kString;
  value.text = std::move(text);
  return value;
}

ThriftValue ThriftValue::Bool(bool flag) {
  ThriftValue value;
  value.type = ThriftType::kBool;
  value.number = flag ? 1 : 0;
  return value;
}

ThriftValue ThriftValue::I32(int32_t number) {
  ThriftValue value;
  value.type = ThriftType::kI32;
  value.number = number;
  return value;
}

ThriftValue ThriftValue::I64(int64_t number) {
  ThriftValue value;
  value.type = ThriftType::kI64;
  value.number = number;
  return value;
}

ThriftValue ThriftValue::Struct(std::map<int16_t, ThriftValue> fields) {
  ThriftValue value;
  value.type = ThriftType::kStruct;
  value.fields = std::move(fields);
  return value;
}

ThriftValue ThriftValue::List(ThriftType element, std::vector<ThriftValue> items) {
  ThriftValue value;
  value.type = ThriftType::kList;
  value.element = element;
  value.items = std::move(items);
  return value;
}

ThriftValue ThriftValue::StringMap(const std::map<std::string, std::string>& entries) {
  ThriftValue value;
  value.type = ThriftType::kMap;
  for (const auto& [name, text] : entries) value.entries.emplace_back(String(name), String(text));
  return value;
}

const ThriftValue& ThriftValue::At(int16_t field) const {
  static const ThriftValue none;
  auto found = fields.find(field);
  return found == fields.end() ? none : found->second;
}

std::map<std::string, std::string> ThriftValue::ToStringMap() const {
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : entries) result[name.text] = value.text;
  return result;
}

void WriteNumber(uint64_t value, int bytes, std::string* out) {
  for (int i = bytes - 1; i >= 0; --i) *out += static_cast<char>((value >> (8 * i)) & 255);
}

Result<uint64_t> ReadNumber(const ThriftSource& source, int bytes) {
  char data[8];
  FRAZIL_RETURN_IF_ERROR(source(data, static_cast<size_t>(bytes)));
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = (value << 8) | static_cast<unsigned char>(data[i]);
  return value;
}

void WriteThrift(const ThriftValue& value, std::string* out) {
  const auto number = static_cast<uint64_t>(value.number);
  switch (value.type) {
    case ThriftType::kStop:
      return;
    case ThriftType::kBool:
    case ThriftType::kByte:
      return WriteNumber(number, 1, out);
    case ThriftType::kI16:
      return WriteNumber(number, 2, out);
    case ThriftType::kI32:
      return WriteNumber(number, 4, out);
    case ThriftType::kI64:
    case ThriftType::kDouble:
      return WriteNumber(number, 8, out);
    case ThriftType::kString:
      WriteNumber(value.text.size(), 4, out);
      *out += value.text;
      return;
    case ThriftType::kStruct:
      for (const auto& [id, field] : value.fields) {
        if (field.type == ThriftType::kStop) continue;
        WriteNumber(static_cast<uint64_t>(field.type), 1, out);
        WriteNumber(static_cast<uint16_t>(id), 2, out);
        WriteThrift(field, out);
      }
      WriteNumber(0, 1, out);
      return;
    case ThriftType::kList:
    case ThriftType::kSet:
      WriteNumber(static_cast<uint64_t>(value.element), 1, out);
      WriteNumber(value.items.size(), 4, out);
      for (const auto& item : value.items) WriteThrift(item, out);
      return;
    case ThriftType::kMap:
      WriteNumber(static_cast<uint64_t>(value.key), 1, out);
      WriteNumber(static_cast<uint64_t>(value.element), 1, out);
      WriteNumber(value.entries.size(), 4, out);
      for (const auto& [name, item] : value.entries) {
        WriteThrift(name, out);
        WriteThrift(item, out);
      }
      return;
  }
}

Result<ThriftValue> ReadThrift(const ThriftSource& source, ThriftType type) { return Reader(source).Value(type, 0); }

}  // namespace frazil::catalogs
