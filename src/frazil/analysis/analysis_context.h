#pragma once

// What the analysis asks of the session that a statement runs in.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/catalogs/catalog.h"
#include "frazil/functions/function.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/plan/unresolved_plan.h"
#include "frazil/sql/parser.h"
#include "frazil/tables/scan.h"
#include "frazil/types/row_set.h"

namespace frazil::analysis {

/// A temporary view of the session (or a global one). The plan is analyzed anew wherever the view is used.
struct TempView {
  plan::PlanPtr plan;
  /// Names that are looked up while the plan is analyzed; empty catalog: the current ones of the session (DataFrame
  /// views, whose names were complete).
  std::string current_catalog;
  catalogs::Namespace current_namespace;
  /// Columns as at creation: their names (CREATE VIEW v(a, b)), comments, and types, to which the plan's are cast.
  /// Null: those of the plan.
  DataTypePtr schema;
  std::string query_text;  ///< Empty for DataFrame views.
  /// DataFrame views: the session's temporary views at creation. The plan's names mean these, also after a view of such
  /// a name is made anew (even this one).
  std::shared_ptr<const std::map<std::string, TempView>> captured_views;
};

/// Files or another source, opened for reading.
struct OpenedDataSource {
  tables::TableScanPtr scan;
  std::string name;  ///< For explain output and errors.
};

/// A streaming source (readStream), opened: what stands for it in the plan.
struct OpenedStream {
  OpenedDataSource scan;  ///< Its columns (tables::StreamingScan), or the files of a micro-batch; no scan: `rows`.
  plan::PlanPtr rows;     ///< The rows of a micro-batch.
};

/// DECLARE VARIABLE.
struct SessionVariable {
  std::string name;
  DataTypePtr type;
  Value value;
};

/// The variables of one scope of a script that runs: BEGIN ... END, or the row of a FOR.
struct LocalScope {
  std::string label;  ///< By which names may be qualified; empty where it has none.
  std::vector<SessionVariable> variables;
};

/// A table function of Python, registered in the session.
struct PythonTableFunction {
  std::string name;
  std::string command;  ///< The pickled class.
  std::string python_version;
  int eval_type = 0;
  DataTypePtr return_type;  ///< Null: the class says it for each call (analyze).
  bool deterministic = false;
};

/// CREATE FUNCTION ... RETURN: parameters are columns of the body's scope.
struct SqlFunction {
  std::string name;  ///< As calls show it: of permanent functions catalog, namespace and name, with dots.
  std::vector<std::string> full_name;  ///< Of permanent functions; empty for temporary ones.
  /// What names in the body of a permanent function are looked up in.
  std::string current_catalog;
  std::vector<std::string> current_namespace;
  std::optional<bool> ansi;       ///< spark.sql.ansi.enabled when it was created, which its body keeps.
  bool is_being_created = false;  ///< The statement that makes it is looking at its body.
  std::string class_name;         ///< AS 'class': of the JVM, so that no call of it runs.
  std::string description;        ///< The body's text.
  struct Parameter {
    std::string name;
    DataTypePtr type;
    std::optional<std::string> default_text;
  };
  std::vector<Parameter> parameters;
  DataTypePtr return_type;  ///< Null: that of the body. For a table function: a struct, or null.
  bool returns_table = false;
  plan::ExprPtr body;        ///< Scalar functions.
  plan::PlanPtr body_query;  ///< Table functions, and scalar ones whose body is a query.
};

/// The parts of a function's name, for messages.
inline std::vector<std::string> SqlFunctionName(const SqlFunction& function) {
  return function.full_name.empty() ? std::vector<std::string>{function.name} : function.full_name;
}

/// A relation that the server keeps (checkpoint).
struct CachedRelation {
  plan::LogicalPlanPtr plan;  ///< Its rows; the columns get new ids.
};

/// Implemented by the session for one statement. Not thread-safe; one statement one context.
class AnalysisContext {
 public:
  virtual ~AnalysisContext() = default;

  /// An id that no column of the statement has yet.
  AttributeId NextId() { return next_id_++; }

  /// Values for :name and ? of the statement; literals, or expressions without columns.
  std::vector<std::pair<std::string, plan::ExprPtr>> named_parameters;
  std::vector<plan::ExprPtr> positional_parameters;

  /// A micro-batch of a streaming query: what its streaming sources read, by their places in the order in which the
  /// analysis meets them. Empty in all other statements.
  std::map<size_t, OpenedStream> bound_streams;

  /// The scopes of the script that the statement stands in, the outermost first; empty outside of scripts.
  std::vector<LocalScope> local_scopes;

  virtual const functions::ExpressionSettings& settings() const = 0;
  virtual sql::ParserOptions parser_options() const = 0;

  // --- names
  virtual std::string current_catalog() const = 0;
  virtual catalogs::Namespace current_namespace() const = 0;
  /// Whether a catalog of that name is configured ("spark_catalog" always is).
  virtual bool HasCatalog(const std::string& name) const = 0;
  /// Error CATALOG_NOT_FOUND.
  virtual Result<catalogs::CatalogPtr> ResolveCatalog(const std::string& name) = 0;
  virtual std::optional<TempView> FindTempView(const std::string& name) = 0;
  virtual std::optional<TempView> FindGlobalTempView(const std::string& name) = 0;
  virtual std::string global_temp_database() const { return "global_temp"; }
  /// A variable by its last name part (qualifiers "session" and "system.session" are taken off).
  virtual std::optional<SessionVariable> FindVariable(const std::string& /*name*/) { return std::nullopt; }
  /// A variable of the script that a name begins with, looked up from the innermost scope outwards, and how many parts
  /// of the name are its own: one, or two (label.variable). Null where there is none.
  struct LocalVariable {
    SessionVariable* variable = nullptr;
    size_t parts = 0;
  };
  LocalVariable FindLocalVariable(const std::vector<std::string>& name);
  virtual std::optional<PythonTableFunction> FindPythonTableFunction(const std::string& /*name*/) {
    return std::nullopt;
  }
  /// A SQL function, temporary or of a catalog.
  virtual std::optional<SqlFunction> FindSqlFunction(const std::vector<std::string>& /*name*/) { return std::nullopt; }

  /// A table as this statement sees it: however often it is named, it is loaded once, so that all of the statement
  /// reads one snapshot of it.
  Result<tables::TablePtr> LoadTable(const catalogs::CatalogPtr& catalog, const catalogs::Identifier& identifier);
  /// From now on tables are loaded anew: a command has run within the statement.
  void ForgetTables() { tables_.clear(); }

  // --- data
  /// A streaming source, which is a DataSourcePlan or NamedTablePlan with is_streaming: what the micro-batch reads, or
  /// else its columns. To be asked once for each place where one stands.
  Result<OpenedStream> OpenStream(const plan::Plan& source);
  /// Files or another source by format, schema, options and paths.
  virtual Result<OpenedDataSource> OpenDataSource(const plan::DataSourcePlan& source) = 0;
  /// The table that format.`path` names, with the state that the path chooses; null where the format has no tables of
  /// its own at paths (plain files).
  struct PathTable {
    tables::TablePtr table;
    tables::ScanOptions scan;
  };
  virtual Result<PathTable> OpenPathTable(const std::string& /*format*/, const std::string& /*path*/) {
    return PathTable();
  }
  /// Whether `name` is a format that FROM name.`path` takes.
  virtual bool IsDataSourceName(const std::string& name) const = 0;
  /// Value of an expression without columns.
  virtual Result<Value> EvaluateConstant(const ExpressionPtr& expression) = 0;
  /// Runs a plan: what the analysis itself needs (pivot without values, crosstab, ...).
  virtual Result<RowSet> CollectRows(const plan::LogicalPlanPtr& plan) = 0;
  virtual Result<CachedRelation> FindCachedRelation(const std::string& relation_id) = 0;
  /// Answers spark.catalog.* calls.
  virtual Result<std::shared_ptr<const RowSet>> CallCatalog(const plan::CatalogCallPlan& call) = 0;
  /// Runs a command that stands where a relation is wanted (spark.sql("SHOW ...") below another DataFrame); its rows.
  virtual Result<std::shared_ptr<const RowSet>> RunCommand(const plan::PlanPtr& command) = 0;
  /// Rows of a DataFrame of strings as a relation (spark.read.csv(df)): the scan that parses them.
  virtual Result<plan::LogicalPlanPtr> ParseText(const plan::ParseTextPlan& plan,
                                                 const plan::LogicalPlanPtr& /*child*/) {
    return Error::Unsupported("READING " + plan.format + " FROM A DATAFRAME");
  }

 protected:
  /// The columns of the streaming source at a place: a tables::StreamingScan.
  virtual Result<OpenedDataSource> DescribeStream(const plan::Plan& /*source*/, size_t /*place*/) {
    return Error::Unsupported("Streaming sources");
  }

 private:
  AttributeId next_id_ = 1;
  size_t next_stream_ = 0;
  std::map<std::vector<std::string>, tables::TablePtr> tables_;  ///< By full name.
};

}  // namespace frazil::analysis
