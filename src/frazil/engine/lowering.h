#pragma once

// From the typed plan to DuckDB's syntax tree. Internal to engine/.
//
// Every plan node becomes a Block: a SELECT under construction whose columns are called c<id>. Names are unique in the
// whole statement, so that references bind without qualification at any depth: a correlated column is found in the
// query around it by its name.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <duckdb.hpp>
#include <duckdb/parser/expression/window_expression.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/parser/statement/select_statement.hpp>
#include <duckdb/parser/tableref.hpp>

#include "frazil/engine/functions/function_lowering.h"
#include "frazil/engine/statement_state.h"
#include "frazil/plan/logical_plan.h"

namespace frazil::engine {

using TableRefPtr = duckdb::unique_ptr<duckdb::TableRef>;
using QueryNodePtr = duckdb::unique_ptr<duckdb::QueryNode>;

/// A SELECT that can still take more clauses.
struct Block {
  TableRefPtr from;
  LoweredArguments where;  ///< Conjuncts over the columns of `from`.
  /// Name and value of each column; when `has_select` is false the columns of `from` named in `columns` pass through.
  std::vector<std::pair<std::string, LoweredExpression>> select;
  bool has_select = false;
  /// Names that the block puts out, in order.
  std::vector<std::string> columns;
  duckdb::vector<duckdb::unique_ptr<duckdb::ResultModifier>> modifiers;
  /// Set where nothing may be merged into the select (unnest, windows, aggregates, DISTINCT): a node above starts a new
  /// block.
  bool closed = false;
  duckdb::GroupByNode groups;
  bool is_aggregate = false;
};

std::string ColumnName(AttributeId id);
LoweredExpression ColumnRefOf(const std::string& name);
std::vector<std::pair<std::string, LoweredExpression>> PassThrough(const std::vector<std::string>& names);

class Lowering : public LoweringContext {
 public:
  Lowering(const FunctionLoweringRegistry& registry, StatementState& state) : registry_(registry), state_(state) {}

  /// The statement whose columns are plan.output in order (one dummy column where it is empty).
  Result<duckdb::unique_ptr<duckdb::SelectStatement>> LowerStatement(const plan::LogicalPlanPtr& plan);

  /// CollectMetrics nodes met on the way.
  const std::vector<const plan::CollectMetricsNode*>& observed() const { return observed_; }

  // LoweringContext
  const functions::ExpressionSettings& settings() const override { return state_.context.settings; }
  Result<LoweredExpression> Lower(const Expression& expression) override;
  std::string FreshName() override { return "x" + std::to_string(next_name_++); }
  LoweredExpression RowPosition() override;

 private:
  /// While it lives, RowPosition names a column of the rows that the expressions being lowered are computed on.
  class OrderedRows {
   public:
    explicit OrderedRows(Lowering& lowering);
    ~OrderedRows();
    /// Whether an expression has named the position since: then `input` with that column, numbered in order.
    bool wanted() const;
    Block Number(Block input);

   private:
    Lowering& lowering_;
    std::string outer_position_;
    bool outer_wanted_;
  };

  // lowering_expression.cc
  Result<LoweredExpression> LowerLiteral(const LiteralExpression& literal);
  Result<LoweredExpression> LowerCall(const CallExpression& call);
  Result<LoweredExpression> LowerCast(const CastExpression& cast);
  Result<LoweredExpression> LowerLambda(const LambdaExpression& lambda);
  Result<LoweredExpression> LowerSubquery(const SubqueryExpression& subquery);
  /// Whether the subquery of an IN has a row equal to the values; with `or_unknown`, or one that may be for NULLs.
  Result<LoweredExpression> LowerMatch(const SubqueryExpression& subquery, bool or_unknown);
  /// Notes the subqueries of a WHERE for which NULL is as good as false.
  void NoteConjuncts(const Expression& condition);
  Result<LoweredExpression> LowerAggregate(const AggregateExpression& aggregate);
  Result<LoweredExpression> LowerWindow(const WindowExpression& window);
  Result<LoweredArguments> LowerAll(const std::vector<ExpressionPtr>& expressions);
  Result<duckdb::vector<duckdb::OrderByNode>> LowerOrder(const std::vector<SortKey>& keys);
  Status SetFrame(const WindowExpression& window, duckdb::WindowExpression& target);
  /// Lets equal rows come in the order of their positions, where the function sees that order.
  Status BreakTies(const WindowExpression& window, const std::string& name, duckdb::WindowExpression& target);
  Status MakeWindows(const WindowExpression& window, LoweredExpression& expression);
  Status QualifyAggregates(const AggregateExpression& aggregate, LoweredExpression& expression);

  // lowering_plan.cc
  Result<Block> LowerPlan(const plan::LogicalPlan& plan);
  Result<Block> LowerProject(const plan::ProjectNode& node);
  /// The project over another one that computes the lower parts of its long chains of operators; null where it has
  /// none.
  std::shared_ptr<plan::ProjectNode> CutLongChains(const plan::ProjectNode& node);
  Result<Block> LowerFilter(const plan::FilterNode& node);
  Result<Block> LowerLimit(const plan::LimitNode& node);
  Result<Block> LowerTail(const plan::TailNode& node);
  Result<Block> LowerDistinct(const plan::DistinctNode& node);
  Result<Block> LowerDeduplicate(const plan::DeduplicateNode& node);
  Result<Block> LowerSample(const plan::SampleNode& node);
  Result<Block> LowerSetOperation(const plan::SetOperationNode& node);
  Result<Block> LowerWith(const plan::WithNode& node);
  Result<Block> LowerCteReference(const plan::CteReferenceNode& node);
  Result<Block> LowerRecursiveCte(const plan::RecursiveCteNode& node);
  // lowering_join.cc
  Result<Block> LowerJoin(const plan::JoinNode& node);
  // lowering_aggregate.cc
  Result<Block> LowerAggregateNode(const plan::AggregateNode& node);
  // lowering_order.cc
  Result<Block> LowerSort(const plan::SortNode& node);
  Result<Block> LowerWindowNode(const plan::WindowNode& node);
  /// The keys that rows leave the window sorted by, the last of them their position in the input; fills window_ties_.
  Result<duckdb::vector<duckdb::OrderByNode>> OrderWindows(const plan::WindowNode& node, const std::string& position);
  /// How many rows the plan puts out, roughly and rather too many; infinity where nothing is known.
  double EstimateRows(const plan::LogicalPlan& plan);
  // lowering_generate.cc
  Result<Block> LowerGenerate(const plan::GenerateNode& node);
  Result<Block> LowerUnpivot(const plan::UnpivotNode& node);
  // lowering_source.cc
  Result<Block> LowerScan(const plan::ScanNode& node);
  Result<Block> LowerRows(const RowSet& rows, const std::vector<Attribute>& output, const std::vector<size_t>& columns);
  Result<Block> LowerArrowRows(const plan::ArrowRowsNode& node);
  Result<Block> LowerRange(const plan::RangeNode& node);
  Result<Block> LowerOneRow();
  Result<Block> LowerTextScan(const plan::ScanNode& node, tables::FileFormat format);

  // Blocks.
  QueryNodePtr ToQueryNode(Block block);
  TableRefPtr ToTableRef(Block block);
  /// A block that reads this one as a subquery and passes its columns through.
  Block Wrap(Block block);
  Block FromTable(TableRefPtr table, std::vector<std::string> columns);
  /// Wraps where a select list, a limit or the like stands in the way of a WHERE on the block's columns.
  Block Open(Block block);
  /// Columns that the block carries beyond plan.output (recursion depth).
  std::vector<std::string> Carried(const Block& block) const;
  /// A select list over `child`: the given columns, then what the child carries.
  Block Select(Block child, std::vector<std::pair<std::string, LoweredExpression>> columns, bool closed);
  /// The block's rows with their position, counted from 1, as a column of that name.
  Block Numbered(Block input, const std::string& position);
  std::string FreshTable() { return "t" + std::to_string(next_table_++); }

  const FunctionLoweringRegistry& registry_;
  StatementState& state_;
  std::vector<const plan::CollectMetricsNode*> observed_;
  std::set<std::string> carried_;  ///< Names of recursion depth columns.
  std::map<uint64_t, std::string> recursion_depths_;
  plan::LogicalPlanPtr root_;
  std::set<const Expression*> null_is_false_;  ///< See NoteConjuncts.
  std::string row_position_;                   ///< See OrderedRows; empty: none.
  bool row_position_wanted_ = false;
  /// What decides among rows that are equal for a window; none: nothing does.
  std::map<const WindowExpression*, duckdb::vector<duckdb::OrderByNode>> window_ties_;
  std::map<const plan::LogicalPlan*, double> estimated_rows_;
  std::map<uint64_t, const plan::LogicalPlan*> cte_plans_;
  std::vector<std::shared_ptr<const plan::ProjectNode>> cut_;  ///< Keeps what CutLongChains made.
  AttributeId next_own_id_ = AttributeId{1} << 61;             ///< No column of a plan has such an id.
  int next_name_ = 0;
  int next_table_ = 0;
};

}  // namespace frazil::engine
