#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frazil/base/error.h"

namespace frazil {

/// What a text belongs to where it is not the statement itself: {"VIEW", "spark_catalog.default.v"}.
struct SourceObject {
  std::string type;
  std::string name;
};

/// Where an expression or plan stands in its SQL text (characters, inclusive; -1 where unknown), or the DataFrame call
/// it came from.
struct Origin {
  int start = -1;
  int stop = -1;
  int line = -1;      ///< From 1.
  int position = -1;  ///< Column of the line, from 0.
  /// The whole statement's text, shared by its nodes; null for DataFrame nodes.
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const SourceObject> object;  ///< Null: the statement itself.
  std::string call_site;                       ///< DataFrame: the Python call site.
  std::string fragment;                        ///< DataFrame: the API call's name, as "__truediv__".
};

/// Spark's query context of that place, with its picture; none where nothing is known of it.
/// Source: org.apache.spark.sql.catalyst.trees.SQLQueryContext, DataFrameQueryContext.
std::optional<QueryContext> ContextOf(const Origin& origin);

/// The error with the context of the place where it arose, in its message too. As it is where it has a context already,
/// or is none of Spark's conditions, or where nothing is known of the place.
Error AtOrigin(Error error, const Origin& origin);

}  // namespace frazil
