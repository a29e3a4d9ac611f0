#include "frazil/engine/arrow_result.h"

#include <duckdb/common/arrow/arrow_appender.hpp>
#include <duckdb/main/client_properties.hpp>

namespace frazil::engine {
namespace {

// Brings an array from DuckDB's layout to Spark's where they differ. Buffers are still ours alone.
void Adapt(const DataType& type, ArrowArray* array) {
  switch (type.id()) {
    case TypeId::kNull:
      array->n_buffers = 0;
      array->null_count = array->length;
      return;
    case TypeId::kTime: {
      // Microseconds to nanoseconds.
      auto* values = static_cast<int64_t*>(const_cast<void*>(array->buffers[1]));
      for (int64_t i = 0; i < array->length; ++i) values[array->offset + i] *= 1000;
      return;
    }
    case TypeId::kArray:
      Adapt(*type.element_type(), array->children[0]);
      return;
    case TypeId::kMap: {
      ArrowArray* entries = array->children[0];
      Adapt(*type.key_type(), entries->children[0]);
      Adapt(*type.value_type(), entries->children[1]);
      return;
    }
    case TypeId::kStruct:
      if (type.fields().empty()) array->n_children = 0;
      for (size_t i = 0; i < type.fields().size(); ++i) Adapt(*type.fields()[i].type, array->children[i]);
      return;
    default:
      return;
  }
}

}  // namespace

struct ArrowBatchBuilder::State {
  duckdb::vector<duckdb::LogicalType> types;
  duckdb::ClientProperties properties;
  duckdb::unique_ptr<duckdb::ArrowAppender> appender;
};

ArrowBatchBuilder::ArrowBatchBuilder(duckdb::ClientContext& client, DataTypePtr schema,
                                     duckdb::vector<duckdb::LogicalType> types)
    : state_(std::make_unique<State>()), schema_(std::move(schema)) {
  state_->types = std::move(types);
  state_->properties = duckdb::ClientProperties("UTC", duckdb::ArrowOffsetSize::REGULAR, false, false, false,
                                                duckdb::ArrowFormatVersion::V1_0, client);
}

ArrowBatchBuilder::~ArrowBatchBuilder() = default;

void ArrowBatchBuilder::Append(duckdb::DataChunk& chunk, duckdb::idx_t from, duckdb::idx_t to) {
  if (state_->appender == nullptr) {
    state_->appender = duckdb::make_uniq<duckdb::ArrowAppender>(
        state_->types, STANDARD_VECTOR_SIZE, state_->properties,
        duckdb::unordered_map<duckdb::idx_t, const duckdb::shared_ptr<duckdb::ArrowTypeExtensionData>>());
  }
  state_->appender->Append(chunk, from, to, chunk.size());
  rows_ += static_cast<int64_t>(to - from);
  bytes_ += static_cast<int64_t>(chunk.GetAllocationSize() * (to - from) / std::max<duckdb::idx_t>(chunk.size(), 1));
}

ArrowBatch ArrowBatchBuilder::Finish() {
  ArrowArray array = state_->appender->Finalize();
  state_->appender.reset();
  rows_ = 0;
  bytes_ = 0;
  // Columns that DuckDB needs for rows without columns are not the client's.
  if (schema_->fields().empty()) array.n_children = 0;
  for (size_t i = 0; i < schema_->fields().size(); ++i) Adapt(*schema_->fields()[i].type, array.children[i]);
  return ArrowBatch(&array);
}

}  // namespace frazil::engine
