#include "frazil/tables/arrow_column.h"

#include <memory>

namespace frazil::tables {
namespace {

/// Integers of 64 bits; all others have 32.
bool IsWide(const DataType& type) { return type.id() == TypeId::kLong || type.id() == TypeId::kTimestamp; }

bool Bit(const uint8_t* bits, int64_t index) { return (bits[index / 8] >> (index % 8) & 1) != 0; }

void AppendBit(std::vector<uint8_t>* bits, int64_t index, bool value) {
  if (index % 8 == 0) bits->push_back(0);
  if (value) bits->back() = static_cast<uint8_t>(bits->back() | 1 << (index % 8));
}

/// What a finished array owns.
struct ArrayParts {
  std::vector<uint8_t> validity, data;
  std::vector<int32_t> offsets;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
};

void ReleaseParts(ArrowArray* array) {
  std::unique_ptr<ArrayParts> parts(static_cast<ArrayParts*>(array->private_data));
  for (auto& child : parts->children) {
    if (child.release != nullptr) child.release(&child);
  }
  array->release = nullptr;
}

}  // namespace

bool ArrowColumn::IsNull(int64_t row) const {
  if (array_->n_buffers == 0) return true;  // An array of the type "null".
  const auto* bits = Buffer<uint8_t>(0);
  return bits != nullptr && !Bit(bits, offset_ + row);
}

bool ArrowColumn::Boolean(int64_t row) const { return Bit(Buffer<uint8_t>(1), offset_ + row); }

int64_t ArrowColumn::Integer(int64_t row) const {
  return IsWide(*type_) ? Buffer<int64_t>(1)[offset_ + row] : Buffer<int32_t>(1)[offset_ + row];
}

std::string_view ArrowColumn::Text(int64_t row) const {
  const auto* offsets = Buffer<int32_t>(1) + offset_ + row;
  return {Buffer<char>(2) + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
}

ArrowColumn ArrowColumn::Field(std::string_view name) const {
  auto index = static_cast<size_t>(type_->FieldIndex(name, true));
  return ArrowColumn(*array_->children[index], *type_->fields()[index].type, offset_);
}

std::pair<int64_t, int64_t> ArrowColumn::Range(int64_t row) const {
  const auto* offsets = Buffer<int32_t>(1) + offset_ + row;
  return {offsets[0], offsets[1]};
}

ArrowColumn ArrowColumn::Elements() const { return ArrowColumn(*array_->children[0], *type_->element_type(), 0); }

ArrowColumn ArrowColumn::Keys() const {
  const ArrowArray& entries = *array_->children[0];
  return ArrowColumn(*entries.children[0], *type_->key_type(), entries.offset);
}

ArrowColumn ArrowColumn::MapValues() const {
  const ArrowArray& entries = *array_->children[0];
  return ArrowColumn(*entries.children[1], *type_->value_type(), entries.offset);
}

ArrowColumnBuilder::ArrowColumnBuilder(DataTypePtr type) : type_(std::move(type)) {
  switch (type_->id()) {
    case TypeId::kStruct:
      for (const auto& field : type_->fields()) children_.emplace_back(field.type);
      break;
    case TypeId::kArray:
      children_.emplace_back(type_->element_type());
      offsets_.push_back(0);
      break;
    case TypeId::kMap:
      children_.emplace_back(type_->key_type());
      children_.emplace_back(type_->value_type());
      offsets_.push_back(0);
      break;
    case TypeId::kString:
    case TypeId::kBinary:
      offsets_.push_back(0);
      break;
    default:
      break;
  }
}

void ArrowColumnBuilder::AppendValidity(bool valid) {
  AppendBit(&validity_, length_, valid);
  if (!valid) ++null_count_;
  ++length_;
}

void ArrowColumnBuilder::AppendNull() {
  switch (type_->id()) {
    case TypeId::kStruct:
      for (auto& child : children_) child.AppendNull();
      break;
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kString:
    case TypeId::kBinary:
      offsets_.push_back(offsets_.back());
      break;
    case TypeId::kBoolean:
      AppendBit(&data_, length_, false);
      break;
    case TypeId::kLong:
    case TypeId::kTimestamp:
      data_.resize(data_.size() + 8);
      break;
    default:
      data_.resize(data_.size() + 4);
      break;
  }
  AppendValidity(false);
}

void ArrowColumnBuilder::Append(bool value) {
  AppendBit(&data_, length_, value);
  AppendValidity(true);
}

void ArrowColumnBuilder::Append(int64_t value) {
  size_t width = IsWide(*type_) ? 8 : 4;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);  // Little endian: the lower half stands first.
  data_.insert(data_.end(), bytes, bytes + width);
  AppendValidity(true);
}

void ArrowColumnBuilder::Append(std::string_view value) {
  data_.insert(data_.end(), value.begin(), value.end());
  offsets_.push_back(static_cast<int32_t>(data_.size()));
  AppendValidity(true);
}

void ArrowColumnBuilder::EndRow() {
  if (type_->id() != TypeId::kStruct) offsets_.push_back(static_cast<int32_t>(children_[0].length()));
  AppendValidity(true);
}

void ArrowColumnBuilder::Finish(ArrowArray* out) {
  auto parts = std::make_unique<ArrayParts>();
  parts->validity = std::move(validity_);
  parts->data = std::move(data_);
  parts->offsets = std::move(offsets_);
  *out = ArrowArray();
  out->length = length_;
  out->null_count = null_count_;
  parts->buffers.push_back(null_count_ > 0 ? parts->validity.data() : nullptr);
  switch (type_->id()) {
    case TypeId::kStruct:
      parts->children.resize(children_.size());
      for (size_t i = 0; i < children_.size(); ++i) children_[i].Finish(&parts->children[i]);
      break;
    case TypeId::kArray:
      parts->buffers.push_back(parts->offsets.data());
      parts->children.resize(1);
      children_[0].Finish(&parts->children[0]);
      break;
    case TypeId::kMap: {
      parts->buffers.push_back(parts->offsets.data());
      parts->children.resize(1);
      // The entries: a struct without NULLs.
      auto entries = std::make_unique<ArrayParts>();
      ArrowArray& array = parts->children[0];
      array = ArrowArray();
      array.length = children_[0].length();
      entries->children.resize(2);
      for (size_t i = 0; i < 2; ++i) children_[i].Finish(&entries->children[i]);
      for (auto& child : entries->children) entries->child_pointers.push_back(&child);
      entries->buffers.push_back(nullptr);
      array.n_buffers = 1;
      array.buffers = entries->buffers.data();
      array.n_children = 2;
      array.children = entries->child_pointers.data();
      array.release = ReleaseParts;
      array.private_data = entries.release();
      break;
    }
    case TypeId::kString:
    case TypeId::kBinary:
      parts->buffers.push_back(parts->offsets.data());
      parts->buffers.push_back(parts->data.data());
      break;
    default:
      parts->buffers.push_back(parts->data.data());
      break;
  }
  for (auto& child : parts->children) parts->child_pointers.push_back(&child);
  out->n_buffers = static_cast<int64_t>(parts->buffers.size());
  out->buffers = parts->buffers.data();
  out->n_children = static_cast<int64_t>(parts->children.size());
  out->children = parts->child_pointers.data();
  out->release = ReleaseParts;
  out->private_data = parts.release();
}

ArrowBatch ArrowColumnBuilder::FinishBatch() {
  ArrowArray array;
  Finish(&array);
  return ArrowBatch(&array);
}

}  // namespace frazil::tables
