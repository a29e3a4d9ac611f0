#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frazil/tables/files/file_listing.h"
#include "frazil/tables/partition_registry.h"
#include "frazil/tables/table.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables {

/// parquet, csv, json, text, binaryfile, orc, avro by Spark's source name in lower case; nullopt for others.
std::optional<FileFormat> FileFormatByName(std::string_view name);

/// Files as a scan: their data columns, then the partition columns. `data_schema` is what the files hold; `location`
/// the folder that they are in.
TableScanPtr MakeFileScan(FileFormat format, FileListing listing, const DataTypePtr& data_schema,
                          std::map<std::string, std::string> options, std::string location);

/// A folder of plain files that a catalog describes.
class FileTable : public Table {
 public:
  /// `commit_point`, where given, makes the table known with the commit of its first write.
  FileTable(TableContext context, TableDefinition definition, FileFormat format, CommitPointPtr commit_point = nullptr);

  std::string provider() const override { return definition_.provider; }
  const DataTypePtr& schema() const override { return definition_.schema; }
  std::string location() const override { return *definition_.location; }
  std::map<std::string, std::string> properties() const override { return definition_.properties; }
  std::vector<PartitionField> partitioning() const override { return definition_.partitioning; }
  std::string comment() const override { return definition_.comment; }
  TableCapabilities capabilities() const override;
  std::vector<std::pair<std::string, std::string>> details() const override;
  Result<TableScanPtr> Scan(const ScanOptions& options) const override;
  Result<std::unique_ptr<TableWrite>> StartWrite(const WriteOptions& options) const override;

  /// Where the table's catalog keeps its partitions; null: its folders say which there are.
  PartitionRegistry* partition_registry() const;
  /// Reader and writer options given at creation.
  const std::map<std::string, std::string>& options() const { return definition_.options; }

 private:
  /// The files, with the values that folders or catalog give to the partition columns.
  Result<FileListing> ListByFolders() const;
  Result<FileListing> ListByRegistry(PartitionRegistry& registry) const;

  TableContext context_;
  TableDefinition definition_;
  FileFormat format_;
  CommitPointPtr commit_point_;
};

/// The partition registry that a commit point is as well; null where it keeps no partitions.
PartitionRegistry* RegistryOf(CommitPoint* commit_point);

/// The table format of plain files: "parquet", "csv", "json", "text", ...
class FilesTableFormat : public TableFormat {
 public:
  FilesTableFormat(std::string name, FileFormat format) : name_(std::move(name)), format_(format) {}
  std::string name() const override { return name_; }
  bool self_describing() const override { return false; }
  CommitPointPtr PathCommitPoint(const TableContext& context, const std::string& location) const override;
  Result<TablePtr> Load(const TableContext& context, const std::string& location,
                        CommitPointPtr commit_point) const override;
  Result<TablePtr> LoadDefined(const TableContext& context, const TableDefinition& definition) const override;
  Result<TablePtr> Create(const TableContext& context, const TableDefinition& definition, const std::string& location,
                          CommitPointPtr commit_point) const override;
  Result<StagedTable> Stage(const TableContext& context, const TableDefinition& definition, const std::string& location,
                            CommitPointPtr commit_point, bool replace) const override;

 private:
  std::string name_;
  FileFormat format_;
};

/// A write into a folder of plain files: written beside, then moved into place. `commit_point` (may be null) makes the
/// table known when the write commits.
std::unique_ptr<TableWrite> StartFileWrite(TableContext context, const TableDefinition& definition, FileFormat format,
                                           const WriteOptions& options, CommitPointPtr commit_point);

}  // namespace frazil::tables
