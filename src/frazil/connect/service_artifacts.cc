#include <array>
#include <filesystem>

#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/request_parser_internal.h"
#include "frazil/connect/service_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

constexpr std::string_view kCachePrefix = "cache/";
constexpr std::string_view kForwardPrefix = "forward_to_fs/";

// CRC-32 as zlib computes it (polynomial 0xEDB88320).
uint32_t Crc32(std::string_view bytes) {
  static const auto table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < made.size(); ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? (value >> 1) ^ 0xEDB88320U : value >> 1;
      made[i] = value;
    }
    return made;
  }();
  uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) crc = table[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (crc >> 8);
  return crc ^ 0xFFFFFFFFU;
}

bool IsIntact(const proto::AddArtifactsRequest::ArtifactChunk& chunk) {
  return static_cast<int64_t>(Crc32(chunk.data())) == chunk.crc();
}

// The path that a name means below the session's artifacts. Error INVALID_ARTIFACT_PATH where it leads out of them.
Result<std::string> PathOf(const std::string& name) {
  if (name.starts_with(kForwardPrefix)) return Error::Unsupported("copyFromLocalToFs");
  const auto path = std::filesystem::path(name).lexically_normal();
  if (path.empty() || path == "." || path.is_absolute() || *path.begin() == "..") {
    return Error::Of(ExceptionClass::kSparkRuntime, "INVALID_ARTIFACT_PATH", {{"name", name}});
  }
  return path.generic_string();
}

// An artifact that arrives in several messages.
struct ChunkedArtifact {
  std::string name;
  std::string path;
  std::string data;
  int64_t total_bytes = 0;
  int64_t chunks_left = 0;
  bool intact = true;
};

}  // namespace

Status SparkConnectService::AddArtifacts(grpc::ServerReader<grpc::ByteBuffer>* reader,
                                         proto::AddArtifactsResponse* response) {
  session::SessionPtr session;
  std::optional<ChunkedArtifact> chunked;
  // As in Spark one that cannot be kept does not keep the others out; the first error is the answer.
  Status failed;
  const auto store = [&](const std::string& name, const std::string& path, std::string data, bool intact) {
    if (intact) {
      Status stored = session->StoreArtifact(path, std::move(data));
      if (failed.ok()) failed = std::move(stored);
    }
    auto* summary = response->add_artifacts();
    summary->set_name(name);
    summary->set_is_crc_successful(intact);
  };
  const auto finish_chunked = [&]() -> Status {
    if (static_cast<int64_t>(chunked->data.size()) != chunked->total_bytes && chunked->intact) {
      return InvalidPlan("the artifact '" + chunked->name + "' has another size than was said");
    }
    store(chunked->name, chunked->path, std::move(chunked->data), chunked->intact);
    chunked.reset();
    return Status::Ok();
  };

  grpc::ByteBuffer bytes;
  while (reader->Read(&bytes)) {
    proto::AddArtifactsRequest request;
    FRAZIL_RETURN_IF_ERROR(ParseRequest(bytes, &request));
    if (session == nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(session, SessionOf(request, response));
    }
    switch (request.payload_case()) {
      case proto::AddArtifactsRequest::kBatch:
        if (chunked.has_value()) return InvalidPlan("an artifact that is not complete");
        for (auto& artifact : *request.mutable_batch()->mutable_artifacts()) {
          FRAZIL_ASSIGN_OR_RETURN(const auto path, PathOf(artifact.name()));
          const bool intact = IsIntact(artifact.data());
          store(artifact.name(), path, std::move(*artifact.mutable_data()->mutable_data()), intact);
        }
        break;
      case proto::AddArtifactsRequest::kBeginChunk: {
        if (chunked.has_value()) return InvalidPlan("an artifact that is not complete");
        const auto& begin = request.begin_chunk();
        FRAZIL_ASSIGN_OR_RETURN(auto path, PathOf(begin.name()));
        chunked.emplace();
        chunked->name = begin.name();
        chunked->path = std::move(path);
        chunked->total_bytes = begin.total_bytes();
        chunked->chunks_left = begin.num_chunks() - 1;
        chunked->intact = IsIntact(begin.initial_chunk());
        chunked->data = begin.initial_chunk().data();
        if (chunked->chunks_left <= 0) FRAZIL_RETURN_IF_ERROR(finish_chunked());
        break;
      }
      case proto::AddArtifactsRequest::kChunk:
        if (!chunked.has_value()) return InvalidPlan("a piece of an artifact that did not begin");
        chunked->intact = chunked->intact && IsIntact(request.chunk());
        chunked->data += request.chunk().data();
        if (--chunked->chunks_left <= 0) FRAZIL_RETURN_IF_ERROR(finish_chunked());
        break;
      case proto::AddArtifactsRequest::PAYLOAD_NOT_SET:
        return InvalidPlan("an artifact without content");
    }
  }
  if (chunked.has_value()) return InvalidPlan("an artifact that is not complete");
  return failed;
}

Status SparkConnectService::ArtifactStatus(const proto::ArtifactStatusesRequest& request,
                                           proto::ArtifactStatusesResponse* response) {
  FRAZIL_ASSIGN_OR_RETURN(const auto session, SessionOf(request, response));
  for (const auto& name : request.names()) {
    // Only what is cached by its hash can be asked for.
    const bool exists = name.starts_with(kCachePrefix) && session->HasArtifact(name);
    (*response->mutable_statuses())[name].set_exists(exists);
  }
  return Status::Ok();
}

}  // namespace frazil::connect
