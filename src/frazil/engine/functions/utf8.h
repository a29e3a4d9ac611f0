#pragma once

// Walking over UTF-8 text by characters. Internal to engine/.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace frazil::engine {

/// Bytes of the character that begins with this byte; malformed bytes count one.
inline size_t CharacterSize(unsigned char first) {
  return first < 0x80 ? 1 : first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 1;
}

/// The bytes as text, with one U+FFFD for each malformed run, as Java's decoder does.
std::string MakeValidUtf8(std::string_view bytes);

inline size_t NextCharacter(std::string_view text, size_t position) {
  const size_t next = position + CharacterSize(static_cast<unsigned char>(text[position]));
  return next < text.size() ? next : text.size();
}

/// Eight bytes at a time: most texts are, and nearly every function asks.
inline bool IsAscii(std::string_view text) {
  const char* at = text.data();
  size_t left = text.size();
  uint64_t high = 0;
  for (; left >= sizeof(high); at += sizeof(high), left -= sizeof(high)) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    high |= word;
  }
  for (; left > 0; ++at, --left) high |= static_cast<unsigned char>(*at);
  return (high & 0x8080808080808080U) == 0;
}

inline int64_t CharacterCount(std::string_view text) {
  if (IsAscii(text)) return static_cast<int64_t>(text.size());
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); i = NextCharacter(text, i)) ++count;
  return count;
}

/// Byte position of the n-th character (from 0), or the end.
inline size_t CharacterOffset(std::string_view text, int64_t n) {
  size_t position = 0;
  while (n > 0 && position < text.size()) {
    position = NextCharacter(text, position);
    --n;
  }
  return position;
}

/// The characters [begin, end) by number, cut to the text.
inline std::string_view Characters(std::string_view text, int64_t begin, int64_t end) {
  if (begin < 0) begin = 0;
  if (end <= begin) return {};
  if (IsAscii(text)) {
    const auto size = static_cast<int64_t>(text.size());
    if (begin >= size) return {};
    return text.substr(static_cast<size_t>(begin), static_cast<size_t>((end < size ? end : size) - begin));
  }
  const size_t from = CharacterOffset(text, begin);
  const std::string_view rest = text.substr(from);
  return rest.substr(0, CharacterOffset(rest, end - begin));
}

inline std::vector<std::string_view> SplitCharacters(std::string_view text) {
  std::vector<std::string_view> characters;
  for (size_t i = 0; i < text.size();) {
    const size_t next = NextCharacter(text, i);
    characters.push_back(text.substr(i, next - i));
    i = next;
  }
  return characters;
}

/// The code point of the character at the beginning; U+FFFD for malformed bytes.
inline char32_t CodePoint(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t size = CharacterSize(byte(0));
  if (size > text.size()) return 0xFFFD;
  switch (size) {
    case 2:
      return static_cast<char32_t>((byte(0) & 0x1F) << 6 | (byte(1) & 0x3F));
    case 3:
      return static_cast<char32_t>((byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F));
    case 4:
      return static_cast<char32_t>((byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
                                   (byte(3) & 0x3F));
    default:
      return byte(0) < 0x80 ? byte(0) : 0xFFFD;
  }
}

inline void AppendCodePoint(char32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xC0 | code >> 6);
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out += static_cast<char>(0xE0 | code >> 12);
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    *out += static_cast<char>(0xF0 | code >> 18);
    *out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    *out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace frazil::engine
