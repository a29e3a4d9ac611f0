// DROP.

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<plan::PlanPtr> Parser::Drop() {
  const size_t first = pos_;
  Skip();
  if (Accept(Keyword::kTable)) {
    auto command = std::make_shared<plan::DropTableCommand>();
    FRAZIL_ASSIGN_OR_RETURN(command->if_exists, IfExists());
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    command->purge = Accept(Keyword::kPurge);
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  }
  if (Accept(Keyword::kView)) {
    auto command = std::make_shared<plan::DropViewCommand>();
    FRAZIL_ASSIGN_OR_RETURN(command->if_exists, IfExists());
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  }
  if (AtNamespace()) {
    Skip();
    auto command = std::make_shared<plan::DropNamespaceCommand>();
    FRAZIL_ASSIGN_OR_RETURN(command->if_exists, IfExists());
    FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
    command->cascade = Accept(Keyword::kCascade);
    if (!command->cascade) Accept(Keyword::kRestrict);
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  }
  if (AtAny({Keyword::kVariable, Keyword::kVar}, 1) && At(Keyword::kTemporary)) {
    Skip(2);
    auto command = std::make_shared<plan::VariableCommand>();
    command->type = plan::VariableCommand::Type::kDrop;
    FRAZIL_ASSIGN_OR_RETURN(command->if_exists, IfExists());
    FRAZIL_ASSIGN_OR_RETURN(plan::NameClause name, NameReference());
    if (name.identifier != nullptr) {
      command->name_identifiers.push_back(std::move(name.identifier));
    } else {
      command->names.push_back(std::move(name.parts));
    }
    command->origin = OriginFrom(first);
    return plan::PlanPtr(std::move(command));
  }
  const bool temporary = At(Keyword::kTemporary);
  if (At(Keyword::kFunction, temporary ? 1 : 0)) {
    Skip(temporary ? 2 : 1);
    return DropFunction(first, temporary);
  }
  if (At(Keyword::kIndex)) return UnsupportedRest("DROP INDEX");
  if (At(Keyword::kRole) || AtWords({Keyword::kTemporary, Keyword::kMacro})) {
    return InvalidStatement(first, "DROP", At(Keyword::kRole) ? 1 : 2);
  }
  return SyntaxError();
}

}  // namespace frazil::sql
