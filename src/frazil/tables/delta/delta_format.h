#pragma once

#include <memory>
#include <string>

#include "frazil/tables/columnar_files.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::delta {

class DeltaLogs;

/// "delta". One object serves all sessions; it owns the states of the tables' logs.
class DeltaFormat : public TableFormat {
 public:
  /// `files` reads and writes checkpoints.
  explicit DeltaFormat(ColumnarFilesPtr files);
  ~DeltaFormat() override;

  std::string name() const override { return "delta"; }
  bool self_describing() const override { return true; }
  /// folder@v5 is a version, folder@20240131120000000 a time (UTC).
  PathReference ReadPath(const std::string& path) const override;
  bool creates_at_path() const override { return true; }
  Status CheckDefinition(const Table& existing, const TableDefinition& definition) const override;
  CommitPointPtr PathCommitPoint(const TableContext& context, const std::string& location) const override;
  Result<TablePtr> Load(const TableContext& context, const std::string& location,
                        CommitPointPtr commit_point) const override;
  Result<TablePtr> Create(const TableContext& context, const TableDefinition& definition, const std::string& location,
                          CommitPointPtr commit_point) const override;
  Result<StagedTable> Stage(const TableContext& context, const TableDefinition& definition, const std::string& location,
                            CommitPointPtr commit_point, bool replace) const override;

 private:
  std::unique_ptr<DeltaLogs> logs_;
};

}  // namespace frazil::tables::delta
