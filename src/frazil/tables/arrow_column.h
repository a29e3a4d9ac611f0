#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/types/arrow_c.h"
#include "frazil/types/data_type.h"

namespace frazil::tables {

/// A column of an Arrow batch laid out as types/arrow_c.h says, for the types that are needed: boolean, integer, long,
/// timestamp, string, binary, struct, array, map. A view: lives no longer than the batch.
class ArrowColumn {
 public:
  ArrowColumn(const ArrowArray& array, const DataType& type, int64_t offset)
      : array_(&array), type_(&type), offset_(offset + array.offset) {}
  /// The rows of a batch as one struct.
  static ArrowColumn OfBatch(const ArrowBatch& batch, const DataType& schema) {
    return ArrowColumn(batch.array(), schema, 0);
  }

  bool IsNull(int64_t row) const;
  bool Boolean(int64_t row) const;
  int64_t Integer(int64_t row) const;
  std::string_view Text(int64_t row) const;
  /// A field of a struct, with the struct's rows.
  ArrowColumn Field(std::string_view name) const;
  /// The elements of a row's list, or the entries of its map: rows [first, second) of Elements() (Keys() and
  /// MapValues()).
  std::pair<int64_t, int64_t> Range(int64_t row) const;
  ArrowColumn Elements() const;
  ArrowColumn Keys() const;
  ArrowColumn MapValues() const;

 private:
  template <typename T>
  const T* Buffer(int64_t index) const {
    return static_cast<const T*>(array_->buffers[index]);
  }

  const ArrowArray* array_;
  const DataType* type_;
  int64_t offset_;
};

/// Builds such a column row by row. Values go in in the order of rows; a struct's row is ended by Append or AppendNull
/// of each of its fields, then EndRow.
class ArrowColumnBuilder {
 public:
  explicit ArrowColumnBuilder(DataTypePtr type);

  void AppendNull();
  void Append(bool value);
  void Append(int64_t value);
  void Append(std::string_view value);
  /// The builder of a struct's field; of a list's elements (0); of a map's keys (0) and values (1).
  ArrowColumnBuilder& Child(size_t index) { return children_[index]; }
  ArrowColumnBuilder& Field(std::string_view name) { return children_[static_cast<size_t>(type_->FieldIndex(name))]; }
  /// Ends a row of a struct, list or map whose children were filled.
  void EndRow();
  int64_t length() const { return length_; }
  /// The struct's rows so far as a batch; the builder is spent.
  ArrowBatch FinishBatch();

 private:
  void AppendValidity(bool valid);
  void Finish(ArrowArray* out);

  DataTypePtr type_;
  int64_t length_ = 0, null_count_ = 0;
  std::vector<uint8_t> validity_, data_;
  std::vector<int32_t> offsets_;
  std::vector<ArrowColumnBuilder> children_;
};

}  // namespace frazil::tables
