#pragma once

#include <memory>

#include "frazil/catalogs/catalog.h"
#include "frazil/engine/engine.h"
#include "frazil/session/session.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/table_format.h"

namespace frazil::session {

/// The implementations that a server is wired from.
struct ServerParts {
  std::unique_ptr<engine::Engine> engine;
  std::shared_ptr<const tables::FormatRegistry> formats;
  std::shared_ptr<const storage::StoreRegistry> stores;
  std::shared_ptr<const catalogs::CatalogRegistry> catalogs;
};

/// The warehouse folder is made where missing.
Result<std::shared_ptr<Server>> MakeServer(const ServerOptions& options, ServerParts parts);

}  // namespace frazil::session
