// Arrow batches as rows of Avro data files. Sources: Iceberg spec, Appendix A "Avro"; spark-avro's SchemaConverters.

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include "frazil/base/json.h"
#include "frazil/codec/arrow_types_internal.h"
#include "frazil/codec/avro_file.h"
#include "frazil/codec/data_file.h"

namespace frazil::codec {
namespace {

// --- schema
// ----------------------------------------------------------------------------------------------------------------------------------------------

class SchemaText {
 public:
  explicit SchemaText(bool iceberg) : iceberg_(iceberg) {}

  Result<std::string> Record(const std::vector<FileColumn>& columns, const std::string& name) {
    std::string text = "{\"type\":\"record\",\"name\":" + JsonString(name) + ",\"fields\":[";
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto& column = columns[i];
      if (i > 0) text += ',';
      const std::string avro_name = iceberg_ ? AvroName(column.name) : column.name;
      text += "{\"name\":" + JsonString(avro_name) + ",\"type\":";
      FRAZIL_ASSIGN_OR_RETURN(const auto type, Declared(column, name + "_" + avro_name));
      text += type;
      if (column.nullable) text += ",\"default\":null";
      if (avro_name != column.name) text += ",\"iceberg-field-name\":" + JsonString(column.name);
      if (iceberg_ && column.field_id >= 0) text += ",\"field-id\":" + std::to_string(column.field_id);
      text += '}';
    }
    return text + "]}";
  }

 private:
  Result<std::string> Declared(const FileColumn& column, const std::string& path) {
    FRAZIL_ASSIGN_OR_RETURN(auto type, TypeOf(column, path));
    return column.nullable ? "[\"null\"," + type + "]" : type;
  }

  static std::string Logical(const char* type, const char* logical, const std::string& more = "") {
    return std::string("{\"type\":\"") + type + "\",\"logicalType\":\"" + logical + "\"" + more + "}";
  }
  // An entry of Iceberg's ids.
  std::string Id(const char* name, int32_t id) const {
    return iceberg_ && id >= 0 ? std::string(",\"") + name + "\":" + std::to_string(id) : "";
  }

  Result<std::string> TypeOf(const FileColumn& column, const std::string& path) {
    switch (column.type->id()) {
      case TypeId::kBoolean:
        return std::string("\"boolean\"");
      case TypeId::kByte:
      case TypeId::kShort:
      case TypeId::kInteger:
        return std::string("\"int\"");
      case TypeId::kLong:
        return std::string("\"long\"");
      case TypeId::kFloat:
        return std::string("\"float\"");
      case TypeId::kDouble:
        return std::string("\"double\"");
      case TypeId::kString:
        return std::string("\"string\"");
      case TypeId::kBinary:
        return std::string("\"bytes\"");
      case TypeId::kDate:
        return Logical("int", "date");
      case TypeId::kTimestamp:
        return Logical("long", "timestamp-micros", iceberg_ ? ",\"adjust-to-utc\":true" : "");
      case TypeId::kTimestampNtz:
        return iceberg_ ? Logical("long", "timestamp-micros", ",\"adjust-to-utc\":false")
                        : Logical("long", "local-timestamp-micros");
      case TypeId::kDecimal: {
        const auto precision = std::to_string(column.type->precision()), scale = std::to_string(column.type->scale());
        return "{\"type\":\"fixed\",\"name\":" +
               JsonString(iceberg_ ? NewName("decimal_" + precision + "_" + scale) : path) +
               ",\"size\":" + std::to_string(DecimalBytes(column.type->precision())) +
               ",\"logicalType\":\"decimal\",\"precision\":" + precision + ",\"scale\":" + scale + "}";
      }
      case TypeId::kArray: {
        FRAZIL_ASSIGN_OR_RETURN(const auto element, Declared(column.children[0], path + "_element"));
        return "{\"type\":\"array\",\"items\":" + element + Id("element-id", column.children[0].field_id) + "}";
      }
      case TypeId::kMap: {
        const auto& key = column.children[0];
        const auto& value = column.children[1];
        if (key.type->IsString()) {
          FRAZIL_ASSIGN_OR_RETURN(const auto values, Declared(value, path + "_value"));
          return "{\"type\":\"map\",\"values\":" + values + Id("key-id", key.field_id) +
                 Id("value-id", value.field_id) + "}";
        }
        if (!iceberg_) return Error::Unsupported("maps whose keys are no strings in Avro files");
        FileColumn required_key = key;
        required_key.nullable = false;
        FRAZIL_ASSIGN_OR_RETURN(
            const auto entry,
            Record({required_key, value}, "k" + std::to_string(key.field_id) + "_v" + std::to_string(value.field_id)));
        return "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":" + entry + "}";
      }
      case TypeId::kStruct:
        return Record(column.children, iceberg_ ? "r" + std::to_string(column.field_id) : path);
      case TypeId::kNull:
      case TypeId::kTime:
      case TypeId::kYearMonthInterval:
      case TypeId::kDayTimeInterval:
      case TypeId::kCalendarInterval:
      case TypeId::kVariant:
      case TypeId::kGeometry:
      case TypeId::kGeography:
        break;
    }
    return Error::Unsupported(column.type->SimpleString() + " columns in Avro files");
  }

  // Named types are written out at every place, and so each has its own name.
  std::string NewName(const std::string& wanted) {
    const int count = names_[wanted]++;
    return count == 0 ? wanted : wanted + "_" + std::to_string(count);
  }

  bool iceberg_;
  std::map<std::string, int> names_;
};

// --- values
// ----------------------------------------------------------------------------------------------------------------------------------------------

template <typename Array>
const Array& As(const arrow::Array& array) {
  return static_cast<const Array&>(array);
}

Error NullInRequired(const FileColumn& column) {
  return Error::Of("NOT_NULL_ASSERT_VIOLATION", {{"walkedTypePath", column.name}});
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the type.
Status WriteValue(const FileColumn& column, const arrow::Array& array, int64_t i, AvroEncoder& out) {
  if (column.nullable) {
    if (array.IsNull(i)) {
      out.WriteNull();
      return {};
    }
    out.WritePresent();
  } else if (array.IsNull(i)) {
    return NullInRequired(column);
  }
  switch (column.type->id()) {
    case TypeId::kBoolean:
      out.WriteBoolean(As<arrow::BooleanArray>(array).Value(i));
      return {};
    case TypeId::kByte:
      out.WriteLong(As<arrow::Int8Array>(array).Value(i));
      return {};
    case TypeId::kShort:
      out.WriteLong(As<arrow::Int16Array>(array).Value(i));
      return {};
    case TypeId::kInteger:
      out.WriteLong(As<arrow::Int32Array>(array).Value(i));
      return {};
    case TypeId::kDate:
      out.WriteLong(As<arrow::Date32Array>(array).Value(i));
      return {};
    case TypeId::kLong:
      out.WriteLong(As<arrow::Int64Array>(array).Value(i));
      return {};
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
      out.WriteLong(As<arrow::TimestampArray>(array).Value(i));
      return {};
    case TypeId::kFloat:
      out.WriteFloat(As<arrow::FloatArray>(array).Value(i));
      return {};
    case TypeId::kDouble:
      out.WriteDouble(As<arrow::DoubleArray>(array).Value(i));
      return {};
    case TypeId::kString:
    case TypeId::kBinary:
      out.WriteBytes(As<arrow::BinaryArray>(array).GetView(i));
      return {};
    case TypeId::kDecimal: {
      // Two's complement, the greatest byte first.
      const uint8_t* value = As<arrow::Decimal128Array>(array).GetValue(i);
      char bytes[16];
      const auto size = static_cast<size_t>(DecimalBytes(column.type->precision()));
      for (size_t k = 0; k < size; ++k) bytes[k] = static_cast<char>(value[size - 1 - k]);
      out.WriteRaw(std::string_view(bytes, size));
      return {};
    }
    case TypeId::kArray: {
      const auto& list = As<arrow::ListArray>(array);
      const int64_t begin = list.value_offset(i), count = list.value_length(i);
      if (count > 0) out.WriteLong(count);
      for (int64_t k = begin; k < begin + count; ++k)
        FRAZIL_RETURN_IF_ERROR(WriteValue(column.children[0], *list.values(), k, out));
      out.WriteLong(0);
      return {};
    }
    case TypeId::kMap: {
      const auto& map = As<arrow::MapArray>(array);
      const int64_t begin = map.value_offset(i), count = map.value_length(i);
      if (count > 0) out.WriteLong(count);
      for (int64_t k = begin; k < begin + count; ++k) {
        FileColumn key = column.children[0];
        key.nullable = false;
        FRAZIL_RETURN_IF_ERROR(WriteValue(key, *map.keys(), k, out));
        FRAZIL_RETURN_IF_ERROR(WriteValue(column.children[1], *map.items(), k, out));
      }
      out.WriteLong(0);
      return {};
    }
    case TypeId::kStruct: {
      const auto& row = As<arrow::StructArray>(array);
      for (size_t k = 0; k < column.children.size(); ++k)
        FRAZIL_RETURN_IF_ERROR(WriteValue(column.children[k], *row.field(static_cast<int>(k)), i, out));
      return {};
    }
    case TypeId::kNull:
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return Error::Unsupported(column.type->SimpleString() + " columns in Avro files");
}

class AvroWriter : public DataFileWriter {
 public:
  AvroWriter(std::vector<FileColumn> columns, std::shared_ptr<arrow::Schema> layout, const std::string& schema,
             const std::map<std::string, std::string>& metadata, std::string codec, ByteSink sink)
      : columns_(std::move(columns)),
        layout_(std::move(layout)),
        file_(schema, metadata, std::move(codec)),
        sink_(std::move(sink)) {}

  Status Append(ArrowBatch batch) override {
    FRAZIL_ARROW_ASSIGN_OR_RETURN(const auto rows, arrow::ImportRecordBatch(batch.mutable_array(), layout_), false);
    for (int64_t i = 0; i < rows->num_rows(); ++i) {
      for (size_t k = 0; k < columns_.size(); ++k) {
        FRAZIL_RETURN_IF_ERROR(WriteValue(columns_[k], *rows->column(static_cast<int>(k)), i, file_.encoder()));
      }
      FRAZIL_RETURN_IF_ERROR(file_.EndRecord());
    }
    return HandOn(file_.TakeBytes());
  }
  int64_t bytes_written() const override { return bytes_; }
  Status Finish() override {
    FRAZIL_ASSIGN_OR_RETURN(const auto rest, file_.Finish());
    return HandOn(rest);
  }

 private:
  Status HandOn(std::string_view bytes) {
    if (bytes.empty()) return {};
    bytes_ += static_cast<int64_t>(bytes.size());
    return sink_(bytes);
  }

  std::vector<FileColumn> columns_;
  std::shared_ptr<arrow::Schema> layout_;
  AvroFileWriter file_;
  ByteSink sink_;
  int64_t bytes_ = 0;
};

Result<std::string> CodecOf(const std::string& name) {
  if (name == "gzip" || name == "deflate") return std::string("deflate");
  if (name == "snappy" || name.empty()) return std::string("snappy");
  if (name == "zstd" || name == "zstandard") return std::string("zstandard");
  if (name == "uncompressed" || name == "none") return std::string("null");
  return Error::Of("CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
                   {{"codecName", name}, {"availableCodecs", "deflate, snappy, uncompressed, zstandard"}});
}

}  // namespace

Result<std::unique_ptr<DataFileWriter>> MakeAvroWriter(std::vector<FileColumn> columns, const DataFileOptions& options,
                                                       ByteSink sink) {
  FRAZIL_ASSIGN_OR_RETURN(auto codec, CodecOf(options.compression));
  FRAZIL_ASSIGN_OR_RETURN(
      const auto schema,
      SchemaText(options.iceberg_layout).Record(columns, options.iceberg_layout ? "table" : "topLevelRecord"));
  std::vector<StructField> fields;
  for (const auto& column : columns) fields.emplace_back(column.name, column.type, true);
  FRAZIL_ASSIGN_OR_RETURN(auto layout, ToArrowSchema(*DataType::Struct(std::move(fields)), "UTC"));
  return std::unique_ptr<DataFileWriter>(std::make_unique<AvroWriter>(
      std::move(columns), std::move(layout), schema, options.metadata, std::move(codec), std::move(sink)));
}

}  // namespace frazil::codec
