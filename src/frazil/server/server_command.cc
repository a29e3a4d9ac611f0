#include <csignal>
#include <iostream>

#include "frazil/base/logging.h"
#include "frazil/server/registry.h"
#include "frazil/server/subcommands_internal.h"

namespace frazil::server {
namespace {

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

// Waits for SIGINT or SIGTERM, which must be blocked.
int WaitForEndingSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  int signal = 0;
  sigwait(&signals, &signal);
  return signal;
}

}  // namespace

Result<int> RunServer(const std::vector<std::string>& arguments) {
  LaunchOptions options;
  for (size_t at = 0; at < arguments.size();) {
    const std::string argument = arguments[at];
    FRAZIL_ASSIGN_OR_RETURN(const bool taken, TakeLaunchOption(arguments, &at, &options));
    if (!taken) return UsageError("server does not take '" + argument + "'");
  }
  FRAZIL_RETURN_IF_ERROR(FinishOptions(&options));
  BlockEndingSignals();

  FRAZIL_ASSIGN_OR_RETURN(const auto connect_options, ConnectOptionsOf(options));
  FRAZIL_ASSIGN_OR_RETURN(auto sessions, MakeSessions(options));
  FRAZIL_ASSIGN_OR_RETURN(auto server, connect::ConnectServer::Start(std::move(sessions), connect_options));
  if (!IsLoopback(connect_options.host) && connect_options.token.empty()) {
    Log(LogLevel::kWarn, "Listening beyond this machine without a token: whoever reaches the port can run statements",
        {{"host", connect_options.host}});
  }
  std::cout << "frazil: listening on " << connect_options.host << ":" << server->port() << std::endl;
  const int signal = WaitForEndingSignal();
  Log(LogLevel::kInfo, "Stopping", {{"signal", signal}});
  server->Stop();
  return 0;
}

}  // namespace frazil::server
