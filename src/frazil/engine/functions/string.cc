// Text and binary: case, parts, padding, searching.

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <duckdb/parser/expression/constant_expression.hpp>
#include <unicode/brkiter.h>
#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/text_kernel.h"
#include "frazil/engine/functions/text_room.h"
#include "frazil/engine/functions/utf8.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

icu::UnicodeString ToUnicode(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
}
std::string FromUnicode(const icu::UnicodeString& text) {
  std::string result;
  text.toUTF8String(result);
  return result;
}

using CaseMapping = void (*)(const char*, uint32_t, icu::StringPiece, icu::ByteSink&, icu::Edits*, UErrorCode&);

void AppendMapped(std::string& result, std::string_view text, CaseMapping map) {
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  map("", 0, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink, nullptr, status);
  if (U_FAILURE(status)) ThrowSparkError(Error::Internal("The case of a text cannot be changed"));
}

void Upper(std::string& result, std::string_view text) {
  if (!IsAscii(text)) {
    AppendMapped(result, text, icu::CaseMap::utf8ToUpper);
    return;
  }
  result = text;
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
}

void Lower(std::string& result, std::string_view text) {
  if (!IsAscii(text)) {
    AppendMapped(result, text, icu::CaseMap::utf8ToLower);
    return;
  }
  result = text;
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// Words are what blanks part.
void CapitalizeWords(std::string& result, std::string_view text) {
  bool at_start = true;
  if (IsAscii(text)) {
    Lower(result, text);
    for (char& c : result) {
      if (at_start && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
      at_start = c == ' ';
    }
    return;
  }
  icu::UnicodeString lower = ToUnicode(text).toLower(icu::Locale::getRoot());
  icu::UnicodeString capitalized;
  for (int32_t i = 0; i < lower.length(); i = lower.moveIndex32(i, 1)) {
    const UChar32 c = lower.char32At(i);
    capitalized.append(at_start ? u_totitle(c) : c);
    at_start = c == ' ';
  }
  capitalized.toUTF8String(result);
}

// SQL's positions: from 1, 0 counts as 1, negative from the end.
std::string_view Substring(std::string_view text, int32_t position, int32_t length) {
  int64_t begin = 0;
  if (position > 0) {
    begin = position - 1;
  } else if (position < 0) {
    begin = (IsAscii(text) ? static_cast<int64_t>(text.size()) : CharacterCount(text)) + position;
  }
  if (length <= 0) return {};
  const int64_t end = length == INT32_MAX ? INT64_MAX : begin + length;
  return Characters(text, begin, end);
}

std::string_view SubstringOfBytes(std::string_view bytes, int32_t position, int32_t length) {
  const auto size = static_cast<int64_t>(bytes.size());
  int64_t begin = position > 0 ? position - 1 : position < 0 ? size + position : 0;
  int64_t end = begin + length;
  if (length <= 0) return {};
  begin = std::max<int64_t>(begin, 0);
  end = std::min(end, size);
  if (begin >= end) return {};
  return bytes.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

std::string_view Left(std::string_view text, int32_t length) {
  return length <= 0 ? std::string_view() : Characters(text, 0, length);
}
std::string_view LeftOfBytes(std::string_view bytes, int32_t length) { return SubstringOfBytes(bytes, 1, length); }
std::string_view Right(std::string_view text, int32_t length) {
  return length <= 0 ? std::string_view() : Substring(text, -length, INT32_MAX);
}
std::string_view RightOfBytes(std::string_view bytes, int32_t length) {
  return length <= 0 ? std::string_view() : SubstringOfBytes(bytes, -length, INT32_MAX);
}

// The padding repeated to that many characters (or bytes).
void AppendFilling(std::string& result, std::string_view padding, int64_t count, bool bytes) {
  if (padding.size() == 1) {
    result.append(static_cast<size_t>(count), padding[0]);
    return;
  }
  if (bytes || IsAscii(padding)) {
    for (auto left = static_cast<size_t>(count); left > 0; left -= std::min(left, padding.size()))
      result += padding.substr(0, left);
    return;
  }
  const auto characters = SplitCharacters(padding);
  for (int64_t i = 0; i < count; ++i) result += characters[static_cast<size_t>(i) % characters.size()];
}

template <bool kLeft, bool kBytes>
void Pad(std::string& result, std::string_view text, int32_t length, std::string_view padding) {
  if (length <= 0) return;
  const int64_t size = kBytes ? static_cast<int64_t>(text.size()) : CharacterCount(text);
  if (length <= size || padding.empty()) {
    result += kBytes ? text.substr(0, static_cast<size_t>(length)) : Characters(text, 0, length);
    return;
  }
  if (!kLeft) result += text;
  AppendFilling(result, padding, length - size, kBytes);
  if (kLeft) result += text;
}

// Without the blanks at the sides that are told.
template <bool kLeft, bool kRight>
std::string_view TrimBlanks(std::string_view text) {
  while (kLeft && text.starts_with(' ')) text.remove_prefix(1);
  while (kRight && text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string_view TrimBytes(std::string_view bytes, std::string_view set) {
  const size_t begin = bytes.find_first_not_of(set);
  if (begin == std::string_view::npos) return {};
  return bytes.substr(begin, bytes.find_last_not_of(set) - begin + 1);
}

void Reverse(std::string& result, std::string_view text) {
  if (IsAscii(text)) {
    result.append(text.rbegin(), text.rend());
    return;
  }
  auto characters = SplitCharacters(text);
  for (auto it = characters.rbegin(); it != characters.rend(); ++it) result += *it;
}

// What translate makes of each character: the first of equal ones in `from` counts.
class Dictionary {
 public:
  Dictionary(std::string_view from, std::string_view to) : from_(from), to_(to) {
    const auto from_characters = SplitCharacters(from_), to_characters = SplitCharacters(to_);
    for (size_t i = 0; i < ascii_.size(); ++i) ascii_[i] = static_cast<int>(i);
    for (size_t i = 0; i < from_characters.size(); ++i) {
      const auto to_character = i < to_characters.size() ? to_characters[i] : std::string_view();
      if (!others_.emplace(from_characters[i], to_character).second) continue;
      const auto first = static_cast<unsigned char>(from_characters[i][0]);
      if (first >= 0x80) continue;
      const bool is_ascii = to_character.size() == 1 && static_cast<unsigned char>(to_character[0]) < 0x80;
      ascii_[first] = is_ascii ? to_character[0] : to_character.empty() ? kNothing : kOther;
    }
  }
  // The texts are looked at by the entries.
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  bool IsOf(std::string_view from, std::string_view to) const { return from == from_ && to == to_; }

  void Translate(std::string& result, std::string_view text) const {
    for (size_t i = 0; i < text.size();) {
      const auto first = static_cast<unsigned char>(text[i]);
      if (first < 0x80 && ascii_[first] != kOther) {
        if (ascii_[first] != kNothing) result += static_cast<char>(ascii_[first]);
        ++i;
        continue;
      }
      const size_t next = NextCharacter(text, i);
      const auto character = text.substr(i, next - i);
      const auto found = others_.find(character);
      result += found == others_.end() ? character : found->second;
      i = next;
    }
  }

 private:
  static constexpr int kNothing = -1, kOther = -2;
  std::string from_, to_;
  std::array<int, 128> ascii_;
  std::map<std::string_view, std::string_view> others_;
};

void Translate(std::string& result, std::string_view text, std::string_view from, std::string_view to) {
  thread_local std::unique_ptr<Dictionary> last;
  if (last == nullptr || !last->IsOf(from, to)) last = std::make_unique<Dictionary>(from, to);
  last->Translate(result, text);
}

// Position of a text in another from a position on, both from 1; 0 where it is not in it.
int32_t Locate(std::string_view part, std::string_view text, int32_t start) {
  if (start <= 0) return 0;
  if (part.empty()) return 1;
  if (IsAscii(text)) {
    if (static_cast<size_t>(start - 1) > text.size()) return 0;
    const size_t found = text.find(part, static_cast<size_t>(start - 1));
    return found == std::string_view::npos ? 0 : static_cast<int32_t>(found) + 1;
  }
  const size_t from = CharacterOffset(text, start - 1);
  const size_t found = text.find(part, from);
  return found == std::string_view::npos ? 0 : static_cast<int32_t>(CharacterCount(text.substr(0, found))) + 1;
}

int32_t FindInSet(std::string_view word, std::string_view set) {
  if (word.find(',') != std::string_view::npos) return 0;
  int32_t position = 1;
  size_t begin = 0;
  for (;;) {
    const size_t end = set.find(',', begin);
    if (set.substr(begin, end == std::string_view::npos ? end : end - begin) == word) return position;
    if (end == std::string_view::npos) return 0;
    begin = end + 1;
    ++position;
  }
}

std::string_view SubstringIndex(std::string_view text, std::string_view delimiter, int32_t count) {
  if (delimiter.empty() || count == 0 || text.empty()) return {};
  if (count > 0) {
    size_t position = 0;
    for (int32_t i = 0;; ++i) {
      const size_t found = text.find(delimiter, position);
      if (found == std::string_view::npos) return text;
      if (i + 1 == count) return text.substr(0, found);
      position = found + 1;
    }
  }
  size_t position = text.size();
  for (int32_t i = 0;; --i) {
    if (position < delimiter.size()) return text;
    const size_t found = text.rfind(delimiter, position - delimiter.size());
    if (found == std::string_view::npos) return text;
    if (i - 1 == count) return text.substr(found + delimiter.size());
    position = found + delimiter.size() - 1;
  }
}

std::string_view SplitPart(std::string_view text, std::string_view delimiter, int32_t number) {
  if (number == 0) ThrowSparkError("INVALID_INDEX_OF_ZERO");
  if (delimiter.empty()) return number == 1 || number == -1 ? text : std::string_view();
  int64_t wanted = number;
  if (number < 0) {
    // The parts are those that are found from the beginning.
    int64_t parts = 1;
    for (size_t at = text.find(delimiter); at != std::string_view::npos;
         at = text.find(delimiter, at + delimiter.size()))
      ++parts;
    wanted += parts + 1;
    if (wanted < 1) return {};
  }
  size_t begin = 0;
  for (;;) {
    const size_t found = text.find(delimiter, begin);
    if (--wanted == 0) return text.substr(begin, found == std::string_view::npos ? found : found - begin);
    if (found == std::string_view::npos) return {};
    begin = found + delimiter.size();
  }
}

// `length` < 0: that of the replacement.
void Overlay(std::string& result, std::string_view text, std::string_view replacement, int32_t position,
             int32_t length) {
  if (length < 0) length = static_cast<int32_t>(CharacterCount(replacement));
  result += Substring(text, 1, position - 1);
  result += replacement;
  result += Substring(text, position + length, INT32_MAX);
}

std::string OverlayBytes(std::string_view bytes, std::string_view replacement, int32_t position, int32_t length) {
  if (length < 0) length = static_cast<int32_t>(replacement.size());
  std::string result(SubstringOfBytes(bytes, 1, position - 1));
  result += replacement;
  result += SubstringOfBytes(bytes, position + length, INT32_MAX);
  return result;
}

std::string Quote(std::string_view text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'') result += '\\';
    result += c;
  }
  return result + "'";
}

// The character's kind decides; an absent replacement keeps it.
std::string Mask(std::string_view text, std::optional<std::string_view> upper, std::optional<std::string_view> lower,
                 std::optional<std::string_view> digit, std::optional<std::string_view> other) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t next = NextCharacter(text, i);
    const auto character = text.substr(i, next - i);
    const auto code = static_cast<UChar32>(CodePoint(character));
    const auto& replacement = u_isupper(code) ? upper : u_islower(code) ? lower : u_isdigit(code) ? digit : other;
    result += replacement.value_or(character);
    i = next;
  }
  return result;
}

std::string CharacterOf(int64_t code) {
  if (code < 0) return {};
  std::string result;
  AppendCodePoint(static_cast<char32_t>(code & 0xFF), &result);
  return result;
}

// Sentences of words, each a list; punctuation is left out.
void Sentences(duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
  row_kernel::Reader<std::string_view> texts;
  row_kernel::Reader<std::optional<std::string_view>> languages, countries;
  const auto count = arguments.size();
  texts.Prepare(arguments.data[0], count);
  languages.Prepare(arguments.data[1], count);
  countries.Prepare(arguments.data[2], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < count; ++row) {
    if (!texts.IsValid(row)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const std::string language(languages.Get(row).value_or("")), country(countries.Get(row).value_or(""));
    const icu::Locale locale = language.empty() ? icu::Locale::getUS() : icu::Locale(language.c_str(), country.c_str());
    const icu::UnicodeString text = ToUnicode(texts.Get(row));
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> sentences(icu::BreakIterator::createSentenceInstance(locale, status));
    std::unique_ptr<icu::BreakIterator> words(icu::BreakIterator::createWordInstance(locale, status));
    if (U_FAILURE(status)) ThrowSparkError(Error::Internal("No break iterator for the locale"));
    std::vector<std::vector<std::string>> lists;
    sentences->setText(text);
    for (int32_t begin = sentences->first(), end = sentences->next(); end != icu::BreakIterator::DONE;
         begin = end, end = sentences->next()) {
      icu::UnicodeString sentence;
      text.extractBetween(begin, end, sentence);
      std::vector<std::string> list;
      words->setText(sentence);
      for (int32_t from = words->first(), to = words->next(); to != icu::BreakIterator::DONE;
           from = to, to = words->next()) {
        if (!u_isalnum(sentence.char32At(from))) continue;
        icu::UnicodeString word;
        sentence.extractBetween(from, to, word);
        list.push_back(FromUnicode(word));
      }
      lists.push_back(std::move(list));
    }
    row_kernel::Write(result, row, lists);
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  RegisterTextRoomKernels(loader);
  const auto V = LogicalType::VARCHAR, B = LogicalType::BLOB, I = LogicalType::INTEGER;
  AddRowKernel(loader, "spark_upper", {V}, V, &Upper);
  AddRowKernel(loader, "spark_lower", {V}, V, &Lower);
  AddRowKernel(loader, "spark_initcap", {V}, V, &CapitalizeWords);
  AddRowKernel(loader, "spark_substring", {V, I, I}, V, &Substring);
  AddRowKernel(loader, "spark_substring_binary", {B, I, I}, B, &SubstringOfBytes);
  AddRowKernel(loader, "spark_left", {V, I}, V, &Left);
  AddRowKernel(loader, "spark_left_binary", {B, I}, B, &LeftOfBytes);
  AddRowKernel(loader, "spark_right", {V, I}, V, &Right);
  AddRowKernel(loader, "spark_right_binary", {B, I}, B, &RightOfBytes);
  AddRowKernel(loader, "spark_lpad", {V, I, V}, V, &Pad<true, false>);
  AddRowKernel(loader, "spark_rpad", {V, I, V}, V, &Pad<false, false>);
  AddRowKernel(loader, "spark_lpad", {B, I, B}, B, &Pad<true, true>);
  AddRowKernel(loader, "spark_rpad", {B, I, B}, B, &Pad<false, true>);
  AddRowKernel(loader, "spark_trim_blanks", {V}, V, &TrimBlanks<true, true>);
  AddRowKernel(loader, "spark_ltrim_blanks", {V}, V, &TrimBlanks<true, false>);
  AddRowKernel(loader, "spark_rtrim_blanks", {V}, V, &TrimBlanks<false, true>);
  AddRowKernel(loader, "spark_trim_binary", {B, B}, B, &TrimBytes);
  AddRowKernel(loader, "spark_reverse", {V}, V, &Reverse);
  AddRowKernel(loader, "spark_translate", {V, V, V}, V, &Translate);
  AddRowKernel(loader, "spark_locate", {V, V, I}, I, &Locate);
  AddRowKernel(loader, "spark_find_in_set", {V, V}, I, &FindInSet);
  AddRowKernel(loader, "spark_substring_index", {V, V, I}, V, &SubstringIndex);
  AddRowKernel(loader, "spark_split_part", {V, V, I}, V, &SplitPart, kFallible);
  AddRowKernel(loader, "spark_overlay", {V, V, I, I}, V, &Overlay);
  AddRowKernel(loader, "spark_overlay_binary", {B, B, I, I}, B, &OverlayBytes);
  AddRowKernel(loader, "spark_quote", {V}, V, &Quote);
  AddRowKernel(loader, "spark_mask", {V, V, V, V, V}, V, &Mask);
  AddRowKernel(loader, "spark_char", {LogicalType::BIGINT}, V, &CharacterOf);
  AddRowKernel(loader, "spark_ascii", {V}, I,
               [](std::string_view text) -> int32_t { return static_cast<int32_t>(CodePoint(text)); });
  AddRowKernel(
      loader, "spark_contains", {B, B}, LogicalType::BOOLEAN,
      [](std::string_view text, std::string_view part) -> bool { return text.find(part) != std::string_view::npos; });
  AddRowKernel(loader, "spark_startswith", {B, B}, LogicalType::BOOLEAN,
               [](std::string_view text, std::string_view part) -> bool { return text.starts_with(part); });
  AddRowKernel(loader, "spark_endswith", {B, B}, LogicalType::BOOLEAN,
               [](std::string_view text, std::string_view part) -> bool { return text.ends_with(part); });
  duckdb::ScalarFunction sentences("spark_sentences", {V, V, V}, LogicalType::LIST(LogicalType::LIST(V)), Sentences);
  sentences.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(sentences);
}

Implementation ByBinary(std::string text, std::string binary) {
  return Build([text, binary](LoweringContext&, const CallExpression& call,
                              LoweredArguments arguments) -> Result<LoweredExpression> {
    return CallOf(call.arguments[0]->type->id() == TypeId::kBinary ? binary : text, std::move(arguments));
  });
}

// DuckDB's own function where the position is a constant that both count alike.
Result<LoweredExpression> LowerSubstring(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  const auto constant = [&](size_t index) -> std::optional<int64_t> {
    const auto& argument = *call.arguments[index];
    if (argument.kind != ExpressionKind::kLiteral || argument.As<LiteralExpression>().value.is_null())
      return std::nullopt;
    return argument.As<LiteralExpression>().value.integer();
  };
  const auto position = constant(1), length = constant(2);
  if (position.value_or(0) >= 1 && length.value_or(-1) >= 0) {
    for (size_t i = 1; i < 3; ++i) arguments[i] = CastOf(std::move(arguments[i]), LogicalType::BIGINT);
    return CallOf("substring", std::move(arguments));
  }
  return CallOf("spark_substring", std::move(arguments));
}

// a || b || ...: NULL where one is.
Result<LoweredExpression> LowerConcat(LoweringContext&, const CallExpression&, LoweredArguments arguments) {
  LoweredExpression result = std::move(arguments[0]);
  for (size_t i = 1; i < arguments.size(); ++i) result = CallOf("||", std::move(result), std::move(arguments[i]));
  return result;
}

// Arrays among the arguments stand for their elements. Without any it is DuckDB's own.
Result<LoweredExpression> LowerConcatWs(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  const bool has_array = std::any_of(call.arguments.begin(), call.arguments.end(),
                                     [](const auto& argument) { return argument->type->id() == TypeId::kArray; });
  if (!has_array && arguments.size() > 1) return CallOf("concat_ws", std::move(arguments));
  LoweredExpression separator = std::move(arguments[0]);
  LoweredExpression list;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const bool is_array = call.arguments[i]->type->id() == TypeId::kArray;
    LoweredExpression part = is_array ? std::move(arguments[i]) : CallOf("list_value", std::move(arguments[i]));
    list = list == nullptr ? std::move(part) : CallOf("list_concat", std::move(list), std::move(part));
  }
  if (list == nullptr)
    list = CastOf(ConstantOf(duckdb::Value::LIST(LogicalType::VARCHAR, {})), LogicalType::LIST(LogicalType::VARCHAR));
  LoweredArguments joined;
  joined.push_back(std::move(list));
  joined.push_back(std::move(separator));
  return CallOf("spark_join", std::move(joined));
}

// elt(n, a, b, ...).
Result<LoweredExpression> LowerElt(LoweringContext&, const CallExpression& call, LoweredArguments arguments) {
  LoweredExpression index = std::move(arguments[0]);
  LoweredArguments values;
  for (size_t i = 1; i < arguments.size(); ++i) values.push_back(std::move(arguments[i]));
  LoweredArguments all;
  all.push_back(CallOf("list_value", std::move(values)));
  all.push_back(std::move(index));
  all.push_back(ConstantOf(duckdb::Value::BOOLEAN(call.mode == EvalMode::kAnsi)));
  return CallOf("spark_elt", std::move(all));
}

}  // namespace

void RegisterStringFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  for (const char* name : {"upper",
                           "lower",
                           "initcap",
                           "substring_binary",
                           "left",
                           "left_binary",
                           "right",
                           "right_binary",
                           "reverse",
                           "translate",
                           "locate",
                           "find_in_set",
                           "substring_index",
                           "split_part",
                           "overlay",
                           "overlay_binary",
                           "quote",
                           "mask",
                           "char",
                           "ascii",
                           "sentences"}) {
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  }
  registry.AddScalar("substring", Build(LowerSubstring));
  registry.AddScalar("concat", Build(LowerConcat));
  registry.AddScalar("concat_ws", Build(LowerConcatWs));
  registry.AddScalar("elt", Build(LowerElt));
  registry.AddScalar("length", Direct("length"));
  registry.AddScalar("octet_length", ByBinary("strlen", "octet_length"));
  registry.AddScalar(
      "bit_length",
      Build([](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        auto bytes =
            CallOf(call.arguments[0]->type->id() == TypeId::kBinary ? "octet_length" : "strlen", std::move(arguments));
        return CallOf("*", std::move(bytes), ConstantOf(duckdb::Value::BIGINT(8)));
      }));
  registry.AddScalar("contains", ByBinary("contains", "spark_contains"));
  registry.AddScalar("startswith", ByBinary("starts_with", "spark_startswith"));
  registry.AddScalar("endswith", ByBinary("ends_with", "spark_endswith"));
  registry.AddScalar("instr", Template("spark_locate($2, $1, 1)"));
  registry.AddScalar("lpad", Template("spark_lpad(spark_pad_room($1, $2, $3), $2, $3)"));
  registry.AddScalar("rpad", Template("spark_rpad(spark_pad_room($1, $2, $3), $2, $3)"));
  registry.AddScalar("repeat", Template("repeat(spark_repeat_room($1, $2), $2)"));
  registry.AddScalar("replace", Template("replace(spark_replace_room($1, $2, $3), $2, $3)"));
  registry.AddScalar("space", Template("repeat(spark_repeat_room(' ', $1), $1)"));
  for (const char* name : {"trim", "ltrim", "rtrim"}) {
    const std::string trim = name;
    registry.AddScalar(
        name,
        Build([trim](LoweringContext&, const CallExpression&, LoweredArguments arguments) -> Result<LoweredExpression> {
          // DuckDB's own without a set of characters takes other blanks, too.
          return CallOf(arguments.size() == 1 ? "spark_" + trim + "_blanks" : trim, std::move(arguments));
        }));
  }
  registry.AddScalar("trim_binary", Build([](LoweringContext&, const CallExpression&,
                                             LoweredArguments arguments) -> Result<LoweredExpression> {
                       if (arguments.size() == 1) arguments.push_back(ConstantOf(duckdb::Value::BLOB(" ")));
                       return CallOf("spark_trim_binary", std::move(arguments));
                     }));
  registry.AddScalar("collate", Template("$1"));
}

}  // namespace frazil::engine
