#include "frazil/catalogs/metastore/hive_types.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::catalogs {
namespace {

constexpr int kDeepest = 64;

class TypeReader {
 public:
  explicit TypeReader(std::string_view text) : text_(text) {}

  Result<DataTypePtr> Whole() {
    FRAZIL_ASSIGN_OR_RETURN(auto type, Type(0));
    Blanks();
    if (at_ != text_.size()) return Unknown();
    return type;
  }

 private:
  Error Unknown() const { return Error::Unsupported("the type " + std::string(text_) + " of Hive"); }

  void Blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Accept(char c) {
    Blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string Until(std::string_view ends) {
    Blanks();
    const size_t first = at_;
    at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    return std::string(TrimBlanks(text_.substr(first, at_ - first)));
  }

  /// (n) or (n,m); nullopt where there is none.
  Result<std::vector<int>> Numbers() {
    std::vector<int> numbers;
    if (!Accept('(')) return numbers;
    do {
      const auto number = ParseInteger<int>(Until(",)"));
      if (!number) return Unknown();
      numbers.push_back(*number);
    } while (Accept(','));
    if (!Accept(')')) return Unknown();
    return numbers;
  }

  Result<DataTypePtr> Type(int depth) {
    if (depth > kDeepest) return Unknown();
    const std::string name = AsciiLower(Until("(<>,:"));
    if (name == "array") {
      if (!Accept('<')) return Unknown();
      FRAZIL_ASSIGN_OR_RETURN(auto element, Type(depth + 1));
      if (!Accept('>')) return Unknown();
      return DataType::Array(std::move(element));
    }
    if (name == "map") {
      if (!Accept('<')) return Unknown();
      FRAZIL_ASSIGN_OR_RETURN(auto key, Type(depth + 1));
      if (!Accept(',')) return Unknown();
      FRAZIL_ASSIGN_OR_RETURN(auto value, Type(depth + 1));
      if (!Accept('>')) return Unknown();
      return DataType::Map(std::move(key), std::move(value));
    }
    if (name == "struct") return Struct(depth);
    return Simple(name);
  }

  Result<DataTypePtr> Struct(int depth) {
    if (!Accept('<')) return Unknown();
    std::vector<StructField> fields;
    if (Accept('>')) return DataType::Struct({});
    do {
      const std::string name = Until(":");
      if (name.empty() || !Accept(':')) return Unknown();
      FRAZIL_ASSIGN_OR_RETURN(auto type, Type(depth + 1));
      fields.emplace_back(name, std::move(type), true);
    } while (Accept(','));
    if (!Accept('>')) return Unknown();
    return DataType::Struct(std::move(fields));
  }

  Result<DataTypePtr> Simple(const std::string& name) {
    static const std::map<std::string, DataTypePtr, std::less<>> kSimple = {
        {"boolean", DataType::Boolean()},
        {"tinyint", DataType::Byte()},
        {"smallint", DataType::Short()},
        {"int", DataType::Integer()},
        {"integer", DataType::Integer()},
        {"bigint", DataType::Long()},
        {"float", DataType::Float()},
        {"double", DataType::Double()},
        {"double precision", DataType::Double()},
        {"string", DataType::String()},
        {"binary", DataType::Binary()},
        {"date", DataType::Date()},
        {"timestamp", DataType::Timestamp()},
        {"timestamp with local time zone", DataType::Timestamp()},
        {"timestamp_ntz", DataType::TimestampNtz()},
        {"void", DataType::Null()}};
    FRAZIL_ASSIGN_OR_RETURN(const auto numbers, Numbers());
    if (name == "decimal" || name == "numeric") {
      const int precision = numbers.empty() ? 10 : numbers[0], scale = numbers.size() > 1 ? numbers[1] : 0;
      if (precision < 1 || precision > 38 || scale < 0 || scale > precision) return Unknown();
      return DataType::Decimal(precision, scale);
    }
    if (name == "char" || name == "varchar") {
      if (numbers.size() != 1 || numbers[0] < 1) return Unknown();
      return name == "char" ? DataType::Char(numbers[0]) : DataType::Varchar(numbers[0]);
    }
    const auto found = kSimple.find(name);
    if (found == kSimple.end() || !numbers.empty()) return Unknown();
    return found->second;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<DataTypePtr> ParseHiveType(const std::string& text) { return TypeReader(text).Whole(); }

}  // namespace frazil::catalogs
