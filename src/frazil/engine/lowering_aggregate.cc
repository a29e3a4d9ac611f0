#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>

#include "frazil/engine/functions/group_key.h"
#include "frazil/engine/lowering.h"

namespace frazil::engine {

Result<Block> Lowering::LowerAggregateNode(const plan::AggregateNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));

  // Grouping expressions become columns first, so that GROUP BY and the select list name the same plain columns.
  Block input = std::move(child);
  std::vector<std::string> keys;
  std::vector<std::pair<std::string, LoweredExpression>> computed;
  for (const auto& grouping : node.grouping) {
    FRAZIL_ASSIGN_OR_RETURN(auto key, Lower(*grouping));
    const bool is_key = !NeedsGroupKey(*grouping->type);
    if (is_key && grouping->kind == ExpressionKind::kColumn && !grouping->As<ColumnExpression>().is_outer) {
      keys.push_back(ColumnName(grouping->As<ColumnExpression>().id));
      continue;
    }
    keys.push_back(FreshName());
    computed.emplace_back(keys.back(), GroupKeyOf(*grouping->type, std::move(key)));
  }
  if (!computed.empty()) {
    input = Open(std::move(input));
    std::vector<std::pair<std::string, LoweredExpression>> columns;
    for (const auto& name : input.columns) columns.emplace_back(name, ColumnRefOf(name));
    for (auto& column : computed) columns.push_back(std::move(column));
    input = Wrap(Select(std::move(input), std::move(columns), false));
  } else {
    input = Open(std::move(input));
  }

  std::vector<std::pair<std::string, LoweredExpression>> columns;
  size_t next = 0;
  for (const auto& key : keys) columns.emplace_back(ColumnName(node.output[next++].id), ColumnRefOf(key));
  for (const auto& aggregate : node.aggregates) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*aggregate));
    columns.emplace_back(ColumnName(node.output[next++].id), std::move(value));
  }

  duckdb::GroupByNode groups;
  for (const auto& key : keys) groups.group_expressions.push_back(ColumnRefOf(key));
  if (!node.grouping_sets.empty()) {
    for (const auto& set : node.grouping_sets) {
      duckdb::GroupingSet indexes;
      for (const size_t index : set) indexes.insert(index);
      groups.grouping_sets.push_back(std::move(indexes));
    }
    if (next < node.output.size()) {
      LoweredExpression id;
      if (keys.empty()) {
        id = ConstantOf(duckdb::Value::BIGINT(0));
      } else {
        LoweredArguments arguments;
        for (const auto& key : keys) arguments.push_back(ColumnRefOf(key));
        id = CastOf(duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::GROUPING_FUNCTION,
                                                                  std::move(arguments)),
                    duckdb::LogicalType::BIGINT);
      }
      columns.emplace_back(ColumnName(node.output[next++].id), std::move(id));
    }
  } else if (!keys.empty()) {
    duckdb::GroupingSet all;
    for (size_t i = 0; i < keys.size(); ++i) all.insert(i);
    groups.grouping_sets.push_back(std::move(all));
  }

  Block block = std::move(input);
  block.columns.clear();
  for (const auto& column : columns) block.columns.push_back(column.first);
  block.select = std::move(columns);
  block.has_select = true;
  block.closed = true;
  block.groups = std::move(groups);
  block.is_aggregate = node.grouping.empty() && node.aggregates.empty();
  return block;
}

}  // namespace frazil::engine
