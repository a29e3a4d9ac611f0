#include "frazil/tables/delta/new_metadata.h"

#include <algorithm>
#include <set>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/tables/delta/checkpoint.h"
#include "frazil/tables/delta/column_mapping.h"
#include "frazil/tables/delta/generated_columns.h"
#include "frazil/tables/delta/iceberg_compat.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {
namespace {

/// Names of Delta's table properties without "delta.". Source: https://docs.delta.io/latest/table-properties.html and
/// DeltaConfigs.
const std::set<std::string, std::less<>>& KnownProperties() {
  static const std::set<std::string, std::less<>> names = {"appendOnly",
                                                           "autoOptimize",
                                                           "autoOptimize.autoCompact",
                                                           "autoOptimize.optimizeWrite",
                                                           "castIcebergTimeType",
                                                           "checkpoint.writeStatsAsJson",
                                                           "checkpoint.writeStatsAsStruct",
                                                           "checkpointInterval",
                                                           "checkpointPolicy",
                                                           "checkpointRetentionDuration",
                                                           "columnMapping.maxColumnId",
                                                           "columnMapping.mode",
                                                           "compatibility.symlinkFormatManifest.enabled",
                                                           "dataSkippingNumIndexedCols",
                                                           "dataSkippingStatsColumns",
                                                           "deletedFileRetentionDuration",
                                                           "dropFeatureTruncateHistory.retentionDuration",
                                                           "enableChangeDataFeed",
                                                           "enableDeletionVectors",
                                                           "enableExpiredLogCleanup",
                                                           "enableFullRetentionRollback",
                                                           "enableIcebergCompatV1",
                                                           "enableIcebergCompatV2",
                                                           "enableIcebergCompatV3",
                                                           "enableInCommitTimestamps",
                                                           "enableRowTracking",
                                                           "enableTypeWidening",
                                                           "enableVariantShredding",
                                                           "inCommitTimestampEnablementTimestamp",
                                                           "inCommitTimestampEnablementVersion",
                                                           "isolationLevel",
                                                           "logRetentionDuration",
                                                           "minReaderVersion",
                                                           "minWriterVersion",
                                                           "parquet.compression.codec",
                                                           "parquet.format.version",
                                                           "randomizeFilePrefixes",
                                                           "randomPrefixLength",
                                                           "requireCheckpointProtectionBeforeVersion",
                                                           "sampling.enabled",
                                                           "sampleRetentionDuration",
                                                           "setTransactionRetentionDuration",
                                                           "targetFileSize",
                                                           "tuneFileSizesForRewrites",
                                                           "universalFormat.enabledFormats",
                                                           "universalFormat.iceberg.atomicConversion.supported",
                                                           "rowTracking.materializedRowCommitVersionColumnName",
                                                           "rowTracking.materializedRowIdColumnName",
                                                           "rowTrackingSuspended"};
  return names;
}

Status CheckType(const std::string& column, const DataType& type) {
  switch (type.id()) {
    case TypeId::kCalendarInterval:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kTime:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kNull:
      return Error::Of("DELTA_UNSUPPORTED_DATA_TYPES",
                       {{"dataTypeList", "[" + type.Sql() + " in column " + column + "]"}});
    case TypeId::kArray:
      return CheckType(column, *type.element_type());
    case TypeId::kMap:
      FRAZIL_RETURN_IF_ERROR(CheckType(column, *type.key_type()));
      return CheckType(column, *type.value_type());
    case TypeId::kStruct:
      for (const auto& field : type.fields()) FRAZIL_RETURN_IF_ERROR(CheckType(column + "." + field.name, *field.type));
      return {};
    default:
      return {};
  }
}

void CollectNames(const DataType& type, std::vector<std::string>* names) {
  switch (type.id()) {
    case TypeId::kArray:
      return CollectNames(*type.element_type(), names);
    case TypeId::kMap:
      CollectNames(*type.key_type(), names);
      return CollectNames(*type.value_type(), names);
    case TypeId::kStruct:
      for (const auto& field : type.fields()) {
        names->push_back(field.name);
        CollectNames(*field.type, names);
      }
      return;
    default:
      return;
  }
}

}  // namespace

Status CheckProperty(const std::string& key) {
  if (!key.starts_with("delta.") || key.starts_with("delta.constraints.") || key.starts_with("delta.feature."))
    return {};
  if (KnownProperties().contains(std::string_view(key).substr(6))) return {};
  return Error::Of(
      "DELTA_UNKNOWN_CONFIGURATION",
      {{"config", key}, {"disableCheckConfig", "spark.databricks.delta.allowArbitraryProperties.enabled"}});
}

Status CheckProperty(const std::string& key, const std::string& value) {
  FRAZIL_RETURN_IF_ERROR(CheckProperty(key));
  // Source: DeltaConfigs, with what each says of a bad value.
  static const std::set<std::string, std::less<>> truths = {"appendOnly",
                                                            "checkpoint.writeStatsAsJson",
                                                            "checkpoint.writeStatsAsStruct",
                                                            "compatibility.symlinkFormatManifest.enabled",
                                                            "enableChangeDataFeed",
                                                            "enableDeletionVectors",
                                                            "enableExpiredLogCleanup",
                                                            "enableIcebergCompatV1",
                                                            "enableIcebergCompatV2",
                                                            "enableIcebergCompatV3",
                                                            "enableInCommitTimestamps",
                                                            "enableRowTracking",
                                                            "enableTypeWidening",
                                                            "enableVariantShredding",
                                                            "randomizeFilePrefixes"};
  static const std::set<std::string, std::less<>> intervals = {"checkpointRetentionDuration",
                                                               "deletedFileRetentionDuration", "logRetentionDuration"};
  if (!key.starts_with("delta.")) return {};
  const std::string_view name = std::string_view(key).substr(6);
  const auto refused = [](const std::string& message) {
    return Error::Plain(ExceptionClass::kIllegalArgument, message);
  };
  if (truths.contains(name) && !EqualsIgnoreCase(value, "true") && !EqualsIgnoreCase(value, "false"))
    return refused("For input string: \"" + value + "\"");
  if (intervals.contains(name) && !IntervalMillis(value)) {
    return refused(std::string(name) +
                   " needs to be provided as a calendar interval such as '2 weeks'. Months and years are not "
                   "accepted. You may specify '365 days' for a year instead.");
  }
  const auto number = ParseInteger<int64_t>(value);
  if (name == "checkpointInterval" && (!number || *number <= 0))
    return refused(std::string(name) + " needs to be a positive integer.");
  if (name == "dataSkippingNumIndexedCols" && (!number || *number < -1))
    return refused(std::string(name) + " needs to be larger than or equal to -1.");
  return {};
}

Result<std::string> SchemaString(const DataTypePtr& schema, bool has_column_mapping) {
  std::vector<std::string> names, bad;
  CollectNames(*schema, &names);
  for (const auto& name : names) {
    if (!has_column_mapping && name.find_first_of(" ,;{}()\n\t=") != std::string::npos) bad.push_back(name);
  }
  if (!bad.empty())
    return Error::Of("DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", {{"invalidColumnNames", Join(bad, ", ")}});
  std::vector<StructField> fields = schema->fields();
  for (auto& field : fields) {
    FRAZIL_RETURN_IF_ERROR(CheckType(field.name, *field.type));
    if (field.type->IsString() && field.type->length_kind() != StringLength::kUnbounded) {
      field.metadata[kCharVarcharKey] = JsonString(field.type->SimpleString());
      field.type = DataType::String();
    }
  }
  return DataType::Struct(std::move(fields))->Json();
}

Result<Metadata> ClonedMetadata(const TableDefinition& definition, const Metadata& cloned, const Metadata* replaced) {
  Metadata metadata = cloned;
  metadata.id = replaced != nullptr ? replaced->id : RandomUuidText();
  metadata.created_time = replaced != nullptr ? replaced->created_time : NowMicros() / 1000;
  for (const auto& [key, value] : definition.properties) {
    FRAZIL_RETURN_IF_ERROR(CheckProperty(key, value));
    metadata.configuration[key] = value;
  }
  FRAZIL_RETURN_IF_ERROR(CheckModeChange(&cloned, metadata));
  return metadata;
}

Result<Metadata> NewMetadata(const TableContext& context, const TableDefinition& definition, const Metadata* replaced) {
  Metadata metadata;
  metadata.id = replaced != nullptr ? replaced->id : RandomUuidText();
  metadata.created_time = replaced != nullptr ? replaced->created_time : NowMicros() / 1000;
  if (!definition.comment.empty()) metadata.description = definition.comment;
  for (const auto& field : definition.partitioning) {
    if (field.transform != TransformKind::kIdentity || field.source.size() != 1) {
      return Error::Unsupported("partitioning of Delta tables by transforms: " + field.name);
    }
    int index = definition.schema->FieldIndex(field.source[0]);
    if (index < 0) {
      return Error::Of("DELTA_PARTITION_COLUMN_NOT_FOUND", {{"columnName", QuoteIdentifier(field.source[0])},
                                                            {"schemaMap", definition.schema->SimpleString()}});
    }
    const StructField& column = definition.schema->fields()[static_cast<size_t>(index)];
    if (column.type->IsComplex() || column.type->id() == TypeId::kVariant) {
      return Error::Of("INVALID_PARTITION_COLUMN_DATA_TYPE", {{"type", "\"" + column.type->Sql() + "\""}});
    }
    metadata.partition_columns.push_back(column.name);
  }
  if (!metadata.partition_columns.empty() && metadata.partition_columns.size() == definition.schema->fields().size()) {
    return Error::Of("DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION");
  }
  if (!metadata.partition_columns.empty() && !definition.clustering_columns.empty())
    return Error::Of("DELTA_CLUSTER_BY_WITH_PARTITIONED_BY");
  for (const auto& column : GeneratedColumnsOf(*definition.schema)) {
    const auto& names = metadata.partition_columns;
    if (column.is_identity && std::find(names.begin(), names.end(), column.name) != names.end())
      return Error::Of("DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED", {{"colName", column.name}});
  }
  // Defaults of the session, below what the statement says.
  for (const auto& name : KnownProperties()) {
    auto value =
        context.settings ? context.settings("spark.databricks.delta.properties.defaults." + name) : std::nullopt;
    if (value) metadata.configuration["delta." + name] = *value;
  }
  for (const auto& [key, value] : definition.properties) {
    FRAZIL_RETURN_IF_ERROR(CheckProperty(key, value));
    metadata.configuration[key] = value;
  }
  for (const auto& [key, value] : definition.options) {
    if (!key.starts_with("delta.")) continue;
    FRAZIL_RETURN_IF_ERROR(CheckProperty(key, value));
    metadata.configuration[key] = value;
  }
  CompleteIcebergCompat(&metadata);
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata));
  // A table that is replaced never gives an id twice, so that its former versions stay what they are.
  const std::string* used = replaced != nullptr ? replaced->Property("delta.columnMapping.maxColumnId") : nullptr;
  if (used != nullptr && mapping != ColumnMapping::kNone)
    metadata.configuration.emplace("delta.columnMapping.maxColumnId", *used);
  FRAZIL_ASSIGN_OR_RETURN(auto schema, WithColumnMapping(definition.schema, &metadata));
  FRAZIL_ASSIGN_OR_RETURN(metadata.schema_string, SchemaString(schema, mapping != ColumnMapping::kNone));
  return metadata;
}

}  // namespace frazil::tables::delta
