#include "frazil/tables/iceberg/position_deletes.h"

#include <algorithm>
#include <set>

#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/codec/deletion_vector.h"
#include "frazil/codec/puffin.h"
#include "frazil/tables/arrow_column.h"
#include "frazil/tables/iceberg/data_file_format.h"
#include "frazil/tables/iceberg/delete_file_index.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/parallel_for.h"
#include "frazil/tables/iceberg/snapshot_producer.h"

namespace frazil::tables::iceberg {
namespace {

constexpr char kVectorBlob[] = "deletion-vector-v1";

DataTypePtr DeleteRowType() {
  static const DataTypePtr type =
      DataType::Struct({{"file_path", DataType::String(), false}, {"pos", DataType::Long(), false}});
  return type;
}

Result<PositionsByFile> ReadVector(const TableOperations& operations, const DataFile& vector) {
  if (!vector.referenced_data_file || !vector.content_offset || !vector.content_size)
    return DamagedMetadata("The deletion vector in " + vector.path + " does not say where it is");
  FRAZIL_ASSIGN_OR_RETURN(auto reader, operations.store().Open(vector.path));
  std::string blob(static_cast<size_t>(*vector.content_size), '\0');
  FRAZIL_RETURN_IF_ERROR(reader->ReadAt(*vector.content_offset, *vector.content_size, blob.data()));
  auto positions = codec::ReadDeletionVector(blob);
  if (!positions.ok()) return DamagedMetadata(positions.error().message + ": " + vector.path);
  if (static_cast<int64_t>(positions->size()) != vector.record_count) {
    return DamagedMetadata("The deletion vector in " + vector.path + " has " + std::to_string(positions->size()) +
                           " positions instead of " + std::to_string(vector.record_count));
  }
  PositionsByFile result;
  result[*vector.referenced_data_file] = *std::move(positions);
  return result;
}

void SortUnique(std::vector<int64_t>* positions) {
  std::sort(positions->begin(), positions->end());
  positions->erase(std::unique(positions->begin(), positions->end()), positions->end());
}

Result<std::vector<DataFilePtr>> WriteVectors(const TableOperations& operations, const TableMetadata& metadata,
                                              const std::vector<DeletedRows>& deleted,
                                              std::vector<std::string>* written) {
  codec::PuffinWriter puffin;
  const std::string path = storage::JoinPath(TableOperations::DataLocation(metadata),
                                             "00000-0-" + RandomUuidText() + "-00001-deletes.puffin");
  std::vector<std::shared_ptr<DataFile>> vectors;
  for (const auto& [file, positions] : deleted) {
    const auto blob =
        puffin.Add(kVectorBlob, {kDeletePositionId},
                   {{"referenced-data-file", file->path}, {"cardinality", std::to_string(positions.size())}}, -1, -1,
                   codec::WriteDeletionVector(positions));
    auto vector = std::make_shared<DataFile>();
    vector->content = FileContent::kPositionDeletes;
    vector->path = path;
    vector->format = "PUFFIN";
    vector->spec_id = file->spec_id;
    vector->partition = file->partition;
    vector->record_count = static_cast<int64_t>(positions.size());
    vector->referenced_data_file = file->path;
    vector->content_offset = blob.offset;
    vector->content_size = blob.length;
    vectors.push_back(std::move(vector));
  }
  const std::string data = puffin.Finish();
  written->push_back(path);
  FRAZIL_RETURN_IF_ERROR(operations.store().WriteNew(path, data));
  std::vector<DataFilePtr> result;
  for (auto& vector : vectors) {
    vector->size = static_cast<int64_t>(data.size());
    result.push_back(std::move(vector));
  }
  return result;
}

/// `format`: as tables name it ("parquet").
Result<WriteTask> DeleteTask(const TableMetadata& metadata, const std::string& format) {
  WriteTask task;
  FRAZIL_ASSIGN_OR_RETURN(task.format, ParseFileFormat(AsciiUpper(format)));
  ScanColumn path, position;
  path.name = "file_path";
  path.type = DataType::String();
  path.field_id = kDeleteFilePathId;
  position.name = "pos";
  position.type = DataType::Long();
  position.field_id = kDeletePositionId;
  path.nullable = position.nullable = false;
  task.columns = {std::move(path), std::move(position)};
  const std::string lower = AsciiLower(format);
  const std::string own = "compression-codec";
  task.compression = AsciiLower(metadata.Property(
      "write.delete." + lower + "." + own, metadata.Property("write." + lower + "." + own, DefaultCodec(task.format))));
  task.target_file_size = INT64_MAX;
  return task;
}

/// Positions of a data file's rows, and what the file is called.
using NamedPositions = std::pair<std::string_view, const std::vector<int64_t>*>;

/// One position delete file.
Result<WrittenFile> WriteRows(const TableOperations& operations, const WriteTask& task,
                              const std::vector<NamedPositions>& positions) {
  FRAZIL_ASSIGN_OR_RETURN(auto files, operations.files());
  ArrowColumnBuilder builder(DeleteRowType());
  for (const auto& [path, of_file] : positions) {
    for (int64_t position : *of_file) {
      builder.Child(0).Append(path);
      builder.Child(1).Append(position);
      builder.EndRow();
    }
  }
  auto rows = std::make_shared<ArrowTable>();
  rows->schema = DeleteRowType();
  rows->batches.push_back(builder.FinishBatch());
  FRAZIL_ASSIGN_OR_RETURN(auto written, files->WriteFiles(operations.context(), task, rows));
  if (written.size() != 1)
    return Error::Internal("a position delete file became " + std::to_string(written.size()) + " files");
  return std::move(written[0]);
}

/// One position delete file for data files of one partition.
Result<DataFilePtr> WriteDeleteFile(const TableOperations& operations, const TableMetadata& metadata, WriteTask task,
                                    const std::vector<const DeletedRows*>& group, std::string* path) {
  const DataFile& first = *group[0]->file;
  const PartitionSpec* spec = metadata.FindSpec(first.spec_id);
  if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(first.spec_id));
  const std::string folder = SpecPartitionPath(*spec, *metadata.SchemaForSpec(*spec), first.partition);
  task.location = TableOperations::DataLocation(metadata);
  if (!folder.empty()) task.location = storage::JoinPath(task.location, folder);
  task.file_name_prefix = "00000-0-" + RandomUuidText() + "-*-deletes";
  std::vector<NamedPositions> positions;
  for (const auto* each : group) positions.emplace_back(each->file->path, &each->positions);
  FRAZIL_ASSIGN_OR_RETURN(WrittenFile written, WriteRows(operations, task, positions));
  *path = written.path;
  auto file = std::make_shared<DataFile>();
  file->content = FileContent::kPositionDeletes;
  file->path = written.path;
  FRAZIL_ASSIGN_OR_RETURN(file->format, FileFormatName(task.format));
  file->spec_id = first.spec_id;
  file->partition = first.partition;
  file->record_count = written.record_count;
  file->size = written.size;
  file->has_column_sizes = file->has_value_counts = file->has_null_counts = file->has_nan_counts = file->has_bounds =
      true;
  for (int32_t id : {kDeletePositionId, kDeleteFilePathId}) {
    auto column = written.columns.find(id);
    if (column != written.columns.end() && column->second.compressed_size > 0)
      file->column_sizes.emplace_back(id, column->second.compressed_size);
  }
  if (group.size() == 1) {
    // Equal bounds of the paths tell readers that the file is about this data file alone.
    auto bytes = [](int64_t position) { return ToBytes(*Type::Primitive(TypeKind::kLong), Value(position)); };
    file->lower_bounds = {{kDeletePositionId, bytes(group[0]->positions.front())}, {kDeleteFilePathId, first.path}};
    file->upper_bounds = {{kDeletePositionId, bytes(group[0]->positions.back())}, {kDeleteFilePathId, first.path}};
  }
  if (!written.split_offsets.empty()) file->split_offsets = written.split_offsets;
  return DataFilePtr(std::move(file));
}

Result<std::vector<DataFilePtr>> WriteDeleteFiles(const TableOperations& operations, const TableMetadata& metadata,
                                                  const std::vector<DeletedRows>& deleted, bool by_partition,
                                                  std::vector<std::string>* written) {
  FRAZIL_ASSIGN_OR_RETURN(
      WriteTask task, DeleteTask(metadata, metadata.Property("write.delete.format.default",
                                                             metadata.Property("write.format.default", "parquet"))));
  std::map<std::string, std::vector<const DeletedRows*>> groups;
  for (const auto& each : deleted) {
    const std::string partition = PartitionKey(each.file->spec_id, each.file->partition);
    groups[by_partition ? partition : each.file->path].push_back(&each);
  }
  std::vector<const std::vector<const DeletedRows*>*> work;
  for (const auto& [key, group] : groups) work.push_back(&group);
  std::vector<DataFilePtr> result(work.size());
  std::vector<std::string> paths(work.size());
  Status done = ParallelFor(work.size(), ReadThreads(), [&](size_t i) -> Status {
    FRAZIL_ASSIGN_OR_RETURN(result[i], WriteDeleteFile(operations, metadata, task, *work[i], &paths[i]));
    return {};
  });
  for (auto& path : paths) {
    if (!path.empty()) written->push_back(std::move(path));
  }
  FRAZIL_RETURN_IF_ERROR(done);
  return result;
}

/// The Puffin file with the new names in its footer.
Result<MovedDeletes> WriteMovedVectors(const TableOperations& operations, const DataFile& file,
                                       const std::function<Result<std::string>(const std::string&)>& moved,
                                       const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(const std::string data, operations.store().Read(file.path));
  auto footer = codec::ReadPuffinFooter(data);
  if (!footer.ok()) {
    if (footer.error().kind != ErrorKind::kStorage) return std::move(footer).error();
    return DamagedMetadata(footer.error().message + ": " + file.path);
  }
  for (auto& [key, blobs] : footer->metadata.members) {
    if (key != "blobs") continue;
    for (auto& blob : blobs.items) {
      for (auto& [member, properties] : blob.members) {
        if (member != "properties") continue;
        for (auto& [name, value] : properties.members) {
          if (name != "referenced-data-file") continue;
          FRAZIL_ASSIGN_OR_RETURN(value.text, moved(value.text));
        }
      }
    }
  }
  const std::string changed = codec::ReplacePuffinFooter(data, *footer);
  FRAZIL_RETURN_IF_ERROR(operations.store().Write(path, changed));
  return MovedDeletes{path, static_cast<int64_t>(changed.size()), file.split_offsets};
}

/// Whether v2's delete files are about all data files of a partition.
Result<bool> ByPartition(const TableMetadata& metadata) {
  const std::string granularity = metadata.Property("write.delete.granularity", "file");
  if (!EqualsIgnoreCase(granularity, "file") && !EqualsIgnoreCase(granularity, "partition"))
    return IllegalArgument("Unknown delete granularity: " + granularity);
  return metadata.format_version < 3 && EqualsIgnoreCase(granularity, "partition");
}

}  // namespace

std::optional<std::string> ReferencedDataFile(const DataFile& file) {
  if (file.content != FileContent::kPositionDeletes) return std::nullopt;
  if (file.referenced_data_file) return file.referenced_data_file;
  const std::string* lower = FindById(file.lower_bounds, kDeleteFilePathId);
  const std::string* upper = FindById(file.upper_bounds, kDeleteFilePathId);
  if (lower != nullptr && upper != nullptr && *lower == *upper) return *lower;
  return std::nullopt;
}

std::string DeleteFileKey(const DataFile& file) {
  std::string key = storage::LocalPath(file.path);
  if (file.content_offset) key += "#" + std::to_string(*file.content_offset);
  return key;
}

Result<PositionsByFile> ReadPositionDeletes(const TableOperations& operations, const DataFile& file) {
  if (file.is_deletion_vector()) return ReadVector(operations, file);
  FRAZIL_ASSIGN_OR_RETURN(const FileFormat format, ParseFileFormat(file.format));
  FRAZIL_ASSIGN_OR_RETURN(auto files, operations.files());
  PositionsByFile result;
  std::vector<int64_t>* current = nullptr;
  std::string current_path;
  FRAZIL_RETURN_IF_ERROR(files->Read(
      operations.context(), file.path, DeleteRowType(),
      [&](const ArrowBatch& batch) -> Status {
        const ArrowColumn rows = ArrowColumn::OfBatch(batch, *DeleteRowType());
        const ArrowColumn paths = rows.Field("file_path"), positions = rows.Field("pos");
        for (int64_t i = 0; i < batch.num_rows(); ++i) {
          if (paths.IsNull(i) || positions.IsNull(i))
            return DamagedMetadata("The position delete file " + file.path + " has NULLs");
          const std::string_view path = paths.Text(i);
          if (current == nullptr || path != current_path) {
            current_path = path;
            current = &result[current_path];
          }
          current->push_back(positions.Integer(i));
        }
        return {};
      },
      format));
  for (auto& [path, positions] : result) SortUnique(&positions);
  return result;
}

Result<std::vector<ManifestEntry>> FindDataFiles(const TableOperations& operations, const TableMetadata& metadata,
                                                 const std::vector<ManifestFile>& manifests,
                                                 const PositionsByFile& paths) {
  std::vector<ManifestEntry> found;
  for (const auto& manifest : manifests) {
    if (manifest.content != ManifestContent::kData || !(manifest.MayHaveAdded() || manifest.MayHaveExisting()))
      continue;
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations.ReadEntries(metadata, manifest));
    for (const auto& entry : *entries) {
      if (entry.status != EntryStatus::kDeleted && paths.count(entry.file->path) != 0) found.push_back(entry);
    }
  }
  return found;
}

Result<std::vector<DataFilePtr>> WriteDeletedRows(const TableOperations& operations, const TableMetadata& metadata,
                                                  std::vector<DeletedRows> deleted, std::vector<std::string>* written) {
  std::sort(deleted.begin(), deleted.end(), [](const auto& a, const auto& b) { return a.file->path < b.file->path; });
  if (deleted.empty()) return std::vector<DataFilePtr>();
  if (metadata.format_version >= 3) return WriteVectors(operations, metadata, deleted, written);
  FRAZIL_ASSIGN_OR_RETURN(bool by_partition, ByPartition(metadata));
  return WriteDeleteFiles(operations, metadata, deleted, by_partition, written);
}

Result<MovedDeletes> WriteMovedDeletes(const TableOperations& operations, const TableMetadata& metadata,
                                       const DataFile& file,
                                       const std::function<Result<std::string>(const std::string&)>& moved,
                                       const std::string& path) {
  if (file.is_deletion_vector()) return WriteMovedVectors(operations, file, moved, path);
  FRAZIL_ASSIGN_OR_RETURN(const PositionsByFile found, ReadPositionDeletes(operations, file));
  if (found.empty()) return MovedDeletes{file.path, file.size, file.split_offsets};
  FRAZIL_ASSIGN_OR_RETURN(WriteTask task, DeleteTask(metadata, AsciiLower(file.format)));
  std::map<std::string, const std::vector<int64_t>*> by_new_name;
  for (const auto& [name, positions] : found) {
    FRAZIL_ASSIGN_OR_RETURN(std::string new_name, moved(name));
    by_new_name[std::move(new_name)] = &positions;
  }
  const size_t slash = path.rfind('/');
  task.location = path.substr(0, slash);
  task.file_name_prefix =
      path.substr(slash + 1, path.rfind('.') > slash ? path.rfind('.') - slash - 1 : std::string::npos);
  FRAZIL_ASSIGN_OR_RETURN(WrittenFile written, WriteRows(operations, task, {by_new_name.begin(), by_new_name.end()}));
  FRAZIL_RETURN_IF_ERROR(operations.store().Sync(written.path));
  MovedDeletes result{written.path, written.size, std::nullopt};
  if (!written.split_offsets.empty()) result.split_offsets = written.split_offsets;
  return result;
}

Result<NewDeletes> WritePositionDeletes(const TableOperations& operations, const TableMetadata& metadata,
                                        const Snapshot& snapshot, PositionsByFile deleted,
                                        std::vector<std::string>* written) {
  const bool vectors = metadata.format_version >= 3;
  FRAZIL_ASSIGN_OR_RETURN(bool by_partition, ByPartition(metadata));
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations.ReadManifests(metadata, snapshot));
  FRAZIL_ASSIGN_OR_RETURN(auto entries, FindDataFiles(operations, metadata, *manifests, deleted));
  if (entries.size() != deleted.size())
    return Error::Internal("a statement deletes rows of files that its table does not have");
  FRAZIL_ASSIGN_OR_RETURN(DeleteFileIndex index, DeleteFileIndex::Build(operations, metadata, *manifests));
  std::map<std::string, PositionsByFile> former;
  std::map<std::string, DataFilePtr> replaced;
  std::vector<DeletedRows> rows;
  for (const auto& entry : entries) {
    DeletedRows each{entry.file, std::move(deleted[entry.file->path])};
    for (const auto& deletes : by_partition ? std::vector<DataFilePtr>() : index.PositionDeletesOf(entry)) {
      const bool of_this_file = ReferencedDataFile(*deletes).has_value();
      // Of v2's files those of a whole partition stay; a vector takes in all that was deleted before it.
      if (!vectors && !of_this_file) continue;
      const std::string key = DeleteFileKey(*deletes);
      if (former.count(key) == 0) {
        FRAZIL_ASSIGN_OR_RETURN(former[key], ReadPositionDeletes(operations, *deletes));
      }
      const auto& positions = former[key][entry.file->path];
      each.positions.insert(each.positions.end(), positions.begin(), positions.end());
      if (of_this_file) replaced[key] = deletes;
    }
    SortUnique(&each.positions);
    rows.push_back(std::move(each));
  }
  NewDeletes result;
  FRAZIL_ASSIGN_OR_RETURN(result.added, WriteDeletedRows(operations, metadata, std::move(rows), written));
  for (auto& [key, file] : replaced) result.replaced.push_back(std::move(file));
  return result;
}

}  // namespace frazil::tables::iceberg
