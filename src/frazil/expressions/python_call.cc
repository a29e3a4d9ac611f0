#include "frazil/expressions/python_call.h"

#include <charconv>

namespace frazil {
namespace {

// "<length>:<bytes>"
void AppendField(std::string_view field, std::string* out) {
  *out += std::to_string(field.size()) + ":";
  *out += field;
}

bool TakeField(std::string_view* bytes, std::string* field) {
  size_t size = 0;
  const auto [end, failure] = std::from_chars(bytes->data(), bytes->data() + bytes->size(), size);
  if (failure != std::errc()) return false;
  bytes->remove_prefix(static_cast<size_t>(end - bytes->data()));
  if (bytes->empty() || bytes->front() != ':' || bytes->size() - 1 < size) return false;
  *field = bytes->substr(1, size);
  bytes->remove_prefix(size + 1);
  return true;
}

}  // namespace

std::string PythonFunction::Encode() const {
  std::string bytes;
  AppendField(name, &bytes);
  AppendField(std::to_string(eval_type), &bytes);
  AppendField(command, &bytes);
  AppendField(python_version, &bytes);
  for (const auto& argument : argument_names) AppendField(argument, &bytes);
  return bytes;
}

Result<PythonFunction> PythonFunction::Decode(std::string_view bytes) {
  PythonFunction function;
  std::string eval_type;
  bool ok = TakeField(&bytes, &function.name) && TakeField(&bytes, &eval_type) &&
            TakeField(&bytes, &function.command) && TakeField(&bytes, &function.python_version);
  while (ok && !bytes.empty()) ok = TakeField(&bytes, &function.argument_names.emplace_back());
  ok = ok &&
       std::from_chars(eval_type.data(), eval_type.data() + eval_type.size(), function.eval_type).ec == std::errc();
  if (!ok) return Error::Internal("The code of a Python function is damaged.");
  return function;
}

bool IsPythonCall(const Expression& expression) {
  if (expression.kind != ExpressionKind::kCall) return false;
  const auto& function = expression.As<CallExpression>().function;
  return function == kPythonFunction || function == kNondeterministicPythonFunction;
}

}  // namespace frazil
