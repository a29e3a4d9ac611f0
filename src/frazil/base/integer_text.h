#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace frazil {

/// A text that is a whole number and nothing else: digits, '-' before them for signed types. Nullopt for anything more
/// ('+', blanks), for the empty text and for numbers that the type does not hold.
template <typename Integer>
std::optional<Integer> ParseInteger(std::string_view text, int base = 10) {
  Integer number{};
  const char* end = text.data() + text.size();
  auto [stopped, problem] = std::from_chars(text.data(), end, number, base);
  return problem == std::errc() && stopped == end ? std::optional<Integer>(number) : std::nullopt;
}

}  // namespace frazil
