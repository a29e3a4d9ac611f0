#pragma once

// Values of a statement's parameter markers, for the parser.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frazil/plan/unresolved_expression.h"
#include "frazil/sql/parser.h"

namespace frazil::analysis {

/// `options` with the values of :name and ?: the grammar asks for some of them (TABLESAMPLE (:n ROWS), IDENTIFIER(:p)).
inline sql::ParserOptions WithParameters(sql::ParserOptions options,
                                         const std::vector<std::pair<std::string, plan::ExprPtr>>& named,
                                         const std::vector<plan::ExprPtr>& positional) {
  auto values = std::make_shared<sql::ParameterValues>();
  for (const auto& [name, value] : named) values->named[name] = value;
  values->positional = positional;
  options.parameters = std::move(values);
  return options;
}

}  // namespace frazil::analysis
