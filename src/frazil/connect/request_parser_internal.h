#pragma once

// Messages from the wire. Plans nest deeper than protobuf's default limit allows: every DataFrame call adds two levels.

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>
#include <spark/connect/base.pb.h>

#include "frazil/base/result.h"

namespace frazil::connect {

/// Levels of messages within messages, as Spark's spark.connect.grpc.marshallerRecursionLimit.
inline constexpr int kMostNestedMessages = 1024;

/// Error CONNECT_INVALID_PLAN.CANNOT_PARSE.
Status ParseRequest(const grpc::ByteBuffer& buffer, google::protobuf::Message* message);

/// A relation or command that the client compressed with zstd. Error CONNECT_INVALID_PLAN.CANNOT_PARSE.
Status DecompressOperation(const spark::connect::Plan::CompressedOperation& operation,
                           google::protobuf::Message* message);

}  // namespace frazil::connect
