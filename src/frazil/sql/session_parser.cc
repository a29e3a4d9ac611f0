// What acts on the session: SET, RESET, USE, EXPLAIN, CACHE, REFRESH, ANALYZE, COMMENT.

#include <algorithm>
#include <cstdlib>

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"
#include "frazil/types/calendar.h"

namespace frazil::sql {
namespace {

bool IsConfigurationKey(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == ':' || c == '\\';
  });
}

std::string_view WithoutSemicolons(std::string_view text) {
  while (!text.empty() && text.back() == ';') text.remove_suffix(1);
  return text;
}

}  // namespace

std::string_view Parser::RemainderAfter(size_t token) const {
  const char* begin = tokens_[token].text.data() + tokens_[token].text.size();
  return std::string_view(begin, static_cast<size_t>(text_->data() + text_->size() - begin));
}

Result<plan::PlanPtr> Parser::Set() {
  const size_t first = pos_;
  if (At(Keyword::kCatalog, 1) && !At(TokenType::kEqual, 2) && !At(TokenType::kDot, 2) && !At(TokenType::kEnd, 2) &&
      !At(TokenType::kSemicolon, 2)) {
    Skip(2);
    auto command = std::make_shared<plan::UseCommand>();
    command->is_set_catalog = true;
    if (AtStringLiteral()) {
      FRAZIL_ASSIGN_OR_RETURN(std::string name, StringLiteral());
      command->name.parts = {std::move(name)};
    } else {
      FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
      if (command->name.parts.size() > 1) return SyntaxErrorAt(pos_ - 2);
    }
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  }
  if (At(Keyword::kRole, 1)) {
    return InvalidStatement(first, {}, 2);
  }
  if (AtWords({Keyword::kTime, Keyword::kZone}, 1)) return SetTimeZone(first);
  if (AtAny({Keyword::kVariable, Keyword::kVar}, 1) && !At(TokenType::kEqual, 2) && !At(TokenType::kDot, 2) &&
      !At(TokenType::kEnd, 2) && !At(TokenType::kSemicolon, 2)) {
    // What is no assignment of variables is taken as a configuration, like anything else.
    Skip(2);
    auto assignment = SetVariable(first);
    const bool at_end = At(TokenType::kEnd) || At(TokenType::kSemicolon);
    if (assignment.ok() ? at_end : assignment.error().condition != "PARSE_SYNTAX_ERROR") return assignment;
    pos_ = first;
    return SetConfiguration(first);
  }
  return SetConfiguration(first);
}

Result<plan::PlanPtr> Parser::SetTimeZone(size_t first) {
  Skip(3);
  auto command = std::make_shared<plan::SetCommand>();
  command->key = "spark.sql.session.timeZone";
  command->is_time_zone = true;
  if (AtInterval() || (At(Keyword::kInterval) && IsStringToken(1))) {
    FRAZIL_ASSIGN_OR_RETURN(const plan::ExprPtr interval, Constant());
    const auto& literal = interval->As<plan::LiteralExpr>();
    const auto out_of_range = [&]() {
      return ErrorFrom(first, "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE",
                       {{"input", SourceFrom(first + 3)}});
    };
    if (literal.type->id() != TypeId::kDayTimeInterval) return out_of_range();
    const int64_t micros = literal.value.integer();
    constexpr int64_t kMostHours = 18;
    if (std::abs(micros) > kMostHours * kMicrosPerHour || micros % kMicrosPerSecond != 0) return out_of_range();
    const int64_t seconds = std::abs(micros) / kMicrosPerSecond;
    const auto two_digits = [](int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    constexpr int64_t kSecondsPerMinute = 60;
    constexpr int64_t kSecondsPerHour = 3600;
    std::string zone = (micros < 0 ? "-" : "+") + two_digits(seconds / kSecondsPerHour) + ":" +
                       two_digits(seconds % kSecondsPerHour / kSecondsPerMinute);
    if (seconds % kSecondsPerMinute != 0) zone += ":" + two_digits(seconds % kSecondsPerMinute);
    command->value = std::move(zone);
  } else if (AtStringLiteral()) {
    FRAZIL_ASSIGN_OR_RETURN(command->value, StringLiteral());
  } else if (Accept(Keyword::kLocal)) {
    command->value = "LOCAL";
  } else {
    return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0045");
  }
  if (!At(TokenType::kEnd) && !At(TokenType::kSemicolon)) return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0045");
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

/// SET takes any text: the value is what stands behind "=", up to the end, as it is written.
Result<plan::PlanPtr> Parser::SetConfiguration(size_t first) {
  auto command = std::make_shared<plan::SetCommand>();
  const std::string_view rest = TrimControls(RemainderAfter(first));
  const size_t last = tokens_.size() - 1;
  const bool is_quoted = At(TokenType::kBackquoted, 1) &&
                         (At(TokenType::kEqual, 2) || At(TokenType::kEnd, 2) || At(TokenType::kSemicolon, 2));
  const size_t equal = rest.find('=');
  if (is_quoted) {
    command->key = UnquoteIdentifier(Peek(1).text);
    if (At(TokenType::kEqual, 2)) {
      if (At(TokenType::kBackquoted, 3) && (At(TokenType::kEnd, 4) || At(TokenType::kSemicolon, 4))) {
        command->value = UnquoteIdentifier(Peek(3).text);
      } else {
        const std::string_view value = WithoutSemicolons(TrimControls(RemainderAfter(pos_ + 2)));
        if (value.find(';') != std::string_view::npos) {
          return ErrorFrom(first, "INVALID_PROPERTY_VALUE",
                           {{"value", "\"" + std::string(value) + "\""}, {"key", "\"" + *command->key + "\""}});
        }
        command->value = std::string(TrimControls(value));
      }
    }
  } else if (equal != std::string_view::npos && IsConfigurationKey(TrimControls(rest.substr(0, equal)))) {
    command->key = std::string(TrimControls(rest.substr(0, equal)));
    const std::string_view value = TrimControls(WithoutSemicolons(rest.substr(equal + 1)));
    const bool value_quoted = tokens_[last - 1].type == TokenType::kBackquoted && value == tokens_[last - 1].text;
    if (value.find(';') != std::string_view::npos && !value_quoted) return ErrorFrom(first, "INVALID_SET_SYNTAX");
    command->value = value_quoted ? UnquoteIdentifier(value) : std::string(value);
  } else if (equal != std::string_view::npos && tokens_[last - 1].type == TokenType::kBackquoted &&
             tokens_[last - 2].type == TokenType::kEqual) {
    const std::string key(TrimControls(rest.substr(0, equal)));
    return ErrorFrom(first, "INVALID_PROPERTY_KEY",
                     {{"key", "\"" + key + "\""}, {"value", "\"" + UnquoteIdentifier(tokens_[last - 1].text) + "\""}});
  } else {
    const std::string_view key = TrimControls(WithoutSemicolons(rest));
    if (key == "-v") {
      command->verbose = true;
    } else if (IsConfigurationKey(key)) {
      command->key = std::string(key);
    } else if (!key.empty()) {
      pos_ = last;
      return ErrorFrom(first, "INVALID_SET_SYNTAX");
    }
  }
  pos_ = last;
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Reset() {
  const size_t first = pos_;
  auto command = std::make_shared<plan::ResetCommand>();
  const size_t last = tokens_.size() - 1;
  if (At(TokenType::kBackquoted, 1) && (At(TokenType::kEnd, 2) || At(TokenType::kSemicolon, 2))) {
    command->key = UnquoteIdentifier(Peek(1).text);
  } else {
    const std::string_view key = TrimControls(WithoutSemicolons(TrimControls(RemainderAfter(first))));
    const bool is_key = std::none_of(key.begin(), key.end(), [](char c) {
      return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '"' || c == '\'';
    });
    if (!is_key) {
      pos_ = last;
      return ErrorFrom(first, "INVALID_RESET_COMMAND_FORMAT");
    }
    if (!key.empty()) command->key = std::string(key);
  }
  pos_ = last;
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Use() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::UseCommand>();
  if (AtNamespace() && IsIdentifier(1)) {
    command->is_namespace = true;
    Skip();
  }
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Explain() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::ExplainCommand>();
  if (At(Keyword::kLogical)) return NotAllowed(first, "EXPLAIN LOGICAL");
  if (Accept(Keyword::kFormatted)) {
    command->mode = plan::ExplainMode::kFormatted;
  } else if (Accept(Keyword::kExtended)) {
    command->mode = plan::ExplainMode::kExtended;
  } else if (Accept(Keyword::kCodegen)) {
    command->mode = plan::ExplainMode::kCodegen;
  } else if (Accept(Keyword::kCost)) {
    command->mode = plan::ExplainMode::kCost;
  }
  FRAZIL_ASSIGN_OR_RETURN(command->plan, Statement());
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Cache() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::CacheCommand>();
  command->lazy = Accept(Keyword::kLazy);
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kTable));
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  if (At(Keyword::kOptions) && At(TokenType::kLeftParen, 1)) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(const plan::Properties options, PropertyList());
    for (const auto& [key, value] : options) command->options[key] = value;
  }
  const bool has_as = Accept(Keyword::kAs);
  if (has_as || AtQueryStart() || AtParenthesizedQuery()) {
    FRAZIL_ASSIGN_OR_RETURN(command->query, Query());
    if (command->name.parts.size() > 1) {
      const Names qualifier(command->name.parts.begin(), command->name.parts.end() - 1);
      return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0037", {{"quoted", frazil::Join(qualifier, ".")}});
    }
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Uncache() {
  const size_t first = pos_;
  auto command = std::make_shared<plan::UncacheCommand>();
  if (Accept(Keyword::kClear)) {
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kCache));
    command->all = true;
  } else {
    FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kUncache, Keyword::kTable}));
    FRAZIL_ASSIGN_OR_RETURN(command->if_exists, IfExists());
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Refresh() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::RefreshCommand>();
  if (AtAny({Keyword::kTable, Keyword::kFunction}) && IsIdentifier(1)) {
    command->is_function = At(Keyword::kFunction);
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  } else if (AtStringLiteral() && (At(TokenType::kEnd, 1) || At(TokenType::kSemicolon, 1))) {
    FRAZIL_ASSIGN_OR_RETURN(command->path, StringLiteral());
  } else {
    const std::string_view path = TrimControls(WithoutSemicolons(TrimControls(RemainderAfter(first))));
    pos_ = tokens_.size() - 1;
    if (path.empty()) {
      return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0064",
                       {{"msg", "Resource paths cannot be empty in REFRESH statements. Use / to match everything"}});
    }
    const bool has_blank = std::any_of(path.begin(), path.end(), [](char c) {
      return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '"' || c == '\'';
    });
    if (has_blank) {
      return ErrorFrom(
          first, "_LEGACY_ERROR_TEMP_0064",
          {{"msg", "REFRESH statements cannot contain ' ', '\\n', '\\r', '\\t' inside unquoted resource paths"}});
    }
    command->path = std::string(path);
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Analyze() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::AnalyzeCommand>();
  if (Accept(Keyword::kTables)) {
    command->all_tables = true;
    if (AtAny({Keyword::kFrom, Keyword::kIn})) {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    }
  } else {
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kTable));
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    FRAZIL_RETURN_IF_ERROR(OptionalPartition(&command->partition));
  }
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kCompute, Keyword::kStatistics}));
  if (!command->all_tables && At(Keyword::kFor)) {
    Skip();
    if (AcceptWords({Keyword::kAll, Keyword::kColumns})) {
      command->all_columns = true;
    } else {
      FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kColumns));
      FRAZIL_ASSIGN_OR_RETURN(command->columns, IdentifierSequence());
    }
  } else if (IsIdentifier()) {
    const std::string option = AsciiUpper(Peek().text);
    Skip();
    if (option != "NOSCAN") {
      return ErrorFrom(first, "INVALID_SQL_SYNTAX.ANALYZE_TABLE_UNEXPECTED_NOSCAN", {{"ctx", option}});
    }
    command->no_scan = true;
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

/// COMMENT ON TABLE/NAMESPACE is a property of theirs: NULL empties it.
Result<plan::PlanPtr> Parser::Comment() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kComment, Keyword::kOn}));
  const bool is_table = Accept(Keyword::kTable);
  if (!is_table) {
    if (!AtNamespace()) return SyntaxError();
    Skip();
  }
  FRAZIL_ASSIGN_OR_RETURN(plan::NameClause name, NameReference());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kIs));
  std::string comment;
  if (!Accept(Keyword::kNull)) {
    FRAZIL_ASSIGN_OR_RETURN(comment, StringLiteral());
  }
  if (is_table) {
    auto command = std::make_shared<plan::AlterTableCommand>();
    command->name = std::move(name);
    plan::AlterAction action;
    action.type = plan::AlterAction::Type::kSetProperties;
    action.properties.emplace_back("comment", std::move(comment));
    command->actions.push_back(std::move(action));
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  }
  auto command = std::make_shared<plan::AlterNamespaceCommand>();
  command->name = std::move(name);
  command->properties.emplace_back("comment", std::move(comment));
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

}  // namespace frazil::sql
