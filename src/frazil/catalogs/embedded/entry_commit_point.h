#pragma once

#include <memory>
#include <string>

#include "frazil/catalogs/embedded/embedded_store.h"
#include "frazil/tables/table_format.h"

namespace frazil::catalogs {

/// A commit point that also writes the table's entry in the built-in catalog with the commit that creates the table.
/// `inner` moves the table's own metadata; it is null for formats without metadata (plain files), where the entry alone
/// is the table.
class EntryCommitPoint : public tables::CommitPoint {
 public:
  EntryCommitPoint(tables::CommitPointPtr inner, std::shared_ptr<EmbeddedStore> store, std::string database,
                   EmbeddedStore::Entry entry, bool replace);

  Result<std::optional<std::string>> Current() override;
  Result<tables::CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                   std::string* written) override;

 private:
  tables::CommitPointPtr inner_;
  std::shared_ptr<EmbeddedStore> store_;
  std::string database_;
  EmbeddedStore::Entry entry_;
  bool replace_;
  bool registered_ = false;
};

}  // namespace frazil::catalogs
