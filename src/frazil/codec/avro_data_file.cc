// Rows of Avro data files as Arrow batches. Sources: Avro specification 1.11; Iceberg spec, Appendix A "Avro";
// spark-avro for files without Iceberg's notes.

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include <arrow/api.h>
#include <arrow/util/decimal.h>
#include <arrow/util/utf8.h>

#include "frazil/codec/arrow_types_internal.h"
#include "frazil/codec/avro_file.h"
#include "frazil/codec/data_file.h"

namespace frazil::codec {
namespace {

constexpr int64_t kBatchRows = 16384;
constexpr int64_t kPartBytes = 1 << 20;
constexpr int64_t kHeaderBytes = 64 << 10;

// --- types
// ----------------------------------------------------------------------------------------------------------------------------------------------

Result<FileColumn> ColumnOf(std::string name, int32_t field_id, const AvroSchema& declared) {
  int null_branch = -1;
  const AvroSchema& schema = declared.NotNull(&null_branch);
  FileColumn column;
  column.name = std::move(name);
  column.field_id = field_id;
  column.nullable = null_branch >= 0;
  const auto add_child = [&](std::string child_name, int32_t child_id, const AvroSchema& child) -> Status {
    FRAZIL_ASSIGN_OR_RETURN(auto converted, ColumnOf(std::move(child_name), child_id, child));
    column.children.push_back(std::move(converted));
    return {};
  };
  switch (schema.type) {
    case AvroType::kNull:
      column.type = DataType::Null();
      column.nullable = true;
      return column;
    case AvroType::kBoolean:
      column.type = DataType::Boolean();
      return column;
    case AvroType::kInt:
      if (schema.logical_type == "time-millis") return Error::Unsupported("the Avro type time-millis");
      column.type = schema.logical_type == "date" ? DataType::Date() : DataType::Integer();
      return column;
    case AvroType::kLong:
      if (schema.logical_type == "timestamp-millis" || schema.logical_type == "timestamp-micros") {
        column.type = schema.adjust_to_utc.value_or(true) ? DataType::Timestamp() : DataType::TimestampNtz();
      } else if (schema.logical_type == "local-timestamp-millis" || schema.logical_type == "local-timestamp-micros") {
        column.type = DataType::TimestampNtz();
      } else if (schema.logical_type == "time-micros") {
        column.type = DataType::Time();
      } else if (schema.logical_type.ends_with("nanos")) {
        return Error::Unsupported("the Avro type " + schema.logical_type);
      } else {
        column.type = DataType::Long();
      }
      return column;
    case AvroType::kFloat:
      column.type = DataType::Float();
      return column;
    case AvroType::kDouble:
      column.type = DataType::Double();
      return column;
    case AvroType::kBytes:
    case AvroType::kFixed:
      if (schema.logical_type == "decimal") {
        if (schema.precision < 1 || schema.precision > 38 || schema.scale < 0 || schema.scale > schema.precision)
          return Error::Unsupported("Avro decimals of more than 38 digits");
        column.type = DataType::Decimal(schema.precision, schema.scale);
      } else {
        column.type = schema.logical_type == "uuid" ? DataType::String() : DataType::Binary();
      }
      return column;
    case AvroType::kString:
    case AvroType::kEnum:
      column.type = DataType::String();
      return column;
    case AvroType::kRecord: {
      std::vector<StructField> fields;
      for (const auto& field : schema.fields) {
        FRAZIL_RETURN_IF_ERROR(add_child(field.name, field.field_id, *field.schema));
        fields.emplace_back(field.name, column.children.back().type, column.children.back().nullable);
      }
      column.type = DataType::Struct(std::move(fields));
      return column;
    }
    case AvroType::kArray:
      if (schema.logical_type == "map") {
        const auto& entry = *schema.element;
        if (entry.type != AvroType::kRecord || entry.fields.size() != 2)
          return Error::Storage("an Avro map is no list of keys and values");
        FRAZIL_RETURN_IF_ERROR(add_child("key", entry.fields[0].field_id, *entry.fields[0].schema));
        FRAZIL_RETURN_IF_ERROR(add_child("value", entry.fields[1].field_id, *entry.fields[1].schema));
        column.type = DataType::Map(column.children[0].type, column.children[1].type, column.children[1].nullable);
        return column;
      }
      FRAZIL_RETURN_IF_ERROR(add_child("element", schema.element_id, *schema.element));
      column.type = DataType::Array(column.children[0].type, column.children[0].nullable);
      return column;
    case AvroType::kMap: {
      FileColumn key;
      key.name = "key";
      key.type = DataType::String();
      key.nullable = false;
      key.field_id = schema.key_id;
      column.children.push_back(std::move(key));
      FRAZIL_RETURN_IF_ERROR(add_child("value", schema.value_id, *schema.element));
      column.type = DataType::Map(DataType::String(), column.children[1].type, column.children[1].nullable);
      return column;
    }
    case AvroType::kUnion:
      return Error::Unsupported("Avro unions of several types");
  }
  return Error::Internal("unknown Avro type");
}

// --- values
// ----------------------------------------------------------------------------------------------------------------------------------------------

template <typename Builder, typename... Arguments>
arrow::Status Put(arrow::ArrayBuilder* builder, Arguments... arguments) {
  return static_cast<Builder*>(builder)->Append(arguments...);
}

std::string UuidText(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits;
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned>(static_cast<uint8_t>(bytes[i])));
    text.append(digits.data(), 2);
  }
  return text;
}

arrow::Status PutText(arrow::ArrayBuilder* builder, std::string_view text) {
  if (!arrow::util::ValidateUTF8(text)) return arrow::Status::Invalid("a text is not UTF-8");
  return Put<arrow::StringBuilder>(builder, text);
}

// Appends one value of the schema; the builder's type is that of ColumnOf.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the schema.
arrow::Status ReadValue(const AvroSchema& declared, AvroDecoder& decoder, arrow::ArrayBuilder* builder) {
  int null_branch = -1;
  const AvroSchema& schema = declared.NotNull(&null_branch);
  if (null_branch >= 0 && decoder.ReadLong() == null_branch) return builder->AppendNull();
  switch (schema.type) {
    case AvroType::kNull:
      return builder->AppendNull();
    case AvroType::kBoolean:
      return Put<arrow::BooleanBuilder>(builder, decoder.ReadBoolean());
    case AvroType::kInt:
      if (schema.logical_type == "date") return Put<arrow::Date32Builder>(builder, decoder.ReadInt());
      return Put<arrow::Int32Builder>(builder, decoder.ReadInt());
    case AvroType::kLong: {
      int64_t value = decoder.ReadLong();
      if (schema.logical_type.empty()) return Put<arrow::Int64Builder>(builder, value);
      if (schema.logical_type.ends_with("millis") && __builtin_mul_overflow(value, 1000, &value))
        return arrow::Status::Invalid("a timestamp is out of range");
      if (builder->type()->id() == arrow::Type::TIMESTAMP) return Put<arrow::TimestampBuilder>(builder, value);
      if (builder->type()->id() == arrow::Type::TIME64) {
        if (__builtin_mul_overflow(value, 1000, &value)) return arrow::Status::Invalid("a time is out of range");
        return Put<arrow::Time64Builder>(builder, value);
      }
      return Put<arrow::Int64Builder>(builder, value);
    }
    case AvroType::kFloat:
      return Put<arrow::FloatBuilder>(builder, decoder.ReadFloat());
    case AvroType::kDouble:
      return Put<arrow::DoubleBuilder>(builder, decoder.ReadDouble());
    case AvroType::kBytes:
    case AvroType::kFixed: {
      const auto bytes =
          schema.type == AvroType::kBytes ? decoder.ReadBytes() : decoder.ReadRaw(static_cast<uint64_t>(schema.size));
      if (builder->type()->id() == arrow::Type::STRING) return PutText(builder, UuidText(bytes));
      if (builder->type()->id() != arrow::Type::DECIMAL128) return Put<arrow::BinaryBuilder>(builder, bytes);
      // Of bytes that do not come the decoder tells.
      if (!decoder.ok()) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(const auto value,
                            arrow::Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                             static_cast<int32_t>(bytes.size())));
      if (!value.FitsInPrecision(schema.precision)) return arrow::Status::Invalid("a decimal has too many digits");
      return Put<arrow::Decimal128Builder>(builder, value);
    }
    case AvroType::kString:
      return PutText(builder, decoder.ReadBytes());
    case AvroType::kEnum: {
      const auto symbol = decoder.ReadLong();
      if (symbol < 0 || static_cast<size_t>(symbol) >= schema.symbols.size())
        return arrow::Status::Invalid("a value is none of its enum's");
      return PutText(builder, schema.symbols[static_cast<size_t>(symbol)]);
    }
    case AvroType::kRecord: {
      auto* row = static_cast<arrow::StructBuilder*>(builder);
      ARROW_RETURN_NOT_OK(row->Append());
      for (size_t i = 0; i < schema.fields.size(); ++i)
        ARROW_RETURN_NOT_OK(ReadValue(*schema.fields[i].schema, decoder, row->field_builder(static_cast<int>(i))));
      return arrow::Status::OK();
    }
    case AvroType::kArray:
    case AvroType::kMap: {
      arrow::Status status;
      const auto read = [&](const AvroSchema& part, arrow::ArrayBuilder* target) {
        if (status.ok()) status = ReadValue(part, decoder, target);
        if (!status.ok()) decoder.Fail();
      };
      if (builder->type()->id() == arrow::Type::LIST) {
        auto* list = static_cast<arrow::ListBuilder*>(builder);
        ARROW_RETURN_NOT_OK(list->Append());
        decoder.ReadItems([&] { read(*schema.element, list->value_builder()); });
        return status;
      }
      auto* map = static_cast<arrow::MapBuilder*>(builder);
      ARROW_RETURN_NOT_OK(map->Append());
      if (schema.type == AvroType::kMap) {
        decoder.ReadItems([&] {
          status = PutText(map->key_builder(), decoder.ReadBytes());
          read(*schema.element, map->item_builder());
        });
      } else {
        const auto& entry = schema.element->fields;
        decoder.ReadItems([&] {
          read(*entry[0].schema, map->key_builder());
          read(*entry[1].schema, map->item_builder());
        });
      }
      return status;
    }
    case AvroType::kUnion:
      break;
  }
  return arrow::Status::NotImplemented("Avro unions of several types");
}

// --- files
// ----------------------------------------------------------------------------------------------------------------------------------------------

struct StoredBlock {
  int64_t records = 0;
  std::string_view data;  ///< As stored, within AvroPart::bytes.
};

// Blocks that stand together in the file.
struct AvroPart {
  std::string bytes;
  std::vector<StoredBlock> blocks;
  int64_t first_row = 0;
};

class AvroPartReader : public BatchReader {
 public:
  AvroPartReader(const AvroHeader& header, const std::string& path, AvroPart part, std::vector<size_t> wanted,
                 DataTypePtr type)
      : header_(header), path_(path), part_(std::move(part)), wanted_(std::move(wanted)), type_(std::move(type)) {}

  int64_t first_row() const override { return part_.first_row; }

  Result<bool> Next(ArrowBatch* batch) override {
    if (layout_ == nullptr) FRAZIL_RETURN_IF_ERROR(Begin());
    int64_t rows = 0;
    while (rows < kBatchRows) {
      if (left_in_block_ == 0) {
        if (next_block_ == part_.blocks.size()) break;
        FRAZIL_RETURN_IF_ERROR(OpenBlock(part_.blocks[next_block_++]));
        continue;
      }
      const int64_t count = std::min(left_in_block_, kBatchRows - rows);
      if (!wanted_.empty()) FRAZIL_RETURN_IF_ERROR(ReadRows(count));
      left_in_block_ -= count;
      rows += count;
    }
    if (rows == 0) return false;
    arrow::ArrayVector columns;
    for (auto& builder : builders_) {
      FRAZIL_ARROW_ASSIGN_OR_RETURN(auto column, builder->Finish(), false);
      columns.push_back(std::move(column));
    }
    FRAZIL_ASSIGN_OR_RETURN(*batch, ExportBatch(*arrow::RecordBatch::Make(layout_, rows, std::move(columns))));
    return true;
  }

 private:
  Status Begin() {
    FRAZIL_ASSIGN_OR_RETURN(layout_, ToArrowSchema(*type_, "UTC"));
    column_of_.assign(header_.schema->fields.size(), -1);
    for (size_t i = 0; i < wanted_.size(); ++i) {
      column_of_[wanted_[i]] = static_cast<int>(i);
      FRAZIL_ARROW_ASSIGN_OR_RETURN(auto builder, arrow::MakeBuilder(layout_->field(static_cast<int>(i))->type()),
                                    false);
      builders_.push_back(std::move(builder));
    }
    return {};
  }

  Status OpenBlock(const StoredBlock& block) {
    left_in_block_ = block.records;
    if (wanted_.empty()) return {};
    if (header_.codec == "null") {
      decoder_ = AvroDecoder(block.data);
      return {};
    }
    FRAZIL_ASSIGN_OR_RETURN(block_, DecompressAvroBlock(header_.codec, block.data));
    decoder_ = AvroDecoder(block_);
    return {};
  }

  Status ReadRows(int64_t count) {
    const auto& fields = header_.schema->fields;
    for (int64_t row = 0; row < count; ++row) {
      for (size_t i = 0; i < fields.size(); ++i) {
        if (column_of_[i] < 0) {
          decoder_.Skip(*fields[i].schema);
          continue;
        }
        const auto status = ReadValue(*fields[i].schema, decoder_, builders_[static_cast<size_t>(column_of_[i])].get());
        if (!status.ok()) return Error::Storage("The Avro file " + path_ + " cannot be read: " + status.message());
      }
      if (!decoder_.ok()) return Error::Storage("Not a sound Avro file: " + path_);
    }
    return {};
  }

  const AvroHeader& header_;
  const std::string& path_;
  AvroPart part_;
  std::vector<size_t> wanted_;
  DataTypePtr type_;
  std::shared_ptr<arrow::Schema> layout_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  std::vector<int> column_of_;  ///< By field of the record; -1: not wanted.
  size_t next_block_ = 0;
  int64_t left_in_block_ = 0;
  std::string block_;
  AvroDecoder decoder_{std::string_view()};
};

class AvroReader : public DataFileReader {
 public:
  AvroReader(ByteSourcePtr source, std::string path) : source_(std::move(source)), path_(std::move(path)) {}

  Status Open() {
    arrow::util::InitializeUTF8();
    for (int64_t bytes = kHeaderBytes;; bytes *= 4) {
      std::string start(static_cast<size_t>(std::min(bytes, source_->size())), '\0');
      FRAZIL_RETURN_IF_ERROR(source_->Read(0, static_cast<int64_t>(start.size()), start.data()));
      auto header = ParseAvroHeader(start, path_);
      if (!header.ok() && static_cast<int64_t>(start.size()) < source_->size() && start.starts_with("Obj")) continue;
      if (!header.ok()) return std::move(header).error();
      header_ = *std::move(header);
      break;
    }
    position_ = static_cast<int64_t>(header_.size);
    if (header_.schema->type != AvroType::kRecord) return Error::Unsupported("Avro files whose schema is no record");
    for (const auto& field : header_.schema->fields) {
      FRAZIL_ASSIGN_OR_RETURN(auto column, ColumnOf(field.name, field.field_id, *field.schema));
      columns_.push_back(std::move(column));
    }
    return {};
  }

  std::optional<int64_t> record_count() const override { return std::nullopt; }
  bool at_end() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return position_ >= source_->size();
  }

  Result<std::unique_ptr<BatchReader>> NextPart(const std::vector<size_t>& wanted) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (position_ >= source_->size()) return std::unique_ptr<BatchReader>();
    AvroPart part;
    part.first_row = rows_;
    int64_t bytes = std::min(kPartBytes, source_->size() - position_);
    while (true) {
      part.bytes.resize(static_cast<size_t>(bytes));
      FRAZIL_RETURN_IF_ERROR(source_->Read(position_, bytes, part.bytes.data()));
      FRAZIL_ASSIGN_OR_RETURN(const int64_t needed, Cut(part));
      if (needed == 0) break;
      bytes = needed;
    }
    std::vector<StructField> fields;
    for (const size_t index : wanted) fields.emplace_back(columns_[index].name, columns_[index].type, true);
    return std::unique_ptr<BatchReader>(
        std::make_unique<AvroPartReader>(header_, path_, std::move(part), wanted, DataType::Struct(std::move(fields))));
  }

 private:
  // Finds the whole blocks of the part and moves behind them. Where not even one is whole: the bytes that it takes.
  Result<int64_t> Cut(AvroPart& part) {
    const auto damaged = [&] { return Error::Storage("Not a sound Avro file: " + path_); };
    const int64_t left = source_->size() - position_;
    std::string_view rest(part.bytes);
    while (!rest.empty()) {
      AvroDecoder decoder(rest);
      const int64_t records = decoder.ReadLong();
      const int64_t size = decoder.ReadLong();
      if (!decoder.ok() || records < 0 || size < 0 || size > source_->size()) {
        // The two numbers themselves may be cut off.
        if (!part.blocks.empty() && rest.size() < 20) break;
        return damaged();
      }
      const size_t head = rest.size() - decoder.remaining();
      const size_t whole = head + static_cast<size_t>(size) + kAvroSyncSize;
      if (whole > rest.size()) {
        if (!part.blocks.empty()) break;
        if (static_cast<int64_t>(whole) > left) return damaged();
        return static_cast<int64_t>(whole);
      }
      if (rest.substr(whole - kAvroSyncSize, kAvroSyncSize) != header_.sync) return damaged();
      part.blocks.push_back({records, rest.substr(head, static_cast<size_t>(size))});
      rows_ += records;
      rest.remove_prefix(whole);
    }
    position_ += static_cast<int64_t>(part.bytes.size() - rest.size());
    return 0;
  }

  ByteSourcePtr source_;
  std::string path_;
  AvroHeader header_;
  mutable std::mutex mutex_;
  int64_t position_ = 0;
  int64_t rows_ = 0;
};

}  // namespace

Result<std::unique_ptr<DataFileReader>> OpenAvroFile(ByteSourcePtr source, std::string path) {
  auto reader = std::make_unique<AvroReader>(std::move(source), std::move(path));
  FRAZIL_RETURN_IF_ERROR(reader->Open());
  return std::unique_ptr<DataFileReader>(std::move(reader));
}

}  // namespace frazil::codec
