#include "frazil/catalogs/metastore/metastore_commit_point.h"

#include "frazil/base/text.h"
#include "frazil/catalogs/metastore/described_table.h"
#include "frazil/catalogs/metastore/hive_formats.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/partition_folder.h"

namespace frazil::catalogs {
namespace {

/// A folder as the entry would name it: with the entry's own scheme where it lies within the table.
std::string AsInEntry(const std::string& folder, const std::string& table) {
  const std::string local = storage::LocalPath(table);
  if (folder == local || folder.starts_with(local + "/")) return table + folder.substr(local.size());
  // The Metastore's own file system is not ours: a bare path would be taken for one of it.
  return storage::SchemeOf(folder).empty() ? "file:" + folder : folder;
}

/// NULL and an empty text, which Hive cannot tell from each other, are the same.
std::vector<std::string> TextsOf(const tables::PartitionValues& values) {
  std::vector<std::string> texts;
  for (const auto& value : values)
    texts.push_back(value.has_value() && !value->empty() ? *value : tables::kHiveDefaultPartition);
  return texts;
}

}  // namespace

MetastoreCommitPoint::MetastoreCommitPoint(std::shared_ptr<TableMetastore> metastore, HiveTable table, Entry entry,
                                           tables::CommitPointPtr inner)
    : metastore_(std::move(metastore)), table_(std::move(table)), entry_(entry), inner_(std::move(inner)) {}

Result<std::optional<std::string>> MetastoreCommitPoint::Current() {
  if (inner_ != nullptr) return inner_->Current();
  return std::optional<std::string>();
}

Result<tables::CommitState> MetastoreCommitPoint::Swap(const std::optional<std::string>& expected,
                                                       const std::string& metadata, std::string* written) {
  if (inner_ != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(auto state, inner_->Swap(expected, metadata, written));
    if (state != tables::CommitState::kCommitted) return state;
  }
  if (entry_ == Entry::kExists) {
    // What was counted before this write does not hold any more, and Hive would answer count(*) by it.
    if (inner_ == nullptr && DropStatistics(&table_.parameters)) {
      FRAZIL_ASSIGN_OR_RETURN(auto now, metastore_->FindTable(table_.database, table_.name));
      if (now && DropStatistics(&now->parameters)) FRAZIL_RETURN_IF_ERROR(metastore_->AlterTable(*now));
    }
    return tables::CommitState::kCommitted;
  }
  if (entry_ == Entry::kReplaces) FRAZIL_RETURN_IF_ERROR(metastore_->DropTable(table_.database, table_.name));
  FRAZIL_ASSIGN_OR_RETURN(bool made, metastore_->CreateTable(table_));
  if (!made && inner_ == nullptr) return tables::CommitState::kConflict;
  if (!made) {
    // The table is in its folder and stays there; only its name has gone to another one meanwhile.
    Error error = Error::Of("TABLE_OR_VIEW_ALREADY_EXISTS",
                            {{"relationName", QuoteIdentifier({"spark_catalog", table_.database, table_.name})}});
    error.kind = ErrorKind::kUnknownCommit;
    return error;
  }
  entry_ = Entry::kExists;
  return tables::CommitState::kCommitted;
}

bool MetastoreCommitPoint::keeps_partitions() const {
  if (table_.partition_keys.empty() || inner_ != nullptr) return false;
  // Tables of Spark's that do not say so are older than this: their folders are their partitions.
  const auto provider = table_.parameters.find("spark.sql.partitionProvider");
  return !HasProvider(table_) || (provider != table_.parameters.end() && EqualsIgnoreCase(provider->second, "catalog"));
}

Status MetastoreCommitPoint::CheckWritable() const {
  // Readers take the bucket of a row from the name of its file: Hive by its own hash, Spark by another.
  const bool has_buckets =
      table_.storage.bucket_count > 0 || table_.parameters.contains("spark.sql.sources.schema.numBuckets");
  if (!has_buckets) return {};
  return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                   {{"tableName", QuoteIdentifier({"spark_catalog", table_.database, table_.name})},
                    {"operation", "writing rows into buckets (CLUSTERED BY)"}});
}

Result<std::vector<tables::KnownPartition>> MetastoreCommitPoint::ListPartitions() {
  std::vector<tables::KnownPartition> known;
  if (entry_ != Entry::kExists) return known;
  FRAZIL_ASSIGN_OR_RETURN(auto partitions, metastore_->ListPartitions(table_.database, table_.name));
  std::string provider;
  if (!HasProvider(table_)) {
    FRAZIL_ASSIGN_OR_RETURN(const auto kind, FileKindOf(table_.storage, table_.parameters));
    provider = kind.provider;
  }
  for (auto& partition : partitions) {
    if (partition.values.size() != table_.partition_keys.size())
      return Error::Storage("a partition of " + table_.database + "." + table_.name + " has too many or few values");
    if (!provider.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(const auto kind, FileKindOf(partition.storage, table_.parameters));
      if (kind.provider != provider)
        return Error::Unsupported("a partition of format " + kind.provider + " in a table of Hive of format " +
                                  provider);
    }
    tables::KnownPartition one;
    for (auto& value : partition.values) {
      if (value == tables::kHiveDefaultPartition) {
        one.values.emplace_back(std::nullopt);
      } else {
        one.values.emplace_back(std::move(value));
      }
    }
    one.location = std::move(partition.storage.location);
    one.parameters = std::move(partition.parameters);
    known.push_back(std::move(one));
  }
  return known;
}

Status MetastoreCommitPoint::AddPartitions(const std::vector<tables::KnownPartition>& partitions) {
  std::vector<HivePartition> fresh;
  for (const auto& partition : partitions) {
    HivePartition one;
    one.values = TextsOf(partition.values);
    one.storage = table_.storage;
    one.parameters = partition.parameters;
    one.storage.location = AsInEntry(partition.location, table_.storage.location);
    fresh.push_back(std::move(one));
  }
  if (fresh.empty()) return {};
  return metastore_->AddPartitions(table_.database, table_.name, fresh);
}

Status MetastoreCommitPoint::DropPartitions(const std::vector<tables::PartitionValues>& partitions) {
  for (const auto& values : partitions)
    FRAZIL_RETURN_IF_ERROR(metastore_->DropPartition(table_.database, table_.name, TextsOf(values)));
  return {};
}

}  // namespace frazil::catalogs
