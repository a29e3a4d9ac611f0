// INSERT, DELETE, UPDATE, MERGE, CALL, TRUNCATE.

#include <set>

#include "frazil/base/text.h"
#include "frazil/plan/multi_insert.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<plan::PlanPtr> Parser::DmlStatement() {
  switch (Peek().keyword) {
    case Keyword::kInsert:
      return Insert();
    case Keyword::kDelete:
      return Delete();
    case Keyword::kUpdate:
      return Update();
    default:
      return Merge();
  }
}

/// PARTITION (a = 1, b): the value is null where none is given.
Result<Parser::Partition> Parser::PartitionSpecification(bool values_required) {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kPartition));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  Partition partition;
  std::set<std::string> seen;
  do {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
    plan::ExprPtr value;
    if (Accept(TokenType::kEqual)) {
      if (At(Keyword::kDefault) && AtListEnd(1)) {
        Skip();
        value = Make<plan::DefaultExpr>(pos_ - 1);
      } else if (AtConstant()) {
        FRAZIL_ASSIGN_OR_RETURN(value, Constant());
      } else {
        return SyntaxError();
      }
    }
    if (value == nullptr && values_required) {
      return ErrorFrom(first, "INVALID_SQL_SYNTAX.EMPTY_PARTITION_VALUE", {{"partKey", QuoteIdentifier(name)}});
    }
    if (!seen.insert(AsciiLower(name)).second) {
      return ErrorFrom(first, "DUPLICATE_KEY", {{"keyColumn", QuoteIdentifier(name)}});
    }
    partition.emplace_back(std::move(name), std::move(value));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return partition;
}

Status Parser::OptionalPartition(Partition* partition, bool values_required) {
  if (!At(Keyword::kPartition) || !At(TokenType::kLeftParen, 1)) return Status::Ok();
  FRAZIL_ASSIGN_OR_RETURN(*partition, PartitionSpecification(values_required));
  return Status::Ok();
}

Result<plan::PlanPtr> Parser::Insert() {
  FRAZIL_ASSIGN_OR_RETURN(auto command, InsertTarget());
  default_allowed_ = !command->directory;
  FRAZIL_ASSIGN_OR_RETURN(command->query, Query());
  default_allowed_ = false;
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::FromInsert(const plan::WithPlan* with) {
  const size_t first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(const plan::PlanPtr from, FromClause());
  if (!At(Keyword::kInsert)) {
    pos_ = first;
    return plan::PlanPtr();
  }
  std::vector<std::shared_ptr<plan::InsertCommand>> inserts;
  while (At(Keyword::kInsert)) {
    FRAZIL_ASSIGN_OR_RETURN(auto command, InsertTarget());
    const size_t body = pos_;
    if (!At(Keyword::kSelect)) return SyntaxError();
    FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr query, Select(from));
    FRAZIL_ASSIGN_OR_RETURN(query, QueryClauses(std::move(query), body, false));
    if (with != nullptr) {
      auto named = std::make_shared<plan::WithPlan>(*with);
      named->child = std::move(query);
      query = std::move(named);
    }
    command->query = std::move(query);
    inserts.push_back(std::move(command));
  }
  if (inserts.size() == 1) return plan::PlanPtr(inserts[0]);
  auto several = std::make_shared<plan::MultiInsertCommand>(*inserts[0]);
  several->others.assign(inserts.begin() + 1, inserts.end());
  return plan::PlanPtr(std::move(several));
}

Result<std::shared_ptr<plan::InsertCommand>> Parser::InsertTarget() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::InsertCommand>();
  // Newer than Spark 4.1, whose MERGE alone has it.
  command->with_schema_evolution = AcceptWords({Keyword::kWith, Keyword::kSchema, Keyword::kEvolution});
  if (Accept(Keyword::kOverwrite)) {
    command->overwrite = true;
    const size_t directory = At(Keyword::kLocal) ? 1 : 0;
    if (At(Keyword::kDirectory, directory) && (AtStringLiteral(directory + 1) || At(Keyword::kUsing, directory + 1))) {
      Skip(directory + 1);
      FRAZIL_RETURN_IF_ERROR(InsertDirectory(command.get()));
      command->origin = OriginFrom(first);
      return command;
    }
  } else {
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kInto));
  }
  if (At(Keyword::kTable) && IsIdentifier(1)) Skip();
  FRAZIL_ASSIGN_OR_RETURN(command->table, NameReference());
  FRAZIL_ASSIGN_OR_RETURN(command->options, OptionsClause());
  if (AtWords({Keyword::kReplace, Keyword::kWhere})) {
    if (command->overwrite) return SyntaxError();
    Skip(2);
    FRAZIL_ASSIGN_OR_RETURN(command->replace_where, Expression());
  } else {
    FRAZIL_RETURN_IF_ERROR(OptionalPartition(&command->partition));
    FRAZIL_ASSIGN_OR_RETURN(command->if_not_exists, IfNotExists());
    if (command->if_not_exists && !command->overwrite) return NotAllowed(first, "INSERT INTO ... IF NOT EXISTS");
    if (AcceptWords({Keyword::kBy, Keyword::kName})) {
      command->by_name = true;
    } else if (At(TokenType::kLeftParen) && !AtParenthesizedQuery()) {
      FRAZIL_ASSIGN_OR_RETURN(command->columns, IdentifierList());
    }
  }
  // The query stands for itself.
  command->origin = OriginFrom(first);
  return command;
}

Status Parser::InsertDirectory(plan::InsertCommand* command) {
  const size_t first = pos_;
  if (AtStringLiteral()) {
    FRAZIL_ASSIGN_OR_RETURN(command->directory, StringLiteral());
  }
  if (!Accept(Keyword::kUsing)) {
    // Hive's way: its own text, where neither clause says otherwise.
    HiveFormat format;
    if (At(Keyword::kRow) && At(Keyword::kFormat, 1)) FRAZIL_RETURN_IF_ERROR(RowFormat(&format));
    if (At(Keyword::kStored)) FRAZIL_RETURN_IF_ERROR(StoredAs(&format));
    FRAZIL_RETURN_IF_ERROR(CheckHiveFormat(format, first));
    FRAZIL_RETURN_IF_ERROR(CheckKnownFormat(format, first));
    command->directory_format = "hive";
    PutHiveFormat(format, &command->options);
    return {};
  }
  FRAZIL_ASSIGN_OR_RETURN(const Names format, MultipartIdentifier());
  command->directory_format = frazil::Join(format, ".");
  if (Accept(Keyword::kOptions)) {
    FRAZIL_ASSIGN_OR_RETURN(const plan::Properties options, PropertyList());
    for (const auto& [key, value] : options) command->options[key] = value;
  }
  const auto path = command->options.find("path");
  if (path != command->options.end()) {
    if (command->directory) return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0049");
    command->directory = path->second;
  }
  if (!command->directory) return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0049");
  return Status::Ok();
}

Result<plan::PlanPtr> Parser::Delete() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kDelete, Keyword::kFrom}));
  auto command = std::make_shared<plan::DeleteCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->table, NameReference());
  FRAZIL_ASSIGN_OR_RETURN(TableAlias alias, OptionalTableAlias());
  if (!alias.columns.empty()) return ErrorFrom(first, "COLUMN_ALIASES_NOT_ALLOWED", {{"op", "DELETE"}});
  command->alias = std::move(alias.name);
  if (Accept(Keyword::kWhere)) {
    FRAZIL_ASSIGN_OR_RETURN(command->condition, Expression());
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<std::vector<plan::Assignment>> Parser::Assignments() {
  std::vector<plan::Assignment> assignments;
  do {
    const size_t first = pos_;
    plan::Assignment assignment;
    FRAZIL_ASSIGN_OR_RETURN(Names key, MultipartIdentifier());
    assignment.column = plan::MakeAttributeExpr(std::move(key), OriginFrom(first));
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kEqual));
    const size_t value = pos_;
    if (At(Keyword::kDefault) && (AtListEnd(1) || AtClauseStart(1) || At(Keyword::kWhen, 1))) {
      Skip();
      assignment.value = Make<plan::DefaultExpr>(value);
    } else {
      FRAZIL_ASSIGN_OR_RETURN(assignment.value, Expression());
    }
    assignments.push_back(std::move(assignment));
  } while (Accept(TokenType::kComma));
  return assignments;
}

Result<plan::PlanPtr> Parser::Update() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::UpdateCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->table, NameReference());
  FRAZIL_ASSIGN_OR_RETURN(TableAlias alias, OptionalTableAlias());
  if (!alias.columns.empty()) return ErrorFrom(first, "COLUMN_ALIASES_NOT_ALLOWED", {{"op", "UPDATE"}});
  command->alias = std::move(alias.name);
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kSet));
  FRAZIL_ASSIGN_OR_RETURN(command->assignments, Assignments());
  if (Accept(Keyword::kWhere)) {
    FRAZIL_ASSIGN_OR_RETURN(command->condition, Expression());
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Merge() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kMerge));
  auto command = std::make_shared<plan::MergeCommand>();
  command->with_schema_evolution = AcceptWords({Keyword::kWith, Keyword::kSchema, Keyword::kEvolution});
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kInto));
  FRAZIL_ASSIGN_OR_RETURN(command->target, NameReference());
  FRAZIL_ASSIGN_OR_RETURN(TableAlias target_alias, OptionalTableAlias());
  if (!target_alias.columns.empty()) return ErrorFrom(first, "COLUMN_ALIASES_NOT_ALLOWED", {{"op", "MERGE"}});
  command->target_alias = std::move(target_alias.name);
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kUsing));
  const size_t source = pos_;
  plan::PlanPtr relation;
  const bool is_query = At(TokenType::kLeftParen);
  if (is_query) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(relation, Query());
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(plan::NameClause name, NameReference());
    auto table = Make<plan::NamedTablePlan>(source);
    table->name = std::move(name.parts);
    table->identifier = std::move(name.identifier);
    relation = std::move(table);
  }
  FRAZIL_ASSIGN_OR_RETURN(TableAlias source_alias, OptionalTableAlias());
  if (!source_alias.columns.empty()) return ErrorFrom(first, "COLUMN_ALIASES_NOT_ALLOWED", {{"op", "MERGE"}});
  if (is_query) source_alias.present = true;
  command->source = WithAlias(UnderCommandWith(std::move(relation)), std::move(source_alias), source);
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kOn));
  FRAZIL_ASSIGN_OR_RETURN(command->condition, Expression());
  while (At(Keyword::kWhen)) {
    FRAZIL_ASSIGN_OR_RETURN(const auto action, MergeWhen(command.get()));
  }
  if (command->matched.empty() && command->not_matched.empty() && command->not_matched_by_source.empty()) {
    return ErrorFrom(first, "MERGE_WITHOUT_WHEN");
  }
  const auto misplaced = [](const auto& actions) {
    for (size_t i = 0; i + 1 < actions.size(); ++i) {
      if (actions[i]->condition == nullptr) return true;
    }
    return false;
  };
  if (misplaced(command->matched)) return ErrorFrom(first, "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION");
  if (misplaced(command->not_matched)) return ErrorFrom(first, "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION");
  if (misplaced(command->not_matched_by_source))
    return ErrorFrom(first, "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION");
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Status Parser::MergeInsert(plan::MergeActionExpr* action) {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  std::vector<plan::ExprPtr> columns;
  do {
    const size_t column = pos_;
    FRAZIL_ASSIGN_OR_RETURN(Names name, MultipartIdentifier());
    columns.push_back(plan::MakeAttributeExpr(std::move(name), OriginFrom(column)));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kValues));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  std::vector<plan::ExprPtr> values;
  do {
    const size_t value_first = pos_;
    plan::ExprPtr value;
    if (At(Keyword::kDefault) && AtListEnd(1)) {
      Skip();
      value = Make<plan::DefaultExpr>(value_first);
    } else {
      FRAZIL_ASSIGN_OR_RETURN(value, Expression());
    }
    values.push_back(std::move(value));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  if (columns.size() != values.size()) {
    return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0006");
  }
  for (size_t i = 0; i < columns.size(); ++i)
    action->assignments.push_back({std::move(columns[i]), std::move(values[i])});
  return Status::Ok();
}

Result<std::shared_ptr<const plan::MergeActionExpr>> Parser::MergeWhen(plan::MergeCommand* command) {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kWhen));
  const bool negated = Accept(Keyword::kNot) || Accept(TokenType::kBang);
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kMatched));
  auto* actions = negated ? &command->not_matched : &command->matched;
  if (negated && AcceptWords({Keyword::kBy, Keyword::kSource})) {
    actions = &command->not_matched_by_source;
  } else if (negated) {
    AcceptWords({Keyword::kBy, Keyword::kTarget});
  }
  const bool later_seen =
      (actions == &command->matched && (!command->not_matched.empty() || !command->not_matched_by_source.empty())) ||
      (actions == &command->not_matched && !command->not_matched_by_source.empty());
  if (later_seen) return SyntaxErrorAt(first);
  auto action = std::make_shared<plan::MergeActionExpr>();
  if (Accept(Keyword::kAnd)) {
    FRAZIL_ASSIGN_OR_RETURN(action->condition, Expression());
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kThen));
  const bool is_insert = actions == &command->not_matched;
  if (is_insert) {
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kInsert));
    if (Accept(TokenType::kAsterisk)) {
      action->type = plan::MergeActionType::kInsertStar;
    } else {
      action->type = plan::MergeActionType::kInsert;
      FRAZIL_RETURN_IF_ERROR(MergeInsert(action.get()));
    }
  } else if (Accept(Keyword::kDelete)) {
    action->type = plan::MergeActionType::kDelete;
  } else {
    FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kUpdate, Keyword::kSet}));
    if (actions == &command->matched && Accept(TokenType::kAsterisk)) {
      action->type = plan::MergeActionType::kUpdateStar;
    } else {
      action->type = plan::MergeActionType::kUpdate;
      FRAZIL_ASSIGN_OR_RETURN(action->assignments, Assignments());
    }
  }
  action->origin = OriginFrom(first);
  actions->push_back(action);
  return std::shared_ptr<const plan::MergeActionExpr>(std::move(action));
}

Result<plan::PlanPtr> Parser::Call() {
  const size_t first = pos_;
  Skip();
  auto command = std::make_shared<plan::CallCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  if (!At(TokenType::kRightParen)) {
    do {
      FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr argument, FunctionArgument());
      if (argument->kind == plan::ExprKind::kNamedArgument) {
        const auto& named = argument->As<plan::NamedArgumentExpr>();
        command->arguments.emplace_back(named.name, named.value);
      } else {
        command->arguments.emplace_back("", std::move(argument));
      }
    } while (Accept(TokenType::kComma));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::Truncate() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kTruncate, Keyword::kTable}));
  auto command = std::make_shared<plan::TruncateCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->table, NameReference());
  FRAZIL_RETURN_IF_ERROR(OptionalPartition(&command->partition, true));
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

}  // namespace frazil::sql
