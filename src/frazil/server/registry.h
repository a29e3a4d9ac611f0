#pragma once

// The one place where implementations meet their interfaces: stores, table formats, kinds of catalogs, the engine.

#include <memory>

#include "frazil/base/result.h"
#include "frazil/connect/connect_server.h"
#include "frazil/server/launch_options.h"
#include "frazil/session/session.h"

namespace frazil::server {

/// Sessions over everything that Frazil has.
Result<std::shared_ptr<session::Server>> MakeSessions(const LaunchOptions& options);

/// Where to listen and which token to ask for, by options and Spark's settings.
Result<connect::ConnectServerOptions> ConnectOptionsOf(const LaunchOptions& options);

}  // namespace frazil::server
