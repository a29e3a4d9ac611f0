// PIVOT, UNPIVOT, transpose.
// https://spark.apache.org/docs/latest/sql-ref-syntax-qry-select-pivot.html

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/common_type.h"
#include "frazil/functions/constant.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;

namespace {

constexpr int64_t kDefaultMaxPivotValues = 10000;

ExprPtr Call(std::string name, std::vector<ExprPtr> arguments) {
  return plan::MakeFunctionExpr(std::move(name), std::move(arguments), {}, true);
}

}  // namespace

// First the aggregates by groups and pivot column; then, for each group, the one row of each pivot value.
Result<Relation> Analyzer::MakePivot(const Relation& input, const std::vector<ExprPtr>& groups,
                                     const ExprPtr& pivot_column, const std::vector<PivotValue>& values,
                                     const std::vector<ExprPtr>& aggregates) {
  Scope scope;
  scope.input = &input;
  scope.allow_aggregates = true;
  SelectStage first(input, &context_);
  std::vector<ExpressionPtr> grouping;
  for (const auto& group : groups) {
    FRAZIL_ASSIGN_OR_RETURN(
        auto typed, AnalyzeScalar(group->kind == ExprKind::kAlias ? group->As<plan::AliasExpr>().child : group, scope));
    grouping.push_back(std::move(typed));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto pivot, AnalyzeScalar(pivot_column, scope));
  grouping.push_back(pivot);
  first.SetGrouping(std::move(grouping), {});
  std::vector<ExprPtr> items = groups;
  items.push_back(plan::MakeAliasExpr(pivot_column, "pivot column"));
  std::vector<std::string> names;
  for (const auto& aggregate : aggregates) {
    ExprPtr source = aggregate;
    if (source->kind == ExprKind::kSqlText) {
      FRAZIL_ASSIGN_OR_RETURN(source, ParseText(source->As<plan::SqlTextExpr>().text));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto item, AnalyzeSelectItem(source, scope));
    if (!ContainsKind(*item.expression, ExpressionKind::kAggregate)) {
      return At(Error::Of("_LEGACY_ERROR_TEMP_1006", {{"sql", item.expression->sql}}), source->origin);
    }
    names.push_back(item.attribute.name);
    items.push_back(source);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto grouped, AnalyzeSelect(input, std::move(first), items, false, nullptr, nullptr));

  SelectStage second(grouped, &context_);
  std::vector<ExpressionPtr> keys;
  std::vector<ExprPtr> columns;
  for (size_t i = 0; i < groups.size(); ++i) {
    keys.push_back(MakeColumn(grouped.output[i]));
    columns.push_back(MakeTypedExpr(grouped.output[i]));
  }
  const auto& pivoted = grouped.output[groups.size()];
  second.SetGrouping(std::move(keys), {});
  for (const auto& value : values) {
    for (size_t i = 0; i < aggregates.size(); ++i) {
      auto call = std::make_shared<plan::FunctionExpr>();
      call->name = {"first"};
      call->arguments = {MakeTypedExpr(grouped.output[groups.size() + 1 + i])};
      Attribute unnamed;
      unnamed.name = "value";
      call->filter = Call("<=>", {MakeTypedExpr(pivoted), MakeTypedExpr(unnamed, value.literal)});
      const std::string name = aggregates.size() == 1 ? value.name : value.name + "_" + names[i];
      columns.push_back(plan::MakeAliasExpr(call, name));
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto result, AnalyzeSelect(grouped, std::move(second), columns, false, nullptr, nullptr));
  for (size_t i = 0; i < groups.size(); ++i) result.output[i].qualifier.clear();
  return result;
}

Result<std::vector<Analyzer::PivotValue>> Analyzer::PivotValues(const std::vector<ExprPtr>& sources,
                                                                const DataTypePtr& type) {
  std::vector<PivotValue> values;
  for (const auto& source : sources) {
    PivotValue value;
    ExprPtr inner = source->kind == ExprKind::kAlias ? source->As<plan::AliasExpr>().child : source;
    Scope scope;
    auto analyzed = AnalyzeScalar(inner, scope);
    if (!analyzed.ok()) {
      if (!analyzed.error().condition.starts_with("UNRESOLVED_COLUMN")) return std::move(analyzed).error();
      std::string text = "expression";
      if (inner->kind == ExprKind::kAttribute) text = Join(inner->As<plan::AttributeExpr>().name, ".");
      return At(Error::Of("NON_LITERAL_PIVOT_VALUES", {{"expression", "\"" + text + "\""}}), inner->origin);
    }
    const auto typed = *analyzed;
    if (!functions::IsFoldable(*typed))
      return At(Error::Of("NON_LITERAL_PIVOT_VALUES", {{"expression", "\"" + typed->sql + "\""}}), inner->origin);
    const auto from = typed->type;
    const bool same_shape = from->id() == TypeId::kStruct && type->id() == TypeId::kStruct &&
                            from->fields().size() == type->fields().size();
    const bool fits = same_shape || from->EqualsIgnoreNullability(*type) ||
                      functions::WiderType(from, type, settings_.ansi) != nullptr;
    if (!fits) {
      return At(
          Error::Of("PIVOT_VALUE_DATA_TYPE_MISMATCH",
                    {{"value", typed->sql}, {"valueType", from->SimpleString()}, {"pivotType", type->SimpleString()}}),
          inner->origin);
    }
    Value constant;
    if (auto known = functions::ConstantValue(*typed)) {
      constant = *std::move(known);
    } else {
      FRAZIL_ASSIGN_OR_RETURN(constant, context_.EvaluateConstant(typed));
    }
    value.name = source->kind == ExprKind::kAlias ? source->As<plan::AliasExpr>().names[0]
                 : constant.is_null()             ? "null"
                                                  : ValueToString(*from, constant, settings_.time_zone);
    value.literal = WithOrigin(MakeCast(MakeLiteral(from, std::move(constant)), type, settings_.eval_mode()),
                               InObject(inner->origin));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Relation> Analyzer::AnalyzePivot(const plan::PivotPlan& pivot) {
  FRAZIL_ASSIGN_OR_RETURN(auto input, AnalyzePlan(pivot.child));
  Scope scope;
  scope.input = &input;
  scope.allow_aggregates = true;
  ExprPtr column = pivot.columns.size() == 1 ? pivot.columns[0] : plan::MakeFunctionExpr("struct", pivot.columns);
  FRAZIL_ASSIGN_OR_RETURN(auto typed_column, AnalyzeScalar(column, scope));
  if (!functions::IsOrderable(*typed_column->type)) {
    return Error::Of("INCOMPARABLE_PIVOT_COLUMN", {{"columnName", QuoteIdentifier(typed_column->sql)}});
  }
  std::set<AttributeId> used;
  for (const AttributeId id : ReferencedColumns(*typed_column)) used.insert(id);
  for (const auto& aggregate : pivot.aggregates) {
    FRAZIL_ASSIGN_OR_RETURN(
        auto typed,
        AnalyzeScalar(aggregate->kind == ExprKind::kAlias ? aggregate->As<plan::AliasExpr>().child : aggregate, scope));
    for (const AttributeId id : ReferencedColumns(*typed)) used.insert(id);
  }
  std::vector<ExprPtr> groups;
  for (const auto& attribute : input.output) {
    if (used.count(attribute.id) == 0) groups.push_back(MakeTypedExpr(attribute));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto values, PivotValues(pivot.values, typed_column->type));
  return MakePivot(input, groups, column, values, pivot.aggregates);
}

Result<Relation> Analyzer::AnalyzeDataFramePivot(const plan::AggregatePlan& aggregate) {
  FRAZIL_ASSIGN_OR_RETURN(auto input, AnalyzePlan(aggregate.child));
  Scope scope;
  scope.input = &input;
  std::vector<ExprPtr> groups;
  for (const auto& element : aggregate.grouping) {
    if (element.type != plan::GroupingElement::Type::kExpression)
      return Error::Of("UNSUPPORTED_FEATURE.PIVOT_AFTER_GROUP_BY");
    for (const auto& set : element.sets) groups.insert(groups.end(), set.begin(), set.end());
  }
  FRAZIL_ASSIGN_OR_RETURN(auto typed_column, AnalyzeScalar(aggregate.pivot_column, scope));
  std::vector<PivotValue> values;
  if (!aggregate.pivot_values.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(values, PivotValues(aggregate.pivot_values, typed_column->type));
  } else {
    const auto setting = settings_.lookup ? settings_.lookup("spark.sql.pivotMaxValues") : std::nullopt;
    const int64_t most = setting ? std::strtoll(setting->c_str(), nullptr, 10) : kDefaultMaxPivotValues;
    auto attribute = NewAttribute("value", typed_column->type);
    auto distinct = plan::MakeDistinct(plan::MakeProject(input.plan, {typed_column}, {attribute}));
    auto sorted = plan::MakeSort(distinct, {SortKey{MakeColumn(attribute), true, true}});
    FRAZIL_ASSIGN_OR_RETURN(auto rows, context_.CollectRows(plan::MakeLimit(sorted, most + 1)));
    if (static_cast<int64_t>(rows.rows.size()) > most) {
      return Error::Plain(
          ExceptionClass::kAnalysis,
          "The pivot column " + typed_column->sql + " has more than " + std::to_string(most) +
              " distinct values, this could indicate an error. If this was intended, set "
              "spark.sql.pivotMaxValues to at least the number of distinct values of the pivot column.");
    }
    for (auto& row : rows.rows) {
      PivotValue value;
      value.name = row[0].is_null() ? "null" : ValueToString(*typed_column->type, row[0], settings_.time_zone);
      value.literal = MakeLiteral(typed_column->type, std::move(row[0]));
      values.push_back(std::move(value));
    }
  }
  for (const auto& source : aggregate.aggregates) {
    // count(*) counts rows in groups, but not here.
    const auto& inner = source->kind == ExprKind::kAlias ? source->As<plan::AliasExpr>().child : source;
    if (inner->kind != ExprKind::kFunction) continue;
    for (const auto& argument : inner->As<plan::FunctionExpr>().arguments) {
      if (argument->kind == ExprKind::kStar)
        return At(Error::Of("INVALID_USAGE_OF_STAR_OR_REGEX", {{"elem", "'*'"}, {"prettyName", "Pivot"}}),
                  argument->origin);
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto aggregates, ExpandStars(aggregate.aggregates, input));
  return MakePivot(input, groups, aggregate.pivot_column, values, aggregates);
}

Result<Relation> Analyzer::AnalyzeUnpivot(const plan::UnpivotPlan& unpivot) {
  FRAZIL_ASSIGN_OR_RETURN(auto input, AnalyzePlan(unpivot.child));
  Scope scope;
  scope.input = &input;
  const auto column_of = [](const ExpressionPtr& expression) -> std::optional<AttributeId> {
    if (expression->kind != ExpressionKind::kColumn) return std::nullopt;
    return expression->As<ColumnExpression>().id;
  };
  std::vector<SelectItem> ids;
  std::vector<std::vector<SelectItem>> groups;
  std::set<AttributeId> used;
  const auto analyze = [&](const std::vector<ExprPtr>& sources, std::vector<SelectItem>* items) -> Status {
    FRAZIL_ASSIGN_OR_RETURN(auto expanded, ExpandStars(sources, input));
    for (const auto& source : expanded) {
      FRAZIL_ASSIGN_OR_RETURN(auto item, AnalyzeSelectItem(source, scope));
      if (const auto id = column_of(item.expression)) used.insert(*id);
      items->push_back(std::move(item));
    }
    return Status::Ok();
  };
  if (unpivot.ids) FRAZIL_RETURN_IF_ERROR(analyze(*unpivot.ids, &ids));
  if (unpivot.values) {
    for (const auto& group : *unpivot.values) {
      std::vector<SelectItem> items;
      FRAZIL_RETURN_IF_ERROR(analyze(group, &items));
      // A star in a DataFrame's values: each column is a group of its own.
      if (items.size() > 1 && group.size() == 1) {
        for (auto& item : items) groups.push_back({std::move(item)});
      } else {
        groups.push_back(std::move(items));
      }
    }
  }
  const auto others = [&] {
    std::vector<SelectItem> items;
    for (const auto& attribute : input.output) {
      if (used.count(attribute.id) == 0) items.push_back({MakeColumn(attribute), attribute});
    }
    return items;
  };
  if (!unpivot.values) {
    for (auto& item : others()) groups.push_back({std::move(item)});
  }
  if (!unpivot.ids) ids = others();
  const size_t width = unpivot.value_columns.size();
  if (groups.empty()) return Error::Of("UNPIVOT_REQUIRES_VALUE_COLUMNS");
  for (const auto& group : groups) {
    for (const auto& item : group) {
      if (unpivot.ids == std::nullopt && !column_of(item.expression)) {
        return Error::Of("UNPIVOT_REQUIRES_ATTRIBUTES",
                         {{"given", "value"}, {"empty", "id"}, {"expressions", "\"" + item.expression->sql + "\""}});
      }
    }
    if (group.size() != width) return Error::Of("UNPIVOT_VALUE_SIZE_MISMATCH", {{"names", std::to_string(width)}});
  }
  auto node = std::make_shared<plan::UnpivotNode>();
  for (auto& item : ids) {
    Attribute attribute = item.attribute;
    if (attribute.id == 0) attribute.id = context_.NextId();
    attribute.type = item.expression->type;
    attribute.nullable = item.expression->nullable;
    node->ids.push_back(item.expression);
    node->output.push_back(std::move(attribute));
  }
  node->output.push_back(NewAttribute(unpivot.variable_column, DataType::String(), false));
  std::vector<DataTypePtr> types;
  for (size_t i = 0; i < width; ++i) {
    std::vector<DataTypePtr> column_types;
    bool nullable = unpivot.include_nulls;
    for (const auto& group : groups) {
      column_types.push_back(group[i].expression->type);
      nullable = nullable || group[i].expression->nullable;
    }
    auto type = functions::WiderCommonTypeWithoutText(column_types, settings_.ansi);
    if (type == nullptr) {
      std::vector<std::string> seen;
      for (const auto& group : groups) {
        std::string text =
            "\"" + group[i].expression->type->Sql() + "\" (" + QuoteIdentifier(group[i].attribute.name) + ")";
        seen.push_back(std::move(text));
      }
      return Error::Of("UNPIVOT_VALUE_DATA_TYPE_MISMATCH", {{"types", Join(seen, ", ")}});
    }
    node->output.push_back(NewAttribute(unpivot.value_columns[i], type, nullable));
    types.push_back(std::move(type));
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    plan::UnpivotNode::Group group;
    std::string name;
    for (size_t i = 0; i < width; ++i) {
      name += (i > 0 ? "_" : "") + groups[g][i].attribute.name;
      group.values.push_back(MakeCast(groups[g][i].expression, types[i], settings_.eval_mode()));
    }
    if (g < unpivot.value_aliases.size() && unpivot.value_aliases[g]) name = *unpivot.value_aliases[g];
    group.name = std::move(name);
    node->groups.push_back(std::move(group));
  }
  node->include_nulls = unpivot.include_nulls;
  node->child = input.plan;
  Relation relation = RelationOf(node);
  relation.dataframes = input.dataframes;
  return relation;
}

Result<Relation> Analyzer::AnalyzeTranspose(const plan::TransposePlan& transpose) {
  FRAZIL_ASSIGN_OR_RETURN(auto input, AnalyzePlan(transpose.child));
  if (input.output.empty()) return input;
  if (transpose.index_columns.size() > 1) {
    return Error::Of("TRANSPOSE_INVALID_INDEX_COLUMN", {{"reason", "Only a single index column is supported"}});
  }
  Scope scope;
  scope.input = &input;
  ExpressionPtr index = MakeColumn(input.output[0]);
  if (!transpose.index_columns.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(index, AnalyzeScalar(transpose.index_columns[0], scope));
  }
  if (!functions::IsOrderable(*index->type) || index->type->IsComplex()) {
    return Error::Of("TRANSPOSE_INVALID_INDEX_COLUMN",
                     {{"reason", "Index column must be of atomic type, but found: " + index->type->SimpleString()}});
  }
  std::vector<Attribute> columns;
  std::vector<DataTypePtr> types;
  for (const auto& column : input.output) {
    if (index->kind == ExpressionKind::kColumn && index->As<ColumnExpression>().id == column.id) continue;
    columns.push_back(column);
    types.push_back(column.type);
  }
  auto type = types.empty() ? DataType::String() : functions::WiderCommonType(types, settings_.ansi);
  if (type == nullptr) {
    return Error::Of("TRANSPOSE_NO_LEAST_COMMON_TYPE",
                     {{"dt1", types[0]->SimpleString()}, {"dt2", types.back()->SimpleString()}});
  }
  std::vector<ExpressionPtr> expressions{MakeCast(index, DataType::String(), settings_.eval_mode()), index};
  std::vector<Attribute> output{NewAttribute("name", DataType::String()), NewAttribute("index", index->type)};
  for (const auto& column : columns) {
    expressions.push_back(MakeCast(MakeColumn(column), type, settings_.eval_mode()));
    output.push_back(NewAttribute(column.name, type));
  }
  auto projected = plan::MakeProject(input.plan, std::move(expressions), output);
  const auto setting = settings_.lookup ? settings_.lookup("spark.sql.transposeMaxValues") : std::nullopt;
  const int64_t most = setting ? std::strtoll(setting->c_str(), nullptr, 10) : 500;
  auto sorted = plan::MakeSort(projected, {SortKey{MakeColumn(output[1]), true, true}});
  FRAZIL_ASSIGN_OR_RETURN(auto rows, context_.CollectRows(plan::MakeLimit(sorted, most + 1)));
  if (static_cast<int64_t>(rows.rows.size()) > most) {
    return Error::Of("TRANSPOSE_EXCEED_ROW_LIMIT",
                     {{"maxValues", std::to_string(most)}, {"config", "spark.sql.transposeMaxValues"}});
  }
  std::erase_if(rows.rows, [](const std::vector<Value>& row) { return row[0].is_null(); });
  auto result = std::make_shared<RowSet>();
  std::vector<StructField> fields{StructField("key", DataType::String(), false)};
  for (const auto& row : rows.rows) fields.emplace_back(row[0].string(), type);
  for (size_t i = 0; i < columns.size(); ++i) {
    std::vector<Value> row{Value(columns[i].name)};
    for (const auto& source : rows.rows) row.push_back(source[i + 2]);
    result->rows.push_back(std::move(row));
  }
  result->schema = DataType::Struct(std::move(fields));
  return RowsRelation(std::move(result));
}

}  // namespace frazil::analysis
