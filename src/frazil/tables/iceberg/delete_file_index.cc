#include "frazil/tables/iceberg/delete_file_index.h"

#include "frazil/codec/deletion_vector.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/snapshot_producer.h"

namespace frazil::tables::iceberg {
namespace {

/// Field id of file_path in position delete files.
constexpr int32_t kDeleteFilePathId = 2147483546;

/// The one data file that a position delete file is about: named, or by equal bounds of its paths. Bounds that were cut
/// off are never equal, or short.
std::optional<std::string> ReferencedFile(const DataFile& file) {
  if (file.referenced_data_file) return file.referenced_data_file;
  const std::string* lower = FindById(file.lower_bounds, kDeleteFilePathId);
  const std::string* upper = FindById(file.upper_bounds, kDeleteFilePathId);
  if (lower != nullptr && upper != nullptr && *lower == *upper) return *lower;
  return std::nullopt;
}

}  // namespace

Result<FileFormat> ParseFileFormat(const std::string& name) {
  if (name == "PARQUET") return FileFormat::kParquet;
  if (name == "ORC") return FileFormat::kOrc;
  if (name == "AVRO") return FileFormat::kAvro;
  return Error::Unsupported("data files of format " + name);
}

Result<DeleteFileIndex> DeleteFileIndex::Build(const TableOperations& operations, const TableMetadata& metadata,
                                               const std::vector<ManifestFile>& manifests) {
  DeleteFileIndex index;
  for (const auto& manifest : manifests) {
    if (manifest.content != ManifestContent::kDeletes || !(manifest.MayHaveAdded() || manifest.MayHaveExisting()))
      continue;
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations.ReadEntries(metadata, manifest));
    for (const auto& entry : *entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      const DataFile& file = *entry.file;
      index.empty_ = false;
      std::string partition = PartitionKey(file.spec_id, file.partition);
      if (file.content == FileContent::kEqualityDeletes) {
        const PartitionSpec* spec = metadata.FindSpec(file.spec_id);
        if (spec == nullptr || spec->unpartitioned()) {
          index.global_equality_.push_back(entry);
        } else {
          index.equality_by_partition_[partition].push_back(entry);
        }
        continue;
      }
      Item item{entry, nullptr};
      if (file.is_deletion_vector()) {
        if (!file.referenced_data_file || !file.content_offset || !file.content_size) {
          return DamagedMetadata("The deletion vector in " + file.path + " does not say where it is");
        }
        index.vectors_[*file.referenced_data_file] = std::move(item);
        continue;
      }
      auto reference = std::make_shared<PositionDeleteFile>();
      reference->path = file.path;
      FRAZIL_ASSIGN_OR_RETURN(reference->format, ParseFileFormat(file.format));
      reference->size = file.size;
      reference->record_count = file.record_count;
      item.reference = std::move(reference);
      if (auto referenced = ReferencedFile(file)) {
        index.by_data_file_[*referenced].push_back(std::move(item));
      } else {
        index.by_partition_[partition].push_back(std::move(item));
      }
    }
  }
  return index;
}

Status DeleteFileIndex::Apply(const TableOperations& operations, const ManifestEntry& data, ScanFile* scan_file) const {
  if (empty_) return {};
  const DataFile& file = *data.file;
  int64_t sequence_number = data.sequence_number.value_or(0);
  std::string partition = PartitionKey(file.spec_id, file.partition);
  auto refuse = [&](const std::vector<ManifestEntry>& deletes) -> Status {
    for (const auto& entry : deletes) {
      // Equality deletes concern strictly older files only.
      if (entry.sequence_number.value_or(0) > sequence_number)
        return Error::Unsupported("Iceberg equality delete files");
    }
    return {};
  };
  FRAZIL_RETURN_IF_ERROR(refuse(global_equality_));
  auto equality = equality_by_partition_.find(partition);
  if (equality != equality_by_partition_.end()) FRAZIL_RETURN_IF_ERROR(refuse(equality->second));

  auto vector = vectors_.find(file.path);
  if (vector != vectors_.end() && vector->second.entry.sequence_number.value_or(0) >= sequence_number) {
    const DataFile& blob_file = *vector->second.entry.file;
    FRAZIL_ASSIGN_OR_RETURN(auto reader, operations.store().Open(blob_file.path));
    std::string blob(static_cast<size_t>(*blob_file.content_size), '\0');
    FRAZIL_RETURN_IF_ERROR(reader->ReadAt(*blob_file.content_offset, *blob_file.content_size, blob.data()));
    auto positions = codec::ReadDeletionVector(blob);
    if (!positions.ok()) return DamagedMetadata(positions.error().message + ": " + blob_file.path);
    if (static_cast<int64_t>(positions->size()) != blob_file.record_count) {
      return DamagedMetadata("The deletion vector in " + blob_file.path + " has " + std::to_string(positions->size()) +
                             " positions instead of " + std::to_string(blob_file.record_count));
    }
    scan_file->deleted_positions = std::make_shared<const std::vector<int64_t>>(*std::move(positions));
    return {};  // A deletion vector holds all that position delete files said before.
  }
  auto add = [&](const std::vector<Item>& items) {
    for (const auto& item : items) {
      if (item.entry.sequence_number.value_or(0) >= sequence_number)
        scan_file->position_delete_files.push_back(item.reference);
    }
  };
  auto own = by_data_file_.find(file.path);
  if (own != by_data_file_.end()) add(own->second);
  auto in_partition = by_partition_.find(partition);
  if (in_partition != by_partition_.end()) add(in_partition->second);
  return {};
}

}  // namespace frazil::tables::iceberg
