#include "frazil/commands/view_names.h"

#include "frazil/base/origin.h"
#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"

namespace frazil::commands {

bool IsTempView(const std::vector<std::string>& parts, CommandContext& context) {
  if (parts.size() == 1) return context.FindTempView(parts[0]).has_value();
  return parts.size() == 2 && EqualsIgnoreCase(parts[0], context.global_temp_database()) &&
         context.FindGlobalTempView(parts[1]).has_value();
}

std::optional<std::vector<std::string>> ViewNamed(const std::vector<std::string>& parts, CommandContext& context) {
  if (IsTempView(parts, context)) return parts;
  const auto name = ResolveParts(parts, context);
  if (!name.ok()) return std::nullopt;
  const auto view = name->catalog->LoadView(name->identifier);
  if (!view.ok() || !view->has_value()) return std::nullopt;
  return catalogs::FullName(*name->catalog, name->identifier);
}

Result<analysis::ResolvedTable> ResolveTableName(const plan::NameClause& name, const ViewRefusal& refusal,
                                                 CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(name, context));
  // A temporary view hides a table of its name.
  const bool is_temporary = IsTempView(parts, context);
  if (!is_temporary) {
    auto table = ResolveTableName(name, context);
    if (table.ok() || table.error().condition != "TABLE_OR_VIEW_NOT_FOUND") return table;
    if (!ViewNamed(parts, context)) return table;
  }
  const char* condition = is_temporary && refusal.temporary != nullptr ? refusal.temporary : refusal.condition;
  const auto shown = QuoteIdentifier(ViewNamed(parts, context).value_or(parts));
  const std::string_view text = FindErrorCondition(condition)->message;
  Error::Parameters parameters;
  if (text.find("<viewName>") != std::string_view::npos) {
    parameters = {{"viewName", shown}, {"operation", refusal.operation}};
  } else if (text.find("<tableName>") != std::string_view::npos) {
    return Error::Of(ExceptionClass::kUnsupportedOperation, condition,
                     {{"tableName", shown}, {"operation", refusal.operation}});
  } else if (text.find("<identifier>") != std::string_view::npos) {
    parameters = {{"identifier", shown}};
  }
  auto error = Error::Of(condition, std::move(parameters));
  return error.parameters.empty() ? error : AtOrigin(std::move(error), name.origin);
}

Error ExpectView(const std::string& operation, const char* alternative, const std::vector<std::string>& table) {
  return Error::Of(std::string("EXPECT_VIEW_NOT_TABLE.") + alternative,
                   {{"tableName", QuoteIdentifier(table)}, {"operation", operation}});
}

Error NoNamespace(const catalogs::Catalog& catalog, const catalogs::Namespace& name_space) {
  if (catalog.name() == "spark_catalog" && name_space.size() > 1)
    return Error::Of("_LEGACY_ERROR_TEMP_1126", {{"catalog", Join(name_space, ".")}});
  return catalogs::NamespaceNotFound(catalog, name_space);
}

Status CheckNamespace(const analysis::ResolvedIdentifier& name) {
  if (name.identifier.name_space.size() <= 1) return {};
  const Error error = catalogs::TableNotFound(*name.catalog, name.identifier);
  if (error.condition != "REQUIRES_SINGLE_PART_NAMESPACE") return {};
  return error;
}

}  // namespace frazil::commands
