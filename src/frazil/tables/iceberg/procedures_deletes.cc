// Maintenance of files of deletes: rewrite_position_delete_files, and what leaves those out that delete nothing.

#include <algorithm>
#include <set>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/iceberg_write.h"
#include "frazil/tables/iceberg/position_deletes.h"
#include "frazil/tables/iceberg/procedures_internal.h"

namespace frazil::tables::iceberg {
namespace {

/// The live entries of a snapshot, data and deletes apart.
struct LiveEntries {
  std::vector<ManifestEntry> data, deletes;
};

Result<LiveEntries> ReadLive(const TableOperations& operations, const TableMetadata& metadata,
                             const std::vector<ManifestFile>& manifests) {
  LiveEntries live;
  for (const auto& manifest : manifests) {
    FRAZIL_ASSIGN_OR_RETURN(ManifestEntries entries, operations.ReadEntries(metadata, manifest));
    auto& out = manifest.content == ManifestContent::kData ? live.data : live.deletes;
    for (const auto& entry : *entries) {
      if (entry.status != EntryStatus::kDeleted) out.push_back(entry);
    }
  }
  return live;
}

Result<CommitOutcome> Commit(const IcebergTable& table, SnapshotChange change,
                             const std::vector<std::string>& written) {
  change.kind = SnapshotChange::Kind::kRewrite;
  return CommitSnapshot(
      table.operations(), std::move(change), written, [&](const TableMetadataPtr& base) -> Result<TableMetadata> {
        if (base == nullptr || !table.metadata().IsSameTable(*base)) {
          return ConflictingCommit("Cannot commit to " + table.operations()->name() + ": the table was dropped");
        }
        return *base;
      });
}

Status CheckCommitted(const CommitOutcome& outcome) {
  if (outcome.state == CommitState::kCommitted) return {};
  return ConflictingCommit("Cannot commit rewrite: " + outcome.conflict);
}

/// Files of deletes that concern no row any more: no data file of their partition is old enough, or the data file of a
/// vector is gone. The rules are those of Iceberg's RemoveDanglingDeleteFiles action.
Result<RowSet> RemoveDanglingDeletes(const Table& any, const std::vector<Value>&) {
  const IcebergTable& table = Iceberg(any);
  // The newest state: the statement that loaded the table may have rewritten it.
  FRAZIL_ASSIGN_OR_RETURN(TableMetadataPtr newest, table.operations()->Load());
  if (newest == nullptr || !table.metadata().IsSameTable(*newest))
    return ConflictingCommit("Cannot commit to " + table.operations()->name() + ": the table was dropped");
  const TableMetadata& metadata = *newest;
  SnapshotChange change;
  if (const Snapshot* head = metadata.BranchHead(kMainBranch)) {
    FRAZIL_ASSIGN_OR_RETURN(auto manifests, table.operations()->ReadManifests(metadata, *head));
    FRAZIL_ASSIGN_OR_RETURN(LiveEntries live, ReadLive(*table.operations(), metadata, *manifests));
    std::map<std::string, int64_t> oldest;
    std::set<std::string> paths;
    std::optional<int64_t> oldest_of_all;
    for (const auto& entry : live.data) {
      const int64_t number = entry.sequence_number.value_or(0);
      auto [known, is_new] = oldest.emplace(PartitionKey(entry.file->spec_id, entry.file->partition), number);
      known->second = std::min(known->second, number);
      oldest_of_all = std::min(oldest_of_all.value_or(number), number);
      paths.insert(entry.file->path);
    }
    for (const auto& entry : live.deletes) {
      const DataFile& file = *entry.file;
      const bool by_equality = file.content == FileContent::kEqualityDeletes;
      const PartitionSpec* spec = metadata.FindSpec(file.spec_id);
      std::optional<int64_t> concerned;
      if (by_equality && (spec == nullptr || spec->unpartitioned())) {
        concerned = oldest_of_all;  // Those of an unpartitioned spec concern every data file.
      } else {
        auto found = oldest.find(PartitionKey(file.spec_id, file.partition));
        if (found != oldest.end()) concerned = found->second;
      }
      const int64_t number = entry.sequence_number.value_or(0);
      const bool dangling = !concerned || number < *concerned || (by_equality && number == *concerned) ||
                            (file.is_deletion_vector() && paths.count(file.referenced_data_file.value_or("")) == 0);
      if (dangling) change.removed_deletes.insert(DeleteFileKey(file));
    }
  }
  const auto count = static_cast<int64_t>(change.removed_deletes.size());
  if (count > 0) {
    FRAZIL_ASSIGN_OR_RETURN(auto outcome, Commit(table, std::move(change), {}));
    FRAZIL_RETURN_IF_ERROR(CheckCommitted(outcome));
  }
  return RowSet{DataType::Struct({{"removed_delete_files_count", DataType::Integer(), false}}), {{Value(count)}}};
}

/// Which delete files are rewritten: sizes are bytes.
struct Choice {
  int64_t target = 64LL * 1024 * 1024, min_size = 0, max_size = 0, min_input_files = 5;
  bool all = false;
};

Result<Choice> ReadChoice(const Value& options, const TableMetadata& metadata) {
  Choice choice;
  choice.target = metadata.PropertyAsLong("write.delete.target-file-size-bytes", choice.target);
  std::map<std::string, std::string> given;
  if (!options.is_null()) {
    const auto& entries = options.list();
    for (size_t i = 0; i + 1 < entries.size(); i += 2) {
      if (!entries[i].is_null() && !entries[i + 1].is_null())
        given[AsciiLower(entries[i].string())] = entries[i + 1].string();
    }
  }
  auto number = [&](const char* key, int64_t otherwise) -> Result<int64_t> {
    auto found = given.find(key);
    if (found == given.end()) return otherwise;
    const auto parsed = ParseInteger<int64_t>(found->second);
    given.erase(found);
    if (!parsed || *parsed < 0)
      return IllegalArgument(std::string("The option '") + key + "' must be a number that is not negative");
    return *parsed;
  };
  FRAZIL_ASSIGN_OR_RETURN(choice.target, number("target-file-size-bytes", choice.target));
  const auto part = [&](double ratio) { return static_cast<int64_t>(static_cast<double>(choice.target) * ratio); };
  FRAZIL_ASSIGN_OR_RETURN(choice.min_size, number("min-file-size-bytes", part(0.75)));
  FRAZIL_ASSIGN_OR_RETURN(choice.max_size, number("max-file-size-bytes", part(1.8)));
  FRAZIL_ASSIGN_OR_RETURN(choice.min_input_files, number("min-input-files", choice.min_input_files));
  if (auto all = given.find("rewrite-all"); all != given.end()) {
    choice.all = EqualsIgnoreCase(all->second, "true");
    given.erase(all);
  }
  // Everything is one job with one commit here.
  for (const char* key : {"max-file-group-size-bytes", "max-concurrent-file-group-rewrites", "partial-progress.enabled",
                          "partial-progress.max-commits", "rewrite-job-order"})
    given.erase(key);
  if (given.empty()) return choice;
  std::vector<std::string> names;
  for (const auto& [key, value] : given) names.push_back(key);
  return IllegalArgument("Cannot use options [" + Join(names, ", ") +
                         "], they are not supported by the action or the rewriter BIN-PACK");
}

/// The position delete files of one partition that are worth rewriting together; none: the rest stay as they are.
std::vector<ManifestEntry> Chosen(std::vector<ManifestEntry> of_partition, const Choice& choice) {
  if (choice.all) return of_partition;
  std::erase_if(of_partition, [&](const ManifestEntry& entry) {
    return entry.file->size >= choice.min_size && entry.file->size <= choice.max_size;
  });
  int64_t bytes = 0;
  for (const auto& entry : of_partition) bytes += entry.file->size;
  const auto count = static_cast<int64_t>(of_partition.size());
  const bool worth =
      (count > 1 && (count >= choice.min_input_files || bytes > choice.target)) || bytes > choice.max_size;
  return worth ? of_partition : std::vector<ManifestEntry>();
}

/// What a rewrite does, for its row of figures.
struct Figures {
  int64_t rewritten = 0, added = 0, rewritten_bytes = 0, added_bytes = 0;
};

/// Position delete files of v2; vectors are as few as can be. From v3 on vectors replace them.
Result<Figures> RewritePositionDeletes(const IcebergTable& table, const Choice& choice) {
  const TableMetadata& metadata = table.metadata();
  const TableOperations& operations = *table.operations();
  Figures figures;
  const Snapshot* head = metadata.BranchHead(kMainBranch);
  if (head == nullptr) return figures;
  FRAZIL_ASSIGN_OR_RETURN(auto manifests, operations.ReadManifests(metadata, *head));
  FRAZIL_ASSIGN_OR_RETURN(LiveEntries live, ReadLive(operations, metadata, *manifests));
  std::set<std::string> with_vector;
  std::map<std::string, std::vector<ManifestEntry>> by_partition;
  for (const auto& entry : live.deletes) {
    const DataFile& file = *entry.file;
    if (file.is_deletion_vector()) {
      with_vector.insert(file.referenced_data_file.value_or(""));
    } else if (file.content == FileContent::kPositionDeletes) {
      by_partition[PartitionKey(file.spec_id, file.partition)].push_back(entry);
    }
  }
  SnapshotChange change;
  PositionsByFile positions;
  // Vectors are about files as they are; what is of v2 must go as a whole.
  Choice effective = choice;
  effective.all = choice.all || metadata.format_version >= 3;
  for (auto& [partition, files] : by_partition) {
    for (const auto& entry : Chosen(std::move(files), effective)) {
      FRAZIL_ASSIGN_OR_RETURN(auto read, ReadPositionDeletes(operations, *entry.file));
      for (auto& [path, rows] : read) {
        auto& all = positions[path];
        all.insert(all.end(), rows.begin(), rows.end());
      }
      change.removed_deletes.insert(DeleteFileKey(*entry.file));
      change.deletes_sequence_number =
          std::max(change.deletes_sequence_number.value_or(0), entry.sequence_number.value_or(0));
      ++figures.rewritten;
      figures.rewritten_bytes += entry.file->size;
    }
  }
  if (figures.rewritten == 0) return figures;
  FRAZIL_ASSIGN_OR_RETURN(auto data, FindDataFiles(operations, metadata, *manifests, positions));
  std::vector<DeletedRows> rows;
  for (const auto& entry : data) {
    // A vector holds all that position delete files said before.
    if (with_vector.count(entry.file->path) != 0) continue;
    auto& of_file = positions[entry.file->path];
    std::sort(of_file.begin(), of_file.end());
    of_file.erase(std::unique(of_file.begin(), of_file.end()), of_file.end());
    change.referenced_data_files.insert(entry.file->path);
    rows.push_back({entry.file, std::move(of_file)});
  }
  change.removed_deletes_must_exist = true;
  change.validate_from = head->snapshot_id;
  std::vector<std::string> written;
  auto added = WriteDeletedRows(operations, metadata, std::move(rows), &written);
  if (!added.ok()) {
    operations.DeleteQuietly(written);
    return std::move(added).error();
  }
  change.added_deletes = *std::move(added);
  for (const auto& file : change.added_deletes) {
    ++figures.added;
    figures.added_bytes += file->is_deletion_vector() ? *file->content_size : file->size;
  }
  FRAZIL_ASSIGN_OR_RETURN(auto outcome, Commit(table, std::move(change), written));
  FRAZIL_RETURN_IF_ERROR(CheckCommitted(outcome));
  return figures;
}

Result<RowSet> RewritePositionDeleteFiles(const Table& any, const std::vector<Value>& arguments) {
  const IcebergTable& table = Iceberg(any);
  if (!arguments[1].is_null()) return Error::Unsupported("rewrite_position_delete_files with where");
  FRAZIL_ASSIGN_OR_RETURN(Choice choice, ReadChoice(arguments[0], table.metadata()));
  FRAZIL_ASSIGN_OR_RETURN(Figures figures, RewritePositionDeletes(table, choice));
  return RowSet{
      DataType::Struct({{"rewritten_delete_files_count", DataType::Integer(), false},
                        {"added_delete_files_count", DataType::Integer(), false},
                        {"rewritten_bytes_count", DataType::Long(), false},
                        {"added_bytes_count", DataType::Long(), false}}),
      {{Value(figures.rewritten), Value(figures.added), Value(figures.rewritten_bytes), Value(figures.added_bytes)}}};
}

}  // namespace

std::vector<TableProcedure> DeleteProcedures() {
  return {{"rewrite_position_delete_files",
           {{"options", DataType::Map(DataType::String(), DataType::String(), true)}, {"where", DataType::String()}},
           RewritePositionDeleteFiles},
          {"remove_dangling_deletes", {}, RemoveDanglingDeletes}};
}

}  // namespace frazil::tables::iceberg
