#include "frazil/commands/table_writer.h"

#include "frazil/analysis/predicate_extraction.h"
#include "frazil/base/text.h"

namespace frazil::commands {

Status CommitWrite(tables::TableWrite& write) {
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, write.Commit());
  if (outcome.state == tables::CommitState::kCommitted) return Status::Ok();
  Error error = Error::Plain(ExceptionClass::kSpark, "The commit lost to a concurrent one and nothing was changed: " + outcome.conflict + ". Run the statement again.");
  error.kind = ErrorKind::kConflict;
  return error;
}

Status WriteRows(const tables::Table& table, const tables::WriteOptions& options, const plan::LogicalPlanPtr& rows, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto write, table.StartWrite(options));
  auto files = context.engine().Write(rows, write->task(), context.execution());
  if (!files.ok()) {
    write->Abort();
    return std::move(files).error();
  }
  write->AddFiles(*std::move(files));
  return CommitWrite(*write);
}

std::map<std::string, std::string> LowerKeys(const std::map<std::string, std::string>& options) {
  std::map<std::string, std::string> lower;
  for (const auto& [key, value] : options) lower[AsciiLower(key)] = value;
  return lower;
}

Result<PredicatePtr> ExactFilter(const plan::ExprPtr& condition, const analysis::ResolvedTable& table, CommandContext& context) {
  std::vector<Attribute> columns;
  std::map<AttributeId, std::vector<std::string>> paths;
  for (const auto& field : table.table->schema()->fields()) {
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = field.name;
    attribute.type = field.type;
    attribute.nullable = field.nullable;
    attribute.qualifier = table.full_name;
    paths[attribute.id] = {field.name};
    columns.push_back(std::move(attribute));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto typed, analysis::AnalyzeCondition(condition, columns, context));
  auto extracted = analysis::ExtractPredicate(typed, paths);
  if (!extracted.exact) {
    return Error::Plain(ExceptionClass::kAnalysis, "Cannot convert the filter of the overwrite to one that the table understands: " + typed->sql);
  }
  return extracted.predicate;
}

bool IsDynamicOverwrite(const std::map<std::string, std::string>& options, const CommandContext& context) {
  auto option = options.find("overwrite-mode");
  if (option == options.end()) option = options.find("partitionoverwritemode");
  std::string mode = option != options.end() ? option->second : context.GetConfig("spark.sql.sources.partitionOverwriteMode").value_or("static");
  return EqualsIgnoreCase(mode, "dynamic");
}

}  // namespace frazil::commands
