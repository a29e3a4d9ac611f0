#pragma once

// What the tests of the parser share: a statement, an expression or a type as text, or the condition of its error.

#include <string>
#include <string_view>

#include "frazil/plan/unresolved_dump.h"
#include "frazil/sql/parser.h"

namespace frazil::sql::testing {

inline std::string Statement(std::string_view text, const ParserOptions& options = {}) {
  const auto plan = ParseStatement(text, options);
  return plan.ok() ? plan::DumpPlan(*plan) : "error " + plan.error().condition;
}

inline std::string Expression(std::string_view text, const ParserOptions& options = {}) {
  const auto expression = ParseExpression(text, options);
  return expression.ok() ? plan::DumpExpression(*expression) : "error " + expression.error().condition;
}

inline std::string Type(std::string_view text, const ParserOptions& options = {}) {
  const auto type = ParseDataType(text, options);
  return type.ok() ? (*type)->SimpleString() : "error " + type.error().condition;
}

}  // namespace frazil::sql::testing
