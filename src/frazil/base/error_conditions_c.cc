#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"CALL_ON_STREAMING_DATASET_UNSUPPORTED", "42KDE",
     "The method <methodName> can not be called on streaming Dataset/DataFrame.", kAnalysis},
    {"CANNOT_ALTER_COLLATION_BUCKET_COLUMN", "428FR",
     "ALTER TABLE (ALTER|CHANGE) COLUMN cannot change collation of type/subtypes of bucket columns, but found the "
     "bucket column <columnName> in the table <tableName>.",
     kAnalysis},
    {"CANNOT_ALTER_PARTITION_COLUMN", "428FR",
     "ALTER TABLE (ALTER|CHANGE) COLUMN is not supported for partition columns, but found the partition column "
     "<columnName> in the table <tableName>.",
     kAnalysis},
    {"CANNOT_CAST_DATATYPE", "42846", "Cannot cast <sourceType> to <targetType>.", kSpark},
    {"CANNOT_DECODE_URL", "22546", "The provided URL cannot be decoded: <url>.", kIllegalArgument},
    {"CANNOT_LOAD_FUNCTION_CLASS", "46103",
     "Cannot load class <className> when registering the function <functionName>, please make sure it is on the "
     "classpath.",
     kAnalysis},
    {"CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", "42825", "Failed to merge incompatible data types <left> and <right>.",
     kSpark},
    {"CANNOT_MERGE_SCHEMAS", "42KD9",
     "Failed merging schemas: Initial schema: <left> Schema that cannot be merged with the initial schema: <right>.",
     kSpark},
    {"CANNOT_MODIFY_CONFIG", "46110",
     "Cannot modify the value of the Spark config: <key>. See also "
     "'<docroot>/sql-migration-guide.html#ddl-statements'.",
     kAnalysis},
    {"CANNOT_MODIFY_STATIC_CONFIG", "46110", "Cannot modify the value of the static Spark config: <key>.", kAnalysis},
    {"CANNOT_PARSE_DECIMAL", "22018", "Cannot parse decimal.", kSparkRuntime},
    {"CANNOT_PARSE_INTERVAL", "22006", "Unable to parse <intervalString>.", kAnalysis},
    {"CANNOT_PARSE_JSON_FIELD", "2203G",
     "Cannot parse the field name <fieldName> and the value <fieldValue> of the JSON token type <jsonType> to target "
     "Spark data type <dataType>.",
     kSparkRuntime},
    {"CANNOT_PARSE_TIME", "22010",
     "The input string <input> cannot be parsed to a TIME value because it does not match to the datetime format "
     "<format>.",
     kDateTime},
    {"CANNOT_PARSE_TIMESTAMP", "22007",
     "<message>. Use <func> to tolerate invalid input string and return NULL instead.", kDateTime},
    {"CANNOT_RECOGNIZE_HIVE_TYPE", "429BB", "Cannot recognize hive type string: <fieldType>, column: <fieldName>.",
     kSpark},
    {"CANNOT_REMOVE_RESERVED_PROPERTY", "42000", "Cannot remove reserved property: <property>.", kUnsupportedOperation},
    {"CANNOT_RENAME_ACROSS_SCHEMA", "0AKD0", "Renaming a <type> across schemas is not allowed.", kUnsupportedOperation},
    {"CANNOT_RESOLVE_DATAFRAME_COLUMN", "42704", "Cannot resolve dataframe column <name>.", kAnalysis},
    {"CANNOT_RESOLVE_STAR_EXPAND", "42704", "Cannot resolve <targetString>.* given input columns <columns>.",
     kAnalysis},
    {"CANNOT_UPDATE_FIELD.ARRAY_TYPE", "0A000",
     "Cannot update <table> field <fieldName> type: Update the element by updating <fieldName>.element.", kAnalysis},
    {"CANNOT_UPDATE_FIELD.INTERVAL_TYPE", "0A000",
     "Cannot update <table> field <fieldName> type: Update an interval by updating its fields.", kAnalysis},
    {"CANNOT_UPDATE_FIELD.MAP_TYPE", "0A000",
     "Cannot update <table> field <fieldName> type: Update a map by updating <fieldName>.key or <fieldName>.value.",
     kAnalysis},
    {"CANNOT_UPDATE_FIELD.STRUCT_TYPE", "0A000",
     "Cannot update <table> field <fieldName> type: Update a struct by updating its fields.", kAnalysis},
    {"CANNOT_UPDATE_FIELD.USER_DEFINED_TYPE", "0A000",
     "Cannot update <table> field <fieldName> type: Update a UserDefinedType[<udtSql>] by updating its fields.",
     kAnalysis},
    {"CANNOT_UPDATE_PARTITION_COLUMNS", "42000",
     "Declared partitioning <requestedPartitionColumns> conflicts with existing table partitioning "
     "<existingPartitionColumns>.",
     kAnalysis},
    {"CANNOT_UP_CAST_DATATYPE", "42846", "Cannot up cast <expression> from <sourceType> to <targetType>. <details>",
     kAnalysis},
    {"CAST_INVALID_INPUT", "22018",
     "The value <expression> of the type <sourceType> cannot be cast to <targetType> because it is malformed. Correct "
     "the value as per the syntax, or change its target type. Use `try_cast` to tolerate malformed input and return "
     "NULL instead.",
     kNumberFormat},
    {"CAST_OVERFLOW", "22003",
     "The value <value> of the type <sourceType> cannot be cast to <targetType> due to an overflow. Use `try_cast` to "
     "tolerate overflow and return NULL instead.",
     kArithmetic},
    {"CAST_OVERFLOW_IN_TABLE_INSERT", "22003",
     "Fail to assign a value of <sourceType> type to the <targetType> type column or variable <columnName> due to an "
     "overflow. Use `try_cast` on the input value to tolerate overflow and return NULL instead.",
     kArithmetic},
    {"CATALOG_NOT_FOUND", "42P08",
     "The catalog <catalogName> not found. Consider to set the SQL config <config> to a catalog plugin.", kSpark},
    {"CHECK_CONSTRAINT_VIOLATION", "23001",
     "CHECK constraint <constraintName> <expression> violated by row with values: <values>", kSparkRuntime},
    {"CLUSTERING_COLUMNS_MISMATCH", "42P10",
     "Specified clustering does not match that of the existing table <tableName>. Specified clustering columns: "
     "[<specifiedClusteringString>]. Existing clustering columns: [<existingClusteringString>].",
     kAnalysis},
    {"CLUSTERING_NOT_SUPPORTED", "42000", "'<operation>' does not support clustering.", kAnalysis},
    {"CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION", "56038",
     "The codec <codecName> is not available. Available codecs are <availableCodecs>.", kIllegalArgument},
    {"CODEC_NOT_AVAILABLE.WITH_CONF_SUGGESTION", "56038",
     "The codec <codecName> is not available. Consider to set the config <configKey> to <configVal>.", kAnalysis},
    {"CODEC_SHORT_NAME_NOT_FOUND", "42704", "Cannot find a short name for the codec <codecName>.", kIllegalArgument},
    {"COLLATION_INVALID_NAME", "42704",
     "The value <collationName> does not represent a correct collation name. Suggested valid collation names: "
     "[<proposals>].",
     kSpark},
    {"COLLATION_INVALID_PROVIDER", "42704",
     "The value <provider> does not represent a correct collation provider. Supported providers are: "
     "[<supportedProviders>].",
     kSpark},
    {"COLLATION_MISMATCH.EXPLICIT", "42P21",
     "Could not determine which collation to use for string functions and operators. Error occurred due to the "
     "mismatch between explicit collations: [<explicitTypes>].",
     kAnalysis},
    {"COLLATION_MISMATCH.IMPLICIT", "42P21",
     "Could not determine which collation to use for string functions and operators. Error occurred due to the "
     "mismatch between implicit collations: [<implicitTypes>].",
     kAnalysis},
    {"COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION", "54000",
     "Can't create array with <numberOfElements> elements which exceeding the array size limit "
     "<maxRoundedArrayLength>, unsuccessful try to create arrays in the function <functionName>.",
     kSparkRuntime},
    {"COLLECTION_SIZE_LIMIT_EXCEEDED.INITIALIZE", "54000",
     "Can't create array with <numberOfElements> elements which exceeding the array size limit "
     "<maxRoundedArrayLength>, cannot initialize an array with specified parameters.",
     kIllegalArgument},
    {"COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER", "54000",
     "Can't create array with <numberOfElements> elements which exceeding the array size limit "
     "<maxRoundedArrayLength>, the value of parameter(s) <parameter> in the function <functionName> is invalid.",
     kSparkRuntime},
    {"COLUMN_ALIASES_NOT_ALLOWED", "42601", "Column aliases are not allowed in <op>.", kParse},
    {"COLUMN_ALREADY_EXISTS", "42711", "The column <columnName> already exists.", kAnalysis},
    {"COLUMN_ARRAY_ELEMENT_TYPE_MISMATCH", "0A000",
     "Some values in field <pos> are incompatible with the column array type. Expected type <type>.", kSpark},
    {"COLUMN_NOT_DEFINED_IN_TABLE", "42703",
     "<colType> column <colName> is not defined in table <tableName>, defined table columns are: <tableCols>.",
     kAnalysis},
    {"COLUMN_NOT_FOUND", "42703",
     "The column <colName> cannot be found. Verify the spelling and correctness of the column name according to the "
     "SQL config <caseSensitiveConfig>.",
     kAnalysis},
    {"COLUMN_ORDINAL_OUT_OF_BOUNDS", "22003",
     "Column ordinal out of bounds. The number of columns in the table is <attributesLength>, but the column ordinal "
     "is <ordinal>. Attributes are the following: <attributes>.",
     kAnalysis},
    {"COMPARATOR_RETURNS_NULL", "22004",
     "The comparator has returned a NULL for a comparison between <firstValue> and <secondValue>. To revert to "
     "deprecated behavior where NULL is treated as 0 (equal), you must set "
     "\"spark.sql.legacy.allowNullComparisonResultInArraySort\" to \"true\".",
     kSpark},
    {"COMPLEX_EXPRESSION_UNSUPPORTED_INPUT.BAD_INPUTS", "42K09",
     "Cannot process input data types for the expression: <expression>. The input data types to <functionName> must be "
     "valid, but found the input types <dataType>.",
     kIllegalArgument},
    {"COMPLEX_EXPRESSION_UNSUPPORTED_INPUT.MISMATCHED_TYPES", "42K09",
     "Cannot process input data types for the expression: <expression>. All input types must be the same except "
     "nullable, containsNull, valueContainsNull flags, but found the input types <inputTypes>.",
     kAnalysis},
    {"COMPLEX_EXPRESSION_UNSUPPORTED_INPUT.NO_INPUTS", "42K09",
     "Cannot process input data types for the expression: <expression>. The collection of input data types must not be "
     "empty.",
     kAnalysis},
    {"CONCURRENT_QUERY", "0A000", "Another instance of this query was just started by a concurrent session.", kSpark},
    {"CONCURRENT_STREAM_LOG_UPDATE", "40000",
     "Concurrent update to the log. Multiple streaming jobs detected for <batchId>.\nPlease make sure only one "
     "streaming job runs on a specific checkpoint location at a time.",
     kSpark},
    {"CONFLICTING_DIRECTORY_STRUCTURES", "KD009",
     "Conflicting directory structures detected. Suspicious paths: <discoveredBasePaths> If provided paths are "
     "partition directories, please set \"basePath\" in the options of the data source to specify the root directory "
     "of the table.",
     kSparkRuntime},
    {"CONFLICTING_PARTITION_COLUMN_NAMES", "KD009",
     "Conflicting partition column names detected: <distinctPartColLists> For partitioned table directories, data "
     "files should only live in leaf directories. Please check the following directories for unexpected files or "
     "inconsistent partition column names: <suspiciousPaths>",
     kSparkRuntime},
    {"CONFLICTING_PARTITION_COLUMN_NAME_WITH_RESERVED", "KD009",
     "Partition column name '<partitionColumnName>' conflicts with reserved column name. The schema of <tableName> is "
     "Hive-incompatible, Spark automatically generates a reserved column '<partitionColumnName>' to store the table in "
     "a specific way.",
     kAnalysis},
    {"CONNECT.INTERCEPTOR_CTOR_MISSING", "56K00",
     "Generic Spark Connect error. Cannot instantiate GRPC interceptor because <cls> is missing a default constructor "
     "without arguments.",
     kAnalysis},
    {"CONNECT.INTERCEPTOR_RUNTIME_ERROR", "56K00",
     "Generic Spark Connect error. Error instantiating GRPC interceptor: <msg>", kAnalysis},
    {"CONNECT.PLUGIN_CTOR_MISSING", "56K00",
     "Generic Spark Connect error. Cannot instantiate Spark Connect plugin because <cls> is missing a default "
     "constructor without arguments.",
     kAnalysis},
    {"CONNECT.PLUGIN_RUNTIME_ERROR", "56K00",
     "Generic Spark Connect error. Error instantiating Spark Connect plugin: <msg>", kAnalysis},
    {"CONNECT.SESSION_NOT_SAME", "56K00",
     "Generic Spark Connect error. Both Datasets must belong to the same SparkSession.", kAnalysis},
    {"CONNECT_INVALID_PLAN.CANNOT_PARSE", "56K00",
     "The Spark Connect plan is invalid. Cannot decompress or parse the input plan (<errorMsg>) This may be caused by "
     "a corrupted compressed plan.",
     kAnalysis},
    {"CONNECT_INVALID_PLAN.PLAN_SIZE_LARGER_THAN_MAX", "56K00",
     "The Spark Connect plan is invalid. The plan size is larger than max (<planSize> vs. <maxPlanSize>) This "
     "typically occurs when building very complex queries with many operations, large literals, or deeply nested "
     "expressions.",
     kAnalysis},
    {"CONNECT_INVALID_PLAN.UDT_JVM_CLASS_NOT_UDT", "56K00",
     "The Spark Connect plan is invalid. The 'jvm_class' <jvmClass> in the UDT is not a subclass of UserDefinedType.",
     kAnalysis},
    {"CONSTRAINT_ALREADY_EXISTS", "42710",
     "Constraint '<constraintName>' already exists. Existing constraint: <oldConstraint>", kAnalysis},
    {"CONSTRAINT_DOES_NOT_EXIST", "42704",
     "Cannot drop nonexistent constraint <constraintName> from table <tableName>.", kAnalysis},
    {"CONVERSION_INVALID_INPUT", "22018",
     "The value <str> (<fmt>) cannot be converted to <targetType> because it is malformed. Use <suggestion> to "
     "tolerate malformed input and return NULL instead.",
     kIllegalArgument},
    {"CORRUPTED_CATALOG_FUNCTION", "0A000",
     "Cannot convert the catalog function '<identifier>' into a SQL function due to corrupted function information in "
     "catalog. If the function is not a SQL function, please make sure the class name '<className>' is loadable.",
     kAnalysis},
    {"CREATE_PERMANENT_VIEW_WITHOUT_ALIAS", "0A000",
     "Not allowed to create the permanent view <name> without explicitly assigning an alias for the expression <attr>.",
     kAnalysis},
    {"CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE", "42710",
     "CREATE TABLE column <columnName> specifies descriptor \"<optionName>\" more than once, which is invalid.",
     kAnalysis},
    {"CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS", "21S01",
     "Cannot create view <viewName>, the reason is not enough data columns: View columns: <viewColumns>. Data columns: "
     "<dataColumns>.",
     kAnalysis},
    {"CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS", "21S01",
     "Cannot create view <viewName>, the reason is too many data columns: View columns: <viewColumns>. Data columns: "
     "<dataColumns>.",
     kAnalysis},
    {"CYCLIC_FUNCTION_REFERENCE", "42887", "Cyclic function reference detected: <path>.", kAnalysis},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> C() { return kTable; }

}  // namespace frazil::error_conditions
