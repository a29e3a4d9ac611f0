#include "frazil/base/json.h"

namespace frazil {
namespace {

constexpr int kMaxDepth = 512;

void AppendUtf8(uint32_t code_point, std::string* out) {
  if (code_point < 0x80) {
    *out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    *out += static_cast<char>(0xC0 | (code_point >> 6));
    *out += static_cast<char>(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    *out += static_cast<char>(0xE0 | (code_point >> 12));
    *out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code_point & 0x3F));
  } else {
    *out += static_cast<char>(0xF0 | (code_point >> 18));
    *out += static_cast<char>(0x80 | ((code_point >> 12) & 0x3F));
    *out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code_point & 0x3F));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<JsonValue> ParseDocument() {
    JsonValue value;
    FRAZIL_RETURN_IF_ERROR(ParseValue(0, &value));
    SkipBlanks();
    if (at_ != text_.size()) return Bad("text after the end of the document");
    return value;
  }

 private:
  Error Bad(std::string_view what) const {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Malformed JSON at offset " + std::to_string(at_) + ": " + std::string(what));
  }

  void SkipBlanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool Take(char expected) {
    if (at_ < text_.size() && text_[at_] == expected) {
      ++at_;
      return true;
    }
    return false;
  }

  bool TakeWord(std::string_view word) {
    if (text_.substr(at_).starts_with(word)) {
      at_ += word.size();
      return true;
    }
    return false;
  }

  Status ParseValue(int depth, JsonValue* out) {
    if (depth > kMaxDepth) return Bad("nested too deeply");
    SkipBlanks();
    if (at_ >= text_.size()) return Bad("value expected");
    switch (text_[at_]) {
      case '{':
        return ParseObject(depth, out);
      case '[':
        return ParseArray(depth, out);
      case '"':
        out->kind = JsonValue::Kind::kString;
        return ParseString(&out->text);
      default:
        break;
    }
    if (TakeWord("true")) {
      *out = JsonValue::OfBoolean(true);
    } else if (TakeWord("false")) {
      *out = JsonValue::OfBoolean(false);
    } else if (TakeWord("null")) {
      *out = JsonValue();
    } else {
      return ParseNumber(out);
    }
    return {};
  }

  bool TakeDigits() {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > start;
  }

  Status ParseNumber(JsonValue* out) {
    const size_t start = at_;
    Take('-');
    if (!Take('0') && !TakeDigits()) return Bad("value expected");
    if (Take('.') && !TakeDigits()) return Bad("digits expected");
    if (Take('e') || Take('E')) {
      if (!Take('+')) Take('-');
      if (!TakeDigits()) return Bad("digits expected");
    }
    *out = JsonValue::OfNumber(std::string(text_.substr(start, at_ - start)));
    return {};
  }

  Result<uint32_t> ParseHex4() {
    if (text_.size() - at_ < 4) return Bad("four hexadecimal digits expected");
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const char digit = text_[at_++];
      value <<= 4;
      if (digit >= '0' && digit <= '9') {
        value |= static_cast<uint32_t>(digit - '0');
      } else if (digit >= 'a' && digit <= 'f') {
        value |= static_cast<uint32_t>(digit - 'a' + 10);
      } else if (digit >= 'A' && digit <= 'F') {
        value |= static_cast<uint32_t>(digit - 'A' + 10);
      } else {
        return Bad("four hexadecimal digits expected");
      }
    }
    return value;
  }

  Status ParseEscape(std::string* out) {
    if (at_ >= text_.size()) return Bad("unfinished escape");
    switch (text_[at_++]) {
      case '"':
        *out += '"';
        return {};
      case '\\':
        *out += '\\';
        return {};
      case '/':
        *out += '/';
        return {};
      case 'b':
        *out += '\b';
        return {};
      case 'f':
        *out += '\f';
        return {};
      case 'n':
        *out += '\n';
        return {};
      case 'r':
        *out += '\r';
        return {};
      case 't':
        *out += '\t';
        return {};
      case 'u':
        break;
      default:
        return Bad("unknown escape");
    }
    FRAZIL_ASSIGN_OR_RETURN(uint32_t code_point, ParseHex4());
    if (code_point >= 0xD800 && code_point <= 0xDBFF && TakeWord("\\u")) {
      FRAZIL_ASSIGN_OR_RETURN(const uint32_t low, ParseHex4());
      if (low < 0xDC00 || low > 0xDFFF) return Bad("unpaired surrogate");
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
    } else if (code_point >= 0xD800 && code_point <= 0xDFFF) {
      return Bad("unpaired surrogate");
    }
    AppendUtf8(code_point, out);
    return {};
  }

  Status ParseString(std::string* out) {
    ++at_;  // the quote
    while (at_ < text_.size()) {
      const char character = text_[at_++];
      if (character == '"') return {};
      if (character == '\\') {
        FRAZIL_RETURN_IF_ERROR(ParseEscape(out));
      } else if (static_cast<unsigned char>(character) < 0x20) {
        return Bad("control character in a string");
      } else {
        *out += character;
      }
    }
    return Bad("unfinished string");
  }

  Status ParseArray(int depth, JsonValue* out) {
    ++at_;
    out->kind = JsonValue::Kind::kArray;
    SkipBlanks();
    if (Take(']')) return {};
    while (true) {
      FRAZIL_RETURN_IF_ERROR(ParseValue(depth + 1, &out->items.emplace_back()));
      SkipBlanks();
      if (Take(']')) return {};
      if (!Take(',')) return Bad("',' or ']' expected");
    }
  }

  Status ParseObject(int depth, JsonValue* out) {
    ++at_;
    out->kind = JsonValue::Kind::kObject;
    SkipBlanks();
    if (Take('}')) return {};
    while (true) {
      SkipBlanks();
      if (at_ >= text_.size() || text_[at_] != '"') return Bad("name of a member expected");
      auto& member = out->members.emplace_back();
      FRAZIL_RETURN_IF_ERROR(ParseString(&member.first));
      SkipBlanks();
      if (!Take(':')) return Bad("':' expected");
      FRAZIL_RETURN_IF_ERROR(ParseValue(depth + 1, &member.second));
      SkipBlanks();
      if (Take('}')) return {};
      if (!Take(',')) return Bad("',' or '}' expected");
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

void AppendValue(const JsonValue& value, std::string* out) {
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      *out += "null";
      return;
    case JsonValue::Kind::kBoolean:
      *out += value.boolean ? "true" : "false";
      return;
    case JsonValue::Kind::kNumber:
      *out += value.text;
      return;
    case JsonValue::Kind::kString:
      AppendJsonString(value.text, out);
      return;
    case JsonValue::Kind::kArray: {
      char separator = '[';
      for (const auto& item : value.items) {
        *out += separator;
        AppendValue(item, out);
        separator = ',';
      }
      if (value.items.empty()) *out += '[';
      *out += ']';
      return;
    }
    case JsonValue::Kind::kObject: {
      char separator = '{';
      for (const auto& [name, member] : value.members) {
        *out += separator;
        AppendJsonString(name, out);
        *out += ':';
        AppendValue(member, out);
        separator = ',';
      }
      if (value.members.empty()) *out += '{';
      *out += '}';
      return;
    }
  }
}

}  // namespace

JsonValue JsonValue::OfString(std::string text) {
  JsonValue value;
  value.kind = Kind::kString;
  value.text = std::move(text);
  return value;
}

JsonValue JsonValue::OfBoolean(bool boolean) {
  JsonValue value;
  value.kind = Kind::kBoolean;
  value.boolean = boolean;
  return value;
}

JsonValue JsonValue::OfNumber(std::string text) {
  JsonValue value;
  value.kind = Kind::kNumber;
  value.text = std::move(text);
  return value;
}

const JsonValue* JsonValue::Find(std::string_view name) const {
  for (const auto& [key, member] : members) {
    if (key == name) return &member;
  }
  return nullptr;
}

std::string JsonValue::Write() const {
  std::string out;
  AppendValue(*this, &out);
  return out;
}

Result<JsonValue> ParseJson(std::string_view text) { return Parser(text).ParseDocument(); }

void AppendJsonString(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  *out += '"';
  for (const char character : text) {
    switch (character) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\b':
        *out += "\\b";
        break;
      case '\f':
        *out += "\\f";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(character) < 0x20) {
          *out += "\\u00";
          *out += kHex[(character >> 4) & 0xF];
          *out += kHex[character & 0xF];
        } else {
          *out += character;
        }
    }
  }
  *out += '"';
}

std::string JsonString(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

}  // namespace frazil
