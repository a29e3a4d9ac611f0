// Dates and timestamps from and to text by a pattern.
// https://spark.apache.org/docs/latest/sql-ref-datetime-pattern.html

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "datetime_funcs";
const char* const kDefaultPattern = "yyyy-MM-dd HH:mm:ss";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  definition.group = kGroup;
  return definition;
}

TypePattern TextOrDatetime() { return OneOf({Text(), Date(), Timestamp(), TypePattern(DataType::TimestampNtz())}); }

// Text by a pattern as `type` (a kind of timestamp); other types are cast.
Result<ExpressionPtr> Parse(const FunctionCall& call, ExpressionPtr value, ExpressionPtr pattern,
                            const DataTypePtr& type, EvalMode mode, const std::string& sql) {
  if (!value->type->IsString()) {
    FRAZIL_ASSIGN_OR_RETURN(value, CoerceArgument(call, sql, value, 0, TextOrDatetime()));
  }
  if (!value->type->IsString()) return WithSql(MakeCast(value, type, mode, true), sql);
  FRAZIL_ASSIGN_OR_RETURN(pattern, CoerceArgument(call, sql, pattern, 1, Text()));
  bool nullable = mode != EvalMode::kAnsi || value->nullable || pattern->nullable;
  const char* function = type->id() == TypeId::kTimestampNtz ? "parse_timestamp_ntz"
                         : call.name == "to_date"            ? "parse_date"
                                                             : "parse_timestamp";
  return MakeCall(function, {value, pattern}, type, nullable, mode, sql);
}

ExpressionPtr UserCast(ExpressionPtr value, const DataTypePtr& type, EvalMode mode, const std::string& sql) {
  return WithSql(MakeCast(std::move(value), type, mode, true), sql);
}

Result<ExpressionPtr> BindToDate(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  EvalMode mode = call.name == "try_to_date" ? EvalMode::kTry : ModeOf(call);
  if (call.arguments.size() == 1) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, CoerceArgument(call, sql, call.arguments[0], 0, TextOrDatetime()));
    return UserCast(value, DataType::Date(), mode, sql);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto parsed,
                          Parse(call, call.arguments[0], call.arguments[1], DataType::Timestamp(), mode, sql));
  return UserCast(parsed, DataType::Date(), mode, sql);
}

FunctionDefinition ToTimestamp(std::string name, int kind, bool is_try, std::string since) {
  return Described(Custom(name, 1, 2,
                          [kind, is_try](const FunctionCall& call) -> Result<ExpressionPtr> {
                            std::string sql = CallSql(call.name, call.arguments);
                            DataTypePtr type = kind == 1 ? DataType::Timestamp()
                                               : kind == 2
                                                   ? DataType::TimestampNtz()
                                                   : (call.settings->timestamp_ntz_default ? DataType::TimestampNtz()
                                                                                           : DataType::Timestamp());
                            EvalMode mode = is_try ? EvalMode::kTry : ModeOf(call);
                            if (call.arguments.size() == 2)
                              return Parse(call, call.arguments[0], call.arguments[1], type, mode, sql);
                            ExpressionPtr value = call.arguments[0];
                            // Numbers are cast too.
                            bool takes_numbers = value->type->IsNumeric() || value->type->id() == TypeId::kBoolean;
                            if (!takes_numbers || kind != 0) {
                              FRAZIL_ASSIGN_OR_RETURN(value, CoerceArgument(call, sql, value, 0, TextOrDatetime()));
                            }
                            return UserCast(value, type, mode, sql);
                          }),
                   std::move(since), "Text as a timestamp, by a pattern.");
}

// unix_timestamp([value[, pattern]]), to_unix_timestamp(value[, pattern]).
Result<ExpressionPtr> BindUnixTimestamp(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(auto now, CallFunction(call, "current_timestamp", {}));
    arguments.push_back(now);
  }
  if (arguments.size() == 1) arguments.push_back(TextLiteral(kDefaultPattern));
  std::string sql = CallSql(call.name, arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto parsed,
                          Parse(call, arguments[0], arguments[1], DataType::Timestamp(), ModeOf(call), sql));
  bool nullable = parsed->nullable;
  return MakeCall("unix_seconds", {parsed}, DataType::Long(), nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindFromUnixtime(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 1) arguments.push_back(TextLiteral(kDefaultPattern));
  std::string sql = CallSql(call.name, arguments);
  FRAZIL_ASSIGN_OR_RETURN(arguments, CoerceArguments(call, sql, std::move(arguments), {Long(), Text()}));
  return MakeCall("from_unixtime", arguments, DataType::String(), AnyNullable(arguments), ModeOf(call), sql);
}

Result<ExpressionPtr> BindToTime(const FunctionCall& call) {
  bool is_try = call.name == "try_to_time";
  std::string sql = CallSql("to_time", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                          CoerceArguments(call, sql, call.arguments, {Text().Strict(), Text().Strict()}));
  if (is_try) sql = "try_to_time(" + sql + ")";
  return MakeCall("parse_time", arguments, DataType::Time(), is_try || AnyNullable(arguments),
                  is_try ? EvalMode::kTry : EvalMode::kAnsi, sql);
}

}  // namespace

void AddDatetimeParsingFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Described(
      Custom("date_format", 2, 2,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql("date_format", call.arguments);
               Arguments arguments = call.arguments;
               if (arguments[0]->type->id() != TypeId::kTime) {
                 FRAZIL_ASSIGN_OR_RETURN(arguments[0], CoerceArgument(call, sql, arguments[0], 0, Timestamp()));
               }
               FRAZIL_ASSIGN_OR_RETURN(arguments[1], CoerceArgument(call, sql, arguments[1], 1, Text()));
               return MakeCall("date_format", arguments, DataType::String(), AnyNullable(arguments), ModeOf(call), sql);
             }),
      "1.5.0", "A date or timestamp as text by a pattern."));
  list.Add(Described(Custom("to_date", 1, 2, BindToDate), "1.5.0", "Text as a date, by a pattern."));
  list.Add(Described(Custom("try_to_date", 1, 2, BindToDate), "4.0.0",
                     "Text as a date, by a pattern; NULL where it does not match."));
  list.Add(ToTimestamp("to_timestamp", 0, false, "2.2.0"));
  list.Add(ToTimestamp("to_timestamp_ltz", 1, false, "3.4.0"));
  list.Add(ToTimestamp("to_timestamp_ntz", 2, false, "3.4.0"));
  list.Add(ToTimestamp("try_to_timestamp", 0, true, "3.4.0"));
  list.Add(Described(Custom("unix_timestamp", 0, 2, BindUnixTimestamp), "1.5.0",
                     "Seconds since the epoch of a timestamp or text."));
  list.Add(Described(Custom("to_unix_timestamp", 1, 2, BindUnixTimestamp), "1.6.0",
                     "Seconds since the epoch of a timestamp or text."));
  list.Add(Described(Custom("from_unixtime", 1, 2, BindFromUnixtime), "1.5.0",
                     "Seconds since the epoch as text by a pattern."));
  list.Add(Described(Custom("to_time", 1, 2, BindToTime), "4.1.0", "Text as a time, by a pattern."));
  list.Add(Described(Custom("try_to_time", 1, 2, BindToTime), "4.1.0",
                     "Text as a time, by a pattern; NULL where it does not match."));
}

}  // namespace frazil::functions
