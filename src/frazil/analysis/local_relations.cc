// Rows in the statement itself: VALUES, createDataFrame, range.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/generator_errors_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/common_type.h"
#include "frazil/functions/constant.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

Relation Analyzer::RowsRelation(std::shared_ptr<const RowSet> rows) {
  auto output = NewAttributes(*rows->schema);
  return RelationOf(plan::MakeRows(std::move(rows), std::move(output)));
}

Relation Analyzer::MakeRange(int64_t start, int64_t end, int64_t step) {
  auto node = std::make_shared<plan::RangeNode>();
  node->start = start;
  node->end = end;
  node->step = step;
  node->output.push_back(NewAttribute("id", DataType::Long(), false));
  return RelationOf(node);
}

Result<Relation> Analyzer::AnalyzeInlineTable(const plan::InlineTablePlan& table,
                                              const std::vector<std::string>& names) {
  if (table.rows.empty()) return Error::Internal("VALUES has no rows.");
  const size_t width = names.empty() ? table.rows[0].size() : names.size();
  std::vector<std::vector<ExpressionPtr>> rows;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    if (row.size() != width) {
      const auto& origin = row.empty() ? table.origin : row[0]->origin;
      return At(Error::Of("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", {{"expectedNumCols", std::to_string(width)},
                                                                        {"actualNumCols", std::to_string(row.size())},
                                                                        {"rowIndex", std::to_string(i)}}),
                origin);
    }
    Scope scope;
    std::vector<ExpressionPtr> typed;
    for (const auto& cell : row) {
      auto analyzed = AnalyzeScalar(cell, scope);
      if (!analyzed.ok() && analyzed.error().condition == kNestedGenerator) {
        return At(Error::Of("INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                            {{"expr", analyzed.error().parameters.front().second}}),
                  cell->origin);
      }
      if (!analyzed.ok()) return std::move(analyzed).error();
      auto value = *std::move(analyzed);
      if (ContainsKind(*value, ExpressionKind::kAggregate) || ContainsKind(*value, ExpressionKind::kWindow)) {
        return At(Error::Of("INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                            {{"expr", "\"" + value->sql + "\""}}),
                  cell->origin);
      }
      typed.push_back(std::move(value));
    }
    rows.push_back(std::move(typed));
  }
  std::vector<DataTypePtr> types;
  std::vector<Attribute> output;
  for (size_t column = 0; column < width; ++column) {
    std::vector<DataTypePtr> column_types;
    bool nullable = false;
    for (const auto& row : rows) {
      column_types.push_back(row[column]->type);
      nullable = nullable || row[column]->nullable;
    }
    const std::string name = names.empty() ? "col" + std::to_string(column + 1) : names[column];
    auto type = functions::WiderCommonTypeWithoutText(column_types, settings_.ansi);
    if (type == nullptr) {
      return At(
          Error::Of("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE", {{"colName", QuoteIdentifier(name)}}),
          table.origin);
    }
    output.push_back(NewAttribute(name, type, nullable));
    types.push_back(std::move(type));
  }
  const auto origin = InObject(table.origin);
  for (auto& row : rows) {
    for (size_t column = 0; column < width; ++column) {
      auto& value = row[column];
      value = MakeCast(value, types[column], settings_.eval_mode());
      if (functions::ConstantValue(*value)) continue;
      // Its errors are those of the table, whichever part of it fails.
      const auto shown = MakeLiteral(DataType::String(), Value("\"" + value->sql + "\""));
      value = WithOrigin(
          MakeCall("inline_value", {value, shown}, value->type, value->nullable, EvalMode::kAnsi, value->sql), origin);
    }
  }
  return InlineRows(std::move(rows), std::move(output));
}

Relation Analyzer::InlineRows(std::vector<std::vector<ExpressionPtr>> rows, std::vector<Attribute> output) {
  auto row_set = std::make_shared<RowSet>();
  std::vector<StructField> fields;
  for (const auto& attribute : output) fields.emplace_back(attribute.name, attribute.type, attribute.nullable);
  // For each column the conditions and values of what is to be computed.
  std::vector<std::vector<ExpressionPtr>> computed(output.size());
  const Attribute position = NewAttribute("position", DataType::Long(), false);
  for (size_t row = 0; row < rows.size(); ++row) {
    std::vector<Value> values;
    for (size_t column = 0; column < output.size(); ++column) {
      if (const auto value = functions::ConstantValue(*rows[row][column])) {
        values.push_back(*value);
        continue;
      }
      values.emplace_back();
      const auto here = MakeLiteral(DataType::Long(), Value(static_cast<int64_t>(row)));
      computed[column].push_back(MakeCall("equal", {MakeColumn(position), here}, DataType::Boolean(), false));
      computed[column].push_back(std::move(rows[row][column]));
    }
    row_set->rows.push_back(std::move(values));
  }
  const bool constant = std::all_of(computed.begin(), computed.end(), [](const auto& cases) { return cases.empty(); });
  if (constant) {
    row_set->schema = DataType::Struct(std::move(fields));
    return RelationOf(plan::MakeRows(std::move(row_set), std::move(output)));
  }
  // One source of rows, so that they keep their order: a union of rows would not.
  std::vector<Attribute> columns;
  for (size_t column = 0; column < output.size(); ++column) {
    fields[column].nullable = fields[column].nullable || !computed[column].empty();
    columns.push_back(NewAttribute(output[column].name, output[column].type, fields[column].nullable));
  }
  fields.emplace_back(position.name, position.type, false);
  for (size_t row = 0; row < rows.size(); ++row) row_set->rows[row].emplace_back(static_cast<int64_t>(row));
  row_set->schema = DataType::Struct(std::move(fields));
  std::vector<ExpressionPtr> expressions;
  for (size_t column = 0; column < output.size(); ++column) {
    auto& cases = computed[column];
    auto constant_value = MakeColumn(columns[column]);
    if (cases.empty()) {
      expressions.push_back(std::move(constant_value));
      continue;
    }
    cases.push_back(std::move(constant_value));
    expressions.push_back(MakeCall("case_when", std::move(cases), output[column].type, output[column].nullable));
  }
  columns.push_back(position);
  return RelationOf(plan::MakeProject(plan::MakeRows(std::move(row_set), std::move(columns)), std::move(expressions),
                                      std::move(output)));
}

Result<Relation> Analyzer::AnalyzeLocalRelation(const plan::LocalRelationPlan& local) {
  DataTypePtr schema = local.schema;
  if (schema == nullptr && !local.schema_text.empty()) {
    const auto text = TrimBlanks(local.schema_text);
    if (!text.empty() && text.front() == '{') {
      FRAZIL_ASSIGN_OR_RETURN(schema, DataType::FromJson(text));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(schema, sql::ParseSchemaOrDataType(text, context_.parser_options()));
    }
    if (schema->id() != TypeId::kStruct) schema = DataType::Struct({StructField("value", schema)});
  }
  if (local.data == nullptr) {
    if (schema == nullptr) return Error::Internal("A local relation has neither data nor schema.");
    auto rows = std::make_shared<RowSet>();
    rows->schema = schema;
    return RowsRelation(std::move(rows));
  }
  auto node = std::make_shared<plan::ArrowRowsNode>();
  node->data = local.data;
  node->output = NewAttributes(*local.data->schema);
  Relation relation = RelationOf(node);
  if (schema == nullptr) return relation;
  if (schema->fields().size() != relation.output.size()) {
    return Error::Plain(ExceptionClass::kAnalysis,
                        "The number of columns of the data (" + std::to_string(relation.output.size()) +
                            ") is not that of the schema (" + std::to_string(schema->fields().size()) + ").");
  }
  std::vector<ExpressionPtr> expressions;
  std::vector<Attribute> output;
  for (size_t i = 0; i < relation.output.size(); ++i) {
    const auto& field = schema->fields()[i];
    const auto& column = relation.output[i];
    // Types that differ in nullability or names only are the same rows under another description.
    expressions.push_back(MakeCast(MakeColumn(column), field.type, EvalMode::kAnsi));
    auto attribute = NewAttribute(field.name, field.type, field.nullable);
    attribute.metadata = field.metadata;
    output.push_back(std::move(attribute));
  }
  return RelationOf(plan::MakeProject(relation.plan, std::move(expressions), std::move(output)));
}

}  // namespace frazil::analysis
