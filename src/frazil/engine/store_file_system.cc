#include "frazil/engine/store_file_system.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include <duckdb/common/file_opener.hpp>

#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/statement_state.h"
#include "frazil/engine/table_stores.h"
#include "frazil/storage/interrupt.h"
#include "frazil/storage/large_objects.h"
#include "frazil/storage/object_store.h"
#include "frazil/storage/versioned_reader.h"

namespace frazil::engine {
namespace {

using duckdb::FileHandle;
using duckdb::FileOpener;
using duckdb::idx_t;

// `of_table` (may be null): whether a table of the statement has named the store, and with it an object that never
// changes.
storage::ObjectStorePtr StoreOf(const std::string& path, duckdb::optional_ptr<FileOpener> opener,
                                bool* of_table = nullptr) {
  auto client = FileOpener::TryGetClientContext(opener);
  if (!client) ThrowSparkError(Error::Internal("No statement to open " + path + " for"));
  if (auto store = TableStores::Of(*client)->Find(path)) {
    if (of_table != nullptr) *of_table = true;
    return store;
  }
  const auto& context = StatementState::Of(*client).context;
  if (context.stores == nullptr) ThrowSparkError(Error::Internal("No stores to open " + path + " with"));
  return ValueOrThrow(context.stores->StoreFor(path, context.store_settings));
}

// Whether the statement was interrupted, asked while a store waits on its network.
std::function<bool()> InterruptedOf(duckdb::optional_ptr<FileOpener> opener) {
  auto client = FileOpener::TryGetClientContext(opener);
  if (!client) return {};
  return [weak = duckdb::weak_ptr<duckdb::ClientContext>(client->shared_from_this())] {
    const auto running = weak.lock();
    return running == nullptr || running->IsInterrupted();
  };
}

// An object that is read by ranges, or one that is written from its beginning on.
struct StoreHandle : FileHandle {
  StoreHandle(duckdb::FileSystem& file_system, const std::string& path, duckdb::FileOpenFlags open_flags,
              storage::ObjectStorePtr object_store)
      : FileHandle(file_system, path, open_flags), store(std::move(object_store)) {}

  void Close() override {
    if (writer == nullptr) return;
    const auto finished = std::move(writer);
    OkOrThrow(finished->Finish());
  }

  storage::ObjectStorePtr store;
  std::unique_ptr<storage::RangeReader> reader;
  std::unique_ptr<storage::ObjectWriter> writer;  // Dropped without Close, as on an error: nothing becomes visible.
  idx_t written = 0;
  bool immutable = false;
  std::function<bool()> interrupted;
  idx_t position = 0;
  // The last block that was read, for the small reads of footers and page headers.
  std::mutex mutex;
  std::string block;
  idx_t block_start = 0;
};

class StoreFileSystem : public duckdb::FileSystem {
 public:
  bool CanHandleFile(const std::string& path) override {
    const auto scheme = storage::SchemeOf(path);
    return !scheme.empty() && scheme != "file";
  }
  std::string GetName() const override { return "frazil_stores"; }
  bool CanSeek() override { return true; }
  bool OnDiskFile(FileHandle&) override { return false; }
  std::string PathSeparator(const std::string&) override { return "/"; }

  duckdb::unique_ptr<FileHandle> OpenFile(const std::string& path, duckdb::FileOpenFlags flags,
                                          duckdb::optional_ptr<FileOpener> opener) override {
    return Open(path, -1, flags, opener);
  }

  void Read(FileHandle& file, void* out, int64_t length, idx_t location) override {
    auto& handle = file.Cast<StoreHandle>();
    const storage::InterruptScope scope(handle.interrupted);
    const auto size = static_cast<idx_t>(handle.reader->size());
    const auto wanted = static_cast<idx_t>(length);
    if (location + wanted > size) ThrowSparkError(Error::Storage("A read beyond the end of " + handle.path));
    std::unique_lock<std::mutex> lock(handle.mutex);
    if (location >= handle.block_start && location + wanted <= handle.block_start + handle.block.size()) {
      std::memcpy(out, handle.block.data() + (location - handle.block_start), wanted);
      return;
    }
    if (wanted >= kBlock) {
      lock.unlock();
      OkOrThrow(handle.reader->ReadAt(static_cast<int64_t>(location), length, out));
      return;
    }
    // Readers begin with the footer's last bytes and then want the rest of it, which lies in front of them.
    const idx_t start = location + kBlock > size ? size - std::min(kBlock, size) : location;
    handle.block.resize(std::min<idx_t>(kBlock, size - start));
    handle.block_start = start;
    const auto read = handle.reader->ReadAt(static_cast<int64_t>(start), static_cast<int64_t>(handle.block.size()),
                                            handle.block.data());
    if (!read.ok()) handle.block.clear();
    OkOrThrow(read);
    std::memcpy(out, handle.block.data() + (location - start), wanted);
  }

  int64_t Read(FileHandle& file, void* out, int64_t length) override {
    auto& handle = file.Cast<StoreHandle>();
    const int64_t left = handle.reader->size() - static_cast<int64_t>(handle.position);
    const int64_t count = std::min(length, std::max<int64_t>(left, 0));
    if (count > 0) Read(file, out, count, handle.position);
    handle.position += static_cast<idx_t>(count);
    return count;
  }

  void Write(FileHandle& file, void* data, int64_t length, idx_t location) override {
    if (location != file.Cast<StoreHandle>().written)
      ThrowSparkError(Error::Internal("Objects are written from their beginning on: " + file.path));
    Write(file, data, length);
  }

  int64_t Write(FileHandle& file, void* data, int64_t length) override {
    auto& handle = file.Cast<StoreHandle>();
    if (handle.writer == nullptr) ThrowSparkError(Error::Internal("Not open for writing: " + handle.path));
    OkOrThrow(handle.writer->Append({static_cast<const char*>(data), static_cast<size_t>(length)}));
    handle.written += static_cast<idx_t>(length);
    handle.position = handle.written;
    return length;
  }

  int64_t GetFileSize(FileHandle& file) override {
    auto& handle = file.Cast<StoreHandle>();
    return handle.reader != nullptr ? handle.reader->size() : static_cast<int64_t>(handle.written);
  }

  duckdb::timestamp_t GetLastModifiedTime(FileHandle& file) override {
    auto& handle = file.Cast<StoreHandle>();
    // DuckDB asks for what it caches; files of tables never change, so they need no question to the store.
    if (handle.immutable) return duckdb::timestamp_t(1);
    if (auto* versioned = dynamic_cast<storage::VersionedReader*>(handle.reader.get()))
      return duckdb::timestamp_t(ValueOrThrow(versioned->Version()).modified_micros);
    return duckdb::timestamp_t(ValueOrThrow(handle.store->Stat(handle.path)).modified_micros);
  }

  // Objects may be replaced twice within a second, which is what their times are told in.
  std::string GetVersionTag(FileHandle& file) override {
    auto& handle = file.Cast<StoreHandle>();
    if (handle.immutable) return {};
    auto* versioned = dynamic_cast<storage::VersionedReader*>(handle.reader.get());
    return versioned == nullptr ? std::string() : ValueOrThrow(versioned->Version()).tag;
  }

  duckdb::FileType GetFileType(FileHandle&) override { return duckdb::FileType::FILE_TYPE_REGULAR; }
  void FileSync(FileHandle&) override {}
  void Seek(FileHandle& file, idx_t location) override { file.Cast<StoreHandle>().position = location; }
  void Reset(FileHandle& file) override { Seek(file, 0); }
  idx_t SeekPosition(FileHandle& file) override { return file.Cast<StoreHandle>().position; }

  bool FileExists(const std::string& path, duckdb::optional_ptr<FileOpener> opener) override {
    return ValueOrThrow(StoreOf(path, opener)->Exists(path));
  }
  bool DirectoryExists(const std::string&, duckdb::optional_ptr<FileOpener>) override { return true; }
  void CreateDirectory(const std::string&, duckdb::optional_ptr<FileOpener>) override {}
  void RemoveFile(const std::string& path, duckdb::optional_ptr<FileOpener> opener) override {
    OkOrThrow(StoreOf(path, opener)->Delete(path));
  }
  bool TryRemoveFile(const std::string& path, duckdb::optional_ptr<FileOpener> opener) override {
    RemoveFile(path, opener);
    return true;
  }
  duckdb::vector<duckdb::OpenFileInfo> Glob(const std::string& path, FileOpener*) override {
    return {duckdb::OpenFileInfo(path)};
  }

 protected:
  bool SupportsOpenFileExtended() const override { return true; }

  duckdb::unique_ptr<FileHandle> OpenFileExtended(const duckdb::OpenFileInfo& file, duckdb::FileOpenFlags flags,
                                                  duckdb::optional_ptr<FileOpener> opener) override {
    int64_t size = -1;
    if (file.extended_info != nullptr) {
      const auto known = file.extended_info->options.find("file_size");
      if (known != file.extended_info->options.end()) size = known->second.GetValue<int64_t>();
    }
    return Open(file.path, size, flags, opener);
  }

 private:
  // `size` -1: unknown.
  duckdb::unique_ptr<FileHandle> Open(const std::string& path, int64_t size, duckdb::FileOpenFlags flags,
                                      duckdb::optional_ptr<FileOpener> opener) {
    const storage::InterruptScope scope(InterruptedOf(opener));
    bool of_table = false;
    auto handle = duckdb::make_uniq<StoreHandle>(*this, path, flags, StoreOf(path, opener, &of_table));
    handle->interrupted = InterruptedOf(opener);
    if (flags.OpenForWriting()) {
      handle->writer = ValueOrThrow(storage::StartWrite(*handle->store, path));
    } else {
      handle->immutable = of_table;
      handle->reader = ValueOrThrow(storage::OpenSized(*handle->store, path, size));
    }
    return handle;
  }

  static constexpr idx_t kBlock = 256 * 1024;
};

}  // namespace

void RegisterStoreFileSystem(duckdb::DatabaseInstance& database) {
  duckdb::FileSystem::GetFileSystem(database).RegisterSubSystem(duckdb::make_uniq<StoreFileSystem>());
}

}  // namespace frazil::engine
