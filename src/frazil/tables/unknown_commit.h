#pragma once

#include <string_view>

#include "frazil/base/error.h"

namespace frazil::tables {

/// The error of a commit of which nobody can tell whether it came through: "Cannot tell whether" and what, of kind
/// kUnknownCommit, so that nothing that it wrote is deleted. Iceberg's CommitStateUnknownException.
Error UnknownCommit(std::string_view what, const Error& cause);

}  // namespace frazil::tables
