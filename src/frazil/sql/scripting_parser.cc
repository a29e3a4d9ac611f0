// SQL scripts: BEGIN ... END with declarations, handlers, branches and loops.
// https://spark.apache.org/docs/latest/sql-ref-scripting.html

#include <algorithm>
#include <cctype>

#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/plan/script.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {
namespace {

using plan::ScriptNode;

bool IsForbiddenLabel(const std::string& label) {
  return label == "builtin" || label == "session" || label == "sys" || label == "system";
}

bool IsSqlState(const std::string& state) {
  const bool well_formed = state.size() == 5 && std::all_of(state.begin(), state.end(), [](char c) {
                             return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
                           });
  return well_formed && !state.starts_with("00") && !state.starts_with("01") && !state.starts_with("XX");
}

}  // namespace

Result<plan::PlanPtr> Parser::Script() {
  const size_t first = pos_;
  auto command = std::make_shared<plan::ScriptCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->block, ScriptBlock(""));
  command->text = SourceFrom(first);
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

/// Notes the label, or the variable of a FOR, as long as the statement is read that it belongs to.
Status Parser::OpenLabel(const std::string& label, bool is_loop) {
  const std::string lower = AsciiLower(label);
  if (IsForbiddenLabel(lower))
    return Error::Of("LABEL_OR_FOR_VARIABLE_NAME_FORBIDDEN", {{"label", QuoteIdentifier(lower)}});
  for (const auto& open : script_labels_) {
    if (open.name == lower)
      return Error::Of("LABEL_OR_FOR_VARIABLE_ALREADY_EXISTS", {{"label", QuoteIdentifier(lower)}});
  }
  script_labels_.push_back({lower, is_loop});
  return {};
}

/// The label behind END ...: that of the beginning, or none.
Status Parser::CloseLabel(const std::string& label) {
  if (!IsStrictIdentifier()) return {};
  FRAZIL_ASSIGN_OR_RETURN(const std::string end, Identifier());
  if (label.empty())
    return Error::Of("END_LABEL_WITHOUT_BEGIN_LABEL", {{"endLabel", QuoteIdentifier(AsciiLower(end))}});
  if (EqualsIgnoreCase(label, end)) return {};
  return Error::Of("LABELS_MISMATCH", {{"beginLabel", QuoteIdentifier(AsciiLower(label))},
                                       {"endLabel", QuoteIdentifier(AsciiLower(end))}});
}

bool Parser::AtBodyEnd() const {
  return At(TokenType::kEnd) ||
         AtAny({Keyword::kEnd, Keyword::kElse, Keyword::kElseif, Keyword::kUntil, Keyword::kWhen});
}

/// One statement at least, each with its semicolon.
Result<plan::ScriptBody> Parser::ScriptBodyOf(bool takes_declarations, ScriptNode* block) {
  plan::ScriptBody body;
  // What may still be declared: first variables and conditions, then handlers.
  enum class Part { kVariables, kHandlers, kStatements };
  Part part = Part::kVariables;
  do {
    const bool is_declaration = At(Keyword::kDeclare);
    if (is_declaration && AtAny({Keyword::kExit, Keyword::kContinue}, 1) && At(Keyword::kHandler, 2)) {
      if (!takes_declarations || part == Part::kStatements)
        return Error::Of("INVALID_HANDLER_DECLARATION.WRONG_PLACE_OF_DECLARATION");
      part = Part::kHandlers;
      FRAZIL_RETURN_IF_ERROR(DeclareHandler(block));
    } else if (is_declaration && IsStrictIdentifier(1) && At(Keyword::kCondition, 2)) {
      FRAZIL_RETURN_IF_ERROR(DeclareCondition(takes_declarations && part == Part::kVariables, block));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(auto statement, ScriptStatement());
      const auto* variable = statement->kind == ScriptNode::Kind::kStatement
                                 ? dynamic_cast<const plan::VariableCommand*>(statement->statement.get())
                                 : nullptr;
      const bool declares = variable != nullptr && variable->type == plan::VariableCommand::Type::kDeclare;
      if (declares && (!takes_declarations || part != Part::kVariables)) {
        const std::string name = variable->names.empty() ? "" : QuoteIdentifier(variable->names.front());
        return Error::Of(takes_declarations ? "INVALID_VARIABLE_DECLARATION.ONLY_AT_BEGINNING"
                                            : "INVALID_VARIABLE_DECLARATION.NOT_ALLOWED_IN_SCOPE",
                         {{"varName", name}});
      }
      if (!declares) part = Part::kStatements;
      body.push_back(std::move(statement));
    }
    if (!At(TokenType::kSemicolon) && !At(TokenType::kEnd)) return SyntaxErrorAt(pos_, ": missing ';'");
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kSemicolon));
    if (At(TokenType::kSemicolon)) return SyntaxErrorAt(pos_, ": extra input ';'");
  } while (!AtBodyEnd());
  return body;
}

/// BEGIN [NOT ATOMIC] ... END [label]
Result<plan::ScriptNodePtr> Parser::ScriptBlock(const std::string& label) {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  const size_t first = pos_;
  auto block = std::make_shared<ScriptNode>();
  block->kind = ScriptNode::Kind::kBlock;
  block->label = label.empty() ? RandomUuidText() : AsciiLower(label);
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kBegin));
  AcceptWords({Keyword::kNot, Keyword::kAtomic});
  if (!At(Keyword::kEnd)) {
    FRAZIL_ASSIGN_OR_RETURN(block->body, ScriptBodyOf(true, block.get()));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kEnd));
  // The script itself has no label.
  if (first > 0) FRAZIL_RETURN_IF_ERROR(CloseLabel(label));
  block->origin = OriginFrom(first);
  return plan::ScriptNodePtr(std::move(block));
}

Status Parser::DeclareCondition(bool is_allowed, ScriptNode* block) {
  Skip();
  FRAZIL_ASSIGN_OR_RETURN(const std::string name, Identifier());
  Skip();
  const bool is_plain =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!is_plain) {
    return Error::Of("INVALID_ERROR_CONDITION_DECLARATION.SPECIAL_CHARACTER_FOUND",
                     {{"conditionName", QuoteIdentifier(AsciiLower(name))}});
  }
  const std::string upper = AsciiUpper(name);
  if (!is_allowed) {
    return Error::Of("INVALID_ERROR_CONDITION_DECLARATION.NOT_AT_START_OF_COMPOUND_STATEMENT",
                     {{"conditionName", QuoteIdentifier(upper)}});
  }
  std::string state = "45000";
  if (Accept(Keyword::kFor)) {
    FRAZIL_ASSIGN_OR_RETURN(state, SqlState());
  }
  if (!block->conditions.emplace(upper, state).second)
    return Error::Of("DUPLICATE_CONDITION_IN_SCOPE", {{"condition", QuoteIdentifier(upper)}});
  return {};
}

/// SQLSTATE [VALUE] 'state'
Result<std::string> Parser::SqlState() {
  if (!At(Keyword::kSqlstate)) return SyntaxErrorAt(pos_, ": missing 'SQLSTATE'");
  Skip();
  Accept(Keyword::kValue);
  FRAZIL_ASSIGN_OR_RETURN(const std::string state, StringLiteral());
  const std::string upper = AsciiUpper(state);
  if (!IsSqlState(upper)) return Error::Of("INVALID_SQLSTATE", {{"sqlState", state}});
  return upper;
}

Status Parser::DeclareHandler(ScriptNode* block) {
  Skip();
  plan::ScriptHandler handler;
  handler.goes_on = At(Keyword::kContinue);
  Skip(2);
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFor));
  do {
    if (At(Keyword::kSqlstate)) {
      FRAZIL_ASSIGN_OR_RETURN(auto state, SqlState());
      if (std::find(handler.states.begin(), handler.states.end(), state) != handler.states.end()) {
        return Error::Of("INVALID_HANDLER_DECLARATION.DUPLICATE_SQLSTATE_IN_HANDLER_DECLARATION",
                         {{"sqlState", state}});
      }
      handler.states.push_back(std::move(state));
    } else if (AcceptWords({Keyword::kNot, Keyword::kFound})) {
      handler.not_found = true;
    } else if (Accept(Keyword::kSqlexception)) {
      handler.any_error = true;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(const Names parts, MultipartIdentifier());
      auto condition = AsciiUpper(frazil::Join(parts, "."));
      auto& known = handler.conditions;
      if (std::find(known.begin(), known.end(), condition) != known.end()) {
        return Error::Of("INVALID_HANDLER_DECLARATION.DUPLICATE_CONDITION_IN_HANDLER_DECLARATION",
                         {{"condition", condition}});
      }
      known.push_back(std::move(condition));
    }
  } while (Accept(TokenType::kComma));
  const bool names_some = !handler.conditions.empty() || !handler.states.empty();
  if (names_some && (handler.any_error || handler.not_found))
    return Error::Of("INVALID_HANDLER_DECLARATION.INVALID_CONDITION_COMBINATION");
  if (At(Keyword::kBegin)) {
    FRAZIL_ASSIGN_OR_RETURN(handler.body, ScriptBlock(""));
  } else {
    auto body = std::make_shared<ScriptNode>();
    body->kind = ScriptNode::Kind::kBlock;
    body->label = RandomUuidText();
    FRAZIL_ASSIGN_OR_RETURN(auto statement, ScriptStatement());
    body->body.push_back(std::move(statement));
    handler.body = std::move(body);
  }
  block->handlers.push_back(std::move(handler));
  return {};
}

Result<plan::ScriptNodePtr> Parser::ScriptStatement() {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  std::string label;
  if (IsStrictIdentifier() && At(TokenType::kColon, 1)) {
    FRAZIL_ASSIGN_OR_RETURN(label, Identifier());
    Skip();
    if (!AtAny({Keyword::kBegin, Keyword::kWhile, Keyword::kRepeat, Keyword::kLoop, Keyword::kFor}))
      return SyntaxError();
  }
  const size_t labels = script_labels_.size();
  const bool is_loop = AtAny({Keyword::kWhile, Keyword::kRepeat, Keyword::kLoop, Keyword::kFor});
  if (!label.empty()) FRAZIL_RETURN_IF_ERROR(OpenLabel(label, is_loop));
  auto statement = is_loop ? ScriptLoop(label) : ScriptStep(label);
  script_labels_.resize(labels);
  return statement;
}

Result<plan::ScriptNodePtr> Parser::ScriptStep(const std::string& label) {
  const size_t first = pos_;
  auto node = std::make_shared<ScriptNode>();
  switch (Peek().keyword) {
    case Keyword::kBegin:
      return ScriptBlock(label);
    case Keyword::kIf:
      return ScriptIf();
    case Keyword::kCase:
      return ScriptCase();
    case Keyword::kLeave:
    case Keyword::kIterate: {
      const bool leaves = At(Keyword::kLeave);
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(const Names parts, MultipartIdentifier());
      const std::string shown = AsciiUpper(frazil::Join(parts, "."));
      if (parts.size() > 1) return Error::Of("INVALID_LABEL_USAGE.QUALIFIED_LABEL_NAME", {{"labelName", shown}});
      node->kind = leaves ? ScriptNode::Kind::kLeave : ScriptNode::Kind::kIterate;
      node->label = AsciiLower(parts[0]);
      const auto open = std::find_if(script_labels_.begin(), script_labels_.end(),
                                     [&](const ScriptLabel& known) { return known.name == node->label; });
      if (open == script_labels_.end()) {
        return Error::Of("INVALID_LABEL_USAGE.DOES_NOT_EXIST",
                         {{"labelName", shown}, {"statementType", leaves ? "LEAVE" : "ITERATE"}});
      }
      if (!leaves && !open->is_loop)
        return Error::Of("INVALID_LABEL_USAGE.ITERATE_IN_COMPOUND", {{"labelName", shown}});
      break;
    }
    case Keyword::kSet: {
      // Of variables alone: settings are not set in scripts.
      if (!IsIdentifier(1) && !At(TokenType::kLeftParen, 1)) return SyntaxErrorAt(pos_ + 1);
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(node->statement, SetVariable(first));
      break;
    }
    default: {
      FRAZIL_ASSIGN_OR_RETURN(node->statement, Statement());
      break;
    }
  }
  node->origin = OriginFrom(first);
  return plan::ScriptNodePtr(std::move(node));
}

Result<ScriptNode::Branch> Parser::ScriptCondition() {
  ScriptNode::Branch branch;
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(branch.condition, Expression());
  branch.text = AsciiUpper(SourceFrom(first));
  return branch;
}

Result<plan::ScriptNodePtr> Parser::ScriptIf() {
  const size_t first = pos_;
  auto node = std::make_shared<ScriptNode>();
  node->kind = ScriptNode::Kind::kIf;
  do {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(auto branch, ScriptCondition());
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kThen));
    FRAZIL_ASSIGN_OR_RETURN(branch.body, ScriptBodyOf(false, nullptr));
    node->branches.push_back(std::move(branch));
  } while (At(Keyword::kElseif));
  if (Accept(Keyword::kElse)) {
    FRAZIL_ASSIGN_OR_RETURN(node->body, ScriptBodyOf(false, nullptr));
  }
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kEnd, Keyword::kIf}));
  node->origin = OriginFrom(first);
  return plan::ScriptNodePtr(std::move(node));
}

/// CASE WHEN condition THEN ..., or CASE value WHEN value THEN ..., which compares.
Result<plan::ScriptNodePtr> Parser::ScriptCase() {
  const size_t first = pos_;
  Skip();
  auto node = std::make_shared<ScriptNode>();
  node->kind = ScriptNode::Kind::kIf;
  plan::ExprPtr value;
  if (!At(Keyword::kWhen)) {
    FRAZIL_ASSIGN_OR_RETURN(value, Expression());
  }
  do {
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kWhen));
    const size_t condition = pos_;
    FRAZIL_ASSIGN_OR_RETURN(auto branch, ScriptCondition());
    if (value != nullptr) {
      // NULL is equal to nothing, as in an expression.
      const auto literal = [&](bool is) { return plan::MakeLiteralExpr(DataType::Boolean(), Value(is)); };
      branch.condition = Operator(condition, "=", {value, branch.condition});
      branch.condition = plan::MakeFunctionExpr("coalesce", {std::move(branch.condition), literal(false)});
    }
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kThen));
    FRAZIL_ASSIGN_OR_RETURN(branch.body, ScriptBodyOf(false, nullptr));
    node->branches.push_back(std::move(branch));
  } while (At(Keyword::kWhen));
  if (Accept(Keyword::kElse)) {
    FRAZIL_ASSIGN_OR_RETURN(node->body, ScriptBodyOf(false, nullptr));
  }
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kEnd, Keyword::kCase}));
  node->origin = OriginFrom(first);
  return plan::ScriptNodePtr(std::move(node));
}

Result<plan::ScriptNodePtr> Parser::ScriptLoop(const std::string& label) {
  const size_t first = pos_;
  auto node = std::make_shared<ScriptNode>();
  node->label = label.empty() ? RandomUuidText() : AsciiLower(label);
  const Keyword keyword = Peek().keyword;
  Skip();
  switch (keyword) {
    case Keyword::kWhile: {
      node->kind = ScriptNode::Kind::kWhile;
      FRAZIL_ASSIGN_OR_RETURN(auto branch, ScriptCondition());
      FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kDo));
      FRAZIL_ASSIGN_OR_RETURN(branch.body, ScriptBodyOf(false, nullptr));
      node->branches.push_back(std::move(branch));
      break;
    }
    case Keyword::kRepeat: {
      node->kind = ScriptNode::Kind::kRepeat;
      FRAZIL_ASSIGN_OR_RETURN(auto body, ScriptBodyOf(false, nullptr));
      FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kUntil));
      FRAZIL_ASSIGN_OR_RETURN(auto branch, ScriptCondition());
      branch.body = std::move(body);
      node->branches.push_back(std::move(branch));
      break;
    }
    case Keyword::kLoop: {
      node->kind = ScriptNode::Kind::kLoop;
      FRAZIL_ASSIGN_OR_RETURN(node->body, ScriptBodyOf(false, nullptr));
      break;
    }
    default: {
      node->kind = ScriptNode::Kind::kFor;
      if (IsStrictIdentifier() && At(Keyword::kAs, 1)) {
        FRAZIL_ASSIGN_OR_RETURN(node->variable, Identifier());
        Skip();
        FRAZIL_RETURN_IF_ERROR(OpenLabel(node->variable, false));
      }
      // DO ends the query: it is no alias in it.
      const bool outer = std::exchange(in_for_query_, true);
      auto query = Query();
      in_for_query_ = outer;
      if (!query.ok()) return std::move(query).error();
      node->statement = *std::move(query);
      FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kDo));
      FRAZIL_ASSIGN_OR_RETURN(node->body, ScriptBodyOf(false, nullptr));
      break;
    }
  }
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kEnd, keyword}));
  FRAZIL_RETURN_IF_ERROR(CloseLabel(label));
  node->origin = OriginFrom(first);
  return plan::ScriptNodePtr(std::move(node));
}

}  // namespace frazil::sql
