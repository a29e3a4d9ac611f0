// Questions about commands that must leave the world as it is: AnalyzePlan of SQL text such as INSERT or DROP TABLE.
#include <map>

#include "frazil/analysis/analyzer.h"
#include "frazil/base/text.h"
#include "frazil/commands/row_level_answer.h"
#include "frazil/commands/run_command.h"
#include "frazil/plan/multi_insert.h"
#include "frazil/session/statement_context.h"

namespace frazil::session {

namespace {

RowSet NoRows(std::vector<StructField> fields = {}) { return {DataType::Struct(std::move(fields)), {}}; }

StructField Required(std::string name, DataTypePtr type) { return {std::move(name), std::move(type), false}; }

}  // namespace

Result<RowSet> StatementContext::AnalyzeCommand(const plan::Command& command) {
  using plan::CommandKind;
  // Rows of a relation inside a command are not asked for, but its errors are those of the command.
  const auto analyze = [this](const plan::PlanPtr& relation) -> Status {
    if (relation == nullptr) return Status::Ok();
    return analysis::AnalyzeRelation(relation, *this).status();
  };
  switch (command.command_kind) {
    case CommandKind::kShow:
    case CommandKind::kDescribe:
    case CommandKind::kExplain:
      return commands::RunCommand(command, *this);
    case CommandKind::kSet: {
      const auto& set = command.As<plan::SetCommand>();
      if (!set.is_time_zone && !set.value.has_value()) return commands::RunCommand(command, *this);
      return NoRows({Required("key", DataType::String()), Required("value", DataType::String())});
    }
    case CommandKind::kExecuteImmediate:
      // The statement inside comes back here through RunStatement; INTO would set variables.
      if (!command.As<plan::ExecuteImmediateCommand>().into.empty()) return NoRows();
      return commands::RunCommand(command, *this);
    case CommandKind::kInsert:
      FRAZIL_RETURN_IF_ERROR(analyze(command.As<plan::InsertCommand>().query));
      for (const auto& other : plan::OtherInserts(command.As<plan::InsertCommand>()))
        FRAZIL_RETURN_IF_ERROR(analyze(other->query));
      return NoRows();
    case CommandKind::kCreateTable:
      FRAZIL_RETURN_IF_ERROR(analyze(command.As<plan::CreateTableCommand>().query));
      return NoRows();
    case CommandKind::kMerge:
      FRAZIL_RETURN_IF_ERROR(analyze(command.As<plan::MergeCommand>().source));
      return commands::AnswerColumns(command, *this);
    case CommandKind::kDelete:
    case CommandKind::kUpdate:
      return commands::AnswerColumns(command, *this);
    case CommandKind::kCall:
      // What a procedure answers is known when it has run.
      return Error::Unsupported("The schema of CALL before it has run");
    case CommandKind::kMaintenance:
      return Error::Unsupported("The schema of OPTIMIZE, VACUUM, RESTORE or CONVERT before it has run");
    case CommandKind::kUnsupported:
      return commands::RunCommand(command, *this);
    default:
      return NoRows();
  }
}

}  // namespace frazil::session
