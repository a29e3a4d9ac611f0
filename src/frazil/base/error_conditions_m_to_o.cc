#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"MALFORMED_CHARACTER_CODING", "22000", "Invalid value found when performing <function> with <charset>",
     kSparkRuntime},
    {"MALFORMED_CSV_RECORD", "KD000", "Malformed CSV record: <badRecord>", kSparkRuntime},
    {"MALFORMED_LOG_FILE", "KD002", "Log file was malformed: failed to read correct log version from <text>.", kSpark},
    {"MALFORMED_RECORD_IN_PARSING.CANNOT_PARSE_JSON_ARRAYS_AS_STRUCTS", "22023",
     "Malformed records are detected in record parsing: <badRecord>. Parse Mode: <failFastMode>. Parsing JSON arrays "
     "as structs is forbidden.",
     kSparkRuntime},
    {"MALFORMED_RECORD_IN_PARSING.CANNOT_PARSE_STRING_AS_DATATYPE", "22023",
     "Malformed records are detected in record parsing: <badRecord>. Parse Mode: <failFastMode>. Cannot parse the "
     "value <fieldValue> of the field <fieldName> as target spark data type <targetType> from the input type "
     "<inputType>.",
     kSparkRuntime},
    {"MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "22023",
     "Malformed records are detected in record parsing: <badRecord>. Parse Mode: <failFastMode>.", kSpark},
    {"MALFORMED_VARIANT", "22023", "Variant binary is malformed.", kSparkRuntime},
    {"MERGE_CARDINALITY_VIOLATION", "23K01",
     "The ON search condition of the MERGE statement matched a single row from the target table with multiple rows of "
     "the source table.",
     kSparkRuntime},
    {"MERGE_WITHOUT_WHEN", "42601", "There must be at least one WHEN clause in a MERGE statement.", kParse},
    {"MISSING_AGGREGATION", "42803",
     "The non-aggregating expression <expression> is based on columns which are not participating in the GROUP BY "
     "clause. Add the columns or the expression to the GROUP BY, aggregate the expression, or use <expressionAnyValue> "
     "if you do not care which of the values within a group is returned.",
     kAnalysis},
    {"MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_APPEAR_IN_OPERATION", "XX000",
     "Resolved attribute(s) <missingAttributes> missing from <input> in operator <operator>. Attribute(s) with the "
     "same name appear in the operation: <operation>.",
     kAnalysis},
    {"MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT", "XX000",
     "Resolved attribute(s) <missingAttributes> missing from <input> in operator <operator>.", kAnalysis},
    {"MISSING_CATALOG_ABILITY.CREATE_FUNCTION", "0A000", "Catalog <plugin> does not support CREATE FUNCTION.",
     kAnalysis},
    {"MISSING_CATALOG_ABILITY.DROP_FUNCTION", "0A000", "Catalog <plugin> does not support DROP FUNCTION.", kAnalysis},
    {"MISSING_CATALOG_ABILITY.FUNCTIONS", "0A000", "Catalog <plugin> does not support functions.", kAnalysis},
    {"MISSING_CATALOG_ABILITY.NAMESPACES", "0A000", "Catalog <plugin> does not support namespaces.", kAnalysis},
    {"MISSING_CATALOG_ABILITY.PROCEDURES", "0A000", "Catalog <plugin> does not support procedures.", kAnalysis},
    {"MISSING_CATALOG_ABILITY.REFRESH_FUNCTION", "0A000", "Catalog <plugin> does not support REFRESH FUNCTION.",
     kAnalysis},
    {"MISSING_CATALOG_ABILITY.TABLES", "0A000", "Catalog <plugin> does not support tables.", kAnalysis},
    {"MISSING_CATALOG_ABILITY.TABLE_VALUED_FUNCTIONS", "0A000",
     "Catalog <plugin> does not support table-valued functions.", kAnalysis},
    {"MISSING_CATALOG_ABILITY.VIEWS", "0A000", "Catalog <plugin> does not support views.", kAnalysis},
    {"MISSING_DATABASE_FOR_V1_SESSION_CATALOG", "3F000", "Database name is not specified in the v1 session catalog.",
     kAnalysis},
    {"MISSING_GROUP_BY", "42803", "The query does not include a GROUP BY clause.", kAnalysis},
    {"MISSING_WINDOW_SPECIFICATION", "42P20",
     "Window specification is not defined in the WINDOW clause for <windowName>. For more information about WINDOW "
     "clauses, please refer to '<docroot>/sql-ref-syntax-qry-select-window.html'.",
     kAnalysis},
    {"MULTIPLE_PRIMARY_KEYS", "42P16", "Multiple primary keys are defined: <columns>.", kParse},
    {"MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS", "42000",
     "<clause1> and <clause2> cannot coexist in the same SQL pipe operator using '|>'.", kParse},
    {"MULTIPLE_TIME_TRAVEL_SPEC", "42K0E", "Cannot specify time travel in both the time travel clause and options.",
     kAnalysis},
    {"MULTI_ALIAS_WITHOUT_GENERATOR", "42K0E",
     "Multi part aliasing (<names>) is not supported with <expr> as it is not a generator function.", kAnalysis},
    {"MULTI_SOURCES_UNSUPPORTED_FOR_EXPRESSION", "42K0E",
     "The expression <expr> does not support more than one source.", kAnalysis},
    {"NAMED_PARAMETERS_NOT_SUPPORTED", "4274K",
     "Named parameters are not supported for function <functionName>; please retry the query with positional arguments "
     "to the function call instead.",
     kAnalysis},
    {"NAMED_PARAMETER_SUPPORT_DISABLED", "0A000",
     "Cannot call function <functionName> because named argument references are not enabled here. In this case, the "
     "named argument reference was <argument>. Set \"spark.sql.allowNamedFunctionArguments\" to \"true\" to turn on "
     "feature.",
     kAnalysis},
    {"NEGATIVE_SCALE_DISALLOWED", "0A000",
     "Negative scale is not allowed: '<scale>'. Set the config <sqlConf> to \"true\" to allow it.", kAnalysis},
    {"NEGATIVE_VALUES_IN_FREQUENCY_EXPRESSION", "22003",
     "Found the negative value in <frequencyExpression>: <negativeValue>, but expected a positive integral value.",
     kIllegalArgument},
    {"NESTED_AGGREGATE_FUNCTION", "42607",
     "It is not allowed to use an aggregate function in the argument of another aggregate function.", kAnalysis},
    {"NESTED_EXECUTE_IMMEDIATE", "07501",
     "Nested EXECUTE IMMEDIATE commands are not allowed. Please ensure that the SQL query provided (<sqlString>) does "
     "not contain another EXECUTE IMMEDIATE command.",
     kAnalysis},
    {"NEW_CHECK_CONSTRAINT_VIOLATION", "23512",
     "The new check constraint (<expression>) cannot be added because it would be violated by existing data in table "
     "<tableName>.",
     kSparkRuntime},
    {"NONEXISTENT_FIELD_NAME_IN_LIST", "HV091",
     "Field(s) <nonExistFields> do(es) not exist. Available fields: <fieldNames>", kIllegalArgument},
    {"NON_DETERMINISTIC_CHECK_CONSTRAINT", "42621", "The check constraint `<checkCondition>` is non-deterministic.",
     kAnalysis},
    {"NON_FOLDABLE_ARGUMENT", "42K08",
     "The function <funcName> requires the parameter <paramName> to be a foldable expression of the type <paramType>, "
     "but the actual argument is a non-foldable.",
     kAnalysis},
    {"NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION", "42613",
     "When there are more than one MATCHED clauses in a MERGE statement, only the last MATCHED clause can omit the "
     "condition.",
     kParse},
    {"NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION", "42613",
     "When there are more than one NOT MATCHED BY SOURCE clauses in a MERGE statement, only the last NOT MATCHED BY "
     "SOURCE clause can omit the condition.",
     kParse},
    {"NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION", "42613",
     "When there are more than one NOT MATCHED [BY TARGET] clauses in a MERGE statement, only the last NOT MATCHED [BY "
     "TARGET] clause can omit the condition.",
     kParse},
    {"NON_LITERAL_PIVOT_VALUES", "42K08", "Literal expressions required for pivot values, found <expression>.",
     kAnalysis},
    {"NON_PARTITION_COLUMN", "42000", "PARTITION clause cannot contain the non-partition column: <columnName>.",
     kAnalysis},
    {"NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING", "42KDE",
     "Window function is not supported in <windowFunc> (as column <columnName>) on streaming "
     "DataFrames/Datasets.\nStructured Streaming only supports time-window aggregation using the WINDOW function. "
     "(window specification: <windowSpec>)",
     kAnalysis},
    {"NOT_ALLOWED_IN_FROM.LATERAL_WITH_PIVOT", "42601", "Not allowed in the FROM clause: LATERAL together with PIVOT.",
     kParse},
    {"NOT_ALLOWED_IN_FROM.LATERAL_WITH_UNPIVOT", "42601",
     "Not allowed in the FROM clause: LATERAL together with UNPIVOT.", kParse},
    {"NOT_ALLOWED_IN_FROM.UNPIVOT_WITH_PIVOT", "42601", "Not allowed in the FROM clause: UNPIVOT together with PIVOT.",
     kParse},
    {"NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE.WINDOW_CLAUSE", "42601",
     "Not allowed in the pipe WHERE clause: WINDOW clause.", kParse},
    {"NOT_A_CONSTANT_STRING.NOT_CONSTANT", "42601",
     "The expression <expr> used for the routine or clause <name> must be a constant STRING which is NOT NULL. To be "
     "considered constant the expression must not depend on any columns, contain a subquery, or invoke a non "
     "deterministic function such as rand().",
     kAnalysis},
    {"NOT_A_CONSTANT_STRING.NULL", "42601",
     "The expression <expr> used for the routine or clause <name> must be a constant STRING which is NOT NULL. The "
     "expression evaluates to NULL.",
     kAnalysis},
    {"NOT_A_CONSTANT_STRING.WRONG_TYPE", "42601",
     "The expression <expr> used for the routine or clause <name> must be a constant STRING which is NOT NULL. The "
     "data type of the expression is <dataType>.",
     kAnalysis},
    {"NOT_A_PARTITIONED_TABLE", "42809",
     "Operation <operation> is not allowed for <tableIdentWithDB> because it is not a partitioned table.", kAnalysis},
    {"NOT_A_SCALAR_FUNCTION", "42887",
     "<functionName> appears as a scalar expression here, but the function was defined as a table function. Please "
     "update the query to move the function call into the FROM clause, or redefine <functionName> as a scalar function "
     "instead.",
     kAnalysis},
    {"NOT_A_TABLE_FUNCTION", "42887",
     "<functionName> appears as a table function here, but the function was defined as a scalar function. Please "
     "update the query to move the function call outside the FROM clause, or redefine <functionName> as a table "
     "function instead.",
     kAnalysis},
    {"NOT_NULL_ASSERT_VIOLATION", "42000",
     "NULL value appeared in non-nullable field: <walkedTypePath>If the schema is inferred from a Scala tuple/case "
     "class, or a Java bean, please try to use scala.Option[_] or other nullable types (such as java.lang.Integer "
     "instead of int/scala.Int).",
     kSparkRuntime},
    {"NOT_NULL_CONSTRAINT_VIOLATION.ARRAY_ELEMENT", "42000",
     "Assigning a NULL is not allowed here. The array <columnPath> is defined to contain only elements that are NOT "
     "NULL.",
     kAnalysis},
    {"NOT_NULL_CONSTRAINT_VIOLATION.MAP_VALUE", "42000",
     "Assigning a NULL is not allowed here. The map <columnPath> is defined to contain only values that are NOT NULL.",
     kAnalysis},
    {"NOT_SUPPORTED_CHANGE_COLUMN", "0A000",
     "ALTER TABLE ALTER/CHANGE COLUMN is not supported for changing <table>'s column <originName> with type "
     "<originType> to <newName> with type <newType>.",
     kAnalysis},
    {"NOT_SUPPORTED_CHANGE_SAME_COLUMN", "0A000",
     "ALTER TABLE ALTER/CHANGE COLUMN is not supported for changing <table>'s column <fieldName> including its nested "
     "fields multiple times in the same command.",
     kAnalysis},
    {"NOT_SUPPORTED_COMMAND_FOR_V2_TABLE", "0A000", "<cmd> is not supported for v2 tables.", kAnalysis},
    {"NOT_SUPPORTED_COMMAND_WITHOUT_HIVE_SUPPORT", "0A000",
     "<cmd> is not supported, if you want to enable it, please set \"spark.sql.catalogImplementation\" to \"hive\".",
     kAnalysis},
    {"NO_DEFAULT_COLUMN_VALUE_AVAILABLE", "42608",
     "Can't determine the default value for <colName> since it is not nullable and it has no default value.",
     kAnalysis},
    {"NO_MERGE_ACTION_SPECIFIED", "42K0E",
     "df.mergeInto needs to be followed by at least one of whenMatched/whenNotMatched/whenNotMatchedBySource.",
     kSparkRuntime},
    {"NULLABLE_COLUMN_OR_FIELD", "42000", "Column or field <name> is nullable while it's required to be non-nullable.",
     kAnalysis},
    {"NULLABLE_ROW_ID_ATTRIBUTES", "42000", "Row ID attributes cannot be nullable: <nullableRowIdAttrs>.", kAnalysis},
    {"NULL_DATA_SOURCE_OPTION", "22024", "Data source read/write option <option> cannot have null value.",
     kIllegalArgument},
    {"NULL_MAP_KEY", "2200E", "Cannot use null as map key.", kSparkRuntime},
    {"NULL_QUERY_STRING_EXECUTE_IMMEDIATE", "22004",
     "Execute immediate requires a non-null variable as the query string, but the provided variable <varName> is null.",
     kAnalysis},
    {"NUMERIC_OUT_OF_SUPPORTED_RANGE", "22003",
     "The value <value> cannot be interpreted as a numeric since it has more than 38 digits.", kArithmetic},
    {"NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION", "22003",
     "The <roundedValue> rounded half up from <originalValue> cannot be represented as Decimal(<precision>, <scale>).",
     kArithmetic},
    {"NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "22003",
     "<value> cannot be represented as Decimal(<precision>, <scale>). If necessary set <config> to \"false\" to bypass "
     "this error, and return NULL instead.",
     kArithmetic},
    {"NUM_COLUMNS_MISMATCH", "42826",
     "<operator> can only be performed on inputs with the same number of columns, but the first input has "
     "<firstNumColumns> columns and the <invalidOrdinalNum> input has <invalidNumColumns> columns.",
     kAnalysis},
    {"NUM_TABLE_VALUE_ALIASES_MISMATCH", "42826",
     "Number of given aliases does not match number of output columns. Function name: <funcName>; number of aliases: "
     "<aliasesNum>; number of output columns: <outColsNum>.",
     kAnalysis},
    {"OPERATION_CANCELED", "HY008", "Operation has been canceled.", kAnalysis},
    {"ORDER_BY_POS_OUT_OF_RANGE", "42805",
     "ORDER BY position <index> is not in select list (valid range is [1, <size>]).", kAnalysis},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> MToO() { return kTable; }

}  // namespace frazil::error_conditions
