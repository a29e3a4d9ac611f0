#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::storage {

struct ObjectInfo {
  std::string path;  ///< As given to the store: full, with its scheme where it had one.
  int64_t size = 0;
  int64_t modified_micros = 0;  ///< Since the epoch; 0 where unknown.
  bool is_directory = false;
};

/// What a conditional write came to.
enum class PutOutcome { kWritten, kAlreadyExists };

/// A random-access reader of one immutable object.
class RangeReader {
 public:
  virtual ~RangeReader() = default;
  virtual int64_t size() const = 0;
  /// Reads exactly `length` bytes from `offset`; an error where the object ends before.
  virtual Status ReadAt(int64_t offset, int64_t length, void* out) = 0;
};

/// Files, or objects of a store: one interface under metadata and data alike. Thread-safe. Paths are plain ("/a/b") or
/// URIs ("file:/a/b", "file:///a/b", "s3://bucket/key").
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  virtual Result<std::string> Read(const std::string& path) = 0;
  virtual Result<std::unique_ptr<RangeReader>> Open(const std::string& path) = 0;
  virtual Result<ObjectInfo> Stat(const std::string& path) = 0;
  virtual Result<bool> Exists(const std::string& path) = 0;
  /// Everything below `prefix` (a folder), recursively or one level; files only when recursive. A missing folder is an
  /// empty list.
  virtual Result<std::vector<ObjectInfo>> List(const std::string& prefix, bool recursive) = 0;
  /// Writes or replaces the whole object, durably (synced) before it returns. Parent folders are made.
  virtual Status Write(const std::string& path, std::string_view data) = 0;
  /// Writes an object under a name that is new and known to nobody yet (a UUID is in it), so that it may grow in place.
  /// Durable when it returns.
  virtual Status WriteNew(const std::string& path, std::string_view data) { return Write(path, data); }
  /// Writes or replaces an object that can be made again: whole for every reader, but a crash of the machine may lose
  /// it.
  virtual Status WriteHint(const std::string& path, std::string_view data) { return Write(path, data); }
  /// Makes an object durable that somebody else has written and closed; nothing to do on stores where every written
  /// object is.
  virtual Status Sync(const std::string&) { return {}; }
  /// Writes the object only where no object of that name exists, atomically even among processes: the base of a commit.
  virtual Result<PutOutcome> WriteIfAbsent(const std::string& path, std::string_view data) = 0;
  /// Missing objects are no error.
  virtual Status Delete(const std::string& path) = 0;
  /// Deletes a folder and everything below.
  virtual Status DeleteRecursively(const std::string& prefix) = 0;
  virtual Status CreateFolder(const std::string& path) = 0;
  /// Moves one object or folder on stores that can (local disk); else Unsupported.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
};
using ObjectStorePtr = std::shared_ptr<ObjectStore>;

/// Settings of a session that concern stores ("spark.hadoop.fs.s3a.*", ...), read by key.
using SettingLookup = std::function<std::optional<std::string>(std::string_view)>;

/// Makes stores by the scheme of a path.
class StoreRegistry {
 public:
  using Factory = std::function<Result<ObjectStorePtr>(const std::string& path, const SettingLookup& settings)>;
  /// `scheme` without "://"; "" and "file" are the local disk.
  void Register(std::string scheme, Factory factory);
  /// The store for a path; unknown schemes are an error that names the scheme.
  Result<ObjectStorePtr> StoreFor(const std::string& path, const SettingLookup& settings) const;

 private:
  std::vector<std::pair<std::string, Factory>> factories_;
};

/// Error PATH_NOT_FOUND: what Read, Open and Stat give for an object that is not there.
Error NotFound(const std::string& path);
bool IsNotFound(const Error& error);

/// "file:/a", "file:///a" and "/a" -> "/a"; other schemes unchanged.
std::string LocalPath(std::string_view path);
/// Scheme in lower case, or "".
std::string SchemeOf(std::string_view path);
/// folder + "/" + name with exactly one slash between.
std::string JoinPath(std::string_view folder, std::string_view name);

}  // namespace frazil::storage
