// function OVER (...): named windows, default and explicit frames.
// https://spark.apache.org/docs/latest/sql-ref-syntax-qry-select-window.html

#include <algorithm>
#include <array>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/lateral_alias_internal.h"
#include "frazil/base/text.h"
#include "frazil/functions/common_type.h"
#include "frazil/functions/constant.h"
#include "frazil/types/cast_rules.h"

namespace frazil::analysis {
namespace {

bool IsOneOf(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The unit of the one frame that a function takes, from the first row to the current one; nothing where any will do.
std::optional<FrameType> RequiredFrame(const std::string& function) {
  if (IsOneOf(function, {"row_number", "rank", "dense_rank", "percent_rank", "ntile", "ewm", "null_index"}))
    return FrameType::kRows;
  if (function == "cume_dist") return FrameType::kRange;
  return std::nullopt;
}
bool IsOffsetFunction(const std::string& function) { return IsOneOf(function, {"lag", "lead"}); }

std::string KeyText(const SortKey& key) {
  return key.expression->sql + (key.ascending ? " ASC" : " DESC") + (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

std::string BoundText(FrameBoundType type, const std::string& offset) {
  switch (type) {
    case FrameBoundType::kUnboundedPreceding:
      return "UNBOUNDED PRECEDING";
    case FrameBoundType::kPreceding:
      return offset + " PRECEDING";
    case FrameBoundType::kCurrentRow:
      return "CURRENT ROW";
    case FrameBoundType::kFollowing:
      return offset + " FOLLOWING";
    case FrameBoundType::kUnboundedFollowing:
      return "UNBOUNDED FOLLOWING";
  }
  return "";
}

std::string FrameText(const WindowFrame& frame) {
  const auto text = [](const FrameBound& bound) {
    return BoundText(bound.type, bound.offset ? bound.offset->sql : std::string());
  };
  return std::string(frame.type == FrameType::kRows ? "ROWS" : "RANGE") + " BETWEEN " + text(frame.start) + " AND " +
         text(frame.end);
}

// As Spark's plans write a frame.
std::string FrameTree(FrameType type, const std::string& start, const std::string& end) {
  return std::string("specifiedwindowframe(") + (type == FrameType::kRows ? "RowFrame" : "RangeFrame") + ", " + start +
         ", " + end + ")";
}

std::string FrameTree(const WindowFrame& frame) {
  const auto text = [](const FrameBound& bound) -> std::string {
    switch (bound.type) {
      case FrameBoundType::kUnboundedPreceding:
        return "unboundedpreceding$()";
      case FrameBoundType::kPreceding:
        return (bound.offset->sql.starts_with("-") ? "" : "-") + bound.offset->sql;
      case FrameBoundType::kCurrentRow:
        return "currentrow$()";
      case FrameBoundType::kFollowing:
        return bound.offset->sql;
      case FrameBoundType::kUnboundedFollowing:
        return "unboundedfollowing$()";
    }
    return "";
  };
  return FrameTree(frame.type, text(frame.start), text(frame.end));
}

// lag and lead know their frame, the row at their offset. Spark takes the same one written out, as DataFrames write it:
// literals with a sign.
bool IsFrameOfOffset(const plan::UnresolvedFrame& frame, int64_t offset) {
  const auto is_offset = [offset](const plan::UnresolvedFrameBound& bound) {
    if (bound.type != FrameBoundType::kFollowing || bound.offset->kind != plan::ExprKind::kLiteral) return false;
    const auto* value = std::get_if<int64_t>(&bound.offset->As<plan::LiteralExpr>().value.storage());
    return value != nullptr && *value == offset;
  };
  return frame.type == FrameType::kRows && is_offset(frame.start) && is_offset(frame.end);
}

std::string SpecificationText(const std::vector<ExpressionPtr>& partition_by, const std::vector<SortKey>& order_by,
                              const std::string& frame) {
  std::string text;
  if (!partition_by.empty()) {
    text += "PARTITION BY ";
    for (size_t i = 0; i < partition_by.size(); ++i) text += (i > 0 ? ", " : "") + partition_by[i]->sql;
    text += " ";
  }
  if (!order_by.empty()) {
    text += "ORDER BY ";
    for (size_t i = 0; i < order_by.size(); ++i) text += (i > 0 ? ", " : "") + KeyText(order_by[i]);
    text += " ";
  }
  return "(" + text + frame + ")";
}

// Negative numbers: the bound lies on the other side.
bool IsNegative(const Value& value) {
  const auto& storage = value.storage();
  if (const auto* integer = std::get_if<int64_t>(&storage)) return *integer < 0;
  if (const auto* number = std::get_if<double>(&storage)) return *number < 0;
  if (const auto* number = std::get_if<float>(&storage)) return *number < 0;
  if (const auto* decimal = std::get_if<Decimal128>(&storage)) return decimal->unscaled < 0;
  return false;
}

Value Negated(const Value& value) {
  const auto& storage = value.storage();
  if (const auto* integer = std::get_if<int64_t>(&storage)) return Value(-*integer);
  if (const auto* number = std::get_if<double>(&storage)) return Value(-*number);
  if (const auto* number = std::get_if<float>(&storage)) return Value(-*number);
  if (const auto* decimal = std::get_if<Decimal128>(&storage)) return Value(Decimal128{-decimal->unscaled});
  return value;
}

// RANK() and its kin are so shown once they know their order.
std::string ShownInWindow(const Expression& function) {
  const bool is_rank = function.sql == "RANK()" || function.sql == "DENSE_RANK()" || function.sql == "PERCENT_RANK()";
  return is_rank ? AsciiLower(function.sql) : function.sql;
}

}  // namespace

Result<plan::WindowSpecification> Analyzer::ResolveWindow(const plan::WindowSpecification& window) {
  if (window.reference.empty()) return window;
  for (auto names = named_windows_.rbegin(); names != named_windows_.rend(); ++names) {
    const auto found = names->find(AsciiLower(window.reference));
    if (found == names->end()) continue;
    FRAZIL_ASSIGN_OR_RETURN(auto resolved, ResolveWindow(found->second));
    if (resolved.partition_by.empty()) resolved.partition_by = window.partition_by;
    if (resolved.order_by.empty()) resolved.order_by = window.order_by;
    if (!resolved.frame) resolved.frame = window.frame;
    return resolved;
  }
  return Error::Of("MISSING_WINDOW_SPECIFICATION",
                   {{"windowName", window.reference}, {"docroot", "https://spark.apache.org/docs/latest"}});
}

Result<FrameBound> Analyzer::MakeBound(const plan::UnresolvedFrameBound& bound, FrameType type,
                                       const std::vector<SortKey>& order, bool is_lower, std::string* text) {
  FrameBound made;
  made.type = bound.type;
  *text = BoundText(bound.type, {});
  if (bound.offset == nullptr) return made;
  FRAZIL_ASSIGN_OR_RETURN(auto offset, Analyze(bound.offset));
  const std::string shown = offset->sql;
  *text = BoundText(bound.type, shown);
  const std::string location = is_lower ? "lower" : "upper";
  if (!functions::IsFoldable(*offset)) {
    return Error::Of("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WITHOUT_FOLDABLE",
                     {{"sqlExpr", "\"" + shown + "\""}, {"location", location}, {"expression", "\"" + shown + "\""}});
  }
  if (type == FrameType::kRows) {
    if (!offset->type->IsIntegral() || offset->type->id() == TypeId::kLong) {
      return Error::Of("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
                       {{"sqlExpr", "\"" + shown + "\""},
                        {"location", location},
                        {"exprType", "\"" + offset->type->Sql() + "\""},
                        {"expectedType", "\"INT\""}});
    }
    offset = MakeCast(offset, DataType::Long(), settings_.eval_mode());
  } else if (order.size() == 1) {
    const auto& key = order[0].expression->type;
    const bool by_date = key->IsDatetime();
    if (!by_date && !offset->type->Equals(*key) && CanCast(*offset->type, *key)) {
      offset = WithOrigin(MakeCast(offset, key, settings_.eval_mode()), InObject(bound.offset->origin));
      // A negated bound shows as such once it is cast.
      if (bound.type == FrameBoundType::kPreceding) *text = "(- " + shown + ") FOLLOWING";
    }
    const bool is_interval = offset->type->IsAnsiInterval() || offset->type->id() == TypeId::kCalendarInterval;
    if (!offset->type->IsNumeric() && !is_interval) {
      return Error::Of("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
                       {{"sqlExpr", "\"" + shown + "\""},
                        {"location", location},
                        {"exprType", "\"" + offset->type->Sql() + "\""},
                        {"expectedType",
                         "(\"NUMERIC\" or \"INTERVAL DAY TO SECOND\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL\")"}});
    }
    bool fits = offset->type->Equals(*key);
    if (key->id() == TypeId::kDate) {
      fits = offset->type->id() == TypeId::kInteger || is_interval;
      if (offset->type->id() == TypeId::kShort || offset->type->id() == TypeId::kByte) fits = false;
    } else if (by_date) {
      fits = is_interval;
    }
    if (!fits) {
      return Error::Of("DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE",
                       {{"sqlExpr", "\"RANGE BETWEEN " + shown + "\""},
                        {"orderSpecType", "\"" + key->Sql() + "\""},
                        {"valueBoundaryType", "\"" + offset->type->Sql() + "\""}});
    }
  }
  Value value;
  if (auto constant = functions::ConstantValue(*offset)) {
    value = *constant;
  } else {
    FRAZIL_ASSIGN_OR_RETURN(value, context_.EvaluateConstant(offset));
  }
  if (value.is_null()) {
    return Error::Of("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WITHOUT_FOLDABLE",
                     {{"sqlExpr", "\"" + shown + "\""}, {"location", location}, {"expression", "\"" + shown + "\""}});
  }
  if (IsNegative(value)) {
    value = Negated(value);
    made.type = made.type == FrameBoundType::kFollowing ? FrameBoundType::kPreceding : FrameBoundType::kFollowing;
  }
  made.offset = WithSql(MakeLiteral(offset->type, std::move(value)), shown);
  return made;
}

Result<WindowFrame> Analyzer::MakeFrame(const plan::WindowSpecification& window, const std::string& function,
                                        const std::vector<SortKey>& order, std::string* text) {
  WindowFrame frame;
  if (!window.frame) {
    if (RequiredFrame(function) == FrameType::kRows) {
      frame.type = FrameType::kRows;
      frame.start.type = FrameBoundType::kUnboundedPreceding;
      frame.end.type = FrameBoundType::kCurrentRow;
    } else if (order.empty()) {
      frame.type = FrameType::kRows;
      frame.start.type = FrameBoundType::kUnboundedPreceding;
      frame.end.type = FrameBoundType::kUnboundedFollowing;
    } else {
      frame.type = FrameType::kRange;
      frame.start.type = FrameBoundType::kUnboundedPreceding;
      frame.end.type = FrameBoundType::kCurrentRow;
    }
    *text = FrameText(frame);
    return frame;
  }
  frame.type = window.frame->type;
  std::string start_text, end_text;
  FRAZIL_ASSIGN_OR_RETURN(frame.start, MakeBound(window.frame->start, frame.type, order, true, &start_text));
  FRAZIL_ASSIGN_OR_RETURN(frame.end, MakeBound(window.frame->end, frame.type, order, false, &end_text));
  *text =
      std::string(frame.type == FrameType::kRows ? "ROWS" : "RANGE") + " BETWEEN " + start_text + " AND " + end_text;
  if (frame.type == FrameType::kRange) {
    const bool has_offset = frame.start.offset != nullptr || frame.end.offset != nullptr;
    const bool unbounded = frame.start.type == FrameBoundType::kUnboundedPreceding &&
                           frame.end.type == FrameBoundType::kUnboundedFollowing;
    if (order.empty() && !unbounded) {
      return Error::Of("DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER",
                       {{"sqlExpr", "\"" + SpecificationText({}, {}, *text) + "\""}});
    }
    if (frame.start.offset != nullptr && frame.end.offset != nullptr &&
        !frame.start.offset->type->Equals(*frame.end.offset->type)) {
      return Error::Of("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_DIFF_TYPES",
                       {{"sqlExpr", "\"" + *text + "\""},
                        {"lower", "\"" + frame.start.offset->sql + "\""},
                        {"upper", "\"" + frame.end.offset->sql + "\""},
                        {"lowerType", "\"" + frame.start.offset->type->Sql() + "\""},
                        {"upperType", "\"" + frame.end.offset->type->Sql() + "\""}});
    }
    if (order.size() > 1 && has_offset) {
      std::string keys;
      for (const auto& key : order) keys += (keys.empty() ? "" : ",") + KeyText(key);
      return Error::Of("DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER",
                       {{"sqlExpr", "\"" + SpecificationText({}, order, *text) + "\""}, {"orderSpec", keys}});
    }
  }
  if (frame.start.type == FrameBoundType::kUnboundedFollowing ||
      frame.end.type == FrameBoundType::kUnboundedPreceding) {
    return Error::Of(
        "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND",
        {{"sqlExpr", "\"" + *text + "\""}, {"upper", "\"UNBOUNDED PRECEDING\""}, {"lower", "\"UNBOUNDED FOLLOWING\""}});
  }
  // The lower bound must not lie behind the upper one.
  const auto rank = [](const FrameBound& bound) {
    switch (bound.type) {
      case FrameBoundType::kUnboundedPreceding:
        return 0;
      case FrameBoundType::kPreceding:
        return 1;
      case FrameBoundType::kCurrentRow:
        return 2;
      case FrameBoundType::kFollowing:
        return 3;
      case FrameBoundType::kUnboundedFollowing:
        return 4;
    }
    return 0;
  };
  const auto is_zero = [](const FrameBound& bound) {
    return bound.offset != nullptr && bound.offset->type->IsIntegral() &&
           bound.offset->As<LiteralExpression>().value.integer() == 0;
  };
  const bool crossed = rank(frame.start) > rank(frame.end) && !is_zero(frame.start) && !is_zero(frame.end);
  if (crossed) {
    return Error::Of("DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON",
                     {{"sqlExpr", "\"" + *text + "\""}, {"comparison", "less than or equal"}});
  }
  return frame;
}

Result<ExpressionPtr> Analyzer::AnalyzeWindow(const plan::WindowExpr& window) {
  in_window_function_ = true;
  auto analyzed = Analyze(window.function);
  in_window_function_ = false;
  if (!analyzed.ok()) return std::move(analyzed).error();
  const auto function = *analyzed;

  FRAZIL_ASSIGN_OR_RETURN(auto specification, ResolveWindow(window.window));
  FRAZIL_ASSIGN_OR_RETURN(auto partition_by, AnalyzeAll(specification.partition_by));
  for (const auto& key : partition_by) {
    if (functions::IsOrderable(*key->type)) continue;
    return Error::Of("EXPRESSION_TYPE_IS_NOT_ORDERABLE",
                     {{"expr", "\"" + key->sql + "\""}, {"exprType", "\"" + key->type->Sql() + "\""}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto order_by, AnalyzeSortKeys(specification.order_by));

  if (window.function->kind == plan::ExprKind::kFunction) {
    const auto name = FunctionName(window.function->As<plan::FunctionExpr>().name);
    const bool whole_partition = order_by.empty() && !specification.frame;
    if (IsOneOf(name, {"percentile_cont", "percentile_disc", "median", "listagg", "string_agg"}) && !whole_partition) {
      return Error::Of("INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC", {{"aggFunc", "\"" + function->sql + "\""}});
    }
  }
  {
    std::vector<ExpressionPtr> parts = partition_by;
    parts.push_back(function);
    for (const auto& key : order_by) parts.push_back(key.expression);
    if (const auto alias = LateralAliasIn(parts)) {
      std::string frame = "unspecifiedframe$()";
      if (specification.frame) FRAZIL_RETURN_IF_ERROR(MakeFrame(specification, {}, order_by, &frame).status());
      return Error::Of("UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_WINDOW",
                       {{"lca", QuoteIdentifier(*alias)},
                        {"windowExpr", "\"" + ShownInWindow(*function) + " OVER " +
                                           SpecificationText(partition_by, order_by, frame) + "\""}});
    }
  }
  bool found = false;
  std::string frame_text;
  std::string over_text;
  auto typed = TryTransformExpression(function, [&](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    if (part->kind != ExpressionKind::kAggregate && part->kind != ExpressionKind::kWindow) return ExpressionPtr();
    found = true;
    std::shared_ptr<WindowExpression> made;
    if (part->kind == ExpressionKind::kAggregate) {
      const auto& aggregate = part->As<AggregateExpression>();
      made = std::make_shared<WindowExpression>();
      made->function = aggregate.function;
      made->is_aggregate = true;
      made->arguments = aggregate.arguments;
      made->distinct = aggregate.distinct;
      made->ignore_nulls = aggregate.ignore_nulls;
      made->filter = aggregate.filter;
      made->mode = aggregate.mode;
      if (!aggregate.order_by.empty()) return Error::Unsupported("WITHIN GROUP IN A WINDOW FUNCTION");
      if (aggregate.filter != nullptr) return Error::Of("_LEGACY_ERROR_TEMP_1030");
      if (aggregate.distinct) {
        return Error::Of(
            "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED",
            {{"windowExpr", "\"" + aggregate.sql + " OVER " + SpecificationText(partition_by, order_by, "") + "\""}});
      }
    } else {
      made = std::make_shared<WindowExpression>(part->As<WindowExpression>());
      if (order_by.empty()) return Error::Of("_LEGACY_ERROR_TEMP_1037", {{"wf", AsciiLower(part->sql)}});
    }
    made->partition_by = partition_by;
    made->order_by = order_by;
    if (IsOffsetFunction(made->function)) {
      auto offset = functions::ConstantInteger(*made->arguments[1]);
      if (offset && made->function == "lag") offset = -*offset;
      if (specification.frame && !(offset && IsFrameOfOffset(*specification.frame, *offset)))
        return Error::Of("_LEGACY_ERROR_TEMP_1035", {{"prettyName", made->function}});
      const std::string shown = offset ? std::to_string(*offset) : made->arguments[1]->sql;
      frame_text = "ROWS BETWEEN " + shown + " FOLLOWING AND " + shown + " FOLLOWING";
      made->frame = WindowFrame{FrameType::kRows,
                                {FrameBoundType::kUnboundedPreceding, nullptr},
                                {FrameBoundType::kUnboundedFollowing, nullptr}};
    } else {
      FRAZIL_ASSIGN_OR_RETURN(made->frame, MakeFrame(specification, made->function, order_by, &frame_text));
    }
    if (const auto required = RequiredFrame(made->function); required && specification.frame) {
      const bool fits = made->frame.type == *required &&
                        made->frame.start.type == FrameBoundType::kUnboundedPreceding &&
                        made->frame.end.type == FrameBoundType::kCurrentRow;
      if (!fits) {
        return Error::Of("_LEGACY_ERROR_TEMP_1036",
                         {{"wf", FrameTree(made->frame)},
                          {"required", FrameTree(*required, "unboundedpreceding$()", "currentrow$()")}});
      }
    }
    over_text = " OVER " + SpecificationText(partition_by, order_by, frame_text);
    made->type = part->type;
    made->nullable = part->nullable;
    made->sql = part->sql + over_text;
    return ExpressionPtr(made);
  });
  if (!typed.ok()) return std::move(typed).error();
  if (!found) return Error::Of("UNSUPPORTED_EXPR_FOR_WINDOW", {{"sqlExpr", "\"" + function->sql + "\""}});
  return WithSql(*typed, function->sql + over_text);
}

}  // namespace frazil::analysis
