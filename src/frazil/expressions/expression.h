#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/base/origin.h"
#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil {

/// Names a column of a typed plan, uniquely within one query. The engine calls it "c<id>".
using AttributeId = uint64_t;

/// A column that a typed plan node puts out.
struct Attribute {
  AttributeId id = 0;
  std::string name;
  DataTypePtr type;
  bool nullable = true;
  /// Names in front of the column: {"t"} or {"spark_catalog", "default", "t"}; empty for computed columns.
  std::vector<std::string> qualifier;
  std::map<std::string, std::string> metadata;  ///< As StructField::metadata.
};

/// What happens on overflow, bad casts, division by zero and the like: NULL or wrap-around, an error, or always NULL.
enum class EvalMode : uint8_t { kLegacy, kAnsi, kTry };

enum class ExpressionKind : uint8_t {
  kLiteral,
  kColumn,
  kCall,
  kCast,
  kLambda,
  kLambdaVariable,
  kSubquery,
  kAggregate,
  kWindow,
};

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

/// A typed, resolved expression. Immutable. Every implicit conversion is an explicit Cast: nothing is left to the
/// engine's coercion.
struct Expression {
  explicit Expression(ExpressionKind expression_kind) : kind(expression_kind) {}
  virtual ~Expression() = default;

  const ExpressionKind kind;
  DataTypePtr type;
  bool nullable = true;
  /// The text Spark uses for it in automatic column names (`toPrettySQL`): "(a + 1)", "sum(a)". Implicit casts keep
  /// their child's text.
  std::string sql;
  /// Where the statement has it, for the query context of run-time errors. Null: as the expression around it (implicit
  /// casts, parts of what one function stands for).
  std::shared_ptr<const Origin> origin;

  template <typename T>
  const T& As() const {
    return static_cast<const T&>(*this);
  }
};

struct LiteralExpression : Expression {
  LiteralExpression() : Expression(ExpressionKind::kLiteral) {}
  Value value;
};

/// Reference to an Attribute of the input (or, in a correlated subquery, of an outer plan).
struct ColumnExpression : Expression {
  ColumnExpression() : Expression(ExpressionKind::kColumn) {}
  AttributeId id = 0;
  std::string name;
  bool is_outer = false;  ///< Belongs to the plan around this subquery.
};

/// A scalar function or operator applied to arguments whose types are already those that the function's implementation
/// takes.
struct CallExpression : Expression {
  CallExpression() : Expression(ExpressionKind::kCall) {}
  /// Canonical name of the implementation, as in functions/ and engine/functions/: "add", "equal", "and", "upper",
  /// "named_struct", "get_field", ...
  std::string function;
  std::vector<ExpressionPtr> arguments;
  EvalMode mode = EvalMode::kAnsi;
};

struct CastExpression : Expression {
  CastExpression() : Expression(ExpressionKind::kCast) {}
  ExpressionPtr child;
  EvalMode mode = EvalMode::kAnsi;
  bool user_specified = false;
};

/// x -> body; the variables are bound by id.
struct LambdaVariableExpression : Expression {
  LambdaVariableExpression() : Expression(ExpressionKind::kLambdaVariable) {}
  AttributeId id = 0;
  std::string name;
};
struct LambdaExpression : Expression {
  LambdaExpression() : Expression(ExpressionKind::kLambda) {}
  std::vector<std::shared_ptr<const LambdaVariableExpression>> parameters;
  ExpressionPtr body;
};

/// Base of plan::LogicalPlan, so that expressions can hold a plan without knowing it.
struct SubqueryPlan {
  virtual ~SubqueryPlan() = default;
};

enum class SubqueryKind : uint8_t { kScalar, kExists, kIn };

struct SubqueryExpression : Expression {
  SubqueryExpression() : Expression(ExpressionKind::kSubquery) {}
  SubqueryKind subquery_kind = SubqueryKind::kScalar;
  std::shared_ptr<const SubqueryPlan> plan;
  /// kIn: the values left of IN (one for each output column of the plan, types already equal).
  std::vector<ExpressionPtr> values;
  bool is_correlated = false;
};

struct SortKey {
  ExpressionPtr expression;
  bool ascending = true;
  bool nulls_first = true;
};

struct AggregateExpression : Expression {
  AggregateExpression() : Expression(ExpressionKind::kAggregate) {}
  std::string function;  ///< Canonical name: "sum", "count", "collect_list", ...; count(*) is count with no argument.
  std::vector<ExpressionPtr> arguments;
  bool distinct = false;
  bool ignore_nulls = false;      ///< first, last, any_value, collect_*: as the function's own meaning says.
  ExpressionPtr filter;           ///< FILTER (WHERE ...), or null.
  std::vector<SortKey> order_by;  ///< WITHIN GROUP (ORDER BY ...).
  EvalMode mode = EvalMode::kAnsi;
};

enum class FrameType : uint8_t { kRows, kRange };
enum class FrameBoundType : uint8_t {
  kUnboundedPreceding,
  kPreceding,
  kCurrentRow,
  kFollowing,
  kUnboundedFollowing,
};
struct FrameBound {
  FrameBoundType type = FrameBoundType::kCurrentRow;
  ExpressionPtr offset;  ///< kPreceding, kFollowing: non-negative constant (or negated by the analysis).
};
struct WindowFrame {
  FrameType type = FrameType::kRange;
  FrameBound start;
  FrameBound end;
};

struct WindowExpression : Expression {
  WindowExpression() : Expression(ExpressionKind::kWindow) {}
  /// Canonical name of a window function (row_number, lag, nth_value, ...) or of an aggregate.
  std::string function;
  bool is_aggregate = false;
  std::vector<ExpressionPtr> arguments;
  bool distinct = false;
  bool ignore_nulls = false;
  ExpressionPtr filter;
  std::vector<ExpressionPtr> partition_by;
  std::vector<SortKey> order_by;
  WindowFrame frame;
  EvalMode mode = EvalMode::kAnsi;
};

// --- making expressions
// -------------------------------------------------------------------------------------------------------------------------------

ExpressionPtr MakeLiteral(DataTypePtr type, Value value);
ExpressionPtr MakeNull(DataTypePtr type);
ExpressionPtr MakeColumn(const Attribute& attribute, bool is_outer = false);
/// `sql` empty: "function(arg, arg)".
ExpressionPtr MakeCall(std::string function, std::vector<ExpressionPtr> arguments, DataTypePtr type, bool nullable,
                       EvalMode mode = EvalMode::kAnsi, std::string sql = {});
/// The child itself where the type is the same already. An implicit cast keeps the child's `sql`.
ExpressionPtr MakeCast(ExpressionPtr child, DataTypePtr type, EvalMode mode, bool user_specified = false);
/// A copy that shows as `sql`.
ExpressionPtr WithSql(ExpressionPtr expression, std::string sql);

/// A copy that comes from this place of the statement.
ExpressionPtr WithOrigin(ExpressionPtr expression, std::shared_ptr<const Origin> origin);

/// Calls `visit` for the expression and everything below it (arguments, lambda bodies, window keys; not the plans of
/// subqueries), parents first. `visit` returns false to leave out what is below.
template <typename Visit>
void VisitExpression(const Expression& expression, Visit&& visit);

/// The direct children, in a fixed order (the one that WithChildren takes).
std::vector<ExpressionPtr> Children(const Expression& expression);
/// A copy with other children, same count.
ExpressionPtr WithChildren(const Expression& expression, std::vector<ExpressionPtr> children);

template <typename Visit>
void VisitExpression(const Expression& expression, Visit&& visit) {
  if (!visit(expression)) return;
  for (const auto& child : Children(expression)) VisitExpression(*child, visit);
}

}  // namespace frazil
