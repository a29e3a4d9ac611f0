#pragma once

#include <string>

#include "frazil/tables/delta/delta_log.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::delta {

/// The log as a commit point: the pointer is the path of the newest commit, and a commit is a file whose name nobody
/// has taken. Source: PROTOCOL.md, "Delta Log Entries".
class LogCommitPoint : public CommitPoint {
 public:
  LogCommitPoint(TableContext context, DeltaLogPtr log) : context_(std::move(context)), log_(std::move(log)) {}

  Result<std::optional<std::string>> Current() override;
  /// `metadata`: the lines of the commit. They are unique (a transaction's id is in them), by which a lost answer is
  /// told from a lost race.
  Result<CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                           std::string* written) override;

 private:
  TableContext context_;
  DeltaLogPtr log_;
};

}  // namespace frazil::tables::delta
