#include <algorithm>

#include "frazil/base/error_conditions_internal.h"

namespace frazil {
namespace {

std::span<const ErrorCondition> PartOf(std::string_view name) {
  if (name.empty()) return {};
  if (name.starts_with("INVALID")) return error_conditions::Invalid();
  if (name.starts_with("DELTA_")) return error_conditions::Delta();
  const char first = name.front();
  if (first == '_') {
    // The numbers of Spark's parser are below 1000.
    return name < "_LEGACY_ERROR_TEMP_1" ? error_conditions::LegacyParse() : error_conditions::LegacyAnalysis();
  }
  if (first < 'A' || first > 'Z') return {};
  if (first <= 'B') return error_conditions::AToB();
  if (first <= 'C') return error_conditions::C();
  if (first <= 'F') return error_conditions::DToF();
  if (first <= 'L') return error_conditions::GToL();
  if (first <= 'O') return error_conditions::MToO();
  if (first <= 'R') return error_conditions::PToR();
  if (first <= 'T') return error_conditions::SToT();
  return error_conditions::UToZ();
}

/// The first condition of that name or one behind it; null where there is none in that part of the table.
const ErrorCondition* NotBefore(std::string_view name, std::span<const ErrorCondition> part) {
  const auto found = std::lower_bound(
      part.begin(), part.end(), name,
      [](const ErrorCondition& condition, std::string_view wanted) { return condition.name < wanted; });
  return found != part.end() ? &*found : nullptr;
}

}  // namespace

const ErrorCondition* FindErrorCondition(std::string_view name) {
  for (const auto part : {PartOf(name), error_conditions::Kafka()}) {
    const auto* found = NotBefore(name, part);
    if (found != nullptr && found->name == name) return found;
  }
  return nullptr;
}

bool IsErrorConditionName(std::string_view name) {
  if (name.empty()) return false;
  const std::string beginning = std::string(name) + ".";
  const auto* found = NotBefore(beginning, PartOf(beginning));
  return FindErrorCondition(name) != nullptr || (found != nullptr && found->name.starts_with(beginning));
}

}  // namespace frazil
