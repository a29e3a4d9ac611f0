// Arrow arrays of any layout as the one that types/arrow_c.h has for each Spark type.

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/compute/api.h>
#include <arrow/util/bitmap_ops.h>

#include "frazil/codec/arrow_types_internal.h"

namespace frazil::codec {
namespace {

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

// Nanoseconds as microseconds, towards the past as Spark has it; a cast goes towards 1970.
Result<std::shared_ptr<arrow::Array>> MicrosOf(const arrow::Array& array) {
  const auto& source = static_cast<const arrow::TimestampArray&>(array);
  FRAZIL_ARROW_ASSIGN_OR_RETURN(auto buffer, arrow::AllocateBuffer(source.length() * int64_t{sizeof(int64_t)}), true);
  auto* micros = reinterpret_cast<int64_t*>(buffer->mutable_data());
  for (int64_t i = 0; i < source.length(); ++i) {
    const int64_t nanos = source.IsValid(i) ? source.Value(i) : 0;
    micros[i] = nanos / 1000 - (nanos % 1000 < 0 ? 1 : 0);
  }
  std::shared_ptr<arrow::Buffer> validity;
  if (source.null_count() > 0) {
    FRAZIL_ARROW_ASSIGN_OR_RETURN(validity,
                                  arrow::internal::CopyBitmap(arrow::default_memory_pool(), source.null_bitmap_data(),
                                                              source.offset(), source.length()),
                                  true);
  }
  return arrow::MakeArray(arrow::ArrayData::Make(arrow::timestamp(arrow::TimeUnit::MICRO), source.length(),
                                                 {std::move(validity), std::move(buffer)}, source.null_count()));
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> NormalizeArray(std::shared_ptr<arrow::Array> array,
                                                     const std::shared_ptr<arrow::DataType>& wanted) {
  if (array->type_id() == arrow::Type::EXTENSION) {
    return NormalizeArray(static_cast<const arrow::ExtensionArray&>(*array).storage(), wanted);
  }
  if (array->type()->Equals(*wanted)) return array;
  switch (array->type_id()) {
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*array);
      FRAZIL_ARROW_ASSIGN_OR_RETURN(
          auto taken, arrow::compute::Take(arrow::Datum(dictionary.dictionary()), arrow::Datum(dictionary.indices())),
          true);
      return NormalizeArray(taken.make_array(), wanted);
    }
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW: {
      const auto list = arrow::list(array->type()->field(0));
      FRAZIL_ASSIGN_OR_RETURN(auto plain, Cast(array, list));
      return NormalizeArray(std::move(plain), wanted);
    }
    case arrow::Type::LIST: {
      if (wanted->id() != arrow::Type::LIST) break;
      const auto& list = static_cast<const arrow::ListArray&>(*array);
      FRAZIL_ASSIGN_OR_RETURN(auto values, NormalizeArray(list.values(), wanted->field(0)->type()));
      return WithChildren(*array, wanted, {values});
    }
    case arrow::Type::MAP: {
      if (wanted->id() != arrow::Type::MAP) break;
      const auto& map = static_cast<const arrow::MapArray&>(*array);
      const auto entries = arrow::MakeArray(array->data()->child_data[0]);
      FRAZIL_ASSIGN_OR_RETURN(auto keys, NormalizeArray(static_cast<const arrow::StructArray&>(*entries).field(0),
                                                        static_cast<const arrow::MapType&>(*wanted).key_type()));
      FRAZIL_ASSIGN_OR_RETURN(auto items, NormalizeArray(static_cast<const arrow::StructArray&>(*entries).field(1),
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
        FRAZIL_ASSIGN_OR_RETURN(auto child, NormalizeArray(source.field(i), wanted->field(i)->type()));
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
      FRAZIL_ASSIGN_OR_RETURN(auto converted,
                              source.unit() == arrow::TimeUnit::NANO
                                  ? MicrosOf(*array)
                                  : Cast(array, arrow::timestamp(arrow::TimeUnit::MICRO, source.timezone())));
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

}  // namespace frazil::codec
