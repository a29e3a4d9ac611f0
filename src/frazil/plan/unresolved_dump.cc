#include "frazil/plan/unresolved_dump.h"

#include <algorithm>

#include "frazil/base/error.h"
#include "frazil/plan/unresolved_dump_internal.h"

namespace frazil::plan {
namespace {

bool IsPlainWord(const std::string& part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string Nulls(const std::optional<bool>& nulls_first) {
  if (!nulls_first) return "";
  return *nulls_first ? " nulls first" : " nulls last";
}

std::string Bound(const UnresolvedFrameBound& bound) {
  switch (bound.type) {
    case FrameBoundType::kUnboundedPreceding:
      return "unbounded preceding";
    case FrameBoundType::kPreceding:
      return DumpExpression(bound.offset) + " preceding";
    case FrameBoundType::kCurrentRow:
      return "current row";
    case FrameBoundType::kFollowing:
      return DumpExpression(bound.offset) + " following";
    case FrameBoundType::kUnboundedFollowing:
      return "unbounded following";
  }
  return "";
}

std::string DumpFunction(const FunctionExpr& function) {
  std::string out = DumpName(function.name) + "(" + (function.is_distinct ? "distinct " : "") +
                    DumpExpressions(function.arguments) + ")";
  if (!function.within_group.empty()) out += " within group(" + DumpExpressions(function.within_group) + ")";
  if (function.filter != nullptr) out += " filter(" + DumpExpression(function.filter) + ")";
  if (function.ignore_nulls) out += *function.ignore_nulls ? " ignore nulls" : " respect nulls";
  return out;
}

std::string DumpSubquery(const SubqueryExpr& subquery) {
  const std::string inner = "{" + DumpPlan(subquery.plan) + "}";
  switch (subquery.subquery_kind) {
    case SubqueryKind::kScalar:
      return "scalar" + inner;
    case SubqueryKind::kExists:
      return "exists" + inner;
    case SubqueryKind::kIn:
      return "in(" + DumpExpressions(subquery.values) + ")" + inner;
  }
  return "";
}

std::string DumpMergeAction(const MergeActionExpr& action) {
  std::string out;
  switch (action.type) {
    case MergeActionType::kDelete:
      out = "delete";
      break;
    case MergeActionType::kInsert:
      out = "insert";
      break;
    case MergeActionType::kInsertStar:
      out = "insert *";
      break;
    case MergeActionType::kUpdate:
      out = "update";
      break;
    case MergeActionType::kUpdateStar:
      out = "update *";
      break;
  }
  if (action.condition != nullptr) out += " if " + DumpExpression(action.condition);
  for (const Assignment& assignment : action.assignments) {
    out += " " + DumpExpression(assignment.column) + "=" + DumpExpression(assignment.value);
  }
  return out;
}

}  // namespace

std::string DumpWindow(const WindowSpecification& window) {
  std::string out = window.reference;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : " ") + text; };
  if (!window.partition_by.empty()) add("partition by " + DumpExpressions(window.partition_by));
  if (!window.order_by.empty()) add("order by " + DumpExpressions(window.order_by));
  if (window.frame) {
    add(std::string(window.frame->type == FrameType::kRows ? "rows " : "range ") + Bound(window.frame->start) + " to " +
        Bound(window.frame->end));
  }
  return out;
}

std::string DumpName(const std::vector<std::string>& parts) {
  std::string out;
  // Operators are names of one part that are no words.
  if (parts.size() == 1 && !parts[0].empty() && std::string("+-*/%|&^~=<>!").find(parts[0][0]) != std::string::npos)
    return parts[0];
  for (const std::string& part : parts) {
    if (!out.empty()) out += ".";
    out += IsPlainWord(part) ? part : QuoteIdentifier(part);
  }
  return out;
}

std::string DumpExpressions(const std::vector<ExprPtr>& expressions) {
  std::string out;
  for (const ExprPtr& expression : expressions) out += (out.empty() ? "" : ", ") + DumpExpression(expression);
  return out;
}

std::string DumpExpression(const ExprPtr& expression) {
  if (expression == nullptr) return "-";
  switch (expression->kind) {
    case ExprKind::kLiteral: {
      const auto& literal = expression->As<LiteralExpr>();
      if (literal.value.is_null()) return "null";
      return literal.type->SimpleString() + "(" + ValueToString(*literal.type, literal.value) + ")";
    }
    case ExprKind::kAttribute:
      return DumpName(expression->As<AttributeExpr>().name);
    case ExprKind::kStar: {
      const auto& star = expression->As<StarExpr>();
      std::string out = star.target.empty() ? "*" : DumpName(star.target) + ".*";
      if (star.except.empty()) return out;
      std::string names;
      for (const auto& name : star.except) names += (names.empty() ? "" : ", ") + DumpName(name);
      return out + " except(" + names + ")";
    }
    case ExprKind::kRegexColumn:
      return "regex(" + expression->As<RegexColumnExpr>().pattern + ")";
    case ExprKind::kFunction:
      return DumpFunction(expression->As<FunctionExpr>());
    case ExprKind::kCast: {
      const auto& cast = expression->As<CastExpr>();
      const bool is_try = cast.mode && *cast.mode == EvalMode::kTry;
      return std::string(is_try ? "try_cast(" : "cast(") + DumpExpression(cast.child) + " as " +
             (cast.type != nullptr ? cast.type->SimpleString() : cast.type_text) + ")";
    }
    case ExprKind::kAlias: {
      const auto& alias = expression->As<AliasExpr>();
      std::string names;
      for (const std::string& name : alias.names) names += (names.empty() ? "" : ", ") + DumpName({name});
      return DumpExpression(alias.child) + " as " + (alias.names.size() == 1 ? names : "(" + names + ")");
    }
    case ExprKind::kSortOrder: {
      const auto& order = expression->As<SortOrderExpr>();
      return DumpExpression(order.child) + (order.ascending ? " asc" : " desc") + Nulls(order.nulls_first);
    }
    case ExprKind::kWindow: {
      const auto& window = expression->As<WindowExpr>();
      return DumpExpression(window.function) + " over(" + DumpWindow(window.window) + ")";
    }
    case ExprKind::kLambda: {
      const auto& lambda = expression->As<LambdaExpr>();
      std::string names;
      for (const std::string& name : lambda.parameters) names += (names.empty() ? "" : ", ") + name;
      return "lambda(" + names + " -> " + DumpExpression(lambda.body) + ")";
    }
    case ExprKind::kLambdaVariable:
      return "variable(" + DumpName(expression->As<LambdaVariableExpr>().name) + ")";
    case ExprKind::kExtractValue: {
      const auto& extract = expression->As<ExtractValueExpr>();
      return DumpExpression(extract.child) + (extract.is_variant_path ? ":[" : "[") +
             DumpExpression(extract.extraction) + "]";
    }
    case ExprKind::kUpdateField: {
      const auto& update = expression->As<UpdateFieldExpr>();
      return "update(" + DumpExpression(update.child) + ", " + update.field + ", " + DumpExpression(update.value) + ")";
    }
    case ExprKind::kSubquery:
      return DumpSubquery(expression->As<SubqueryExpr>());
    case ExprKind::kParameter: {
      const auto& parameter = expression->As<ParameterExpr>();
      return parameter.name.empty() ? "?" + std::to_string(parameter.position) : ":" + parameter.name;
    }
    case ExprKind::kIdentifierClause: {
      const auto& clause = expression->As<IdentifierClauseExpr>();
      std::string out = "identifier(" + DumpExpression(clause.text) + ")";
      return clause.function == nullptr ? out : out + DumpFunction(*clause.function);
    }
    case ExprKind::kNamedArgument: {
      const auto& argument = expression->As<NamedArgumentExpr>();
      return argument.name + " => " + DumpExpression(argument.value);
    }
    case ExprKind::kSqlText:
      return "sql(" + expression->As<SqlTextExpr>().text + ")";
    case ExprKind::kMergeAction:
      return DumpMergeAction(expression->As<MergeActionExpr>());
    case ExprKind::kPythonFunction:
      return "python:" + expression->As<PythonFunctionExpr>().name + "(" +
             DumpExpressions(expression->As<PythonFunctionExpr>().arguments) + ")";
    case ExprKind::kTableArgument: {
      const auto& table = expression->As<TableArgumentExpr>();
      std::string out = "table{" + DumpPlan(table.plan) + "}";
      if (table.with_single_partition) out += " single partition";
      if (!table.partition_by.empty()) out += " partition by " + DumpExpressions(table.partition_by);
      if (!table.order_by.empty()) out += " order by " + DumpExpressions(table.order_by);
      return out;
    }
    case ExprKind::kDefault:
      return "default";
  }
  return "";
}

}  // namespace frazil::plan
