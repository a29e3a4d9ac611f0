#include "frazil/session/statement_context.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/bound_parameters.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/catalogs/function_catalog.h"
#include "frazil/commands/catalog_calls.h"
#include "frazil/commands/run_command.h"
#include "frazil/commands/sql_functions.h"
#include "frazil/functions/function.h"
#include "frazil/plan/explain.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/unresolved_dump.h"
#include "frazil/session/settings.h"
#include "frazil/sql/parser.h"
#include "frazil/sql/variable_substitution.h"
#include "frazil/udf/python_worker.h"

namespace frazil::session {

namespace {

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string Joined(const catalogs::Namespace& name_space) {
  std::string text;
  for (const auto& part : name_space) text += (text.empty() ? "" : ".") + part;
  return text;
}

}  // namespace

StatementContext::StatementContext(SessionStatePtr state, OperationPtr operation, Commands commands)
    : state_(std::move(state)), operation_(std::move(operation)), commands_(commands) {
  ReadSettings();
  execution_.cancel = operation_->cancel;
  execution_.metrics = operation_->metrics;
  execution_.store_settings = [state = state_](std::string_view key) -> std::optional<std::string> {
    if (key == udf::kArtifactsKey) return state->artifact_folder->Place();
    return state->ExplicitSetting(key);
  };
  execution_.stores = state_->shared->parts.stores.get();
  execution_.on_observed = [operation = operation_](engine::ObservedMetrics metrics) {
    std::lock_guard lock(operation->observed_mutex);
    operation->observed.push_back(std::move(metrics));
  };
}

void StatementContext::ReadSettings() {
  auto lookup = [state = state_](std::string_view key) { return state->Setting(key); };
  execution_.settings = ReadExpressionSettings(lookup);
  execution_.settings.current_catalog = state_->CurrentCatalog();
  execution_.settings.current_database = Joined(current_namespace());
  execution_.settings.current_user = state_->user_id;
  execution_.settings.query_start_micros = NowMicros();
  execution_.batch_rows = std::max(
      1LL, std::atoll(state_->Setting("spark.sql.execution.arrow.maxRecordsPerBatch").value_or("10000").c_str()));
}

void StatementContext::BeginStatement() {
  ReadSettings();
  ForgetTables();
}

void StatementContext::RunAs(const streaming::StatementRun& run) {
  if (run.now_micros) execution_.settings.query_start_micros = *run.now_micros;
  execution_.on_observed = run.on_observed;
}

sql::ParserOptions StatementContext::parser_options() const {
  return ReadParserOptions([state = state_](std::string_view key) { return state->Setting(key); });
}

catalogs::Namespace StatementContext::current_namespace() const {
  std::string catalog = state_->CurrentCatalog();
  {
    std::lock_guard lock(state_->mutex);
    auto found = state_->current_namespaces.find(catalog);
    if (found != state_->current_namespaces.end()) return found->second;
  }
  if (catalog == "spark_catalog") return {"default"};
  auto loaded = state_->Catalog(catalog);
  return loaded.ok() ? (*loaded)->default_namespace() : catalogs::Namespace();
}

bool StatementContext::HasCatalog(const std::string& name) const {
  auto names = state_->CatalogNames();
  return std::binary_search(names.begin(), names.end(), name);
}

std::optional<analysis::TempView> StatementContext::FindTempView(const std::string& name) {
  std::lock_guard lock(state_->mutex);
  auto found = state_->temp_views.find(AsciiLower(name));
  if (found == state_->temp_views.end()) return std::nullopt;
  return found->second;
}

std::optional<analysis::TempView> StatementContext::FindGlobalTempView(const std::string& name) {
  auto& global = state_->shared->global_views;
  std::lock_guard lock(global.mutex);
  auto found = global.views.find(AsciiLower(name));
  if (found == global.views.end()) return std::nullopt;
  return found->second;
}

std::optional<analysis::SessionVariable> StatementContext::FindVariable(const std::string& name) {
  std::lock_guard lock(state_->mutex);
  auto found = state_->variables.find(AsciiLower(name));
  if (found == state_->variables.end()) return std::nullopt;
  return found->second;
}

std::optional<analysis::SqlFunction> StatementContext::FindSqlFunction(const std::vector<std::string>& name) {
  if (name.empty()) return std::nullopt;
  const auto put = [&](const std::string& key) -> std::optional<analysis::SqlFunction> {
    std::lock_guard lock(state_->mutex);
    const auto found = state_->sql_functions.find(AsciiLower(key));
    if (found == state_->sql_functions.end()) return std::nullopt;
    return found->second;
  };
  const bool of_session =
      name.size() == 1 || (name.size() == 2 && EqualsIgnoreCase(name[0], "session")) ||
      (name.size() == 3 && EqualsIgnoreCase(name[0], "system") && EqualsIgnoreCase(name[1], "session"));
  if (of_session) {
    if (auto temporary = put(name.back())) return temporary;
    // Built-in functions stand before permanent ones.
    if (name.size() == 1 && functions::FindFunction(AsciiLower(name[0])) != nullptr) return std::nullopt;
  }
  const auto resolved = analysis::ResolveIdentifier(name, *this);
  if (!resolved.ok()) return std::nullopt;
  auto* functions = dynamic_cast<catalogs::FunctionCatalog*>(resolved->catalog.get());
  if (functions == nullptr) return std::nullopt;
  const auto full_name = catalogs::FullName(*resolved->catalog, resolved->identifier);
  // One that is just being created.
  if (auto coming = put(Join(full_name, "."))) return coming;
  auto loaded = commands::LoadSqlFunction(*functions, resolved->identifier, full_name, parser_options());
  return loaded.ok() ? *std::move(loaded) : std::nullopt;
}

Result<Value> StatementContext::EvaluateConstant(const ExpressionPtr& expression) {
  return engine().Evaluate(expression, execution_);
}

Result<RowSet> StatementContext::CollectRows(const plan::LogicalPlanPtr& plan) {
  return engine().Collect(plan, execution_);
}

Result<analysis::CachedRelation> StatementContext::FindCachedRelation(const std::string& relation_id) {
  std::lock_guard lock(state_->mutex);
  auto found = state_->cached_relations.find(relation_id);
  if (found == state_->cached_relations.end()) {
    return Error::Plain(ExceptionClass::kAnalysis,
                        "No DataFrame with id " + relation_id + " is found in the session " + state_->session_id);
  }
  return found->second;
}

Result<std::shared_ptr<const RowSet>> StatementContext::CallCatalog(const plan::CatalogCallPlan& call) {
  FRAZIL_ASSIGN_OR_RETURN(auto rows, commands::RunCatalogCall(call, *this));
  return std::make_shared<const RowSet>(std::move(rows));
}

Result<std::shared_ptr<const RowSet>> StatementContext::RunCommand(const plan::PlanPtr& command) {
  FRAZIL_ASSIGN_OR_RETURN(auto rows, RunStatement(command));
  return std::make_shared<const RowSet>(std::move(rows));
}

namespace {

// Error CANNOT_MODIFY_STATIC_CONFIG or CANNOT_MODIFY_CONFIG.
Status CheckChangeable(const std::string& key, const std::string& canonical) {
  switch (ChangeableOf(canonical)) {
    case Changeable::kYes:
      break;
    case Changeable::kStatic:
      return Error::Of(ExceptionClass::kAnalysis, "CANNOT_MODIFY_STATIC_CONFIG", {{"key", "\"" + key + "\""}});
    case Changeable::kNotInSession:
      return Error::Of(ExceptionClass::kAnalysis, "CANNOT_MODIFY_CONFIG",
                       {{"key", "\"" + key + "\""}, {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  return Status::Ok();
}

}  // namespace

Status SetSessionConfig(SessionState& state, const std::string& key, const std::string& value) {
  std::string canonical = CanonicalKey(key);
  FRAZIL_RETURN_IF_ERROR(CheckChangeable(key, canonical));
  FRAZIL_RETURN_IF_ERROR(CheckSettingValue(canonical, value));
  std::lock_guard lock(state.mutex);
  state.settings[canonical] = value;
  return Status::Ok();
}

Status UnsetSessionConfig(SessionState& state, const std::string& key) {
  std::string canonical = CanonicalKey(key);
  FRAZIL_RETURN_IF_ERROR(CheckChangeable(key, canonical));
  std::lock_guard lock(state.mutex);
  state.settings.erase(canonical);
  return Status::Ok();
}

Status StatementContext::SetConfig(const std::string& key, const std::string& value) {
  return SetSessionConfig(*state_, key, value);
}

Status StatementContext::UnsetConfig(const std::string& key) { return UnsetSessionConfig(*state_, key); }

void StatementContext::ResetConfigs() {
  std::lock_guard lock(state_->mutex);
  state_->settings.clear();
}

std::vector<commands::ConfigItem> StatementContext::Configs(bool all) const {
  std::map<std::string, commands::ConfigItem> items;
  if (all) {
    for (const auto& known : KnownSettings()) {
      std::string key(known.key);
      items[key] = {key, state_->Setting(key).value_or(""), std::string(known.documentation)};
    }
    return [&] {
      std::vector<commands::ConfigItem> listed;
      for (auto& [key, item] : items) listed.push_back(std::move(item));
      return listed;
    }();
  }
  std::lock_guard lock(state_->mutex);
  for (const auto* from : {&state_->shared->options.settings, &state_->settings}) {
    for (const auto& [key, value] : *from) items[key] = {key, value, ""};
  }
  std::vector<commands::ConfigItem> listed;
  for (auto& [key, item] : items) listed.push_back(std::move(item));
  return listed;
}

Status StatementContext::SetCurrentCatalog(const std::string& name) {
  FRAZIL_RETURN_IF_ERROR(state_->Catalog(name));
  std::lock_guard lock(state_->mutex);
  state_->current_catalog = name;
  return Status::Ok();
}

void StatementContext::SetCurrentNamespace(const catalogs::Namespace& name_space) {
  std::string catalog = state_->CurrentCatalog();
  std::lock_guard lock(state_->mutex);
  state_->current_namespaces[catalog] = name_space;
}

void StatementContext::PutTempView(const std::string& name, analysis::TempView view, bool global) {
  std::mutex& mutex = global ? state_->shared->global_views.mutex : state_->mutex;
  auto& views = global ? state_->shared->global_views.views : state_->temp_views;
  std::lock_guard lock(mutex);
  views[AsciiLower(name)] = std::move(view);
}

bool StatementContext::DropTempView(const std::string& name, bool global) {
  std::mutex& mutex = global ? state_->shared->global_views.mutex : state_->mutex;
  auto& views = global ? state_->shared->global_views.views : state_->temp_views;
  std::lock_guard lock(mutex);
  return views.erase(AsciiLower(name)) > 0;
}

std::vector<std::string> StatementContext::TempViewNames(bool global) {
  std::mutex& mutex = global ? state_->shared->global_views.mutex : state_->mutex;
  auto& views = global ? state_->shared->global_views.views : state_->temp_views;
  std::lock_guard lock(mutex);
  std::vector<std::string> names;
  for (const auto& [name, view] : views) names.push_back(name);
  return names;
}

std::shared_ptr<const std::map<std::string, analysis::TempView>> StatementContext::CaptureTempViews() {
  std::lock_guard lock(state_->mutex);
  return std::make_shared<const std::map<std::string, analysis::TempView>>(state_->temp_views);
}

void StatementContext::PutVariable(analysis::SessionVariable variable) {
  std::lock_guard lock(state_->mutex);
  std::string key = AsciiLower(variable.name);
  state_->variables[key] = std::move(variable);
}

bool StatementContext::DropVariable(const std::string& name) {
  std::lock_guard lock(state_->mutex);
  return state_->variables.erase(AsciiLower(name)) > 0;
}

std::vector<analysis::SessionVariable> StatementContext::Variables() {
  std::lock_guard lock(state_->mutex);
  std::vector<analysis::SessionVariable> listed;
  for (const auto& [key, variable] : state_->variables) listed.push_back(variable);
  return listed;
}

void StatementContext::PutSqlFunction(analysis::SqlFunction function) {
  std::lock_guard lock(state_->mutex);
  std::string key = AsciiLower(function.name);
  state_->sql_functions[key] = std::move(function);
}

void StatementContext::PutPythonDataSource(const std::string& name, commands::PythonDataSource source) {
  std::lock_guard lock(state_->mutex);
  state_->python_data_sources[AsciiLower(name)] = std::move(source);
}

std::optional<commands::PythonDataSource> StatementContext::FindPythonDataSource(const std::string& name) const {
  std::lock_guard lock(state_->mutex);
  const auto found = state_->python_data_sources.find(AsciiLower(name));
  if (found == state_->python_data_sources.end()) return std::nullopt;
  return found->second;
}

void StatementContext::PutPythonTableFunction(analysis::PythonTableFunction function) {
  std::lock_guard lock(state_->mutex);
  std::string key = AsciiLower(function.name);
  state_->python_table_functions[key] = std::move(function);
}

std::optional<analysis::PythonTableFunction> StatementContext::FindPythonTableFunction(const std::string& name) {
  std::lock_guard lock(state_->mutex);
  const auto found = state_->python_table_functions.find(AsciiLower(name));
  if (found == state_->python_table_functions.end()) return std::nullopt;
  return found->second;
}

bool StatementContext::DropSqlFunction(const std::string& name) {
  std::lock_guard lock(state_->mutex);
  return state_->sql_functions.erase(AsciiLower(name)) > 0;
}

std::vector<std::string> StatementContext::SqlFunctionNames() {
  std::lock_guard lock(state_->mutex);
  std::vector<std::string> names;
  for (const auto& [key, function] : state_->sql_functions) names.push_back(key);
  return names;
}

void StatementContext::MarkCached(const std::string& name, bool cached) {
  std::lock_guard lock(state_->mutex);
  if (cached) {
    state_->cached_names.insert(name);
  } else {
    state_->cached_names.erase(name);
  }
}

bool StatementContext::IsCached(const std::string& name) {
  std::lock_guard lock(state_->mutex);
  return state_->cached_names.contains(name);
}

void StatementContext::ClearCached() {
  std::lock_guard lock(state_->mutex);
  state_->cached_names.clear();
}

std::string StatementContext::PutCachedRelation(analysis::CachedRelation relation) {
  std::string id = RandomUuidText();
  std::lock_guard lock(state_->mutex);
  state_->cached_relations[id] = std::move(relation);
  return id;
}

void StatementContext::DropCachedRelation(const std::string& id) {
  std::lock_guard lock(state_->mutex);
  state_->cached_relations.erase(id);
}

Result<RowSet> StatementContext::RunStatement(const plan::PlanPtr& plan) {
  if (plan->kind == plan::PlanKind::kCommand) {
    const auto& command = plan->As<plan::Command>();
    if (commands_ == Commands::kAnalyze) return AnalyzeCommand(command);
    auto rows = commands::RunCommand(command, *this);
    ForgetTables();
    return rows;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(plan, *this));
  if (commands_ == Commands::kAnalyze) return RowSet{plan::OutputSchema(*analyzed), {}};
  return engine().Collect(analyzed, execution_);
}

plan::PlanPtr StatementContext::ParsedOf(const plan::PlanPtr& plan) const {
  if (plan->kind != plan::PlanKind::kSqlQuery) return plan;
  const auto& query = plan->As<plan::SqlQueryPlan>();
  const auto text = sql::SubstituteVariables(query.text, [this](std::string_view key) { return state_->Setting(key); });
  auto parsed = sql::ParseStatement(
      text, analysis::WithParameters(parser_options(), query.named_arguments, query.positional_arguments));
  return parsed.ok() ? *std::move(parsed) : plan;
}

namespace {

/// The relation whose rows a command takes; null where it takes none.
plan::PlanPtr RelationOf(const plan::Command& command) {
  switch (command.command_kind) {
    case plan::CommandKind::kInsert:
      return command.As<plan::InsertCommand>().query;
    case plan::CommandKind::kCreateTable:
      return command.As<plan::CreateTableCommand>().query;
    case plan::CommandKind::kMerge:
      return command.As<plan::MergeCommand>().source;
    default:
      return nullptr;
  }
}

/// "a: int, b: string".
std::string ColumnsText(const plan::LogicalPlan& plan) {
  std::string text;
  for (const auto& column : plan.output)
    text += (text.empty() ? "" : ", ") + column.name + ": " + column.type->SimpleString();
  return text;
}

}  // namespace

Result<std::string> StatementContext::CommandTree(const plan::PlanPtr& parsed) {
  std::string tree = plan::DumpPlan(parsed);
  const auto relation = RelationOf(parsed->As<plan::Command>());
  if (relation == nullptr) return tree;
  FRAZIL_ASSIGN_OR_RETURN(const auto analyzed, analysis::AnalyzeRelation(relation, *this));
  if (const std::string inside = "(" + plan::DumpPlan(relation) + ")"; tree.ends_with(inside))
    tree.resize(tree.size() - inside.size());
  const char* edge = "\n+- ";
  for (const auto& line : Split(std::string(TrimBlanks(plan::ExplainString(*analyzed))), '\n')) {
    tree += edge + line;
    edge = "\n   ";
  }
  return tree;
}

Result<std::string> StatementContext::Explain(const plan::PlanPtr& plan, plan::ExplainMode mode) {
  const auto parsed = ParsedOf(plan);
  const std::string parsed_text = "== Parsed Logical Plan ==\n'" + plan::DumpPlan(parsed) + "\n";
  if (parsed->kind == plan::PlanKind::kCommand) {
    FRAZIL_ASSIGN_OR_RETURN(const auto tree, CommandTree(parsed));
    const std::string physical = "== Physical Plan ==\nExecute " + tree + "\n";
    if (mode != plan::ExplainMode::kExtended) return physical;
    return parsed_text + "\n== Analyzed Logical Plan ==\n" + tree + "\n\n== Optimized Logical Plan ==\n" + tree +
           "\n\n" + physical;
  }
  auto analysis = analysis::AnalyzeRelation(plan, *this);
  if (!analysis.ok()) {
    if (mode != plan::ExplainMode::kExtended) return std::move(analysis).error();
    return parsed_text + "\n== Analyzed Logical Plan ==\n" + analysis.error().message + "\n";
  }
  const auto& analyzed = *analysis;
  std::string tree = plan::ExplainString(*analyzed);
  switch (mode) {
    case plan::ExplainMode::kExtended:
      return parsed_text + "\n== Analyzed Logical Plan ==\n" + ColumnsText(*analyzed) + "\n" + tree +
             "\n== Optimized Logical Plan ==\n" + tree + "\n== Physical Plan ==\n" + tree;
    case plan::ExplainMode::kCost:
      return "== Optimized Logical Plan ==\n" + tree + "\n== Physical Plan ==\n" + tree;
    case plan::ExplainMode::kCodegen:
      // Queries are run by vectors, not by generated code.
      return "Found 0 WholeStageCodegen subtrees.\n";
    case plan::ExplainMode::kFormatted:
      return "== Physical Plan ==\n" + plan::FormattedExplainString(*analyzed) + "\n";
    case plan::ExplainMode::kSimple:
      return "== Physical Plan ==\n" + tree + "\n";
  }
  return tree;
}

}  // namespace frazil::session
