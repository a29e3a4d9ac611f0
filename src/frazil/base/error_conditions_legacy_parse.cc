#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"_LEGACY_ERROR_TEMP_0001", "", "Invalid InsertIntoContext.", kParse},
    {"_LEGACY_ERROR_TEMP_0004", "", "Empty source for merge: you should specify a source table/subquery in merge.",
     kParse},
    {"_LEGACY_ERROR_TEMP_0006", "", "The number of inserted values cannot match the fields.", kParse},
    {"_LEGACY_ERROR_TEMP_0012", "", "DISTRIBUTE BY is not supported.", kParse},
    {"_LEGACY_ERROR_TEMP_0014", "", "TABLESAMPLE does not accept empty inputs.", kParse},
    {"_LEGACY_ERROR_TEMP_0015", "", "TABLESAMPLE(<msg>) is not supported.", kParse},
    {"_LEGACY_ERROR_TEMP_0016", "",
     "<bytesStr> is not a valid byte length literal, expected syntax: DIGIT+ ('B' | 'K' | 'M' | 'G').", kParse},
    {"_LEGACY_ERROR_TEMP_0018", "", "Function trim doesn't support with type <trimOption>.", kParse},
    {"_LEGACY_ERROR_TEMP_0024", "", "Can only have a single from-to unit in the interval literal syntax.", kParse},
    {"_LEGACY_ERROR_TEMP_0026", "",
     "Can only use numbers in the interval value part for multiple unit value pairs interval form, but got invalid "
     "value: <value>.",
     kParse},
    {"_LEGACY_ERROR_TEMP_0027", "", "The value of from-to unit must be a string.", kParse},
    {"_LEGACY_ERROR_TEMP_0029", "", "Cannot mix year-month and day-time fields: <literal>.", kParse},
    {"_LEGACY_ERROR_TEMP_0031", "", "Invalid number of buckets: <describe>.", kParse},
    {"_LEGACY_ERROR_TEMP_0032", "", "Duplicated table paths found: '<pathOne>' and '<pathTwo>'.", kParse},
    {"_LEGACY_ERROR_TEMP_0033", "", "Expected either STORED AS or STORED BY, not both.", kParse},
    {"_LEGACY_ERROR_TEMP_0034", "", "<operation> is not supported in Hive-style <command><msg>.", kParse},
    {"_LEGACY_ERROR_TEMP_0035", "", "Operation not allowed: <message>.", kParse},
    {"_LEGACY_ERROR_TEMP_0037", "",
     "It is not allowed to add catalog/namespace prefix <quoted> to the table name in CACHE TABLE AS SELECT.", kParse},
    {"_LEGACY_ERROR_TEMP_0045", "", "Invalid time zone displacement value.", kParse},
    {"_LEGACY_ERROR_TEMP_0046", "", "CREATE TEMPORARY TABLE without a provider is not allowed.", kParse},
    {"_LEGACY_ERROR_TEMP_0047", "", "'ROW FORMAT' must be used with 'STORED AS'.", kParse},
    {"_LEGACY_ERROR_TEMP_0048", "", "Unsupported operation: Used defined record reader/writer classes.", kParse},
    {"_LEGACY_ERROR_TEMP_0049", "", "Directory path and 'path' in OPTIONS should be specified one, but not both.",
     kParse},
    {"_LEGACY_ERROR_TEMP_0051", "", "Empty set in <element> grouping sets is not supported.", kParse},
    {"_LEGACY_ERROR_TEMP_0052", "", "CREATE VIEW with both IF NOT EXISTS and REPLACE is not allowed.", kParse},
    {"_LEGACY_ERROR_TEMP_0053", "", "It is not allowed to define a TEMPORARY view with IF NOT EXISTS.", kParse},
    {"_LEGACY_ERROR_TEMP_0056", "", "Invalid time travel spec: <reason>.", kParse},
    {"_LEGACY_ERROR_TEMP_0060", "", "<msg>.", kParse},
    {"_LEGACY_ERROR_TEMP_0062", "", "<msg>.", kParse},
    {"_LEGACY_ERROR_TEMP_0063", "", "<msg>.", kParse},
    {"_LEGACY_ERROR_TEMP_0064", "", "<msg>.", kParse},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> LegacyParse() { return kTable; }

}  // namespace frazil::error_conditions
