#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"DATATYPE_CANNOT_ORDER", "0A000", "Type <dataType> does not support ordered operations.", kIllegalArgument},
    {"DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to <functionName> should have been <dataType> followed "
     "by a value with same element type, but it's [<leftType>, <rightType>].",
     kAnalysis},
    {"DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to function <functionName> should have been two "
     "<arrayType> with same element type, but it's [<leftType>, <rightType>].",
     kAnalysis},
    {"DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: the left and right operands of the binary operator have "
     "incompatible types (<left> and <right>).",
     kAnalysis},
    {"DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: the binary operator requires the input type <inputType>, not "
     "<actualDataType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.BLOOM_FILTER_BINARY_OP_WRONG_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The Bloom filter binary input to <functionName> should be "
     "either a constant value or a scalar subquery expression, but it's <actual>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.BLOOM_FILTER_WRONG_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to function <functionName> should have been "
     "<expectedLeft> followed by value with <expectedRight>, but it's [<actual>].",
     kAnalysis},
    {"DATATYPE_MISMATCH.CANNOT_CONVERT_TO_JSON", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Unable to convert column <name> of type <type> to JSON.",
     kAnalysis},
    {"DATATYPE_MISMATCH.CANNOT_DROP_ALL_FIELDS", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Cannot drop all fields in struct.", kAnalysis},
    {"DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: cannot cast <srcType> to <targetType>.", kAnalysis},
    {"DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: cannot cast <srcType> to <targetType> with ANSI mode on. If "
     "you have to cast <srcType> to <targetType>, you can set <config> as <configVal>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: cannot cast <srcType> to <targetType>. To convert values "
     "from <srcType> to <targetType>, you can use the functions <functionNames> instead.",
     kAnalysis},
    {"DATATYPE_MISMATCH.CREATE_MAP_KEY_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The given keys of function <functionName> should all be the "
     "same type, but they are <dataType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.CREATE_MAP_VALUE_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The given values of function <functionName> should all be "
     "the same type, but they are <dataType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Only foldable `STRING` expressions are allowed to appear at "
     "odd position, but they are <inputExprs>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.DATA_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to <functionName> should all be the same type, but "
     "it's <dataType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Filter expression <filter> of type <type> is not a boolean.",
     kAnalysis},
    {"DATATYPE_MISMATCH.HASH_MAP_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to the function <functionName> cannot contain elements "
     "of the \"MAP\" type. To restore previous behavior set \"spark.sql.legacy.allowHashOnMapType\" to \"true\".",
     kAnalysis},
    {"DATATYPE_MISMATCH.HASH_VARIANT_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to the function <functionName> cannot contain elements "
     "of the \"VARIANT\" type yet.",
     kAnalysis},
    {"DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Length of <exprName> should be 1.", kAnalysis},
    {"DATATYPE_MISMATCH.INVALID_ARG_VALUE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The <inputName> value must to be a <requireType> literal of "
     "<validValues>, but got <inputValue>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.INVALID_JSON_MAP_KEY_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input schema <schema> can only contain STRING as a key type "
     "for a MAP.",
     kAnalysis},
    {"DATATYPE_MISMATCH.INVALID_JSON_SCHEMA", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input schema <schema> must be a struct, an array, a map or a "
     "variant.",
     kAnalysis},
    {"DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The key of map cannot be/contain <keyType>.", kAnalysis},
    {"DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The <functionName> does not support ordering on type "
     "<dataType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.INVALID_ROW_LEVEL_OPERATION_ASSIGNMENTS", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: <errors>", kAnalysis},
    {"DATATYPE_MISMATCH.INVALID_XML_MAP_KEY_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input schema <schema> can only contain STRING as a key type "
     "for a MAP.",
     kAnalysis},
    {"DATATYPE_MISMATCH.INVALID_XML_SCHEMA", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input schema <schema> must be a struct or a variant.",
     kAnalysis},
    {"DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The data type of one or more elements in the left hand side "
     "of an IN subquery is not compatible with the data type of the output of the subquery. Mismatched columns: "
     "[<mismatchedColumns>], left side: [<leftType>], right side: [<rightType>].",
     kAnalysis},
    {"DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The number of columns in the left hand side of an IN "
     "subquery does not match the number of columns in the output of subquery. Left hand side columns(length: "
     "<leftLength>): [<leftColumns>], right hand side columns(length: <rightLength>): [<rightColumns>].",
     kAnalysis},
    {"DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The <functionName> should all be of type map, but it's "
     "<dataType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to <functionName> should have been <dataType> followed "
     "by a value with same key type, but it's [<leftType>, <rightType>].",
     kAnalysis},
    {"DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Input to the <functionName> should have been two maps with "
     "compatible key types, but it's [<leftType>, <rightType>].",
     kAnalysis},
    {"DATATYPE_MISMATCH.NON_FOLDABLE_INPUT", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: the input <inputName> should be a foldable <inputType> "
     "expression; however, got <inputExpr>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.NON_STRING_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: all arguments of the function <funcName> must be strings.",
     kAnalysis},
    {"DATATYPE_MISMATCH.NON_STRUCT_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: the input <inputName> should be a struct expression; "
     "however, got <inputType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.NULL_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Null typed values cannot be used as arguments of "
     "<functionName>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The <leftExprName>(<leftExprValue>) must be <constraint> the "
     "<rightExprName>(<rightExprValue>).",
     kAnalysis},
    {"DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The data type <orderSpecType> used in the order "
     "specification does not support the data type <valueBoundaryType> which is used in the range frame.",
     kAnalysis},
    {"DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: A range window frame with value boundaries cannot be used in "
     "a window specification with multiple order by expressions: <orderSpec>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.RANGE_FRAME_WITHOUT_ORDER", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: A range window frame cannot be used in an unordered window "
     "specification.",
     kAnalysis},
    {"DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: <functionName> uses the wrong parameter type. If start and "
     "stop expressions resolve to the <startType> type, then the step expression must resolve to the <stepType> type. "
     "3. Otherwise, if start and stop expressions resolve to the <otherStartType> type, then the step expression must "
     "resolve to the same type.",
     kAnalysis},
    {"DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Window frame bounds <lower> and <upper> do not have the same "
     "type: <lowerType> <> <upperType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Window frame upper bound <upper> does not follow the lower "
     "bound <lower>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The data type of the <location> bound <exprType> does not "
     "match the expected data type <expectedType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WITHOUT_FOLDABLE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: Window frame <location> bound <expression> is not a literal.",
     kAnalysis},
    {"DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The lower bound of a window frame must be <comparison> to "
     "the upper bound.",
     kAnalysis},
    {"DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The data type of the column (<columnIndex>) do not have the "
     "same type: <leftType> (<leftParamIndex>) <> <rightType> (<rightParamIndex>).",
     kAnalysis},
    {"DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: <msg><hint>.", kAnalysis},
    {"DATATYPE_MISMATCH.UNEXPECTED_CLASS_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: class <className> not found.", kAnalysis},
    {"DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The <paramIndex> parameter requires the <requiredType> type, "
     "however <inputSql> has the type <inputType>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.UNEXPECTED_NULL", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The <exprName> must not be null.", kAnalysis},
    {"DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The <functionName> requires return <expectedType> type, but "
     "the actual is <actualType> type.",
     kAnalysis},
    {"DATATYPE_MISMATCH.UNEXPECTED_STATIC_METHOD", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: cannot find a static method <methodName> that matches the "
     "argument types in <className>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The input of <functionName> can't be <dataType> type data.",
     kAnalysis},
    {"DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The <exprName> must be between <valueRange> (current value = "
     "<currentValue>).",
     kAnalysis},
    {"DATATYPE_MISMATCH.WRONG_NUM_ARG_TYPES", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The expression requires <expectedNum> argument types but the "
     "actual number is <actualNum>.",
     kAnalysis},
    {"DATATYPE_MISMATCH.WRONG_NUM_ENDPOINTS", "42K09",
     "Cannot resolve <sqlExpr> due to data type mismatch: The number of endpoints must be >= 2 to construct intervals "
     "but the actual number is <actualNumber>.",
     kAnalysis},
    {"DATATYPE_MISSING_SIZE", "42K01", "DataType <type> requires a length parameter, for example <type>(10).", kParse},
    {"DATA_SOURCE_ALREADY_EXISTS", "42710", "Data source '<provider>' already exists.", kAnalysis},
    {"DATA_SOURCE_EXTERNAL_ERROR", "KD010", "Encountered error when saving to external data source.", kAnalysis},
    {"DATA_SOURCE_NOT_EXIST", "42704", "Data source '<provider>' not found.", kAnalysis},
    {"DATA_SOURCE_NOT_FOUND", "42K02", "Failed to find the data source: <provider>.", kSpark},
    {"DATA_SOURCE_TABLE_SCHEMA_MISMATCH", "42K03",
     "The schema of the data source table does not match the expected schema. Data Source schema: <dsSchema> Expected "
     "schema: <expectedSchema>",
     kAnalysis},
    {"DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION", "22023", "<rangeMessage>.", kDateTime},
    {"DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION", "22023",
     "<rangeMessage>. If necessary set <ansiConfig> to \"false\" to bypass this error.", kDateTime},
    {"DATETIME_OVERFLOW", "22008", "Datetime operation overflow: <operation>.", kArithmetic},
    {"DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "22003",
     "Decimal precision <precision> exceeds max precision <maxPrecision>.", kArithmetic},
    {"DEFAULT_DATABASE_NOT_EXISTS", "42704",
     "Default database <defaultDatabase> does not exist, please create it first or change default database to "
     "`<defaultDatabase>`.",
     kSpark},
    {"DEFAULT_PLACEMENT_INVALID", "42608",
     "A DEFAULT keyword in a MERGE, INSERT, UPDATE, or SET VARIABLE command could not be directly assigned to a target "
     "column because it was part of an expression.",
     kAnalysis},
    {"DEFAULT_UNSUPPORTED", "42623",
     "Failed to execute <statementType> command because DEFAULT values are not supported for target data source with "
     "table provider: \"<dataSource>\".",
     kAnalysis},
    {"DESCRIBE_JSON_NOT_EXTENDED", "0A000",
     "DESCRIBE TABLE ... For example: DESCRIBE EXTENDED <tableName> AS JSON is supported but DESCRIBE <tableName> AS "
     "JSON is not.",
     kParse},
    {"DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE", "55019",
     "The streaming query was reading from an unexpected Delta table (id = '<newTableId>'). \nIt used to read from "
     "another Delta table (id = '<oldTableId>') according to checkpoint. \nThis may happen when you changed the code "
     "to read from a new table or you deleted and \nre-created a table. Please revert your change or delete your "
     "streaming query checkpoint \nto restart from scratch.",
     kSpark},
    {"DISTINCT_WINDOW_FUNCTION_UNSUPPORTED", "0A000", "Distinct window functions are not supported: <windowExpr>.",
     kAnalysis},
    {"DIVIDE_BY_ZERO", "22012",
     "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead. If necessary set "
     "<config> to \"false\" to bypass this error.",
     kArithmetic},
    {"DUPLICATED_CTE_NAMES", "42602", "CTE definition can't have duplicate names: <duplicateNames>.", kParse},
    {"DUPLICATED_FIELD_NAME_IN_ARROW_STRUCT", "42713",
     "Duplicated field names in Arrow Struct are not allowed, got <fieldNames>.", kUnsupportedOperation},
    {"DUPLICATED_MAP_KEY", "23505",
     "Duplicate map key <key> was found, please check the input data.\nIf you want to remove the duplicated keys, you "
     "can set <mapKeyDedupPolicy> to \"LAST_WIN\" so that the key inserted at last takes precedence.",
     kSparkRuntime},
    {"DUPLICATED_METRICS_NAME", "42710", "The metric name is not unique: <metricName>.", kAnalysis},
    {"DUPLICATE_ASSIGNMENTS", "42701",
     "The columns or variables <nameList> appear more than once as assignment targets.", kAnalysis},
    {"DUPLICATE_CLAUSES", "42614", "Found duplicate clauses: <clauseName>.", kParse},
    {"DUPLICATE_CONDITION_IN_SCOPE", "42734", "Found duplicate condition <condition> in the scope.", kAnalysis},
    {"DUPLICATE_EXCEPTION_HANDLER.CONDITION", "42734",
     "Found duplicate handlers. Found duplicate handlers for the same condition <condition>.", kAnalysis},
    {"DUPLICATE_EXCEPTION_HANDLER.SQLSTATE", "42734",
     "Found duplicate handlers. Found duplicate handlers for the same SQLSTATE <sqlState>.", kAnalysis},
    {"DUPLICATE_KEY", "23505", "Found duplicate keys <keyColumn>.", kParse},
    {"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.BOTH_POSITIONAL_AND_NAMED", "4274K",
     "Call to routine <routineName> is invalid because it includes multiple argument assignments to the same parameter "
     "name <parameterName>. A positional argument and named argument both referred to the same parameter.",
     kAnalysis},
    {"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE", "4274K",
     "Call to routine <routineName> is invalid because it includes multiple argument assignments to the same parameter "
     "name <parameterName>. More than one named argument referred to the same parameter.",
     kAnalysis},
    {"DUPLICATE_ROUTINE_PARAMETER_NAMES", "42734",
     "Found duplicate name(s) in the parameter list of the user-defined routine <routineName>: <names>.", kAnalysis},
    {"DUPLICATE_ROUTINE_RETURNS_COLUMNS", "42711",
     "Found duplicate column(s) in the RETURNS clause column list of the user-defined routine <routineName>: "
     "<columns>.",
     kAnalysis},
    {"DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE", "42734",
     "Found duplicate variable <variableName> in the declare variable list.", kAnalysis},
    {"EMPTY_JSON_FIELD_VALUE", "42604", "Failed to parse an empty string for data type <dataType>.", kSparkRuntime},
    {"EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE", "0A000",
     "The <format> datasource does not support writing empty or nested empty schemas.", kAnalysis},
    {"END_LABEL_WITHOUT_BEGIN_LABEL", "42K0L", "End label <endLabel> can not exist without begin label.", kAnalysis},
    {"EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE", "42K09",
     "The event time <eventName> has the invalid type <eventType>, but expected \"TIMESTAMP\".", kAnalysis},
    {"EXCEED_LIMIT_LENGTH", "54006", "Exceeds char/varchar type length limitation: <limit>.", kSparkRuntime},
    {"EXCEPT_NESTED_COLUMN_INVALID_TYPE", "428H2",
     "EXCEPT column <columnName> was resolved and expected to be StructType, but found type <dataType>.", kAnalysis},
    {"EXCEPT_OVERLAPPING_COLUMNS", "42702",
     "Columns in an EXCEPT list must be distinct and non-overlapping, but got (<columns>).", kAnalysis},
    {"EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES", "42701",
     "The USING clause of this EXECUTE IMMEDIATE command contained multiple arguments with same alias (<aliases>), "
     "which is invalid; please update the command to specify unique aliases and then try it again.",
     kParse},
    {"EXPECT_PERMANENT_VIEW_NOT_TEMP", "42809", "'<operation>' expects a permanent view but <viewName> is a temp view.",
     kAnalysis},
    {"EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809", "'<operation>' expects a table but <viewName> is a view.",
     kAnalysis},
    {"EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", "42809",
     "'<operation>' expects a table but <viewName> is a view. Please use ALTER VIEW instead.", kAnalysis},
    {"EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", "42809", "The table <tableName> does not support <operation>.", kAnalysis},
    {"EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE", "42809",
     "The table <tableName> does not support <operation>. Please use ALTER TABLE instead.", kAnalysis},
    {"EXPRESSION_DECODING_FAILED", "42846", "Failed to decode a row to a value of the expressions: <expressions>.",
     kSparkRuntime},
    {"EXPRESSION_ENCODING_FAILED", "42846", "Failed to encode a value of the expressions: <expressions> to a row.",
     kSparkRuntime},
    {"EXPRESSION_TRANSLATION_TO_V2_IS_NOT_SUPPORTED", "0A000",
     "Expression <expr> cannot be translated to v2 expression.", kUnsupportedOperation},
    {"EXPRESSION_TYPE_IS_NOT_ORDERABLE", "42822",
     "Column expression <expr> cannot be sorted because its type <exprType> is not orderable.", kAnalysis},
    {"FAILED_EXECUTE_UDF", "39000",
     "User defined function (<functionName>: (<signature>) => <result>) failed due to: <reason>.", kSpark},
    {"FAILED_FUNCTION_CALL", "38000", "Failed preparing of the function <funcName> for call.", kAnalysis},
    {"FAILED_PARSE_STRUCT_TYPE", "22018", "Failed parsing struct: <raw>.", kSparkRuntime},
    {"FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", "KD001",
     "Encountered error while reading file <path>. Could not read footer.", kSpark},
    {"FAILED_READ_FILE.FILE_NOT_EXIST", "KD001", "Encountered error while reading file <path>. File does not exist.",
     kSpark},
    {"FAILED_READ_FILE.NO_HINT", "KD001", "Encountered error while reading file <path>.", kSpark},
    {"FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH", "KD001",
     "Encountered error while reading file <path>. Data type mismatches when reading Parquet column <column>. Expected "
     "Spark type <expectedType>, actual Parquet type <actualType>.",
     kSpark},
    {"FAILED_READ_FILE.UNSUPPORTED_FILE_SYSTEM", "KD001",
     "Encountered error while reading file <path>. The file system <fileSystemClass> hasn't implemented <method>.",
     kAnalysis},
    {"FAILED_RENAME_PATH", "42K04", "Failed to rename <sourcePath> to <targetPath> as destination already exists.",
     kSpark},
    {"FAILED_RENAME_TEMP_FILE", "58030",
     "Failed to rename temp file <srcPath> to <dstPath> as FileSystem.rename returned false.", kSpark},
    {"FAILED_ROW_TO_JSON", "2203G",
     "Failed to convert the row value <value> of the class <class> to the target SQL type <sqlType> in the JSON "
     "format.",
     kIllegalArgument},
    {"FAILED_TO_CREATE_PLAN_FOR_DIRECT_QUERY", "58030",
     "Failed to create plan for direct query on files: <dataSourceType>", kAnalysis},
    {"FAILED_TO_LOAD_ROUTINE", "38000", "Failed to load routine <routineName>.", kAnalysis},
    {"FAILED_TO_PARSE_TOO_COMPLEX", "54001",
     "The statement, including potential SQL functions and referenced views, was too complex to parse.", kParse},
    {"FEATURE_NOT_ENABLED", "56038",
     "The feature <featureName> is not enabled. Consider setting the config <configKey> to <configValue> to enable "
     "this capability.",
     kParse},
    {"FIELD_ALREADY_EXISTS", "42710", "Cannot <op> column, because <fieldNames> already exists in <struct>.",
     kAnalysis},
    {"FIELD_NOT_FOUND", "42704", "No such struct field <fieldName> in <fields>.", kAnalysis},
    {"FORBIDDEN_OPERATION", "42809", "The operation <statement> is not allowed on the <objectType>: <objectName>.",
     kAnalysis},
    {"FOREACH_BATCH_USER_FUNCTION_ERROR", "39000",
     "An error occurred in the user provided function in foreach batch sink. Reason: <reason>", kSpark},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> DToF() { return kTable; }

}  // namespace frazil::error_conditions
