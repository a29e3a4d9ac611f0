// Procedures that delete files. What goes is found as a difference: files that the state before named and the committed
// state does not, or files in the table's folder that no state names. Nothing is deleted before the commit is known to
// have come through.

#include <algorithm>

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/metadata_update.h"
#include "frazil/tables/iceberg/procedures_internal.h"
#include "frazil/tables/iceberg/reachable_files.h"
#include "frazil/tables/iceberg/snapshot_expiration.h"
#include "frazil/types/calendar.h"

namespace frazil::tables::iceberg {
namespace {

using Arguments = std::vector<Value>;

std::optional<int64_t> Number(const Value& value) {
  return value.is_null() ? std::nullopt : std::optional<int64_t>(value.integer());
}

std::optional<int64_t> Millis(const Value& micros) {
  if (micros.is_null()) return std::nullopt;
  return FloorDivide(micros.integer(), 1000);
}

struct Deleted {
  std::vector<std::string> paths;
  int64_t data = 0, position_deletes = 0, equality_deletes = 0, manifests = 0, manifest_lists = 0, statistics = 0;
};

/// What `before` names and `after` does not.
Deleted Difference(const ReachableFiles& before, const ReachableFiles& after) {
  Deleted result;
  for (const auto& [local, file] : before.content_files) {
    if (after.Has(local)) continue;
    result.paths.push_back(file.path);
    switch (file.content) {
      case FileContent::kData:
        ++result.data;
        break;
      case FileContent::kPositionDeletes:
        ++result.position_deletes;
        break;
      case FileContent::kEqualityDeletes:
        ++result.equality_deletes;
        break;
    }
  }
  auto add = [&](const std::map<std::string, std::string>& files, int64_t* count) {
    for (const auto& [local, path] : files) {
      if (after.Has(local)) continue;
      result.paths.push_back(path);
      ++*count;
    }
  };
  // Lists last: what a crash leaves behind can still be found from them.
  add(before.statistics, &result.statistics);
  add(before.manifests, &result.manifests);
  add(before.manifest_lists, &result.manifest_lists);
  return result;
}

/// The partition specs of the manifests of all snapshots.
Result<std::set<int32_t>> SpecsInUse(const TableOperations& operations, const TableMetadata& metadata) {
  std::set<int32_t> specs;
  for (const auto& snapshot : metadata.snapshots) {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations.ReadManifests(metadata, snapshot));
    for (const auto& manifest : *manifests) specs.insert(manifest.spec_id);
  }
  return specs;
}

Result<RowSet> ExpireSnapshots(const Table& table, const Arguments& arguments) {
  const IcebergTable& iceberg = Iceberg(table);
  FRAZIL_RETURN_IF_ERROR(CheckMayDeleteFiles(iceberg.metadata(), "expire snapshots"));
  ExpirationRequest request;
  request.older_than_ms = Millis(arguments[0]);
  request.retain_last = Number(arguments[1]);
  if (request.retain_last && *request.retain_last < 1) {
    return IllegalArgument("Number of snapshots to retain must be at least 1, cannot be: " +
                           std::to_string(*request.retain_last));
  }
  if (!arguments[2].is_null() && arguments[2].integer() < 1) {
    return IllegalArgument("max_concurrent_deletes should have value > 0, value: " +
                           std::to_string(arguments[2].integer()));
  }
  if (!arguments[4].is_null()) {
    for (const auto& id : arguments[4].list()) {
      if (!id.is_null()) request.snapshot_ids.push_back(id.integer());
    }
  }
  const bool clean_metadata = !arguments[5].is_null() && arguments[5].boolean();
  std::optional<TableMetadata> before;
  std::set<int64_t> removed;
  FRAZIL_ASSIGN_OR_RETURN(auto committed,
                          ChangeTable(iceberg, [&](const TableMetadata& base) -> Result<std::optional<TableMetadata>> {
                            before.reset();
                            FRAZIL_ASSIGN_OR_RETURN(auto expiration, PlanExpiration(base, request, NowMicros() / 1000));
                            if (expiration.snapshots.empty() && expiration.references.empty())
                              return std::optional<TableMetadata>();
                            before = base;
                            removed = expiration.snapshots;
                            TableMetadata next = base;
                            for (const auto& name : expiration.references) RemoveRef(&next, name);
                            RemoveSnapshots(&next, expiration.snapshots);
                            if (clean_metadata) {
                              FRAZIL_ASSIGN_OR_RETURN(auto specs, SpecsInUse(*iceberg.operations(), next));
                              RemoveUnusedSchemasAndSpecs(&next, specs);
                            }
                            return std::optional<TableMetadata>(std::move(next));
                          }));
  Deleted deleted;
  if (before && !removed.empty()) {
    std::vector<const Snapshot*> gone;
    for (const auto& snapshot : before->snapshots) {
      if (removed.count(snapshot.snapshot_id) != 0) gone.push_back(&snapshot);
    }
    // An error here leaves orphans, nothing else: the snapshots are expired.
    FRAZIL_ASSIGN_OR_RETURN(auto named_before, FindReachableFiles(*iceberg.operations(), *before, gone));
    FRAZIL_ASSIGN_OR_RETURN(auto named_after, FindReachableFiles(*iceberg.operations(), *committed));
    deleted = Difference(named_before, named_after);
    iceberg.operations()->DeleteQuietly(deleted.paths);
  }
  std::vector<StructField> fields;
  for (const char* name :
       {"deleted_data_files_count", "deleted_position_delete_files_count", "deleted_equality_delete_files_count",
        "deleted_manifest_files_count", "deleted_manifest_lists_count", "deleted_statistics_files_count"}) {
    fields.emplace_back(name, DataType::Long());
  }
  return RowSet{DataType::Struct(std::move(fields)),
                {{Value(deleted.data), Value(deleted.position_deletes), Value(deleted.equality_deletes),
                  Value(deleted.manifests), Value(deleted.manifest_lists), Value(deleted.statistics)}}};
}

/// Files and folders whose names begin so belong to somebody else (checksums, marks of other programs), unless the
/// folder is a partition.
bool IsHidden(std::string_view below, const TableMetadata& metadata) {
  for (const auto& part : Split(std::string(below), '/')) {
    if (part.empty() || (part[0] != '_' && part[0] != '.')) continue;
    bool partition = false;
    for (const auto& spec : metadata.specs) {
      for (const auto& field : spec.fields) partition = partition || part.starts_with(field.name + "=");
    }
    if (!partition) return true;
  }
  return false;
}

/// Where a file is, taken apart: tables, and lists of what is there, name one file by several schemes (s3, s3a) and
/// hosts. The rules are those of Iceberg's DeleteOrphanFiles action.
class FilePrefixes {
 public:
  enum class Mode { kError, kIgnore, kDelete };

  static Result<FilePrefixes> Of(const Value& schemes, const Value& authorities, const Value& mode) {
    FilePrefixes result;
    result.schemes_ = {{"s3n", "s3"}, {"s3a", "s3"}};
    AddEqual(schemes, &result.schemes_);
    AddEqual(authorities, &result.authorities_);
    const std::string name = mode.is_null() ? "ERROR" : AsciiUpper(mode.string());
    if (name == "IGNORE") {
      result.mode_ = Mode::kIgnore;
    } else if (name == "DELETE") {
      result.mode_ = Mode::kDelete;
    } else if (name != "ERROR") {
      return IllegalArgument("Invalid mode: " + mode.string());
    }
    return result;
  }

  /// A file that a state of the table names.
  void AddNamed(const std::string& path) {
    const Place place = Take(path);
    named_[place.path].insert({place.scheme, place.authority});
  }

  /// Whether a file that is there is an orphan: none of that path is named, or one by other schemes or hosts, and the
  /// mode says that these are others.
  bool IsOrphan(const std::string& path) {
    const Place place = Take(path);
    auto named = named_.find(place.path);
    if (named == named_.end()) return true;
    std::vector<std::string> differing;
    for (const auto& [scheme, authority] : named->second) {
      const bool same_scheme = scheme.empty() || EqualsIgnoreCase(scheme, place.scheme);
      const bool same_authority = authority.empty() || EqualsIgnoreCase(authority, place.authority);
      if (same_scheme && same_authority) return false;
      if (!same_scheme) differing.push_back("(" + scheme + ", " + place.scheme + ")");
      if (!same_authority) differing.push_back("(" + authority + ", " + place.authority + ")");
    }
    conflicts_.insert(differing.begin(), differing.end());
    return mode_ == Mode::kDelete;
  }

  /// Fails where it is not known of a file whether it is one that is named.
  Status CheckConflicts() const {
    if (mode_ != Mode::kError || conflicts_.empty()) return {};
    return Validation(
        "Unable to determine whether certain files are orphan. Metadata references files that match listed/provided "
        "files except for authority/scheme. Please, inspect the conflicting authorities/schemes and provide which of "
        "them are equal by further configuring the action via equalSchemes() and equalAuthorities() methods. Set the "
        "prefix mismatch mode to 'NONE' to ignore remaining locations with conflicting authorities/schemes or to "
        "'DELETE' iff you are ABSOLUTELY confident that remaining conflicting authorities/schemes are different. It "
        "will be impossible to recover deleted files. Conflicting authorities/schemes: [" +
        Join({conflicts_.begin(), conflicts_.end()}, ", ") + "].");
  }

 private:
  struct Place {
    std::string scheme, authority, path;
  };

  /// "s3,s3a" -> "s3" as a map's entries: each name of a key's list stands for the value.
  static void AddEqual(const Value& given, std::map<std::string, std::string>* equal) {
    if (given.is_null()) return;
    const auto& entries = given.list();
    for (size_t i = 0; i + 1 < entries.size(); i += 2) {
      if (entries[i].is_null() || entries[i + 1].is_null()) continue;
      for (const auto& name : Split(entries[i].string(), ','))
        (*equal)[std::string(TrimBlanks(name))] = std::string(TrimBlanks(entries[i + 1].string()));
    }
  }

  static std::string Mapped(const std::map<std::string, std::string>& equal, std::string name) {
    auto found = equal.find(name);
    return found == equal.end() ? name : found->second;
  }

  Place Take(const std::string& path) const {
    Place place;
    place.path = storage::LocalPath(path);
    const size_t colon = place.path.find("://");
    if (colon == std::string::npos) return place;
    const size_t slash = std::min(place.path.find('/', colon + 3), place.path.size());
    place.scheme = Mapped(schemes_, place.path.substr(0, colon));
    place.authority = Mapped(authorities_, place.path.substr(colon + 3, slash - colon - 3));
    place.path.erase(0, slash);
    return place;
  }

  std::map<std::string, std::string> schemes_, authorities_;
  Mode mode_ = Mode::kError;
  std::map<std::string, std::set<std::pair<std::string, std::string>>> named_;  ///< Scheme and host by path.
  std::set<std::string> conflicts_;
};

Result<RowSet> RemoveOrphanFiles(const Table& table, const Arguments& arguments) {
  constexpr int64_t kDay = 24LL * 60 * 60 * 1000;
  const IcebergTable& iceberg = Iceberg(table);
  const TableOperations& operations = *iceberg.operations();
  FRAZIL_RETURN_IF_ERROR(CheckMayDeleteFiles(iceberg.metadata(), "delete orphan files"));
  int64_t now = NowMicros() / 1000;
  int64_t older_than = Millis(arguments[0]).value_or(now - 3 * kDay);
  bool dry_run = !arguments[2].is_null() && arguments[2].boolean();
  if (!arguments[0].is_null() && now - older_than < kDay) {
    return IllegalArgument(
        "Cannot remove orphan files with an interval less than 24 hours. Executing this procedure with a short "
        "interval may corrupt the "
        "table if other operations are happening at the same time. If you are absolutely confident that no concurrent "
        "operations will be "
        "affected by removing orphan files with such a short interval, you can use the Action API to remove orphan "
        "files with an arbitrary "
        "interval.");
  }
  if (!arguments[4].is_null()) return Error::Unsupported("remove_orphan_files with file_list_view");
  FRAZIL_ASSIGN_OR_RETURN(FilePrefixes prefixes, FilePrefixes::Of(arguments[5], arguments[6], arguments[7]));
  std::string folder = arguments[1].is_null() ? iceberg.metadata().location : arguments[1].string();
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  // First the list, then the newest state: what is committed in between is named by it.
  FRAZIL_ASSIGN_OR_RETURN(auto listed, operations.store().List(folder, true));
  FRAZIL_ASSIGN_OR_RETURN(auto state, operations.Load());
  if (state == nullptr || !iceberg.metadata().IsSameTable(*state)) {
    return ConflictingCommit("Cannot remove orphan files of " + operations.name() + ": the table was dropped");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto named, FindReachableFiles(operations, *state));
  std::set<std::string> metadata_files;
  for (const auto& entry : state->metadata_log) metadata_files.insert(storage::LocalPath(entry.file));
  metadata_files.insert(storage::LocalPath(state->metadata_location));
  for (const auto* group : {&state->statistics, &state->partition_statistics}) {
    for (const auto& item : *group) {
      if (const JsonValue* path = item.Find("statistics-path")) metadata_files.insert(storage::LocalPath(path->text));
    }
  }
  metadata_files.insert(storage::LocalPath(TableOperations::MetadataPath(*state, "version-hint.text")));
  metadata_files.insert(
      storage::LocalPath(storage::JoinPath(storage::JoinPath(state->location, "metadata"), "version-hint.text")));
  for (const auto& [local, file] : named.content_files) prefixes.AddNamed(file.path);
  for (const auto* group : {&named.manifests, &named.manifest_lists, &named.statistics}) {
    for (const auto& [local, path] : *group) prefixes.AddNamed(path);
  }
  for (const auto& path : metadata_files) prefixes.AddNamed(path);
  std::vector<std::string> orphans;
  for (const auto& object : listed) {
    if (object.is_directory || object.modified_micros == 0 || object.modified_micros / 1000 >= older_than) continue;
    std::string local = storage::LocalPath(object.path);
    std::string base = storage::LocalPath(folder);
    if (IsHidden(local.starts_with(base) ? std::string_view(local).substr(base.size()) : std::string_view(local),
                 *state))
      continue;
    if (prefixes.IsOrphan(object.path)) orphans.push_back(object.path);
  }
  FRAZIL_RETURN_IF_ERROR(prefixes.CheckConflicts());
  std::sort(orphans.begin(), orphans.end());
  if (!dry_run) operations.DeleteQuietly(orphans);
  RowSet result{DataType::Struct({{"orphan_file_location", DataType::String(), false}}), {}};
  for (auto& path : orphans) result.rows.push_back({Value(std::move(path))});
  return result;
}

}  // namespace

std::vector<TableProcedure> CleaningProcedures() {
  return {{"expire_snapshots",
           {{"older_than", DataType::Timestamp()},
            {"retain_last", DataType::Integer()},
            {"max_concurrent_deletes", DataType::Integer()},
            {"stream_results", DataType::Boolean()},
            {"snapshot_ids", DataType::Array(DataType::Long(), true)},
            {"clean_expired_metadata", DataType::Boolean()}},
           ExpireSnapshots},
          {"remove_orphan_files",
           {{"older_than", DataType::Timestamp()},
            {"location", DataType::String()},
            {"dry_run", DataType::Boolean()},
            {"max_concurrent_deletes", DataType::Integer()},
            {"file_list_view", DataType::String()},
            {"equal_schemes", DataType::Map(DataType::String(), DataType::String(), true)},
            {"equal_authorities", DataType::Map(DataType::String(), DataType::String(), true)},
            {"prefix_mismatch_mode", DataType::String()},
            {"prefix_listing", DataType::Boolean()},
            {"stream_results", DataType::Boolean()}},
           RemoveOrphanFiles}};
}

}  // namespace frazil::tables::iceberg
