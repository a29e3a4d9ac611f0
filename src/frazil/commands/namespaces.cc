#include "frazil/commands/statements_internal.h"
#include "frazil/commands/view_names.h"

namespace frazil::commands {

namespace {

std::map<std::string, std::string> ToMap(const plan::Properties& properties, const std::optional<std::string>& comment,
                                         const std::optional<std::string>& location) {
  std::map<std::string, std::string> map(properties.begin(), properties.end());
  if (comment.has_value()) map["comment"] = *comment;
  if (location.has_value()) map["location"] = *location;
  return map;
}

}  // namespace

Result<RowSet> RunCreateNamespace(const plan::CreateNamespaceCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
  if (command.if_not_exists) {
    FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved.catalog->NamespaceExists(resolved.name_space));
    if (exists) return NoRows();
  }
  FRAZIL_RETURN_IF_ERROR(resolved.catalog->CreateNamespace(
      resolved.name_space, ToMap(command.properties, command.comment, command.location)));
  return NoRows();
}

Result<RowSet> RunDropNamespace(const plan::DropNamespaceCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved.catalog->NamespaceExists(resolved.name_space));
  if (!exists) {
    if (command.if_exists) return NoRows();
    return NoNamespace(*resolved.catalog, resolved.name_space);
  }
  FRAZIL_RETURN_IF_ERROR(resolved.catalog->DropNamespace(resolved.name_space, command.cascade));
  return NoRows();
}

Result<RowSet> RunAlterNamespace(const plan::AlterNamespaceCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
  if (command.collation.has_value()) return Error::Unsupported("ALTER NAMESPACE ... DEFAULT COLLATION");
  FRAZIL_RETURN_IF_ERROR(resolved.catalog->AlterNamespace(
      resolved.name_space, ToMap(command.properties, std::nullopt, command.location), command.unset_keys));
  return NoRows();
}

}  // namespace frazil::commands
