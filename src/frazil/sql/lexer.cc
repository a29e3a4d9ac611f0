#include "frazil/sql/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace frazil::sql {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Length in bytes of the UTF-8 sequence that begins with `lead`; 1 for a stray continuation byte.
size_t SequenceLength(unsigned char lead) {
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  if (lead >= 0xC0) return 2;
  return 1;
}

/// The code point at `pos`; its length in bytes is stored in `length`.
uint32_t DecodeAt(std::string_view text, size_t pos, size_t* length) {
  const auto lead = static_cast<unsigned char>(text[pos]);
  size_t size = std::min(SequenceLength(lead), text.size() - pos);
  *length = size;
  if (size == 1) return lead;
  uint32_t point = lead & (size == 2 ? 0x1F : size == 3 ? 0x0F : 0x07);
  for (size_t i = 1; i < size; ++i) point = (point << 6) | (static_cast<unsigned char>(text[pos + i]) & 0x3F);
  return point;
}

bool IsSpacePoint(uint32_t point) {
  switch (point) {
    case ' ':
    case '\t':
    case '\n':
    case '\f':
    case '\r':
    case 0x0B:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x202F:
    case 0x205F:
    case 0x3000:
      return true;
    default:
      return point >= 0x2000 && point <= 0x200A;
  }
}

/// Letters outside ASCII. Such a word is refused as INVALID_IDENTIFIER later, so the blocks of punctuation and symbols
/// are enough to tell apart.
bool IsLetterPoint(uint32_t point) {
  if (point < 0xAA) return false;
  if (point < 0xC0) return point == 0xAA || point == 0xB5 || point == 0xBA;
  if (point == 0xD7 || point == 0xF7) return false;
  if (point >= 0x2000 && point <= 0x2BFF) return false;
  if (point >= 0x3000 && point <= 0x3004) return false;
  if (point >= 0x3007 && point <= 0x3030) return false;
  if (point >= 0xFE10 && point <= 0xFE6F) return false;
  if (point >= 0xFF00 && point <= 0xFF20) return false;
  if (point >= 0x1F000 && point <= 0x1FAFF) return false;
  return !IsSpacePoint(point) && point != 0xFEFF && point != 0xFFFD;
}

class Lexer {
 public:
  explicit Lexer(std::string text) : shared_(std::make_shared<const std::string>(std::move(text))), text_(*shared_) {}

  TokenizedText Run() {
    std::vector<int> open_parens;
    while (true) {
      SkipHidden();
      if (pos_ >= text_.size()) break;
      Token token = Next();
      if (token.type == TokenType::kLeftParen) {
        open_parens.push_back(static_cast<int>(tokens_.size()));
      } else if (token.type == TokenType::kRightParen && !open_parens.empty()) {
        tokens_[open_parens.back()].match = static_cast<int>(tokens_.size());
        open_parens.pop_back();
      }
      tokens_.push_back(token);
    }
    Token end;
    end.text = text_.substr(text_.size());
    end.start = char_;
    end.stop = char_ - 1;
    end.line = line_;
    end.position = column_;
    tokens_.push_back(end);
    return {std::move(shared_), std::move(tokens_), unclosed_comment_};
  }

 private:
  char At(size_t offset) const { return pos_ + offset < text_.size() ? text_[pos_ + offset] : '\0'; }

  /// Moves on by `bytes`, keeping count of characters and lines.
  void Advance(size_t bytes) {
    const size_t end = std::min(pos_ + bytes, text_.size());
    while (pos_ < end) {
      const char c = text_[pos_];
      pos_ += std::min(SequenceLength(static_cast<unsigned char>(c)), text_.size() - pos_);
      ++char_;
      if (c == '\n') {
        ++line_;
        column_ = 0;
      } else {
        ++column_;
      }
    }
  }

  void SkipHidden() {
    while (pos_ < text_.size()) {
      size_t length = 1;
      const uint32_t point = DecodeAt(text_, pos_, &length);
      if (IsSpacePoint(point)) {
        Advance(length);
      } else if (point == '-' && At(1) == '-') {
        SkipLineComment();
      } else if (point == '/' && At(1) == '*' && At(2) != '+') {
        SkipBracketedComment();
      } else {
        return;
      }
    }
  }

  /// A backslash just before the end of the line joins the next line to the comment.
  void SkipLineComment() {
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == '\\' && At(1) == '\n') {
        Advance(2);
      } else if (c == '\n' || c == '\r') {
        return;
      } else {
        Advance(1);
      }
    }
  }

  void SkipBracketedComment() {
    int depth = 0;
    while (pos_ < text_.size()) {
      if (At(0) == '/' && At(1) == '*' && (depth == 0 || At(2) != '+')) {
        ++depth;
        Advance(2);
      } else if (At(0) == '*' && At(1) == '/') {
        Advance(2);
        if (--depth == 0) return;
      } else {
        Advance(1);
      }
    }
    unclosed_comment_ = true;
  }

  Token Next() {
    Token token;
    token.start = char_;
    token.line = line_;
    token.position = column_;
    size_t length = 1;
    token.type = Match(&length);
    token.text = text_.substr(pos_, length);
    Advance(length);
    token.stop = char_ - 1;
    if (token.type == TokenType::kWord) token.keyword = FindKeyword(token.text);
    return token;
  }

  /// The type and length in bytes of the longest token here.
  TokenType Match(size_t* length) {
    const char c = text_[pos_];
    if (c == '\'') return MatchQuoted('\'', TokenType::kString, length);
    if (c == '"') return MatchQuoted('"', TokenType::kDoubleQuoted, length);
    if (c == '`') return MatchBackquoted(length);
    if ((c == 'r' || c == 'R') && (At(1) == '\'' || At(1) == '"')) {
      const size_t close = text_.find(At(1), pos_ + 2);
      if (close != std::string_view::npos) {
        *length = close + 1 - pos_;
        return TokenType::kString;
      }
    }
    if (IsDigit(c) || (c == '.' && IsDigit(At(1)))) return MatchNumber(length);
    const size_t word = WordLength(pos_);
    if (word > 0) {
      *length = std::max(word, UrlLength());
      return TokenType::kWord;
    }
    return MatchOperator(length);
  }

  TokenType MatchQuoted(char quote, TokenType type, size_t* length) const {
    size_t i = pos_ + 1;
    while (i < text_.size()) {
      if (text_[i] == '\\') {
        i += 2;
      } else if (text_[i] != quote) {
        ++i;
      } else if (i + 1 < text_.size() && text_[i + 1] == quote) {
        i += 2;
      } else {
        *length = i + 1 - pos_;
        return type;
      }
    }
    *length = 1;
    return TokenType::kUnrecognized;
  }

  TokenType MatchBackquoted(size_t* length) const {
    size_t i = pos_ + 1;
    while (i < text_.size()) {
      if (text_[i] != '`') {
        ++i;
      } else if (i + 1 < text_.size() && text_[i + 1] == '`') {
        i += 2;
      } else {
        *length = i + 1 - pos_;
        return TokenType::kBackquoted;
      }
    }
    *length = 1;
    return TokenType::kUnrecognized;
  }

  /// Bytes of letters, digits and underscores from `from` on.
  size_t WordLength(size_t from) const {
    size_t i = from;
    while (i < text_.size()) {
      const char c = text_[i];
      if (IsAsciiLetter(c) || IsDigit(c) || c == '_') {
        ++i;
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x80) break;
      size_t length = 1;
      if (!IsLetterPoint(DecodeAt(text_, i, &length))) break;
      i += length;
    }
    return i - from;
  }

  /// Length of scheme://path, which Spark reads as one (invalid) identifier; 0 if there is none.
  size_t UrlLength() const {
    size_t i = pos_;
    while (i < text_.size() && IsAsciiLetter(text_[i])) ++i;
    if (i == pos_ || text_.substr(i, 3) != "://") return 0;
    i += 3;
    const size_t path = i;
    while (i < text_.size() && (IsAsciiLetter(text_[i]) || IsDigit(text_[i]) ||
                                std::string_view("_/-.?=&#%").find(text_[i]) != std::string_view::npos)) {
      ++i;
    }
    return i == path ? 0 : i - pos_;
  }

  size_t DigitsEnd(size_t i) const {
    while (i < text_.size() && IsDigit(text_[i])) ++i;
    return i;
  }

  /// End of an exponent at `i`, or `i` if there is none.
  size_t ExponentEnd(size_t i) const {
    if (i >= text_.size() || (text_[i] != 'e' && text_[i] != 'E')) return i;
    size_t j = i + 1;
    if (j < text_.size() && (text_[j] == '+' || text_[j] == '-')) ++j;
    const size_t end = DigitsEnd(j);
    return end == j ? i : end;
  }

  /// A number with a dot must not run into a letter, digit or underscore.
  bool EndsDecimal(size_t i) const {
    return i >= text_.size() || !(IsAsciiLetter(text_[i]) || IsDigit(text_[i]) || text_[i] == '_');
  }

  char UpperAt(size_t i) const {
    if (i >= text_.size()) return '\0';
    const char c = text_[i];
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }

  struct Candidate {
    TokenType type = TokenType::kUnrecognized;
    size_t end = 0;
  };
  /// Keeps the longest; of equal length, the first one offered.
  static void Offer(Candidate* best, TokenType type, size_t end) {
    if (end > best->end) *best = {type, end};
  }

  TokenType MatchNumber(size_t* length) const {
    Candidate best;
    const size_t digits = DigitsEnd(pos_);
    if (digits > pos_) {
      const char suffix = UpperAt(digits);
      if (suffix == 'L') Offer(&best, TokenType::kBigint, digits + 1);
      if (suffix == 'S') Offer(&best, TokenType::kSmallint, digits + 1);
      if (suffix == 'Y') Offer(&best, TokenType::kTinyint, digits + 1);
      Offer(&best, TokenType::kInteger, digits);
      const size_t exponent = ExponentEnd(digits);
      if (exponent > digits) Offer(&best, TokenType::kExponent, exponent);
      OfferSuffixes(&best, exponent, false);
    }
    if (digits < text_.size() && text_[digits] == '.') {
      const size_t decimals = DigitsEnd(digits + 1);
      const size_t exponent = ExponentEnd(decimals);
      if (exponent > decimals && EndsDecimal(exponent)) Offer(&best, TokenType::kExponent, exponent);
      if (EndsDecimal(decimals)) Offer(&best, TokenType::kDecimal, decimals);
      OfferSuffixes(&best, exponent, true);
    }
    if (digits > pos_) Offer(&best, TokenType::kWord, pos_ + WordLength(pos_));
    if (best.end == 0) {
      // ".1a": a dot before the word 1a.
      *length = 1;
      return TokenType::kDot;
    }
    *length = best.end - pos_;
    return best.type;
  }

  void OfferSuffixes(Candidate* best, size_t end, bool is_decimal) const {
    const char suffix = UpperAt(end);
    if (suffix == 'F' && (!is_decimal || EndsDecimal(end + 1))) Offer(best, TokenType::kFloat, end + 1);
    if (suffix == 'D' && (!is_decimal || EndsDecimal(end + 1))) Offer(best, TokenType::kDouble, end + 1);
    if (suffix == 'B' && UpperAt(end + 1) == 'D' && (!is_decimal || EndsDecimal(end + 2))) {
      Offer(best, TokenType::kBigDecimal, end + 2);
    }
  }

  TokenType MatchOperator(size_t* length) const {
    struct Operator {
      std::string_view text;
      TokenType type;
    };
    // Longer ones first.
    static constexpr std::array kOperators = {
        Operator{"/*+", TokenType::kHintStart},
        Operator{"<=>", TokenType::kNullSafeEqual},
        Operator{">>>", TokenType::kShiftRightUnsigned},
        Operator{"*/", TokenType::kHintEnd},
        Operator{"==", TokenType::kEqual},
        Operator{"<>", TokenType::kNotEqual},
        Operator{"!=", TokenType::kBangEqual},
        Operator{"<=", TokenType::kLessOrEqual},
        Operator{"!>", TokenType::kLessOrEqual},
        Operator{">=", TokenType::kGreaterOrEqual},
        Operator{"!<", TokenType::kGreaterOrEqual},
        Operator{"<<", TokenType::kShiftLeft},
        Operator{">>", TokenType::kShiftRight},
        Operator{"||", TokenType::kConcat},
        Operator{"|>", TokenType::kPipeOperator},
        Operator{"::", TokenType::kDoubleColon},
        Operator{"->", TokenType::kArrow},
        Operator{"=>", TokenType::kFatArrow},
        Operator{";", TokenType::kSemicolon},
        Operator{"(", TokenType::kLeftParen},
        Operator{")", TokenType::kRightParen},
        Operator{",", TokenType::kComma},
        Operator{".", TokenType::kDot},
        Operator{"[", TokenType::kLeftBracket},
        Operator{"]", TokenType::kRightBracket},
        Operator{"!", TokenType::kBang},
        Operator{"=", TokenType::kEqual},
        Operator{"<", TokenType::kLess},
        Operator{">", TokenType::kGreater},
        Operator{"+", TokenType::kPlus},
        Operator{"-", TokenType::kMinus},
        Operator{"*", TokenType::kAsterisk},
        Operator{"/", TokenType::kSlash},
        Operator{"%", TokenType::kPercent},
        Operator{"~", TokenType::kTilde},
        Operator{"&", TokenType::kAmpersand},
        Operator{"|", TokenType::kPipe},
        Operator{"^", TokenType::kHat},
        Operator{":", TokenType::kColon},
        Operator{"?", TokenType::kQuestion},
    };
    const std::string_view rest = text_.substr(pos_);
    for (const Operator& candidate : kOperators) {
      if (rest.starts_with(candidate.text)) {
        *length = candidate.text.size();
        return candidate.type;
      }
    }
    *length = std::min(SequenceLength(static_cast<unsigned char>(text_[pos_])), rest.size());
    return TokenType::kUnrecognized;
  }

  std::shared_ptr<const std::string> shared_;
  std::string_view text_;
  size_t pos_ = 0;  ///< In bytes.
  int char_ = 0;
  int line_ = 1;
  int column_ = 0;
  bool unclosed_comment_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

TokenizedText Tokenize(std::string text) { return Lexer(std::move(text)).Run(); }

}  // namespace frazil::sql
