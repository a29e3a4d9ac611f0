#pragma once

// Typed plans built by hand, for the engine's tests.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/engine/engine.h"
#include "frazil/plan/make_logical.h"
#include "frazil/types/value.h"

namespace frazil::engine::testing {

inline AttributeId NextId() {
  static AttributeId next = 1;
  return next++;
}

inline Attribute NewAttribute(const std::string& name, DataTypePtr type) {
  Attribute attribute;
  attribute.id = NextId();
  attribute.name = name;
  attribute.type = std::move(type);
  return attribute;
}

inline plan::LogicalPlanPtr Rows(const std::vector<std::pair<std::string, DataTypePtr>>& columns,
                                 std::vector<std::vector<Value>> rows) {
  auto set = std::make_shared<RowSet>();
  std::vector<StructField> fields;
  std::vector<Attribute> output;
  for (const auto& [name, type] : columns) {
    fields.emplace_back(name, type);
    output.push_back(NewAttribute(name, type));
  }
  set->schema = DataType::Struct(std::move(fields));
  set->rows = std::move(rows);
  return plan::MakeRows(std::move(set), std::move(output));
}

inline ExpressionPtr Col(const plan::LogicalPlanPtr& plan, size_t index) { return MakeColumn(plan->output[index]); }
inline ExpressionPtr Int(int64_t value) { return MakeLiteral(DataType::Integer(), Value(value)); }
inline ExpressionPtr Long(int64_t value) { return MakeLiteral(DataType::Long(), Value(value)); }
inline ExpressionPtr Text(const std::string& value) { return MakeLiteral(DataType::String(), Value(value)); }
inline ExpressionPtr Call(const std::string& name, std::vector<ExpressionPtr> arguments, DataTypePtr type,
                          EvalMode mode = EvalMode::kAnsi) {
  return MakeCall(name, std::move(arguments), std::move(type), true, mode);
}

inline plan::LogicalPlanPtr Project(const plan::LogicalPlanPtr& child, std::vector<ExpressionPtr> expressions) {
  std::vector<Attribute> output;
  for (const auto& expression : expressions) output.push_back(NewAttribute("c", expression->type));
  return plan::MakeProject(child, std::move(expressions), std::move(output));
}

inline ExpressionPtr Aggregate(const std::string& name, std::vector<ExpressionPtr> arguments, DataTypePtr type) {
  auto result = std::make_shared<AggregateExpression>();
  result->function = name;
  result->arguments = std::move(arguments);
  result->type = std::move(type);
  return result;
}

/// An engine for all tests of the program. It stays to the end: DuckDB must not close when the main thread's own
/// variables, which it uses to close, have gone already.
inline Engine& SharedEngine() {
  static Engine* const engine = [] {
    EngineOptions options;
    options.threads = 2;
    options.memory_limit_bytes = int64_t{1} << 30;
    auto opened = Engine::Open(options);
    if (!opened.ok()) {
      ADD_FAILURE() << opened.error().message;
      std::abort();
    }
    return opened->release();
  }();
  return *engine;
}

/// Rows as text: values as CAST(... AS STRING) prints them, "NULL" for NULL, joined by "|".
inline std::vector<std::string> RunRows(const plan::LogicalPlanPtr& plan, const ExecutionContext& context = {}) {
  auto rows = SharedEngine().Collect(plan, context);
  if (!rows.ok()) return {"error: " + rows.error().message};
  std::vector<std::string> result;
  for (const auto& row : rows->rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "|";
      line += row[i].is_null() ? "NULL" : ValueToString(*rows->schema->fields()[i].type, row[i]);
    }
    result.push_back(line);
  }
  return result;
}

/// The value of an expression as text, or "error: " and the condition.
inline std::string Eval(const ExpressionPtr& expression, const ExecutionContext& context = {}) {
  auto value = SharedEngine().Evaluate(expression, context);
  if (!value.ok()) return "error: " + value.error().condition;
  return value->is_null() ? "NULL" : ValueToString(*expression->type, *value, context.settings.time_zone);
}

}  // namespace frazil::engine::testing
