#pragma once

// Expressions as SQL text and DataFrame requests state them: names are not looked up, types not known. SQL (sql/) and
// Spark Connect (connect/) both make these.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/base/origin.h"
#include "frazil/expressions/expression.h"
#include "frazil/plan/type_fwd.h"
#include "frazil/types/data_type.h"
#include "frazil/types/value.h"

namespace frazil::plan {

using frazil::Origin;

enum class ExprKind : uint8_t {
  kLiteral,
  kAttribute,
  kStar,
  kRegexColumn,
  kFunction,
  kCast,
  kAlias,
  kSortOrder,
  kWindow,
  kLambda,
  kLambdaVariable,
  kExtractValue,
  kUpdateField,
  kSubquery,
  kParameter,
  kIdentifierClause,
  kNamedArgument,
  kSqlText,
  kMergeAction,
  kPythonFunction,
  kTableArgument,
  kDefault,
};

struct Expr {
  explicit Expr(ExprKind expr_kind) : kind(expr_kind) {}
  virtual ~Expr() = default;
  const ExprKind kind;
  Origin origin;
  template <typename T>
  const T& As() const {
    return static_cast<const T&>(*this);
  }
};

struct LiteralExpr : Expr {
  LiteralExpr() : Expr(ExprKind::kLiteral) {}
  DataTypePtr type;
  Value value;
};

/// a, t.a, cat.db.t.a.field; each part without back quotes. current_date, current_time, current_timestamp,
/// current_user, user, session_user and their like without parentheses come as attributes too, as in Spark: they are
/// the functions where no column has the name.
struct AttributeExpr : Expr {
  AttributeExpr() : Expr(ExprKind::kAttribute) {}
  std::vector<std::string> name;
  std::optional<int64_t> plan_id;  ///< DataFrame: the plan that the column was taken from (df["a"]).
  bool is_metadata_column = false;
};

/// *, t.*, * EXCEPT (a, b.c).
struct StarExpr : Expr {
  StarExpr() : Expr(ExprKind::kStar) {}
  std::vector<std::string> target;
  std::vector<std::vector<std::string>> except;
  std::optional<int64_t> plan_id;
};

/// df.colRegex; in SQL a back-quoted name where spark.sql.parser.quotedRegexColumnNames is set.
struct RegexColumnExpr : Expr {
  RegexColumnExpr() : Expr(ExprKind::kRegexColumn) {}
  std::string pattern;
  std::optional<int64_t> plan_id;
};

/// A function call or an operator. Operators carry the names that Spark Connect uses: + - * / % div | & ^ ~ and or not
/// (also "!") == = <=> < <= > >= != in like ilike rlike between isnull isnotnull when (c1, v1, c2, v2, ..., [else])
/// positive negative || (concat) and, in SQL only, "like_all" "like_any" "not_like_all" "not_like_any" (and ilike_...),
/// "is_true" "is_false" "is_unknown" (with "not" around), "is_distinct_from". NOT IN / NOT LIKE / NOT BETWEEN are "not"
/// around the operator. Keyword syntax gives: shiftleft, shiftright, shiftrightunsigned (<< >> >>>), struct (row
/// constructors too), collate(a, 'name'), position(part, whole), extract('field', source), substring, overlay, trim /
/// ltrim / rtrim ([trimmed,] source), timestampadd / timestampdiff('UNIT', ...).
struct FunctionExpr : Expr {
  FunctionExpr() : Expr(ExprKind::kFunction) {}
  std::vector<std::string> name;
  std::vector<ExprPtr> arguments;  ///< count(*) has a StarExpr.
  bool is_distinct = false;
  bool is_internal = false;  ///< DataFrame API's private functions.
  bool is_operator =
      false;       ///< Written as an operator, keyword syntax included (user-defined functions cannot take its place).
  ExprPtr filter;  ///< FILTER (WHERE ...)
  std::vector<ExprPtr> within_group;  ///< SortOrderExpr of WITHIN GROUP.
  std::optional<bool> ignore_nulls;   ///< IGNORE NULLS / RESPECT NULLS where written.
};

struct CastExpr : Expr {
  CastExpr() : Expr(ExprKind::kCast) {}
  ExprPtr child;
  DataTypePtr type;              ///< Or null where type_text is given.
  std::string type_text;         ///< DDL text from the DataFrame API.
  std::optional<EvalMode> mode;  ///< Absent: as the session says.
};

struct AliasExpr : Expr {
  AliasExpr() : Expr(ExprKind::kAlias) {}
  ExprPtr child;
  std::vector<std::string> names;       ///< Several for generators.
  std::optional<std::string> metadata;  ///< JSON text.
};

struct SortOrderExpr : Expr {
  SortOrderExpr() : Expr(ExprKind::kSortOrder) {}
  ExprPtr child;
  bool ascending = true;
  std::optional<bool> nulls_first;  ///< Absent: first for ascending, last for descending.
};

struct UnresolvedFrameBound {
  FrameBoundType type = FrameBoundType::kCurrentRow;
  ExprPtr offset;  ///< kPreceding, kFollowing. DataFrame bounds come as kFollowing with a signed literal.
};
struct UnresolvedFrame {
  FrameType type = FrameType::kRange;
  UnresolvedFrameBound start;
  UnresolvedFrameBound end;
};
struct WindowSpecification {
  std::string reference;  ///< OVER (w ...) or OVER w.
  std::vector<ExprPtr> partition_by;
  std::vector<ExprPtr> order_by;  ///< SortOrderExpr.
  std::optional<UnresolvedFrame> frame;
};
struct WindowExpr : Expr {
  WindowExpr() : Expr(ExprKind::kWindow) {}
  ExprPtr function;
  WindowSpecification window;
};

struct LambdaExpr : Expr {
  LambdaExpr() : Expr(ExprKind::kLambda) {}
  std::vector<std::string> parameters;
  ExprPtr body;
};
/// A variable named by the DataFrame API (x_0, ...); in SQL a lambda's variable is an AttributeExpr like any name.
struct LambdaVariableExpr : Expr {
  LambdaVariableExpr() : Expr(ExprKind::kLambdaVariable) {}
  std::vector<std::string> name;
};

/// child[extraction], child.field (extraction is then a string literal).
struct ExtractValueExpr : Expr {
  ExtractValueExpr() : Expr(ExprKind::kExtractValue) {}
  ExprPtr child;
  ExprPtr extraction;
  bool is_variant_path = false;  ///< child:a.b[0] (extraction is a string literal with the path).
};

/// Column.withField / dropFields.
struct UpdateFieldExpr : Expr {
  UpdateFieldExpr() : Expr(ExprKind::kUpdateField) {}
  ExprPtr child;
  std::string field;  ///< May be a path with dots.
  ExprPtr value;      ///< Null: the field is dropped.
};

struct SubqueryExpr : Expr {
  SubqueryExpr() : Expr(ExprKind::kSubquery) {}
  SubqueryKind subquery_kind = SubqueryKind::kScalar;
  PlanPtr plan;  ///< Or null, with plan_id set (DataFrame: WithRelations names the plan).
  std::optional<int64_t> plan_id;
  std::vector<ExprPtr> values;  ///< kIn.
};

/// :name or ?.
struct ParameterExpr : Expr {
  ParameterExpr() : Expr(ExprKind::kParameter) {}
  std::string name;   ///< Empty for a positional one.
  int position = -1;  ///< Offset in the text of a positional one; they are numbered by rising offset.
};

/// IDENTIFIER(text) [ (arguments) ]: a constant string that becomes the name of a column or, with is_function, of a
/// function.
struct IdentifierClauseExpr : Expr {
  IdentifierClauseExpr() : Expr(ExprKind::kIdentifierClause) {}
  ExprPtr text;
  std::shared_ptr<const FunctionExpr> function;  ///< The call whose name the text gives; null for a column.
};

struct NamedArgumentExpr : Expr {
  NamedArgumentExpr() : Expr(ExprKind::kNamedArgument) {}
  std::string name;
  ExprPtr value;
};

/// F.expr("..."), selectExpr: SQL text to be parsed by the analysis.
struct SqlTextExpr : Expr {
  SqlTextExpr() : Expr(ExprKind::kSqlText) {}
  std::string text;
};

enum class MergeActionType : uint8_t { kDelete, kInsert, kInsertStar, kUpdate, kUpdateStar };
struct Assignment {
  ExprPtr column;
  ExprPtr value;
};
/// One WHEN clause of MERGE.
struct MergeActionExpr : Expr {
  MergeActionExpr() : Expr(ExprKind::kMergeAction) {}
  MergeActionType type = MergeActionType::kDelete;
  ExprPtr condition;  ///< Or null.
  std::vector<Assignment> assignments;
};

/// A Python (or other foreign) function sent by the client.
struct PythonFunctionExpr : Expr {
  PythonFunctionExpr() : Expr(ExprKind::kPythonFunction) {}
  std::string name;
  std::vector<ExprPtr> arguments;
  DataTypePtr output_type;
  std::string output_type_text;
  int eval_type = 0;
  std::string command;  ///< Pickled function.
  std::string python_version;
  bool deterministic = true;
  bool is_distinct = false;
};

/// TABLE(...) argument of a table function.
struct TableArgumentExpr : Expr {
  TableArgumentExpr() : Expr(ExprKind::kTableArgument) {}
  PlanPtr plan;
  std::vector<ExprPtr> partition_by;
  std::vector<ExprPtr> order_by;
  bool with_single_partition = false;
};

/// DEFAULT in INSERT values and UPDATE assignments.
struct DefaultExpr : Expr {
  DefaultExpr() : Expr(ExprKind::kDefault) {}
};

// --- making expressions
// -------------------------------------------------------------------------------------------------------------------------------

ExprPtr MakeLiteralExpr(DataTypePtr type, Value value, Origin origin = {});
ExprPtr MakeAttributeExpr(std::vector<std::string> name, Origin origin = {});
ExprPtr MakeFunctionExpr(std::string name, std::vector<ExprPtr> arguments, Origin origin = {},
                         bool is_operator = false);
ExprPtr MakeAliasExpr(ExprPtr child, std::string name, Origin origin = {});

}  // namespace frazil::plan
