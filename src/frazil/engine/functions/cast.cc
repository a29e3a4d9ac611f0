#include "frazil/engine/functions/cast.h"

#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <duckdb/execution/expression_executor_state.hpp>
#include <duckdb/parser/expression/case_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/planner/expression/bound_cast_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/cast_internal.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/variant_cast.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Vector;

bool HasStruct(const DataType& type) {
  switch (type.id()) {
    case TypeId::kStruct:
      return true;
    case TypeId::kArray:
      return HasStruct(*type.element_type());
    case TypeId::kMap:
      return HasStruct(*type.key_type()) || HasStruct(*type.value_type());
    default:
      return false;
  }
}

int RankOf(TypeId id) {
  switch (id) {
    case TypeId::kByte:
      return 1;
    case TypeId::kShort:
      return 2;
    case TypeId::kInteger:
      return 3;
    case TypeId::kLong:
      return 4;
    default:
      return 0;
  }
}

// Digits that an integral type may have.
int DigitsOf(TypeId id) {
  switch (id) {
    case TypeId::kByte:
      return 3;
    case TypeId::kShort:
      return 5;
    case TypeId::kInteger:
      return 10;
    case TypeId::kLong:
      return 19;
    default:
      return 0;
  }
}

// Pairs for which DuckDB's own cast gives the same value for every input, and no error.
bool IsPlainDuckDbCast(const DataType& from, const DataType& to) {
  if (from.IsIntegral()) {
    if (to.IsIntegral()) return RankOf(from.id()) <= RankOf(to.id());
    if (to.id() == TypeId::kFloat || to.id() == TypeId::kDouble) return true;
    if (to.IsString()) return true;
    if (to.id() == TypeId::kDecimal) return to.precision() - to.scale() >= DigitsOf(from.id());
    return false;
  }
  if (from.id() == TypeId::kFloat) return to.id() == TypeId::kDouble;
  if (from.id() == TypeId::kBoolean)
    return to.IsIntegral() || to.id() == TypeId::kDouble || to.id() == TypeId::kFloat || to.IsString();
  if (from.id() == TypeId::kDecimal && to.id() == TypeId::kDecimal) {
    return to.scale() >= from.scale() && to.precision() - to.scale() >= from.precision() - from.scale();
  }
  if (from.id() == TypeId::kDate && to.id() == TypeId::kTimestampNtz) return true;
  return false;
}

// --- spark_cast(value, source type, target type, mode, zone)
// ---------------------------------------------------------------------------------------------

struct CastBindData : duckdb::FunctionData {
  VectorCast cast;
  std::string key;  ///< Everything that makes the cast what it is.

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    auto copy = duckdb::make_uniq<CastBindData>();
    copy->cast = cast;
    copy->key = key;
    return copy;
  }
  bool Equals(const duckdb::FunctionData& other) const override { return other.Cast<CastBindData>().key == key; }
};

duckdb::unique_ptr<duckdb::FunctionData> BindCast(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto values = ConstantArguments(context, function, arguments, 4);
  const auto from = ValueOrThrow(DataType::FromJson(values[0].ToString()));
  const auto to = ValueOrThrow(DataType::FromJson(values[1].ToString()));
  CastSettings settings;
  settings.mode = static_cast<EvalMode>(values[2].GetValue<int32_t>());
  settings.zone_name = values[3].ToString();
  settings.zone = ValueOrThrow(TimeZone::Find(settings.zone_name));
  auto data = duckdb::make_uniq<CastBindData>();
  data->cast = MakeVectorCast(from, to, settings);
  for (const auto& value : values) data->key += value.ToString() + "\n";
  function.arguments[0] = MappedType(*from);
  function.SetReturnType(MappedType(*to));
  return data;
}

void ExecuteCast(duckdb::DataChunk& input, duckdb::ExpressionState& state, Vector& result) {
  const auto& function = state.expr.Cast<duckdb::BoundFunctionExpression>();
  const auto& data = function.bind_info->Cast<CastBindData>();
  const bool constant = input.AllConstant();
  data.cast(input.data[0], result, constant ? 1 : input.size());
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// --- spark_reshape(value, NULL of the wanted type)
// ---------------------------------------------------------------------------------------------------------

// By position: members of structs whatever their names, elements, keys and values; leaves by DuckDB's cast.
void Reshape(Vector& source, Vector& target, duckdb::idx_t count) {
  const auto& from = source.GetType();
  const auto& to = target.GetType();
  if (from == to) {
    duckdb::VectorOperations::Copy(source, target, count, 0, 0);
    return;
  }
  const auto physical = to.InternalType();
  if (from.InternalType() == physical && physical == duckdb::PhysicalType::LIST) {
    source.Flatten(count);
    target.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    const auto size = duckdb::ListVector::GetListSize(source);
    duckdb::ListVector::Reserve(target, size);
    std::copy_n(duckdb::FlatVector::GetData<duckdb::list_entry_t>(source), count,
                duckdb::FlatVector::GetData<duckdb::list_entry_t>(target));
    duckdb::FlatVector::SetValidity(target, duckdb::FlatVector::Validity(source));
    if (size > 0) {
      Vector elements(duckdb::ListVector::GetEntry(source));
      elements.Flatten(size);
      Reshape(elements, duckdb::ListVector::GetEntry(target), size);
    }
    duckdb::ListVector::SetListSize(target, size);
    return;
  }
  if (from.InternalType() == physical && physical == duckdb::PhysicalType::STRUCT) {
    source.Flatten(count);
    target.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    auto& members = duckdb::StructVector::GetEntries(source);
    auto& wanted = duckdb::StructVector::GetEntries(target);
    if (members.size() != wanted.size())
      ThrowSparkError(Error::Internal("A struct of " + from.ToString() + " is not a " + to.ToString()));
    for (size_t i = 0; i < members.size(); ++i) {
      members[i]->Flatten(count);
      Reshape(*members[i], *wanted[i], count);
    }
    duckdb::FlatVector::SetValidity(target, duckdb::FlatVector::Validity(source));
    return;
  }
  duckdb::VectorOperations::DefaultCast(source, target, count);
}

duckdb::unique_ptr<duckdb::FunctionData> BindReshape(
    duckdb::ClientContext&, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.SetReturnType(arguments[1]->return_type);
  function.arguments[0] = arguments[0]->return_type;
  function.arguments[1] = arguments[1]->return_type;
  return nullptr;
}

// Nothing to do at run time where the types are equal already, or the value is NULL.
duckdb::unique_ptr<duckdb::Expression> ReplaceReshape(duckdb::FunctionBindExpressionInput& input) {
  auto& value = input.children[0];
  auto& wanted = input.children[1]->return_type;
  if (value->return_type == wanted) return std::move(value);
  if (value->return_type.id() == duckdb::LogicalTypeId::SQLNULL ||
      value->return_type.InternalType() != wanted.InternalType()) {
    return duckdb::BoundCastExpression::AddCastToType(input.context, std::move(value), wanted);
  }
  return nullptr;
}

void ExecuteReshape(duckdb::DataChunk& input, duckdb::ExpressionState&, Vector& result) {
  const bool constant = input.data[0].GetVectorType() == duckdb::VectorType::CONSTANT_VECTOR;
  Reshape(input.data[0], result, constant ? 1 : input.size());
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// NULL of that type, after a call that may raise an error (raise_error, assert_true) has been evaluated.
LoweredExpression NullAfter(LoweredExpression call, const LogicalType& type) {
  duckdb::CaseCheck check;
  check.when_expr =
      duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_IS_NULL, std::move(call));
  check.then_expr = ConstantOf(duckdb::Value(type));
  auto result = duckdb::make_uniq<duckdb::CaseExpression>();
  result->case_checks.push_back(std::move(check));
  result->else_expr = ConstantOf(duckdb::Value(type));
  return result;
}

}  // namespace

Result<LoweredExpression> LowerSparkCast(LoweredExpression child, const DataType& from, const DataType& to,
                                         EvalMode mode, const functions::ExpressionSettings& settings) {
  FRAZIL_ASSIGN_OR_RETURN(auto target, ToDuckDbType(to));
  FRAZIL_RETURN_IF_ERROR(ToDuckDbType(from).status());
  if (from.id() == TypeId::kNull && child->GetExpressionClass() != duckdb::ExpressionClass::CONSTANT) {
    return NullAfter(std::move(child), target);
  }
  if (from.id() == TypeId::kNull || to.id() == TypeId::kNull) return ConstantOf(duckdb::Value(target));
  if (from.EqualsIgnoreNullability(to) || (from.IsString() && to.IsString())) return child;
  // The casts that there are change what is said of a spatial value, not the value.
  const auto is_spatial = [](const DataType& type) {
    return type.id() == TypeId::kGeometry || type.id() == TypeId::kGeography;
  };
  if (is_spatial(from) && is_spatial(to)) return child;
  if (from.id() == TypeId::kVariant || to.id() == TypeId::kVariant) {
    return LowerVariantCast(std::move(child), from, to, mode, settings);
  }
  if (IsPlainDuckDbCast(from, to)) return CastOf(std::move(child), target);
  return CallOf("spark_cast", std::move(child), ConstantOf(duckdb::Value(from.Json())),
                ConstantOf(duckdb::Value(to.Json())), ConstantOf(duckdb::Value::INTEGER(static_cast<int32_t>(mode))),
                ConstantOf(duckdb::Value(settings.time_zone)));
}

LoweredExpression AsMappedType(LoweredExpression value, const DataType& type) {
  // Boolean as it is, and a cast would hide it from an AND or OR around it, which takes over its conditions.
  if (value->GetExpressionClass() == duckdb::ExpressionClass::CONJUNCTION) return value;
  auto target = MappedType(type);
  if (!HasStruct(type)) return CastOf(std::move(value), std::move(target));
  return CallOf("spark_reshape", std::move(value), ConstantOf(duckdb::Value(target)));
}

void RegisterCastKernels(duckdb::ExtensionLoader& loader) {
  duckdb::ScalarFunction cast(
      "spark_cast",
      {LogicalType::ANY, LogicalType::VARCHAR, LogicalType::VARCHAR, LogicalType::INTEGER, LogicalType::VARCHAR},
      LogicalType::ANY, ExecuteCast, BindCast);
  cast.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  cast.SetFallible();
  loader.RegisterFunction(cast);

  duckdb::ScalarFunction reshape("spark_reshape", {LogicalType::ANY, LogicalType::ANY}, LogicalType::ANY,
                                 ExecuteReshape, BindReshape);
  reshape.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  reshape.SetBindExpressionCallback(ReplaceReshape);
  loader.RegisterFunction(reshape);
}

}  // namespace frazil::engine
