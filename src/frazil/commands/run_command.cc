#include "frazil/commands/run_command.h"

#include "frazil/base/origin.h"
#include "frazil/catalogs/path/path_tables.h"
#include "frazil/commands/statements_internal.h"

namespace frazil::commands {

namespace {

Result<RowSet> RunRegisterPython(const plan::RegisterPythonCommand& command, CommandContext& context) {
  if (command.type == plan::RegisterPythonCommand::Type::kDataSource) {
    context.PutPythonDataSource(command.name, {command.code, command.python_version});
    return NoRows();
  }
  context.PutPythonTableFunction({command.name, command.code, command.python_version, command.eval_type,
                                  command.return_type, command.deterministic});
  return NoRows();
}

Result<RowSet> RunKind(const plan::Command& command, CommandContext& context) {
  using plan::CommandKind;
  switch (command.command_kind) {
    case CommandKind::kCreateTable:
      return RunCreateTable(command.As<plan::CreateTableCommand>(), context);
    case CommandKind::kDropTable:
      return RunDropTable(command.As<plan::DropTableCommand>(), context);
    case CommandKind::kRenameTable:
      return RunRenameTable(command.As<plan::RenameTableCommand>(), context);
    case CommandKind::kAlterTable:
      return RunAlterTable(command.As<plan::AlterTableCommand>(), context);
    case CommandKind::kCreateView:
      return RunCreateView(command.As<plan::CreateViewCommand>(), context);
    case CommandKind::kDropView:
      return RunDropView(command.As<plan::DropViewCommand>(), context);
    case CommandKind::kAlterView:
      return RunAlterView(command.As<plan::AlterViewCommand>(), context);
    case CommandKind::kCreateNamespace:
      return RunCreateNamespace(command.As<plan::CreateNamespaceCommand>(), context);
    case CommandKind::kDropNamespace:
      return RunDropNamespace(command.As<plan::DropNamespaceCommand>(), context);
    case CommandKind::kAlterNamespace:
      return RunAlterNamespace(command.As<plan::AlterNamespaceCommand>(), context);
    case CommandKind::kInsert:
      return RunInsert(command.As<plan::InsertCommand>(), context);
    case CommandKind::kDelete:
      return RunDelete(command.As<plan::DeleteCommand>(), context);
    case CommandKind::kUpdate:
      return RunUpdate(command.As<plan::UpdateCommand>(), context);
    case CommandKind::kMerge:
      return RunMerge(command.As<plan::MergeCommand>(), context);
    case CommandKind::kTruncate:
      return RunTruncate(command.As<plan::TruncateCommand>(), context);
    case CommandKind::kCall:
      return RunCall(command.As<plan::CallCommand>(), context);
    case CommandKind::kMaintenance:
      return RunMaintenance(command.As<plan::MaintenanceCommand>(), context);
    case CommandKind::kShow:
      return RunShow(command.As<plan::ShowCommand>(), context);
    case CommandKind::kDescribe:
      return RunDescribe(command.As<plan::DescribeCommand>(), context);
    case CommandKind::kUse:
      return RunUse(command.As<plan::UseCommand>(), context);
    case CommandKind::kSet:
      return RunSet(command.As<plan::SetCommand>(), context);
    case CommandKind::kReset:
      return RunReset(command.As<plan::ResetCommand>(), context);
    case CommandKind::kExplain:
      return RunExplain(command.As<plan::ExplainCommand>(), context);
    case CommandKind::kCache:
      return RunCache(command.As<plan::CacheCommand>(), context);
    case CommandKind::kUncache:
      return RunUncache(command.As<plan::UncacheCommand>(), context);
    case CommandKind::kRefresh:
      return RunRefresh(command.As<plan::RefreshCommand>(), context);
    case CommandKind::kAnalyze:
      return RunAnalyze(command.As<plan::AnalyzeCommand>(), context);
    case CommandKind::kVariable:
      return RunVariable(command.As<plan::VariableCommand>(), context);
    case CommandKind::kExecuteImmediate:
      return RunExecuteImmediate(command.As<plan::ExecuteImmediateCommand>(), context);
    case CommandKind::kFunctionDdl:
      return RunFunctionDdl(command.As<plan::FunctionDdlCommand>(), context);
    case CommandKind::kScript:
      return RunScript(command.As<plan::ScriptCommand>(), context);
    case CommandKind::kRegisterPython:
      return RunRegisterPython(command.As<plan::RegisterPythonCommand>(), context);
    case CommandKind::kWrite:
      return RunWrite(command.As<plan::WriteCommand>(), context);
    case CommandKind::kWriteV2:
      return RunWriteV2(command.As<plan::WriteV2Command>(), context);
    case CommandKind::kCreateDataFrameView:
      return RunCreateDataFrameView(command.As<plan::CreateDataFrameViewCommand>(), context);
    case CommandKind::kCheckpoint:
      return RunCheckpoint(command.As<plan::CheckpointCommand>(), context);
    case CommandKind::kUnsupported:
      return Error::Unsupported(command.As<plan::UnsupportedCommand>().feature);
  }
  return Error::Internal("unknown command");
}

// What the statement as a whole gets wrong, where no part of it has said so.
bool IsAboutStatement(const Error& error) {
  const std::string_view condition = error.condition;
  return condition.starts_with("UNRESOLVED_COLUMN.") || condition == "FIELD_ALREADY_EXISTS" ||
         condition == "INVALID_NON_DETERMINISTIC_EXPRESSIONS" || condition == "_LEGACY_ERROR_TEMP_2330" ||
         condition == "NOT_SUPPORTED_CHANGE_COLUMN" || condition.starts_with("CANNOT_UPDATE_FIELD.") ||
         condition == "INVALID_FIELD_NAME";
}

}  // namespace

Result<RowSet> RunCommand(const plan::Command& command, CommandContext& context) {
  auto result = RunKind(command, context);
  if (result.ok() || !IsAboutStatement(result.error())) return result;
  return AtOrigin(std::move(result).error(), command.origin);
}

RowSet NoRows() { return {DataType::Struct({}), {}}; }

RowSet TextRows(const std::vector<std::string>& names, std::vector<std::vector<std::string>> rows) {
  std::vector<StructField> fields;
  for (const auto& name : names) fields.emplace_back(name, DataType::String(), false);
  RowSet result{DataType::Struct(std::move(fields)), {}};
  for (auto& row : rows) {
    std::vector<Value> values;
    for (auto& text : row) values.emplace_back(std::move(text));
    result.rows.push_back(std::move(values));
  }
  return result;
}

Result<std::vector<std::string>> NameParts(const plan::NameClause& name, CommandContext& context) {
  if (name.identifier == nullptr) return name.parts;
  return analysis::AnalyzeIdentifier(name.identifier, context);
}

Result<analysis::ResolvedIdentifier> ResolveName(const plan::NameClause& name, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(name, context));
  return ResolveParts(parts, context);
}

Result<analysis::ResolvedIdentifier> ResolveParts(const std::vector<std::string>& parts, CommandContext& context) {
  if (!catalogs::PathTables::IsPathName(parts, context.formats())) return analysis::ResolveIdentifier(parts, context);
  analysis::ResolvedIdentifier resolved;
  resolved.catalog = std::make_shared<catalogs::PathTables>("spark_catalog", &context.formats(), &context.stores(),
                                                            context.execution().store_settings);
  resolved.identifier = {{parts[0]}, parts[1]};
  return resolved;
}

bool IsMetadataTable(const analysis::ResolvedTable& table) {
  // The catalog's name, the namespace, the table's name, and here one part more.
  return table.full_name.size() > table.identifier.name_space.size() + 2;
}

Result<analysis::ResolvedTable> ResolveTableName(const plan::NameClause& name, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(name, context));
  auto table = analysis::ResolveTable(parts, context);
  if (table.ok() || table.error().exception_class != ExceptionClass::kAnalysis) return table;
  return AtOrigin(std::move(table).error(), name.origin);
}

Result<ResolvedNamespace> ResolveNamespace(const std::vector<std::string>& parts, CommandContext& context) {
  if (parts.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto catalog, context.ResolveCatalog(context.current_catalog()));
    return ResolvedNamespace{std::move(catalog), context.current_namespace()};
  }
  if (context.HasCatalog(parts[0])) {
    FRAZIL_ASSIGN_OR_RETURN(auto catalog, context.ResolveCatalog(parts[0]));
    return ResolvedNamespace{std::move(catalog), catalogs::Namespace(parts.begin() + 1, parts.end())};
  }
  FRAZIL_ASSIGN_OR_RETURN(auto catalog, context.ResolveCatalog(context.current_catalog()));
  return ResolvedNamespace{std::move(catalog), parts};
}

}  // namespace frazil::commands
