#pragma once

// What the unit tests of this folder share: a table's log in memory, and checkpoints without an engine.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frazil/storage/memory/memory_store.h"
#include "frazil/tables/columnar_files.h"
#include "frazil/tables/delta/delta_log.h"
#include "frazil/tables/delta/log_commit_point.h"
#include "frazil/tables/delta/transaction.h"

namespace frazil::tables::delta {

/// Keeps the vectors that are written, and hands them out again. The object in the store only marks that the file is
/// there.
class MemoryColumnarFiles : public ColumnarFiles {
 public:
  Status Read(const TableContext& context, const std::string& path, const DataTypePtr& schema,
              const std::function<Status(const ArrowBatch&)>& consume, FileFormat) const override {
    FRAZIL_ASSIGN_OR_RETURN(std::string id, context.store->Read(path));
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = tables_.find(id);
    if (found == tables_.end() || !found->second->schema->Equals(*schema))
      return Error::Storage("no checkpoint: " + path);
    for (const auto& batch : found->second->batches) FRAZIL_RETURN_IF_ERROR(consume(batch));
    ++reads;
    return {};
  }
  Result<std::string> Write(const TableContext& context, const std::string& folder, const std::string& prefix,
                            const ArrowTablePtr& rows) const override {
    std::lock_guard<std::mutex> lock(mutex_);
    std::string id = "checkpoint " + std::to_string(tables_.size());
    tables_[id] = rows;
    std::string path = storage::JoinPath(folder, prefix + "-0.parquet");
    FRAZIL_RETURN_IF_ERROR(context.store->Write(path, id));
    return path;
  }
  Result<std::vector<WrittenFile>> WriteFiles(const TableContext&, const WriteTask&,
                                              const ArrowTablePtr&) const override {
    return Error::Internal("a Delta log writes checkpoints only");
  }

  mutable int reads = 0;

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::string, ArrowTablePtr> tables_;
};

/// A table in "/t" of a store in memory.
struct TestLog {
  std::shared_ptr<storage::MemoryStore> store = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<MemoryColumnarFiles> files = std::make_shared<MemoryColumnarFiles>();
  TableContext context{store, {}, "t"};
  DeltaLogPtr log = std::make_shared<DeltaLog>("/t", files);

  static constexpr const char* kProtocol = R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})";
  static constexpr const char* kMetadata =
      R"({"metaData":{"id":"11111111-2222-3333-4444-555555555555","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"p\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["p"],"configuration":{},"createdTime":1}})";

  /// A log that nobody has read yet, over the same files.
  DeltaLogPtr Fresh() const { return std::make_shared<DeltaLog>("/t", files); }
  CommitTarget Target(DeltaLogPtr over = nullptr) const {
    if (over == nullptr) over = log;
    return {context, over, std::make_shared<LogCommitPoint>(context, over)};
  }
  void WriteCommit(int64_t version, const std::vector<std::string>& lines) const {
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    (void)store->Write(CommitPath("/t/_delta_log", version), text);
  }
  static std::string Add(const std::string& path, const std::string& partition, int64_t rows, int64_t least,
                         int64_t most) {
    return R"({"add":{"path":")" + path + R"(","partitionValues":{"p":")" + partition +
           R"("},"size":10,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":)" + std::to_string(rows) +
           R"(,\"minValues\":{\"id\":)" + std::to_string(least) + R"(},\"maxValues\":{\"id\":)" + std::to_string(most) +
           R"(},\"nullCount\":{\"id\":0}}"}})";
  }
  static std::string Remove(const std::string& path) {
    return R"({"remove":{"path":")" + path + R"(","deletionTimestamp":9999999999999,"dataChange":true}})";
  }
  /// Paths of the live files, in order.
  static std::vector<std::string> Live(const Snapshot& snapshot) {
    std::vector<std::string> paths;
    for (const auto& file : snapshot.LiveFiles()) paths.push_back(file->path);
    return paths;
  }
};

}  // namespace frazil::tables::delta
