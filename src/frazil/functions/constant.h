#pragma once

// Values of constant arguments that a function needs while it is bound: formats, schemas, percentages, options.

#include <map>
#include <optional>
#include <string>

#include "frazil/expressions/expression.h"

namespace frazil::functions {

/// Whether the expression has no columns, variables, subqueries or aggregates in it.
bool IsFoldable(const Expression& expression);
/// The value of a literal, and of casts, negatives, arrays, maps and structs of literals; nullopt for anything else.
std::optional<Value> ConstantValue(const Expression& expression);
/// The text of a constant string, or nullopt where it is none or NULL.
std::optional<std::string> ConstantText(const Expression& expression);
std::optional<int64_t> ConstantInteger(const Expression& expression);
std::optional<bool> ConstantBoolean(const Expression& expression);
/// Options from map('a', 'b', ...): keys in lower case. nullopt where it is not a constant map of strings.
std::optional<std::map<std::string, std::string>> ConstantOptions(const Expression& expression);

}  // namespace frazil::functions
