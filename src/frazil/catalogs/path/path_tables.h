#pragma once

#include <string>

#include "frazil/catalogs/catalog.h"

namespace frazil::catalogs {

/// The tables that are named by format and path: delta.`/data/trips`. The namespace is the format's name, a table's
/// name its folder. It lists nothing, and keeps no name that could be dropped or changed.
class PathTables : public Catalog {
 public:
  /// `name`: of the catalog that such names stand in. What is pointed to outlives the object.
  PathTables(std::string name, const tables::FormatRegistry* formats, const storage::StoreRegistry* stores,
             storage::SettingLookup settings)
      : name_(std::move(name)), formats_(formats), stores_(stores), settings_(std::move(settings)) {}

  /// Whether such a name can mean a table: two parts, the first a format that keeps its tables' metadata with them, the
  /// second a path.
  static bool IsPathName(const std::vector<std::string>& name, const tables::FormatRegistry& formats);

  const std::string& name() const override { return name_; }
  /// As in the catalog that it stands in, though paths are never views.
  bool supports_views() const override { return true; }
  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override;
  Result<bool> NamespaceExists(const Namespace& name_space) override;
  Result<std::map<std::string, std::string>> LoadNamespace(const Namespace& name_space) override;
  Status CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) override;
  Status AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                        const std::vector<std::string>& unset) override;
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

 private:
  /// A table's format and folder.
  struct Place {
    tables::TableFormatPtr format;
    tables::TableContext context;
    std::string folder;
    tables::CommitPointPtr commit_point;
  };
  Result<Place> PlaceOf(const Identifier& identifier) const;
  /// The definition with the folder as its location. Error where the definition names another one.
  Result<tables::TableDefinition> Complete(const Identifier& identifier,
                                           const tables::TableDefinition& definition) const;

  std::string name_;
  const tables::FormatRegistry* formats_;
  const storage::StoreRegistry* stores_;
  storage::SettingLookup settings_;
};

}  // namespace frazil::catalogs
