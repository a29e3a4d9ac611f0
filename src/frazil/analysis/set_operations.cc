// UNION, INTERSECT, EXCEPT: by position or by name, with type widening.
// https://spark.apache.org/docs/latest/sql-ref-syntax-qry-select-setops.html

#include <algorithm>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/common_type.h"
#include "frazil/plan/make_logical.h"

namespace frazil::analysis {

using plan::SetOperationType;

namespace {

std::string OperatorName(const plan::SetOperationPlan& operation) {
  switch (operation.type) {
    case SetOperationType::kUnion:
      return "UNION";
    case SetOperationType::kIntersect:
      return operation.all ? "INTERSECT ALL" : "INTERSECT";
    case SetOperationType::kExcept:
      return operation.all ? "EXCEPT ALL" : "EXCEPT";
  }
  return "";
}

std::string OrdinalName(size_t number) {
  static constexpr const char* kNames[] = {"first",      "second",     "third",     "fourth",   "fifth",    "sixth",
                                           "seventh",    "eighth",     "ninth",     "tenth",    "eleventh", "twelfth",
                                           "thirteenth", "fourteenth", "fifteenth", "sixteenth"};
  if (number < std::size(kNames)) return kNames[number];
  return std::to_string(number + 1) + "th";
}

}  // namespace

plan::LogicalPlanPtr Analyzer::CastOutput(const plan::LogicalPlanPtr& plan, const std::vector<DataTypePtr>& types) {
  bool changed = false;
  std::vector<ExpressionPtr> expressions;
  std::vector<Attribute> output;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto& column = plan->output[i];
    auto expression = MakeCast(MakeColumn(column), types[i], settings_.eval_mode());
    output.push_back(column);
    if (expression->kind == ExpressionKind::kCast) {
      changed = true;
      output.back().id = context_.NextId();
      output.back().type = types[i];
      output.back().nullable = expression->nullable;
    }
    expressions.push_back(std::move(expression));
  }
  return changed ? plan::MakeProject(plan, std::move(expressions), std::move(output)) : plan;
}

Result<ExpressionPtr> Analyzer::WithFieldsOf(ExpressionPtr value, const DataType& other, bool is_left, bool may_lack) {
  const DataType& own = *value->type;
  if (own.id() != other.id() || own.EqualsIgnoreNullability(other)) return value;
  if (own.id() == TypeId::kArray) {
    auto variable = std::make_shared<LambdaVariableExpression>();
    variable->id = context_.NextId();
    variable->name = "x";
    variable->type = own.element_type();
    variable->nullable = own.contains_null();
    variable->sql = "namedlambdavariable()";
    FRAZIL_ASSIGN_OR_RETURN(auto element, WithFieldsOf(variable, *other.element_type(), is_left, may_lack));
    if (element == variable) return value;
    auto lambda = std::make_shared<LambdaExpression>();
    lambda->parameters = {variable};
    lambda->body = element;
    lambda->type = element->type;
    lambda->nullable = element->nullable;
    lambda->sql = "lambdafunction(" + element->sql + ", namedlambdavariable())";
    const bool nullable = value->nullable;
    auto type = DataType::Array(element->type, element->nullable);
    return MakeCall("transform", {std::move(value), std::move(lambda)}, std::move(type), nullable);
  }
  if (own.id() != TypeId::kStruct) return value;
  const auto& first = is_left ? own : other;
  const auto& second = is_left ? other : own;
  std::vector<std::string> names;
  for (const auto& field : first.fields()) names.push_back(field.name);
  bool same_fields = first.fields().size() == second.fields().size();
  for (const auto& field : second.fields()) {
    if (first.FieldIndex(field.name, settings_.case_sensitive) >= 0) continue;
    names.push_back(field.name);
    same_fields = false;
  }
  if (!same_fields && !may_lack) {
    if (is_left) return value;
    // The right side's fields go into the order of the left one's, which it must have all. More are another type.
    for (const auto& field : first.fields()) {
      if (own.FieldIndex(field.name, settings_.case_sensitive) >= 0) continue;
      std::vector<std::string> present;
      for (const auto& other_field : own.fields()) present.push_back(QuoteIdentifier(other_field.name));
      return Error::Of("FIELD_NOT_FOUND",
                       {{"fieldName", QuoteIdentifier(field.name)}, {"fields", Join(present, ", ")}});
    }
    return value;
  }
  std::vector<StructField> fields;
  std::vector<ExpressionPtr> arguments;
  for (const auto& name : names) {
    const int at = own.FieldIndex(name, settings_.case_sensitive);
    const int there = other.FieldIndex(name, settings_.case_sensitive);
    ExpressionPtr member;
    if (at >= 0) {
      FRAZIL_ASSIGN_OR_RETURN(member, ExtractField(value, own.fields()[static_cast<size_t>(at)].name));
      if (there >= 0) {
        FRAZIL_ASSIGN_OR_RETURN(
            member, WithFieldsOf(member, *other.fields()[static_cast<size_t>(there)].type, is_left, may_lack));
      }
    } else {
      member = MakeNull(other.fields()[static_cast<size_t>(there)].type);
    }
    fields.emplace_back(name, member->type, member->nullable);
    arguments.push_back(MakeLiteral(DataType::String(), Value(name)));
    arguments.push_back(std::move(member));
  }
  auto type = DataType::Struct(std::move(fields));
  auto made = MakeCall("named_struct", std::move(arguments), type, false);
  if (!value->nullable) return made;
  return MakeCall("if", {MakeCall("is_null", {value}, DataType::Boolean(), false), MakeNull(type), made}, type, true);
}

Result<std::pair<plan::LogicalPlanPtr, plan::LogicalPlanPtr>> Analyzer::MatchByName(
    const plan::SetOperationPlan& operation, const plan::LogicalPlanPtr& left, const plan::LogicalPlanPtr& right) {
  const auto same = [&](const std::string& a, const std::string& b) {
    return settings_.case_sensitive ? a == b : EqualsIgnoreCase(a, b);
  };
  for (const auto* side : {&left, &right}) {
    for (size_t i = 0; i < (*side)->output.size(); ++i) {
      for (size_t j = i + 1; j < (*side)->output.size(); ++j) {
        if (same((*side)->output[i].name, (*side)->output[j].name)) {
          return Error::Of(
              "COLUMN_ALREADY_EXISTS",
              {{"columnName", QuoteIdentifier(settings_.case_sensitive ? (*side)->output[i].name
                                                                       : AsciiLower((*side)->output[i].name))}});
        }
      }
    }
  }
  std::vector<ExpressionPtr> right_expressions;
  std::vector<Attribute> right_output;
  std::map<AttributeId, DataTypePtr> right_types;  // What the right side has under the name of a left column.
  std::set<AttributeId> used;
  for (const auto& column : left->output) {
    const auto found = std::find_if(right->output.begin(), right->output.end(),
                                    [&](const Attribute& other) { return same(column.name, other.name); });
    if (found != right->output.end()) {
      FRAZIL_ASSIGN_OR_RETURN(auto value,
                              WithFieldsOf(MakeColumn(*found), *column.type, false, operation.allow_missing_columns));
      right_output.push_back(
          value->kind == ExpressionKind::kColumn ? *found : NewAttribute(found->name, value->type, value->nullable));
      right_expressions.push_back(std::move(value));
      used.insert(found->id);
      right_types[column.id] = found->type;
      continue;
    }
    if (!operation.allow_missing_columns) {
      std::vector<std::string> names;
      for (const auto& other : right->output) names.push_back(other.name);
      return Error::Of("_LEGACY_ERROR_TEMP_1201", {{"colName", column.name}, {"fieldNames", Join(names, ", ")}});
    }
    right_expressions.push_back(MakeNull(column.type));
    right_output.push_back(NewAttribute(column.name, column.type, true));
  }
  std::vector<ExpressionPtr> left_expressions;
  std::vector<Attribute> left_output;
  for (const auto& column : left->output) {
    auto value = MakeColumn(column);
    if (const auto other = right_types.find(column.id); other != right_types.end()) {
      FRAZIL_ASSIGN_OR_RETURN(value, WithFieldsOf(value, *other->second, true, operation.allow_missing_columns));
    }
    left_output.push_back(
        value->kind == ExpressionKind::kColumn ? column : NewAttribute(column.name, value->type, value->nullable));
    left_expressions.push_back(std::move(value));
  }
  for (const auto& column : right->output) {
    if (used.count(column.id) > 0) continue;
    if (!operation.allow_missing_columns) {
      return Error::Of("NUM_COLUMNS_MISMATCH", {{"operator", OperatorName(operation)},
                                                {"firstNumColumns", std::to_string(left->output.size())},
                                                {"invalidOrdinalNum", "second"},
                                                {"invalidNumColumns", std::to_string(right->output.size())}});
    }
    left_expressions.push_back(MakeNull(column.type));
    left_output.push_back(NewAttribute(column.name, column.type, true));
    right_expressions.push_back(MakeColumn(column));
    right_output.push_back(column);
  }
  return std::pair(plan::MakeProject(left, std::move(left_expressions), std::move(left_output)),
                   plan::MakeProject(right, std::move(right_expressions), std::move(right_output)));
}

Status Analyzer::CheckComparable(const std::vector<Attribute>& columns) {
  for (const auto& column : columns) {
    if (!functions::ContainsMap(*column.type)) continue;
    const bool is_variant = column.type->id() == TypeId::kVariant;
    return Error::Of(is_variant ? "UNSUPPORTED_FEATURE.SET_OPERATION_ON_VARIANT_TYPE"
                                : "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE",
                     {{"colName", QuoteIdentifier(column.name)}, {"dataType", "\"" + column.type->Sql() + "\""}});
  }
  return Status::Ok();
}

Result<Relation> Analyzer::AnalyzeSetOperation(const plan::SetOperationPlan& operation) {
  FRAZIL_ASSIGN_OR_RETURN(auto left_relation, AnalyzePlan(operation.left));
  FRAZIL_ASSIGN_OR_RETURN(auto right_relation, AnalyzePlan(operation.right));
  auto left = Exact(left_relation);
  auto right = Exact(right_relation);
  if (operation.by_name) {
    FRAZIL_ASSIGN_OR_RETURN(auto matched, MatchByName(operation, left, right));
    left = std::move(matched.first);
    right = std::move(matched.second);
  }
  const std::string name = OperatorName(operation);
  if (left->output.size() != right->output.size()) {
    return Error::Of("NUM_COLUMNS_MISMATCH", {{"operator", name},
                                              {"firstNumColumns", std::to_string(left->output.size())},
                                              {"invalidOrdinalNum", "second"},
                                              {"invalidNumColumns", std::to_string(right->output.size())}});
  }
  std::vector<DataTypePtr> types;
  for (size_t i = 0; i < left->output.size(); ++i) {
    const auto& first = functions::WithoutLength(left->output[i].type);
    const auto& second = functions::WithoutLength(right->output[i].type);
    auto type = first->Equals(*second) ? first : functions::WiderType(first, second, settings_.ansi);
    if (type == nullptr && first->EqualsIgnoreNullability(*second)) type = first;
    if (type == nullptr) {
      return Error::Of("INCOMPATIBLE_COLUMN_TYPE", {{"tableOrdinalNumber", "second"},
                                                    {"columnOrdinalNumber", OrdinalName(i)},
                                                    {"dataType2", "\"" + first->Sql() + "\""},
                                                    {"operator", name},
                                                    {"hint", ""},
                                                    {"dataType1", "\"" + second->Sql() + "\""}});
    }
    const bool compares = operation.type != SetOperationType::kUnion || !operation.all;
    if (compares) {
      Attribute compared = left->output[i];
      compared.type = type;
      FRAZIL_RETURN_IF_ERROR(CheckComparable({compared}));
    }
    types.push_back(std::move(type));
  }
  left = CastOutput(left, types);
  right = CastOutput(right, types);

  auto node = std::make_shared<plan::SetOperationNode>();
  node->type = operation.type;
  node->all = operation.all;
  const bool extends =
      operation.type == SetOperationType::kUnion && operation.all && left->kind == plan::LogicalKind::kSetOperation &&
      left->As<plan::SetOperationNode>().type == SetOperationType::kUnion && left->As<plan::SetOperationNode>().all;
  if (extends) node->inputs = left->As<plan::SetOperationNode>().inputs;
  if (!extends) node->inputs.push_back(left);
  node->inputs.push_back(right);
  for (size_t i = 0; i < types.size(); ++i) {
    Attribute attribute = left->output[i];
    attribute.id = context_.NextId();
    attribute.type = types[i];
    switch (operation.type) {
      case SetOperationType::kUnion:
        attribute.nullable = left->output[i].nullable || right->output[i].nullable;
        break;
      case SetOperationType::kIntersect:
        attribute.nullable = left->output[i].nullable && right->output[i].nullable;
        break;
      case SetOperationType::kExcept:
        break;
    }
    attribute.qualifier =
        left_relation.output.size() == types.size() ? left_relation.output[i].qualifier : std::vector<std::string>();
    node->output.push_back(std::move(attribute));
  }
  Relation relation = RelationOf(node);
  relation.dataframes = left_relation.dataframes;
  if (left_relation.output.size() == node->output.size())
    Renumber(left_relation.output, node->output, &relation.dataframes);
  return relation;
}

Result<Relation> Analyzer::MakeUnion(std::vector<plan::LogicalPlanPtr> inputs) {
  if (inputs.size() == 1) return RelationOf(inputs[0]);
  auto node = std::make_shared<plan::SetOperationNode>();
  node->type = SetOperationType::kUnion;
  node->all = true;
  for (size_t i = 0; i < inputs[0]->output.size(); ++i) {
    Attribute attribute = inputs[0]->output[i];
    attribute.id = context_.NextId();
    for (const auto& input : inputs) attribute.nullable = attribute.nullable || input->output[i].nullable;
    node->output.push_back(std::move(attribute));
  }
  node->inputs = std::move(inputs);
  return RelationOf(node);
}

}  // namespace frazil::analysis
