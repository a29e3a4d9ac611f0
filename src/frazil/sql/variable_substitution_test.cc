#include "frazil/sql/variable_substitution.h"

#include <map>

#include <gtest/gtest.h>

namespace frazil::sql {
namespace {

std::string Substituted(std::string_view text, std::map<std::string, std::string, std::less<>> settings) {
  return SubstituteVariables(text, [&](std::string_view key) -> std::optional<std::string> {
    const auto found = settings.find(key);
    return found == settings.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

TEST(VariableSubstitution, TakesSettings) {
  const std::map<std::string, std::string, std::less<>> settings = {{"x.y", "5"}, {"ref", "<${x.y}>"}, {"me", "${me}"}};
  EXPECT_EQ(Substituted("SELECT ${x.y} + 1, '${hivevar:x.y}${hiveconf:x.y}'", settings), "SELECT 5 + 1, '55'");
  EXPECT_EQ(Substituted("${spark:x.y}${sparkconf:x.y}", settings), "55");
  EXPECT_EQ(Substituted("'${ref}'", settings), "'<5>'");
  EXPECT_EQ(Substituted("a${nosuch}b", settings), "ab");
  EXPECT_EQ(Substituted("${me}", settings), "${me}");
}

TEST(VariableSubstitution, LeavesTheRest) {
  EXPECT_EQ(Substituted("'${}' '${x y}' '${open' $x ${other:x}", {}), "'${}' '${x y}' '${open' $x ${other:x}");
  EXPECT_EQ(Substituted("${x.${y}}", {}), "}");
  EXPECT_EQ(Substituted("${x.y}", {{"x.y", "5"}, {"spark.sql.variable.substitute", "false"}}), "${x.y}");
}

}  // namespace
}  // namespace frazil::sql
