#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/tables/table.h"
#include "frazil/tables/write.h"

namespace frazil::tables {

/// The column of change rows that tells their kind: "insert", "delete", "update_preimage" or "update_postimage".
inline constexpr const char* kChangeTypeColumn = "_change_type";

/// What a statement tells of its work beside RowCounts, for the table's history.
struct RowChangeFigures {
  int64_t started_micros = 0;  ///< When it began, by the clock; 0: unknown, as are the others.
  int64_t source_micros = 0;   ///< MERGE: how long it took to have the source in memory, where that is needed.
  int64_t found_micros = 0;    ///< When it knew which files and rows it changes.
  /// MERGE: of the updated and the deleted rows those that no source row matched.
  int64_t updated_without_source = 0, deleted_without_source = 0;
};

/// A write of DELETE, UPDATE or MERGE into a table that can do more than replace files.
class RowChanges : public TableWrite {
 public:
  /// Deletes rows of a data file (a path of the scan) without writing it anew. Positions ascending, of rows that are
  /// there.
  virtual void DeleteRows(const std::string& path, std::vector<int64_t> positions) = 0;
  /// Where the changed rows themselves are written for the table's change feed: the table's columns, then
  /// kChangeTypeColumn. Null: the table keeps none.
  virtual const WriteTask* change_task() const = 0;
  /// The written rows come from the table itself, or were chosen by a look at all of it: whatever others commit to it
  /// meanwhile is a conflict. Without, only WriteOptions::filter is known to have been read.
  virtual void SetReadsTable() {}
  virtual void AddChangeFiles(std::vector<WrittenFile> files) = 0;
  virtual void SetFigures(const RowChangeFigures& /*figures*/) {}
};

/// A table that says by statement ("delete", "update", "merge") whether its writes mark changed rows as deleted and add
/// them anew (merge-on-read), or write the files anew that they stand in (copy-on-write). One that does not say only
/// marks what TableCapabilities::deletes_rows names.
class ChoosesRowChanges {
 public:
  virtual ~ChoosesRowChanges() = default;
  virtual bool MarksRows(std::string_view operation) const = 0;
};

inline bool MarksRows(const Table& table, std::string_view operation) {
  const auto* chooses = dynamic_cast<const ChoosesRowChanges*>(&table);
  if (chooses != nullptr) return chooses->MarksRows(operation);
  return operation == "delete" && table.capabilities().deletes_rows;
}

}  // namespace frazil::tables
