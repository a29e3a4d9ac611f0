#pragma once

// The frame of kernels over arrays of any element type: all elements of a chunk's arguments lie in one pool, a row's
// result is a list of places in it. Elements are compared by DuckDB's sort keys, in which NaN equals NaN, both zeros
// are equal, and NULL has a key of its own. Internal to engine/.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

#include "frazil/engine/functions/row_kernel.h"

namespace frazil::engine {

/// What an argument of an array kernel is.
enum class ArrayPart : uint8_t {
  kList,     ///< An array; its elements are in the pool.
  kElement,  ///< A value of the element type; it is in the pool.
  kInteger,  ///< INTEGER, BIGINT or BOOLEAN beside them, read as int64_t.
};

class ArrayArguments {
 public:
  /// Elements of a row's array: consecutive places in the pool.
  struct Range {
    duckdb::idx_t begin = 0, size = 0;
  };

  ArrayArguments(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, const std::vector<ArrayPart>& parts,
                 bool with_keys);

  duckdb::idx_t rows() const { return rows_; }
  bool constant() const { return constant_; }
  bool IsNull(size_t part, duckdb::idx_t row) const;
  Range List(size_t part, duckdb::idx_t row) const;
  duckdb::idx_t Element(size_t part, duckdb::idx_t row) const;
  int64_t Integer(size_t part, duckdb::idx_t row) const;

  /// The place of a NULL.
  duckdb::idx_t null_place() const { return null_place_; }
  bool ElementIsNull(duckdb::idx_t place) const {
    return !pool_format_.validity.RowIsValid(pool_format_.sel->get_index(place));
  }
  /// Bytes that order and identify the element; NULL comes first.
  std::string_view Key(duckdb::idx_t place) const {
    const auto& key = key_data_[place];
    return {key.GetData(), key.GetSize()};
  }
  duckdb::Vector& pool() { return *pool_; }
  /// Asked before a row yields so many elements that do not come from its arrays one by one: see CheckListRoom.
  void CheckRoom(duckdb::idx_t elements) const;

 private:
  struct Part {
    ArrayPart kind = ArrayPart::kList;
    duckdb::UnifiedVectorFormat format;
    duckdb::idx_t base = 0;
    duckdb::PhysicalType physical = duckdb::PhysicalType::INT32;
  };
  duckdb::ExpressionState& state_;
  duckdb::idx_t rows_ = 0;
  bool constant_ = false;
  std::vector<Part> parts_;
  std::unique_ptr<duckdb::Vector> pool_;
  duckdb::UnifiedVectorFormat pool_format_;
  duckdb::idx_t null_place_ = 0;
  std::unique_ptr<duckdb::Vector> keys_;
  const duckdb::string_t* key_data_ = nullptr;
};

using Places = std::vector<duckdb::idx_t>;
/// Appends the places of the row's elements to `out`; returns false for NULL.
using ArrayRow = std::function<bool(const ArrayArguments& arguments, duckdb::idx_t row, Places* out)>;
/// The place of the row's value, or -1 for NULL.
using ElementRow = std::function<int64_t(const ArrayArguments& arguments, duckdb::idx_t row)>;
/// A number (also 0 and 1 for booleans), or nothing for NULL.
using NumberRow = std::function<std::optional<int64_t>(const ArrayArguments& arguments, duckdb::idx_t row)>;

struct ArrayKernelOptions {
  bool keys = false;        ///< Elements are compared.
  bool null_if_any = true;  ///< A NULL argument (other than an element) gives NULL without asking.
  KernelTraits traits;
};

/// A kernel that yields an array. Its type is that of the first list, or a list of the first element.
void AddArrayKernel(duckdb::ExtensionLoader& loader, std::string name, std::vector<ArrayPart> parts, ArrayRow row,
                    ArrayKernelOptions options = {});
/// A kernel that yields an element.
void AddElementKernel(duckdb::ExtensionLoader& loader, std::string name, std::vector<ArrayPart> parts, ElementRow row,
                      ArrayKernelOptions options = {});
/// A kernel that yields a BOOLEAN, INTEGER or BIGINT.
void AddNumberKernel(duckdb::ExtensionLoader& loader, std::string name, std::vector<ArrayPart> parts,
                     duckdb::LogicalType result, NumberRow row, ArrayKernelOptions options = {});

/// Copies the elements at `places` of a vector behind what is in a list vector's child; returns where they begin.
duckdb::idx_t AppendToList(duckdb::Vector& list, duckdb::Vector& source, const Places& places);

}  // namespace frazil::engine
