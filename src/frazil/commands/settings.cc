#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/sql/parser.h"
#include "frazil/types/time_zone.h"

namespace frazil::commands {

Result<RowSet> RunUse(const plan::UseCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  if (command.is_set_catalog) {
    FRAZIL_RETURN_IF_ERROR(context.SetCurrentCatalog(parts.back()));
    return NoRows();
  }
  if (!command.is_namespace && context.HasCatalog(parts[0])) {
    if (parts.size() == 1) {
      FRAZIL_RETURN_IF_ERROR(context.SetCurrentCatalog(parts[0]));
      return NoRows();
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveNamespace(parts, context));
  FRAZIL_ASSIGN_OR_RETURN(bool exists, resolved.catalog->NamespaceExists(resolved.name_space));
  if (!exists) return catalogs::NamespaceNotFound(*resolved.catalog, resolved.name_space);
  FRAZIL_RETURN_IF_ERROR(context.SetCurrentCatalog(resolved.catalog->name()));
  context.SetCurrentNamespace(resolved.name_space);
  return NoRows();
}

namespace {

/// Whether a setting's value is not to be shown: Spark's spark.redaction.regex, and the names of keys and credentials
/// in catalogs' and stores' settings that it does not match.
bool IsSecret(const std::string& key) {
  const std::string name = AsciiLower(key);
  for (const char* part : {"secret", "password", "token", "access.key", "accesskey", "credential", "encryption.key",
                           "sse.key", "authorization"}) {
    if (name.find(part) != std::string::npos) return !name.ends_with("provider");
  }
  return false;
}

std::string Shown(const std::string& key, std::string value) {
  return IsSecret(key) ? "*********(redacted)" : std::move(value);
}

}  // namespace

namespace {

/// A variable of the session is not set by SET without VARIABLE.
Status CheckNoVariable(const std::string& key, CommandContext& context) {
  const auto name = sql::ParseMultipartIdentifier(key, context.parser_options());
  if (!name.ok()) return {};
  const bool is_plain =
      name->size() == 1 || (name->size() == 2 && EqualsIgnoreCase(name->front(), "session")) ||
      (name->size() == 3 && EqualsIgnoreCase(name->front(), "system") && EqualsIgnoreCase((*name)[1], "session"));
  if (!is_plain || !context.FindVariable(name->back())) return {};
  return Error::Of("UNSUPPORTED_FEATURE.SET_VARIABLE_USING_SET", {{"variableName", QuoteIdentifier(*name)}});
}

}  // namespace

Result<RowSet> RunSet(const plan::SetCommand& command, CommandContext& context) {
  if (command.is_time_zone) {
    std::string zone = command.value.value_or("LOCAL");
    if (EqualsIgnoreCase(zone, "LOCAL")) zone = "UTC";
    FRAZIL_RETURN_IF_ERROR(context.SetConfig("spark.sql.session.timeZone", zone));
    return TextRows({"key", "value"}, {{"spark.sql.session.timeZone", zone}});
  }
  if (!command.key.has_value()) {
    std::vector<std::vector<std::string>> rows;
    for (auto& item : context.Configs(command.verbose)) {
      if (command.verbose) {
        rows.push_back({item.key, Shown(item.key, item.value), item.documentation, ""});
      } else {
        rows.push_back({item.key, Shown(item.key, item.value)});
      }
    }
    if (command.verbose) return TextRows({"key", "value", "meaning", "Since version"}, std::move(rows));
    return TextRows({"key", "value"}, std::move(rows));
  }
  if (command.value.has_value()) {
    FRAZIL_RETURN_IF_ERROR(CheckNoVariable(*command.key, context));
    FRAZIL_RETURN_IF_ERROR(context.SetConfig(*command.key, *command.value));
    return TextRows({"key", "value"}, {{*command.key, Shown(*command.key, *command.value)}});
  }
  const auto value = context.GetConfig(*command.key);
  return TextRows({"key", "value"}, {{*command.key, value ? Shown(*command.key, *value) : "<undefined>"}});
}

Result<RowSet> RunReset(const plan::ResetCommand& command, CommandContext& context) {
  if (command.key.has_value()) {
    FRAZIL_RETURN_IF_ERROR(context.UnsetConfig(*command.key));
  } else {
    context.ResetConfigs();
  }
  return NoRows();
}

Result<RowSet> RunExplain(const plan::ExplainCommand& command, CommandContext& context) {
  auto text = context.Explain(command.plan, command.mode);
  RowSet result = TextRows({"plan"}, {});
  if (text.ok()) {
    result.rows.push_back({Value(*text)});
    return result;
  }
  // EXPLAIN of a statement that cannot be analyzed shows the error instead of raising it, line by line, as Spark does.
  result.rows.push_back({Value("Error occurred during query planning: ")});
  for (const auto& line : Split(text.error().message, '\n')) result.rows.push_back({Value(line)});
  return result;
}

}  // namespace frazil::commands
