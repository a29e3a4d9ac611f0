#pragma once

// Functions that a catalog keeps (CREATE FUNCTION without TEMPORARY).

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/catalogs/catalog.h"

namespace frazil::catalogs {

/// A function as it was created: the statement, and what it was resolved in.
struct FunctionDefinition {
  std::string statement;  ///< CREATE FUNCTION ..., whole.
  std::string current_catalog;
  Namespace current_namespace;
  std::map<std::string, std::string> settings;  ///< SQL settings at creation.
  std::string owner;
  int64_t created_millis = 0;
};

/// What catalogs that keep functions also are. Thread-safe; names as the catalog folds them.
class FunctionCatalog {
 public:
  virtual ~FunctionCatalog() = default;
  virtual Result<std::vector<std::string>> ListFunctions(const Namespace& name_space) = 0;
  virtual Result<std::optional<FunctionDefinition>> LoadFunction(const Identifier& identifier) = 0;
  /// False where the name is taken and `replace` is not said. Error SCHEMA_NOT_FOUND.
  virtual Result<bool> CreateFunction(const Identifier& identifier, const FunctionDefinition& function,
                                      bool replace) = 0;
  /// False where there is none.
  virtual Result<bool> DropFunction(const Identifier& identifier) = 0;
};

}  // namespace frazil::catalogs
