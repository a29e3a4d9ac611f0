#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"SCALAR_FUNCTION_NOT_COMPATIBLE", "42K0O",
     "ScalarFunction <scalarFunc> not overrides method 'produceResult(InternalRow)' with custom implementation.",
     kUnsupportedOperation},
    {"SCALAR_FUNCTION_NOT_FULLY_IMPLEMENTED", "42K0P",
     "ScalarFunction <scalarFunc> not implements or overrides method 'produceResult(InternalRow)'.", kAnalysis},
    {"SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION", "0A000",
     "The correlated scalar subquery '<sqlExpr>' is neither present in GROUP BY, nor in an aggregate function. Add it "
     "to GROUP BY using ordinal position or wrap it in `first()` (or `first_value`) if you don't care which value you "
     "get.",
     kAnalysis},
    {"SCALAR_SUBQUERY_TOO_MANY_ROWS", "21000", "More than one row returned by a subquery used as an expression.",
     kSpark},
    {"SCHEMA_ALREADY_EXISTS", "42P06", "Cannot create schema <schemaName> because it already exists.", kAnalysis},
    {"SCHEMA_NOT_EMPTY", "2BP01", "Cannot drop a schema <schemaName> because it contains objects.", kAnalysis},
    {"SCHEMA_NOT_FOUND", "42704", "The schema <schemaName> cannot be found.", kAnalysis},
    {"SECOND_FUNCTION_ARGUMENT_NOT_INTEGER", "22023",
     "The second argument of <functionName> function needs to be an integer.", kAnalysis},
    {"SEED_EXPRESSION_IS_UNFOLDABLE", "42K08",
     "The seed expression <seedExpr> of the expression <exprWithSeed> must be foldable.", kAnalysis},
    {"SHOW_COLUMNS_WITH_CONFLICT_NAMESPACE", "42K05",
     "SHOW COLUMNS with conflicting namespaces: <namespaceA> != <namespaceB>.", kAnalysis},
    {"SORT_BY_WITHOUT_BUCKETING", "42601", "sortBy must be used together with bucketBy.", kAnalysis},
    {"SPARK_JOB_CANCELLED", "XXKDA", "Job <jobId> cancelled <reason>", kAnalysis},
    {"SPECIFY_BUCKETING_IS_NOT_ALLOWED", "42601",
     "A CREATE TABLE without explicit column list cannot specify bucketing information.", kAnalysis},
    {"SPECIFY_CLUSTER_BY_WITH_BUCKETING_IS_NOT_ALLOWED", "42908",
     "Cannot specify both CLUSTER BY and CLUSTERED BY INTO BUCKETS.", kParse},
    {"SPECIFY_CLUSTER_BY_WITH_PARTITIONED_BY_IS_NOT_ALLOWED", "42908",
     "Cannot specify both CLUSTER BY and PARTITIONED BY.", kParse},
    {"SPECIFY_PARTITION_IS_NOT_ALLOWED", "42601",
     "A CREATE TABLE without explicit column list cannot specify PARTITIONED BY.", kAnalysis},
    {"SPILL_OUT_OF_MEMORY", "82003", "Error while calling spill() on <consumerToSpill> : <message>", kAnalysis},
    {"SQL_CONF_NOT_FOUND", "42K0I", "The SQL config <sqlConf> cannot be found.", kNoSuchElement},
    {"SQL_SCRIPT_IN_EXECUTE_IMMEDIATE", "07501",
     "SQL Scripts in EXECUTE IMMEDIATE commands are not allowed. Please ensure that the SQL query provided "
     "(<sqlString>) is not SQL Script.",
     kAnalysis},
    {"STAGE_MATERIALIZATION_MULTIPLE_FAILURES", "XX000",
     "Multiple failures (<failureCount>) in stage materialization: <failureDetails>", kSpark},
    {"STAR_GROUP_BY_POS", "0A000",
     "Star (*) is not allowed in a select list when GROUP BY an ordinal position is used.", kAnalysis},
    {"STATEFUL_PROCESSOR_UNKNOWN_TIME_MODE", "42802",
     "Unknown time mode <timeMode>. Accepted timeMode modes are 'none', 'processingTime', 'eventTime'", kAnalysis},
    {"STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY", "42K03",
     "The checkpoint location <checkpointLocation> should be empty on batch 0\nPlease either use a new checkpoint "
     "location, or delete the existing data in the checkpoint location.",
     kSpark},
    {"STATIC_PARTITION_COLUMN_IN_INSERT_COLUMN_LIST", "42713",
     "Static partition column <staticName> is also specified in the column list.", kAnalysis},
    {"STREAMING_OUTPUT_MODE.INVALID", "42KDE",
     "Invalid streaming output mode: <outputMode>. Accepted output modes are 'Append', 'Complete', 'Update'.",
     kIllegalArgument},
    {"STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE", "42KDE",
     "Invalid streaming output mode: <outputMode>. This output mode is not supported in Data Source <className>.",
     kAnalysis},
    {"STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION", "42KDE",
     "Invalid streaming output mode: <outputMode>. This output mode is not supported for <operation> on streaming "
     "DataFrames/DataSets.",
     kUnsupportedOperation},
    {"STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA", "42K03",
     "Streaming stateful operator name does not match with the operator in state metadata. This likely to happen when "
     "user adds/removes/changes stateful operator of existing streaming query.\nStateful operators in the metadata: "
     "[<OpsInMetadataSeq>]; Stateful operators in current batch: [<OpsInCurBatchSeq>].",
     kSpark},
    {"STREAM_FAILED", "XXKST", "Query [id = <id>, runId = <runId>] terminated with exception: <message>", kAnalysis},
    {"STRUCT_ARRAY_LENGTH_MISMATCH", "2201E",
     "Input row doesn't have expected number of values required by the schema. <expected> fields are required while "
     "<actual> values are provided.",
     kIllegalArgument},
    {"ST_INVALID_ALGORITHM_VALUE", "22023", "Invalid or unsupported edge interpolation algorithm value: '<alg>'.",
     kIllegalArgument},
    {"ST_INVALID_CRS_VALUE", "22023", "Invalid or unsupported CRS (coordinate reference system) value: '<crs>'.",
     kIllegalArgument},
    {"ST_INVALID_SRID_VALUE", "22023", "Invalid or unsupported SRID (spatial reference identifier) value: <srid>.",
     kIllegalArgument},
    {"SUM_OF_LIMIT_AND_OFFSET_EXCEEDS_MAX_INT", "22003",
     "The sum of the LIMIT clause and the OFFSET clause must not be greater than the maximum 32-bit integer value "
     "(2,147,483,647) but found limit = <limit>, offset = <offset>.",
     kAnalysis},
    {"SYNTAX_DISCONTINUED.BANG_EQUALS_NOT", "42601",
     "Support of the clause or keyword: <clause> has been discontinued in this context. The '!' keyword is only "
     "supported as an alias for the prefix operator 'NOT'. To re-enable the '!' keyword, set "
     "\"spark.sql.legacy.bangEqualsNot\" to \"true\".",
     kParse},
    {"TABLE_OR_VIEW_ALREADY_EXISTS", "42P07", "Cannot create table or view <relationName> because it already exists.",
     kAnalysis},
    {"TABLE_OR_VIEW_NOT_FOUND", "42P01", "The table or view <relationName> cannot be found.", kAnalysis},
    {"TABLE_VALUED_FUNCTION_FAILED_TO_ANALYZE_IN_PYTHON", "38000",
     "Failed to analyze the Python user defined table function: <msg>", kAnalysis},
    {"TABLE_VALUED_FUNCTION_REQUIRED_METADATA_INCOMPATIBLE_WITH_CALL", "22023",
     "Failed to evaluate the table function <functionName> because its table metadata <requestedMetadata>, but the "
     "function call <invalidFunctionCallProperty>.",
     kAnalysis},
    {"TABLE_VALUED_FUNCTION_REQUIRED_METADATA_INVALID", "22023",
     "Failed to evaluate the table function <functionName> because its table metadata was invalid; <reason>.",
     kAnalysis},
    {"TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS", "54023",
     "There are too many table arguments for table-valued function. It allows one table argument, but got: <num>. If "
     "you want to allow it, please set \"spark.sql.allowMultipleTableArguments.enabled\" to \"true\"",
     kAnalysis},
    {"TASK_WRITE_FAILED", "58030", "Task failed while writing rows to <path>.", kSpark},
    {"TEMP_TABLE_OR_VIEW_ALREADY_EXISTS", "42P07",
     "Cannot create the temporary view <relationName> because it already exists.", kAnalysis},
    {"TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", "428EK",
     "CREATE TEMPORARY VIEW or the corresponding Dataset APIs only accept single-part view names, but got: "
     "<actualName>.",
     kParse},
    {"THETA_INVALID_INPUT_SKETCH_BUFFER", "22546",
     "Invalid call to <function>; only valid Theta sketch buffers are supported as inputs (such as those produced by "
     "the `theta_sketch_agg` function).",
     kSparkRuntime},
    {"THETA_INVALID_LG_NOM_ENTRIES", "22546",
     "Invalid call to <function>; the `lgNomEntries` value must be between <min> and <max>, inclusive: <value>.",
     kSparkRuntime},
    {"THETA_LG_NOM_ENTRIES_MUST_BE_CONSTANT", "42K0E",
     "Invalid call to <function>; the `lgNomEntries` value must be a constant value, but got a non-constant "
     "expression.",
     kSparkRuntime},
    {"TRAILING_COMMA_IN_SELECT", "42601", "Trailing comma detected in SELECT clause.", kAnalysis},
    {"TRANSPOSE_EXCEED_ROW_LIMIT", "54006",
     "Number of rows exceeds the allowed limit of <maxValues> for TRANSPOSE. If this was intended, set <config> to at "
     "least the current row count.",
     kAnalysis},
    {"TRANSPOSE_INVALID_INDEX_COLUMN", "42804", "Invalid index column for TRANSPOSE because: <reason>", kAnalysis},
    {"TRANSPOSE_NO_LEAST_COMMON_TYPE", "42K09",
     "Transpose requires non-index columns to share a least common type, but <dt1> and <dt2> do not.", kAnalysis},
    {"TUPLE_IS_EMPTY", "22004", "Due to Scala's limited support of tuple, empty tuple is not supported.",
     kUnsupportedOperation},
    {"TUPLE_SIZE_EXCEEDS_LIMIT", "54011",
     "Due to Scala's limited support of tuple, tuples with more than 22 elements are not supported.",
     kUnsupportedOperation},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> SToT() { return kTable; }

}  // namespace frazil::error_conditions
