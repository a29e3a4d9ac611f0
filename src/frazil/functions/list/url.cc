// Addresses.

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "url_funcs";

FunctionDefinition ParseUrl(std::string name, std::string since, bool is_try) {
  auto definition = Custom(name, 2, 3, [is_try](const FunctionCall& call) -> Result<ExpressionPtr> {
    std::string sql = CallSql(call.name, call.arguments);
    FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Text()}));
    return MakeCall("parse_url", arguments, DataType::String(), true, is_try ? EvalMode::kTry : ModeOf(call), sql);
  });
  definition.since = std::move(since);
  definition.usage = "A part of an address: HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY, USERINFO.";
  return definition;
}

}  // namespace

void AddUrlFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(ParseUrl("parse_url", "2.0.0", false));
  list.Add(ParseUrl("try_parse_url", "4.0.0", true));
  list.Add(Scalar("url_encode", {Text()}, DataType::String()).Group(kGroup, "3.4.0", "Text for use in an address."));
  list.Add(Scalar("url_decode", {Text()}, DataType::String()).Group(kGroup, "3.4.0", "Text out of an address."));
  list.Add(Scalar("try_url_decode", {Text()}, DataType::String())
               .Calls("url_decode")
               .Mode(EvalMode::kTry)
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "4.0.0", "Text out of an address; NULL where it is malformed."));
}

}  // namespace frazil::functions
