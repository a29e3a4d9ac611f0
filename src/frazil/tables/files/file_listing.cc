#include "frazil/tables/files/file_listing.h"

#include <algorithm>
#include <set>

#include "frazil/base/byte_text.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/files/batch_file_log.h"
#include "frazil/tables/files/partition_types.h"
#include "frazil/tables/partition_folder.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"

namespace frazil::tables {

namespace {

bool HasGlob(std::string_view path) { return path.find_first_of("*?[{") != std::string_view::npos; }

std::string BaseName(std::string_view path) {
  size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool IsHidden(std::string_view name) {
  if (name.empty()) return false;
  // Partition folders may begin with '_' when they hold '='.
  return name[0] == '.' || (name[0] == '_' && name.find('=') == std::string_view::npos);
}

/// Replaces a path with wildcards by the paths that it matches, folder by folder.
Status ExpandGlob(storage::ObjectStore& store, const std::string& pattern, std::vector<std::string>* out) {
  size_t wildcard = pattern.find_first_of("*?[{");
  size_t start = pattern.rfind('/', wildcard);
  std::string folder = start == std::string::npos ? "." : pattern.substr(0, start == 0 ? 1 : start);
  size_t end = pattern.find('/', wildcard);
  std::string part = pattern.substr(start + 1, end == std::string::npos ? std::string::npos : end - start - 1);
  std::string rest = end == std::string::npos ? "" : pattern.substr(end);
  FRAZIL_ASSIGN_OR_RETURN(bool exists, store.Exists(folder));
  if (!exists) return Status::Ok();
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store.List(folder, false));
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    std::string path = entry.path;
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    names.push_back(BaseName(path));
  }
  std::sort(names.begin(), names.end());
  for (const auto& name : names) {
    if (!MatchesGlob(name, part)) continue;
    std::string path = storage::JoinPath(folder, name) + rest;
    if (HasGlob(rest)) {
      FRAZIL_RETURN_IF_ERROR(ExpandGlob(store, path, out));
    } else if (rest.empty()) {
      out->push_back(path);
    } else {
      FRAZIL_ASSIGN_OR_RETURN(bool there, store.Exists(path));
      if (there) out->push_back(path);
    }
  }
  return Status::Ok();
}

struct Found {
  ListedFile file;
  std::vector<std::pair<std::string, std::optional<std::string>>> partitions;
};

std::vector<std::pair<std::string, std::optional<std::string>>> PartitionsOf(std::string_view relative) {
  std::vector<std::pair<std::string, std::optional<std::string>>> found;
  auto parts = Split(relative, '/');
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    size_t equals = parts[i].find('=');
    if (equals == std::string::npos || equals == 0) continue;
    std::string value = PercentDecode(std::string_view(parts[i]).substr(equals + 1));
    found.emplace_back(PercentDecode(std::string_view(parts[i]).substr(0, equals)),
                       value == kHiveDefaultPartition ? std::nullopt : std::optional<std::string>(value));
  }
  return found;
}

}  // namespace

bool MatchesGlob(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  switch (pattern[0]) {
    case '*':
      for (size_t skip = 0; skip <= text.size(); ++skip) {
        if (MatchesGlob(text.substr(skip), pattern.substr(1))) return true;
        if (skip < text.size() && text[skip] == '/') return false;
      }
      return false;
    case '?':
      return !text.empty() && text[0] != '/' && MatchesGlob(text.substr(1), pattern.substr(1));
    case '[': {
      size_t close = pattern.find(']', 2);
      if (close == std::string_view::npos) break;
      if (text.empty()) return false;
      std::string_view set = pattern.substr(1, close - 1);
      bool negated = set[0] == '^' || set[0] == '!';
      if (negated) set.remove_prefix(1);
      bool inside = false;
      for (size_t i = 0; i < set.size(); ++i) {
        if (i + 2 < set.size() && set[i + 1] == '-') {
          inside = inside || (text[0] >= set[i] && text[0] <= set[i + 2]);
          i += 2;
        } else {
          inside = inside || text[0] == set[i];
        }
      }
      return inside != negated && MatchesGlob(text.substr(1), pattern.substr(close + 1));
    }
    case '{': {
      size_t close = pattern.find('}');
      if (close == std::string_view::npos) break;
      for (const auto& choice : Split(pattern.substr(1, close - 1), ',')) {
        if (MatchesGlob(text, choice + std::string(pattern.substr(close + 1)))) return true;
      }
      return false;
    }
    case '\\':
      if (pattern.size() > 1) {
        return !text.empty() && text[0] == pattern[1] && MatchesGlob(text.substr(1), pattern.substr(2));
      }
      break;
    default:
      break;
  }
  return !text.empty() && text[0] == pattern[0] && MatchesGlob(text.substr(1), pattern.substr(1));
}

namespace {

/// Where a streaming query writes into the folder, only the files that its log has are part of it: others are of
/// batches that were not finished. Whether there is such a log.
Result<bool> KeepCommittedFiles(storage::ObjectStore& store, const std::string& root,
                                std::vector<storage::ObjectInfo>* entries) {
  const std::string folder = storage::JoinPath(root, kSinkLogFolder);
  const std::string below = folder + "/";
  const bool has_log =
      std::any_of(entries->begin(), entries->end(), [&](const auto& entry) { return entry.path.starts_with(below); });
  if (!has_log) return false;
  FRAZIL_ASSIGN_OR_RETURN(auto committed, CommittedSinkFiles(store, folder));
  std::erase_if(*entries, [&](const auto& entry) { return !committed.contains(storage::LocalPath(entry.path)); });
  return true;
}

}  // namespace

Result<ListingOptions> ReadListingOptions(const std::map<std::string, std::string>& options,
                                          std::shared_ptr<const TimeZone> zone) {
  ListingOptions listing;
  listing.zone = std::move(zone);
  const auto find = [&](const char* key) -> const std::string* {
    const auto found = options.find(key);
    return found == options.end() ? nullptr : &found->second;
  };
  if (const auto* given = find("timezone")) {
    FRAZIL_ASSIGN_OR_RETURN(listing.zone, TimeZone::Find(*given));
  }
  if (const auto* recursive = find("recursivefilelookup"))
    listing.recursive_lookup = EqualsIgnoreCase(*recursive, "true");
  if (const auto* filter = find("pathglobfilter")) listing.path_glob_filter = *filter;
  if (const auto* base = find("basepath")) listing.base_path = *base;
  for (auto [key, target] : {std::pair{"modifiedbefore", &listing.modified_before_micros},
                             std::pair{"modifiedafter", &listing.modified_after_micros}}) {
    const auto* text = find(key);
    if (text == nullptr) continue;
    auto micros = ParseTimestamp(*text, *listing.zone);
    if (!micros.has_value()) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          std::string("The option ") + key + " must be a timestamp, not '" + *text + "'");
    }
    *target = *micros;
  }
  return listing;
}

Result<FileListing> ListFiles(storage::ObjectStore& store, const std::vector<std::string>& paths,
                              const ListingOptions& options) {
  FileListing listing;
  listing.zone = options.zone;
  std::vector<Found> found;
  for (const auto& given : paths) {
    std::string path = storage::SchemeOf(given) == "file" ? storage::LocalPath(given) : given;
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    std::vector<std::string> roots;
    FRAZIL_ASSIGN_OR_RETURN(bool literal, store.Exists(path));
    if (literal) {
      roots.push_back(path);
    } else if (HasGlob(path)) {
      FRAZIL_RETURN_IF_ERROR(ExpandGlob(store, path, &roots));
    }
    if (roots.empty())
      return Error::Of("PATH_NOT_FOUND", {{"path", storage::SchemeOf(path).empty() ? "file:" + path : path}});
    for (const auto& root : roots) {
      FRAZIL_ASSIGN_OR_RETURN(auto info, store.Stat(root));
      std::vector<storage::ObjectInfo> entries;
      if (info.is_directory) {
        FRAZIL_ASSIGN_OR_RETURN(entries, store.List(root, true));
        FRAZIL_ASSIGN_OR_RETURN(const bool is_of_stream, KeepCommittedFiles(store, root, &entries));
        listing.is_of_stream = listing.is_of_stream || is_of_stream;
        std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
      } else {
        entries.push_back(info);
      }
      std::string base = options.base_path.empty() ? root : storage::LocalPath(options.base_path);
      while (base.size() > 1 && base.back() == '/') base.pop_back();
      for (const auto& entry : entries) {
        std::string inside = entry.path.size() > root.size() && info.is_directory ? entry.path.substr(root.size() + 1)
                                                                                  : BaseName(entry.path);
        auto parts = Split(inside, '/');
        if (info.is_directory && std::any_of(parts.begin(), parts.end(), IsHidden)) continue;
        if (!options.path_glob_filter.empty() && !MatchesGlob(parts.back(), options.path_glob_filter)) continue;
        if (options.modified_before_micros && entry.modified_micros >= *options.modified_before_micros) continue;
        if (options.modified_after_micros && entry.modified_micros <= *options.modified_after_micros) continue;
        Found one;
        one.file.path = entry.path;
        one.file.size = entry.size;
        one.file.modified_micros = entry.modified_micros;
        if (!options.recursive_lookup && entry.path.size() > base.size() && entry.path.starts_with(base)) {
          one.partitions = PartitionsOf(std::string_view(entry.path).substr(base.size() + 1));
        }
        found.push_back(std::move(one));
      }
    }
  }
  std::vector<std::string> names;
  if (!found.empty()) {
    for (const auto& [name, value] : found.front().partitions) names.push_back(name);
  }
  for (auto& one : found) {
    bool same = one.partitions.size() == names.size();
    for (size_t i = 0; same && i < names.size(); ++i) same = one.partitions[i].first == names[i];
    if (!same) {
      return Error::Of(
          ExceptionClass::kSparkRuntime, "CONFLICTING_PARTITION_COLUMN_NAMES",
          {{"distinctPartColLists", "\n\t" + Join(names, ", ")}, {"suspiciousPaths", "\n\t" + one.file.path}});
    }
    for (auto& [name, value] : one.partitions) one.file.partition_texts.push_back(std::move(value));
    listing.files.push_back(std::move(one.file));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<const std::optional<std::string>*> texts;
    for (const auto& file : listing.files) texts.push_back(&file.partition_texts[i]);
    listing.partition_columns.emplace_back(
        names[i], options.infer_partition_types ? InferPartitionType(texts) : DataType::String());
  }
  return listing;
}

}  // namespace frazil::tables
