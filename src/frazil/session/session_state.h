#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/catalogs/catalog.h"
#include "frazil/commands/command_context.h"
#include "frazil/engine/engine.h"
#include "frazil/session/artifact_folder.h"
#include "frazil/session/session.h"
#include "frazil/session/session_server.h"
#include "frazil/streaming/queries.h"

namespace frazil::session {

/// Global temporary views: shared by the sessions of a server.
struct GlobalViews {
  std::mutex mutex;
  std::map<std::string, analysis::TempView> views;
};

/// What all sessions of a server share.
struct SharedState {
  ServerOptions options;
  ServerParts parts;
  GlobalViews global_views;
  std::shared_ptr<streaming::ActiveRuns> active_runs = std::make_shared<streaming::ActiveRuns>();
};

struct SessionState;
using SessionStatePtr = std::shared_ptr<SessionState>;

/// The mutable state of one session. Every member below `mutex` is guarded by it; locks are held for look-ups only,
/// never while a statement runs.
struct SessionState {
  explicit SessionState(std::shared_ptr<SharedState> server)
      : shared(std::move(server)), streams(shared->active_runs) {}
  /// A state that goes on from what this one is now: settings, names, views, functions, artifacts; nothing that is
  /// under way.
  SessionStatePtr Clone() const;

  std::shared_ptr<SharedState> shared;
  streaming::StreamingQueries streams;  ///< Has a lock of its own.
  std::string user_id, session_id, server_side_id;

  mutable std::mutex mutex;
  std::map<std::string, std::string> settings;
  std::string current_catalog;                                    ///< Empty: spark.sql.defaultCatalog.
  std::map<std::string, catalogs::Namespace> current_namespaces;  ///< By catalog.
  std::map<std::string, analysis::TempView> temp_views;           ///< By lower-case name.
  std::map<std::string, analysis::SessionVariable> variables;
  std::map<std::string, analysis::SqlFunction> sql_functions;
  std::map<std::string, commands::PythonDataSource> python_data_sources;  ///< By lower-case name, as the next.
  std::map<std::string, analysis::PythonTableFunction> python_table_functions;
  std::map<std::string, analysis::CachedRelation> cached_relations;
  std::set<std::string> cached_names;                 ///< Of CACHE TABLE.
  std::map<std::string, std::string> storage_levels;  ///< Of persisted relations, by their meaning.
  std::map<std::string, std::shared_ptr<const std::string>> artifacts;
  std::shared_ptr<ArtifactFolder> artifact_folder = std::make_shared<ArtifactFolder>();  ///< Has a lock of its own.
  std::map<std::string, OperationPtr> operations;
  std::set<std::string> ended_operations;  ///< An id is used once.
  /// A catalog and the settings that it was made from: made anew when these change.
  struct MadeCatalog {
    std::string fingerprint;
    catalogs::CatalogPtr catalog;
  };
  std::map<std::string, MadeCatalog> catalogs;

  /// The value set in the session, else the server's, else Spark's default.
  std::optional<std::string> Setting(std::string_view key) const;
  /// As Setting, without the defaults.
  std::optional<std::string> ExplicitSetting(std::string_view key) const;
  std::string CurrentCatalog() const;
  /// Names of configured catalogs, sorted; spark_catalog always.
  std::vector<std::string> CatalogNames() const;
  Result<catalogs::CatalogPtr> Catalog(const std::string& name);

 private:
  std::optional<std::string> ExplicitSettingLocked(std::string_view key) const;
};

}  // namespace frazil::session
