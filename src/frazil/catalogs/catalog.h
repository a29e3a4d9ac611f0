#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/table.h"
#include "frazil/tables/table_format.h"

namespace frazil::catalogs {

using Namespace = std::vector<std::string>;

struct Identifier {
  Namespace name_space;
  std::string name;
};

/// A view that a catalog keeps: the text and what it was resolved in.
struct ViewDefinition {
  std::string query_text;
  DataTypePtr schema;  ///< Struct of the columns, aliases and comments applied.
  std::string current_catalog;
  Namespace current_namespace;
  std::map<std::string, std::string> settings;  ///< SQL settings at creation.
  std::map<std::string, std::string> properties;
  std::string comment;
  std::string schema_binding = "COMPENSATION";
  std::string owner;
  std::vector<std::string> query_column_names;
};

/// A named place where namespaces, tables and views live. Thread-safe. Names are as the user wrote them; a catalog
/// folds case where its kind does.
class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual const std::string& name() const = 0;
  virtual Namespace default_namespace() const { return {}; }

  /// Direct children of `parent` ({}: the top), as full namespaces.
  virtual Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) = 0;
  virtual Result<bool> NamespaceExists(const Namespace& name_space) = 0;
  /// Properties ("comment", "location", "owner", ...). Error SCHEMA_NOT_FOUND.
  virtual Result<std::map<std::string, std::string>> LoadNamespace(const Namespace& name_space) = 0;
  /// Error SCHEMA_ALREADY_EXISTS.
  virtual Status CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>& properties) = 0;
  virtual Status AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>& set,
                                const std::vector<std::string>& unset) = 0;
  /// Error SCHEMA_NOT_EMPTY unless `cascade`.
  virtual Status DropNamespace(const Namespace& name_space, bool cascade) = 0;

  virtual Result<std::vector<std::string>> ListTables(const Namespace& name_space) = 0;
  virtual Result<bool> TableExists(const Identifier& identifier) = 0;
  /// The newest committed state. Error TABLE_OR_VIEW_NOT_FOUND.
  virtual Result<tables::TablePtr> LoadTable(const Identifier& identifier) = 0;
  /// Error TABLE_OR_VIEW_ALREADY_EXISTS.
  virtual Result<tables::TablePtr> CreateTable(const Identifier& identifier,
                                               const tables::TableDefinition& definition) = 0;
  /// CTAS (`replace` false), REPLACE and CREATE OR REPLACE: the table comes into being with the first commit of its
  /// write. Abort() of the write leaves no trace.
  virtual Result<tables::StagedTable> StageTable(const Identifier& identifier,
                                                 const tables::TableDefinition& definition, bool replace) = 0;
  virtual Status DropTable(const Identifier& identifier, bool purge) = 0;
  virtual Status RenameTable(const Identifier& from, const Identifier& to) = 0;
  /// Table kinds whose definition the catalog keeps (plain files): changes of columns and properties.
  virtual Status AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) = 0;

  virtual bool supports_views() const { return false; }
  virtual Result<std::vector<std::string>> ListViews(const Namespace& name_space);
  virtual Result<std::optional<ViewDefinition>> LoadView(const Identifier& identifier);
  virtual Status CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace);
  virtual Status DropView(const Identifier& identifier);
};
using CatalogPtr = std::shared_ptr<Catalog>;

/// What a catalog is made from: its settings without the prefix ("type", "warehouse", ...), and what it may use.
struct CatalogContext {
  std::string name;
  std::string class_name;  ///< Value of spark.sql.catalog.NAME.
  std::map<std::string, std::string> settings;
  const tables::FormatRegistry* formats = nullptr;
  const storage::StoreRegistry* stores = nullptr;
  storage::SettingLookup session_settings;
  std::string default_warehouse;  ///< Folder of spark.sql.warehouse.dir, absolute.
};

/// Makes catalogs by the class that Spark users name: "org.apache.iceberg.spark.SparkCatalog", ...; "" is the built-in
/// session catalog.
class CatalogRegistry {
 public:
  using Factory = std::function<Result<CatalogPtr>(const CatalogContext&)>;
  void Register(std::string class_name, Factory factory);
  /// Error CATALOG_NOT_FOUND-like for unknown classes, naming the class.
  Result<CatalogPtr> Make(const CatalogContext& context) const;

 private:
  std::map<std::string, Factory, std::less<>> factories_;
};

// --- for the kinds of catalogs: the errors that all of them give, and names

Error TableNotFound(const Catalog& catalog, const Identifier& identifier);
Error TableExistsAlready(const Catalog& catalog, const Identifier& identifier);
Error NamespaceNotFound(const Catalog& catalog, const Namespace& name_space);
Error NamespaceExistsAlready(const Catalog& catalog, const Namespace& name_space);
Error NamespaceNotEmpty(const Catalog& catalog, const Namespace& name_space);
/// {catalog, namespace..., name}.
std::vector<std::string> FullName(const Catalog& catalog, const Identifier& identifier);
/// catalog.namespace.name, for messages and table names.
std::string DottedName(const Catalog& catalog, const Identifier& identifier);

}  // namespace frazil::catalogs
