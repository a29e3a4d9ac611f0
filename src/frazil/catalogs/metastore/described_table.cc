#include "frazil/catalogs/metastore/described_table.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/metastore/hive_formats.h"
#include "frazil/catalogs/metastore/hive_types.h"

namespace frazil::catalogs {
namespace {

using Parameters = std::map<std::string, std::string>;

constexpr const char* kProvider = "spark.sql.sources.provider";
constexpr const char* kSchema = "spark.sql.sources.schema";

std::string Find(const Parameters& parameters, const std::string& key) {
  const auto found = parameters.find(key);
  return found == parameters.end() ? std::string() : found->second;
}

/// The columns as Spark writes them: in one parameter, or in parts where that would be too long.
std::string SchemaText(const Parameters& parameters) {
  std::string whole = Find(parameters, kSchema);
  if (!whole.empty()) return whole;
  const auto parts = ParseInteger<int>(Find(parameters, std::string(kSchema) + ".numParts")).value_or(0);
  for (int i = 0; i < parts; ++i) whole += Find(parameters, std::string(kSchema) + ".part." + std::to_string(i));
  return whole;
}

/// What Hive notes of a table's size.
bool IsHiveStatistic(std::string_view key) {
  return key == "numFiles" || key == "numRows" || key == "rawDataSize" || key == "totalSize" ||
         key == "numPartitions" || key == "COLUMN_STATS_ACCURATE" || key == "STATS_GENERATED_VIA_STATS_TASK" ||
         key == "STATS_GENERATED" || key == "numFilesErasureCoded";
}

/// Parameters that say how the entry works, and are no properties of the table.
bool IsOwnParameter(std::string_view key) {
  return key == "comment" || key == "EXTERNAL" || key == "transient_lastDdlTime" || key.starts_with("spark.sql.") ||
         IsHiveStatistic(key);
}

Result<DataTypePtr> ColumnsOf(const HiveTable& entry, bool all_text) {
  std::vector<StructField> fields;
  for (const auto* columns : {&entry.storage.columns, &entry.partition_keys}) {
    for (const auto& column : *columns) {
      DataTypePtr type = DataType::String();
      if (!all_text || columns == &entry.partition_keys) {
        FRAZIL_ASSIGN_OR_RETURN(type, ParseHiveType(column.type));
      }
      fields.emplace_back(column.name, std::move(type), true);
      if (!column.comment.empty()) fields.back().SetComment(column.comment);
    }
  }
  return DataType::Struct(std::move(fields));
}

/// Spark's own schema of one of Hive's tables says how names are written and nothing more: it counts as long as the
/// entry's columns are still the same.
bool SameColumns(const DataType& spark, const DataType& hive) {
  if (spark.fields().size() != hive.fields().size()) return false;
  return std::all_of(hive.fields().begin(), hive.fields().end(), [&](const StructField& field) {
    const int index = spark.FieldIndex(field.name);
    return index >= 0 && EqualsIgnoreCase(spark.fields()[index].type->SimpleString(), field.type->SimpleString());
  });
}

Status CheckReadable(const HiveTable& entry) {
  if (EqualsIgnoreCase(Find(entry.parameters, "transactional"), "true"))
    return Error::Unsupported("transactional tables of Hive");
  return {};
}

Status ReadHiveFormat(const HiveTable& entry, tables::TableDefinition* definition) {
  FRAZIL_RETURN_IF_ERROR(CheckReadable(entry));
  FRAZIL_ASSIGN_OR_RETURN(auto kind, FileKindOf(entry.storage, entry.parameters));
  definition->provider = kind.provider;
  definition->options = kind.options;
  FRAZIL_ASSIGN_OR_RETURN(definition->schema, ColumnsOf(entry, kind.all_text));
  if (kind.options.contains("hivetext")) FRAZIL_RETURN_IF_ERROR(CheckTextColumns(*definition->schema));
  if (const std::string text = SchemaText(entry.parameters); !text.empty()) {
    auto spark = DataType::FromJson(text);
    if (spark.ok() && SameColumns(**spark, *definition->schema)) definition->schema = *std::move(spark);
  }
  return {};
}

Status ReadSparkFormat(const HiveTable& entry, tables::TableDefinition* definition) {
  definition->provider = AsciiLower(Find(entry.parameters, kProvider));
  if (const std::string text = SchemaText(entry.parameters); !text.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(definition->schema, DataType::FromJson(text));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(definition->schema, ColumnsOf(entry, false));
  }
  for (const auto& [key, value] : entry.storage.serde_parameters) {
    if (key != "path" && key != "serialization.format") definition->options[key] = value;
  }
  return {};
}

HiveColumn ColumnOf(const StructField& field) {
  return {AsciiLower(field.name), field.type->SimpleString(), field.Comment()};
}

void PutColumns(const tables::TableDefinition& definition, HiveTable* entry) {
  std::set<std::string, IgnoreCaseLess> partition_names;
  for (const auto& field : definition.partitioning) {
    if (!field.source.empty()) partition_names.insert(field.source[0]);
  }
  entry->storage.columns.clear();
  entry->partition_keys.clear();
  // Delta's columns are in its log; Spark writes this in their place.
  if (definition.provider == "delta") {
    entry->storage.columns.push_back({"col", "array<string>", "from deserializer"});
    return;
  }
  for (const auto& field : definition.schema->fields())
    (partition_names.contains(field.name) ? entry->partition_keys : entry->storage.columns).push_back(ColumnOf(field));
}

void PutSchema(const tables::TableDefinition& definition, Parameters* parameters) {
  std::erase_if(*parameters, [](const auto& item) {
    return item.first == kSchema || item.first.starts_with(std::string(kSchema) + ".numParts") ||
           item.first.starts_with(std::string(kSchema) + ".part.");
  });
  // A Metastore may keep 4000 characters of a value.
  constexpr size_t kLongest = 4000;
  const std::string text = definition.provider == "delta" ? DataType::Struct({})->Json() : definition.schema->Json();
  if (text.size() <= kLongest) {
    (*parameters)[kSchema] = text;
    return;
  }
  size_t parts = 0;
  for (size_t at = 0; at < text.size(); at += kLongest)
    (*parameters)[std::string(kSchema) + ".part." + std::to_string(parts++)] = text.substr(at, kLongest);
  (*parameters)[std::string(kSchema) + ".numParts"] = std::to_string(parts);
}

}  // namespace

bool IsDescribedTable(const HiveTable& entry) {
  const std::string kind = Find(entry.parameters, "table_type");
  return entry.type != "VIRTUAL_VIEW" && entry.type != "MATERIALIZED_VIEW" && !EqualsIgnoreCase(kind, "iceberg") &&
         !EqualsIgnoreCase(kind, "iceberg-view");
}

bool HasProvider(const HiveTable& entry) { return !Find(entry.parameters, kProvider).empty(); }

Result<tables::TableDefinition> DefinitionOf(const HiveTable& entry) {
  tables::TableDefinition definition;
  FRAZIL_RETURN_IF_ERROR(HasProvider(entry) ? ReadSparkFormat(entry, &definition) : ReadHiveFormat(entry, &definition));
  definition.location = entry.storage.location;
  if (definition.location->empty()) definition.location = Find(entry.storage.serde_parameters, "path");
  definition.is_external = EqualsIgnoreCase(entry.type, "EXTERNAL_TABLE");
  for (const auto& key : entry.partition_keys) {
    tables::PartitionField field;
    field.name = key.name;
    // The Metastore folds names; the columns have them as they were written.
    for (const auto& column : definition.schema->fields()) {
      if (EqualsIgnoreCase(column.name, field.name)) field.name = column.name;
    }
    if (definition.schema->FieldIndex(field.name) < 0)
      return Error::Storage("the partition column " + key.name + " of " + entry.database + "." + entry.name +
                            " is no column of the table");
    field.source = {field.name};
    definition.partitioning.push_back(std::move(field));
  }
  definition.comment = Find(entry.parameters, "comment");
  for (const auto& [key, value] : entry.parameters) {
    if (!IsOwnParameter(key)) definition.properties[key] = value;
  }
  return definition;
}

Result<HiveTable> EntryOf(const std::string& database, const std::string& name, const std::string& owner,
                          const tables::TableDefinition& definition) {
  HiveTable entry;
  entry.database = database;
  entry.name = name;
  entry.owner = owner;
  entry.type = definition.is_external ? "EXTERNAL_TABLE" : "MANAGED_TABLE";
  if (EqualsIgnoreCase(definition.provider, "hive")) {
    FRAZIL_ASSIGN_OR_RETURN(entry.storage, StorageOfOptions(definition.options));
    entry.storage.serde_parameters.try_emplace("serialization.format", "1");
    // Hive folds the names of columns; Spark reads here how they were written.
    entry.parameters[kSchema] = "{}";
  } else {
    SetFormat(definition.provider, &entry.storage);
    entry.storage.serde_parameters = definition.options;
    entry.storage.serde_parameters["serialization.format"] = "1";
    entry.parameters[kProvider] = AsciiLower(definition.provider);
  }
  if (definition.is_external) entry.parameters["EXTERNAL"] = "TRUE";
  UpdateEntry(definition, &entry);
  if (!entry.partition_keys.empty()) {
    entry.parameters["spark.sql.sources.schema.numPartCols"] = std::to_string(entry.partition_keys.size());
    for (size_t i = 0; i < definition.partitioning.size(); ++i)
      entry.parameters["spark.sql.sources.schema.partCol." + std::to_string(i)] = definition.partitioning[i].source[0];
    // Partitions are those of the Metastore.
    entry.parameters["spark.sql.partitionProvider"] = "catalog";
  }
  return entry;
}

void UpdateEntry(const tables::TableDefinition& definition, HiveTable* entry) {
  const bool spark = HasProvider(*entry);
  const bool had_schema = !SchemaText(entry->parameters).empty();
  PutColumns(definition, entry);
  std::erase_if(entry->parameters, [](const auto& item) { return !IsOwnParameter(item.first); });
  for (const auto& [key, value] : definition.properties) entry->parameters[key] = value;
  entry->parameters.erase("comment");
  if (!definition.comment.empty()) entry->parameters["comment"] = definition.comment;
  if (spark || had_schema) PutSchema(definition, &entry->parameters);
  entry->storage.location = definition.location.value_or("");
  // The Metastore's own file system is not ours: a bare path would be taken for one of it.
  if (entry->storage.location.starts_with('/')) entry->storage.location = "file:" + entry->storage.location;
  if (spark) entry->storage.serde_parameters["path"] = entry->storage.location;
}

bool DropStatistics(Parameters* parameters) {
  return std::erase_if(*parameters, [](const auto& item) {
           return IsHiveStatistic(item.first) || item.first.starts_with("spark.sql.statistics.");
         }) > 0;
}

}  // namespace frazil::catalogs
