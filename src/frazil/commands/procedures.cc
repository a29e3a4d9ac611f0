#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"

namespace frazil::commands {

Result<RowSet> RunCall(const plan::CallCommand& command, CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto parts, NameParts(command.name, context));
  return Error::Unsupported("CALL " + Join(parts, "."));
}

}  // namespace frazil::commands
