#include "frazil/tables/delta/paths.h"

#include <cstdio>

#include "frazil/storage/object_store.h"

namespace frazil::tables::delta {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string Decode(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0) {
      decoded += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

/// As Java's URI of a path: what may not stand in a path is escaped.
std::string Encode(std::string_view text) {
  std::string encoded;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("-_.!~*'()/:@&=+$,;").find(c) != std::string_view::npos;
    if (plain) {
      encoded += c;
    } else {
      char buffer[4];
      std::snprintf(buffer, sizeof(buffer), "%%%02X", byte);
      encoded += buffer;
    }
  }
  return encoded;
}

}  // namespace

std::string FilePathOf(const std::string& table, std::string_view log_path) {
  std::string decoded = Decode(log_path);
  if (!storage::SchemeOf(log_path).empty()) return storage::LocalPath(decoded);
  if (decoded.starts_with('/')) return decoded;
  return storage::JoinPath(table, decoded);
}

std::string LogPathOf(const std::string& table, std::string_view file_path) {
  std::string prefix = table + "/";
  if (file_path.starts_with(prefix)) file_path.remove_prefix(prefix.size());
  return Encode(file_path);
}

}  // namespace frazil::tables::delta
