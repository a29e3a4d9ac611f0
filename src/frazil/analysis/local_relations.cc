// Rows in the statement itself: VALUES, createDataFrame, range.

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
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

Result<Relation> Analyzer::AnalyzeInlineTable(const plan::InlineTablePlan& table) {
  if (table.rows.empty()) return Error::Internal("VALUES has no rows.");
  const size_t width = table.rows[0].size();
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
      FRAZIL_ASSIGN_OR_RETURN(auto value, AnalyzeScalar(cell, scope));
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
    const std::string name = "col" + std::to_string(column + 1);
    auto type = functions::WiderCommonType(column_types, settings_.ansi);
    if (type == nullptr) {
      return At(
          Error::Of("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE", {{"colName", QuoteIdentifier(name)}}),
          table.origin);
    }
    output.push_back(NewAttribute(name, type, nullable));
    types.push_back(std::move(type));
  }
  auto row_set = std::make_shared<RowSet>();
  bool constant = true;
  for (auto& row : rows) {
    std::vector<Value> values;
    for (size_t column = 0; column < width; ++column) {
      row[column] = MakeCast(row[column], types[column], settings_.eval_mode());
      if (!constant) continue;
      auto value = functions::ConstantValue(*row[column]);
      if (!value) {
        constant = false;
        continue;
      }
      values.push_back(*std::move(value));
    }
    if (constant) row_set->rows.push_back(std::move(values));
  }
  if (constant) {
    std::vector<StructField> fields;
    for (const auto& attribute : output) fields.emplace_back(attribute.name, attribute.type, attribute.nullable);
    row_set->schema = DataType::Struct(std::move(fields));
    return RelationOf(plan::MakeRows(std::move(row_set), std::move(output)));
  }
  // Something is to be computed: one projection a row.
  std::vector<plan::LogicalPlanPtr> inputs;
  for (auto& row : rows) {
    std::vector<Attribute> columns;
    for (size_t column = 0; column < width; ++column)
      columns.push_back(NewAttribute(output[column].name, types[column], row[column]->nullable));
    inputs.push_back(plan::MakeProject(plan::MakeOneRow(), std::move(row), std::move(columns)));
  }
  return MakeUnion(std::move(inputs));
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
