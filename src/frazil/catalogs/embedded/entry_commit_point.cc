#include "frazil/catalogs/embedded/entry_commit_point.h"

#include <utility>

#include "frazil/base/text.h"

namespace frazil::catalogs {

EntryCommitPoint::EntryCommitPoint(tables::CommitPointPtr inner, std::shared_ptr<EmbeddedStore> store,
                                   std::string database, EmbeddedStore::Entry entry, bool replace)
    : inner_(std::move(inner)),
      store_(std::move(store)),
      database_(std::move(database)),
      entry_(std::move(entry)),
      replace_(replace) {}

Result<std::optional<std::string>> EntryCommitPoint::Current() {
  if (inner_ != nullptr) return inner_->Current();
  FRAZIL_ASSIGN_OR_RETURN(auto entry, store_->FindEntry(database_, entry_.name));
  if (!entry.has_value()) return std::optional<std::string>();
  return std::optional<std::string>(entry->document);
}

Result<tables::CommitState> EntryCommitPoint::Swap(const std::optional<std::string>& expected,
                                                   const std::string& metadata, std::string* written) {
  if (inner_ != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(auto state, inner_->Swap(expected, metadata, written));
    if (state != tables::CommitState::kCommitted || registered_) return state;
  }
  if (replace_) {
    FRAZIL_ASSIGN_OR_RETURN(auto entry, store_->FindEntry(database_, entry_.name));
    if (entry.has_value()) {
      FRAZIL_RETURN_IF_ERROR(store_->UpdateEntry(database_, entry_));
      registered_ = true;
      return tables::CommitState::kCommitted;
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(bool inserted, store_->InsertEntry(database_, entry_));
  if (!inserted && inner_ == nullptr) return tables::CommitState::kConflict;
  if (!inserted) {
    // The table is in its folder and stays there; only its name has gone to another one meanwhile.
    Error error = Error::Of("TABLE_OR_VIEW_ALREADY_EXISTS",
                            {{"relationName", QuoteIdentifier({"spark_catalog", database_, entry_.name})}});
    error.kind = ErrorKind::kUnknownCommit;
    return error;
  }
  registered_ = true;
  return tables::CommitState::kCommitted;
}

}  // namespace frazil::catalogs
