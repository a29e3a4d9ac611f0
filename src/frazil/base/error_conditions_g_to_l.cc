#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

constexpr ErrorCondition kTable[] = {
    {"GENERATED_COLUMN_WITH_DEFAULT_VALUE", "42623",
     "A column cannot have both a default value and a generation expression but column <colName> has default value: "
     "(<defaultValue>) and generation expression: (<genExpr>).",
     kAnalysis},
    {"GEO_ENCODER_SRID_MISMATCH_ERROR", "42K09",
     "Failed to encode <type> value because provided SRID <valueSrid> of a value to encode does not match type SRID: "
     "<typeSrid>.",
     kSparkRuntime},
    {"GROUPING_COLUMN_MISMATCH", "42803",
     "Column of grouping (<grouping>) can't be found in grouping columns <groupingColumns>.", kAnalysis},
    {"GROUPING_ID_COLUMN_MISMATCH", "42803",
     "Columns of grouping_id (<groupingIdColumn>) does not match grouping columns (<groupByColumns>).", kAnalysis},
    {"GROUPING_SIZE_LIMIT_EXCEEDED", "54000", "Grouping sets size cannot be greater than <maxSize>.", kAnalysis},
    {"GROUP_BY_AGGREGATE", "42903", "Aggregate functions are not allowed in GROUP BY, but found <sqlExpr>.", kAnalysis},
    {"GROUP_BY_POS_AGGREGATE", "42903",
     "GROUP BY <index> refers to an expression <aggExpr> that contains an aggregate function.", kAnalysis},
    {"GROUP_BY_POS_OUT_OF_RANGE", "42805",
     "GROUP BY position <index> is not in select list (valid range is [1, <size>]).", kAnalysis},
    {"GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE", "42822",
     "The expression <sqlExpr> cannot be used as a grouping expression because its data type <dataType> is not an "
     "orderable data type.",
     kAnalysis},
    {"HLL_INVALID_INPUT_SKETCH_BUFFER", "22546",
     "Invalid call to <function>; only valid HLL sketch buffers are supported as inputs (such as those produced by the "
     "`hll_sketch_agg` function).",
     kSparkRuntime},
    {"HLL_INVALID_LG_K", "22546",
     "Invalid call to <function>; the `lgConfigK` value must be between <min> and <max>, inclusive: <value>.",
     kSparkRuntime},
    {"HLL_K_MUST_BE_CONSTANT", "42K0E",
     "Invalid call to <function>; the `K` value must be a constant value, but got a non-constant expression.",
     kSparkRuntime},
    {"HLL_UNION_DIFFERENT_LG_K", "22000",
     "Sketches have different `lgConfigK` values: <left> and <right>. Set the `allowDifferentLgConfigK` parameter to "
     "true to call <function> with different `lgConfigK` values.",
     kSparkRuntime},
    {"IDENTIFIER_TOO_MANY_NAME_PARTS", "42601",
     "<identifier> is not a valid identifier as it has more than <limit> name parts.", kParse},
    {"IDENTITY_COLUMNS_DUPLICATED_SEQUENCE_GENERATOR_OPTION", "42601",
     "Duplicated IDENTITY column sequence generator option: <sequenceGeneratorOption>.", kParse},
    {"IDENTITY_COLUMNS_ILLEGAL_STEP", "42611", "IDENTITY column step cannot be 0.", kParse},
    {"IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE", "428H2", "DataType <dataType> is not supported for IDENTITY columns.",
     kParse},
    {"IDENTITY_COLUMN_WITH_DEFAULT_VALUE", "42623",
     "A column cannot have both a default value and an identity column specification but column <colName> has default "
     "value: (<defaultValue>) and identity column specification: (<identityColumnSpec>).",
     kAnalysis},
    {"ILLEGAL_DAY_OF_WEEK", "22009", "Illegal input for day of week: <string>.", kIllegalArgument},
    {"INCOMPARABLE_PIVOT_COLUMN", "42818", "Invalid pivot column <columnName>.", kAnalysis},
    {"INCOMPATIBLE_BATCH_VIEW_READ", "42000",
     "View <datasetIdentifier> is a batch view and must be referenced using SparkSession#read.", kAnalysis},
    {"INCOMPATIBLE_COLUMN_CHANGES_AFTER_VIEW_WITH_PLAN_CREATION", "51024",
     "View <viewName> plan references table <tableName> whose <colType> columns changed since the view plan was "
     "initially captured. Column changes: <errors> This indicates the table has evolved and the view based on the plan "
     "must be recreated.",
     kAnalysis},
    {"INCOMPATIBLE_COLUMN_TYPE", "42825",
     "<operator> can only be performed on tables with compatible column types. The <columnOrdinalNumber> column of the "
     "<tableOrdinalNumber> table is <dataType1> type which is not compatible with <dataType2> at the same column of "
     "the first table.<hint>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.AMBIGUOUS_COLUMN_NAME", "KD000",
     "Cannot write incompatible data for the table <tableName>: Ambiguous column name in the input data <colName>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA", "KD000",
     "Cannot write incompatible data for the table <tableName>: Cannot find data for the output column <colName>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST", "KD000",
     "Cannot write incompatible data for the table <tableName>: Cannot safely cast <colName> <srcType> to "
     "<targetType>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS", "KD000",
     "Cannot write incompatible data for the table <tableName>: Cannot write extra columns <extraColumns>.", kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS", "KD000",
     "Cannot write incompatible data for the table <tableName>: Cannot write extra fields <extraFields> to the struct "
     "<colName>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_ARRAY_ELEMENTS", "KD000",
     "Cannot write incompatible data for the table <tableName>: Cannot write nullable elements to array of non-nulls: "
     "<colName>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_COLUMN", "KD000",
     "Cannot write incompatible data for the table <tableName>: Cannot write nullable values to non-null column "
     "<colName>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.NULLABLE_MAP_VALUES", "KD000",
     "Cannot write incompatible data for the table <tableName>: Cannot write nullable values to map of non-nulls: "
     "<colName>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.STRUCT_MISSING_FIELDS", "KD000",
     "Cannot write incompatible data for the table <tableName>: Struct <colName> missing fields: <missingFields>.",
     kAnalysis},
    {"INCOMPATIBLE_DATA_FOR_TABLE.UNEXPECTED_COLUMN_NAME", "KD000",
     "Cannot write incompatible data for the table <tableName>: Struct <colName> <order>-th field name does not match "
     "(may be out of order): expected <expected>, found <found>.",
     kAnalysis},
    {"INCOMPATIBLE_JOIN_TYPES", "42613", "The join types <joinType1> and <joinType2> are incompatible.", kParse},
    {"INCOMPATIBLE_TABLE_CHANGE_AFTER_ANALYSIS.COLUMNS_MISMATCH", "51024",
     "Detected incompatible changes to table <tableName> after DataFrame/Dataset has been resolved and analyzed, "
     "meaning the underlying plan is out of sync. Data columns have changed: <errors>",
     kAnalysis},
    {"INCOMPATIBLE_TABLE_CHANGE_AFTER_ANALYSIS.METADATA_COLUMNS_MISMATCH", "51024",
     "Detected incompatible changes to table <tableName> after DataFrame/Dataset has been resolved and analyzed, "
     "meaning the underlying plan is out of sync. Metadata columns have changed: <errors>",
     kAnalysis},
    {"INCOMPATIBLE_TABLE_CHANGE_AFTER_ANALYSIS.TABLE_ID_MISMATCH", "51024",
     "Detected incompatible changes to table <tableName> after DataFrame/Dataset has been resolved and analyzed, "
     "meaning the underlying plan is out of sync. Table ID has changed from <capturedTableId> to <currentTableId>.",
     kAnalysis},
    {"INCOMPATIBLE_VIEW_SCHEMA_CHANGE", "51024",
     "The SQL query of view <viewName> has an incompatible schema change and column <colName> cannot be resolved. "
     "Expected <expectedNum> columns named <colName> but got <actualCols>. Please try to re-create the view by "
     "running: <suggestion>.",
     kAnalysis},
    {"INCOMPLETE_TYPE_DEFINITION.ARRAY", "42K01",
     "Incomplete complex type: The definition of \"ARRAY\" type is incomplete. For example: \"ARRAY<elementType>\".",
     kParse},
    {"INCOMPLETE_TYPE_DEFINITION.MAP", "42K01",
     "Incomplete complex type: The definition of \"MAP\" type is incomplete. For example: \"MAP<TIMESTAMP, INT>\".",
     kParse},
    {"INCOMPLETE_TYPE_DEFINITION.STRUCT", "42K01",
     "Incomplete complex type: The definition of \"STRUCT\" type is incomplete. For example: \"STRUCT<name STRING, "
     "phone DECIMAL(10, 0)>\".",
     kParse},
    {"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION", "42K0B",
     "You may get a different result due to the upgrading to Spark >= 3.0: Fail to recognize <pattern> pattern in the "
     "DateTimeFormatter. 1) You can set <config> to \"LEGACY\" to restore the behavior before Spark 3.0. 2) You can "
     "form a valid datetime pattern with the guide from '<docroot>/sql-ref-datetime-pattern.html'.",
     kSparkUpgrade},
    {"INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN", "42K0B",
     "You may get a different result due to the upgrading to Spark >= 3.0: All week-based patterns are unsupported "
     "since Spark 3.0, detected week-based character: <c>.",
     kIllegalArgument},
    {"INCONSISTENT_BEHAVIOR_CROSS_VERSION.PARSE_DATETIME_BY_NEW_PARSER", "42K0B",
     "You may get a different result due to the upgrading to Spark >= 3.0: Fail to parse <datetime> in the new parser. "
     "You can set <config> to \"LEGACY\" to restore the behavior before Spark 3.0, or set to \"CORRECTED\" and treat "
     "it as an invalid datetime string.",
     kSparkUpgrade},
    {"INCONSISTENT_BEHAVIOR_CROSS_VERSION.READ_ANCIENT_DATETIME", "42K0B",
     "You may get a different result due to the upgrading to Spark >= 3.0: reading dates before 1582-10-15 or "
     "timestamps before 1900-01-01T00:00:00Z from <format> files can be ambiguous, as the files may be written by "
     "Spark 2.x or legacy versions of Hive, which uses a legacy hybrid calendar that is different from Spark 3.0+'s "
     "Proleptic Gregorian calendar. You can set the SQL config <config> or the datasource option <option> to "
     "\"LEGACY\" to rebase the datetime values w.r.t. the calendar difference during reading.",
     kSparkUpgrade},
    {"INCONSISTENT_BEHAVIOR_CROSS_VERSION.WRITE_ANCIENT_DATETIME", "42K0B",
     "You may get a different result due to the upgrading to Spark >= 3.0: writing dates before 1582-10-15 or "
     "timestamps before 1900-01-01T00:00:00Z into <format> files can be dangerous, as the files may be read by Spark "
     "2.x or legacy versions of Hive later, which uses a legacy hybrid calendar that is different from Spark 3.0+'s "
     "Proleptic Gregorian calendar. You can set <config> to \"LEGACY\" to rebase the datetime values w.r.t. the "
     "calendar difference during writing, to get maximum interoperability.",
     kSparkUpgrade},
    {"INDETERMINATE_COLLATION", "42P22", "Could not determine which collation to use for string operation.",
     kSparkRuntime},
    {"INDETERMINATE_COLLATION_IN_EXPRESSION", "42P22", "Data type of <expr> has indeterminate collation.", kAnalysis},
    {"INDETERMINATE_COLLATION_IN_SCHEMA", "42P22", "Schema contains indeterminate collation at: [<columnPaths>].",
     kAnalysis},
    {"INDEX_ALREADY_EXISTS", "42710",
     "Cannot create the index <indexName> on table <tableName> because it already exists.", kAnalysis},
    {"INDEX_NOT_FOUND", "42704", "Cannot find the index <indexName> on table <tableName>.", kAnalysis},
    {"INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS", "21S01",
     "Cannot write to <tableName>, the reason is not enough data columns: Table columns: <tableColumns>. Data columns: "
     "<dataColumns>.",
     kAnalysis},
    {"INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS", "21S01",
     "Cannot write to <tableName>, the reason is too many data columns: Table columns: <tableColumns>. Data columns: "
     "<dataColumns>.",
     kAnalysis},
    {"INSERT_PARTITION_COLUMN_ARITY_MISMATCH", "21S01",
     "Cannot write to '<tableName>', <reason>: Table columns: <tableColumns>. Partition columns with static values: "
     "<staticPartCols>. Data columns: <dataColumns>.",
     kAnalysis},
    {"INSUFFICIENT_TABLE_PROPERTY.MISSING_KEY", "XXKUC", "Can't find table property: <key>.", kAnalysis},
    {"INSUFFICIENT_TABLE_PROPERTY.MISSING_KEY_PART", "XXKUC",
     "Can't find table property: <key>, <totalAmountOfParts> parts are expected.", kAnalysis},
    {"INTERNAL_ERROR", "XX000", "<message>", kSpark},
    {"INTERNAL_ERROR_ATTRIBUTE_NOT_FOUND", "XX000", "Could not find <missingAttr> in <inputAttrs>.", kSpark},
    {"INTERNAL_ERROR_MEMORY", "XX000", "<message>", kAnalysis},
    {"INTERNAL_ERROR_METADATA_CATALOG.SQL_CONFIG", "XX000",
     "An object in the metadata catalog has been corrupted: Corrupted view SQL configs in catalog.", kAnalysis},
    {"INTERNAL_ERROR_METADATA_CATALOG.TABLE_NAME_CONTEXT", "XX000",
     "An object in the metadata catalog has been corrupted: Corrupted table name context in catalog: <numParts> parts "
     "expected, but part <index> is missing.",
     kAnalysis},
    {"INTERNAL_ERROR_METADATA_CATALOG.TEMP_FUNCTION_REFERENCE", "XX000",
     "An object in the metadata catalog has been corrupted: Corrupted view referred temp functions names in catalog.",
     kAnalysis},
    {"INTERNAL_ERROR_METADATA_CATALOG.TEMP_VARIABLE_REFERENCE", "XX000",
     "An object in the metadata catalog has been corrupted: Corrupted view referred temp variable names in catalog.",
     kAnalysis},
    {"INTERNAL_ERROR_METADATA_CATALOG.TEMP_VIEW_REFERENCE", "XX000",
     "An object in the metadata catalog has been corrupted: Corrupted view referred temp view names in catalog.",
     kAnalysis},
    {"INTERNAL_ERROR_METADATA_CATALOG.VIEW_QUERY_COLUMN_ARITY", "XX000",
     "An object in the metadata catalog has been corrupted: Corrupted view query output column names in catalog: "
     "<numCols> parts expected, but part <index> is missing.",
     kAnalysis},
    {"INTERNAL_ERROR_NETWORK", "XX000", "<message>", kAnalysis},
    {"INTERNAL_ERROR_STORAGE", "XX000", "<message>", kAnalysis},
    {"INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", "22015",
     "Integer overflow while operating with intervals. Try devising appropriate values for the interval parameters.",
     kArithmetic},
    {"INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION", "22015",
     "Integer overflow while operating with intervals. Use <functionName> to tolerate overflow and return NULL "
     "instead.",
     kArithmetic},
    {"INTERVAL_DIVIDED_BY_ZERO", "22012",
     "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead.", kArithmetic},
    {"JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", "42K0E",
     "The join condition <joinCondition> has the invalid type <conditionType>, expected \"BOOLEAN\".", kAnalysis},
    {"KLL_INVALID_INPUT_SKETCH_BUFFER", "22000",
     "Invalid call to <function>; only valid KLL sketch buffers are supported as inputs (such as those produced by the "
     "`kll_sketch_agg` function).",
     kSparkRuntime},
    {"KLL_SKETCH_INVALID_QUANTILE_RANGE", "22003",
     "For function <functionName>, the quantile value must be between 0.0 and 1.0 (inclusive).", kSparkRuntime},
    {"KLL_SKETCH_K_MUST_BE_CONSTANT", "42K0E",
     "For function <functionName>, the k parameter must be a constant value, but got a non-constant expression.",
     kSparkRuntime},
    {"KLL_SKETCH_K_OUT_OF_RANGE", "22003",
     "For function <functionName>, the k parameter must be between 8 and 65535 (inclusive), but got <k>.",
     kSparkRuntime},
    {"LABELS_MISMATCH", "42K0L", "Begin label <beginLabel> does not match the end label <endLabel>.", kAnalysis},
    {"LABEL_OR_FOR_VARIABLE_ALREADY_EXISTS", "42K0L", "The label or FOR variable <label> already exists.", kAnalysis},
    {"LABEL_OR_FOR_VARIABLE_NAME_FORBIDDEN", "42K0L", "The label or FOR variable name <label> is forbidden.",
     kAnalysis},
    {"LATERAL_JOIN_WITH_ARROW_UDTF_UNSUPPORTED", "0A000",
     "LATERAL JOIN with Arrow-optimized user-defined table functions (UDTFs) is not supported. Arrow UDTFs cannot be "
     "used "
     "on the right-hand side of a lateral join. Please use a regular UDTF instead, or restructure your query to avoid "
     "the "
     "lateral join.",
     kAnalysis},
    {"LOAD_DATA_PATH_NOT_EXISTS", "42K03", "LOAD DATA input path does not exist: <path>.", kAnalysis},
    {"LOCATION_ALREADY_EXISTS", "42710",
     "Cannot name the managed table as <identifier>, as its associated location <location> already exists.",
     kSparkRuntime},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> GToL() { return kTable; }

}  // namespace frazil::error_conditions
