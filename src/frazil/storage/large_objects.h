#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// An object that is written piece by piece. Nothing is visible before Finish; destruction without it leaves no object.
/// Not thread-safe.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual Status Append(std::string_view data) = 0;
  /// Makes the object: durable and whole when it returns.
  virtual Status Finish() = 0;
};

/// What stores over a network can do better than by ObjectStore's calls alone; a store that can is also of this type.
class LargeObjects {
 public:
  virtual ~LargeObjects() = default;
  /// As ObjectStore::Open, for an object whose size the caller knows: the store need not be asked for it.
  virtual Result<std::unique_ptr<RangeReader>> OpenSized(const std::string& path, int64_t size) = 0;
  /// Whether there is an object of this name; folders are none, which saves looking for them.
  virtual Result<bool> HasObject(const std::string& path) = 0;
  /// Starts an object that is written from its beginning on.
  virtual Result<std::unique_ptr<ObjectWriter>> StartWrite(const std::string& path) = 0;
  /// Deletes all of them in as few requests as possible; the first error is the result, the others are tried. Missing
  /// objects are no error.
  virtual Status DeleteAll(const std::vector<std::string>& paths) = 0;
};

// --- for any store: by LargeObjects where it is one, else by ObjectStore's own calls

/// `size` negative: unknown.
Result<std::unique_ptr<RangeReader>> OpenSized(ObjectStore& store, const std::string& path, int64_t size);
Result<bool> HasObject(ObjectStore& store, const std::string& path);
/// The store outlives the writer.
Result<std::unique_ptr<ObjectWriter>> StartWrite(ObjectStore& store, const std::string& path);
Status DeleteAll(ObjectStore& store, const std::vector<std::string>& paths);

}  // namespace frazil::storage
