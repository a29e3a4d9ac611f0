// CALL system.create_changelog_view: a temporary view over the rows that changed between two snapshots.
// Source: https://iceberg.apache.org/docs/latest/spark-procedures/#create_changelog_view and the rules of Iceberg's
// ChangelogIterator.

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

namespace {

constexpr char kRows[] = "__changed_rows";

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

/// The procedure's arguments, in the order of its parameters.
struct Arguments {
  std::optional<std::string> view;
  std::map<std::string, std::string> options;
  std::optional<bool> compute_updates;
  std::optional<std::vector<std::string>> identifiers;
  bool net_changes = false;
};

Arguments ArgumentsOf(const std::vector<Value>& values) {
  Arguments arguments;
  if (!values[0].is_null()) arguments.view = values[0].string();
  if (!values[1].is_null()) {
    const auto& entries = values[1].list();
    for (size_t i = 0; i + 1 < entries.size(); i += 2) {
      if (!entries[i].is_null() && !entries[i + 1].is_null())
        arguments.options[AsciiLower(entries[i].string())] = entries[i + 1].string();
    }
  }
  if (!values[2].is_null()) arguments.compute_updates = values[2].boolean();
  if (!values[3].is_null()) {
    arguments.identifiers.emplace();
    for (const auto& name : values[3].list()) {
      if (!name.is_null()) arguments.identifiers->push_back(name.string());
    }
  }
  arguments.net_changes = !values[4].is_null() && values[4].boolean();
  return arguments;
}

bool IsOrderable(const DataType& type) {
  if (type.id() == TypeId::kMap || type.id() == TypeId::kVariant) return false;
  if (type.id() == TypeId::kArray) return IsOrderable(*type.element_type());
  if (type.id() != TypeId::kStruct) return true;
  return std::all_of(type.fields().begin(), type.fields().end(),
                     [](const StructField& field) { return IsOrderable(*field.type); });
}

std::string ListOf(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const auto& name : names) quoted.push_back(QuoteIdentifier(name));
  return Join(quoted, ", ");
}

/// Rows that a snapshot removed and added alike, since their files were written anew, did not change: of equal rows
/// only those are left that have no counterpart.
std::string WithoutCarriedRows(const std::string& columns) {
  return "SELECT " + columns +
         ", _change_type, _change_ordinal, _commit_snapshot_id FROM (SELECT *, row_number() OVER " + "(PARTITION BY " +
         columns + ", _change_ordinal, _change_type ORDER BY _change_type) AS __number, " +
         "count_if(_change_type = 'DELETE') OVER (PARTITION BY " + columns + ", _change_ordinal) AS __deleted, " +
         "count_if(_change_type = 'INSERT') OVER (PARTITION BY " + columns + ", _change_ordinal) AS __inserted FROM " +
         kRows + ") WHERE __number > CASE _change_type WHEN 'DELETE' THEN __inserted ELSE __deleted END";
}

/// Over all snapshots: equal rows cancel each other out in their order; what is left is told by the first of them that
/// stays.
std::string NetChanges(const std::string& columns) {
  const std::string order = "(PARTITION BY " + columns +
                            " ORDER BY _change_ordinal, _change_type ROWS BETWEEN "
                            "UNBOUNDED PRECEDING AND CURRENT ROW)";
  const std::string sign = "CASE _change_type WHEN 'DELETE' THEN -1 ELSE 1 END";
  return "SELECT " + columns + ", _change_type, _change_ordinal, _commit_snapshot_id FROM (SELECT *, max(CASE WHEN " +
         "__balance = 0 THEN __number ELSE 0 END) OVER (PARTITION BY " + columns + ") AS __settled FROM (SELECT *, " +
         "row_number() OVER (PARTITION BY " + columns + " ORDER BY _change_ordinal, _change_type) AS __number, sum(" +
         sign + ") OVER " + order + " AS __balance, sum(" + sign + ") OVER (PARTITION BY " + columns +
         ") AS __net FROM " + kRows + ")) LATERAL VIEW explode(sequence(1, CAST(abs(__net) AS INT))) AS __copy " +
         "WHERE __net <> 0 AND __number = __settled + 1";
}

/// A row that went and one that came with the same identifiers are one row before and after its update.
std::string WithUpdates(const std::string& columns, const std::string& identifiers, const std::string& names) {
  const std::string same = "(PARTITION BY " + identifiers + ", _change_ordinal";
  return "SELECT " + columns +
         ", CASE WHEN __deletes > 1 THEN CAST(raise_error('Cannot compute updates because there "
         "are multiple rows with the same identifier fields([" +
         names +
         "]). Please make sure the rows are unique.') "
         "AS STRING) WHEN __deletes = 1 AND __inserts > 0 AND _change_type = 'DELETE' THEN 'UPDATE_BEFORE' "
         "WHEN __deletes = 1 AND _change_type = 'INSERT' AND __place = 1 THEN 'UPDATE_AFTER' ELSE _change_type END "
         "AS _change_type, _change_ordinal, _commit_snapshot_id FROM (SELECT *, row_number() OVER " +
         same + ", _change_type ORDER BY _change_type) AS __place, count_if(_change_type = 'DELETE') OVER " + same +
         ") AS __deletes, count_if(_change_type = 'INSERT') OVER " + same + ") AS __inserts FROM (" +
         WithoutCarriedRows(columns) + "))";
}

Result<std::string> QueryOf(const Arguments& arguments, const analysis::ResolvedTable& table, CommandContext& context) {
  const auto& fields = table.table->schema()->fields();
  std::vector<std::string> names, unorderable;
  for (const auto& field : fields) {
    names.push_back(field.name);
    if (!IsOrderable(*field.type)) unorderable.push_back(field.name);
  }
  std::vector<std::string> identifiers;
  if (arguments.identifiers) {
    identifiers = *arguments.identifiers;
  } else {
    const auto properties = table.table->properties();
    if (auto own = properties.find("identifier-fields"); own != properties.end()) {
      const std::string& list = own->second;  // "[a,b]"
      for (const auto& name : Split(list.substr(1, list.size() - 2), ',')) identifiers.push_back(name);
    }
  }
  if (identifiers.empty() && !unorderable.empty()) {
    return Illegal("Identifier field is required as table contains unorderable columns: [" + Join(unorderable, ", ") +
                   "]");
  }
  if (!unorderable.empty())
    return Error::Unsupported("create_changelog_view of tables with the columns " + Join(unorderable, ", "));
  std::vector<std::string> quoted;
  for (const auto& name : identifiers) {
    FRAZIL_ASSIGN_OR_RETURN(auto parts, sql::ParseMultipartIdentifier(name, context.parser_options()));
    const int index = parts.size() == 1 ? table.table->schema()->FieldIndex(parts[0]) : -1;
    if (index < 0) return Illegal("Cannot find the identifier column " + name);
    quoted.push_back(QuoteIdentifier(fields[static_cast<size_t>(index)].name));
  }
  const std::string columns = ListOf(names);
  if (arguments.compute_updates.value_or(arguments.identifiers.has_value())) {
    if (arguments.net_changes) return Illegal("Not support net changes with update images");
    if (identifiers.empty()) return Illegal("Cannot compute the update images because identifier columns are not set");
    return WithUpdates(columns, Join(quoted, ", "), Join(identifiers, ","));
  }
  return arguments.net_changes ? NetChanges(columns) : WithoutCarriedRows(columns);
}

Result<RowSet> Run(const analysis::ResolvedTable& table, const std::vector<Value>& values, CommandContext& context) {
  Arguments arguments = ArgumentsOf(values);
  FRAZIL_ASSIGN_OR_RETURN(std::string query, QueryOf(arguments, table, context));
  // The view tells the changes up to now, also when the table has changed again.
  const auto properties = table.table->properties();
  const auto newest = properties.find("current-snapshot-id");
  if (!arguments.options.contains("end-snapshot-id") && !arguments.options.contains("end-timestamp") &&
      newest != properties.end() && newest->second != "none")
    arguments.options["end-snapshot-id"] = newest->second;
  auto changes = std::make_shared<plan::NamedTablePlan>();
  changes->name = table.full_name;
  changes->name.emplace_back("changes");
  for (const auto& [key, value] : arguments.options) changes->options[key] = value;
  analysis::TempView rows;
  rows.plan = std::move(changes);
  rows.current_catalog = context.current_catalog();
  rows.current_namespace = context.current_namespace();

  analysis::TempView view;
  FRAZIL_ASSIGN_OR_RETURN(view.plan, sql::ParseQuery(query));
  view.current_catalog = rows.current_catalog;
  view.current_namespace = rows.current_namespace;
  view.captured_views = std::make_shared<const std::map<std::string, analysis::TempView>>(
      std::map<std::string, analysis::TempView>{{kRows, std::move(rows)}});
  std::string name = arguments.view.value_or("`" + table.full_name.back() + "_changes`");
  FRAZIL_ASSIGN_OR_RETURN(auto parts, sql::ParseMultipartIdentifier(name, context.parser_options()));
  if (parts.size() != 1)
    return Error::Of("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", {{"actualName", QuoteIdentifier(parts)}});
  context.PutTempView(parts[0], std::move(view), false);
  return RowSet{DataType::Struct({{"changelog_view", DataType::String(), false}}), {{Value(std::move(name))}}};
}

}  // namespace

EngineProcedure CreateChangelogView() {
  return {"iceberg",
          "create_changelog_view",
          {{"changelog_view", DataType::String()},
           {"options", DataType::Map(DataType::String(), DataType::String(), true)},
           {"compute_updates", DataType::Boolean()},
           {"identifier_columns", DataType::Array(DataType::String(), true)},
           {"net_changes", DataType::Boolean()}},
          Run};
}

}  // namespace frazil::commands
