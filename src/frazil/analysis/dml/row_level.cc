#include "frazil/analysis/dml/row_level.h"

#include <algorithm>

#include "frazil/analysis/dml/row_level_internal.h"
#include "frazil/analysis/dml/store_assignment.h"
#include "frazil/base/text.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/make_logical.h"
#include "frazil/sql/parser.h"
#include "frazil/tables/row_changes.h"
#include "frazil/tables/row_lineage.h"

namespace frazil::analysis {

namespace {

Result<TargetRows> RowsOf(const tables::TableScanPtr& scan, const RowLevelTarget& target, AnalysisContext& context) {
  TargetRows rows;
  rows.is_delta = target.is_delta;
  rows.plan = MakeTableScan(scan, target.scan_name, target.qualifier, context, /*with_metadata_columns=*/true);
  size_t columns = scan->schema()->fields().size();
  for (size_t i = 0; i < rows.plan->output.size(); ++i) {
    const auto& attribute = rows.plan->output[i];
    if (i < columns) {
      rows.columns.push_back(attribute);
    } else if (attribute.name == plan::kFilePathColumn) {
      rows.file = attribute;
    } else if (attribute.name == plan::kFilePositionColumn) {
      rows.position = attribute;
    } else if (attribute.name == tables::kRowIdColumn.name || attribute.name == tables::kLastUpdatedColumn.name) {
      rows.lineage.push_back(attribute);
    }
  }
  if (rows.file.id == 0 || rows.position.id == 0)
    return Error::Internal("a scan of " + target.scan_name + " gives no _file and _pos");
  if (target.schema == nullptr) return rows;
  std::vector<ExpressionPtr> values;
  std::vector<Attribute> output = rows.plan->output;
  for (const auto& attribute : output) values.push_back(MakeColumn(attribute));
  bool evolves = target.schema->fields().size() > columns;
  // Structs get the fields that are new in them.
  for (size_t i = 0; i < columns && i < target.schema->fields().size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, WithFieldsByName(values[i], *target.schema->fields()[i].type, output[i].name,
                                                         {.become_null = true}, {target.table_name}, context));
    if (value == values[i]) continue;
    evolves = true;
    output[i].id = context.NextId();
    output[i].type = value->type;
    output[i].nullable = value->nullable;
    values[i] = std::move(value);
    rows.columns[i] = output[i];
  }
  if (!evolves) return rows;
  for (size_t i = columns; i < target.schema->fields().size(); ++i) {
    const StructField& field = target.schema->fields()[i];
    Attribute added;
    added.id = context.NextId();
    added.name = "\n" + field.name;  // No expression of the statement means a column that was not there.
    added.type = field.type;
    values.push_back(MakeNull(field.type));
    output.push_back(added);
    rows.columns.push_back(std::move(added));
  }
  rows.plan = plan::MakeProject(rows.plan, std::move(values), std::move(output));
  return rows;
}

/// The condition of DELETE and UPDATE over the target's columns. Several plans of one statement ask it, so that its
/// answer must not change.
Result<ExpressionPtr> AnalyzeTargetCondition(const plan::ExprPtr& condition, const TargetRows& rows,
                                             AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeCondition(condition, rows.columns, context));
  if (!plan::CallsNondeterministicFunction(*typed)) return typed;
  // Spark's plan has the condition twice.
  const std::string shown = "\"" + typed->sql + "\"";
  return Error::Of("INVALID_NON_DETERMINISTIC_EXPRESSIONS", {{"sqlExprs", shown + ", " + shown}});
}

/// The condition; TRUE where there is none.
Result<ExpressionPtr> ConditionOf(const plan::ExprPtr& condition, const TargetRows& rows, AnalysisContext& context) {
  if (condition == nullptr) return MakeLiteral(DataType::Boolean(), Value(true));
  return AnalyzeTargetCondition(condition, rows, context);
}

std::vector<Attribute> WithLineage(const TargetRows& rows) {
  std::vector<Attribute> columns = rows.columns;
  columns.insert(columns.end(), rows.lineage.begin(), rows.lineage.end());
  return columns;
}

Error UnknownColumn(const std::vector<std::string>& name, const DataType& schema) {
  std::vector<std::string> names, quoted;
  for (const auto& field : schema.fields()) names.push_back(field.name);
  std::sort(names.begin(), names.end());
  for (const auto& candidate : MostSimilar(name.back(), names)) quoted.push_back(QuoteIdentifier(candidate));
  return Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                   {{"objectName", QuoteIdentifier(name)}, {"proposal", Join(quoted, ", ")}});
}

/// Takes the target's qualifier off the front of a column's name where it stands there.
std::vector<std::string> WithoutQualifier(const std::vector<std::string>& name,
                                          const std::vector<std::string>& qualifier, const DataType& schema) {
  for (size_t length = std::min(qualifier.size(), name.size() - 1); length > 0; --length) {
    bool same = true;
    for (size_t i = 0; same && i < length; ++i)
      same = EqualsIgnoreCase(name[i], qualifier[qualifier.size() - length + i]);
    if (same && schema.FieldIndex(name[length]) >= 0)
      return {name.begin() + static_cast<std::ptrdiff_t>(length), name.end()};
  }
  return name;
}

/// "a = 1": where an assignment of UPDATE stands.
plan::Origin OriginOf(const plan::Assignment& assignment) {
  auto origin = assignment.column->origin;
  if (assignment.value->origin.text != nullptr) origin.stop = assignment.value->origin.stop;
  return origin;
}

struct FieldUpdate {
  std::vector<std::string> path;  ///< Below the column.
  ExpressionPtr value;
  plan::Origin origin;  ///< Of the assignment.
};

/// A struct with some of its fields replaced.
Result<ExpressionPtr> UpdateFields(const ExpressionPtr& current, const std::vector<FieldUpdate>& updates,
                                   const AssignedTable& table, AnalysisContext& context) {
  if (current->type->id() != TypeId::kStruct) {
    return Error::Of("INVALID_EXTRACT_BASE_FIELD_TYPE",
                     {{"base", "\"" + current->sql + "\""}, {"other", "\"" + current->type->Sql() + "\""}});
  }
  std::vector<ExpressionPtr> arguments;
  const auto& fields = current->type->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    std::vector<FieldUpdate> below;
    ExpressionPtr whole;
    for (const auto& update : updates) {
      if (!EqualsIgnoreCase(update.path[0], fields[i].name)) continue;
      if (update.path.size() == 1) {
        whole = update.value;
      } else {
        below.push_back({{update.path.begin() + 1, update.path.end()}, update.value, update.origin});
      }
    }
    ExpressionPtr value = MakeCall("get_field", {current, MakeLiteral(DataType::String(), Value(fields[i].name))},
                                   fields[i].type, current->nullable || fields[i].nullable);
    if (whole != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(value, AssignByName(whole, fields[i], {}, table, context));
    } else if (!below.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(value, UpdateFields(value, below, table, context));
    }
    arguments.push_back(MakeLiteral(DataType::String(), Value(fields[i].name)));
    arguments.push_back(std::move(value));
  }
  for (const auto& update : updates) {
    if (current->type->FieldIndex(update.path[0]) >= 0) continue;
    std::vector<std::string> names;
    for (const auto& field : fields) names.push_back(QuoteIdentifier(field.name));
    return AtOrigin(
        Error::Of("FIELD_NOT_FOUND", {{"fieldName", QuoteIdentifier(update.path[0])}, {"fields", Join(names, ", ")}}),
        update.origin);
  }
  return MakeCall("named_struct", std::move(arguments), current->type, false);
}

}  // namespace

ExpressionPtr MakeWhen(std::vector<ExpressionPtr> branches, ExpressionPtr otherwise) {
  if (branches.empty()) return otherwise;
  auto type = otherwise->type;
  bool nullable = otherwise->nullable;
  for (size_t i = 1; i < branches.size(); i += 2) nullable = nullable || branches[i]->nullable;
  branches.push_back(std::move(otherwise));
  return MakeCall("case_when", std::move(branches), type, nullable);
}

ExpressionPtr IsTrue(ExpressionPtr condition) {
  if (!condition->nullable) return condition;
  return MakeCall("coalesce", {condition, MakeLiteral(DataType::Boolean(), Value(false))}, DataType::Boolean(), false);
}

ExpressionPtr CountRows() {
  auto aggregate = std::make_shared<AggregateExpression>();
  aggregate->function = "count";
  aggregate->type = DataType::Long();
  aggregate->nullable = false;
  aggregate->sql = "count(1)";
  return aggregate;
}

ExpressionPtr Not(ExpressionPtr condition) {
  bool nullable = condition->nullable;
  return MakeCall("not", {std::move(condition)}, DataType::Boolean(), nullable);
}

ExpressionPtr And(ExpressionPtr left, ExpressionPtr right) {
  bool nullable = left->nullable || right->nullable;
  return MakeCall("and", {std::move(left), std::move(right)}, DataType::Boolean(), nullable);
}

std::vector<Attribute> OutputFor(const DataType& schema, AnalysisContext& context) {
  std::vector<Attribute> output;
  for (const auto& field : schema.fields()) {
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = field.name;
    attribute.type = field.type;
    attribute.nullable = field.nullable;
    output.push_back(std::move(attribute));
  }
  return output;
}

namespace {

/// One assignment, its value analyzed.
struct Assigned {
  std::vector<std::string> name;  ///< A column of the table, or a field of one.
  int column = 0;
  ExpressionPtr value;
  plan::Origin origin;  ///< None in INSERT.

  bool IsPrefixOf(const Assigned& other) const {
    return name.size() <= other.name.size() &&
           std::equal(name.begin(), name.end(), other.name.begin(),
                      [](const std::string& a, const std::string& b) { return EqualsIgnoreCase(a, b); });
  }
};

std::string QuotedValue(const Expression& value) {
  const bool is_text = value.kind == ExpressionKind::kLiteral && value.type->IsString();
  return is_text ? "'" + value.sql + "'" : value.sql;
}

/// Likewise by Delta's conditions.
Status CheckDeltaAssignments(const std::vector<Assigned>& assigned, bool is_insert) {
  for (size_t i = 0; i < assigned.size(); ++i) {
    for (size_t j = i + 1; j < assigned.size(); ++j) {
      if (!assigned[i].IsPrefixOf(assigned[j]) && !assigned[j].IsPrefixOf(assigned[i])) continue;
      if (is_insert) return Error::Of("DELTA_DUPLICATE_COLUMNS_ON_INSERT");
      const std::string both = "`" + Join(assigned[i].name, ".") + "`, `" + Join(assigned[j].name, ".") + "`";
      return Error::Of("DELTA_CONFLICT_SET_COLUMN", {{"columnList", "[" + both + "]"}});
    }
  }
  return Status::Ok();
}

/// Error where a column or field is assigned twice, or as a whole and in part.
Status CheckAssignments(const std::vector<Assigned>& assigned, bool is_insert, const RowLevelTarget& target) {
  if (target.is_delta) return CheckDeltaAssignments(assigned, is_insert);
  std::string all;
  for (const auto& item : assigned)
    all += (all.empty() ? "\"" : ", \"") + Join(item.name, ".") + " = " + item.value->sql + "\"";
  const auto failure = [&](const std::string& text) {
    return Error::Of("DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS",
                     {{"sqlExpr", all}, {"errors", "\n- " + text}});
  };
  const auto shown = [&](const Assigned& item) {
    std::string text = Join(target.qualifier, ".") + "." + item.name[0];
    for (size_t i = 1; i < item.name.size(); ++i) text += "." + QuoteIdentifier(item.name[i]);
    return text + " = " + QuotedValue(*item.value);
  };
  for (const auto& item : assigned) {
    std::string same, below;
    size_t times = 0;
    for (const auto& other : assigned) {
      if (!item.IsPrefixOf(other)) continue;
      if (other.name.size() == item.name.size()) {
        same += (times++ == 0 ? "" : ", ") + QuotedValue(*other.value);
      } else {
        below += ", " + shown(other);
      }
    }
    if (times > 1) return failure("Multiple assignments for '" + Join(item.name, ".") + "': " + same);
    if (!below.empty())
      return failure("Conflicting assignments for '" + Join(item.name, ".") + "': " + shown(item) + below);
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<ExpressionPtr>> BindAssignments(const std::vector<plan::Assignment>& assignments, bool is_insert,
                                                   const RowLevelTarget& target,
                                                   const std::vector<Attribute>& target_columns,
                                                   const std::vector<Attribute>& scope, AnalysisContext& context) {
  const auto& fields = target.schema->fields();
  const AssignedTable table{target.table_name, target.is_delta, false};
  std::vector<ExpressionPtr> values(fields.size());
  std::vector<std::vector<FieldUpdate>> nested(fields.size());
  std::vector<Assigned> assigned;
  for (const auto& assignment : assignments) {
    auto target_column = assignment.column;
    if (target_column->kind == plan::ExprKind::kSqlText) {
      FRAZIL_ASSIGN_OR_RETURN(
          target_column, sql::ParseExpression(target_column->As<plan::SqlTextExpr>().text, context.parser_options()));
    }
    if (target_column->kind != plan::ExprKind::kAttribute) {
      return Error::Unsupported("ASSIGNMENT TO ANYTHING BUT A COLUMN OR A FIELD OF ONE");
    }
    const auto& written = target_column->As<plan::AttributeExpr>().name;
    auto name = WithoutQualifier(written, target.qualifier, *target.schema);
    int index = target.schema->FieldIndex(name[0], context.settings().case_sensitive);
    const auto origin = is_insert ? plan::Origin() : OriginOf(assignment);
    if (index < 0) return AtOrigin(UnknownColumn(written, *target.schema), origin);
    ExpressionPtr value;
    if (assignment.value->kind == plan::ExprKind::kDefault) {
      FRAZIL_ASSIGN_OR_RETURN(value, ColumnDefault(fields[index], table, context));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(value, AnalyzeExpression(assignment.value, scope, context));
    }
    assigned.push_back({std::move(name), index, std::move(value), origin});
  }
  FRAZIL_RETURN_IF_ERROR(CheckAssignments(assigned, is_insert, target));
  for (auto& [name, index, value, origin] : assigned) {
    if (name.size() == 1) {
      FRAZIL_ASSIGN_OR_RETURN(values[index], AssignByName(std::move(value), fields[index],
                                                          {.become_null = target.evolves}, table, context));
    } else {
      nested[index].push_back({{name.begin() + 1, name.end()}, std::move(value), origin});
    }
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (nested[i].empty()) continue;
    FRAZIL_ASSIGN_OR_RETURN(values[i], UpdateFields(MakeColumn(target_columns[i]), nested[i], table, context));
  }
  return values;
}

plan::LogicalPlanPtr ProjectChanged(const plan::LogicalPlanPtr& child, std::vector<ExpressionPtr> values,
                                    const ExpressionPtr& changed, const RowLevelTarget& target, const TargetRows& rows,
                                    AnalysisContext& context) {
  auto output = OutputFor(*target.schema, context);
  for (const auto& column : rows.lineage) {
    auto kept = MakeColumn(column);
    bool is_update = column.name == tables::kLastUpdatedColumn.name;
    values.push_back(is_update ? MakeWhen({changed, MakeNull(column.type)}, kept) : kept);
    output.push_back(column);
    output.back().id = context.NextId();
  }
  return plan::MakeProject(child, std::move(values), std::move(output));
}

Result<TargetRows> ScanTarget(const RowLevelTarget& target, AnalysisContext& context) {
  return RowsOf(target.scan, target, context);
}

Result<TargetRows> ScanTargetFiles(const RowLevelTarget& target, const std::vector<std::string>& files,
                                   AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto scan, target.scan->RestrictTo(files));
  return RowsOf(scan, target, context);
}

Result<ExtractedPredicate> TargetPredicate(const plan::ExprPtr& condition, const TargetRows& rows,
                                           AnalysisContext& context) {
  if (condition == nullptr) return ExtractedPredicate{Predicate::True(), true};
  FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeTargetCondition(condition, rows, context));
  std::map<AttributeId, std::vector<std::string>> columns;
  for (const auto& column : rows.columns) columns[column.id] = {column.name};
  return ExtractPredicate(typed, columns, context);
}

Result<plan::LogicalPlanPtr> FilesWithMatches(const plan::ExprPtr& condition, const TargetRows& rows,
                                              AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto typed, ConditionOf(condition, rows, context));
  Attribute file = rows.file, matches = rows.position;
  file.id = context.NextId();
  matches.id = context.NextId();
  return plan::MakeAggregate(plan::MakeFilter(rows.plan, std::move(typed)), {MakeColumn(rows.file)}, {CountRows()}, {},
                             {file, matches});
}

plan::LogicalPlanPtr CopiedRows(const TargetRows& rows) {
  return plan::MakeColumnProject(rows.plan, WithLineage(rows));
}

Result<plan::LogicalPlanPtr> RowsAfterDelete(const plan::ExprPtr& condition, const TargetRows& rows,
                                             AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto typed, ConditionOf(condition, rows, context));
  return plan::MakeColumnProject(plan::MakeFilter(rows.plan, Not(IsTrue(std::move(typed)))), WithLineage(rows));
}

namespace {

/// Delta's UPDATE: the values are the same each time, as several plans compute them.
Status CheckDeterministic(const std::vector<ExpressionPtr>& values, const TargetRows& rows) {
  bool deterministic = true;
  std::string shown;
  for (size_t i = 0; i < values.size(); ++i) {
    deterministic = deterministic && (values[i] == nullptr || !plan::CallsNondeterministicFunction(*values[i]));
    shown += (i == 0 ? "\"" : ", \"") + (values[i] == nullptr ? rows.columns[i].name : values[i]->sql) + "\"";
  }
  if (deterministic) return Status::Ok();
  return Error::Of("INVALID_NON_DETERMINISTIC_EXPRESSIONS", {{"sqlExprs", shown}});
}

}  // namespace

Result<plan::LogicalPlanPtr> RowsAfterUpdate(const plan::UpdateCommand& command, const RowLevelTarget& target,
                                             const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto values, BindAssignments(command.assignments, /*is_insert=*/false, target, rows.columns,
                                                       rows.columns, context));
  if (target.is_delta) FRAZIL_RETURN_IF_ERROR(CheckDeterministic(values, rows));
  FRAZIL_ASSIGN_OR_RETURN(auto condition, ConditionOf(command.condition, rows, context));
  std::vector<ExpressionPtr> expressions;
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    auto column = MakeColumn(rows.columns[i]);
    expressions.push_back(values[i] == nullptr ? column : MakeWhen({condition, values[i]}, column));
  }
  return ProjectChanged(rows.plan, std::move(expressions), condition, target, rows, context);
}

Result<plan::LogicalPlanPtr> PositionsOfMatches(const plan::ExprPtr& condition, const TargetRows& rows,
                                                AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto typed, ConditionOf(condition, rows, context));
  return plan::MakeColumnProject(plan::MakeFilter(rows.plan, std::move(typed)), {rows.file, rows.position});
}

ChangedRows ProjectWithOrigin(const plan::LogicalPlanPtr& child, std::vector<ExpressionPtr> values,
                              const ExpressionPtr& written, const RowLevelTarget& target, const TargetRows& rows,
                              AnalysisContext& context) {
  ChangedRows changed;
  auto output = OutputFor(*target.schema, context);
  const auto add = [&](Attribute attribute, ExpressionPtr value) {
    attribute.id = context.NextId();
    values.push_back(std::move(value));
    output.push_back(attribute);
    return attribute;
  };
  for (const auto& column : rows.lineage) {
    const bool is_update = column.name == tables::kLastUpdatedColumn.name;
    add(column, is_update ? MakeNull(column.type) : MakeColumn(column));
  }
  changed.columns = output;
  changed.file = add(rows.file, MakeColumn(rows.file));
  changed.position = add(rows.position, MakeColumn(rows.position));
  if (written != nullptr) {
    Attribute flag;
    flag.name = "written";
    flag.type = DataType::Boolean();
    flag.nullable = written->nullable;
    changed.written = add(std::move(flag), written);
  }
  changed.plan = plan::MakeProject(child, std::move(values), std::move(output));
  return changed;
}

Result<ChangedRows> RowsChangedByUpdate(const plan::UpdateCommand& command, const RowLevelTarget& target,
                                        const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto values, BindAssignments(command.assignments, /*is_insert=*/false, target, rows.columns,
                                                       rows.columns, context));
  FRAZIL_ASSIGN_OR_RETURN(auto condition, ConditionOf(command.condition, rows, context));
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    if (values[i] == nullptr) values[i] = MakeColumn(rows.columns[i]);
  }
  return ProjectWithOrigin(plan::MakeFilter(rows.plan, std::move(condition)), std::move(values), nullptr, target, rows,
                           context);
}

plan::LogicalPlanPtr PositionsOf(const ChangedRows& changed) {
  return plan::MakeColumnProject(changed.plan, {changed.file, changed.position});
}

plan::LogicalPlanPtr WrittenRows(const ChangedRows& changed) {
  auto rows = changed.written ? plan::MakeFilter(changed.plan, MakeColumn(*changed.written)) : changed.plan;
  return plan::MakeColumnProject(rows, changed.columns);
}

plan::LogicalPlanPtr CountFailing(const plan::LogicalPlanPtr& rows, const ExpressionPtr& condition,
                                  AnalysisContext& context) {
  Attribute number;
  number.id = context.NextId();
  number.name = "rows";
  number.type = DataType::Long();
  return plan::MakeAggregate(plan::MakeFilter(rows, Not(IsTrue(condition))), {}, {CountRows()}, {}, {number});
}

plan::LogicalPlanPtr UnionAll(std::vector<plan::LogicalPlanPtr> plans, AnalysisContext& context) {
  if (plans.size() == 1) return plans[0];
  auto all = std::make_shared<plan::SetOperationNode>();
  all->type = plan::SetOperationType::kUnion;
  all->all = true;
  all->output = plans[0]->output;
  for (auto& attribute : all->output) attribute.id = context.NextId();
  all->inputs = std::move(plans);
  return all;
}

plan::LogicalPlanPtr AsChanges(const plan::LogicalPlanPtr& rows, const char* kind, const RowLevelTarget& target,
                               AnalysisContext& context) {
  std::vector<ExpressionPtr> expressions;
  for (size_t i = 0; i < target.schema->fields().size(); ++i) expressions.push_back(MakeColumn(rows->output[i]));
  expressions.push_back(MakeLiteral(DataType::String(), Value(kind)));
  auto output = OutputFor(*target.schema, context);
  Attribute change;
  change.id = context.NextId();
  change.name = tables::kChangeTypeColumn;
  change.type = DataType::String();
  output.push_back(std::move(change));
  return plan::MakeProject(rows, std::move(expressions), std::move(output));
}

Result<plan::LogicalPlanPtr> ChangesOfDelete(const plan::ExprPtr& condition, const RowLevelTarget& target,
                                             const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto typed, ConditionOf(condition, rows, context));
  return AsChanges(plan::MakeColumnProject(plan::MakeFilter(rows.plan, std::move(typed)), rows.columns), "delete",
                   target, context);
}

Result<plan::LogicalPlanPtr> ChangesOfUpdate(const plan::UpdateCommand& command, const RowLevelTarget& target,
                                             const TargetRows& rows, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto condition, ConditionOf(command.condition, rows, context));
  TargetRows matching = rows;
  matching.plan = plan::MakeFilter(rows.plan, std::move(condition));
  FRAZIL_ASSIGN_OR_RETURN(auto after, RowsAfterUpdate(command, target, matching, context));
  auto before = plan::MakeColumnProject(matching.plan, rows.columns);
  return UnionAll(
      {AsChanges(before, "update_preimage", target, context), AsChanges(after, "update_postimage", target, context)},
      context);
}

}  // namespace frazil::analysis
