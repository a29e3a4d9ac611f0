#include "frazil/analysis/cast_mismatch.h"

#include <utility>

#include "frazil/types/cast_rules.h"

namespace frazil::analysis {

Error CastMismatch(const std::string& sql, const DataType& from, const DataType& to, EvalMode mode) {
  Error::Parameters parameters = {
      {"sqlExpr", "\"" + sql + "\""}, {"srcType", "\"" + from.Sql() + "\""}, {"targetType", "\"" + to.Sql() + "\""}};
  const char* functions = nullptr;
  if (mode != EvalMode::kLegacy) {
    if (from.IsNumeric() && to.id() == TypeId::kTimestamp)
      functions = "`TIMESTAMP_SECONDS`/`TIMESTAMP_MILLIS`/`TIMESTAMP_MICROS`";
    if (from.id() == TypeId::kTimestamp && to.IsNumeric()) functions = "`UNIX_SECONDS`/`UNIX_MILLIS`/`UNIX_MICROS`";
    if (from.IsNumeric() && to.id() == TypeId::kDate) functions = "`DATE_FROM_UNIX_DATE`";
    if (from.id() == TypeId::kDate && to.IsNumeric()) functions = "`UNIX_DATE`";
  }
  if (functions != nullptr) {
    parameters.emplace_back("functionNames", functions);
    return Error::Of("DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", std::move(parameters));
  }
  if (mode == EvalMode::kAnsi && CanCast(from, to)) {
    parameters.emplace_back("config", "\"spark.sql.ansi.enabled\"");
    parameters.emplace_back("configVal", "'false'");
    return Error::Of("DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION", std::move(parameters));
  }
  return Error::Of("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", std::move(parameters));
}

}  // namespace frazil::analysis
