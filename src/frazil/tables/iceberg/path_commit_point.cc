#include "frazil/tables/iceberg/path_commit_point.h"

#include <charconv>

#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/codec/deflate.h"
#include "frazil/storage/large_objects.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/unknown_commit.h"

namespace frazil::tables::iceberg {
namespace {

constexpr const char* kVersionHint = "version-hint.text";

std::string_view NameOf(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

bool IsMetadataName(std::string_view name) {
  return name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz");
}

/// The number at the start of a text, and what follows it; nullopt where there is none.
std::optional<int64_t> LeadingNumber(std::string_view text, std::string_view* rest) {
  int64_t number = 0;
  auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || number < 0) return std::nullopt;
  *rest = text.substr(static_cast<size_t>(stopped - text.data()));
  return number;
}

/// NNNNN of "NNNNN-uuid.metadata.json".
std::optional<int64_t> CatalogVersion(std::string_view name) {
  std::string_view rest;
  auto number = LeadingNumber(name, &rest);
  if (!number || !rest.starts_with("-") || !IsMetadataName(name)) return std::nullopt;
  return number;
}

}  // namespace

int64_t VersionOfPath(const std::string& path) {
  std::string_view name = NameOf(path), rest;
  if (!name.starts_with("v")) return -1;
  auto number = LeadingNumber(name.substr(1), &rest);
  if (!number) return -1;
  return rest == ".metadata.json" || rest == ".gz.metadata.json" || rest == ".metadata.json.gz" ? *number : -1;
}

Status AddVersionFiles(const TableContext& context, const std::string& metadata_location,
                       std::set<std::string>* paths) {
  FRAZIL_ASSIGN_OR_RETURN(auto objects,
                          context.store->List(metadata_location.substr(0, metadata_location.find_last_of('/')), false));
  for (const auto& object : objects) {
    if (VersionOfPath(object.path) >= 0 || NameOf(object.path) == kVersionHint) paths->insert(object.path);
  }
  return {};
}

PathCommitPoint::PathCommitPoint(storage::ObjectStorePtr store, std::string location)
    : store_(std::move(store)), folder_(storage::JoinPath(location, "metadata")) {}

std::string PathCommitPoint::VersionPath(int64_t version, const std::string& metadata) const {
  return storage::JoinPath(folder_,
                           "v" + std::to_string(version) + (codec::IsGzip(metadata) ? ".gz" : "") + ".metadata.json");
}

Result<std::optional<std::string>> PathCommitPoint::FileOfVersion(int64_t version) {
  std::string stem = "v" + std::to_string(version);
  for (const char* ending : {".metadata.json", ".gz.metadata.json", ".metadata.json.gz"}) {
    std::string path = storage::JoinPath(folder_, stem + ending);
    FRAZIL_ASSIGN_OR_RETURN(bool exists, storage::HasObject(*store_, path));
    if (exists) return std::optional<std::string>(std::move(path));
  }
  return std::optional<std::string>();
}

Result<std::optional<std::string>> PathCommitPoint::FindByListing() {
  FRAZIL_ASSIGN_OR_RETURN(auto objects, store_->List(folder_, false));
  std::optional<std::string> own, foreign;
  int64_t own_version = -1;
  int64_t foreign_version = -1, foreign_time = 0;
  for (const auto& object : objects) {
    if (object.is_directory) continue;
    int64_t version = VersionOfPath(object.path);
    if (version > own_version) {
      own_version = version;
      own = object.path;
    }
    // Of several files with one number only one won; the catalog knows which. The latest is the best guess without it.
    auto catalog_version = CatalogVersion(NameOf(object.path));
    if (catalog_version && (*catalog_version > foreign_version ||
                            (*catalog_version == foreign_version && object.modified_micros > foreign_time))) {
      foreign_version = *catalog_version;
      foreign_time = object.modified_micros;
      foreign = object.path;
    }
  }
  return own ? own : foreign;
}

Result<std::optional<std::string>> PathCommitPoint::Current() {
  auto hint = store_->Read(storage::JoinPath(folder_, kVersionHint));
  if (!hint.ok() && !storage::IsNotFound(hint.error())) return std::move(hint).error();
  if (hint.ok()) {
    std::string text(TrimBlanks(*hint));
    std::string_view rest;
    auto number = LeadingNumber(text, &rest);
    if (number && rest.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(auto found, FileOfVersion(*number));
      // The hint is written after the version, so there may be newer ones.
      for (int64_t next = *number + 1; found; ++next) {
        FRAZIL_ASSIGN_OR_RETURN(auto newer, FileOfVersion(next));
        if (!newer) return found;
        found = std::move(newer);
      }
    } else if (!text.empty() && text.find('/') == std::string::npos) {
      // Some writers leave the name of the file here, with or without its ending.
      std::string name = IsMetadataName(text) ? text : text + ".metadata.json";
      std::string path = storage::JoinPath(folder_, name);
      FRAZIL_ASSIGN_OR_RETURN(bool exists, storage::HasObject(*store_, path));
      if (exists) return std::optional<std::string>(std::move(path));
    }
  }
  return FindByListing();
}

Result<CommitState> PathCommitPoint::Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                          std::string* written) {
  int64_t version = 0;
  if (expected) {
    version = VersionOfPath(*expected);
    if (version < 0) {
      return UnsupportedOperation("Cannot write to the table in " + folder_ +
                                  " by its path: its metadata belongs to a catalog (" + std::string(NameOf(*expected)) +
                                  ")");
    }
  }
  // An old version may have been deleted since `expected` was read, so that the name after it is free again: it must
  // still be the newest.
  FRAZIL_ASSIGN_OR_RETURN(auto current, Current());
  if (current.has_value() != expected.has_value() || (current && NameOf(*current) != NameOf(*expected)))
    return CommitState::kConflict;
  std::string path = VersionPath(version + 1, metadata);
  auto outcome = store_->WriteIfAbsent(path, metadata);
  if (!outcome.ok()) {
    // The answer is lost or bad: what stands there now tells. The text is unique, it names new snapshots and the time.
    auto found = store_->Read(path);
    if (!found.ok() && storage::IsNotFound(found.error())) return std::move(outcome).error();
    if (!found.ok()) return UnknownCommit(path + " was written", outcome.error());
    if (*found != metadata) return CommitState::kConflict;
    Log(LogLevel::kWarn, "A commit succeeded whose outcome was not told",
        {{"path", path}, {"error", outcome.error().message}});
  } else if (*outcome == storage::PutOutcome::kAlreadyExists) {
    return CommitState::kConflict;
  }
  *written = path;
  // The commit is done. A hint that is missing or old costs a few look-ups, nothing else.
  Status hinted = store_->WriteHint(storage::JoinPath(folder_, kVersionHint), std::to_string(version + 1));
  if (!hinted.ok())
    Log(LogLevel::kWarn, "The version hint could not be written",
        {{"folder", folder_}, {"error", hinted.error().message}});
  return CommitState::kCommitted;
}

}  // namespace frazil::tables::iceberg
