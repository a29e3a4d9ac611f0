#include "frazil/codec/arrow_ipc.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/api.h>
#include <arrow/util/compression.h>

#include "frazil/codec/arrow_types_internal.h"

namespace frazil::codec {
namespace {

Result<arrow::ipc::IpcWriteOptions> WriteOptions(const IpcOptions& options) {
  auto result = arrow::ipc::IpcWriteOptions::Defaults();
  switch (options.compression) {
    case IpcCompression::kNone:
      break;
    case IpcCompression::kLz4: {
      FRAZIL_ARROW_ASSIGN_OR_RETURN(result.codec, arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME), false);
      break;
    }
    case IpcCompression::kZstd: {
      FRAZIL_ARROW_ASSIGN_OR_RETURN(result.codec, arrow::util::Codec::Create(arrow::Compression::ZSTD), false);
      break;
    }
  }
  return result;
}

Result<std::string> EncodeStream(const DataType& schema, std::vector<ArrowBatch> batches, const IpcOptions& options) {
  FRAZIL_ASSIGN_OR_RETURN(auto arrow_schema, ToArrowSchema(schema, options.time_zone));
  FRAZIL_ASSIGN_OR_RETURN(auto write_options, WriteOptions(options));
  FRAZIL_ARROW_ASSIGN_OR_RETURN(auto sink, arrow::io::BufferOutputStream::Create(), false);
  FRAZIL_ARROW_ASSIGN_OR_RETURN(auto writer, arrow::ipc::MakeStreamWriter(sink, arrow_schema, write_options), false);
  for (auto& batch : batches) {
    FRAZIL_ARROW_ASSIGN_OR_RETURN(auto imported, arrow::ImportRecordBatch(batch.mutable_array(), arrow_schema), false);
    FRAZIL_ARROW_RETURN_IF_ERROR(writer->WriteRecordBatch(*imported), false);
  }
  FRAZIL_ARROW_RETURN_IF_ERROR(writer->Close(), false);
  FRAZIL_ARROW_ASSIGN_OR_RETURN(auto buffer, sink->Finish(), false);
  return buffer->ToString();
}

}  // namespace

Result<std::string> EncodeSchema(const DataType& schema, const IpcOptions& options) {
  FRAZIL_ASSIGN_OR_RETURN(auto arrow_schema, ToArrowSchema(schema, options.time_zone));
  FRAZIL_ARROW_ASSIGN_OR_RETURN(auto empty, arrow::RecordBatch::MakeEmpty(arrow_schema), false);
  FRAZIL_ASSIGN_OR_RETURN(auto batch, ExportBatch(*empty));
  return EncodeBatch(schema, std::move(batch), options);
}

Result<std::string> EncodeBatch(const DataType& schema, ArrowBatch batch, const IpcOptions& options) {
  std::vector<ArrowBatch> batches;
  batches.push_back(std::move(batch));
  return EncodeStream(schema, std::move(batches), options);
}

Result<std::string> EncodeBatches(const DataType& schema, std::vector<ArrowBatch> batches, const IpcOptions& options) {
  return EncodeStream(schema, std::move(batches), options);
}

Result<std::shared_ptr<ArrowTable>> DecodeIpcStream(std::string_view bytes) {
  // The buffers of the batches point into the stream's bytes: the table must own a copy of them.
  auto buffer = arrow::Buffer::FromString(std::string(bytes));
  auto source = std::make_shared<arrow::io::BufferReader>(buffer);
  FRAZIL_ARROW_ASSIGN_OR_RETURN(auto reader, arrow::ipc::RecordBatchStreamReader::Open(source), true);
  auto table = std::make_shared<ArrowTable>();
  FRAZIL_ASSIGN_OR_RETURN(table->schema, FromArrowSchema(*reader->schema()));
  FRAZIL_ASSIGN_OR_RETURN(const auto wanted, ToArrowSchema(*table->schema, "UTC"));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    FRAZIL_ARROW_RETURN_IF_ERROR(reader->ReadNext(&batch), true);
    if (batch == nullptr) break;
    FRAZIL_ARROW_RETURN_IF_ERROR(batch->ValidateFull(), true);
    arrow::ArrayVector columns;
    for (int i = 0; i < batch->num_columns(); ++i) {
      FRAZIL_ASSIGN_OR_RETURN(auto column, NormalizeArray(batch->column(i), wanted->field(i)->type()));
      columns.push_back(std::move(column));
    }
    const auto normalized = arrow::RecordBatch::Make(wanted, batch->num_rows(), std::move(columns));
    FRAZIL_ASSIGN_OR_RETURN(auto exported, ExportBatch(*normalized));
    table->batches.push_back(std::move(exported));
  }
  return table;
}

Status ExportArrowSchema(const DataType& schema, const std::string& time_zone, ArrowSchema* out) {
  FRAZIL_ASSIGN_OR_RETURN(auto converted, ToArrowSchema(schema, time_zone));
  FRAZIL_ARROW_RETURN_IF_ERROR(arrow::ExportSchema(*converted, out), false);
  return Status::Ok();
}

Result<DataTypePtr> SparkTypeOfArrowSchema(ArrowSchema* schema) {
  FRAZIL_ARROW_ASSIGN_OR_RETURN(auto imported, arrow::ImportSchema(schema), true);
  return FromArrowSchema(*imported);
}

}  // namespace frazil::codec
