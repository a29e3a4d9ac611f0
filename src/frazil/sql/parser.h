#pragma once

// Spark 4.1's SQL: text to the unresolved plan. Iceberg's SQL extensions are part of the language.
// Errors are Spark's ParseException conditions, with the position in the text.
// Source: https://spark.apache.org/docs/latest/sql-ref-syntax.html

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/plan/unresolved_command.h"
#include "frazil/plan/unresolved_expression.h"
#include "frazil/plan/unresolved_plan.h"
#include "frazil/types/data_type.h"

namespace frazil::sql {

/// Values of parameter markers, as literals. The parser needs them only where the grammar asks for a string or number
/// and not for an expression (SHOW TABLES LIKE :pattern); elsewhere a marker becomes a ParameterExpr.
struct ParameterValues {
  std::map<std::string, plan::ExprPtr> named;
  std::vector<plan::ExprPtr> positional;
};

/// The session settings that change how text is read.
struct ParserOptions {
  bool ansi = true;                        ///< spark.sql.ansi.enabled.
  bool enforce_reserved_keywords = false;  ///< spark.sql.ansi.enforceReservedKeywords (with `ansi` only).
  bool double_quoted_identifiers = false;  ///< spark.sql.ansi.doubleQuotedIdentifiers (with `ansi` only).
  bool escaped_string_literals = false;    ///< spark.sql.parser.escapedStringLiterals.
  std::string time_zone = "UTC";           ///< spark.sql.session.timeZone, for TIMESTAMP literals without a zone.
  bool timestamp_ntz_default = false;      ///< spark.sql.timestampType = TIMESTAMP_NTZ.
  bool set_ops_precedence_enforced =
      false;  ///< spark.sql.legacy.setopsPrecedence.enabled: all set operations bind alike.
  bool quoted_regex_column_names = false;    ///< spark.sql.parser.quotedRegexColumnNames.
  bool exponent_literal_as_decimal = false;  ///< spark.sql.legacy.exponentLiteralAsDecimal.enabled.
  bool legacy_identifier_clause = false;  ///< spark.sql.legacy.identifierClause: IDENTIFIER('a') is no part of a name.
  bool legacy_interval = false;  ///< spark.sql.legacy.interval.enabled: interval literals are calendar intervals.
  std::shared_ptr<const ParameterValues> parameters;
  /// The text of a constant expression, for OPTIONS ('a' = 1 + 1); without it only literals are taken there.
  std::function<Result<std::string>(const plan::ExprPtr&)> fold_constant;
};

/// One statement: a query or a command (plan::Command).
Result<plan::PlanPtr> ParseStatement(std::string_view text, const ParserOptions& options = {});

/// One query, no command.
Result<plan::PlanPtr> ParseQuery(std::string_view text, const ParserOptions& options = {});

/// One expression, with an alias or a star as selectExpr and filter take it.
Result<plan::ExprPtr> ParseExpression(std::string_view text, const ParserOptions& options = {});

/// A type: "array<int>", "struct<a: int>".
Result<DataTypePtr> ParseDataType(std::string_view text, const ParserOptions& options = {});

/// Columns: "a INT NOT NULL, b STRING COMMENT 'x'", as a struct type.
Result<DataTypePtr> ParseTableSchema(std::string_view text, const ParserOptions& options = {});

/// A schema as clients write it: columns, or a type, or else columns with colons ("a: int, b: string").
Result<DataTypePtr> ParseSchemaOrDataType(std::string_view text, const ParserOptions& options = {});

/// a.`b c`.d
Result<std::vector<std::string>> ParseMultipartIdentifier(std::string_view text, const ParserOptions& options = {});

/// An order of rows as ALTER TABLE ... WRITE ORDERED BY takes it: "a DESC NULLS LAST, days(b)".
Result<std::vector<plan::AlterAction::OrderField>> ParseWriteOrder(std::string_view text,
                                                                   const ParserOptions& options = {});

/// The statements of a script, without the semicolons between them and without empty ones. BEGIN ... END stays one
/// statement.
Result<std::vector<std::string>> SplitStatements(std::string_view text, const ParserOptions& options = {});

}  // namespace frazil::sql
