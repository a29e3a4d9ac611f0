#pragma once

#include "frazil/storage/object_store.h"

namespace frazil::tables {

/// A scan or a write of a table whose catalog says how to get at its files (keys, endpoint) is also of this type. For
/// all others the session's settings say it.
class StoredFiles {
 public:
  virtual ~StoredFiles() = default;
  virtual storage::ObjectStorePtr file_store() const = 0;
};

}  // namespace frazil::tables
