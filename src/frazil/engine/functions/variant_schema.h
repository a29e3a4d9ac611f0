#pragma once

// The schemas of VARIANT values (schema_of_variant). Internal to engine/.

#include <string>

#include "frazil/engine/functions/variant_value.h"
#include "frazil/types/data_type.h"

namespace frazil::engine {

/// The type of a variant: objects are structs; VARIANT where the elements of an array have no type in common.
DataTypePtr VariantSchema(const Variant& variant);
/// The type that holds the values of both, as Spark's schema_of_variant_agg finds it; VARIANT where there is none.
DataTypePtr MergeVariantSchemas(const DataTypePtr& left, const DataTypePtr& right);
/// As schema_of_variant prints it: "OBJECT<a: BIGINT>".
std::string VariantSchemaText(const DataType& type);

}  // namespace frazil::engine
