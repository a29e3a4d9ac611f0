#include "frazil/session/settings.h"

#include <algorithm>

#include "frazil/base/text.h"

namespace frazil::session {

namespace {

bool IsTrue(const std::optional<std::string>& value) {
  return value.has_value() && EqualsIgnoreCase(TrimBlanks(*value), "true");
}

}  // namespace

const std::vector<KnownSetting>& KnownSettings() {
  static const std::vector<KnownSetting> kSettings = {
      {"spark.app.name", "Frazil", "Name of the application."},
      {"spark.master", "local[*]", "Where the work runs."},
      {"spark.sql.adaptive.enabled", "true", "Accepted; the engine always plans adaptively."},
      {"spark.sql.ansi.doubleQuotedIdentifiers", "false", "Double quotes hold identifiers (with ANSI only)."},
      {"spark.sql.ansi.enabled", "true", "Overflow, bad casts and division by zero are errors."},
      {"spark.sql.ansi.enforceReservedKeywords", "false", "Reserved words cannot be names (with ANSI only)."},
      {"spark.sql.artifact.isolation.alwaysApplyClassloader", "false", "Read by the client."},
      {"spark.sql.artifact.isolation.enabled", "true", "Read by the client."},
      {"spark.sql.autoBroadcastJoinThreshold", "10485760b", "Accepted; the engine chooses joins by cost."},
      {"spark.sql.binaryOutputStyle", "HEX", "How show() prints binary values."},
      {"spark.sql.caseSensitive", "false", "Whether names differ by case."},
      {"spark.sql.catalogImplementation", "in-memory", "Kind of the built-in catalog.", true},
      {"spark.sql.charAsVarchar", "false", "Accepted; CHAR(n) stays."},
      {"spark.sql.columnNameOfCorruptRecord", "_corrupt_record", "Column that takes records which cannot be read."},
      {"spark.sql.connect.serverStacktrace.enabled", "false", "Read by the client; errors have no stack trace."},
      {"spark.sql.crossJoin.enabled", "true", "Accepted; joins without a condition are always allowed."},
      {"spark.sql.decimalOperations.allowPrecisionLoss", "true",
       "Decimal arithmetic may lose digits behind the point."},
      {"spark.sql.defaultCatalog", "spark_catalog", "Catalog in which names without one are looked up."},
      {"spark.sql.execution.arrow.compression.codec", "none", "Compression of the Arrow batches of results."},
      {"spark.sql.execution.arrow.maxRecordsPerBatch", "10000", "Most rows in one Arrow batch."},
      {"spark.sql.execution.arrow.pyspark.enabled", "false", "Read by the client."},
      {"spark.sql.execution.arrow.pyspark.fallback.enabled", "true", "Read by the client."},
      {"spark.sql.execution.arrow.pyspark.selfDestruct.enabled", "false", "Read by the client."},
      {"spark.sql.execution.arrow.useLargeVarTypes", "false", "Python functions see large Arrow types."},
      {"spark.sql.execution.pandas.convertToArrowArraySafely", "false", "Read by the client."},
      {"spark.sql.execution.pandas.inferPandasDictAsMap", "false", "Read by the client."},
      {"spark.sql.execution.pandas.structHandlingMode", "legacy", "Read by the client."},
      {"spark.sql.execution.pythonUDF.arrow.enabled", "false", "Read by the client."},
      {"spark.sql.execution.pythonUDTF.arrow.enabled", "false",
       "Accepted; table functions in Python get and give Python values."},
      {"spark.sql.execution.pyspark.binaryAsBytes", "true", "Read by the client."},
      {"spark.sql.functionQualifiedNames.enabled", "true", "Accepted; functions may always be named system.builtin.f."},
      {"spark.sql.function.concatBinaryAsString", "false", "concat of binaries gives a string."},
      {"spark.sql.globalTempDatabase", "global_temp", "Database of global temporary views.", true},
      {"spark.sql.groupByAliases", "true", "GROUP BY may name aliases of the select list."},
      {"spark.sql.groupByOrdinal", "true", "GROUP BY may name positions of the select list."},
      {"spark.sql.join.preferSortMergeJoin", "true", "Accepted; the engine chooses joins by cost."},
      {"spark.sql.legacy.createHiveTableByDefault", "false",
       "Accepted; CREATE TABLE without USING takes spark.sql.sources.default."},
      {"spark.sql.legacy.ctePrecedencePolicy", "CORRECTED", "Which of two common table expressions of a name wins."},
      {"spark.sql.legacy.exponentLiteralAsDecimal.enabled", "false", "1e3 is a decimal."},
      {"spark.sql.legacy.identifierClause", "false",
       "IDENTIFIER('a') names tables and columns only where an expression may."},
      {"spark.sql.legacy.interval.enabled", "false", "Interval literals are legacy intervals."},
      {"spark.sql.legacy.setopsPrecedence.enabled", "false", "All set operations bind alike."},
      {"spark.sql.legacy.sizeOfNull", "true", "size(NULL) is -1 (not with ANSI)."},
      {"spark.sql.legacy.timeParserPolicy", "CORRECTED", "Accepted; patterns are read as with CORRECTED."},
      {"spark.sql.mapKeyDedupPolicy", "EXCEPTION", "What a repeated map key does."},
      {"spark.sql.maxMetadataStringLength", "100", "Accepted; texts are shown whole."},
      {"spark.sql.maxPlanStringLength", "2147483632", "Accepted; texts are shown whole."},
      {"spark.sql.optimizer.excludedRules", "", "Accepted."},
      {"spark.sql.orderByOrdinal", "true", "ORDER BY may name positions of the select list."},
      {"spark.sql.parquet.compression.codec", "snappy", "Compression of Parquet files."},
      {"spark.sql.parser.escapedStringLiterals", "false", "Backslashes in string literals stay."},
      {"spark.sql.parser.quotedRegexColumnNames", "false", "Back-quoted names in SELECT are regular expressions."},
      {"spark.sql.pyspark.inferNestedDictAsStruct.enabled", "false", "Read by the client."},
      {"spark.sql.pyspark.jvmStacktrace.enabled", "false", "Read by the client."},
      {"spark.sql.pyspark.legacy.inferArrayTypeFromFirstElement.enabled", "false", "Read by the client."},
      {"spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled", "false", "Read by the client."},
      {"spark.sql.pyspark.plotting.max_rows", "1000", "Read by the client."},
      {"spark.sql.python.filterPushdown.enabled", "false", "Filters reach data sources of Python that take them."},
      {"spark.sql.repl.eagerEval.enabled", "false", "Read by the client."},
      {"spark.sql.repl.eagerEval.maxNumRows", "20", "Read by the client."},
      {"spark.sql.repl.eagerEval.truncate", "20", "Read by the client."},
      {"spark.sql.scripting.continueHandlerEnabled", "false", "Scripts may have CONTINUE handlers."},
      {"spark.sql.scripting.enabled", "true", "BEGIN ... END is a script."},
      {"spark.sql.session.localRelationCacheThreshold", "67108864",
       "Size from which the client sends local data as artifacts."},
      {"spark.sql.session.localRelationChunkSizeBytes", "16777216", "Size of a chunk of local data."},
      {"spark.sql.session.localRelationChunkSizeRows", "10000", "Rows of a chunk of local data."},
      {"spark.sql.session.localRelationBatchOfChunksSizeBytes", "268435456", "Bytes of chunks sent at once."},
      {"spark.sql.session.localRelationSizeLimit", "3221225472", "Most bytes of local data."},
      {"spark.sql.session.timeZone", "UTC",
       "Zone in which instants are shown and read; where it is not set, that of the server's machine ($TZ)."},
      {"spark.sql.shuffle.partitions", "200", "Accepted; the engine chooses its own parallelism."},
      {"spark.sql.sources.default", "parquet", "Format where none is named."},
      {"spark.sql.sources.partitionColumnTypeInference.enabled", "true", "Partition folders' values get types."},
      {"spark.sql.sources.partitionOverwriteMode", "static", "What INSERT OVERWRITE of a partitioned table replaces."},
      {"spark.sql.storeAssignmentPolicy", "ANSI", "Which values may be written to which columns."},
      {"spark.sql.streaming.checkpointLocation", "", "Folder of the checkpoints of queries that name none."},
      {"spark.sql.streaming.minBatchesToRetain", "100", "Batches whose entries a checkpoint keeps."},
      {"spark.sql.streaming.multipleWatermarkPolicy", "min",
       "Of several watermarks the query's is the least or the greatest (min, max)."},
      {"spark.sql.streaming.noDataMicroBatches.enabled", "true", "A later watermark alone is reason for a batch."},
      {"spark.sql.streaming.noDataProgressEventInterval", "10000",
       "Milliseconds between the events of a query that has nothing to do."},
      {"spark.sql.streaming.numRecentProgressUpdates", "100", "Reports that a query keeps."},
      {"spark.sql.streaming.schemaInference", "false", "Streams of files may come without a schema."},
      {"spark.sql.streaming.stopActiveRunOnRestart", "true",
       "A query that is started again stops its former run; else the start fails."},
      {"spark.sql.timestampType", "TIMESTAMP_LTZ", "What TIMESTAMP means."},
      {"spark.sql.timeType.enabled", "true", "Accepted; the TIME type may always be used."},
      {"spark.sql.variable.substitute", "true", "Accepted; ${name} in SQL text stays."},
      {"spark.sql.warehouse.dir", "spark-warehouse", "Folder of managed tables.", true},
      {"spark.connect.grpc.arrow.maxBatchSize", "4194304", "Aim for the bytes of one Arrow batch.", true},
      {"spark.connect.grpc.maxInboundMessageSize", "134217728", "Longest message from a client.", true},
      {"spark.connect.session.planCompression.defaultAlgorithm", "ZSTD", "How the client compresses plans."},
      {"spark.connect.session.planCompression.threshold", "10485760", "Size from which the client compresses plans."},
  };
  return kSettings;
}

const KnownSetting* FindSetting(std::string_view key) {
  const auto& settings = KnownSettings();
  auto found =
      std::find_if(settings.begin(), settings.end(), [&](const KnownSetting& setting) { return setting.key == key; });
  return found == settings.end() ? nullptr : &*found;
}

std::string CanonicalKey(std::string_view key) {
  static const std::map<std::string_view, std::string_view> kRenamed = {
      {"spark.sql.execution.arrow.enabled", "spark.sql.execution.arrow.pyspark.enabled"},
      {"spark.sql.legacy.sizeOfNull.enabled", "spark.sql.legacy.sizeOfNull"},
  };
  auto found = kRenamed.find(key);
  return std::string(found == kRenamed.end() ? key : found->second);
}

Changeable ChangeableOf(std::string_view key) {
  if (const auto* setting = FindSetting(key)) return setting->is_static ? Changeable::kStatic : Changeable::kYes;
  // Spark SQL's and Spark Connect's static settings that are not known here otherwise.
  static constexpr std::string_view kStatic[] = {"spark.sql.broadcastExchange.maxThreadThreshold",
                                                 "spark.sql.cache.serializer",
                                                 "spark.sql.catalog.spark_catalog.defaultDatabase",
                                                 "spark.sql.codegen.cache.maxEntries",
                                                 "spark.sql.codegen.comments",
                                                 "spark.sql.debug",
                                                 "spark.sql.defaultUrlStreamHandlerFactory.enabled",
                                                 "spark.sql.event.truncate.length",
                                                 "spark.sql.extensions",
                                                 "spark.sql.filesourceTableRelationCacheSize",
                                                 "spark.sql.hive.thriftServer.singleSession",
                                                 "spark.sql.legacy.sessionInitWithConfigDefaults",
                                                 "spark.sql.metadataCacheTTLSeconds",
                                                 "spark.sql.queryExecutionListeners",
                                                 "spark.sql.resultQueryStage.maxThreadThreshold",
                                                 "spark.sql.sources.schemaStringLengthThreshold",
                                                 "spark.sql.streaming.streamingQueryListeners",
                                                 "spark.sql.subquery.maxThreadThreshold",
                                                 "spark.sql.ui.retainedExecutions"};
  if (std::find(std::begin(kStatic), std::end(kStatic), key) != std::end(kStatic)) return Changeable::kStatic;
  for (std::string_view prefix :
       {"spark.connect.grpc.", "spark.connect.execute.", "spark.connect.extensions.", "spark.sql.streaming.ui."}) {
    if (key.starts_with(prefix)) return Changeable::kStatic;
  }
  static constexpr std::string_view kCore[] = {"spark.cores.max",
                                               "spark.dynamicAllocation.enabled",
                                               "spark.eventLog.dir",
                                               "spark.eventLog.enabled",
                                               "spark.files",
                                               "spark.files.ignoreCorruptFiles",
                                               "spark.files.ignoreMissingFiles",
                                               "spark.jars",
                                               "spark.jars.packages",
                                               "spark.memory.fraction",
                                               "spark.memory.offHeap.enabled",
                                               "spark.memory.offHeap.size",
                                               "spark.memory.storageFraction",
                                               "spark.serializer",
                                               "spark.speculation",
                                               "spark.submit.deployMode",
                                               "spark.task.cpus",
                                               "spark.task.maxFailures"};
  if (std::find(std::begin(kCore), std::end(kCore), key) != std::end(kCore)) return Changeable::kNotInSession;
  for (std::string_view prefix : {"spark.driver.", "spark.executor.", "spark.deploy.", "spark.kryo", "spark.ui."}) {
    if (key.starts_with(prefix)) return Changeable::kNotInSession;
  }
  return Changeable::kYes;
}

functions::ExpressionSettings ReadExpressionSettings(const Lookup& lookup) {
  functions::ExpressionSettings settings;
  settings.ansi = IsTrue(lookup("spark.sql.ansi.enabled"));
  settings.time_zone = lookup("spark.sql.session.timeZone").value_or("UTC");
  settings.case_sensitive = IsTrue(lookup("spark.sql.caseSensitive"));
  settings.allow_precision_loss = IsTrue(lookup("spark.sql.decimalOperations.allowPrecisionLoss"));
  settings.timestamp_ntz_default = EqualsIgnoreCase(lookup("spark.sql.timestampType").value_or(""), "TIMESTAMP_NTZ");
  settings.legacy_size_of_null = !settings.ansi && IsTrue(lookup("spark.sql.legacy.sizeOfNull"));
  settings.concat_binary_as_string = IsTrue(lookup("spark.sql.function.concatBinaryAsString"));
  settings.time_parser_policy = AsciiUpper(lookup("spark.sql.legacy.timeParserPolicy").value_or("CORRECTED"));
  settings.lookup = lookup;
  return settings;
}

sql::ParserOptions ReadParserOptions(const Lookup& lookup) {
  sql::ParserOptions options;
  options.ansi = IsTrue(lookup("spark.sql.ansi.enabled"));
  options.enforce_reserved_keywords = IsTrue(lookup("spark.sql.ansi.enforceReservedKeywords"));
  options.double_quoted_identifiers = IsTrue(lookup("spark.sql.ansi.doubleQuotedIdentifiers"));
  options.escaped_string_literals = IsTrue(lookup("spark.sql.parser.escapedStringLiterals"));
  options.time_zone = lookup("spark.sql.session.timeZone").value_or("UTC");
  options.timestamp_ntz_default = EqualsIgnoreCase(lookup("spark.sql.timestampType").value_or(""), "TIMESTAMP_NTZ");
  options.set_ops_precedence_enforced = IsTrue(lookup("spark.sql.legacy.setopsPrecedence.enabled"));
  options.quoted_regex_column_names = IsTrue(lookup("spark.sql.parser.quotedRegexColumnNames"));
  options.exponent_literal_as_decimal = IsTrue(lookup("spark.sql.legacy.exponentLiteralAsDecimal.enabled"));
  options.legacy_identifier_clause = IsTrue(lookup("spark.sql.legacy.identifierClause"));
  options.legacy_interval = IsTrue(lookup("spark.sql.legacy.interval.enabled"));
  return options;
}

}  // namespace frazil::session
