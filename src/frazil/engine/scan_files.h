#pragma once

// The files of a scan for DuckDB's multi-file readers. Internal to engine/.

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <duckdb.hpp>
#include <duckdb/common/multi_file/base_file_reader.hpp>
#include <duckdb/common/multi_file/multi_file_list.hpp>
#include <duckdb/common/multi_file/multi_file_states.hpp>

#include "frazil/engine/statement_state.h"
#include "frazil/tables/scan.h"

namespace frazil::engine {

/// A scan's plan and what was read for it beforehand.
struct PlannedScan {
  tables::ScanPlan plan;
  /// For each file the deleted positions of all sources together; null: none.
  std::vector<tables::DeletedPositions> deleted;
};

/// The list is made when DuckDB first asks for a file, or when it pushes filters down: then only files that can match
/// are in it.
class ScanFileList : public duckdb::MultiFileList {
 public:
  ScanFileList(duckdb::ClientContext& client, size_t scan_index);

  duckdb::unique_ptr<duckdb::MultiFileList> Filtered(
      const duckdb::MultiFilePushdownInfo& info,
      const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const;
  const PlannedScan& planned() const;
  const StatementScan& scan() const;
  duckdb::ClientContext& client() const { return client_; }
  /// The reader of the first file, opened once: its columns and what its footer says of them. Null where the list is
  /// empty. Thread-safe.
  duckdb::shared_ptr<duckdb::BaseFileReader> FirstReader(const duckdb::MultiFileBindData& bind_data) const;

  /// Rows of the list where metadata alone tells them exactly.
  std::optional<int64_t> ExactRowCount() const;

  duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
  duckdb::FileExpandResult GetExpandResult() const override;
  /// None: for a display alone no files are planned, all the less before the filter is known.
  duckdb::vector<duckdb::OpenFileInfo> GetDisplayFileList(duckdb::optional_idx max_files) const override;
  duckdb::idx_t GetTotalFileCount() const override;
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;

 protected:
  duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

 private:
  duckdb::ClientContext& client_;
  size_t scan_index_;
  PredicatePtr filter_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const PlannedScan> planned_;
  mutable duckdb::shared_ptr<duckdb::BaseFileReader> first_reader_;
};

}  // namespace frazil::engine
