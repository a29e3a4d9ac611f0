#pragma once

// What belongs to one running statement and is found again inside DuckDB's callbacks. Internal to engine/.

#include <memory>
#include <vector>

#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>

#include "frazil/engine/engine.h"
#include "frazil/engine/error_origins.h"
#include "frazil/plan/logical_plan.h"

namespace frazil::engine {

/// A column that a scan puts out.
struct ScanSlot {
  enum class Kind : uint8_t {
    kData,            ///< Column `index` of the scan's schema.
    kFilePath,        ///< The path of the file, as the table names it.
    kSpecId,          ///< Id of the file's partition spec.
    kPartition,       ///< Struct of the file's partition values.
    kFirstRowId,      ///< Iceberg v3: first row id of the file; NULL where it has none.
    kSequenceNumber,  ///< Data sequence number of the file.
    kReservedColumn,  ///< A column with the reserved field id `index`, NULL in files that lack it.
    kRecord,          ///< Text files: a line, or what else is one record, as VARCHAR (BLOB for whole binary files).
    kFileUri,         ///< The path of the file as a URI.
    kFileName,        ///< The last part of it.
    kFileTime,        ///< When the file was changed last.
    kFileLength,      ///< Bytes of the file.
  };
  Kind kind = Kind::kData;
  int index = -1;
  std::string name;
  DataTypePtr type;
};

/// A scan of the statement, by the index that its table function gets as argument.
struct StatementScan {
  plan::LogicalPlanPtr owner;  ///< Keeps `node` alive.
  const plan::ScanNode* node = nullptr;
  std::vector<ScanSlot> slots;
  /// Text files: how they are cut into records.
  tables::FileFormat format = tables::FileFormat::kParquet;
  std::map<std::string, std::string> options;
  /// CSV with enforceSchema=false: the names that headers must have, by position.
  std::map<size_t, std::string> header_columns;
};

class ParquetPartitionWriter;

struct StatementState : duckdb::ClientContextState {
  ExecutionContext context;
  std::vector<StatementScan> scans;
  ErrorOrigins origins;
  /// Arrow tables and the like that DuckDB reads by address.
  std::vector<std::shared_ptr<void>> kept;
  /// Where the rows of a statement by CopyOf go.
  ParquetPartitionWriter* copy_target = nullptr;

  static constexpr const char* kKey = "frazil_statement";
  /// The state of the statement that runs on this connection; throws where there is none.
  static StatementState& Of(duckdb::ClientContext& client);
};

}  // namespace frazil::engine
