#include "frazil/tables/files/file_table.h"

#include <algorithm>
#include <utility>

#include "frazil/base/text.h"
#include "frazil/expressions/min_max.h"
#include "frazil/storage/folder.h"
#include "frazil/tables/files/avro_options.h"
#include "frazil/tables/files/partition_types.h"
#include "frazil/tables/located_scan.h"

namespace frazil::tables {

namespace {

ScanColumn ToScanColumn(const StructField& field) {
  ScanColumn column;
  column.name = field.name;
  column.type = field.type;
  column.nullable = field.nullable;
  return column;
}

/// Files of folders, read by name.
class FileScan : public LocatedScan {
 public:
  FileScan(FileFormat format, FileListing listing, const DataTypePtr& data_schema,
           std::map<std::string, std::string> options, std::string location)
      : format_(format),
        listing_(std::move(listing)),
        options_(std::move(options)),
        location_(storage::FolderOf(std::move(location))) {
    std::vector<StructField> fields;
    const auto& partitions = listing_.partition_columns;
    places_.resize(partitions.size());
    const auto add = [&](StructField field) {
      columns_.push_back(ToScanColumn(field));
      fields.push_back(std::move(field));
    };
    const auto add_partition = [&](size_t index) {
      // A type that the user gave for a partition column wins over the inferred one.
      StructField column = partitions[index];
      const int given = data_schema->FieldIndex(column.name);
      if (given >= 0) column.type = data_schema->fields()[static_cast<size_t>(given)].type;
      places_[index] = columns_.size();
      add(std::move(column));
    };
    for (const auto& field : data_schema->fields()) {
      const auto partition = std::find_if(partitions.begin(), partitions.end(), [&](const StructField& column) {
        return EqualsIgnoreCase(column.name, field.name);
      });
      if (partition == partitions.end()) {
        StructField column = field;
        column.nullable = true;
        add(std::move(column));
      } else if (listing_.is_of_stream) {
        // As in Spark a schema of the user is that of the files there, partition columns and all.
        add_partition(static_cast<size_t>(partition - partitions.begin()));
      }
    }
    for (size_t i = 0; i < partitions.size(); ++i) {
      if (!listing_.is_of_stream || data_schema->FieldIndex(partitions[i].name) < 0) add_partition(i);
    }
    schema_ = DataType::Struct(std::move(fields));
  }

  const DataTypePtr& schema() const override { return schema_; }
  FileFormat format() const override { return format_; }
  const std::string& table_location() const override { return location_; }

  Result<ScanPlan> Plan(const PredicatePtr& filter) const override {
    ScanPlan plan;
    plan.columns = columns_;
    plan.format_options = options_;
    for (const auto& listed : listing_.files) {
      ScanFile file;
      file.path = listed.path;
      file.format = format_;
      file.size = listed.size;
      for (size_t i = 0; i < listed.partition_texts.size(); ++i) {
        const ScanColumn& column = columns_[places_[i]];
        auto value = PartitionTextToValue(listed.partition_texts[i], *column.type, *listing_.zone);
        if (!value.ok() && value.error().condition == "INVALID_PARTITION_VALUE") {
          return Error::Of(ExceptionClass::kSparkRuntime, "INVALID_PARTITION_VALUE",
                           {{"value", "'" + listed.partition_texts[i].value_or("") + "'"},
                            {"dataType", "\"" + column.type->Sql() + "\""},
                            {"columnName", QuoteIdentifier(column.name)}});
        }
        if (!value.ok()) return std::move(value).error();
        file.constants[places_[i]] = *std::move(value);
      }
      if (filter != nullptr && !MayMatch(*filter, file)) continue;
      plan.files.push_back(std::move(file));
    }
    // Spark hands the largest files out first, and so their rows come first.
    std::stable_sort(plan.files.begin(), plan.files.end(),
                     [](const ScanFile& left, const ScanFile& right) { return left.size > right.size; });
    return plan;
  }

 private:
  /// A partition column has one value in the whole file: its bounds are that value.
  bool MayMatch(const Predicate& filter, const ScanFile& file) const {
    return frazil::MayMatch(filter,
                            [&](const std::vector<std::string>& path, const DataType&) -> std::optional<ColumnBounds> {
                              if (path.size() != 1) return std::nullopt;
                              for (const auto& [index, value] : file.constants) {
                                if (!EqualsIgnoreCase(columns_[index].name, path[0])) continue;
                                return ConstantBounds(*columns_[index].type, value);
                              }
                              return std::nullopt;
                            });
  }

  FileFormat format_;
  FileListing listing_;
  std::map<std::string, std::string> options_;
  std::string location_;
  std::vector<ScanColumn> columns_;
  std::vector<size_t> places_;  ///< Of the partition columns among all.
  DataTypePtr schema_;
};

}  // namespace

std::optional<FileFormat> FileFormatByName(std::string_view name) {
  static const std::map<std::string, FileFormat, std::less<>> kFormats = {
      {"parquet", FileFormat::kParquet},  {"csv", FileFormat::kCsv}, {"json", FileFormat::kJson},
      {"text", FileFormat::kText},        {"orc", FileFormat::kOrc}, {"avro", FileFormat::kAvro},
      {"binaryfile", FileFormat::kBinary}};
  auto found = kFormats.find(AsciiLower(name));
  if (found == kFormats.end()) return std::nullopt;
  return found->second;
}

TableScanPtr MakeFileScan(FileFormat format, FileListing listing, const DataTypePtr& data_schema,
                          std::map<std::string, std::string> options, std::string location) {
  return std::make_shared<FileScan>(format, std::move(listing), data_schema, std::move(options), std::move(location));
}

FileTable::FileTable(TableContext context, TableDefinition definition, FileFormat format, CommitPointPtr commit_point)
    : context_(std::move(context)),
      definition_(std::move(definition)),
      format_(format),
      commit_point_(std::move(commit_point)) {
  // Partition columns stand last, as in every Hive-style table.
  std::vector<StructField> data, partitions;
  for (const auto& field : definition_.schema->fields()) {
    bool is_partition = std::any_of(definition_.partitioning.begin(), definition_.partitioning.end(),
                                    [&](const PartitionField& p) { return EqualsIgnoreCase(p.source[0], field.name); });
    (is_partition ? partitions : data).push_back(field);
  }
  data.insert(data.end(), partitions.begin(), partitions.end());
  definition_.schema = DataType::Struct(std::move(data));
}

TableCapabilities FileTable::capabilities() const {
  TableCapabilities capabilities;
  capabilities.write = format_ != FileFormat::kBinary;
  capabilities.truncate = capabilities.write;
  return capabilities;
}

std::vector<std::pair<std::string, std::string>> FileTable::details() const {
  return {{"Type", definition_.is_external ? "EXTERNAL" : "MANAGED"}};
}

Result<TableScanPtr> FileTable::Scan(const ScanOptions& options) const {
  if (options.snapshot_id || options.timestamp_micros || !options.reference.empty()) {
    return Error::Of("UNSUPPORTED_FEATURE.TIME_TRAVEL", {{"relationId", QuoteIdentifier(Split(context_.name, '.'))}});
  }
  PartitionRegistry* registry = partition_registry();
  FRAZIL_ASSIGN_OR_RETURN(auto listing, registry != nullptr ? ListByRegistry(*registry) : ListByFolders());
  FRAZIL_ASSIGN_OR_RETURN(listing.zone, SessionZone(context_));
  std::map<std::string, std::string> reader_options;
  for (const auto& [key, value] : definition_.options) reader_options[AsciiLower(key)] = value;
  for (const auto& [key, value] : options.options) reader_options[key] = value;
  if (format_ == FileFormat::kAvro) FRAZIL_RETURN_IF_ERROR(CheckAvroOptions(reader_options));
  return MakeFileScan(format_, std::move(listing), definition_.schema, std::move(reader_options),
                      *definition_.location);
}

PartitionRegistry* RegistryOf(CommitPoint* commit_point) {
  auto* registry = dynamic_cast<PartitionRegistry*>(commit_point);
  return registry != nullptr && registry->keeps_partitions() ? registry : nullptr;
}

PartitionRegistry* FileTable::partition_registry() const { return RegistryOf(commit_point_.get()); }

Result<FileListing> FileTable::ListByFolders() const {
  FileListing listing;
  FRAZIL_ASSIGN_OR_RETURN(bool exists, context_.store->Exists(*definition_.location));
  if (exists) {
    ListingOptions listing_options;
    listing_options.infer_partition_types = false;
    listing_options.recursive_lookup = definition_.partitioning.empty();
    FRAZIL_ASSIGN_OR_RETURN(listing, ListFiles(*context_.store, {*definition_.location}, listing_options));
  }
  // The catalog says which columns are partition columns, and their types; the folders only give the values.
  std::vector<StructField> declared;
  std::vector<int> position;
  for (const auto& field : definition_.partitioning) {
    int index = definition_.schema->FieldIndex(field.source[0]);
    declared.push_back(definition_.schema->fields()[index]);
    auto found = std::find_if(listing.partition_columns.begin(), listing.partition_columns.end(),
                              [&](const StructField& c) { return EqualsIgnoreCase(c.name, field.source[0]); });
    position.push_back(
        found == listing.partition_columns.end() ? -1 : static_cast<int>(found - listing.partition_columns.begin()));
  }
  for (auto& file : listing.files) {
    std::vector<std::optional<std::string>> texts;
    for (int index : position) texts.push_back(index < 0 ? std::nullopt : file.partition_texts[index]);
    file.partition_texts = std::move(texts);
  }
  listing.partition_columns = std::move(declared);
  return listing;
}

Result<FileListing> FileTable::ListByRegistry(PartitionRegistry& registry) const {
  FileListing listing;
  for (const auto& field : definition_.partitioning)
    listing.partition_columns.push_back(definition_.schema->fields()[definition_.schema->FieldIndex(field.source[0])]);
  FRAZIL_ASSIGN_OR_RETURN(const auto partitions, registry.ListPartitions());
  if (partitions.empty()) return listing;
  // One listing serves all partitions within the table's folder.
  ListingOptions options;
  options.recursive_lookup = true;
  FileListing inside;
  FRAZIL_ASSIGN_OR_RETURN(bool exists, context_.store->Exists(*definition_.location));
  if (exists) {
    FRAZIL_ASSIGN_OR_RETURN(inside, ListFiles(*context_.store, {*definition_.location}, options));
  }
  const auto by_path = [](const ListedFile& left, const ListedFile& right) { return left.path < right.path; };
  std::sort(inside.files.begin(), inside.files.end(), by_path);
  for (const auto& partition : partitions) {
    const std::string folder = storage::FolderOf(partition.location) + "/";
    FileListing elsewhere;
    std::vector<ListedFile>* files = &inside.files;
    if (!folder.starts_with(*definition_.location + "/")) {
      FRAZIL_ASSIGN_OR_RETURN(bool is_there, context_.store->Exists(partition.location));
      if (!is_there) continue;
      FRAZIL_ASSIGN_OR_RETURN(elsewhere, ListFiles(*context_.store, {partition.location}, options));
      std::sort(elsewhere.files.begin(), elsewhere.files.end(), by_path);
      files = &elsewhere.files;
    }
    ListedFile first;
    first.path = folder;
    for (auto file = std::lower_bound(files->begin(), files->end(), first, by_path);
         file != files->end() && file->path.starts_with(folder); ++file) {
      listing.files.push_back(*file);
      listing.files.back().partition_texts = partition.values;
    }
  }
  return listing;
}

Result<std::unique_ptr<TableWrite>> FileTable::StartWrite(const WriteOptions& options) const {
  if (const auto* registry = dynamic_cast<const PartitionRegistry*>(commit_point_.get()))
    FRAZIL_RETURN_IF_ERROR(registry->CheckWritable());
  if (format_ == FileFormat::kAvro) {
    std::map<std::string, std::string> all = options.options;
    for (const auto& [key, value] : definition_.options) all.emplace(AsciiLower(key), value);
    FRAZIL_RETURN_IF_ERROR(CheckAvroOptions(all));
  }
  return StartFileWrite(context_, definition_, format_, options, commit_point_);
}

CommitPointPtr FilesTableFormat::PathCommitPoint(const TableContext&, const std::string&) const { return nullptr; }

Result<TablePtr> FilesTableFormat::Load(const TableContext& context, const std::string&, CommitPointPtr) const {
  return Error::Internal("a table of plain files has no metadata of its own: " + context.name);
}

Result<TablePtr> FilesTableFormat::LoadDefined(const TableContext& context, const TableDefinition& definition) const {
  return TablePtr(std::make_shared<FileTable>(context, definition, format_));
}

Result<TablePtr> FilesTableFormat::Create(const TableContext& context, const TableDefinition& definition,
                                          const std::string& location, CommitPointPtr commit_point) const {
  TableDefinition complete = definition;
  complete.location = location;
  FRAZIL_RETURN_IF_ERROR(context.store->CreateFolder(location));
  std::string written;
  FRAZIL_ASSIGN_OR_RETURN(auto state, commit_point->Swap(std::nullopt, "", &written));
  if (state == CommitState::kConflict) {
    return Error::Of("TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(Split(context.name, '.'))}});
  }
  return LoadDefined(context, complete);
}

Result<StagedTable> FilesTableFormat::Stage(const TableContext& context, const TableDefinition& definition,
                                            const std::string& location, CommitPointPtr commit_point, bool) const {
  TableDefinition complete = definition;
  complete.location = location;
  return StagedTable{std::make_shared<FileTable>(context, std::move(complete), format_, std::move(commit_point))};
}

}  // namespace frazil::tables
