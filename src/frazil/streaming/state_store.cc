#include "frazil/streaming/state_store.h"

#include "frazil/base/integer_text.h"
#include "frazil/codec/arrow_ipc.h"
#include "frazil/types/shared_batch.h"

namespace frazil::streaming {
namespace {

constexpr std::string_view kSuffix = ".arrow";

}  // namespace

std::string StateStore::PathOf(int64_t version) const {
  return storage::JoinPath(folder_, std::to_string(version) + std::string(kSuffix));
}

Result<ArrowTablePtr> StateStore::Load(int64_t version, const DataTypePtr& schema) {
  if (version_ == version) return rows_;
  auto rows = std::make_shared<ArrowTable>();
  rows->schema = schema;
  if (version > 0) {
    auto bytes = store_->Read(PathOf(version));
    if (!bytes.ok()) {
      if (!storage::IsNotFound(bytes.error())) return std::move(bytes).error();
      return Error::Plain(ExceptionClass::kSpark, "The state of the streaming query at version " +
                                                      std::to_string(version) + " is not there: " + PathOf(version));
    }
    FRAZIL_ASSIGN_OR_RETURN(rows, codec::DecodeIpcStream(*bytes));
    if (!rows->schema->EqualsIgnoreNullability(*schema)) {
      return Error::Plain(ExceptionClass::kSpark,
                          "Provided schema doesn't match to the schema for existing state. Existing: " +
                              rows->schema->SimpleString() + ", provided: " + schema->SimpleString());
    }
  }
  version_ = version;
  rows_ = std::move(rows);
  return rows_;
}

Status StateStore::Save(int64_t version, ArrowTablePtr rows) {
  std::string bytes;
  if (rows->batches.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(bytes, codec::EncodeSchema(*rows->schema, {}));
  } else {
    std::vector<ArrowBatch> views;
    for (const auto& batch : rows->batches) views.push_back(ShareBatch(rows, batch));
    FRAZIL_ASSIGN_OR_RETURN(bytes, codec::EncodeBatches(*rows->schema, std::move(views), {}));
  }
  FRAZIL_RETURN_IF_ERROR(store_->Write(PathOf(version), bytes));
  version_ = version;
  rows_ = std::move(rows);
  return {};
}

Status StateStore::RemoveBefore(int64_t version) {
  if (!oldest_) {
    FRAZIL_ASSIGN_OR_RETURN(auto entries, store_->List(folder_, false));
    oldest_ = version;
    for (const auto& entry : entries) {
      std::string name = entry.path.substr(entry.path.rfind('/') + 1);
      if (!name.ends_with(kSuffix)) continue;
      name.resize(name.size() - kSuffix.size());
      if (const auto number = ParseInteger<int64_t>(name)) oldest_ = std::min(*oldest_, *number);
    }
  }
  for (; *oldest_ < version; ++*oldest_) FRAZIL_RETURN_IF_ERROR(store_->Delete(PathOf(*oldest_)));
  return {};
}

}  // namespace frazil::streaming
