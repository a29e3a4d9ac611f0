#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frazil {

/// What a caller can do about an error.
enum class ErrorKind {
  kUser,           ///< The statement, its data or a setting is at fault.
  kUnsupported,    ///< Valid Spark that Frazil does not do; the condition or its parameters name the feature.
  kConflict,       ///< Another commit came first; the change may be rebased and tried again.
  kUnknownCommit,  ///< Whether the commit took effect is unknown; look, never retry blindly, delete nothing.
  kStorage,        ///< The store failed or refused.
  kCancelled,      ///< The operation was interrupted.
  kInternal,       ///< A defect of Frazil.
};

/// The exception class that PySpark raises; see `pyspark.errors.exceptions`.
enum class ExceptionClass {
  kAnalysis,
  kParse,
  kIllegalArgument,
  kArithmetic,
  kArrayIndexOutOfBounds,
  kDateTime,
  kNumberFormat,
  kNoSuchElement,
  kUnsupportedOperation,
  kSparkRuntime,
  kSparkUpgrade,
  kSpark,
};

/// Where in the SQL text (or at which DataFrame call) an error arose; Spark's `QueryContext`.
struct QueryContext {
  enum class Type { kSql, kDataFrame };
  Type type = Type::kSql;
  std::string object_type;  ///< "VIEW", ... or empty.
  std::string object_name;
  int start_index = -1;  ///< First character, counted from 0; -1: unknown.
  int stop_index = -1;   ///< Last character, inclusive.
  std::string fragment;  ///< The part of the query text.
  std::string call_site;
  std::string summary;
};

/// An error as Spark describes it: condition, SQLSTATE, message parameters, context.
/// Source: https://spark.apache.org/docs/latest/sql-error-conditions.html
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  ExceptionClass exception_class = ExceptionClass::kSpark;
  std::string condition;  ///< For example "TABLE_OR_VIEW_NOT_FOUND" or "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE".
  std::string sql_state;  ///< Five characters, or empty.
  std::string message;    ///< Whole text for people, beginning with "[CONDITION] " where there is a condition.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<QueryContext> query_contexts;
  std::shared_ptr<const Error> cause;

  using Parameters = std::vector<std::pair<std::string, std::string>>;

  /// Error of a known condition: SQLSTATE and message come from the table in error_conditions.cc. An unknown condition
  /// is a defect and yields INTERNAL_ERROR naming it.
  static Error Of(std::string_view condition, Parameters parameters = {});
  /// As `Of`, with the exception class named.
  static Error Of(ExceptionClass exception_class, std::string_view condition, Parameters parameters = {});
  /// PARSE_SYNTAX_ERROR and its kin: the exception class is ParseException.
  static Error Parse(std::string_view condition, Parameters parameters = {});
  /// Valid Spark that is not supported: UNSUPPORTED_FEATURE.NAMED with the feature's name in the message.
  static Error Unsupported(std::string_view feature);
  static Error Internal(std::string_view message);
  static Error Storage(std::string_view message);
  static Error Cancelled(std::string_view message);
  /// An error with free text and no Spark condition (for example Iceberg's ValidationException).
  static Error Plain(ExceptionClass exception_class, std::string_view message);

  Error&& With(QueryContext context) && {
    query_contexts.push_back(std::move(context));
    return std::move(*this);
  }
  Error&& CausedBy(Error error) && {
    cause = std::make_shared<const Error>(std::move(error));
    return std::move(*this);
  }
};

/// One row of the table of conditions.
struct ErrorCondition {
  std::string_view name;
  std::string_view sql_state;
  std::string_view message;  ///< Parameters stand as <name>.
  ExceptionClass exception_class = ExceptionClass::kAnalysis;
};

/// The condition's entry, or nullptr.
const ErrorCondition* FindErrorCondition(std::string_view name);

/// `a`.`b`: a name in back quotes, as Spark's messages show identifiers.
std::string QuoteIdentifier(std::string_view part);
std::string QuoteIdentifier(const std::vector<std::string>& parts);
/// The name itself where it is a plain identifier (letters, digits, '_', no digit first), else in back quotes: as in
/// DDL text and `sql`.
std::string QuoteIdentifierIfNeeded(std::string_view part);

}  // namespace frazil
