#include "frazil/tables/unknown_commit.h"

#include <string>

namespace frazil::tables {

Error UnknownCommit(std::string_view what, const Error& cause) {
  Error unknown = Error::Plain(ExceptionClass::kSpark,
                               "org.apache.iceberg.exceptions.CommitStateUnknownException: Cannot tell whether " +
                                   std::string(what))
                      .CausedBy(cause);
  unknown.kind = ErrorKind::kUnknownCommit;
  return unknown;
}

}  // namespace frazil::tables
