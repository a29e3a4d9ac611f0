#pragma once

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/function_catalog.h"

namespace frazil::catalogs {

/// `spark.sql.catalog.spark_catalog = org.apache.iceberg.spark.SparkSessionCatalog`: Iceberg tables live in a catalog
/// of their own kind (type=hadoop ...), everything else in the built-in one, under one name. Namespaces are those of
/// the built-in catalog. https://iceberg.apache.org/docs/latest/spark-configuration/#replacing-the-session-catalog
class SparkSessionCatalog : public Catalog, public FunctionCatalog {
 public:
  SparkSessionCatalog(CatalogPtr built_in, CatalogPtr iceberg)
      : built_in_(std::move(built_in)), iceberg_(std::move(iceberg)) {}

  const std::string& name() const override { return built_in_->name(); }
  Namespace default_namespace() const override { return built_in_->default_namespace(); }
  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    return built_in_->ListNamespaces(parent);
  }
  Result<bool> NamespaceExists(const Namespace& name_space) override { return built_in_->NamespaceExists(name_space); }
  Result<std::map<std::string, std::string>> LoadNamespace(const Namespace& name_space) override {
    return built_in_->LoadNamespace(name_space);
  }
  Status CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) override {
    return built_in_->CreateNamespace(name_space, properties);
  }
  Status AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                        const std::vector<std::string>& unset) override {
    return built_in_->AlterNamespace(name_space, set, unset);
  }
  Status DropNamespace(const Namespace& name_space, bool cascade) override;
  Result<std::vector<std::string>> ListTables(const Namespace& name_space) override;
  Result<bool> TableExists(const Identifier& identifier) override;
  Result<tables::TablePtr> LoadTable(const Identifier& identifier) override;
  Result<tables::TablePtr> CreateTable(const Identifier& identifier,
                                       const tables::TableDefinition& definition) override;
  Result<tables::StagedTable> StageTable(const Identifier& identifier, const tables::TableDefinition& definition,
                                         bool replace) override;
  Status DropTable(const Identifier& identifier, bool purge) override;
  Status RenameTable(const Identifier& from, const Identifier& to) override;
  Status AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) override;
  bool supports_views() const override { return true; }
  Result<std::vector<std::string>> ListViews(const Namespace& name_space) override {
    return built_in_->ListViews(name_space);
  }
  Result<std::optional<ViewDefinition>> LoadView(const Identifier& identifier) override {
    return built_in_->LoadView(identifier);
  }
  Status CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) override {
    return built_in_->CreateView(identifier, view, replace);
  }
  Status DropView(const Identifier& identifier) override { return built_in_->DropView(identifier); }

  // FunctionCatalog: those of the built-in catalog.
  Result<std::vector<std::string>> ListFunctions(const Namespace& name_space) override;
  Result<std::optional<FunctionDefinition>> LoadFunction(const Identifier& identifier) override;
  Result<bool> CreateFunction(const Identifier& identifier, const FunctionDefinition& function, bool replace) override;
  Result<bool> DropFunction(const Identifier& identifier) override;

 private:
  /// The catalog that has the table: Iceberg's first.
  Result<Catalog*> Owner(const Identifier& identifier);

  CatalogPtr built_in_;
  CatalogPtr iceberg_;
};

}  // namespace frazil::catalogs
