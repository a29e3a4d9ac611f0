#include "frazil/functions/schema_text.h"

#include <cctype>
#include <cstdlib>

#include "frazil/base/text.h"

namespace frazil::functions {
namespace {

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : text_(text) {}

  // A type alone.
  Result<DataTypePtr> Type() {
    FRAZIL_ASSIGN_OR_RETURN(auto type, OneType());
    if (!AtEnd()) return Failed();
    return type;
  }

  // name type, name: type NOT NULL COMMENT '...', ...
  Result<DataTypePtr> Columns() {
    FRAZIL_ASSIGN_OR_RETURN(auto fields, Fields('\0'));
    if (!AtEnd()) return Failed();
    return DataType::Struct(std::move(fields));
  }

 private:
  Error Failed() {
    SkipBlanks();
    std::string near = position_ < text_.size() ? std::string(text_.substr(position_, 1)) : "end of input";
    if (position_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[position_])) != 0) near = Word();
    return Error::Parse("PARSE_SYNTAX_ERROR",
                        {{"error", near == "end of input" ? near : "'" + near + "'"}, {"hint", ""}});
  }

  void SkipBlanks() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
  }
  bool AtEnd() {
    SkipBlanks();
    return position_ >= text_.size();
  }
  bool Take(char c) {
    SkipBlanks();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  std::string Word() {
    SkipBlanks();
    std::string word;
    if (position_ < text_.size() && text_[position_] == '`') {
      ++position_;
      while (position_ < text_.size()) {
        if (text_[position_] == '`') {
          if (position_ + 1 < text_.size() && text_[position_ + 1] == '`') {
            ++position_;
          } else {
            break;
          }
        }
        word += text_[position_++];
      }
      ++position_;
      return word;
    }
    while (position_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[position_]);
      if (std::isalnum(c) == 0 && c != '_' && c < 0x80) break;
      word += text_[position_++];
    }
    return word;
  }
  // The word if it is the next one, in any case.
  bool Keyword(const char* keyword) {
    const size_t before = position_;
    if (EqualsIgnoreCase(Word(), keyword)) return true;
    position_ = before;
    return false;
  }
  std::vector<int> Numbers() {
    std::vector<int> numbers;
    if (!Take('(')) return numbers;
    do {
      numbers.push_back(std::atoi(Word().c_str()));
    } while (Take(','));
    if (!Take(')')) numbers.clear();
    return numbers;
  }
  std::string QuotedText() {
    SkipBlanks();
    std::string value;
    if (position_ >= text_.size()) return value;
    const char quote = text_[position_++];
    while (position_ < text_.size() && text_[position_] != quote) {
      if (text_[position_] == '\\' && position_ + 1 < text_.size()) ++position_;
      value += text_[position_++];
    }
    ++position_;
    return value;
  }

  Result<std::vector<StructField>> Fields(char close) {
    std::vector<StructField> fields;
    if (close != '\0' && Take(close)) return fields;
    do {
      std::string name = Word();
      if (name.empty()) return Failed();
      Take(':');
      FRAZIL_ASSIGN_OR_RETURN(auto type, OneType());
      StructField field(std::move(name), std::move(type), true);
      for (;;) {
        if (Keyword("NOT")) {
          if (!Keyword("NULL")) return Failed();
          field.nullable = false;
        } else if (Keyword("COMMENT")) {
          field.SetComment(QuotedText());
        } else {
          break;
        }
      }
      fields.push_back(std::move(field));
    } while (Take(','));
    if (close != '\0' && !Take(close)) return Failed();
    return fields;
  }

  Result<DataTypePtr> Interval() {
    static constexpr const char* kNames[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};
    const auto field = [&]() -> int {
      for (int i = 0; i < 6; ++i) {
        if (Keyword(kNames[i])) return i;
      }
      return -1;
    };
    const int start = field();
    if (start < 0) return DataType::CalendarInterval();
    int end = start;
    if (Keyword("TO")) {
      end = field();
      if (end < 0) return Failed();
    }
    if (end <= 1)
      return DataType::YearMonthInterval(static_cast<IntervalField>(start), static_cast<IntervalField>(end));
    return DataType::DayTimeInterval(static_cast<IntervalField>(start), static_cast<IntervalField>(end));
  }

  Result<DataTypePtr> OneType() {
    const std::string written = Word();
    const std::string name = AsciiUpper(written);
    if (name.empty()) return Failed();
    if (name == "BOOLEAN") return DataType::Boolean();
    if (name == "TINYINT" || name == "BYTE") return DataType::Byte();
    if (name == "SMALLINT" || name == "SHORT") return DataType::Short();
    if (name == "INT" || name == "INTEGER") return DataType::Integer();
    if (name == "BIGINT" || name == "LONG") return DataType::Long();
    if (name == "FLOAT" || name == "REAL") return DataType::Float();
    if (name == "DOUBLE") return DataType::Double();
    if (name == "DATE") return DataType::Date();
    if (name == "TIMESTAMP" || name == "TIMESTAMP_LTZ") return DataType::Timestamp();
    if (name == "TIMESTAMP_NTZ") return DataType::TimestampNtz();
    if (name == "BINARY") return DataType::Binary();
    if (name == "VOID") return DataType::Null();
    if (name == "VARIANT") return DataType::Variant();
    if (name == "INTERVAL") return Interval();
    if (name == "STRING") {
      if (!Keyword("COLLATE")) return DataType::String();
      const std::string collation = AsciiUpper(Word());
      return collation == "UTF8_BINARY" ? DataType::String() : DataType::StringWithCollation(collation);
    }
    if (name == "CHAR" || name == "CHARACTER" || name == "VARCHAR") {
      const auto numbers = Numbers();
      if (numbers.size() != 1) return Error::Parse("DATATYPE_MISSING_SIZE", {{"type", "\"" + name + "\""}});
      return name == "VARCHAR" ? DataType::Varchar(numbers[0]) : DataType::Char(numbers[0]);
    }
    if (name == "TIME") {
      const auto numbers = Numbers();
      return DataType::Time(numbers.size() == 1 ? numbers[0] : 6);
    }
    if (name == "DECIMAL" || name == "DEC" || name == "NUMERIC") {
      const auto numbers = Numbers();
      const int precision = numbers.empty() ? 10 : numbers[0], scale = numbers.size() > 1 ? numbers[1] : 0;
      if (precision > 38)
        return Error::Of("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                         {{"precision", std::to_string(precision)}, {"maxPrecision", "38"}});
      return DataType::Decimal(precision, scale);
    }
    if (name == "ARRAY") {
      if (!Take('<')) return Failed();
      FRAZIL_ASSIGN_OR_RETURN(auto element, OneType());
      if (!Take('>')) return Failed();
      return DataType::Array(std::move(element), true);
    }
    if (name == "MAP") {
      if (!Take('<')) return Failed();
      FRAZIL_ASSIGN_OR_RETURN(auto key, OneType());
      if (!Take(',')) return Failed();
      FRAZIL_ASSIGN_OR_RETURN(auto value, OneType());
      if (!Take('>')) return Failed();
      return DataType::Map(std::move(key), std::move(value), true);
    }
    if (name == "STRUCT") {
      if (!Take('<')) return Failed();
      FRAZIL_ASSIGN_OR_RETURN(auto fields, Fields('>'));
      return DataType::Struct(std::move(fields));
    }
    return Error::Parse("UNSUPPORTED_DATATYPE", {{"typeName", "\"" + name + "\""}});
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

Result<DataTypePtr> ParseSchemaText(std::string_view text) {
  const auto trimmed = TrimBlanks(text);
  if (trimmed.starts_with('{') || trimmed.starts_with('"')) {
    auto json = DataType::FromJson(trimmed);
    if (json.ok()) return json;
  }
  auto type = SchemaParser(trimmed).Type();
  if (type.ok()) return type;
  return SchemaParser(trimmed).Columns();
}

}  // namespace frazil::functions
