// LIKE and regular expressions.

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "string_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  return definition;
}

Result<std::string> EscapeCharacter(const FunctionCall& call) {
  if (call.arguments.size() < 3) return std::string("\\");
  auto escape = ConstantText(*call.arguments[2]);
  if (!escape.has_value()) return Error::Of("INVALID_ESCAPE_CHAR", {{"sqlExpr", QuotedSql(call.arguments[2]->sql)}});
  size_t characters = 0;
  for (char c : *escape) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  if (characters != 1) return Error::Of("INVALID_ESCAPE_CHAR", {{"sqlExpr", QuotedSql(call.arguments[2]->sql)}});
  return *escape;
}

// a LIKE b [ESCAPE c]; the escape character is the call's third argument, always.
Result<ExpressionPtr> BindLike(const FunctionCall& call) {
  const auto& value = call.arguments[0];
  const auto& pattern = call.arguments[1];
  FRAZIL_ASSIGN_OR_RETURN(std::string escape, EscapeCharacter(call));
  bool ignore_case = call.name == "ilike";
  std::string sql =
      ignore_case ? "ilike(" + value->sql + ", " + pattern->sql + ")" : value->sql + " LIKE " + pattern->sql;
  if (escape != "\\" && !ignore_case) sql += " ESCAPE '" + escape + "'";
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, {value, pattern}, {Text()}));
  bool nullable = AnyNullable(arguments);
  arguments.push_back(TextLiteral(escape));
  return MakeCall(ignore_case ? "ilike" : "like", arguments, DataType::Boolean(), nullable, ModeOf(call), sql);
}

// x LIKE ALL (p, ...) and its kin: LIKE by LIKE, joined by AND or OR.
FunctionDefinition Quantified(std::string name, const char* like, bool negated, bool all) {
  return Custom(std::move(name), 2, -1, [like, negated, all](const FunctionCall& call) -> Result<ExpressionPtr> {
    ExpressionPtr result;
    for (size_t i = 1; i < call.arguments.size(); ++i) {
      FRAZIL_ASSIGN_OR_RETURN(auto one, CallFunction(call, like, {call.arguments[0], call.arguments[i]}));
      if (negated) {
        FRAZIL_ASSIGN_OR_RETURN(one, CallFunction(call, "not", {one}));
      }
      if (result == nullptr) {
        result = one;
      } else {
        FRAZIL_ASSIGN_OR_RETURN(result, CallFunction(call, all ? "and" : "or", {result, one}));
      }
    }
    // Spark shows the value without its patterns; ILIKE is LIKE of the value in lower case.
    const auto& value = call.arguments[0]->sql;
    const bool lower = std::string_view(like) == "ilike";
    std::string sql = std::string(negated ? "not" : "") + "like" + (all ? "all(" : "any(") +
                      (lower ? "lower(" + value + ")" : value) + ")";
    return WithSql(result, sql);
  });
}

}  // namespace

void AddPatternFunctions(FunctionList& list) {
  list.Group(kGroup);
  auto like = Described(Custom("like", 2, 3, BindLike), "1.0.0", "Whether the text matches a pattern with % and _.");
  like.group = "predicate_funcs";
  list.Add(like);
  auto ilike = Described(Custom("ilike", 2, 3, BindLike), "3.3.0", "As LIKE, without regard to case.");
  ilike.group = "predicate_funcs";
  list.Add(ilike);
  list.Add(Quantified("like_all", "like", false, true));
  list.Add(Quantified("like_any", "like", false, false));
  list.Add(Quantified("not_like_all", "like", true, true));
  list.Add(Quantified("not_like_any", "like", true, false));
  list.Add(Quantified("ilike_all", "ilike", false, true));
  list.Add(Quantified("ilike_any", "ilike", false, false));
  list.Add(Quantified("not_ilike_all", "ilike", true, true));
  list.Add(Quantified("not_ilike_any", "ilike", true, false));
  list.Add(Scalar("rlike", {Text(), Text()}, DataType::Boolean())
               .Alias({"regexp", "regexp_like"})
               .ShowUpper()
               .Group("predicate_funcs", "1.0.0", "Whether a regular expression matches somewhere in the text."));
  list.Add(Scalar("regexp_extract", {Text(), Text(), Int()}, SameAs(0))
               .Defaults({IntLiteral(1)})
               .Group(kGroup, "1.5.0", "A group of the first match; empty where there is none."));
  list.Add(Scalar("regexp_extract_all", {Text(), Text(), Int()},
                  [](const Arguments& arguments) -> Result<DataTypePtr> {
                    return DataType::Array(WithoutLength(arguments[0]->type), true);
                  })
               .Defaults({IntLiteral(1)})
               .Group(kGroup, "3.1.0", "A group of every match."));
  list.Add(Scalar("regexp_replace", {Text(), Text(), Text(), Int()}, SameAs(0))
               .Defaults({IntLiteral(1)})
               .Check([](const FunctionCall& call, const Arguments& arguments) -> Status {
                 std::string sql = CallSql(call.name, arguments);
                 if (!IsFoldable(*arguments[3])) return NonFoldable(sql, "position", "INT", *arguments[3]);
                 auto position = ConstantInteger(*arguments[3]);
                 if (position.has_value() && *position < 1) {
                   return Mismatch("VALUE_OUT_OF_RANGE", sql,
                                   {{"exprName", "position"},
                                    {"valueRange", "(0, 2147483647]"},
                                    {"currentValue", std::to_string(*position)}});
                 }
                 return Status::Ok();
               })
               .Group(kGroup, "1.5.0", "Every match replaced; $1 stands for a group."));
  list.Add(Scalar("regexp_count", {Text(), Text()}, DataType::Integer()).Group(kGroup, "3.4.0", "Number of matches."));
  list.Add(Scalar("regexp_instr", {Text(), Text(), Int()}, DataType::Integer())
               .Defaults({IntLiteral(0)})
               .Group(kGroup, "3.4.0", "Position of the first match, from 1; 0 where there is none."));
  list.Add(Scalar("regexp_substr", {Text(), Text()}, SameAs(0))
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "3.4.0", "The first match; NULL where there is none."));
  list.Add(Scalar("split", {Text(), Text(), Int()},
                  [](const Arguments& arguments) -> Result<DataTypePtr> {
                    return DataType::Array(WithoutLength(arguments[0]->type), false);
                  })
               .Defaults({IntLiteral(-1)})
               .Group(kGroup, "1.5.0", "The text cut at the matches of a regular expression."));
}

}  // namespace frazil::functions
