#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/procedure.h"
#include "frazil/tables/table.h"

namespace frazil::tables {

/// The pointer to a table's newest metadata, and the one place where it changes. Made by a catalog, used by a format.
/// Thread-safe.
class CommitPoint {
 public:
  virtual ~CommitPoint() = default;
  /// Location of the current metadata file, or nullopt where the table does not exist (yet).
  virtual Result<std::optional<std::string>> Current() = 0;
  /// Makes `metadata` the newest state if `expected` (a former answer of Current) still is. Writes the metadata file
  /// itself and returns its location in `written`. kConflict: somebody was faster. An unknown outcome is an Error of
  /// kind kUnknownCommit.
  virtual Result<CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                   std::string* written) = 0;
};
using CommitPointPtr = std::shared_ptr<CommitPoint>;

struct TableContext {
  storage::ObjectStorePtr store;
  storage::SettingLookup settings;
  std::string name;  ///< Full name for messages: "ice.db.t", or the path.
};

/// A write that also brings the table into being: CTAS and REPLACE are one commit.
struct StagedTable {
  TablePtr table;  ///< Its first commit creates (or replaces) the table.
};

/// What a path names that stands for a table: FROM format.`path`, load("path").
struct PathReference {
  std::string folder;
  std::string metadata_table;  ///< Empty: the table itself.
  ScanOptions scan;            ///< The state, where the path chooses one.
};

/// One kind of table: "iceberg", "parquet", ...
class TableFormat {
 public:
  virtual ~TableFormat() = default;
  virtual std::string name() const = 0;
  /// Whether tables of this kind carry their own metadata at their location (Iceberg, Delta), so that a path alone is a
  /// table.
  virtual bool self_describing() const = 0;

  /// Takes a path apart; folder#name is a metadata table.
  virtual PathReference ReadPath(const std::string& path) const;
  /// Whether df.write.save(path) makes a table where there is none.
  virtual bool creates_at_path() const { return false; }
  /// Whether a folder that is a table already may become known under a definition (CREATE TABLE ... LOCATION).
  virtual Status CheckDefinition(const Table& /*existing*/, const TableDefinition& /*definition*/) const { return {}; }

  /// The commit point of a table that is a folder: for Iceberg vN.metadata.json and version-hint.text (Hadoop tables).
  virtual CommitPointPtr PathCommitPoint(const TableContext& context, const std::string& location) const = 0;
  /// Loads a self-describing table. Error TABLE_OR_VIEW_NOT_FOUND where the commit point is empty.
  virtual Result<TablePtr> Load(const TableContext& context, const std::string& location,
                                CommitPointPtr commit_point) const = 0;
  /// Loads a table that a catalog describes (plain files): definition.location is set.
  virtual Result<TablePtr> LoadDefined(const TableContext& context, const TableDefinition& definition) const;
  /// Creates a table; one commit. Error where it exists already.
  virtual Result<TablePtr> Create(const TableContext& context, const TableDefinition& definition,
                                  const std::string& location, CommitPointPtr commit_point) const = 0;
  /// A table that the first commit of its write creates, or (replace) replaces, keeping its history.
  virtual Result<StagedTable> Stage(const TableContext& context, const TableDefinition& definition,
                                    const std::string& location, CommitPointPtr commit_point, bool replace) const = 0;
  /// A procedure of this kind of table by name (case does not matter); null where there is none.
  virtual const TableProcedure* FindProcedure(std::string_view /*name*/) const { return nullptr; }
};
using TableFormatPtr = std::shared_ptr<const TableFormat>;

/// Formats by name (lower case).
class FormatRegistry {
 public:
  void Register(TableFormatPtr format);
  TableFormatPtr Find(std::string_view name) const;  ///< Null where unknown.
  const std::map<std::string, TableFormatPtr, std::less<>>& all() const { return formats_; }

 private:
  std::map<std::string, TableFormatPtr, std::less<>> formats_;
};

}  // namespace frazil::tables
