#include "frazil/engine/python_gathering.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include <duckdb/common/types/column/column_data_collection.hpp>
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/execution/physical_operator.hpp>
#include <duckdb/execution/physical_plan_generator.hpp>
#include <duckdb/optimizer/optimizer.hpp>
#include <duckdb/optimizer/optimizer_extension.hpp>
#include <duckdb/planner/binder.hpp>
#include <duckdb/planner/expression/bound_columnref_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <duckdb/planner/expression_iterator.hpp>
#include <duckdb/planner/logical_operator_visitor.hpp>
#include <duckdb/planner/operator/logical_extension_operator.hpp>
#include <duckdb/planner/operator/logical_filter.hpp>

#include "frazil/engine/functions/python_batch.h"

namespace frazil::engine {
namespace {

using duckdb::DataChunk;
using duckdb::idx_t;
using ExpressionPointer = duckdb::unique_ptr<duckdb::Expression>;

// Rows that are larger than usual are not kept beyond this.
constexpr int64_t kPythonBatchBytes = int64_t{16} << 20;

/// One call: its arguments are evaluated as rows come, the function is called when they are enough.
struct GatheredCall {
  GatheredCall(duckdb::ClientContext& client, const duckdb::BoundFunctionExpression& call)
      : executor(client), batch(client, call.bind_info->Cast<PythonCallData>()) {
    duckdb::vector<duckdb::LogicalType> types;
    for (size_t i = 0; i + kPythonConstants < call.children.size(); ++i) {
      executor.AddExpression(*call.children[i]);
      types.push_back(call.children[i]->return_type);
    }
    if (types.empty()) {
      arguments.SetCapacity(STANDARD_VECTOR_SIZE);
    } else {
      arguments.Initialize(client, types);
    }
  }

  void Append(DataChunk& rows) {
    arguments.Reset();
    if (arguments.ColumnCount() > 0) executor.Execute(rows, arguments);
    arguments.SetCardinality(rows.size());
    batch.Append(arguments);
  }

  duckdb::ExpressionExecutor executor;
  DataChunk arguments;
  PythonBatch batch;
  std::unique_ptr<PythonAnswer> answer;
};

class GatheringState : public duckdb::OperatorState {
 public:
  GatheringState(duckdb::ExecutionContext& context, const duckdb::vector<ExpressionPointer>& calls,
                 const duckdb::vector<duckdb::LogicalType>& kept)
      : may_keep_rows_(MayKeepRows(context)), kept_(context.client, kept) {
    for (const auto& call : calls) {
      calls_.push_back(std::make_unique<GatheredCall>(context.client, call->Cast<duckdb::BoundFunctionExpression>()));
    }
    if (kept.empty()) {
      row_.SetCapacity(STANDARD_VECTOR_SIZE);
    } else {
      row_.Initialize(context.client, kept);
    }
  }

  void Append(DataChunk& input, const duckdb::vector<idx_t>& columns) {
    // Not as soon as the last row is read: the operators above still look at it.
    if (rows_ == 0) kept_.Reset();
    for (auto& call : calls_) call->Append(input);
    rows_ += input.size();
    if (columns.empty()) return;
    DataChunk kept;
    kept.InitializeEmpty(kept_.Types());
    for (idx_t i = 0; i < columns.size(); ++i) kept.data[i].Reference(input.data[columns[i]]);
    kept.SetCardinality(input.size());
    kept_.Append(kept);
  }

  bool IsEmpty() const { return rows_ == 0; }
  bool IsEnough() const {
    return rows_ > 0 && (!may_keep_rows_ || rows_ >= kPythonBatchRows ||
                         std::any_of(calls_.begin(), calls_.end(),
                                     [](const auto& call) { return call->batch.bytes() >= kPythonBatchBytes; }));
  }

  void Call() {
    for (auto& call : calls_) call->answer = call->batch.Call();
    if (row_.ColumnCount() > 0) kept_.InitializeScan(scan_);
    unread_ = rows_;
    rows_ = 0;
  }

  bool HasAnswers() const { return unread_ > 0; }

  /// Rows with the functions' values behind their own columns.
  void Next(DataChunk& result) {
    idx_t count = std::min<idx_t>(unread_, STANDARD_VECTOR_SIZE);
    const idx_t columns = row_.ColumnCount();
    if (columns > 0) {
      row_.Reset();
      kept_.Scan(scan_, row_);
      count = row_.size();
    }
    for (idx_t i = 0; i < columns; ++i) result.data[i].Reference(row_.data[i]);
    for (idx_t i = 0; i < calls_.size(); ++i) result.data[columns + i].Reference(calls_[i]->answer->Next(count));
    result.SetCardinality(count);
    unread_ -= count;
  }

 private:
  static bool MayKeepRows(duckdb::ExecutionContext& context) {
    switch (duckdb::PhysicalOperator::SelectOperatorCachingMode(context)) {
      case duckdb::OperatorCachingMode::ORDERED:
      case duckdb::OperatorCachingMode::UNORDERED:
        return true;
      case duckdb::OperatorCachingMode::NONE:
      case duckdb::OperatorCachingMode::PARTITIONED:
        return false;
    }
    return false;
  }

  bool may_keep_rows_;
  std::vector<std::unique_ptr<GatheredCall>> calls_;
  duckdb::ColumnDataCollection kept_;
  duckdb::ColumnDataScanState scan_;
  DataChunk row_;
  idx_t rows_ = 0;    ///< Appended since the last call.
  idx_t unread_ = 0;  ///< Of the last call.
};

class PhysicalPythonGathering : public duckdb::PhysicalOperator {
 public:
  PhysicalPythonGathering(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types, idx_t cardinality,
                          duckdb::vector<ExpressionPointer> calls, duckdb::vector<idx_t> columns)
      : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), cardinality),
        calls_(std::move(calls)),
        columns_(std::move(columns)) {}

  std::string GetName() const override { return "PYTHON_FUNCTIONS"; }

  duckdb::unique_ptr<duckdb::OperatorState> GetOperatorState(duckdb::ExecutionContext& context) const override {
    return duckdb::make_uniq<GatheringState>(
        context, calls_, duckdb::vector<duckdb::LogicalType>(types.begin(), types.begin() + columns_.size()));
  }

  duckdb::OperatorResultType Execute(duckdb::ExecutionContext&, DataChunk& input, DataChunk& result,
                                     duckdb::GlobalOperatorState&,
                                     duckdb::OperatorState& operator_state) const override {
    auto& state = operator_state.Cast<GatheringState>();
    if (!state.HasAnswers()) {
      if (input.size() > 0) state.Append(input, columns_);
      if (!state.IsEnough()) return duckdb::OperatorResultType::NEED_MORE_INPUT;
      state.Call();
    }
    state.Next(result);
    return state.HasAnswers() ? duckdb::OperatorResultType::HAVE_MORE_OUTPUT
                              : duckdb::OperatorResultType::NEED_MORE_INPUT;
  }

  bool RequiresFinalExecute() const override { return true; }
  duckdb::OperatorFinalizeResultType FinalExecute(duckdb::ExecutionContext&, DataChunk& result,
                                                  duckdb::GlobalOperatorState&,
                                                  duckdb::OperatorState& operator_state) const override {
    auto& state = operator_state.Cast<GatheringState>();
    if (!state.HasAnswers()) {
      if (state.IsEmpty()) return duckdb::OperatorFinalizeResultType::FINISHED;
      state.Call();
    }
    state.Next(result);
    return state.HasAnswers() ? duckdb::OperatorFinalizeResultType::HAVE_MORE_OUTPUT
                              : duckdb::OperatorFinalizeResultType::FINISHED;
  }

  bool ParallelOperator() const override { return true; }

 private:
  duckdb::vector<ExpressionPointer> calls_;
  duckdb::vector<idx_t> columns_;  ///< Of the input, that are handed on.
};

/// Columns of its child, then the values of the calls in `expressions`.
class PythonGathering : public duckdb::LogicalExtensionOperator {
 public:
  PythonGathering(idx_t table_index, duckdb::vector<ExpressionPointer> calls, duckdb::vector<idx_t> columns,
                  duckdb::unique_ptr<duckdb::LogicalOperator> child)
      : LogicalExtensionOperator(std::move(calls)), table_index_(table_index), columns_(std::move(columns)) {
    estimated_cardinality = child->estimated_cardinality;
    has_estimated_cardinality = child->has_estimated_cardinality;
    children.push_back(std::move(child));
  }

  std::string GetName() const override { return "PYTHON_FUNCTIONS"; }
  duckdb::vector<idx_t> GetTableIndex() const override { return {table_index_}; }

  duckdb::vector<duckdb::ColumnBinding> GetColumnBindings() override {
    const auto below = children[0]->GetColumnBindings();
    duckdb::vector<duckdb::ColumnBinding> bindings;
    for (const idx_t column : columns_) bindings.push_back(below[column]);
    for (idx_t i = 0; i < expressions.size(); ++i) bindings.emplace_back(table_index_, i);
    return bindings;
  }

  duckdb::PhysicalOperator& CreatePlan(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator& planner) override {
    auto& child = planner.CreatePlan(*children[0]);
    auto& gathering = planner.Make<PhysicalPythonGathering>(types, estimated_cardinality, std::move(expressions),
                                                            std::move(columns_));
    gathering.children.push_back(child);
    return gathering;
  }

 protected:
  void ResolveTypes() override {
    for (const idx_t column : columns_) types.push_back(children[0]->types[column]);
    for (const auto& call : expressions) types.push_back(call->return_type);
  }

 private:
  idx_t table_index_;
  duckdb::vector<idx_t> columns_;
};

bool IsPythonCall(const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION) return false;
  const auto& call = expression.Cast<duckdb::BoundFunctionExpression>();
  return (call.function.name == kPythonCall || call.function.name == kPythonCallForEachRow) &&
         call.bind_info != nullptr;
}

bool HasPythonCall(const duckdb::Expression& expression) {
  if (IsPythonCall(expression)) return true;
  bool found = false;
  duckdb::ExpressionIterator::EnumerateChildren(
      expression, [&](const duckdb::Expression& child) { found = found || HasPythonCall(child); });
  return found;
}

/// Whether all parts of an expression are evaluated for every row: not the branches of CASE and their like.
bool EvaluatesAll(const duckdb::Expression& expression) {
  switch (expression.GetExpressionClass()) {
    case duckdb::ExpressionClass::BOUND_FUNCTION:
      return !expression.Cast<duckdb::BoundFunctionExpression>().function.HasBindLambdaCallback();
    case duckdb::ExpressionClass::BOUND_AGGREGATE:
      return true;
    case duckdb::ExpressionClass::BOUND_OPERATOR:
      return expression.GetExpressionType() == duckdb::ExpressionType::OPERATOR_NOT ||
             expression.GetExpressionType() == duckdb::ExpressionType::OPERATOR_IS_NULL ||
             expression.GetExpressionType() == duckdb::ExpressionType::OPERATOR_IS_NOT_NULL;
    case duckdb::ExpressionClass::BOUND_CAST:
    case duckdb::ExpressionClass::BOUND_COMPARISON:
    case duckdb::ExpressionClass::BOUND_BETWEEN:
      return true;
    default:
      return false;
  }
}

/// Takes the calls whose arguments hold no further calls out of an operator's expressions.
class CallCollector {
 public:
  explicit CallCollector(idx_t table_index) : table_index_(table_index) {}

  void Take(ExpressionPointer& expression) {
    if (IsPythonCall(*expression)) {
      bool is_innermost = true;
      duckdb::ExpressionIterator::EnumerateChildren(
          *expression, [&](const duckdb::Expression& child) { is_innermost = is_innermost && !HasPythonCall(child); });
      if (is_innermost) {
        auto column = duckdb::make_uniq<duckdb::BoundColumnRefExpression>(
            expression->GetAlias(), expression->return_type, duckdb::ColumnBinding(table_index_, calls.size()));
        calls.push_back(std::move(expression));
        expression = std::move(column);
        return;
      }
    } else if (!EvaluatesAll(*expression)) {
      return;
    }
    duckdb::ExpressionIterator::EnumerateChildren(*expression, [&](ExpressionPointer& child) { Take(child); });
  }

  duckdb::vector<ExpressionPointer> calls;

 private:
  idx_t table_index_;
};

void ColumnsOf(const duckdb::Expression& expression, duckdb::column_binding_set_t& used) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF)
    used.insert(expression.Cast<duckdb::BoundColumnRefExpression>().binding);
  duckdb::ExpressionIterator::EnumerateChildren(expression,
                                                [&](const duckdb::Expression& child) { ColumnsOf(child, used); });
}

/// Lets a filter's other conditions go first, so that functions are called for the rows that these leave.
void FilterFirst(duckdb::LogicalOperator& filter) {
  auto& conditions = filter.expressions;
  const auto first = std::stable_partition(conditions.begin(), conditions.end(),
                                           [](const auto& condition) { return HasPythonCall(*condition); });
  if (first == conditions.begin() || first == conditions.end()) return;
  auto below = duckdb::make_uniq<duckdb::LogicalFilter>();
  below->expressions.insert(below->expressions.end(), std::make_move_iterator(first),
                            std::make_move_iterator(conditions.end()));
  conditions.erase(first, conditions.end());
  below->children.push_back(std::move(filter.children[0]));
  filter.children[0] = std::move(below);
}

/// Puts gathering operators below `plan` until its expressions call nothing that could be taken out.
void GatherBelow(duckdb::OptimizerExtensionInput& input, duckdb::LogicalOperator& plan) {
  const auto visit = [&](const std::function<void(ExpressionPointer&)>& call) {
    duckdb::LogicalOperatorVisitor::EnumerateExpressions(plan,
                                                         [&](ExpressionPointer* expression) { call(*expression); });
  };
  const bool hands_on_all = plan.type == duckdb::LogicalOperatorType::LOGICAL_FILTER;
  while (true) {
    const auto table_index = input.optimizer.binder.GenerateTableIndex();
    CallCollector collector(table_index);
    visit([&](ExpressionPointer& expression) { collector.Take(expression); });
    if (collector.calls.empty()) return;
    const auto below = plan.children[0]->GetColumnBindings();
    duckdb::column_binding_set_t used;
    visit([&](ExpressionPointer& expression) { ColumnsOf(*expression, used); });
    duckdb::vector<idx_t> columns;
    for (idx_t i = 0; i < below.size(); ++i) {
      if (hands_on_all || used.count(below[i]) != 0) columns.push_back(i);
    }
    if (hands_on_all) {
      auto& map = plan.Cast<duckdb::LogicalFilter>().projection_map;
      if (map.empty()) {
        for (idx_t i = 0; i < below.size(); ++i) map.push_back(i);
      }
    }
    plan.children[0] = duckdb::make_uniq<PythonGathering>(table_index, std::move(collector.calls), std::move(columns),
                                                          std::move(plan.children[0]));
  }
}

void Gather(duckdb::OptimizerExtensionInput& input, duckdb::LogicalOperator& plan) {
  for (auto& child : plan.children) Gather(input, *child);
  switch (plan.type) {
    case duckdb::LogicalOperatorType::LOGICAL_FILTER:
      FilterFirst(plan);
      GatherBelow(input, plan);
      break;
    case duckdb::LogicalOperatorType::LOGICAL_PROJECTION:
    case duckdb::LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY:
      GatherBelow(input, plan);
      break;
    default:
      break;
  }
}

void GatherPythonCalls(duckdb::OptimizerExtensionInput& input, duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  Gather(input, *plan);
}

}  // namespace

void RegisterPythonGathering(duckdb::DBConfig& config) {
  duckdb::OptimizerExtension extension;
  extension.optimize_function = GatherPythonCalls;
  duckdb::OptimizerExtension::Register(config, extension);
}

}  // namespace frazil::engine
