// Functions (CREATE FUNCTION, DROP FUNCTION), session variables, EXECUTE IMMEDIATE.

#include <set>

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<plan::PlanPtr> Parser::CreateFunction(size_t first, bool or_replace, bool temporary) {
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFunction));
  auto command = std::make_shared<plan::FunctionDdlCommand>();
  command->or_replace = or_replace;
  command->temporary = temporary;
  FRAZIL_ASSIGN_OR_RETURN(command->if_not_exists, IfNotExists());
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  if (or_replace && command->if_not_exists)
    return ErrorFrom(first, "INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE");
  if (temporary && command->if_not_exists)
    return ErrorFrom(first, "INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS");
  if (Accept(Keyword::kAs)) {
    FRAZIL_ASSIGN_OR_RETURN(command->class_name, StringLiteral());
    if (temporary && command->name.parts.size() > 2) {
      return ErrorFrom(first, "INVALID_SQL_SYNTAX.MULTI_PART_NAME",
                       {{"statement", "CREATE TEMPORARY FUNCTION"}, {"name", QuoteIdentifier(command->name.parts)}});
    }
    if (temporary && command->name.parts.size() == 2) {
      return ErrorFrom(first, "INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_DATABASE",
                       {{"database", QuoteIdentifier(command->name.parts[0])}});
    }
    if (Accept(Keyword::kUsing)) {
      do {
        if (!IsIdentifier()) return SyntaxError();
        FRAZIL_ASSIGN_OR_RETURN(const std::string kind, TakeIdentifier());
        FRAZIL_ASSIGN_OR_RETURN(const std::string path, StringLiteral());
      } while (Accept(TokenType::kComma));
    }
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  if (!At(TokenType::kRightParen)) {
    do {
      const size_t parameter_first = pos_;
      FRAZIL_ASSIGN_OR_RETURN(plan::ColumnDefinition parameter, ColumnDefinitionItem(nullptr));
      if (parameter.generation_text || parameter.is_identity) {
        return ErrorFrom(parameter_first, "INVALID_SQL_SYNTAX.CREATE_FUNC_WITH_GENERATED_COLUMNS_AS_PARAMETERS");
      }
      command->parameters.push_back(std::move(parameter));
    } while (Accept(TokenType::kComma));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  if (At(Keyword::kReturns) && !At(Keyword::kNull, 1)) {
    Skip();
    if (Accept(Keyword::kTable)) {
      command->returns_table = true;
      if (Accept(TokenType::kLeftParen)) {
        FRAZIL_ASSIGN_OR_RETURN(const std::vector<StructField> fields, TypedColumns(false));
        FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
        for (const StructField& field : fields) {
          plan::ColumnDefinition column;
          column.name = {field.name};
          column.type = field.type;
          column.nullable = field.nullable;
          if (field.metadata.contains("comment")) column.comment = field.Comment();
          command->return_columns.push_back(std::move(column));
        }
      }
    } else {
      FRAZIL_ASSIGN_OR_RETURN(command->return_type, Type());
    }
  }
  FRAZIL_RETURN_IF_ERROR(RoutineCharacteristics());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kReturn));
  const size_t body = pos_;
  if (AtQueryStart()) {
    FRAZIL_ASSIGN_OR_RETURN(command->body_query, Query());
  } else {
    FRAZIL_ASSIGN_OR_RETURN(command->body, Expression());
  }
  command->body_text = SourceFrom(body);
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

/// LANGUAGE SQL, DETERMINISTIC, COMMENT ..., each at most once.
Status Parser::RoutineCharacteristics() {
  const size_t first = pos_;
  Names seen;
  while (!At(Keyword::kReturn)) {
    std::string clause;
    if (Accept(Keyword::kLanguage)) {
      clause = "LANGUAGE";
      if (!At(Keyword::kSql)) {
        if (!IsIdentifier()) return SyntaxError();
        return NotAllowed(first, "Unsupported language for user defined functions: " + std::string(Peek().text));
      }
      Skip();
    } else if (Accept(Keyword::kSpecific)) {
      clause = "SPECIFIC";
      FRAZIL_ASSIGN_OR_RETURN(const std::string name, Identifier());
    } else if (Accept(Keyword::kDeterministic) || AcceptWords({Keyword::kNot, Keyword::kDeterministic})) {
      clause = "DETERMINISTIC";
    } else if (AcceptWords({Keyword::kNo, Keyword::kSql}) || AcceptWords({Keyword::kContains, Keyword::kSql}) ||
               AcceptWords({Keyword::kReads, Keyword::kSql, Keyword::kData}) ||
               AcceptWords({Keyword::kModifies, Keyword::kSql, Keyword::kData})) {
      clause = "SQL DATA ACCESS";
    } else if (AcceptWords({Keyword::kReturns, Keyword::kNull, Keyword::kOn, Keyword::kNull, Keyword::kInput}) ||
               AcceptWords({Keyword::kCalled, Keyword::kOn, Keyword::kNull, Keyword::kInput})) {
      clause = "NULL CALL";
    } else if (Accept(Keyword::kComment)) {
      clause = "COMMENT";
      FRAZIL_ASSIGN_OR_RETURN(const std::string comment, StringLiteral());
    } else if (AcceptWords({Keyword::kSql, Keyword::kSecurity, Keyword::kInvoker}) ||
               AcceptWords({Keyword::kSql, Keyword::kSecurity, Keyword::kDefiner})) {
      clause = "SQL SECURITY RIGHTS";
    } else {
      return SyntaxError();
    }
    for (const std::string& other : seen) {
      if (other == clause) return ErrorFrom(first, "DUPLICATE_CLAUSES", {{"clauseName", clause}});
    }
    seen.push_back(std::move(clause));
  }
  return Status::Ok();
}

Result<plan::PlanPtr> Parser::DropFunction(size_t first, bool temporary) {
  auto command = std::make_shared<plan::FunctionDdlCommand>();
  command->is_drop = true;
  command->temporary = temporary;
  FRAZIL_ASSIGN_OR_RETURN(command->if_exists, IfExists());
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  if (temporary && command->name.parts.size() > 1) {
    return ErrorFrom(first, "INVALID_SQL_SYNTAX.MULTI_PART_NAME",
                     {{"statement", "DROP TEMPORARY FUNCTION"}, {"name", QuoteIdentifier(command->name.parts)}});
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

// --- variables ----------------------------------------------------------------------------------

Result<plan::PlanPtr> Parser::DeclareVariable() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::VariableCommand>();
  command->or_replace = AcceptWords({Keyword::kOr, Keyword::kReplace});
  if (AtAny({Keyword::kVariable, Keyword::kVar}) && IsIdentifier(1)) Skip();
  do {
    FRAZIL_ASSIGN_OR_RETURN(plan::NameClause name, NameReference());
    if (name.identifier != nullptr) {
      command->name_identifiers.push_back(std::move(name.identifier));
    } else {
      command->names.push_back(std::move(name.parts));
    }
  } while (Accept(TokenType::kComma));
  if (!At(Keyword::kDefault) && !At(TokenType::kEqual) && !At(TokenType::kEnd) && !At(TokenType::kSemicolon)) {
    FRAZIL_ASSIGN_OR_RETURN(command->data_type, Type());
  }
  if (Accept(Keyword::kDefault) || Accept(TokenType::kEqual)) {
    const size_t value = pos_;
    FRAZIL_ASSIGN_OR_RETURN(command->value, Expression());
    command->value_text = SourceFrom(value);
  } else if (command->data_type == nullptr) {
    return ErrorFrom(first, "INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED");
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

/// SET VAR a = 1, b = DEFAULT; SET VAR (a, b) = (query).
Result<plan::PlanPtr> Parser::SetVariable(size_t first) {
  auto command = std::make_shared<plan::VariableCommand>();
  command->type = plan::VariableCommand::Type::kSet;
  if (Accept(TokenType::kLeftParen)) {
    FRAZIL_ASSIGN_OR_RETURN(command->names, MultipartIdentifierList());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kEqual));
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
    FRAZIL_ASSIGN_OR_RETURN(command->query, Query());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(const std::vector<plan::Assignment> assignments, Assignments());
    for (const plan::Assignment& assignment : assignments) {
      command->names.push_back(assignment.column->As<plan::AttributeExpr>().name);
      command->values.push_back(assignment.value);
    }
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::ExecuteImmediate() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kExecute, Keyword::kImmediate}));
  auto command = std::make_shared<plan::ExecuteImmediateCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->query, Expression());
  if (Accept(Keyword::kInto)) {
    FRAZIL_ASSIGN_OR_RETURN(command->into, MultipartIdentifierList());
  }
  if (Accept(Keyword::kUsing)) {
    // The parentheses around the whole list mean nothing; those of a single value belong to it.
    const int match = At(TokenType::kLeftParen) ? Peek().match : -1;
    const bool parens = match >= 0 && !AtParenthesizedQuery() &&
                        (At(TokenType::kEnd, static_cast<size_t>(match) + 1 - pos_) ||
                         At(TokenType::kSemicolon, static_cast<size_t>(match) + 1 - pos_));
    if (parens) Skip();
    FRAZIL_ASSIGN_OR_RETURN(command->arguments, NamedExpressionList());
    if (parens) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    std::set<std::string> seen;
    std::string duplicates;
    for (const plan::ExprPtr& argument : command->arguments) {
      if (argument->kind != plan::ExprKind::kAlias) continue;
      const std::string& name = argument->As<plan::AliasExpr>().names.front();
      if (!seen.insert(name).second) duplicates += (duplicates.empty() ? "" : ", ") + QuoteIdentifier(name);
    }
    if (!duplicates.empty())
      return ErrorFrom(first, "EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES", {{"aliases", duplicates}});
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

}  // namespace frazil::sql
