#pragma once

#include <memory>
#include <string>

#include "frazil/tables/columnar_files.h"
#include "frazil/tables/metadata_text.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::iceberg {

struct SharedState;

/// "iceberg". One object serves all sessions; it owns the caches.
class IcebergFormat : public TableFormat, public MetadataText {
 public:
  /// `files` reads and writes position delete files; null (tests without the engine): there are none.
  explicit IcebergFormat(ColumnarFilesPtr files = nullptr);
  ~IcebergFormat() override;

  std::string name() const override { return "iceberg"; }
  bool self_describing() const override { return true; }
  Status CheckDefinition(const Table& existing, const TableDefinition& definition) const override;
  CommitPointPtr PathCommitPoint(const TableContext& context, const std::string& location) const override;
  Result<TablePtr> Load(const TableContext& context, const std::string& location,
                        CommitPointPtr commit_point) const override;
  Result<TablePtr> Create(const TableContext& context, const TableDefinition& definition, const std::string& location,
                          CommitPointPtr commit_point) const override;
  Result<StagedTable> Stage(const TableContext& context, const TableDefinition& definition, const std::string& location,
                            CommitPointPtr commit_point, bool replace) const override;
  Result<std::string> NewMetadata(const TableDefinition& definition, const std::string& location) const override;
  Result<DataTypePtr> SchemaOfMetadata(const std::string& metadata) const override;
  Status CheckDeletable(const TableContext& context, const std::string& metadata_location) const override;
  Status DeleteFiles(const TableContext& context, const std::string& metadata_location) const override;
  const TableProcedure* FindProcedure(std::string_view name) const override;

 private:
  std::shared_ptr<SharedState> shared_;
};

}  // namespace frazil::tables::iceberg
