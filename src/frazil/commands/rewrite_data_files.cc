// CALL system.rewrite_data_files: small files become big ones, deletes are folded in, rows are put into an order. All
// chosen files are replaced in one commit.

#include <algorithm>
#include <set>

#include "frazil/base/text.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/commands/rewrite_files.h"
#include "frazil/commands/rewrite_planning.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/sql/parser.h"
#include "frazil/tables/partition_evolution.h"

namespace frazil::commands {

namespace {

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

/// The procedure's arguments, in the order of its parameters.
struct Arguments {
  std::optional<std::string> strategy, sort_order;
  std::map<std::string, std::string> options;
  std::optional<std::string> where;
  std::string branch;
};

Arguments ArgumentsOf(const std::vector<Value>& values) {
  auto text = [&](size_t i) { return values[i].is_null() ? std::nullopt : std::optional(values[i].string()); };
  Arguments arguments{text(0), text(1), {}, text(3), text(4).value_or("main")};
  if (values[2].is_null()) return arguments;
  const auto& entries = values[2].list();
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    if (!entries[i].is_null() && !entries[i + 1].is_null())
      arguments.options[AsciiLower(entries[i].string())] = entries[i + 1].string();
  }
  return arguments;
}

/// The order that rows are put into; both absent where they only move to other files.
struct Order {
  std::optional<std::vector<tables::SortField>> fields;
  std::optional<CurveOrder> curve;
};

/// zorder(a, b) and hilbert(a, b), which must stand alone.
Result<Order> CurveOf(const std::vector<plan::AlterAction::OrderField>& order, const DataType& schema) {
  const auto& term = order[0].term;
  if (order.size() > 1) return Illegal("Cannot mix identity sort columns and a Zorder sort expression");
  Order result;
  result.fields.emplace();  // The table knows no such order.
  result.curve.emplace();
  result.curve->is_hilbert = term.transform == "hilbert";
  std::vector<std::vector<std::string>> columns = {term.column};
  columns.insert(columns.end(), term.more_columns.begin(), term.more_columns.end());
  for (const auto& column : columns) {
    if (column.size() != 1)
      return Error::Unsupported(term.transform + " order by the nested column " + Join(column, "."));
    const int index = schema.FieldIndex(column[0]);
    if (index < 0) return Illegal("Cannot find column '" + column[0] + "' in the table's schema");
    result.curve->columns.push_back(static_cast<size_t>(index));
  }
  return result;
}

Result<Order> OrderOf(const Arguments& arguments, const analysis::ResolvedTable& table, CommandContext& context) {
  const std::string strategy = AsciiLower(arguments.strategy.value_or(""));
  if (!strategy.empty() && strategy != "binpack" && strategy != "sort") {
    return Illegal("unsupported strategy: " + *arguments.strategy + ". Only binpack or sort is supported");
  }
  if (!arguments.sort_order) {
    if (strategy != "sort") return Order{};
    auto own = table.table->sort_order();
    if (!own.empty()) return Order{std::move(own), std::nullopt};
    return Illegal("Cannot sort data without a valid sort order, table '" + Join(table.full_name, ".") +
                   "' is unsorted and no sort order is provided");
  }
  if (strategy == "binpack") return Illegal("Must use only one rewriter type (bin-pack, sort, zorder)");
  auto order = sql::ParseWriteOrder(*arguments.sort_order, context.parser_options());
  if (!order.ok()) return Illegal("Unable to parse sortOrder: " + *arguments.sort_order);
  for (const auto& field : *order) {
    if (field.term.transform == "zorder" || field.term.transform == "hilbert")
      return CurveOf(*order, *table.table->schema());
  }
  FRAZIL_ASSIGN_OR_RETURN(auto fields, ToSortFields(*order));
  return Order{std::move(fields), std::nullopt};
}

Result<PredicatePtr> FilterOf(const Arguments& arguments, const analysis::ResolvedTable& table,
                              CommandContext& context) {
  if (!arguments.where) return Predicate::True();
  auto condition = sql::ParseExpression(*arguments.where, context.parser_options());
  if (!condition.ok()) return Illegal("Cannot parse predicates in where option: " + *arguments.where);
  return ExactFilter(*condition, table, context);
}

/// How many delete files were left out of the newest state of the table, since they concern no row any more.
Result<int64_t> RemoveDanglingDeletes(const analysis::ResolvedTable& table, CommandContext& context) {
  const auto format = context.formats().Find(table.table->provider());
  const auto* procedure = format == nullptr ? nullptr : format->FindProcedure("remove_dangling_deletes");
  if (procedure == nullptr) return Error::Unsupported("rewrite_data_files with remove-dangling-deletes");
  FRAZIL_ASSIGN_OR_RETURN(auto removed, procedure->call(*table.table, {}));
  return removed.rows[0][0].integer();
}

/// How many deletion vectors go with the data files that they are about.
Result<int64_t> CountVectors(const analysis::ResolvedTable& table, const tables::ScanOptions& state,
                             const std::vector<std::vector<std::string>>& groups) {
  FRAZIL_ASSIGN_OR_RETURN(const auto deletes, table.table->MetadataTable("delete_files"));
  FRAZIL_ASSIGN_OR_RETURN(const auto scan, deletes->Scan(state));
  FRAZIL_ASSIGN_OR_RETURN(const auto rows, scan->Rows());
  const int data_file = rows->schema->FieldIndex("referenced_data_file");
  const int offset = rows->schema->FieldIndex("content_offset");
  if (data_file < 0 || offset < 0) return 0;
  std::set<std::string> paths;
  for (const auto& group : groups) paths.insert(group.begin(), group.end());
  return std::count_if(rows->rows.begin(), rows->rows.end(), [&](const auto& row) {
    const Value& path = row[static_cast<size_t>(data_file)];
    return !row[static_cast<size_t>(offset)].is_null() && !path.is_null() && paths.count(path.string()) != 0;
  });
}

Result<RowSet> Run(const analysis::ResolvedTable& table, const std::vector<Value>& values, CommandContext& context) {
  const Arguments arguments = ArgumentsOf(values);
  tables::WriteOptions options;
  options.mode = tables::WriteMode::kRewriteFiles;
  options.operation = "rewrite";
  FRAZIL_ASSIGN_OR_RETURN(Order order, OrderOf(arguments, table, context));
  const bool is_sorted = order.fields.has_value();
  options.sort = std::move(order.fields);
  if (arguments.branch != "main") options.branch = arguments.branch;
  const char* rewriter = order.curve ? "Z-ORDER" : is_sorted ? "SORT" : "BIN-PACK";
  FRAZIL_ASSIGN_OR_RETURN(RewriteChoice choice,
                          ReadRewriteChoice(arguments.options, table.table->properties(), rewriter));
  options.options["target-file-size-bytes"] = std::to_string(choice.target_size);
  FRAZIL_ASSIGN_OR_RETURN(options.filter, FilterOf(arguments, table, context));

  tables::ScanOptions head;
  head.reference = arguments.branch;
  auto found = table.table->Scan(head);
  if (!found.ok() && arguments.branch != "main")
    return Illegal("Cannot rewrite data files for branch " + arguments.branch + ": branch does not exist");
  FRAZIL_ASSIGN_OR_RETURN(auto scan, std::move(found));
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(options.filter));
  if (const auto* evolution = dynamic_cast<const tables::PartitionEvolution*>(scan.get()))
    choice.output_spec_id = evolution->current_spec_id();
  if (choice.wanted_spec_id && *choice.wanted_spec_id != choice.output_spec_id)
    return Error::Unsupported("rewrite_data_files with output-spec-id of a spec that is not the table's");
  auto groups = PlanRewrite(plan, choice);
  std::vector<std::vector<std::string>> paths;
  int64_t bytes = 0;
  for (const auto& group : groups) {
    auto& of_group = paths.emplace_back();
    for (const auto* file : group.files) of_group.push_back(file->path);
    bytes += group.bytes;
  }
  RewrittenFiles rewritten;
  int64_t removed_deletes = 0;
  if (!paths.empty()) {
    const bool has_vectors = std::any_of(plan.files.begin(), plan.files.end(),
                                         [](const auto& file) { return file.deleted_positions != nullptr; });
    if (has_vectors) {
      FRAZIL_ASSIGN_OR_RETURN(removed_deletes, CountVectors(table, head, paths));
    }
    FRAZIL_ASSIGN_OR_RETURN(rewritten, RewriteFiles(table, scan, paths, options, context, order.curve));
  }
  if (choice.remove_dangling_deletes) {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t dangling, RemoveDanglingDeletes(table, context));
    removed_deletes += dangling;
  }
  DataTypePtr schema = DataType::Struct({{"rewritten_data_files_count", DataType::Integer(), false},
                                         {"added_data_files_count", DataType::Integer(), false},
                                         {"rewritten_bytes_count", DataType::Long(), false},
                                         {"failed_data_files_count", DataType::Integer(), false},
                                         {"removed_delete_files_count", DataType::Integer(), false}});
  return RowSet{
      std::move(schema),
      {{Value(rewritten.removed), Value(rewritten.added), Value(bytes), Value(int64_t{0}), Value(removed_deletes)}}};
}

}  // namespace

EngineProcedure RewriteDataFiles() {
  return {"iceberg",
          "rewrite_data_files",
          {{"strategy", DataType::String()},
           {"sort_order", DataType::String()},
           {"options", DataType::Map(DataType::String(), DataType::String(), true)},
           {"where", DataType::String()},
           {"branch", DataType::String()}},
          Run};
}

}  // namespace frazil::commands
