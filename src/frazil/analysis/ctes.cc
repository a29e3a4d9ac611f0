// WITH: common table expressions, nested and recursive.
// https://spark.apache.org/docs/latest/sql-ref-syntax-qry-select-cte.html

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

Result<Relation> Analyzer::ApplyColumnAliases(const Relation& relation, const std::string& /*alias*/,
                                              const std::vector<std::string>& column_aliases) {
  Relation renamed = relation;
  if (column_aliases.empty()) return renamed;
  if (column_aliases.size() != relation.output.size()) {
    return Error::Of("ASSIGNMENT_ARITY_MISMATCH", {{"numExpr", std::to_string(column_aliases.size())},
                                                   {"numTarget", std::to_string(relation.output.size())}});
  }
  // Renamed columns are other columns: what named the old ones finds them no more.
  renamed.select = nullptr;
  renamed.select_root = nullptr;
  for (size_t i = 0; i < column_aliases.size(); ++i) renamed.output[i].name = column_aliases[i];
  return renamed;
}

std::string Analyzer::CtePolicy() const {
  const auto setting = settings_.lookup ? settings_.lookup("spark.sql.legacy.ctePrecedencePolicy") : std::nullopt;
  return AsciiUpper(setting.value_or("CORRECTED"));
}

std::optional<Relation> Analyzer::FindCte(const std::string& name) {
  // The innermost definition wins, or by the legacy rule the outermost.
  const bool outermost = CtePolicy() == "LEGACY";
  for (size_t i = 0; i < ctes_.size(); ++i) {
    auto* entry = outermost ? &ctes_[i] : &ctes_[ctes_.size() - 1 - i];
    if (settings_.case_sensitive ? entry->name != name : !EqualsIgnoreCase(entry->name, name)) continue;
    entry->referenced = true;
    auto node = std::make_shared<plan::CteReferenceNode>();
    node->id = entry->id;
    for (const auto& column : entry->relation.output) {
      Attribute attribute = column;
      attribute.id = context_.NextId();
      attribute.qualifier = {name};
      node->output.push_back(std::move(attribute));
    }
    return RelationOf(node);
  }
  return std::nullopt;
}

Result<Relation> Analyzer::AnalyzeWith(const plan::WithPlan& with) {
  const size_t first = ctes_.size();
  // The entries go when the statement part ends, however it ends.
  const auto forget = [&] { ctes_.resize(first); };
  for (const auto& definition : with.definitions) {
    CteEntry entry;
    entry.name = definition.name;
    entry.id = context_.NextId();
    if (CtePolicy() == "EXCEPTION") {
      const auto outer_end = ctes_.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::any_of(ctes_.begin(), outer_end,
                      [&](const CteEntry& outer) { return EqualsIgnoreCase(outer.name, definition.name); })) {
        forget();
        return Error::Of("AMBIGUOUS_ALIAS_IN_NESTED_CTE", {{"name", QuoteIdentifier(definition.name)},
                                                           {"config", "\"spark.sql.legacy.ctePrecedencePolicy\""},
                                                           {"docroot", "https://spark.apache.org/docs/latest"}});
      }
    }
    auto analyzed = [&]() -> Result<Relation> {
      if (with.recursive && definition.plan->kind == plan::PlanKind::kSetOperation &&
          definition.plan->As<plan::SetOperationPlan>().type == plan::SetOperationType::kUnion) {
        return AnalyzeRecursive(definition, entry.id);
      }
      FRAZIL_ASSIGN_OR_RETURN(auto relation, AnalyzePlan(definition.plan));
      FRAZIL_ASSIGN_OR_RETURN(relation, ApplyColumnAliases(relation, definition.name, definition.column_aliases));
      return ExactRelation(relation);
    }();
    if (!analyzed.ok()) {
      forget();
      return std::move(analyzed).error();
    }
    entry.relation = *std::move(analyzed);
    ctes_.push_back(std::move(entry));
  }
  auto child = AnalyzePlan(with.child);
  if (!child.ok()) {
    forget();
    return child;
  }
  auto node = std::make_shared<plan::WithNode>();
  for (size_t i = first; i < ctes_.size(); ++i) {
    if (ctes_[i].referenced) node->definitions.push_back({ctes_[i].id, ctes_[i].relation.plan});
  }
  forget();
  if (node->definitions.empty()) return child;
  Relation relation = *std::move(child);
  node->output = relation.plan->output;
  node->child = relation.plan;
  relation.plan = std::move(node);
  // Hidden columns can no longer be added below the WITH.
  relation.select = nullptr;
  relation.select_root = nullptr;
  return relation;
}

Result<Relation> Analyzer::AnalyzeRecursive(const plan::CteDefinition& definition, uint64_t id) {
  const auto& operation = definition.plan->As<plan::SetOperationPlan>();
  FRAZIL_ASSIGN_OR_RETURN(auto anchor, AnalyzePlan(operation.left));
  FRAZIL_ASSIGN_OR_RETURN(anchor, ApplyColumnAliases(anchor, definition.name, definition.column_aliases));
  for (auto& attribute : anchor.output) attribute.nullable = true;
  CteEntry entry;
  entry.name = definition.name;
  entry.id = id;
  entry.is_recursion = true;
  entry.relation = ExactRelation(anchor);
  const auto anchor_plan = entry.relation.plan;
  ctes_.push_back(std::move(entry));
  auto recursive = AnalyzeRoot(operation.right);
  const bool referenced = ctes_.back().referenced;
  ctes_.pop_back();
  if (!recursive.ok()) return std::move(recursive).error();
  if (!referenced) {
    FRAZIL_ASSIGN_OR_RETURN(auto relation, AnalyzePlan(definition.plan));
    FRAZIL_ASSIGN_OR_RETURN(relation, ApplyColumnAliases(relation, definition.name, definition.column_aliases));
    return ExactRelation(relation);
  }
  if (!operation.all) return At(Error::Of("UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE"), definition.plan->origin);
  if ((*recursive)->output.size() != anchor_plan->output.size()) {
    return Error::Of("NUM_COLUMNS_MISMATCH", {{"operator", "UNION"},
                                              {"firstNumColumns", std::to_string(anchor_plan->output.size())},
                                              {"invalidOrdinalNum", "second"},
                                              {"invalidNumColumns", std::to_string((*recursive)->output.size())}});
  }
  std::vector<DataTypePtr> types;
  for (const auto& attribute : anchor_plan->output) types.push_back(attribute.type);
  auto node = std::make_shared<plan::RecursiveCteNode>();
  node->id = id;
  node->anchor = anchor_plan;
  node->recursive = CastOutput(*recursive, types);
  node->union_all = operation.all;
  const auto setting = settings_.lookup ? settings_.lookup("spark.sql.cteRecursionLevelLimit") : std::nullopt;
  node->max_depth = definition.max_depth.value_or(setting ? std::strtoll(setting->c_str(), nullptr, 10) : 100);
  for (const auto& column : anchor_plan->output) {
    Attribute attribute = column;
    attribute.id = context_.NextId();
    attribute.nullable = true;
    node->output.push_back(std::move(attribute));
  }
  return RelationOf(node);
}

}  // namespace frazil::analysis
