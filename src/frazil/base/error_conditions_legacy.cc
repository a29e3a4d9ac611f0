#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"_LEGACY_ERROR_TEMP_0006", "", "The number of inserted values cannot match the fields.", kParse},
    {"_LEGACY_ERROR_TEMP_0014", "", "TABLESAMPLE does not accept empty inputs.", kParse},
    {"_LEGACY_ERROR_TEMP_0015", "", "TABLESAMPLE(<msg>) is not supported.", kParse},
    {"_LEGACY_ERROR_TEMP_0016", "",
     "<bytesStr> is not a valid byte length literal, expected syntax: DIGIT+ ('B' | 'K' | 'M' | 'G').", kParse},
    {"_LEGACY_ERROR_TEMP_0024", "", "Can only have a single from-to unit in the interval literal syntax.", kParse},
    {"_LEGACY_ERROR_TEMP_0026", "",
     "Can only use numbers in the interval value part for multiple unit value pairs interval form, but got invalid "
     "value: <value>.",
     kParse},
    {"_LEGACY_ERROR_TEMP_0027", "", "The value of from-to unit must be a string.", kParse},
    {"_LEGACY_ERROR_TEMP_0029", "", "Cannot mix year-month and day-time fields: <literal>.", kParse},
    {"_LEGACY_ERROR_TEMP_0032", "",
     "Duplicated table paths found: '<pathOne>' and '<pathTwo>'. LOCATION and the case insensitive key 'path' in OPTIONS "
     "are all used to indicate the custom table path, you can only specify one of them.",
     kParse},
    {"_LEGACY_ERROR_TEMP_0034", "", "<operation> is not supported in Hive-style <command><msg>.", kParse},
    {"_LEGACY_ERROR_TEMP_0035", "", "Operation not allowed: <message>.", kParse},
    {"_LEGACY_ERROR_TEMP_0037", "",
     "It is not allowed to add catalog/namespace prefix <quoted> to the table name in CACHE TABLE AS SELECT.", kParse},
    {"_LEGACY_ERROR_TEMP_0045", "", "Invalid time zone displacement value.", kParse},
    {"_LEGACY_ERROR_TEMP_0049", "",
     "Directory path and 'path' in OPTIONS should be specified one, but not both.", kParse},
    {"_LEGACY_ERROR_TEMP_0051", "", "Empty set in <element> grouping sets is not supported.", kParse},
    {"_LEGACY_ERROR_TEMP_0052", "", "CREATE VIEW with both IF NOT EXISTS and REPLACE is not allowed.", kParse},
    {"_LEGACY_ERROR_TEMP_0053", "", "It is not allowed to define a TEMPORARY view with IF NOT EXISTS.", kParse},
    {"_LEGACY_ERROR_TEMP_0063", "", "<msg>.", kParse},
    {"_LEGACY_ERROR_TEMP_0064", "", "<msg>.", kParse},
    {"_LEGACY_ERROR_TEMP_1006", "",
     "Aggregate expression required for pivot, but '<sql>' did not appear in any aggregate function.", kAnalysis},
    {"_LEGACY_ERROR_TEMP_1021", "", "count(<targetString>.*) is not allowed.", kAnalysis},
    {"_LEGACY_ERROR_TEMP_1030", "", "Window aggregate function with filter predicate is not supported yet.", kAnalysis},
    {"_LEGACY_ERROR_TEMP_1034", "", "It is not allowed to use window functions inside <clauseName> clause.", kAnalysis},
    {"_LEGACY_ERROR_TEMP_1037", "",
     "Window function <wf> requires window to be ordered, please add ORDER BY clause. For example SELECT "
     "<wf>(value_expr) OVER (PARTITION BY window_partition ORDER BY window_ordering) from table.",
     kAnalysis},
    {"_LEGACY_ERROR_TEMP_1228", "", "Decimal scale (<scale>) cannot be greater than precision (<precision>).", kAnalysis},
    {"_LEGACY_ERROR_TEMP_1232", "",
     "Partition spec is invalid. The spec (<specKeys>) must match the partition spec (<partitionColumnNames>) defined "
     "in table '<tableName>'.",
     kAnalysis},
};

}  // namespace

std::span<const ErrorCondition> Legacy() { return kTable; }

}  // namespace frazil::error_conditions
