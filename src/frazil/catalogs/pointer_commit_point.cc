#include "frazil/catalogs/pointer_commit_point.h"

#include <chrono>
#include <cstdio>
#include <thread>

#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/base/uuid.h"
#include "frazil/catalogs/json_members.h"
#include "frazil/codec/deflate.h"
#include "frazil/tables/unknown_commit.h"

namespace frazil::catalogs {
namespace {

constexpr int kAttempts = 5;

}  // namespace

std::string NextMetadataLocation(const std::optional<std::string>& expected, const std::string& metadata,
                                 std::string_view extension) {
  int64_t version = -1;
  if (expected) {
    const std::string name = expected->substr(expected->rfind('/') + 1);
    version = ParseInteger<int64_t>(name.substr(0, name.find('-'))).value_or(-1);
  }
  const Json parsed = Json::parse(metadata, nullptr, /*allow_exceptions=*/false);
  std::string folder;
  if (parsed.is_object() && parsed.contains("properties"))
    folder = TextMember(parsed["properties"], "write.metadata.path");
  if (folder.empty()) folder = storage::JoinPath(TextMember(parsed, "location"), "metadata");
  char number[24];
  std::snprintf(number, sizeof(number), "%05lld", static_cast<long long>(version + 1));
  return storage::JoinPath(folder, std::string(number) + "-" + RandomUuidText() + std::string(extension));
}

PointerCommitPoint::PointerCommitPoint(std::shared_ptr<TablePointer> pointer, storage::ObjectStorePtr store,
                                       std::string name)
    : pointer_(std::move(pointer)), store_(std::move(store)), name_(std::move(name)) {}

Result<bool> PointerCommitPoint::WasMovedTo(const std::string& location) {
  FRAZIL_ASSIGN_OR_RETURN(auto now, pointer_->Read());
  if (!now) return false;
  if (*now == location) return true;
  FRAZIL_ASSIGN_OR_RETURN(auto bytes, store_->Read(*now));
  FRAZIL_ASSIGN_OR_RETURN(const auto text, codec::GunzipIfGzip(std::move(bytes)));
  const Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object() || !parsed.contains("metadata-log") || !parsed["metadata-log"].is_array()) return false;
  for (const auto& entry : parsed["metadata-log"]) {
    if (TextMember(entry, "metadata-file") == location) return true;
  }
  return false;
}

Result<tables::CommitState> PointerCommitPoint::Swap(const std::optional<std::string>& expected,
                                                     const std::string& bytes, std::string* written) {
  FRAZIL_ASSIGN_OR_RETURN(const auto metadata, codec::GunzipIfGzip(bytes));
  const std::string next =
      NextMetadataLocation(expected, metadata, codec::IsGzip(bytes) ? ".gz.metadata.json" : ".metadata.json");
  FRAZIL_RETURN_IF_ERROR(store_->WriteNew(next, bytes));
  auto moved = pointer_->Move(expected, next, metadata);
  for (int attempt = 1; !moved.ok() && moved.error().kind == ErrorKind::kUnknownCommit; ++attempt) {
    const Error cause = moved.error();
    if (attempt == kAttempts)
      return tables::UnknownCommit("the commit to " + name_ + " came through: " + cause.message, cause);
    if (attempt > 1) std::this_thread::sleep_for(std::chrono::milliseconds(100 << attempt));
    auto found = WasMovedTo(next);
    if (found.ok() && *found) {
      Log(LogLevel::kWarn, "A commit succeeded whose outcome was not told",
          {{"table", name_}, {"error", cause.message}});
      *written = next;
      return tables::CommitState::kCommitted;
    }
    // To move it again is safe where it still is where it was: it only moves from there, so that one of the tries comes
    // through at most.
    auto now = pointer_->Read();
    if (found.ok() && now.ok() && *now == expected) moved = pointer_->Move(expected, next, metadata);
    // One that is refused now may have been refused because of an earlier try.
    if (moved.ok() && !*moved) moved = cause;
  }
  if (moved.ok() && *moved) {
    *written = next;
    return tables::CommitState::kCommitted;
  }
  Status deleted = store_->Delete(next);
  if (!deleted.ok())
    Log(LogLevel::kWarn, "A metadata file of no commit could not be deleted",
        {{"path", next}, {"error", deleted.error().message}});
  if (!moved.ok()) return std::move(moved).error();
  return tables::CommitState::kConflict;
}

}  // namespace frazil::catalogs
