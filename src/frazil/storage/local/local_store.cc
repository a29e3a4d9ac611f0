#include "frazil/storage/local/local_store.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <random>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

namespace frazil::storage {
namespace {

Error Failure(const char* action, const std::string& path, int error_number) {
  if (error_number == ENOENT) return NotFound(path);
  return Error::Storage(std::string("Failed to ") + action + " " + path + ": " + std::strerror(error_number));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  /// Closes now, so that a late write error is seen.
  int Close() {
    int result = ::close(fd_);
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

int64_t Micros(const timespec& time) { return static_cast<int64_t>(time.tv_sec) * 1000000 + time.tv_nsec / 1000; }

Status ReadFully(int fd, const std::string& path, int64_t offset, int64_t length, char* out) {
  while (length > 0) {
    ssize_t count = ::pread(fd, out, static_cast<size_t>(length), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failure("read", path, errno);
    if (count == 0) return Error::Storage("Reached the end of " + path + " at offset " + std::to_string(offset));
    out += count;
    offset += count;
    length -= count;
  }
  return {};
}

class LocalReader : public RangeReader {
 public:
  LocalReader(std::string path, int fd, int64_t size) : path_(std::move(path)), descriptor_(fd), size_(size) {}
  int64_t size() const override { return size_; }
  Status ReadAt(int64_t offset, int64_t length, void* out) override {
    return ReadFully(descriptor_.get(), path_, offset, length, static_cast<char*>(out));
  }

 private:
  std::string path_;
  Descriptor descriptor_;
  int64_t size_;
};

std::string ParentOf(const std::string& path) {
  size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status SyncFolder(const std::string& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.valid()) return Failure("open", folder, errno);
  // Some file systems cannot sync a folder and say EINVAL; there is nothing more to be done on those.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) return Failure("sync", folder, errno);
  return {};
}

// How often a folder is begun anew whose parent somebody else took away in between, since it was empty.
constexpr int kFolderAttempts = 100;

Status MakeFolders(const std::string& folder) {
  for (int attempt = 0;; ++attempt) {
    if (::mkdir(folder.c_str(), 0777) == 0) return SyncFolder(ParentOf(folder));
    if (errno == EEXIST) {
      struct stat info;
      if (::stat(folder.c_str(), &info) == 0) {
        return S_ISDIR(info.st_mode) ? Status() : Status(Error::Storage("Not a folder: " + folder));
      }
      if (errno != ENOENT || attempt == kFolderAttempts) return Failure("look at", folder, errno);
      continue;
    }
    if (errno != ENOENT || folder == "/" || folder == "." || attempt == kFolderAttempts)
      return Failure("create", folder, errno);
    FRAZIL_RETURN_IF_ERROR(MakeFolders(ParentOf(folder)));
  }
}

/// A name beside `path` that no other thread or process uses.
std::string TemporaryName(const std::string& path) {
  static const uint64_t process_part = [] {
    std::random_device device;
    return (static_cast<uint64_t>(device()) << 32) ^ device();
  }();
  static std::atomic<uint64_t> counter{0};
  size_t slash = path.find_last_of('/');
  std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  // The process id is asked each time: a forked process has the same random part and counter.
  char suffix[80];
  std::snprintf(suffix, sizeof(suffix), ".%016llx-%lld-%llu.tmp", static_cast<unsigned long long>(process_part),
                static_cast<long long>(::getpid()), static_cast<unsigned long long>(counter.fetch_add(1)));
  return folder + "." + name + suffix;
}

Status WriteFile(const std::string& path, std::string_view data, bool sync) {
  Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!descriptor.valid()) return Failure("create", path, errno);
  while (!data.empty()) {
    ssize_t count = ::write(descriptor.get(), data.data(), data.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failure("write", path, errno);
    data.remove_prefix(static_cast<size_t>(count));
  }
  if (sync && ::fsync(descriptor.get()) != 0) return Failure("sync", path, errno);
  if (descriptor.Close() != 0) return Failure("close", path, errno);
  return {};
}

/// Makes the folder if it is missing.
Status WriteInFolder(const std::string& path, std::string_view data, bool sync) {
  Status status = WriteFile(path, data, sync);
  if (status.ok() || !IsNotFound(status.error())) return status;
  FRAZIL_RETURN_IF_ERROR(MakeFolders(ParentOf(path)));
  return WriteFile(path, data, sync);
}

/// Writes the data beside `path`. Returns the name.
Result<std::string> WriteBeside(const std::string& path, std::string_view data, bool sync) {
  std::string temporary = TemporaryName(path);
  Status status = WriteInFolder(temporary, data, sync);
  if (!status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  return temporary;
}

Status Replace(const std::string& local, std::string_view data, bool sync) {
  FRAZIL_ASSIGN_OR_RETURN(std::string temporary, WriteBeside(local, data, sync));
  if (::rename(temporary.c_str(), local.c_str()) != 0) {
    int error_number = errno;
    ::unlink(temporary.c_str());
    return Failure("write", local, error_number);
  }
  return {};
}

bool SameFile(const std::string& a, const std::string& b) {
  struct stat left, right;
  return ::stat(a.c_str(), &left) == 0 && ::stat(b.c_str(), &right) == 0 && left.st_ino == right.st_ino &&
         left.st_dev == right.st_dev;
}

/// "file:/x/a" for an entry "/x/a" of a listing of "file:/x": objects are called as the caller called the folder.
std::string AsCalled(const std::string& prefix, const std::string& local_prefix, const std::string& local) {
  if (prefix == local_prefix) return local;
  return prefix + local.substr(local_prefix.size());
}

Status ListInto(const std::string& prefix, const std::string& local_prefix, const std::string& folder, bool recursive,
                std::vector<ObjectInfo>* out) {
  DIR* stream = ::opendir(folder.c_str());
  if (stream == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return Failure("list", folder, errno);
  }
  std::unique_ptr<DIR, int (*)(DIR*)> closer(stream, ::closedir);
  while (true) {
    errno = 0;
    dirent* entry = ::readdir(stream);
    if (entry == nullptr) {
      if (errno != 0) return Failure("list", folder, errno);
      return {};
    }
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    std::string path = JoinPath(folder, name);
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) continue;  // Gone since it was listed, or a dangling link.
    bool is_directory = S_ISDIR(info.st_mode);
    if (!is_directory || !recursive) {
      out->push_back(ObjectInfo{AsCalled(prefix, local_prefix, path), is_directory ? 0 : info.st_size,
                                Micros(info.st_mtim), is_directory});
    }
    if (is_directory && recursive) FRAZIL_RETURN_IF_ERROR(ListInto(prefix, local_prefix, path, true, out));
  }
}

Status RemoveTree(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT ? Status() : Status(Failure("look at", path, errno));
  if (!S_ISDIR(info.st_mode)) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return Failure("delete", path, errno);
    return {};
  }
  std::vector<std::string> names;
  {
    DIR* stream = ::opendir(path.c_str());
    if (stream == nullptr) return errno == ENOENT ? Status() : Status(Failure("list", path, errno));
    std::unique_ptr<DIR, int (*)(DIR*)> closer(stream, ::closedir);
    while (dirent* entry = ::readdir(stream)) {
      std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(std::move(name));
    }
  }
  for (const auto& name : names) FRAZIL_RETURN_IF_ERROR(RemoveTree(JoinPath(path, name)));
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT) return Failure("delete", path, errno);
  return {};
}

}  // namespace

Result<std::string> LocalStore::Read(const std::string& path) {
  std::string local = LocalPath(path);
  Descriptor descriptor(::open(local.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.valid()) return Failure("open", path, errno);
  struct stat info;
  if (::fstat(descriptor.get(), &info) != 0) return Failure("look at", path, errno);
  if (S_ISDIR(info.st_mode)) return Error::Storage("Is a folder: " + path);
  std::string data(static_cast<size_t>(info.st_size), '\0');
  FRAZIL_RETURN_IF_ERROR(ReadFully(descriptor.get(), path, 0, info.st_size, data.data()));
  return data;
}

Result<std::unique_ptr<RangeReader>> LocalStore::Open(const std::string& path) {
  std::string local = LocalPath(path);
  int fd = ::open(local.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failure("open", path, errno);
  struct stat info;
  if (::fstat(fd, &info) != 0) {
    int error_number = errno;
    ::close(fd);
    return Failure("look at", path, error_number);
  }
  return std::unique_ptr<RangeReader>(std::make_unique<LocalReader>(path, fd, info.st_size));
}

Result<ObjectInfo> LocalStore::Stat(const std::string& path) {
  struct stat info;
  if (::stat(LocalPath(path).c_str(), &info) != 0) {
    return errno == ENOTDIR ? NotFound(path) : Failure("look at", path, errno);
  }
  bool is_directory = S_ISDIR(info.st_mode);
  return ObjectInfo{path, is_directory ? 0 : info.st_size, Micros(info.st_mtim), is_directory};
}

Result<bool> LocalStore::Exists(const std::string& path) {
  struct stat info;
  if (::stat(LocalPath(path).c_str(), &info) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return Failure("look at", path, errno);
}

Result<std::vector<ObjectInfo>> LocalStore::List(const std::string& prefix, bool recursive) {
  std::string called = prefix;
  while (called.size() > 1 && called.back() == '/') called.pop_back();
  std::string local = LocalPath(called);
  std::vector<ObjectInfo> result;
  FRAZIL_RETURN_IF_ERROR(ListInto(called, local, local, recursive, &result));
  return result;
}

Status LocalStore::Write(const std::string& path, std::string_view data) {
  FRAZIL_RETURN_IF_ERROR(Replace(LocalPath(path), data, true));
  return SyncFolder(ParentOf(LocalPath(path)));
}

Status LocalStore::WriteHint(const std::string& path, std::string_view data) {
  return Replace(LocalPath(path), data, false);
}

Status LocalStore::WriteNew(const std::string& path, std::string_view data) {
  std::string local = LocalPath(path);
  Status status = WriteInFolder(local, data, true);
  // The journals of ext4, XFS and Btrfs make the name of a new file durable together with the file. On a file system
  // that does not, the name is made so by the next sync of the folder, which the commit does that refers to the file.
  if (!status.ok()) ::unlink(local.c_str());
  return status;
}

Status LocalStore::Sync(const std::string& path) {
  Descriptor descriptor(::open(LocalPath(path).c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.valid()) return Failure("open", path, errno);
  if (::fsync(descriptor.get()) != 0) return Failure("sync", path, errno);
  return {};
}

Result<PutOutcome> LocalStore::WriteIfAbsent(const std::string& path, std::string_view data) {
  std::string local = LocalPath(path);
  FRAZIL_ASSIGN_OR_RETURN(std::string temporary, WriteBeside(local, data, true));
  bool linked = ::link(temporary.c_str(), local.c_str()) == 0;
  int error_number = linked ? 0 : errno;
  if (!linked &&
      (error_number == EPERM || error_number == EOPNOTSUPP || error_number == ENOSYS || error_number == EMLINK)) {
    if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, local.c_str(), RENAME_NOREPLACE) == 0) {
      linked = true;
    } else {
      error_number = errno;
    }
  }
  if (!linked && error_number != EEXIST && SameFile(temporary, local)) linked = true;
  ::unlink(temporary.c_str());
  if (!linked) {
    if (error_number == EEXIST) return PutOutcome::kAlreadyExists;
    return Failure("write", path, error_number);
  }
  Status synced = SyncFolder(ParentOf(local));
  if (!synced.ok()) {
    // The name is there for everybody, but a crash could take it back.
    Error error = Error::Storage("Cannot tell whether " + path + " is written durably").CausedBy(synced.error());
    error.kind = ErrorKind::kUnknownCommit;
    return error;
  }
  return PutOutcome::kWritten;
}

Status LocalStore::Delete(const std::string& path) {
  const std::string local = LocalPath(path);
  if (::unlink(local.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  // An empty folder is an object too; one that holds something is not deleted by its name alone.
  if (errno == EISDIR && (::rmdir(local.c_str()) == 0 || errno == ENOENT)) return {};
  return Failure("delete", path, errno);
}

Status LocalStore::DeleteRecursively(const std::string& prefix) {
  std::string local = LocalPath(prefix);
  while (local.size() > 1 && local.back() == '/') local.pop_back();
  if (local.empty() || local == "/") return Error::Storage("Refusing to delete the root folder");
  return RemoveTree(local);
}

Status LocalStore::CreateFolder(const std::string& path) {
  std::string local = LocalPath(path);
  while (local.size() > 1 && local.back() == '/') local.pop_back();
  return MakeFolders(local);
}

Status LocalStore::Rename(const std::string& from, const std::string& to) {
  std::string source = LocalPath(from), target = LocalPath(to);
  FRAZIL_RETURN_IF_ERROR(MakeFolders(ParentOf(target)));
  if (::rename(source.c_str(), target.c_str()) != 0) return Failure("rename", from, errno);
  FRAZIL_RETURN_IF_ERROR(SyncFolder(ParentOf(target)));
  return ParentOf(source) == ParentOf(target) ? Status() : SyncFolder(ParentOf(source));
}

void RegisterLocalStore(StoreRegistry* registry) {
  auto factory = [](const std::string&, const SettingLookup&) -> Result<ObjectStorePtr> {
    static const ObjectStorePtr store = std::make_shared<LocalStore>();
    return store;
  };
  registry->Register("", factory);
  registry->Register("file", factory);
}

}  // namespace frazil::storage
