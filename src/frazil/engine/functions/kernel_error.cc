#include "frazil/engine/functions/kernel_error.h"

#include <cstdlib>

#include <duckdb/common/error_data.hpp>
#include <duckdb/common/exception.hpp>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"

namespace frazil::engine {
namespace {

constexpr const char* kConditionKey = "spark_condition";
constexpr const char* kClassKey = "spark_class";
constexpr const char* kKindKey = "spark_kind";
constexpr const char* kMessageKey = "spark_message";
constexpr const char* kParameterKey = "spark_parameter_";
constexpr const char* kAnsiSetting = "\"spark.sql.ansi.enabled\"";

// DuckDB carries the entries as JSON text: anything but plain ASCII is escaped, so that no byte is lost.
std::string Escape(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c >= 0x20 && c < 0x7f && c != '%') {
      result += c;
    } else {
      AppendPercentEncoded(c, &result);
    }
  }
  return result;
}

Error ArithmeticOverflow(std::string_view message, std::string_view alternative) {
  std::string hint;
  if (!alternative.empty())
    hint = " Use '" + std::string(alternative) + "' to tolerate overflow and return NULL instead.";
  return Error::Of("ARITHMETIC_OVERFLOW",
                   {{"message", std::string(message)}, {"alternative", hint}, {"config", kAnsiSetting}});
}

bool Contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// What stands between the first quotes: the file in DuckDB's messages. The whole text where there are none.
std::string QuotedPart(const std::string& text) {
  for (const char quote : {'"', '\''}) {
    const size_t begin = text.find(quote);
    const size_t end = begin == std::string::npos ? begin : text.find(quote, begin + 1);
    if (end != std::string::npos) return text.substr(begin + 1, end - begin - 1);
  }
  return text;
}

// "Overflow in addition of INT32 (1 + 2)!": DuckDB's checked operators, which stand for Spark's under ANSI.
Error FromOutOfRange(const std::string& text) {
  // Bytes and shorts show as what they were added to: "127S + 1S".
  if (Contains(text, " INT8 (") || Contains(text, " INT16 (")) {
    const size_t open = text.find('('), close = text.find(')', open);
    const auto words = Split(std::string_view(text).substr(open + 1, close - open - 1), ' ');
    if (words.size() == 3) {
      const char* alternative = words[1] == "+" ? "try_add" : words[1] == "-" ? "try_subtract" : "try_multiply";
      return Error::Of("BINARY_ARITHMETIC_OVERFLOW", {{"value1", words[0] + "S"},
                                                      {"symbol", words[1]},
                                                      {"value2", words[2] + "S"},
                                                      {"functionName", "`" + std::string(alternative) + "`"}});
    }
  }
  struct Operation {
    const char* word;
    const char* alternative;
  };
  static constexpr Operation kOperations[] = {{"addition", "try_add"},
                                              {"subtract", "try_subtract"},
                                              {"multiplication", "try_multiply"},
                                              {"division", ""},
                                              {"negation", ""}};
  struct Width {
    const char* word;
    const char* message;
  };
  static constexpr Width kWidths[] = {{"INT128", "long overflow"},
                                      {"INT64", "long overflow"},
                                      {"INT32", "integer overflow"},
                                      {"INT16", "short overflow"},
                                      {"INT8", "byte overflow"}};
  const char* message = "long overflow";
  for (const auto& width : kWidths) {
    if (Contains(text, width.word)) {
      message = width.message;
      break;
    }
  }
  for (const auto& operation : kOperations) {
    if (Contains(text, operation.word)) return ArithmeticOverflow(message, operation.alternative);
  }
  return ArithmeticOverflow(text, {});
}

// What stands between two words of a message; empty where they do not stand there.
std::string Between(const std::string& text, std::string_view before, std::string_view after) {
  const size_t begin = text.find(before);
  if (begin == std::string::npos) return {};
  const size_t from = begin + before.size();
  const size_t end = after.empty() ? text.size() : text.find(after, from);
  return end == std::string::npos ? std::string() : text.substr(from, end - from);
}

// "failed to allocate data of size 16.0 MiB (953.4 MiB/953.6 MiB used)": 16777216.
std::string BytesAskedFor(const std::string& text) {
  static constexpr std::string_view kBefore = "of size ";
  const size_t begin = text.find(kBefore);
  if (begin == std::string::npos) return text;
  char* unit = nullptr;
  const double number = std::strtod(text.c_str() + begin + kBefore.size(), &unit);
  static constexpr const char* kUnits[] = {" bytes", " KiB", " MiB", " GiB", " TiB"};
  double factor = 1;
  for (const char* name : kUnits) {
    if (std::string_view(unit).starts_with(name)) return std::to_string(static_cast<int64_t>(number * factor));
    factor *= 1024;
  }
  return text;
}

Error Recognise(duckdb::ExceptionType type, const std::string& text) {
  using duckdb::ExceptionType;
  if (type == ExceptionType::INTERRUPT) return Error::Cancelled("The query was interrupted.");
  if (type == ExceptionType::OUT_OF_MEMORY) {
    return Error::Of(ExceptionClass::kSpark, "UNABLE_TO_ACQUIRE_MEMORY",
                     {{"requestedBytes", BytesAskedFor(text)}, {"receivedBytes", "0"}});
  }
  if (Contains(text, "No such file or directory")) {
    return Error::Of("FAILED_READ_FILE.FILE_NOT_EXIST", {{"path", QuotedPart(text)}});
  }
  if (Contains(text, "No magic bytes found") || Contains(text, "too small to be a Parquet file") ||
      Contains(text, "Footer length error")) {
    return Error::Of("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", {{"path", QuotedPart(text)}});
  }
  // DuckDB keeps of an error in the cast of a file's column its text alone.
  if (Contains(text, "Error while reading file") && Contains(text, "MALFORMED_VARIANT")) {
    return Error::Of("FAILED_READ_FILE.NO_HINT", {{"path", QuotedPart(text)}}).CausedBy(Error::Of("MALFORMED_VARIANT"));
  }
  // 'Error while reading file "f": failed to cast column "c" from type BIGINT to DATE: ...'
  if (Contains(text, "Error while reading file") && Contains(text, "failed to cast column")) {
    return Error::Of("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
                     {{"path", QuotedPart(text)},
                      {"column", "[" + Between(text, "failed to cast column \"", "\"") + "]"},
                      {"expectedType", AsciiLower(Between(Between(text, " from type ", ""), " to ", ":"))},
                      {"actualType", Between(text, " from type ", " to ")}});
  }
  // Thrift's words for bytes that are no header of a page or footer.
  if (Contains(text, "don't know what type") || Contains(text, "TProtocolException")) {
    return Error::Of("FAILED_READ_FILE.NO_HINT", {{"path", QuotedPart(text)}});
  }
  if (type == ExceptionType::NOT_IMPLEMENTED) return Error::Unsupported(text);
  if (Contains(text, "More than one row returned by a subquery")) return Error::Of("SCALAR_SUBQUERY_TOO_MANY_ROWS");
  if (type == ExceptionType::OUT_OF_RANGE && Contains(text, "verflow")) return FromOutOfRange(text);
  if (type == ExceptionType::IO || type == ExceptionType::HTTP || type == ExceptionType::NETWORK)
    return Error::Storage(text);
  return Error::Internal(duckdb::Exception::ExceptionTypeToString(type) + " error of the execution core: " + text);
}

}  // namespace

void ThrowSparkError(const Error& error) {
  std::unordered_map<std::string, std::string> info;
  info[kConditionKey] = error.condition;
  info[kClassKey] = std::to_string(static_cast<int>(error.exception_class));
  info[kKindKey] = std::to_string(static_cast<int>(error.kind));
  info[kMessageKey] = Escape(error.message);
  for (size_t i = 0; i < error.parameters.size(); ++i) {
    info[kParameterKey + std::to_string(i)] =
        Escape(error.parameters[i].first) + "=" + Escape(error.parameters[i].second);
  }
  duckdb::unordered_map<std::string, std::string> extra(info.begin(), info.end());
  throw duckdb::InvalidInputException(extra, Escape(error.message));
}

void ThrowArithmeticOverflow(std::string_view message, std::string_view alternative) {
  ThrowSparkError(ArithmeticOverflow(message, alternative));
}
void ThrowDivideByZero() { ThrowSparkError("DIVIDE_BY_ZERO", {{"config", kAnsiSetting}}); }
void ThrowRemainderByZero() { ThrowSparkError("REMAINDER_BY_ZERO", {{"config", kAnsiSetting}}); }

void ThrowCastInvalidInput(std::string_view text, std::string_view target_sql, std::string_view source_sql) {
  auto exception_class = ExceptionClass::kNumberFormat;
  if (target_sql.starts_with("DATE") || target_sql.starts_with("TIME")) exception_class = ExceptionClass::kDateTime;
  if (target_sql == "BOOLEAN") exception_class = ExceptionClass::kSparkRuntime;
  ThrowSparkError(Error::Of(exception_class, "CAST_INVALID_INPUT",
                            {{"expression", "'" + std::string(text) + "'"},
                             {"sourceType", "\"" + std::string(source_sql) + "\""},
                             {"targetType", "\"" + std::string(target_sql) + "\""},
                             {"ansiConfig", kAnsiSetting}}));
}

void ThrowCastOverflow(std::string_view value, std::string_view source_sql, std::string_view target_sql) {
  ThrowSparkError("CAST_OVERFLOW", {{"value", std::string(value)},
                                    {"sourceType", "\"" + std::string(source_sql) + "\""},
                                    {"targetType", "\"" + std::string(target_sql) + "\""},
                                    {"ansiConfig", kAnsiSetting}});
}

void ThrowNumericValueOutOfRange(std::string_view value, int precision, int scale) {
  ThrowSparkError("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", {{"value", std::string(value)},
                                                                 {"precision", std::to_string(precision)},
                                                                 {"scale", std::to_string(scale)},
                                                                 {"config", kAnsiSetting}});
}

void ThrowInvalidArrayIndex(int64_t index, int64_t array_size) {
  ThrowSparkError("INVALID_ARRAY_INDEX",
                  {{"indexValue", std::to_string(index)}, {"arraySize", std::to_string(array_size)}});
}

Error ErrorFromDuckDb(const duckdb::ErrorData& error) {
  const auto& info = error.ExtraInfo();
  const auto condition = info.find(kConditionKey);
  if (condition == info.end()) return Recognise(error.Type(), error.RawMessage());

  const auto entry = [&](const char* key) {
    const auto found = info.find(key);
    return found == info.end() ? std::string() : found->second;
  };
  Error::Parameters parameters;
  for (size_t i = 0;; ++i) {
    const auto found = info.find(kParameterKey + std::to_string(i));
    if (found == info.end()) break;
    const auto equals = found->second.find('=');
    parameters.emplace_back(PercentDecode(found->second.substr(0, equals)),
                            PercentDecode(found->second.substr(equals + 1)));
  }
  const auto exception_class = static_cast<ExceptionClass>(std::atoi(entry(kClassKey).c_str()));
  const auto kind = static_cast<ErrorKind>(std::atoi(entry(kKindKey).c_str()));
  Error result;
  if (condition->second.empty()) {
    result = Error::Plain(exception_class, PercentDecode(entry(kMessageKey)));
  } else {
    result = Error::Of(exception_class, condition->second, std::move(parameters));
  }
  result.kind = kind;
  return result;
}

Error ErrorFromException(const std::exception& exception) { return ErrorFromDuckDb(duckdb::ErrorData(exception)); }

}  // namespace frazil::engine
