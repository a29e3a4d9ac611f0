#include "frazil/codec/arrow_ipc.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/compute/api.h>
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

// --- reading: one layout for each Spark type
// -----------------------------------------------------------------------------------------------------------

Result<std::shared_ptr<arrow::Array>> Normalize(std::shared_ptr<arrow::Array> array,
                                                const std::shared_ptr<arrow::DataType>& wanted);

// A copy of the array's outer part with other children, whose lengths fit already.
std::shared_ptr<arrow::Array> WithChildren(const arrow::Array& array, std::shared_ptr<arrow::DataType> type,
                                           const std::vector<std::shared_ptr<arrow::Array>>& children) {
  auto data = array.data()->Copy();
  data->type = std::move(type);
  data->child_data.clear();
  for (const auto& child : children) data->child_data.push_back(child->data());
  return arrow::MakeArray(std::move(data));
}

Result<std::shared_ptr<arrow::Array>> Cast(const std::shared_ptr<arrow::Array>& array,
                                           const std::shared_ptr<arrow::DataType>& type) {
  auto options = arrow::compute::CastOptions::Unsafe(type);
  FRAZIL_ARROW_ASSIGN_OR_RETURN(auto result, arrow::compute::Cast(arrow::Datum(array), options), true);
  return result.make_array();
}

Result<std::shared_ptr<arrow::Array>> Normalize(std::shared_ptr<arrow::Array> array,
                                                const std::shared_ptr<arrow::DataType>& wanted) {
  if (array->type_id() == arrow::Type::EXTENSION) {
    return Normalize(static_cast<const arrow::ExtensionArray&>(*array).storage(), wanted);
  }
  if (array->type()->Equals(*wanted)) return array;
  switch (array->type_id()) {
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*array);
      FRAZIL_ARROW_ASSIGN_OR_RETURN(
          auto taken, arrow::compute::Take(arrow::Datum(dictionary.dictionary()), arrow::Datum(dictionary.indices())),
          true);
      return Normalize(taken.make_array(), wanted);
    }
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW: {
      const auto list = arrow::list(array->type()->field(0));
      FRAZIL_ASSIGN_OR_RETURN(auto plain, Cast(array, list));
      return Normalize(std::move(plain), wanted);
    }
    case arrow::Type::LIST: {
      if (wanted->id() != arrow::Type::LIST) break;
      const auto& list = static_cast<const arrow::ListArray&>(*array);
      FRAZIL_ASSIGN_OR_RETURN(auto values, Normalize(list.values(), wanted->field(0)->type()));
      return WithChildren(*array, wanted, {values});
    }
    case arrow::Type::MAP: {
      if (wanted->id() != arrow::Type::MAP) break;
      const auto& map = static_cast<const arrow::MapArray&>(*array);
      const auto entries = arrow::MakeArray(array->data()->child_data[0]);
      FRAZIL_ASSIGN_OR_RETURN(auto keys, Normalize(static_cast<const arrow::StructArray&>(*entries).field(0),
                                                   static_cast<const arrow::MapType&>(*wanted).key_type()));
      FRAZIL_ASSIGN_OR_RETURN(auto items, Normalize(static_cast<const arrow::StructArray&>(*entries).field(1),
                                                    static_cast<const arrow::MapType&>(*wanted).item_type()));
      (void)map;
      auto pairs = std::make_shared<arrow::StructArray>(wanted->field(0)->type(), entries->length(),
                                                        std::vector<std::shared_ptr<arrow::Array>>{keys, items});
      return WithChildren(*array, wanted, {pairs});
    }
    case arrow::Type::STRUCT: {
      if (wanted->id() != arrow::Type::STRUCT) break;
      const auto& source = static_cast<const arrow::StructArray&>(*array);
      std::vector<std::shared_ptr<arrow::Array>> children;
      for (int i = 0; i < source.num_fields(); ++i) {
        // field(i) is cut to the struct's own offset and length.
        FRAZIL_ASSIGN_OR_RETURN(auto child, Normalize(source.field(i), wanted->field(i)->type()));
        children.push_back(std::move(child));
      }
      std::shared_ptr<arrow::Buffer> validity;
      if (source.null_count() > 0) {
        FRAZIL_ARROW_ASSIGN_OR_RETURN(validity, arrow::AllocateEmptyBitmap(source.length()), true);
        for (int64_t i = 0; i < source.length(); ++i) {
          if (source.IsValid(i)) validity->mutable_data()[i / 8] |= static_cast<uint8_t>(1U << (i % 8));
        }
      }
      return std::static_pointer_cast<arrow::Array>(std::make_shared<arrow::StructArray>(
          wanted, source.length(), std::move(children), std::move(validity), source.null_count()));
    }
    case arrow::Type::INTERVAL_MONTHS: {
      auto data = array->data()->Copy();
      data->type = arrow::int32();
      return arrow::MakeArray(std::move(data));
    }
    case arrow::Type::TIMESTAMP: {
      // The values are instants or wall-clock times already: only the unit may change, the zone's name is of no
      // account.
      const auto& source = static_cast<const arrow::TimestampType&>(*array->type());
      FRAZIL_ASSIGN_OR_RETURN(auto converted, Cast(array, arrow::timestamp(arrow::TimeUnit::MICRO, source.timezone())));
      auto data = converted->data()->Copy();
      data->type = wanted;
      return arrow::MakeArray(std::move(data));
    }
    case arrow::Type::TIME32: {
      FRAZIL_ASSIGN_OR_RETURN(auto nanos, Cast(array, arrow::time64(arrow::TimeUnit::NANO)));
      return nanos;
    }
    case arrow::Type::FIXED_SIZE_BINARY:
      return Cast(array, arrow::binary());
    default:
      break;
  }
  return Cast(array, wanted);
}

Result<ArrowBatch> ExportBatch(const arrow::RecordBatch& batch) {
  ArrowArray exported;
  FRAZIL_ARROW_RETURN_IF_ERROR(arrow::ExportRecordBatch(batch, &exported), false);
  return ArrowBatch(&exported);
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
      FRAZIL_ASSIGN_OR_RETURN(auto column, Normalize(batch->column(i), wanted->field(i)->type()));
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
