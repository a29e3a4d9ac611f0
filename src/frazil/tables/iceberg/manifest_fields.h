#pragma once

#include <cstdint>

namespace frazil::tables::iceberg {

/// Field ids that the specification gives to the fields of manifests and manifest lists.

struct EntryField {
  static constexpr int32_t kStatus = 0, kSnapshotId = 1, kDataFile = 2, kSequenceNumber = 3, kFileSequenceNumber = 4;
};

struct DataFileField {
  static constexpr int32_t kFilePath = 100, kFileFormat = 101, kPartition = 102, kRecordCount = 103, kFileSize = 104,
                           kBlockSize = 105, kColumnSizes = 108, kValueCounts = 109, kNullCounts = 110,
                           kLowerBounds = 125, kUpperBounds = 128, kKeyMetadata = 131, kSplitOffsets = 132,
                           kContent = 134, kEqualityIds = 135, kNanCounts = 137, kSortOrderId = 140, kFirstRowId = 142,
                           kReferencedDataFile = 143, kContentOffset = 144, kContentSize = 145;
};
/// Whether a field of data_file is one that is read (the partition aside).
bool IsDataFileField(int32_t id);

struct ManifestField {
  static constexpr int32_t kPath = 500, kLength = 501, kSpecId = 502, kAddedSnapshotId = 503, kAddedFiles = 504,
                           kExistingFiles = 505, kDeletedFiles = 506, kPartitions = 507, kPartitionsElement = 508,
                           kContainsNull = 509, kLowerBound = 510, kUpperBound = 511, kAddedRows = 512,
                           kExistingRows = 513, kDeletedRows = 514, kSequenceNumber = 515, kMinSequenceNumber = 516,
                           kContent = 517, kContainsNan = 518, kKeyMetadata = 519, kFirstRowId = 520;
};

}  // namespace frazil::tables::iceberg
