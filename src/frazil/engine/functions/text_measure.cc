// Measures and checks of text: edit distance, Soundex, Luhn, UTF-8; character sets and base 64.

#include <algorithm>
#include <cstdlib>
#include <string>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/utf8.h"

namespace frazil::engine {

std::string MakeValidUtf8(std::string_view bytes) {
  if (IsValidUtf8(bytes)) return std::string(bytes);
  std::string result;
  for (size_t i = 0; i < bytes.size();) {
    const auto byte = [&](size_t at) { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0u; };
    const unsigned first = byte(i);
    size_t size = 0;
    unsigned low = 0x80, high = 0xBF;
    if (first < 0x80) {
      size = 1;
    } else if (first >= 0xC2 && first <= 0xDF) {
      size = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
      size = 3;
      if (first == 0xE0) low = 0xA0;
      if (first == 0xED) high = 0x9F;
    } else if (first >= 0xF0 && first <= 0xF4) {
      size = 4;
      if (first == 0xF0) low = 0x90;
      if (first == 0xF4) high = 0x8F;
    }
    size_t good = size == 0 ? 0 : 1;
    while (good > 0 && good < size) {
      const unsigned next = byte(i + good);
      const bool fits = good == 1 ? next >= low && next <= high : next >= 0x80 && next <= 0xBF;
      if (!fits) break;
      ++good;
    }
    if (size != 0 && good == size) {
      result += bytes.substr(i, size);
      i += size;
    } else {
      result += "\xEF\xBF\xBD";
      i += good == 0 ? 1 : good;
    }
  }
  return result;
}

namespace {

using duckdb::LogicalType;

int32_t Levenshtein(std::string_view left, std::string_view right) {
  const auto a = SplitCharacters(left), b = SplitCharacters(right);
  std::vector<int32_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int32_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int32_t diagonal = row[0];
    row[0] = static_cast<int32_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int32_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Only the cells beside the diagonal count: what lies further off than the threshold is beyond it.
int32_t LevenshteinWithin(std::string_view left, std::string_view right, int32_t threshold) {
  if (threshold < 0) return -1;
  const auto a = SplitCharacters(left), b = SplitCharacters(right);
  const auto rows = static_cast<int64_t>(a.size()), columns = static_cast<int64_t>(b.size());
  if (std::abs(rows - columns) > threshold) return -1;
  const int64_t width = std::min<int64_t>(threshold, std::max(rows, columns));
  const auto beyond = static_cast<int32_t>(width + 1);
  std::vector<int32_t> row(b.size() + 1, beyond);
  for (int64_t j = 0; j <= std::min(width, columns); ++j) row[static_cast<size_t>(j)] = static_cast<int32_t>(j);
  for (int64_t i = 1; i <= rows; ++i) {
    const int64_t from = std::max<int64_t>(1, i - width), to = std::min(columns, i + width);
    int32_t diagonal = row[static_cast<size_t>(from - 1)];
    row[static_cast<size_t>(from - 1)] = from == 1 && i <= width ? static_cast<int32_t>(i) : beyond;
    int32_t least = row[static_cast<size_t>(from - 1)];
    for (int64_t column = from; column <= to; ++column) {
      const auto j = static_cast<size_t>(column);
      const int32_t above = row[j];
      const bool is_same = a[static_cast<size_t>(i - 1)] == b[j - 1];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (is_same ? 0 : 1), beyond});
      diagonal = above;
      least = std::min(least, row[j]);
    }
    if (least > width) return -1;
  }
  const int32_t distance = row[b.size()];
  return distance > threshold ? -1 : distance;
}

std::string Soundex(std::string_view text) {
  // Codes of A to Z; '7' for vowels, which part equal codes, '8' for H and W, which do not.
  static constexpr char kCodes[] = "71237128722455712623718272";
  if (text.empty()) return {};
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
  const char first = upper(text[0]);
  if (first < 'A' || first > 'Z') return std::string(text);
  std::string result(1, first);
  char last = kCodes[first - 'A'];
  for (size_t i = 1; i < text.size() && result.size() < 4; ++i) {
    const char c = upper(text[i]);
    if (c < 'A' || c > 'Z') {
      last = '0';
      continue;
    }
    const char code = kCodes[c - 'A'];
    if (code == '7') {
      last = '7';
    } else if (code == '8') {
      // H and W.
    } else if (code != last) {
      result += code;
      last = code;
    }
  }
  result.resize(4, '0');
  return result;
}

bool PassesLuhn(std::string_view digits) {
  if (digits.empty()) return false;
  int sum = 0;
  bool is_second = false;
  for (size_t i = digits.size(); i-- > 0;) {
    const char c = digits[i];
    if (c < '0' || c > '9') return false;
    int digit = c - '0';
    if (is_second) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
    is_second = !is_second;
  }
  return sum % 10 == 0;
}

int Base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

// MIME: other characters are passed over.
std::string DecodeBase64(std::string_view text) {
  std::string result;
  unsigned group = 0;
  int digits = 0;
  for (char c : text) {
    if (c == '=') break;
    const int digit = Base64Digit(c);
    if (digit < 0) continue;
    group = group << 6 | static_cast<unsigned>(digit);
    if (++digits == 4) {
      result += static_cast<char>(group >> 16);
      result += static_cast<char>(group >> 8);
      result += static_cast<char>(group);
      group = 0;
      digits = 0;
    }
  }
  if (digits == 2) result += static_cast<char>(group >> 4);
  if (digits == 3) {
    result += static_cast<char>(group >> 10);
    result += static_cast<char>(group >> 2);
  }
  return result;
}

// Whether the text is base 64 with its padding, blanks aside.
bool IsStrictBase64(std::string_view text) {
  int digits = 0, padding = 0;
  for (char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c == '=') {
      ++padding;
    } else if (Base64Digit(c) < 0 || padding > 0) {
      return false;
    } else {
      ++digits;
    }
  }
  if (padding > 2) return false;
  return padding > 0 ? (digits + padding) % 4 == 0 : digits % 4 != 1;
}

// The character sets that Spark allows, as ICU names them.
const char* ConverterName(std::string_view charset) {
  const std::string upper = AsciiUpper(charset);
  if (upper == "US-ASCII") return "US-ASCII";
  if (upper == "ISO-8859-1") return "ISO-8859-1";
  if (upper == "UTF-8") return "UTF-8";
  if (upper == "UTF-16BE") return "UTF-16BE";
  if (upper == "UTF-16LE") return "UTF-16LE";
  if (upper == "UTF-16") return "UTF-16";
  if (upper == "UTF-32") return "UTF-32";
  return nullptr;
}

[[noreturn]] void ThrowUnknownCharset(const char* function, std::string_view charset) {
  ThrowSparkError("INVALID_PARAMETER_VALUE.CHARSET",
                  {{"functionName", std::string("`") + function + "`"},
                   {"parameter", "`charset`"},
                   {"charset", std::string(charset)},
                   {"charsets", "ISO-8859-1, US-ASCII, UTF-16, UTF-16BE, UTF-16LE, UTF-32, UTF-8"}});
}

[[noreturn]] void ThrowMalformed(const char* function, std::string_view charset) {
  ThrowSparkError("MALFORMED_CHARACTER_CODING",
                  {{"function", std::string("`") + function + "`"}, {"charset", std::string(charset)}});
}

std::string EncodeText(std::string_view text, std::string_view charset) {
  const char* name = ConverterName(charset);
  if (name == nullptr) ThrowUnknownCharset("encode", charset);
  if (std::string_view(name) == "UTF-8") return std::string(text);
  std::string result;
  const std::string_view form = name;
  const auto unit16 = [&](unsigned unit, bool little) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit);
    result += little ? low : high;
    result += little ? high : low;
  };
  if (form == "UTF-16" && !text.empty()) result += "\xFE\xFF";
  for (size_t i = 0; i < text.size(); i = NextCharacter(text, i)) {
    const char32_t code = CodePoint(text.substr(i));
    if (form == "US-ASCII" || form == "ISO-8859-1") {
      if (code > (form == "US-ASCII" ? 0x7Fu : 0xFFu)) ThrowMalformed("encode", charset);
      result += static_cast<char>(code);
    } else if (form == "UTF-32") {
      for (int shift = 24; shift >= 0; shift -= 8) result += static_cast<char>(code >> shift);
    } else {
      const bool little = form == "UTF-16LE";
      if (code >= 0x10000) {
        unit16(0xD800 + ((code - 0x10000) >> 10), little);
        unit16(0xDC00 + ((code - 0x10000) & 0x3FF), little);
      } else {
        unit16(code, little);
      }
    }
  }
  return result;
}

std::string DecodeBytes(std::string_view bytes, std::string_view charset) {
  const char* name = ConverterName(charset);
  if (name == nullptr) ThrowUnknownCharset("decode", charset);
  const std::string_view form = name;
  if (form == "UTF-8") {
    if (!IsValidUtf8(bytes)) ThrowMalformed("decode", charset);
    return std::string(bytes);
  }
  std::string result;
  const auto byte = [&](size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[at])); };
  if (form == "US-ASCII" || form == "ISO-8859-1") {
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (form == "US-ASCII" && byte(i) > 0x7F) ThrowMalformed("decode", charset);
      AppendCodePoint(byte(i), &result);
    }
    return result;
  }
  size_t i = 0;
  if (form == "UTF-32") {
    if (bytes.size() % 4 != 0) ThrowMalformed("decode", charset);
    bool little = false;
    if (bytes.size() >= 4 && byte(0) == 0xFF && byte(1) == 0xFE && byte(2) == 0 && byte(3) == 0) little = true, i = 4;
    if (bytes.size() >= 4 && byte(0) == 0 && byte(1) == 0 && byte(2) == 0xFE && byte(3) == 0xFF) i = 4;
    for (; i < bytes.size(); i += 4) {
      const char32_t code = little ? byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24
                                   : byte(i) << 24 | byte(i + 1) << 16 | byte(i + 2) << 8 | byte(i + 3);
      if (code > 0x10FFFF) ThrowMalformed("decode", charset);
      AppendCodePoint(code, &result);
    }
    return result;
  }
  if (bytes.size() % 2 != 0) ThrowMalformed("decode", charset);
  bool little = form == "UTF-16LE";
  if (form == "UTF-16" && bytes.size() >= 2) {
    if (byte(0) == 0xFE && byte(1) == 0xFF) i = 2;
    if (byte(0) == 0xFF && byte(1) == 0xFE) little = true, i = 2;
  }
  const auto unit = [&](size_t at) { return little ? byte(at) | byte(at + 1) << 8 : byte(at) << 8 | byte(at + 1); };
  for (; i < bytes.size(); i += 2) {
    char32_t code = unit(i);
    if (code >= 0xD800 && code < 0xDC00) {
      if (i + 3 >= bytes.size() || unit(i + 2) < 0xDC00 || unit(i + 2) > 0xDFFF) ThrowMalformed("decode", charset);
      code = 0x10000 + ((code - 0xD800) << 10) + (unit(i + 2) - 0xDC00);
      i += 2;
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      ThrowMalformed("decode", charset);
    }
    AppendCodePoint(code, &result);
  }
  return result;
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, B = LogicalType::BLOB, I = LogicalType::INTEGER, Boolean = LogicalType::BOOLEAN;
  AddRowKernel(loader, "spark_levenshtein", {V, V}, I, &Levenshtein);
  AddRowKernel(loader, "spark_levenshtein", {V, V, I}, I, &LevenshteinWithin);
  AddRowKernel(loader, "spark_soundex", {V}, V, &Soundex);
  AddRowKernel(loader, "spark_luhn_check", {V}, Boolean, &PassesLuhn);
  for (const auto& type : {V, B}) {
    AddRowKernel(loader, "spark_is_valid_utf8", {type}, Boolean,
                 [](std::string_view bytes) -> bool { return IsValidUtf8(bytes); });
    AddRowKernel(loader, "spark_make_valid_utf8", {type}, V, &MakeValidUtf8);
    AddRowKernel(
        loader, "spark_validate_utf8", {type}, V,
        [](std::string_view bytes) -> std::string_view {
          if (!IsValidUtf8(bytes)) {
            std::string shown;
            for (const char c : bytes) {
              shown += "\\x" + HexUpper({&c, 1});
            }
            ThrowSparkError("INVALID_UTF8_STRING", {{"str", shown}});
          }
          return bytes;
        },
        kFallible);
    AddRowKernel(loader, "spark_try_validate_utf8", {type}, V,
                 [](std::string_view bytes) -> std::optional<std::string_view> {
                   return IsValidUtf8(bytes) ? std::optional(bytes) : std::nullopt;
                 });
  }
  AddRowKernel(loader, "spark_base64", {B}, V, &Base64Encode);
  AddRowKernel(loader, "spark_unbase64", {V}, B, &DecodeBase64);
  AddRowKernel(
      loader, "spark_to_binary_base64", {V, Boolean}, B,
      [](std::string_view text, bool strict) -> std::optional<std::string> {
        if (!IsStrictBase64(text)) {
          if (strict) {
            ThrowSparkError("CONVERSION_INVALID_INPUT", {{"str", "'" + std::string(text) + "'"},
                                                         {"fmt", "'BASE64'"},
                                                         {"targetType", "\"BINARY\""},
                                                         {"suggestion", "`try_to_binary`"}});
          }
          return std::nullopt;
        }
        return DecodeBase64(text);
      },
      kFallible);
  AddRowKernel(loader, "spark_encode", {V, V}, B, &EncodeText, kFallible);
  AddRowKernel(loader, "spark_decode", {B, V}, V, &DecodeBytes, kFallible);
}

}  // namespace

void RegisterTextMeasureFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  for (const char* name : {"levenshtein", "soundex", "luhn_check", "is_valid_utf8", "make_valid_utf8", "validate_utf8",
                           "try_validate_utf8", "base64", "unbase64", "encode", "decode"}) {
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  }
  registry.AddScalar("to_binary_base64", Strictness("spark_to_binary_base64"));
}

}  // namespace frazil::engine
