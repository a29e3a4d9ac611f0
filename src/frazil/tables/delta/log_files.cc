#include "frazil/tables/delta/log_files.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "frazil/base/text.h"

namespace frazil::tables::delta {
namespace {

constexpr size_t kVersionDigits = 20;

std::string_view NameOf(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::optional<int64_t> Digits(std::string_view text) {
  if (text.empty() || text.size() > kVersionDigits) return std::nullopt;
  int64_t number = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

std::string LogFolder(const std::string& table) { return storage::JoinPath(table, "_delta_log"); }

std::string CommitPath(const std::string& log, int64_t version) {
  char name[32];
  std::snprintf(name, sizeof(name), "%020lld.json", static_cast<long long>(version));
  return storage::JoinPath(log, name);
}

std::optional<int64_t> CommitVersion(std::string_view path) {
  std::string_view name = NameOf(path);
  if (name.size() != kVersionDigits + 5 || !name.ends_with(".json")) return std::nullopt;
  return Digits(name.substr(0, kVersionDigits));
}

std::optional<int64_t> LogListing::latest_version() const {
  std::optional<int64_t> latest;
  if (!commits.empty()) latest = commits.back().version;
  if (!checkpoints.empty() && (!latest || checkpoints.back().version > *latest)) latest = checkpoints.back().version;
  return latest;
}

std::optional<int64_t> LogListing::EarliestVersion() const {
  if (!commits.empty() && commits.front().version == 0) return 0;
  if (!checkpoints.empty()) return checkpoints.front().version;
  return std::nullopt;
}

Result<LogListing> ListLog(storage::ObjectStore& store, const std::string& log) {
  FRAZIL_ASSIGN_OR_RETURN(auto objects, store.List(log, false));
  LogListing listing;
  struct Parts {
    int64_t total = 0;
    std::map<int64_t, std::string> paths;
  };
  std::map<std::pair<int64_t, int64_t>, Parts> multi_part;  // By version and number of parts.
  for (const auto& object : objects) {
    if (object.is_directory) continue;
    std::string_view name = NameOf(object.path);
    if (auto version = CommitVersion(name)) {
      listing.commits.push_back({*version, object.path, object.size, object.modified_micros});
      continue;
    }
    auto pieces = Split(name, '.');
    if (pieces.size() < 3 || pieces[0].size() != kVersionDigits || pieces[1] != "checkpoint") continue;
    auto version = Digits(pieces[0]);
    if (!version) continue;
    bool is_parquet = pieces.back() == "parquet";
    if (pieces.size() == 3 && is_parquet) {
      listing.checkpoints.push_back({*version, {object.path}});
    } else if (pieces.size() == 5 && is_parquet) {
      auto part = Digits(pieces[2]), total = Digits(pieces[3]);
      if (!part || !total) continue;
      auto& parts = multi_part[{*version, *total}];
      parts.total = *total;
      parts.paths[*part] = object.path;
    } else if (pieces.size() == 4 && (is_parquet || pieces.back() == "json")) {
      listing.checkpoints.push_back({*version, {object.path}});
    }
  }
  for (auto& [key, parts] : multi_part) {
    if (static_cast<int64_t>(parts.paths.size()) != parts.total) continue;  // The others are not there (yet).
    CheckpointFiles checkpoint{key.first, {}};
    for (auto& [number, path] : parts.paths) checkpoint.paths.push_back(std::move(path));
    listing.checkpoints.push_back(std::move(checkpoint));
  }
  std::sort(listing.commits.begin(), listing.commits.end(),
            [](const auto& a, const auto& b) { return a.version < b.version; });
  std::stable_sort(listing.checkpoints.begin(), listing.checkpoints.end(),
                   [](const auto& a, const auto& b) { return a.version < b.version; });
  return listing;
}

}  // namespace frazil::tables::delta
