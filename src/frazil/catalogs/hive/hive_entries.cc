#include "frazil/catalogs/hive/hive_entries.h"

#include <set>
#include <utility>

#include "frazil/base/clock.h"
#include "frazil/catalogs/hive/certain_call.h"
#include "frazil/catalogs/hive/hive_pointer.h"

namespace frazil::catalogs {
namespace {

using namespace hive;

constexpr int kAttempts = 6;

std::vector<HiveColumn> ColumnsOf(const ThriftValue& list) {
  std::vector<HiveColumn> columns;
  for (const auto& item : list.items) columns.push_back({item.At(1).text, item.At(2).text, item.At(3).text});
  return columns;
}

ThriftValue ThriftColumns(const std::vector<HiveColumn>& columns) {
  std::vector<ThriftValue> items;
  for (const auto& column : columns) {
    items.push_back(ThriftValue::Struct(
        {{int16_t{1}, ThriftValue::String(column.name)}, {int16_t{2}, ThriftValue::String(column.type)}}));
    if (!column.comment.empty()) items.back().fields[3] = ThriftValue::String(column.comment);
  }
  return ThriftValue::List(ThriftType::kStruct, std::move(items));
}

HiveStorage StorageOf(const ThriftValue& storage) {
  using namespace storage_descriptor;
  HiveStorage result;
  result.columns = ColumnsOf(storage.At(kColumns));
  result.location = storage.At(kLocation).text;
  result.input_format = storage.At(kInputFormat).text;
  result.output_format = storage.At(kOutputFormat).text;
  result.serde = storage.At(kSerDe).At(2).text;
  result.serde_parameters = storage.At(kSerDe).At(3).ToStringMap();
  result.bucket_count = static_cast<int>(storage.At(kBuckets).number);
  return result;
}

ThriftValue ThriftStorage(const HiveStorage& storage, const ThriftValue& former) {
  using namespace storage_descriptor;
  ThriftValue result = former.type == ThriftType::kStruct ? former : ThriftValue::Struct();
  result.fields[kColumns] = ThriftColumns(storage.columns);
  // Views have none, which is not an empty one: the Metastore takes that for a path.
  if (!storage.location.empty()) result.fields[kLocation] = ThriftValue::String(storage.location);
  result.fields[kInputFormat] = ThriftValue::String(storage.input_format);
  result.fields[kOutputFormat] = ThriftValue::String(storage.output_format);
  ThriftValue serde = former.At(kSerDe).type == ThriftType::kStruct ? former.At(kSerDe) : ThriftValue::Struct();
  serde.fields[2] = ThriftValue::String(storage.serde);
  serde.fields[3] = ThriftValue::StringMap(storage.serde_parameters);
  result.fields[kSerDe] = std::move(serde);
  return result;
}

}  // namespace

HiveTable HiveTableOf(const ThriftValue& entry) {
  HiveTable result;
  result.name = entry.At(table::kName).text;
  result.database = entry.At(table::kDatabase).text;
  result.owner = entry.At(table::kOwner).text;
  result.type = entry.At(table::kType).text;
  result.storage = StorageOf(entry.At(table::kStorage));
  result.partition_keys = ColumnsOf(entry.At(table::kPartitionKeys));
  result.parameters = entry.At(table::kParameters).ToStringMap();
  result.view_original_text = entry.At(table::kViewOriginalText).text;
  result.view_expanded_text = entry.At(table::kViewExpandedText).text;
  return result;
}

ThriftValue ThriftTableOf(const HiveTable& table, const ThriftValue& former) {
  ThriftValue result = former.type == ThriftType::kStruct ? former : ThriftValue::Struct();
  if (former.type != ThriftType::kStruct)
    result.fields[table::kCreateTime] = ThriftValue::I32(static_cast<int32_t>(NowMicros() / 1000000));
  result.fields[table::kName] = ThriftValue::String(table.name);
  result.fields[table::kDatabase] = ThriftValue::String(table.database);
  if (!table.owner.empty()) result.fields[table::kOwner] = ThriftValue::String(table.owner);
  result.fields[table::kType] = ThriftValue::String(table.type);
  result.fields[table::kStorage] = ThriftStorage(table.storage, former.At(table::kStorage));
  result.fields[table::kPartitionKeys] = ThriftColumns(table.partition_keys);
  result.fields[table::kParameters] = ThriftValue::StringMap(table.parameters);
  if (!table.view_original_text.empty()) {
    result.fields[table::kViewOriginalText] = ThriftValue::String(table.view_original_text);
    result.fields[table::kViewExpandedText] = ThriftValue::String(table.view_expanded_text);
  }
  return result;
}

Result<std::optional<HiveTable>> HiveEntries::FindTable(const std::string& database, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindHiveTable(*metastore_, database, name));
  if (!entry) return std::optional<HiveTable>();
  return std::optional<HiveTable>(HiveTableOf(*entry));
}

Result<bool> HiveEntries::CreateTable(const HiveTable& table) {
  FRAZIL_ASSIGN_OR_RETURN(auto made, CreateHiveTable(*metastore_, ThriftTableOf(table, {})));
  if (made.ok()) return true;
  if (made.exception == "AlreadyExistsException") return false;
  return metastore_->ErrorOf("create_table", made);
}

Status HiveEntries::AlterTable(const HiveTable& table) {
  FRAZIL_ASSIGN_OR_RETURN(auto former, FindHiveTable(*metastore_, table.database, table.name));
  const ThriftValue next = ThriftTableOf(table, former.value_or(ThriftValue()));
  FRAZIL_ASSIGN_OR_RETURN(auto altered,
                          AlterHiveTable(*metastore_, former.value_or(next), next, {{"DO_NOT_UPDATE_STATS", "true"}}));
  return altered.ok() ? Status::Ok() : Status(metastore_->ErrorOf("alter_table", altered));
}

Status HiveEntries::DropTable(const std::string& database, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto answer, DropHiveTable(*metastore_, database, name));
  if (answer.ok()) return {};
  return metastore_->ErrorOf("drop_table", answer);
}

Result<std::vector<HivePartition>> HiveEntries::ListPartitions(const std::string& database, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto answer, metastore_->GetPartitions(database, name));
  if (!answer.ok()) return metastore_->ErrorOf("get_partitions", answer);
  std::vector<HivePartition> partitions;
  for (const auto& item : answer.result.items) {
    HivePartition partition;
    for (const auto& value : item.At(partition::kValues).items) partition.values.push_back(value.text);
    partition.storage = StorageOf(item.At(partition::kStorage));
    partition.parameters = item.At(partition::kParameters).ToStringMap();
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

Status HiveEntries::AddMissing(const std::string& database, const std::string& name,
                               const std::vector<HivePartition>& partitions) {
  FRAZIL_ASSIGN_OR_RETURN(auto known, ListPartitions(database, name));
  std::set<std::vector<std::string>> there;
  for (auto& partition : known) there.insert(std::move(partition.values));
  std::vector<ThriftValue> fresh;
  for (const auto& partition : partitions) {
    if (!there.insert(partition.values).second) continue;
    std::vector<ThriftValue> values;
    for (const auto& value : partition.values) values.push_back(ThriftValue::String(value));
    fresh.push_back(
        ThriftValue::Struct({{partition::kValues, ThriftValue::List(ThriftType::kString, std::move(values))},
                             {partition::kDatabase, ThriftValue::String(database)},
                             {partition::kTable, ThriftValue::String(name)},
                             {partition::kStorage, ThriftStorage(partition.storage, {})},
                             {partition::kParameters, ThriftValue::StringMap(partition.parameters)}}));
  }
  std::vector<ThriftValue> all = fresh;
  if (all.empty()) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto added, metastore_->AddPartitions(std::move(all)));
  if (added.ok()) return {};
  if (added.exception != "AlreadyExistsException") return metastore_->ErrorOf("add_partitions", added);
  // The Metastore adds all of a request or none, and another writer has added one of them meanwhile.
  for (auto& one : fresh) {
    FRAZIL_ASSIGN_OR_RETURN(auto single, metastore_->AddPartitions({std::move(one)}));
    if (!single.ok() && single.exception != "AlreadyExistsException")
      return metastore_->ErrorOf("add_partitions", single);
  }
  return {};
}

Status HiveEntries::AddPartitions(const std::string& database, const std::string& name,
                                  const std::vector<HivePartition>& partitions) {
  // Those that are there stay, so that it may be said again where the answer was lost.
  for (int attempt = 1;; ++attempt) {
    Status added = AddMissing(database, name, partitions);
    if (added.ok() || added.error().kind != ErrorKind::kUnknownCommit || attempt == kAttempts) return added;
  }
}

Status HiveEntries::DropPartition(const std::string& database, const std::string& name,
                                  const std::vector<std::string>& values) {
  auto dropped = metastore_->DropPartition(database, name, values);
  for (int attempt = 1; attempt < kAttempts && !dropped.ok() && dropped.error().kind == ErrorKind::kUnknownCommit;
       ++attempt)
    dropped = metastore_->DropPartition(database, name, values);
  FRAZIL_ASSIGN_OR_RETURN(const auto answer, std::move(dropped));
  if (answer.ok() || answer.exception == "NoSuchObjectException") return {};
  return metastore_->ErrorOf("drop_partition", answer);
}

}  // namespace frazil::catalogs
