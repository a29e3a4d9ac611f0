#include "frazil/tables/delta/log_commit_point.h"

#include "frazil/base/logging.h"

namespace frazil::tables::delta {

Result<std::optional<std::string>> LogCommitPoint::Current() {
  FRAZIL_ASSIGN_OR_RETURN(auto snapshot, log_->Update(context_));
  if (snapshot == nullptr) return std::optional<std::string>();
  return std::optional<std::string>(CommitPath(log_->log(), snapshot->version));
}

Result<CommitState> LogCommitPoint::Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                         std::string* written) {
  int64_t version = 0;
  if (expected) {
    auto former = CommitVersion(*expected);
    if (!former) return Error::Internal("no commit of a Delta log: " + *expected);
    version = *former + 1;
  }
  std::string path = CommitPath(log_->log(), version);
  auto outcome = context_.store->WriteIfAbsent(path, metadata);
  if (!outcome.ok()) {
    // The answer is lost or bad: what stands there now tells.
    auto found = context_.store->Read(path);
    if (!found.ok() && storage::IsNotFound(found.error())) return std::move(outcome).error();
    if (!found.ok()) {
      Error unknown = Error::Plain(ExceptionClass::kSpark, "Cannot tell whether " + path + " was written")
                          .CausedBy(Error(outcome.error()));
      unknown.kind = ErrorKind::kUnknownCommit;
      return unknown;
    }
    if (*found != metadata) return CommitState::kConflict;
    Log(LogLevel::kWarn, "A commit succeeded whose outcome was not told",
        {{"path", path}, {"error", outcome.error().message}});
  } else if (*outcome == storage::PutOutcome::kAlreadyExists) {
    return CommitState::kConflict;
  }
  *written = path;
  return CommitState::kCommitted;
}

}  // namespace frazil::tables::delta
