// What Delta Lake adds to SQL. Source: delta-io/delta, DeltaSqlBase.g4. None of the words is reserved: a statement that
// cannot begin so otherwise is one of these.

#include <cstdlib>

#include "frazil/base/integer_text.h"
#include "frazil/plan/delta_command.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<plan::NameClause> Parser::TableOrPath() {
  if (!AtStringLiteral()) return NameReference();
  plan::NameClause name;
  FRAZIL_ASSIGN_OR_RETURN(std::string path, StringLiteral(false));
  name.parts = {"delta", std::move(path)};
  return name;
}

Result<plan::PlanPtr> Parser::DescribeLog(size_t first) {
  bool is_history = AtText("HISTORY");
  if ((!is_history && !AtText("DETAIL")) || AtListEnd(1) || At(TokenType::kDot, 1)) return plan::PlanPtr();
  Skip();
  auto command = std::make_shared<plan::DescribeCommand>();
  command->type = is_history ? plan::DescribeCommand::Type::kHistory : plan::DescribeCommand::Type::kDetail;
  FRAZIL_ASSIGN_OR_RETURN(command->name, TableOrPath());
  if (is_history && Accept(Keyword::kLimit)) {
    FRAZIL_ASSIGN_OR_RETURN(command->limit, IntegerValue());
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::CreateClone(std::shared_ptr<plan::CreateTableCommand> command, size_t first) {
  if (AtText("DEEP")) return ErrorFrom(first, "DELTA_UNSUPPORTED_DEEP_CLONE");
  Skip(2);
  FRAZIL_ASSIGN_OR_RETURN(command->clone_of, NameReference());
  FRAZIL_ASSIGN_OR_RETURN(std::optional<plan::TimeTravel> travel, TemporalClause());
  if (travel && travel->version) {
    command->clone_version = ParseInteger<int64_t>(*travel->version);
    if (!command->clone_version) return ErrorFrom(first, "DELTA_VERSION_INVALID", {{"version", *travel->version}});
  } else if (travel) {
    command->clone_timestamp = travel->timestamp;
  }
  std::vector<std::string> seen;
  HiveFormat format;
  while (AtAny({Keyword::kLocation, Keyword::kTblproperties})) {
    FRAZIL_ASSIGN_OR_RETURN(const bool taken, TableClause(command.get(), &seen, &format));
    if (!taken) return SyntaxError();
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::ConvertToDelta(size_t first) {
  Skip(3);
  auto command = std::make_shared<plan::MaintenanceCommand>();
  command->type = plan::MaintenanceCommand::Type::kConvert;
  FRAZIL_ASSIGN_OR_RETURN(command->table, NameReference());
  // Statistics are not made of files that are there.
  if (At(Keyword::kNo) && AtText("STATISTICS", 1)) Skip(2);
  if (AcceptWords({Keyword::kPartitioned, Keyword::kBy})) {
    plan::CreateTableCommand columns;
    FRAZIL_RETURN_IF_ERROR(TableElements(&columns));
    command->partition_columns = std::move(columns.columns);
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::GenerateManifest(size_t first) {
  Skip();
  FRAZIL_RETURN_IF_ERROR(ExpectText("symlink_format_manifest"));
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFor));
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kTable));
  auto command = std::make_shared<plan::MaintenanceCommand>();
  command->type = plan::MaintenanceCommand::Type::kGenerateManifest;
  FRAZIL_ASSIGN_OR_RETURN(command->table, TableOrPath());
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Reorganize(size_t first) {
  Skip(2);
  auto command = std::make_shared<plan::OptimizeCommand>();
  command->purges = true;
  FRAZIL_ASSIGN_OR_RETURN(command->table, TableOrPath());
  FRAZIL_RETURN_IF_ERROR(PartitionCondition(command.get()));
  FRAZIL_RETURN_IF_ERROR(ExpectText("APPLY"));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  if (AtText("UPGRADE")) return UnsupportedRest("REORG TABLE ... APPLY (UPGRADE UNIFORM ...)");
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kPurge));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::CheckFiles(size_t first) {
  Skip(3);
  auto command = std::make_shared<plan::CheckFilesCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->table, TableOrPath());
  if (AcceptText("DRY")) {
    FRAZIL_RETURN_IF_ERROR(ExpectText("RUN"));
    command->dry_run = true;
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Status Parser::PartitionCondition(plan::MaintenanceCommand* command) {
  if (!Accept(Keyword::kWhere)) return {};
  const size_t from = pos_;
  FRAZIL_ASSIGN_OR_RETURN(command->condition, Expression());
  command->condition_text = SourceFrom(from);
  return {};
}

Result<plan::PlanPtr> Parser::Maintenance() {
  using Type = plan::MaintenanceCommand::Type;
  const size_t first = pos_;
  if (AtText("CONVERT") && At(Keyword::kTo, 1) && AtText("DELTA", 2)) return ConvertToDelta(first);
  if (AtText("GENERATE") && At(Keyword::kFor, 2) && At(Keyword::kTable, 3)) return GenerateManifest(first);
  if (AtText("REORG") && At(Keyword::kTable, 1)) return Reorganize(first);
  if (AtText("FSCK") && At(Keyword::kRepair, 1) && At(Keyword::kTable, 2)) return CheckFiles(first);
  const bool is_optimize = AtText("OPTIMIZE"), is_vacuum = AtText("VACUUM"), is_restore = AtText("RESTORE");
  if ((!is_optimize && !is_vacuum && !is_restore) || AtListEnd(1)) return plan::PlanPtr();
  Skip();
  const auto optimize = std::make_shared<plan::OptimizeCommand>();
  std::shared_ptr<plan::MaintenanceCommand> command = optimize;
  if (!is_optimize) command = std::make_shared<plan::MaintenanceCommand>();
  command->type = is_optimize ? Type::kOptimize : is_vacuum ? Type::kVacuum : Type::kRestore;
  if (is_restore && At(Keyword::kTable) && !At(TokenType::kDot, 1)) Skip();
  FRAZIL_ASSIGN_OR_RETURN(command->table, TableOrPath());
  if (is_optimize) {
    optimize->full = AcceptText("FULL");
    FRAZIL_RETURN_IF_ERROR(PartitionCondition(command.get()));
    if (AcceptText("ZORDER")) {
      FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kBy));
      const bool in_parentheses = Accept(TokenType::kLeftParen);
      do {
        FRAZIL_ASSIGN_OR_RETURN(Names column, MultipartIdentifier());
        command->order_by.push_back(std::move(column));
      } while (Accept(TokenType::kComma));
      if (in_parentheses) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    }
  } else if (is_vacuum) {
    while (!AtListEnd()) {
      if (AcceptText("RETAIN")) {
        if (!AtNumber()) return SyntaxError();
        command->retain_hours = std::strtod(std::string(Peek().text).c_str(), nullptr);
        Skip();
        FRAZIL_RETURN_IF_ERROR(ExpectText("HOURS"));
      } else if (AcceptText("DRY")) {
        FRAZIL_RETURN_IF_ERROR(ExpectText("RUN"));
        command->dry_run = true;
      } else if (AcceptText("LITE")) {
        command->lite = true;
      } else if (At(Keyword::kUsing)) {
        return UnsupportedRest("VACUUM ... USING INVENTORY");
      } else if (!AcceptText("FULL")) {
        return SyntaxError();
      }
    }
  } else {
    Accept(Keyword::kTo);
    FRAZIL_ASSIGN_OR_RETURN(std::optional<plan::TimeTravel> travel, TemporalClause());
    if (!travel) return SyntaxError();
    if (travel->version) {
      command->version = ParseInteger<int64_t>(*travel->version);
      if (!command->version) return ErrorFrom(first, "DELTA_VERSION_INVALID", {{"version", *travel->version}});
    }
    command->timestamp = travel->timestamp;
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

}  // namespace frazil::sql
