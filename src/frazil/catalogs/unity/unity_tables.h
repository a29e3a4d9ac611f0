#pragma once

#include <memory>
#include <string>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/unity/unity_client.h"
#include "frazil/tables/table_format.h"

namespace frazil::catalogs {

/// "catalog.schema.table", as one part of a path.
std::string UnityTablePath(const Catalog& catalog, const Identifier& identifier);
bool IsUnityView(const Json& table);

/// What the service says of a table. Errors UNSUPPORTED_FEATURE, by name, for kinds of tables that are not read.
Result<tables::TableDefinition> UnityDefinitionOf(const Json& table);
/// The reverse: the request that makes an external table known.
Json UnityTableOf(const Catalog& catalog, const Identifier& identifier, const tables::TableDefinition& definition);
/// Makes it known. `taken`: the error where the name is another's.
Status MakeUnityTable(UnityClient& client, const Json& table, const Error& taken);

/// Keys to the files of a table, or of a place that shall become one, by the names of our settings.
Result<Settings> UnityTableKeys(UnityClient& client, const std::string& table_id);
Result<Settings> UnityPathKeys(UnityClient& client, const std::string& location);

/// Makes a table known with the commit that makes it.
class UnityCommitPoint : public tables::CommitPoint {
 public:
  /// `inner`: of a format with metadata of its own; may be null.
  UnityCommitPoint(std::shared_ptr<UnityClient> client, Json table, tables::CommitPointPtr inner, Error taken)
      : client_(std::move(client)), table_(std::move(table)), inner_(std::move(inner)), taken_(std::move(taken)) {}

  Result<std::optional<std::string>> Current() override;
  Result<tables::CommitState> Swap(const std::optional<std::string>& expected, const std::string& metadata,
                                   std::string* written) override;

 private:
  std::shared_ptr<UnityClient> client_;
  Json table_;
  tables::CommitPointPtr inner_;
  Error taken_;
  bool known_ = false;
};

}  // namespace frazil::catalogs
