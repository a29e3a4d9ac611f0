#pragma once

// What commands ask of the session they run in, beyond what the analysis asks.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/base/result.h"
#include "frazil/catalogs/catalog.h"
#include "frazil/engine/engine.h"
#include "frazil/plan/unresolved_command.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/table_format.h"

namespace frazil::commands {

struct ConfigItem {
  std::string key;
  std::string value;
  std::string documentation;  ///< SET -v.
};

/// A data source of Python: its pickled class, and the Python that pickled it ("3.11").
struct PythonDataSource {
  std::string command;
  std::string python_version;
};

/// Implemented by the session for one statement.
class CommandContext : public analysis::AnalysisContext {
 public:
  virtual engine::Engine& engine() = 0;
  virtual const engine::ExecutionContext& execution() const = 0;
  virtual const tables::FormatRegistry& formats() const = 0;
  virtual const storage::StoreRegistry& stores() const = 0;

  // --- settings
  virtual Status SetConfig(const std::string& key, const std::string& value) = 0;
  virtual Status UnsetConfig(const std::string& key) = 0;
  virtual void ResetConfigs() = 0;
  /// The value set or the default.
  virtual std::optional<std::string> GetConfig(const std::string& key) const = 0;
  /// What is set in the session, sorted by key; with `all`, everything known with its default and documentation.
  virtual std::vector<ConfigItem> Configs(bool all) const = 0;

  // --- current names
  virtual std::vector<std::string> CatalogNames() = 0;
  virtual Status SetCurrentCatalog(const std::string& name) = 0;
  /// The namespace must exist (checked by the caller).
  virtual void SetCurrentNamespace(const catalogs::Namespace& name_space) = 0;

  // --- temporary objects
  virtual void PutTempView(const std::string& name, analysis::TempView view, bool global) = 0;
  /// False where there is none of that name.
  virtual bool DropTempView(const std::string& name, bool global) = 0;
  virtual std::vector<std::string> TempViewNames(bool global) = 0;
  /// The session's temporary views as they are now.
  virtual std::shared_ptr<const std::map<std::string, analysis::TempView>> CaptureTempViews() = 0;
  virtual void PutVariable(analysis::SessionVariable variable) = 0;
  virtual bool DropVariable(const std::string& name) = 0;
  virtual std::vector<analysis::SessionVariable> Variables() = 0;
  virtual void PutSqlFunction(analysis::SqlFunction function) = 0;
  virtual bool DropSqlFunction(const std::string& name) = 0;
  virtual std::vector<std::string> SqlFunctionNames() = 0;
  /// Names of data sources of Python are without case; a later one of the same name takes the place of the earlier.
  virtual void PutPythonDataSource(const std::string& name, PythonDataSource source) = 0;
  virtual std::optional<PythonDataSource> FindPythonDataSource(const std::string& name) const = 0;
  virtual void PutPythonTableFunction(analysis::PythonTableFunction function) = 0;
  /// CACHE TABLE marks a name (dotted, in full), which is what isCached tells.
  virtual void MarkCached(const std::string& name, bool cached) = 0;
  virtual bool IsCached(const std::string& name) = 0;
  virtual void ClearCached() = 0;
  /// Keeps rows for a later CachedRelationPlan of the returned id.
  virtual std::string PutCachedRelation(analysis::CachedRelation relation) = 0;
  virtual void DropCachedRelation(const std::string& id) = 0;

  /// The next statement of a script begins: it sees the settings of now, and its own time.
  virtual void BeginStatement() = 0;
  /// Runs another statement in the same session (EXECUTE IMMEDIATE).
  virtual Result<RowSet> RunStatement(const plan::PlanPtr& plan) = 0;
  /// Text of EXPLAIN for a plan.
  virtual Result<std::string> Explain(const plan::PlanPtr& plan, plan::ExplainMode mode) = 0;
};

}  // namespace frazil::commands
