#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/types/value.h"

namespace frazil::tables::iceberg {

enum class FileContent : uint8_t { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
enum class EntryStatus : uint8_t { kExisting = 0, kAdded = 1, kDeleted = 2 };
enum class ManifestContent : uint8_t { kData = 0, kDeletes = 1 };

/// Numbers by field id, ascending by id.
using CountsById = std::vector<std::pair<int32_t, int64_t>>;
/// Single values in binary form by field id, ascending by id.
using BoundsById = std::vector<std::pair<int32_t, std::string>>;

/// The value of a field id, or null.
template <typename T>
const T* FindById(const std::vector<std::pair<int32_t, T>>& list, int32_t id) {
  for (const auto& [key, value] : list) {
    if (key == id) return &value;
  }
  return nullptr;
}

/// A data or delete file ("Manifests", struct data_file).
struct DataFile {
  FileContent content = FileContent::kData;
  std::string path;
  std::string format;  ///< Upper case: "PARQUET", "ORC", "AVRO", "PUFFIN".
  int32_t spec_id = 0;
  std::vector<Value> partition;  ///< One for each field of the spec.
  int64_t record_count = 0;
  int64_t size = 0;
  bool has_column_sizes = false, has_value_counts = false, has_null_counts = false, has_nan_counts = false,
       has_bounds = false;
  CountsById column_sizes;
  CountsById value_counts;
  CountsById null_counts;
  CountsById nan_counts;
  BoundsById lower_bounds;
  BoundsById upper_bounds;
  std::optional<std::string> key_metadata;
  std::optional<std::vector<int64_t>> split_offsets;
  std::vector<int32_t> equality_ids;
  std::optional<int32_t> sort_order_id;
  std::optional<int64_t> first_row_id;
  std::optional<std::string> referenced_data_file;
  std::optional<int64_t> content_offset;
  std::optional<int64_t> content_size;

  bool is_deletion_vector() const { return content == FileContent::kPositionDeletes && format == "PUFFIN"; }
};
using DataFilePtr = std::shared_ptr<const DataFile>;

/// A file in a manifest (struct manifest_entry), with what it inherits from the manifest filled in.
struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  int64_t snapshot_id = 0;
  std::optional<int64_t>
      sequence_number;  ///< Data sequence number; absent: inherited from the commit that is being made.
  std::optional<int64_t> file_sequence_number;
  DataFilePtr file;
};

/// Values of one partition field over the files of a manifest (struct field_summary).
struct FieldSummary {
  bool contains_null = false;
  std::optional<bool> contains_nan;
  std::optional<std::string> lower;  ///< Binary single values.
  std::optional<std::string> upper;
  bool operator==(const FieldSummary&) const = default;
};

/// A manifest in a manifest list (struct manifest_file).
struct ManifestFile {
  std::string path;
  int64_t length = 0;
  int32_t spec_id = 0;
  ManifestContent content = ManifestContent::kData;
  int64_t sequence_number = 0;      ///< -1: that of the commit that is being made.
  int64_t min_sequence_number = 0;  ///< -1 likewise.
  int64_t added_snapshot_id = 0;
  std::optional<int32_t> added_files, existing_files, deleted_files;  ///< Absent in old v1 lists.
  std::optional<int64_t> added_rows, existing_rows, deleted_rows;
  bool has_summaries = false;
  std::vector<FieldSummary> summaries;
  std::optional<std::string> key_metadata;
  std::optional<int64_t> first_row_id;

  bool MayHaveAdded() const { return !added_files || *added_files > 0; }
  bool MayHaveExisting() const { return !existing_files || *existing_files > 0; }
};

constexpr int64_t kUnassignedSequenceNumber = -1;

}  // namespace frazil::tables::iceberg
