// s.field, a[0], m['key']. https://spark.apache.org/docs/latest/sql-ref-datatypes.html

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/constant.h"

namespace frazil::analysis {
namespace {

// Index of a field by name. Errors FIELD_NOT_FOUND, AMBIGUOUS_REFERENCE_TO_FIELDS.
Result<size_t> FindField(const DataType& type, const std::string& name, bool case_sensitive) {
  std::optional<size_t> found;
  size_t count = 0;
  for (size_t i = 0; i < type.fields().size(); ++i) {
    const auto& field = type.fields()[i].name;
    if (case_sensitive ? field != name : !EqualsIgnoreCase(field, name)) continue;
    if (!found) found = i;
    ++count;
  }
  if (count > 1) {
    return Error::Of("AMBIGUOUS_REFERENCE_TO_FIELDS",
                     {{"field", QuoteIdentifier(name)}, {"count", std::to_string(count)}});
  }
  if (!found) {
    std::string names;
    for (const auto& field : type.fields()) names += (names.empty() ? "" : ", ") + QuoteIdentifier(field.name);
    return Error::Of("FIELD_NOT_FOUND", {{"fieldName", QuoteIdentifier(name)}, {"fields", names}});
  }
  return *found;
}

ExpressionPtr GetField(const ExpressionPtr& child, size_t index, const std::string& shown) {
  const auto& field = child->type->fields()[index];
  return MakeCall("get_field", {child, MakeLiteral(DataType::String(), Value(field.name))}, field.type,
                  child->nullable || field.nullable, EvalMode::kAnsi, child->sql + "." + shown);
}

}  // namespace

Result<ExpressionPtr> Analyzer::ExtractField(const ExpressionPtr& child, const std::string& field) {
  switch (child->type->id()) {
    case TypeId::kStruct: {
      FRAZIL_ASSIGN_OR_RETURN(const size_t index, FindField(*child->type, field, settings_.case_sensitive));
      return GetField(child, index, field);
    }
    case TypeId::kArray: {
      const auto& element = child->type->element_type();
      if (element->id() != TypeId::kStruct) break;
      // The field of every element.
      FRAZIL_ASSIGN_OR_RETURN(const size_t index, FindField(*element, field, settings_.case_sensitive));
      auto variable = std::make_shared<LambdaVariableExpression>();
      variable->id = context_.NextId();
      variable->name = "element";
      variable->type = element;
      variable->nullable = child->type->contains_null();
      variable->sql = "namedlambdavariable()";
      auto lambda = std::make_shared<LambdaExpression>();
      lambda->parameters.push_back(variable);
      lambda->body = GetField(variable, index, field);
      lambda->type = lambda->body->type;
      lambda->sql = "lambdafunction(" + lambda->body->sql + ", namedlambdavariable())";
      auto type = DataType::Array(lambda->body->type, lambda->body->nullable);
      return MakeCall("transform", {child, lambda}, type, child->nullable, EvalMode::kAnsi, child->sql + "." + field);
    }
    case TypeId::kMap:
      return ExtractItem(child, MakeLiteral(DataType::String(), Value(field)));
    case TypeId::kNull:
    case TypeId::kBoolean:
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return Error::Of("INVALID_EXTRACT_BASE_FIELD_TYPE",
                   {{"base", "\"" + child->sql + "\""}, {"other", "\"" + child->type->Sql() + "\""}});
}

Result<ExpressionPtr> Analyzer::ExtractItem(const ExpressionPtr& child, const ExpressionPtr& key) {
  const std::string shown = child->sql + "[" + key->sql + "]";
  const auto constant_name = key->type->IsString() ? functions::ConstantText(*key) : std::nullopt;
  switch (child->type->id()) {
    case TypeId::kArray: {
      if (child->type->element_type()->id() == TypeId::kStruct && constant_name)
        return ExtractField(child, *constant_name);
      if (!key->type->IsIntegral() && key->type->id() != TypeId::kNull) {
        return Error::Of("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", {{"sqlExpr", "\"" + shown + "\""},
                                                                     {"paramIndex", "second"},
                                                                     {"requiredType", "\"INTEGRAL\""},
                                                                     {"inputSql", "\"" + key->sql + "\""},
                                                                     {"inputType", "\"" + key->type->Sql() + "\""}});
      }
      auto index = MakeCast(key, key->type->id() == TypeId::kLong ? DataType::Long() : DataType::Integer(),
                            settings_.eval_mode());
      return MakeCall("get_item", {child, index}, child->type->element_type(), true, settings_.eval_mode(), shown);
    }
    case TypeId::kMap: {
      auto typed_key = key;
      if (!key->type->EqualsIgnoreNullability(*child->type->key_type())) {
        typed_key = MakeCast(key, child->type->key_type(), settings_.eval_mode());
      }
      return MakeCall("get_item", {child, typed_key}, child->type->value_type(), true, settings_.eval_mode(), shown);
    }
    case TypeId::kStruct:
      if (constant_name) return ExtractField(child, *constant_name);
      return Error::Of("INVALID_EXTRACT_FIELD_TYPE", {{"extraction", "\"" + key->sql + "\""}});
    case TypeId::kNull:
    case TypeId::kBoolean:
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return Error::Of("INVALID_EXTRACT_BASE_FIELD_TYPE",
                   {{"base", "\"" + child->sql + "\""}, {"other", "\"" + child->type->Sql() + "\""}});
}

}  // namespace frazil::analysis
