#pragma once

// One function for each kind of command; each in the file of its topic.

#include "frazil/analysis/analyzer.h"
#include "frazil/commands/command_context.h"
#include "frazil/plan/script.h"
#include "frazil/types/row_set.h"

namespace frazil::commands {

/// A result without columns.
RowSet NoRows();
/// A result of STRING columns with these names.
RowSet TextRows(const std::vector<std::string>& names, std::vector<std::vector<std::string>> rows);

/// The parts of a name, an IDENTIFIER(...) clause evaluated.
Result<std::vector<std::string>> NameParts(const plan::NameClause& name, CommandContext& context);
/// A table name in its catalog.
Result<analysis::ResolvedIdentifier> ResolveName(const plan::NameClause& name, CommandContext& context);
/// The same for parts; format.`path` is a table of catalogs::PathTables.
Result<analysis::ResolvedIdentifier> ResolveParts(const std::vector<std::string>& parts, CommandContext& context);
/// A table that exists.
Result<analysis::ResolvedTable> ResolveTableName(const plan::NameClause& name, CommandContext& context);
/// t.files and the like: a table that describes the one which its identifier names.
bool IsMetadataTable(const analysis::ResolvedTable& table);
/// A namespace name in its catalog ("ice.db", "db", or none: the current one).
struct ResolvedNamespace {
  catalogs::CatalogPtr catalog;
  catalogs::Namespace name_space;
};
Result<ResolvedNamespace> ResolveNamespace(const std::vector<std::string>& parts, CommandContext& context);

// create_table.cc, alter_table.cc, drop.cc
Result<RowSet> RunCreateTable(const plan::CreateTableCommand& command, CommandContext& context);
Result<RowSet> RunAlterTable(const plan::AlterTableCommand& command, CommandContext& context);
Result<RowSet> RunDropTable(const plan::DropTableCommand& command, CommandContext& context);
Result<RowSet> RunRenameTable(const plan::RenameTableCommand& command, CommandContext& context);
// views.cc
Result<RowSet> RunCreateView(const plan::CreateViewCommand& command, CommandContext& context);
Result<RowSet> RunDropView(const plan::DropViewCommand& command, CommandContext& context);
Result<RowSet> RunAlterView(const plan::AlterViewCommand& command, CommandContext& context);
Result<RowSet> RunCreateDataFrameView(const plan::CreateDataFrameViewCommand& command, CommandContext& context);
// namespaces.cc
Result<RowSet> RunCreateNamespace(const plan::CreateNamespaceCommand& command, CommandContext& context);
Result<RowSet> RunDropNamespace(const plan::DropNamespaceCommand& command, CommandContext& context);
Result<RowSet> RunAlterNamespace(const plan::AlterNamespaceCommand& command, CommandContext& context);
// insert.cc, write.cc
Result<RowSet> RunInsert(const plan::InsertCommand& command, CommandContext& context);
Result<RowSet> RunWrite(const plan::WriteCommand& command, CommandContext& context);
Result<RowSet> RunWriteV2(const plan::WriteV2Command& command, CommandContext& context);
Result<RowSet> RunTruncate(const plan::TruncateCommand& command, CommandContext& context);
// row_level.cc
Result<RowSet> RunDelete(const plan::DeleteCommand& command, CommandContext& context);
Result<RowSet> RunUpdate(const plan::UpdateCommand& command, CommandContext& context);
Result<RowSet> RunMerge(const plan::MergeCommand& command, CommandContext& context);
// procedures.cc
Result<RowSet> RunCall(const plan::CallCommand& command, CommandContext& context);
// maintenance.cc
Result<RowSet> RunConvertToDelta(const plan::MaintenanceCommand& command, CommandContext& context);
Result<RowSet> RunMaintenance(const plan::MaintenanceCommand& command, CommandContext& context);
// show.cc, describe.cc
Result<RowSet> RunShow(const plan::ShowCommand& command, CommandContext& context);
Result<RowSet> RunDescribe(const plan::DescribeCommand& command, CommandContext& context);
// settings.cc
Result<RowSet> RunUse(const plan::UseCommand& command, CommandContext& context);
Result<RowSet> RunSet(const plan::SetCommand& command, CommandContext& context);
Result<RowSet> RunReset(const plan::ResetCommand& command, CommandContext& context);
Result<RowSet> RunExplain(const plan::ExplainCommand& command, CommandContext& context);
// cache.cc
Result<RowSet> RunCache(const plan::CacheCommand& command, CommandContext& context);
Result<RowSet> RunUncache(const plan::UncacheCommand& command, CommandContext& context);
Result<RowSet> RunRefresh(const plan::RefreshCommand& command, CommandContext& context);
Result<RowSet> RunAnalyze(const plan::AnalyzeCommand& command, CommandContext& context);
Result<RowSet> RunCheckpoint(const plan::CheckpointCommand& command, CommandContext& context);
/// A table's or view's name in full, dotted, for the marks of CACHE TABLE. Error where there is none of that name.
Result<std::string> CachedName(const std::vector<std::string>& parts, CommandContext& context);
// variables.cc
Result<RowSet> RunVariable(const plan::VariableCommand& command, CommandContext& context);
Result<RowSet> RunExecuteImmediate(const plan::ExecuteImmediateCommand& command, CommandContext& context);
// scripting.cc
Result<RowSet> RunScript(const plan::ScriptCommand& command, CommandContext& context);
// functions.cc
Result<RowSet> RunFunctionDdl(const plan::FunctionDdlCommand& command, CommandContext& context);
Result<RowSet> ShowFunctions(const plan::ShowCommand& command, CommandContext& context);
Result<RowSet> DescribeFunction(const plan::DescribeCommand& command, CommandContext& context);

}  // namespace frazil::commands
