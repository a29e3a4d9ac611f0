#include "frazil/engine/functions/python_batch.h"

#include <algorithm>

#include <duckdb/common/arrow/arrow_wrapper.hpp>

#include "frazil/codec/arrow_ipc.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/statement_state.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

class ArrowAnswer : public PythonAnswer {
 public:
  ArrowAnswer(duckdb::ClientContext& client, const PythonCallData& data,
              duckdb::unique_ptr<duckdb::ArrowArrayWrapper> array)
      : data_(data),
        scan_(std::move(array), client),
        client_(client),
        type_(MappedType(*data.output->fields()[0].type)) {}

  duckdb::Vector& Next(duckdb::idx_t count) override {
    column_ = duckdb::make_uniq<duckdb::DataChunk>();
    column_->Initialize(client_, {type_}, std::max<duckdb::idx_t>(count, STANDARD_VECTOR_SIZE));
    column_->SetCardinality(count);
    duckdb::ArrowTableFunction::ArrowToDuckDB(scan_, data_.result_schema->GetColumns(), *column_);
    scan_.chunk_offset += count;
    return column_->data[0];
  }

 private:
  const PythonCallData& data_;
  duckdb::ArrowScanLocalState scan_;
  duckdb::ClientContext& client_;
  duckdb::LogicalType type_;
  duckdb::unique_ptr<duckdb::DataChunk> column_;
};

}  // namespace

PythonBatch::PythonBatch(duckdb::ClientContext& client, const PythonCallData& data)
    : client_(client), data_(data), builder_(client, data.input, data.types) {}

void PythonBatch::Append(duckdb::DataChunk& arguments) {
  duckdb::DataChunk rows;
  rows.InitializeEmpty(data_.types);
  for (duckdb::idx_t i = 0; i < data_.types.size(); ++i) {
    if (data_.has_arguments) {
      rows.data[i].Reference(arguments.data[i]);
    } else {
      rows.data[i].Reference(duckdb::Value(data_.types[i]));
    }
  }
  rows.SetCardinality(arguments.size());
  builder_.Append(rows, 0, rows.size());
}

std::unique_ptr<PythonAnswer> PythonBatch::Call() {
  const auto& context = StatementState::Of(client_).context;
  const auto rows = builder_.rows();
  codec::IpcOptions options;
  options.time_zone = context.settings.time_zone;
  const auto batch = ValueOrThrow(codec::EncodeBatch(*data_.input, builder_.Finish(), options));
  const auto watch = [&](std::function<void()> stop) -> std::function<void()> {
    const auto& cancel = context.cancel;
    if (cancel == nullptr) return [] {};
    return [&cancel, id = cancel->AddInterrupt(std::move(stop))] { cancel->RemoveInterrupt(id); };
  };
  const auto answer = ValueOrThrow(udf::CallPython(data_.place, data_.description, batch, watch));
  const auto table = ValueOrThrow(codec::DecodeIpcStream(answer));
  const auto& fields = table->schema->fields();
  const auto& expected = *data_.output->fields()[0].type;
  if (fields.size() != 1 || MappedType(*fields[0].type) != MappedType(expected) || table->batches.size() != 1 ||
      table->batches[0].num_rows() != rows) {
    ThrowSparkError(Error::Plain(ExceptionClass::kSpark, "A Python function gave " + table->schema->SimpleString() +
                                                             " instead of " + std::to_string(rows) +
                                                             " values of the type " + expected.SimpleString()));
  }
  auto wrapper = duckdb::make_uniq<duckdb::ArrowArrayWrapper>();
  ArrowArray* array = table->batches[0].mutable_array();
  wrapper->arrow_array = *array;
  array->release = nullptr;
  return std::make_unique<ArrowAnswer>(client_, data_, std::move(wrapper));
}

}  // namespace frazil::engine
