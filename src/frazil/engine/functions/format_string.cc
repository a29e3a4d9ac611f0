// format_string and printf: the formats of java.util.Formatter.
// https://docs.oracle.com/javase/8/docs/api/java/util/Formatter.html

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/utf8.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

[[noreturn]] void ThrowFormat(const std::string& message) {
  ThrowSparkError(Error::Plain(ExceptionClass::kIllegalArgument, message));
}

/// An argument: the letter of its type (i: up to 32 bits, l: 64 bits, f: floating, d: decimal, b: boolean, s: all
/// others) and its text as a cast gives it.
struct Argument {
  char type = 's';
  std::optional<std::string_view> text;
};

struct Specification {
  int index = 0;  ///< From 1; 0: the next one; -1: the same as before.
  std::string flags;
  int width = -1, precision = -1;
  char conversion = 's';
  bool Has(char flag) const { return flags.find(flag) != std::string::npos; }
};

std::string Upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

std::string Justify(const Specification& spec, std::string text) {
  const auto size = static_cast<int>(CharacterCount(text));
  if (spec.width <= size) return text;
  const std::string blanks(static_cast<size_t>(spec.width - size), ' ');
  return spec.Has('-') ? text + blanks : blanks + text;
}

// Decimal digits (no exponent) rounded half up to that many places.
std::string RoundDigits(std::string digits, int places) {
  size_t point = digits.find('.');
  if (point == std::string::npos) {
    point = digits.size();
    digits += '.';
  }
  std::string fraction = digits.substr(point + 1), whole = digits.substr(0, point);
  bool carry = false;
  if (fraction.size() > static_cast<size_t>(places)) {
    carry = fraction[static_cast<size_t>(places)] >= '5';
    fraction.resize(static_cast<size_t>(places));
  } else {
    fraction.resize(static_cast<size_t>(places), '0');
  }
  std::string all = whole + fraction;
  for (size_t i = all.size(); carry && i-- > 0;) {
    if (all[i] == '9') {
      all[i] = '0';
    } else {
      ++all[i];
      carry = false;
    }
  }
  if (carry) all.insert(all.begin(), '1');
  whole = all.substr(0, all.size() - static_cast<size_t>(places));
  fraction = all.substr(all.size() - static_cast<size_t>(places));
  return places > 0 ? whole + "." + fraction : whole;
}

// "1.5E10" as "15000000000".
std::string PlainDigits(std::string text) {
  const size_t e = text.find_first_of("eE");
  if (e == std::string::npos) return text;
  int exponent = std::atoi(text.c_str() + e + 1);
  text.resize(e);
  size_t point = text.find('.');
  if (point == std::string::npos) point = text.size();
  text.erase(std::remove(text.begin(), text.end(), '.'), text.end());
  const int position = static_cast<int>(point) + exponent;
  if (position <= 0) return "0." + std::string(static_cast<size_t>(-position), '0') + text;
  if (position >= static_cast<int>(text.size()))
    return text + std::string(static_cast<size_t>(position) - text.size(), '0');
  return text.substr(0, static_cast<size_t>(position)) + "." + text.substr(static_cast<size_t>(position));
}

// Sign, grouping and zeros around the digits of a number's size.
std::string Decorate(const Specification& spec, std::string digits, bool negative) {
  if (spec.Has(',')) {
    size_t end = digits.find('.');
    if (end == std::string::npos) end = digits.size();
    for (size_t i = end; i > 3; i -= 3) digits.insert(i - 3, ",");
  }
  std::string before = negative ? (spec.Has('(') ? "(" : "-") : spec.Has('+') ? "+" : spec.Has(' ') ? " " : "";
  const std::string after = negative && spec.Has('(') ? ")" : "";
  if (spec.Has('0')) {
    while (static_cast<int>(before.size() + digits.size() + after.size()) < spec.width)
      digits.insert(digits.begin(), '0');
  }
  return Justify(spec, before + digits + after);
}

[[noreturn]] void ThrowConversion(char conversion, char type) {
  const char* name = type == 'i'   ? "java.lang.Integer"
                     : type == 'l' ? "java.lang.Long"
                     : type == 'f' ? "java.lang.Double"
                     : type == 'd' ? "java.math.BigDecimal"
                     : type == 'b' ? "java.lang.Boolean"
                                   : "org.apache.spark.unsafe.types.UTF8String";
  ThrowFormat(std::string(1, conversion) + " != " + name);
}

std::string FormatInteger(const Specification& spec, const Argument& argument) {
  if (argument.type != 'i' && argument.type != 'l') ThrowConversion(spec.conversion, argument.type);
  const std::string text(*argument.text);
  const int64_t value = std::strtoll(text.c_str(), nullptr, 10);
  if (spec.conversion == 'd') {
    const bool negative = text.starts_with('-');
    return Decorate(spec, negative ? text.substr(1) : text, negative);
  }
  // Octal and hexadecimal digits are those of the two's complement.
  const uint64_t bits = argument.type == 'i' ? static_cast<uint32_t>(value) : static_cast<uint64_t>(value);
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), spec.conversion == 'o' ? "%llo" : "%llx",
                static_cast<unsigned long long>(bits));
  std::string digits = buffer;
  if (spec.Has('#')) digits.insert(0, spec.conversion == 'o' ? "0" : "0x");
  if (spec.Has('0')) {
    while (static_cast<int>(digits.size()) < spec.width) digits.insert(digits.begin(), '0');
  }
  if (spec.conversion == 'X') digits = Upper(digits);
  return Justify(spec, digits);
}

std::string FormatFraction(const Specification& spec, const Argument& argument) {
  if (argument.type != 'f' && argument.type != 'd') ThrowConversion(spec.conversion, argument.type);
  std::string text(*argument.text);
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") {
    if (text == "Infinity" && spec.Has('+')) text = "+Infinity";
    if (text == "-Infinity" && spec.Has('(')) text = "(Infinity)";
    Specification plain = spec;
    return Justify(plain, text);
  }
  const bool negative = text.starts_with('-');
  if (negative) text.erase(0, 1);
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  char conversion = static_cast<char>(std::tolower(static_cast<unsigned char>(spec.conversion)));
  const double value = std::strtod(text.c_str(), nullptr);
  int places = precision;
  if (conversion == 'g') {
    const int significant = precision == 0 ? 1 : precision;
    if (value == 0 || (value >= 1e-4 && value < std::pow(10, significant))) {
      conversion = 'f';
      int exponent = 0;
      if (value != 0) {
        char rounded[64];
        std::snprintf(rounded, sizeof(rounded), "%.*e", significant - 1, value);
        exponent = std::atoi(std::string_view(rounded).substr(std::string_view(rounded).find('e') + 1).data());
      }
      places = std::max(0, significant - 1 - exponent);
    } else {
      conversion = 'e';
      places = significant - 1;
    }
  }
  std::string digits;
  if (conversion == 'f') {
    digits = RoundDigits(PlainDigits(text), places);
  } else {
    char buffer[128];
    std::snprintf(buffer, sizeof(buffer), "%.*e", places, value);
    digits = buffer;
  }
  if (spec.conversion == 'E' || spec.conversion == 'G') digits = Upper(digits);
  return Decorate(spec, digits, negative);
}

std::string FormatOne(const Specification& spec, const Argument& argument) {
  const bool upper = spec.conversion >= 'A' && spec.conversion <= 'Z';
  switch (spec.conversion) {
    case 'b':
    case 'B': {
      std::string text = !argument.text.has_value() ? "false"
                         : argument.type == 'b'     ? std::string(*argument.text)
                                                    : "true";
      if (spec.precision >= 0) text = std::string(Characters(text, 0, spec.precision));
      return Justify(spec, upper ? Upper(text) : text);
    }
    case 's':
    case 'S': {
      std::string text(argument.text.value_or("null"));
      if (spec.precision >= 0) text = std::string(Characters(text, 0, spec.precision));
      return Justify(spec, upper ? Upper(text) : text);
    }
    default:
      break;
  }
  if (!argument.text.has_value()) return Justify(spec, upper ? "NULL" : "null");
  switch (spec.conversion) {
    case 'd':
    case 'o':
    case 'x':
    case 'X':
      return FormatInteger(spec, argument);
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      return FormatFraction(spec, argument);
    case 'c':
    case 'C': {
      if (argument.type != 'i') ThrowConversion(spec.conversion, argument.type);
      std::string text;
      AppendCodePoint(static_cast<char32_t>(std::strtoll(std::string(*argument.text).c_str(), nullptr, 10)), &text);
      return Justify(spec, upper ? Upper(text) : text);
    }
    default:
      ThrowFormat("Conversion = '" + std::string(1, spec.conversion) + "'");
  }
}

std::string Format(std::string_view format, const std::vector<Argument>& arguments) {
  std::string out;
  size_t next = 0, last = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    const size_t begin = i++;
    Specification spec;
    const auto number = [&]() {
      int value = 0;
      while (i < format.size() && format[i] >= '0' && format[i] <= '9' && value < 100000000)
        value = value * 10 + (format[i++] - '0');
      return value;
    };
    // %n$ and %<.
    size_t digits = i;
    while (digits < format.size() && format[digits] >= '0' && format[digits] <= '9') ++digits;
    if (digits > i && digits < format.size() && format[digits] == '$') {
      spec.index = number();
      ++i;
    } else if (i < format.size() && format[i] == '<') {
      spec.index = -1;
      ++i;
    }
    while (i < format.size() && std::string_view("-#+ 0,(").find(format[i]) != std::string_view::npos)
      spec.flags += format[i++];
    if (i < format.size() && format[i] >= '1' && format[i] <= '9') spec.width = number();
    if (i < format.size() && format[i] == '.') {
      ++i;
      spec.precision = number();
    }
    if (i >= format.size()) ThrowFormat("Conversion = '%'");
    spec.conversion = format[i];
    if (spec.conversion == '%') {
      out += Justify(spec, "%");
      continue;
    }
    if (spec.conversion == 'n') {
      out += '\n';
      continue;
    }
    if (spec.conversion == 't' || spec.conversion == 'T' || spec.conversion == 'h' || spec.conversion == 'H' ||
        spec.conversion == 'a' || spec.conversion == 'A') {
      ThrowSparkError(Error::Unsupported("format_string with the conversion %" + std::string(1, spec.conversion)));
    }
    const size_t index = spec.index > 0 ? static_cast<size_t>(spec.index) - 1 : spec.index < 0 ? last : next++;
    if (index >= arguments.size())
      ThrowFormat("Format specifier '" + std::string(format.substr(begin, i + 1 - begin)) + "'");
    last = index;
    out += FormatOne(spec, arguments[index]);
  }
  return out;
}

// spark_format_string(format, type letters, texts...).
void FormatRows(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const auto count = constant ? 1 : chunk.size();
  row_kernel::Reader<std::string_view> formats, types;
  formats.Prepare(chunk.data[0], count);
  types.Prepare(chunk.data[1], count);
  std::vector<row_kernel::Reader<std::optional<std::string_view>>> values(chunk.ColumnCount() - 2);
  for (size_t i = 0; i < values.size(); ++i) values[i].Prepare(chunk.data[i + 2], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  std::vector<Argument> arguments(values.size());
  for (duckdb::idx_t row = 0; row < count; ++row) {
    if (!formats.IsValid(row)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    for (size_t i = 0; i < values.size(); ++i) arguments[i] = {types.Get(row)[i], values[i].Get(row)};
    row_kernel::Write(result, row, Format(formats.Get(row), arguments));
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

}  // namespace

void RegisterFormatStringFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels([](duckdb::ExtensionLoader& loader) {
    duckdb::ScalarFunction function("spark_format_string", {LogicalType::VARCHAR, LogicalType::VARCHAR},
                                    LogicalType::VARCHAR, FormatRows);
    function.varargs = LogicalType::VARCHAR;
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    function.SetFallible();
    loader.RegisterFunction(function);
  });
  registry.AddScalar("format_string", Direct("spark_format_string"));
}

}  // namespace frazil::engine
