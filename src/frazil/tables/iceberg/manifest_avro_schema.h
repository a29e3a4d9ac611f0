#pragma once

#include <string>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/partition_spec.h"
#include "frazil/tables/iceberg/schema.h"

namespace frazil::tables::iceberg {

/// Avro schemas that the versions of the specification ask of writers, as JSON.

std::string ManifestListAvroSchema(int format_version);
Result<std::string> ManifestAvroSchema(int format_version, const PartitionSpec& spec, const Schema& schema);

}  // namespace frazil::tables::iceberg
