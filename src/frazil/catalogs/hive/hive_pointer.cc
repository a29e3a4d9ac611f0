#include "frazil/catalogs/hive/hive_pointer.h"

#include <limits>

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/hive/hive_columns.h"
#include "frazil/catalogs/json_members.h"

namespace frazil::catalogs {
namespace {

constexpr const char* kLocationKey = "metadata_location";
constexpr const char* kFormerLocationKey = "previous_metadata_location";

/// A setting of the metadata's properties.
std::string PropertyOf(const Json& metadata, const char* key) {
  if (!metadata.is_object() || !metadata.contains("properties") || !metadata["properties"].is_object()) return {};
  const auto& properties = metadata["properties"];
  auto found = properties.find(key);
  return found != properties.end() && found->is_string() ? found->get<std::string>() : std::string();
}

ThriftValue NewTable(const std::string& database, const std::string& name, const std::string& owner) {
  using namespace hive;
  const ThriftValue now = ThriftValue::I32(static_cast<int32_t>(NowMicros() / 1000000));
  return ThriftValue::Struct({{table::kName, ThriftValue::String(name)},
                              {table::kDatabase, ThriftValue::String(database)},
                              {table::kOwner, ThriftValue::String(owner)},
                              {table::kCreateTime, now},
                              {table::kLastAccessTime, now},
                              {table::kRetention, ThriftValue::I32(std::numeric_limits<int32_t>::max())},
                              {table::kPartitionKeys, ThriftValue::List(ThriftType::kStruct, {})},
                              {table::kType, ThriftValue::String("EXTERNAL_TABLE")}});
}

ThriftValue StorageOf(const Json& metadata) {
  using namespace hive::storage_descriptor;
  std::vector<ThriftValue> columns;
  for (const auto& column : CurrentHiveColumns(metadata)) {
    columns.push_back(ThriftValue::Struct({{int16_t{1}, ThriftValue::String(column.name)},
                                           {int16_t{2}, ThriftValue::String(column.type)},
                                           {int16_t{3}, ThriftValue::String(column.comment)}}));
  }
  const std::string location = metadata.is_object() && metadata.contains("location") && metadata["location"].is_string()
                                   ? metadata["location"].get<std::string>()
                                   : std::string();
  return ThriftValue::Struct(
      {{kColumns, ThriftValue::List(ThriftType::kStruct, std::move(columns))},
       {kLocation, ThriftValue::String(location)},
       {kInputFormat, ThriftValue::String("org.apache.hadoop.mapred.FileInputFormat")},
       {kOutputFormat, ThriftValue::String("org.apache.hadoop.mapred.FileOutputFormat")},
       {kSerDe,
        ThriftValue::Struct({{int16_t{2}, ThriftValue::String("org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe")},
                             {int16_t{3}, ThriftValue::StringMap({})}})}});
}

}  // namespace

std::optional<std::string> HiveMetadataLocation(const ThriftValue& table, const char* kind) {
  const auto parameters = table.At(hive::table::kParameters).ToStringMap();
  auto found = parameters.find("table_type");
  auto location = parameters.find(kLocationKey);
  if (found == parameters.end() || !EqualsIgnoreCase(found->second, kind) || location == parameters.end())
    return std::nullopt;
  return location->second;
}

Result<std::optional<ThriftValue>> FindHiveTable(HiveMetastore& metastore, const std::string& database,
                                                 const std::string& table) {
  FRAZIL_ASSIGN_OR_RETURN(auto answer, metastore.GetTable(database, table));
  if (answer.exception == "NoSuchObjectException") return std::optional<ThriftValue>();
  if (!answer.ok()) return metastore.ErrorOf("get_table", answer);
  return std::optional<ThriftValue>(std::move(answer.result));
}

HivePointer::HivePointer(std::shared_ptr<HiveMetastore> metastore, std::string database, std::string table,
                         Options options)
    : metastore_(std::move(metastore)),
      database_(std::move(database)),
      table_(std::move(table)),
      options_(std::move(options)) {}

Result<std::optional<std::string>> HivePointer::Read() {
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindHiveTable(*metastore_, database_, table_));
  return table ? HiveMetadataLocation(*table) : std::nullopt;
}

Result<bool> HivePointer::Move(const std::optional<std::string>& expected, const std::string& next,
                               const std::string& metadata) {
  const Json parsed = Json::parse(metadata, nullptr, /*allow_exceptions=*/false);
  const std::string own = PropertyOf(parsed, "engine.hive.lock-enabled");
  const bool lock = own.empty() ? options_.lock : !EqualsIgnoreCase(own, "false");
  if (!lock) return MoveLocked(expected, next, metadata, false);
  auto id = metastore_->Lock(database_, table_, options_.lock_timeout_ms);
  if (!id.ok()) {
    Error error = std::move(id).error();
    // Nothing but the lock was asked for, whatever became of it.
    if (error.kind == ErrorKind::kUnknownCommit) error.kind = ErrorKind::kStorage;
    return error;
  }
  auto moved = MoveLocked(expected, next, metadata, true);
  metastore_->Unlock(*id);
  return moved;
}

Result<bool> HivePointer::MoveLocked(const std::optional<std::string>& expected, const std::string& next,
                                     const std::string& metadata, bool locked) {
  using namespace hive;
  const Json parsed = Json::parse(metadata, nullptr, /*allow_exceptions=*/false);
  FRAZIL_ASSIGN_OR_RETURN(auto existing, FindHiveTable(*metastore_, database_, table_));
  const auto now = existing ? HiveMetadataLocation(*existing) : std::nullopt;
  if (now != expected || (existing && !expected)) return false;
  ThriftValue entry = existing ? *std::move(existing) : NewTable(database_, table_, options_.owner);
  auto parameters = entry.At(table::kParameters).ToStringMap();
  if (parsed.is_object() && parsed.contains("properties") && parsed["properties"].is_object()) {
    for (const auto& [key, value] : parsed["properties"].items()) {
      if (value.is_string()) parameters[key] = value.get<std::string>();
    }
  }
  parameters["EXTERNAL"] = "TRUE";
  parameters["table_type"] = kHiveIcebergTable;
  parameters[kLocationKey] = next;
  if (expected) parameters[kFormerLocationKey] = *expected;
  entry.fields[table::kParameters] = ThriftValue::StringMap(parameters);
  entry.fields[table::kStorage] = StorageOf(parsed);
  if (!expected) {
    FRAZIL_ASSIGN_OR_RETURN(auto made, metastore_->CreateTable(entry));
    if (made.ok()) return true;
    if (made.exception == "AlreadyExistsException") return false;
    return metastore_->ErrorOf("create_table", made);
  }
  std::map<std::string, std::string> environment = {{"DO_NOT_UPDATE_STATS", "true"}};
  if (!locked) {
    environment["expected_parameter_key"] = kLocationKey;
    environment["expected_parameter_value"] = *expected;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto altered, metastore_->AlterTable(database_, table_, entry, environment));
  if (altered.ok()) return true;
  if (altered.message.find("The table has been modified") != std::string::npos) return false;
  return metastore_->ErrorOf("alter_table", altered);
}

}  // namespace frazil::catalogs
