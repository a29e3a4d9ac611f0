#include "frazil/expressions/expression.h"

#include <cassert>

#include "frazil/types/cast_rules.h"

namespace frazil {
namespace {

void AppendSortKeys(const std::vector<SortKey>& keys, std::vector<ExpressionPtr>* children) {
  for (const auto& key : keys) children->push_back(key.expression);
}

// Takes children one after the other, in the order in which Children gives them.
class ChildReader {
 public:
  explicit ChildReader(std::vector<ExpressionPtr> children) : children_(std::move(children)) {}
  ~ChildReader() { assert(next_ == children_.size()); }

  // An absent (null) child stays absent.
  void ReadInto(ExpressionPtr* slot) {
    if (*slot == nullptr) return;
    assert(next_ < children_.size());
    *slot = std::move(children_[next_++]);
  }
  void ReadInto(std::vector<ExpressionPtr>* slots) {
    for (auto& slot : *slots) ReadInto(&slot);
  }
  void ReadInto(std::vector<SortKey>* keys) {
    for (auto& key : *keys) ReadInto(&key.expression);
  }

 private:
  std::vector<ExpressionPtr> children_;
  size_t next_ = 0;
};

void AppendIfPresent(const ExpressionPtr& child, std::vector<ExpressionPtr>* children) {
  if (child != nullptr) children->push_back(child);
}

// Copies `expression` as its own class and lets `change` edit the copy.
template <typename T, typename Change>
ExpressionPtr CopyAs(const Expression& expression, Change change) {
  auto copy = std::make_shared<T>(expression.As<T>());
  change(copy.get());
  return copy;
}

template <typename Change>
ExpressionPtr CopyExpression(const Expression& expression, Change change) {
  switch (expression.kind) {
    case ExpressionKind::kLiteral:
      return CopyAs<LiteralExpression>(expression, change);
    case ExpressionKind::kColumn:
      return CopyAs<ColumnExpression>(expression, change);
    case ExpressionKind::kCall:
      return CopyAs<CallExpression>(expression, change);
    case ExpressionKind::kCast:
      return CopyAs<CastExpression>(expression, change);
    case ExpressionKind::kLambda:
      return CopyAs<LambdaExpression>(expression, change);
    case ExpressionKind::kLambdaVariable:
      return CopyAs<LambdaVariableExpression>(expression, change);
    case ExpressionKind::kSubquery:
      return CopyAs<SubqueryExpression>(expression, change);
    case ExpressionKind::kAggregate:
      return CopyAs<AggregateExpression>(expression, change);
    case ExpressionKind::kWindow:
      return CopyAs<WindowExpression>(expression, change);
  }
  return nullptr;
}

// Edits one class of expression only; the overloads choose at compile time.
struct ReplaceChildren {
  ChildReader* children;

  void operator()(LiteralExpression*) const {}
  void operator()(ColumnExpression*) const {}
  void operator()(LambdaVariableExpression*) const {}
  void operator()(CallExpression* call) const { children->ReadInto(&call->arguments); }
  void operator()(CastExpression* cast) const { children->ReadInto(&cast->child); }
  void operator()(LambdaExpression* lambda) const { children->ReadInto(&lambda->body); }
  void operator()(SubqueryExpression* subquery) const { children->ReadInto(&subquery->values); }
  void operator()(AggregateExpression* aggregate) const {
    children->ReadInto(&aggregate->arguments);
    children->ReadInto(&aggregate->filter);
    children->ReadInto(&aggregate->order_by);
  }
  void operator()(WindowExpression* window) const {
    children->ReadInto(&window->arguments);
    children->ReadInto(&window->filter);
    children->ReadInto(&window->partition_by);
    children->ReadInto(&window->order_by);
    children->ReadInto(&window->frame.start.offset);
    children->ReadInto(&window->frame.end.offset);
  }
};

}  // namespace

ExpressionPtr MakeLiteral(DataTypePtr type, Value value) {
  auto literal = std::make_shared<LiteralExpression>();
  literal->nullable = value.is_null();
  literal->sql = LiteralSql(*type, value);
  literal->type = std::move(type);
  literal->value = std::move(value);
  return literal;
}

ExpressionPtr MakeNull(DataTypePtr type) { return MakeLiteral(std::move(type), Value()); }

ExpressionPtr MakeColumn(const Attribute& attribute, bool is_outer) {
  auto column = std::make_shared<ColumnExpression>();
  column->id = attribute.id;
  column->name = attribute.name;
  column->type = attribute.type;
  column->nullable = attribute.nullable;
  column->is_outer = is_outer;
  column->sql = is_outer ? "outer(" + attribute.name + ")" : attribute.name;
  return column;
}

ExpressionPtr MakeCall(std::string function, std::vector<ExpressionPtr> arguments, DataTypePtr type, bool nullable,
                       EvalMode mode, std::string sql) {
  auto call = std::make_shared<CallExpression>();
  if (sql.empty()) {
    sql = function + "(";
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) sql += ", ";
      sql += arguments[i]->sql;
    }
    sql += ")";
  }
  call->function = std::move(function);
  call->arguments = std::move(arguments);
  call->type = std::move(type);
  call->nullable = nullable;
  call->mode = mode;
  call->sql = std::move(sql);
  return call;
}

namespace {

// As Spark's schemas show it: a cast that may fail counts as nullable with ANSI too, where it is an error.
bool IsCastNullable(const Expression& child, const DataType& type, EvalMode mode) {
  if (child.nullable) return true;
  if (mode != EvalMode::kTry) return ForceNullable(*child.type, type);
  if (child.type->IsString() && type.id() == TypeId::kBinary) return false;
  if (child.type->id() == TypeId::kDecimal && type.IsIntegral()) return true;
  return !CanUpCast(*child.type, type);
}

}  // namespace

ExpressionPtr MakeCast(ExpressionPtr child, DataTypePtr type, EvalMode mode, bool user_specified) {
  if (!user_specified && child->type->Equals(*type)) return child;
  auto cast = std::make_shared<CastExpression>();
  cast->nullable = IsCastNullable(*child, *type, mode);
  // Casts to nested types are not shown, as in Spark.
  if (user_specified && !type->IsComplex()) {
    cast->sql = (mode == EvalMode::kTry ? "TRY_CAST(" : "CAST(") + child->sql + " AS " + type->Sql() + ")";
  } else {
    cast->sql = child->sql;
  }
  cast->child = std::move(child);
  cast->type = std::move(type);
  cast->mode = mode;
  cast->user_specified = user_specified;
  return cast;
}

ExpressionPtr WithSql(ExpressionPtr expression, std::string sql) {
  return CopyExpression(*expression, [&](Expression* copy) { copy->sql = std::move(sql); });
}

ExpressionPtr WithOrigin(ExpressionPtr expression, std::shared_ptr<const Origin> origin) {
  return CopyExpression(*expression, [&](Expression* copy) { copy->origin = std::move(origin); });
}

std::vector<ExpressionPtr> Children(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kLiteral:
    case ExpressionKind::kColumn:
    case ExpressionKind::kLambdaVariable:
      return {};
    case ExpressionKind::kCall:
      return expression.As<CallExpression>().arguments;
    case ExpressionKind::kCast:
      return {expression.As<CastExpression>().child};
    case ExpressionKind::kLambda:
      return {expression.As<LambdaExpression>().body};
    case ExpressionKind::kSubquery:
      return expression.As<SubqueryExpression>().values;
    case ExpressionKind::kAggregate: {
      const auto& aggregate = expression.As<AggregateExpression>();
      auto children = aggregate.arguments;
      AppendIfPresent(aggregate.filter, &children);
      AppendSortKeys(aggregate.order_by, &children);
      return children;
    }
    case ExpressionKind::kWindow: {
      const auto& window = expression.As<WindowExpression>();
      auto children = window.arguments;
      AppendIfPresent(window.filter, &children);
      children.insert(children.end(), window.partition_by.begin(), window.partition_by.end());
      AppendSortKeys(window.order_by, &children);
      AppendIfPresent(window.frame.start.offset, &children);
      AppendIfPresent(window.frame.end.offset, &children);
      return children;
    }
  }
  return {};
}

ExpressionPtr WithChildren(const Expression& expression, std::vector<ExpressionPtr> children) {
  ChildReader reader(std::move(children));
  return CopyExpression(expression, ReplaceChildren{&reader});
}

}  // namespace frazil
