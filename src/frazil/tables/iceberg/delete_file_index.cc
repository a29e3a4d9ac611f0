#include "frazil/tables/iceberg/delete_file_index.h"

#include <algorithm>

#include "frazil/tables/iceberg/data_file_format.h"
#include "frazil/tables/iceberg/equality_deletes.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/position_deletes.h"
#include "frazil/tables/iceberg/snapshot_producer.h"

namespace frazil::tables::iceberg {

Result<DeleteFileIndex> DeleteFileIndex::Build(const TableOperations& operations, const TableMetadata& metadata,
                                               const std::vector<ManifestFile>& manifests) {
  DeleteFileIndex index;
  index.metadata_ = &metadata;
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
      if (auto referenced = ReferencedDataFile(file)) {
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
  std::vector<DataFilePtr> equality;
  auto add_equality = [&](const std::vector<ManifestEntry>& deletes) {
    for (const auto& entry : deletes) {
      // Equality deletes concern strictly older files only.
      if (entry.sequence_number.value_or(0) > sequence_number) equality.push_back(entry.file);
    }
  };
  add_equality(global_equality_);
  auto in_partition = equality_by_partition_.find(partition);
  if (in_partition != equality_by_partition_.end()) add_equality(in_partition->second);
  FRAZIL_ASSIGN_OR_RETURN(auto deleted, FindEqualRows(operations, *metadata_, file, equality));

  auto vector = vectors_.find(file.path);
  if (vector != vectors_.end() && vector->second.entry.sequence_number.value_or(0) >= sequence_number) {
    // A deletion vector holds all that position delete files said before.
    FRAZIL_ASSIGN_OR_RETURN(auto positions, ReadPositionDeletes(operations, *vector->second.entry.file));
    const auto& of_vector = positions.begin()->second;
    const auto middle = static_cast<std::ptrdiff_t>(deleted.size());
    deleted.insert(deleted.end(), of_vector.begin(), of_vector.end());
    std::inplace_merge(deleted.begin(), deleted.begin() + middle, deleted.end());
    deleted.erase(std::unique(deleted.begin(), deleted.end()), deleted.end());
  } else {
    for (const auto* item : PositionItems(data)) scan_file->position_delete_files.push_back(item->reference);
  }
  if (!deleted.empty()) scan_file->deleted_positions = std::make_shared<const std::vector<int64_t>>(std::move(deleted));
  return {};
}

std::vector<const DeleteFileIndex::Item*> DeleteFileIndex::PositionItems(const ManifestEntry& data) const {
  std::vector<const Item*> found;
  const int64_t sequence_number = data.sequence_number.value_or(0);
  auto add = [&](const std::map<std::string, std::vector<Item>>& items, const std::string& key) {
    auto own = items.find(key);
    if (own == items.end()) return;
    for (const auto& item : own->second) {
      if (item.entry.sequence_number.value_or(0) >= sequence_number) found.push_back(&item);
    }
  };
  add(by_data_file_, data.file->path);
  add(by_partition_, PartitionKey(data.file->spec_id, data.file->partition));
  return found;
}

std::vector<DataFilePtr> DeleteFileIndex::PositionDeletesOf(const ManifestEntry& data) const {
  auto vector = vectors_.find(data.file->path);
  if (vector != vectors_.end() && vector->second.entry.sequence_number.value_or(0) >= data.sequence_number.value_or(0))
    return {vector->second.entry.file};
  std::vector<DataFilePtr> files;
  for (const auto* item : PositionItems(data)) files.push_back(item->entry.file);
  return files;
}

}  // namespace frazil::tables::iceberg
