#include "frazil/commands/table_definition.h"

#include <algorithm>
#include <set>

#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/tables_of_any_provider.h"
#include "frazil/commands/table_writer.h"
#include "frazil/tables/files/file_table.h"

namespace frazil::commands {

namespace {

const StructField* FindField(const DataTypePtr& schema, const std::vector<std::string>& path) {
  const DataType* type = schema.get();
  const StructField* field = nullptr;
  for (const auto& part : path) {
    if (type->id() != TypeId::kStruct) return nullptr;
    int index = type->FieldIndex(part);
    if (index < 0) return nullptr;
    field = &type->fields()[index];
    type = field->type.get();
  }
  return field;
}

Result<int32_t> IntegerArgument(const plan::PartitionTransform& transform) {
  if (transform.arguments.size() != 1 || !std::holds_alternative<int64_t>(transform.arguments[0].storage()) ||
      transform.arguments[0].integer() <= 0) {
    return Error::Plain(ExceptionClass::kAnalysis,
                        "The transform " + transform.transform + " takes one positive number and one column");
  }
  return static_cast<int32_t>(transform.arguments[0].integer());
}

}  // namespace

Result<tables::PartitionField> ToPartitionField(const plan::PartitionTransform& transform) {
  using tables::TransformKind;
  static const std::map<std::string, TransformKind, std::less<>> kTransforms = {
      {"identity", TransformKind::kIdentity}, {"bucket", TransformKind::kBucket},
      {"truncate", TransformKind::kTruncate}, {"year", TransformKind::kYear},
      {"years", TransformKind::kYear},        {"month", TransformKind::kMonth},
      {"months", TransformKind::kMonth},      {"day", TransformKind::kDay},
      {"days", TransformKind::kDay},          {"date", TransformKind::kDay},
      {"hour", TransformKind::kHour},         {"hours", TransformKind::kHour},
      {"date_hour", TransformKind::kHour},    {"void", TransformKind::kVoid}};
  auto found = kTransforms.find(AsciiLower(transform.transform));
  if (found == kTransforms.end()) {
    return Error::Plain(ExceptionClass::kUnsupportedOperation, "Transform is not supported: " + transform.transform);
  }
  tables::PartitionField field;
  field.name = transform.alias;
  field.source = transform.column;
  field.transform = found->second;
  if (field.transform == TransformKind::kBucket || field.transform == TransformKind::kTruncate) {
    FRAZIL_ASSIGN_OR_RETURN(field.parameter, IntegerArgument(transform));
  }
  return field;
}

Result<std::vector<tables::SortField>> ToSortFields(const std::vector<plan::AlterAction::OrderField>& order) {
  std::vector<tables::SortField> fields;
  for (const auto& item : order) {
    tables::SortField field;
    FRAZIL_ASSIGN_OR_RETURN(field.term, ToPartitionField(item.term));
    field.ascending = item.ascending;
    field.nulls_first = item.nulls_first;
    fields.push_back(std::move(field));
  }
  return fields;
}

Result<plan::PartitionTransform> ToPartitionTransform(const plan::ExprPtr& expression) {
  plan::PartitionTransform transform;
  auto refused = [] {
    return Error::Plain(
        ExceptionClass::kAnalysis,
        "partitionedBy takes columns and the transforms years, months, days, hours, bucket and truncate of a column");
  };
  if (expression->kind == plan::ExprKind::kAttribute) {
    transform.column = expression->As<plan::AttributeExpr>().name;
    return transform;
  }
  if (expression->kind != plan::ExprKind::kFunction) return refused();
  const auto& function = expression->As<plan::FunctionExpr>();
  transform.transform = AsciiLower(function.name.back());
  for (const auto& argument : function.arguments) {
    if (argument->kind == plan::ExprKind::kAttribute) {
      transform.column = argument->As<plan::AttributeExpr>().name;
    } else if (argument->kind == plan::ExprKind::kLiteral) {
      transform.arguments.push_back(argument->As<plan::LiteralExpr>().value);
    } else {
      return refused();
    }
  }
  if (transform.column.empty()) return refused();
  return transform;
}

Result<DataTypePtr> SchemaOf(const std::vector<plan::ColumnDefinition>& columns) {
  std::vector<StructField> fields;
  for (const auto& column : columns) {
    StructField field(column.name.back(), column.type, column.nullable);
    if (column.comment.has_value()) field.SetComment(*column.comment);
    if (column.default_text.has_value()) {
      // Kept as text, as Spark does; INSERT reads it.
      field.metadata["CURRENT_DEFAULT"] = JsonString(*column.default_text);
      field.metadata["EXISTS_DEFAULT"] = JsonString(*column.default_text);
    }
    fields.push_back(std::move(field));
  }
  return DataType::Struct(std::move(fields));
}

Status CheckProperties(const std::vector<std::string>& keys, CommandContext& context) {
  static const std::map<std::string, const char*, std::less<>> reserved = {
      {"provider", "please use the USING clause to specify it"},
      {"location", "please use the LOCATION clause to specify it"},
      {"owner", "it will be set to the current user"},
      {"external", "please use CREATE EXTERNAL TABLE"},
      {"collation", "please use the DEFAULT COLLATION clause to specify it"},
      {"is_managed_location", "please remove it from the TBLPROPERTIES list."},
      {"table_type", "please remove it from the TBLPROPERTIES list."},
  };
  if (EqualsIgnoreCase(context.GetConfig("spark.sql.legacy.notReserveProperties").value_or("false"), "true")) return {};
  for (const auto& key : keys) {
    const auto found = reserved.find(key);
    if (found == reserved.end()) continue;
    return Error::Parse("UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", {{"property", key}, {"msg", found->second}});
  }
  return {};
}

Status CheckNamesDiffer(const DataType& schema, bool case_sensitive) {
  std::set<std::string> names;
  for (const auto& field : schema.fields()) {
    const std::string name = case_sensitive ? field.name : AsciiLower(field.name);
    if (!names.insert(name).second) return Error::Of("COLUMN_ALREADY_EXISTS", {{"columnName", QuoteIdentifier(name)}});
  }
  return {};
}

namespace {

/// A definition for a catalog of Iceberg's, as Iceberg's SparkCatalog takes clauses: a provider that is a format of
/// files is the one that they are written in; what would say how Hive stores a table is kept as properties.
Status MakeIceberg(const DefinitionClauses& clauses, tables::TableDefinition* definition) {
  const std::string provider = clauses.is_stored_as ? "iceberg" : AsciiLower(clauses.provider.value_or("iceberg"));
  definition->provider = "iceberg";
  if (provider == "parquet" || provider == "avro" || provider == "orc") {
    definition->properties["write.format.default"] = provider;
  } else if (provider != "iceberg") {
    return Error::Plain(ExceptionClass::kIllegalArgument, "Unsupported format in USING: " + *clauses.provider);
  }
  if (!clauses.is_stored_as) return {};
  static const std::map<std::string, const char*> kOfHive = {{"fileFormat", "hive.stored-as"},
                                                             {"inputFormat", "hive.input-format"},
                                                             {"outputFormat", "hive.output-format"},
                                                             {"serde", "hive.serde"}};
  for (const auto& [key, value] : clauses.options) {
    const auto of_hive = kOfHive.find(key);
    if (EqualsIgnoreCase(key, "path")) continue;
    definition->properties[of_hive != kOfHive.end() ? of_hive->second : "option." + key] = value;
  }
  return {};
}

}  // namespace

Result<tables::TableDefinition> MakeDefinition(const DefinitionClauses& clauses, const catalogs::Catalog& catalog,
                                               CommandContext& context) {
  tables::TableDefinition definition;
  definition.schema = clauses.schema;
  std::set<std::string> names;
  for (const auto& field : clauses.schema->fields()) {
    std::string key = context.settings().case_sensitive ? field.name : AsciiLower(field.name);
    if (!names.insert(key).second) return Error::Of("COLUMN_ALREADY_EXISTS", {{"columnName", QuoteIdentifier(key)}});
  }
  // A catalog of Iceberg's own makes Iceberg tables; the session's what the statement says.
  definition.options = clauses.options;
  for (const auto& [key, value] : clauses.properties) definition.properties[key] = value;
  if (catalog.name() == "spark_catalog" || dynamic_cast<const catalogs::TablesOfAnyProvider*>(&catalog) != nullptr) {
    definition.provider =
        AsciiLower(clauses.provider.value_or(context.GetConfig("spark.sql.sources.default").value_or("parquet")));
  } else {
    FRAZIL_RETURN_IF_ERROR(MakeIceberg(clauses, &definition));
  }
  const bool is_files = definition.provider == "hive" || tables::FileFormatByName(definition.provider).has_value();
  for (const auto& transform : clauses.partitioning) {
    FRAZIL_ASSIGN_OR_RETURN(auto field, ToPartitionField(transform));
    const StructField* source = FindField(clauses.schema, field.source);
    if (source == nullptr) {
      if (!is_files) {
        return Error::Of("_LEGACY_ERROR_TEMP_3060",
                         {{"i", Join(field.source, ".")}, {"schema", SchemaTreeString(*clauses.schema)}});
      }
      std::vector<std::string> columns;
      for (const auto& column : clauses.schema->fields()) columns.push_back(QuoteIdentifier(column.name));
      return Error::Of("COLUMN_NOT_DEFINED_IN_TABLE", {{"colType", "partition"},
                                                       {"colName", QuoteIdentifier(field.source)},
                                                       {"tableName", QuoteIdentifier(clauses.full_name)},
                                                       {"tableCols", Join(columns, ", ")}});
    }
    field.result_type = source->type;
    if (!is_files) {
      const auto is_same = [&](const tables::PartitionField& other) {
        return other.transform == field.transform && EqualsIgnoreCase(Join(other.source, "."), Join(field.source, "."));
      };
      if (std::any_of(definition.partitioning.begin(), definition.partitioning.end(), is_same)) {
        return Error::Of("_LEGACY_ERROR_TEMP_3058",
                         {{"checkType", "in the partitioning"}, {"duplicateColumns", Join(field.source, ".")}});
      }
    }
    definition.partitioning.push_back(std::move(field));
  }
  definition.location = clauses.location;
  // OPTIONS (path '...') is a location too.
  for (auto option = definition.options.begin(); option != definition.options.end();) {
    if (!EqualsIgnoreCase(option->first, "path")) {
      ++option;
      continue;
    }
    if (!definition.location.has_value()) definition.location = option->second;
    option = definition.options.erase(option);
  }
  definition.comment = clauses.comment.value_or("");
  definition.is_external = clauses.is_external || definition.location.has_value();
  if (definition.is_external && !definition.location.has_value() && definition.provider != "iceberg")
    return Error::Of("_LEGACY_ERROR_TEMP_1069");
  return definition;
}

namespace {

/// Files that lie in the place of a new table of plain files would become rows of it.
Status CheckEmptyLocation(const tables::Table& table, CommandContext& context) {
  constexpr const char* kAllowed = "spark.sql.legacy.allowNonEmptyLocationInCTAS";
  if (!tables::FileFormatByName(table.provider())) return {};
  if (EqualsIgnoreCase(context.GetConfig(kAllowed).value_or("false"), "true")) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(table.location(), context.execution().store_settings));
  FRAZIL_ASSIGN_OR_RETURN(const auto found, store->List(table.location(), /*recursive=*/false));
  if (found.empty()) return {};
  const bool is_local = storage::SchemeOf(table.location()).empty();
  return Error::Of("_LEGACY_ERROR_TEMP_1241",
                   {{"tablePath", (is_local ? "file://" : "") + table.location()}, {"config", kAllowed}});
}

}  // namespace

Status CreateTableAsSelect(const analysis::ResolvedIdentifier& name, const tables::TableDefinition& definition,
                           const plan::LogicalPlanPtr& query, bool replace,
                           const std::map<std::string, std::string>& write_options, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto staged, name.catalog->StageTable(name.identifier, definition, replace));
  if (!replace) FRAZIL_RETURN_IF_ERROR(CheckEmptyLocation(*staged.table, context));
  tables::WriteOptions options;
  options.mode = replace ? tables::WriteMode::kReplaceTable : tables::WriteMode::kAppend;
  options.operation = "create";
  // Those of "hive" say how the table is stored, and are its own.
  if (definition.provider != "hive") options.options = LowerKeys(write_options);
  // The table may keep other types than the query's (Iceberg has no TINYINT), and another order of columns.
  analysis::InsertShape shape;
  shape.table = {QuoteIdentifier(catalogs::FullName(*name.catalog, name.identifier))};
  shape.table_schema = staged.table->schema();
  shape.by_name = true;
  FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ShapeForTable(query, shape, context));
  return WriteRows(*staged.table, options, rows, context);
}

}  // namespace frazil::commands
