#include "frazil/commands/rewrite_planning.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/types/float_text.h"

namespace frazil::commands {

namespace {

constexpr double kMinSizeRatio = 0.75, kMaxSizeRatio = 1.8;

Error Illegal(const std::string& message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

// Numbers and flags as Java reads them.

Error NotANumber(const std::string& text) {
  return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + text + "\"");
}

Result<int64_t> NumberOf(const std::string& text) {
  const auto number = ParseInteger<int64_t>(text);
  if (!number) return NotANumber(text);
  return *number;
}

Result<double> RealOf(const std::string& text) {
  double number = 0;
  auto [stopped, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || stopped != text.data() + text.size()) return NotANumber(text);
  return number;
}

bool FlagOf(const std::string& text) { return EqualsIgnoreCase(text, "true"); }

Error MustBe(const std::string& key, const std::string& value, const char* bound) {
  return Illegal("'" + key + "' is set to " + value + " but must be " + bound);
}

/// What the options say, before the defaults that depend on one another.
struct GivenChoice : RewriteChoice {
  std::optional<int64_t> given_min_size, given_max_size;
};

using Reader = Status (*)(const std::string& key, const std::string& value, GivenChoice* choice);

template <auto Member>
Status ReadNumber(const std::string& /*key*/, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(choice->*Member, NumberOf(value));
  return {};
}

template <auto Member>
Status ReadPositive(const std::string& key, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(choice->*Member, NumberOf(value));
  if (choice->*Member <= 0) return MustBe(key, value, "> 0");
  return {};
}

template <auto Member>
Status ReadNotNegative(const std::string& key, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(const int64_t number, NumberOf(value));
  if (number < 0) return MustBe(key, value, ">= 0");
  choice->*Member = number;
  return {};
}

template <auto Member>
Status ReadFlag(const std::string& /*key*/, const std::string& value, GivenChoice* choice) {
  choice->*Member = FlagOf(value);
  return {};
}

Status ReadRatio(const std::string& key, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(choice->delete_ratio, RealOf(value));
  const std::string shown = DoubleToString(choice->delete_ratio);
  if (!(choice->delete_ratio > 0)) return MustBe(key, shown, "> 0");
  if (choice->delete_ratio > 1) return MustBe(key, shown, "<= 1");
  return {};
}

Status ReadJobOrder(const std::string& /*key*/, const std::string& value, GivenChoice* choice) {
  choice->job_order = AsciiLower(value);
  for (const char* known : {"bytes-asc", "bytes-desc", "files-asc", "files-desc", "none"}) {
    if (choice->job_order == known) return {};
  }
  return Illegal("Invalid rewrite job order name: " + value);
}

Status ReadSpecId(const std::string& /*key*/, const std::string& value, GivenChoice* choice) {
  FRAZIL_ASSIGN_OR_RETURN(choice->wanted_spec_id, NumberOf(value));
  return {};
}

Status ReadMaxFiles(const std::string& key, const std::string& value, GivenChoice* choice) {
  const auto number = ParseInteger<int32_t>(value);
  if (!number) return NotANumber(value);
  if (*number <= 0) return Illegal("Cannot set " + key + " to " + value + ", the value must be positive integer.");
  choice->max_files = *number;
  return {};
}

// One process writes all groups: what says how many do so at once, and how rows are shuffled, is checked alone.

Status CheckConcurrency(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  FRAZIL_ASSIGN_OR_RETURN(const int64_t number, NumberOf(value));
  if (number < 1) return Illegal("Cannot set " + key + " to " + value + ", the value must be positive.");
  return {};
}

// New files have the number of their commit: what deletes by value comes meanwhile is a conflict.
Status CheckFlag(const std::string& /*key*/, const std::string& /*value*/, GivenChoice* /*choice*/) { return {}; }

Status CheckShuffle(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  FRAZIL_ASSIGN_OR_RETURN(const int64_t number, NumberOf(value));
  return number > 0 ? Status() : MustBe(key, value, "> 0");
}

Status CheckFactor(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  FRAZIL_ASSIGN_OR_RETURN(const double factor, RealOf(value));
  return factor > 0 ? Status() : MustBe(key, DoubleToString(factor), "> 0");
}

// How many bytes of values are interleaved: the curve here goes by parts of as many rows each.

Status CheckOutputSize(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  FRAZIL_ASSIGN_OR_RETURN(const int64_t number, NumberOf(value));
  if (number > 0) return {};
  return Illegal("Cannot have the interleaved ZOrder value use less than 1 byte, '" + key + "' was set to " + value);
}

Status CheckContribution(const std::string& key, const std::string& value, GivenChoice* /*choice*/) {
  FRAZIL_ASSIGN_OR_RETURN(const int64_t number, NumberOf(value));
  if (number > 0) return {};
  return Illegal("Cannot use less than 1 byte for variable length types with ZOrder, '" + key + "' was set to " +
                 value);
}

struct Option {
  Reader read;
  bool of_sorts = false;   ///< Not of BIN-PACK.
  bool of_curves = false;  ///< Of Z-ORDER alone.
};

const std::map<std::string, Option, std::less<>>& Options() {
  static const std::map<std::string, Option, std::less<>> options = {
      {"target-file-size-bytes", {&ReadPositive<&GivenChoice::target_size>}},
      {"min-file-size-bytes", {&ReadNotNegative<&GivenChoice::given_min_size>}},
      {"max-file-size-bytes", {&ReadNumber<&GivenChoice::given_max_size>}},
      {"min-input-files", {&ReadPositive<&GivenChoice::min_input_files>}},
      {"max-file-group-size-bytes", {&ReadPositive<&GivenChoice::max_group_size>}},
      {"delete-file-threshold", {&ReadNotNegative<&GivenChoice::delete_files>}},
      {"delete-ratio-threshold", {&ReadRatio}},
      {"rewrite-all", {&ReadFlag<&GivenChoice::all>}},
      {"remove-dangling-deletes", {&ReadFlag<&GivenChoice::remove_dangling_deletes>}},
      {"output-spec-id", {&ReadSpecId}},
      {"max-files-to-rewrite", {&ReadMaxFiles}},
      {"partial-progress.enabled", {&ReadFlag<&GivenChoice::partial_progress>}},
      {"partial-progress.max-commits", {&ReadNumber<&GivenChoice::max_commits>}},
      {"partial-progress.max-failed-commits", {&ReadNumber<&GivenChoice::max_failed_commits>}},
      {"max-concurrent-file-group-rewrites", {&CheckConcurrency}},
      {"use-starting-sequence-number", {&CheckFlag}},
      {"rewrite-job-order", {&ReadJobOrder}},
      {"shuffle-partitions-per-file", {&CheckShuffle, true}},
      {"compression-factor", {&CheckFactor, true}},
      {"max-output-size", {&CheckOutputSize, true, true}},
      {"var-length-contribution", {&CheckContribution, true, true}},
  };
  return options;
}

bool IsOptionOf(std::string_view rewriter, const Option& option) {
  if (option.of_curves) return rewriter == "Z-ORDER";
  return !option.of_sorts || rewriter != "BIN-PACK";
}

int64_t PartOf(int64_t size, double ratio) { return static_cast<int64_t>(static_cast<double>(size) * ratio); }

Status CheckSizes(const RewriteChoice& choice) {
  const std::string target = "'target-file-size-bytes' (" + std::to_string(choice.target_size) + ") must be ";
  if (choice.target_size <= choice.min_size) {
    return Illegal(target + "> 'min-file-size-bytes' (" + std::to_string(choice.min_size) +
                   "), all new files will be smaller than the min threshold");
  }
  if (choice.target_size >= choice.max_size) {
    return Illegal(target + "< 'max-file-size-bytes' (" + std::to_string(choice.max_size) +
                   "), all new files will be larger than the max threshold");
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
    FRAZIL_ASSIGN_OR_RETURN(choice.target_size, NumberOf(found->second));
  }
  std::vector<std::string> unknown;
  for (const auto& [key, value] : options) {
    const auto option = Options().find(AsciiLower(key));
    if (option == Options().end() || !IsOptionOf(rewriter, option->second)) unknown.push_back(key);
  }
  if (!unknown.empty()) {
    return Illegal("Cannot use options [" + Join(unknown, ", ") +
                   "], they are not supported by the action or the rewriter " + std::string(rewriter));
  }
  for (const auto& [key, value] : options) {
    const std::string name = AsciiLower(key);
    FRAZIL_RETURN_IF_ERROR(Options().find(name)->second.read(name, value, &choice));
  }
  if (choice.partial_progress && choice.max_commits <= 0) {
    return Illegal("Cannot set partial-progress.max-commits to " + std::to_string(choice.max_commits) +
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
  if (choice.job_order == "none") return groups;
  const bool by_bytes = choice.job_order.starts_with("bytes");
  const auto size = [&](const RewriteGroup& group) {
    return by_bytes ? group.bytes : static_cast<int64_t>(group.files.size());
  };
  const bool descending = choice.job_order.ends_with("desc");
  std::stable_sort(groups.begin(), groups.end(), [&](const RewriteGroup& left, const RewriteGroup& right) {
    return descending ? size(left) > size(right) : size(left) < size(right);
  });
  return groups;
}

}  // namespace frazil::commands
