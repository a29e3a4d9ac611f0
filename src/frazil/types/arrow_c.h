#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frazil/types/data_type.h"

// The Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), guarded as the specification
// asks, so that it can meet the same definition in Arrow's or DuckDB's headers.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif

namespace frazil {

/// Owns one record batch as an Arrow struct array, released on destruction. The layout of each column is the one Spark
/// Connect sends for its type: string utf8 (32-bit offsets), binary, decimal128, date32, timestamp[us], duration[us]
/// for day-time and int32 months for year-month intervals, month_day_nano for calendar intervals, time64[ns] for TIME,
/// struct<value, metadata> for variant, null arrays for void.
class ArrowBatch {
 public:
  ArrowBatch() { array_.release = nullptr; }
  /// Takes the array over; `array->release` is cleared.
  explicit ArrowBatch(ArrowArray* array) : array_(*array) { array->release = nullptr; }
  ArrowBatch(ArrowBatch&& other) noexcept : array_(other.array_) { other.array_.release = nullptr; }
  ArrowBatch& operator=(ArrowBatch&& other) noexcept {
    if (this != &other) {
      Release();
      array_ = other.array_;
      other.array_.release = nullptr;
    }
    return *this;
  }
  ArrowBatch(const ArrowBatch&) = delete;
  ArrowBatch& operator=(const ArrowBatch&) = delete;
  ~ArrowBatch() { Release(); }

  const ArrowArray& array() const { return array_; }
  ArrowArray* mutable_array() { return &array_; }
  int64_t num_rows() const { return array_.length; }

 private:
  void Release() {
    if (array_.release != nullptr) array_.release(&array_);
  }
  ArrowArray array_;
};

/// Rows held in memory: a struct type and batches of it. Immutable once shared.
struct ArrowTable {
  DataTypePtr schema;  ///< kStruct.
  std::vector<ArrowBatch> batches;
};
using ArrowTablePtr = std::shared_ptr<const ArrowTable>;

}  // namespace frazil
