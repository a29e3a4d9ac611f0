#include "frazil/base/error_conditions_internal.h"

namespace frazil::error_conditions {
namespace {

using enum ExceptionClass;

// Conditions of Delta Lake. Source: delta-io/delta, spark/src/main/resources/error/delta-error-classes.json.
constexpr ErrorCondition kTable[] = {
    {"DELTA_ADD_COLUMN_STRUCT_NOT_FOUND", "42KD3", "Struct not found at position <position>", kAnalysis},
    {"DELTA_AGGREGATION_NOT_SUPPORTED", "42903",
     "Aggregate functions are not supported in the <operation> <predicate>.", kAnalysis},
    {"DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED", "42000",
     "ALTER TABLE CLUSTER BY cannot be applied to a partitioned table.", kAnalysis},
    {"DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE", "0AKDE",
     "Cannot drop the CHECK constraints table feature.\nThe following constraints must be dropped first: "
     "<constraints>.",
     kAnalysis},
    {"DELTA_CANNOT_MODIFY_APPEND_ONLY", "42809",
     "This table is configured to only allow appends. If you would like to permit updates or deletes, use 'ALTER "
     "TABLE <table_name> SET TBLPROPERTIES (<config>=false)'.",
     kUnsupportedOperation},
    {"DELTA_CANNOT_RESTORE_TABLE_VERSION", "22003",
     "Cannot restore table to version <version>. Available versions: [<startVersion>, <endVersion>].", kAnalysis},
    {"DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER", "22003",
     "Cannot restore table to timestamp (<requestedTimestamp>) as it is before the earliest version available. "
     "Please use a timestamp after (<earliestTimestamp>).",
     kAnalysis},
    {"DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER", "22003",
     "Cannot restore table to timestamp (<requestedTimestamp>) as it is after the latest version available. Please "
     "use a timestamp before (<latestTimestamp>)",
     kAnalysis},
    {"DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION", "428FT", "Cannot use all columns for partition columns", kAnalysis},
    {"DELTA_CANNOT_VACUUM_LITE", "55000",
     "VACUUM LITE cannot delete all eligible files as some files are not referenced by the Delta log. Please run "
     "VACUUM FULL.",
     kSpark},
    {"DELTA_CAST_OVERFLOW_IN_TABLE_WRITE", "22003",
     "Failed to write a value of <sourceType> type into the <targetType> type column <columnName> due to an "
     "overflow.\nUse `try_cast` on the input value to tolerate overflow and return NULL instead.\nIf necessary, set "
     "<storeAssignmentPolicyFlag> to \"LEGACY\" to bypass this error or set "
     "<updateAndMergeCastingFollowsAnsiEnabledFlag> to true to revert to the old behaviour and follow "
     "<ansiEnabledFlag> in UPDATE and MERGE.",
     kArithmetic},
    {"DELTA_CDC_START_VERSION_AFTER_LATEST", "22003",
     "Start version <start> for change data feed exceeds the latest table version <latest>.", kAnalysis},
    {"DELTA_CLONE_UNSUPPORTED_SOURCE", "0AKDC",
     "Unsupported clone source '<name>', whose format is <format>.\nThe supported formats are 'delta', 'iceberg' and "
     "'parquet'.",
     kAnalysis},
    {"DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED", "0A000",
     "CLUSTER BY is not supported because the following column(s): <columnsWithDataTypes> don't support data "
     "skipping.",
     kAnalysis},
    {"DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE", "42000",
     "Replacing a clustered Delta table with a partitioned table is not allowed.", kAnalysis},
    {"DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", "0A000",
     "OPTIMIZE command for Delta table with clustering doesn't support partition predicates. Please remove the "
     "predicates: <predicates>.",
     kAnalysis},
    {"DELTA_CLUSTERING_WITH_ZORDER_BY", "42613",
     "OPTIMIZE command for Delta table with clustering cannot specify ZORDER BY. Please remove ZORDER BY "
     "(<zOrderBy>).",
     kAnalysis},
    {"DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS", "54000",
     "CLUSTER BY supports up to <numColumnsLimit> clustering columns, but the table has <actualNumColumns> clustering "
     "columns. Please remove the extra clustering columns.",
     kAnalysis},
    {"DELTA_CLUSTER_BY_WITH_PARTITIONED_BY", "42613",
     "Clustering and partitioning cannot both be specified. Please remove partitionedBy if you want to create a Delta "
     "table with clustering.",
     kAnalysis},
    {"DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", "42703", "Couldn't find column <columnName> in:\n<tableSchema>", kAnalysis},
    {"DELTA_CONCURRENT_APPEND.WITHOUT_HINT", "2D521",
     "Transaction conflict detected. a concurrent <operation> added data to table <tableName> committed at version "
     "<version>. The concurrent operation modified data that should have been read by this operation. Please retry "
     "the operation. Refer to <docLink> for more information.",
     kSpark},
    {"DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT", "2D521",
     "Transaction conflict detected, a concurrent <operation> deleted data from table <tableName> (committed at "
     "version <version>) that this transaction attempted to delete. The concurrent operation deleted data that was "
     "read by this operation. Please retry the operation. Refer to <docLink> for more information.",
     kSpark},
    {"DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT", "2D521",
     "Transaction conflict detected, a concurrent <operation> deleted data from table <tableName> (committed at "
     "version <version>) that this transaction read. The concurrent operation deleted data that was read by this "
     "operation. Please retry the operation. Refer to <docLink> for more information.",
     kSpark},
    {"DELTA_CONCURRENT_TRANSACTION", "2D521",
     "ConcurrentTransactionException: This error occurs when multiple streaming queries are using the same "
     "checkpoint to write into this table. Did you run multiple instances of the same streaming query at the same "
     "time?<conflictingCommit>\nRefer to <docLink> for more details.",
     kSpark},
    {"DELTA_CONCURRENT_WRITE", "2D521",
     "ConcurrentWriteException: A concurrent transaction has written new data since the current transaction read "
     "the table. Please try the operation again.<conflictingCommit>\nRefer to <docLink> for more details.",
     kSpark},
    {"DELTA_CONFLICT_SET_COLUMN", "42701", "There is a conflict from these SET columns: <columnList>.", kAnalysis},
    {"DELTA_CONSTRAINT_ALREADY_EXISTS", "42710",
     "Constraint '<constraintName>' already exists. Please delete the old constraint first.\nOld "
     "constraint:\n<oldConstraint>",
     kAnalysis},
    {"DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE", "42K09",
     "Cannot alter column <columnName> because this column is referenced by the following check "
     "constraint(s):\n<constraints>",
     kAnalysis},
    {"DELTA_CONSTRAINT_DOES_NOT_EXIST", "42704",
     "Cannot drop nonexistent constraint <constraintName> from table <tableName>. To avoid throwing an error, "
     "provide the parameter IF EXISTS or set the SQL session configuration <config> to <confValue>.",
     kAnalysis},
    {"DELTA_CONVERT_NON_PARQUET_TABLE", "0AKDC",
     "CONVERT TO DELTA only supports parquet tables, but you are trying to convert a <sourceName> source: <tableId>",
     kAnalysis},
    {"DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION", "42601", "Table name or location has to be specified.",
     kAnalysis},
    {"DELTA_CREATE_TABLE_SCHEME_MISMATCH", "42KD7",
     "The specified schema does not match the existing schema at <path>.\n\n== Specified "
     "==\n<specifiedSchema>\n\n== Existing ==\n<existingSchema>\n\n== Differences ==\n<schemaDifferences>\n\nIf "
     "your intention is to keep the existing schema, you can omit the\nschema from the create table command. "
     "Otherwise please ensure that\nthe schema matches.",
     kAnalysis},
    {"DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING", "42KD7",
     "The specified partitioning does not match the existing partitioning at <path>.\n\n== Specified "
     "==\n<specifiedColumns>\n\n== Existing ==\n<existingColumns>\n",
     kAnalysis},
    {"DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH", "XXKDS",
     "Deletion vector integrity check failed. Encountered a cardinality mismatch.", kSpark},
    {"DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH", "XXKDS",
     "Could not verify deletion vector integrity, CRC checksum verification failed.", kSpark},
    {"DELTA_DELETION_VECTOR_SIZE_MISMATCH", "XXKDS",
     "Deletion vector integrity check failed. Encountered a size mismatch.", kSpark},
    {"DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA", "0AKDC",
     "Cannot drop column from a schema with a single column. Schema:\n<schema>", kAnalysis},
    {"DELTA_DUPLICATE_COLUMNS_FOUND.DATA", "42711",
     "Found duplicate column(s): <duplicateCols>. The duplicate was found in the data being saved.", kAnalysis},
    {"DELTA_DUPLICATE_COLUMNS_ON_INSERT", "42701", "Duplicate column names in INSERT clause", kAnalysis},
    {"DELTA_EMPTY_DIRECTORY", "42K03", "No file found in the directory: <directory>.", kSpark},
    {"DELTA_EXCEED_CHAR_VARCHAR_LIMIT", "22001",
     "Value \"<value>\" exceeds char/varchar type length limitation. Failed check: <expr>.", kSparkRuntime},
    {"DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION", "KD002",
     "Expect a full scan of the latest version of the Delta source, but found a historical scan of version "
     "<historicalVersion>",
     kAnalysis},
    {"DELTA_FAILED_TO_MERGE_FIELDS", "22005", "Failed to merge fields '<currentField>' and '<updateField>'", kAnalysis},
    {"DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH", "KD004",
     "Unable to operate on this table because the following table features are enabled in metadata but not listed "
     "in protocol: <features>.",
     kAnalysis},
    {"DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION", "55000",
     "Could not drop the Checkpoint Protection feature.\nThis feature can only be dropped by truncating "
     "history.\nPlease try again with the TRUNCATE HISTORY option:\n\n    ALTER TABLE table_name DROP FEATURE "
     "checkpointProtection TRUNCATE HISTORY",
     kSpark},
    {"DELTA_FEATURE_DROP_CHECKPOINT_FAILED", "22KD0",
     "Dropping <featureName> failed due to a failure in checkpoint creation.\nPlease try again later. It the issue "
     "persists, contact support.",
     kSpark},
    {"DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD", "22KD0",
     "The operation did not succeed because there are still traces of dropped features \nin the table history. "
     "CheckpointProtection cannot be dropped until these historical\nversions have expired.\n\nTo drop "
     "CheckpointProtection, please wait for the historical versions to\nexpire, and then repeat this command. The "
     "retention period for historical versions is\ncurrently configured to <truncateHistoryLogRetentionPeriod>.",
     kSpark},
    {"DELTA_FEATURE_DROP_DEPENDENT_FEATURE", "55000",
     "Cannot drop table feature `<feature>` because some other features (<dependentFeatures>) in this table depends on "
     "`<feature>`.\nConsider dropping them first before dropping this feature.",
     kSpark},
    {"DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY", "42000",
     "Cannot drop `<property>` from this table because this is a delta table property and not a table feature.",
     kSpark},
    {"DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT", "55000",
     "Cannot drop <feature> from this table because it is not currently present in the table's protocol.", kSpark},
    {"DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST", "22KD0",
     "Cannot drop <feature> because the Delta log contains historical versions that use the feature.\nPlease wait "
     "until the history retention period (<logRetentionPeriodKey>=<logRetentionPeriod>) \nhas passed since the feature "
     "was last active.\n\nAlternatively, please wait for the TRUNCATE HISTORY retention period to expire "
     "(<truncateHistoryLogRetentionPeriod>)\nand then run:\n    ALTER TABLE table_name DROP FEATURE feature_name "
     "TRUNCATE HISTORY",
     kSpark},
    {"DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED", "42000",
     "The particular feature does not require history truncation.", kSpark},
    {"DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE", "0AKDC",
     "Cannot drop <feature> because dropping this feature is not supported.", kSpark},
    {"DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE", "0AKDC",
     "Cannot drop <feature> because it is not supported by this Delta version.\nConsider using Delta with a higher "
     "version.",
     kSpark},
    {"DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD", "22KD0",
     "Dropping <feature> was partially successful.\n\nThe feature is now no longer used in the current version of the "
     "table. However, the feature\nis still present in historical versions of the table. The table feature cannot be "
     "dropped\nfrom the table protocol until these historical versions have expired.\n\nTo drop the table feature from "
     "the protocol, please wait for the historical versions to\nexpire, and then repeat this command. The retention "
     "period for historical versions is\ncurrently configured as "
     "<logRetentionPeriodKey>=<logRetentionPeriod>.\n\nAlternatively, please wait for the TRUNCATE HISTORY retention "
     "period to expire (<truncateHistoryLogRetentionPeriod>)\nand then run:\n    ALTER TABLE table_name DROP FEATURE "
     "feature_name TRUNCATE HISTORY",
     kSpark},
    {"DELTA_FILE_NOT_FOUND", "42K03", "File path <path>", kSpark},
    {"DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE", "42K09",
     "Cannot alter column <columnName> because this column is referenced by the following generated "
     "column(s):\n<generatedColumns>",
     kAnalysis},
    {"DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH", "42K09",
     "The expression type of the generated column <columnName> is <expressionType>, but the column type is "
     "<columnType>",
     kAnalysis},
    {"DELTA_ICEBERG_COMPAT_VIOLATION.DELETION_VECTORS_NOT_PURGED", "KD00E",
     "The validation of IcebergCompatV<version> has failed. IcebergCompatV<version> requires Deletion Vectors to be "
     "completely purged from the table. Please run the REORG TABLE APPLY (PURGE) command.",
     kUnsupportedOperation},
    {"DELTA_ICEBERG_COMPAT_VIOLATION.DELETION_VECTORS_SHOULD_BE_DISABLED", "KD00E",
     "The validation of IcebergCompatV<version> has failed. IcebergCompatV<version> requires Deletion Vectors to be "
     "disabled on the table first. Then run REORG PURGE command to purge the Deletion Vectors on the table.",
     kUnsupportedOperation},
    {"DELTA_ICEBERG_COMPAT_VIOLATION.REPLACE_TABLE_CHANGE_PARTITION_NAMES", "KD00E",
     "The validation of IcebergCompatV<version> has failed. IcebergCompatV<version> doesn't support replacing "
     "partitioned tables with a differently-named partition spec, because Iceberg-Spark 1.1.0 doesn't.\nPrev Partition "
     "Spec: <prevPartitionSpec>\nNew Partition Spec: <newPartitionSpec>",
     kUnsupportedOperation},
    {"DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_DATA_TYPE", "KD00E",
     "The validation of IcebergCompatV<version> has failed. IcebergCompatV<version> does not support the data type "
     "<dataType> in your schema. Your schema:\n<schema>",
     kUnsupportedOperation},
    {"DELTA_ICEBERG_COMPAT_VIOLATION.UNSUPPORTED_TYPE_WIDENING", "KD00E",
     "The validation of IcebergCompatV<version> has failed. IcebergCompatV<version> is incompatible with a type change "
     "applied to this table:\nField <fieldPath> was changed from <prevType> to <newType>.",
     kUnsupportedOperation},
    {"DELTA_ICEBERG_COMPAT_VIOLATION.VERSION_MUTUAL_EXCLUSIVE", "KD00E",
     "The validation of IcebergCompatV<version> has failed. Only one IcebergCompat version can be enabled, please "
     "explicitly disable all other IcebergCompat versions that are not needed.",
     kUnsupportedOperation},
    {"DELTA_ICEBERG_COMPAT_VIOLATION.WRONG_REQUIRED_TABLE_PROPERTY", "KD00E",
     "The validation of IcebergCompatV<version> has failed. IcebergCompatV<version> requires table property '<key>' to "
     "be set to '<requiredValue>'. Current value: '<actualValue>'.",
     kUnsupportedOperation},
    {"DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED", "42808",
     "Providing values for GENERATED ALWAYS AS IDENTITY column <colName> is not supported.", kAnalysis},
    {"DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP", "42611", "IDENTITY column step cannot be 0.", kAnalysis},
    {"DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED", "42601",
     "PARTITIONED BY IDENTITY column <colName> is not supported.", kAnalysis},
    {"DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED", "42808", "UPDATE on IDENTITY column <colName> is not supported.",
     kAnalysis},
    {"DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION", "42613",
     "IDENTITY column cannot be specified with a generated column expression.", kAnalysis},
    {"DELTA_INSERT_COLUMN_ARITY_MISMATCH", "42802",
     "Cannot write to '<tableName>', <columnName>; target table has <numColumns> column(s) but the inserted data has "
     "<insertColumns> column(s)",
     kAnalysis},
    {"DELTA_INVALID_CDC_RANGE", "22003",
     "CDC range from start <start> to end <end> was invalid. End cannot be before start.", kIllegalArgument},
    {"DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", "42K05",
     "Found invalid character(s) among ' ,;{}()\\n\\t=' in the column names of your schema.\nInvalid column names: "
     "<invalidColumnNames>.\nPlease use other characters and try again.\nAlternatively, enable Column Mapping to "
     "keep using these characters.",
     kAnalysis},
    {"DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING", "42K05",
     "Found invalid character(s) among ' ,;{}()\\n\\t=' in the column names of your schema.\nInvalid column names: "
     "<invalidColumnNames>.\nColumn mapping cannot be removed when there are invalid characters in the column "
     "names.\nPlease rename the columns to remove the invalid characters and execute this command again.",
     kAnalysis},
    {"DELTA_INVALID_GENERATED_COLUMN_REFERENCES", "42621",
     "A generated column cannot use a non-existent column or another generated column", kAnalysis},
    {"DELTA_INVALID_PROTOCOL_DOWNGRADE", "KD004",
     "Protocol version cannot be downgraded from (<oldProtocol>) to (<newProtocol>)", kSpark},
    {"DELTA_INVALID_PROTOCOL_VERSION", "KD004",
     "Unsupported Delta protocol version: table \"<tableNameOrPath>\" requires reader version <readerRequired> and "
     "writer version <writerRequired>, but Delta Lake \"<deltaVersion>\" supports reader versions "
     "<supportedReaders> and writer versions <supportedWriters>. Please upgrade to a newer release.",
     kSpark},
    {"DELTA_INVALID_SOURCE_OFFSET_FORMAT", "XXKDS", "The stored source offset format is invalid", kSpark},
    {"DELTA_INVALID_SOURCE_VERSION", "XXKDS", "sourceVersion(<version>) is invalid", kSpark},
    {"DELTA_LOG_FILE_NOT_FOUND", "42K03",
     "Unable to retrieve the delta log files to construct table version <version> starting from checkpoint version "
     "<checkpointVersion> at <logPath>.",
     kSpark},
    {"DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE", "42K03",
     "If you never deleted it, it's likely your query is lagging behind. Please delete its checkpoint to restart from "
     "scratch. To avoid this happening again, you can update your retention policy of your Delta table",
     kSpark},
    {"DELTA_MERGE_MISSING_WHEN", "42601", "There must be at least one WHEN clause in a MERGE statement.", kAnalysis},
    {"DELTA_MERGE_UNRESOLVED_EXPRESSION", "42601", "Cannot resolve <sqlExpr> in <clause> given <cols>.", kAnalysis},
    {"DELTA_METADATA_CHANGED", "2D521",
     "MetadataChangedException: The metadata of the Delta table <tableName> has been changed by a concurrent "
     "update. Please try the operation again.<conflictingCommit>\nRefer to <docLink> for more details.",
     kSpark},
    {"DELTA_METADATA_MISMATCH.OVERWRITE_REQUIRED", "42KDG",
     "A metadata mismatch was detected when writing to the Delta table. To overwrite your schema or change "
     "partitioning, please set: '.option(\"overwriteSchema\", \"true\")'.\nNote that the schema can't be "
     "overwritten when using 'replaceWhere'.",
     kAnalysis},
    {"DELTA_METADATA_MISMATCH.PARTITIONING_MISMATCH", "42KDG",
     "A metadata mismatch was detected when writing to the Delta table. Partition columns do not match the "
     "partition columns of the table.\nGiven: <provided>\nTable: <original>\n",
     kAnalysis},
    {"DELTA_METADATA_MISMATCH.SCHEMA_MISMATCH", "42KDG",
     "A metadata mismatch was detected when writing to the Delta table. A schema mismatch detected when writing to "
     "the Delta table (Table ID: <id>).\nTo enable schema migration using DataFrameWriter or DataStreamWriter, "
     "please set: '.option(\"mergeSchema\", \"true\")'.\nFor other operations, set the session configuration "
     "spark.databricks.delta.schema.autoMerge.enabled to \"true\". See the documentation specific to the operation "
     "for details.\n\nTable schema:\n<tableSchema>\n\nData schema:\n<dataSchema>\n",
     kAnalysis},
    {"DELTA_MISSING_CHANGE_DATA", "KD002",
     "Error getting change data for range [<startVersion> , <endVersion>] as change data was not\nrecorded for "
     "version [<version>]. If you've enabled change data feed on this table,\nuse `DESCRIBE HISTORY` to see when it "
     "was first enabled.\nOtherwise, to start recording change data, use `ALTER TABLE table_name SET "
     "TBLPROPERTIES\n(<key>=true)`.",
     kAnalysis},
    {"DELTA_MISSING_DELTA_TABLE", "42P01", "<tableName> is not a Delta table.", kAnalysis},
    {"DELTA_MODE_NOT_SUPPORTED", "0AKDC",
     "Specified mode '<mode>' is not supported. Supported modes are: <supportedModes>", kIllegalArgument},
    {"DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE", "21506",
     "Cannot perform Merge as multiple source rows matched and attempted to modify the same\ntarget row in the "
     "Delta table in possibly conflicting ways. By SQL semantics of Merge,\nwhen multiple source rows match on the "
     "same target row, the result may be ambiguous\nas it is unclear which source row should be used to update or "
     "delete the matching\ntarget row. You can preprocess the source table to eliminate the possibility "
     "of\nmultiple matches. Please refer to\n<usageReference>",
     kUnsupportedOperation},
    {"DELTA_NEW_CHECK_CONSTRAINT_VIOLATION", "23512",
     "<numRows> rows in <tableName> violate the new CHECK constraint (<checkConstraint>)", kAnalysis},
    {"DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN", "42621",
     "Found <expr>. A generated column cannot use a non deterministic expression.", kAnalysis},
    {"DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED", "0AKDC",
     "Non-deterministic functions are not supported in the <operation> <expression>.", kAnalysis},
    {"DELTA_NON_PARTITION_COLUMN_REFERENCE", "42P10",
     "Predicate references non-partition column '<columnName>'. Only the partition columns may be referenced: "
     "[<columnList>]",
     kAnalysis},
    {"DELTA_NOT_A_DELTA_TABLE", "0AKDD",
     "<tableName> is not a Delta table. Please drop this table first if you would like to recreate it with Delta "
     "Lake.",
     kAnalysis},
    {"DELTA_NOT_NULL_CONSTRAINT_VIOLATED", "23502", "NOT NULL constraint violated for column: <columnName>.\n",
     kSparkRuntime},
    {"DELTA_NO_START_FOR_CDC_READ", "42601", "No startingVersion or startingTimestamp provided for CDC read.",
     kAnalysis},
    {"DELTA_ONEOF_IN_TIMETRAVEL", "42601", "Please either provide 'timestampAsOf' or 'versionAsOf' for time travel.",
     kIllegalArgument},
    {"DELTA_ONLY_OPERATION", "0AKDD", "<operation> is only supported for Delta tables.", kAnalysis},
    {"DELTA_OPERATION_NOT_ALLOWED", "0AKDC", "Operation not allowed: `<operation>` is not supported for Delta tables",
     kAnalysis},
    {"DELTA_OPTIMIZE_FULL_NOT_SUPPORTED", "42601",
     "OPTIMIZE FULL is only supported for clustered tables with non-empty clustering columns.", kAnalysis},
    {"DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE", "42613",
     "'overwriteSchema' cannot be used in dynamic partition overwrite mode.", kAnalysis},
    {"DELTA_PARTITION_COLUMN_NOT_FOUND", "42703", "Partition column <columnName> not found in schema [<schemaMap>]",
     kAnalysis},
    {"DELTA_PATH_DOES_NOT_EXIST", "42K03", "<path> doesn't exist, or is not a Delta table.", kAnalysis},
    {"DELTA_PATH_EXISTS", "42K04", "Cannot write to already existent path <path> without setting OVERWRITE = 'true'.",
     kAnalysis},
    {"DELTA_PROTOCOL_CHANGED", "2D521",
     "ProtocolChangedException: The protocol version of the Delta table has been changed by a concurrent update. "
     "<additionalInfo><conflictingCommit>\nRefer to <docLink> for more details.",
     kSpark},
    {"DELTA_REPLACE_WHERE_MISMATCH", "44000",
     "Written data does not conform to partial table overwrite condition or constraint '<replaceWhere>'.\n<message>",
     kAnalysis},
    {"DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE", "42613",
     "A 'replaceWhere' expression and 'partitionOverwriteMode'='dynamic' cannot both be set in the DataFrameWriter "
     "options.",
     kAnalysis},
    {"DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION", "55000",
     "Illegal table state was detected. Table properties `<property1>` and `<property2>` are both set to true. The "
     "issue can be resolved by disabling any of the two table properties.",
     kSpark},
    {"DELTA_SOURCE_IGNORE_DELETE", "0A000",
     "Detected deleted data (for example <removedFile>) from streaming source at version <version>. This is currently "
     "not supported. If you'd like to ignore deletes, set the option 'ignoreDeletes' to 'true'. The source table can "
     "be found at path <dataPath>.",
     kUnsupportedOperation},
    {"DELTA_SOURCE_TABLE_IGNORE_CHANGES", "0A000",
     "Detected a data update (for example <changeInfo>) in the source table at version <version>. This is currently "
     "not supported. If this is going to happen regularly and you are okay to skip changes, set the option "
     "'skipChangeCommits' to 'true'. If you would like the data update to be reflected, please restart this query with "
     "a fresh checkpoint directory. The source table can be found at path <dataPath>.",
     kUnsupportedOperation},
    {"DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET", "42613", "Please either provide '<version>' or '<timestamp>'",
     kIllegalArgument},
    {"DELTA_STATE_RECOVER_ERROR", "XXKDS",
     "The <operation> of your Delta table could not be recovered while Reconstructing\nversion: <version>. Did you "
     "manually delete files in the _delta_log directory?",
     kSpark},
    {"DELTA_TABLE_NOT_FOUND", "42P01", "Delta table <tableName> doesn't exist.", kAnalysis},
    {"DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION", "42816",
     "The provided timestamp (<userTimestamp>) is before the earliest version available to\nthis table "
     "(<commitTs>). Please use a timestamp after <timestampString>.",
     kAnalysis},
    {"DELTA_TIMESTAMP_GREATER_THAN_COMMIT", "42816",
     "Timestamp <providedTimestamp> is after the table's latest version (<lastCommitTimestamp>). Use a timestamp at "
     "or before <maximumTimestamp>.",
     kAnalysis},
    {"DELTA_TIMESTAMP_INVALID", "42816", "The provided timestamp (<expr>) cannot be converted to a valid timestamp.",
     kAnalysis},
    {"DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE", "42604", "<timeTravelKey> needs to be a valid begin value.",
     kIllegalArgument},
    {"DELTA_TRUNCATED_TRANSACTION_LOG", "42K03",
     "<path>: Unable to reconstruct state at version <version> as the transaction log has been truncated due to "
     "manual deletion or the log retention policy (<logRetentionKey>=<logRetention>) and checkpoint retention "
     "policy (<checkpointRetentionKey>=<checkpointRetention>)",
     kSpark},
    {"DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME", "KD009",
     "Expecting <expectedColsSize> partition column(s): <expectedCols>, but found <parsedColsSize> partition "
     "column(s): <parsedCols> from parsing the file name: <path>",
     kAnalysis},
    {"DELTA_UNKNOWN_CONFIGURATION", "F0000",
     "Unknown configuration was specified: <config>\nTo disable this check, set <disableCheckConfig>=true in the "
     "Spark session configuration.",
     kAnalysis},
    {"DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP", "0AKDC",
     "ALTER TABLE CHANGE COLUMN is not supported for changing column <fieldPath> from <oldField> to <newField>",
     kAnalysis},
    {"DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP", "0AKDC",
     "Unsupported ALTER TABLE REPLACE COLUMNS operation. Reason: <details>\n\nFailed to change schema "
     "from:\n<oldSchema>\nto:\n<newSchema>",
     kAnalysis},
    {"DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE", "0AKDC",
     "Changing column mapping mode from '<oldMode>' to '<newMode>' is not supported.", kAnalysis},
    {"DELTA_UNSUPPORTED_DATA_TYPES", "0AKDC",
     "Found columns using unsupported data types: <dataTypeList>. You can set '<config>' to 'false' to disable the "
     "type check. Disabling this type check may allow users to create unsupported Delta tables and should only be "
     "used when trying to read/write legacy tables.",
     kUnsupportedOperation},
    {"DELTA_UNSUPPORTED_DEEP_CLONE", "0A000", "Deep clone is not supported by this Delta version.",
     kUnsupportedOperation},
    {"DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN", "0AKDC", "Dropping clustering columns (<columnList>) is not allowed.",
     kAnalysis},
    {"DELTA_UNSUPPORTED_DROP_COLUMN", "0AKDC", "DROP COLUMN is not supported for your Delta table. <advice>",
     kAnalysis},
    {"DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE", "0AKDC",
     "Can only drop nested columns from StructType. Found <struct>", kAnalysis},
    {"DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", "0AKDC", "Dropping partition columns (<columnList>) is not allowed.",
     kAnalysis},
    {"DELTA_UNSUPPORTED_FEATURES_FOR_READ", "56038",
     "Unsupported Delta read feature: table \"<tableNameOrPath>\" requires reader table feature(s) that are "
     "unsupported by Delta Lake \"<deltaVersion>\": <unsupported>.",
     kSpark},
    {"DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", "56038",
     "Unsupported Delta write feature: table \"<tableNameOrPath>\" requires writer table feature(s) that are "
     "unsupported by Delta Lake \"<deltaVersion>\": <unsupported>.",
     kSpark},
    {"DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", "56038",
     "Table features configured in the following Spark configs or Delta table properties are not recognized by this "
     "version of Delta Lake: <configs>.",
     kSpark},
    {"DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS", "0A000",
     "The 'GENERATE symlink_format_manifest' command is not supported on table versions with deletion vectors.\nIf "
     "you "
     "need to generate manifests, consider disabling deletion vectors on this table using 'ALTER TABLE table SET "
     "TBLPROPERTIES (delta.enableDeletionVectors = false)'.",
     kUnsupportedOperation},
    {"DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING", "0AKDC",
     "Manifest generation is not supported for tables that leverage column mapping, as external readers cannot read "
     "these Delta tables. See Delta documentation for more details.",
     kAnalysis},
    {"DELTA_UNSUPPORTED_OUTPUT_MODE", "0AKDC", "Data source <dataSource> does not support <mode> output mode",
     kAnalysis},
    {"DELTA_UNSUPPORTED_RENAME_COLUMN", "0AKDC", "Column rename is not supported for your Delta table. <advice>",
     kAnalysis},
    {"DELTA_UNSUPPORTED_SUBQUERY", "0AKDC", "Subqueries are not supported in the <operation> (condition = <cond>).",
     kAnalysis},
    {"DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION", "42846",
     "Cannot cast <fromCatalog> to <toCatalog>. All nested columns must match.", kAnalysis},
    {"DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT", "22003",
     "The specified VACUUM retention period is too low and may corrupt this Delta table if any writes are in "
     "progress.\n\nIf no operations (insert, upsert, delete, optimize) are running, you can disable this safety check "
     "by setting:\ndelta.retentionDurationCheck.enabled = false\n\nOtherwise, use a retention period of at least "
     "<configuredRetentionHours> hours.",
     kIllegalArgument},
    {"DELTA_VERSIONS_NOT_CONTIGUOUS", "KD00C",
     "Versions (<versionList>) are not contiguous. \nA gap in the delta log between versions "
     "<startVersion> and "
     "<endVersion> was detected while trying to load version <versionToLoad>.",
     kSpark},
    {"DELTA_VERSION_INVALID", "42815", "The provided version (<version>) is not a valid version.", kAnalysis},
    {"DELTA_VERSION_NOT_FOUND", "22003",
     "Cannot time travel Delta table to version <userVersion>. Available versions: [<earliest>, "
     "<latest>].",
     kAnalysis},
    {"DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", "23001",
     "CHECK constraint <constraintName> <expression> violated by row with values:\n<values>", kSparkRuntime},
    {"DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", "42703", "Z-Ordering column <columnName> does not exist in data schema.",
     kIllegalArgument},
    {"DELTA_ZORDERING_ON_PARTITION_COLUMN", "42P10",
     "<colName> is a partition column. Z-Ordering can only be performed on data columns", kIllegalArgument},
};
static_assert(IsSorted(kTable));

}  // namespace

std::span<const ErrorCondition> Delta() { return kTable; }

}  // namespace frazil::error_conditions
