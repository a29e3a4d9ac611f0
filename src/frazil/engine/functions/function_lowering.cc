#include "frazil/engine/functions/function_lowering.h"

#include <cctype>

#include <duckdb/common/exception.hpp>
#include <duckdb/parser/expression/cast_expression.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/function_expression.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>
#include <duckdb/parser/parser.hpp>

namespace frazil::engine {
namespace {

// Parameters of templates stand in the parsed tree as column references of these names.
constexpr const char* kParameterPrefix = "__template_";

// "$1 + '$2'" -> "__template_1 + '$2'": text literals stay.
std::string ParametersAsColumns(const std::string& text) {
  std::string result;
  bool in_text = false;
  for (char c : text) {
    if (c == '\'') in_text = !in_text;
    if (c == '$' && !in_text) {
      result += kParameterPrefix;
    } else {
      result += c;
    }
  }
  return result;
}

// The parameter that a column reference stands for, or an empty string.
std::string ParameterOf(const duckdb::ParsedExpression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) return {};
  const auto& names = expression.Cast<duckdb::ColumnRefExpression>().column_names;
  if (names.size() != 1 || names[0].rfind(kParameterPrefix, 0) != 0) return {};
  return names[0].substr(std::string_view(kParameterPrefix).size());
}

class Substitution {
 public:
  Substitution(const LoweredArguments& arguments, const std::string& time_zone)
      : arguments_(arguments), time_zone_(time_zone) {}

  void Apply(LoweredExpression& expression) {
    const std::string parameter = ParameterOf(*expression);
    if (!parameter.empty()) {
      expression = ValueOf(parameter);
      return;
    }
    if (expression->GetExpressionClass() == duckdb::ExpressionClass::FUNCTION) {
      Spread(expression->Cast<duckdb::FunctionExpression>().children);
    }
    duckdb::ParsedExpressionIterator::EnumerateChildren(*expression,
                                                        [this](LoweredExpression& child) { Apply(child); });
  }

 private:
  // Puts the arguments in the place of $args and $rest.
  void Spread(LoweredArguments& children) {
    LoweredArguments spread;
    for (auto& child : children) {
      const std::string parameter = ParameterOf(*child);
      if (parameter != "args" && parameter != "rest") {
        spread.push_back(std::move(child));
        continue;
      }
      for (size_t i = parameter == "rest" ? 1 : 0; i < arguments_.size(); ++i) spread.push_back(arguments_[i]->Copy());
    }
    children = std::move(spread);
  }

  LoweredExpression ValueOf(const std::string& parameter) {
    if (parameter == "tz") return ConstantOf(duckdb::Value(time_zone_));
    const size_t index = std::stoul(parameter);
    if (index == 0 || index > arguments_.size()) return ConstantOf(duckdb::Value());
    return arguments_[index - 1]->Copy();
  }

  const LoweredArguments& arguments_;
  const std::string& time_zone_;
};

Error NoImplementation(const char* what, const std::string& name) {
  return Error::Internal(std::string("The engine has no ") + what + " function \"" + name + "\".");
}

const Implementation& OfMode(const ImplementationByMode& by_mode, EvalMode mode) {
  switch (mode) {
    case EvalMode::kLegacy:
      return by_mode.legacy;
    case EvalMode::kAnsi:
      return by_mode.ansi;
    case EvalMode::kTry:
      return by_mode.try_mode;
  }
  return by_mode.ansi;
}

}  // namespace

Implementation Direct(std::string duckdb_function) {
  Implementation result;
  result.kind = Implementation::Kind::kDirect;
  result.text = std::move(duckdb_function);
  return result;
}

Implementation Template(std::string expression) {
  Implementation result;
  result.kind = Implementation::Kind::kTemplate;
  result.text = std::move(expression);
  return result;
}

Implementation Build(ScalarBuilder builder) {
  Implementation result;
  result.kind = Implementation::Kind::kScalarBuilder;
  result.scalar = std::move(builder);
  return result;
}

Implementation BuildAggregate(AggregateBuilder builder) {
  Implementation result;
  result.kind = Implementation::Kind::kAggregateBuilder;
  result.aggregate = std::move(builder);
  return result;
}

Implementation BuildWindow(WindowBuilder builder) {
  Implementation result;
  result.kind = Implementation::Kind::kWindowBuilder;
  result.window = std::move(builder);
  return result;
}

ImplementationByMode ByMode(Implementation legacy, Implementation ansi, Implementation try_mode) {
  ImplementationByMode result;
  result.legacy = std::move(legacy);
  result.ansi = std::move(ansi);
  result.try_mode = std::move(try_mode);
  return result;
}

ImplementationByMode NullOrError(Implementation null_result, Implementation error) {
  Implementation copy = null_result;
  return ByMode(std::move(null_result), std::move(error), std::move(copy));
}

void FunctionLoweringRegistry::AddScalar(std::string name, ImplementationByMode implementation) {
  scalars_.insert_or_assign(std::move(name), std::move(implementation));
}
void FunctionLoweringRegistry::AddAggregate(std::string name, ImplementationByMode implementation) {
  aggregates_.insert_or_assign(std::move(name), std::move(implementation));
}
void FunctionLoweringRegistry::AddWindow(std::string name, ImplementationByMode implementation) {
  windows_.insert_or_assign(std::move(name), std::move(implementation));
}
void FunctionLoweringRegistry::AddKernels(KernelRegistrar registrar) { kernels_.push_back(std::move(registrar)); }

void FunctionLoweringRegistry::SetDuckDbAggregates(std::vector<std::string> names) {
  for (auto& name : names) duckdb_aggregates_.emplace(std::move(name), true);
}

bool FunctionLoweringRegistry::IsDuckDbAggregate(const std::string& name) const {
  return duckdb_aggregates_.count(duckdb::StringUtil::Lower(name)) != 0;
}

const FunctionLoweringRegistry::Map& FunctionLoweringRegistry::MapOf(ImplementationClass function_class) const {
  switch (function_class) {
    case ImplementationClass::kScalar:
      return scalars_;
    case ImplementationClass::kAggregate:
      return aggregates_;
    case ImplementationClass::kWindow:
      return windows_;
  }
  return scalars_;
}

bool FunctionLoweringRegistry::Has(ImplementationClass function_class, std::string_view name) const {
  const auto& map = MapOf(function_class);
  return map.find(name) != map.end();
}

const Implementation* FunctionLoweringRegistry::Find(ImplementationClass function_class, std::string_view name,
                                                     EvalMode mode) const {
  const auto& map = MapOf(function_class);
  const auto found = map.find(name);
  if (found == map.end()) return nullptr;
  const Implementation& implementation = OfMode(found->second, mode);
  return implementation.kind == Implementation::Kind::kNone ? nullptr : &implementation;
}

Result<LoweredExpression> FunctionLoweringRegistry::Instantiate(LoweringContext& context, const std::string& text,
                                                                LoweredArguments arguments) const {
  std::shared_ptr<const duckdb::ParsedExpression> parsed;
  {
    std::lock_guard<std::mutex> lock(template_mutex_);
    auto found = templates_.find(text);
    if (found == templates_.end()) {
      try {
        auto list = duckdb::Parser::ParseExpressionList(ParametersAsColumns(text));
        if (list.size() != 1) return Error::Internal("A template must be one expression: " + text);
        found = templates_.emplace(text, std::shared_ptr<const duckdb::ParsedExpression>(list[0].release())).first;
      } catch (const std::exception& exception) {
        return Error::Internal("A template does not parse: " + text + ": " + duckdb::ErrorData(exception).Message());
      }
    }
    parsed = found->second;
  }
  LoweredExpression copy = parsed->Copy();
  const std::string time_zone = context.settings().time_zone;
  Substitution(arguments, time_zone).Apply(copy);
  return copy;
}

Result<LoweredExpression> FunctionLoweringRegistry::LowerScalar(LoweringContext& context, const CallExpression& call,
                                                                LoweredArguments arguments) const {
  const Implementation* implementation = Find(ImplementationClass::kScalar, call.function, call.mode);
  if (implementation == nullptr) return NoImplementation("scalar", call.function);
  switch (implementation->kind) {
    case Implementation::Kind::kDirect:
      return CallOf(implementation->text, std::move(arguments));
    case Implementation::Kind::kTemplate:
      return Instantiate(context, implementation->text, std::move(arguments));
    case Implementation::Kind::kScalarBuilder:
      return implementation->scalar(context, call, std::move(arguments));
    case Implementation::Kind::kNone:
    case Implementation::Kind::kAggregateBuilder:
    case Implementation::Kind::kWindowBuilder:
      break;
  }
  return NoImplementation("scalar", call.function);
}

Result<LoweredExpression> FunctionLoweringRegistry::LowerAggregate(LoweringContext& context,
                                                                   const AggregateExpression& call,
                                                                   LoweredArguments arguments) const {
  const Implementation* implementation = Find(ImplementationClass::kAggregate, call.function, call.mode);
  if (implementation == nullptr) return NoImplementation("aggregate", call.function);
  switch (implementation->kind) {
    case Implementation::Kind::kDirect:
      return CallOf(implementation->text, std::move(arguments));
    case Implementation::Kind::kTemplate:
      return Instantiate(context, implementation->text, std::move(arguments));
    case Implementation::Kind::kAggregateBuilder:
      return implementation->aggregate(context, call, std::move(arguments));
    case Implementation::Kind::kNone:
    case Implementation::Kind::kScalarBuilder:
    case Implementation::Kind::kWindowBuilder:
      break;
  }
  return NoImplementation("aggregate", call.function);
}

Result<LoweredExpression> FunctionLoweringRegistry::LowerWindow(LoweringContext& context, const WindowExpression& call,
                                                                LoweredArguments arguments) const {
  const Implementation* implementation = Find(ImplementationClass::kWindow, call.function, call.mode);
  if (implementation == nullptr) return NoImplementation("window", call.function);
  switch (implementation->kind) {
    case Implementation::Kind::kDirect:
      return CallOf(implementation->text, std::move(arguments));
    case Implementation::Kind::kTemplate:
      return Instantiate(context, implementation->text, std::move(arguments));
    case Implementation::Kind::kWindowBuilder:
      return implementation->window(context, call, std::move(arguments));
    case Implementation::Kind::kNone:
    case Implementation::Kind::kScalarBuilder:
    case Implementation::Kind::kAggregateBuilder:
      break;
  }
  return NoImplementation("window", call.function);
}

LoweredExpression CallOf(const std::string& name, LoweredArguments arguments) {
  return duckdb::make_uniq<duckdb::FunctionExpression>(name, std::move(arguments));
}

LoweredExpression ConstantOf(duckdb::Value value) {
  return duckdb::make_uniq<duckdb::ConstantExpression>(std::move(value));
}

LoweredExpression CastOf(LoweredExpression child, duckdb::LogicalType type, bool try_cast) {
  // A cast that changes nothing goes away when it is bound, and the child then takes over its location.
  const auto location = child->GetQueryLocation();
  auto cast = duckdb::make_uniq<duckdb::CastExpression>(std::move(type), std::move(child), try_cast);
  cast->SetQueryLocation(location);
  return cast;
}

}  // namespace frazil::engine
