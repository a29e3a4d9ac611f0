#include "frazil/plan/unresolved_dump.h"
#include "frazil/plan/unresolved_dump_internal.h"

namespace frazil::plan {
namespace {

std::string Names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + DumpName({name});
  return out;
}

std::string DumpOptions(const Options& options) {
  std::string out;
  for (const auto& [key, value] : options) out += (out.empty() ? "" : ", ") + key + "=" + value;
  return out.empty() ? "" : " {" + out + "}";
}

std::string DumpGrouping(const std::vector<GroupingElement>& elements) {
  std::string out;
  for (const GroupingElement& element : elements) {
    if (!out.empty()) out += ", ";
    switch (element.type) {
      case GroupingElement::Type::kExpression:
        out += DumpExpressions(element.sets.front());
        continue;
      case GroupingElement::Type::kRollup:
        out += "rollup";
        break;
      case GroupingElement::Type::kCube:
        out += "cube";
        break;
      case GroupingElement::Type::kGroupingSets:
        out += "sets";
        break;
    }
    if (!element.grouping_columns.empty()) out += "<" + DumpExpressions(element.grouping_columns) + ">";
    std::string sets = DumpGrouping(element.nested);
    for (const std::vector<ExprPtr>& set : element.sets)
      sets += (sets.empty() ? "(" : ", (") + DumpExpressions(set) + ")";
    out += "(" + sets + ")";
  }
  return out;
}

std::string JoinName(const JoinPlan& join) {
  std::string out;
  if (join.is_natural) out += "natural ";
  if (join.is_lateral) out += "lateral ";
  switch (join.type) {
    case JoinType::kInner:
      return out + "inner";
    case JoinType::kCross:
      return out + "cross";
    case JoinType::kLeftOuter:
      return out + "left";
    case JoinType::kRightOuter:
      return out + "right";
    case JoinType::kFullOuter:
      return out + "full";
    case JoinType::kLeftSemi:
      return out + "semi";
    case JoinType::kLeftAnti:
      return out + "anti";
  }
  return out;
}

std::string DumpJoin(const JoinPlan& join) {
  std::string out = "Join[" + JoinName(join);
  if (join.condition != nullptr) out += " on " + DumpExpression(join.condition);
  if (!join.using_columns.empty()) out += " using " + Names(join.using_columns);
  return out + "](" + DumpPlan(join.left) + ", " + DumpPlan(join.right) + ")";
}

std::string DumpSetOperation(const SetOperationPlan& operation) {
  std::string out;
  switch (operation.type) {
    case SetOperationType::kUnion:
      out = "Union";
      break;
    case SetOperationType::kIntersect:
      out = "Intersect";
      break;
    case SetOperationType::kExcept:
      out = "Except";
      break;
  }
  return out + (operation.all ? "[all](" : "(") + DumpPlan(operation.left) + ", " + DumpPlan(operation.right) + ")";
}

std::string DumpNamedTable(const NamedTablePlan& table) {
  std::string out =
      table.identifier != nullptr ? "identifier(" + DumpExpression(table.identifier) + ")" : DumpName(table.name);
  if (table.time_travel) {
    out += table.time_travel->version ? " version " + *table.time_travel->version
                                      : " timestamp " + DumpExpression(table.time_travel->timestamp);
  }
  return "Table[" + out + DumpOptions(table.options) + "]";
}

std::string DumpSample(const SamplePlan& sample) {
  std::string out;
  if (sample.unit == SamplePlan::Unit::kRows) {
    out = (sample.rows_expression != nullptr ? DumpExpression(sample.rows_expression) : std::to_string(sample.rows)) +
          " rows";
  } else {
    out = std::to_string(sample.upper_bound);
  }
  if (sample.seed) out += " seed " + std::to_string(*sample.seed);
  return "Sample[" + out + "](" + DumpPlan(sample.child) + ")";
}

std::string DumpSort(const SortPlan& sort) {
  const std::string name = sort.is_global ? "Sort[" : "SortWithin[";
  std::string items =
      sort.order_by_all ? std::string("all ") + (sort.all_ascending ? "asc" : "desc") : DumpExpressions(sort.order_by);
  if (sort.order_by_all && sort.all_nulls_first) items += *sort.all_nulls_first ? " nulls first" : " nulls last";
  return name + items + "](" + DumpPlan(sort.child) + ")";
}

std::string DumpUnpivot(const UnpivotPlan& unpivot) {
  std::string out = "Unpivot[" + Names(unpivot.value_columns) + " for " + unpivot.variable_column + " in";
  for (size_t i = 0; unpivot.values && i < unpivot.values->size(); ++i) {
    out += " (" + DumpExpressions((*unpivot.values)[i]) + ")";
    if (i < unpivot.value_aliases.size() && unpivot.value_aliases[i]) out += " as " + *unpivot.value_aliases[i];
  }
  return out + (unpivot.include_nulls ? " include nulls" : "") + "](" + DumpPlan(unpivot.child) + ")";
}

std::string DumpWith(const WithPlan& with) {
  std::string out = with.recursive ? "With[recursive " : "With[";
  bool first = true;
  for (const CteDefinition& definition : with.definitions) {
    if (!first) out += ", ";
    first = false;
    out += DumpName({definition.name});
    if (!definition.column_aliases.empty()) out += "(" + Names(definition.column_aliases) + ")";
    if (definition.max_depth) out += " max " + std::to_string(*definition.max_depth);
    out += " = " + DumpPlan(definition.plan);
  }
  return out + "](" + DumpPlan(with.child) + ")";
}

}  // namespace

std::string DumpPlan(const PlanPtr& plan) {
  if (plan == nullptr) return "-";
  switch (plan->kind) {
    case PlanKind::kNamedTable:
      return DumpNamedTable(plan->As<NamedTablePlan>());
    case PlanKind::kTableFunction: {
      const auto& function = plan->As<TableFunctionPlan>();
      const std::string name = function.identifier != nullptr
                                   ? "identifier(" + DumpExpression(function.identifier) + ")"
                                   : DumpName(function.name);
      return "TableFunction[" + name + "(" + DumpExpressions(function.arguments) + ")]";
    }
    case PlanKind::kInlineTable: {
      std::string rows;
      for (const auto& row : plan->As<InlineTablePlan>().rows)
        rows += (rows.empty() ? "(" : ", (") + DumpExpressions(row) + ")";
      return "Values[" + rows + "]";
    }
    case PlanKind::kOneRow:
      return "OneRow";
    case PlanKind::kProject: {
      const auto& project = plan->As<ProjectPlan>();
      const std::string pipe = project.pipe_clause.empty() ? "" : "pipe " + project.pipe_clause + ": ";
      return std::string(project.distinct ? "Distinct" : "") + "Project[" + pipe +
             DumpExpressions(project.expressions) + "](" + DumpPlan(project.child) + ")";
    }
    case PlanKind::kFilter:
      return "Filter[" + DumpExpression(plan->As<FilterPlan>().condition) + "](" +
             DumpPlan(plan->As<FilterPlan>().child) + ")";
    case PlanKind::kJoin:
      return DumpJoin(plan->As<JoinPlan>());
    case PlanKind::kSetOperation:
      return DumpSetOperation(plan->As<SetOperationPlan>());
    case PlanKind::kSort:
      return DumpSort(plan->As<SortPlan>());
    case PlanKind::kLimit:
      return "Limit[" + DumpExpression(plan->As<LimitPlan>().limit) + "](" + DumpPlan(plan->As<LimitPlan>().child) +
             ")";
    case PlanKind::kOffset:
      return "Offset[" + DumpExpression(plan->As<OffsetPlan>().offset) + "](" + DumpPlan(plan->As<OffsetPlan>().child) +
             ")";
    case PlanKind::kAggregate: {
      const auto& aggregate = plan->As<AggregatePlan>();
      return std::string(aggregate.distinct ? "Distinct" : "") + "Aggregate[" + DumpExpressions(aggregate.aggregates) +
             " by " + (aggregate.group_by_all ? "all" : DumpGrouping(aggregate.grouping)) + "](" +
             DumpPlan(aggregate.child) + ")";
    }
    case PlanKind::kHaving:
      return "Having[" + DumpExpression(plan->As<HavingPlan>().condition) + "](" +
             DumpPlan(plan->As<HavingPlan>().child) + ")";
    case PlanKind::kWith:
      return DumpWith(plan->As<WithPlan>());
    case PlanKind::kSubqueryAlias: {
      const auto& alias = plan->As<SubqueryAliasPlan>();
      std::string name = alias.alias.empty() ? "" : DumpName({alias.alias});
      if (!alias.column_aliases.empty()) name += "(" + Names(alias.column_aliases) + ")";
      return "As[" + name + "](" + DumpPlan(alias.child) + ")";
    }
    case PlanKind::kLateralView: {
      const auto& view = plan->As<LateralViewPlan>();
      return std::string("LateralView[") + (view.outer ? "outer " : "") + DumpExpression(view.generator) + " " +
             view.alias + "(" + Names(view.column_aliases) + ")](" + DumpPlan(view.child) + ")";
    }
    case PlanKind::kNamedWindows: {
      std::string windows;
      for (const auto& [name, window] : plan->As<NamedWindowsPlan>().windows) {
        windows += (windows.empty() ? "" : ", ") + name + " = (" + DumpWindow(window) + ")";
      }
      return "Windows[" + windows + "](" + DumpPlan(plan->As<NamedWindowsPlan>().child) + ")";
    }
    case PlanKind::kSample:
      return DumpSample(plan->As<SamplePlan>());
    case PlanKind::kRepartition: {
      const auto& repartition = plan->As<RepartitionPlan>();
      return "Repartition[" + DumpExpressions(repartition.expressions) + "](" + DumpPlan(repartition.child) + ")";
    }
    case PlanKind::kWithColumns:
      return "WithColumns[" + DumpExpressions(plan->As<WithColumnsPlan>().aliases) + "](" +
             DumpPlan(plan->As<WithColumnsPlan>().child) + ")";
    case PlanKind::kHint: {
      const auto& hint = plan->As<HintPlan>();
      return "Hint[" + hint.name + "(" + DumpExpressions(hint.parameters) + ")](" + DumpPlan(hint.child) + ")";
    }
    case PlanKind::kUnpivot:
      return DumpUnpivot(plan->As<UnpivotPlan>());
    case PlanKind::kPivot: {
      const auto& pivot = plan->As<PivotPlan>();
      return "Pivot[" + DumpExpressions(pivot.aggregates) + " for " + DumpExpressions(pivot.columns) + " in " +
             DumpExpressions(pivot.values) + "](" + DumpPlan(pivot.child) + ")";
    }
    case PlanKind::kCommand:
      return DumpCommand(static_cast<const Command&>(*plan));
    case PlanKind::kDataSource:
    case PlanKind::kLocalRelation:
    case PlanKind::kRange:
    case PlanKind::kTail:
    case PlanKind::kQualify:
    case PlanKind::kDeduplicate:
    case PlanKind::kToDf:
    case PlanKind::kWithColumnsRenamed:
    case PlanKind::kDropColumns:
    case PlanKind::kToSchema:
    case PlanKind::kTranspose:
    case PlanKind::kShowString:
    case PlanKind::kHtmlString:
    case PlanKind::kNaFill:
    case PlanKind::kNaDrop:
    case PlanKind::kNaReplace:
    case PlanKind::kSummary:
    case PlanKind::kDescribeColumns:
    case PlanKind::kCrosstab:
    case PlanKind::kCov:
    case PlanKind::kCorr:
    case PlanKind::kApproxQuantile:
    case PlanKind::kFreqItems:
    case PlanKind::kSampleBy:
    case PlanKind::kCollectMetrics:
    case PlanKind::kWithRelations:
    case PlanKind::kSqlQuery:
    case PlanKind::kParseText:
    case PlanKind::kCachedRelation:
    case PlanKind::kCatalogCall:
    case PlanKind::kUnsupportedRelation:
      // Relations that only DataFrame requests make.
      return "Relation#" + std::to_string(static_cast<int>(plan->kind));
  }
  return "";
}

}  // namespace frazil::plan
