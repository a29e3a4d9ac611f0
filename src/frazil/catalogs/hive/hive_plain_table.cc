#include "frazil/catalogs/hive/hive_plain_table.h"

#include <set>
#include <vector>

#include "frazil/base/byte_text.h"
#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::catalogs {
namespace {

using namespace hive;

constexpr const char* kProvider = "spark.sql.sources.provider";
constexpr const char* kSchema = "spark.sql.sources.schema";

/// The columns as Spark writes them: in one parameter, or in parts where that would be too long.
std::string SchemaText(const std::map<std::string, std::string>& parameters) {
  auto text = [&](const std::string& key) {
    auto found = parameters.find(key);
    return found == parameters.end() ? std::string() : found->second;
  };
  std::string whole = text(kSchema);
  if (!whole.empty()) return whole;
  const auto parts = ParseInteger<int>(text(std::string(kSchema) + ".numParts")).value_or(0);
  for (int i = 0; i < parts; ++i) whole += text(std::string(kSchema) + ".part." + std::to_string(i));
  return whole;
}

/// Input format, output format and SerDe by which Hive reads the files.
struct HiveFormat {
  const char* input;
  const char* output;
  const char* serde;
};

HiveFormat FormatOf(const std::string& provider) {
  if (EqualsIgnoreCase(provider, "parquet")) {
    return {"org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
            "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
            "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"};
  }
  if (EqualsIgnoreCase(provider, "orc")) {
    return {"org.apache.hadoop.hive.ql.io.orc.OrcInputFormat", "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
            "org.apache.hadoop.hive.ql.io.orc.OrcSerde"};
  }
  // Spark writes these for what Hive cannot read as Spark does.
  return {"org.apache.hadoop.mapred.SequenceFileInputFormat",
          "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat",
          "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"};
}

ThriftValue ColumnOf(const StructField& field) {
  return ThriftValue::Struct({{int16_t{1}, ThriftValue::String(AsciiLower(field.name))},
                              {int16_t{2}, ThriftValue::String(field.type->SimpleString())}});
}

ThriftValue StorageAt(const ThriftValue& storage, const std::string& location) {
  ThriftValue result = storage;
  result.fields[storage_descriptor::kLocation] = ThriftValue::String(location);
  return result;
}

}  // namespace

bool IsPlainHiveTable(const ThriftValue& entry) {
  const auto parameters = entry.At(table::kParameters).ToStringMap();
  return parameters.contains(kProvider) && !SchemaText(parameters).empty();
}

Result<tables::TableDefinition> PlainDefinitionOf(const ThriftValue& entry) {
  const auto parameters = entry.At(table::kParameters).ToStringMap();
  tables::TableDefinition definition;
  definition.provider = parameters.at(kProvider);
  FRAZIL_ASSIGN_OR_RETURN(definition.schema, DataType::FromJson(SchemaText(parameters)));
  definition.location = entry.At(table::kStorage).At(storage_descriptor::kLocation).text;
  definition.is_external = EqualsIgnoreCase(entry.At(table::kType).text, "EXTERNAL_TABLE");
  for (const auto& key : entry.At(table::kPartitionKeys).items) {
    tables::PartitionField field;
    field.name = key.At(1).text;
    // The Metastore folds names; the columns have them as they were written.
    for (const auto& column : definition.schema->fields()) {
      if (EqualsIgnoreCase(column.name, field.name)) field.name = column.name;
    }
    field.source = {field.name};
    definition.partitioning.push_back(std::move(field));
  }
  for (const auto& [key, value] : parameters) {
    if (key == "comment") {
      definition.comment = value;
    } else if (!key.starts_with("spark.sql.") && key != "EXTERNAL" && key != "transient_lastDdlTime") {
      definition.properties[key] = value;
    }
  }
  const auto& serde = entry.At(table::kStorage).At(storage_descriptor::kSerDe);
  for (const auto& [key, value] : serde.At(3).ToStringMap()) {
    if (key != "path" && key != "serialization.format") definition.options[key] = value;
  }
  return definition;
}

ThriftValue PlainHiveTable(const std::string& database, const std::string& name, const std::string& owner,
                           const tables::TableDefinition& definition) {
  std::set<std::string, IgnoreCaseLess> partition_names;
  std::map<std::string, std::string> parameters = definition.properties;
  parameters[kProvider] = AsciiLower(definition.provider);
  parameters[kSchema] = definition.schema->Json();
  if (!definition.comment.empty()) parameters["comment"] = definition.comment;
  std::vector<ThriftValue> keys, columns;
  for (const auto& field : definition.partitioning) {
    if (!field.source.empty()) partition_names.insert(field.source[0]);
  }
  for (const auto& field : definition.schema->fields())
    (partition_names.contains(field.name) ? keys : columns).push_back(ColumnOf(field));
  if (!keys.empty()) {
    parameters["spark.sql.sources.schema.numPartCols"] = std::to_string(keys.size());
    for (size_t i = 0; i < definition.partitioning.size(); ++i)
      parameters["spark.sql.sources.schema.partCol." + std::to_string(i)] = definition.partitioning[i].source[0];
    // Partitions are found by the Metastore as well.
    parameters["spark.sql.partitionProvider"] = "catalog";
  }
  if (definition.is_external) parameters["EXTERNAL"] = "TRUE";
  auto serde = definition.options;
  serde["serialization.format"] = "1";
  serde["path"] = definition.location.value_or("");
  const HiveFormat format = FormatOf(definition.provider);
  const ThriftValue now = ThriftValue::I32(static_cast<int32_t>(NowMicros() / 1000000));
  return ThriftValue::Struct(
      {{table::kName, ThriftValue::String(name)},
       {table::kDatabase, ThriftValue::String(database)},
       {table::kOwner, ThriftValue::String(owner)},
       {table::kCreateTime, now},
       {table::kStorage,
        ThriftValue::Struct(
            {{storage_descriptor::kColumns, ThriftValue::List(ThriftType::kStruct, std::move(columns))},
             {storage_descriptor::kLocation, ThriftValue::String(definition.location.value_or(""))},
             {storage_descriptor::kInputFormat, ThriftValue::String(format.input)},
             {storage_descriptor::kOutputFormat, ThriftValue::String(format.output)},
             {storage_descriptor::kSerDe, ThriftValue::Struct({{int16_t{2}, ThriftValue::String(format.serde)},
                                                               {int16_t{3}, ThriftValue::StringMap(serde)}})}})},
       {table::kPartitionKeys, ThriftValue::List(ThriftType::kStruct, std::move(keys))},
       {table::kParameters, ThriftValue::StringMap(parameters)},
       {table::kType, ThriftValue::String(definition.is_external ? "EXTERNAL_TABLE" : "MANAGED_TABLE")}});
}

PlainTableCommitPoint::PlainTableCommitPoint(std::shared_ptr<HiveMetastore> metastore, storage::ObjectStorePtr store,
                                             ThriftValue entry, bool exists)
    : metastore_(std::move(metastore)), store_(std::move(store)), entry_(std::move(entry)), exists_(exists) {}

Result<tables::CommitState> PlainTableCommitPoint::Swap(const std::optional<std::string>&, const std::string&,
                                                        std::string*) {
  if (!exists_) {
    FRAZIL_ASSIGN_OR_RETURN(auto made, metastore_->CreateTable(entry_));
    if (made.exception == "AlreadyExistsException") return tables::CommitState::kConflict;
    if (!made.ok()) return metastore_->ErrorOf("create_table", made);
    exists_ = true;
  }
  FRAZIL_RETURN_IF_ERROR(AddPartitions());
  return tables::CommitState::kCommitted;
}

Status PlainTableCommitPoint::AddPartitions() {
  const auto& keys = entry_.At(table::kPartitionKeys).items;
  if (keys.empty()) return {};
  const std::string database = entry_.At(table::kDatabase).text, name = entry_.At(table::kName).text;
  const ThriftValue& storage = entry_.At(table::kStorage);
  const std::string location = storage.At(storage_descriptor::kLocation).text;
  FRAZIL_ASSIGN_OR_RETURN(auto known, metastore_->GetPartitionNames(database, name));
  if (!known.ok()) return metastore_->ErrorOf("get_partition_names", known);
  std::set<std::string> names;
  for (const auto& item : known.result.items) names.insert(item.text);
  const std::string root = storage::LocalPath(location);
  FRAZIL_ASSIGN_OR_RETURN(auto files, store_->List(root, true));
  std::vector<ThriftValue> fresh;
  for (const auto& file : files) {
    if (file.path.size() <= root.size() + 1) continue;
    const auto parts = Split(file.path.substr(root.size() + 1), '/');
    if (parts.size() != keys.size() + 1 || parts.back().starts_with('_') || parts.back().starts_with('.')) continue;
    std::vector<ThriftValue> values;
    std::string folder;
    for (size_t i = 0; i < keys.size(); ++i) {
      const size_t equals = parts[i].find('=');
      if (equals == std::string::npos) break;
      values.push_back(ThriftValue::String(PercentDecode(parts[i].substr(equals + 1))));
      folder += (folder.empty() ? "" : "/") + parts[i];
    }
    if (values.size() != keys.size() || !names.insert(folder).second) continue;
    fresh.push_back(ThriftValue::Struct({{int16_t{1}, ThriftValue::List(ThriftType::kString, std::move(values))},
                                         {int16_t{2}, ThriftValue::String(database)},
                                         {int16_t{3}, ThriftValue::String(name)},
                                         {int16_t{6}, StorageAt(storage, storage::JoinPath(location, folder))},
                                         {int16_t{7}, ThriftValue::StringMap({})}}));
  }
  if (fresh.empty()) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto added, metastore_->AddPartitions(std::move(fresh)));
  // Another writer may have added one of them in between.
  if (added.ok() || added.exception == "AlreadyExistsException") return {};
  return metastore_->ErrorOf("add_partitions", added);
}

}  // namespace frazil::catalogs
