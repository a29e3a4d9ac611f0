#pragma once

// Errors as clients of Spark Connect read them: a gRPC status with google.rpc details, and the whole error on request
// (FetchErrorDetails).

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <grpcpp/support/status.h>
#include <spark/connect/base.pb.h>

#include "frazil/base/error.h"

namespace frazil::connect {

/// Errors that clients were told of, kept until they ask for the details. Thread-safe. The oldest are forgotten beyond
/// a thousand.
class ErrorStore {
 public:
  /// Id under which the error can be fetched.
  std::string Add(std::shared_ptr<const Error> error);
  std::shared_ptr<const Error> Find(const std::string& id) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Error>> errors_;
  std::deque<std::string> order_;
};

/// The error without bytes that are no UTF-8, which values of users may bring into its message: no client reads a
/// message with such.
Error AsText(Error error);

/// Status INTERNAL whose details hold a google.rpc.Status with one ErrorInfo: reason and `classes` are the Java classes
/// that Spark throws for the error; further errorClass, sqlState, messageParameters and errorId. Long messages are cut:
/// a gRPC header holds 8 kB in all.
grpc::Status ToGrpcStatus(const Error& error, const std::string& error_id);

/// Puts the error and its causes into the response.
void WriteErrorDetails(const Error& error, spark::connect::FetchErrorDetailsResponse* response);

}  // namespace frazil::connect
