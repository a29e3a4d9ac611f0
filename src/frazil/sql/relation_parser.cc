// FROM: tables, joins, subqueries, table functions, VALUES, samples, time travel, LATERAL VIEW, PIVOT, UNPIVOT.

#include <cstdlib>

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"
#include "frazil/types/float_text.h"

namespace frazil::sql {
namespace {

bool IsLateralTarget(const plan::Plan& relation) {
  const plan::Plan* inner = &relation;
  while (inner->kind == plan::PlanKind::kSubqueryAlias) inner = inner->As<plan::SubqueryAliasPlan>().child.get();
  return inner->kind != plan::PlanKind::kNamedTable;
}

}  // namespace

Result<plan::PlanPtr> Parser::FromClause() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFrom));
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr from, Relation(nullptr));
  while (Accept(TokenType::kComma)) {
    FRAZIL_ASSIGN_OR_RETURN(from, Relation(std::move(from)));
  }
  FRAZIL_ASSIGN_OR_RETURN(from, LateralViews(std::move(from), first));
  if (AtPivot()) {
    FRAZIL_ASSIGN_OR_RETURN(from, Pivot(std::move(from), first));
    if (AtUnpivot()) return ErrorFrom(first, "NOT_ALLOWED_IN_FROM.UNPIVOT_WITH_PIVOT");
  } else if (AtUnpivot()) {
    FRAZIL_ASSIGN_OR_RETURN(from, Unpivot(std::move(from), first));
  }
  return from;
}

/// One item of the FROM list. With `left`, it is joined to what stands before it.
Result<plan::PlanPtr> Parser::Relation(plan::PlanPtr left) {
  FRAZIL_RETURN_IF_ERROR(CheckDepth());
  const size_t first = pos_;
  const bool lateral = At(Keyword::kLateral) && !At(Keyword::kView, 1);
  if (lateral) Skip();
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr relation, RelationPrimary());
  if (lateral && !IsLateralTarget(*relation)) {
    return ErrorFrom(first, "INVALID_SQL_SYNTAX.LATERAL_WITHOUT_SUBQUERY_OR_TABLE_VALUED_FUNC");
  }
  if (lateral && left == nullptr) left = std::make_shared<plan::OneRowPlan>();
  if (left != nullptr && lateral) {
    auto join = Make<plan::JoinPlan>(first);
    join->left = std::move(left);
    join->right = std::move(relation);
    join->is_lateral = true;
    return RelationExtensions(std::move(join), first);
  }
  FRAZIL_ASSIGN_OR_RETURN(relation, RelationExtensions(std::move(relation), first));
  if (left == nullptr) return relation;
  auto join = Make<plan::JoinPlan>(first);
  join->left = std::move(left);
  join->right = std::move(relation);
  return plan::PlanPtr(std::move(join));
}

Result<plan::PlanPtr> Parser::RelationExtensions(plan::PlanPtr left, size_t first) {
  while (true) {
    if (AtJoin()) {
      FRAZIL_ASSIGN_OR_RETURN(left, Join(std::move(left), first));
    } else if (AtPivot()) {
      FRAZIL_ASSIGN_OR_RETURN(left, Pivot(std::move(left), first));
    } else if (AtUnpivot()) {
      FRAZIL_ASSIGN_OR_RETURN(left, Unpivot(std::move(left), first));
    } else {
      return left;
    }
  }
}

bool Parser::AtJoin() const {
  switch (Peek().keyword) {
    case Keyword::kJoin:
    case Keyword::kCross:
    case Keyword::kInner:
    case Keyword::kSemi:
    case Keyword::kAnti:
    case Keyword::kLeft:
    case Keyword::kRight:
    case Keyword::kFull:
    case Keyword::kNatural:
      return AtClauseStart();
    default:
      return false;
  }
}

Result<plan::PlanPtr> Parser::Join(plan::PlanPtr left, size_t first) {
  const size_t join_first = pos_;
  const bool natural = Accept(Keyword::kNatural);
  plan::JoinType type = plan::JoinType::kInner;
  std::string shown = "INNER";
  if (Accept(Keyword::kInner)) {
  } else if (Accept(Keyword::kCross)) {
    type = plan::JoinType::kCross;
    shown = "CROSS";
  } else if (Accept(Keyword::kRight)) {
    Accept(Keyword::kOuter);
    type = plan::JoinType::kRightOuter;
    shown = "RIGHT OUTER";
  } else if (Accept(Keyword::kFull)) {
    Accept(Keyword::kOuter);
    type = plan::JoinType::kFullOuter;
    shown = "FULL OUTER";
  } else {
    const bool has_left = Accept(Keyword::kLeft);
    if (Accept(Keyword::kSemi)) {
      type = plan::JoinType::kLeftSemi;
      shown = "LEFT SEMI";
    } else if (Accept(Keyword::kAnti)) {
      type = plan::JoinType::kLeftAnti;
      shown = "LEFT ANTI";
    } else if (has_left) {
      Accept(Keyword::kOuter);
      type = plan::JoinType::kLeftOuter;
      shown = "LEFT OUTER";
    }
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kJoin));
  const bool lateral = At(Keyword::kLateral) && !At(Keyword::kView, 1);
  if (lateral) Skip();
  const size_t right_first = pos_;
  FRAZIL_ASSIGN_OR_RETURN(plan::PlanPtr right, RelationPrimary());
  if (lateral && !IsLateralTarget(*right)) {
    return ErrorFrom(right_first, "INVALID_SQL_SYNTAX.LATERAL_WITHOUT_SUBQUERY_OR_TABLE_VALUED_FUNC");
  }
  plan::ExprPtr condition;
  Names using_columns;
  if (!natural) {
    if (At(Keyword::kUsing) && At(TokenType::kLeftParen, 1)) {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(using_columns, IdentifierList());
      if (lateral) return ErrorFrom(join_first, "UNSUPPORTED_FEATURE.LATERAL_JOIN_USING");
    } else if (Accept(Keyword::kOn)) {
      FRAZIL_ASSIGN_OR_RETURN(condition, Expression());
    }
  }
  if (natural && lateral) {
    return ErrorFrom(join_first, "INCOMPATIBLE_JOIN_TYPES", {{"joinType1", "LATERAL"}, {"joinType2", "NATURAL"}});
  }
  if (natural && type == plan::JoinType::kCross) {
    return ErrorFrom(join_first, "INCOMPATIBLE_JOIN_TYPES", {{"joinType1", "NATURAL"}, {"joinType2", "CROSS"}});
  }
  if (lateral && type != plan::JoinType::kInner && type != plan::JoinType::kCross &&
      type != plan::JoinType::kLeftOuter) {
    return ErrorFrom(join_first, "INVALID_LATERAL_JOIN_TYPE", {{"joinType", shown}});
  }
  auto join = Make<plan::JoinPlan>(first);
  join->left = std::move(left);
  join->right = std::move(right);
  join->type = type;
  join->condition = std::move(condition);
  join->using_columns = std::move(using_columns);
  join->is_natural = natural;
  join->is_lateral = lateral;
  return plan::PlanPtr(std::move(join));
}

Result<Parser::TableAlias> Parser::OptionalTableAlias() {
  TableAlias alias;
  // "AS (a, b)" names the relation "AS".
  if (At(Keyword::kAs) && !At(TokenType::kLeftParen, 1)) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(alias.name, StrictIdentifier());
  } else if (IsStrictIdentifier() && !AtClauseStart()) {
    FRAZIL_ASSIGN_OR_RETURN(alias.name, StrictIdentifier());
  } else {
    return alias;
  }
  alias.present = true;
  if (At(TokenType::kLeftParen) && !AtParenthesizedQuery()) {
    FRAZIL_ASSIGN_OR_RETURN(alias.columns, IdentifierList());
  }
  return alias;
}

plan::PlanPtr Parser::WithAlias(plan::PlanPtr child, TableAlias alias, size_t first) const {
  if (!alias.present) return child;
  auto node = Make<plan::SubqueryAliasPlan>(first);
  node->child = std::move(child);
  node->alias = std::move(alias.name);
  node->column_aliases = std::move(alias.columns);
  return node;
}

Result<plan::PlanPtr> Parser::RelationPrimary() {
  const size_t first = pos_;
  if (At(TokenType::kLeftParen)) {
    const bool is_query = AtParenthesizedQuery();
    Skip();
    plan::PlanPtr inner;
    if (is_query) {
      FRAZIL_ASSIGN_OR_RETURN(inner, Query());
    } else {
      FRAZIL_ASSIGN_OR_RETURN(inner, Relation(nullptr));
    }
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    if (At(Keyword::kTablesample)) {
      FRAZIL_ASSIGN_OR_RETURN(inner, Sample(std::move(inner), first));
    }
    if (At(Keyword::kWatermark) && AtClauseStart()) return Error::Unsupported("WATERMARK (streaming)");
    FRAZIL_ASSIGN_OR_RETURN(TableAlias alias, OptionalTableAlias());
    // A subquery hides the names inside even where it has none itself.
    if (is_query) alias.present = true;
    return WithAlias(std::move(inner), std::move(alias), first);
  }
  if (At(Keyword::kValues) && AtQueryStart()) return InlineTable();
  if (At(Keyword::kStream) && IsIdentifier(1) && !AtClauseStart(1) && !At(Keyword::kAs, 1))
    return Error::Unsupported("STREAM (streaming tables)");
  return TableName();
}

Result<plan::PlanPtr> Parser::TableName() {
  const size_t first = pos_;
  plan::NameClause name;
  const bool is_function = AtAny({Keyword::kFilter, Keyword::kLeft, Keyword::kRight}) && At(TokenType::kLeftParen, 1);
  if (is_function) {
    name.parts = {std::string(Peek().text)};
    Skip();
  } else {
    FRAZIL_ASSIGN_OR_RETURN(name, NameReference());
  }
  if (At(TokenType::kLeftParen)) return TableFunction(first, std::move(name));
  auto table = Make<plan::NamedTablePlan>(first);
  table->name = std::move(name.parts);
  table->identifier = std::move(name.identifier);
  FRAZIL_ASSIGN_OR_RETURN(table->time_travel, TemporalClause());
  FRAZIL_ASSIGN_OR_RETURN(table->options, OptionsClause());
  table->origin = OriginFrom(first);
  const size_t sample = pos_;
  const bool has_sample = At(Keyword::kTablesample) && At(TokenType::kLeftParen, 1);
  if (has_sample) {
    // The alias belongs to the table, the sample stands around both.
    Skip(2);
    const int match = tokens_[sample + 1].match;
    if (match < 0) return SyntaxErrorAt(tokens_.size() - 1);
    pos_ = static_cast<size_t>(match) + 1;
    if (At(Keyword::kRepeatable) && At(TokenType::kLeftParen, 1)) {
      const int end = Peek(1).match;
      if (end < 0) return SyntaxErrorAt(tokens_.size() - 1);
      pos_ = static_cast<size_t>(end) + 1;
    }
  }
  if (At(Keyword::kWatermark) && AtClauseStart()) return Error::Unsupported("WATERMARK (streaming)");
  FRAZIL_ASSIGN_OR_RETURN(TableAlias alias, OptionalTableAlias());
  plan::PlanPtr relation = WithAlias(std::move(table), std::move(alias), first);
  if (!has_sample) return relation;
  const size_t end = pos_;
  pos_ = sample;
  FRAZIL_ASSIGN_OR_RETURN(relation, Sample(std::move(relation), first));
  pos_ = end;
  return relation;
}

Result<plan::Options> Parser::OptionsClause() {
  plan::Options options;
  if (!At(Keyword::kWith) || !At(TokenType::kLeftParen, 1)) return options;
  Skip();
  FRAZIL_ASSIGN_OR_RETURN(const plan::Properties properties, PropertyList());
  for (const auto& [key, value] : properties) options[key] = value;
  return options;
}

Result<std::optional<plan::TimeTravel>> Parser::TemporalClause() {
  const size_t at = At(Keyword::kFor) ? 1 : 0;
  const bool version = AtAny({Keyword::kVersion, Keyword::kSystemVersion}, at);
  const bool timestamp = AtAny({Keyword::kTimestamp, Keyword::kSystemTime}, at);
  if ((!version && !timestamp) || !AtWords({Keyword::kAs, Keyword::kOf}, at + 1))
    return std::optional<plan::TimeTravel>();
  Skip(at + 3);
  plan::TimeTravel travel;
  if (timestamp) {
    FRAZIL_ASSIGN_OR_RETURN(travel.timestamp, ValueExpression());
  } else if (At(TokenType::kInteger)) {
    travel.version = std::string(Peek().text);
    Skip();
  } else {
    FRAZIL_ASSIGN_OR_RETURN(travel.version, StringLiteral());
  }
  return std::optional<plan::TimeTravel>(std::move(travel));
}

Result<plan::PlanPtr> Parser::TableFunction(size_t first, plan::NameClause name) {
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  Expressions arguments;
  if (!At(TokenType::kRightParen)) {
    do {
      FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr argument, TableFunctionArgument());
      arguments.push_back(std::move(argument));
    } while (Accept(TokenType::kComma));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  auto function = Make<plan::TableFunctionPlan>(first);
  function->name = std::move(name.parts);
  function->identifier = std::move(name.identifier);
  function->arguments = std::move(arguments);
  if (At(Keyword::kWatermark) && AtClauseStart()) return Error::Unsupported("WATERMARK (streaming)");
  FRAZIL_ASSIGN_OR_RETURN(TableAlias alias, OptionalTableAlias());
  return WithAlias(std::move(function), std::move(alias), first);
}

Result<plan::ExprPtr> Parser::TableFunctionArgument() {
  const size_t first = pos_;
  const auto at_table = [&](size_t offset) {
    return At(Keyword::kTable, offset) && (At(TokenType::kLeftParen, offset + 1) || IsIdentifier(offset + 1));
  };
  if (at_table(0)) return TableArgument(first);
  if (IsIdentifier() && At(TokenType::kFatArrow, 1) && at_table(2)) {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, TakeIdentifier());
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr table, TableArgument(pos_));
    auto node = Make<plan::NamedArgumentExpr>(first);
    node->name = std::move(name);
    node->value = std::move(table);
    return plan::ExprPtr(std::move(node));
  }
  return FunctionArgument();
}

Result<plan::ExprPtr> Parser::TableArgument(size_t first) {
  Skip();
  const size_t name_first = pos_;
  const auto named = [&]() -> Result<plan::PlanPtr> {
    FRAZIL_ASSIGN_OR_RETURN(plan::NameClause name, NameReference());
    auto table = Make<plan::NamedTablePlan>(name_first);
    table->name = std::move(name.parts);
    table->identifier = std::move(name.identifier);
    return plan::PlanPtr(std::move(table));
  };
  plan::PlanPtr input;
  if (At(TokenType::kLeftParen)) {
    const bool is_query = AtParenthesizedQuery() || AtQueryStart(1);
    Skip();
    if (is_query) {
      FRAZIL_ASSIGN_OR_RETURN(input, Query());
    } else {
      FRAZIL_ASSIGN_OR_RETURN(input, named());
    }
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(input, named());
  }
  auto node = std::make_shared<plan::TableArgumentExpr>();
  node->plan = std::move(input);
  if (AcceptWords({Keyword::kWith, Keyword::kSingle, Keyword::kPartition})) {
    node->with_single_partition = true;
  } else if (AcceptWords({Keyword::kPartition, Keyword::kBy}) || AcceptWords({Keyword::kDistribute, Keyword::kBy})) {
    const int match = At(TokenType::kLeftParen) && !AtParenthesizedQuery() ? Peek().match : -1;
    const bool in_parens = match >= 0 && CountTopLevelCommas(0) > 0;
    if (in_parens) {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(node->partition_by, ExpressionList());
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    } else {
      // Without parentheses the comma already separates arguments.
      FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr expression, Expression());
      node->partition_by.push_back(std::move(expression));
    }
  }
  if (AcceptWords({Keyword::kOrder, Keyword::kBy}) || AcceptWords({Keyword::kSort, Keyword::kBy})) {
    if (At(TokenType::kLeftParen) && !AtParenthesizedQuery()) {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(node->order_by, SortItems());
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr item, SortItem());
      node->order_by.push_back(std::move(item));
    }
  }
  node->origin = OriginFrom(first);
  return plan::ExprPtr(std::move(node));
}

Result<plan::PlanPtr> Parser::InlineTable() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kValues));
  std::vector<Expressions> rows;
  do {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr row, Expression());
    // (a, b) and struct(a, b) are the same.
    const auto* call = row->kind == plan::ExprKind::kFunction ? &row->As<plan::FunctionExpr>() : nullptr;
    if (call != nullptr && call->name.size() == 1 && EqualsIgnoreCase(call->name[0], "struct")) {
      rows.push_back(row->As<plan::FunctionExpr>().arguments);
    } else {
      rows.push_back({std::move(row)});
    }
  } while (Accept(TokenType::kComma));
  auto table = Make<plan::InlineTablePlan>(first);
  table->rows = std::move(rows);
  FRAZIL_ASSIGN_OR_RETURN(TableAlias alias, OptionalTableAlias());
  return WithAlias(std::move(table), std::move(alias), first);
}

Result<plan::PlanPtr> Parser::Sample(plan::PlanPtr child, size_t first) {
  const size_t sample_first = pos_;
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kTablesample));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  auto sample = std::make_shared<plan::SamplePlan>();
  if (At(TokenType::kRightParen)) return ErrorFrom(sample_first, "_LEGACY_ERROR_TEMP_0014");
  const auto fraction = [&](double value) -> Status {
    constexpr double kEpsilon = 1e-6;
    if (value < 0.0 - kEpsilon || value > 1.0 + kEpsilon) {
      return ErrorFrom(sample_first, "_LEGACY_ERROR_TEMP_0064",
                       {{"msg", "Sampling fraction (" + DoubleToString(value) + ") must be on interval [0, 1]"}});
    }
    sample->upper_bound = value;
    return Status::Ok();
  };
  const size_t number = At(TokenType::kMinus) ? 1 : 0;
  if ((At(TokenType::kInteger, number) || At(TokenType::kDecimal, number)) && At(Keyword::kPercent, number + 1)) {
    constexpr double kPercent = 100.0;
    const double percent = std::strtod(std::string(Peek(number).text).c_str(), nullptr);
    Skip(number + 2);
    FRAZIL_RETURN_IF_ERROR(fraction((number == 1 ? -percent : percent) / kPercent));
  } else if (At(Keyword::kBucket) && (At(TokenType::kInteger, 1) || AtParameter(1))) {
    Skip();
    FRAZIL_ASSIGN_OR_RETURN(const int64_t numerator, IntegerValue());
    FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kOut, Keyword::kOf}));
    FRAZIL_ASSIGN_OR_RETURN(const int64_t denominator, IntegerValue());
    if (Accept(Keyword::kOn)) {
      FRAZIL_ASSIGN_OR_RETURN(const Names column, MultipartIdentifier());
      const bool is_call = At(TokenType::kLeftParen);
      return NotAllowed(sample_first, is_call ? "TABLESAMPLE(BUCKET x OUT OF y ON function)"
                                              : "TABLESAMPLE(BUCKET x OUT OF y ON colname)");
    }
    sample->unit = plan::SamplePlan::Unit::kBuckets;
    FRAZIL_RETURN_IF_ERROR(fraction(static_cast<double>(numerator) / static_cast<double>(denominator)));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr count, Expression());
    if (!Accept(Keyword::kRows)) {
      const std::string bytes = SourceFrom(sample_first + 2);
      if (count->kind == plan::ExprKind::kAttribute && !bytes.empty() && AsciiUpper(bytes).back() >= 'A') {
        return ErrorFrom(sample_first, "_LEGACY_ERROR_TEMP_0015", {{"msg", "byteLengthLiteral"}});
      }
      return ErrorFrom(sample_first, "_LEGACY_ERROR_TEMP_0016", {{"bytesStr", bytes}});
    }
    sample->unit = plan::SamplePlan::Unit::kRows;
    const bool is_count = count->kind == plan::ExprKind::kLiteral && count->As<plan::LiteralExpr>().type->IsIntegral();
    if (is_count) {
      sample->rows = count->As<plan::LiteralExpr>().value.integer();
    } else {
      sample->rows_expression = std::move(count);
    }
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  if (Accept(Keyword::kRepeatable)) {
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
    FRAZIL_ASSIGN_OR_RETURN(const int64_t seed, IntegerValue());
    sample->seed = seed;
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  }
  sample->child = std::move(child);
  sample->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(sample));
}

Result<plan::PlanPtr> Parser::LateralViews(plan::PlanPtr child, size_t first) {
  while (AtWords({Keyword::kLateral, Keyword::kView})) {
    Skip(2);
    auto view = std::make_shared<plan::LateralViewPlan>();
    if (At(Keyword::kOuter) && !At(TokenType::kLeftParen, 1)) {
      view->outer = true;
      Skip();
    }
    const size_t call = pos_;
    FRAZIL_ASSIGN_OR_RETURN(Names name, MultipartIdentifier());
    FRAZIL_ASSIGN_OR_RETURN(view->generator, FunctionCall(call, std::move(name)));
    FRAZIL_ASSIGN_OR_RETURN(view->alias, Identifier());
    const bool has_columns = Accept(Keyword::kAs) || (IsIdentifier() && !AtClauseStart());
    if (has_columns) {
      FRAZIL_ASSIGN_OR_RETURN(view->column_aliases, IdentifierSequence());
    }
    view->child = std::move(child);
    view->origin = OriginFrom(first);
    child = std::move(view);
  }
  return child;
}

bool Parser::AtPivot() const { return At(Keyword::kPivot) && AtClauseStart(); }
bool Parser::AtUnpivot() const { return At(Keyword::kUnpivot) && AtClauseStart(); }

Result<plan::PlanPtr> Parser::Pivot(plan::PlanPtr child, size_t first) {
  Skip();
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  auto pivot = std::make_shared<plan::PivotPlan>();
  FRAZIL_ASSIGN_OR_RETURN(pivot->aggregates, NamedExpressionList());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFor));
  const auto column = [&]() -> Status {
    const size_t name_first = pos_;
    FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
    pivot->columns.push_back(plan::MakeAttributeExpr({std::move(name)}, OriginFrom(name_first)));
    return Status::Ok();
  };
  if (Accept(TokenType::kLeftParen)) {
    do {
      FRAZIL_RETURN_IF_ERROR(column());
    } while (Accept(TokenType::kComma));
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  } else {
    FRAZIL_RETURN_IF_ERROR(column());
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kIn));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  do {
    const size_t value_first = pos_;
    FRAZIL_ASSIGN_OR_RETURN(plan::ExprPtr value, Expression());
    const bool has_alias = Accept(Keyword::kAs) || IsIdentifier();
    if (has_alias) {
      FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
      value = plan::MakeAliasExpr(std::move(value), std::move(name), OriginFrom(value_first));
    }
    pivot->values.push_back(std::move(value));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  pivot->child = std::move(child);
  pivot->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(pivot));
}

Result<plan::PlanPtr> Parser::Unpivot(plan::PlanPtr child, size_t first) {
  Skip();
  auto unpivot = std::make_shared<plan::UnpivotPlan>();
  if (AtAny({Keyword::kInclude, Keyword::kExclude})) {
    unpivot->include_nulls = At(Keyword::kInclude);
    Skip();
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kNulls));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  const bool multiple = At(TokenType::kLeftParen);
  if (multiple) {
    FRAZIL_ASSIGN_OR_RETURN(unpivot->value_columns, IdentifierList());
  } else {
    FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
    unpivot->value_columns.push_back(std::move(name));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kFor));
  FRAZIL_ASSIGN_OR_RETURN(unpivot->variable_column, Identifier());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kIn));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  std::vector<Expressions> groups;
  do {
    if (multiple) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
    Expressions group;
    do {
      const size_t name_first = pos_;
      FRAZIL_ASSIGN_OR_RETURN(Names name, MultipartIdentifier());
      group.push_back(plan::MakeAttributeExpr(std::move(name), OriginFrom(name_first)));
    } while (multiple && Accept(TokenType::kComma));
    if (multiple) FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
    groups.push_back(std::move(group));
    std::optional<std::string> alias;
    const bool has_alias = Accept(Keyword::kAs) || IsIdentifier();
    if (has_alias) {
      FRAZIL_ASSIGN_OR_RETURN(alias, Identifier());
    }
    unpivot->value_aliases.push_back(std::move(alias));
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  unpivot->values = std::move(groups);
  unpivot->child = std::move(child);
  unpivot->origin = OriginFrom(first);
  plan::PlanPtr result = std::move(unpivot);
  const bool has_alias = Accept(Keyword::kAs) || (IsStrictIdentifier() && !AtClauseStart());
  if (has_alias) {
    TableAlias alias;
    alias.present = true;
    FRAZIL_ASSIGN_OR_RETURN(alias.name, Identifier());
    return WithAlias(std::move(result), std::move(alias), first);
  }
  return result;
}

}  // namespace frazil::sql
