// Numbers as text and back: format_number, to_char, to_number.

#include <cmath>
#include <map>

#include <unicode/dcfmtsym.h>
#include <unicode/decimfmt.h>

#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

// --- format_number
// --------------------------------------------------------------------------------------------------------------------------------------------

const icu::DecimalFormat& FormatOf(const std::string& pattern) {
  thread_local std::map<std::string, std::unique_ptr<icu::DecimalFormat>> formats;
  auto& format = formats[pattern];
  if (format == nullptr) {
    UErrorCode status = U_ZERO_ERROR;
    auto symbols = std::make_unique<icu::DecimalFormatSymbols>(icu::Locale::getUS(), status);
    format = std::make_unique<icu::DecimalFormat>(icu::UnicodeString::fromUTF8(pattern), symbols.release(), status);
    if (U_FAILURE(status)) {
      formats.erase(pattern);
      ThrowSparkError(Error::Plain(ExceptionClass::kIllegalArgument, "Malformed pattern \"" + pattern + "\""));
    }
  }
  return *format;
}

std::string PatternOfPlaces(int32_t places) {
  std::string pattern = "#,###,###,###,###,###,##0";
  if (places > 0) pattern += "." + std::string(static_cast<size_t>(places), '0');
  return pattern;
}

std::string Finish(const icu::UnicodeString& text) {
  std::string result;
  text.toUTF8String(result);
  return result;
}

std::string FormatDigits(std::string_view digits, const std::string& pattern) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString text;
  FormatOf(pattern).format(icu::StringPiece(digits.data(), static_cast<int32_t>(digits.size())), text, nullptr, status);
  if (U_FAILURE(status)) ThrowSparkError(Error::Internal("A number could not be formatted"));
  return Finish(text);
}

std::string FormatDouble(double value, const std::string& pattern) {
  if (std::isnan(value)) return "NaN";
  icu::UnicodeString text;
  FormatOf(pattern).format(value, text);
  return Finish(text);
}

// --- to_char and to_number: the format's tokens
// ---------------------------------------------------------------------------------------------------------------

struct Group {
  int digits = 0;
  bool exact = false;  ///< Begins with 0: all digits are due.
};

struct Token {
  enum class Kind : uint8_t { kDigits, kPoint, kDollar, kSign, kMinus, kOpen, kClose };
  Kind kind = Kind::kDigits;
  std::vector<Group> groups;  ///< kDigits: as written, parted by thousands separators.
};

std::vector<Token> Tokens(std::string_view format) {
  std::vector<Token> tokens;
  const bool angle = format.find("PR") != std::string_view::npos;
  if (angle) tokens.push_back({Token::Kind::kOpen, {}});
  for (size_t i = 0; i < format.size();) {
    const char c = format[i];
    if (c == '0' || c == '9' || c == ',' || c == 'G') {
      Token token;
      token.groups.emplace_back();
      for (; i < format.size() && (format[i] == '0' || format[i] == '9' || format[i] == ',' || format[i] == 'G'); ++i) {
        if (format[i] == ',' || format[i] == 'G') {
          token.groups.emplace_back();
          continue;
        }
        Group& group = token.groups.back();
        // A 0 at the beginning of a group holds for the group.
        if (group.digits == 0) group.exact = format[i] == '0';
        ++group.digits;
      }
      tokens.push_back(std::move(token));
      continue;
    }
    if (c == '.' || c == 'D') {
      tokens.push_back({Token::Kind::kPoint, {}});
    } else if (c == '$') {
      tokens.push_back({Token::Kind::kDollar, {}});
    } else if (c == 'S') {
      tokens.push_back({Token::Kind::kSign, {}});
    } else if (format.substr(i, 2) == "MI") {
      tokens.push_back({Token::Kind::kMinus, {}});
      ++i;
    } else if (format.substr(i, 2) == "PR") {
      tokens.push_back({Token::Kind::kClose, {}});
      ++i;
    }
    ++i;
  }
  return tokens;
}

const std::vector<Token>& TokensOf(std::string_view format) {
  thread_local std::map<std::string, std::vector<Token>, std::less<>> known;
  auto found = known.find(format);
  if (found == known.end()) {
    if (known.size() >= 256) known.clear();
    found = known.emplace(std::string(format), Tokens(format)).first;
  }
  return found->second;
}

// The unscaled number of the text, or nothing where it does not match.
std::optional<__int128> ReadNumber(std::string_view text, std::string_view format) {
  const auto& tokens = TokensOf(format);
  std::string before, after;
  int scale = 0;
  bool in_fraction = false, negative = false, opened = false, closed = false, point_read = false;
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::kPoint) in_fraction = true;
    if (token.kind == Token::Kind::kDigits && in_fraction) {
      for (const Group& group : token.groups) scale += group.digits;
    }
  }
  size_t i = 0;
  for (const Token& token : tokens) {
    const char next = i < text.size() ? text[i] : '\0';
    switch (token.kind) {
      case Token::Kind::kDigits: {
        std::vector<int> sizes(1, 0);
        for (; i < text.size(); ++i) {
          const char c = text[i];
          if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
          if (c >= '0' && c <= '9') {
            ++sizes.back();
            (point_read ? after : before) += c;
          } else if (c == ',') {
            sizes.push_back(0);
          } else {
            break;
          }
        }
        if (sizes.size() > token.groups.size()) return std::nullopt;
        // From the right: the leading groups may be absent.
        for (size_t j = 0; j < token.groups.size(); ++j) {
          const Group& group = token.groups[token.groups.size() - 1 - j];
          const int size = j < sizes.size() ? sizes[sizes.size() - 1 - j] : 0;
          if (group.exact ? size != group.digits : size > group.digits) return std::nullopt;
        }
        break;
      }
      case Token::Kind::kPoint:
        if (next == '.') {
          point_read = true;
          ++i;
        }
        break;
      case Token::Kind::kDollar:
        if (next == '$') {
          ++i;
        } else if (next != '\0') {
          return std::nullopt;
        }
        break;
      case Token::Kind::kSign:
        if (next == '+') ++i;
        if (next == '-') negative = !negative, ++i;
        break;
      case Token::Kind::kMinus:
        if (next == '-') negative = !negative, ++i;
        break;
      case Token::Kind::kOpen:
        if (next == '<') {
          opened = true;
          ++i;
        }
        break;
      case Token::Kind::kClose:
        if (next == '>') {
          if (!opened) return std::nullopt;
          closed = true;
          negative = !negative;
          ++i;
        }
        break;
    }
  }
  if (i < text.size() || opened != closed || (before.empty() && after.empty())) return std::nullopt;
  after.resize(static_cast<size_t>(scale), '0');
  __int128 value = 0;
  for (char c : before + after) value = value * 10 + (c - '0');
  return negative ? -value : value;
}

// Puts a sign in front of blanks at the end.
void AppendBeforeBlanks(std::string* out, char c) {
  size_t end = out->size();
  while (end > 0 && (*out)[end - 1] == ' ') --end;
  out->insert(end, 1, c);
}
// Keeps a sign or currency next to the digits: a blank goes before it.
void AppendBlank(std::string* out) {
  size_t end = out->size();
  while (end > 0 &&
         ((*out)[end - 1] == '+' || (*out)[end - 1] == '-' || (*out)[end - 1] == '$' || (*out)[end - 1] == '<'))
    --end;
  out->insert(end, 1, ' ');
}
void DropLonePoint(std::string* out) {
  const size_t point = out->find('.');
  const bool lone = point != std::string::npos && (point + 1 == out->size() || (*out)[point + 1] == ' ');
  if (lone) (*out)[point] = ' ';
}

// `digits`: the decimal as plain text.
std::string WriteNumber(std::string_view digits, std::string_view format) {
  const auto& tokens = TokensOf(format);
  const bool negative = digits.starts_with('-') && digits.find_first_not_of("-0.") != std::string_view::npos;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  const size_t point = digits.find('.');
  std::string before(digits.substr(0, point)),
      after(point == std::string_view::npos ? std::string_view() : digits.substr(point + 1));
  before.erase(0, std::min(before.find_first_not_of('0'), before.size()));
  while (!after.empty() && after.back() == '0') after.pop_back();
  size_t places_before = 0, places_after = 0;
  bool in_fraction = false;
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::kPoint) in_fraction = true;
    for (const Group& group : token.groups)
      (in_fraction ? places_after : places_before) += static_cast<size_t>(group.digits);
  }
  if (before.size() > places_before || after.size() > places_after) {
    before.assign(places_before, '#');
    after.assign(places_after, '#');
  }
  before.insert(0, places_before - before.size(), ' ');
  after.append(places_after - after.size(), '0');
  std::string out;
  size_t next_before = 0, next_after = 0;
  in_fraction = false;
  for (const Token& token : tokens) {
    switch (token.kind) {
      case Token::Kind::kDigits:
        for (size_t g = 0; g < token.groups.size(); ++g) {
          if (g > 0) {
            if (!out.empty() && (std::isdigit(static_cast<unsigned char>(out.back())) != 0)) {
              out += ',';
            } else {
              AppendBlank(&out);
            }
          }
          for (int i = 0; i < token.groups[g].digits; ++i) {
            if (in_fraction) {
              out += after[next_after++];
              continue;
            }
            const char c = before[next_before++];
            if (c != ' ') {
              out += c;
            } else if (token.groups[g].exact) {
              out += '0';
            } else {
              AppendBlank(&out);
            }
          }
        }
        break;
      case Token::Kind::kPoint:
        if (!out.empty() && out.back() == ' ') out.back() = '0';
        out += '.';
        in_fraction = true;
        break;
      case Token::Kind::kDollar:
        out += '$';
        break;
      case Token::Kind::kSign:
        DropLonePoint(&out);
        AppendBeforeBlanks(&out, negative ? '-' : '+');
        break;
      case Token::Kind::kMinus:
        if (negative) {
          DropLonePoint(&out);
          AppendBeforeBlanks(&out, '-');
        } else {
          out += ' ';
        }
        break;
      case Token::Kind::kOpen:
        if (negative) out += '<';
        break;
      case Token::Kind::kClose:
        DropLonePoint(&out);
        if (negative) {
          AppendBeforeBlanks(&out, '>');
        } else {
          out += "  ";
        }
        break;
    }
  }
  DropLonePoint(&out);
  if (out.empty() || out == "+" || out == "-") return "0";
  return out;
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, I = LogicalType::INTEGER, D = LogicalType::DOUBLE;
  AddRowKernel(loader, "spark_format_number", {V, I}, V,
               [](std::string_view digits, int32_t places) -> std::optional<std::string> {
                 if (places < 0) return std::nullopt;
                 return FormatDigits(digits, PatternOfPlaces(places));
               });
  AddRowKernel(loader, "spark_format_number", {D, I}, V,
               [](double value, int32_t places) -> std::optional<std::string> {
                 if (places < 0) return std::nullopt;
                 return FormatDouble(value, PatternOfPlaces(places));
               });
  const auto pattern = [](std::string_view text) { return text.empty() ? PatternOfPlaces(0) : std::string(text); };
  AddRowKernel(
      loader, "spark_format_number", {V, V}, V,
      [pattern](std::string_view digits, std::string_view text) -> std::string {
        return FormatDigits(digits, pattern(text));
      },
      kFallible);
  AddRowKernel(
      loader, "spark_format_number", {D, V}, V,
      [pattern](double value, std::string_view text) -> std::string { return FormatDouble(value, pattern(text)); },
      kFallible);
  AddRowKernel(loader, "spark_to_char", {V, V}, V, &WriteNumber);
  AddRowKernel(
      loader, "spark_to_number", {V, V, LogicalType::BOOLEAN}, LogicalType::HUGEINT,
      [](std::string_view text, std::string_view format, bool strict) -> std::optional<duckdb::hugeint_t> {
        const auto value = ReadNumber(text, format);
        if (!value.has_value()) {
          if (strict)
            ThrowSparkError(
                "INVALID_FORMAT.MISMATCH_INPUT",
                {{"inputType", "\"STRING\""}, {"input", std::string(text)}, {"format", std::string(format)}});
          return std::nullopt;
        }
        return NarrowTo<duckdb::hugeint_t>(*value);
      },
      kFallible);
}

// Exact numbers go as their digits.
Result<LoweredExpression> LowerFormatNumber(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  const DataType& type = *call.arguments[0]->type;
  const bool exact = type.IsIntegral() || type.id() == TypeId::kDecimal;
  arguments[0] = CastOf(std::move(arguments[0]), exact ? LogicalType::VARCHAR : LogicalType::DOUBLE);
  return CallOf("spark_format_number", std::move(arguments));
}

// The unscaled number becomes a decimal: by a power of ten in exact arithmetic.
Result<LoweredExpression> LowerToNumber(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  arguments.push_back(ConstantOf(duckdb::Value::BOOLEAN(call.mode == EvalMode::kAnsi)));
  auto unscaled = CallOf("spark_to_number", std::move(arguments));
  LoweredArguments scaled;
  scaled.push_back(std::move(unscaled));
  scaled.push_back(CastOf(ConstantOf(duckdb::Value()), MappedType(*call.type)));
  return CallOf("spark_decimal_of", std::move(scaled));
}

duckdb::unique_ptr<duckdb::FunctionData> BindDecimalOf(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.SetReturnType(ConstantArguments(context, function, arguments, 1)[0].type());
  return nullptr;
}

void DecimalOf(duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
  WithDecimalStorage(result.GetType(), [&](auto out) {
    using Out = decltype(out);
    duckdb::UnaryExecutor::Execute<duckdb::hugeint_t, Out>(
        arguments.data[0], result, arguments.size(),
        [](duckdb::hugeint_t value) { return NarrowTo<Out>(WideOf(value)); });
  });
}

}  // namespace

void RegisterNumberFormatFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddKernels([](duckdb::ExtensionLoader& loader) {
    duckdb::ScalarFunction decimal("spark_decimal_of", {LogicalType::HUGEINT, LogicalType::ANY}, LogicalType::ANY,
                                   DecimalOf, BindDecimalOf);
    decimal.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    loader.RegisterFunction(decimal);
  });
  registry.AddScalar("format_number", Build(LowerFormatNumber));
  registry.AddScalar("to_char", Template("spark_to_char(CAST($1 AS VARCHAR), $2)"));
  registry.AddScalar("to_number", Build(LowerToNumber));
}

}  // namespace frazil::engine
