#include "frazil/server/registry.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "frazil/base/integer_text.h"
#include "frazil/catalogs/catalog_kinds.h"
#include "frazil/engine/columnar_files.h"
#include "frazil/engine/engine.h"
#include "frazil/session/session_server.h"
#include "frazil/storage/cloud/cloud_stores.h"
#include "frazil/storage/http/http_store.h"
#include "frazil/storage/local/local_store.h"
#include "frazil/storage/s3/s3_store.h"
#include "frazil/tables/delta/delta_format.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/iceberg/iceberg_format.h"

namespace frazil::server {
namespace {

std::string SettingOr(const LaunchOptions& options, const std::string& key, std::string fallback) {
  const auto found = options.settings.find(key);
  return found == options.settings.end() ? std::move(fallback) : found->second;
}

// Threads of spark.master: local[4]; 0 (all cores) for local[*] and others.
int ThreadsOf(const LaunchOptions& options) {
  const std::string master = SettingOr(options, "spark.master", "");
  int threads = 0;
  if (master.starts_with("local[")) std::from_chars(master.data() + 6, master.data() + master.size(), threads);
  return threads;
}

Result<engine::EngineOptions> EngineOptionsOf(const LaunchOptions& options) {
  engine::EngineOptions engine;
  const std::string memory = SettingOr(options, "spark.driver.memory", "");
  if (!memory.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(engine.memory_limit_bytes, ParseByteSize(memory));
  }
  engine.threads = ThreadsOf(options);
  engine.spill_directory = SettingOr(options, "spark.local.dir", "");
  return engine;
}

std::shared_ptr<const tables::FormatRegistry> MakeFormats(engine::Engine* engine,
                                                          const storage::StoreRegistry* stores) {
  auto formats = std::make_shared<tables::FormatRegistry>();
  for (const char* name : {"parquet", "csv", "json", "text", "binaryfile", "orc", "avro"}) {
    if (const auto format = tables::FileFormatByName(name)) {
      formats->Register(std::make_shared<tables::FilesTableFormat>(name, *format));
    }
  }
  formats->Register(std::make_shared<tables::iceberg::IcebergFormat>(engine::MakeColumnarFiles(engine, stores)));
  formats->Register(std::make_shared<tables::delta::DeltaFormat>(engine::MakeColumnarFiles(engine, stores)));
  return formats;
}

std::shared_ptr<const storage::StoreRegistry> MakeStores() {
  auto stores = std::make_shared<storage::StoreRegistry>();
  storage::RegisterLocalStore(stores.get());
  storage::RegisterS3Store(stores.get());
  storage::RegisterHttpStore(stores.get());
  storage::RegisterCloudStores(stores.get());
  return stores;
}

std::shared_ptr<const catalogs::CatalogRegistry> MakeCatalogs() {
  auto kinds = std::make_shared<catalogs::CatalogRegistry>();
  catalogs::RegisterCatalogKinds(kinds.get());
  return kinds;
}

}  // namespace

Result<std::shared_ptr<session::Server>> MakeSessions(const LaunchOptions& options) {
  session::ServerOptions server_options;
  server_options.settings = options.settings;
  const std::string warehouse =
      !options.warehouse.empty() ? options.warehouse : SettingOr(options, "spark.sql.warehouse.dir", "spark-warehouse");
  std::error_code failure;
  server_options.warehouse =
      std::filesystem::absolute(storage::LocalPath(warehouse), failure).lexically_normal().string();
  if (failure) return Error::Storage("Bad warehouse folder " + warehouse + ": " + failure.message());
  server_options.settings["spark.sql.warehouse.dir"] = server_options.warehouse;
  FRAZIL_ASSIGN_OR_RETURN(server_options.engine, EngineOptionsOf(options));
  const std::string timeout = SettingOr(options, "spark.connect.session.manager.defaultSessionTimeout", "");
  if (!timeout.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(server_options.session_idle_timeout_seconds, ParseSeconds(timeout));
  }

  session::ServerParts parts;
  FRAZIL_ASSIGN_OR_RETURN(parts.engine, engine::Engine::Open(server_options.engine));
  parts.stores = MakeStores();
  parts.formats = MakeFormats(parts.engine.get(), parts.stores.get());
  parts.catalogs = MakeCatalogs();
  return session::MakeServer(server_options, std::move(parts));
}

Result<connect::ConnectServerOptions> ConnectOptionsOf(const LaunchOptions& options) {
  connect::ConnectServerOptions connect_options;
  connect_options.host = !options.host.empty()
                             ? options.host
                             : SettingOr(options, "spark.connect.grpc.binding.address", connect_options.host);
  if (options.port.has_value()) {
    connect_options.port = *options.port;
  } else {
    const std::string port = SettingOr(options, "spark.connect.grpc.binding.port", "");
    if (!port.empty()) {
      const auto number = ParseInteger<int>(port);
      if (!number) return Error::Plain(ExceptionClass::kNumberFormat, "'" + port + "' is no port.");
      connect_options.port = *number;
    }
  }
  const char* environment_token = std::getenv("SPARK_CONNECT_AUTHENTICATE_TOKEN");
  connect_options.token = !options.token.empty() ? options.token
                                                 : SettingOr(options, "spark.connect.authenticate.token",
                                                             environment_token != nullptr ? environment_token : "");
  const std::string most = SettingOr(options, "spark.connect.grpc.maxInboundMessageSize", "");
  if (!most.empty()) {
    FRAZIL_ASSIGN_OR_RETURN(connect_options.max_inbound_message_bytes, ParseByteSize(most));
  }
  return connect_options;
}

}  // namespace frazil::server
