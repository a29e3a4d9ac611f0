#pragma once

#include <memory>
#include <optional>
#include <string>

#include "frazil/catalogs/glue/aws_json_client.h"
#include "frazil/catalogs/glue/dynamodb_lock.h"
#include "frazil/catalogs/pointer_commit_point.h"

namespace frazil::catalogs {

/// The name of a table in Glue.
struct GlueTableName {
  std::string catalog_id;  ///< Setting glue.id; empty: the account's own.
  std::string database;
  std::string table;
};

/// Adds CatalogId where there is one.
nlohmann::json WithCatalogId(nlohmann::json body, const std::string& catalog_id);

/// The table as Glue has it; nullopt where there is none of that name.
Result<std::optional<nlohmann::json>> FindGlueTable(AwsJsonClient& glue, const GlueTableName& name);

/// Location of an Iceberg table's metadata file; nullopt for tables of other kinds.
std::optional<std::string> MetadataLocationOf(const nlohmann::json& table);

/// The pointer of an Iceberg table in Glue: moved by UpdateTable of the version that was read, so that of two writers
/// one is refused; under a lock where one is configured.
class GluePointer : public TablePointer {
 public:
  GluePointer(std::shared_ptr<AwsJsonClient> glue, std::shared_ptr<DynamoDbLock> lock, GlueTableName name,
              std::string full_name, bool skip_archive);

  Result<std::optional<std::string>> Read() override;
  Result<bool> Move(const std::optional<std::string>& expected, const std::string& next,
                    const std::string& metadata) override;

 private:
  Result<bool> MoveLocked(const std::optional<std::string>& expected, const std::string& next,
                          const std::string& metadata);

  std::shared_ptr<AwsJsonClient> glue_;
  std::shared_ptr<DynamoDbLock> lock_;
  GlueTableName name_;
  std::string full_name_;
  bool skip_archive_;
};

}  // namespace frazil::catalogs
