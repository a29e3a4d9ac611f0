#pragma once

// Aggregate functions as parts that are kept from batch to batch.

#include <cstdint>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/expressions/expression.h"

namespace frazil::streaming {

/// How the parts of an aggregate are kept: for each part its column, how the rows of a batch give it and how those of
/// several are put together; and what the parts give in the end. All are SQL.
struct AggregateParts {
  struct Part {
    std::string of_rows;   ///< Over the argument columns.
    std::string of_parts;  ///< Over the columns of the parts.
  };
  std::vector<Part> parts;
  std::string result;
  bool of_two = false;  ///< They can be put together two at a time only.
};

/// `arguments`: the aggregate's argument columns (at least one). `name`: prefix of the parts' columns, <name>_0, ...
/// `batch`: the batch whose rows are aggregated. Error of kind kUnsupported that names a function that is not kept so.
Result<AggregateParts> PartsOf(const AggregateExpression& aggregate, const std::vector<std::string>& arguments,
                               const std::string& name, int64_t batch);

}  // namespace frazil::streaming
