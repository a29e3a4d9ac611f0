#include <limits>
#include <string>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "frazil/codec/zstd_frame.h"
#include "frazil/connect/request_parser_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

// As Spark's spark.connect.maxPlanSize.
constexpr size_t kMostPlanBytes = 512UL * 1024 * 1024;

Error CannotParse(const std::string& why) {
  return Error::Of("CONNECT_INVALID_PLAN.CANNOT_PARSE", {{"errorMsg", why}});
}

Status ParseStream(google::protobuf::io::ZeroCopyInputStream* stream, google::protobuf::Message* message) {
  google::protobuf::io::CodedInputStream coded(stream);
  coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
  coded.SetRecursionLimit(kMostNestedMessages);
  if (!message->ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage()) {
    return CannotParse("the message is malformed, or nests deeper than " + std::to_string(kMostNestedMessages) +
                       " levels");
  }
  return Status::Ok();
}

}  // namespace

Status ParseRequest(const grpc::ByteBuffer& buffer, google::protobuf::Message* message) {
  grpc::ByteBuffer copy(buffer);  // The reader wants it mutable; the bytes are shared.
  grpc::ProtoBufferReader reader(&copy);
  if (!reader.status().ok()) return CannotParse(reader.status().error_message());
  return ParseStream(&reader, message);
}

Status DecompressOperation(const proto::Plan::CompressedOperation& operation, google::protobuf::Message* message) {
  if (operation.compression_codec() != proto::COMPRESSION_CODEC_ZSTD) return CannotParse("unknown compression codec");
  auto plain = codec::DecompressZstd(operation.data(), kMostPlanBytes);
  if (!plain.ok()) return CannotParse(plain.error().message);
  google::protobuf::io::ArrayInputStream stream(plain->data(), static_cast<int>(plain->size()));
  return ParseStream(&stream, message);
}

}  // namespace frazil::connect
