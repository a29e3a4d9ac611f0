#include "frazil/commands/delta_commands_internal.h"
#include "frazil/commands/rewrite_files.h"
#include "frazil/tables/feature_removal.h"

namespace frazil::commands {
namespace {

/// The table as its catalog has it now: within a statement names mean one state of it.
Result<analysis::ResolvedTable> Reload(analysis::ResolvedTable table, const plan::NameClause& name,
                                       CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveName(name, context));
  FRAZIL_ASSIGN_OR_RETURN(table.table, resolved.catalog->LoadTable(resolved.identifier));
  return table;
}

}  // namespace

Result<RowSet> RunDropFeature(const plan::DropFeatureCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.table, context));
  const auto* features = dynamic_cast<const tables::RemovesFeatures*>(table.table.get());
  if (features == nullptr) return Error::Of("DELTA_ONLY_OPERATION", {{"operation", "ALTER TABLE DROP FEATURE"}});
  FRAZIL_ASSIGN_OR_RETURN(auto traces, features->TurnOffFeature(command.feature, command.truncate_history));
  if (!traces.files.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto current, Reload(table, command.table, context));
    FRAZIL_ASSIGN_OR_RETURN(auto scan, current.table->Scan({}));
    tables::WriteOptions options;
    options.mode = tables::WriteMode::kRewriteFiles;
    options.operation = "rewrite";
    FRAZIL_RETURN_IF_ERROR(RewriteFiles(current, scan, {traces.files}, options, context).status());
  }
  FRAZIL_ASSIGN_OR_RETURN(auto clean, Reload(table, command.table, context));
  FRAZIL_RETURN_IF_ERROR(dynamic_cast<const tables::RemovesFeatures&>(*clean.table)
                             .RemoveFeature(command.feature, command.truncate_history, traces.found));
  return NoRows();
}

}  // namespace frazil::commands
