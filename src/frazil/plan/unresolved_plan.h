#pragma once

// Relations as SQL text and DataFrame requests state them. SQL (sql/) and Spark Connect (connect/) both make these, so
// each feature is written once. Commands (statements that change or show something) are plans too:
// unresolved_command.h.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/plan/unresolved_expression.h"
#include "frazil/types/arrow_c.h"

namespace frazil::plan {

enum class PlanKind : uint8_t {
  // Relations.
  kNamedTable,
  kDataSource,
  kTableFunction,
  kLocalRelation,
  kInlineTable,
  kRange,
  kOneRow,
  kProject,
  kFilter,
  kJoin,
  kSetOperation,
  kSort,
  kLimit,
  kOffset,
  kTail,
  kAggregate,
  kHaving,
  kQualify,
  kWith,
  kSubqueryAlias,
  kLateralView,
  kNamedWindows,
  kSample,
  kDeduplicate,
  kRepartition,
  kToDf,
  kWithColumns,
  kWithColumnsRenamed,
  kDropColumns,
  kHint,
  kUnpivot,
  kPivot,
  kToSchema,
  kTranspose,
  kShowString,
  kHtmlString,
  kNaFill,
  kNaDrop,
  kNaReplace,
  kSummary,
  kDescribeColumns,
  kCrosstab,
  kCov,
  kCorr,
  kApproxQuantile,
  kFreqItems,
  kSampleBy,
  kCollectMetrics,
  kWithRelations,
  kSqlQuery,
  kParseText,
  kCachedRelation,
  kCatalogCall,
  kUnsupportedRelation,
  // Commands: see unresolved_command.h.
  kCommand,
};

struct Plan {
  explicit Plan(PlanKind plan_kind) : kind(plan_kind) {}
  virtual ~Plan() = default;
  const PlanKind kind;
  Origin origin;
  std::optional<int64_t> plan_id;  ///< DataFrame: the id that columns refer to.
  template <typename T>
  const T& As() const {
    return static_cast<const T&>(*this);
  }
};

using Options = std::map<std::string, std::string>;

/// VERSION AS OF v / TIMESTAMP AS OF t.
struct TimeTravel {
  ExprPtr timestamp;  ///< One of the two.
  std::optional<std::string> version;
};

/// A table or view by name; a file format and path too: parquet.`/path`.
struct NamedTablePlan : Plan {
  NamedTablePlan() : Plan(PlanKind::kNamedTable) {}
  std::vector<std::string> name;
  ExprPtr identifier;  ///< IDENTIFIER(...): gives the name instead.
  Options options;     ///< WITH (...) or DataFrameReader options.
  std::optional<TimeTravel> time_travel;
  bool is_streaming = false;
};

/// spark.read.format(...).schema(...).options(...).load(paths).
struct DataSourcePlan : Plan {
  DataSourcePlan() : Plan(PlanKind::kDataSource) {}
  std::string format;  ///< Empty: spark.sql.sources.default.
  std::string schema;  ///< DDL or JSON text, or empty.
  Options options;
  std::vector<std::string> paths;
  std::vector<std::string> predicates;  ///< JDBC.
  bool is_streaming = false;
};

/// FROM range(10), explode(...), a table-valued function.
struct TableFunctionPlan : Plan {
  TableFunctionPlan() : Plan(PlanKind::kTableFunction) {}
  std::vector<std::string> name;
  std::vector<ExprPtr> arguments;
  ExprPtr identifier;
};

/// createDataFrame.
struct LocalRelationPlan : Plan {
  LocalRelationPlan() : Plan(PlanKind::kLocalRelation) {}
  ArrowTablePtr data;  ///< Null: an empty relation of the schema.
  DataTypePtr schema;  ///< Struct type that was asked for (columns are cast to it by position), or null: that of data.
  std::string schema_text;  ///< As schema, in DDL or JSON text; empty if none.
};

/// VALUES (1, 'a'), (2, 'b').
struct InlineTablePlan : Plan {
  InlineTablePlan() : Plan(PlanKind::kInlineTable) {}
  std::vector<std::vector<ExprPtr>> rows;
  // Aliases come as SubqueryAliasPlan; without one the columns are col1, col2, ...
};

struct RangePlan : Plan {
  RangePlan() : Plan(PlanKind::kRange) {}
  int64_t start = 0;
  int64_t end = 0;
  int64_t step = 1;
};

/// SELECT without FROM.
struct OneRowPlan : Plan {
  OneRowPlan() : Plan(PlanKind::kOneRow) {}
};

struct ProjectPlan : Plan {
  ProjectPlan() : Plan(PlanKind::kProject) {}
  PlanPtr child;                     ///< Never null (OneRowPlan without FROM).
  std::vector<ExprPtr> expressions;  ///< Aggregate functions among them, without GROUP BY, make it a global aggregate;
                                     ///< generators are expanded.
  bool distinct = false;             ///< SELECT DISTINCT.
  std::string pipe_clause;  ///< "SELECT", "EXTEND" or "SET" after |>: aggregate functions are then refused, naming it.
                            ///< Else empty.
};

struct FilterPlan : Plan {
  FilterPlan() : Plan(PlanKind::kFilter) {}
  PlanPtr child;
  ExprPtr condition;
};

enum class JoinType : uint8_t { kInner, kCross, kLeftOuter, kRightOuter, kFullOuter, kLeftSemi, kLeftAnti };

struct JoinPlan : Plan {
  JoinPlan() : Plan(PlanKind::kJoin) {}
  PlanPtr left;
  PlanPtr right;
  JoinType type = JoinType::kInner;
  ExprPtr condition;
  std::vector<std::string> using_columns;
  bool is_natural = false;
  bool is_lateral = false;
};

enum class SetOperationType : uint8_t { kUnion, kIntersect, kExcept };

struct SetOperationPlan : Plan {
  SetOperationPlan() : Plan(PlanKind::kSetOperation) {}
  PlanPtr left;
  PlanPtr right;
  SetOperationType type = SetOperationType::kUnion;
  bool all = false;
  bool by_name = false;
  bool allow_missing_columns = false;
};

struct SortPlan : Plan {
  SortPlan() : Plan(PlanKind::kSort) {}
  PlanPtr child;
  std::vector<ExprPtr> order_by;  ///< SortOrderExpr; empty with order_by_all.
  bool order_by_all = false;      ///< ORDER BY ALL.
  bool all_ascending = true;
  std::optional<bool> all_nulls_first;
  bool is_global = true;  ///< False: SORT BY, sortWithinPartitions.
};

struct LimitPlan : Plan {
  LimitPlan() : Plan(PlanKind::kLimit) {}
  PlanPtr child;
  ExprPtr limit;
};
struct OffsetPlan : Plan {
  OffsetPlan() : Plan(PlanKind::kOffset) {}
  PlanPtr child;
  ExprPtr offset;
};
struct TailPlan : Plan {
  TailPlan() : Plan(PlanKind::kTail) {}
  PlanPtr child;
  ExprPtr limit;
};

enum class GroupingType : uint8_t { kGroupBy, kRollup, kCube, kGroupingSets };

/// One item of GROUP BY: an expression, or ROLLUP/CUBE/GROUPING SETS over sets of expressions.
struct GroupingElement {
  enum class Type : uint8_t { kExpression, kRollup, kCube, kGroupingSets };
  Type type = Type::kExpression;
  std::vector<std::vector<ExprPtr>>
      sets;  ///< kExpression: one set of one expression; kRollup, kCube: each set is one element.
  std::vector<GroupingElement>
      nested;  ///< kGroupingSets: nested ROLLUP/CUBE elements (when not empty, `sets` is empty).
  std::vector<ExprPtr> grouping_columns;  ///< kGroupingSets of the form GROUP BY a, b GROUPING SETS (...): a, b in
                                          ///< their order; else empty.
};

/// GROUP BY (or groupBy().agg(), rollup, cube, groupingSets, pivot).
struct AggregatePlan : Plan {
  AggregatePlan() : Plan(PlanKind::kAggregate) {}
  PlanPtr child;
  std::vector<GroupingElement> grouping;
  bool group_by_all = false;
  /// SQL: the whole SELECT list. DataFrame (`prepend_grouping`): only the aggregates; the grouping columns come in
  /// front.
  std::vector<ExprPtr> aggregates;
  bool prepend_grouping = false;
  bool distinct = false;  ///< SELECT DISTINCT ... GROUP BY.
  bool is_pipe = false;   ///< |> AGGREGATE: each of `aggregates` must hold an aggregate function.
  /// DataFrame pivot: column and values (empty: all distinct values, sorted).
  ExprPtr pivot_column;
  std::vector<ExprPtr> pivot_values;
};

/// HAVING over an AggregatePlan (or over a ProjectPlan, which it makes a global aggregate).
struct HavingPlan : Plan {
  HavingPlan() : Plan(PlanKind::kHaving) {}
  PlanPtr child;
  ExprPtr condition;
};

struct CteDefinition {
  std::string name;
  std::vector<std::string> column_aliases;
  PlanPtr plan;
  std::optional<int64_t> max_depth;  ///< Recursive: MAX RECURSION LEVEL.
};
/// Of a query; what stands before INSERT, DELETE, UPDATE or MERGE stands in their queries and subqueries.
struct WithPlan : Plan {
  WithPlan() : Plan(PlanKind::kWith) {}
  std::vector<CteDefinition> definitions;
  bool recursive = false;
  PlanPtr child;
};

/// child AS alias (column, column).
struct SubqueryAliasPlan : Plan {
  SubqueryAliasPlan() : Plan(PlanKind::kSubqueryAlias) {}
  PlanPtr child;
  std::string alias;  ///< Empty: an aliased subquery without a name (Spark hides its inner qualifiers).
  std::vector<std::string> column_aliases;
};

/// LATERAL VIEW [OUTER] generator(...) alias AS columns.
struct LateralViewPlan : Plan {
  LateralViewPlan() : Plan(PlanKind::kLateralView) {}
  PlanPtr child;
  ExprPtr generator;
  bool outer = false;
  std::string alias;
  std::vector<std::string> column_aliases;
};

/// WINDOW w AS (...), for the windows used in `child`.
struct NamedWindowsPlan : Plan {
  NamedWindowsPlan() : Plan(PlanKind::kNamedWindows) {}
  PlanPtr child;
  std::vector<std::pair<std::string, WindowSpecification>> windows;
};

struct SamplePlan : Plan {
  SamplePlan() : Plan(PlanKind::kSample) {}
  enum class Unit : uint8_t { kFraction, kRows, kBuckets };
  PlanPtr child;
  Unit unit = Unit::kFraction;
  double lower_bound = 0;
  double upper_bound = 1;
  int64_t rows = 0;         ///< kRows.
  ExprPtr rows_expression;  ///< kRows: the count where it is no literal; else null.
  bool with_replacement = false;
  std::optional<int64_t> seed;
};

struct DeduplicatePlan : Plan {
  DeduplicatePlan() : Plan(PlanKind::kDeduplicate) {}
  PlanPtr child;
  std::vector<std::string> columns;  ///< Empty: all.
  bool within_watermark = false;
};

/// repartition, coalesce, DISTRIBUTE BY, CLUSTER BY: says how writes spread rows.
struct RepartitionPlan : Plan {
  RepartitionPlan() : Plan(PlanKind::kRepartition) {}
  PlanPtr child;
  std::optional<int64_t> partitions;
  bool shuffle = true;
  std::vector<ExprPtr> expressions;
  bool by_range = false;
};

struct ToDfPlan : Plan {
  ToDfPlan() : Plan(PlanKind::kToDf) {}
  PlanPtr child;
  std::vector<std::string> names;
};
struct WithColumnsPlan : Plan {
  WithColumnsPlan() : Plan(PlanKind::kWithColumns) {}
  PlanPtr child;
  std::vector<ExprPtr> aliases;  ///< AliasExpr with one name each.
  bool is_pipe_set = false;      ///< |> SET: the columns must exist, aggregate functions are refused.
};
struct WithColumnsRenamedPlan : Plan {
  WithColumnsRenamedPlan() : Plan(PlanKind::kWithColumnsRenamed) {}
  PlanPtr child;
  std::vector<std::pair<std::string, std::string>> renames;
};
struct DropColumnsPlan : Plan {
  DropColumnsPlan() : Plan(PlanKind::kDropColumns) {}
  PlanPtr child;
  std::vector<ExprPtr> columns;
  std::vector<std::string> names;
};
struct HintPlan : Plan {
  HintPlan() : Plan(PlanKind::kHint) {}
  PlanPtr child;
  std::string name;
  std::vector<ExprPtr> parameters;
};

/// UNPIVOT, DataFrame.unpivot/melt.
struct UnpivotPlan : Plan {
  UnpivotPlan() : Plan(PlanKind::kUnpivot) {}
  PlanPtr child;
  std::optional<std::vector<ExprPtr>> ids;                  ///< DataFrame; SQL: absent (all other columns).
  std::optional<std::vector<std::vector<ExprPtr>>> values;  ///< Groups of value columns; absent: all but the ids.
  std::vector<std::optional<std::string>> value_aliases;    ///< SQL: alias of each group; may be empty.
  std::string variable_column;
  std::vector<std::string> value_columns;
  bool include_nulls = false;
};

/// SQL PIVOT (aggregates FOR columns IN (values)).
struct PivotPlan : Plan {
  PivotPlan() : Plan(PlanKind::kPivot) {}
  PlanPtr child;
  std::vector<ExprPtr> aggregates;
  std::vector<ExprPtr> columns;
  std::vector<ExprPtr> values;  ///< AliasExpr around those with a name; several columns: "struct" calls.
};

struct ToSchemaPlan : Plan {
  ToSchemaPlan() : Plan(PlanKind::kToSchema) {}
  PlanPtr child;
  DataTypePtr schema;
};
struct TransposePlan : Plan {
  TransposePlan() : Plan(PlanKind::kTranspose) {}
  PlanPtr child;
  std::vector<ExprPtr> index_columns;
};
struct ShowStringPlan : Plan {
  ShowStringPlan() : Plan(PlanKind::kShowString) {}
  PlanPtr child;
  int num_rows = 20;
  int truncate = 20;
  bool vertical = false;
};
struct HtmlStringPlan : Plan {
  HtmlStringPlan() : Plan(PlanKind::kHtmlString) {}
  PlanPtr child;
  int num_rows = 20;
  int truncate = 20;
};

struct NaFillPlan : Plan {
  NaFillPlan() : Plan(PlanKind::kNaFill) {}
  PlanPtr child;
  std::vector<std::string> columns;
  std::vector<ExprPtr> values;  ///< LiteralExpr: one for all, or one for each column.
};
struct NaDropPlan : Plan {
  NaDropPlan() : Plan(PlanKind::kNaDrop) {}
  PlanPtr child;
  std::vector<std::string> columns;
  std::optional<int> min_non_nulls;
};
struct NaReplacePlan : Plan {
  NaReplacePlan() : Plan(PlanKind::kNaReplace) {}
  PlanPtr child;
  std::vector<std::string> columns;
  std::vector<std::pair<ExprPtr, ExprPtr>> replacements;  ///< LiteralExpr.
};
struct SummaryPlan : Plan {
  SummaryPlan() : Plan(PlanKind::kSummary) {}
  PlanPtr child;
  std::vector<std::string> statistics;
};
struct DescribeColumnsPlan : Plan {
  DescribeColumnsPlan() : Plan(PlanKind::kDescribeColumns) {}
  PlanPtr child;
  std::vector<std::string> columns;
};
struct CrosstabPlan : Plan {
  CrosstabPlan() : Plan(PlanKind::kCrosstab) {}
  PlanPtr child;
  std::string column1, column2;
};
struct CovPlan : Plan {
  CovPlan() : Plan(PlanKind::kCov) {}
  PlanPtr child;
  std::string column1, column2;
};
struct CorrPlan : Plan {
  CorrPlan() : Plan(PlanKind::kCorr) {}
  PlanPtr child;
  std::string column1, column2, method;
};
struct ApproxQuantilePlan : Plan {
  ApproxQuantilePlan() : Plan(PlanKind::kApproxQuantile) {}
  PlanPtr child;
  std::vector<std::string> columns;
  std::vector<double> probabilities;
  double relative_error = 0;
};
struct FreqItemsPlan : Plan {
  FreqItemsPlan() : Plan(PlanKind::kFreqItems) {}
  PlanPtr child;
  std::vector<std::string> columns;
  double support = 0.01;
};
struct SampleByPlan : Plan {
  SampleByPlan() : Plan(PlanKind::kSampleBy) {}
  PlanPtr child;
  ExprPtr column;
  std::vector<std::pair<ExprPtr, double>> fractions;
  std::optional<int64_t> seed;
};
struct CollectMetricsPlan : Plan {
  CollectMetricsPlan() : Plan(PlanKind::kCollectMetrics) {}
  PlanPtr child;
  std::string name;
  std::vector<ExprPtr> metrics;
};
/// A root that refers to other plans by their plan_id (subquery expressions, SQL over DataFrames).
struct WithRelationsPlan : Plan {
  WithRelationsPlan() : Plan(PlanKind::kWithRelations) {}
  PlanPtr root;
  std::vector<PlanPtr> references;
};
/// SQL text inside a DataFrame plan (spark.sql(...) of a query).
struct SqlQueryPlan : Plan {
  SqlQueryPlan() : Plan(PlanKind::kSqlQuery) {}
  std::string text;
  std::vector<std::pair<std::string, ExprPtr>> named_arguments;
  std::vector<ExprPtr> positional_arguments;
  std::vector<PlanPtr>
      references;  ///< SubqueryAliasPlan: DataFrames that the text names, as in spark.sql("... {df}", df=df).
};
/// spark.read.csv/json over a DataFrame of strings.
struct ParseTextPlan : Plan {
  ParseTextPlan() : Plan(PlanKind::kParseText) {}
  PlanPtr child;
  std::string format;
  DataTypePtr schema;
  Options options;
};
/// A relation that the server keeps: checkpoint, foreachBatch.
struct CachedRelationPlan : Plan {
  CachedRelationPlan() : Plan(PlanKind::kCachedRelation) {}
  std::string relation_id;
};
/// spark.catalog.*: name of the message ("ListTables") and its fields as text (absent optional fields are absent).
struct CatalogCallPlan : Plan {
  CatalogCallPlan() : Plan(PlanKind::kCatalogCall) {}
  std::string call;
  Options arguments;
  Options options;
  DataTypePtr schema;
};
/// Valid in the protocol, not supported here; the analysis refuses it by this name.
struct UnsupportedRelationPlan : Plan {
  UnsupportedRelationPlan() : Plan(PlanKind::kUnsupportedRelation) {}
  std::string feature;
};

}  // namespace frazil::plan
