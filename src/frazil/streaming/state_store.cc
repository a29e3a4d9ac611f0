#include "frazil/streaming/state_store.h"

#include "frazil/base/integer_text.h"
#include "frazil/codec/arrow_ipc.h"
#include "frazil/types/shared_batch.h"

namespace frazil::streaming {
namespace {

constexpr std::string_view kSuffix = ".arrow";
constexpr std::string_view kDeltaSuffix = ".delta.arrow";

std::shared_ptr<ArrowTable> NoRows(const DataTypePtr& schema) {
  auto rows = std::make_shared<ArrowTable>();
  rows->schema = schema;
  return rows;
}

}  // namespace

std::string StateStore::PathOf(int64_t version, bool is_snapshot) const {
  return storage::JoinPath(folder_, std::to_string(version) + std::string(is_snapshot ? kSuffix : kDeltaSuffix));
}

Status StateStore::ListFiles() {
  if (files_) return {};
  FRAZIL_ASSIGN_OR_RETURN(auto entries, store_->List(folder_, false));
  files_.emplace();
  for (const auto& entry : entries) {
    std::string name = entry.path.substr(entry.path.rfind('/') + 1);
    is_of_others_ = is_of_others_ || name.ends_with(".delta") || name.ends_with(".snapshot") ||
                    name.ends_with(".zip") || name.ends_with(".changelog");
    if (!name.ends_with(kSuffix)) continue;
    const bool is_snapshot = !name.ends_with(kDeltaSuffix);
    name.resize(name.size() - (is_snapshot ? kSuffix : kDeltaSuffix).size());
    // Of both kinds the snapshot is as good as the delta: a batch that ran twice wrote the same rows.
    if (const auto number = ParseInteger<int64_t>(name)) (*files_)[*number] |= is_snapshot;
  }
  return {};
}

Result<int64_t> StateStore::SnapshotUpTo(int64_t version) {
  FRAZIL_RETURN_IF_ERROR(ListFiles());
  for (auto file = files_->upper_bound(version); file != files_->begin();) {
    if ((--file)->second) return file->first;
  }
  return int64_t{0};
}

Result<ArrowTablePtr> StateStore::Read(const std::string& path, int64_t version, const DataTypePtr& schema) const {
  auto bytes = store_->Read(path);
  if (!bytes.ok()) {
    if (!storage::IsNotFound(bytes.error())) return std::move(bytes).error();
    if (is_of_others_) {
      return Error::Plain(ExceptionClass::kSpark, "The state of the streaming query below " + folder_ +
                                                      " was written by another engine, whose state cannot be read: a "
                                                      "query with state has to begin with a new checkpoint here.");
    }
    return Error::Plain(ExceptionClass::kSpark, "The state of the streaming query at version " +
                                                    std::to_string(version) + " is not there: " + path);
  }
  auto rows = codec::DecodeIpcStream(*bytes);
  if (!rows.ok()) {
    return Error::Plain(ExceptionClass::kSpark, "The state of the streaming query at version " +
                                                    std::to_string(version) + " cannot be read: " + path)
        .CausedBy(rows.error());
  }
  if (!(*rows)->schema->EqualsIgnoreNullability(*schema)) {
    return Error::Plain(ExceptionClass::kSpark,
                        "Provided schema doesn't match to the schema for existing state. Existing: " +
                            (*rows)->schema->SimpleString() + ", provided: " + schema->SimpleString());
  }
  return ArrowTablePtr(*std::move(rows));
}

Result<ArrowTablePtr> StateStore::ReadSnapshot(int64_t version, const DataTypePtr& schema) const {
  if (version == 0) return ArrowTablePtr(NoRows(schema));
  return Read(PathOf(version, true), version, schema);
}

Result<ArrowTablePtr> StateStore::ReadDelta(int64_t version, const DataTypePtr& schema) const {
  return Read(PathOf(version, false), version, schema);
}

Result<ArrowTablePtr> StateStore::Load(int64_t version, const DataTypePtr& schema) {
  if (kept.version == version) return kept.rows;
  FRAZIL_RETURN_IF_ERROR(ListFiles());
  FRAZIL_ASSIGN_OR_RETURN(kept.rows, ReadSnapshot(version, schema));
  kept.version = version;
  return kept.rows;
}

Status StateStore::Write(int64_t version, bool is_snapshot, const ArrowTable& rows) {
  std::string bytes;
  if (rows.batches.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(bytes, codec::EncodeSchema(*rows.schema, {}));
  } else {
    // They go with this call, as the views do.
    const std::shared_ptr<const ArrowTable> table(&rows, [](const ArrowTable*) {});
    std::vector<ArrowBatch> views;
    for (const auto& batch : rows.batches) views.push_back(ShareBatch(table, batch));
    FRAZIL_ASSIGN_OR_RETURN(bytes, codec::EncodeBatches(*rows.schema, std::move(views), {}));
  }
  FRAZIL_RETURN_IF_ERROR(ListFiles());
  FRAZIL_RETURN_IF_ERROR(store_->Write(PathOf(version, is_snapshot), bytes));
  // An earlier run of the batch may have written the other kind.
  if (files_->contains(version)) FRAZIL_RETURN_IF_ERROR(store_->Delete(PathOf(version, !is_snapshot)));
  (*files_)[version] = is_snapshot;
  return {};
}

Status StateStore::Save(int64_t version, ArrowTablePtr rows) {
  FRAZIL_RETURN_IF_ERROR(Write(version, true, *rows));
  kept.version = version;
  kept.rows = std::move(rows);
  return {};
}

Status StateStore::SaveDelta(int64_t version, const ArrowTable& changes) { return Write(version, false, changes); }

Status StateStore::RemoveBefore(int64_t version) {
  FRAZIL_ASSIGN_OR_RETURN(const int64_t snapshot, SnapshotUpTo(version));
  while (!files_->empty() && files_->begin()->first < snapshot) {
    const auto [number, is_snapshot] = *files_->begin();
    FRAZIL_RETURN_IF_ERROR(store_->Delete(PathOf(number, is_snapshot)));
    files_->erase(files_->begin());
  }
  return {};
}

}  // namespace frazil::streaming
