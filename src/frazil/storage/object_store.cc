#include "frazil/storage/object_store.h"

#include <algorithm>

namespace frazil::storage {

Error NotFound(const std::string& path) {
  Error error = Error::Of("PATH_NOT_FOUND", {{"path", path}});
  error.kind = ErrorKind::kStorage;
  return error;
}

bool IsNotFound(const Error& error) { return error.condition == "PATH_NOT_FOUND"; }

std::string SchemeOf(std::string_view path) {
  // RFC 3986: a letter, then letters, digits, '+', '-' and '.', ended by a colon in front of any slash.
  size_t colon = path.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  std::string scheme(path.substr(0, colon));
  for (size_t i = 0; i < scheme.size(); ++i) {
    char& c = scheme[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    bool letter = c >= 'a' && c <= 'z';
    bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!letter && (i == 0 || !other)) return {};
  }
  return scheme;
}

std::string LocalPath(std::string_view path) {
  if (SchemeOf(path) != "file") return std::string(path);
  std::string_view rest = path.substr(5);
  // "file:///a" and "file://host/a" (the host is this machine) have an authority; "file:/a" has none.
  if (rest.substr(0, 2) == "//") {
    rest.remove_prefix(2);
    size_t slash = rest.find('/');
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  }
  return std::string(rest);
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
  while (!name.empty() && name.front() == '/') name.remove_prefix(1);
  std::string result(folder);
  if (result.empty() || result.back() != '/') result += '/';
  result += name;
  return result;
}

void StoreRegistry::Register(std::string scheme, Factory factory) {
  auto existing = std::find_if(factories_.begin(), factories_.end(), [&](const auto& f) { return f.first == scheme; });
  if (existing != factories_.end()) {
    existing->second = std::move(factory);
  } else {
    factories_.emplace_back(std::move(scheme), std::move(factory));
  }
}

Result<ObjectStorePtr> StoreRegistry::StoreFor(const std::string& path, const SettingLookup& settings) const {
  std::string scheme = SchemeOf(path);
  for (const auto& [known, factory] : factories_) {
    if (known == scheme || (scheme.empty() && known == "file")) return factory(path, settings);
  }
  Error error = Error::Plain(ExceptionClass::kUnsupportedOperation, "No FileSystem for scheme \"" + scheme + "\"");
  error.kind = ErrorKind::kUnsupported;
  return error;
}

}  // namespace frazil::storage
