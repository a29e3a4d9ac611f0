#include "frazil/catalogs/catalog_kinds.h"

#include "frazil/base/text.h"
#include "frazil/catalogs/embedded/embedded_catalog.h"
#include "frazil/catalogs/embedded/spark_session_catalog.h"
#include "frazil/catalogs/glue/glue_catalog.h"
#include "frazil/catalogs/hive/hive_catalog.h"
#include "frazil/catalogs/jdbc/jdbc_catalog.h"
#include "frazil/catalogs/path/path_catalog.h"
#include "frazil/catalogs/rest/rest_catalog.h"
#include "frazil/catalogs/unity/unity_catalog.h"

namespace frazil::catalogs {

namespace {

/// Iceberg's catalog by its `type` setting, as CatalogUtil.buildIcebergCatalog does.
Result<CatalogPtr> MakeIcebergCatalog(const CatalogContext& context) {
  auto implementation = context.settings.find("catalog-impl");
  if (implementation != context.settings.end()) {
    if (implementation->second == "org.apache.iceberg.hadoop.HadoopCatalog") return PathCatalog::Make(context);
    if (implementation->second == "org.apache.iceberg.rest.RESTCatalog") return RestCatalog::Make(context);
    if (implementation->second == "org.apache.iceberg.aws.glue.GlueCatalog") return GlueCatalog::Make(context);
    if (implementation->second == "org.apache.iceberg.hive.HiveCatalog") return HiveCatalog::Make(context);
    if (implementation->second == "org.apache.iceberg.jdbc.JdbcCatalog") return JdbcCatalog::Make(context);
    return Error::Unsupported("ICEBERG CATALOG " + implementation->second);
  }
  auto found = context.settings.find("type");
  std::string type = found == context.settings.end() ? "hive" : AsciiLower(found->second);
  if (type == "hadoop") return PathCatalog::Make(context);
  if (type == "rest") return RestCatalog::Make(context);
  if (type == "glue") return GlueCatalog::Make(context);
  if (type == "hive") return HiveCatalog::Make(context);
  if (type == "jdbc") return JdbcCatalog::Make(context);
  return Error::Unsupported("ICEBERG CATALOG OF TYPE " + type);
}

/// Spark's own catalog: the built-in one, or the Metastore of spark.sql.catalogImplementation = hive.
Result<CatalogPtr> MakeBuiltInCatalog(const CatalogContext& context) {
  const auto setting = [&](const char* key) {
    return context.session_settings ? context.session_settings(key).value_or("") : std::string();
  };
  const bool has_metastore =
      !setting("spark.hadoop.hive.metastore.uris").empty() || !setting("hive.metastore.uris").empty();
  if (has_metastore && EqualsIgnoreCase(setting("spark.sql.catalogImplementation"), "hive"))
    return HiveCatalog::Make(context);
  return EmbeddedCatalog::Make(context);
}

Result<CatalogPtr> MakeSparkSessionCatalog(const CatalogContext& context) {
  CatalogContext built_in = context;
  built_in.settings.erase("warehouse");
  FRAZIL_ASSIGN_OR_RETURN(auto session_catalog, MakeBuiltInCatalog(built_in));
  // Without a type the tables' names live in the built-in catalog itself, which knows Iceberg as one of its formats.
  if (!context.settings.contains("type") && !context.settings.contains("catalog-impl")) return session_catalog;
  auto type = context.settings.find("type");
  // A Metastore and Glue have the databases and the tables of other kinds, too.
  const auto implementation = context.settings.find("catalog-impl");
  std::string kind;
  if (type != context.settings.end()) kind = AsciiLower(type->second);
  if (implementation != context.settings.end()) kind = implementation->second;
  if (kind == "hive" || kind == "org.apache.iceberg.hive.HiveCatalog") return HiveCatalog::Make(context);
  if (kind == "glue" || kind == "org.apache.iceberg.aws.glue.GlueCatalog") return GlueCatalog::Make(context);
  FRAZIL_ASSIGN_OR_RETURN(auto iceberg, MakeIcebergCatalog(context));
  return CatalogPtr(std::make_shared<SparkSessionCatalog>(std::move(session_catalog), std::move(iceberg)));
}

}  // namespace

void RegisterCatalogKinds(CatalogRegistry* registry) {
  registry->Register("", MakeBuiltInCatalog);
  registry->Register("org.apache.iceberg.spark.SparkCatalog", MakeIcebergCatalog);
  registry->Register("org.apache.iceberg.spark.SparkSessionCatalog", MakeSparkSessionCatalog);
  registry->Register("org.apache.spark.sql.delta.catalog.DeltaCatalog", MakeBuiltInCatalog);
  registry->Register("io.unitycatalog.spark.UCSingleCatalog", UnityCatalog::Make);
}

}  // namespace frazil::catalogs
