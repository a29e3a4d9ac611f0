#pragma once

// The frame of kernels over arrays of any element type: all elements of a chunk's arguments lie in one pool, a row's
// result is a list of places in it. Elements are compared by keys, in which NaN equals NaN, both zeros are equal, and
// NULL has a key of its own. Internal to engine/.

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
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

/// What orders and identifies an element; NULL comes first. Numbers, dates and the like are all in `number`, texts are
/// themselves, the rest is DuckDB's sort key in `text`.
struct ElementKey {
  bool present = false;
  uint64_t number = 0;
  std::string_view text;

  bool operator==(const ElementKey&) const = default;
  bool operator<(const ElementKey& other) const {
    if (present != other.present) return other.present;
    return number != other.number ? number < other.number : text < other.text;
  }
  struct Hash {
    size_t operator()(const ElementKey& key) const {
      return std::hash<uint64_t>()(key.number) ^ std::hash<std::string_view>()(key.text);
    }
  };
};

/// A set of them that needs no room of its own while they are few.
class ElementKeySet {
 public:
  /// False where it was there.
  bool Insert(const ElementKey& key) {
    if (Has(key)) return false;
    if (size_ < few_.size()) {
      few_[size_] = key;
    } else {
      if (many_.empty()) many_.insert(few_.begin(), few_.end());
      many_.insert(key);
    }
    ++size_;
    return true;
  }
  bool Has(const ElementKey& key) const {
    if (!many_.empty()) return many_.count(key) != 0;
    const auto end = few_.begin() + static_cast<std::ptrdiff_t>(size_);
    return std::find(few_.begin(), end, key) != end;
  }

 private:
  std::array<ElementKey, 16> few_;
  size_t size_ = 0;
  std::unordered_set<ElementKey, ElementKey::Hash> many_;
};

class ArrayArguments {
 public:
  /// Elements of a row's array: consecutive places in the pool.
  struct Range {
    duckdb::idx_t begin = 0, size = 0;
  };

  /// Without the pool only keys and NULLs of elements can be asked for.
  ArrayArguments(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, const std::vector<ArrayPart>& parts,
                 bool with_keys, bool with_pool = true);

  duckdb::idx_t rows() const { return rows_; }
  bool constant() const { return constant_; }
  bool IsNull(size_t part, duckdb::idx_t row) const;
  Range List(size_t part, duckdb::idx_t row) const;
  duckdb::idx_t Element(size_t part, duckdb::idx_t row) const;
  int64_t Integer(size_t part, duckdb::idx_t row) const;

  /// The place of a NULL.
  duckdb::idx_t null_place() const { return null_place_; }
  bool ElementIsNull(duckdb::idx_t place) const { return !validity_.RowIsValid(place); }
  ElementKey Key(duckdb::idx_t place) const {
    if (ElementIsNull(place)) return {};
    if (key_data_ == nullptr) return {true, numbers_[place], {}};
    return {true, 0, {key_data_[place].GetData(), key_data_[place].GetSize()}};
  }
  /// The number in the range of the first element that is equal to the one at `wanted`, which is not NULL; the range's
  /// size where there is none.
  duckdb::idx_t Find(const Range& range, duckdb::idx_t wanted) const {
    duckdb::idx_t i = 0;
    if (key_data_ == nullptr) {
      const uint64_t number = numbers_[wanted];
      while (i < range.size && (numbers_[range.begin + i] != number || ElementIsNull(range.begin + i))) ++i;
      return i;
    }
    const ElementKey key = Key(wanted);
    while (i < range.size && Key(range.begin + i) != key) ++i;
    return i;
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
  duckdb::ValidityMask validity_;  ///< Of the elements, by their places.
  duckdb::idx_t null_place_ = 0;
  /// The elements of a part, and how many.
  std::pair<duckdb::Vector*, duckdb::idx_t> ElementsOf(duckdb::DataChunk& chunk, size_t part) const;
  void MakePool(duckdb::DataChunk& chunk, duckdb::idx_t capacity);
  template <typename T>
  void AddNumbers(duckdb::Vector& elements, duckdb::idx_t count, duckdb::idx_t base);
  void MakeSortKeys(duckdb::idx_t count);

  std::vector<uint64_t> numbers_;  ///< The keys of simple elements.
  std::unique_ptr<duckdb::Vector> keys_;
  const duckdb::string_t* key_data_ = nullptr;  ///< Those of others.
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
