#pragma once

#include <memory>

namespace frazil {
class DataType;
using DataTypePtr = std::shared_ptr<const DataType>;
struct StructField;
struct Decimal128;
class Value;
}  // namespace frazil
