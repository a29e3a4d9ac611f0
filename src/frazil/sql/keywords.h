#pragma once

// Spark SQL's keywords. Whether a word may be used as a name depends on the position and on
// spark.sql.ansi.enforceReservedKeywords.

#include <cstdint>
#include <span>
#include <string_view>

#include "frazil/sql/keyword_list.h"

namespace frazil::sql {

enum class Keyword : uint16_t {
  kNotKeyword,
#define FRAZIL_SQL_KEYWORD_NAME(name, text, reserved, strict) name,
  FRAZIL_SQL_KEYWORDS(FRAZIL_SQL_KEYWORD_NAME)
#undef FRAZIL_SQL_KEYWORD_NAME
  // Words with two spellings, which SQL_KEYWORDS() leaves out: RLIKE or REGEXP, TEMPORARY or TEMP.
  kRlike,
  kTemporary,
};

struct KeywordInfo {
  std::string_view text;  ///< In upper case.
  bool reserved = false;  ///< No name at all where reserved words are enforced.
  bool strict = false;    ///< Never a table alias ("strict non-reserved").
};

/// All keywords in alphabetical order: what SQL_KEYWORDS() shows.
std::span<const KeywordInfo> AllKeywords();

/// The entry of a keyword other than kNotKeyword.
const KeywordInfo& GetKeywordInfo(Keyword keyword);

/// The keyword that a word spells in any case, or kNotKeyword.
Keyword FindKeyword(std::string_view word);

}  // namespace frazil::sql
