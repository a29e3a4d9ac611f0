// FSCK REPAIR TABLE. Result columns: those of Databricks' statement, which Delta Lake itself lacks.

#include <algorithm>
#include <atomic>
#include <future>
#include <map>

#include "frazil/base/clock.h"
#include "frazil/tables/delta/deletion_vectors.h"
#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/delta/paths.h"

namespace frazil::tables::delta {
namespace {

constexpr size_t kAtOnce = 16;  // Questions to the store, which are waited for most of the time.

/// Whether the store has each of these files.
Result<std::map<std::string, bool>> FilesThere(storage::ObjectStore& store, std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::vector<char> is_there(paths.size(), 0);
  std::vector<std::future<Status>> parts;
  for (size_t first = 0; first < std::min(kAtOnce, paths.size()); ++first) {
    parts.push_back(std::async(std::launch::async, [&, first]() -> Status {
      for (size_t i = first; i < paths.size(); i += kAtOnce) {
        FRAZIL_ASSIGN_OR_RETURN(const bool found, store.Exists(paths[i]));
        is_there[i] = found ? 1 : 0;
      }
      return {};
    }));
  }
  Status all;
  for (auto& part : parts) {
    Status status = part.get();
    if (all.ok()) all = std::move(status);
  }
  FRAZIL_RETURN_IF_ERROR(all);
  std::map<std::string, bool> result;
  for (size_t i = 0; i < paths.size(); ++i) result.emplace(std::move(paths[i]), is_there[i] != 0);
  return result;
}

/// A live file with what the table needs to read it.
struct NeededFiles {
  FileActionPtr file;
  std::string data, vector;  ///< `vector` is empty where the log holds the deletion vector, or there is none.
};

}  // namespace

Result<RowSet> DeltaTable::CheckFiles(bool dry_run) const {
  FRAZIL_RETURN_IF_ERROR(CheckNotPinned(target_));
  std::vector<NeededFiles> needed;
  std::vector<std::string> paths;
  for (const auto& file : snapshot_->LiveFiles()) {
    NeededFiles files{file, FilePathOf(location(), file->path), {}};
    paths.push_back(files.data);
    if (file->deletion_vector && file->deletion_vector->storage_type != "i") {
      FRAZIL_ASSIGN_OR_RETURN(files.vector, DeletionVectorPath(location(), *file->deletion_vector));
      paths.push_back(files.vector);
    }
    needed.push_back(std::move(files));
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto is_there, FilesThere(*target_.context.store, std::move(paths)));

  RowSet rows;
  rows.schema = DataType::Struct({{"dataFilePath", DataType::String(), false},
                                  {"dataFileMissing", DataType::Boolean(), false},
                                  {"deletionVectorPath", DataType::String()},
                                  {"deletionVectorFileMissing", DataType::Boolean(), false}});
  Change change;
  const int64_t now_ms = NowMicros() / 1000;
  for (const auto& files : needed) {
    const bool lacks_data = !is_there.at(files.data);
    const bool lacks_vector = !files.vector.empty() && !is_there.at(files.vector);
    if (!lacks_data && !lacks_vector) continue;
    rows.rows.push_back({Value(files.file->path), Value(lacks_data),
                         files.vector.empty() ? Value() : Value(files.vector), Value(lacks_vector)});
    if (lacks_data) change.files.push_back(files.file->Removed(now_ms, true));
  }
  if (dry_run || change.files.empty()) return rows;
  change.base = snapshot_;
  // Rows of other commits have nothing to do with it, those that remove the same files have.
  change.operation = "FSCK";
  change.metrics = {{"numRemovedFiles", std::to_string(change.files.size())}};
  FRAZIL_RETURN_IF_ERROR(CommitChange(target_, std::move(change)).status());
  return rows;
}

}  // namespace frazil::tables::delta
