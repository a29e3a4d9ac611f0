#include "frazil/analysis/partition_functions.h"

#include "frazil/base/text.h"

namespace frazil::analysis {
namespace {

Error CannotProcess(const std::string& name, const std::vector<ExpressionPtr>& arguments, const std::string& why) {
  std::vector<std::string> types;
  for (const auto& argument : arguments) types.push_back(argument->type->SimpleString());
  return Error::Plain(ExceptionClass::kAnalysis,
                      "Function '" + name + "' cannot process input: (" + Join(types, ", ") + "): " + why);
}

bool IsDateOrTimestamp(const DataType& type) {
  return type.id() == TypeId::kDate || type.id() == TypeId::kTimestamp || type.id() == TypeId::kTimestampNtz;
}

bool IsWholeNumber(const DataType& type) {
  return type.id() == TypeId::kByte || type.id() == TypeId::kShort || type.id() == TypeId::kInteger ||
         type.id() == TypeId::kLong;
}

/// bucket(buckets, value) and truncate(width, value).
Result<ExpressionPtr> BindWithNumber(const std::string& name, std::vector<ExpressionPtr> arguments) {
  const bool buckets = name == "bucket";
  const char* what = buckets ? "number of buckets" : "width";
  if (arguments.size() != 2)
    return CannotProcess(name, arguments, "Wrong number of inputs (expected numBuckets and value)");
  if (!IsWholeNumber(*arguments[0]->type) || arguments[0]->type->id() == TypeId::kLong)
    return CannotProcess(name, arguments, std::string("Expected ") + what + " to be tinyint, shortint or int");
  if (arguments[0]->kind != ExpressionKind::kLiteral)
    return Error::Unsupported("the function system." + name + " with a " + what + " that is not constant");
  const Value& number = arguments[0]->As<LiteralExpression>().value;
  if (!number.is_null() && number.integer() <= 0) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        std::string("Invalid ") + what + ": " + std::to_string(number.integer()) + " (must be > 0)");
  }
  const DataType& type = *arguments[1]->type;
  const bool takes = IsWholeNumber(type) || type.id() == TypeId::kDecimal || type.IsString() ||
                     type.id() == TypeId::kBinary || (buckets && IsDateOrTimestamp(type));
  if (!takes) {
    return CannotProcess(name, arguments,
                         buckets ? "Expected value to be date, tinyint, smallint, int, bigint, decimal, timestamp, "
                                   "timestamp_ntz, string, or binary"
                                 : "Expected truncation col to be tinyint, shortint, int, bigint, decimal, string, or "
                                   "binary");
  }
  DataTypePtr result = buckets ? DataType::Integer() : arguments[1]->type;
  auto width = MakeLiteral(DataType::Integer(), number);
  if (number.is_null()) return MakeNull(result);
  return MakeCall("partition_" + name, {arguments[1], std::move(width)}, std::move(result), true);
}

Result<ExpressionPtr> BindTime(const std::string& name, std::vector<ExpressionPtr> arguments) {
  if (arguments.size() != 1) return CannotProcess(name, arguments, "Wrong number of inputs");
  const DataType& type = *arguments[0]->type;
  if (!IsDateOrTimestamp(type) || (name == "hours" && type.id() == TypeId::kDate)) {
    return CannotProcess(name, arguments,
                         name == "hours" ? "Expected value to be timestamp or timestamp_ntz"
                                         : "Expected value to be date or timestamp or timestamp_ntz");
  }
  DataTypePtr result = name == "days" ? DataType::Date() : DataType::Integer();
  return MakeCall("partition_" + name, std::move(arguments), std::move(result), true);
}

}  // namespace

std::optional<std::string> FindPartitionFunction(const std::vector<std::string>& name, const AnalysisContext& context) {
  if (name.size() < 2 || name.size() > 3 || !EqualsIgnoreCase(name[name.size() - 2], "system")) return std::nullopt;
  if (name.size() == 3 && !context.HasCatalog(name[0])) return std::nullopt;
  std::string function = AsciiLower(name.back());
  for (const char* known : {"bucket", "truncate", "years", "months", "days", "hours", "iceberg_version"}) {
    if (function == known) return function;
  }
  return std::nullopt;
}

Result<ExpressionPtr> BindPartitionFunction(const std::string& name, std::vector<ExpressionPtr> arguments) {
  if (name == "iceberg_version") {
    if (!arguments.empty()) return CannotProcess(name, arguments, "Wrong number of inputs");
    // The version whose rules are followed here.
    return WithSql(MakeLiteral(DataType::String(), Value("1.12.0")), "system.iceberg_version()");
  }
  std::vector<std::string> texts;
  for (const auto& argument : arguments) texts.push_back(argument->sql);
  FRAZIL_ASSIGN_OR_RETURN(auto value, name == "bucket" || name == "truncate"
                                          ? BindWithNumber(name, std::move(arguments))
                                          : BindTime(name, std::move(arguments)));
  return WithSql(std::move(value), "system." + name + "(" + Join(texts, ", ") + ")");
}

}  // namespace frazil::analysis
