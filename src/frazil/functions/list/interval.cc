// Making intervals.

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "datetime_funcs";

ExpressionPtr ZeroSeconds() { return MakeLiteral(DataType::Decimal(18, 6), Value(Decimal128{0})); }

Entry MakeInterval(std::string name) {
  return Scalar(std::move(name), {Int(), Int(), Int(), Int(), Int(), Int(), DataType::Decimal(18, 6)},
                DataType::CalendarInterval())
      .Defaults(
          {IntLiteral(0), IntLiteral(0), IntLiteral(0), IntLiteral(0), IntLiteral(0), IntLiteral(0), ZeroSeconds()})
      .Calls("make_interval")
      .Nulls(NullRule::kAlways);
}

}  // namespace

void AddIntervalFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(MakeInterval("make_interval")
               .Group(kGroup, "3.0.0", "An interval of years, months, weeks, days, hours, minutes and seconds."));
  list.Add(MakeInterval("try_make_interval")
               .Mode(EvalMode::kTry)
               .Group(kGroup, "4.0.0", "As make_interval; NULL where it would overflow."));
  list.Add(Scalar("make_dt_interval", {Int(), Int(), Int(), DataType::Decimal(18, 6)}, DataType::DayTimeInterval())
               .Defaults({IntLiteral(0), IntLiteral(0), IntLiteral(0), ZeroSeconds()})
               .Group(kGroup, "3.2.0", "An interval of days, hours, minutes and seconds."));
  list.Add(Scalar("make_ym_interval", {Int(), Int()}, DataType::YearMonthInterval())
               .Defaults({IntLiteral(0), IntLiteral(0)})
               .Group(kGroup, "3.2.0", "An interval of years and months."));
}

}  // namespace frazil::functions
