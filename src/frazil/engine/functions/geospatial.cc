// Spatial values: see spatial_type.h for their form.

#include "frazil/engine/functions/geospatial_functions.h"
#include "frazil/engine/functions/row_kernel.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

constexpr size_t kHeaderLength = 4;

std::string WithSrid(std::string_view binary, int32_t srid) {
  std::string value;
  for (int shift = 0; shift < 32; shift += 8) value += static_cast<char>(static_cast<uint32_t>(srid) >> shift);
  value += binary;
  return value;
}

int32_t SridOf(std::string_view value) {
  uint32_t srid = 0;
  for (size_t i = 0; i < kHeaderLength; ++i)
    srid |= static_cast<uint32_t>(static_cast<unsigned char>(value[i])) << (8 * i);
  return static_cast<int32_t>(srid);
}

std::string SetSrid(std::string_view value, int32_t srid, bool is_geography) {
  if (srid != 4326 && (is_geography || (srid != 0 && srid != 3857)))
    ThrowSparkError("ST_INVALID_SRID_VALUE", {{"srid", std::to_string(srid)}});
  return WithSrid(value.substr(kHeaderLength), srid);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto B = LogicalType::BLOB, I = LogicalType::INTEGER;
  AddRowKernel(loader, "spark_spatial_from_binary", {B, I}, B, &WithSrid);
  AddRowKernel(loader, "spark_st_asbinary", {B}, B,
               [](std::string_view value) { return std::string(value.substr(kHeaderLength)); });
  AddRowKernel(loader, "spark_st_srid", {B}, I, &SridOf);
  AddRowKernel(loader, "spark_st_setsrid", {B, I, LogicalType::BOOLEAN}, B, &SetSrid, kFallible);
}

}  // namespace

void RegisterGeospatialFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  for (const char* name : {"spatial_from_binary", "st_asbinary", "st_srid", "st_setsrid"})
    registry.AddScalar(name, Direct(std::string("spark_") + name));
}

}  // namespace frazil::engine
