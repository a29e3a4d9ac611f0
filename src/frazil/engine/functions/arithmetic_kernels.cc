// Arithmetic that DuckDB's operators do not have: wrapping, NULL on overflow, division by zero as Spark sees it,
// decimals of Spark's result types.

#include <cmath>
#include <limits>

#include <duckdb/common/vector_operations/binary_executor.hpp>
#include <duckdb/common/vector_operations/unary_executor.hpp>
#include <duckdb/execution/expression_executor_state.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/engine/functions/core_functions.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/types/decimal.h"

namespace frazil::engine {
namespace {

using duckdb::BinaryExecutor;
using duckdb::DataChunk;
using duckdb::ExpressionState;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::ScalarFunction;
using duckdb::ScalarFunctionSet;
using duckdb::UnaryExecutor;
using duckdb::ValidityMask;
using duckdb::Vector;

template <typename T>
const char* OverflowMessage() {
  if constexpr (sizeof(T) == 1) return "byte overflow";
  if constexpr (sizeof(T) == 2) return "short overflow";
  if constexpr (sizeof(T) == 4) return "integer overflow";
  return "long overflow";
}

struct Add {
  template <typename T>
  static bool Overflows(T left, T right, T* result) {
    return __builtin_add_overflow(left, right, result);
  }
  template <typename T>
  static T Float(T left, T right) {
    return left + right;
  }
};
struct Subtract {
  template <typename T>
  static bool Overflows(T left, T right, T* result) {
    return __builtin_sub_overflow(left, right, result);
  }
  template <typename T>
  static T Float(T left, T right) {
    return left - right;
  }
};
struct Multiply {
  template <typename T>
  static bool Overflows(T left, T right, T* result) {
    return __builtin_mul_overflow(left, right, result);
  }
  template <typename T>
  static T Float(T left, T right) {
    return left * right;
  }
};

// GCC's builtins leave the wrapped result behind, which is what Java computes.
template <typename T, typename Operation, bool kNullOnOverflow>
void Checked(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::ExecuteWithNulls<T, T, T>(input.data[0], input.data[1], result, input.size(),
                                            [](T left, T right, ValidityMask& mask, idx_t row) -> T {
                                              if constexpr (std::is_floating_point_v<T>) {
                                                (void)mask;
                                                (void)row;
                                                return Operation::Float(left, right);
                                              } else {
                                                T value;
                                                if (Operation::Overflows(left, right, &value) && kNullOnOverflow)
                                                  mask.SetInvalid(row);
                                                return value;
                                              }
                                            });
}

// Additions of ANSI intervals: an overflow is an error in every mode but try.
template <typename T, typename Operation>
void CheckedInterval(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::Execute<T, T, T>(input.data[0], input.data[1], result, input.size(), [](T left, T right) -> T {
    T value;
    if (Operation::Overflows(left, right, &value)) ThrowSparkError("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION");
    return value;
  });
}

template <typename T>
T RemainderOf(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(left, right);
  } else {
    return right == -1 ? T{0} : static_cast<T>(left % right);
  }
}

template <typename T, bool kError>
void Divide(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::ExecuteWithNulls<T, T, T>(input.data[0], input.data[1], result, input.size(),
                                            [](T left, T right, ValidityMask& mask, idx_t row) -> T {
                                              if (right == 0) {
                                                if (kError) ThrowDivideByZero();
                                                mask.SetInvalid(row);
                                                return 0;
                                              }
                                              return left / right;
                                            });
}

template <typename T, bool kError>
void Remainder(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::ExecuteWithNulls<T, T, T>(input.data[0], input.data[1], result, input.size(),
                                            [](T left, T right, ValidityMask& mask, idx_t row) -> T {
                                              if (right == 0) {
                                                if (kError) ThrowRemainderByZero();
                                                mask.SetInvalid(row);
                                                return 0;
                                              }
                                              return RemainderOf(left, right);
                                            });
}

// As Spark: the remainder, brought up by the divisor where it is negative.
template <typename T, bool kError>
void PositiveModulo(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::ExecuteWithNulls<T, T, T>(input.data[0], input.data[1], result, input.size(),
                                            [](T left, T right, ValidityMask& mask, idx_t row) -> T {
                                              if (right == 0) {
                                                if (kError) ThrowRemainderByZero();
                                                mask.SetInvalid(row);
                                                return 0;
                                              }
                                              const T rest = RemainderOf(left, right);
                                              return rest < 0 ? RemainderOf(static_cast<T>(rest + right), right) : rest;
                                            });
}

// Whole part of a quotient, as BIGINT. kMode: EvalMode.
template <typename T, EvalMode kMode>
void IntegralDivide(DataChunk& input, ExpressionState&, Vector& result) {
  BinaryExecutor::ExecuteWithNulls<T, T, int64_t>(input.data[0], input.data[1], result, input.size(),
                                                  [](T left, T right, ValidityMask& mask, idx_t row) -> int64_t {
                                                    if (right == 0) {
                                                      if (kMode == EvalMode::kAnsi) ThrowDivideByZero();
                                                      mask.SetInvalid(row);
                                                      return 0;
                                                    }
                                                    if (right == -1) {
                                                      const int64_t wide = left;
                                                      if (wide == std::numeric_limits<int64_t>::min()) {
                                                        if (kMode == EvalMode::kAnsi)
                                                          ThrowArithmeticOverflow("Overflow in integral divide",
                                                                                  "try_divide");
                                                        if (kMode == EvalMode::kTry) mask.SetInvalid(row);
                                                        return wide;
                                                      }
                                                      return -wide;
                                                    }
                                                    return static_cast<int64_t>(left / right);
                                                  });
}

template <typename T, EvalMode kMode, bool kAbsolute>
void Negate(DataChunk& input, ExpressionState&, Vector& result) {
  UnaryExecutor::ExecuteWithNulls<T, T>(input.data[0], result, input.size(),
                                        [](T value, ValidityMask& mask, idx_t row) -> T {
                                          if constexpr (std::is_floating_point_v<T>) {
                                            (void)mask;
                                            (void)row;
                                            return kAbsolute ? std::fabs(value) : -value;
                                          } else {
                                            if (kAbsolute && value >= 0) return value;
                                            if (value == std::numeric_limits<T>::min()) {
                                              if (kMode == EvalMode::kAnsi)
                                                ThrowArithmeticOverflow(OverflowMessage<T>(), "");
                                              if (kMode == EvalMode::kTry) mask.SetInvalid(row);
                                              return value;
                                            }
                                            return static_cast<T>(-value);
                                          }
                                        });
}

// Registers `name` for the integral types, and float and double.
template <typename MakeKernel>
void RegisterBinary(duckdb::ExtensionLoader& loader, const std::string& name, MakeKernel make, bool with_floats,
                    LogicalType result = LogicalType::INVALID) {
  ScalarFunctionSet set(name);
  const auto add = [&](const LogicalType& type, auto value) {
    ScalarFunction function({type, type}, result.id() == duckdb::LogicalTypeId::INVALID ? type : result, make(value));
    function.SetFallible();
    set.AddFunction(function);
  };
  add(LogicalType::TINYINT, int8_t{});
  add(LogicalType::SMALLINT, int16_t{});
  add(LogicalType::INTEGER, int32_t{});
  add(LogicalType::BIGINT, int64_t{});
  if (with_floats) {
    add(LogicalType::FLOAT, float{});
    add(LogicalType::DOUBLE, double{});
  }
  loader.RegisterFunction(set);
}

template <typename MakeKernel>
void RegisterUnary(duckdb::ExtensionLoader& loader, const std::string& name, MakeKernel make) {
  ScalarFunctionSet set(name);
  const auto add = [&](const LogicalType& type, auto value) {
    ScalarFunction function({type}, type, make(value));
    function.SetFallible();
    set.AddFunction(function);
  };
  add(LogicalType::TINYINT, int8_t{});
  add(LogicalType::SMALLINT, int16_t{});
  add(LogicalType::INTEGER, int32_t{});
  add(LogicalType::BIGINT, int64_t{});
  add(LogicalType::FLOAT, float{});
  add(LogicalType::DOUBLE, double{});
  loader.RegisterFunction(set);
}

// --- decimals: spark_decimal(operation, left, right, precision, scale, mode)
// --------------------------------------------------------------------------------

enum class DecimalKernel : int32_t { kAdd, kSubtract, kMultiply, kDivide, kIntegralDivide, kRemainder, kPmod };

struct DecimalBindData : duckdb::FunctionData {
  DecimalKernel operation = DecimalKernel::kAdd;
  DecimalShape result;
  int left_scale = 0, right_scale = 0;
  EvalMode mode = EvalMode::kAnsi;

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<DecimalBindData>(*this); }
  bool Equals(const duckdb::FunctionData& other_data) const override {
    const auto& other = other_data.Cast<DecimalBindData>();
    return operation == other.operation && result == other.result && mode == other.mode;
  }
};

int ScaleOf(const LogicalType& type) {
  return type.id() == duckdb::LogicalTypeId::DECIMAL ? duckdb::DecimalType::GetScale(type) : 0;
}

duckdb::unique_ptr<duckdb::FunctionData> BindDecimal(
    duckdb::ClientContext& context, ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto values = ConstantArguments(context, function, arguments, 4);
  auto data = duckdb::make_uniq<DecimalBindData>();
  data->operation = static_cast<DecimalKernel>(values[0].GetValue<int32_t>());
  data->result = DecimalShape{values[1].GetValue<int32_t>(), values[2].GetValue<int32_t>()};
  data->mode = static_cast<EvalMode>(values[3].GetValue<int32_t>());
  data->left_scale = ScaleOf(arguments[0]->return_type);
  data->right_scale = ScaleOf(arguments[1]->return_type);
  function.arguments[0] = arguments[0]->return_type;
  function.arguments[1] = arguments[1]->return_type;
  function.SetReturnType(
      LogicalType::DECIMAL(static_cast<uint8_t>(data->result.precision), static_cast<uint8_t>(data->result.scale)));
  return data;
}

std::optional<int128> Compute(const DecimalBindData& data, int128 left, int128 right) {
  switch (data.operation) {
    case DecimalKernel::kAdd:
    case DecimalKernel::kSubtract: {
      const bool add = data.operation == DecimalKernel::kAdd;
      if (data.left_scale == data.right_scale && data.result.scale == data.left_scale) {
        int128 value;
        const bool overflow =
            add ? __builtin_add_overflow(left, right, &value) : __builtin_sub_overflow(left, right, &value);
        if (overflow || !FitsPrecision(value, data.result.precision)) return std::nullopt;
        return value;
      }
      return add ? AddDecimals(left, data.left_scale, right, data.right_scale, data.result)
                 : SubtractDecimals(left, data.left_scale, right, data.right_scale, data.result);
    }
    case DecimalKernel::kMultiply: {
      if (data.result.scale == data.left_scale + data.right_scale) {
        int128 value;
        if (__builtin_mul_overflow(left, right, &value) || !FitsPrecision(value, data.result.precision))
          return std::nullopt;
        return value;
      }
      return MultiplyDecimals(left, data.left_scale, right, data.right_scale, data.result);
    }
    case DecimalKernel::kDivide:
      return DivideDecimals(left, data.left_scale, right, data.right_scale, data.result);
    case DecimalKernel::kIntegralDivide:
      return IntegralDivideDecimals(left, data.left_scale, right, data.right_scale, data.result);
    case DecimalKernel::kRemainder:
      return RemainderDecimals(left, data.left_scale, right, data.right_scale, data.result);
    case DecimalKernel::kPmod: {
      const auto rest = RemainderDecimals(left, data.left_scale, right, data.right_scale, data.result);
      if (!rest || *rest >= 0) return rest;
      const auto raised = AddDecimals(*rest, data.result.scale, right, data.right_scale, data.result);
      if (!raised) return std::nullopt;
      return RemainderDecimals(*raised, data.result.scale, right, data.right_scale, data.result);
    }
  }
  return std::nullopt;
}

// What sums and products of values of 64 bits need: they fit 128 bits, so that only the precision is to be checked.
struct NarrowDecimals {
  explicit NarrowDecimals(const DecimalBindData& data) : limit(PowerOfTen(data.result.precision)) {
    const int widest = std::max(data.left_scale, data.right_scale);
    switch (data.operation) {
      case DecimalKernel::kMultiply:
        multiplies = true;
        applies = data.result.scale == data.left_scale + data.right_scale;
        return;
      case DecimalKernel::kAdd:
      case DecimalKernel::kSubtract:
        // A factor beyond 10^18 does not fit 64 bits.
        applies = data.result.scale == widest && widest - std::min(data.left_scale, data.right_scale) <= 18;
        if (!applies) return;
        left_factor = static_cast<int64_t>(PowerOfTen(widest - data.left_scale));
        right_factor = static_cast<int64_t>(PowerOfTen(widest - data.right_scale));
        if (data.operation == DecimalKernel::kSubtract) right_factor = -right_factor;
        return;
      case DecimalKernel::kDivide:
      case DecimalKernel::kIntegralDivide:
      case DecimalKernel::kRemainder:
      case DecimalKernel::kPmod:
        return;
    }
  }

  // False if this way does not serve these values.
  bool Compute(int128 left, int128 right, int128* value) const {
    const auto short_left = static_cast<int64_t>(left), short_right = static_cast<int64_t>(right);
    if (short_left != left || short_right != right) return false;
    *value = multiplies
                 ? static_cast<int128>(short_left) * short_right
                 : static_cast<int128>(short_left) * left_factor + static_cast<int128>(short_right) * right_factor;
    return *value<limit&& * value> - limit;
  }

  bool applies = false, multiplies = false;
  int64_t left_factor = 1, right_factor = 1;
  int128 limit;
};

// One result of any operation; NULL where the mode says so.
std::optional<int128> DecimalOrNull(const DecimalBindData& data, int128 left, int128 right) {
  const bool sums = data.operation == DecimalKernel::kAdd || data.operation == DecimalKernel::kSubtract;
  if (right == 0 && !sums && data.operation != DecimalKernel::kMultiply) {
    if (data.mode != EvalMode::kAnsi) return std::nullopt;
    if (data.operation == DecimalKernel::kRemainder || data.operation == DecimalKernel::kPmod) ThrowRemainderByZero();
    ThrowDivideByZero();
  }
  const auto value = Compute(data, left, right);
  if (!value && data.mode == EvalMode::kAnsi) {
    DecimalBindData loose = data;
    loose.result = DecimalShape{38, data.result.scale};
    const auto shown = Compute(loose, left, right);
    ThrowNumericValueOutOfRange(shown ? DecimalToString(*shown, data.result.scale) : "The result",
                                data.result.precision, data.result.scale);
  }
  return value;
}

template <typename Left, typename Right, typename To>
void DecimalRows(const DecimalBindData& data, const duckdb::UnifiedVectorFormat& left,
                 const duckdb::UnifiedVectorFormat& right, Vector& result, idx_t count) {
  const auto* left_values = duckdb::UnifiedVectorFormat::GetData<Left>(left);
  const auto* right_values = duckdb::UnifiedVectorFormat::GetData<Right>(right);
  auto* out = duckdb::FlatVector::GetData<To>(result);
  const NarrowDecimals narrow(data);
  const bool valid = left.validity.AllValid() && right.validity.AllValid();
  for (idx_t row = 0; row < count; ++row) {
    const auto left_row = left.sel->get_index(row), right_row = right.sel->get_index(row);
    if (!valid && (!left.validity.RowIsValid(left_row) || !right.validity.RowIsValid(right_row))) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const int128 a = WideOf(left_values[left_row]), b = WideOf(right_values[right_row]);
    int128 value;
    if (narrow.applies && narrow.Compute(a, b, &value)) {
      out[row] = NarrowTo<To>(value);
    } else if (const auto computed = DecimalOrNull(data, a, b)) {
      out[row] = NarrowTo<To>(*computed);
    } else {
      duckdb::FlatVector::SetNull(result, row, true);
    }
  }
}

void ExecuteDecimal(DataChunk& input, ExpressionState& state, Vector& result) {
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<DecimalBindData>();
  const bool constant = input.AllConstant();
  const idx_t count = constant ? 1 : input.size();
  duckdb::UnifiedVectorFormat left, right;
  input.data[0].ToUnifiedFormat(count, left);
  input.data[1].ToUnifiedFormat(count, right);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  WithDecimalStorage(input.data[0].GetType(), [&](auto left_storage) {
    WithDecimalStorage(input.data[1].GetType(), [&](auto right_storage) {
      WithDecimalStorage(result.GetType(), [&](auto storage) {
        DecimalRows<decltype(left_storage), decltype(right_storage), decltype(storage)>(data, left, right, result,
                                                                                        count);
      });
    });
  });
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

}  // namespace

LoweredExpression LowerDecimalOperation(const std::string& name, const DataType& type, EvalMode mode,
                                        LoweredArguments arguments) {
  static const std::map<std::string, DecimalKernel> kOperations = {{"add", DecimalKernel::kAdd},
                                                                   {"subtract", DecimalKernel::kSubtract},
                                                                   {"multiply", DecimalKernel::kMultiply},
                                                                   {"divide", DecimalKernel::kDivide},
                                                                   {"div", DecimalKernel::kIntegralDivide},
                                                                   {"remainder", DecimalKernel::kRemainder},
                                                                   {"pmod", DecimalKernel::kPmod}};
  const auto operation = kOperations.at(name);
  const DecimalShape shape = type.id() == TypeId::kDecimal ? ShapeOf(type) : DecimalShape{38, 0};
  return CallOf("spark_decimal", std::move(arguments[0]), std::move(arguments[1]),
                ConstantOf(duckdb::Value::INTEGER(static_cast<int32_t>(operation))),
                ConstantOf(duckdb::Value::INTEGER(shape.precision)), ConstantOf(duckdb::Value::INTEGER(shape.scale)),
                ConstantOf(duckdb::Value::INTEGER(static_cast<int32_t>(mode))));
}

void RegisterArithmeticKernels(duckdb::ExtensionLoader& loader) {
  const auto legacy_try = [&](const std::string& name, auto operation) {
    using Operation = decltype(operation);
    RegisterBinary(
        loader, "spark_" + name + "_legacy", [](auto value) { return &Checked<decltype(value), Operation, false>; },
        true);
    RegisterBinary(
        loader, "spark_" + name + "_try", [](auto value) { return &Checked<decltype(value), Operation, true>; }, true);
    ScalarFunctionSet interval("spark_" + name + "_interval");
    interval.AddFunction(ScalarFunction({LogicalType::INTEGER, LogicalType::INTEGER}, LogicalType::INTEGER,
                                        &CheckedInterval<int32_t, Operation>));
    interval.AddFunction(ScalarFunction({LogicalType::BIGINT, LogicalType::BIGINT}, LogicalType::BIGINT,
                                        &CheckedInterval<int64_t, Operation>));
    for (auto& function : interval.functions) function.SetFallible();
    loader.RegisterFunction(interval);
  };
  legacy_try("add", Add{});
  legacy_try("subtract", Subtract{});
  legacy_try("multiply", Multiply{});
  RegisterBinary(
      loader, "spark_divide_error", [](auto value) { return &Divide<decltype(value), true>; }, true);
  RegisterBinary(
      loader, "spark_divide_null", [](auto value) { return &Divide<decltype(value), false>; }, true);
  RegisterBinary(
      loader, "spark_remainder_error", [](auto value) { return &Remainder<decltype(value), true>; }, true);
  RegisterBinary(
      loader, "spark_remainder_null", [](auto value) { return &Remainder<decltype(value), false>; }, true);
  RegisterBinary(
      loader, "spark_pmod_error", [](auto value) { return &PositiveModulo<decltype(value), true>; }, true);
  RegisterBinary(
      loader, "spark_pmod_null", [](auto value) { return &PositiveModulo<decltype(value), false>; }, true);
  RegisterBinary(
      loader, "spark_div_legacy", [](auto value) { return &IntegralDivide<decltype(value), EvalMode::kLegacy>; }, false,
      LogicalType::BIGINT);
  RegisterBinary(
      loader, "spark_div_ansi", [](auto value) { return &IntegralDivide<decltype(value), EvalMode::kAnsi>; }, false,
      LogicalType::BIGINT);
  RegisterBinary(
      loader, "spark_div_try", [](auto value) { return &IntegralDivide<decltype(value), EvalMode::kTry>; }, false,
      LogicalType::BIGINT);
  RegisterUnary(loader, "spark_negative_legacy",
                [](auto value) { return &Negate<decltype(value), EvalMode::kLegacy, false>; });
  RegisterUnary(loader, "spark_negative_ansi",
                [](auto value) { return &Negate<decltype(value), EvalMode::kAnsi, false>; });
  RegisterUnary(loader, "spark_negative_try",
                [](auto value) { return &Negate<decltype(value), EvalMode::kTry, false>; });
  RegisterUnary(loader, "spark_abs_legacy",
                [](auto value) { return &Negate<decltype(value), EvalMode::kLegacy, true>; });
  RegisterUnary(loader, "spark_abs_ansi", [](auto value) { return &Negate<decltype(value), EvalMode::kAnsi, true>; });
  RegisterUnary(loader, "spark_abs_try", [](auto value) { return &Negate<decltype(value), EvalMode::kTry, true>; });

  ScalarFunction decimal("spark_decimal",
                         {LogicalType::ANY, LogicalType::ANY, LogicalType::INTEGER, LogicalType::INTEGER,
                          LogicalType::INTEGER, LogicalType::INTEGER},
                         LogicalType::ANY, ExecuteDecimal, BindDecimal);
  decimal.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  decimal.SetFallible();
  loader.RegisterFunction(decimal);
}

}  // namespace frazil::engine
