// Expressions: dispatch over their kinds, and the simple kinds.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/cast_mismatch.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/python_functions_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/constant.h"
#include "frazil/sql/variable_substitution.h"
#include "frazil/types/cast_rules.h"
#include "frazil/types/datetime.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;

namespace {

/// Opens a scope for as long as it lives.
class ScopeOpening {
 public:
  ScopeOpening(std::vector<const Scope*>* scopes, const Scope* scope) : scopes_(scopes) { scopes_->push_back(scope); }
  ~ScopeOpening() { scopes_->pop_back(); }
  ScopeOpening(const ScopeOpening&) = delete;
  ScopeOpening& operator=(const ScopeOpening&) = delete;

 private:
  std::vector<const Scope*>* scopes_;
};

Error CastError(const Expression& child, const DataType& to, EvalMode mode) {
  const std::string verb = mode == EvalMode::kTry ? "TRY_CAST(" : "CAST(";
  return CastMismatch(verb + child.sql + " AS " + to.Sql() + ")", *child.type, to, mode);
}

// 'epoch', 'now', 'today' and the like, as a constant that is cast to a date or timestamp. In rows these texts mean
// nothing. https://spark.apache.org/docs/latest/sql-ref-literals.html#datetime-literal
Result<std::optional<Value>> SpecialDatetime(const CastExpression& cast, const std::string& time_zone) {
  if (!cast.type->IsDatetime() || !cast.child->type->IsString()) return std::optional<Value>();
  const auto text = functions::ConstantText(*cast.child);
  if (!text) return std::optional<Value>();
  FRAZIL_ASSIGN_OR_RETURN(const auto zone, TimeZone::Find(time_zone));
  if (cast.type->id() == TypeId::kDate) {
    const auto days = ParseSpecialDate(*text, *zone);
    return days ? std::optional<Value>(Value(*days)) : std::nullopt;
  }
  const auto micros = cast.type->id() == TypeId::kTimestamp ? ParseSpecialTimestamp(*text, *zone)
                                                            : ParseSpecialTimestampNtz(*text, *zone);
  return micros ? std::optional<Value>(Value(*micros)) : std::nullopt;
}

// Whether running such an expression can end in an error of its own.
bool MayFail(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kCall:
    case ExpressionKind::kCast:
    case ExpressionKind::kSubquery:
    case ExpressionKind::kAggregate:
    case ExpressionKind::kWindow:
      return true;
    case ExpressionKind::kLiteral:
    case ExpressionKind::kColumn:
    case ExpressionKind::kLambda:
    case ExpressionKind::kLambdaVariable:
      return false;
  }
  return false;
}

bool IsTimestamp(const DataType& type) { return type.id() == TypeId::kTimestamp; }

}  // namespace

Result<ExpressionPtr> Analyzer::AnalyzeScalar(const ExprPtr& expression, const Scope& scope) {
  ScopeOpening opening(&scopes_, &scope);
  return Analyze(expression);
}

Result<ExpressionPtr> Analyzer::AnalyzeFilterCondition(const ExprPtr& expression, const Scope& scope,
                                                       const char* clause) {
  FRAZIL_ASSIGN_OR_RETURN(auto condition, AnalyzeScalar(expression, scope));
  // HAVING casts what is no condition, a plain NULL too.
  if (condition->type->id() != TypeId::kBoolean && std::string_view(clause) == "Having") {
    if (!CanCast(*condition->type, *DataType::Boolean()) && condition->type->id() != TypeId::kNull) {
      return At(
          Error::Of("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", {{"sqlExpr", "\"" + condition->sql + "\""},
                                                                  {"srcType", "\"" + condition->type->Sql() + "\""},
                                                                  {"targetType", "\"BOOLEAN\""}}),
          expression->origin);
    }
    condition =
        WithOrigin(MakeCast(condition, DataType::Boolean(), settings_.eval_mode()), InObject(expression->origin));
  }
  if (condition->type->id() == TypeId::kNull && std::string_view(clause) == "Qualify")
    condition = MakeCast(condition, DataType::Boolean(), settings_.eval_mode());
  if (condition->type->id() != TypeId::kBoolean) {
    return At(Error::Of("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", {{"sqlExpr", "\"" + condition->sql + "\""},
                                                                 {"filter", "\"" + condition->sql + "\""},
                                                                 {"type", "\"" + condition->type->Sql() + "\""}}),
              expression->origin);
  }
  if (!scope.allow_aggregates) {
    std::vector<std::string> invalid;
    VisitExpression(*condition, [&](const Expression& part) {
      const bool refused =
          part.kind == ExpressionKind::kAggregate || (part.kind == ExpressionKind::kWindow && !scope.allow_windows);
      if (refused) invalid.push_back(part.sql);
      return !refused;
    });
    if (!invalid.empty()) {
      if (std::string_view(clause) == "Filter" && ContainsKind(*condition, ExpressionKind::kWindow)) {
        return At(Error::Of("_LEGACY_ERROR_TEMP_1034", {{"clauseName", "WHERE"}}), expression->origin);
      }
      if (std::string_view(clause) == "Filter") {
        return At(Error::Of("INVALID_WHERE_CONDITION",
                            {{"condition", "\"" + condition->sql + "\""}, {"expressionList", Join(invalid, ", ")}}),
                  expression->origin);
      }
      return At(
          Error::Of("UNSUPPORTED_EXPR_FOR_OPERATOR", {{"invalidExprSqls", "\"" + Join(invalid, "\", \"") + "\""}}),
          expression->origin);
    }
  }
  return condition;
}

Result<Value> Analyzer::AnalyzeConstantValue(const ExprPtr& expression, const DataTypePtr& type) {
  Scope scope;
  FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(expression, scope));
  if (type != nullptr && !typed->type->Equals(*type))
    typed = WithOrigin(MakeCast(typed, type, settings_.eval_mode()), InObject(expression->origin));
  if (typed->kind == ExpressionKind::kLiteral) return typed->As<LiteralExpression>().value;
  if (auto value = functions::ConstantValue(*typed)) return *value;
  return context_.EvaluateConstant(typed);
}

Result<std::vector<std::string>> Analyzer::AnalyzeIdentifierText(const ExprPtr& text) {
  Scope scope;
  FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(text, scope));
  const auto shown = "\"" + typed->sql + "\"";
  if (!functions::IsFoldable(*typed)) {
    return At(Error::Of("NOT_A_CONSTANT_STRING.NOT_CONSTANT", {{"name", "IDENTIFIER"}, {"expr", shown}}), text->origin);
  }
  if (!typed->type->IsString()) {
    return At(Error::Of("NOT_A_CONSTANT_STRING.WRONG_TYPE",
                        {{"name", "IDENTIFIER"}, {"expr", shown}, {"dataType", typed->type->SimpleString()}}),
              text->origin);
  }
  Value value;
  if (typed->kind == ExpressionKind::kLiteral) {
    value = typed->As<LiteralExpression>().value;
  } else {
    FRAZIL_ASSIGN_OR_RETURN(value, context_.EvaluateConstant(typed));
  }
  if (value.is_null())
    return At(Error::Of("NOT_A_CONSTANT_STRING.NULL", {{"name", "IDENTIFIER"}, {"expr", shown}}), text->origin);
  return sql::ParseMultipartIdentifier(value.string(), context_.parser_options());
}

Result<ExpressionPtr> Analyzer::Analyze(const ExprPtr& expression) {
  if (expression == nullptr) return Error::Internal("An expression is missing.");
  auto result = AnalyzeKind(expression);
  if (!result.ok()) return At(std::move(result).error(), expression->origin);
  const auto kind = (*result)->kind;
  if (kind == ExpressionKind::kCast) {
    FRAZIL_ASSIGN_OR_RETURN(auto special, SpecialDatetime((*result)->As<CastExpression>(), settings_.time_zone));
    if (special) return WithSql(MakeLiteral((*result)->type, *std::move(special)), (*result)->sql);
  }
  const auto& origin = expression->origin;
  const bool is_known = origin.text != nullptr || !origin.call_site.empty();
  if (is_known && (*result)->origin == nullptr && MayFail(kind))
    return WithOrigin(*std::move(result), InObject(origin));
  return result;
}

Result<std::vector<ExpressionPtr>> Analyzer::AnalyzeAll(const std::vector<ExprPtr>& expressions) {
  std::vector<ExpressionPtr> typed;
  for (const auto& expression : expressions) {
    FRAZIL_ASSIGN_OR_RETURN(auto one, Analyze(expression));
    typed.push_back(std::move(one));
  }
  return typed;
}

Result<ExpressionPtr> Analyzer::AnalyzeKind(const ExprPtr& expression) {
  switch (expression->kind) {
    case ExprKind::kLiteral:
      return AnalyzeLiteral(expression->As<plan::LiteralExpr>());
    case ExprKind::kAttribute:
      return ResolveAttribute(expression->As<plan::AttributeExpr>());
    case ExprKind::kStar:
      return Error::Of("INVALID_USAGE_OF_STAR_OR_REGEX", {{"elem", "'*'"}, {"prettyName", "expression"}});
    case ExprKind::kRegexColumn:
      return Error::Of("INVALID_USAGE_OF_STAR_OR_REGEX",
                       {{"elem", "regular expression"}, {"prettyName", "expression"}});
    case ExprKind::kFunction:
      return AnalyzeFunction(expression->As<plan::FunctionExpr>());
    case ExprKind::kCast:
      return AnalyzeCast(expression->As<plan::CastExpr>());
    case ExprKind::kAlias: {
      // Below the top an alias only names a member (struct(a AS b)); what it stands for counts.
      const auto& alias = expression->As<plan::AliasExpr>();
      FRAZIL_ASSIGN_OR_RETURN(auto child, Analyze(alias.child));
      if (alias.names.size() != 1) return child;
      return WithSql(child, child->sql + " AS " + alias.names[0]);
    }
    case ExprKind::kSortOrder:
      return Analyze(expression->As<plan::SortOrderExpr>().child);
    case ExprKind::kWindow:
      return AnalyzeWindow(expression->As<plan::WindowExpr>());
    case ExprKind::kLambda:
      return Error::Of("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", {{"class", "expression"}});
    case ExprKind::kLambdaVariable: {
      const auto& name = expression->As<plan::LambdaVariableExpr>().name;
      if (auto variable = FindLambdaVariable(name[0])) return FollowFields(variable, name, 1);
      return UnresolvedColumn(name, expression->origin);
    }
    case ExprKind::kExtractValue: {
      const auto& extract = expression->As<plan::ExtractValueExpr>();
      FRAZIL_ASSIGN_OR_RETURN(auto child, Analyze(extract.child));
      FRAZIL_ASSIGN_OR_RETURN(auto key, Analyze(extract.extraction));
      if (extract.is_variant_path) {
        const auto* definition = functions::FindFunction("variant_get");
        if (definition == nullptr) return UnresolvedRoutine({"variant_get"});
        functions::FunctionCall call;
        call.name = "variant_get";
        call.settings = &settings_;
        const auto path = functions::ConstantText(*key).value_or(std::string());
        const std::string whole = (path.empty() || path.front() == '[' ? "$" : "$.") + path;
        call.arguments = {child, MakeLiteral(DataType::String(), Value(whole)),
                          MakeLiteral(DataType::String(), Value("variant"))};
        return functions::BindFunction(*definition, call);
      }
      return ExtractItem(child, key);
    }
    case ExprKind::kUpdateField:
      return AnalyzeUpdateField(expression->As<plan::UpdateFieldExpr>());
    case ExprKind::kSubquery:
      return AnalyzeSubquery(expression->As<plan::SubqueryExpr>());
    case ExprKind::kParameter:
      return AnalyzeParameter(expression->As<plan::ParameterExpr>());
    case ExprKind::kIdentifierClause:
      return AnalyzeIdentifierClause(expression->As<plan::IdentifierClauseExpr>());
    case ExprKind::kNamedArgument:
      return Analyze(expression->As<plan::NamedArgumentExpr>().value);
    case ExprKind::kSqlText: {
      FRAZIL_ASSIGN_OR_RETURN(auto parsed, ParseText(expression->As<plan::SqlTextExpr>().text));
      return Analyze(parsed);
    }
    case ExprKind::kMergeAction:
      return Error::Internal("A MERGE clause stands where an expression is wanted.");
    case ExprKind::kPythonFunction: {
      const auto& function = expression->As<plan::PythonFunctionExpr>();
      FRAZIL_ASSIGN_OR_RETURN(const auto sources, ExpandStarArguments(function.arguments));
      FRAZIL_ASSIGN_OR_RETURN(auto arguments, AnalyzeAll(sources));
      return MakePythonCall(
          function, sources, std::move(arguments), context_.parser_options(), [this](std::vector<ExpressionPtr> rows) {
            std::vector<ExprPtr> columns;
            for (size_t i = 0; i < rows.size(); ++i) {
              Attribute column;
              column.name = "_" + std::to_string(i);
              columns.push_back(MakeTypedExpr(column, rows[i]));
            }
            return Analyze(
                plan::MakeFunctionExpr("collect_list", {plan::MakeFunctionExpr("struct", std::move(columns))}));
          });
    }
    case ExprKind::kTableArgument:
      return Error::Unsupported("TABLE ARGUMENT");
    case ExprKind::kDefault:
      return Error::Of("DEFAULT_PLACEMENT_INVALID");
  }
  return Error::Internal("Unknown kind of expression.");
}

Result<ExprPtr> Analyzer::ParseText(const std::string& text) {
  return sql::ParseExpression(sql::SubstituteVariables(text, settings_.lookup), context_.parser_options());
}

Result<ExpressionPtr> Analyzer::AnalyzeLiteral(const plan::LiteralExpr& literal) {
  auto typed = MakeLiteral(literal.type, literal.value);
  if (IsTimestamp(*literal.type)) return WithSql(typed, LiteralSql(*literal.type, literal.value, settings_.time_zone));
  return typed;
}

Result<ExpressionPtr> Analyzer::AnalyzeCast(const plan::CastExpr& cast) {
  DataTypePtr type = cast.type;
  if (type == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(type, sql::ParseDataType(cast.type_text, context_.parser_options()));
  }
  type = StringsWithoutLength(type);
  FRAZIL_ASSIGN_OR_RETURN(auto child, Analyze(cast.child));
  const EvalMode mode = cast.mode ? *cast.mode : settings_.eval_mode();
  const auto& from = *child->type;
  const bool allowed = mode == EvalMode::kLegacy ? CanCast(from, *type)
                       : mode == EvalMode::kAnsi ? CanAnsiCast(from, *type)
                                                 : CanTryCast(from, *type);
  if (!allowed) return CastError(*child, *type, mode);
  return MakeCast(child, type, mode, true);
}

Result<ExpressionPtr> Analyzer::AnalyzeParameter(const plan::ParameterExpr& parameter) {
  const auto& named = own_parameters_ ? named_parameters_ : context_.named_parameters;
  const auto& positional = own_parameters_ ? positional_parameters_ : context_.positional_parameters;
  if (!parameter.name.empty()) {
    for (const auto& [name, value] : named) {
      if (name == parameter.name) return Analyze(value);
    }
    return Error::Of("UNBOUND_SQL_PARAMETER", {{"name", parameter.name}});
  }
  // The n-th question mark of the text takes the n-th value.
  size_t index = 0;
  if (parameter.origin.text != nullptr) {
    const std::string& text = *parameter.origin.text;
    char quote = 0;
    int character = -1;
    for (size_t i = 0; i < text.size(); ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++character;
      if (character >= parameter.position) break;
      const char at = text[i];
      if (quote != 0) {
        if (at == '\\' && quote != '`') {
          ++i;
          ++character;
        } else if (at == quote) {
          quote = 0;
        }
      } else if (at == '\'' || at == '"' || at == '`') {
        quote = at;
      } else if (at == '-' && i + 1 < text.size() && text[i + 1] == '-') {
        while (i + 1 < text.size() && text[i + 1] != '\n') {
          ++i;
          if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++character;
        }
      } else if (at == '/' && i + 1 < text.size() && text[i + 1] == '*') {
        const size_t end = text.find("*/", i + 2);
        const size_t stop = end == std::string::npos ? text.size() - 1 : end + 1;
        while (i < stop) {
          ++i;
          if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++character;
        }
      } else if (at == '?') {
        ++index;
      }
    }
  }
  if (index < positional.size()) return Analyze(positional[index]);
  return Error::Of("UNBOUND_SQL_PARAMETER", {{"name", "_" + std::to_string(parameter.position)}});
}

Result<ExpressionPtr> Analyzer::AnalyzeIdentifierClause(const plan::IdentifierClauseExpr& clause) {
  FRAZIL_ASSIGN_OR_RETURN(auto name, AnalyzeIdentifierText(clause.text));
  if (clause.function != nullptr) {
    plan::FunctionExpr call = *clause.function;
    call.name = std::move(name);
    return AnalyzeFunction(call);
  }
  plan::AttributeExpr attribute;
  attribute.name = std::move(name);
  attribute.origin = clause.origin;
  return ResolveAttribute(attribute);
}

Result<std::vector<SortKey>> Analyzer::AnalyzeSortKeys(const std::vector<ExprPtr>& keys) {
  std::vector<SortKey> sorted;
  for (const auto& key : keys) {
    SortKey typed;
    ExprPtr child = key;
    if (key->kind == ExprKind::kSortOrder) {
      const auto& order = key->As<plan::SortOrderExpr>();
      child = order.child;
      typed.ascending = order.ascending;
      typed.nulls_first = order.nulls_first.value_or(order.ascending);
    }
    FRAZIL_ASSIGN_OR_RETURN(typed.expression, Analyze(child));
    sorted.push_back(std::move(typed));
  }
  return sorted;
}

// Rebuilds the struct with one field changed: if(isnull(s), NULL, named_struct(...)).
Result<ExpressionPtr> Analyzer::AnalyzeUpdateField(const plan::UpdateFieldExpr& update) {
  FRAZIL_ASSIGN_OR_RETURN(auto base, Analyze(update.child));
  ExpressionPtr value;
  if (update.value != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(value, Analyze(update.value));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto path, sql::ParseMultipartIdentifier(update.field, context_.parser_options()));
  const bool exact_case = settings_.case_sensitive;
  const std::function<Result<ExpressionPtr>(const ExpressionPtr&, size_t)> change =
      [&](const ExpressionPtr& child, size_t level) -> Result<ExpressionPtr> {
    if (child->type->id() != TypeId::kStruct) {
      return Error::Of("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", {{"sqlExpr", "\"update_fields(" + child->sql + ")\""},
                                                                   {"paramIndex", "first"},
                                                                   {"requiredType", "\"STRUCT\""},
                                                                   {"inputSql", "\"" + child->sql + "\""},
                                                                   {"inputType", "\"" + child->type->Sql() + "\""}});
    }
    std::vector<StructField> fields;
    std::vector<ExpressionPtr> arguments;
    bool found = false;
    const auto add = [&](const std::string& name, const ExpressionPtr& member) {
      fields.emplace_back(name, member->type, member->nullable);
      arguments.push_back(MakeLiteral(DataType::String(), Value(name)));
      arguments.push_back(member);
    };
    for (const auto& field : child->type->fields()) {
      FRAZIL_ASSIGN_OR_RETURN(auto member, ExtractField(child, field.name));
      const bool is_it = exact_case ? field.name == path[level] : EqualsIgnoreCase(field.name, path[level]);
      if (!is_it) {
        add(field.name, member);
        continue;
      }
      found = true;
      if (level + 1 < path.size()) {
        FRAZIL_ASSIGN_OR_RETURN(auto inner, change(member, level + 1));
        add(field.name, inner);
      } else if (value != nullptr) {
        add(path[level], value);
      }
    }
    if (!found && level + 1 < path.size()) {
      std::string names;
      for (const auto& field : child->type->fields())
        names += (names.empty() ? "" : ", ") + QuoteIdentifier(field.name);
      return Error::Of("FIELD_NOT_FOUND", {{"fieldName", QuoteIdentifier(path[level])}, {"fields", names}});
    }
    if (!found && value != nullptr) add(path[level], value);
    if (fields.empty()) {
      return Error::Of("DATATYPE_MISMATCH.CANNOT_DROP_ALL_FIELDS",
                       {{"sqlExpr", "\"update_fields(" + child->sql + ", dropfield())\""}});
    }
    auto type = DataType::Struct(std::move(fields));
    auto made = MakeCall("named_struct", std::move(arguments), type, false);
    if (!child->nullable) return made;
    auto is_null = MakeCall("is_null", {child}, DataType::Boolean(), false);
    return MakeCall("if", {is_null, MakeNull(type), made}, type, true);
  };
  FRAZIL_ASSIGN_OR_RETURN(auto changed, change(base, 0));
  return WithSql(changed, "update_fields(" + base->sql + ", " +
                              (value != nullptr ? "WithField(" + value->sql + ")" : std::string("dropfield()")) + ")");
}

}  // namespace frazil::analysis
