// SHOW and DESCRIBE.

#include "frazil/base/text.h"
#include "frazil/plan/describe_procedure.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

using plan::ShowCommand;

Status Parser::OptionalNamespace(ShowCommand* command) {
  if (!AtAny({Keyword::kFrom, Keyword::kIn})) return Status::Ok();
  Skip();
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  return Status::Ok();
}

Status Parser::OptionalPattern(ShowCommand* command) {
  if (At(Keyword::kLike)) {
    Skip();
  } else if (!AtStringLiteral()) {
    return Status::Ok();
  }
  FRAZIL_ASSIGN_OR_RETURN(command->pattern, StringLiteral());
  return Status::Ok();
}

Result<plan::PlanPtr> Parser::ShowWithNamespace(size_t first, ShowCommand::Type type) {
  auto command = std::make_shared<ShowCommand>();
  command->type = type;
  FRAZIL_RETURN_IF_ERROR(OptionalNamespace(command.get()));
  if (type != ShowCommand::Type::kProcedures) FRAZIL_RETURN_IF_ERROR(OptionalPattern(command.get()));
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::ShowFunctions(size_t first) {
  auto command = std::make_shared<ShowCommand>();
  command->type = ShowCommand::Type::kFunctions;
  if (!At(Keyword::kFunctions) || At(Keyword::kFunctions, 1)) {
    const size_t scope = pos_;
    command->scope = AsciiUpper(Peek().text);
    Skip();
    if (command->scope != "USER" && command->scope != "SYSTEM" && command->scope != "ALL") {
      return ErrorFrom(scope, "INVALID_SQL_SYNTAX.SHOW_FUNCTIONS_INVALID_SCOPE",
                       {{"scope", QuoteIdentifier(AsciiLower(command->scope))}});
    }
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFunctions));
  FRAZIL_RETURN_IF_ERROR(OptionalNamespace(command.get()));
  const bool has_like = Accept(Keyword::kLike);
  if (AtStringLiteral()) {
    FRAZIL_ASSIGN_OR_RETURN(command->pattern, StringLiteral());
  } else if (has_like || IsIdentifier()) {
    // The older form names the function without quotes.
    const size_t pattern = pos_;
    FRAZIL_ASSIGN_OR_RETURN(Names parts, MultipartIdentifier());
    if (command->name) {
      return ErrorFrom(pattern, "INVALID_SQL_SYNTAX.SHOW_FUNCTIONS_INVALID_PATTERN",
                       {{"pattern", QuoteIdentifier(parts)}});
    }
    command->pattern = parts.back();
    parts.pop_back();
    if (!parts.empty()) {
      command->name.emplace();
      command->name->parts = std::move(parts);
    }
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Show() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<ShowCommand>();
  const auto done = [&]() -> Result<plan::PlanPtr> {
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  };
  const auto take_name = [&](ShowCommand::Type type) -> Status {
    command->type = type;
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    return Status::Ok();
  };
  if (At(Keyword::kFunctions) || At(Keyword::kFunctions, 1)) return ShowFunctions(first);
  if (AtAny({Keyword::kNamespaces, Keyword::kDatabases, Keyword::kSchemas})) {
    Skip();
    return ShowWithNamespace(first, ShowCommand::Type::kNamespaces);
  }
  if (Accept(Keyword::kTables)) return ShowWithNamespace(first, ShowCommand::Type::kTables);
  if (Accept(Keyword::kViews)) return ShowWithNamespace(first, ShowCommand::Type::kViews);
  if (Accept(Keyword::kProcedures)) return ShowWithNamespace(first, ShowCommand::Type::kProcedures);
  if (Accept(Keyword::kCatalogs)) {
    command->type = ShowCommand::Type::kCatalogs;
    FRAZIL_RETURN_IF_ERROR(OptionalPattern(command.get()));
    return done();
  }
  if (AcceptWords({Keyword::kTable, Keyword::kExtended})) {
    command->type = ShowCommand::Type::kTableExtended;
    FRAZIL_RETURN_IF_ERROR(OptionalNamespace(command.get()));
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kLike));
    FRAZIL_ASSIGN_OR_RETURN(command->pattern, StringLiteral());
    FRAZIL_RETURN_IF_ERROR(OptionalPartition(&command->partition, true));
    return done();
  }
  if (Accept(Keyword::kTblproperties)) {
    FRAZIL_RETURN_IF_ERROR(take_name(ShowCommand::Type::kProperties));
    if (Accept(TokenType::kLeftParen)) {
      FRAZIL_ASSIGN_OR_RETURN(command->key, PropertyKey());
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    }
    return done();
  }
  if (Accept(Keyword::kColumns)) {
    if (!AtAny({Keyword::kFrom, Keyword::kIn})) return SyntaxError();
    Skip();
    FRAZIL_RETURN_IF_ERROR(take_name(ShowCommand::Type::kColumns));
    if (AtAny({Keyword::kFrom, Keyword::kIn})) {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->from, MultipartIdentifier());
    }
    return done();
  }
  if (Accept(Keyword::kPartitions)) {
    FRAZIL_RETURN_IF_ERROR(take_name(ShowCommand::Type::kPartitions));
    FRAZIL_RETURN_IF_ERROR(OptionalPartition(&command->partition, true));
    return done();
  }
  if (AcceptWords({Keyword::kCreate, Keyword::kTable})) {
    FRAZIL_RETURN_IF_ERROR(take_name(ShowCommand::Type::kCreateTable));
    if (AcceptWords({Keyword::kAs, Keyword::kSerde})) command->as_serde = true;
    return done();
  }
  if (At(Keyword::kCurrent) && AtNamespace(1)) {
    Skip(2);
    command->type = ShowCommand::Type::kCurrentNamespace;
    return done();
  }
  const bool is_hive = AtAny({Keyword::kGrant, Keyword::kRole, Keyword::kPrincipals, Keyword::kRoles,
                              Keyword::kCompactions, Keyword::kTransactions, Keyword::kIndexes, Keyword::kLocks}) ||
                       AtWords({Keyword::kCurrent, Keyword::kRoles});
  if (is_hive) {
    return InvalidStatement(first, "SHOW", AtAny({Keyword::kCurrent, Keyword::kRole}) ? 2 : 1);
  }
  return SyntaxError();
}

Result<plan::PlanPtr> Parser::Describe() {
  const size_t first = pos_;
  Skip();
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr of_log, DescribeLog(first));
  if (of_log != nullptr) return of_log;
  auto command = std::make_shared<plan::DescribeCommand>();
  const auto done = [&]() -> Result<plan::PlanPtr> {
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  };
  if (At(Keyword::kFunction) && !AtListEnd(1)) {
    Skip();
    command->type = plan::DescribeCommand::Type::kFunction;
    if (At(Keyword::kExtended) && !AtListEnd(1)) {
      Skip();
      command->extended = true;
    }
    if (AtStringLiteral()) {
      FRAZIL_ASSIGN_OR_RETURN(std::string name, StringLiteral());
      command->name.parts = {std::move(name)};
    } else if (IsIdentifier() || At(Keyword::kIdentifier)) {
      FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    } else if (!AtListEnd()) {
      // Operators: DESCRIBE FUNCTION +.
      command->name.parts = {std::string(Peek().text)};
      Skip();
    } else {
      return SyntaxError();
    }
    return done();
  }
  if (At(Keyword::kProcedure) && !AtListEnd(1)) {
    Skip();
    command = std::make_shared<plan::DescribeProcedureCommand>();
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    return done();
  }
  if (AtNamespace() && !AtListEnd(1) && !At(TokenType::kDot, 1)) {
    Skip();
    command->type = plan::DescribeCommand::Type::kNamespace;
    if (At(Keyword::kExtended) && !AtListEnd(1)) {
      Skip();
      command->extended = true;
    }
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    return done();
  }
  if (At(Keyword::kCatalog) && !AtListEnd(1) && IsIdentifier(1)) {
    Skip();
    command->type = plan::DescribeCommand::Type::kCatalog;
    command->extended = At(Keyword::kExtended) && !AtListEnd(1);
    if (command->extended) Skip();
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    return done();
  }
  const bool has_query_word = At(Keyword::kQuery) && (AtQueryStart(1) || AtParenthesizedQuery(1));
  const bool is_table_word = At(Keyword::kTable) && IsIdentifier(1) && !At(TokenType::kDot, 1);
  if (has_query_word || (!is_table_word && AtQueryStart()) || AtParenthesizedQuery()) {
    if (has_query_word) Skip();
    command->type = plan::DescribeCommand::Type::kQuery;
    FRAZIL_ASSIGN_OR_RETURN(command->query, Query());
    return done();
  }
  if (At(Keyword::kTable) && !AtListEnd(1) && !At(TokenType::kDot, 1)) Skip();
  if (AtAny({Keyword::kExtended, Keyword::kFormatted}) && !AtListEnd(1) && !At(TokenType::kDot, 1)) {
    command->extended = true;
    Skip();
  }
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  FRAZIL_RETURN_IF_ERROR(OptionalPartition(&command->partition, true));
  if (IsIdentifier() && !AtWords({Keyword::kAs, Keyword::kJson})) {
    command->type = plan::DescribeCommand::Type::kColumn;
    if (!command->partition.empty()) return ErrorFrom(first, "UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_PARTITION");
    FRAZIL_ASSIGN_OR_RETURN(command->column, MultipartIdentifier());
  }
  command->as_json = AcceptWords({Keyword::kAs, Keyword::kJson});
  if (command->as_json && command->type == plan::DescribeCommand::Type::kColumn) {
    return ErrorFrom(first, "UNSUPPORTED_FEATURE.DESC_TABLE_COLUMN_JSON");
  }
  if (command->as_json && !command->extended) {
    return ErrorFrom(first, "DESCRIBE_JSON_NOT_EXTENDED",
                     {{"tableName", command->name.parts.empty() ? "" : command->name.parts.back()}});
  }
  return done();
}

}  // namespace frazil::sql
