#include "frazil/engine/functions/json_value.h"

#include <cstdio>

#include "frazil/engine/functions/utf8.h"

namespace frazil::engine {
namespace {

constexpr int kDeepest = 1000;

class Reader {
 public:
  Reader(std::string_view text, const JsonOptions& options) : text_(text), options_(options) {}

  // Without a selection `out` is left as it is.
  bool Value(Json* out, int depth, const JsonSelection* selection) {
    if (depth > kDeepest || !Blanks() || position_ >= text_.size()) return false;
    const char c = text_[position_];
    if (c == '{') return Object(out, depth, selection);
    if (c == '[') return Array(out, depth, selection);
    if (selection != nullptr) return Simple(c, out);
    // What is left out needs the room of one value only.
    left_out_.text.clear();
    return Simple(c, &left_out_);
  }

  bool AtEnd() {
    Blanks();
    return position_ >= text_.size();
  }

 private:
  bool Simple(char c, Json* out) {
    if (c == '"' || (c == '\'' && options_.single_quotes)) {
      out->kind = Json::Kind::kString;
      return String(&out->text);
    }
    if (c == '-' || (c >= '0' && c <= '9')) return Number(out);
    if (Word("true")) {
      out->kind = Json::Kind::kBoolean;
      out->boolean = true;
      return true;
    }
    if (Word("false")) {
      out->kind = Json::Kind::kBoolean;
      return true;
    }
    if (Word("null")) return true;
    if (options_.non_numeric_numbers) {
      for (const char* word : {"NaN", "+INF", "-INF", "+Infinity", "Infinity", "INF"}) {
        if (!Word(word)) continue;
        out->kind = Json::Kind::kFraction;
        out->text = word;
        return true;
      }
    }
    return false;
  }

  bool Blanks() {
    for (;;) {
      while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t' ||
                                          text_[position_] == '\n' || text_[position_] == '\r'))
        ++position_;
      if (!options_.comments || text_.substr(position_, 1) != "/") return true;
      if (text_.substr(position_, 2) == "//") {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (text_.substr(position_, 2) == "/*") {
        const size_t end = text_.find("*/", position_ + 2);
        if (end == std::string_view::npos) return false;
        position_ = end + 2;
      } else {
        return true;
      }
    }
  }

  bool Word(std::string_view word) {
    if (text_.substr(position_, word.size()) != word) return false;
    const size_t end = position_ + word.size();
    if (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      return false;
    position_ = end;
    return true;
  }

  bool Number(Json* out) {
    const size_t begin = position_;
    const auto digits = [&]() {
      const size_t from = position_;
      while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') ++position_;
      return position_ - from;
    };
    if (text_[position_] == '-') {
      ++position_;
      if (options_.non_numeric_numbers && (Word("INF") || Word("Infinity"))) {
        out->kind = Json::Kind::kFraction;
        out->text = "-Infinity";
        return true;
      }
    }
    const size_t whole_begin = position_;
    const size_t whole = digits();
    if (whole == 0) return false;
    if (whole > 1 && text_[whole_begin] == '0' && !options_.leading_zeros) return false;
    out->kind = Json::Kind::kInteger;
    if (position_ < text_.size() && text_[position_] == '.') {
      ++position_;
      if (digits() == 0) return false;
      out->kind = Json::Kind::kFraction;
    }
    if (position_ < text_.size() && (text_[position_] == 'e' || text_[position_] == 'E')) {
      ++position_;
      if (position_ < text_.size() && (text_[position_] == '+' || text_[position_] == '-')) ++position_;
      if (digits() == 0) return false;
      out->kind = Json::Kind::kFraction;
    }
    if (position_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[position_])) != 0)) return false;
    std::string_view number = text_.substr(begin, position_ - begin);
    out->text = number.starts_with('-') ? "-" : "";
    if (!out->text.empty()) number.remove_prefix(1);
    while (number.size() > 1 && number[0] == '0' && number[1] >= '0' && number[1] <= '9') number.remove_prefix(1);
    out->text += number;
    return true;
  }

  bool Hex4(char32_t* out) {
    if (position_ + 4 > text_.size()) return false;
    char32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = text_[position_++];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      value = value * 16 + static_cast<char32_t>(digit);
    }
    *out = value;
    return true;
  }

  bool String(std::string* out) {
    const char quote = text_[position_++];
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == quote) {
        ++position_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20 && !options_.control_characters) return false;
      if (c != '\\') {
        size_t end = position_ + 1;
        while (end < text_.size() && static_cast<unsigned char>(text_[end]) >= 0x20 && text_[end] != quote &&
               text_[end] != '\\')
          ++end;
        out->append(text_.data() + position_, end - position_);
        position_ = end;
        continue;
      }
      if (++position_ >= text_.size()) return false;
      const char escaped = text_[position_++];
      switch (escaped) {
        case 'b':
          *out += '\b';
          break;
        case 'f':
          *out += '\f';
          break;
        case 'n':
          *out += '\n';
          break;
        case 'r':
          *out += '\r';
          break;
        case 't':
          *out += '\t';
          break;
        case '"':
        case '\\':
        case '/':
          *out += escaped;
          break;
        case 'u': {
          char32_t code = 0;
          if (!Hex4(&code)) return false;
          if (code >= 0xD800 && code < 0xDC00 && text_.substr(position_, 2) == "\\u") {
            position_ += 2;
            char32_t low = 0;
            if (!Hex4(&low)) return false;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
          }
          AppendCodePoint(code, out);
          break;
        }
        default:
          if (!options_.backslash_any && !(escaped == '\'' && options_.single_quotes)) return false;
          *out += escaped;
          break;
      }
    }
    return false;
  }

  bool Name(std::string* out) {
    const char c = text_[position_];
    if (c == '"' || (c == '\'' && options_.single_quotes)) return String(out);
    if (!options_.unquoted_names) return false;
    while (position_ < text_.size()) {
      const auto byte = static_cast<unsigned char>(text_[position_]);
      if (std::isalnum(byte) == 0 && byte != '_' && byte != '$' && byte < 0x80) break;
      *out += text_[position_++];
    }
    return !out->empty();
  }

  bool Object(Json* out, int depth, const JsonSelection* selection) {
    if (selection != nullptr) out->kind = Json::Kind::kObject;
    ++position_;
    Blanks();
    if (position_ < text_.size() && text_[position_] == '}') {
      ++position_;
      return true;
    }
    for (;;) {
      Blanks();
      if (position_ >= text_.size()) return false;
      name_.clear();
      if (!Name(&name_)) return false;
      const JsonSelection* field = selection != nullptr ? selection->Field(name_) : nullptr;
      Json* value = nullptr;
      if (field != nullptr) value = &out->members.emplace_back(name_, Json()).second;
      Blanks();
      if (position_ >= text_.size() || text_[position_++] != ':') return false;
      if (!Value(value, depth + 1, field)) return false;
      Blanks();
      if (position_ >= text_.size()) return false;
      const char c = text_[position_++];
      if (c == '}') return true;
      if (c != ',') return false;
    }
  }

  bool Array(Json* out, int depth, const JsonSelection* selection) {
    if (selection != nullptr) out->kind = Json::Kind::kArray;
    ++position_;
    Blanks();
    if (position_ < text_.size() && text_[position_] == ']') {
      ++position_;
      return true;
    }
    const JsonSelection* item = selection != nullptr ? selection->Item() : nullptr;
    for (;;) {
      Json* value = selection != nullptr ? &out->items.emplace_back() : nullptr;
      if (!Value(value, depth + 1, item)) return false;
      Blanks();
      if (position_ >= text_.size()) return false;
      const char c = text_[position_++];
      if (c == ']') return true;
      if (c != ',') return false;
    }
  }

  std::string_view text_;
  const JsonOptions& options_;
  size_t position_ = 0;
  std::string name_;  // The member that is being read, where the text is copied from.
  Json left_out_;
};

}  // namespace

const JsonSelection* JsonSelection::Field(std::string_view name) const {
  if (all) return this;
  for (const auto& [field, selection] : fields) {
    if (field == name) return &selection;
  }
  return nullptr;
}

std::optional<Json> ReadJson(std::string_view text, const JsonOptions& options, bool whole,
                             const JsonSelection& selection) {
  Reader reader(text, options);
  Json result;
  if (!reader.Value(&result, 0, &selection)) return std::nullopt;
  if (whole && !reader.AtEnd()) return std::nullopt;
  return result;
}

const Json* Json::Find(std::string_view name) const {
  for (const auto& [member, value] : members) {
    if (member == name) return &value;
  }
  return nullptr;
}

void AppendJsonText(std::string_view text, std::string* out) {
  *out += '"';
  for (char c : text) {
    switch (c) {
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
        if (static_cast<unsigned char>(c) < 0x20) {
          char buffer[8];
          std::snprintf(buffer, sizeof(buffer), "\\u%04X", static_cast<unsigned>(static_cast<unsigned char>(c)));
          *out += buffer;
        } else {
          *out += c;
        }
    }
  }
  *out += '"';
}

void Json::Write(std::string* out) const {
  switch (kind) {
    case Kind::kNull:
      *out += "null";
      break;
    case Kind::kBoolean:
      *out += boolean ? "true" : "false";
      break;
    case Kind::kInteger:
      *out += text;
      break;
    case Kind::kFraction:
      if (std::isdigit(static_cast<unsigned char>(text.back())) != 0) {
        *out += text;
      } else {
        *out += "\"" + text + "\"";
      }
      break;
    case Kind::kString:
      AppendJsonText(text, out);
      break;
    case Kind::kArray:
      *out += '[';
      for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) *out += ',';
        items[i].Write(out);
      }
      *out += ']';
      break;
    case Kind::kObject:
      *out += '{';
      for (size_t i = 0; i < members.size(); ++i) {
        if (i > 0) *out += ',';
        AppendJsonText(members[i].first, out);
        *out += ':';
        members[i].second.Write(out);
      }
      *out += '}';
      break;
  }
}

std::string Json::ToText() const {
  std::string out;
  Write(&out);
  return out;
}

}  // namespace frazil::engine
