// Names to columns. Spark's order: the longest qualifier wins; then struct fields; then lateral aliases; then the
// queries around.

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/lateral_alias_internal.h"
#include "frazil/analysis/typed_expr_internal.h"
#include "frazil/base/text.h"

namespace frazil::analysis {
namespace {

// Whether `parts` (from its start) are the last parts of the qualifier.
bool MatchesQualifier(const std::vector<std::string>& qualifier, const std::vector<std::string>& name, size_t count,
                      bool case_sensitive) {
  if (qualifier.size() < count) return false;
  for (size_t i = 0; i < count; ++i) {
    const auto& part = qualifier[qualifier.size() - count + i];
    if (case_sensitive ? part != name[i] : !EqualsIgnoreCase(part, name[i])) return false;
  }
  return true;
}

// Functions that need no parentheses, where no column has their name.
bool IsLiteralFunction(const std::string& name) {
  static constexpr std::string_view kNames[] = {
      "current_date",   "current_timestamp", "current_user",     "user",        "session_user", "current_time",
      "localtimestamp", "current_catalog",   "current_database", "grouping__id"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view known) { return EqualsIgnoreCase(known, name); });
}

void AddDistinct(const Attribute& attribute, std::vector<Attribute>* candidates) {
  const bool known = std::any_of(candidates->begin(), candidates->end(),
                                 [&](const Attribute& other) { return other.id == attribute.id; });
  if (!known) candidates->push_back(attribute);
}

std::string ReferenceNames(const std::vector<Attribute>& candidates) {
  std::vector<std::string> names;
  for (const auto& attribute : candidates) {
    auto parts = attribute.qualifier;
    parts.push_back(attribute.name);
    names.push_back(QuoteIdentifier(parts));
  }
  std::string text = "[";
  for (size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + names[i];
  return text + "]";
}

}  // namespace

void Analyzer::MarkOuter(size_t scope_index) {
  for (auto& subquery : subqueries_) {
    if (scope_index < subquery.depth) subquery.is_correlated = true;
  }
}

Result<ExpressionPtr> Analyzer::FollowFields(ExpressionPtr base, const std::vector<std::string>& name, size_t from) {
  for (size_t i = from; i < name.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(base, ExtractField(base, name[i]));
  }
  return base;
}

Result<ExpressionPtr> Analyzer::ResolveInRelation(const std::vector<std::string>& name, const Relation& relation,
                                                  bool is_outer) {
  const bool exact_case = settings_.case_sensitive;
  const auto same = [&](const std::string& left, const std::string& right) {
    return exact_case ? left == right : EqualsIgnoreCase(left, right);
  };
  std::vector<Attribute> candidates;
  size_t used = 0;
  for (size_t qualifier = std::min<size_t>(name.size() - 1, 3) + 1; qualifier-- > 0 && candidates.empty();) {
    for (const auto& attribute : relation.output) {
      if (!same(attribute.name, name[qualifier])) continue;
      // With three parts before the name the qualifier must be whole; with fewer its end must fit.
      if (qualifier > 0 && !MatchesQualifier(attribute.qualifier, name, qualifier, exact_case)) continue;
      AddDistinct(attribute, &candidates);
    }
    if (candidates.empty()) {
      for (const auto& hidden : relation.hidden) {
        if (hidden.qualified_only && qualifier == 0) continue;
        if (!same(hidden.attribute.name, name[qualifier])) continue;
        if (qualifier > 0 && !MatchesQualifier(hidden.attribute.qualifier, name, qualifier, exact_case)) continue;
        AddDistinct(hidden.attribute, &candidates);
      }
    }
    used = qualifier + 1;
  }
  if (candidates.empty()) return ExpressionPtr();
  if (candidates.size() > 1) {
    if (used < name.size()) {
      // Only those whose type has the field.
      std::vector<ExpressionPtr> fitting;
      for (const auto& candidate : candidates) {
        auto followed = FollowFields(MakeColumn(candidate, is_outer), name, used);
        if (followed.ok()) fitting.push_back(*followed);
      }
      if (fitting.size() == 1) return fitting[0];
    }
    return Error::Of("AMBIGUOUS_REFERENCE",
                     {{"name", QuoteIdentifier(name)}, {"referenceNames", ReferenceNames(candidates)}});
  }
  // The column shows under the name as it was written.
  Attribute found = candidates[0];
  found.name = name[used - 1];
  auto column = MakeColumn(found, is_outer);
  if (is_outer) {
    std::string shown = Join(found.qualifier, ".");
    column = WithSql(column, "outer(" + (shown.empty() ? shown : shown + ".") + found.name + ")");
  }
  return FollowFields(std::move(column), name, used);
}

Result<ExpressionPtr> Analyzer::ResolveInAliases(const std::vector<std::string>& name,
                                                 const std::vector<LateralAlias>& aliases, bool first_wins) {
  const LateralAlias* found = nullptr;
  for (const auto& alias : aliases) {
    if (settings_.case_sensitive ? alias.name != name[0] : !EqualsIgnoreCase(alias.name, name[0])) continue;
    if (found != nullptr && first_wins) break;
    if (found != nullptr) {
      size_t count = 0;
      for (const auto& other : aliases) count += EqualsIgnoreCase(other.name, name[0]) ? 1 : 0;
      return Error::Of("AMBIGUOUS_LATERAL_COLUMN_ALIAS",
                       {{"name", QuoteIdentifier(name)}, {"n", std::to_string(count)}});
    }
    found = &alias;
  }
  if (found == nullptr) return ExpressionPtr();
  // In GROUP BY the alias is a mere short form.
  if (first_wins) return FollowFields(found->expression, name, 1);
  return FollowFields(MakeLateralReference(found->expression, name[0]), name, 1);
}

Result<ExpressionPtr> Analyzer::ResolveName(const std::vector<std::string>& name, const plan::Origin& /*origin*/) {
  if (auto variable = FindLambdaVariable(name[0])) return FollowFields(variable, name, 1);
  // A query sees the one around it, not those further out.
  const size_t last_scope = scopes_.size() > 2 ? scopes_.size() - 2 : 0;
  for (size_t i = scopes_.size(); i-- > last_scope;) {
    const Scope& scope = *scopes_[i];
    const bool is_outer = i + 1 < scopes_.size();
    for (const Relation* relation : {scope.input, scope.fallback}) {
      if (relation == nullptr) continue;
      auto resolved = ResolveInRelation(name, *relation, is_outer);
      // Above a SELECT, a name that is ambiguous among its columns may still be one below it.
      const bool may_fall = relation == scope.input && scope.fallback != nullptr;
      if (!resolved.ok() && may_fall && resolved.error().condition == "AMBIGUOUS_REFERENCE") continue;
      if (!resolved.ok()) return resolved;
      if (*resolved != nullptr) {
        if (is_outer) MarkOuter(i);
        return resolved;
      }
    }
    // A variable of a script stands before an alias of the same SELECT.
    const bool may_be_alias = !is_outer && scope.aliases != nullptr;
    if (may_be_alias && context_.FindLocalVariable(name).variable == nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(auto found, ResolveInAliases(name, *scope.aliases, scope.first_alias_wins));
      if (found != nullptr) return found;
    }
  }
  return ResolveVariable(name);
}

Result<ExpressionPtr> Analyzer::ResolveVariable(const std::vector<std::string>& name) {
  const auto as_reference = [&](const SessionVariable& variable, const std::string& scope, size_t used) {
    auto literal = MakeLiteral(variable.type, variable.value);
    if (variable.type->IsString() && !variable.value.is_null()) literal = WithSql(literal, "'" + literal->sql + "'");
    return FollowFields(WithSql(literal, "variablereference(" + scope + variable.name + "=" + literal->sql + ")"), name,
                        used);
  };
  if (const auto local = context_.FindLocalVariable(name); local.variable != nullptr) {
    std::string label;
    for (const auto& scope : context_.local_scopes) {
      for (const auto& variable : scope.variables) {
        if (&variable == local.variable) label = scope.label;
      }
    }
    return as_reference(*local.variable, "local." + QuoteIdentifierIfNeeded(label) + ".", local.parts);
  }
  size_t at = 0;
  if (name.size() > 2 && EqualsIgnoreCase(name[0], "system") && EqualsIgnoreCase(name[1], "session")) {
    at = 2;
  } else if (name.size() > 1 && EqualsIgnoreCase(name[0], "session")) {
    at = 1;
  }
  const auto variable = context_.FindVariable(name[at]);
  if (!variable) return ExpressionPtr();
  return as_reference(*variable, "system.session.", at + 1);
}

Result<ExpressionPtr> Analyzer::ResolveAttribute(const plan::AttributeExpr& attribute) {
  if (const auto* typed = AsTypedExpr(attribute)) return typed->typed;
  if (attribute.plan_id) return ResolveDataFrameColumn(attribute);
  FRAZIL_ASSIGN_OR_RETURN(auto found, ResolveName(attribute.name, attribute.origin));
  if (found != nullptr) return found;
  if (attribute.name.size() == 1 && IsLiteralFunction(attribute.name[0])) {
    plan::FunctionExpr call;
    call.name = {AsciiLower(attribute.name[0])};
    call.origin = attribute.origin;
    return AnalyzeFunction(call);
  }
  return UnresolvedColumn(attribute.name, attribute.origin);
}

Result<ExpressionPtr> Analyzer::ResolveDataFrameColumn(const plan::AttributeExpr& attribute) {
  for (size_t i = scopes_.size(); i-- > 0;) {
    const Scope& scope = *scopes_[i];
    const bool is_outer = i + 1 < scopes_.size();
    for (const Relation* relation : {scope.input, scope.fallback}) {
      if (relation == nullptr) continue;
      ExpressionPtr best;
      bool best_is_input = false;
      bool ambiguous = false;
      for (const auto& dataframe : relation->dataframes) {
        if (dataframe.plan_id != *attribute.plan_id) continue;
        Relation columns;
        for (const auto& column : *dataframe.columns) {
          columns.output.push_back(column);
          // An outer join above makes columns nullable.
          for (const auto& current : relation->plan->output) {
            if (current.id == column.id) columns.output.back().nullable = current.nullable;
          }
        }
        FRAZIL_ASSIGN_OR_RETURN(auto found, ResolveInRelation(attribute.name, columns, is_outer));
        if (found == nullptr) continue;
        const auto ids = ReferencedColumns(*found);
        const auto& available = relation->plan->output;
        const bool visible = std::all_of(ids.begin(), ids.end(), [&](AttributeId id) {
          return std::any_of(available.begin(), available.end(),
                             [&](const Attribute& column) { return column.id == id; });
        });
        if (!visible) continue;
        // A DataFrame that is an input itself is meant before the same one inside another input
        // (df.join(df.filter(...), df.a == ...)); of two inside, neither.
        const bool is_input = dataframe.depth == 0;
        if (best == nullptr || (is_input && !best_is_input)) {
          best = found;
          best_is_input = is_input;
          ambiguous = false;
        } else if (is_input == best_is_input && ids != ReferencedColumns(*best)) {
          ambiguous = true;
        }
      }
      if (ambiguous)
        return At(Error::Of("AMBIGUOUS_COLUMN_REFERENCE", {{"name", QuoteIdentifier(attribute.name)}}),
                  attribute.origin);
      if (best != nullptr) {
        if (is_outer) MarkOuter(i);
        return best;
      }
    }
  }
  // Never by its name alone: another DataFrame's column of that name is not what was meant.
  if (attribute.is_metadata_column) {
    FRAZIL_ASSIGN_OR_RETURN(auto found, ResolveName(attribute.name, attribute.origin));
    if (found != nullptr) return found;
  }
  return At(Error::Of("CANNOT_RESOLVE_DATAFRAME_COLUMN", {{"name", QuoteIdentifier(attribute.name)}}),
            attribute.origin);
}

}  // namespace frazil::analysis
