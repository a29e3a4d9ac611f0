#include <string_view>

#include "frazil/analysis/lateral_alias_internal.h"

namespace frazil::analysis {
namespace {

constexpr std::string_view kPrefix = "lateralAliasReference(";

bool IsReference(const Expression& expression) {
  const std::string_view sql = expression.sql;
  if (!sql.starts_with(kPrefix) || !sql.ends_with(')')) return false;
  // A column may be called so.
  return expression.kind != ExpressionKind::kColumn || expression.As<ColumnExpression>().name != sql;
}

}  // namespace

ExpressionPtr MakeLateralReference(const ExpressionPtr& expression, const std::string& alias) {
  // What a generator puts out is a column already.
  if (expression->kind == ExpressionKind::kColumn && expression->As<ColumnExpression>().name == alias)
    return expression;
  return WithSql(expression, std::string(kPrefix) + alias + ")");
}

std::optional<std::string> LateralAliasIn(const std::vector<ExpressionPtr>& expressions) {
  std::optional<std::string> alias;
  for (const auto& expression : expressions) {
    VisitExpression(*expression, [&](const Expression& part) {
      if (!alias && IsReference(part)) alias = part.sql.substr(kPrefix.size(), part.sql.size() - kPrefix.size() - 1);
      return !alias;
    });
  }
  return alias;
}

}  // namespace frazil::analysis
