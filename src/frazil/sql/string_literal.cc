#include <cstdint>

#include "frazil/base/byte_text.h"
#include "frazil/sql/lexer.h"

namespace frazil::sql {
namespace {

void AppendUtf8(uint32_t point, std::string* out) {
  if (point < 0x80) {
    out->push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out->push_back(static_cast<char>(0xC0 | (point >> 6)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else if (point < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | (point >> 12)));
    out->push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | (point >> 18)));
    out->push_back(static_cast<char>(0x80 | ((point >> 12) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (point & 0x3F)));
  }
}

/// Reads exactly `count` hexadecimal digits at `from`; false if there are fewer.
bool ReadHex(std::string_view text, size_t from, size_t count, uint32_t* value) {
  if (from + count > text.size()) return false;
  *value = 0;
  for (size_t i = 0; i < count; ++i) {
    const int digit = HexDigitValue(text[from + i]);
    if (digit < 0) return false;
    *value = *value * 16 + static_cast<uint32_t>(digit);
  }
  return true;
}

bool IsOctal(std::string_view text, size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '7'; }

/// Resolves the escape whose backslash stands at `i`; returns the index behind it.
size_t AppendEscape(std::string_view text, size_t i, std::string* out) {
  uint32_t point = 0;
  const char next = text[i + 1];
  if (next == 'u' && ReadHex(text, i + 2, 4, &point)) {
    uint32_t low = 0;
    const bool is_high = point >= 0xD800 && point < 0xDC00;
    if (is_high && text.substr(i + 6, 2) == "\\u" && ReadHex(text, i + 8, 4, &low) && low >= 0xDC00 && low < 0xE000) {
      AppendUtf8(0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00), out);
      return i + 12;
    }
    AppendUtf8(point >= 0xD800 && point < 0xE000 ? '?' : point, out);
    return i + 6;
  }
  if (next == 'U' && ReadHex(text, i + 2, 8, &point)) {
    AppendUtf8(point > 0x10FFFF ? '?' : point, out);
    return i + 10;
  }
  if ((next == '0' || next == '1') && IsOctal(text, i + 2) && IsOctal(text, i + 3)) {
    AppendUtf8(static_cast<uint32_t>((next - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')), out);
    return i + 4;
  }
  switch (next) {
    case '0':
      out->push_back('\0');
      break;
    case 'b':
      out->push_back('\b');
      break;
    case 'n':
      out->push_back('\n');
      break;
    case 'r':
      out->push_back('\r');
      break;
    case 't':
      out->push_back('\t');
      break;
    case 'Z':
      out->push_back('\x1A');
      break;
    case '%':
    case '_':
      out->push_back('\\');
      out->push_back(next);
      break;
    default:
      out->push_back(next);
  }
  return i + 2;
}

}  // namespace

std::string UnquoteString(std::string_view token_text, bool keep_escapes) {
  if (token_text.front() == 'r' || token_text.front() == 'R')
    return std::string(token_text.substr(2, token_text.size() - 3));
  const char quote = token_text.front();
  const std::string_view text = token_text.substr(1, token_text.size() - 2);
  if (keep_escapes) return std::string(text);
  std::string out;
  out.reserve(text.size());
  size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      i = AppendEscape(text, i, &out);
    } else if (text[i] == quote) {
      // Only doubled quotes stand inside: the lexer ends the token at a single one.
      out.push_back(quote);
      i += 2;
    } else {
      out.push_back(text[i]);
      ++i;
    }
  }
  return out;
}

std::string UnquoteIdentifier(std::string_view token_text) {
  const char quote = token_text.front();
  std::string out;
  for (size_t i = 1; i + 1 < token_text.size(); ++i) {
    out.push_back(token_text[i]);
    if (token_text[i] == quote) ++i;
  }
  return out;
}

}  // namespace frazil::sql
