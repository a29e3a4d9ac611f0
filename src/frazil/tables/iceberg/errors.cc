#include "frazil/tables/iceberg/errors.h"

namespace frazil::tables::iceberg {

Error IllegalArgument(std::string_view message) { return Error::Plain(ExceptionClass::kIllegalArgument, message); }

Error Validation(std::string_view message) {
  return Error::Plain(ExceptionClass::kSpark,
                      "org.apache.iceberg.exceptions.ValidationException: " + std::string(message));
}

Error ConflictingCommit(std::string_view message) {
  Error error = Validation(message);
  error.kind = ErrorKind::kConflict;
  return error;
}

Error UnsupportedOperation(std::string_view message) {
  Error error = Error::Plain(ExceptionClass::kUnsupportedOperation, message);
  error.kind = ErrorKind::kUnsupported;
  return error;
}

Error DamagedMetadata(std::string_view message) { return Error::Storage(message); }

}  // namespace frazil::tables::iceberg
