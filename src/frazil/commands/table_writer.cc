#include "frazil/commands/table_writer.h"

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

}  // namespace frazil::commands
