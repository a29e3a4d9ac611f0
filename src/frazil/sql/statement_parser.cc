// Which statement it is, and the entry points.

#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<plan::PlanPtr> Parser::SingleStatement() {
  FRAZIL_RETURN_IF_ERROR(CheckUnclosedComment());
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr statement, At(Keyword::kBegin) ? Script() : Statement());
  while (Accept(TokenType::kSemicolon)) {
  }
  FRAZIL_RETURN_IF_ERROR(ExpectEnd());
  return statement;
}

Result<plan::PlanPtr> Parser::SingleQuery() {
  FRAZIL_RETURN_IF_ERROR(CheckUnclosedComment());
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr query, Query());
  FRAZIL_RETURN_IF_ERROR(ExpectEnd());
  return query;
}

Result<plan::ExprPtr> Parser::SingleExpression() {
  FRAZIL_RETURN_IF_ERROR(CheckUnclosedComment());
  FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr expression, NamedExpression());
  FRAZIL_RETURN_IF_ERROR(ExpectEnd());
  return expression;
}

Result<DataTypePtr> Parser::SingleDataType() {
  FRAZIL_RETURN_IF_ERROR(CheckUnclosedComment());
  FRAZIL_ASSIGN_OR_RETURN(DataTypePtr type, Type());
  FRAZIL_RETURN_IF_ERROR(ExpectEnd());
  return type;
}

Result<DataTypePtr> Parser::SingleTableSchema() {
  FRAZIL_RETURN_IF_ERROR(CheckUnclosedComment());
  FRAZIL_ASSIGN_OR_RETURN(std::vector<StructField> columns, TypedColumns(false));
  FRAZIL_RETURN_IF_ERROR(ExpectEnd());
  return DataType::Struct(std::move(columns));
}

Result<Parser::Names> Parser::SingleMultipartIdentifier() {
  FRAZIL_RETURN_IF_ERROR(CheckUnclosedComment());
  FRAZIL_ASSIGN_OR_RETURN(Names parts, MultipartIdentifier());
  FRAZIL_RETURN_IF_ERROR(ExpectEnd());
  return parts;
}

Result<std::vector<plan::AlterAction::OrderField>> Parser::SingleWriteOrder() {
  FRAZIL_RETURN_IF_ERROR(CheckUnclosedComment());
  FRAZIL_ASSIGN_OR_RETURN(auto fields, WriteOrderFields());
  FRAZIL_RETURN_IF_ERROR(ExpectEnd());
  return fields;
}

/// A statement of the grammar that is refused by name.
Result<plan::PlanPtr> Parser::Unsupported(std::string feature) {
  auto command = Make<plan::UnsupportedCommand>(pos_);
  command->feature = std::move(feature);
  return plan::PlanPtr(std::move(command));
}

/// The same, for statements whose text need not be read any further.
Result<plan::PlanPtr> Parser::UnsupportedRest(std::string feature) {
  pos_ = tokens_.size() - 1;
  return Unsupported(std::move(feature));
}

Result<plan::PlanPtr> Parser::Statement() {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  const size_t first = pos_;
  switch (Peek().keyword) {
    case Keyword::kCreate:
      return Create();
    case Keyword::kReplace:
      return Replace();
    case Keyword::kAlter:
      return Alter();
    case Keyword::kDrop:
      return Drop();
    case Keyword::kInsert:
    case Keyword::kDelete:
    case Keyword::kUpdate:
    case Keyword::kMerge:
      return DmlStatement();
    case Keyword::kWith: {
      FRAZIL_ASSIGN_OR_RETURN(std::shared_ptr<plan::WithPlan> with, With());
      if (AtAny({Keyword::kDelete, Keyword::kUpdate, Keyword::kMerge})) {
        command_with_ = std::move(with);
        auto statement = DmlStatement();
        command_with_ = nullptr;
        return statement;
      }
      if (At(Keyword::kFrom)) {
        FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr inserts, FromInsert(with.get()));
        if (inserts != nullptr) return inserts;
      }
      const bool is_insert = At(Keyword::kInsert);
      if (is_insert) {
        FRAZIL_ASSIGN_OR_RETURN(with->child, DmlStatement());
      } else {
        FRAZIL_ASSIGN_OR_RETURN(with->child, QueryAfterWith());
      }
      with->origin = OriginFrom(first);
      const auto* insert =
          is_insert && static_cast<const plan::Command&>(*with->child).command_kind == plan::CommandKind::kInsert
              ? &with->child->As<plan::InsertCommand>()
              : nullptr;
      if (insert == nullptr) return plan::PlanPtr(std::move(with));
      // The names are of use to the inserted query only.
      auto command = std::make_shared<plan::InsertCommand>(*insert);
      command->origin = with->origin;
      with->child = insert->query;
      command->query = std::move(with);
      return plan::PlanPtr(std::move(command));
    }
    case Keyword::kFrom: {
      FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr inserts, FromInsert(nullptr));
      if (inserts != nullptr) return inserts;
      return Query();
    }
    case Keyword::kCall:
      return Call();
    case Keyword::kTruncate:
      return Truncate();
    case Keyword::kShow:
      return Show();
    case Keyword::kDesc:
    case Keyword::kDescribe:
      return Describe();
    case Keyword::kUse:
      return Use();
    case Keyword::kSet:
      return Set();
    case Keyword::kReset:
      return Reset();
    case Keyword::kExplain:
      return Explain();
    case Keyword::kCache:
      return Cache();
    case Keyword::kUncache:
    case Keyword::kClear:
      return Uncache();
    case Keyword::kRefresh:
      return Refresh();
    case Keyword::kAnalyze:
      return Analyze();
    case Keyword::kComment:
      return Comment();
    case Keyword::kDeclare:
      return DeclareVariable();
    case Keyword::kExecute:
      return ExecuteImmediate();
    case Keyword::kLoad:
      FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kLoad, Keyword::kData}));
      return UnsupportedRest("LOAD DATA");
    case Keyword::kMsck:
    case Keyword::kRepair: {
      Accept(Keyword::kMsck);
      FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kRepair, Keyword::kTable}));
      auto command = std::make_shared<plan::AlterTableCommand>();
      FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
      plan::AlterAction action;
      if (AtAny({Keyword::kAdd, Keyword::kDrop, Keyword::kSync})) {
        // What is there already stays, and what is there no more goes.
        action.if_not_exists = !At(Keyword::kDrop);
        action.if_exists = !At(Keyword::kAdd);
        Skip();
        FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kPartitions));
      }
      action.type = plan::AlterAction::Type::kRecoverPartitions;
      action.text = "MSCK REPAIR TABLE";
      command->actions.push_back(std::move(action));
      command->origin = OriginFrom(first);
      return plan::PlanPtr(std::move(command));
    }
    case Keyword::kAdd:
    case Keyword::kList: {
      const std::string verb = At(Keyword::kAdd) ? "ADD" : "LIST";
      if (!IsIdentifier(1)) return SyntaxErrorAt(pos_ + 1);
      return UnsupportedRest(verb + " " + std::string(Peek(1).text) + " (resources)");
    }
    case Keyword::kGrant:
    case Keyword::kRevoke:
      return InvalidStatement(first, {}, At(Keyword::kRole, 1) ? 2 : 1);
    case Keyword::kExport:
    case Keyword::kImport:
    case Keyword::kLock:
    case Keyword::kUnlock:
    case Keyword::kStart:
      return InvalidStatement(first, {}, 2);
    case Keyword::kCommit:
    case Keyword::kRollback:
    case Keyword::kDfs:
      return InvalidStatement(first, {}, 1);
    default:
      break;
  }
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr maintenance, Maintenance());
  if (maintenance != nullptr) return maintenance;
  return Query();
}

}  // namespace frazil::sql
