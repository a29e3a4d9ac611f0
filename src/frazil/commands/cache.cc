#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/view_names.h"
#include "frazil/plan/make_logical.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

namespace {

/// A table or view that must exist.
Status CheckRelation(const std::vector<std::string>& parts, CommandContext& context) {
  auto named = std::make_shared<plan::NamedTablePlan>();
  named->name = parts;
  return analysis::AnalyzeRelation(named, context).status();
}

}  // namespace

Result<std::string> CachedName(const std::vector<std::string>& parts, CommandContext& context) {
  FRAZIL_RETURN_IF_ERROR(CheckRelation(parts, context));
  if (parts.size() == 1 && context.FindTempView(parts[0]).has_value()) return AsciiLower(parts[0]);
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, analysis::ResolveIdentifier(parts, context));
  return AsciiLower(catalogs::DottedName(*resolved.catalog, resolved.identifier));
}

Result<RowSet> RunCache(const plan::CacheCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  if (command.query == nullptr) {
    // The engine reads files through its own buffers: a cached table answers the same rows, so the statement only
    // checks the name.
    FRAZIL_ASSIGN_OR_RETURN(auto name, CachedName(parts, context));
    context.MarkCached(name, true);
    return NoRows();
  }
  if (parts.size() != 1)
    return Error::Of("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", {{"actualName", QuoteIdentifier(parts)}});
  if (context.FindTempView(parts[0]).has_value()) {
    return Error::Of("TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(parts)}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(command.query, context));
  analysis::TempView view;
  view.plan = command.query;
  view.current_catalog = context.current_catalog();
  view.current_namespace = context.current_namespace();
  view.schema = plan::OutputSchema(*analyzed);
  context.PutTempView(parts[0], std::move(view), false);
  context.MarkCached(AsciiLower(parts[0]), true);
  return NoRows();
}

Result<RowSet> RunUncache(const plan::UncacheCommand& command, CommandContext& context) {
  if (command.all) {
    context.ClearCached();
    return NoRows();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  auto name = CachedName(parts, context);
  if (!name.ok()) {
    if (command.if_exists) return NoRows();
    return std::move(name).error();
  }
  context.MarkCached(*name, false);
  return NoRows();
}

Result<RowSet> RunRefresh(const plan::RefreshCommand& command, CommandContext& context) {
  // Every statement reads the newest state; only the name is checked.
  if (command.path.has_value()) return NoRows();
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  if (command.is_function) {
    if (!context.FindSqlFunction(parts).has_value())
      return Error::Of("ROUTINE_NOT_FOUND", {{"routineName", QuoteIdentifier(parts)}});
    return NoRows();
  }
  FRAZIL_RETURN_IF_ERROR(CheckRelation(parts, context));
  return NoRows();
}

Result<RowSet> RunAnalyze(const plan::AnalyzeCommand& command, CommandContext& context) {
  if (command.all_tables) return NoRows();
  const ViewRefusal refusal{"ANALYZE TABLE", "UNSUPPORTED_FEATURE.ANALYZE_VIEW", "EXPECT_PERMANENT_VIEW_NOT_TEMP"};
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.name, refusal, context));
  for (const auto& column : command.columns) {
    if (table.table->schema()->FieldIndex(column) < 0) {
      return Error::Of("COLUMN_NOT_FOUND",
                       {{"colName", QuoteIdentifier(column)}, {"caseSensitiveConfig", "\"spark.sql.caseSensitive\""}});
    }
  }
  if (table.table->provider() == "iceberg") {
    return Error::Of(ExceptionClass::kAnalysis, "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", {{"cmd", "ANALYZE TABLE"}});
  }
  return NoRows();
}

Result<RowSet> RunCheckpoint(const plan::CheckpointCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto analyzed, analysis::AnalyzeRelation(command.input, context));
  analysis::CachedRelation relation{analyzed};
  if (command.eager) {
    FRAZIL_ASSIGN_OR_RETURN(relation.plan, engine::Materialize(context.engine(), analyzed, context.execution()));
  }
  return TextRows({"relation_id"}, {{context.PutCachedRelation(std::move(relation))}});
}

}  // namespace frazil::commands
