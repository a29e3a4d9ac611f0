// SELECT lists: stars, automatic names, lateral aliases, generators.

#include <algorithm>
#include <regex>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/lateral_alias_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::ExprKind;
using plan::ExprPtr;

namespace {

// t.* : the target's parts are the last ones of the column's qualifier.
bool HasQualifier(const Attribute& attribute, const std::vector<std::string>& target, bool case_sensitive) {
  if (attribute.qualifier.size() < target.size()) return false;
  for (size_t i = 0; i < target.size(); ++i) {
    const auto& part = attribute.qualifier[attribute.qualifier.size() - target.size() + i];
    if (case_sensitive ? part != target[i] : !EqualsIgnoreCase(part, target[i])) return false;
  }
  return true;
}

const Attribute* FindById(const Relation* relation, AttributeId id) {
  if (relation == nullptr) return nullptr;
  for (const auto& attribute : relation->output) {
    if (attribute.id == id) return &attribute;
  }
  for (const auto& hidden : relation->hidden) {
    if (hidden.attribute.id == id) return &hidden.attribute;
  }
  return nullptr;
}

}  // namespace

Result<std::vector<ExprPtr>> Analyzer::ExpandStars(const std::vector<ExprPtr>& expressions, const Relation& input) {
  std::vector<ExprPtr> expanded;
  for (const auto& source : expressions) {
    ExprPtr expression = source;
    if (expression->kind == ExprKind::kSqlText) {
      FRAZIL_ASSIGN_OR_RETURN(expression, ParseText(expression->As<plan::SqlTextExpr>().text));
    }
    if (expression->kind == ExprKind::kStar) {
      FRAZIL_ASSIGN_OR_RETURN(auto columns,
                              At(ExpandStar(expression->As<plan::StarExpr>(), input), expression->origin));
      expanded.insert(expanded.end(), columns.begin(), columns.end());
    } else if (expression->kind == ExprKind::kRegexColumn) {
      FRAZIL_ASSIGN_OR_RETURN(auto columns,
                              At(ExpandRegex(expression->As<plan::RegexColumnExpr>(), input), expression->origin));
      expanded.insert(expanded.end(), columns.begin(), columns.end());
    } else {
      expanded.push_back(std::move(expression));
    }
  }
  return expanded;
}

Result<std::vector<ExprPtr>> Analyzer::ExpandStar(const plan::StarExpr& star, const Relation& input) {
  std::vector<Attribute> columns;
  std::vector<ExprPtr> fields;
  if (star.plan_id) {
    for (const auto& dataframe : input.dataframes) {
      if (dataframe.plan_id != *star.plan_id) continue;
      for (const auto& column : *dataframe.columns) {
        if (FindById(&input, column.id) != nullptr) columns.push_back(column);
      }
      break;
    }
    if (columns.empty()) return Error::Of("CANNOT_RESOLVE_DATAFRAME_COLUMN", {{"name", "`*`"}});
  } else if (star.target.empty()) {
    columns = input.output;
  } else {
    for (const auto& hidden : input.hidden) {
      if (hidden.qualified_only && HasQualifier(hidden.attribute, star.target, settings_.case_sensitive))
        columns.push_back(hidden.attribute);
    }
    for (const auto& attribute : input.output) {
      if (HasQualifier(attribute, star.target, settings_.case_sensitive)) columns.push_back(attribute);
    }
    if (columns.empty()) {
      // struct.*
      Scope scope;
      scope.input = &input;
      scopes_.push_back(&scope);
      auto base = ResolveName(star.target, star.origin);
      scopes_.pop_back();
      if (!base.ok()) return std::move(base).error();
      if (*base == nullptr && !scopes_.empty() && scopes_.back()->input != nullptr) {
        // The columns of a table around this query.
        for (const auto& attribute : scopes_.back()->input->output) {
          if (!HasQualifier(attribute, star.target, settings_.case_sensitive)) continue;
          Attribute unnamed;
          unnamed.name = attribute.name;
          fields.push_back(MakeTypedExpr(unnamed, MakeColumn(attribute, true)));
        }
        if (!fields.empty()) {
          MarkOuter(scopes_.size() - 1);
          return fields;
        }
      }
      if (*base == nullptr || (*base)->type->id() != TypeId::kStruct) {
        std::vector<std::string> names;
        for (const auto& attribute : input.output) names.push_back(QuoteIdentifier(attribute.name));
        return Error::Of("CANNOT_RESOLVE_STAR_EXPAND",
                         {{"targetString", QuoteIdentifier(star.target)}, {"columns", Join(names, ", ")}});
      }
      for (const auto& field : (*base)->type->fields()) {
        FRAZIL_ASSIGN_OR_RETURN(auto member, ExtractField(*base, field.name));
        Attribute attribute;
        attribute.name = field.name;
        fields.push_back(MakeTypedExpr(attribute, std::move(member)));
      }
    }
  }
  if (fields.empty()) {
    for (const auto& column : columns) fields.push_back(MakeTypedExpr(column));
  }
  if (star.except.empty()) return fields;

  // Each name must fit one of the columns; a longer one takes a field out of it.
  std::set<size_t> removed;
  for (const auto& name : star.except) {
    bool found = false;
    for (size_t i = 0; i < fields.size() && !found; ++i) {
      const auto& typed = *AsTypedExpr(*fields[i]);
      for (size_t qualifier = 0; qualifier < name.size() && !found; ++qualifier) {
        const std::vector<std::string> target(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(qualifier));
        if (!EqualsIgnoreCase(typed.name[0], name[qualifier])) continue;
        if (qualifier > 0 && !HasQualifier(typed.attribute, target, settings_.case_sensitive)) continue;
        if (qualifier + 1 == name.size()) {
          if (!removed.insert(i).second)
            return Error::Of("EXCEPT_OVERLAPPING_COLUMNS", {{"columns", QuoteIdentifier(name)}});
        } else {
          plan::UpdateFieldExpr drop;
          drop.child = fields[i];
          std::string path;
          for (size_t part = qualifier + 1; part < name.size(); ++part)
            path += (path.empty() ? "" : ".") + QuoteIdentifier(name[part]);
          drop.field = path;
          FRAZIL_ASSIGN_OR_RETURN(auto changed, AnalyzeUpdateField(drop));
          Attribute attribute;
          attribute.name = typed.name[0];
          fields[i] = MakeTypedExpr(attribute, std::move(changed));
        }
        found = true;
      }
    }
    if (!found) {
      std::vector<std::string> names;
      for (const auto& field : fields) names.push_back(QuoteIdentifier(AsTypedExpr(*field)->name[0]));
      return Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                       {{"objectName", QuoteIdentifier(name)}, {"proposal", Join(names, ", ")}});
    }
  }
  std::vector<ExprPtr> kept;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (removed.count(i) == 0) kept.push_back(fields[i]);
  }
  return kept;
}

Result<std::vector<ExprPtr>> Analyzer::ExpandRegex(const plan::RegexColumnExpr& regex, const Relation& input) {
  // The pattern stands in back quotes in colRegex("`a.*`").
  std::string pattern = regex.pattern;
  if (pattern.size() >= 2 && pattern.front() == '`' && pattern.back() == '`')
    pattern = pattern.substr(1, pattern.size() - 2);
  std::vector<ExprPtr> columns;
  try {
    const std::regex compiled(
        pattern, settings_.case_sensitive ? std::regex::ECMAScript : std::regex::ECMAScript | std::regex::icase);
    for (const auto& attribute : input.output) {
      if (std::regex_match(attribute.name, compiled)) columns.push_back(MakeTypedExpr(attribute));
    }
  } catch (const std::regex_error&) {
    return Error::Of("INVALID_PARAMETER_VALUE.PATTERN",
                     {{"functionName", "`colRegex`"}, {"parameter", "`regexp`"}, {"value", "'" + pattern + "'"}});
  }
  return columns;
}

namespace {

// v:a.b shows as its last field; empty where the source is no path into a variant.
std::string VariantFieldName(const plan::Expr& source) {
  if (source.kind == ExprKind::kCast) return VariantFieldName(*source.As<plan::CastExpr>().child);
  if (source.kind != ExprKind::kExtractValue || !source.As<plan::ExtractValueExpr>().is_variant_path) return {};
  const auto& extraction = *source.As<plan::ExtractValueExpr>().extraction;
  if (extraction.kind != ExprKind::kLiteral || !extraction.As<plan::LiteralExpr>().type->IsString()) return {};
  const std::string& path = extraction.As<plan::LiteralExpr>().value.string();
  // The last part that is a name: .name, ['name'] or ["name"].
  std::string name, last;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '.') {
      last = name.empty() ? last : name;
      name.clear();
    } else if (path[i] == '[') {
      last = name.empty() ? last : name;
      name.clear();
      const size_t end = path.find(']', i);
      if (end == std::string::npos) break;
      const auto inside = path.substr(i + 1, end - i - 1);
      if (inside.size() >= 2 && (inside.front() == '\'' || inside.front() == '"'))
        last = inside.substr(1, inside.size() - 2);
      i = end;
    } else {
      name += path[i];
    }
  }
  return name.empty() ? last : name;
}

}  // namespace

std::string Analyzer::AutomaticName(const ExprPtr& source, const ExpressionPtr& expression) const {
  if (const auto* typed = AsTypedExpr(*source)) return typed->name[0];
  if (const auto field = VariantFieldName(*source); !field.empty()) return field;
  if (source->kind == ExprKind::kAttribute) {
    // Fields, variables and lateral aliases show under their last name; a function without parentheses under its own.
    const auto& name = source->As<plan::AttributeExpr>().name;
    const bool is_function = name.size() == 1 && expression->sql == AsciiLower(name[0]) + "()";
    if (!is_function) return name.back();
  }
  const bool is_call = source->kind == ExprKind::kFunction;
  if (expression->kind == ExpressionKind::kColumn && !is_call) return expression->As<ColumnExpression>().name;
  if (expression->kind == ExpressionKind::kCast && expression->As<CastExpression>().user_specified) {
    // Functions that are casts (to_date) show as they are called.
    const bool shows_as_cast = expression->sql.starts_with("CAST(") || expression->sql.starts_with("TRY_CAST(");
    const auto& child = *expression->As<CastExpression>().child;
    if (shows_as_cast && child.kind == ExpressionKind::kColumn) return child.As<ColumnExpression>().name;
  }
  return expression->sql;
}

Result<Analyzer::SelectItem> Analyzer::AnalyzeSelectItem(const ExprPtr& source, const Scope& scope) {
  SelectItem item;
  if (source->kind == ExprKind::kAlias) {
    const auto& alias = source->As<plan::AliasExpr>();
    FRAZIL_ASSIGN_OR_RETURN(item.expression, AnalyzeScalar(alias.child, scope));
    if (alias.names.size() != 1) {
      return At(Error::Of("MULTI_ALIAS_WITHOUT_GENERATOR",
                          {{"expr", "\"" + item.expression->sql + "\""}, {"names", Join(alias.names, ", ")}}),
                source->origin);
    }
    item.attribute.name = alias.names[0];
    if (item.expression->kind == ExpressionKind::kColumn) {
      if (const auto* column = FindById(scope.input, item.expression->As<ColumnExpression>().id))
        item.attribute.metadata = column->metadata;
    }
    if (alias.metadata) {
      FRAZIL_ASSIGN_OR_RETURN(
          auto parsed,
          DataType::FromJson(
              "{\"type\":\"struct\",\"fields\":[{\"name\":\"m\",\"type\":\"integer\",\"nullable\":true,\"metadata\":" +
              *alias.metadata + "}]}"));
      item.attribute.metadata = parsed->fields()[0].metadata;
    }
    return item;
  }
  FRAZIL_ASSIGN_OR_RETURN(item.expression, AnalyzeScalar(source, scope));
  // A function whose body is its argument still shows as a call.
  const bool is_call = source->kind == ExprKind::kFunction;
  if (!is_call && item.expression->kind == ExpressionKind::kColumn &&
      !item.expression->As<ColumnExpression>().is_outer) {
    const auto& column = item.expression->As<ColumnExpression>();
    const auto* found = FindById(scope.input, column.id);
    // A lateral alias of a plain column is a column of its own.
    const bool is_alias = source->kind == ExprKind::kAttribute && AsTypedExpr(*source) == nullptr &&
                          !EqualsIgnoreCase(source->As<plan::AttributeExpr>().name.back(), column.name);
    if (found != nullptr && !is_alias) {
      item.attribute = *found;
      item.attribute.name = column.name;
      return item;
    }
  }
  item.attribute.name = AutomaticName(source, item.expression);
  return item;
}

std::optional<Analyzer::SelectGenerator> Analyzer::FindGenerator(const ExprPtr& expression) const {
  SelectGenerator found;
  const plan::Expr* inner = expression.get();
  if (inner->kind == ExprKind::kAlias) {
    found.names = inner->As<plan::AliasExpr>().names;
    inner = inner->As<plan::AliasExpr>().child.get();
  }
  if (inner->kind != ExprKind::kFunction) return std::nullopt;
  found.call = &inner->As<plan::FunctionExpr>();
  const std::string name = FunctionName(found.call->name);
  const auto* definition = name.empty() ? nullptr : functions::FindFunction(name);
  if (definition == nullptr || definition->function_class != functions::FunctionClass::kGenerator) return std::nullopt;
  found.outer = name.ends_with("_outer");
  return found;
}

Result<Relation> Analyzer::Finish(SelectStage stage, std::vector<Attribute> output, bool distinct) {
  Relation relation;
  relation.dataframes = stage.input().dataframes;
  auto shared = std::make_shared<SelectStage>(std::move(stage));
  relation.plan = shared->Build();
  relation.select_root = relation.plan;
  relation.select = std::move(shared);
  relation.output = std::move(output);
  if (distinct) {
    FRAZIL_RETURN_IF_ERROR(CheckComparable(relation.output));
    relation.plan = plan::MakeDistinct(relation.plan);
    relation.select_is_distinct = true;
  }
  return relation;
}

Result<Relation> Analyzer::AnalyzeSelect(const Relation& input, SelectStage stage, const std::vector<ExprPtr>& sources,
                                         bool distinct, const ExprPtr& having, const ExprPtr& qualify) {
  FRAZIL_ASSIGN_OR_RETURN(auto expressions, ExpandStars(sources, input));
  std::vector<LateralAlias> aliases;
  Scope scope;
  scope.input = &input;
  scope.aliases = &aliases;
  scope.allow_aggregates = true;
  scope.allow_windows = true;

  // First all items are typed; then it is known whether there are aggregates.
  struct Item {
    SelectItem column;
    std::optional<GenerateStep> generator;
  };
  std::vector<Item> items;
  bool has_aggregate = false;
  for (const auto& expression : expressions) {
    Item item;
    if (const auto generator = FindGenerator(expression)) {
      FRAZIL_ASSIGN_OR_RETURN(
          item.generator,
          At(MakeGenerator(*generator->call, generator->names, generator->outer, scope), expression->origin));
      for (const auto& argument : item.generator->arguments)
        has_aggregate = has_aggregate || ContainsKind(*argument, ExpressionKind::kAggregate);
      for (const auto& column : item.generator->columns) {
        if (!generator->names.empty()) aliases.push_back({column.name, MakeColumn(column)});
      }
    } else {
      FRAZIL_ASSIGN_OR_RETURN(item.column, AnalyzeSelectItem(expression, scope));
      has_aggregate = has_aggregate || ContainsKind(*item.column.expression, ExpressionKind::kAggregate);
      if (item.column.attribute.id == 0) aliases.push_back({item.column.attribute.name, item.column.expression});
    }
    items.push_back(std::move(item));
  }
  if ((has_aggregate || having != nullptr) && !stage.is_aggregate()) stage.SetGrouping({}, {});
  if (stage.is_aggregate()) {
    if (having != nullptr) {
      std::vector<ExpressionPtr> selected;
      bool has_window = false;
      for (const auto& item : items) {
        if (item.generator) continue;
        selected.push_back(item.column.expression);
        has_window = has_window || ContainsKind(*selected.back(), ExpressionKind::kWindow);
      }
      if (const auto alias = has_window ? LateralAliasIn(selected) : std::nullopt) {
        return Error::Of("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_AGGREGATE_WITH_WINDOW_AND_HAVING",
                         {{"lca", QuoteIdentifier(*alias)}});
      }
    }
    // Beside aggregates there is one at most.
    std::string generators;
    size_t count = 0, last = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!items[i].generator) continue;
      std::string text = FunctionName(FindGenerator(expressions[i])->call->name) + "(";
      const auto& arguments = items[i].generator->arguments;
      for (size_t j = 0; j < arguments.size(); ++j) text += (j > 0 ? ", " : "") + arguments[j]->sql;
      generators += (count++ > 0 ? ", " : "") + ("\"" + text + ")\"");
      last = i;
    }
    if (count > 1) {
      return At(Error::Of("UNSUPPORTED_GENERATOR.MULTI_GENERATOR",
                          {{"num", std::to_string(count)}, {"generators", generators}}),
                expressions[last]->origin);
    }
  }

  for (auto& item : items) {
    if (item.generator) FRAZIL_RETURN_IF_ERROR(stage.AddGenerator(*item.generator));
  }
  std::vector<Attribute> output;
  for (size_t i = 0; i < items.size(); ++i) {
    auto& item = items[i];
    if (item.generator) {
      for (const auto& column : item.generator->columns) {
        FRAZIL_ASSIGN_OR_RETURN(auto attribute, stage.AddColumn(MakeColumn(column), column));
        output.push_back(std::move(attribute));
      }
      continue;
    }
    auto attribute = stage.AddColumn(item.column.expression, item.column.attribute);
    if (!attribute.ok()) {
      // What lacks GROUP BY is the whole query.
      if (attribute.error().condition == "MISSING_GROUP_BY") return std::move(attribute).error();
      return At(std::move(attribute).error(), expressions[i]->origin);
    }
    output.push_back(*std::move(attribute));
  }

  if (having != nullptr || qualify != nullptr) {
    Relation selected;
    selected.output = output;
    selected.plan = stage.Build();
    selected.dataframes = input.dataframes;
    Scope above;
    above.input = &selected;
    above.fallback = &input;
    above.allow_aggregates = true;
    above.allow_windows = qualify != nullptr;
    if (having != nullptr) {
      auto condition = AnalyzeFilterCondition(having, above, "Having");
      if (!condition.ok()) {
        // What does not fit the columns of SELECT may fit those below.
        Scope below = above;
        below.input = &input;
        below.fallback = &selected;
        auto second = AnalyzeFilterCondition(having, below, "Having");
        if (second.ok()) condition = std::move(second);
      }
      if (!condition.ok()) return std::move(condition).error();
      auto added = stage.AddHaving(*condition);
      if (!added.ok()) {
        Scope selected_only = above;
        selected_only.fallback = nullptr;
        auto alone = AnalyzeFilterCondition(having, selected_only, "Having");
        if (!alone.ok() && alone.error().condition == "AMBIGUOUS_REFERENCE") return std::move(alone).error();
        return At(UngroupedAbove(std::move(added).error(), selected), having->origin);
      }
    }
    if (qualify != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(auto condition, AnalyzeFilterCondition(qualify, above, "Qualify"));
      auto added = stage.AddQualify(condition);
      if (!added.ok()) return At(std::move(added).error(), qualify->origin);
    }
  }
  return Finish(std::move(stage), std::move(output), distinct);
}

Status Analyzer::RefuseAggregates(const std::vector<ExprPtr>& sources, const Relation& input,
                                  const std::string& clause) {
  FRAZIL_ASSIGN_OR_RETURN(auto expressions, ExpandStars(sources, input));
  Scope scope;
  scope.input = &input;
  std::vector<LateralAlias> aliases;
  scope.aliases = &aliases;
  for (const auto& expression : expressions) {
    if (FindGenerator(expression)) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto item, AnalyzeSelectItem(expression, scope));
    if (ContainsKind(*item.expression, ExpressionKind::kAggregate)) {
      return At(
          Error::Of("PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION", {{"expr", item.expression->sql}, {"clause", clause}}),
          expression->origin);
    }
    if (expression->kind == ExprKind::kAlias) aliases.push_back({item.attribute.name, item.expression});
  }
  return Status::Ok();
}

Result<Relation> Analyzer::AnalyzeProject(const plan::ProjectPlan& project, const ExprPtr& having) {
  FRAZIL_ASSIGN_OR_RETURN(auto input, AnalyzePlan(project.child));
  if (!project.pipe_clause.empty())
    FRAZIL_RETURN_IF_ERROR(RefuseAggregates(project.expressions, input, project.pipe_clause));
  const auto as_where =
      settings_.lookup ? settings_.lookup("spark.sql.legacy.parser.havingWithoutGroupByAsWhere") : std::nullopt;
  if (having != nullptr && as_where.value_or("false") == "true") {
    Scope scope;
    scope.input = &input;
    FRAZIL_ASSIGN_OR_RETURN(auto condition, AnalyzeFilterCondition(having, scope, "Filter"));
    input = OnTop(input, plan::MakeFilter(input.plan, std::move(condition)));
    return AnalyzeSelect(input, SelectStage(input, &context_), project.expressions, project.distinct, nullptr, nullptr);
  }
  return WithTimeWindows(&input, [&] {
    return AnalyzeSelect(input, SelectStage(input, &context_), project.expressions, project.distinct, having, nullptr);
  });
}

Result<Relation> Analyzer::AnalyzeHaving(const plan::HavingPlan& having) {
  const auto& child = having.child;
  if (child->kind == plan::PlanKind::kAggregate)
    return AnalyzeAggregate(child->As<plan::AggregatePlan>(), having.condition);
  if (child->kind == plan::PlanKind::kProject) return AnalyzeProject(child->As<plan::ProjectPlan>(), having.condition);
  // Over anything else HAVING is WHERE.
  plan::FilterPlan filter;
  filter.child = child;
  filter.condition = having.condition;
  return AnalyzeFilter(filter);
}

}  // namespace frazil::analysis
