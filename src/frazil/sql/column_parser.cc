// Columns and constraints of CREATE TABLE.

#include <algorithm>

#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

bool Parser::AtTableConstraint() const {
  if (At(Keyword::kConstraint)) {
    return IsIdentifier(1) && AtAny({Keyword::kCheck, Keyword::kUnique, Keyword::kPrimary, Keyword::kForeign}, 2);
  }
  if (AtAny({Keyword::kCheck, Keyword::kUnique})) return At(TokenType::kLeftParen, 1);
  return AtWords({Keyword::kPrimary, Keyword::kKey}) || AtWords({Keyword::kForeign, Keyword::kKey});
}

Status Parser::TableElements(plan::CreateTableCommand* command) {
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  do {
    if (AtTableConstraint()) {
      FRAZIL_ASSIGN_OR_RETURN(plan::TableConstraint constraint, Constraint(""));
      command->constraints.push_back(std::move(constraint));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(plan::ColumnDefinition column, ColumnDefinitionItem(command));
      command->columns.push_back(std::move(column));
    }
  } while (Accept(TokenType::kComma));
  return Expect(TokenType::kRightParen);
}

Result<plan::ColumnDefinition> Parser::ColumnDefinitionItem(plan::CreateTableCommand* command) {
  plan::ColumnDefinition column;
  FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
  column.name.push_back(std::move(name));
  FRAZIL_ASSIGN_OR_RETURN(column.type, Type());
  std::vector<std::string> seen;
  while (!AtListEnd()) FRAZIL_RETURN_IF_ERROR(ColumnOption(&column, &seen, command));
  return column;
}

Result<std::string> Parser::ExpressionText() {
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(const plan::ExprPtr expression, Expression());
  return SourceFrom(first);
}

/// One option behind a column's type. `command` takes the constraints; without it (functions) they are refused.
Status Parser::ColumnOption(plan::ColumnDefinition* column, std::vector<std::string>* seen,
                            plan::CreateTableCommand* command) {
  const size_t first = pos_;
  std::string clause;
  if ((At(Keyword::kNot) || At(TokenType::kBang)) && At(Keyword::kNull, 1)) {
    Skip(2);
    column->nullable = false;
    clause = "NOT NULL";
  } else if (Accept(Keyword::kDefault)) {
    FRAZIL_ASSIGN_OR_RETURN(column->default_text, ExpressionText());
    clause = "DEFAULT";
  } else if (At(Keyword::kGenerated)) {
    FRAZIL_RETURN_IF_ERROR(GeneratedColumn(column));
    clause = "GENERATED ALWAYS AS";
  } else if (Accept(Keyword::kComment)) {
    FRAZIL_ASSIGN_OR_RETURN(column->comment, StringLiteral());
    clause = "COMMENT";
  } else if (AtAny(
                 {Keyword::kConstraint, Keyword::kCheck, Keyword::kUnique, Keyword::kPrimary, Keyword::kReferences})) {
    FRAZIL_ASSIGN_OR_RETURN(plan::TableConstraint constraint, Constraint(column->name.front()));
    if (command == nullptr) return ErrorFrom(first, "INVALID_SQL_SYNTAX.CREATE_FUNC_WITH_COLUMN_CONSTRAINTS");
    command->constraints.push_back(std::move(constraint));
    return Status::Ok();
  } else {
    return SyntaxError();
  }
  if (std::find(seen->begin(), seen->end(), clause) != seen->end()) {
    return ErrorFrom(first, "CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE",
                     {{"columnName", QuoteIdentifier(column->name)}, {"optionName", clause}});
  }
  seen->push_back(std::move(clause));
  return Status::Ok();
}

Status Parser::GeneratedColumn(plan::ColumnDefinition* column) {
  const size_t first = pos_;
  Skip();
  const bool always = Accept(Keyword::kAlways);
  if (!always) FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kBy, Keyword::kDefault}));
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kAs));
  if (Accept(Keyword::kIdentity)) {
    const TypeId type = column->type->id();
    column->is_identity = true;
    column->identity_by_default = !always;
    if (At(TokenType::kLeftParen)) FRAZIL_RETURN_IF_ERROR(IdentityOptions(column));
    if (type != TypeId::kInteger && type != TypeId::kLong) {
      return ErrorFrom(first, "IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE",
                       {{"dataType", "\"" + column->type->Sql() + "\""}});
    }
    return Status::Ok();
  }
  if (!always) return SyntaxError();
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  FRAZIL_ASSIGN_OR_RETURN(column->generation_text, ExpressionText());
  return Expect(TokenType::kRightParen);
}

Status Parser::IdentityOptions(plan::ColumnDefinition* column) {
  const size_t first = pos_;
  Skip();
  bool has_start = false;
  bool has_step = false;
  const auto number = [&]() -> Result<int64_t> {
    const bool negative = Accept(TokenType::kMinus);
    if (At(TokenType::kBigint)) {
      const int64_t value = std::atoll(std::string(Peek().text).c_str());
      Skip();
      return negative ? -value : value;
    }
    FRAZIL_ASSIGN_OR_RETURN(const int64_t value, IntegerValue());
    return negative ? -value : value;
  };
  while (!Accept(TokenType::kRightParen)) {
    const bool is_start = AcceptWords({Keyword::kStart, Keyword::kWith});
    if (!is_start) FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kIncrement, Keyword::kBy}));
    bool& seen = is_start ? has_start : has_step;
    if (seen) {
      return ErrorFrom(first, "IDENTITY_COLUMNS_DUPLICATED_SEQUENCE_GENERATOR_OPTION",
                       {{"sequenceGeneratorOption", is_start ? "START" : "STEP"}});
    }
    seen = true;
    FRAZIL_ASSIGN_OR_RETURN((is_start ? column->identity_start : column->identity_step), number());
  }
  if (column->identity_step == 0) return ErrorFrom(first, "IDENTITY_COLUMNS_ILLEGAL_STEP");
  return Status::Ok();
}

Status Parser::ConstraintCharacteristics() {
  const size_t first = pos_;
  bool has_enforced = false;
  bool has_rely = false;
  while (true) {
    const bool is_not = AtWords({Keyword::kNot, Keyword::kEnforced});
    const bool enforced = is_not || At(Keyword::kEnforced);
    if (!enforced && !AtAny({Keyword::kRely, Keyword::kNorely})) return Status::Ok();
    bool& seen = enforced ? has_enforced : has_rely;
    Skip(is_not ? 2 : 1);
    if (seen) return ErrorFrom(first, "INVALID_CONSTRAINT_CHARACTERISTICS", {{"characteristics", SourceFrom(first)}});
    seen = true;
  }
}

/// A constraint of the table, or of `column` if that is not empty. The text is what stands in CHECK's parentheses, else
/// the constraint itself.
Result<plan::TableConstraint> Parser::Constraint(const std::string& column) {
  plan::TableConstraint constraint;
  if (Accept(Keyword::kConstraint)) {
    FRAZIL_ASSIGN_OR_RETURN(constraint.name, Identifier());
  }
  const size_t first = pos_;
  const bool of_column = !column.empty();
  if (Accept(Keyword::kCheck)) {
    constraint.type = "CHECK";
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
    FRAZIL_ASSIGN_OR_RETURN(constraint.text, ExpressionText());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  } else if (At(Keyword::kUnique) || AtWords({Keyword::kPrimary, Keyword::kKey})) {
    constraint.type = At(Keyword::kUnique) ? "UNIQUE" : "PRIMARY KEY";
    Skip(At(Keyword::kUnique) ? 1 : 2);
    if (of_column) {
      constraint.columns = {column};
    } else {
      FRAZIL_ASSIGN_OR_RETURN(constraint.columns, IdentifierList());
    }
    constraint.text = SourceFrom(first);
  } else {
    constraint.type = "FOREIGN KEY";
    if (of_column) {
      constraint.columns = {column};
    } else {
      FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kForeign, Keyword::kKey}));
      FRAZIL_ASSIGN_OR_RETURN(constraint.columns, IdentifierList());
    }
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kReferences));
    FRAZIL_ASSIGN_OR_RETURN(const Names table, MultipartIdentifier());
    if (At(TokenType::kLeftParen)) {
      FRAZIL_ASSIGN_OR_RETURN(const Names columns, IdentifierList());
    }
    constraint.text = SourceFrom(first);
  }
  FRAZIL_RETURN_IF_ERROR(ConstraintCharacteristics());
  return constraint;
}

}  // namespace frazil::sql
