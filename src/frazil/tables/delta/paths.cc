#include "frazil/tables/delta/paths.h"

#include "frazil/base/byte_text.h"
#include "frazil/storage/object_store.h"

namespace frazil::tables::delta {

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
  return (storage::SchemeOf(file_path).empty() ? "file:" : "") + UriPathEncode(file_path);
}

std::string LogPathOf(const std::string& table, std::string_view file_path) {
  std::string prefix = table + "/";
  if (file_path.starts_with(prefix)) file_path.remove_prefix(prefix.size());
  return UriPathEncode(file_path);
}

}  // namespace frazil::tables::delta
