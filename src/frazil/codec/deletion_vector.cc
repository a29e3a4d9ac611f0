#include "frazil/codec/deletion_vector.h"

#include <cstring>
#include <map>
#include <memory>
#include <zlib.h>

#include <roaring/roaring.h>

namespace frazil::codec {
namespace {

constexpr std::string_view kMagic("\xD1\xD3\x39\x64", 4);

uint32_t BigEndian32(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

void AppendBigEndian32(uint32_t value, std::string* out) {
  for (int shift = 24; shift >= 0; shift -= 8) out->push_back(static_cast<char>(value >> shift));
}

uint32_t Crc(std::string_view data) {
  return static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
}

using Bitmap = std::unique_ptr<roaring_bitmap_t, void (*)(const roaring_bitmap_t*)>;

}  // namespace

Result<std::vector<int64_t>> ReadDeletionVector(std::string_view blob) {
  const Error damaged = Error::Storage("Not a sound deletion vector");
  if (blob.size() < 4 + 4 + 8 + 4) return damaged;
  uint32_t length = BigEndian32(blob);
  if (blob.size() != static_cast<size_t>(length) + 8) return damaged;
  std::string_view body = blob.substr(4, length);
  if (BigEndian32(blob.substr(4 + length)) != Crc(body)) return damaged;
  return ReadDeletionVectorBitmap(body);
}

Result<std::vector<int64_t>> ReadDeletionVectorBitmap(std::string_view body) {
  const Error damaged = Error::Storage("Not a sound deletion vector");
  if (body.size() < 4 + 8 || body.substr(0, 4) != kMagic) return damaged;
  std::string_view data = body.substr(4);
  uint64_t bitmaps = 0;
  std::memcpy(&bitmaps, data.data(), 8);
  data.remove_prefix(8);
  std::vector<int64_t> positions;
  for (uint64_t i = 0; i < bitmaps; ++i) {
    if (data.size() < 4) return damaged;
    uint32_t key = 0;
    std::memcpy(&key, data.data(), 4);
    data.remove_prefix(4);
    size_t size = roaring_bitmap_portable_deserialize_size(data.data(), data.size());
    if (size == 0) return damaged;
    Bitmap bitmap(roaring_bitmap_portable_deserialize_safe(data.data(), data.size()), roaring_bitmap_free);
    if (bitmap == nullptr) return damaged;
    std::vector<uint32_t> low(roaring_bitmap_get_cardinality(bitmap.get()));
    roaring_bitmap_to_uint32_array(bitmap.get(), low.data());
    for (uint32_t value : low) positions.push_back(static_cast<int64_t>(static_cast<uint64_t>(key) << 32 | value));
    data.remove_prefix(size);
  }
  return positions;
}

std::string WriteDeletionVector(const std::vector<int64_t>& positions) {
  std::map<uint32_t, Bitmap> by_key;
  for (int64_t position : positions) {
    auto key = static_cast<uint32_t>(static_cast<uint64_t>(position) >> 32);
    auto found = by_key.find(key);
    if (found == by_key.end()) found = by_key.emplace(key, Bitmap(roaring_bitmap_create(), roaring_bitmap_free)).first;
    roaring_bitmap_add(found->second.get(), static_cast<uint32_t>(position));
  }
  std::string body(kMagic);
  uint64_t count = by_key.size();
  body.append(reinterpret_cast<const char*>(&count), 8);
  for (auto& [key, bitmap] : by_key) {
    roaring_bitmap_run_optimize(bitmap.get());
    body.append(reinterpret_cast<const char*>(&key), 4);
    std::string bytes(roaring_bitmap_portable_size_in_bytes(bitmap.get()), '\0');
    roaring_bitmap_portable_serialize(bitmap.get(), bytes.data());
    body += bytes;
  }
  std::string blob;
  AppendBigEndian32(static_cast<uint32_t>(body.size()), &blob);
  blob += body;
  AppendBigEndian32(Crc(body), &blob);
  return blob;
}

}  // namespace frazil::codec
