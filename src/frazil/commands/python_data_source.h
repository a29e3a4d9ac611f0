#pragma once

// Data sources that users write in Python (pyspark.sql.datasource): registered by spark.dataSource.register, read and
// written by their names. Their methods run in worker processes (python/frazil/data_source_worker.py).
// https://spark.apache.org/docs/latest/api/python/tutorial/sql/python_data_source.html

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/commands/command_context.h"
#include "frazil/tables/partitioned_rows.h"
#include "frazil/udf/python_worker.h"

namespace frazil::commands {

/// How the steps of one source run: what a statement's context says of it, without the context, which may go before the
/// rows are read.
struct PythonDataSourceRun {
  udf::PythonPlace place;
  std::string python_version;
  std::string time_zone;
  int64_t batch_rows = 10000;
  bool pushes_filters = false;  ///< spark.sql.python.filterPushdown.enabled.
};
PythonDataSourceRun RunOf(const PythonDataSource& source, const CommandContext& context);
udf::CallWatch WatchOf(const CommandContext& context);

/// One step (data_source_worker.py lists them): `pickled` is what it is about, `job` a line of JSON, `bytes` what comes
/// behind it. The answer are the parts that the step gives. Errors: what Python raises, as udf::PythonError says it.
Result<std::vector<std::string>> CallPythonDataSource(const std::string& step, const PythonDataSourceRun& run,
                                                      const std::string& pickled, const std::string& job,
                                                      std::string_view bytes, const udf::CallWatch& watch);
/// The parts that a step takes as its bytes (commit messages).
std::string JoinParts(const std::vector<std::string>& parts);
/// An error of Python as PYTHON_DATA_SOURCE_ERROR ("create", "instance"); others stay themselves.
Error PythonDataSourceError(Error error, const std::string& action, const std::string& type);

/// A source made with the options of one statement.
struct PythonDataSourceInstance {
  PythonDataSourceRun run;
  std::string name;
  std::string pickled;
  DataTypePtr schema;  ///< What the statement says, else what the source says.
};
/// `schema`: what the user gave, or null.
Result<PythonDataSourceInstance> MakePythonDataSource(const PythonDataSource& source, const std::string& provider,
                                                      const plan::Options& options, const DataTypePtr& schema,
                                                      CommandContext& context);

/// The rows of a source. `partitions`: those that are known already (a micro-batch); nullopt: those that its reader
/// plans when the statement runs.
tables::TableScanPtr ReadPythonDataSource(PythonDataSourceInstance instance,
                                          std::optional<tables::PartitionedRows::Partitions> partitions = std::nullopt);

/// df.write.format(name): hands the rows of the query to a writer, partition by partition, and commits, or aborts where
/// one fails. `batch`: of a stream, whose writer is another one.
Status WriteToPython(const PythonDataSource& source, const std::string& provider, const plan::Options& options,
                     bool overwrite, const plan::LogicalPlanPtr& query, CommandContext& context,
                     std::optional<int64_t> batch = std::nullopt);

}  // namespace frazil::commands
