#include <duckdb/parser/expression/case_expression.hpp>
#include <duckdb/parser/expression/cast_expression.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/comparison_expression.hpp>
#include <duckdb/parser/expression/conjunction_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>

#include "frazil/engine/functions/cast.h"
#include "frazil/engine/lowering.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

using Columns = std::vector<std::pair<std::string, LoweredExpression>>;

LoweredExpression ListOf(LoweredArguments elements) { return CallOf("list_value", std::move(elements)); }

// [0, 1, ... n - 1] as INTEGER[] for a list of n elements.
LoweredExpression PositionsOf(LoweredExpression list) {
  return CastOf(CallOf("range", CallOf("len", std::move(list))),
                duckdb::LogicalType::LIST(duckdb::LogicalType::INTEGER));
}

// The list, or [NULL] where it is NULL or empty, so that unnest keeps the row.
LoweredExpression KeepEmpty(LoweredExpression list, const LoweredExpression& decider,
                            const duckdb::LogicalType& element) {
  auto result = duckdb::make_uniq<duckdb::CaseExpression>();
  duckdb::CaseCheck check;
  check.when_expr = duckdb::make_uniq<duckdb::ComparisonExpression>(duckdb::ExpressionType::COMPARE_GREATERTHAN,
                                                                    CallOf("len", decider->Copy()),
                                                                    ConstantOf(duckdb::Value::BIGINT(0)));
  check.then_expr = std::move(list);
  result->case_checks.push_back(std::move(check));
  LoweredArguments null;
  null.push_back(ConstantOf(duckdb::Value(element)));
  result->else_expr = ListOf(std::move(null));
  return result;
}

}  // namespace

Result<Block> Lowering::LowerGenerate(const plan::GenerateNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  const auto kept = child.columns;
  const size_t first = node.output.size() - node.generated_columns;
  std::vector<std::string> generated;
  for (size_t i = first; i < node.output.size(); ++i) generated.push_back(ColumnName(node.output[i].id));
  const auto element_types = [&]() -> Result<std::vector<duckdb::LogicalType>> {
    std::vector<duckdb::LogicalType> types;
    for (size_t i = first; i < node.output.size(); ++i) {
      FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*node.output[i].type));
      types.push_back(std::move(type));
    }
    return types;
  };
  FRAZIL_ASSIGN_OR_RETURN(const auto types, element_types());

  // The generator's input first becomes a column, so that it is computed once.
  const auto with_inputs = [&](Columns inputs) {
    Block open = Open(std::move(child));
    Columns columns;
    for (const auto& name : kept) columns.emplace_back(name, ColumnRefOf(name));
    for (auto& input : inputs) columns.push_back(std::move(input));
    return Wrap(Select(std::move(open), std::move(columns), true));
  };
  // The kept columns and one unnest for each generated column; DuckDB steps through the lists side by side.
  const auto unnest = [&](Block block, LoweredArguments lists, const LoweredExpression& decider) {
    Columns columns;
    for (const auto& name : kept) columns.emplace_back(name, ColumnRefOf(name));
    for (size_t i = 0; i < lists.size(); ++i) {
      auto list = node.outer ? KeepEmpty(std::move(lists[i]), decider, types[i]) : std::move(lists[i]);
      columns.emplace_back(generated[i], CallOf("unnest", std::move(list)));
    }
    Block result = Select(std::move(block), std::move(columns), true);
    return Wrap(std::move(result));
  };

  const std::string& generator = node.generator;
  if (generator == "explode" || generator == "posexplode") {
    const std::string input = FreshName();
    FRAZIL_ASSIGN_OR_RETURN(auto argument, Lower(*node.arguments[0]));
    Columns inputs;
    inputs.emplace_back(input, std::move(argument));
    Block block = with_inputs(std::move(inputs));
    const bool is_map = node.arguments[0]->type->id() == TypeId::kMap;
    LoweredArguments lists;
    LoweredExpression decider = is_map ? CallOf("map_keys", ColumnRefOf(input)) : ColumnRefOf(input);
    if (generator == "posexplode") lists.push_back(PositionsOf(decider->Copy()));
    if (is_map) {
      lists.push_back(CallOf("map_keys", ColumnRefOf(input)));
      lists.push_back(CallOf("map_values", ColumnRefOf(input)));
    } else {
      lists.push_back(ColumnRefOf(input));
    }
    return unnest(std::move(block), std::move(lists), decider);
  }

  if (generator == "inline") {
    const std::string input = FreshName(), element = FreshName();
    FRAZIL_ASSIGN_OR_RETURN(auto argument, Lower(*node.arguments[0]));
    FRAZIL_ASSIGN_OR_RETURN(auto element_type, ToDuckDbType(*node.arguments[0]->type->element_type()));
    Columns inputs;
    inputs.emplace_back(input, std::move(argument));
    Block block = with_inputs(std::move(inputs));
    Columns columns;
    for (const auto& name : kept) columns.emplace_back(name, ColumnRefOf(name));
    LoweredExpression list = ColumnRefOf(input);
    if (node.outer) list = KeepEmpty(std::move(list), ColumnRefOf(input), element_type);
    columns.emplace_back(element, CallOf("unnest", std::move(list)));
    block = Wrap(Select(std::move(block), std::move(columns), true));
    Columns fields;
    for (const auto& name : kept) fields.emplace_back(name, ColumnRefOf(name));
    for (size_t i = 0; i < generated.size(); ++i) {
      fields.emplace_back(generated[i], CallOf("struct_extract_at", ColumnRefOf(element),
                                               ConstantOf(duckdb::Value::BIGINT(static_cast<int64_t>(i) + 1))));
    }
    return Select(std::move(block), std::move(fields), true);
  }

  if (generator == "stack") {
    // stack(n, v1, ..., vk): n rows, filled row by row, the rest NULL.
    if (node.arguments.empty() || node.arguments[0]->kind != ExpressionKind::kLiteral)
      return Error::Internal("stack needs a constant count");
    const auto rows = static_cast<size_t>(node.arguments[0]->As<LiteralExpression>().value.integer());
    const size_t width = generated.size();
    LoweredArguments lists;
    for (size_t column = 0; column < width; ++column) {
      LoweredArguments elements;
      for (size_t row = 0; row < rows; ++row) {
        const size_t index = 1 + row * width + column;
        if (index < node.arguments.size()) {
          FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*node.arguments[index]));
          elements.push_back(AsMappedType(std::move(value), *node.output[first + column].type));
        } else {
          elements.push_back(ConstantOf(duckdb::Value(types[column])));
        }
      }
      lists.push_back(ListOf(std::move(elements)));
    }
    Block block = Open(std::move(child));
    Columns columns;
    for (const auto& name : kept) columns.emplace_back(name, ColumnRefOf(name));
    for (size_t i = 0; i < lists.size(); ++i) columns.emplace_back(generated[i], CallOf("unnest", std::move(lists[i])));
    return Wrap(Select(std::move(block), std::move(columns), true));
  }

  if (generator == "json_tuple") {
    Block block = Open(std::move(child));
    Columns columns;
    for (const auto& name : kept) columns.emplace_back(name, ColumnRefOf(name));
    for (size_t i = 1; i < node.arguments.size(); ++i) {
      const auto field = MakeCall("json_tuple_field", {node.arguments[0], node.arguments[i]}, DataType::String(), true);
      FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*field));
      columns.emplace_back(generated[i - 1], std::move(value));
    }
    return Select(std::move(block), std::move(columns), true);
  }

  // Any other generator is a scalar function that gives an array of structs (or of plain values), by the same name.
  if (registry_.Has(ImplementationClass::kScalar, generator)) {
    std::vector<StructField> fields;
    for (size_t i = first; i < node.output.size(); ++i) fields.emplace_back(node.output[i].name, node.output[i].type);
    plan::GenerateNode inner = node;
    inner.generator = "inline";
    inner.arguments = {MakeCall(generator, node.arguments, DataType::Array(DataType::Struct(std::move(fields))), true)};
    return LowerGenerate(inner);
  }
  return Error::Unsupported("the generator function " + generator);
}

Result<Block> Lowering::LowerUnpivot(const plan::UnpivotNode& node) {
  FRAZIL_ASSIGN_OR_RETURN(auto child, LowerPlan(*node.child));
  Block block = Open(std::move(child));
  Columns columns;
  size_t next = 0;
  for (const auto& id : node.ids) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*id));
    columns.emplace_back(ColumnName(node.output[next++].id), std::move(value));
  }
  LoweredArguments names;
  for (const auto& group : node.groups) names.push_back(ConstantOf(duckdb::Value(group.name)));
  columns.emplace_back(ColumnName(node.output[next++].id), CallOf("unnest", ListOf(std::move(names))));
  std::vector<std::string> values;
  const size_t width = node.groups.empty() ? 0 : node.groups[0].values.size();
  for (size_t column = 0; column < width; ++column) {
    LoweredArguments elements;
    for (const auto& group : node.groups) {
      FRAZIL_ASSIGN_OR_RETURN(auto value, Lower(*group.values[column]));
      elements.push_back(AsMappedType(std::move(value), *node.output[next].type));
    }
    values.push_back(ColumnName(node.output[next++].id));
    columns.emplace_back(values.back(), CallOf("unnest", ListOf(std::move(elements))));
  }
  block = Wrap(Select(std::move(block), std::move(columns), true));
  if (!node.include_nulls && !values.empty()) {
    auto any = duckdb::make_uniq<duckdb::ConjunctionExpression>(duckdb::ExpressionType::CONJUNCTION_OR);
    for (const auto& value : values) {
      any->children.push_back(duckdb::make_uniq<duckdb::OperatorExpression>(
          duckdb::ExpressionType::OPERATOR_IS_NOT_NULL, ColumnRefOf(value)));
    }
    block.where.push_back(values.size() == 1 ? std::move(any->children[0]) : LoweredExpression(std::move(any)));
  }
  return block;
}

}  // namespace frazil::engine
