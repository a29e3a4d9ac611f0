#include "frazil/net/xml.h"

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::net {
namespace {

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xC0 | (code >> 6));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out += static_cast<char>(0xE0 | (code >> 12));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    *out += static_cast<char>(0xF0 | (code >> 18));
    *out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

std::string Unescape(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t end = text[i] == '&' ? text.find(';', i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      result += text[i];
      continue;
    }
    std::string_view entity = text.substr(i + 1, end - i - 1);
    if (entity == "amp") {
      result += '&';
    } else if (entity == "lt") {
      result += '<';
    } else if (entity == "gt") {
      result += '>';
    } else if (entity == "quot") {
      result += '"';
    } else if (entity == "apos") {
      result += '\'';
    } else {
      const bool hexadecimal = entity.starts_with("#x") || entity.starts_with("#X");
      const bool number = entity.starts_with("#");
      auto code = number ? ParseInteger<uint32_t>(entity.substr(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10)
                         : std::optional<uint32_t>();
      if (!code || *code > 0x10FFFF) {
        result += text.substr(i, end - i + 1);
      } else {
        AppendUtf8(*code, &result);
      }
    }
    i = end;
  }
  return result;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<XmlElement> Document() {
    FRAZIL_RETURN_IF_ERROR(SkipToElement());
    XmlElement root;
    FRAZIL_RETURN_IF_ERROR(Element(&root, 0));
    return root;
  }

 private:
  static Error Malformed(const char* why) { return Error::Storage(std::string("Malformed XML in an answer: ") + why); }

  bool At(std::string_view what) const { return text_.substr(position_).starts_with(what); }

  bool SkipPast(std::string_view what) {
    size_t found = text_.find(what, position_);
    if (found == std::string_view::npos) return false;
    position_ = found + what.size();
    return true;
  }

  /// Past declarations and comments, to the '<' of an element.
  Status SkipToElement() {
    while (true) {
      position_ = text_.find('<', position_);
      if (position_ == std::string_view::npos) return Malformed("no element");
      if (At("<?")) {
        if (!SkipPast("?>")) return Malformed("a declaration without end");
      } else if (At("<!--")) {
        if (!SkipPast("-->")) return Malformed("a comment without end");
      } else if (At("<!")) {
        return Malformed("a document type");
      } else {
        return {};
      }
    }
  }

  Status Element(XmlElement* element, int depth) {
    if (depth > 64) return Malformed("too deep");
    size_t end = text_.find('>', position_);
    if (end == std::string_view::npos) return Malformed("an element without end");
    std::string_view tag = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    const std::string_view full_name = tag.substr(0, tag.find_first_of(" \t\r\n"));
    element->name = full_name.substr(full_name.rfind(':') + 1);
    if (empty) return {};
    while (true) {
      size_t next = text_.find('<', position_);
      if (next == std::string_view::npos) return Malformed("an element that is not closed");
      element->text += Unescape(text_.substr(position_, next - position_));
      position_ = next;
      if (At("</")) {
        size_t close = text_.find('>', position_);
        if (close == std::string_view::npos ||
            TrimBlanks(text_.substr(position_ + 2, close - position_ - 2)) != full_name)
          return Malformed("an element that is closed by another name");
        position_ = close + 1;
        return {};
      }
      if (At("<![CDATA[")) {
        size_t close = text_.find("]]>", position_);
        if (close == std::string_view::npos) return Malformed("character data without end");
        element->text += text_.substr(position_ + 9, close - position_ - 9);
        position_ = close + 3;
      } else if (At("<!--")) {
        if (!SkipPast("-->")) return Malformed("a comment without end");
      } else {
        element->children.emplace_back();
        FRAZIL_RETURN_IF_ERROR(Element(&element->children.back(), depth + 1));
      }
    }
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  for (const auto& element : children) {
    if (element.name == child) return &element;
  }
  return nullptr;
}

std::string XmlElement::TextOf(std::string_view child) const {
  const auto* found = Find(child);
  return found == nullptr ? std::string() : found->text;
}

Result<XmlElement> ParseXml(std::string_view text) { return Parser(text).Document(); }

std::string EscapeXml(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&apos;";
        break;
      default:
        // Control characters are not allowed in XML 1.0 but as references, which services accept.
        if (static_cast<unsigned char>(c) < 0x20) {
          result += "&#" + std::to_string(static_cast<int>(c)) + ";";
        } else {
          result += c;
        }
    }
  }
  return result;
}

}  // namespace frazil::net
