#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "frazil/base/result.h"
#include "frazil/codec/avro_binary.h"
#include "frazil/codec/avro_schema.h"

namespace frazil::codec {

/// What stands before the first block of an object container file.
struct AvroHeader {
  std::map<std::string, std::string> metadata;
  AvroSchemaPtr schema;
  std::string codec;
  std::string sync;
  size_t size = 0;  ///< Bytes of the header.
};
inline constexpr size_t kAvroSyncSize = 16;
/// `data` begins as the file does, and may end anywhere behind the header; `path` is for messages.
Result<AvroHeader> ParseAvroHeader(std::string_view data, const std::string& path);
/// What a block holds, once it is no longer compressed.
Result<std::string> DecompressAvroBlock(const std::string& codec, std::string_view stored);

/// Reads an object container file that is in memory, block by block. Source: Avro specification, "Object Container
/// Files". Codecs: null, deflate, snappy, zstandard; others are refused by name.
class AvroFileReader {
 public:
  /// `path` is for messages.
  static Result<AvroFileReader> Open(std::string data, std::string path);

  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  const AvroSchema& schema() const { return *header_.schema; }

  /// One block, decompressed; `data` is valid until the next call.
  struct Block {
    int64_t record_count = 0;
    std::string_view data;
  };
  /// False at the end of the file.
  Result<bool> Next(Block* block);

  /// Calls `read` for every record with a decoder that stands at its first byte; `read` must consume the record and
  /// gives a Status.
  template <typename Read>
  Status ForEachRecord(Read&& read) {
    Block block;
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(bool more, Next(&block));
      if (!more) return {};
      AvroDecoder decoder(block.data);
      for (int64_t i = 0; i < block.record_count; ++i) {
        FRAZIL_RETURN_IF_ERROR(read(decoder));
        if (!decoder.ok()) return Damaged();
      }
      if (!decoder.at_end()) return Damaged();
    }
  }

 private:
  AvroFileReader() = default;
  Error Damaged() const;

  std::string path_;
  std::string data_;
  size_t position_ = 0;
  AvroHeader header_;
  std::string block_;
};

/// Makes an object container file in memory.
class AvroFileWriter {
 public:
  /// `schema` is the JSON of the schema; `codec` "null", "deflate", "snappy" or "zstandard".
  AvroFileWriter(std::string_view schema, const std::map<std::string, std::string>& metadata, std::string codec,
                 int level = 6);
  AvroFileWriter(const AvroFileWriter&) = delete;
  AvroFileWriter& operator=(const AvroFileWriter&) = delete;

  /// Appends to the record that is being written.
  AvroEncoder& encoder() { return encoder_; }
  /// The record is complete.
  Status EndRecord();
  /// Bytes so far, those of the open block uncompressed.
  int64_t size() const { return static_cast<int64_t>(out_.size() + block_.size()); }
  /// The complete blocks so far, which the writer then forgets.
  std::string TakeBytes();
  /// The whole file, or what TakeBytes has left of it. The writer is used up.
  Result<std::string> Finish();

 private:
  Status FlushBlock();

  std::string out_;
  std::string block_;
  AvroEncoder encoder_{&block_};
  int64_t records_ = 0;
  std::string codec_;
  int level_;
  std::string sync_;
};

}  // namespace frazil::codec
