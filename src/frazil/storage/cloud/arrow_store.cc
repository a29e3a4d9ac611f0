#include "frazil/storage/cloud/arrow_store.h"

#include <algorithm>
#include <future>
#include <set>

#include <arrow/buffer.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>

namespace frazil::storage {
namespace {

constexpr size_t kDeletionsUnderWay = 8;

/// Arrow's messages hold whole URLs, and those the signature of a shared access token.
std::string WithoutSignatures(std::string text) {
  for (const std::string_view name : {"sig=", "access_token="}) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + name.size())) {
      const size_t start = at + name.size();
      text.replace(start, std::min(text.find_first_of("& \"'\n)", start), text.size()) - start, "***");
    }
  }
  return text;
}

ObjectInfo InfoOf(const arrow::fs::FileInfo& info, std::string path) {
  ObjectInfo result;
  result.path = std::move(path);
  result.is_directory = info.type() == arrow::fs::FileType::Directory;
  result.size = result.is_directory ? 0 : std::max<int64_t>(info.size(), 0);
  if (info.mtime() != arrow::fs::kNoTime) {
    result.modified_micros =
        std::chrono::duration_cast<std::chrono::microseconds>(info.mtime().time_since_epoch()).count();
  }
  return result;
}

using Complaint = std::function<Error(const std::string& message)>;

class ArrowReader : public RangeReader {
 public:
  ArrowReader(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t size, Complaint complaint)
      : file_(std::move(file)), size_(size), complaint_(std::move(complaint)) {}

  int64_t size() const override { return size_; }

  Status ReadAt(int64_t offset, int64_t length, void* out) override {
    if (length == 0) return {};
    auto read = file_->ReadAt(offset, length, out);
    if (!read.ok()) return complaint_(read.status().message());
    if (*read != length) return complaint_("it ends in front of byte " + std::to_string(offset + length));
    return {};
  }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t size_;
  Complaint complaint_;
};

class ArrowWriter : public ObjectWriter {
 public:
  ArrowWriter(std::shared_ptr<arrow::fs::FileSystem> files, std::shared_ptr<arrow::io::OutputStream> stream,
              std::string path, Complaint complaint)
      : files_(std::move(files)),
        stream_(std::move(stream)),
        path_(std::move(path)),
        complaint_(std::move(complaint)) {}

  ~ArrowWriter() override {
    if (finished_) return;
    // Giving up a stream makes the object of what was written on some stores; nobody waits for the outcome.
    (void)stream_->Abort();
    (void)files_->DeleteFile(path_);
  }

  Status Append(std::string_view data) override {
    const auto written = stream_->Write(data.data(), static_cast<int64_t>(data.size()));
    return written.ok() ? Status() : complaint_(written.message());
  }

  Status Finish() override {
    const auto closed = stream_->Close();
    if (!closed.ok()) return complaint_(closed.message());
    finished_ = true;
    return {};
  }

 private:
  std::shared_ptr<arrow::fs::FileSystem> files_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
  std::string path_;
  Complaint complaint_;
  bool finished_ = false;
};

}  // namespace

ArrowStore::ArrowStore(std::shared_ptr<arrow::fs::FileSystem> files, std::string host, std::string credential)
    : files_(std::move(files)), host_(std::move(host)), credential_(std::move(credential)) {}

Result<CloudLocation> ArrowStore::Locate(const std::string& path) const {
  FRAZIL_ASSIGN_OR_RETURN(auto location, ParseCloudLocation(path));
  if (location.Account() != host_.substr(0, host_.find('.')))
    return Error::Storage("The path " + path + " is not of the account " + host_);
  return location;
}

Error ArrowStore::ErrorOf(const std::string& what, const std::string& path, const std::string& message) const {
  return Error::Storage("Failed to " + what + " " + path + " with " + credential_ + ": " + WithoutSignatures(message));
}

Result<std::string> ArrowStore::Read(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto reader, Open(path));
  std::string data(static_cast<size_t>(reader->size()), '\0');
  FRAZIL_RETURN_IF_ERROR(reader->ReadAt(0, reader->size(), data.data()));
  return data;
}

Result<std::unique_ptr<RangeReader>> ArrowStore::Open(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto info, Stat(path));
  if (info.is_directory) return NotFound(path);
  return OpenSized(path, info.size);
}

Result<std::unique_ptr<RangeReader>> ArrowStore::OpenSized(const std::string& path, int64_t size) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, Locate(path));
  arrow::fs::FileInfo info(location.ArrowPath(), arrow::fs::FileType::File);
  info.set_size(size);
  auto file = files_->OpenInputFile(info);
  if (!file.ok()) return ErrorOf("open", path, file.status().message());
  return std::unique_ptr<RangeReader>(std::make_unique<ArrowReader>(
      *file, size, [this, path](const std::string& message) { return ErrorOf("read", path, message); }));
}

Result<ObjectInfo> ArrowStore::Stat(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, Locate(path));
  auto info = files_->GetFileInfo(location.ArrowPath());
  if (!info.ok()) return ErrorOf("look at", path, info.status().message());
  if (info->type() == arrow::fs::FileType::NotFound) return NotFound(path);
  return InfoOf(*info, path);
}

Result<bool> ArrowStore::Exists(const std::string& path) {
  auto info = Stat(path);
  if (info.ok()) return true;
  if (IsNotFound(info.error())) return false;
  return std::move(info).error();
}

Result<bool> ArrowStore::HasObject(const std::string& path) {
  auto info = Stat(path);
  if (info.ok()) return !info->is_directory;
  if (IsNotFound(info.error())) return false;
  return std::move(info).error();
}

Result<std::vector<ObjectInfo>> ArrowStore::List(const std::string& prefix, bool recursive) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, Locate(prefix));
  arrow::fs::FileSelector selector;
  selector.base_dir = location.ArrowPath();
  selector.allow_not_found = true;
  // One level of Google's shows only those folders that have an object of their own; the others follow from the names
  // of all objects below.
  const bool derive = !recursive && host_.empty();
  selector.recursive = recursive || derive;
  auto found = files_->GetFileInfo(selector);
  if (!found.ok()) return ErrorOf("list", prefix, found.status().message());
  std::vector<ObjectInfo> objects;
  std::set<std::string> folders;
  const size_t base = selector.base_dir.size() + 1;
  for (const auto& info : *found) {
    if (recursive && info.type() != arrow::fs::FileType::File) continue;
    std::string path = info.path();
    while (path.ends_with('/')) path.pop_back();
    if (path.size() <= base) continue;
    const size_t level_end = path.find('/', base);
    const bool below = derive && level_end != std::string::npos;
    if (below) path.resize(level_end);
    const bool is_folder = below || info.type() == arrow::fs::FileType::Directory;
    if (is_folder && !folders.insert(path).second) continue;
    path = location.root + path.substr(location.container.size());
    ObjectInfo object = InfoOf(info, std::move(path));
    if (below) object = {std::move(object.path), 0, 0, true};
    objects.push_back(std::move(object));
  }
  return objects;
}

Status ArrowStore::Write(const std::string& path, std::string_view data) {
  FRAZIL_ASSIGN_OR_RETURN(auto writer, StartWrite(path));
  FRAZIL_RETURN_IF_ERROR(writer->Append(data));
  return writer->Finish();
}

Result<std::unique_ptr<ObjectWriter>> ArrowStore::StartWrite(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, Locate(path));
  if (location.key.empty()) return ErrorOf("write", path, "the path names no object");
  auto stream = files_->OpenOutputStream(location.ArrowPath(), nullptr);
  if (!stream.ok()) return ErrorOf("write", path, stream.status().message());
  return std::unique_ptr<ObjectWriter>(std::make_unique<ArrowWriter>(
      files_, *stream, location.ArrowPath(),
      [this, path](const std::string& message) { return ErrorOf("write", path, message); }));
}

Result<PutOutcome> ArrowStore::WriteIfAbsent(const std::string& path, std::string_view) {
  return Error::Storage("A commit to " + path +
                        " needs a write that fails where the object is there already, which this server has for the "
                        "local disk and S3 alone: use a catalog that keeps the tables' pointers");
}

Status ArrowStore::Delete(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, Locate(path));
  const auto deleted = files_->DeleteFile(location.ArrowPath());
  if (deleted.ok()) return {};
  FRAZIL_ASSIGN_OR_RETURN(const bool there, HasObject(path));
  return there ? Status(ErrorOf("delete", path, deleted.message())) : Status();
}

Status ArrowStore::DeleteAll(const std::vector<std::string>& paths) {
  Status first;
  std::vector<std::future<Status>> under_way;
  for (size_t start = 0; start < paths.size(); start += kDeletionsUnderWay) {
    const size_t end = std::min(paths.size(), start + kDeletionsUnderWay);
    for (size_t i = start; i < end; ++i)
      under_way.push_back(std::async(std::launch::async, [this, &path = paths[i]] { return Delete(path); }));
    for (auto& deletion : under_way) {
      Status deleted = deletion.get();
      if (first.ok() && !deleted.ok()) first = std::move(deleted);
    }
    under_way.clear();
  }
  return first;
}

Status ArrowStore::DeleteRecursively(const std::string& prefix) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, Locate(prefix));
  if (location.key.empty()) return Error::Storage("Will not delete a whole bucket: " + prefix);
  FRAZIL_ASSIGN_OR_RETURN(const bool there, Exists(prefix));
  if (!there) return {};
  const auto deleted = files_->DeleteDir(location.ArrowPath());
  return deleted.ok() ? Status() : Status(ErrorOf("delete", prefix, deleted.message()));
}

Status ArrowStore::CreateFolder(const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, Locate(path));
  if (location.key.empty()) return {};
  const auto made = files_->CreateDir(location.ArrowPath(), /*recursive=*/true);
  return made.ok() ? Status() : Status(ErrorOf("make the folder", path, made.message()));
}

Status ArrowStore::Rename(const std::string& from, const std::string& to) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, Locate(from));
  FRAZIL_ASSIGN_OR_RETURN(auto target, Locate(to));
  FRAZIL_ASSIGN_OR_RETURN(auto info, Stat(from));
  if (info.is_directory) return Error::Unsupported("renaming folders of " + source.scheme + "://");
  const auto copied = files_->CopyFile(source.ArrowPath(), target.ArrowPath());
  if (!copied.ok()) return ErrorOf("copy", from, copied.message());
  return Delete(from);
}

}  // namespace frazil::storage
