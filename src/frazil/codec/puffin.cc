#include "frazil/codec/puffin.h"

namespace frazil::codec {
namespace {

constexpr std::string_view kMagic = "PFA1";
/// Behind the payload: its size, four bytes of flags, the magic.
constexpr size_t kTrailerBytes = 12;

Error Damaged(const std::string& what) { return Error::Storage("The Puffin file is damaged: " + what); }

/// Little-endian.
uint32_t ReadNumber(std::string_view bytes) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << 8 * i;
  return number;
}

void AppendFooter(std::string_view payload, std::string* file) {
  *file += kMagic;
  *file += payload;
  // Little-endian size, then four bytes of flags: the payload is not compressed.
  for (int shift = 0; shift < 32; shift += 8) *file += static_cast<char>(payload.size() >> shift & 0xFF);
  file->append(4, '\0');
  *file += kMagic;
}

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
  AppendFooter(payload, &file_);
  return std::move(file_);
}

Result<PuffinFooter> ReadPuffinFooter(std::string_view file) {
  if (file.size() < 2 * kMagic.size() + kTrailerBytes || !file.starts_with(kMagic) || !file.ends_with(kMagic))
    return Damaged("it has no footer");
  const std::string_view trailer = file.substr(file.size() - kTrailerBytes);
  const size_t size = ReadNumber(trailer);
  if (size > file.size() - 2 * kMagic.size() - kTrailerBytes) return Damaged("its footer is longer than the file");
  const size_t payload = file.size() - kTrailerBytes - size;
  if (file.substr(payload - kMagic.size(), kMagic.size()) != kMagic) return Damaged("its footer does not begin");
  if (const uint32_t flags = ReadNumber(trailer.substr(4)); flags == 1) {
    return Error::Unsupported("Puffin files with a compressed footer");
  } else if (flags != 0) {
    return Damaged("its footer has unknown flags");
  }
  PuffinFooter footer;
  footer.offset = static_cast<int64_t>(payload - kMagic.size());
  auto metadata = ParseJson(file.substr(payload, size));
  if (!metadata.ok()) return Damaged(metadata.error().message);
  footer.metadata = *std::move(metadata);
  return footer;
}

std::string ReplacePuffinFooter(std::string_view file, const PuffinFooter& footer) {
  std::string result(file.substr(0, static_cast<size_t>(footer.offset)));
  AppendFooter(footer.metadata.Write(), &result);
  return result;
}

}  // namespace frazil::codec
