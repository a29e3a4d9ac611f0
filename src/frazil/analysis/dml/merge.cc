// MERGE INTO as plans: copy-on-write of the files that have matches, and the rows that are new.
// https://spark.apache.org/docs/latest/sql-ref-syntax-dml-merge-into.html

#include <algorithm>
#include <map>

#include "frazil/analysis/dml/row_level.h"
#include "frazil/analysis/dml/row_level_internal.h"
#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/base/text.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

namespace {

Attribute NewColumn(std::string name, DataTypePtr type, bool nullable, AnalysisContext& context) {
  Attribute attribute;
  attribute.id = context.NextId();
  attribute.name = std::move(name);
  attribute.type = std::move(type);
  attribute.nullable = nullable;
  return attribute;
}

std::vector<Attribute> Concatenated(const std::vector<Attribute>& left, const std::vector<Attribute>& right) {
  std::vector<Attribute> all = left;
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

ExpressionPtr Number(int64_t value) { return MakeLiteral(DataType::Integer(), Value(value)); }

AssignedTable TableOf(const RowLevelTarget& target) { return {target.table_name, target.is_delta, false}; }

/// DELTA_MERGE_UNRESOLVED_EXPRESSION: a name that stands for none of the columns.
Error DeltaUnresolved(const std::string& name, const std::string& clause, const std::vector<Attribute>& columns) {
  std::string given;
  for (const auto& column : columns) {
    auto parts = column.qualifier;
    parts.push_back(column.name);
    given += (given.empty() ? "columns " : ", ") + Join(parts, ".");
  }
  return Error::Of("DELTA_MERGE_UNRESOLVED_EXPRESSION", {{"sqlExpr", name}, {"clause", clause}, {"cols", given}});
}

/// Delta's condition in the place of Spark's for a column that is not there; other errors stay.
Error NamedByDelta(Error error, const std::string& clause, const std::vector<Attribute>& columns) {
  if (!error.condition.starts_with("UNRESOLVED_COLUMN.")) return error;
  std::string name;
  for (const auto& [parameter, value] : error.parameters) {
    if (parameter == "objectName") name = value;
  }
  std::erase(name, '`');
  return DeltaUnresolved(name, clause, columns);
}

/// UPDATE SET * and INSERT *: each column of the target takes the source's column of that name. Where the schema
/// evolves, one that the source does not have is left alone (null), or gets its default.
Result<std::vector<ExpressionPtr>> StarValues(const RowLevelTarget& target,
                                              const std::vector<Attribute>& target_columns,
                                              const std::vector<Attribute>& source, bool inserts,
                                              AnalysisContext& context) {
  std::vector<ExpressionPtr> values;
  for (size_t i = 0; i < target.schema->fields().size(); ++i) {
    const StructField& field = target.schema->fields()[i];
    const Attribute* found = nullptr;
    for (const auto& column : source) {
      if (EqualsIgnoreCase(column.name, field.name)) found = &column;
    }
    if (found == nullptr && target.evolves) {
      values.emplace_back();
      if (inserts) {
        FRAZIL_ASSIGN_OR_RETURN(values.back(), ColumnDefault(field, TableOf(target), context));
      }
      continue;
    }
    if (found == nullptr && target.is_delta)
      return DeltaUnresolved(field.name, inserts ? "INSERT clause" : "UPDATE clause", source);
    if (found == nullptr) {
      std::vector<std::string> names, quoted;
      for (const auto& column : source) names.push_back(column.name);
      for (const auto& candidate : MostSimilar(field.name, names)) quoted.push_back(QuoteIdentifier(candidate));
      return Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                       {{"objectName", QuoteIdentifier(field.name)}, {"proposal", Join(quoted, ", ")}});
    }
    MissingFields missing{.become_null = target.evolves};
    if (target.evolves && !inserts && field.type->id() == TypeId::kStruct) missing.kept = MakeColumn(target_columns[i]);
    FRAZIL_ASSIGN_OR_RETURN(auto value, AssignByName(MakeColumn(*found), field, missing, TableOf(target), context));
    values.push_back(std::move(value));
  }
  return values;
}

/// The branches of one group of WHEN clauses: which clause applies to a row (0: none), and the row's new values by
/// clause.
struct Clauses {
  std::vector<ExpressionPtr> conditions;  ///< Of each clause, with `guard`.
  std::vector<bool> deletes;
  std::vector<std::vector<ExpressionPtr>> values;  ///< By clause, by column; null keeps.
};

/// Several plans of the statement compute the values of an update.
Status CheckDeterministic(const std::vector<ExpressionPtr>& values) {
  std::vector<std::string> shown;
  for (const auto& value : values) {
    if (value != nullptr && plan::CallsNondeterministicFunction(*value)) shown.push_back("\"" + value->sql + "\"");
  }
  if (shown.empty()) return Status::Ok();
  return Error::Of("INVALID_NON_DETERMINISTIC_EXPRESSIONS", {{"sqlExprs", Join(shown, ", ")}});
}

const char* NameOf(plan::MergeActionType type) {
  switch (type) {
    case plan::MergeActionType::kDelete:
      return "DELETE";
    case plan::MergeActionType::kInsert:
    case plan::MergeActionType::kInsertStar:
      return "INSERT";
    case plan::MergeActionType::kUpdate:
    case plan::MergeActionType::kUpdateStar:
      return "UPDATE";
  }
  return "";
}

/// The condition of the join (`name` "SEARCH") or of a clause: it gives the same answer each time, from the row alone.
Result<ExpressionPtr> AnalyzeMergeCondition(const plan::ExprPtr& condition, const char* name,
                                            const std::vector<Attribute>& columns, bool is_delta,
                                            AnalysisContext& context) {
  const std::string place = std::string(name) == "SEARCH" ? "search condition" : std::string(name) + " condition";
  const auto analyzed = AnalyzeExpression(condition, columns, context);
  if (!analyzed.ok()) return is_delta ? NamedByDelta(analyzed.error(), place, columns) : analyzed.error();
  const auto& typed = *analyzed;
  if (is_delta) {
    const std::string operation = place + " of MERGE operation", shown = "(condition = " + typed->sql + ")";
    if (plan::CallsNondeterministicFunction(*typed)) {
      return Error::Of("DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED",
                       {{"operation", operation}, {"expression", shown}});
    }
    if (ContainsKind(*typed, ExpressionKind::kAggregate))
      return Error::Of("DELTA_AGGREGATION_NOT_SUPPORTED", {{"operation", operation}, {"predicate", shown}});
    if (ContainsKind(*typed, ExpressionKind::kSubquery))
      return Error::Of("DELTA_UNSUPPORTED_SUBQUERY", {{"operation", operation}, {"cond", typed->sql}});
  }
  const auto refused = [&](const char* reason) {
    return Error::Of(std::string("UNSUPPORTED_MERGE_CONDITION.") + reason,
                     {{"condName", name}, {"cond", "\"" + typed->sql + "\""}});
  };
  if (plan::CallsNondeterministicFunction(*typed)) return refused("NON_DETERMINISTIC");
  if (ContainsKind(*typed, ExpressionKind::kSubquery)) return refused("SUBQUERY");
  if (ContainsKind(*typed, ExpressionKind::kAggregate)) return refused("AGGREGATE");
  return AnalyzeCondition(condition, columns, context);
}

/// The values that UPDATE SET or INSERT of a clause gives.
Result<std::vector<ExpressionPtr>> ClauseValues(const plan::MergeActionExpr& action, const RowLevelTarget& target,
                                                const std::vector<Attribute>& target_columns,
                                                const std::vector<Attribute>& scope, AnalysisContext& context) {
  const bool inserts = action.type == plan::MergeActionType::kInsert;
  auto values = BindAssignments(action.assignments, inserts, target, target_columns, scope, context);
  if (values.ok() || !target.is_delta) return values;
  return NamedByDelta(std::move(values).error(), inserts ? "INSERT clause" : "UPDATE clause", scope);
}

Status AddClauses(const std::vector<std::shared_ptr<const plan::MergeActionExpr>>& actions, const ExpressionPtr& guard,
                  const RowLevelTarget& target, const std::vector<Attribute>& target_columns,
                  const std::vector<Attribute>& source_columns, const std::vector<Attribute>& scope,
                  AnalysisContext& context, Clauses* clauses) {
  for (const auto& action : actions) {
    ExpressionPtr condition = guard;
    if (action->condition != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(
          auto typed, AnalyzeMergeCondition(action->condition, NameOf(action->type), scope, target.is_delta, context));
      condition = guard == nullptr ? typed : And(guard, typed);
    }
    if (condition == nullptr) condition = MakeLiteral(DataType::Boolean(), Value(true));
    clauses->conditions.push_back(std::move(condition));
    clauses->deletes.push_back(action->type == plan::MergeActionType::kDelete);
    std::vector<ExpressionPtr> values(target.schema->fields().size());
    switch (action->type) {
      case plan::MergeActionType::kDelete:
        break;
      case plan::MergeActionType::kUpdateStar:
      case plan::MergeActionType::kInsertStar: {
        const bool inserts = action->type == plan::MergeActionType::kInsertStar;
        FRAZIL_ASSIGN_OR_RETURN(values, StarValues(target, target_columns, source_columns, inserts, context));
        break;
      }
      case plan::MergeActionType::kUpdate: {
        FRAZIL_ASSIGN_OR_RETURN(values, ClauseValues(*action, target, target_columns, scope, context));
        FRAZIL_RETURN_IF_ERROR(CheckDeterministic(values));
        break;
      }
      case plan::MergeActionType::kInsert: {
        FRAZIL_ASSIGN_OR_RETURN(values, ClauseValues(*action, target, target_columns, scope, context));
        for (size_t i = 0; i < values.size(); ++i) {
          if (values[i] != nullptr) continue;
          FRAZIL_ASSIGN_OR_RETURN(values[i], ColumnDefault(target.schema->fields()[i], TableOf(target), context));
        }
        break;
      }
    }
    clauses->values.push_back(std::move(values));
  }
  return Status::Ok();
}

/// when(c1, 1, c2, 2, ..., 0).
ExpressionPtr ClauseNumber(const Clauses& clauses) {
  std::vector<ExpressionPtr> branches;
  for (size_t i = 0; i < clauses.conditions.size(); ++i) {
    branches.push_back(clauses.conditions[i]);
    branches.push_back(Number(static_cast<int64_t>(i) + 1));
  }
  return MakeWhen(std::move(branches), Number(0));
}

ExpressionPtr Equals(const Attribute& column, int64_t number) {
  return MakeCall("equal", {MakeColumn(column), Number(number)}, DataType::Boolean(), false);
}

/// child's columns and one more.
plan::LogicalPlanPtr WithColumn(const plan::LogicalPlanPtr& child, const Attribute& column, ExpressionPtr value) {
  std::vector<ExpressionPtr> expressions;
  for (const auto& attribute : child->output) expressions.push_back(MakeColumn(attribute));
  expressions.push_back(std::move(value));
  return plan::MakeProject(child, std::move(expressions), Concatenated(child->output, {column}));
}

struct Joined {
  plan::LogicalPlanPtr source;
  std::vector<Attribute> columns;  ///< Of the source, with qualifiers.
  ExpressionPtr condition;
};

Result<Joined> SourceAndCondition(const plan::MergeCommand& command, const NamedRelation& source,
                                  const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto condition,
                          AnalyzeMergeCondition(command.condition, "SEARCH", Concatenated(rows.columns, source.columns),
                                                rows.is_delta, context));
  return Joined{source.plan, source.columns, std::move(condition)};
}

}  // namespace

bool AllowsSeveralMatches(const plan::MergeCommand& command) {
  return command.matched.empty() ||
         (command.matched.size() == 1 && command.matched[0]->type == plan::MergeActionType::kDelete &&
          command.matched[0]->condition == nullptr);
}

Result<ExtractedPredicate> MergePredicate(const plan::MergeCommand& command, const NamedRelation& source,
                                          const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto joined, SourceAndCondition(command, source, rows, context));
  std::map<AttributeId, std::vector<std::string>> columns;
  for (const auto& column : rows.columns) columns[column.id] = {column.name};
  return ExtractPredicate(joined.condition, columns, context);
}

Result<plan::LogicalPlanPtr> MergeMatches(const plan::MergeCommand& command, const NamedRelation& source,
                                          const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto joined, SourceAndCondition(command, source, rows, context));
  auto pairs = plan::MakeJoin(rows.plan, joined.source, plan::JoinType::kInner, joined.condition);
  Attribute matches = NewColumn("matches", DataType::Long(), false, context);
  Attribute file = NewColumn(plan::kFilePathColumn, DataType::String(), false, context);
  Attribute position = NewColumn(plan::kFilePositionColumn, DataType::Long(), false, context);
  auto by_row = plan::MakeAggregate(pairs, {MakeColumn(rows.file), MakeColumn(rows.position)}, {CountRows()}, {},
                                    {file, position, matches});
  auto most = std::make_shared<AggregateExpression>();
  most->function = "max";
  most->type = DataType::Long();
  most->arguments = {MakeColumn(matches)};
  most->sql = "max(matches)";
  Attribute by_file = NewColumn(plan::kFilePathColumn, DataType::String(), false, context);
  Attribute maximum = NewColumn("matches", DataType::Long(), true, context);
  Attribute matched_rows = NewColumn("rows", DataType::Long(), false, context);
  return plan::MakeAggregate(by_row, {MakeColumn(file)}, {most, CountRows()}, {}, {by_file, maximum, matched_rows});
}

namespace {

/// The target's rows with the number of the clause that takes each.
struct NumberedRows {
  plan::LogicalPlanPtr plan;
  Clauses clauses;
  Attribute clause;
};

Result<NumberedRows> NumberRows(const plan::MergeCommand& command, const NamedRelation& source_rows,
                                const RowLevelTarget& target, const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto joined, SourceAndCondition(command, source_rows, rows, context));
  const std::vector<Attribute>& source_columns = joined.columns;
  // A row that several source rows match is deleted once: such a merge only asks whether there is a match.
  bool only_existence = AllowsSeveralMatches(command);
  Attribute present = NewColumn("source_present", DataType::Boolean(), false, context);
  plan::LogicalPlanPtr child;
  ExpressionPtr matched;
  if (only_existence) {
    // The left semi join keeps each matched row once; the others come by the anti join.
    auto truth = [](bool value) { return MakeLiteral(DataType::Boolean(), Value(value)); };
    auto inside = WithColumn(plan::MakeJoin(rows.plan, joined.source, plan::JoinType::kLeftSemi, joined.condition),
                             present, truth(true));
    auto outside = WithColumn(plan::MakeJoin(rows.plan, joined.source, plan::JoinType::kLeftAnti, joined.condition),
                              present, truth(false));
    auto both = std::make_shared<plan::SetOperationNode>();
    both->type = plan::SetOperationType::kUnion;
    both->all = true;
    both->inputs = {inside, outside};
    both->output = inside->output;
    child = both;
    matched = MakeColumn(present);
  } else {
    auto marked = WithColumn(joined.source, present, MakeLiteral(DataType::Boolean(), Value(true)));
    child = plan::MakeJoin(rows.plan, marked, plan::JoinType::kLeftOuter, joined.condition);
    matched = MakeCall("is_not_null", {MakeColumn(present)}, DataType::Boolean(), false);
  }
  Clauses clauses;
  FRAZIL_RETURN_IF_ERROR(AddClauses(command.matched, matched, target, rows.columns, source_columns,
                                    Concatenated(rows.columns, source_columns), context, &clauses));
  FRAZIL_RETURN_IF_ERROR(AddClauses(command.not_matched_by_source, Not(matched), target, rows.columns, {}, rows.columns,
                                    context, &clauses));
  Attribute clause = NewColumn("clause", DataType::Integer(), false, context);
  auto numbered = WithColumn(child, clause, ClauseNumber(clauses));
  return NumberedRows{std::move(numbered), std::move(clauses), clause};
}

/// The values of the target's columns behind the clauses.
std::vector<ExpressionPtr> ValuesAfter(const NumberedRows& numbered, const TargetRows& rows) {
  std::vector<ExpressionPtr> expressions;
  for (size_t column = 0; column < rows.columns.size(); ++column) {
    std::vector<ExpressionPtr> branches;
    for (size_t i = 0; i < numbered.clauses.values.size(); ++i) {
      if (numbered.clauses.values[i][column] == nullptr) continue;
      branches.push_back(Equals(numbered.clause, static_cast<int64_t>(i) + 1));
      branches.push_back(numbered.clauses.values[i][column]);
    }
    expressions.push_back(MakeWhen(std::move(branches), MakeColumn(rows.columns[column])));
  }
  return expressions;
}

}  // namespace

Result<plan::LogicalPlanPtr> MergeClauseCounts(const plan::MergeCommand& command, const NamedRelation& source,
                                               const RowLevelTarget& target, const TargetRows& rows,
                                               AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto numbered, NumberRows(command, source, target, rows, context));
  Attribute clause = NewColumn("clause", DataType::Integer(), false, context);
  Attribute count = NewColumn("rows", DataType::Long(), false, context);
  return plan::MakeAggregate(numbered.plan, {MakeColumn(numbered.clause)}, {CountRows()}, {}, {clause, count});
}

Result<plan::LogicalPlanPtr> RowsAfterMerge(const plan::MergeCommand& command, const NamedRelation& source,
                                            const RowLevelTarget& target, const TargetRows& rows,
                                            AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto numbered, NumberRows(command, source, target, rows, context));
  plan::LogicalPlanPtr kept = numbered.plan;
  for (size_t i = 0; i < numbered.clauses.deletes.size(); ++i) {
    if (numbered.clauses.deletes[i])
      kept = plan::MakeFilter(kept, Not(Equals(numbered.clause, static_cast<int64_t>(i) + 1)));
  }
  return ProjectChanged(kept, ValuesAfter(numbered, rows), Not(Equals(numbered.clause, 0)), target, rows, context);
}

Result<ChangedRows> RowsChangedByMerge(const plan::MergeCommand& command, const NamedRelation& source,
                                       const RowLevelTarget& target, const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto numbered, NumberRows(command, source, target, rows, context));
  ExpressionPtr written;
  for (size_t i = 0; i < numbered.clauses.deletes.size(); ++i) {
    if (!numbered.clauses.deletes[i]) continue;
    auto stays = Not(Equals(numbered.clause, static_cast<int64_t>(i) + 1));
    written = written == nullptr ? stays : And(written, stays);
  }
  return ProjectWithOrigin(plan::MakeFilter(numbered.plan, Not(Equals(numbered.clause, 0))),
                           ValuesAfter(numbered, rows), written, target, rows, context);
}

Result<plan::LogicalPlanPtr> ChangesOfMerge(const plan::MergeCommand& command, const NamedRelation& source,
                                            const RowLevelTarget& target, const TargetRows& rows,
                                            AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto numbered, NumberRows(command, source, target, rows, context));
  plan::LogicalPlanPtr updated = plan::MakeFilter(numbered.plan, Not(Equals(numbered.clause, 0)));
  std::vector<plan::LogicalPlanPtr> changes;
  for (size_t i = 0; i < numbered.clauses.deletes.size(); ++i) {
    if (!numbered.clauses.deletes[i]) continue;
    auto number = static_cast<int64_t>(i) + 1;
    auto deleted = plan::MakeFilter(numbered.plan, Equals(numbered.clause, number));
    changes.push_back(AsChanges(plan::MakeColumnProject(deleted, rows.columns), "delete", target, context));
    updated = plan::MakeFilter(updated, Not(Equals(numbered.clause, number)));
  }
  changes.push_back(AsChanges(plan::MakeColumnProject(updated, rows.columns), "update_preimage", target, context));
  auto after = plan::MakeProject(updated, ValuesAfter(numbered, rows), OutputFor(*target.schema, context));
  changes.push_back(AsChanges(after, "update_postimage", target, context));
  return UnionAll(std::move(changes), context);
}

Result<plan::LogicalPlanPtr> RowsInsertedByMerge(const plan::MergeCommand& command, const NamedRelation& source,
                                                 const RowLevelTarget& target, const TargetRows& rows,
                                                 AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto joined, SourceAndCondition(command, source, rows, context));
  const std::vector<Attribute>& source_columns = joined.columns;
  auto unmatched = plan::MakeJoin(joined.source, rows.plan, plan::JoinType::kLeftAnti, joined.condition);
  Clauses clauses;
  FRAZIL_RETURN_IF_ERROR(
      AddClauses(command.not_matched, nullptr, target, {}, source_columns, source_columns, context, &clauses));
  Attribute clause = NewColumn("clause", DataType::Integer(), false, context);
  auto numbered = plan::MakeFilter(WithColumn(unmatched, clause, ClauseNumber(clauses)), Not(Equals(clause, 0)));
  std::vector<ExpressionPtr> expressions;
  for (size_t column = 0; column < target.schema->fields().size(); ++column) {
    std::vector<ExpressionPtr> branches;
    for (size_t i = 0; i + 1 < clauses.values.size(); ++i) {
      branches.push_back(Equals(clause, static_cast<int64_t>(i) + 1));
      branches.push_back(clauses.values[i][column]);
    }
    expressions.push_back(MakeWhen(std::move(branches), clauses.values.back()[column]));
  }
  return plan::MakeProject(numbered, std::move(expressions), OutputFor(*target.schema, context));
}

}  // namespace frazil::analysis
