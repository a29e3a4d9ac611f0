#pragma once

// Where a streaming query writes its batches.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/commands/command_context.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/streaming/stream_host.h"
#include "frazil/streaming/stream_write.h"

namespace frazil::streaming {

/// What a batch gives to its sink.
struct Batch {
  int64_t id = 0;
  std::string query_id;
  OutputMode mode = OutputMode::kAppend;
  plan::LogicalPlanPtr rows;
};

/// One sink of one query. Used by the query's thread alone; `context` is a statement of the query's session.
class Sink {
 public:
  virtual ~Sink() = default;
  /// As progress reports name it.
  virtual std::string description() const = 0;
  /// Writes the rows, once: a batch that is there already (the query ended before it could note that) is left alone.
  /// How many rows were written, where that is known.
  virtual Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) = 0;
};

/// The sink that a write asks for, made ready: toTable makes its table where there is none. `schema`: of the rows.
/// Errors: unknown formats, output modes that the sink cannot take, options without meaning.
Result<std::unique_ptr<Sink>> MakeSink(const StreamWrite& write, OutputMode mode, const DataTypePtr& schema,
                                       StreamHost& host, commands::CommandContext& context);

/// Sinks whose queries need no checkpoint folder: memory, console, noop, foreach and foreachBatch.
bool TakesTemporaryCheckpoint(const StreamWrite& write);

// table_sink.cc
Result<std::unique_ptr<Sink>> MakeTableSink(const StreamWrite& write, OutputMode mode, const DataTypePtr& schema,
                                            commands::CommandContext& context);
// file_sink.cc
/// `table_name`: of the table whose folder `path` is; a batch fails where it is gone. Empty: there is no table.
Result<std::unique_ptr<Sink>> MakeFileSink(const StreamWrite& write, const std::string& format, OutputMode mode,
                                           const DataTypePtr& schema, const std::string& path,
                                           const std::vector<std::string>& table_name,
                                           commands::CommandContext& context);
// memory_sink.cc
Result<std::unique_ptr<Sink>> MakeMemorySink(const StreamWrite& write, const DataTypePtr& schema, StreamHost& host);

// callback_sink.cc
Result<std::unique_ptr<Sink>> MakeCallbackSink(const StreamWrite& write, const DataTypePtr& schema, StreamHost& host,
                                               commands::CommandContext& context);

// kafka_stream.cc
Result<std::unique_ptr<Sink>> MakeKafkaSink(const StreamWrite& write, const DataTypePtr& schema);

// python_source.cc
/// A data source of Python, registered as `name`.
Result<std::unique_ptr<Sink>> MakePythonSink(const StreamWrite& write, const std::string& name, OutputMode mode);

/// Error STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE.
Error UnsupportedMode(const std::string& sink, OutputMode mode);

}  // namespace frazil::streaming
