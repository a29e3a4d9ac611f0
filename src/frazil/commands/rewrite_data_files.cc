// CALL system.rewrite_data_files: small files become big ones, deletes are folded in, rows are put into an order. Which
// files are chosen follows Iceberg's bin-packing planner ("rewrite_data_files" of its Spark procedures); all chosen
// files are replaced in one commit.

#include <charconv>
#include <limits>

#include "frazil/analysis/predicate_extraction.h"
#include "frazil/base/text.h"
#include "frazil/commands/procedures_internal.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/commands/table_definition.h"
#include "frazil/commands/table_writer.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {

namespace {

using Options = std::map<std::string, std::string>;

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

/// How files are chosen, by the procedure's options and the table's properties.
struct Choice {
  int64_t target_size = 512LL * 1024 * 1024;
  int64_t min_size = 0, max_size = 0;
  int64_t min_input_files = 5;
  int64_t max_group_size = 100LL * 1024 * 1024 * 1024;
  int64_t delete_files = std::numeric_limits<int64_t>::max();
  double delete_ratio = 0.3;
  bool all = false;
};

Result<int64_t> NumberOf(const std::string& key, const std::string& text) {
  int64_t number = 0;
  auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || stopped != text.data() + text.size() || number < 0) {
    return Illegal("The option '" + key + "' must be a number that is not negative, not '" + text + "'");
  }
  return number;
}

Result<Choice> ReadOptions(const Options& options, const Options& properties) {
  // Taken, without a meaning here: everything is one job with one commit.
  static const std::vector<std::string> kOfJobs = {"partial-progress.enabled",
                                                   "partial-progress.max-commits",
                                                   "partial-progress.max-failed-commits",
                                                   "max-concurrent-file-group-rewrites",
                                                   "use-starting-sequence-number",
                                                   "rewrite-job-order",
                                                   "remove-dangling-deletes",
                                                   "shuffle-partitions-per-file",
                                                   "compression-factor"};
  Choice choice;
  if (auto found = properties.find("write.target-file-size-bytes"); found != properties.end()) {
    FRAZIL_ASSIGN_OR_RETURN(choice.target_size, NumberOf(found->first, found->second));
  }
  std::optional<int64_t> min_size, max_size;
  std::vector<std::string> unknown;
  for (const auto& [key, value] : options) {
    auto number = [&](auto* out) -> Status {
      FRAZIL_ASSIGN_OR_RETURN(*out, NumberOf(key, value));
      return {};
    };
    if (key == "target-file-size-bytes") {
      FRAZIL_RETURN_IF_ERROR(number(&choice.target_size));
    } else if (key == "min-file-size-bytes") {
      FRAZIL_RETURN_IF_ERROR(number(&min_size));
    } else if (key == "max-file-size-bytes") {
      FRAZIL_RETURN_IF_ERROR(number(&max_size));
    } else if (key == "min-input-files") {
      FRAZIL_RETURN_IF_ERROR(number(&choice.min_input_files));
    } else if (key == "max-file-group-size-bytes") {
      FRAZIL_RETURN_IF_ERROR(number(&choice.max_group_size));
    } else if (key == "delete-file-threshold") {
      FRAZIL_RETURN_IF_ERROR(number(&choice.delete_files));
    } else if (key == "delete-ratio-threshold") {
      choice.delete_ratio = std::strtod(value.c_str(), nullptr);
      if (!(choice.delete_ratio > 0 && choice.delete_ratio <= 1)) {
        return Illegal("'delete-ratio-threshold' is set to " + value + " but must be > 0 and <= 1");
      }
    } else if (key == "rewrite-all") {
      choice.all = EqualsIgnoreCase(value, "true");
    } else if (std::find(kOfJobs.begin(), kOfJobs.end(), key) == kOfJobs.end()) {
      unknown.push_back(key);
    }
  }
  if (!unknown.empty()) {
    return Illegal("Cannot use options [" + Join(unknown, ", ") +
                   "], they are not supported by the action or the rewriter BIN-PACK");
  }
  choice.min_size = min_size.value_or(static_cast<int64_t>(static_cast<double>(choice.target_size) * 0.75));
  choice.max_size = max_size.value_or(static_cast<int64_t>(static_cast<double>(choice.target_size) * 1.8));
  if (choice.target_size <= 0)
    return Illegal("'target-file-size-bytes' is set to " + std::to_string(choice.target_size) + " but must be > 0");
  if (choice.min_size > choice.target_size || choice.max_size <= choice.target_size) {
    return Illegal("'target-file-size-bytes' (" + std::to_string(choice.target_size) +
                   ") must be between 'min-file-size-bytes' (" + std::to_string(choice.min_size) +
                   ") and 'max-file-size-bytes' (" + std::to_string(choice.max_size) + ")");
  }
  if (choice.min_input_files <= 0) {
    return Illegal("'min-input-files' is set to " + std::to_string(choice.min_input_files) + " but must be > 0");
  }
  return choice;
}

bool HasManyDeletes(const tables::ScanFile& file, const Choice& choice) {
  int64_t rows = file.deleted_positions != nullptr ? static_cast<int64_t>(file.deleted_positions->size()) : 0;
  int64_t files = (file.deleted_positions != nullptr ? 1 : 0) + static_cast<int64_t>(file.position_delete_files.size());
  for (const auto& deletes : file.position_delete_files) rows += std::max<int64_t>(0, deletes->record_count);
  if (files >= choice.delete_files) return true;
  return file.record_count > 0 &&
         static_cast<double>(std::min(rows, file.record_count)) / static_cast<double>(file.record_count) >=
             choice.delete_ratio;
}

struct Group {
  std::vector<const tables::ScanFile*> files;
  int64_t bytes = 0;
};

std::vector<Group> ChooseGroups(const tables::ScanPlan& plan, const Choice& choice) {
  std::vector<Group> open;
  std::map<std::string, size_t> group_of_partition;
  for (const auto& file : plan.files) {
    bool chosen =
        choice.all || file.size < choice.min_size || file.size > choice.max_size || HasManyDeletes(file, choice);
    if (!chosen) continue;
    std::string key = std::to_string(file.partition_spec_id);
    if (plan.partition_type != nullptr && !file.partition.empty()) {
      key += "|" + QuotedLiteralSql(*plan.partition_type, Value(Value::List(file.partition)));
    }
    auto [found, is_new] = group_of_partition.emplace(key, open.size());
    if (is_new) open.emplace_back();
    if (!open[found->second].files.empty() && open[found->second].bytes + file.size > choice.max_group_size) {
      found->second = open.size();
      open.emplace_back();
    }
    Group& group = open[found->second];
    group.files.push_back(&file);
    group.bytes += std::max<int64_t>(0, file.size);
  }
  std::vector<Group> result;
  for (auto& group : open) {
    auto count = static_cast<int64_t>(group.files.size());
    bool worth = choice.all || (count > 1 && count >= choice.min_input_files) ||
                 (count > 1 && group.bytes > choice.target_size) || group.bytes > choice.max_size ||
                 std::any_of(group.files.begin(), group.files.end(),
                             [&](const auto* file) { return HasManyDeletes(*file, choice); });
    if (worth) result.push_back(std::move(group));
  }
  return result;
}

/// sort_order => 'id DESC NULLS LAST, days(ts)'.
Result<std::vector<tables::SortField>> ParseSortOrder(const std::string& text, CommandContext& context) {
  std::string start = AsciiLower(std::string(TrimBlanks(text)));
  for (const char* curve : {"zorder", "hilbert"}) {
    if (start.starts_with(std::string(curve) + "("))
      return Error::Unsupported("rewrite_data_files with " + std::string(curve) + " order");
  }
  auto parsed = sql::ParseStatement("ALTER TABLE t WRITE ORDERED BY " + text, context.parser_options());
  if (!parsed.ok()) return Illegal("Unable to parse sortOrder: " + text);
  const auto& alter = static_cast<const plan::AlterTableCommand&>(static_cast<const plan::Command&>(**parsed));
  std::vector<tables::SortField> fields;
  for (const auto& action : alter.actions) {
    for (const auto& field : action.order) {
      tables::SortField sort;
      FRAZIL_ASSIGN_OR_RETURN(sort.term, ToPartitionField(field.term));
      sort.ascending = field.ascending;
      sort.nulls_first = field.nulls_first;
      fields.push_back(std::move(sort));
    }
  }
  return fields;
}

Options MapOf(const Value& value) {
  Options options;
  if (value.is_null()) return options;
  const auto& entries = value.list();
  for (size_t i = 0; i + 1 < entries.size(); i += 2) {
    if (!entries[i].is_null() && !entries[i + 1].is_null())
      options[AsciiLower(entries[i].string())] = entries[i + 1].string();
  }
  return options;
}

Result<RowSet> Run(const analysis::ResolvedTable& table, const std::vector<Value>& arguments, CommandContext& context) {
  std::string strategy = arguments[0].is_null() ? "" : AsciiLower(arguments[0].string());
  if (!strategy.empty() && strategy != "binpack" && strategy != "sort") {
    return Illegal("unsupported strategy: " + arguments[0].string() + ". Only binpack or sort is supported");
  }
  bool has_order = !arguments[1].is_null();
  if (has_order && strategy == "binpack") return Illegal("Must use only one rewriter type (bin-pack, sort, zorder)");
  Options options = MapOf(arguments[2]);
  FRAZIL_ASSIGN_OR_RETURN(Choice choice, ReadOptions(options, table.table->properties()));
  std::optional<std::vector<tables::SortField>> sort;
  if (has_order) {
    FRAZIL_ASSIGN_OR_RETURN(sort, ParseSortOrder(arguments[1].string(), context));
  } else if (strategy == "sort") {
    sort = table.table->sort_order();
    if (sort->empty()) {
      return Illegal("Cannot sort data without a valid sort order, table '" + Join(table.full_name, ".") +
                     "' is unsorted and no sort order is provided");
    }
  }
  PredicatePtr filter = Predicate::True();
  if (!arguments[3].is_null()) {
    auto condition = sql::ParseExpression(arguments[3].string(), context.parser_options());
    if (!condition.ok()) return Illegal("Cannot parse predicates in where option: " + arguments[3].string());
    FRAZIL_ASSIGN_OR_RETURN(filter, ExactFilter(*condition, table, context));
  }

  tables::ScanOptions main;
  main.reference = "main";
  FRAZIL_ASSIGN_OR_RETURN(auto scan, table.table->Scan(main));
  FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(filter));
  auto groups = ChooseGroups(plan, choice);
  int64_t rewritten = 0, bytes = 0, added = 0;
  if (!groups.empty()) {
    tables::WriteOptions write_options;
    write_options.mode = tables::WriteMode::kRewriteFiles;
    write_options.operation = "rewrite";
    write_options.options["target-file-size-bytes"] = std::to_string(choice.target_size);
    write_options.filter = filter;
    FRAZIL_ASSIGN_OR_RETURN(auto write, table.table->StartWrite(write_options));
    size_t number = 0;
    for (const auto& group : groups) {
      std::vector<std::string> paths;
      for (const auto* file : group.files) paths.push_back(file->path);
      rewritten += static_cast<int64_t>(paths.size());
      bytes += group.bytes;
      FRAZIL_ASSIGN_OR_RETURN(auto part, scan->RestrictTo(paths));
      auto rows = analysis::MakeTableScan(part, Join(table.full_name, "."), table.full_name, context);
      tables::WriteTask task = write->task();
      // One name for each group: its files are numbered from the start again.
      if (number++ > 0) task.file_name_prefix += "-g" + std::to_string(number);
      if (sort) task.sort = *sort;
      auto files = context.engine().Write(rows, task, context.execution());
      if (!files.ok()) {
        write->Abort();
        return std::move(files).error();
      }
      added += static_cast<int64_t>(files->size());
      write->AddFiles(*std::move(files));
      write->RemoveFiles(std::move(paths));
    }
    FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  }
  DataTypePtr schema = DataType::Struct({{"rewritten_data_files_count", DataType::Integer(), false},
                                         {"added_data_files_count", DataType::Integer(), false},
                                         {"rewritten_bytes_count", DataType::Long(), false},
                                         {"failed_data_files_count", DataType::Integer(), false},
                                         {"removed_delete_files_count", DataType::Integer(), false}});
  return RowSet{std::move(schema),
                {{Value(rewritten), Value(added), Value(bytes), Value(int64_t{0}), Value(int64_t{0})}}};
}

}  // namespace

EngineProcedure RewriteDataFiles() {
  return {"rewrite_data_files",
          {{"strategy", DataType::String()},
           {"sort_order", DataType::String()},
           {"options", DataType::Map(DataType::String(), DataType::String(), true)},
           {"where", DataType::String()}},
          Run};
}

}  // namespace frazil::commands
