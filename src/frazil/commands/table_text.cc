#include "frazil/commands/table_text.h"

#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/owned_tables.h"
#include "frazil/tables/files/file_table.h"

namespace frazil::commands {

namespace {

std::string Quoted(const std::string& text) { return "'" + ReplaceAll(text, "'", "\\'") + "'"; }

std::string NameText(const std::vector<std::string>& name) {
  std::vector<std::string> parts;
  for (const auto& part : name) parts.push_back(QuoteIdentifierIfNeeded(part));
  return Join(parts, ".");
}

std::string PropertiesText(const std::map<std::string, std::string>& properties) {
  std::string text;
  for (const auto& [key, value] : properties) {
    text += (text.empty() ? "" : ",\n") + std::string("  ") + Quoted(key) + " = " + Quoted(value);
  }
  return text;
}

}  // namespace

std::string TransformText(const tables::PartitionField& field) {
  using tables::TransformKind;
  std::string column = NameText(field.source);
  switch (field.transform) {
    case TransformKind::kIdentity:
      return column;
    case TransformKind::kBucket:
      return "bucket(" + std::to_string(field.parameter) + ", " + column + ")";
    case TransformKind::kTruncate:
      return "truncate(" + std::to_string(field.parameter) + ", " + column + ")";
    case TransformKind::kYear:
      return "years(" + column + ")";
    case TransformKind::kMonth:
      return "months(" + column + ")";
    case TransformKind::kDay:
      return "days(" + column + ")";
    case TransformKind::kHour:
      return "hours(" + column + ")";
    case TransformKind::kVoid:
      return "void(" + column + ")";
  }
  return column;
}

Result<std::string> TableTypeText(const tables::Table& table, catalogs::Catalog* catalog,
                                  const catalogs::Identifier& identifier) {
  for (const auto& [key, value] : table.details()) {
    if (key == "Type") return value;
  }
  if (auto* owner = dynamic_cast<catalogs::OwnedTables*>(catalog); owner != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(bool owns, owner->OwnsFiles(identifier));
    return std::string(owns ? "MANAGED" : "EXTERNAL");
  }
  return std::string(table.provider() == "delta" ? "EXTERNAL" : "MANAGED");
}

std::vector<std::pair<std::string, std::string>> TableDetails(const tables::Table& table,
                                                              const std::vector<std::string>& full_name,
                                                              const std::string& type) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (table.provider() == "iceberg") {
    rows.emplace_back("Name", NameText(full_name));
  } else {
    rows.emplace_back("Catalog", full_name[0]);
    rows.emplace_back("Database", full_name.size() > 2 ? full_name[full_name.size() - 2] : "");
    rows.emplace_back("Table", full_name.back());
  }
  std::vector<std::pair<std::string, std::string>> more = table.details();
  std::erase_if(more, [](const auto& detail) { return detail.first == "Type"; });
  rows.emplace_back("Type", type);
  if (!table.comment().empty()) rows.emplace_back("Comment", table.comment());
  bool is_local = storage::SchemeOf(table.location()).empty() && table.provider() != "iceberg";
  rows.emplace_back("Location", is_local ? "file:" + table.location() : table.location());
  rows.emplace_back("Provider", table.provider());
  rows.insert(rows.end(), more.begin(), more.end());
  auto all = table.properties();
  // Spark shows a property that is its own by itself.
  if (auto owner = all.find("owner"); table.provider() == "iceberg" && owner != all.end()) {
    rows.emplace_back("Owner", owner->second);
    all.erase(owner);
  }
  std::string properties;
  for (const auto& [key, value] : all) properties += (properties.empty() ? "" : ",") + key + "=" + value;
  if (!properties.empty() || table.provider() == "iceberg")
    rows.emplace_back("Table Properties", "[" + properties + "]");
  return rows;
}

std::string CreateTableText(const tables::Table& table, const std::vector<std::string>& full_name,
                            const std::string& type) {
  std::string text = "CREATE TABLE " + NameText(full_name) + " (\n";
  for (size_t i = 0; i < table.schema()->fields().size(); ++i) {
    const auto& field = table.schema()->fields()[i];
    text += (i == 0 ? "  " : ",\n  ") + QuoteIdentifierIfNeeded(field.name) + " " + field.type->Sql();
    if (!field.nullable) text += " NOT NULL";
    if (const auto value = analysis::DefaultText(field); value.has_value()) text += " DEFAULT " + *value;
    if (!field.Comment().empty()) text += " COMMENT " + Quoted(field.Comment());
  }
  text += ")\nUSING " + table.provider() + "\n";
  const auto* files = dynamic_cast<const tables::FileTable*>(&table);
  if (files != nullptr && !files->options().empty()) text += "OPTIONS (\n" + PropertiesText(files->options()) + ")\n";
  auto partitioning = table.partitioning();
  if (!partitioning.empty()) {
    std::vector<std::string> terms;
    for (const auto& field : partitioning) terms.push_back(TransformText(field));
    text += "PARTITIONED BY (" + Join(terms, ", ") + ")\n";
  }
  if (!table.comment().empty()) text += "COMMENT " + Quoted(table.comment()) + "\n";
  if (table.provider() == "iceberg" || type == "EXTERNAL") {
    bool is_local = storage::SchemeOf(table.location()).empty() && table.provider() != "iceberg";
    text += "LOCATION " + Quoted((is_local ? "file:" : "") + table.location()) + "\n";
  }
  auto properties = table.properties();
  if (!properties.empty()) text += "TBLPROPERTIES (\n" + PropertiesText(properties) + ")\n";
  return text;
}

std::string CreateViewText(const catalogs::ViewDefinition& view, const std::vector<std::string>& full_name) {
  std::string text =
      "CREATE VIEW " + NameText(std::vector<std::string>(full_name.begin() + 1, full_name.end())) + " (\n";
  for (size_t i = 0; i < view.schema->fields().size(); ++i) {
    const auto& field = view.schema->fields()[i];
    text += (i == 0 ? "  " : ",\n  ") + QuoteIdentifierIfNeeded(field.name);
    if (!field.Comment().empty()) text += " COMMENT " + Quoted(field.Comment());
  }
  text += ")\n";
  if (!view.comment.empty()) text += "COMMENT " + Quoted(view.comment) + "\n";
  if (!view.properties.empty()) text += "TBLPROPERTIES (\n" + PropertiesText(view.properties) + ")\n";
  text += "WITH SCHEMA " + view.schema_binding + "\n";
  return text + "AS " + view.query_text + "\n";
}

}  // namespace frazil::commands
