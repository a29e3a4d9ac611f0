#include "frazil/commands/rewrite_planning.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::commands {

namespace {

constexpr double kMinSizeRatio = 0.75, kMaxSizeRatio = 1.8;

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

Result<int64_t> NumberOf(const std::string& key, const std::string& text) {
  auto number = ParseInteger<int64_t>(text);
  if (number && *number >= 0) return *number;
  return Illegal("The option '" + key + "' must be a number that is not negative, not '" + text + "'");
}

Result<bool> FlagOf(const std::string& key, const std::string& text) {
  if (EqualsIgnoreCase(text, "true")) return true;
  if (EqualsIgnoreCase(text, "false")) return false;
  return Illegal("The option '" + key + "' must be true or false, not '" + text + "'");
}

Result<double> RatioOf(const std::string& key, const std::string& text) {
  double ratio = 0;
  auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), ratio);
  bool is_number = problem == std::errc() && stopped == text.data() + text.size();
  if (is_number && ratio > 0 && ratio <= 1) return ratio;
  return Illegal("'" + key + "' is set to " + text + " but must be > 0 and <= 1");
}

/// What the options say, before the defaults that depend on one another.
struct GivenChoice : RewriteChoice {
  std::optional<int64_t> given_min_size, given_max_size;
};

using Reader = Status (*)(const std::string& key, const std::string& value, GivenChoice* choice);

template <auto Member>
Status ReadNumber(const std::string& key, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(choice->*Member, NumberOf(key, value));
  return {};
}

template <auto Member>
Status ReadFlag(const std::string& key, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(choice->*Member, FlagOf(key, value));
  return {};
}

template <auto Member>
Status ReadRatio(const std::string& key, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(choice->*Member, RatioOf(key, value));
  return {};
}

// Everything is one job with one commit here: what says how the work is shared is checked, and has no other meaning.

Status CheckPositive(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  auto number = ParseInteger<int64_t>(value);
  if (!number) return Illegal("For input string: \"" + value + "\"");
  if (*number < 1) return Illegal("Cannot set " + key + " to " + value + ", the value must be positive.");
  return {};
}

Status CheckNumber(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  return NumberOf(key, value).status();
}

Status CheckFlag(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  return FlagOf(key, value).status();
}

Status CheckFactor(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  double factor = 0;
  auto [stopped, problem] = std::from_chars(value.data(), value.data() + value.size(), factor);
  if (problem == std::errc() && stopped == value.data() + value.size() && factor > 0) return {};
  return Illegal("'" + key + "' is set to " + value + " but must be > 0");
}

Status CheckJobOrder(const std::string& /*key*/, const std::string& value, GivenChoice* /*choice*/) {
  for (const char* known : {"bytes-asc", "bytes-desc", "files-asc", "files-desc", "none"}) {
    if (EqualsIgnoreCase(value, known)) return {};
  }
  return Illegal("Invalid rewrite job order name: " + value);
}

Status ReadSpecId(const std::string& key, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(choice->wanted_spec_id, NumberOf(key, value));
  return {};
}

Status ReadMaxFiles(const std::string& key, const std::string& value, GivenChoice* choice) {
  auto number = ParseInteger<int32_t>(value);
  if (!number) return Illegal("For input string: \"" + value + "\"");
  if (*number <= 0) return Illegal("Cannot set " + key + " to " + value + ", the value must be positive integer.");
  choice->max_files = *number;
  return {};
}

const std::map<std::string, Reader, std::less<>>& Readers() {
  static const std::map<std::string, Reader, std::less<>> readers = {
      {"target-file-size-bytes", &ReadNumber<&GivenChoice::target_size>},
      {"min-file-size-bytes", &ReadNumber<&GivenChoice::given_min_size>},
      {"max-file-size-bytes", &ReadNumber<&GivenChoice::given_max_size>},
      {"min-input-files", &ReadNumber<&GivenChoice::min_input_files>},
      {"max-file-group-size-bytes", &ReadNumber<&GivenChoice::max_group_size>},
      {"delete-file-threshold", &ReadNumber<&GivenChoice::delete_files>},
      {"delete-ratio-threshold", &ReadRatio<&GivenChoice::delete_ratio>},
      {"rewrite-all", &ReadFlag<&GivenChoice::all>},
      {"remove-dangling-deletes", &ReadFlag<&GivenChoice::remove_dangling_deletes>},
      {"output-spec-id", &ReadSpecId},
      {"max-files-to-rewrite", &ReadMaxFiles},
      {"partial-progress.enabled", &CheckFlag},
      {"partial-progress.max-commits", &CheckNumber},
      {"partial-progress.max-failed-commits", &CheckNumber},
      {"max-concurrent-file-group-rewrites", &CheckPositive},
      {"use-starting-sequence-number", &CheckFlag},
      {"rewrite-job-order", &CheckJobOrder},
      {"shuffle-partitions-per-file", &CheckPositive},
      {"compression-factor", &CheckFactor},
  };
  return readers;
}

/// Of sorts alone, and of z-orders alone: how much of a long value counts is not chosen here.
bool IsOptionOf(std::string_view rewriter, std::string_view key) {
  if (key == "shuffle-partitions-per-file" || key == "compression-factor") return rewriter != "BIN-PACK";
  return true;
}

int64_t PartOf(int64_t size, double ratio) { return static_cast<int64_t>(static_cast<double>(size) * ratio); }

Status CheckSizes(const RewriteChoice& choice) {
  const std::string target = std::to_string(choice.target_size);
  if (choice.target_size <= 0) return Illegal("'target-file-size-bytes' is set to " + target + " but must be > 0");
  if (choice.min_size > choice.target_size || choice.max_size <= choice.target_size) {
    return Illegal("'target-file-size-bytes' (" + target + ") must be between 'min-file-size-bytes' (" +
                   std::to_string(choice.min_size) + ") and 'max-file-size-bytes' (" + std::to_string(choice.max_size) +
                   ")");
  }
  for (const auto& [key, number] : {std::pair("min-input-files", choice.min_input_files),
                                    std::pair("max-file-group-size-bytes", choice.max_group_size)}) {
    if (number <= 0)
      return Illegal(std::string("'") + key + "' is set to " + std::to_string(number) + " but must be > 0");
  }
  return {};
}

bool HasManyDeletes(const tables::ScanFile& file, const RewriteChoice& choice) {
  const bool has_vector = file.deleted_positions != nullptr;
  int64_t rows = has_vector ? static_cast<int64_t>(file.deleted_positions->size()) : 0;
  int64_t files = (has_vector ? 1 : 0) + static_cast<int64_t>(file.position_delete_files.size());
  for (const auto& deletes : file.position_delete_files) rows += std::max<int64_t>(0, deletes->record_count);
  if (files >= choice.delete_files) return true;
  if (file.record_count <= 0) return false;
  const auto deleted = static_cast<double>(std::min(rows, file.record_count));
  return deleted / static_cast<double>(file.record_count) >= choice.delete_ratio;
}

bool IsChosen(const tables::ScanFile& file, const RewriteChoice& choice) {
  return choice.all || file.size < choice.min_size || file.size > choice.max_size || HasManyDeletes(file, choice);
}

bool IsWorthRewriting(const RewriteGroup& group, const RewriteChoice& choice) {
  const auto count = static_cast<int64_t>(group.files.size());
  if (choice.all || group.bytes > choice.max_size) return true;
  if (count > 1 && (count >= choice.min_input_files || group.bytes > choice.target_size)) return true;
  return std::any_of(group.files.begin(), group.files.end(),
                     [&](const tables::ScanFile* file) { return HasManyDeletes(*file, choice); });
}

/// Files with the same key may become one file.
std::string PartitionKeyOf(const tables::ScanFile& file, const tables::ScanPlan& plan, const RewriteChoice& choice) {
  if (file.partition_spec_id != choice.output_spec_id) return "of another spec";
  if (plan.partition_type == nullptr || file.partition.empty()) return {};
  return QuotedLiteralSql(*plan.partition_type, Value(Value::List(file.partition)));
}

}  // namespace

Result<RewriteChoice> ReadRewriteChoice(const std::map<std::string, std::string>& options,
                                        const std::map<std::string, std::string>& properties,
                                        std::string_view rewriter) {
  GivenChoice choice;
  if (auto found = properties.find("write.target-file-size-bytes"); found != properties.end()) {
    FRAZIL_ASSIGN_OR_RETURN(choice.target_size, NumberOf(found->first, found->second));
  }
  std::vector<std::string> unknown;
  for (const auto& [key, value] : options) {
    auto reader = Readers().find(key);
    const bool of_curves = rewriter == "Z-ORDER" && (key == "var-length-contribution" || key == "max-output-size");
    if (of_curves) {
      FRAZIL_RETURN_IF_ERROR(CheckPositive(key, value, &choice));
    } else if (reader == Readers().end() || !IsOptionOf(rewriter, key)) {
      unknown.push_back(key);
    } else {
      FRAZIL_RETURN_IF_ERROR(reader->second(key, value, &choice));
    }
  }
  if (!unknown.empty()) {
    return Illegal("Cannot use options [" + Join(unknown, ", ") +
                   "], they are not supported by the action or the rewriter " + std::string(rewriter));
  }
  const auto partial = options.find("partial-progress.enabled"), commits = options.find("partial-progress.max-commits");
  if (partial != options.end() && EqualsIgnoreCase(partial->second, "true") && commits != options.end() &&
      ParseInteger<int64_t>(commits->second).value_or(0) <= 0) {
    return Illegal("Cannot set partial-progress.max-commits to " + commits->second +
                   ", the value must be positive when partial-progress.enabled is true");
  }
  choice.min_size = choice.given_min_size.value_or(PartOf(choice.target_size, kMinSizeRatio));
  choice.max_size = choice.given_max_size.value_or(PartOf(choice.target_size, kMaxSizeRatio));
  FRAZIL_RETURN_IF_ERROR(CheckSizes(choice));
  return RewriteChoice(choice);
}

std::vector<RewriteGroup> PlanRewrite(const tables::ScanPlan& plan, const RewriteChoice& choice) {
  std::vector<RewriteGroup> groups;
  std::map<std::string, size_t> open;  // The group of a partition that takes more files.
  for (const auto& file : plan.files) {
    if (!IsChosen(file, choice)) continue;
    auto [group, is_new] = open.emplace(PartitionKeyOf(file, plan, choice), groups.size());
    const bool is_full = !is_new && groups[group->second].bytes + file.size > choice.max_group_size;
    if (is_full) group->second = groups.size();
    if (is_new || is_full) groups.emplace_back();
    groups[group->second].files.push_back(&file);
    groups[group->second].bytes += std::max<int64_t>(0, file.size);
  }
  std::erase_if(groups, [&](const RewriteGroup& group) { return !IsWorthRewriting(group, choice); });
  int64_t left = choice.max_files;
  for (auto& group : groups) {
    if (static_cast<int64_t>(group.files.size()) > left) {
      group.files.resize(static_cast<size_t>(left));
      group.bytes = 0;
      for (const auto* file : group.files) group.bytes += std::max<int64_t>(0, file->size);
    }
    left -= static_cast<int64_t>(group.files.size());
  }
  std::erase_if(groups, [](const RewriteGroup& group) { return group.files.empty(); });
  return groups;
}

}  // namespace frazil::commands
