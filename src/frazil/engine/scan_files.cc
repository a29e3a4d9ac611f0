#include "frazil/engine/scan_files.h"

#include <algorithm>
#include <map>

#include <duckdb/common/multi_file/multi_file_function.hpp>
#include <duckdb/main/connection.hpp>
#include <duckdb/main/prepared_statement.hpp>
#include <duckdb/main/query_result.hpp>
#include <duckdb/storage/statistics/node_statistics.hpp>

#include "frazil/engine/changed_files.h"
#include "frazil/engine/data_files.h"
#include "frazil/engine/file_tolerance.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/scan_batches.h"
#include "frazil/engine/scan_predicate.h"
#include "frazil/engine/table_stores.h"
#include "frazil/tables/located_scan.h"
#include "frazil/tables/stored_files.h"

namespace frazil::engine {
namespace {

// Iceberg, "Reserved Field IDs": columns of position delete files.
constexpr int32_t kDeleteFilePathId = 2147483546;
constexpr int32_t kDeletePositionId = 2147483545;

// Data file (as the delete file names it) -> deleted positions.
using PositionsByFile = std::map<std::string, std::vector<int64_t>>;

// A query about one file. A connection of its own, which shares the statement's state for the stores' sake.
class FileQuery {
 public:
  FileQuery(duckdb::ClientContext& client, const std::string& query, const std::string& path)
      : connection_(*client.db) {
    connection_.context->registered_state->Insert(StatementState::kKey,
                                                  client.registered_state->Get<StatementState>(StatementState::kKey));
    connection_.context->registered_state->Insert(TableStores::kKey, TableStores::Of(client));
    duckdb::vector<duckdb::Value> arguments = {duckdb::Value(storage::LocalPath(path))};
    statement_ = connection_.Prepare(query);
    if (statement_->HasError()) statement_->error.Throw();
    result_ = statement_->Execute(arguments, false);
    if (result_->HasError()) result_->ThrowError();
  }
  duckdb::unique_ptr<duckdb::DataChunk> Fetch() { return result_->Fetch(); }

 private:
  duckdb::Connection connection_;
  duckdb::unique_ptr<duckdb::PreparedStatement> statement_;
  duckdb::unique_ptr<duckdb::QueryResult> result_;
};

// The column of a position delete file: by Iceberg's reserved id, else by its name.
size_t DeleteColumn(const codec::DataFileReader& reader, int32_t field_id, const char* name, TypeId type,
                    const std::string& path) {
  const auto& columns = reader.columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto& column = columns[i];
    if ((column.field_id == field_id || column.name == name) && column.type->id() == type) return i;
  }
  ThrowSparkError(ReadFailure(Error::Storage(path + " has no column " + name), path));
}

// Reads a position delete file that comes as Arrow batches.
PositionsByFile ReadBatchPositionDeletes(duckdb::ClientContext& client, const tables::PositionDeleteFile& file) {
  const auto checked = [&](auto result) {
    if (!result.ok()) ThrowSparkError(ReadFailure(std::move(result).error(), file.path));
    return *std::move(result);
  };
  const auto reader = checked(OpenDataFile(client, file.path, file.format));
  const size_t path_column = DeleteColumn(*reader, kDeleteFilePathId, "file_path", TypeId::kString, file.path);
  const size_t position_column = DeleteColumn(*reader, kDeletePositionId, "pos", TypeId::kLong, file.path);
  std::vector<size_t> wanted = {path_column, position_column};
  std::sort(wanted.begin(), wanted.end());
  PositionsByFile positions;
  while (const auto part = checked(reader->NextPart(wanted))) {
    ArrowBatch batch;
    while (checked(part->Next(&batch))) {
      const auto& paths = *batch.array().children[path_column < position_column ? 0 : 1];
      const auto& rows = *batch.array().children[path_column < position_column ? 1 : 0];
      const auto* offsets = static_cast<const int32_t*>(paths.buffers[1]) + paths.offset;
      const auto* texts = static_cast<const char*>(paths.buffers[2]);
      const auto* values = static_cast<const int64_t*>(rows.buffers[1]) + rows.offset;
      for (int64_t i = 0; i < batch.num_rows(); ++i) {
        const std::string path(texts + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i]));
        positions[path].push_back(values[i]);
      }
    }
  }
  return positions;
}

// Reads an Iceberg position delete file.
PositionsByFile ReadPositionDeletes(duckdb::ClientContext& client, const tables::PositionDeleteFile& file) {
  if (IsBatchFormat(file.format)) return ReadBatchPositionDeletes(client, file);
  FileQuery query(client, "SELECT file_path, pos FROM read_parquet($1)", file.path);
  PositionsByFile positions;
  std::vector<int64_t>* current = nullptr;
  std::string current_path;
  while (auto chunk = query.Fetch()) {
    if (chunk->size() == 0) break;
    chunk->Flatten();
    const auto* paths = duckdb::FlatVector::GetData<duckdb::string_t>(chunk->data[0]);
    const auto* rows = duckdb::FlatVector::GetData<int64_t>(chunk->data[1]);
    for (duckdb::idx_t i = 0; i < chunk->size(); ++i) {
      const std::string_view path(paths[i].GetData(), paths[i].GetSize());
      if (current == nullptr || path != current_path) {
        current_path = path;
        current = &positions[current_path];
      }
      current->push_back(rows[i]);
    }
  }
  return positions;
}

// Leaves out the files that the scan may leave out: those that are gone, and those that are none of their format.
void DropForgivenFiles(duckdb::ClientContext& client, tables::ScanPlan& plan) {
  const FileTolerance tolerance(plan.format_options, StatementState::Of(client).context.settings);
  if (!tolerance.forgives_any()) return;
  auto& file_system = duckdb::FileSystem::GetFileSystem(client);
  std::erase_if(plan.files, [&](const tables::ScanFile& file) {
    try {
      if (IsBatchFormat(file.format)) {
        if (OpenDataFile(client, file.path, file.format).ok()) return false;
      } else {
        FileQuery(client, "SELECT num_rows FROM parquet_file_metadata($1)", file.path);
        return false;
      }
      return tolerance.Forgives(file_system, storage::LocalPath(file.path));
    } catch (const std::exception&) {
      return tolerance.Forgives(file_system, storage::LocalPath(file.path));
    }
  });
}

std::shared_ptr<const PlannedScan> Prepare(duckdb::ClientContext& client, const tables::TableScan& scan,
                                           const PredicatePtr& filter) {
  auto planned = std::make_shared<PlannedScan>();
  auto plan = ValueOrThrow(scan.Plan(filter));
  if (const auto* stored = dynamic_cast<const tables::StoredFiles*>(&scan)) {
    const auto stores = TableStores::Of(client);
    const auto* located = dynamic_cast<const tables::LocatedScan*>(&scan);
    for (const auto& file : plan.files) {
      // Files that a table has taken from another one (a clone's) are reached as that one's.
      if (located != nullptr && !file.path.starts_with(located->table_location())) continue;
      stores->Add(file.path, stored->file_store());
      for (const auto& source : file.position_delete_files) stores->Add(source->path, stored->file_store());
    }
  }
  ForgetChangedFiles(client, plan);
  DropForgivenFiles(client, plan);
  std::map<std::string, PositionsByFile> deletes;
  for (const auto& file : plan.files) {
    if (file.format != tables::FileFormat::kParquet && !IsBatchFormat(file.format))
      ThrowSparkError(Error::Unsupported("text files among the data files of a table: " + file.path));
    if (file.position_delete_files.empty()) {
      planned->deleted.push_back(file.deleted_positions);
      continue;
    }
    std::vector<int64_t> positions;
    if (file.deleted_positions != nullptr) positions = *file.deleted_positions;
    for (const auto& source : file.position_delete_files) {
      auto found = deletes.find(source->path);
      if (found == deletes.end()) found = deletes.emplace(source->path, ReadPositionDeletes(client, *source)).first;
      const auto mine = found->second.find(file.path);
      if (mine != found->second.end()) positions.insert(positions.end(), mine->second.begin(), mine->second.end());
    }
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    planned->deleted.push_back(std::make_shared<const std::vector<int64_t>>(std::move(positions)));
  }
  planned->plan = std::move(plan);
  return planned;
}

}  // namespace

ScanFileList::ScanFileList(duckdb::ClientContext& client, size_t scan_index)
    : client_(client), scan_index_(scan_index), filter_(Predicate::True()) {}

const StatementScan& ScanFileList::scan() const { return StatementState::Of(client_).scans[scan_index_]; }

const PlannedScan& ScanFileList::planned() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (planned_ == nullptr) planned_ = Prepare(client_, *scan().node->scan, filter_);
  return *planned_;
}

duckdb::shared_ptr<duckdb::BaseFileReader> ScanFileList::FirstReader(const duckdb::MultiFileBindData& bind_data) const {
  if (planned().plan.files.empty()) return nullptr;
  const auto file = GetFile(0);
  std::lock_guard<std::mutex> lock(mutex_);
  if (first_reader_ == nullptr) {
    auto options = bind_data.interface->InitializeOptions(client_, nullptr);
    first_reader_ = bind_data.interface->CreateReader(client_, file, *options, bind_data.file_options);
  }
  return first_reader_;
}

duckdb::unique_ptr<duckdb::MultiFileList> ScanFileList::Filtered(
    const duckdb::MultiFilePushdownInfo& info,
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const {
  auto predicate = PredicateOf(filters, info, scan().slots, *scan().node->scan->schema());
  if (predicate->op == PredicateOp::kTrue) return nullptr;
  auto list = duckdb::make_uniq<ScanFileList>(client_, scan_index_);
  list->filter_ =
      filter_->op == PredicateOp::kTrue ? std::move(predicate) : Predicate::And({filter_, std::move(predicate)});
  return list;
}

duckdb::vector<duckdb::OpenFileInfo> ScanFileList::GetAllFiles() const {
  duckdb::vector<duckdb::OpenFileInfo> files;
  for (size_t i = 0; i < planned().plan.files.size(); ++i) files.push_back(GetFile(i));
  return files;
}

duckdb::FileExpandResult ScanFileList::GetExpandResult() const {
  switch (planned().plan.files.size()) {
    case 0:
      return duckdb::FileExpandResult::NO_FILES;
    // DuckDB gives a single file as many threads as the reader that it binds with has row groups, and one thread where,
    // as here, none is open yet.
    default:
      return duckdb::FileExpandResult::MULTIPLE_FILES;
  }
}

duckdb::vector<duckdb::OpenFileInfo> ScanFileList::GetDisplayFileList(duckdb::optional_idx) const { return {}; }

duckdb::idx_t ScanFileList::GetTotalFileCount() const { return planned().plan.files.size(); }

duckdb::OpenFileInfo ScanFileList::GetFile(duckdb::idx_t i) const {
  const auto& files = planned().plan.files;
  if (i >= files.size()) return duckdb::OpenFileInfo();
  duckdb::OpenFileInfo info(storage::LocalPath(files[i].path));
  if (files[i].size >= 0) {
    info.extended_info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
    info.extended_info->options["file_size"] = duckdb::Value::UBIGINT(static_cast<uint64_t>(files[i].size));
  }
  if (IsBatchFormat(files[i].format)) NoteFormat(info, files[i].format);
  return info;
}

std::optional<int64_t> ScanFileList::ExactRowCount() const {
  if (filter_->op == PredicateOp::kTrue) {
    if (const auto rows = scan().node->scan->exact_row_count()) return rows;
  }
  int64_t rows = 0;
  const auto& planned_scan = planned();
  for (size_t i = 0; i < planned_scan.plan.files.size(); ++i) {
    const auto& file = planned_scan.plan.files[i];
    if (file.record_count < 0) return std::nullopt;
    rows += file.record_count;
    if (planned_scan.deleted[i] != nullptr) rows -= static_cast<int64_t>(planned_scan.deleted[i]->size());
  }
  return rows;
}

duckdb::unique_ptr<duckdb::NodeStatistics> ScanFileList::GetCardinality(duckdb::ClientContext&) const {
  auto rows = ExactRowCount();
  if (!rows.has_value()) rows = scan().node->scan->estimated_row_count();
  if (!rows.has_value()) return nullptr;
  return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<duckdb::idx_t>(std::max<int64_t>(*rows, 0)));
}

duckdb::unique_ptr<duckdb::MultiFileList> ScanFileList::Copy() const {
  auto copy = duckdb::make_uniq<ScanFileList>(client_, scan_index_);
  copy->filter_ = filter_;
  std::lock_guard<std::mutex> lock(mutex_);
  copy->planned_ = planned_;
  copy->first_reader_ = first_reader_;
  return copy;
}

}  // namespace frazil::engine
