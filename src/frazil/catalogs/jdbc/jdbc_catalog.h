#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/catalogs/jdbc/jdbc_names.h"
#include "frazil/catalogs/pointer_catalog.h"

namespace frazil::catalogs {

/// Iceberg tables whose names a relational database keeps: SQLite or PostgreSQL. What Iceberg's JdbcCatalog and
/// PyIceberg's SqlCatalog do: https://iceberg.apache.org/docs/latest/jdbc/
class JdbcCatalog : public PointerCatalog {
 public:
  /// `settings["uri"]`: jdbc:sqlite:FILE or jdbc:postgresql://HOST:PORT/DATABASE (without `jdbc:`, and with a driver as
  /// in postgresql+psycopg2, as PyIceberg writes them, too). Other databases are unsupported, by name.
  static Result<CatalogPtr> Make(const CatalogContext& context);

  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Result<bool> NamespaceExists(const Namespace& name_space) override;
  Result<std::map<std::string, std::string>> LoadNamespace(const Namespace& name_space) override;
  Status CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) override;
  Status AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                        const std::vector<std::string>& unset) override;
  Status DropNamespace(const Namespace& name_space, bool cascade) override;

  Result<std::vector<std::string>> ListTables(const Namespace& name_space) override;
  Status RenameTable(const Identifier& from, const Identifier& to) override;

  bool supports_views() const override { return names_->has_views(); }
  Result<std::vector<std::string>> ListViews(const Namespace& name_space) override;
  Result<std::optional<ViewDefinition>> LoadView(const Identifier& identifier) override;
  Status CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) override;
  Status DropView(const Identifier& identifier) override;

 private:
  JdbcCatalog() = default;
  Result<std::optional<Named>> FindNamed(const Identifier& identifier) override;
  std::shared_ptr<TablePointer> PointerOf(const Identifier& identifier) override;
  /// WAREHOUSE/LEVEL/.../NAME. Namespaces come to be with their first table, unless jdbc.strict-mode is on.
  Result<std::string> DefaultLocation(const Identifier& identifier) override;
  Status RemoveName(const Identifier& identifier) override;
  std::string FolderOf(const Namespace& name_space) const;

  std::shared_ptr<JdbcNames> names_;
  std::string warehouse_;
  bool is_strict_ = false;
};

}  // namespace frazil::catalogs
