// Dates, times and timestamps.
// https://spark.apache.org/docs/latest/api/sql/#date-and-timestamp-functions

#include "frazil/types/datetime.h"

#include "frazil/base/text.h"
#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"
#include "frazil/types/calendar.h"
#include "frazil/types/time_zone.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "datetime_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  return definition;
}

Entry OfDate(std::string name, std::string since, std::string usage, DataTypePtr result = DataType::Integer()) {
  return Scalar(std::move(name), {Date()}, std::move(result)).Group(kGroup, std::move(since), std::move(usage));
}

Entry OfTimestamp(std::string name, std::string since, std::string usage) {
  return Scalar(std::move(name), {OneOf({AnyTimestamp(), Time()})}, DataType::Integer())
      .Group(kGroup, std::move(since), std::move(usage));
}

// --- extract
// ------------------------------------------------------------------------------------------------------------------------------------------------

struct ExtractField {
  const char* function;  ///< Of a date or timestamp.
  bool of_time = false;  ///< Takes a timestamp or time, not a date.
};

std::optional<ExtractField> FindExtractField(const std::string& name) {
  auto is = [&](std::initializer_list<const char*> names) {
    for (const char* one : names) {
      if (name == one) return true;
    }
    return false;
  };
  if (is({"YEAR", "Y", "YEARS", "YR", "YRS"})) return ExtractField{"year"};
  if (is({"YEAROFWEEK"})) return ExtractField{"year_of_week"};
  if (is({"QUARTER", "QTR"})) return ExtractField{"quarter"};
  if (is({"MONTH", "MON", "MONS", "MONTHS"})) return ExtractField{"month"};
  if (is({"WEEK", "W", "WEEKS"})) return ExtractField{"weekofyear"};
  if (is({"DAY", "D", "DAYS"})) return ExtractField{"dayofmonth"};
  if (is({"DAYOFWEEK", "DOW"})) return ExtractField{"dayofweek"};
  if (is({"DAYOFWEEK_ISO", "DOW_ISO"})) return ExtractField{"dayofweek_iso"};
  if (is({"DOY"})) return ExtractField{"dayofyear"};
  if (is({"HOUR", "H", "HOURS", "HR", "HRS"})) return ExtractField{"hour", true};
  if (is({"MINUTE", "M", "MIN", "MINS", "MINUTES"})) return ExtractField{"minute", true};
  if (is({"SECOND", "S", "SEC", "SECONDS", "SECS"})) return ExtractField{"second_with_fraction", true};
  return std::nullopt;
}

struct IntervalPart {
  const char* function;
  DataTypePtr type;
};
std::optional<IntervalPart> FindIntervalPart(const std::string& name, const DataType& type) {
  auto is = [&](std::initializer_list<const char*> names) {
    for (const char* one : names) {
      if (name == one) return true;
    }
    return false;
  };
  bool calendar = type.id() == TypeId::kCalendarInterval;
  bool months = calendar || type.id() == TypeId::kYearMonthInterval;
  bool micros = calendar || type.id() == TypeId::kDayTimeInterval;
  // The interval must have the field.
  auto has = [&](IntervalField field) {
    return calendar || (field >= type.start_field() && field <= type.end_field());
  };
  if (months && has(IntervalField::kYear) && is({"YEAR", "Y", "YEARS", "YR", "YRS"}))
    return IntervalPart{"interval_part_year", DataType::Integer()};
  if (months && has(IntervalField::kMonth) && is({"MONTH", "MON", "MONS", "MONTHS"}))
    return IntervalPart{"interval_part_month", DataType::Byte()};
  if (micros && has(IntervalField::kDay) && is({"DAY", "D", "DAYS"}))
    return IntervalPart{"interval_part_day", DataType::Integer()};
  if (micros && has(IntervalField::kHour) && is({"HOUR", "H", "HOURS", "HR", "HRS"}))
    return IntervalPart{"interval_part_hour", DataType::Byte()};
  if (micros && has(IntervalField::kMinute) && is({"MINUTE", "M", "MIN", "MINS", "MINUTES"}))
    return IntervalPart{"interval_part_minute", DataType::Byte()};
  if (micros && has(IntervalField::kSecond) && is({"SECOND", "S", "SEC", "SECONDS", "SECS"}))
    return IntervalPart{"interval_part_second", DataType::Decimal(8, 6)};
  return std::nullopt;
}

// extract(field FROM source), date_part(field, source), datepart(...).
Result<ExpressionPtr> BindExtract(const FunctionCall& call) {
  const auto& field = call.arguments[0];
  ExpressionPtr source = call.arguments[1];
  std::string sql = call.name == "date_part" ? CallSql(call.name, call.arguments)
                                             : call.name + "(" + field->sql + " FROM " + source->sql + ")";
  if (!IsFoldable(*field)) {
    return Error::Of("NON_FOLDABLE_ARGUMENT",
                     {{"funcName", QuoteIdentifier(call.name)}, {"paramName", "`field`"}, {"paramType", "\"STRING\""}});
  }
  auto name = ConstantText(*field);
  if (!name.has_value()) return WithSql(MakeNull(DataType::Double()), sql);
  std::string upper = AsciiUpper(*name);
  auto unknown = [&]() {
    return Error::Of("INVALID_EXTRACT_FIELD", {{"field", QuoteIdentifier(*name)}, {"expr", QuotedSql(source->sql)}});
  };
  if (source->type->IsAnsiInterval() || source->type->id() == TypeId::kCalendarInterval) {
    auto part = FindIntervalPart(upper, *source->type);
    if (!part.has_value()) return unknown();
    return MakeCall(part->function, {source}, part->type, source->nullable, ModeOf(call), sql);
  }
  auto extract = FindExtractField(upper);
  if (!extract.has_value()) return unknown();
  if (!extract->of_time) {
    if (source->type->id() == TypeId::kTime) return unknown();
    FRAZIL_ASSIGN_OR_RETURN(source, CoerceArgument(call, sql, source, 0, Date()));
    return MakeCall(extract->function, {source}, DataType::Integer(), source->nullable, ModeOf(call), sql);
  }
  FRAZIL_ASSIGN_OR_RETURN(source, CoerceArgument(call, sql, source, 0, OneOf({AnyTimestamp(), Time()})));
  bool is_second = std::string_view(extract->function) == "second_with_fraction";
  return MakeCall(extract->function, {source}, is_second ? DataType::Decimal(8, 6) : DataType::Integer(),
                  source->nullable, ModeOf(call), sql);
}

// --- arithmetic with units
// ------------------------------------------------------------------------------------------------------------------------------------

std::optional<std::string> DatetimeUnit(const Expression& unit) {
  auto text = ConstantText(unit);
  if (!text.has_value()) return std::nullopt;
  std::string upper = AsciiUpper(*text);
  for (const char* known : {"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "DAYOFYEAR", "WEEK",
                            "MONTH", "QUARTER", "YEAR"}) {
    if (upper == known) return upper;
  }
  return std::nullopt;
}

Error InvalidUnit(const FunctionCall& call, const Expression& unit) {
  return Error::Of("INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                   {{"functionName", QuoteIdentifier(call.name)},
                    {"parameter", "`unit`"},
                    {"invalidValue", "'" + ConstantText(unit).value_or(unit.sql) + "'"}});
}

// timestampadd(unit, quantity, timestamp); dateadd and date_add with three arguments too.
Result<ExpressionPtr> BindTimestampAdd(const FunctionCall& call) {
  const auto& unit = call.arguments[0];
  auto known = DatetimeUnit(*unit);
  std::string sql = call.name + "(" + ConstantText(*unit).value_or(unit->sql) + ", " + call.arguments[1]->sql + ", " +
                    call.arguments[2]->sql + ")";
  if (!known.has_value()) return InvalidUnit(call, *unit);
  FRAZIL_ASSIGN_OR_RETURN(auto quantity, CoerceArgument(call, sql, call.arguments[1], 1, Long()));
  FRAZIL_ASSIGN_OR_RETURN(auto start, CoerceArgument(call, sql, call.arguments[2], 2, AnyTimestamp()));
  bool nullable = quantity->nullable || start->nullable;
  DataTypePtr type = start->type;
  return MakeCall("timestampadd", {TextLiteral(*known), quantity, start}, type, nullable, ModeOf(call), sql);
}

// timestampdiff(unit, start, end).
Result<ExpressionPtr> BindTimestampDiff(const FunctionCall& call) {
  const auto& unit = call.arguments[0];
  auto known = DatetimeUnit(*unit);
  std::string sql = call.name + "(" + ConstantText(*unit).value_or(unit->sql) + ", " + call.arguments[1]->sql + ", " +
                    call.arguments[2]->sql + ")";
  if (!known.has_value()) return InvalidUnit(call, *unit);
  FRAZIL_ASSIGN_OR_RETURN(auto start, CoerceArgument(call, sql, call.arguments[1], 1, Timestamp()));
  FRAZIL_ASSIGN_OR_RETURN(auto end, CoerceArgument(call, sql, call.arguments[2], 2, Timestamp()));
  return MakeCall("timestampdiff", {TextLiteral(*known), start, end}, DataType::Long(),
                  start->nullable || end->nullable, ModeOf(call), sql);
}

bool IsWholeNumber(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

FunctionDefinition MoveDays(std::string name, std::string implementation, bool takes_unit, std::string shown,
                            std::string since, std::string usage, std::vector<std::string> aliases = {}) {
  return Described(Custom(name, 2, takes_unit ? 3 : 2,
                          [implementation, shown](const FunctionCall& call) -> Result<ExpressionPtr> {
                            if (call.arguments.size() == 3) return BindTimestampAdd(call);
                            std::string sql = CallSql(shown, call.arguments);
                            FRAZIL_ASSIGN_OR_RETURN(auto date, CoerceArgument(call, sql, call.arguments[0], 0, Date()));
                            const auto& days = call.arguments[1];
                            TypePattern pattern = OneOf({Int(), DataType::Short(), DataType::Byte()});
                            bool fits = pattern.Accepts(*days->type) || days->type->id() == TypeId::kNull;
                            if (days->type->IsString()) {
                              fits = IsAnsi(call) || IsFoldable(*days);
                              auto text = ConstantText(*days);
                              if (!IsAnsi(call) && text.has_value() && !IsWholeNumber(*text)) {
                                return Error::Of("SECOND_FUNCTION_ARGUMENT_NOT_INTEGER", {{"functionName", shown}});
                              }
                            }
                            if (!fits) return UnexpectedInput(sql, 1, pattern.sql(), *days);
                            auto count = CastTo(days, DataType::Integer(), call);
                            return MakeCall(implementation, {date, count}, DataType::Date(),
                                            date->nullable || count->nullable, ModeOf(call), sql);
                          }),
                   std::move(since), std::move(usage), std::move(aliases));
}

Result<ExpressionPtr> BindDateDiff(const FunctionCall& call) {
  if (call.arguments.size() == 3) return BindTimestampDiff(call);
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {Date()}));
  return MakeCall("datediff", arguments, DataType::Integer(), AnyNullable(arguments), ModeOf(call), sql);
}

// --- constants of the statement
// -----------------------------------------------------------------------------------------------------------------------------

ExpressionPtr Now(const FunctionCall& call, const std::string& sql) {
  return WithSql(MakeLiteral(DataType::Timestamp(), Value(call.settings->query_start_micros)), sql);
}

Result<int64_t> LocalNow(const FunctionCall& call) {
  FRAZIL_ASSIGN_OR_RETURN(auto zone, TimeZone::Find(call.settings->time_zone));
  return zone->ToLocalMicros(call.settings->query_start_micros);
}

FunctionDefinition Constant(std::string name, std::string since, std::string usage, BindRule bind,
                            std::vector<std::string> aliases = {}) {
  return Described(Custom(std::move(name), 0, 0, std::move(bind)), std::move(since), std::move(usage),
                   std::move(aliases));
}

// --- making
// -----------------------------------------------------------------------------------------------------------------------------------------------------

DataTypePtr DefaultTimestamp(const FunctionCall& call) {
  return call.settings->timestamp_ntz_default ? DataType::TimestampNtz() : DataType::Timestamp();
}

// make_timestamp(year, month, day, hour, minute, second[, zone]), make_timestamp(date[, time[, zone]]).
Result<ExpressionPtr> MakeTimestamp(const FunctionCall& call, DataTypePtr type, bool is_try) {
  std::string sql = CallSql(call.name, call.arguments);
  EvalMode mode = is_try ? EvalMode::kTry : ModeOf(call);
  bool ntz = type->id() == TypeId::kTimestampNtz;
  size_t count = call.arguments.size();
  if (count <= 3) {
    if (call.name == "make_timestamp_ltz" || call.name == "try_make_timestamp_ltz")
      sql = CallSql("make_timestamp", call.arguments);
    if (is_try && ntz) sql = "try_make_timestamp_ntz(" + CallSql("make_timestamp_ntz", call.arguments) + ")";
    FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                            CoerceArguments(call, sql, call.arguments, {Date().Strict(), Time().Strict(), Text()}));
    bool nullable = is_try || AnyNullable(arguments) || !IsAnsi(call);
    return MakeCall(ntz ? "make_timestamp_ntz_of_date" : "make_timestamp_of_date", arguments, type, nullable, mode,
                    sql);
  }
  if (count == 4 || count == 5) return WrongArgumentCount(call.name, ntz ? "[2, 6]" : "[1, 2, 3, 6, 7]", count);
  if (is_try && !ntz && call.name == "try_make_timestamp" && count == 7) {
    sql = CallSql(call.name, Arguments(call.arguments.begin(), call.arguments.end() - 1));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                          CoerceArguments(call, sql, call.arguments,
                                          {Int(), Int(), Int(), Int(), Int(), DataType::Decimal(16, 6), Text()}));
  bool nullable = is_try || AnyNullable(arguments) || !IsAnsi(call);
  return MakeCall(ntz ? "make_timestamp_ntz" : "make_timestamp", arguments, type, nullable, mode, sql);
}

Result<ExpressionPtr> BindConvertTimezone(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 2)
    arguments.insert(arguments.begin(), TextLiteral(call.settings->time_zone, "current_timezone()"));
  std::string sql = CallSql(call.name, arguments);
  FRAZIL_ASSIGN_OR_RETURN(arguments,
                          CoerceArguments(call, sql, std::move(arguments), {Text(), Text(), DataType::TimestampNtz()}));
  return MakeCall("convert_timezone", arguments, DataType::TimestampNtz(), AnyNullable(arguments), ModeOf(call), sql);
}

Entry UnixPart(std::string name, std::string usage) {
  return Scalar(std::move(name), {Timestamp()}, DataType::Long()).Group(kGroup, "3.1.0", std::move(usage));
}

}  // namespace

void AddDatetimeFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(OfDate("year", "1.5.0", "The year."));
  list.Add(OfDate("quarter", "1.5.0", "The quarter, 1 to 4."));
  list.Add(OfDate("month", "1.5.0", "The month, 1 to 12."));
  list.Add(OfDate("dayofmonth", "1.5.0", "The day of the month.").Alias({"day"}));
  list.Add(OfDate("dayofweek", "2.3.0", "The day of the week, Sunday 1 to Saturday 7."));
  list.Add(OfDate("weekday", "2.4.0", "The day of the week, Monday 0 to Sunday 6."));
  list.Add(OfDate("dayofyear", "1.5.0", "The day of the year."));
  list.Add(OfDate("weekofyear", "1.5.0", "The week of the year (ISO 8601)."));
  list.Add(OfDate("dayname", "4.0.0", "The day of the week in three letters.", DataType::String()));
  list.Add(OfDate("monthname", "4.0.0", "The month in three letters.", DataType::String()));
  list.Add(OfDate("last_day", "1.5.0", "The last day of the month.", DataType::Date()));
  list.Add(OfDate("unix_date", "3.1.0", "Days since 1970-01-01."));
  list.Add(OfTimestamp("hour", "1.5.0", "The hour."));
  list.Add(OfTimestamp("minute", "1.5.0", "The minute."));
  list.Add(OfTimestamp("second", "1.5.0", "The second."));
  list.Add(Described(Custom("extract", 2, 2, BindExtract), "3.0.0", "A field of a date, timestamp or interval.",
                     {"date_part", "datepart"}));

  list.Add(MoveDays("date_add", "date_add", true, "date_add", "1.5.0", "The date that many days later.", {"dateadd"}));
  list.Add(MoveDays("date_sub", "date_sub", false, "date_sub", "1.5.0", "The date that many days before."));
  list.Add(Described(Custom("datediff", 2, 3, BindDateDiff), "1.5.0", "Days from the second date to the first.",
                     {"date_diff"}));
  list.Add(
      Described(Custom("timestampadd", 3, 3, BindTimestampAdd), "3.3.0", "A timestamp moved by a number of units."));
  list.Add(Described(Custom("timestampdiff", 3, 3, BindTimestampDiff), "3.3.0", "Whole units between two timestamps."));
  list.Add(Scalar("add_months", {Date(), Int()}, DataType::Date())
               .Calls("date_add_months")
               .Group(kGroup, "1.5.0", "The date that many months later."));
  list.Add(Scalar("months_between", {Timestamp(), Timestamp(), Bool()}, DataType::Double())
               .Defaults({BoolLiteral(true)})
               .Group(kGroup, "1.5.0", "Months between two timestamps, a month of 31 days for the rest."));
  list.Add(Scalar("next_day", {Date(), Text()}, DataType::Date())
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "1.5.0", "The next date that is that day of the week."));
  list.Add(Scalar("trunc", {Date(), Text()}, DataType::Date())
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "1.5.0", "The first day of the date's year, quarter, month or week."));
  list.Add(Scalar("date_trunc", {Text(), Timestamp()}, DataType::Timestamp())
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "2.3.0", "The timestamp cut to a unit."));
  list.Add(Scalar("time_trunc", {Text(), Time()}, SameAs(1))
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "4.1.0", "The time cut to a unit."));
  list.Add(Scalar("time_diff", {Text(), Time(), Time()}, DataType::Long())
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "4.1.0", "Whole units between two times."));

  auto now = [](const char* name) {
    return [name](const FunctionCall& call) -> Result<ExpressionPtr> { return Now(call, std::string(name) + "()"); };
  };
  list.Add(Constant("current_timestamp", "1.5.0", "When the statement began.", now("current_timestamp")));
  list.Add(Constant("now", "1.6.0", "When the statement began.", now("now")));
  list.Add(Constant("current_date", "1.5.0", "The day on which the statement began.",
                    [](const FunctionCall& call) -> Result<ExpressionPtr> {
                      FRAZIL_ASSIGN_OR_RETURN(int64_t local, LocalNow(call));
                      return WithSql(MakeLiteral(DataType::Date(), Value(FloorDivide(local, kMicrosPerDay))),
                                     "current_date()");
                    },
                    {"curdate"}));
  list.Add(Constant("localtimestamp", "3.4.0", "The wall clock when the statement began.",
                    [](const FunctionCall& call) -> Result<ExpressionPtr> {
                      FRAZIL_ASSIGN_OR_RETURN(int64_t local, LocalNow(call));
                      return WithSql(MakeLiteral(DataType::TimestampNtz(), Value(local)), "localtimestamp()");
                    }));
  list.Add(Described(
      Custom("current_time", 0, 1,
             [](const FunctionCall& call) -> Result<ExpressionPtr> {
               int64_t precision = 6;
               std::string sql = "current_time(6)";
               if (!call.arguments.empty()) {
                 sql = CallSql("current_time", call.arguments);
                 auto value = ConstantInteger(*call.arguments[0]);
                 if (!value.has_value()) return NonFoldable(sql, "precision", "INT", *call.arguments[0]);
                 if (*value < 0 || *value > 6) {
                   return Mismatch("VALUE_OUT_OF_RANGE", sql,
                                   {{"exprName", "`precision`"},
                                    {"valueRange", "[0, 6]"},
                                    {"currentValue", std::to_string(*value)}});
                 }
                 precision = *value;
               }
               FRAZIL_ASSIGN_OR_RETURN(int64_t local, LocalNow(call));
               int64_t time = FloorModulo(local, kMicrosPerDay);
               int64_t unit = 1;
               for (int64_t i = precision; i < 6; ++i) unit *= 10;
               return WithSql(MakeLiteral(DataType::Time(static_cast<int>(precision)), Value(time / unit * unit)), sql);
             }),
      "4.1.0", "The time of day when the statement began."));
  list.Add(Constant("current_timezone", "3.1.0", "The session's time zone.",
                    [](const FunctionCall& call) -> Result<ExpressionPtr> {
                      return TextLiteral(call.settings->time_zone, "current_timezone()");
                    }));

  list.Add(Scalar("make_date", {Int(), Int(), Int()}, DataType::Date())
               .Nulls(NullRule::kAlways)
               .Group(kGroup, "3.0.0", "A date of year, month and day."));
  list.Add(Scalar("make_time", {Int(), Int(), DataType::Decimal(16, 6)}, DataType::Time())
               .Group(kGroup, "4.1.0", "A time of hour, minute and second."));
  struct Maker {
    const char* name;
    int kind;  // 0: the session's default, 1: with zone, 2: without
    bool is_try;
  };
  for (Maker maker : {Maker{"make_timestamp", 0, false},
                      {"make_timestamp_ltz", 1, false},
                      {"make_timestamp_ntz", 2, false},
                      {"try_make_timestamp", 0, true},
                      {"try_make_timestamp_ltz", 1, true},
                      {"try_make_timestamp_ntz", 2, true}}) {
    auto definition = Custom(maker.name, maker.kind == 2 ? 2 : 1, maker.kind == 2 ? 6 : 7,
                             [maker](const FunctionCall& call) -> Result<ExpressionPtr> {
                               DataTypePtr type = maker.kind == 1   ? DataType::Timestamp()
                                                  : maker.kind == 2 ? DataType::TimestampNtz()
                                                                    : DefaultTimestamp(call);
                               return MakeTimestamp(call, type, maker.is_try);
                             });
    list.Add(Described(definition, maker.is_try ? "4.0.0" : "3.0.0", "A timestamp of its parts."));
  }
  list.Add(Scalar("timestamp_seconds", {Numeric()}, DataType::Timestamp())
               .Group(kGroup, "3.1.0", "The timestamp that many seconds after the epoch."));
  list.Add(Scalar("timestamp_millis", {Integral()}, DataType::Timestamp())
               .Group(kGroup, "3.1.0", "The timestamp that many milliseconds after the epoch."));
  list.Add(Scalar("timestamp_micros", {Integral()}, DataType::Timestamp())
               .Group(kGroup, "3.1.0", "The timestamp that many microseconds after the epoch."));
  list.Add(UnixPart("unix_seconds", "Seconds since the epoch."));
  list.Add(UnixPart("unix_millis", "Milliseconds since the epoch."));
  list.Add(UnixPart("unix_micros", "Microseconds since the epoch."));
  list.Add(Scalar("date_from_unix_date", {Int()}, DataType::Date())
               .Group(kGroup, "3.1.0", "The date that many days after 1970-01-01."));
  list.Add(Scalar("from_utc_timestamp", {Timestamp(), Text()}, DataType::Timestamp())
               .Group(kGroup, "1.5.0", "A UTC wall clock as that of a zone."));
  list.Add(Scalar("to_utc_timestamp", {Timestamp(), Text()}, DataType::Timestamp())
               .Group(kGroup, "1.5.0", "A zone's wall clock as that of UTC."));
  list.Add(Described(Custom("convert_timezone", 2, 3, BindConvertTimezone), "3.4.0",
                     "A wall clock of one zone as that of another."));
}

}  // namespace frazil::functions
