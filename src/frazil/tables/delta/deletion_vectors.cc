#include "frazil/tables/delta/deletion_vectors.h"

#include <array>
#include <cstring>

#include "frazil/base/uuid.h"
#include "frazil/codec/deletion_vector.h"
#include "frazil/tables/delta/paths.h"

namespace frazil::tables::delta {
namespace {

constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr size_t kEncodedUuid = 20;

}  // namespace

Result<std::string> DecodeBase85(std::string_view text) {
  if (text.size() % 5 != 0) return Error::Storage("Not Base85: " + std::string(text));
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 5) {
    uint64_t group = 0;
    for (size_t k = 0; k < 5; ++k) {
      size_t digit = kAlphabet.find(text[i + k]);
      if (digit == std::string_view::npos) return Error::Storage("Not Base85: " + std::string(text));
      group = group * 85 + digit;
    }
    if (group > UINT32_MAX) return Error::Storage("Not Base85: " + std::string(text));
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift);
  }
  return bytes;
}

std::string EncodeBase85(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t group = 0;
    for (size_t k = 0; k < 4; ++k) group = group << 8 | static_cast<uint8_t>(bytes[i + k]);
    std::array<char, 5> digits;
    for (size_t k = 5; k > 0; --k) {
      digits[k - 1] = kAlphabet[group % 85];
      group /= 85;
    }
    text.append(digits.data(), digits.size());
  }
  return text;
}

Result<std::string> DeletionVectorPath(const std::string& table, const DeletionVectorDescriptor& descriptor) {
  if (descriptor.storage_type == "p") return FilePathOf(table, descriptor.path_or_inline);
  const std::string& text = descriptor.path_or_inline;
  if (descriptor.storage_type != "u" || text.size() < kEncodedUuid) {
    return Error::Storage("The Delta log names a deletion vector of the unknown kind '" + descriptor.storage_type +
                          "'");
  }
  std::string prefix = text.substr(0, text.size() - kEncodedUuid);
  FRAZIL_ASSIGN_OR_RETURN(std::string bytes, DecodeBase85(text.substr(text.size() - kEncodedUuid)));
  Uuid uuid;
  std::memcpy(uuid.bytes.data(), bytes.data(), uuid.bytes.size());
  std::string name = "deletion_vector_" + uuid.ToString() + ".bin";
  return storage::JoinPath(prefix.empty() ? table : storage::JoinPath(table, prefix), name);
}

Result<DeletedPositions> ReadDeletionVector(storage::ObjectStore& store, const std::string& table,
                                            const DeletionVectorDescriptor& descriptor) {
  Result<std::vector<int64_t>> positions = std::vector<int64_t>();
  if (descriptor.storage_type == "i") {
    FRAZIL_ASSIGN_OR_RETURN(std::string bytes, DecodeBase85(descriptor.path_or_inline));
    // Padded to whole groups.
    if (descriptor.size_in_bytes >= 0 && bytes.size() > static_cast<size_t>(descriptor.size_in_bytes))
      bytes.resize(static_cast<size_t>(descriptor.size_in_bytes));
    positions = codec::ReadDeletionVectorBitmap(bytes);
  } else {
    FRAZIL_ASSIGN_OR_RETURN(std::string path, DeletionVectorPath(table, descriptor));
    FRAZIL_ASSIGN_OR_RETURN(auto reader, store.Open(path));
    // Size and checksum stand around the bitmap.
    std::string blob(static_cast<size_t>(descriptor.size_in_bytes) + 8, '\0');
    FRAZIL_RETURN_IF_ERROR(
        reader->ReadAt(descriptor.offset.value_or(1), static_cast<int64_t>(blob.size()), blob.data()));
    uint32_t size = 0;
    for (size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<uint8_t>(blob[i]);
    if (size != static_cast<uint32_t>(descriptor.size_in_bytes))
      return Error::Of("DELTA_DELETION_VECTOR_SIZE_MISMATCH");
    positions = codec::ReadDeletionVector(blob);
  }
  if (!positions.ok()) return Error::Of("DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH").CausedBy(Error(positions.error()));
  if (static_cast<int64_t>(positions->size()) != descriptor.cardinality)
    return Error::Of("DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH");
  return std::make_shared<const std::vector<int64_t>>(*std::move(positions));
}

}  // namespace frazil::tables::delta
