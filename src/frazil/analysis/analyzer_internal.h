#pragma once

// The analysis of one statement. One class, because names, common table expressions, views and subqueries refer to one
// another; its topics stand in files of their own.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/relation_internal.h"
#include "frazil/analysis/select_stage_internal.h"
#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"
#include "frazil/functions/function.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/plan/unresolved_plan.h"

namespace frazil::analysis {

/// A common table expression whose definition has been analyzed.
struct CteEntry {
  std::string name;
  uint64_t id = 0;
  Relation relation;  ///< Exactly the definition's columns.
  bool referenced = false;
  bool is_recursion = false;  ///< Stands for the rows so far, inside the definition itself.
};

class Analyzer {
 public:
  explicit Analyzer(AnalysisContext& context) : context_(context), settings_(context.settings()) {}

  // --- relations: analyzer.cc
  Result<plan::LogicalPlanPtr> AnalyzeRoot(const plan::PlanPtr& plan);
  Result<NamedRelation> AnalyzeNamed(const plan::PlanPtr& plan);
  Result<Relation> AnalyzePlan(const plan::PlanPtr& plan);
  /// The relation's plan with exactly the visible columns: names, order, one id each.
  plan::LogicalPlanPtr Exact(const Relation& relation);

  // --- expressions: expressions.cc
  /// Analyzes one expression (no alias at its top) in a scope.
  Result<ExpressionPtr> AnalyzeScalar(const plan::ExprPtr& expression, const Scope& scope);
  Result<ExpressionPtr> AnalyzeFilterCondition(const plan::ExprPtr& expression, const Scope& scope, const char* clause);
  Result<Value> AnalyzeConstantValue(const plan::ExprPtr& expression, const DataTypePtr& type);
  Result<std::vector<std::string>> AnalyzeIdentifierText(const plan::ExprPtr& text);

  // --- tables: tables.cc
  Result<Relation> AnalyzeTableByName(const plan::NamedTablePlan& table, const std::vector<std::string>& name);
  /// format.`path`
  bool IsPathName(const std::vector<std::string>& name) const;
  Result<ResolvedTable> LoadTableByName(const std::vector<std::string>& name);
  Result<ResolvedIdentifier> SplitName(const std::vector<std::string>& name);
  plan::LogicalPlanPtr ScanOf(const tables::TableScanPtr& scan, const std::string& name,
                              const std::vector<std::string>& qualifier, bool with_metadata_columns,
                              bool with_file_metadata = false);

  AnalysisContext& context() { return context_; }

 private:
  friend class ScopeGuard;

  // --- analyzer.cc
  Result<Relation> Dispatch(const plan::PlanPtr& plan);
  /// A relation over a plan whose columns are all visible.
  static Relation RelationOf(plan::LogicalPlanPtr plan);
  /// As Exact, as a relation; DataFrame columns stay reachable.
  Relation ExactRelation(const Relation& relation);
  /// `child` with another plan above that passes all columns on.
  static Relation OnTop(const Relation& child, plan::LogicalPlanPtr plan);
  /// DataFrame columns under new ids, by position of old and new output.
  static void Renumber(const std::vector<Attribute>& from, const std::vector<Attribute>& to,
                       std::vector<DataFrameColumns>* dataframes);
  Attribute NewAttribute(std::string name, DataTypePtr type, bool nullable = true);
  /// New attributes for the columns of a schema.
  std::vector<Attribute> NewAttributes(const DataType& schema, const std::vector<std::string>& qualifier = {});

  // --- errors.cc
  Error At(Error error, const plan::Origin& origin) const;
  template <typename T>
  Result<T> At(Result<T> result, const plan::Origin& origin) const {
    if (result.ok()) return result;
    return At(std::move(result).error(), origin);
  }
  /// The origin of a typed expression: the place in the text of the view under way.
  std::shared_ptr<const plan::Origin> InObject(plan::Origin origin) const;
  Error UnresolvedColumn(const std::vector<std::string>& name, const plan::Origin& origin) const;

  // --- names.cc
  /// The expression that a name stands for, or null where no scope knows it.
  Result<ExpressionPtr> ResolveName(const std::vector<std::string>& name, const plan::Origin& origin);
  Result<ExpressionPtr> ResolveInRelation(const std::vector<std::string>& name, const Relation& relation,
                                          bool is_outer);
  Result<ExpressionPtr> ResolveInAliases(const std::vector<std::string>& name, const std::vector<LateralAlias>& aliases,
                                         bool first_wins);
  Result<ExpressionPtr> ResolveAttribute(const plan::AttributeExpr& attribute);
  Result<ExpressionPtr> ResolveDataFrameColumn(const plan::AttributeExpr& attribute);
  Result<ExpressionPtr> ResolveVariable(const std::vector<std::string>& name);
  Result<ExpressionPtr> FollowFields(ExpressionPtr base, const std::vector<std::string>& name, size_t from);
  void MarkOuter(size_t scope_index);

  // --- expressions.cc
  Result<ExpressionPtr> Analyze(const plan::ExprPtr& expression);
  Result<ExpressionPtr> AnalyzeKind(const plan::ExprPtr& expression);
  Result<std::vector<ExpressionPtr>> AnalyzeAll(const std::vector<plan::ExprPtr>& expressions);
  Result<ExpressionPtr> AnalyzeLiteral(const plan::LiteralExpr& literal);
  Result<ExpressionPtr> AnalyzeCast(const plan::CastExpr& cast);
  Result<ExpressionPtr> AnalyzeUpdateField(const plan::UpdateFieldExpr& update);
  Result<ExpressionPtr> AnalyzeParameter(const plan::ParameterExpr& parameter);
  Result<ExpressionPtr> AnalyzeIdentifierClause(const plan::IdentifierClauseExpr& clause);
  Result<plan::ExprPtr> ParseText(const std::string& text);
  Result<std::vector<SortKey>> AnalyzeSortKeys(const std::vector<plan::ExprPtr>& keys);

  // --- extract_value.cc
  Result<ExpressionPtr> ExtractField(const ExpressionPtr& child, const std::string& field);
  Result<ExpressionPtr> ExtractItem(const ExpressionPtr& child, const ExpressionPtr& key);

  // --- function_calls.cc
  Result<ExpressionPtr> AnalyzeFunction(const plan::FunctionExpr& call);
  Result<ExpressionPtr> BindCall(const plan::FunctionExpr& call, const functions::FunctionDefinition& definition,
                                 functions::FunctionCall bound);
  Result<functions::FunctionCall> PrepareCall(const plan::FunctionExpr& call,
                                              const functions::FunctionDefinition* definition);
  /// A function of CREATE FUNCTION by its name, as the view or function around it sees it.
  std::optional<SqlFunction> FindSqlFunction(const std::vector<std::string>& name);
  /// Error INVALID_TEMP_OBJ_REFERENCE where a permanent function is being created whose body names something temporary.
  Status CheckNothingTemporary(const char* kind, const std::string& name) const;
  Result<ExpressionPtr> AnalyzeSqlFunction(const SqlFunction& function, const plan::FunctionExpr& call);
  Result<Relation> AnalyzeSqlTableFunction(const SqlFunction& function, const plan::FunctionExpr& call);
  /// The call's arguments, or the defaults, in the order of the parameters and of their types. `shown`: the call's
  /// text.
  Result<std::vector<ExpressionPtr>> SqlFunctionArguments(const SqlFunction& function, const plan::FunctionExpr& call,
                                                          std::string* shown);
  /// Runs `work` with the names that the function's body sees. Error CYCLIC_FUNCTION_REFERENCE.
  template <typename Work>
  auto InSqlFunction(const SqlFunction& function, Work&& work) -> decltype(work());
  Result<ExpressionPtr> AnalyzeStruct(const plan::FunctionExpr& call);
  Result<std::vector<plan::ExprPtr>> ExpandStarArguments(const std::vector<plan::ExprPtr>& arguments);
  Result<std::vector<plan::ExprPtr>> OrderNamedArguments(const plan::FunctionExpr& call,
                                                         const functions::FunctionDefinition& definition);
  Error UnresolvedRoutine(const std::vector<std::string>& name) const;
  /// The name under which the list of functions knows a call, without "system.builtin" in front.
  static std::string FunctionName(const std::vector<std::string>& name);

  // --- lambdas.cc
  Result<ExpressionPtr> AnalyzeLambda(const plan::LambdaExpr& lambda, const std::vector<StructField>& parameters);
  ExpressionPtr FindLambdaVariable(const std::string& name) const;

  // --- windows.cc
  Result<ExpressionPtr> AnalyzeWindow(const plan::WindowExpr& window);
  Result<plan::WindowSpecification> ResolveWindow(const plan::WindowSpecification& window);
  Result<WindowFrame> MakeFrame(const plan::WindowSpecification& window, const std::string& function,
                                const std::vector<SortKey>& order, std::string* text);
  Result<FrameBound> MakeBound(const plan::UnresolvedFrameBound& bound, FrameType type,
                               const std::vector<SortKey>& order, bool is_lower, std::string* text);

  // --- subqueries.cc
  Result<ExpressionPtr> AnalyzeSubquery(const plan::SubqueryExpr& subquery);
  Result<ExpressionPtr> MakeInSubquery(const plan::SubqueryExpr& subquery, plan::LogicalPlanPtr plan,
                                       bool is_correlated);

  // --- select.cc
  struct SelectItem {
    ExpressionPtr expression;
    Attribute attribute;  ///< Id 0: a new column.
  };
  struct SelectGenerator {
    const plan::FunctionExpr* call = nullptr;
    std::vector<std::string> names;
    bool outer = false;
  };
  Result<Relation> AnalyzeProject(const plan::ProjectPlan& project, const plan::ExprPtr& having);
  Result<Relation> AnalyzeSelect(const Relation& input, SelectStage stage,
                                 const std::vector<plan::ExprPtr>& expressions, bool distinct,
                                 const plan::ExprPtr& having, const plan::ExprPtr& qualify);
  Result<std::vector<plan::ExprPtr>> ExpandStars(const std::vector<plan::ExprPtr>& expressions, const Relation& input);
  Result<std::vector<plan::ExprPtr>> ExpandStar(const plan::StarExpr& star, const Relation& input);
  Result<std::vector<plan::ExprPtr>> ExpandRegex(const plan::RegexColumnExpr& regex, const Relation& input);
  Result<SelectItem> AnalyzeSelectItem(const plan::ExprPtr& expression, const Scope& scope);
  std::string AutomaticName(const plan::ExprPtr& source, const ExpressionPtr& expression) const;
  /// The pipe operators that take no aggregate functions.
  Status RefuseAggregates(const std::vector<plan::ExprPtr>& sources, const Relation& input, const std::string& clause);
  std::optional<SelectGenerator> FindGenerator(const plan::ExprPtr& expression) const;
  Result<Relation> Finish(SelectStage stage, std::vector<Attribute> output, bool distinct);

  // --- generators.cc
  Result<GenerateStep> MakeGenerator(const plan::FunctionExpr& call, const std::vector<std::string>& names, bool outer,
                                     const Scope& scope);
  Result<Relation> AnalyzeLateralView(const plan::LateralViewPlan& view);
  Result<Relation> AnalyzeTableFunction(const plan::TableFunctionPlan& function);
  /// table_changes(table, start[, end]): a table's change feed between two versions or times.
  Result<Relation> AnalyzeTableChanges(const plan::TableFunctionPlan& function, bool by_path);

  // --- time_windows.cc
  Result<int64_t> WindowDuration(const plan::ExprPtr& source, const Scope& scope);
  /// Adds the column to the relation's plan.
  Result<Attribute> AddTimeWindow(const plan::FunctionExpr& call, Relation* input);
  /// The same for session_window; `keys`: the other grouping expressions, null outside of GROUP BY, where each row has
  /// a session of its own.
  Result<Attribute> AddSessionWindow(const plan::FunctionExpr& call, const std::vector<ExpressionPtr>* keys,
                                     Relation* input);
  /// The column of a call of window or session_window in the current scope; else notes that it is wanted and fails.
  Result<ExpressionPtr> FindTimeWindow(const plan::FunctionExpr& call, const std::string& name);
  /// Runs an analysis over `input`, and again with each column of a time window that it wants. `keys`: for GROUP BY,
  /// the grouping expressions without time windows.
  Result<Relation> WithTimeWindows(Relation* input, const std::function<Result<Relation>()>& analyze,
                                   const std::function<Result<std::vector<ExpressionPtr>>()>& keys = nullptr);

  // --- aggregates.cc
  Result<Relation> AnalyzeAggregate(const plan::AggregatePlan& aggregate, const plan::ExprPtr& having);
  Result<Relation> AnalyzeGrouped(const plan::AggregatePlan& aggregate, const Relation& input,
                                  std::vector<plan::ExprPtr> select, const plan::ExprPtr& having);
  struct Grouping {
    std::vector<ExpressionPtr> expressions;
    std::vector<std::vector<size_t>> sets;
    std::vector<plan::ExprPtr> sources;
  };
  Result<Grouping> AnalyzeGrouping(const plan::AggregatePlan& aggregate, const Relation& input,
                                   const std::vector<plan::ExprPtr>& select);
  Result<ExpressionPtr> AnalyzeGroupingExpression(const plan::ExprPtr& expression, const Relation& input,
                                                  const std::vector<plan::ExprPtr>& select);
  Result<Relation> AnalyzeHaving(const plan::HavingPlan& having);

  // --- sorting.cc
  Result<Relation> AnalyzeSort(const plan::SortPlan& sort);
  Result<Relation> AnalyzeFilter(const plan::FilterPlan& filter);
  Result<Relation> AnalyzeLimit(const plan::PlanPtr& child, const plan::ExprPtr& limit, const char* name);
  Result<int64_t> LimitValue(const plan::ExprPtr& expression, const char* name, const Relation& child);
  /// Makes an expression that may use columns below the projection usable above it, by adding hidden columns to the
  /// relation. Above a SELECT a column that is not grouped is one that cannot be found.
  Error UngroupedAbove(Error error, const Relation& relation) const;
  Result<ExpressionPtr> AddMissing(const ExpressionPtr& expression, Relation* relation);

  // --- joins.cc
  Result<Relation> AnalyzeJoin(const plan::JoinPlan& join);
  ExpressionPtr LiftSubqueries(const ExpressionPtr& condition, plan::LogicalPlanPtr* left, plan::LogicalPlanPtr* right);
  Result<Relation> JoinUsing(const plan::JoinPlan& join, const Relation& left, const Relation& right,
                             const std::vector<std::string>& columns);

  // --- set_operations.cc
  /// Refuses columns of types whose values Spark does not compare: UNSUPPORTED_FEATURE.SET_OPERATION_ON_*.
  static Status CheckComparable(const std::vector<Attribute>& columns);
  Result<Relation> AnalyzeSetOperation(const plan::SetOperationPlan& operation);
  Result<std::pair<plan::LogicalPlanPtr, plan::LogicalPlanPtr>> MatchByName(const plan::SetOperationPlan& operation,
                                                                            const plan::LogicalPlanPtr& left,
                                                                            const plan::LogicalPlanPtr& right);
  /// The value with the fields of `other`'s structs that it lacks (NULL), in one order for both sides: the left's
  /// fields, then what the right has beside them. `may_lack` false: structs of other fields stay as they are.
  Result<ExpressionPtr> WithFieldsOf(ExpressionPtr value, const DataType& other, bool is_left, bool may_lack);
  plan::LogicalPlanPtr CastOutput(const plan::LogicalPlanPtr& plan, const std::vector<DataTypePtr>& types);
  Result<Relation> MakeUnion(std::vector<plan::LogicalPlanPtr> inputs);

  // --- ctes.cc
  Result<Relation> AnalyzeWith(const plan::WithPlan& with);
  Result<Relation> AnalyzeRecursive(const plan::CteDefinition& definition, uint64_t id);
  std::string CtePolicy() const;
  std::optional<Relation> FindCte(const std::string& name);
  Result<Relation> ApplyColumnAliases(const Relation& relation, const std::string& alias,
                                      const std::vector<std::string>& column_aliases);

  // --- tables.cc
  Result<Relation> AnalyzeNamedTable(const plan::NamedTablePlan& table);
  /// A scan as a relation: the table's columns, and metadata columns as hidden ones where files have them.
  Relation ScanRelation(const tables::TableScanPtr& scan, const std::string& name,
                        const std::vector<std::string>& qualifier);
  std::optional<TempView> FindTempView(const std::string& name);
  Result<Relation> AnalyzeTempView(const TempView& view, const std::string& name,
                                   const std::vector<std::string>& qualifier);
  Result<Relation> AnalyzeCatalogView(const catalogs::ViewDefinition& view, const std::vector<std::string>& full_name);
  /// The view's columns out of those that its query has now, by the view's schema binding mode.
  Result<Relation> BindViewColumns(const Relation& relation, const catalogs::ViewDefinition& view,
                                   const std::vector<std::string>& full_name);
  Result<Relation> CastToViewSchema(const Relation& relation, const DataTypePtr& schema,
                                    const std::vector<std::string>& qualifier);
  Result<tables::ScanOptions> MakeScanOptions(const plan::NamedTablePlan& table);
  Result<Relation> AnalyzeDataSource(const plan::DataSourcePlan& source);
  Error TableNotFound(const std::vector<std::string>& name) const;

  // --- local_relations.cc
  /// `names`: those of its alias, where that has some.
  Result<Relation> AnalyzeInlineTable(const plan::InlineTablePlan& table, const std::vector<std::string>& names = {});
  /// Rows of expressions over nothing, one for each column of the output and of its type, in order.
  Relation InlineRows(std::vector<std::vector<ExpressionPtr>> rows, std::vector<Attribute> output);
  Result<Relation> AnalyzeLocalRelation(const plan::LocalRelationPlan& local);
  Relation MakeRange(int64_t start, int64_t end, int64_t step);
  Relation RowsRelation(std::shared_ptr<const RowSet> rows);

  // --- dataframe_columns.cc
  Result<Relation> AnalyzeSubqueryAlias(const plan::SubqueryAliasPlan& alias);
  Result<Relation> AnalyzeToDf(const plan::ToDfPlan& to_df);
  Result<Relation> AnalyzeWithColumns(const plan::WithColumnsPlan& with_columns);
  Result<Relation> AnalyzeWithColumnsRenamed(const plan::WithColumnsRenamedPlan& renamed);
  Result<Relation> AnalyzeDropColumns(const plan::DropColumnsPlan& drop);
  Result<Relation> AnalyzeToSchema(const plan::ToSchemaPlan& to_schema);
  Result<ExpressionPtr> CastToField(ExpressionPtr expression, const StructField& field, const std::string& path);
  Result<Relation> AnalyzeDeduplicate(const plan::DeduplicatePlan& deduplicate);
  Result<Relation> AnalyzeSample(const plan::SamplePlan& sample);
  Result<Relation> AnalyzeRepartition(const plan::RepartitionPlan& repartition);
  Result<Relation> AnalyzeHint(const plan::HintPlan& hint);
  Result<Relation> AnalyzeCollectMetrics(const plan::CollectMetricsPlan& metrics, std::optional<int64_t> plan_id);
  Result<Relation> AnalyzeWithRelations(const plan::WithRelationsPlan& with_relations);
  Result<Relation> AnalyzeSqlQuery(const plan::SqlQueryPlan& query);

  // --- pivots.cc
  struct PivotValue {
    std::string name;
    ExpressionPtr literal;  ///< Of the pivot column's type.
  };
  Result<Relation> AnalyzePivot(const plan::PivotPlan& pivot);
  Result<std::vector<PivotValue>> PivotValues(const std::vector<plan::ExprPtr>& sources, const DataTypePtr& type);
  Result<Relation> MakePivot(const Relation& input, const std::vector<plan::ExprPtr>& groups,
                             const plan::ExprPtr& pivot_column, const std::vector<PivotValue>& values,
                             const std::vector<plan::ExprPtr>& aggregates);
  Result<Relation> AnalyzeDataFramePivot(const plan::AggregatePlan& aggregate);
  Result<Relation> AnalyzeUnpivot(const plan::UnpivotPlan& unpivot);
  Result<Relation> AnalyzeTranspose(const plan::TransposePlan& transpose);

  // --- missing_values.cc
  /// Visible columns by name (which may have a qualifier). Error UNRESOLVED_COLUMN.*.
  Result<std::vector<Attribute>> FindColumns(const Relation& relation, const std::vector<std::string>& names);
  Result<Relation> AnalyzeNaFill(const plan::NaFillPlan& fill);
  Result<Relation> AnalyzeNaDrop(const plan::NaDropPlan& drop);
  Result<Relation> AnalyzeNaReplace(const plan::NaReplacePlan& replace);

  // --- statistics.cc
  Result<Relation> AnalyzeSummary(const plan::PlanPtr& child, std::vector<std::string> statistics,
                                  const std::vector<std::string>& columns);
  Result<Relation> AnalyzeCrosstab(const plan::CrosstabPlan& crosstab);
  Result<Relation> AnalyzeCovariance(const plan::PlanPtr& child, const std::string& column1, const std::string& column2,
                                     bool correlation);
  Result<Relation> AnalyzeApproxQuantile(const plan::ApproxQuantilePlan& quantile);
  Result<Relation> AnalyzeFreqItems(const plan::FreqItemsPlan& freq_items);
  Result<Relation> AnalyzeSampleBy(const plan::SampleByPlan& sample_by);

  // --- show_string.cc
  Result<ExpressionPtr> PrettyText(const ExpressionPtr& value);
  Result<Relation> AnalyzeShow(const plan::PlanPtr& child, int num_rows);

  // --- state
  AnalysisContext& context_;
  functions::ExpressionSettings settings_;
  std::vector<const Scope*> scopes_;
  std::vector<std::map<std::string, ExpressionPtr>> lambda_scopes_;
  std::vector<std::map<std::string, plan::WindowSpecification>> named_windows_;
  std::vector<CteEntry> ctes_;
  std::map<int64_t, plan::PlanPtr> referenced_plans_;
  std::map<std::string, plan::PlanPtr> referenced_views_;
  /// For each subquery under way: how many scopes were open around it, and whether it took a column from them.
  struct OpenSubquery {
    size_t depth = 0;
    bool is_correlated = false;
  };
  std::vector<OpenSubquery> subqueries_;
  std::vector<std::string> open_views_;
  std::vector<std::string> open_functions_;  ///< SQL functions whose bodies are being analyzed, outermost first.
  const SqlFunction* permanent_function_ =
      nullptr;  ///< The innermost of them that is permanent: it sees nothing temporary.
  /// Inside a DataFrame view: the temporary views of the time when it was made.
  std::shared_ptr<const std::map<std::string, TempView>> captured_views_;
  std::string view_catalog_;  ///< Names inside a view are looked up where it was made.
  catalogs::Namespace view_namespace_;
  bool in_temporary_view_ = false;
  std::shared_ptr<const SourceObject> object_;  ///< For query contexts: the view whose text is analyzed.
  /// Arguments of the SQL text under way (a query inside a DataFrame brings its own).
  std::vector<std::pair<std::string, plan::ExprPtr>> named_parameters_;
  std::vector<plan::ExprPtr> positional_parameters_;
  bool own_parameters_ = false;
  /// Set while the function of a window is analyzed: window functions and aggregates are then not wrapped up.
  bool in_window_function_ = false;
  struct TimeWindow {
    std::string meaning;
    Attribute column;
  };
  std::vector<TimeWindow> time_windows_;
  struct WantedTimeWindow {
    std::shared_ptr<const plan::FunctionExpr> call;
    std::string meaning;
  };
  std::optional<WantedTimeWindow> wanted_time_window_;
  int depth_ = 0;
};

}  // namespace frazil::analysis
