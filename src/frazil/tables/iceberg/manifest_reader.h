#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/manifest.h"
#include "frazil/tables/iceberg/table_metadata.h"

namespace frazil::tables::iceberg {

using ManifestEntries = std::shared_ptr<const std::vector<ManifestEntry>>;

/// Reads the entries of a manifest, and fills in what they inherit: snapshot id, sequence numbers, first row ids
/// ("Sequence Number Inheritance", "First Row ID Inheritance"). `data` is the file. Encrypted manifests are refused.
Result<std::vector<ManifestEntry>> ReadManifest(std::string data, const ManifestFile& manifest,
                                                const PartitionSpec& spec);

/// Reads a manifest list.
Result<std::vector<ManifestFile>> ReadManifestList(std::string data, const std::string& path);

}  // namespace frazil::tables::iceberg
