#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "frazil/storage/object_store.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::iceberg {

/// The commit point of a table that is a folder ("Appendix: File System Tables"): metadata/vN.metadata.json, of which
/// the highest N counts, and metadata/version-hint.text, which only helps to find it. A commit writes the next vN where
/// it does not exist yet. Folders of tables that belong to another catalog (NNNNN-uuid.metadata.json) can be read, not
/// written.
class PathCommitPoint : public CommitPoint {
 public:
  PathCommitPoint(storage::ObjectStorePtr store, std::string location);

  Result<std::optional<std::string>> Current() override;
  Result<CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                           std::string* written) override;

 private:
  std::string VersionPath(int64_t version, const std::string& metadata) const;
  /// The file of a version, compressed or not; nullopt where there is none.
  Result<std::optional<std::string>> FileOfVersion(int64_t version);
  Result<std::optional<std::string>> FindByListing();

  storage::ObjectStorePtr store_;
  std::string folder_;
};

/// Adds the files that make a folder a table to `paths`: all versions beside `metadata_location`, and the hint.
Status AddVersionFiles(const TableContext& context, const std::string& metadata_location, std::set<std::string>* paths);

/// N of ".../vN.metadata.json" (".gz" in front or behind counts too), or -1.
int64_t VersionOfPath(const std::string& path);

}  // namespace frazil::tables::iceberg
