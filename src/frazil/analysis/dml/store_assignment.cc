#include "frazil/analysis/dml/store_assignment.h"

#include <algorithm>

#include "frazil/analysis/analyzer.h"
#include "frazil/analysis/cast_mismatch.h"
#include "frazil/analysis/dml/nested_values.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/plan/make_logical.h"
#include "frazil/sql/parser.h"
#include "frazil/types/cast_rules.h"

namespace frazil::analysis {

namespace {

StoreAssignmentPolicy PolicyOf(AnalysisContext& context) {
  std::string policy = AsciiUpper(context.settings().lookup("spark.sql.storeAssignmentPolicy").value_or("ANSI"));
  if (policy == "LEGACY") return StoreAssignmentPolicy::kLegacy;
  if (policy == "STRICT") return StoreAssignmentPolicy::kStrict;
  return StoreAssignmentPolicy::kAnsi;
}

bool CanAssign(StoreAssignmentPolicy policy, const DataType& from, const DataType& to, const AssignedTable& table) {
  if (table.is_delta && policy == StoreAssignmentPolicy::kAnsi) return CanAnsiCast(from, to);
  return CanStoreAssign(policy, from, to);
}

std::string NamesText(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const auto& name : names) quoted.push_back(QuoteIdentifier(name));
  return Join(quoted, ", ");
}

Error ArityMismatch(bool too_many, const InsertShape& shape, const std::vector<std::string>& table_columns,
                    const plan::LogicalPlan& query) {
  std::vector<std::string> data_columns;
  for (const auto& attribute : query.output) data_columns.push_back(attribute.name);
  return Error::Of(too_many ? "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
                            : "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
                   {{"tableName", shape.table.name},
                    {"tableColumns", NamesText(table_columns)},
                    {"dataColumns", NamesText(data_columns)}});
}

/// Delta: a query has fewer columns than the table, or a struct of it fewer fields. `what`: "not enough data columns".
Error FewerInDelta(const std::string& what, size_t wanted, size_t given, const AssignedTable& table) {
  return Error::Of("DELTA_INSERT_COLUMN_ARITY_MISMATCH", {{"tableName", table.name},
                                                          {"columnName", what},
                                                          {"numColumns", std::to_string(wanted)},
                                                          {"insertColumns", std::to_string(given)}});
}

/// Error where a struct in the value has fewer fields than there are in the column.
Status CheckFields(const DataType& from, const DataType& to, const std::string& name, const AssignedTable& table) {
  if (from.id() != to.id() || !from.IsComplex()) return {};
  if (from.fields().size() < to.fields().size())
    return FewerInDelta("not enough nested fields in " + name, to.fields().size(), from.fields().size(), table);
  for (size_t i = 0; i < to.fields().size(); ++i) {
    const StructField& field = to.fields()[i];
    FRAZIL_RETURN_IF_ERROR(CheckFields(*from.fields()[i].type, *field.type, name + "." + field.name, table));
  }
  return {};
}

/// The value, or an error at run time where it is NULL.
ExpressionPtr AssertNotNull(ExpressionPtr value, const std::string& column) {
  auto is_null = MakeCall("is_null", {value}, DataType::Boolean(), false);
  auto raise = MakeCall("raise_not_null", {MakeLiteral(DataType::String(), Value(column))}, DataType::Null(), true);
  auto type = value->type;
  std::string sql = value->sql;
  return MakeCall("case_when",
                  {std::move(is_null), MakeCast(std::move(raise), type, EvalMode::kAnsi), std::move(value)}, type,
                  false, EvalMode::kAnsi, sql);
}

/// The value, whose overflow is an error of storing it in the column.
ExpressionPtr NameOverflow(ExpressionPtr cast, const DataType& from, const StructField& column,
                           const AssignedTable& table) {
  const auto text = [](std::string value) { return MakeLiteral(DataType::String(), Value(std::move(value))); };
  auto type = cast->type;
  const bool nullable = cast->nullable;
  std::string sql = cast->sql;
  return MakeCall(table.is_delta && !table.is_insert ? "delta_update_value" : "store_value",
                  {std::move(cast), text("\"" + from.Sql() + "\""), text("\"" + type->Sql() + "\""),
                   text(QuoteIdentifier(column.name))},
                  type, nullable, EvalMode::kAnsi, std::move(sql));
}

}  // namespace

namespace {

/// Whether structs in both have fields of the same names in the same order, at every level; other types do not matter.
bool SameFieldNames(const DataType& left, const DataType& right) {
  if (left.id() != right.id()) return true;
  switch (left.id()) {
    case TypeId::kStruct: {
      if (left.fields().size() != right.fields().size()) return false;
      for (size_t i = 0; i < left.fields().size(); ++i) {
        if (!EqualsIgnoreCase(left.fields()[i].name, right.fields()[i].name)) return false;
        if (!SameFieldNames(*left.fields()[i].type, *right.fields()[i].type)) return false;
      }
      return true;
    }
    case TypeId::kArray:
      return SameFieldNames(*left.element_type(), *right.element_type());
    case TypeId::kMap:
      return SameFieldNames(*left.key_type(), *right.key_type()) &&
             SameFieldNames(*left.value_type(), *right.value_type());
    default:
      return true;
  }
}

}  // namespace

Result<ExpressionPtr> WithFieldsByName(ExpressionPtr value, const DataType& type, const std::string& column,
                                       const MissingFields& missing, const AssignedTable& table,
                                       AnalysisContext& context) {
  const DataType& own = *value->type;
  if (SameFieldNames(own, type)) return value;
  const bool nullable = value->nullable;
  if (own.id() == TypeId::kArray || own.id() == TypeId::kMap) {
    // What an element was before is not known.
    const MissingFields within{missing.become_null, nullptr};
    if (own.id() == TypeId::kArray) {
      auto element = VariableOf("x", own.element_type(), own.contains_null(), context);
      FRAZIL_ASSIGN_OR_RETURN(
          auto body, WithFieldsByName(element, *type.element_type(), column + ".`element`", within, table, context));
      auto changed = DataType::Array(body->type, body->nullable);
      return MakeCall("transform", {std::move(value), LambdaOf({element}, std::move(body))}, changed, nullable);
    }
    for (const bool is_key : {true, false}) {
      const DataTypePtr from = value->type;
      const DataType& wanted = is_key ? *type.key_type() : *type.value_type();
      if (SameFieldNames(is_key ? *from->key_type() : *from->value_type(), wanted)) continue;
      auto key = VariableOf("k", from->key_type(), false, context);
      auto item = VariableOf("v", from->value_type(), from->value_contains_null(), context);
      FRAZIL_ASSIGN_OR_RETURN(
          auto body, WithFieldsByName(is_key ? key : item, wanted, column + (is_key ? ".`key`" : ".`value`"), within,
                                      table, context));
      auto changed = is_key ? DataType::Map(body->type, from->value_type(), from->value_contains_null())
                            : DataType::Map(from->key_type(), body->type, body->nullable);
      value = MakeCall(is_key ? "transform_keys" : "transform_values",
                       {std::move(value), LambdaOf({key, item}, std::move(body))}, changed, nullable);
    }
    return value;
  }
  std::vector<std::string> extra;
  for (const auto& field : own.fields()) {
    if (type.FieldIndex(field.name) < 0) extra.push_back(field.name);
  }
  const bool lacks = !missing.become_null && std::any_of(type.fields().begin(), type.fields().end(),
                                                         [&](const auto& f) { return own.FieldIndex(f.name) < 0; });
  if (table.is_delta && !table.is_insert && (lacks || !extra.empty())) {
    return Error::Of("DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION",
                     {{"fromCatalog", own.SimpleString()}, {"toCatalog", type.SimpleString()}});
  }
  if (!extra.empty()) {
    return Error::Of("INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS",
                     {{"tableName", table.name}, {"colName", column}, {"extraFields", NamesText(extra)}});
  }
  std::vector<StructField> fields;
  std::vector<ExpressionPtr> arguments;
  bool keeps = false;  // Fields of the present value.
  for (const auto& field : type.fields()) {
    const std::string name = column + "." + QuoteIdentifier(field.name);
    const int at = own.FieldIndex(field.name);
    const int before = missing.kept == nullptr ? -1 : missing.kept->type->FieldIndex(field.name);
    const auto kept = before < 0 ? nullptr : FieldOf(missing.kept, missing.kept->type->fields()[before]);
    ExpressionPtr member;
    if (at >= 0) {
      const bool kept_is_struct = kept != nullptr && kept->type->id() == TypeId::kStruct;
      FRAZIL_ASSIGN_OR_RETURN(member,
                              WithFieldsByName(FieldOf(value, own.fields()[at]), *field.type, name,
                                               {missing.become_null, kept_is_struct ? kept : nullptr}, table, context));
    } else if (!missing.become_null && table.is_delta) {
      return FewerInDelta("not enough nested fields in " + column, type.fields().size(), own.fields().size(), table);
    } else if (!missing.become_null) {
      return Error::Of("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA", {{"tableName", table.name}, {"colName", name}});
    } else {
      keeps = keeps || kept != nullptr;
      member = kept != nullptr ? kept : MakeNull(field.type);
    }
    fields.emplace_back(field.name, member->type, member->nullable);
    arguments.push_back(MakeLiteral(DataType::String(), Value(field.name)));
    arguments.push_back(std::move(member));
  }
  auto made_type = DataType::Struct(std::move(fields));
  auto made = MakeCall("named_struct", std::move(arguments), made_type, false);
  if (!nullable) return made;
  auto is_null = IsNull(value);
  if (keeps) is_null = MakeCall("and", {is_null, IsNull(missing.kept)}, DataType::Boolean(), false);
  return MakeCall("if", {std::move(is_null), MakeNull(made_type), std::move(made)}, made_type, true);
}

Result<ExpressionPtr> AssignByName(ExpressionPtr value, const StructField& column, const MissingFields& missing,
                                   const AssignedTable& table, AnalysisContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(
      value, WithFieldsByName(std::move(value), *column.type, QuoteIdentifier(column.name), missing, table, context));
  return AssignToColumn(std::move(value), column, table, context);
}

std::optional<std::string> DefaultText(const StructField& column) {
  auto found = column.metadata.find("CURRENT_DEFAULT");
  if (found == column.metadata.end()) return std::nullopt;
  auto text = ParseJson(found->second);
  return text.ok() ? std::optional<std::string>(text->text) : std::nullopt;
}

Result<ExpressionPtr> AssignToColumn(ExpressionPtr value, const StructField& column, const AssignedTable& table,
                                     AnalysisContext& context) {
  auto policy = PolicyOf(context);
  if (table.is_delta && table.is_insert)
    FRAZIL_RETURN_IF_ERROR(CheckFields(*value->type, *column.type, column.name, table));
  if (!SameType(*value->type, *column.type) && value->type->id() != TypeId::kNull &&
      !CanAssign(policy, *value->type, *column.type, table)) {
    if (table.is_delta && policy != StoreAssignmentPolicy::kStrict) {
      return CastMismatch(table.is_insert ? column.name : value->sql, *value->type, *column.type,
                          policy == StoreAssignmentPolicy::kAnsi ? EvalMode::kAnsi : EvalMode::kLegacy);
    }
    return Error::Of("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST",
                     {{"tableName", table.name},
                      {"colName", QuoteIdentifier(column.name)},
                      {"srcType", "\"" + value->type->Sql() + "\""},
                      {"targetType", "\"" + column.type->Sql() + "\""}});
  }
  bool nullable = value->nullable;
  const DataTypePtr target = StringsWithoutLength(column.type);
  const auto from = value->type;
  auto cast = MakeCast(std::move(value), target,
                       policy == StoreAssignmentPolicy::kLegacy ? context.settings().eval_mode() : EvalMode::kAnsi);
  if (policy == StoreAssignmentPolicy::kAnsi && from->IsNumeric() && target->IsNumeric() && !CanUpCast(*from, *target))
    cast = NameOverflow(std::move(cast), *from, column, table);
  if (target != column.type)
    cast = WithTextLengths(std::move(cast), column.type, table.is_delta ? column.name : std::string(), context);
  if (!column.nullable && nullable) {
    cast = AssertNotNull(std::move(cast), column.name);
  }
  return cast;
}

Result<ExpressionPtr> ColumnDefault(const StructField& column, const AssignedTable& table, AnalysisContext& context) {
  auto text = DefaultText(column);
  if (!text.has_value()) {
    if (!column.nullable) {
      return Error::Of("INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA",
                       {{"tableName", table.name}, {"colName", QuoteIdentifier(column.name)}});
    }
    return MakeNull(column.type);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto parsed, sql::ParseExpression(*text, context.parser_options()));
  FRAZIL_ASSIGN_OR_RETURN(auto value, AnalyzeExpression(parsed, {}, context));
  return AssignToColumn(std::move(value), column, table, context);
}

Result<plan::PlanPtr> ReplaceDefaults(const plan::PlanPtr& plan, const InsertShape& shape) {
  if (plan->kind != plan::PlanKind::kInlineTable) return plan;
  const auto& table = plan->As<plan::InlineTablePlan>();
  // The columns that the values are for, in order.
  std::vector<const StructField*> targets;
  auto is_static = [&](const std::string& name) {
    for (const auto& [partition, value] : shape.static_partition) {
      if (value != nullptr && EqualsIgnoreCase(partition, name)) return true;
    }
    return false;
  };
  if (!shape.columns.empty()) {
    for (const auto& name : shape.columns) {
      int index = shape.table_schema->FieldIndex(name);
      targets.push_back(index < 0 ? nullptr : &shape.table_schema->fields()[index]);
    }
  } else {
    for (const auto& field : shape.table_schema->fields()) {
      if (!is_static(field.name)) targets.push_back(&field);
    }
  }
  auto copy = std::make_shared<plan::InlineTablePlan>(table);
  for (auto& row : copy->rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i]->kind != plan::ExprKind::kDefault) continue;
      auto text = i < targets.size() && targets[i] != nullptr ? DefaultText(*targets[i]) : std::nullopt;
      if (text.has_value()) {
        FRAZIL_ASSIGN_OR_RETURN(row[i], sql::ParseExpression(*text, {}));
      } else {
        row[i] = plan::MakeLiteralExpr(DataType::Null(), Value(), row[i]->origin);
      }
    }
  }
  return plan::PlanPtr(std::move(copy));
}

Result<plan::LogicalPlanPtr> ShapeForTable(plan::LogicalPlanPtr query, const InsertShape& shape,
                                           AnalysisContext& context) {
  const auto& fields = shape.table_schema->fields();
  std::vector<ExpressionPtr> values(fields.size());
  const EvalMode of_texts =
      PolicyOf(context) == StoreAssignmentPolicy::kLegacy ? context.settings().eval_mode() : EvalMode::kAnsi;
  for (const auto& [name, constant] : shape.static_partition) {
    int index = shape.table_schema->FieldIndex(name);
    if (index < 0) {
      return Error::Of("NON_PARTITION_COLUMN", {{"columnName", QuoteIdentifier(name)}});
    }
    if (constant == nullptr) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto value, AnalyzeExpression(constant, {}, context));
    if (shape.partition_texts) {
      value = MakeCast(MakeCast(std::move(value), DataType::String(), context.settings().eval_mode()),
                       StringsWithoutLength(fields[index].type), of_texts);
    }
    FRAZIL_ASSIGN_OR_RETURN(values[index], AssignToColumn(std::move(value), fields[index], shape.table, context));
  }
  std::vector<int> targets;  ///< Field for each column of the query.
  if (!shape.columns.empty()) {
    for (const auto& name : shape.columns) {
      int index = shape.table_schema->FieldIndex(name);
      if (index < 0) {
        std::vector<std::string> names;
        for (const auto& field : fields) names.push_back(field.name);
        return Error::Of("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                         {{"objectName", QuoteIdentifier(name)}, {"proposal", NamesText(MostSimilar(name, names))}});
      }
      for (int other : targets) {
        if (other == index)
          return Error::Of("COLUMN_ALREADY_EXISTS", {{"columnName", QuoteIdentifier(AsciiLower(name))}});
      }
      if (values[index] != nullptr) {
        return Error::Of("STATIC_PARTITION_COLUMN_IN_INSERT_COLUMN_LIST", {{"staticName", QuoteIdentifier(name)}});
      }
      targets.push_back(index);
    }
    if (targets.size() != query->output.size())
      return ArityMismatch(query->output.size() > targets.size(), shape, shape.columns, *query);
  } else if (shape.by_name) {
    std::vector<std::string> names;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (values[i] == nullptr) names.push_back(fields[i].name);
    }
    if (query->output.size() > names.size()) return ArityMismatch(true, shape, names, *query);
    for (const auto& attribute : query->output) {
      int index = shape.table_schema->FieldIndex(attribute.name, context.settings().case_sensitive);
      if (index < 0) {
        return Error::Of("INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
                         {{"tableName", shape.table.name}, {"extraColumns", QuoteIdentifier(attribute.name)}});
      }
      for (int other : targets) {
        if (other == index) {
          return Error::Of("INCOMPATIBLE_DATA_FOR_TABLE.AMBIGUOUS_COLUMN_NAME",
                           {{"tableName", shape.table.name}, {"colName", QuoteIdentifier(attribute.name)}});
        }
      }
      targets.push_back(index);
    }
  } else {
    std::vector<std::string> names;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (values[i] != nullptr) continue;
      targets.push_back(static_cast<int>(i));
      names.push_back(fields[i].name);
    }
    if (shape.table.is_delta && query->output.size() < targets.size())
      return FewerInDelta("not enough data columns", fields.size(), query->output.size(), shape.table);
    if (targets.size() != query->output.size())
      return ArityMismatch(query->output.size() > targets.size(), shape, names, *query);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    ExpressionPtr value = MakeColumn(query->output[i]);
    const StructField& field = fields[targets[i]];
    if (shape.by_name) {
      FRAZIL_ASSIGN_OR_RETURN(
          value, AssignByName(std::move(value), field, {.become_null = shape.fills_fields}, shape.table, context));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(value, AssignToColumn(std::move(value), field, shape.table, context));
    }
    values[targets[i]] = std::move(value);
  }
  std::vector<Attribute> output;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (values[i] == nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(values[i], ColumnDefault(fields[i], shape.table, context));
    }
    Attribute attribute;
    attribute.id = context.NextId();
    attribute.name = fields[i].name;
    attribute.type = fields[i].type;
    attribute.nullable = values[i]->nullable;
    output.push_back(std::move(attribute));
  }
  return plan::MakeProject(std::move(query), std::move(values), std::move(output));
}

}  // namespace frazil::analysis
