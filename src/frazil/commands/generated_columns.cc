#include "frazil/commands/generated_columns.h"

#include <algorithm>

#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/make_logical.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {
namespace {

/// The plan's first columns under the table's names; `left_out` cannot be named.
std::vector<Attribute> NamedColumns(const std::vector<Attribute>& output, const DataType& schema,
                                    const std::vector<tables::GeneratedColumn>& left_out) {
  std::vector<Attribute> columns;
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    const std::string& name = schema.fields()[i].name;
    if (std::any_of(left_out.begin(), left_out.end(),
                    [&](const auto& column) { return EqualsIgnoreCase(column.name, name); }))
      continue;
    columns.push_back(output[i]);
    columns.back().name = name;
    columns.back().qualifier.clear();
  }
  return columns;
}

Result<ExpressionPtr> ValueOf(const tables::GeneratedColumn& column, const StructField& field,
                              const std::vector<Attribute>& columns, const std::string& table_name,
                              CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parsed, sql::ParseExpression(column.text, context.parser_options()));
  FRAZIL_ASSIGN_OR_RETURN(auto value, analysis::AnalyzeExpression(parsed, columns, context));
  return analysis::AssignToColumn(std::move(value), field, {table_name}, context);
}

/// start, start + step, ... behind the last value that was given.
ExpressionPtr NextIdentity(const tables::GeneratedColumn& column, const StructField& field) {
  const auto number = [](int64_t value) { return MakeLiteral(DataType::Long(), Value(value)); };
  const auto call = [](const char* name, ExpressionPtr left, ExpressionPtr right) {
    return MakeCall(name, {std::move(left), std::move(right)}, DataType::Long(), false, EvalMode::kAnsi);
  };
  ExpressionPtr index = MakeCall("monotonically_increasing_id", {}, DataType::Long(), false);
  const int64_t first = column.last ? *column.last + column.step : column.start;
  ExpressionPtr value = call("add", number(first), call("multiply", number(column.step), std::move(index)));
  return MakeCast(std::move(value), field.type, EvalMode::kAnsi);
}

/// The rows with a value in each generated column that was not given: its expression's, or for an identity column what
/// `identity` says (null: the column stays as it is).
Result<plan::LogicalPlanPtr> WithValues(
    const tables::Table& table, const DataTypePtr& schema, const plan::LogicalPlanPtr& rows,
    const std::function<bool(const std::string&)>& is_given,
    const std::function<ExpressionPtr(const tables::GeneratedColumn&, const StructField&)>& identity,
    CommandContext& context) {
  const auto generated = table.generated_columns();
  if (generated.empty()) return rows;
  const auto others = NamedColumns(rows->output, *schema, generated);
  std::vector<ExpressionPtr> values;
  std::vector<Attribute> output = rows->output;
  bool changes = false;
  for (size_t i = 0; i < output.size(); ++i) {
    ExpressionPtr value;
    for (const auto& column : generated) {
      if (i >= schema->fields().size()) break;
      const StructField& field = schema->fields()[i];
      if (!EqualsIgnoreCase(column.name, field.name) || is_given(column.name)) continue;
      if (column.is_identity) {
        value = identity(column, field);
      } else {
        FRAZIL_ASSIGN_OR_RETURN(value, ValueOf(column, field, others, table.location(), context));
      }
      break;
    }
    changes = changes || value != nullptr;
    if (value != nullptr) output[i].nullable = value->nullable;
    values.push_back(value != nullptr ? std::move(value) : MakeColumn(rows->output[i]));
    output[i].id = context.NextId();
  }
  return changes ? plan::MakeProject(rows, std::move(values), std::move(output)) : rows;
}

}  // namespace

Status NoteGeneratedColumns(const std::vector<plan::ColumnDefinition>& columns, const std::string& table_name,
                            tables::TableDefinition* definition, CommandContext& context) {
  std::vector<StructField> fields = definition->schema->fields();
  std::vector<tables::GeneratedColumn> generated;
  for (const auto& column : columns) {
    if (!column.generation_text && !column.is_identity) continue;
    if (definition->provider != "delta") {
      return Error::Of(
          "UNSUPPORTED_FEATURE.TABLE_OPERATION",
          {{"tableName", table_name}, {"operation", column.is_identity ? "identity column" : "generated columns"}});
    }
    if (column.generation_text && column.is_identity)
      return Error::Of("DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION");
    auto field = std::find_if(fields.begin(), fields.end(), [&](const StructField& known) {
      return EqualsIgnoreCase(known.name, column.name.back());
    });
    if (field == fields.end()) continue;
    tables::GeneratedColumn noted;
    noted.name = field->name;
    if (column.is_identity) {
      noted.is_identity = true;
      field->metadata["delta.identity.start"] = std::to_string(column.identity_start);
      field->metadata["delta.identity.step"] = std::to_string(column.identity_step);
      field->metadata["delta.identity.allowExplicitInsert"] = column.identity_by_default ? "true" : "false";
    } else {
      noted.text = *column.generation_text;
      field->metadata["delta.generationExpression"] = JsonString(noted.text);
    }
    generated.push_back(std::move(noted));
  }
  if (generated.empty()) return Status::Ok();
  std::vector<Attribute> all;
  for (const auto& field : fields) {
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = field.name;
    attribute.type = field.type;
    attribute.nullable = true;
    all.push_back(std::move(attribute));
  }
  const DataTypePtr schema = DataType::Struct(fields);
  const auto others = NamedColumns(all, *schema, generated);
  for (const auto& column : generated) {
    if (column.is_identity) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto parsed, sql::ParseExpression(column.text, context.parser_options()));
    auto value = analysis::AnalyzeExpression(parsed, others, context);
    if (!value.ok() && value.error().condition.starts_with("UNRESOLVED_COLUMN"))
      return Error::Of("DELTA_INVALID_GENERATED_COLUMN_REFERENCES");
    if (!value.ok()) return std::move(value).error();
    Attribute result;
    result.id = context.NextId();
    result.type = (*value)->type;
    if (!plan::IsDeterministic(*plan::MakeProject(plan::MakeOneRow(), {*value}, {result})))
      return Error::Of("DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN", {{"expr", column.text}});
    const StructField& field = fields[static_cast<size_t>(schema->FieldIndex(column.name))];
    if (!(*value)->type->EqualsIgnoreNullability(*field.type)) {
      return Error::Of(
          "DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH",
          {{"columnName", column.name}, {"expressionType", (*value)->type->Sql()}, {"columnType", field.type->Sql()}});
    }
  }
  definition->schema = schema;
  return Status::Ok();
}

DataTypePtr WithOptionalColumns(const tables::Table& table, const DataTypePtr& schema) {
  const auto generated = table.generated_columns();
  if (generated.empty()) return schema;
  std::vector<StructField> fields = schema->fields();
  for (auto& field : fields) {
    for (const auto& column : generated) field.nullable = field.nullable || EqualsIgnoreCase(column.name, field.name);
  }
  return DataType::Struct(std::move(fields));
}

Result<plan::LogicalPlanPtr> WithGeneratedValues(const tables::Table& table, const DataTypePtr& schema,
                                                 const plan::LogicalPlanPtr& rows,
                                                 const std::function<bool(const std::string&)>& is_given,
                                                 tables::WriteOptions* options, CommandContext& context) {
  for (const auto& column : table.generated_columns()) {
    if (column.is_identity && !column.takes_values && is_given(column.name))
      return Error::Of("DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED", {{"colName", column.name}});
  }
  const auto next = [&](const tables::GeneratedColumn& column, const StructField& field) {
    std::string& names = options->summary["identityColumns"];
    names += (names.empty() ? "" : "\n") + column.name;
    return NextIdentity(column, field);
  };
  return WithValues(table, schema, rows, is_given, next, context);
}

Result<plan::LogicalPlanPtr> WithFollowingValues(const tables::Table& table, const DataTypePtr& schema,
                                                 const plan::LogicalPlanPtr& rows,
                                                 const std::function<bool(const std::string&)>& is_given,
                                                 CommandContext& context) {
  const auto kept = [](const tables::GeneratedColumn&, const StructField&) { return ExpressionPtr(); };
  return WithValues(table, schema, rows, is_given, kept, context);
}

}  // namespace frazil::commands
