#include "frazil/codec/avro_binary.h"

namespace frazil::codec {

void AvroDecoder::Skip(const AvroSchema& schema) {
  switch (schema.type) {
    case AvroType::kNull:
      return;
    case AvroType::kBoolean:
      ReadRaw(1);
      return;
    case AvroType::kInt:
    case AvroType::kLong:
    case AvroType::kEnum:
      ReadLong();
      return;
    case AvroType::kFloat:
      ReadRaw(4);
      return;
    case AvroType::kDouble:
      ReadRaw(8);
      return;
    case AvroType::kBytes:
    case AvroType::kString:
      ReadBytes();
      return;
    case AvroType::kFixed:
      ReadRaw(static_cast<uint64_t>(schema.size));
      return;
    case AvroType::kRecord:
      for (const auto& field : schema.fields) Skip(*field.schema);
      return;
    case AvroType::kArray:
      ReadItems([&] { Skip(*schema.element); });
      return;
    case AvroType::kMap:
      ReadItems([&] {
        ReadBytes();
        Skip(*schema.element);
      });
      return;
    case AvroType::kUnion: {
      int64_t branch = ReadLong();
      if (branch < 0 || branch >= static_cast<int64_t>(schema.branches.size())) return Fail();
      Skip(*schema.branches[static_cast<size_t>(branch)]);
      return;
    }
  }
}

}  // namespace frazil::codec
