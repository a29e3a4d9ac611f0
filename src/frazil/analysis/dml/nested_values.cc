#include "frazil/analysis/dml/nested_values.h"

#include "frazil/analysis/expression_rewrite_internal.h"

namespace frazil::analysis {

std::shared_ptr<LambdaVariableExpression> VariableOf(const char* name, const DataTypePtr& type, bool nullable,
                                                     AnalysisContext& context) {
  auto variable = std::make_shared<LambdaVariableExpression>();
  variable->id = context.NextId();
  variable->name = name;
  variable->type = type;
  variable->nullable = nullable;
  variable->sql = "namedlambdavariable()";
  return variable;
}

ExpressionPtr LambdaOf(std::vector<std::shared_ptr<const LambdaVariableExpression>> parameters, ExpressionPtr body) {
  auto lambda = std::make_shared<LambdaExpression>();
  lambda->parameters = std::move(parameters);
  lambda->type = body->type;
  lambda->nullable = body->nullable;
  lambda->sql = "lambdafunction(" + body->sql + ")";
  lambda->body = std::move(body);
  return lambda;
}

ExpressionPtr FieldOf(const ExpressionPtr& value, const StructField& field) {
  return MakeCall("get_field", {value, MakeLiteral(DataType::String(), Value(field.name))}, field.type,
                  value->nullable || field.nullable);
}

ExpressionPtr IsNull(const ExpressionPtr& value) { return MakeCall("is_null", {value}, DataType::Boolean(), false); }

ExpressionPtr WithTextLengths(ExpressionPtr value, const DataTypePtr& type, const std::string& delta_column,
                              AnalysisContext& context) {
  if (StringsWithoutLength(type) == type) return value;
  const bool nullable = value->nullable;
  const std::string sql = value->sql;
  const auto part = [&](const std::string& name) {
    return delta_column.empty() ? std::string() : delta_column + "." + name;
  };
  switch (type->id()) {
    case TypeId::kString: {
      const bool is_char = type->length_kind() == StringLength::kChar;
      auto length = MakeLiteral(DataType::Integer(), Value(type->length()));
      if (!delta_column.empty()) {
        const std::string check = "((" + delta_column + " IS NULL) OR (length(" + delta_column +
                                  ") <= " + std::to_string(type->length()) + "))";
        return MakeCall(is_char ? "delta_char_check" : "delta_varchar_check",
                        {std::move(value), std::move(length), MakeLiteral(DataType::String(), Value(check))}, type,
                        nullable, EvalMode::kAnsi, sql);
      }
      return MakeCall(is_char ? "char_type_write_side_check" : "varchar_type_write_side_check",
                      {std::move(value), std::move(length)}, type, nullable, EvalMode::kAnsi, sql);
    }
    case TypeId::kArray: {
      auto element = VariableOf("x", value->type->element_type(), value->type->contains_null(), context);
      auto body = WithTextLengths(element, type->element_type(), part("element"), context);
      return WithSql(MakeCall("transform", {std::move(value), LambdaOf({element}, std::move(body))}, type, nullable),
                     sql);
    }
    case TypeId::kMap: {
      for (const bool is_key : {true, false}) {
        const auto from = value->type;
        auto key = VariableOf("k", from->key_type(), false, context);
        auto item = VariableOf("v", from->value_type(), from->value_contains_null(), context);
        auto body = WithTextLengths(is_key ? key : item, is_key ? type->key_type() : type->value_type(),
                                    part(is_key ? "key" : "value"), context);
        auto changed = is_key ? DataType::Map(type->key_type(), from->value_type(), from->value_contains_null()) : type;
        value = MakeCall(is_key ? "transform_keys" : "transform_values",
                         {std::move(value), LambdaOf({key, item}, std::move(body))}, std::move(changed), nullable);
      }
      return WithSql(value, sql);
    }
    default: {
      std::vector<ExpressionPtr> arguments;
      for (size_t i = 0; i < type->fields().size(); ++i) {
        const auto& field = type->fields()[i];
        arguments.push_back(MakeLiteral(DataType::String(), Value(field.name)));
        arguments.push_back(
            WithTextLengths(FieldOf(value, value->type->fields()[i]), field.type, part(field.name), context));
      }
      auto made = MakeCall("named_struct", std::move(arguments), type, false);
      if (nullable) made = MakeCall("if", {IsNull(value), MakeNull(type), std::move(made)}, type, true);
      return WithSql(made, sql);
    }
  }
}

}  // namespace frazil::analysis
