#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "frazil/codec/avro_schema.h"

namespace frazil::codec {

/// Reads Avro's binary encoding from memory. After the first malformed or missing byte every read gives zero or nothing
/// and ok() is false: callers check once, after a record or block. Source: Avro specification, "Binary Encoding". The
/// data must outlive the decoder and the views it gives.
class AvroDecoder {
 public:
  explicit AvroDecoder(std::string_view data) : next_(data.data()), end_(data.data() + data.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return next_ == end_; }
  size_t remaining() const { return static_cast<size_t>(end_ - next_); }
  void Fail() {
    ok_ = false;
    next_ = end_;
  }

  int64_t ReadLong() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (next_ == end_) break;
      auto byte = static_cast<uint8_t>(*next_++);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
    }
    Fail();
    return 0;
  }
  int32_t ReadInt() { return static_cast<int32_t>(ReadLong()); }
  bool ReadBoolean() {
    std::string_view byte = ReadRaw(1);
    return !byte.empty() && byte[0] != 0;
  }
  float ReadFloat() { return ReadFixed<float>(); }
  double ReadDouble() { return ReadFixed<double>(); }
  /// Bytes or string.
  std::string_view ReadBytes() {
    int64_t size = ReadLong();
    if (size < 0) {
      Fail();
      return {};
    }
    return ReadRaw(static_cast<uint64_t>(size));
  }
  std::string_view ReadRaw(uint64_t size) {
    if (size > remaining()) {
      Fail();
      return {};
    }
    std::string_view result(next_, static_cast<size_t>(size));
    next_ += size;
    return result;
  }

  /// Calls `read` for each item of an array (or entry of a map); `read` must consume exactly one.
  template <typename Read>
  void ReadItems(Read&& read) {
    while (ok_) {
      int64_t count = ReadLong();
      if (count == 0) return;
      if (count < 0) {
        if (count == INT64_MIN) return Fail();
        count = -count;
        ReadLong();  // Size of the block in bytes.
      }
      // An item of no bytes at all does not occur in the schemas read here, so that a damaged count ends soon.
      for (int64_t i = 0; i < count && ok_; ++i) {
        if (at_end()) return Fail();
        read();
      }
    }
  }

  /// Passes over one value.
  void Skip(const AvroSchema& schema);

 private:
  template <typename T>
  T ReadFixed() {
    static_assert(std::endian::native == std::endian::little);
    T value{};
    std::string_view raw = ReadRaw(sizeof(T));
    if (!raw.empty()) std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  const char* next_;
  const char* end_;
  bool ok_ = true;
};

/// Appends Avro's binary encoding to a text.
class AvroEncoder {
 public:
  explicit AvroEncoder(std::string* out) : out_(out) {}

  void WriteLong(int64_t value) {
    uint64_t encoded = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
    while (encoded >= 0x80) {
      out_->push_back(static_cast<char>((encoded & 0x7F) | 0x80));
      encoded >>= 7;
    }
    out_->push_back(static_cast<char>(encoded));
  }
  void WriteBoolean(bool value) { out_->push_back(value ? 1 : 0); }
  void WriteFloat(float value) { WriteFixed(value); }
  void WriteDouble(double value) { WriteFixed(value); }
  void WriteBytes(std::string_view data) {
    WriteLong(static_cast<int64_t>(data.size()));
    out_->append(data);
  }
  void WriteRaw(std::string_view data) { out_->append(data); }
  /// Index of null and of the value in a union of both, as Iceberg writes optional fields: null first.
  void WriteNull() { WriteLong(0); }
  void WritePresent() { WriteLong(1); }

 private:
  template <typename T>
  void WriteFixed(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    out_->append(raw, sizeof(T));
  }

  std::string* out_;
};

}  // namespace frazil::codec
