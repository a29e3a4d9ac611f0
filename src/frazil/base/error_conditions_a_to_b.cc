#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"ADD_DEFAULT_UNSUPPORTED", "42623",
     "Failed to execute <statementType> command because DEFAULT values are not supported when adding new columns to "
     "previously existing target data source with table provider: \"<dataSource>\".",
     kAnalysis},
    {"AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION", "42845",
     "Non-deterministic expression <sqlExpr> should not appear in the arguments of an aggregate function.", kAnalysis},
    {"AGGREGATE_OUT_OF_MEMORY", "82001", "No enough memory for aggregation", kAnalysis},
    {"ALL_PARAMETERS_MUST_BE_NAMED", "07001",
     "Using name parameterized queries requires all parameters to be named. Parameters missing names: <exprs>.",
     kAnalysis},
    {"ALL_PARTITION_COLUMNS_NOT_ALLOWED", "KD005", "Cannot use all columns for partition columns.", kAnalysis},
    {"ALTER_TABLE_COLUMN_DESCRIPTOR_DUPLICATE", "42710",
     "ALTER TABLE <type> column <columnName> specifies descriptor \"<optionName>\" more than once, which is invalid.",
     kAnalysis},
    {"AMBIGUOUS_ALIAS_IN_NESTED_CTE", "42KD0",
     "Name <name> is ambiguous in nested CTE. Please set <config> to \"CORRECTED\" so that name defined in inner CTE "
     "takes precedence. See '<docroot>/sql-migration-guide.html#query-engine'.",
     kAnalysis},
    {"AMBIGUOUS_COLUMN_OR_FIELD", "42702", "Column or field <name> is ambiguous and has <n> matches.", kAnalysis},
    {"AMBIGUOUS_COLUMN_REFERENCE", "42702", "Column <name> is ambiguous.", kAnalysis},
    {"AMBIGUOUS_LATERAL_COLUMN_ALIAS", "42702", "Lateral column alias <name> is ambiguous and has <n> matches.",
     kAnalysis},
    {"AMBIGUOUS_REFERENCE", "42704", "Reference <name> is ambiguous, could be: <referenceNames>.", kAnalysis},
    {"AMBIGUOUS_REFERENCE_TO_FIELDS", "42000",
     "Ambiguous reference to the field <field>. It appears <count> times in the schema.", kAnalysis},
    {"APPROX_TOP_K_MAX_ITEMS_TRACKED_EXCEEDS_LIMIT", "22023",
     "The max items tracked `maxItemsTracked`(<maxItemsTracked>) of `approx_top_k` should be less than or equal to "
     "<limit>.",
     kSparkRuntime},
    {"APPROX_TOP_K_MAX_ITEMS_TRACKED_LESS_THAN_K", "22023",
     "The max items tracked `maxItemsTracked`(<maxItemsTracked>) of `approx_top_k` should be greater than or equal to "
     "`k`(<k>).",
     kSparkRuntime},
    {"APPROX_TOP_K_NON_POSITIVE_ARG", "22023",
     "The value of <argName> in `approx_top_k` must be a positive integer, but got <argValue>.", kSparkRuntime},
    {"APPROX_TOP_K_NULL_ARG", "22004", "The value of <argName> in `approx_top_k` cannot be NULL.", kSparkRuntime},
    {"APPROX_TOP_K_SKETCH_SIZE_NOT_MATCH", "42846",
     "Combining approx_top_k sketches of different sizes is not allowed. Found sketches of size <size1> and <size2>.",
     kSparkRuntime},
    {"APPROX_TOP_K_SKETCH_TYPE_NOT_MATCH", "42846",
     "Combining approx_top_k sketches of different types is not allowed. Found sketches of type <type1> and <type2>.",
     kSparkRuntime},
    {"ARITHMETIC_OVERFLOW", "22003",
     "<message>.<alternative> If necessary set <config> to \"false\" to bypass this error.", kArithmetic},
    {"ARROW_TYPE_MISMATCH", "42K0G", "Invalid schema from <operation>: expected <outputTypes>, got <actualDataTypes>.",
     kSpark},
    {"ARTIFACT_ALREADY_EXISTS", "42713",
     "The artifact <normalizedRemoteRelativePath> already exists. Please choose a different name for the new artifact "
     "because it cannot be overwritten.",
     kSparkRuntime},
    {"ASSIGNMENT_ARITY_MISMATCH", "42802",
     "The number of columns or variables assigned or aliased: <numTarget> does not match the number of source "
     "expressions: <numExpr>.",
     kAnalysis},
    {"AS_OF_JOIN.TOLERANCE_IS_NON_NEGATIVE", "42604",
     "Invalid as-of join. The input argument `tolerance` must be non-negative.", kAnalysis},
    {"AS_OF_JOIN.TOLERANCE_IS_UNFOLDABLE", "42604",
     "Invalid as-of join. The input argument `tolerance` must be a constant.", kAnalysis},
    {"AS_OF_JOIN.UNSUPPORTED_DIRECTION", "42604",
     "Invalid as-of join. Unsupported as-of join direction '<direction>'. Supported as-of join direction include: "
     "<supported>.",
     kAnalysis},
    {"AVRO_CANNOT_WRITE_NULL_FIELD", "22004",
     "Cannot write null value for field <name> defined as non-null Avro data type <dataType>. To allow null value for "
     "this field, specify its avro schema as a union type with \"null\" using `avroSchema` option.",
     kSparkRuntime},
    {"AVRO_INCOMPATIBLE_READ_TYPE", "22KD3",
     "Cannot convert Avro <avroPath> to SQL <sqlPath> because the original encoded data type is <avroType>, however "
     "you're trying to read the field as <sqlType>, which would lead to an incorrect answer. To allow reading this "
     "field, enable the SQL configuration: \"spark.sql.legacy.avro.allowIncompatibleSchema\".",
     kAnalysis},
    {"AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE", "22KD3",
     "Cannot call the <functionName> SQL function because the Avro data source is not loaded.", kAnalysis},
    {"BINARY_ARITHMETIC_OVERFLOW", "22003",
     "<value1> <symbol> <value2> caused overflow. Use <functionName> to ignore overflow problem and return NULL.",
     kArithmetic},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> AToB() { return kTable; }

}  // namespace frazil::error_conditions
