#pragma once

// Patterns of dates and times as Spark takes them (Java's DateTimeFormatter, fewer letters).
// https://spark.apache.org/docs/latest/sql-ref-datetime-pattern.html
// Internal to engine/.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/types/time_zone.h"

namespace frazil::engine {

/// A compiled pattern. Immutable.
class DatetimePattern {
 public:
  /// Errors INVALID_DATETIME_PATTERN.* and INCONSISTENT_BEHAVIOR_CROSS_VERSION.*.
  static Result<std::shared_ptr<const DatetimePattern>> Compile(std::string_view pattern);
  /// The thread's own; raises the error of Compile.
  static const DatetimePattern& Of(std::string_view pattern);

  /// The wall clock's microseconds as text; `zone` and the instant are for letters of zones.
  std::string Format(int64_t local_micros, int64_t utc_micros, const TimeZone& zone) const;
  void Append(int64_t local_micros, int64_t utc_micros, const TimeZone& zone, std::string* out) const;

  struct Parsed {
    int64_t local_micros = 0;
    std::optional<int64_t> utc_micros;  ///< Where the text names a zone.
  };
  /// The whole text must match; `overflows`: it does, but microseconds do not reach that day. Fields that are missing
  /// are those of 1970-01-01T00:00. Raises INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER where the pattern is one to
  /// format with only.
  std::optional<Parsed> Parse(std::string_view text, bool* overflows = nullptr) const;

 private:
  friend class DatetimePatternCompiler;
  friend class DatetimePatternParser;
  struct Item {
    enum class Kind : uint8_t { kLiteral, kField, kOptional };
    Kind kind = Kind::kLiteral;
    std::string literal;
    char letter = 0;
    int count = 0;
    std::vector<Item> optional;
  };
  static Error IllegalCharacter(char letter, std::string_view pattern);
  static void FormatItems(const std::vector<Item>& items, int64_t local_micros, int64_t utc_micros,
                          const TimeZone& zone, bool has_era, std::string* out);

  std::vector<Item> items_;
  bool has_era_ = false;
  char format_only_ = 0;  ///< A letter that no text is read by.
  std::string text_;      ///< The pattern, where it has such a letter.
};

}  // namespace frazil::engine
