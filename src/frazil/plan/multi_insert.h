#pragma once

#include <memory>
#include <vector>

#include "frazil/plan/unresolved_command.h"

namespace frazil::plan {

/// FROM t INSERT ... INSERT ...: the first one, and those after it in their order.
struct MultiInsertCommand : InsertCommand {
  explicit MultiInsertCommand(const InsertCommand& first) : InsertCommand(first) {}
  std::vector<std::shared_ptr<const InsertCommand>> others;
};

/// Those after the first one; none where the command is a single one.
inline std::vector<std::shared_ptr<const InsertCommand>> OtherInserts(const InsertCommand& command) {
  const auto* several = dynamic_cast<const MultiInsertCommand*>(&command);
  return several == nullptr ? std::vector<std::shared_ptr<const InsertCommand>>() : several->others;
}

}  // namespace frazil::plan
