#pragma once

// The small language in which the lists of functions/list/ are written: what arguments may be, what comes out, how a
// call shows. Internal to functions/.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/functions/common_type.h"
#include "frazil/functions/function.h"

namespace frazil::functions {

using Arguments = std::vector<ExpressionPtr>;

/// What an argument may be: a type, or a class of types (Spark's AbstractDataType).
class TypePattern {
 public:
  enum class Kind : uint8_t {
    kExact,
    kAny,
    kNumeric,
    kIntegral,
    kDecimal,
    kText,
    kAnyTimestamp,
    kArray,
    kMap,
    kStruct,
    kYearMonth,
    kDayTime,
    kTime,
    kOrdered,
    kOneOf
  };

  TypePattern(Kind kind, std::string sql) : kind_(kind), sql_(std::move(sql)) {}
  TypePattern(const DataTypePtr& type)
      : kind_(Kind::kExact), sql_("\"" + type->Sql() + "\""), type_(type) {}  // NOLINT: a type is a pattern

  bool Accepts(const DataType& type) const;
  /// The type that an argument of type `from` is cast to (itself where accepted), or nullptr where Spark has no
  /// implicit cast.
  DataTypePtr ImplicitTarget(const DataTypePtr& from, bool ansi) const;
  /// As in messages: "\"STRING\"", "(\"NUMERIC\" or \"INTERVAL\")".
  const std::string& sql() const { return sql_; }
  /// The type a NULL literal gets.
  DataTypePtr DefaultType() const;
  /// Only NULL is cast; other types must fit.
  TypePattern Strict() const;
  bool strict() const { return strict_; }

  friend TypePattern OneOf(std::vector<TypePattern> alternatives);
  friend TypePattern ArrayOf(TypePattern element);

 private:
  Kind kind_;
  std::string sql_;
  DataTypePtr type_;
  std::vector<TypePattern> alternatives_;
  bool strict_ = false;
};

TypePattern AnyType();
TypePattern Text();  ///< STRING of any length and collation.
TypePattern Bytes();
TypePattern Bool();
TypePattern Int();
TypePattern Long();
TypePattern Double();
TypePattern Numeric();
TypePattern Integral();
TypePattern AnyDecimal();
TypePattern Date();
TypePattern Timestamp();
TypePattern AnyTimestamp();
TypePattern Time();
TypePattern YearMonth();
TypePattern DayTime();
TypePattern AnyArray();
TypePattern AnyMap();
TypePattern AnyStruct();
TypePattern Ordered();  ///< Any type with an order.
TypePattern OneOf(std::vector<TypePattern> alternatives);
TypePattern ArrayOf(TypePattern element);
TypePattern TextOrBytes();

using TypeRule = std::function<Result<DataTypePtr>(const Arguments&)>;
TypeRule Fixed(DataTypePtr type);
/// The type of an argument, without CHAR/VARCHAR length.
TypeRule SameAs(size_t index);

enum class NullRule : uint8_t { kAnyNull, kAlways, kNever };

using BindRule = std::function<Result<ExpressionPtr>(const FunctionCall&)>;
/// Makes the result from coerced arguments.
using MakeRule =
    std::function<Result<ExpressionPtr>(const FunctionCall& call, Arguments arguments, const std::string& sql)>;
/// A further check of coerced arguments.
using CheckRule = std::function<Status(const FunctionCall& call, const Arguments& arguments)>;

/// One entry of a list. Turns into a FunctionDefinition.
class Entry {
 public:
  Entry(FunctionClass function_class, std::string name, std::vector<TypePattern> patterns, TypeRule result);

  Entry& Group(std::string group, std::string since, std::string usage);
  /// Further names; calls show the name that was written.
  Entry& Alias(std::vector<std::string> names);
  /// Calls show as this name, whatever was written.
  Entry& ShowAs(std::string name);
  /// Shown in upper case.
  Entry& ShowUpper();
  /// The last `count` arguments may be left out.
  Entry& Optional(int count);
  /// Arguments that are left out get these values (as many as may be left out); they show in the call.
  Entry& Defaults(Arguments values);
  /// The last pattern stands for any number of arguments (also none, unless min is given).
  Entry& Variadic(int min_arguments);
  Entry& Nulls(NullRule rule);
  /// The implementation's canonical name, where it is not `name`.
  Entry& Calls(std::string implementation);
  Entry& Mode(EvalMode mode);
  Entry& Parameters(std::vector<std::string> names);
  Entry& Check(CheckRule rule);
  /// Makes the result instead of a call (RuntimeReplaceable).
  Entry& Makes(MakeRule rule);
  /// Aggregates: ignores nulls; takes WITHIN GROUP.
  Entry& Lambdas(LambdaTypes types);

  FunctionDefinition Build() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

Entry Scalar(std::string name, std::vector<TypePattern> patterns, TypeRule result);
Entry Scalar(std::string name, std::vector<TypePattern> patterns, DataTypePtr result);
Entry Aggregate(std::string name, std::vector<TypePattern> patterns, TypeRule result);
Entry Aggregate(std::string name, std::vector<TypePattern> patterns, DataTypePtr result);
Entry Window(std::string name, std::vector<TypePattern> patterns, TypeRule result);

/// A function that binds itself; the number of arguments is checked before.
FunctionDefinition Custom(std::string name, int min_arguments, int max_arguments, BindRule bind);

/// Where topics put their functions.
class FunctionList {
 public:
  /// The group of the entries that follow.
  void Group(std::string group) { group_ = std::move(group); }
  void Add(const Entry& entry) { Add(entry.Build()); }
  void Add(FunctionDefinition definition);
  std::vector<FunctionDefinition> Take() { return std::move(definitions_); }

 private:
  std::string group_;
  std::vector<FunctionDefinition> definitions_;
};

// --- what binding rules need
// ----------------------------------------------------------------------------------------------------------------------------

/// "name(a, b)".
std::string CallSql(const std::string& name, const Arguments& arguments);
/// The arguments cast to the patterns; error DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE.
Result<Arguments> CoerceArguments(const FunctionCall& call, const std::string& sql, Arguments arguments,
                                  const std::vector<TypePattern>& patterns);
Result<ExpressionPtr> CoerceArgument(const FunctionCall& call, const std::string& sql, ExpressionPtr argument,
                                     size_t index, const TypePattern& pattern);
/// All cast to their common type; error DATATYPE_MISMATCH.DATA_DIFF_TYPES.
Result<Arguments> CoerceToCommonType(const FunctionCall& call, const std::string& sql, Arguments arguments);
bool AnyNullable(const Arguments& arguments);

/// DATATYPE_MISMATCH.<sub_condition> with sqlExpr filled in.
Error Mismatch(std::string_view sub_condition, const std::string& sql, Error::Parameters parameters);
Error UnexpectedInput(const std::string& sql, size_t index, const std::string& required, const Expression& argument);
Error WrongArgumentCount(const std::string& name, const std::string& expected, size_t actual);
Error NonFoldable(const std::string& sql, const std::string& input_name, const std::string& input_type,
                  const Expression& input);
/// "first", "second", ...
std::string Ordinal(size_t index);
/// "\"INT\"", "\"a + 1\"": names in messages.
std::string QuotedType(const DataType& type);
std::string QuotedSql(const std::string& sql);

inline EvalMode ModeOf(const FunctionCall& call) { return call.settings->eval_mode(); }
inline bool IsAnsi(const FunctionCall& call) { return call.settings->ansi; }
ExpressionPtr CastTo(ExpressionPtr expression, const DataTypePtr& type, const FunctionCall& call);
ExpressionPtr IntLiteral(int value);
ExpressionPtr LongLiteral(int64_t value);
ExpressionPtr TextLiteral(std::string value);
ExpressionPtr BoolLiteral(bool value);
/// A literal whose text in SQL names is `sql`.
ExpressionPtr TextLiteral(std::string value, std::string sql);

ExpressionPtr MakeAggregate(std::string function, Arguments arguments, DataTypePtr type, bool nullable,
                            const FunctionCall& call, std::string sql, bool ignore_nulls = false);

/// Calls another function of the list with these arguments.
Result<ExpressionPtr> CallFunction(const FunctionCall& call, std::string_view name, Arguments arguments);

}  // namespace frazil::functions
