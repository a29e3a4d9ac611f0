#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "frazil/catalogs/glue/aws_json_client.h"
#include "frazil/catalogs/metastore/table_metastore.h"

namespace frazil::catalogs {

/// A table of Glue as the kinds of catalogs share it. https://docs.aws.amazon.com/glue/latest/webapi/API_Table.html
HiveTable HiveTableOf(const nlohmann::json& table, const std::string& database);

/// The tables of a Glue catalog.
class GlueEntries : public TableMetastore {
 public:
  GlueEntries(std::shared_ptr<AwsJsonClient> glue, std::string catalog_id)
      : glue_(std::move(glue)), catalog_id_(std::move(catalog_id)) {}

  Result<std::optional<HiveTable>> FindTable(const std::string& database, const std::string& name) override;
  Result<bool> CreateTable(const HiveTable& table) override;
  Status AlterTable(const HiveTable& table) override;
  Status DropTable(const std::string& database, const std::string& name) override;
  Result<std::vector<HivePartition>> ListPartitions(const std::string& database, const std::string& name) override;
  Status AddPartitions(const std::string& database, const std::string& name,
                       const std::vector<HivePartition>& partitions) override;
  Status DropPartition(const std::string& database, const std::string& name,
                       const std::vector<std::string>& values) override;

 private:
  nlohmann::json Body(const std::string& database, nlohmann::json body) const;

  std::shared_ptr<AwsJsonClient> glue_;
  std::string catalog_id_;
};

}  // namespace frazil::catalogs
