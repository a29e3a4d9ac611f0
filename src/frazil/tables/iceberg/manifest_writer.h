#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/codec/avro_file.h"
#include "frazil/tables/iceberg/manifest.h"
#include "frazil/tables/iceberg/table_metadata.h"

namespace frazil::tables::iceberg {

/// Makes one manifest in memory and counts what its entry in the manifest list needs.
class ManifestWriter {
 public:
  /// `spec` is one of `metadata`; `path` is where the file will be.
  static Result<std::unique_ptr<ManifestWriter>> Make(const TableMetadata& metadata, int32_t spec_id,
                                                      ManifestContent content, int64_t snapshot_id, std::string path);

  /// A file of this commit. Its sequence number is inherited from the commit, unless `sequence_number` is given
  /// (rewrites keep it).
  Status Added(DataFilePtr file, std::optional<int64_t> sequence_number = std::nullopt);
  /// A file of an earlier commit that stays.
  Status Existing(const ManifestEntry& entry);
  /// A file that this commit removes.
  Status Deleted(const ManifestEntry& entry);

  int64_t size() const { return writer_.size(); }

  struct Output {
    ManifestFile manifest;
    std::string data;
  };
  Result<Output> Finish();

 private:
  ManifestWriter(std::string schema, std::map<std::string, std::string> header, std::string codec)
      : writer_(schema, header, std::move(codec)) {}
  Status Write(const ManifestEntry& entry);
  void WriteFile(const DataFile& file);
  void UpdateSummaries(const DataFile& file);

  int format_version_ = 2;
  int64_t snapshot_id_ = 0;
  std::vector<TypePtr> partition_types_;
  std::vector<DataTypePtr> summary_types_;  ///< Null where the values have no order.
  codec::AvroFileWriter writer_;
  ManifestFile manifest_;
  std::optional<int64_t> min_sequence_number_;
  struct Range {
    FieldSummary summary;
    std::optional<Value> lower, upper;
  };
  std::vector<Range> ranges_;
};

/// A manifest list. Unassigned sequence numbers become `sequence_number`; in v3 data manifests without first row id get
/// one, counted from `next_row_id`, which is left at the first free one.
Result<std::string> WriteManifestList(int format_version, int64_t snapshot_id, std::optional<int64_t> parent_id,
                                      int64_t sequence_number, std::vector<ManifestFile> manifests,
                                      int64_t* next_row_id);

}  // namespace frazil::tables::iceberg
