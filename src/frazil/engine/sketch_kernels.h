#pragma once

#include <duckdb.hpp>

namespace frazil::engine {

/// spark_theta_hash: the hash by which a theta sketch of Apache DataSketches tells values apart, of a value in
/// Iceberg's binary form (63 bits; NULL of NULL and of what has no bytes, as such sketches leave those out). Internal
/// to engine/. Source: Puffin specification, "apache-datasketches-theta-v1".
void RegisterSketchKernels(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
