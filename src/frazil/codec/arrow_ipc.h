#pragma once

// Arrow IPC streams as Spark Connect carries them
// (https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format). Arrow C++ stays in the .cc file.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/types/arrow_c.h"
#include "frazil/types/data_type.h"

namespace frazil::codec {

enum class IpcCompression : uint8_t { kNone, kLz4, kZstd };

struct IpcOptions {
  /// Zone that timestamp columns name ("UTC", "Europe/Berlin"): the session's. Values are micros of the epoch whatever
  /// it is.
  std::string time_zone = "UTC";
  /// Compression of the buffers in record batches.
  IpcCompression compression = IpcCompression::kNone;
};

/// An IPC stream of the schema and one batch without rows: what an empty result is sent as (PySpark makes its table
/// from the batches, so there must be one).
Result<std::string> EncodeSchema(const DataType& schema, const IpcOptions& options);

/// One IPC stream of the schema and the batch: the `data` of one ExecutePlanResponse.ArrowBatch. The batch is laid out
/// as types/arrow_c.h says. Takes the batch: its buffers are released when this returns.
Result<std::string> EncodeBatch(const DataType& schema, ArrowBatch batch, const IpcOptions& options);

/// Several batches as one IPC stream.
Result<std::string> EncodeBatches(const DataType& schema, std::vector<ArrowBatch> batches, const IpcOptions& options);

/// Reads an IPC stream that a client sent (createDataFrame, chunks of a local relation) into memory: dictionaries
/// decoded, large_utf8, string_view, large_binary, large_list, list_view, fixed-size lists, unsigned and narrow types
/// brought to the layouts of types/arrow_c.h; timestamps of any unit to microseconds (with a zone: timestamp, without:
/// timestamp_ntz); date64 to date32; durations of any unit to microseconds. Types that Spark has not are an error
/// UNSUPPORTED_ARROWTYPE. Nested schemas keep names and nullability. Malformed input: error kind kUser.
Result<std::shared_ptr<ArrowTable>> DecodeIpcStream(std::string_view bytes);

/// The Arrow schema of a Spark struct type, through the C interface; `out` must not hold a schema. The caller releases
/// it.
Status ExportArrowSchema(const DataType& schema, const std::string& time_zone, ArrowSchema* out);

/// The Spark struct type of an Arrow schema given through the C interface, which is released.
Result<DataTypePtr> SparkTypeOfArrowSchema(ArrowSchema* schema);

}  // namespace frazil::codec
