#pragma once

// The Spark Connect server: gRPC in front of session::Server.
// Protocol: https://spark.apache.org/docs/latest/spark-connect-overview.html

#include <cstdint>
#include <memory>
#include <string>

#include "frazil/base/result.h"
#include "frazil/session/session.h"

namespace frazil::connect {

struct ConnectServerOptions {
  std::string host = "127.0.0.1";
  int port = 15002;   ///< 0: any free one.
  std::string token;  ///< Bearer token that clients must send; empty: none is asked for.
  /// Most bytes of a message that is received: spark.connect.grpc.maxInboundMessageSize.
  int64_t max_inbound_message_bytes = 128LL * 1024 * 1024;
};

/// A running server. Thread-safe.
class ConnectServer {
 public:
  /// Listens and serves until Stop. Error of class SparkException where the address is taken or unknown.
  static Result<std::unique_ptr<ConnectServer>> Start(std::shared_ptr<session::Server> sessions,
                                                      const ConnectServerOptions& options);
  virtual ~ConnectServer() = default;

  /// The port it listens on.
  virtual int port() const = 0;
  /// Cancels what runs, ends all calls and stops listening: within two seconds.
  virtual void Stop() = 0;
};

}  // namespace frazil::connect
