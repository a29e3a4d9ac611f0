#include "frazil/storage/large_objects.h"

namespace frazil::storage {
namespace {

/// Keeps the object in memory until it is finished.
class BufferedWriter : public ObjectWriter {
 public:
  BufferedWriter(ObjectStore* store, std::string path) : store_(store), path_(std::move(path)) {}
  Status Append(std::string_view data) override {
    buffer_ += data;
    return {};
  }
  Status Finish() override { return store_->Write(path_, buffer_); }

 private:
  ObjectStore* store_;
  std::string path_;
  std::string buffer_;
};

}  // namespace

Result<std::unique_ptr<RangeReader>> OpenSized(ObjectStore& store, const std::string& path, int64_t size) {
  auto* large = dynamic_cast<LargeObjects*>(&store);
  return large != nullptr && size >= 0 ? large->OpenSized(path, size) : store.Open(path);
}

Result<bool> HasObject(ObjectStore& store, const std::string& path) {
  auto* large = dynamic_cast<LargeObjects*>(&store);
  return large != nullptr ? large->HasObject(path) : store.Exists(path);
}

Result<std::unique_ptr<ObjectWriter>> StartWrite(ObjectStore& store, const std::string& path) {
  if (auto* large = dynamic_cast<LargeObjects*>(&store)) return large->StartWrite(path);
  return std::unique_ptr<ObjectWriter>(std::make_unique<BufferedWriter>(&store, path));
}

Status DeleteAll(ObjectStore& store, const std::vector<std::string>& paths) {
  if (auto* large = dynamic_cast<LargeObjects*>(&store)) return large->DeleteAll(paths);
  Status first;
  for (const auto& path : paths) {
    Status deleted = store.Delete(path);
    if (first.ok() && !deleted.ok()) first = std::move(deleted);
  }
  return first;
}

}  // namespace frazil::storage
