#pragma once

// The typed plan: what the analysis makes of an unresolved plan and the engine runs. Every column has an id that is
// unique in the query; every expression a Spark type; every conversion is explicit.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/expressions/expression.h"
#include "frazil/plan/type_fwd.h"
#include "frazil/plan/unresolved_plan.h"
#include "frazil/tables/scan.h"
#include "frazil/types/arrow_c.h"
#include "frazil/types/row_set.h"

namespace frazil::plan {

enum class LogicalKind : uint8_t {
  kScan,
  kRows,
  kArrowRows,
  kRange,
  kOneRow,
  kProject,
  kFilter,
  kJoin,
  kSetOperation,
  kSort,
  kLimit,
  kTail,
  kAggregate,
  kWindow,
  kGenerate,
  kDistinct,
  kDeduplicate,
  kSample,
  kRepartition,
  kWith,
  kCteReference,
  kRecursiveCte,
  kUnpivot,
  kCollectMetrics,
};

/// A node of the typed plan. Immutable once made.
struct LogicalPlan : SubqueryPlan {
  explicit LogicalPlan(LogicalKind logical_kind) : kind(logical_kind) {}
  const LogicalKind kind;
  std::vector<Attribute> output;
  template <typename T>
  const T& As() const {
    return static_cast<const T&>(*this);
  }
};

/// Names of columns that a scan can add: the file of a row, and its position in it.
inline constexpr const char* kFilePathColumn = "_file";
inline constexpr const char* kFilePositionColumn = "_pos";

/// Reads a table or files. output[i] is column `columns[i]` of the scan's schema, or a metadata column.
struct ScanNode : LogicalPlan {
  ScanNode() : LogicalPlan(LogicalKind::kScan) {}
  tables::TableScanPtr scan;
  std::string table_name;  ///< For explain output and errors.
  struct Column {
    int index = -1;             ///< Of the scan's schema; -1: a metadata column.
    std::string metadata_name;  ///< kFilePathColumn, kFilePositionColumn, ...
  };
  std::vector<Column> columns;
};

/// Values in memory: VALUES that fold to constants, SHOW results, metadata tables.
struct RowsNode : LogicalPlan {
  RowsNode() : LogicalPlan(LogicalKind::kRows) {}
  std::shared_ptr<const RowSet> rows;
};

/// createDataFrame: columns by position; casts stand in a ProjectNode above.
struct ArrowRowsNode : LogicalPlan {
  ArrowRowsNode() : LogicalPlan(LogicalKind::kArrowRows) {}
  ArrowTablePtr data;
};

/// One BIGINT column: start, start + step, ... up to `end` (exclusive).
struct RangeNode : LogicalPlan {
  RangeNode() : LogicalPlan(LogicalKind::kRange) {}
  int64_t start = 0, end = 0, step = 1;
};

/// One row without columns.
struct OneRowNode : LogicalPlan {
  OneRowNode() : LogicalPlan(LogicalKind::kOneRow) {}
};

/// output[i] is the value of expressions[i].
struct ProjectNode : LogicalPlan {
  ProjectNode() : LogicalPlan(LogicalKind::kProject) {}
  LogicalPlanPtr child;
  std::vector<ExpressionPtr> expressions;
};

struct FilterNode : LogicalPlan {
  FilterNode() : LogicalPlan(LogicalKind::kFilter) {}
  LogicalPlanPtr child;
  ExpressionPtr condition;
};

/// Output: left's columns, then right's (semi and anti: left's only). `is_lateral`: the right side refers to the left's
/// columns (ColumnExpression::is_outer).
struct JoinNode : LogicalPlan {
  JoinNode() : LogicalPlan(LogicalKind::kJoin) {}
  LogicalPlanPtr left, right;
  JoinType type = JoinType::kInner;
  ExpressionPtr condition;  ///< Or null.
  bool is_lateral = false;
};

/// All inputs have the same types, column by column; output has ids of its own.
struct SetOperationNode : LogicalPlan {
  SetOperationNode() : LogicalPlan(LogicalKind::kSetOperation) {}
  SetOperationType type = SetOperationType::kUnion;
  bool all = false;
  std::vector<LogicalPlanPtr> inputs;  ///< Two or more (more: unions).
};

struct SortNode : LogicalPlan {
  SortNode() : LogicalPlan(LogicalKind::kSort) {}
  LogicalPlanPtr child;
  std::vector<SortKey> keys;
};

/// LIMIT and OFFSET; each may be absent.
struct LimitNode : LogicalPlan {
  LimitNode() : LogicalPlan(LogicalKind::kLimit) {}
  LogicalPlanPtr child;
  std::optional<int64_t> limit;
  int64_t offset = 0;
};

/// The last rows, in order.
struct TailNode : LogicalPlan {
  TailNode() : LogicalPlan(LogicalKind::kTail) {}
  LogicalPlanPtr child;
  int64_t limit = 0;
};

/// output[i]: first the grouping expressions, then the aggregates (AggregateExpression, nothing around it), then the
/// grouping id where grouping_sets is not empty (BIGINT, Spark's grouping_id over all grouping expressions). No
/// grouping expression and no grouping set: one row.
struct AggregateNode : LogicalPlan {
  AggregateNode() : LogicalPlan(LogicalKind::kAggregate) {}
  LogicalPlanPtr child;
  std::vector<ExpressionPtr> grouping;
  std::vector<ExpressionPtr> aggregates;
  std::vector<std::vector<size_t>> grouping_sets;  ///< Indexes of `grouping`.
};

/// Output: the child's columns, then one column a window expression (WindowExpression, nothing around it).
struct WindowNode : LogicalPlan {
  WindowNode() : LogicalPlan(LogicalKind::kWindow) {}
  LogicalPlanPtr child;
  std::vector<ExpressionPtr> windows;
};

/// explode, posexplode, inline, stack, json_tuple, ...: for each row of the child the generator's rows.
/// Output: the child's columns, then the generator's. outer: rows whose generator gives none are kept, with NULLs.
struct GenerateNode : LogicalPlan {
  GenerateNode() : LogicalPlan(LogicalKind::kGenerate) {}
  LogicalPlanPtr child;
  std::string generator;  ///< "explode" (array or map), "posexplode", "inline", "stack", ...
  std::vector<ExpressionPtr> arguments;
  size_t generated_columns = 0;
  bool outer = false;
};

/// Distinct rows over all columns.
struct DistinctNode : LogicalPlan {
  DistinctNode() : LogicalPlan(LogicalKind::kDistinct) {}
  LogicalPlanPtr child;
};

/// One row for each value of the key columns (any of them). Output: the child's.
struct DeduplicateNode : LogicalPlan {
  DeduplicateNode() : LogicalPlan(LogicalKind::kDeduplicate) {}
  LogicalPlanPtr child;
  std::vector<AttributeId> keys;
};

struct SampleNode : LogicalPlan {
  SampleNode() : LogicalPlan(LogicalKind::kSample) {}
  LogicalPlanPtr child;
  double lower_bound = 0, upper_bound = 1;
  bool with_replacement = false;
  int64_t seed = 0;
};

/// Says how a write above spreads its rows; the rows are the child's.
struct RepartitionNode : LogicalPlan {
  RepartitionNode() : LogicalPlan(LogicalKind::kRepartition) {}
  LogicalPlanPtr child;
  std::optional<int64_t> partitions;
  std::vector<ExpressionPtr> expressions;
};

/// Common table expressions that `child` refers to by CteReferenceNode.
struct CteNodeDefinition {
  uint64_t id = 0;
  LogicalPlanPtr plan;
};
struct WithNode : LogicalPlan {
  WithNode() : LogicalPlan(LogicalKind::kWith) {}
  std::vector<CteNodeDefinition> definitions;
  LogicalPlanPtr child;
};
/// The columns of a definition under ids of their own, by position.
struct CteReferenceNode : LogicalPlan {
  CteReferenceNode() : LogicalPlan(LogicalKind::kCteReference) {}
  uint64_t id = 0;
};
/// WITH RECURSIVE: anchor UNION [ALL] recursive part, which refers to `id`.
struct RecursiveCteNode : LogicalPlan {
  RecursiveCteNode() : LogicalPlan(LogicalKind::kRecursiveCte) {}
  uint64_t id = 0;
  LogicalPlanPtr anchor, recursive;
  bool union_all = true;
  int64_t max_depth = 100;
};

/// For each row of the child one row a group: output is the ids, then the variable column (STRING), then the value
/// columns.
struct UnpivotNode : LogicalPlan {
  UnpivotNode() : LogicalPlan(LogicalKind::kUnpivot) {}
  LogicalPlanPtr child;
  std::vector<ExpressionPtr> ids;
  struct Group {
    std::string name;
    std::vector<ExpressionPtr> values;
  };
  std::vector<Group> groups;
  bool include_nulls = false;
};

/// df.observe: passes rows through and computes aggregates over them beside.
struct CollectMetricsNode : LogicalPlan {
  CollectMetricsNode() : LogicalPlan(LogicalKind::kCollectMetrics) {}
  LogicalPlanPtr child;
  std::string name;
  int64_t plan_id = 0;
  std::vector<ExpressionPtr> metrics;  ///< Over the child's columns: expressions around AggregateExpressions.
  std::vector<std::string> metric_names;
};

/// Direct inputs of a node (not the plans in subquery expressions).
std::vector<LogicalPlanPtr> Inputs(const LogicalPlan& plan);
/// All expressions that stand in the node itself.
std::vector<ExpressionPtr> NodeExpressions(const LogicalPlan& plan);
/// Struct type of a node's output.
DataTypePtr OutputSchema(const LogicalPlan& plan);
/// Indented tree as EXPLAIN prints it.
std::string ExplainString(const LogicalPlan& plan, bool verbose = false);

}  // namespace frazil::plan
