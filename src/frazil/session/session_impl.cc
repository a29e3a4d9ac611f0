#include "frazil/session/session_impl.h"

#include <functional>
#include <map>

#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/bound_parameters.h"
#include "frazil/analysis/show_string.h"
#include "frazil/commands/run_command.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/multi_insert.h"
#include "frazil/session/row_stream.h"
#include "frazil/session/settings.h"
#include "frazil/sql/parser.h"
#include "frazil/sql/variable_substitution.h"

namespace frazil::session {

namespace {

plan::LogicalPlanPtr PlanOf(RowSet rows, StatementContext& context) {
  std::vector<Attribute> output;
  for (const auto& field : rows.schema->fields()) {
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = field.name;
    attribute.type = field.type;
    attribute.nullable = field.nullable;
    attribute.metadata = field.metadata;
    output.push_back(std::move(attribute));
  }
  return plan::MakeRows(std::make_shared<const RowSet>(std::move(rows)), std::move(output));
}

Status CheckNotCancelled(const OperationPtr& operation) {
  if (operation->cancel->cancelled()) return Error::Cancelled("The operation was cancelled before it began.");
  return Status::Ok();
}

void CollectScans(const plan::LogicalPlan& plan, std::vector<const plan::ScanNode*>* scans) {
  if (plan.kind == plan::LogicalKind::kScan) scans->push_back(&plan.As<plan::ScanNode>());
  for (const auto& input : plan::Inputs(plan)) CollectScans(*input, scans);
}

// The plan with the DataFrames that its text names.
plan::PlanPtr WithReferences(plan::PlanPtr plan, const std::vector<plan::PlanPtr>& references) {
  if (references.empty()) return plan;
  auto with = std::make_shared<plan::WithRelationsPlan>();
  with->root = std::move(plan);
  with->references = references;
  return with;
}

// The same for the query of a command; others have no place for a DataFrame.
plan::PlanPtr WithReferences(const plan::Command& command, plan::PlanPtr plan,
                             const std::vector<plan::PlanPtr>& references) {
  if (command.command_kind == plan::CommandKind::kInsert) {
    const auto with_references = [&](auto insert) {
      insert->query = WithReferences(insert->query, references);
      return insert;
    };
    const auto* several = dynamic_cast<const plan::MultiInsertCommand*>(&command);
    if (several == nullptr)
      return with_references(std::make_shared<plan::InsertCommand>(command.As<plan::InsertCommand>()));
    auto all = with_references(std::make_shared<plan::MultiInsertCommand>(*several));
    for (auto& other : all->others) other = with_references(std::make_shared<plan::InsertCommand>(*other));
    return all;
  }
  if (command.command_kind == plan::CommandKind::kCreateTable &&
      command.As<plan::CreateTableCommand>().query != nullptr) {
    auto create = std::make_shared<plan::CreateTableCommand>(command.As<plan::CreateTableCommand>());
    create->query = WithReferences(create->query, references);
    return create;
  }
  return plan;
}

}  // namespace

Result<StatementResult> SessionImpl::StreamOf(RowSet rows, StatementContext& context) {
  DataTypePtr schema = rows.schema;
  if (schema->fields().empty()) {
    return StatementResult{schema, std::make_unique<BatchStream>(schema, std::deque<std::unique_ptr<ArrowBatch>>())};
  }
  FRAZIL_ASSIGN_OR_RETURN(auto stream, context.engine().Execute(PlanOf(std::move(rows), context), context.execution()));
  return StatementResult{schema, std::move(stream)};
}

Result<StatementResult> SessionImpl::Execute(const plan::PlanPtr& plan, const OperationPtr& operation) {
  FRAZIL_RETURN_IF_ERROR(CheckNotCancelled(operation));
  StatementContext context(state_, operation);
  switch (plan->kind) {
    case plan::PlanKind::kCommand: {
      FRAZIL_ASSIGN_OR_RETURN(auto rows, commands::RunCommand(plan->As<plan::Command>(), context));
      return StreamOf(std::move(rows), context);
    }
    case plan::PlanKind::kSqlQuery: {
      // SQL text as a relation: a command in it runs now.
      FRAZIL_ASSIGN_OR_RETURN(auto result, Sql(plan->As<plan::SqlQueryPlan>(), operation));
      if (result.was_command) return Execute(result.relation, operation);
      break;
    }
    case plan::PlanKind::kCatalogCall: {
      FRAZIL_ASSIGN_OR_RETURN(auto rows, context.CallCatalog(plan->As<plan::CatalogCallPlan>()));
      return StreamOf(*rows, context);
    }
    default:
      break;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(plan, context));
  if (plan->kind == plan::PlanKind::kShowString || plan->kind == plan::PlanKind::kHtmlString) {
    FRAZIL_ASSIGN_OR_RETURN(auto cells, context.engine().Collect(analyzed, context.execution()));
    return StreamOf(analysis::ShownRows(*plan, cells), context);
  }
  DataTypePtr schema = plan::OutputSchema(*analyzed);
  FRAZIL_ASSIGN_OR_RETURN(auto stream, context.engine().Execute(analyzed, context.execution()));
  return StatementResult{std::move(schema), std::move(stream)};
}

Result<SqlResult> SessionImpl::Sql(const plan::SqlQueryPlan& query, const OperationPtr& operation) {
  FRAZIL_RETURN_IF_ERROR(CheckNotCancelled(operation));
  StatementContext context(state_, operation);
  context.named_parameters = query.named_arguments;
  context.positional_parameters = query.positional_arguments;
  const auto options =
      analysis::WithParameters(context.parser_options(), query.named_arguments, query.positional_arguments);
  auto text = std::make_shared<plan::SqlQueryPlan>(query);
  text->text = sql::SubstituteVariables(query.text, [&](std::string_view key) { return state_->Setting(key); });
  FRAZIL_ASSIGN_OR_RETURN(auto parsed, sql::ParseStatement(text->text, options));
  if (parsed->kind != plan::PlanKind::kCommand) {
    // As in Spark errors of a query come from spark.sql(), not from the first action on it.
    FRAZIL_RETURN_IF_ERROR(Analyze(WithReferences(text, query.references), operation));
    return SqlResult{std::move(text), false};
  }
  if (!query.references.empty()) parsed = WithReferences(parsed->As<plan::Command>(), parsed, query.references);
  FRAZIL_ASSIGN_OR_RETURN(auto rows, commands::RunCommand(parsed->As<plan::Command>(), context));
  auto relation = std::make_shared<plan::LocalRelationPlan>();
  relation->schema = rows.schema;
  auto table = std::make_shared<ArrowTable>();
  table->schema = rows.schema;
  if (!rows.schema->fields().empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto result, StreamOf(std::move(rows), context));
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(auto batch, result.stream->Next());
      if (batch == nullptr) break;
      table->batches.push_back(std::move(*batch));
    }
  }
  relation->data = std::move(table);
  return SqlResult{std::move(relation), true};
}

Result<plan::LogicalPlanPtr> SessionImpl::Analyze(const plan::PlanPtr& plan, const OperationPtr& operation) {
  StatementContext context(state_, operation, StatementContext::Commands::kAnalyze);
  if (plan->kind == plan::PlanKind::kCatalogCall) {
    FRAZIL_ASSIGN_OR_RETURN(auto rows, context.CallCatalog(plan->As<plan::CatalogCallPlan>()));
    return PlanOf(*rows, context);
  }
  if (plan->kind == plan::PlanKind::kShowString || plan->kind == plan::PlanKind::kHtmlString) {
    return PlanOf(analysis::ShownRows(*plan, RowSet{DataType::Struct({}), {}}), context);
  }
  return analysis::AnalyzeRelation(plan, context);
}

Result<std::string> SessionImpl::Explain(const plan::PlanPtr& plan, plan::ExplainMode mode,
                                         const OperationPtr& operation) {
  StatementContext context(state_, operation, StatementContext::Commands::kAnalyze);
  return context.Explain(plan, mode);
}

Result<DataTypePtr> SessionImpl::ParseDdl(const std::string& text) {
  StatementContext context(state_, std::make_shared<Operation>());
  return sql::ParseSchemaOrDataType(text, context.parser_options());
}

Result<std::vector<std::string>> SessionImpl::InputFiles(const plan::PlanPtr& plan, const OperationPtr& operation) {
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, Analyze(plan, operation));
  std::vector<const plan::ScanNode*> scans;
  CollectScans(*analyzed, &scans);
  std::vector<std::string> files;
  for (const auto* scan : scans) {
    if (scan->scan->has_rows()) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto scan_plan, scan->scan->Plan(Predicate::True()));
    for (const auto& file : scan_plan.files) {
      files.push_back(storage::SchemeOf(file.path).empty() ? "file://" + file.path : file.path);
    }
  }
  return files;
}

Result<std::string> SessionImpl::MeaningOf(const plan::PlanPtr& plan, const OperationPtr& operation) {
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, Analyze(plan, operation));
  std::string text = plan::ExplainString(*analyzed, true);
  std::map<std::string, std::string> numbers;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '#') continue;
    size_t end = i + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    auto [number, added] = numbers.emplace(text.substr(i + 1, end - i - 1), std::to_string(numbers.size()));
    out += number->second;
    i = end - 1;
  }
  return out;
}

Result<bool> SessionImpl::SameSemantics(const plan::PlanPtr& left, const plan::PlanPtr& right,
                                        const OperationPtr& operation) {
  FRAZIL_ASSIGN_OR_RETURN(auto first, MeaningOf(left, operation));
  FRAZIL_ASSIGN_OR_RETURN(auto second, MeaningOf(right, operation));
  return first == second;
}

Result<int32_t> SessionImpl::SemanticHash(const plan::PlanPtr& plan, const OperationPtr& operation) {
  FRAZIL_ASSIGN_OR_RETURN(auto meaning, MeaningOf(plan, operation));
  return static_cast<int32_t>(std::hash<std::string>()(meaning));
}

Result<bool> SessionImpl::IsLocal(const plan::PlanPtr& plan) {
  // Spark: a plan whose rows are at hand without a job, that is local data or a command's answer.
  return plan->kind == plan::PlanKind::kLocalRelation || plan->kind == plan::PlanKind::kCommand ||
         plan->kind == plan::PlanKind::kCatalogCall;
}

Status SessionImpl::Persist(const plan::PlanPtr& plan, const std::string& storage_level,
                            const OperationPtr& operation) {
  FRAZIL_ASSIGN_OR_RETURN(auto meaning, MeaningOf(plan, operation));
  std::lock_guard lock(state_->mutex);
  state_->storage_levels.emplace(std::move(meaning), storage_level);
  return Status::Ok();
}

Status SessionImpl::Unpersist(const plan::PlanPtr& plan, const OperationPtr& operation) {
  FRAZIL_ASSIGN_OR_RETURN(auto meaning, MeaningOf(plan, operation));
  std::lock_guard lock(state_->mutex);
  state_->storage_levels.erase(meaning);
  return Status::Ok();
}

Result<std::string> SessionImpl::StorageLevel(const plan::PlanPtr& plan, const OperationPtr& operation) {
  FRAZIL_ASSIGN_OR_RETURN(auto meaning, MeaningOf(plan, operation));
  std::lock_guard lock(state_->mutex);
  auto found = state_->storage_levels.find(meaning);
  return found == state_->storage_levels.end() ? std::string() : found->second;
}

void SessionImpl::RemoveCachedRelation(const std::string& relation_id) {
  std::lock_guard lock(state_->mutex);
  state_->cached_relations.erase(relation_id);
}

Result<OperationPtr> SessionImpl::StartOperation(const std::string& id, const std::vector<std::string>& tags) {
  auto operation = std::make_shared<Operation>();
  operation->id = id;
  operation->tags = tags;
  std::lock_guard lock(state_->mutex);
  if (state_->operations.contains(id) || state_->ended_operations.contains(id)) {
    return Error::Of(ExceptionClass::kSpark, "INVALID_HANDLE.OPERATION_ALREADY_EXISTS", {{"handle", id}});
  }
  state_->operations[id] = operation;
  return operation;
}

void SessionImpl::EndOperation(const std::string& id) {
  // Enough to notice a client that sends a request twice, without growing for ever.
  static constexpr size_t kRememberedOperations = 10000;
  std::lock_guard lock(state_->mutex);
  state_->operations.erase(id);
  if (state_->ended_operations.size() >= kRememberedOperations) state_->ended_operations.clear();
  state_->ended_operations.insert(id);
}

template <typename Matches>
std::vector<std::string> SessionImpl::Interrupt(Matches matches) {
  std::vector<OperationPtr> found;
  {
    std::lock_guard lock(state_->mutex);
    for (const auto& [id, operation] : state_->operations) {
      // What was interrupted before and has not come to rest yet is not interrupted once more.
      if (matches(*operation) && !operation->cancel->cancelled()) found.push_back(operation);
    }
  }
  std::vector<std::string> ids;
  for (const auto& operation : found) {
    operation->cancel->Cancel();
    ids.push_back(operation->id);
  }
  return ids;
}

std::vector<std::string> SessionImpl::InterruptAll() {
  return Interrupt([](const Operation&) { return true; });
}

std::vector<std::string> SessionImpl::InterruptTag(const std::string& tag) {
  return Interrupt([&](const Operation& operation) {
    return std::find(operation.tags.begin(), operation.tags.end(), tag) != operation.tags.end();
  });
}

std::vector<std::string> SessionImpl::InterruptOperation(const std::string& id) {
  return Interrupt([&](const Operation& operation) { return operation.id == id; });
}

std::optional<std::string> SessionImpl::GetConfig(const std::string& key) const {
  return state_->Setting(CanonicalKey(key));
}

std::vector<ConfigEntry> SessionImpl::AllConfigs(const std::string& prefix) const {
  std::map<std::string, std::string> all;
  for (const auto& known : KnownSettings()) all[std::string(known.key)] = state_->Setting(known.key).value_or("");
  {
    std::lock_guard lock(state_->mutex);
    for (const auto* from : {&state_->shared->options.settings, &state_->settings}) {
      for (const auto& [key, value] : *from) all[key] = value;
    }
  }
  std::vector<ConfigEntry> entries;
  for (auto& [key, value] : all) {
    if (key.starts_with(prefix)) entries.push_back({key.substr(prefix.size()), std::move(value)});
  }
  return entries;
}

bool SessionImpl::IsModifiable(const std::string& key) const {
  // Spark: registered by Spark SQL or Spark Connect, and not static.
  const auto* known = FindSetting(key);
  const bool registered = key.starts_with("spark.sql.") || key.starts_with("spark.connect.");
  return known != nullptr && registered && !known->is_static;
}

Status SessionImpl::StoreArtifact(const std::string& name, std::string data) {
  auto shared = std::make_shared<const std::string>(std::move(data));
  std::lock_guard lock(state_->mutex);
  auto [stored, added] = state_->artifacts.try_emplace(name, shared);
  if (added) return state_->artifact_folder->Add(name, *shared);
  if (*stored->second == *shared) return Status::Ok();
  if (!name.starts_with("cache/")) {
    return Error::Of(ExceptionClass::kSparkRuntime, "ARTIFACT_ALREADY_EXISTS",
                     {{"normalizedRemoteRelativePath", name}});
  }
  stored->second = std::move(shared);
  return Status::Ok();
}

bool SessionImpl::HasArtifact(const std::string& name) const {
  std::lock_guard lock(state_->mutex);
  return state_->artifacts.contains(name);
}

Result<std::string> SessionImpl::LoadArtifact(const std::string& name) const {
  std::shared_ptr<const std::string> found;
  {
    std::lock_guard lock(state_->mutex);
    auto entry = state_->artifacts.find(name);
    if (entry != state_->artifacts.end()) found = entry->second;
  }
  if (found == nullptr) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "No artifact of the name " + name + " is found in the session " + state_->session_id);
  }
  return *found;
}

}  // namespace frazil::session
