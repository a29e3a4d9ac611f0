// CREATE VIEW; property lists, which many statements share.

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<std::string> Parser::SchemaBinding() {
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kWith, Keyword::kSchema}));
  if (Accept(Keyword::kBinding)) return std::string("BINDING");
  if (Accept(Keyword::kCompensation)) return std::string("COMPENSATION");
  if (AcceptWords({Keyword::kType, Keyword::kEvolution})) return std::string("TYPE EVOLUTION");
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kEvolution));
  return std::string("EVOLUTION");
}

Result<plan::PlanPtr> Parser::CreateView(size_t first) {
  auto command = std::make_shared<plan::CreateViewCommand>();
  command->or_replace = AcceptWords({Keyword::kOr, Keyword::kReplace});
  const bool global = Accept(Keyword::kGlobal);
  const bool temporary = Accept(Keyword::kTemporary);
  if (global && !temporary) return SyntaxError();
  command->scope = global      ? plan::ViewScope::kGlobalTemporary
                   : temporary ? plan::ViewScope::kTemporary
                               : plan::ViewScope::kPersistent;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kView));
  FRAZIL_ASSIGN_OR_RETURN(command->if_not_exists, IfNotExists());
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  if (temporary) {
    // CREATE TEMPORARY VIEW v [(a INT)] USING format OPTIONS (...).
    const int match = At(TokenType::kLeftParen) ? Peek().match : -1;
    const bool using_follows =
        At(Keyword::kUsing) || (match >= 0 && At(Keyword::kUsing, static_cast<size_t>(match) + 1 - pos_));
    if (using_follows) return CreateViewUsing(std::move(command), first);
  }
  if (At(TokenType::kLeftParen)) {
    Skip();
    do {
      FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
      std::optional<std::string> comment;
      if (Accept(Keyword::kComment)) {
        FRAZIL_ASSIGN_OR_RETURN(comment, StringLiteral());
      }
      command->columns.emplace_back(std::move(name), std::move(comment));
    } while (Accept(TokenType::kComma));
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  }
  const auto duplicate = [&](const char* clause) {
    return ErrorFrom(first, "DUPLICATE_CLAUSES", {{"clauseName", clause}});
  };
  while (!At(Keyword::kAs)) {
    if (At(Keyword::kComment)) {
      if (command->comment) return duplicate("COMMENT");
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->comment, StringLiteral());
    } else if (AtWords({Keyword::kWith, Keyword::kSchema})) {
      if (command->schema_binding) return duplicate("WITH SCHEMA");
      FRAZIL_ASSIGN_OR_RETURN(command->schema_binding, SchemaBinding());
    } else if (AtWords({Keyword::kDefault, Keyword::kCollation})) {
      if (command->collation) return duplicate("DEFAULT COLLATION");
      FRAZIL_ASSIGN_OR_RETURN(command->collation, CollationClause());
    } else if (AtWords({Keyword::kPartitioned, Keyword::kOn})) {
      Skip(2);
      FRAZIL_ASSIGN_OR_RETURN(const Names columns, IdentifierList());
      return NotAllowed(first, "CREATE VIEW ... PARTITIONED ON");
    } else if (At(Keyword::kTblproperties)) {
      if (!command->properties.empty()) return duplicate("TBLPROPERTIES");
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->properties, PropertyList());
    } else {
      return SyntaxError();
    }
  }
  Skip();
  const size_t query_first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(command->query, Query());
  command->query_text = SourceFrom(query_first);
  if (command->or_replace && command->if_not_exists) {
    return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0052");
  }
  if (temporary) {
    if (command->if_not_exists) return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0053");
    if (command->name.parts.size() > 1) {
      return ErrorFrom(first, "TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS",
                       {{"actualName", QuoteIdentifier(command->name.parts)}});
    }
    if (command->schema_binding) return ErrorFrom(first, "UNSUPPORTED_FEATURE.TEMPORARY_VIEW_WITH_SCHEMA_BINDING_MODE");
    if (!command->properties.empty())
      return NotAllowed(first, "TBLPROPERTIES can't coexist with CREATE TEMPORARY VIEW");
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::CreateViewUsing(std::shared_ptr<plan::CreateViewCommand> command, size_t first) {
  if (command->if_not_exists) return NotAllowed(first, "CREATE TEMPORARY VIEW IF NOT EXISTS");
  if (Accept(TokenType::kLeftParen)) {
    FRAZIL_ASSIGN_OR_RETURN(const std::vector<StructField> fields, TypedColumns(false));
    for (const StructField& field : fields) {
      plan::ColumnDefinition column;
      column.name = {field.name};
      column.type = field.type;
      column.nullable = field.nullable;
      if (field.metadata.contains("comment")) column.comment = field.Comment();
      command->schema.push_back(std::move(column));
    }
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kUsing));
  FRAZIL_ASSIGN_OR_RETURN(const Names provider, MultipartIdentifier());
  command->provider = frazil::Join(provider, ".");
  if (Accept(Keyword::kOptions)) {
    FRAZIL_ASSIGN_OR_RETURN(const plan::Properties options, PropertyList());
    for (const auto& [key, value] : options) command->options[key] = value;
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

// --- properties ---------------------------------------------------------------------------------

Result<std::string> Parser::PropertyKey() {
  if (AtStringLiteral()) return StringLiteral(At(TokenType::kEqual, 1));
  FRAZIL_ASSIGN_OR_RETURN(const Names parts, MultipartIdentifier());
  return frazil::Join(parts, ".");
}

/// (key = value, key value, key): values are numbers, booleans and strings; without a value the text is empty.
Result<plan::Properties> Parser::PropertyList(bool values_required) {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  plan::Properties properties;
  do {
    FRAZIL_ASSIGN_OR_RETURN(std::string key, PropertyKey());
    const bool has_equal = Accept(TokenType::kEqual);
    std::string value;
    if (At(TokenType::kInteger) || At(TokenType::kDecimal)) {
      value = std::string(Peek().text);
      Skip();
    } else if (AtAny({Keyword::kTrue, Keyword::kFalse})) {
      value = AsciiLower(Peek().text);
      Skip();
    } else if (AtStringLiteral()) {
      FRAZIL_ASSIGN_OR_RETURN(value, StringLiteral());
    } else if (has_equal) {
      return SyntaxError();
    } else if (values_required) {
      return NotAllowed(first, "Values must be specified for key(s): [" + key + "]");
    }
    for (const auto& [other, ignored] : properties) {
      if (other == key) return ErrorFrom(first, "DUPLICATE_KEY", {{"keyColumn", QuoteIdentifier(key)}});
    }
    properties.emplace_back(std::move(key), std::move(value));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return properties;
}

/// As PropertyList, but values are any expressions; they must be constants, and their text is kept.
Result<plan::Properties> Parser::ExpressionPropertyList() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  plan::Properties properties;
  do {
    FRAZIL_ASSIGN_OR_RETURN(std::string key, PropertyKey());
    const bool has_equal = Accept(TokenType::kEqual);
    if (!has_equal && AtListEnd()) return NotAllowed(first, "A value must be specified for the key: " + key + ".");
    const size_t value_first = pos_;
    FRAZIL_ASSIGN_OR_RETURN(const plan::ExprPtr value, Expression());
    std::string text;
    if (value->kind == plan::ExprKind::kLiteral) {
      const auto& literal = value->As<plan::LiteralExpr>();
      const bool is_number = literal.type->IsNumeric();
      text = is_number ? SourceFrom(value_first) : ValueToString(*literal.type, literal.value, options_.time_zone);
    } else if (options_.fold_constant) {
      FRAZIL_ASSIGN_OR_RETURN(text, options_.fold_constant(value));
    } else {
      return ErrorFrom(value_first, "INVALID_SQL_SYNTAX.OPTION_IS_INVALID",
                       {{"key", key}, {"supported", "constant expressions"}});
    }
    for (const auto& [other, ignored] : properties) {
      if (other == key) return ErrorFrom(first, "DUPLICATE_KEY", {{"keyColumn", QuoteIdentifier(key)}});
    }
    properties.emplace_back(std::move(key), std::move(text));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return properties;
}

/// (key, key = value): the keys of UNSET.
Result<Parser::Names> Parser::PropertyKeyList() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  Names keys;
  do {
    FRAZIL_ASSIGN_OR_RETURN(std::string key, PropertyKey());
    if (At(TokenType::kEqual) || AtStringLiteral()) {
      return NotAllowed(first, "Values should not be specified for key(s): [" + key + "]");
    }
    keys.push_back(std::move(key));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return keys;
}

}  // namespace frazil::sql
