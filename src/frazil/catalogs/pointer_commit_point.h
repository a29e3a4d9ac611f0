#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/table_format.h"

namespace frazil::catalogs {

/// What a catalog that only keeps the location of a table's metadata file can do for it. Thread-safe.
class TablePointer {
 public:
  virtual ~TablePointer() = default;
  /// The location now; nullopt where there is no such table.
  virtual Result<std::optional<std::string>> Read() = 0;
  /// Makes `next` the location if it still is `expected` (nullopt: there is no such table). `metadata` is the text of
  /// `next`, of which some catalogs show a part. False: somebody was faster. An unknown outcome is an Error of kind
  /// kUnknownCommit.
  virtual Result<bool> Move(const std::optional<std::string>& expected, const std::string& next,
                            const std::string& metadata) = 0;
};

/// Commits by writing the next metadata file (NNNNN-uuid.metadata.json) and moving the pointer to it. What Iceberg's
/// BaseMetastoreTableOperations does. Outcomes that are unknown are resolved by looking at the pointer.
class PointerCommitPoint : public tables::CommitPoint {
 public:
  PointerCommitPoint(std::shared_ptr<TablePointer> pointer, storage::ObjectStorePtr store, std::string name);

  Result<std::optional<std::string>> Current() override { return pointer_->Read(); }
  Result<tables::CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                   std::string* written) override;

 private:
  /// Whether the pointer is at a file, or has been before its present one.
  Result<bool> WasMovedTo(const std::string& location);

  std::shared_ptr<TablePointer> pointer_;
  storage::ObjectStorePtr store_;
  std::string name_;
};

/// The name of the file after `expected`, in the folder that the metadata says.
std::string NextMetadataLocation(const std::optional<std::string>& expected, const std::string& metadata,
                                 std::string_view extension = ".metadata.json");

}  // namespace frazil::catalogs
