#include "frazil/engine/functions/regular_expression.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <map>

#include <pcre2.h>

#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/functions/utf8.h"

namespace frazil::engine {
namespace {

struct NamedClass {
  const char* java;
  const char* posix;  ///< For use inside of brackets.
};
constexpr NamedClass kNamedClasses[] = {
    {"Lower", "a-z"},
    {"Upper", "A-Z"},
    {"ASCII", "\\x00-\\x7F"},
    {"Alpha", "a-zA-Z"},
    {"Digit", "0-9"},
    {"Alnum", "a-zA-Z0-9"},
    {"Punct", "[:punct:]"},
    {"Graph", "[:graph:]"},
    {"Print", "\\x20-\\x7E"},
    {"Blank", " \\t"},
    {"Cntrl", "\\x00-\\x1F\\x7F"},
    {"XDigit", "0-9a-fA-F"},
    {"Space", " \\t\\n\\x0B\\f\\r"},
    {"javaLowerCase", "\\p{Ll}"},
    {"javaUpperCase", "\\p{Lu}"},
    {"javaWhitespace", "\\s"},
    {"IsAlphabetic", "\\p{L}\\p{Nl}"},
    {"IsLetter", "\\p{L}"},
    {"IsDigit", "\\p{Nd}"},
    {"IsUppercase", "\\p{Lu}"},
    {"IsLowercase", "\\p{Ll}"},
    {"IsPunctuation", "\\p{P}"},
    {"IsWhite_Space", "\\s"},
    {"L1", "\\x00-\\x{FF}"},
};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::optional<std::string> Run() {
    while (position_ < pattern_.size() && !failed_) {
      const char c = pattern_[position_];
      if (c == '\\') {
        Escape(false);
      } else if (c == '[') {
        ++position_;
        Class();
      } else if (c == '(' && Rest().starts_with("(?") && IsFlagGroup()) {
        Flags();
      } else {
        out_ += c;
        ++position_;
      }
    }
    if (failed_) return std::nullopt;
    return out_;
  }

 private:
  std::string_view Rest() const { return pattern_.substr(position_); }

  // (?idmsux-idmsux) and (?idmsux:...).
  bool IsFlagGroup() const {
    size_t i = position_ + 2;
    while (i < pattern_.size() && (std::isalpha(static_cast<unsigned char>(pattern_[i])) != 0 || pattern_[i] == '-'))
      ++i;
    return i > position_ + 2 && i < pattern_.size() && (pattern_[i] == ')' || pattern_[i] == ':');
  }
  void Flags() {
    out_ += "(?";
    position_ += 2;
    for (; pattern_[position_] != ')' && pattern_[position_] != ':'; ++position_) {
      const char flag = pattern_[position_];
      // Unix lines and Unicode case do not exist apart in PCRE2.
      if (flag != 'd' && flag != 'u' && flag != 'U') out_ += flag;
    }
    out_ += pattern_[position_++];
  }

  void Escape(bool in_class) {
    if (position_ + 1 >= pattern_.size()) {
      failed_ = true;
      return;
    }
    const char c = pattern_[position_ + 1];
    if (c == 'Q') {
      const size_t end = pattern_.find("\\E", position_ + 2);
      const auto text = pattern_.substr(position_ + 2, end == std::string_view::npos ? end : end - position_ - 2);
      for (char one : text) {
        if (static_cast<unsigned char>(one) < 0x80 && std::isalnum(static_cast<unsigned char>(one)) == 0) out_ += '\\';
        out_ += one;
      }
      position_ = end == std::string_view::npos ? pattern_.size() : end + 2;
      return;
    }
    if (c == 'p' || c == 'P') {
      Property(c == 'P', in_class);
      return;
    }
    if (c == 'u' && position_ + 6 <= pattern_.size()) {
      out_ += "\\x{" + std::string(pattern_.substr(position_ + 2, 4)) + "}";
      position_ += 6;
      return;
    }
    if (c == '0') {
      size_t end = position_ + 2;
      while (end < pattern_.size() && end < position_ + 5 && pattern_[end] >= '0' && pattern_[end] <= '7') ++end;
      out_ += "\\o{" + std::string(pattern_.substr(position_ + 2, end - position_ - 2)) + "}";
      position_ = end;
      return;
    }
    // Java refuses letters that mean nothing.
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 &&
        std::string_view("tnrfaecxdDhHsSvVwWbBAGZzRXkNuQEpP").find(c) == std::string_view::npos) {
      failed_ = true;
      return;
    }
    out_ += '\\';
    out_ += c;
    position_ += 2;
  }

  void Property(bool negated, bool in_class) {
    std::string name;
    size_t next = position_ + 2;
    if (next < pattern_.size() && pattern_[next] == '{') {
      const size_t close = pattern_.find('}', next);
      if (close == std::string_view::npos) {
        failed_ = true;
        return;
      }
      name = pattern_.substr(next + 1, close - next - 1);
      next = close + 1;
    } else if (next < pattern_.size()) {
      name = pattern_.substr(next, 1);
      ++next;
    }
    position_ = next;
    for (const auto& known : kNamedClasses) {
      if (name != known.java) continue;
      if (!in_class) {
        out_ += std::string(negated ? "[^" : "[") + known.posix + "]";
      } else if (!negated) {
        out_ += known.posix;
      } else {
        failed_ = true;
      }
      return;
    }
    const auto strip = [&](std::string_view prefix) {
      if (name.starts_with(prefix)) name.erase(0, prefix.size());
    };
    strip("Is");
    strip("script=");
    strip("sc=");
    strip("general_category=");
    strip("gc=");
    out_ += std::string(negated ? "\\P{" : "\\p{") + name + "}";
  }

  // Behind the opening bracket. Nested classes are unions.
  void Class() {
    out_ += '[';
    if (position_ < pattern_.size() && pattern_[position_] == '^') {
      out_ += '^';
      ++position_;
    }
    Members(0);
    out_ += ']';
  }
  void Members(int depth) {
    bool first = true;
    while (position_ < pattern_.size() && !failed_) {
      const char c = pattern_[position_];
      if (c == ']' && !first) {
        ++position_;
        return;
      }
      if (c == ']') out_ += '\\';
      first = false;
      if (c == '\\') {
        Escape(true);
      } else if (c == '[') {
        ++position_;
        if (Rest().starts_with("^") || depth > 8) {
          failed_ = true;
          return;
        }
        Members(depth + 1);
      } else if (Rest().starts_with("&&")) {
        failed_ = true;
        return;
      } else {
        out_ += c;
        ++position_;
      }
    }
    failed_ = true;
  }

  std::string_view pattern_;
  size_t position_ = 0;
  std::string out_;
  bool failed_ = false;
};

}  // namespace

namespace {

// The text that a pattern without operators matches. An empty one matches everywhere, which is not looked for.
std::optional<std::string> LiteralOf(std::string_view pattern) {
  std::string literal;
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '\\') {
      if (++i == pattern.size()) return std::nullopt;
      c = pattern[i];
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x80 || std::isalnum(byte) != 0) return std::nullopt;
    } else if (std::string_view("^$.|?*+()[]{}").find(c) != std::string_view::npos) {
      return std::nullopt;
    }
    literal += c;
  }
  if (literal.empty()) return std::nullopt;
  return literal;
}

}  // namespace

std::optional<std::string> TranslateJavaPattern(std::string_view pattern) { return Translator(pattern).Run(); }

RegularExpression::~RegularExpression() {
  if (data_ != nullptr) pcre2_match_data_free(static_cast<pcre2_match_data*>(data_));
  if (code_ != nullptr) pcre2_code_free(static_cast<pcre2_code*>(code_));
}

std::unique_ptr<RegularExpression> RegularExpression::Compile(std::string_view java_pattern, bool ignore_case) {
  const auto pattern = TranslateJavaPattern(java_pattern);
  if (!pattern.has_value()) return nullptr;
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern->data()), pattern->size(),
                                   PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | (ignore_case ? PCRE2_CASELESS : 0u), &error,
                                   &offset, context);
  pcre2_compile_context_free(context);
  if (code == nullptr) return nullptr;
  // Without the just-in-time compiler the pattern is interpreted: the same matches, more slowly.
  (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  std::unique_ptr<RegularExpression> result(new RegularExpression());
  result->code_ = code;
  result->data_ = pcre2_match_data_create_from_pattern(code, nullptr);
  uint32_t groups = 0;
  pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
  result->group_count_ = groups;
  if (!ignore_case) result->literal_ = LiteralOf(java_pattern);
  return result;
}

const RegularExpression& RegularExpression::Of(std::string_view java_pattern, const char* function) {
  thread_local std::map<std::string, std::unique_ptr<RegularExpression>, std::less<>> compiled;
  thread_local const std::pair<const std::string, std::unique_ptr<RegularExpression>>* last = nullptr;
  if (last != nullptr && last->first == java_pattern) return *last->second;
  auto found = compiled.find(java_pattern);
  if (found == compiled.end()) {
    if (compiled.size() >= 256) {
      compiled.clear();
      last = nullptr;
    }
    auto expression = Compile(java_pattern);
    if (expression == nullptr) {
      ThrowSparkError("INVALID_PARAMETER_VALUE.PATTERN", {{"parameter", "`regexp`"},
                                                          {"functionName", std::string("`") + function + "`"},
                                                          {"value", "'" + std::string(java_pattern) + "'"}});
    }
    found = compiled.emplace(std::string(java_pattern), std::move(expression)).first;
  }
  last = &*found;
  return *found->second;
}

std::optional<size_t> RegularExpression::GroupNamed(const std::string& name) const {
  const int number = pcre2_substring_number_from_name(static_cast<const pcre2_code*>(code_),
                                                      reinterpret_cast<PCRE2_SPTR>(name.c_str()));
  if (number < 0) return std::nullopt;
  return static_cast<size_t>(number);
}

size_t RegularExpression::Match(std::string_view text, size_t from) const {
  const int count = pcre2_match(static_cast<const pcre2_code*>(code_), reinterpret_cast<PCRE2_SPTR>(text.data()),
                                text.size(), from, 0, static_cast<pcre2_match_data*>(data_), nullptr);
  if (count > 0) return static_cast<size_t>(count);
  if (count == PCRE2_ERROR_NOMATCH || count == PCRE2_ERROR_PARTIAL) return 0;
  ThrowSparkError(Error::Internal("The regular expression could not be matched within its limits"));
}

bool RegularExpression::Find(std::string_view text, size_t from, std::vector<Span>* groups) const {
  if (from > text.size()) return false;
  if (literal_.has_value()) {
    const size_t found = literal_->size() == 1 ? text.find((*literal_)[0], from) : text.find(*literal_, from);
    if (found == std::string_view::npos) return false;
    groups->assign(1, Span{found, found + literal_->size()});
    return true;
  }
  const size_t count = Match(text, from);
  if (count == 0) return false;
  const PCRE2_SIZE* spans = pcre2_get_ovector_pointer(static_cast<pcre2_match_data*>(data_));
  groups->resize(group_count_ + 1);
  for (size_t i = 0; i <= group_count_; ++i) {
    const bool took_part = i < count && spans[2 * i] != PCRE2_UNSET;
    (*groups)[i] = took_part ? Span{spans[2 * i], spans[2 * i + 1]} : Span();
  }
  return true;
}

bool RegularExpression::Matches(std::string_view text) const {
  return literal_.has_value() ? text.find(*literal_) != std::string_view::npos : Match(text, 0) > 0;
}

size_t AfterMatch(std::string_view text, const RegularExpression::Span& match) {
  if (match.end > match.begin) return match.end;
  return match.end < text.size() ? NextCharacter(text, match.end) : text.size() + 1;
}

}  // namespace frazil::engine
