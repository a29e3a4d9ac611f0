#include "frazil/commands/schema_evolution.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/commands/table_definition.h"
#include "frazil/types/cast_rules.h"

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

/// The size of the integers that Parquet stores in four bytes; 0 for other types.
int SmallIntegerBytes(const DataType& type) {
  if (type.id() == TypeId::kByte) return 1;
  if (type.id() == TypeId::kShort) return 2;
  return type.id() == TypeId::kInteger ? 4 : 0;
}

enum class Merging { kFits, kWidens, kFails };

/// Whether values of a type go into a column as they are. Source: Delta's SchemaMergingUtils.mergeSchemas.
Merging MergingOf(const DataType& column, const DataType& rows) {
  if (rows.id() == TypeId::kNull || SameType(column, rows)) return Merging::kFits;
  if (column.IsString() && rows.IsString()) return Merging::kFits;
  const int bytes = SmallIntegerBytes(column), incoming = SmallIntegerBytes(rows);
  if (bytes > 0 && incoming > 0) return incoming > bytes ? Merging::kWidens : Merging::kFits;
  if (column.id() != rows.id() || !column.IsComplex()) return Merging::kFails;
  Merging worst = Merging::kFits;
  for (size_t i = 0; i < rows.fields().size(); ++i) {
    const int index = column.id() == TypeId::kStruct ? column.FieldIndex(rows.fields()[i].name) : static_cast<int>(i);
    if (index < 0) continue;
    worst = std::max(worst, MergingOf(*column.fields()[static_cast<size_t>(index)].type, *rows.fields()[i].type));
  }
  return worst;
}

}  // namespace

Status CheckMergeable(const tables::Table& table, const DataType& rows,
                      const std::map<std::string, std::string>& options) {
  if (table.provider() != "delta") return {};
  std::vector<std::string> names;
  for (const auto& field : rows.fields()) {
    names.push_back(AsciiLower(field.name));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      return Error::Of("DELTA_DUPLICATE_COLUMNS_FOUND.DATA", {{"duplicateCols", names.back()}});
  }
  const bool replaces_all = IsTrue(options, "overwriteschema") && !options.contains("replacewhere");
  if (replaces_all) return {};
  for (const auto& field : rows.fields()) {
    const int index = table.schema()->FieldIndex(field.name);
    if (index < 0) continue;
    const auto& column = table.schema()->fields()[static_cast<size_t>(index)];
    const auto merging = MergingOf(*column.type, *field.type);
    if (merging == Merging::kFails)
      return Error::Of("DELTA_FAILED_TO_MERGE_FIELDS", {{"currentField", column.name}, {"updateField", field.name}});
    if (merging == Merging::kWidens && !IsTrue(options, "mergeschema")) {
      FRAZIL_ASSIGN_OR_RETURN(const auto detail, table.Detail());
      const int id = detail.schema->FieldIndex("id");
      const bool known = id >= 0 && !detail.rows.empty() && !detail.rows[0][static_cast<size_t>(id)].is_null();
      return Error::Of("DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH",
                       {{"id", known ? detail.rows[0][static_cast<size_t>(id)].string() : ""},
                        {"tableSchema", SchemaTreeString(*table.schema())},
                        {"dataSchema", SchemaTreeString(rows)}});
    }
  }
  return {};
}

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
