#include "frazil/tables/delta/paths.h"

#include "frazil/base/byte_text.h"
#include "frazil/storage/object_store.h"

namespace frazil::tables::delta {
namespace {

/// As Java's URI of a path: what may not stand in a path is escaped.
std::string Encode(std::string_view text) {
  std::string encoded;
  for (char c : text) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("-_.!~*'()/:@&=+$,;").find(c) != std::string_view::npos;
    if (plain) {
      encoded += c;
    } else {
      AppendPercentEncoded(c, &encoded);
    }
  }
  return encoded;
}

}  // namespace

std::string FilePathOf(const std::string& table, std::string_view log_path) {
  std::string decoded = PercentDecode(log_path);
  if (!storage::SchemeOf(log_path).empty()) return storage::LocalPath(decoded);
  if (decoded.starts_with('/')) return decoded;
  return storage::JoinPath(table, decoded);
}

std::string AbsoluteLogPathOf(const std::string& table, std::string_view log_path) {
  if (!storage::SchemeOf(log_path).empty()) return std::string(log_path);
  return UriOf(FilePathOf(table, log_path));
}

std::string UriOf(const std::string& file_path) {
  return (storage::SchemeOf(file_path).empty() ? "file:" : "") + Encode(file_path);
}

std::string LogPathOf(const std::string& table, std::string_view file_path) {
  std::string prefix = table + "/";
  if (file_path.starts_with(prefix)) file_path.remove_prefix(prefix.size());
  return Encode(file_path);
}

}  // namespace frazil::tables::delta
