#include "frazil/codec/puffin.h"

#include "frazil/base/json.h"

namespace frazil::codec {
namespace {

constexpr std::string_view kMagic = "PFA1";

}  // namespace

PuffinWriter::PuffinWriter() : file_(kMagic) {}

PuffinBlob PuffinWriter::Add(std::string_view type, const std::vector<int32_t>& fields,
                             const std::map<std::string, std::string>& properties, int64_t snapshot_id,
                             int64_t sequence_number, std::string_view data) {
  PuffinBlob blob{static_cast<int64_t>(file_.size()), static_cast<int64_t>(data.size())};
  file_ += data;
  if (!blobs_.empty()) blobs_ += ',';
  blobs_ += "{\"type\":" + JsonString(type) + ",\"fields\":[";
  for (size_t i = 0; i < fields.size(); ++i) blobs_ += (i == 0 ? "" : ",") + std::to_string(fields[i]);
  blobs_ += "],\"snapshot-id\":" + std::to_string(snapshot_id) +
            ",\"sequence-number\":" + std::to_string(sequence_number) + ",\"offset\":" + std::to_string(blob.offset) +
            ",\"length\":" + std::to_string(blob.length);
  if (!properties.empty()) {
    blobs_ += ",\"properties\":{";
    bool first = true;
    for (const auto& [key, value] : properties) {
      blobs_ += (first ? "" : ",") + JsonString(key) + ":" + JsonString(value);
      first = false;
    }
    blobs_ += '}';
  }
  blobs_ += '}';
  return blob;
}

std::string PuffinWriter::Finish() {
  const std::string payload = "{\"blobs\":[" + blobs_ + "],\"properties\":{\"created-by\":\"frazil\"}}";
  file_ += kMagic;
  file_ += payload;
  // Little-endian size, then four bytes of flags: the payload is not compressed.
  for (int shift = 0; shift < 32; shift += 8) file_ += static_cast<char>(payload.size() >> shift & 0xFF);
  file_.append(4, '\0');
  file_ += kMagic;
  return std::move(file_);
}

}  // namespace frazil::codec
