// CALL system.rewrite_data_files: small files become big ones, deletes are folded in, rows are put into an order. All
// chosen files are replaced in one commit.

#include <algorithm>
#include <set>
#include <span>

#include "frazil/base/logging.h"
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
      arguments.options[entries[i].string()] = entries[i + 1].string();
  }
  return arguments;
}

/// The order that rows are put into; both absent where they only move to other files.
struct Order {
  std::optional<std::vector<tables::SortField>> fields;
  std::optional<CurveOrder> curve;
};

bool IsIdentityPartition(const tables::Table& table, const std::string& column) {
  const auto fields = table.partitioning();
  return std::any_of(fields.begin(), fields.end(), [&](const tables::PartitionField& field) {
    return field.transform == tables::TransformKind::kIdentity && field.source.size() == 1 &&
           EqualsIgnoreCase(field.source[0], column);
  });
}

/// zorder(a, b) and hilbert(a, b).
Result<Order> CurveOf(const std::vector<plan::AlterAction::OrderField>& order, const tables::Table& table) {
  const DataTypePtr schema = table.schema();
  const auto& term = order[0].term;
  Order result;
  result.fields.emplace();  // The table knows no such order.
  result.curve.emplace();
  result.curve->is_hilbert = term.transform == "hilbert";
  std::vector<std::vector<std::string>> columns = {term.column};
  columns.insert(columns.end(), term.more_columns.begin(), term.more_columns.end());
  for (const auto& column : columns) {
    if (column.size() != 1)
      return Error::Unsupported(term.transform + " order by the nested column " + Join(column, "."));
    const int index = schema->FieldIndex(column[0]);
    if (index < 0) {
      return Illegal("Cannot find column '" + column[0] +
                     "' in table schema (case sensitive = false): " + schema->SimpleString());
    }
    // Within a partition they are all the same.
    if (!IsIdentityPartition(table, column[0])) result.curve->columns.push_back(static_cast<size_t>(index));
  }
  if (result.curve->columns.empty()) {
    return Illegal("Cannot " + std::string(result.curve->is_hilbert ? "Hilbert order" : "ZOrder") +
                   ", all columns provided were identity partition columns and cannot be used");
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
  if (strategy == "binpack") return Illegal("Cannot set rewrite mode, it has already been set to BIN-PACK");
  auto order = sql::ParseWriteOrder(*arguments.sort_order, context.parser_options());
  if (!order.ok()) return Illegal("Unable to parse sortOrder: " + *arguments.sort_order);
  for (const auto& field : *order) {
    if (field.term.transform != "zorder" && field.term.transform != "hilbert") continue;
    if (order->size() > 1) {
      return Illegal("Cannot mix identity sort columns and a Zorder or Hilbert sort expression: " +
                     *arguments.sort_order);
    }
    return CurveOf(*order, *table.table);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto fields, ToSortFields(*order));
  return Order{std::move(fields), std::nullopt};
}

Result<PredicatePtr> FilterOf(const Arguments& arguments, const analysis::ResolvedTable& table,
                              CommandContext& context) {
  if (!arguments.where) return Predicate::True();
  auto condition = sql::ParseExpression(*arguments.where, context.parser_options());
  if (!condition.ok()) return Illegal("Cannot parse predicates in where option: " + *arguments.where);
  auto filter = ExactFilter(*condition, table, context);
  // What is wrong with the condition itself has a condition of its own.
  if (filter.ok() || filter.error().condition.empty() || filter.error().kind == ErrorKind::kUnsupported) return filter;
  return Illegal("Cannot parse predicates in where option: " + *arguments.where);
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

struct Outcome {
  int64_t removed = 0, added = 0, bytes = 0, failed = 0, removed_deletes = 0;
};

RowSet RowOf(const Outcome& outcome) {
  return RowSet{DataType::Struct({{"rewritten_data_files_count", DataType::Integer(), false},
                                  {"added_data_files_count", DataType::Integer(), false},
                                  {"rewritten_bytes_count", DataType::Long(), false},
                                  {"failed_data_files_count", DataType::Integer(), false},
                                  {"removed_delete_files_count", DataType::Integer(), false}}),
                {{Value(outcome.removed), Value(outcome.added), Value(outcome.bytes), Value(outcome.failed),
                  Value(outcome.removed_deletes)}}};
}

struct Rewrite {
  const analysis::ResolvedTable& table;
  const tables::TableScanPtr& scan;
  const tables::ScanOptions& head;
  const tables::WriteOptions& options;
  const std::optional<CurveOrder>& curve;
  CommandContext& context;

  /// Some groups in one commit.
  Status Run(std::span<const RewriteGroup> groups, Outcome* outcome) const {
    std::vector<std::vector<std::string>> paths;
    int64_t bytes = 0;
    bool has_vectors = false;
    for (const auto& group : groups) {
      auto& of_group = paths.emplace_back();
      for (const auto* file : group.files) {
        of_group.push_back(file->path);
        has_vectors = has_vectors || file->deleted_positions != nullptr;
      }
      bytes += group.bytes;
    }
    int64_t vectors = 0;
    if (has_vectors) {
      FRAZIL_ASSIGN_OR_RETURN(vectors, CountVectors(table, head, paths));
    }
    FRAZIL_ASSIGN_OR_RETURN(const auto rewritten, RewriteFiles(table, scan, paths, options, context, curve));
    outcome->removed += rewritten.removed;
    outcome->added += rewritten.added;
    outcome->bytes += bytes;
    outcome->removed_deletes += vectors;
    return {};
  }
};

/// A commit that fails leaves its files as they were, and the others go on.
Status RunInParts(const Rewrite& rewrite, std::span<const RewriteGroup> groups, const RewriteChoice& choice,
                  Outcome* outcome) {
  const auto most = static_cast<size_t>(choice.max_commits);
  const size_t in_commit = std::max<size_t>((groups.size() + most - 1) / most, 1);
  int64_t failed_commits = 0;
  for (size_t first = 0; first < groups.size(); first += in_commit) {
    const auto part = groups.subspan(first, std::min(in_commit, groups.size() - first));
    Status done = rewrite.Run(part, outcome);
    if (done.ok()) continue;
    if (done.error().kind == ErrorKind::kCancelled || done.error().kind == ErrorKind::kUnknownCommit) return done;
    Log(LogLevel::kWarn, "A part of a rewrite failed", {{"error", done.error().message}});
    ++failed_commits;
    for (const auto& group : part) outcome->failed += static_cast<int64_t>(group.files.size());
  }
  const int64_t allowed = choice.max_failed_commits.value_or(choice.max_commits);
  if (failed_commits <= allowed) return {};
  return Error::Plain(
      ExceptionClass::kSpark,
      "java.lang.RuntimeException: partial-progress.enabled is true but " + std::to_string(failed_commits) +
          " rewrite commits failed. This is more than the maximum allowed failures of " + std::to_string(allowed) +
          ". Check the logs to determine why the individual commits failed. If this is persistent it may help to "
          "increase partial-progress.max-commits which will split the rewrite operation into smaller commits.");
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
  Outcome outcome;
  // A branch that is not there has no files.
  if (!found.ok() && arguments.branch != "main") return RowOf(outcome);
  FRAZIL_ASSIGN_OR_RETURN(auto scan, std::move(found));
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(options.filter));
  if (const auto* evolution = dynamic_cast<const tables::PartitionEvolution*>(scan.get()))
    choice.output_spec_id = evolution->current_spec_id();
  if (choice.wanted_spec_id) {
    choice.output_spec_id = static_cast<int32_t>(*choice.wanted_spec_id);
    options.options["output-spec-id"] = std::to_string(*choice.wanted_spec_id);
    // Said before a file is read, and even where none is to be.
    FRAZIL_ASSIGN_OR_RETURN(auto probe, table.table->StartWrite(options));
    probe->Abort();
  }
  const auto groups = PlanRewrite(plan, choice);
  Rewrite rewrite{table, scan, head, options, order.curve, context};
  if (choice.partial_progress) {
    FRAZIL_RETURN_IF_ERROR(RunInParts(rewrite, groups, choice, &outcome));
  } else if (!groups.empty()) {
    FRAZIL_RETURN_IF_ERROR(rewrite.Run(groups, &outcome));
  }
  if (choice.remove_dangling_deletes) {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t dangling, RemoveDanglingDeletes(table, context));
    outcome.removed_deletes += dangling;
  }
  return RowOf(outcome);
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
