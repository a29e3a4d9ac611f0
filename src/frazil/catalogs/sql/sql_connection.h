#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::catalogs {

/// A connection to a relational database that keeps a catalog's names. Thread-safe: one statement after another.
class SqlConnection {
 public:
  using Text = std::optional<std::string>;  ///< NULL where it is nullopt.
  struct Outcome {
    std::vector<std::vector<Text>> rows;
    int64_t changed = 0;        ///< Rows that were inserted, updated or deleted.
    bool violates_key = false;  ///< The statement was refused since its key is taken: no Error.
  };

  virtual ~SqlConnection() = default;
  /// Runs one statement; a `?` stands for each of `parameters`. An outcome that is not known (a connection that broke
  /// after a changing statement was sent) is an Error of kind kUnknownCommit.
  virtual Result<Outcome> Run(const std::string& statement, const std::vector<Text>& parameters = {}) = 0;
  /// The columns of a table, lower case; none where there is no such table.
  virtual Result<std::vector<std::string>> ColumnsOf(const std::string& table) = 0;
};

}  // namespace frazil::catalogs
