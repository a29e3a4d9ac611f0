// LIKE and the functions of regular expressions.

#include <duckdb/parser/expression/constant_expression.hpp>

#include "frazil/engine/functions/regular_expression.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/text_kernel.h"
#include "frazil/engine/functions/utf8.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;
using Span = RegularExpression::Span;

// Room for the groups of a match, one for each thread: making it anew for each row costs more than many a match.
std::vector<Span>& Groups() {
  thread_local std::vector<Span> groups;
  return groups;
}

// The escape character may stand before itself, % and _ only.
void CheckLikePattern(std::string_view pattern, std::string_view escape) {
  for (size_t i = 0; i < pattern.size(); i = NextCharacter(pattern, i)) {
    if (!pattern.substr(i).starts_with(escape)) continue;
    const size_t next = i + escape.size();
    if (next >= pattern.size())
      ThrowSparkError("INVALID_FORMAT.ESC_AT_THE_END", {{"format", "'" + std::string(pattern) + "'"}});
    const std::string_view rest = pattern.substr(next);
    if (rest[0] != '%' && rest[0] != '_' && !rest.starts_with(escape)) {
      ThrowSparkError("INVALID_FORMAT.ESC_IN_THE_MIDDLE",
                      {{"format", "'" + std::string(pattern) + "'"},
                       {"char", "'" + std::string(rest.substr(0, NextCharacter(rest, 0))) + "'"}});
    }
    i = next;
  }
}

// Greedy match with one point to go back to: the last %.
bool MatchLike(std::string_view text, std::string_view pattern, std::string_view escape) {
  size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    bool advanced = false;
    if (p < pattern.size()) {
      const bool escaped = pattern.substr(p).starts_with(escape) && p + escape.size() < pattern.size();
      if (!escaped && pattern[p] == '%') {
        star = p++;
        mark = t;
        continue;
      }
      if (!escaped && pattern[p] == '_') {
        t = NextCharacter(text, t);
        ++p;
        advanced = true;
      } else {
        const size_t begin = escaped ? p + escape.size() : p;
        const auto wanted = pattern.substr(begin, NextCharacter(pattern, begin) - begin);
        if (text.substr(t).starts_with(wanted)) {
          t += wanted.size();
          p = begin + wanted.size();
          advanced = true;
        }
      }
    }
    if (advanced) continue;
    if (star == std::string_view::npos) return false;
    p = star + 1;
    mark = NextCharacter(text, mark);
    t = mark;
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

bool Like(std::string_view text, std::string_view pattern, std::string_view escape) {
  CheckLikePattern(pattern, escape);
  return MatchLike(text, pattern, escape);
}

// DuckDB's own LIKE where the pattern is a constant without the escape character: it becomes prefix, suffix or contains
// there.
Result<LoweredExpression> LowerLike(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  const auto& pattern = *call.arguments[1];
  const auto& escape = call.arguments[2]->As<LiteralExpression>().value.string();
  if (pattern.kind == ExpressionKind::kLiteral && !pattern.As<LiteralExpression>().value.is_null() &&
      pattern.As<LiteralExpression>().value.string().find(escape) == std::string::npos) {
    arguments.pop_back();
    return CallOf("~~", std::move(arguments));
  }
  return CallOf("spark_like", std::move(arguments));
}

std::string_view Part(std::string_view text, const Span& span) {
  return span.matched() ? text.substr(span.begin, span.end - span.begin) : std::string_view();
}

void CheckGroup(const RegularExpression& expression, int32_t group, const char* function) {
  if (group < 0 || static_cast<size_t>(group) > expression.group_count()) {
    ThrowSparkError("INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
                    {{"parameter", "`idx`"},
                     {"functionName", std::string("`") + function + "`"},
                     {"groupCount", std::to_string(expression.group_count())},
                     {"groupIndex", std::to_string(group)}});
  }
}

std::string_view Extract(std::string_view text, std::string_view pattern, int32_t group) {
  const auto& expression = RegularExpression::Of(pattern, "regexp_extract");
  auto& groups = Groups();
  if (!expression.Find(text, 0, &groups)) return {};
  CheckGroup(expression, group, "regexp_extract");
  return Part(text, groups[static_cast<size_t>(group)]);
}

std::vector<std::string_view> ExtractAll(std::string_view text, std::string_view pattern, int32_t group) {
  const auto& expression = RegularExpression::Of(pattern, "regexp_extract_all");
  std::vector<std::string_view> parts;
  auto& groups = Groups();
  for (size_t from = 0; expression.Find(text, from, &groups); from = AfterMatch(text, groups[0])) {
    CheckGroup(expression, group, "regexp_extract_all");
    parts.emplace_back(Part(text, groups[static_cast<size_t>(group)]));
  }
  return parts;
}

// Java's replacement: $1 and ${name} are groups, a backslash takes the next character as it is.
void AppendReplacement(const RegularExpression& expression, std::string_view text, std::string_view replacement,
                       const std::vector<Span>& groups, std::string* out) {
  for (size_t i = 0; i < replacement.size(); ++i) {
    const char c = replacement[i];
    if (c == '\\') {
      if (i + 1 >= replacement.size())
        ThrowSparkError(Error::Plain(ExceptionClass::kIllegalArgument, "character to be escaped is missing"));
      *out += replacement[++i];
      continue;
    }
    if (c != '$') {
      *out += c;
      continue;
    }
    if (i + 1 >= replacement.size())
      ThrowSparkError(
          Error::Plain(ExceptionClass::kIllegalArgument, "Illegal group reference: group index is missing"));
    if (replacement[i + 1] == '{') {
      const size_t close = replacement.find('}', i);
      if (close == std::string_view::npos)
        ThrowSparkError(
            Error::Plain(ExceptionClass::kIllegalArgument, "named capturing group is missing trailing '}'"));
      const auto group = expression.GroupNamed(std::string(replacement.substr(i + 2, close - i - 2)));
      if (!group.has_value())
        ThrowSparkError(
            Error::Plain(ExceptionClass::kIllegalArgument,
                         "No group with name {" + std::string(replacement.substr(i + 2, close - i - 2)) + "}"));
      *out += Part(text, groups[*group]);
      i = close;
      continue;
    }
    const auto digit = [&](size_t at) {
      return at < replacement.size() && replacement[at] >= '0' && replacement[at] <= '9' ? replacement[at] - '0' : -1;
    };
    if (digit(i + 1) < 0) ThrowSparkError(Error::Plain(ExceptionClass::kIllegalArgument, "Illegal group reference"));
    size_t group = static_cast<size_t>(digit(++i));
    if (group > expression.group_count())
      ThrowSparkError(Error::Plain(ExceptionClass::kArrayIndexOutOfBounds, "No group " + std::to_string(group)));
    // Further digits as long as there is such a group.
    while (digit(i + 1) >= 0 && group * 10 + static_cast<size_t>(digit(i + 1)) <= expression.group_count())
      group = group * 10 + static_cast<size_t>(digit(++i));
    *out += Part(text, groups[group]);
  }
}

void Replace(std::string& result, std::string_view text, std::string_view pattern, std::string_view replacement,
             int32_t position) {
  const auto& expression = RegularExpression::Of(pattern, "regexp_replace");
  const size_t begin = CharacterOffset(text, position - 1);
  if (position > 1 && position - 1 > CharacterCount(text)) {
    result += text;
    return;
  }
  const bool is_plain = replacement.find_first_of("\\$") == std::string_view::npos;
  result += text.substr(0, begin);
  size_t copied = begin;
  auto& groups = Groups();
  for (size_t from = begin; expression.Find(text, from, &groups); from = AfterMatch(text, groups[0])) {
    result += text.substr(copied, groups[0].begin - copied);
    if (is_plain) {
      result += replacement;
    } else {
      AppendReplacement(expression, text, replacement, groups, &result);
    }
    copied = groups[0].end;
  }
  result += text.substr(copied);
}

int32_t Count(std::string_view text, std::string_view pattern) {
  const auto& expression = RegularExpression::Of(pattern, "regexp_count");
  int32_t count = 0;
  auto& groups = Groups();
  for (size_t from = 0; expression.Find(text, from, &groups); from = AfterMatch(text, groups[0])) ++count;
  return count;
}

// No empty part stands before an empty match at the beginning. `limit` > 0: at most that many parts.
std::vector<std::string_view> SplitText(std::string_view text, std::string_view pattern, int32_t limit) {
  std::vector<std::string_view> parts;
  if (pattern.empty() && !text.empty()) {
    for (const auto character : SplitCharacters(text)) {
      if (limit > 0 && parts.size() == static_cast<size_t>(limit)) break;
      parts.emplace_back(character);
    }
    return parts;
  }
  const auto& expression = RegularExpression::Of(pattern, "split");
  size_t begin = 0;
  auto& groups = Groups();
  for (size_t from = 0;
       (limit <= 0 || parts.size() + 1 < static_cast<size_t>(limit)) && expression.Find(text, from, &groups);
       from = AfterMatch(text, groups[0])) {
    if (groups[0].end == 0) continue;
    if (groups[0].begin == groups[0].end && groups[0].begin >= text.size()) break;
    parts.emplace_back(text.substr(begin, groups[0].begin - begin));
    begin = groups[0].end;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, I = LogicalType::INTEGER, Boolean = LogicalType::BOOLEAN;
  const LogicalType List = LogicalType::LIST(LogicalType::VARCHAR);
  AddRowKernel(loader, "spark_like", {V, V, V}, Boolean, &Like, kFallible);
  AddRowKernel(
      loader, "spark_rlike", {V, V}, Boolean,
      [](std::string_view text, std::string_view pattern) -> bool {
        return RegularExpression::Of(pattern, "rlike").Matches(text);
      },
      kFallible);
  AddRowKernel(loader, "spark_regexp_extract", {V, V, I}, V, &Extract, kFallible);
  AddRowKernel(loader, "spark_regexp_extract_all", {V, V, I}, List, &ExtractAll, kFallible);
  AddRowKernel(loader, "spark_regexp_replace", {V, V, V, I}, V, &Replace, kFallible);
  AddRowKernel(loader, "spark_regexp_count", {V, V}, I, &Count, kFallible);
  AddRowKernel(
      loader, "spark_regexp_instr", {V, V, I}, I,
      [](std::string_view text, std::string_view pattern, int32_t) -> int32_t {
        auto& groups = Groups();
        if (!RegularExpression::Of(pattern, "regexp_instr").Find(text, 0, &groups)) return 0;
        return static_cast<int32_t>(CharacterCount(text.substr(0, groups[0].begin))) + 1;
      },
      kFallible);
  AddRowKernel(
      loader, "spark_regexp_substr", {V, V}, V,
      [](std::string_view text, std::string_view pattern) -> std::optional<std::string_view> {
        auto& groups = Groups();
        if (!RegularExpression::Of(pattern, "regexp_substr").Find(text, 0, &groups)) return std::nullopt;
        if (groups[0].begin == groups[0].end) return std::nullopt;
        return Part(text, groups[0]);
      },
      kFallible);
  AddRowKernel(loader, "spark_split", {V, V, I}, List, &SplitText, kFallible);
}

}  // namespace

void RegisterPatternFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("like", Build(LowerLike));
  registry.AddScalar("ilike", Template("spark_like(spark_lower($1), spark_lower($2), $3)"));
  for (const char* name : {"rlike", "regexp_extract", "regexp_extract_all", "regexp_replace", "regexp_count",
                           "regexp_instr", "regexp_substr", "split"}) {
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  }
}

}  // namespace frazil::engine
