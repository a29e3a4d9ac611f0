#include "frazil/commands/schema_evolution.h"

#include "frazil/base/text.h"
#include "frazil/commands/table_definition.h"

namespace frazil::commands {
namespace {

bool IsTrue(const std::map<std::string, std::string>& options, const char* key) {
  auto found = options.find(key);
  return found != options.end() && EqualsIgnoreCase(found->second, "true");
}

/// The type that takes the values of both, where a column may become that wide (Iceberg's type promotions).
DataTypePtr Promoted(const DataTypePtr& table, const DataTypePtr& rows) {
  const bool to_long = table->id() == TypeId::kInteger && rows->id() == TypeId::kLong;
  const bool to_double = table->id() == TypeId::kFloat && rows->id() == TypeId::kDouble;
  const bool wider_decimal = table->id() == TypeId::kDecimal && rows->id() == TypeId::kDecimal &&
                             table->scale() == rows->scale() && table->precision() < rows->precision();
  return to_long || to_double || wider_decimal ? rows : table;
}

}  // namespace

DataTypePtr MergeSchemas(const DataTypePtr& table, const DataTypePtr& rows, bool promotes) {
  const bool nested = table->id() == TypeId::kStruct || table->id() == TypeId::kArray || table->id() == TypeId::kMap;
  if (promotes && !nested) return Promoted(table, rows);
  if (table->id() != rows->id()) return table;
  switch (table->id()) {
    case TypeId::kStruct: {
      std::vector<StructField> fields = table->fields();
      for (const auto& field : rows->fields()) {
        int index = table->FieldIndex(field.name);
        if (index >= 0) {
          auto& mine = fields[static_cast<size_t>(index)].type;
          mine = MergeSchemas(mine, field.type, promotes);
        } else if (field.type->id() != TypeId::kNull) {
          fields.push_back(field);
          fields.back().nullable = true;
        }
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeId::kArray:
      return DataType::Array(MergeSchemas(table->element_type(), rows->element_type(), promotes),
                             table->contains_null());
    case TypeId::kMap:
      return DataType::Map(MergeSchemas(table->key_type(), rows->key_type(), promotes),
                           MergeSchemas(table->value_type(), rows->value_type(), promotes),
                           table->value_contains_null());
    default:
      return table;
  }
}

Status EvolveSchema(const tables::Table& table, const DataType& rows, const std::vector<std::string>& partition_columns,
                    bool by_name, tables::WriteOptions* options, const CommandContext& context) {
  const DataTypePtr row_type = DataType::Struct(rows.fields());
  if (!table.capabilities().schema_evolution) {
    // Iceberg: the table must allow it, and the write must ask for it.
    const bool asks = IsTrue(options->options, "merge-schema") || IsTrue(options->options, "mergeschema");
    if (!table.capabilities().any_schema || !by_name || !asks) return {};
    DataTypePtr merged = MergeSchemas(table.schema(), row_type, /*promotes=*/true);
    if (!merged->Equals(*table.schema())) options->schema = std::move(merged);
    return {};
  }
  std::vector<std::string> present;
  for (const auto& field : table.partitioning()) present.push_back(field.source[0]);
  if (IsTrue(options->options, "overwriteschema") && options->mode != tables::WriteMode::kAppend) {
    if (options->mode == tables::WriteMode::kOverwriteDynamic)
      return Error::Of("DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE");
    if (options->filter != nullptr && options->filter->op != PredicateOp::kTrue)
      return Error::Of("DELTA_METADATA_MISMATCH.OVERWRITE_REQUIRED");
    options->schema = AsNullable(row_type);
    options->partition_columns = partition_columns;
    return {};
  }
  if (!partition_columns.empty() && !std::equal(partition_columns.begin(), partition_columns.end(), present.begin(),
                                                present.end(), EqualsIgnoreCase)) {
    return Error::Of(
        "DELTA_METADATA_MISMATCH.PARTITIONING_MISMATCH",
        {{"provided", "[" + Join(partition_columns, ", ") + "]"}, {"original", "[" + Join(present, ", ") + "]"}});
  }
  if (!by_name) return {};
  bool merges =
      options->options.contains("mergeschema")
          ? IsTrue(options->options, "mergeschema")
          : EqualsIgnoreCase(context.GetConfig("spark.databricks.delta.schema.autoMerge.enabled").value_or("false"),
                             "true");
  if (!merges) return table.CheckRows(rows);
  DataTypePtr merged = MergeSchemas(table.schema(), row_type);
  if (!merged->Equals(*table.schema())) options->schema = std::move(merged);
  return {};
}

}  // namespace frazil::commands
