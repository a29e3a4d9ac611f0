// Iceberg's extensions of ALTER TABLE: partition fields, write order, identifier fields, branches and tags.
// Source: https://iceberg.apache.org/docs/latest/spark-ddl/#alter-table-sql-extensions

#include <cstdlib>

#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

using plan::AlterAction;

bool Parser::AtIcebergAction() const {
  if (AtText("WRITE")) return true;
  switch (Peek().keyword) {
    case Keyword::kAdd:
    case Keyword::kDrop:
    case Keyword::kReplace:
      if (At(Keyword::kPartition, 1) && AtText("FIELD", 2)) return true;
      if (At(Keyword::kAdd)) return false;
      if (AtText("BRANCH", 1) || AtText("TAG", 1)) return true;
      return At(Keyword::kDrop) && At(Keyword::kIdentifier, 1) && At(Keyword::kFields, 2);
    case Keyword::kSet:
      return At(Keyword::kIdentifier, 1) && At(Keyword::kFields, 2);
    case Keyword::kCreate:
      return true;
    default:
      return false;
  }
}

Result<AlterAction> Parser::IcebergAction() {
  AlterAction action;
  if (AtText("WRITE")) return WriteOrder();
  if (At(Keyword::kPartition, 1)) {
    const Keyword verb = Peek().keyword;
    Skip(3);
    FRAZIL_ASSIGN_OR_RETURN(action.field, Transform());
    if (verb == Keyword::kDrop) {
      action.type = AlterAction::Type::kDropPartitionField;
      return action;
    }
    action.type =
        verb == Keyword::kAdd ? AlterAction::Type::kAddPartitionField : AlterAction::Type::kReplacePartitionField;
    plan::PartitionTransform* named = &action.field;
    if (verb == Keyword::kReplace) {
      FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kWith));
      FRAZIL_ASSIGN_OR_RETURN(action.new_field, Transform());
      named = &action.new_field;
    }
    if (Accept(Keyword::kAs)) {
      FRAZIL_ASSIGN_OR_RETURN(named->alias, Identifier());
    }
    return action;
  }
  if (At(Keyword::kIdentifier, 1)) {
    action.type =
        At(Keyword::kSet) ? AlterAction::Type::kSetIdentifierFields : AlterAction::Type::kDropIdentifierFields;
    Skip(3);
    FRAZIL_ASSIGN_OR_RETURN(action.column_names, FieldList());
    return action;
  }
  if (At(Keyword::kDrop)) {
    action.type = AlterAction::Type::kDropReference;
    action.is_branch = AtText("BRANCH", 1);
    Skip(2);
    FRAZIL_ASSIGN_OR_RETURN(action.if_exists, IfExists());
    FRAZIL_ASSIGN_OR_RETURN(action.reference, Identifier());
    return action;
  }
  return CreateReference();
}

Result<std::vector<Parser::Names>> Parser::FieldList() {
  // The documentation writes the list without parentheses; both are taken.
  const bool parens = Accept(TokenType::kLeftParen);
  FRAZIL_ASSIGN_OR_RETURN(std::vector<Names> fields, MultipartIdentifierList());
  if (parens) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return fields;
}

Result<AlterAction> Parser::WriteOrder() {
  Skip();
  AlterAction action;
  action.type = AlterAction::Type::kWriteOrder;
  bool has_order = false;
  while (!At(TokenType::kEnd) && !At(TokenType::kSemicolon)) {
    if (AtText("DISTRIBUTED") && At(Keyword::kBy, 1) && At(Keyword::kPartition, 2)) {
      if (action.distributed_by_partition) return SyntaxError();
      action.distributed_by_partition = true;
      Skip(3);
      continue;
    }
    if (has_order) return SyntaxError();
    has_order = true;
    if (AcceptText("UNORDERED")) {
      action.unordered = true;
      continue;
    }
    action.locally_ordered = AcceptText("LOCALLY");
    FRAZIL_RETURN_IF_ERROR(ExpectText("ORDERED"));
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kBy));
    FRAZIL_ASSIGN_OR_RETURN(action.order, WriteOrderFields());
  }
  return action;
}

Result<std::vector<AlterAction::OrderField>> Parser::WriteOrderFields() {
  std::vector<AlterAction::OrderField> fields;
  const bool parens = Accept(TokenType::kLeftParen);
  do {
    AlterAction::OrderField field;
    FRAZIL_ASSIGN_OR_RETURN(field.term, Transform());
    if (AtAny({Keyword::kAsc, Keyword::kDesc})) {
      field.ascending = At(Keyword::kAsc);
      Skip();
    }
    field.nulls_first = field.ascending;
    if (At(Keyword::kNulls) && AtAny({Keyword::kFirst, Keyword::kLast}, 1)) {
      field.nulls_first = At(Keyword::kFirst, 1);
      Skip(2);
    }
    fields.push_back(std::move(field));
  } while (Accept(TokenType::kComma));
  if (parens) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  return fields;
}

Result<AlterAction> Parser::CreateReference() {
  AlterAction action;
  action.type = AlterAction::Type::kCreateReference;
  if (Accept(Keyword::kCreate)) {
    action.create_or_replace = AcceptWords({Keyword::kOr, Keyword::kReplace});
  } else {
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kReplace));
    action.replace = true;
  }
  action.is_branch = AtText("BRANCH");
  if (!action.is_branch && !AtText("TAG")) return SyntaxError();
  Skip();
  const bool is_plain = !action.create_or_replace && !action.replace;
  if (is_plain) {
    FRAZIL_ASSIGN_OR_RETURN(action.if_not_exists, IfNotExists());
  }
  FRAZIL_ASSIGN_OR_RETURN(action.reference, Identifier());
  FRAZIL_RETURN_IF_ERROR(ReferenceOptions(&action));
  return action;
}

/// A number of days, hours or minutes as milliseconds.
Result<int64_t> Parser::DurationMillis(int64_t count) {
  constexpr int64_t kMillisPerMinute = 60'000;
  constexpr int64_t kMinutesPerHour = 60;
  constexpr int64_t kMinutesPerDay = 24 * kMinutesPerHour;
  int64_t minutes = 1;
  if (At(Keyword::kDays)) {
    minutes = kMinutesPerDay;
  } else if (At(Keyword::kHours)) {
    minutes = kMinutesPerHour;
  } else if (!At(Keyword::kMinutes)) {
    return SyntaxError();
  }
  int64_t millis = 0;
  if (__builtin_mul_overflow(count, minutes * kMillisPerMinute, &millis)) return SyntaxError();
  Skip();
  return millis;
}

Status Parser::ReferenceOptions(AlterAction* action) {
  if (AtWords({Keyword::kAs, Keyword::kOf, Keyword::kVersion})) {
    Skip(3);
    const bool negative = Accept(TokenType::kMinus);
    FRAZIL_ASSIGN_OR_RETURN(const int64_t snapshot, IntegerValue());
    action->snapshot_id = negative ? -snapshot : snapshot;
  }
  if (AcceptText("RETAIN")) {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t count, IntegerValue());
    FRAZIL_ASSIGN_OR_RETURN(const int64_t millis, DurationMillis(count));
    action->reference_retain_ms = millis;
  }
  if (!action->is_branch || !At(Keyword::kWith)) return Status::Ok();
  Skip();
  FRAZIL_RETURN_IF_ERROR(ExpectText("SNAPSHOT"));
  FRAZIL_RETURN_IF_ERROR(ExpectText("RETENTION"));
  FRAZIL_ASSIGN_OR_RETURN(int64_t count, IntegerValue());
  if (AcceptText("SNAPSHOTS")) {
    action->snapshots_to_keep = count;
    if (!At(TokenType::kInteger)) return Status::Ok();
    FRAZIL_ASSIGN_OR_RETURN(count, IntegerValue());
  }
  FRAZIL_ASSIGN_OR_RETURN(const int64_t millis, DurationMillis(count));
  action->snapshot_retain_ms = millis;
  return Status::Ok();
}

}  // namespace frazil::sql
