#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"PARQUET_CONVERSION_FAILURE.DECIMAL", "42846",
     "Unable to create a Parquet converter for the data type <dataType> whose Parquet type is <parquetType>. Parquet "
     "DECIMAL type can only be backed by INT32, INT64, FIXED_LEN_BYTE_ARRAY, or BINARY.",
     kSparkRuntime},
    {"PARQUET_CONVERSION_FAILURE.UNSUPPORTED", "42846",
     "Unable to create a Parquet converter for the data type <dataType> whose Parquet type is <parquetType>. Please "
     "modify the conversion making sure it is supported.",
     kSparkRuntime},
    {"PARQUET_CONVERSION_FAILURE.WITHOUT_DECIMAL_METADATA", "42846",
     "Unable to create a Parquet converter for the data type <dataType> whose Parquet type is <parquetType>. Please "
     "read this column/field as Spark BINARY type.",
     kSparkRuntime},
    {"PARQUET_TYPE_ILLEGAL", "42846", "Illegal Parquet type: <parquetType>.", kAnalysis},
    {"PARQUET_TYPE_NOT_RECOGNIZED", "42846", "Unrecognized Parquet type: <field>.", kAnalysis},
    {"PARQUET_TYPE_NOT_SUPPORTED", "42846", "Parquet type not yet supported: <parquetType>.", kAnalysis},
    {"PARSE_EMPTY_STATEMENT", "42617", "Syntax error, unexpected empty statement.", kParse},
    {"PARSE_MODE_UNSUPPORTED", "42601", "The function <funcName> doesn't support the <mode> mode.", kAnalysis},
    {"PARSE_SYNTAX_ERROR", "42601", "Syntax error at or near <error><hint>.", kParse},
    {"PARTITIONS_ALREADY_EXIST", "428FT",
     "Cannot ADD or RENAME TO partition(s) <partitionList> in table <tableName> because they already exist.",
     kAnalysis},
    {"PARTITIONS_NOT_FOUND", "428FT", "The partition(s) <partitionList> cannot be found in table <tableName>.",
     kAnalysis},
    {"PARTITION_COLUMN_NOT_FOUND_IN_SCHEMA", "42000", "Partition column <column> not found in schema <schema>.",
     kSparkRuntime},
    {"PARTITION_TRANSFORM_EXPRESSION_NOT_IN_PARTITIONED_BY", "42S23",
     "The expression <expression> must be inside 'partitionedBy'.", kSpark},
    {"PATH_ALREADY_EXISTS", "42K04", "Path <outputPath> already exists.", kAnalysis},
    {"PATH_NOT_FOUND", "42K03", "Path does not exist: <path>.", kAnalysis},
    {"PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION", "0A000",
     "Non-grouping expression <expr> is provided as an argument to the |> AGGREGATE pipe operator but does not contain "
     "any aggregate function; please update it to include an aggregate function and then retry the query again.",
     kAnalysis},
    {"PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION", "0A000",
     "Aggregate function <expr> is not allowed when using the pipe operator |> <clause> clause; please use the pipe "
     "operator |> AGGREGATE clause instead.",
     kAnalysis},
    {"PIVOT_VALUE_DATA_TYPE_MISMATCH", "42K09",
     "Invalid pivot value '<value>': value data type <valueType> does not match pivot column data type <pivotType>.",
     kAnalysis},
    {"PYTHON_DATA_SOURCE_ERROR", "38000", "Failed to <action> Python data source <type>: <msg>", kAnalysis},
    {"RECURSION_LEVEL_LIMIT_EXCEEDED", "42836",
     "Recursion level limit <levelLimit> reached but query has not exhausted, try increasing it like 'WITH RECURSIVE "
     "t(col) MAX RECURSION LEVEL 200'.",
     kSpark},
    {"RECURSION_ROW_LIMIT_EXCEEDED", "42836",
     "Recursion row limit <rowLimit> reached but query has not exhausted, try setting a larger LIMIT value when "
     "querying the CTE relation.",
     kSpark},
    {"RECURSIVE_CTE_IN_LEGACY_MODE", "42836",
     "Recursive definitions cannot be used in legacy CTE precedence mode "
     "(spark.sql.legacy.ctePrecedencePolicy=LEGACY).",
     kAnalysis},
    {"RECURSIVE_CTE_WITH_LEGACY_INLINE_FLAG", "42836",
     "Recursive definitions cannot be used when legacy inline flag is set to true "
     "(spark.sql.legacy.inlineCTEInCommands=true).",
     kAnalysis},
    {"RECURSIVE_VIEW", "42K0H", "Recursive view <viewIdent> detected (cycle: <newPath>).", kAnalysis},
    {"REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION", "42601",
     "References to DEFAULT column values are not allowed within the PARTITION clause.", kParse},
    {"REMAINDER_BY_ZERO", "22012",
     "Remainder by zero. Use `try_mod` to tolerate divisor being 0 and return NULL instead. If necessary set <config> "
     "to \"false\" to bypass this error.",
     kArithmetic},
    {"RENAME_SRC_PATH_NOT_FOUND", "42K03", "Failed to rename as <sourcePath> was not found.", kSpark},
    {"REPEATED_CLAUSE", "42614", "The <clause> clause may be used at most once per <operation> operation.",
     kUnsupportedOperation},
    {"REQUIRED_PARAMETER_NOT_FOUND", "4274K",
     "Cannot invoke routine <routineName> because the parameter named <parameterName> is required, but the routine "
     "call did not supply a value. Please update the routine call to supply an argument value (either positionally at "
     "index <index> or by name) and retry the query again.",
     kAnalysis},
    {"REQUIRES_SINGLE_PART_NAMESPACE", "42K05",
     "<sessionCatalog> requires a single-part namespace, but got <namespace>.", kAnalysis},
    {"ROUTINE_ALREADY_EXISTS", "42723",
     "Cannot create the <newRoutineType> <routineName> because a <existingRoutineType> of that name already exists. "
     "Choose a different name, drop or replace the existing <existingRoutineType>, or add the IF NOT EXISTS clause to "
     "tolerate a pre-existing <newRoutineType>.",
     kAnalysis},
    {"ROUTINE_NOT_FOUND", "42883", "The routine <routineName> cannot be found.", kAnalysis},
    {"ROW_SUBQUERY_TOO_MANY_ROWS", "21000", "More than one row returned by a subquery used as a row.", kSpark},
    {"ROW_VALUE_IS_NULL", "22023", "Found NULL in a row at the index <index>, expected a non-NULL value.",
     kSparkRuntime},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> PToR() { return kTable; }

}  // namespace frazil::error_conditions
