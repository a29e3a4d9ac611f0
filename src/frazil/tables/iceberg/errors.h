#pragma once

#include <string_view>

#include "frazil/base/error.h"

namespace frazil::tables::iceberg {

/// Errors with the texts of Iceberg's own exceptions, which scripts look for.

/// java.lang.IllegalArgumentException.
Error IllegalArgument(std::string_view message);
/// org.apache.iceberg.exceptions.ValidationException: the table is not, or no longer, as the change needs it.
Error Validation(std::string_view message);
/// A validation that failed because of another commit: kind kConflict.
Error ConflictingCommit(std::string_view message);
/// java.lang.UnsupportedOperationException.
Error UnsupportedOperation(std::string_view message);
/// A file of the table's metadata that cannot be what it claims to be.
Error DamagedMetadata(std::string_view message);

}  // namespace frazil::tables::iceberg
