// ALTER TABLE, ALTER VIEW, ALTER NAMESPACE.

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/plan/delta_command.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

using plan::AlterAction;

Result<plan::PlanPtr> Parser::Alter() {
  const size_t first = pos_;
  Skip();
  if (At(Keyword::kTable)) return AlterTable(first);
  if (At(Keyword::kView)) return AlterView(first);
  if (AtNamespace()) return AlterNamespace(first);
  if (At(Keyword::kIndex)) {
    return InvalidStatement(first, "ALTER", 1);
  }
  return SyntaxError();
}

Result<plan::PlanPtr> Parser::AlterTable(size_t first) {
  Skip();
  FRAZIL_ASSIGN_OR_RETURN(plan::NameClause name, NameReference());
  if (AtWords({Keyword::kRename, Keyword::kTo})) {
    Skip(2);
    auto command = std::make_shared<plan::RenameTableCommand>();
    command->name = std::move(name);
    FRAZIL_ASSIGN_OR_RETURN(command->new_name, MultipartIdentifier());
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  }
  if (At(Keyword::kDrop) && AtText("FEATURE", 1)) {
    Skip(2);
    auto drop = std::make_shared<plan::DropFeatureCommand>();
    drop->table = std::move(name);
    if (AtStringLiteral()) {
      FRAZIL_ASSIGN_OR_RETURN(drop->feature, StringLiteral());
    } else {
      FRAZIL_ASSIGN_OR_RETURN(drop->feature, Identifier());
    }
    drop->truncate_history = Accept(Keyword::kTruncate);
    if (drop->truncate_history) FRAZIL_RETURN_IF_ERROR(ExpectText("HISTORY"));
    drop->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(drop));
  }
  auto command = std::make_shared<plan::AlterTableCommand>();
  command->name = std::move(name);
  FRAZIL_ASSIGN_OR_RETURN(command->actions, AlterActions());
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<std::vector<AlterAction>> Parser::AlterActions() {
  const size_t first = pos_;
  Partition partition;
  FRAZIL_RETURN_IF_ERROR(OptionalPartition(&partition, true));
  const auto one = [](Result<AlterAction> action) -> Result<std::vector<AlterAction>> {
    if (!action.ok()) return std::move(action).error();
    return std::vector<AlterAction>{*std::move(action)};
  };
  if (partition.empty() && AtIcebergAction()) return one(IcebergAction());
  switch (Peek().keyword) {
    case Keyword::kAdd:
      return one(AlterAdd());
    case Keyword::kDrop:
      return one(AlterDrop());
    case Keyword::kSet: {
      auto action = AlterSet();
      if (action.ok() && !partition.empty()) action->partitions.push_back(std::move(partition));
      return one(std::move(action));
    }
    case Keyword::kUnset: {
      AlterAction action;
      action.type = AlterAction::Type::kUnsetProperties;
      FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kUnset, Keyword::kTblproperties}));
      FRAZIL_ASSIGN_OR_RETURN(action.if_exists, IfExists());
      FRAZIL_ASSIGN_OR_RETURN(action.keys, PropertyKeyList());
      return std::vector<AlterAction>{std::move(action)};
    }
    case Keyword::kRename:
      return one(AlterRename(std::move(partition)));
    case Keyword::kAlter:
    case Keyword::kChange:
      return AlterColumns(!partition.empty());
    case Keyword::kReplace:
      return one(AlterReplaceColumns());
    case Keyword::kRecover: {
      AlterAction action;
      action.type = AlterAction::Type::kRecoverPartitions;
      FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kRecover, Keyword::kPartitions}));
      return std::vector<AlterAction>{std::move(action)};
    }
    case Keyword::kCluster: {
      AlterAction action;
      action.type = AlterAction::Type::kClusterBy;
      FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kCluster, Keyword::kBy}));
      if (!Accept(Keyword::kNone)) {
        FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
        FRAZIL_ASSIGN_OR_RETURN(action.column_names, MultipartIdentifierList());
        FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
      }
      return std::vector<AlterAction>{std::move(action)};
    }
    case Keyword::kDefault: {
      AlterAction action;
      action.type = AlterAction::Type::kSetCollation;
      FRAZIL_ASSIGN_OR_RETURN(action.text, CollationClause());
      return std::vector<AlterAction>{std::move(action)};
    }
    case Keyword::kNot:
      return InvalidStatement(first, "ALTER TABLE", At(Keyword::kStored, 1) ? 4 : 2);
    case Keyword::kClustered:
    case Keyword::kSkewed:
    case Keyword::kExchange:
    case Keyword::kArchive:
    case Keyword::kUnarchive:
      return InvalidStatement(first, "ALTER TABLE", 2);
    case Keyword::kTouch:
    case Keyword::kCompact:
    case Keyword::kConcatenate:
      return InvalidStatement(first, "ALTER TABLE", 1);
    default:
      return SyntaxError();
  }
}

Status Parser::ColumnPosition(plan::ColumnDefinition* column) {
  if (Accept(Keyword::kFirst)) {
    column->first = true;
    return Status::Ok();
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kAfter));
  FRAZIL_ASSIGN_OR_RETURN(column->after, Identifier());
  return Status::Ok();
}

/// name type [NOT NULL] [DEFAULT ...] [COMMENT ...] [FIRST | AFTER ...], ...
Result<std::vector<plan::ColumnDefinition>> Parser::AddedColumns() {
  std::vector<plan::ColumnDefinition> columns;
  do {
    const size_t first = pos_;
    plan::ColumnDefinition column;
    FRAZIL_ASSIGN_OR_RETURN(column.name, MultipartIdentifier());
    FRAZIL_ASSIGN_OR_RETURN(column.type, Type());
    std::vector<std::string> seen;
    while (!AtListEnd()) {
      std::string clause;
      if ((At(Keyword::kNot) || At(TokenType::kBang)) && At(Keyword::kNull, 1)) {
        Skip(2);
        column.nullable = false;
        clause = "NOT NULL";
      } else if (Accept(Keyword::kDefault)) {
        FRAZIL_ASSIGN_OR_RETURN(column.default_text, ExpressionText());
        clause = "DEFAULT";
      } else if (Accept(Keyword::kComment)) {
        FRAZIL_ASSIGN_OR_RETURN(column.comment, StringLiteral());
        clause = "COMMENT";
      } else if (AtAny({Keyword::kFirst, Keyword::kAfter})) {
        FRAZIL_RETURN_IF_ERROR(ColumnPosition(&column));
        clause = "FIRST|AFTER";
      } else {
        return SyntaxError();
      }
      if (std::find(seen.begin(), seen.end(), clause) != seen.end()) {
        return ErrorFrom(first, "ALTER_TABLE_COLUMN_DESCRIPTOR_DUPLICATE",
                         {{"type", "ADD"}, {"columnName", QuoteIdentifier(column.name)}, {"optionName", clause}});
      }
      seen.push_back(std::move(clause));
    }
    columns.push_back(std::move(column));
  } while (Accept(TokenType::kComma));
  return columns;
}

Result<AlterAction> Parser::AlterAdd() {
  Skip();
  AlterAction action;
  if (Accept(Keyword::kColumn) || Accept(Keyword::kColumns)) {
    action.type = AlterAction::Type::kAddColumns;
    const bool parens = Accept(TokenType::kLeftParen);
    FRAZIL_ASSIGN_OR_RETURN(action.columns, AddedColumns());
    if (parens) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    return action;
  }
  if (AtTableConstraint()) {
    action.type = AlterAction::Type::kAddConstraint;
    FRAZIL_ASSIGN_OR_RETURN(action.constraint, Constraint(""));
    return action;
  }
  action.type = AlterAction::Type::kAddPartition;
  FRAZIL_ASSIGN_OR_RETURN(action.if_not_exists, IfNotExists());
  do {
    FRAZIL_ASSIGN_OR_RETURN(Partition partition, PartitionSpecification(true));
    action.partitions.push_back(std::move(partition));
    std::string location;
    if (Accept(Keyword::kLocation)) {
      FRAZIL_ASSIGN_OR_RETURN(location, StringLiteral());
    }
    action.partition_locations.push_back(std::move(location));
  } while (At(Keyword::kPartition));
  return action;
}

Result<AlterAction> Parser::AlterDrop() {
  Skip();
  AlterAction action;
  if (Accept(Keyword::kColumn) || Accept(Keyword::kColumns)) {
    action.type = AlterAction::Type::kDropColumns;
    FRAZIL_ASSIGN_OR_RETURN(action.if_exists, IfExists());
    const bool parens = Accept(TokenType::kLeftParen);
    FRAZIL_ASSIGN_OR_RETURN(action.column_names, MultipartIdentifierList());
    if (parens) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    return action;
  }
  if (Accept(Keyword::kConstraint)) {
    action.type = AlterAction::Type::kDropConstraint;
    FRAZIL_ASSIGN_OR_RETURN(action.if_exists, IfExists());
    FRAZIL_ASSIGN_OR_RETURN(action.constraint.name, Identifier());
    action.cascade = Accept(Keyword::kCascade);
    if (!action.cascade) Accept(Keyword::kRestrict);
    return action;
  }
  action.type = AlterAction::Type::kDropPartition;
  FRAZIL_ASSIGN_OR_RETURN(action.if_exists, IfExists());
  do {
    FRAZIL_ASSIGN_OR_RETURN(Partition partition, PartitionSpecification(true));
    action.partitions.push_back(std::move(partition));
  } while (Accept(TokenType::kComma));
  action.purge = Accept(Keyword::kPurge);
  return action;
}

Result<AlterAction> Parser::AlterSet() {
  const size_t first = pos_;
  Skip();
  AlterAction action;
  if (Accept(Keyword::kTblproperties)) {
    action.type = AlterAction::Type::kSetProperties;
    FRAZIL_ASSIGN_OR_RETURN(action.properties, PropertyList());
  } else if (Accept(Keyword::kLocation)) {
    action.type = AlterAction::Type::kSetLocation;
    FRAZIL_ASSIGN_OR_RETURN(action.location, StringLiteral());
  } else if (Accept(Keyword::kSerde)) {
    action.type = AlterAction::Type::kSetSerde;
    FRAZIL_ASSIGN_OR_RETURN(action.text, StringLiteral());
    if (AcceptWords({Keyword::kWith, Keyword::kSerdeproperties})) {
      FRAZIL_ASSIGN_OR_RETURN(action.properties, PropertyList());
    }
  } else if (Accept(Keyword::kSerdeproperties)) {
    action.type = AlterAction::Type::kSetSerde;
    FRAZIL_ASSIGN_OR_RETURN(action.properties, PropertyList());
  } else if (AtAny({Keyword::kSkewed, Keyword::kFileformat})) {
    return InvalidStatement(first, "ALTER TABLE SET", At(Keyword::kSkewed) ? 2 : 1);
  } else {
    return SyntaxError();
  }
  return action;
}

Result<AlterAction> Parser::AlterRename(Partition partition) {
  Skip();
  AlterAction action;
  if (!partition.empty()) {
    action.type = AlterAction::Type::kRenamePartition;
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kTo));
    FRAZIL_ASSIGN_OR_RETURN(Partition to, PartitionSpecification(true));
    action.partitions = {std::move(partition), std::move(to)};
    return action;
  }
  action.type = AlterAction::Type::kRenameColumn;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kColumn));
  FRAZIL_ASSIGN_OR_RETURN(Names column, MultipartIdentifier());
  action.column_names.push_back(std::move(column));
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kTo));
  FRAZIL_ASSIGN_OR_RETURN(action.new_name, Identifier());
  return action;
}

Result<std::vector<AlterAction>> Parser::AlterColumns(bool has_partition) {
  const size_t first = pos_;
  const bool is_change = At(Keyword::kChange);
  Skip();
  if (At(Keyword::kColumn) && (IsIdentifier(1))) Skip();
  std::vector<AlterAction> actions;
  do {
    FRAZIL_ASSIGN_OR_RETURN(Names column, MultipartIdentifier());
    // Hive's form repeats the name and gives the type: CHANGE COLUMN a a INT COMMENT 'x' FIRST.
    const bool at_action = AtListEnd() || AtAny({Keyword::kFirst, Keyword::kAfter}) ||
                           (At(Keyword::kComment) && AtStringLiteral(1)) || AtAny({Keyword::kSet, Keyword::kDrop}) ||
                           At(Keyword::kType);
    if (is_change && !at_action) {
      AlterAction action;
      action.type = AlterAction::Type::kAlterColumn;
      FRAZIL_ASSIGN_OR_RETURN(const StructField field, TypedColumn(false));
      const auto refused = [&](const char* operation, const char* hint) {
        return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0034",
                         {{"operation", operation}, {"command", "ALTER COLUMN"}, {"msg", hint}});
      };
      if (has_partition) return refused("ALTER TABLE table PARTITION partition_spec CHANGE COLUMN", "");
      if (field.name != column.back()) return refused("Renaming column", ", please run RENAME COLUMN instead");
      if (!field.nullable) return refused("NOT NULL", ", please run ALTER COLUMN ... SET/DROP NOT NULL instead");
      action.new_type = field.type;
      if (field.metadata.contains("comment")) action.new_comment = field.Comment();
      plan::ColumnDefinition position;
      if (AtAny({Keyword::kFirst, Keyword::kAfter})) FRAZIL_RETURN_IF_ERROR(ColumnPosition(&position));
      action.move_first = position.first;
      action.move_after = position.after;
      action.column_names.push_back(std::move(column));
      return std::vector<AlterAction>{std::move(action)};
    }
    FRAZIL_ASSIGN_OR_RETURN(std::vector<AlterAction> more,
                            AlterColumnActions(std::move(column), is_change ? "CHANGE" : "ALTER"));
    for (AlterAction& action : more) actions.push_back(std::move(action));
  } while (Accept(TokenType::kComma));
  for (size_t i = 0; i < actions.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (actions[i].column_names == actions[j].column_names) {
        return ErrorFrom(first, "NOT_SUPPORTED_CHANGE_SAME_COLUMN",
                         {{"table", ""}, {"fieldName", QuoteIdentifier(actions[i].column_names[0])}});
      }
    }
  }
  return actions;
}

/// What follows a column's name in ALTER COLUMN.
Result<std::vector<AlterAction>> Parser::AlterColumnActions(Names column, const std::string& verb) {
  const size_t first = pos_;
  AlterAction action;
  action.type = AlterAction::Type::kAlterColumn;
  action.column_names.push_back(std::move(column));
  if (Accept(Keyword::kType)) {
    FRAZIL_ASSIGN_OR_RETURN(action.new_type, Type());
  } else if (Accept(Keyword::kComment)) {
    FRAZIL_ASSIGN_OR_RETURN(action.new_comment, StringLiteral());
  } else if (AtAny({Keyword::kFirst, Keyword::kAfter})) {
    plan::ColumnDefinition position;
    FRAZIL_RETURN_IF_ERROR(ColumnPosition(&position));
    action.move_first = position.first;
    action.move_after = position.after;
  } else if (AtAny({Keyword::kSet, Keyword::kDrop})) {
    const bool is_set = At(Keyword::kSet);
    Skip();
    if (Accept(Keyword::kDefault)) {
      if (is_set) {
        FRAZIL_ASSIGN_OR_RETURN(action.new_default, ExpressionText());
      } else {
        action.drop_default = true;
      }
    } else {
      if (!Accept(TokenType::kBang)) FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kNot));
      FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kNull));
      action.new_nullable = !is_set;
    }
  } else if (AtListEnd()) {
    return NotAllowed(first,
                      "ALTER TABLE table " + verb + " COLUMN requires a TYPE, a SET/DROP, a COMMENT, or a FIRST/AFTER");
  } else {
    return SyntaxError();
  }
  return std::vector<AlterAction>{std::move(action)};
}

Result<AlterAction> Parser::AlterReplaceColumns() {
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kReplace, Keyword::kColumns}));
  AlterAction action;
  action.type = AlterAction::Type::kReplaceColumns;
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  FRAZIL_ASSIGN_OR_RETURN(action.columns, AddedColumns());
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return action;
}

Result<plan::PlanPtr> Parser::AlterView(size_t first) {
  Skip();
  FRAZIL_ASSIGN_OR_RETURN(plan::NameClause name, NameReference());
  if (AtWords({Keyword::kRename, Keyword::kTo})) {
    Skip(2);
    auto rename = std::make_shared<plan::RenameTableCommand>();
    rename->name = std::move(name);
    rename->is_view = true;
    FRAZIL_ASSIGN_OR_RETURN(rename->new_name, MultipartIdentifier());
    rename->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(rename));
  }
  auto command = std::make_shared<plan::AlterViewCommand>();
  command->name = std::move(name);
  if (AtWords({Keyword::kSet, Keyword::kTblproperties})) {
    Skip(2);
    FRAZIL_ASSIGN_OR_RETURN(command->properties, PropertyList());
  } else if (AtWords({Keyword::kUnset, Keyword::kTblproperties})) {
    Skip(2);
    FRAZIL_ASSIGN_OR_RETURN(command->if_exists, IfExists());
    FRAZIL_ASSIGN_OR_RETURN(command->unset_keys, PropertyKeyList());
  } else if (AtWords({Keyword::kWith, Keyword::kSchema}) &&
             AtAny({Keyword::kBinding, Keyword::kCompensation, Keyword::kEvolution, Keyword::kType}, 2)) {
    FRAZIL_ASSIGN_OR_RETURN(command->schema_binding, SchemaBinding());
  } else if (AtAny({Keyword::kAdd, Keyword::kDrop})) {
    return UnsupportedRest("ALTER VIEW ... PARTITION");
  } else {
    Accept(Keyword::kAs);
    const size_t query_first = pos_;
    FRAZIL_ASSIGN_OR_RETURN(command->query, Query());
    command->query_text = SourceFrom(query_first);
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::AlterNamespace(size_t first) {
  Skip();
  auto command = std::make_shared<plan::AlterNamespaceCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  if (AtWords({Keyword::kDefault, Keyword::kCollation})) {
    FRAZIL_ASSIGN_OR_RETURN(command->collation, CollationClause());
  } else if (Accept(Keyword::kUnset)) {
    if (!Accept(Keyword::kDbproperties)) FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kProperties));
    FRAZIL_ASSIGN_OR_RETURN(command->unset_keys, PropertyKeyList());
  } else {
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kSet));
    if (Accept(Keyword::kLocation)) {
      FRAZIL_ASSIGN_OR_RETURN(command->location, StringLiteral());
    } else {
      if (!Accept(Keyword::kDbproperties)) FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kProperties));
      FRAZIL_ASSIGN_OR_RETURN(command->properties, PropertyList());
    }
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

}  // namespace frazil::sql
