#pragma once

#include <string>
#include <string_view>

#include "frazil/base/result.h"
#include "frazil/storage/object_store.h"
#include "frazil/tables/delta/actions.h"
#include "frazil/tables/scan.h"

namespace frazil::tables::delta {

// Deletion vectors: which rows of a data file are deleted. Source: PROTOCOL.md, "Deletion Vectors" and "Deletion Vector
// Format".

/// Reads a vector, inline or from its file. Errors DELTA_DELETION_VECTOR_*_MISMATCH.
Result<DeletedPositions> ReadDeletionVector(storage::ObjectStore& store, const std::string& table,
                                            const DeletionVectorDescriptor& descriptor);

/// The file of a vector that is not inline.
Result<std::string> DeletionVectorPath(const std::string& table, const DeletionVectorDescriptor& descriptor);

/// Base85 in ZeroMQ's alphabet (Z85). Error where the text is none.
Result<std::string> DecodeBase85(std::string_view text);
/// `bytes`: a multiple of four.
std::string EncodeBase85(std::string_view bytes);

}  // namespace frazil::tables::delta
