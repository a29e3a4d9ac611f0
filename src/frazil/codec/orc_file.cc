// ORC data files through Arrow's adapter. Sources: ORC specification v1; Iceberg spec, Appendix A "ORC"; Spark's
// OrcUtils for the attributes that it keeps its own types in.

#include <algorithm>
#include <chrono>
#include <mutex>

#include <arrow/adapters/orc/adapter.h>
#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/io/interfaces.h>

#include "frazil/base/integer_text.h"
#include "frazil/codec/arrow_types_internal.h"
#include "frazil/codec/data_file.h"

namespace frazil::codec {
namespace {

namespace orc = arrow::adapters::orc;

constexpr const char* kFieldIdAttribute = "iceberg.id";
constexpr const char* kRequiredAttribute = "iceberg.required";
constexpr const char* kSparkTypeAttribute = "spark.sql.catalyst.type";
constexpr int64_t kBatchRows = 16384;

arrow::Status ToArrow(const Status& status) {
  return status.ok() ? arrow::Status::OK() : arrow::Status::IOError(status.error().message);
}

// --- dates
// ----------------------------------------------------------------------------------------------------------------------------------------------

// Files of Spark, which are not marked as of the proleptic calendar, have dates before 1582-10-15 in the Julian one:
// the same year, month and day, at another number of days. Iceberg's have not.
constexpr int32_t kFirstGregorianDay = -141427;
constexpr int64_t kFirstGregorianMicros = int64_t{kFirstGregorianDay} * 86400 * 1000000;
constexpr int64_t kJulianDayOfEpoch = 2440588;

int32_t ToJulian(int32_t day) {
  if (day >= kFirstGregorianDay) return day;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  const int64_t month = static_cast<unsigned>(date.month());
  const int64_t before_march = (14 - month) / 12;
  const int64_t year = static_cast<int>(date.year()) + 4800 - before_march;
  const int64_t julian = static_cast<unsigned>(date.day()) + (153 * (month + 12 * before_march - 3) + 2) / 5 +
                         365 * year + (year >= 0 ? year / 4 : -((3 - year) / 4)) - 32083;
  // The ten days that the calendar left out.
  return static_cast<int32_t>(std::min<int64_t>(julian - kJulianDayOfEpoch, kFirstGregorianDay));
}

int32_t FromJulian(int32_t day) {
  if (day >= kFirstGregorianDay) return day;
  const int64_t c = day + kJulianDayOfEpoch + 32082;
  const int64_t d = (4 * c + 3 - (4 * c + 3 < 0 ? 1460 : 0)) / 1461;
  const int64_t whole = 1461 * d;
  const int64_t e = c - (whole - (whole < 0 ? 3 : 0)) / 4;
  const int64_t m = (5 * e + 2) / 153;
  const std::chrono::year year{static_cast<int>(d - 4800 + m / 10)};
  const std::chrono::month month{static_cast<unsigned>(m + 3 - 12 * (m / 10))};
  // A leap day of the Julian calendar alone is the day after the 28th.
  const std::chrono::sys_days first{year / month / 1};
  return static_cast<int32_t>(first.time_since_epoch().count() + (e - (153 * m + 2) / 5));
}

// The array with each date, at any depth, put to the other calendar; itself where nothing changes.
template <typename Convert>
std::shared_ptr<arrow::ArrayData> WithDates(const std::shared_ptr<arrow::ArrayData>& data, Convert convert) {
  std::shared_ptr<arrow::ArrayData> changed;
  if (data->type->id() == arrow::Type::DATE32) {
    const arrow::Date32Array dates(data);
    std::vector<int32_t> days(static_cast<size_t>(dates.offset() + dates.length()));
    bool differs = false;
    for (int64_t i = 0; i < dates.length(); ++i) {
      if (dates.IsNull(i)) continue;
      const int32_t day = convert(dates.Value(i));
      differs = differs || day != dates.Value(i);
      days[static_cast<size_t>(dates.offset() + i)] = day;
    }
    if (differs) {
      changed = data->Copy();
      changed->buffers[1] = arrow::Buffer::FromVector(std::move(days));
    }
  }
  for (size_t i = 0; i < data->child_data.size(); ++i) {
    auto child = WithDates(data->child_data[i], convert);
    if (child == data->child_data[i]) continue;
    if (changed == nullptr) changed = data->Copy();
    changed->child_data[i] = std::move(child);
  }
  return changed == nullptr ? data : changed;
}

bool HasIds(const std::vector<FileColumn>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const FileColumn& column) { return column.field_id >= 0; });
}

// --- reading
// ----------------------------------------------------------------------------------------------------------------------------------------------

class SourceFile : public arrow::io::RandomAccessFile {
 public:
  explicit SourceFile(ByteSourcePtr source) : source_(std::move(source)) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> GetSize() override { return source_->size(); }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t nbytes, void* out) override {
    const int64_t count = std::clamp<int64_t>(source_->size() - position, 0, nbytes);
    if (count > 0) ARROW_RETURN_NOT_OK(ToArrow(source_->Read(position, count, static_cast<char*>(out))));
    return count;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t nbytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(nbytes));
    ARROW_ASSIGN_OR_RAISE(const int64_t count, ReadAt(position, nbytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(count));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  arrow::Result<int64_t> Read(int64_t nbytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t count, ReadAt(position_, nbytes, out));
    position_ += count;
    return count;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t nbytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, nbytes));
    position_ += buffer->size();
    return buffer;
  }

 private:
  ByteSourcePtr source_;
  int64_t position_ = 0;
  bool closed_ = false;
};

std::optional<std::string> AttributeOf(const arrow::Field& field, const char* name) {
  if (field.metadata() == nullptr) return std::nullopt;
  const int index = field.metadata()->FindKey(name);
  return index < 0 ? std::nullopt : std::optional<std::string>(field.metadata()->value(index));
}

Result<FileColumn> ColumnOf(const arrow::Field& field) {
  FileColumn column;
  column.name = field.name();
  if (const auto id = AttributeOf(field, kFieldIdAttribute)) column.field_id = ParseInteger<int32_t>(*id).value_or(-1);
  if (AttributeOf(field, "iceberg.binary-type").value_or("") == "UUID")
    return Error::Unsupported("columns of Iceberg's type uuid in ORC files");
  const auto add_child = [&](const arrow::Field& child, std::string name) -> Status {
    FRAZIL_ASSIGN_OR_RETURN(auto converted, ColumnOf(child));
    converted.name = std::move(name);
    column.children.push_back(std::move(converted));
    return {};
  };
  switch (field.type()->id()) {
    case arrow::Type::LIST:
      FRAZIL_RETURN_IF_ERROR(add_child(*field.type()->field(0), "element"));
      column.type = DataType::Array(column.children[0].type, true);
      return column;
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*field.type());
      FRAZIL_RETURN_IF_ERROR(add_child(*map.key_field(), "key"));
      FRAZIL_RETURN_IF_ERROR(add_child(*map.item_field(), "value"));
      column.type = DataType::Map(column.children[0].type, column.children[1].type, true);
      return column;
    }
    case arrow::Type::STRUCT: {
      std::vector<StructField> fields;
      for (const auto& child : field.type()->fields()) {
        FRAZIL_RETURN_IF_ERROR(add_child(*child, child->name()));
        fields.emplace_back(child->name(), column.children.back().type, true);
      }
      column.type = DataType::Struct(std::move(fields));
      return column;
    }
    case arrow::Type::TIMESTAMP: {
      // ORC's TIMESTAMP has no zone, and is Spark's instant all the same unless Spark has noted otherwise.
      const bool local = AttributeOf(field, kSparkTypeAttribute).value_or("") == "timestamp_ntz";
      column.type = local ? DataType::TimestampNtz() : DataType::Timestamp();
      return column;
    }
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
      return Error::Unsupported("unions in ORC files");
    default:
      break;
  }
  FRAZIL_ASSIGN_OR_RETURN(column.type, FromArrowType(*field.type()));
  if (const auto noted = AttributeOf(field, kSparkTypeAttribute)) {
    // Intervals are integers in the file.
    auto type = DataType::FromJson("\"" + *noted + "\"");
    if (type.ok() && (*type)->IsAnsiInterval()) column.type = *type;
    // So are timestamps without a zone, in microseconds.
    if (*noted == "timestamp_ntz" && column.type->id() == TypeId::kLong) column.type = DataType::TimestampNtz();
  }
  return column;
}

DataTypePtr StructOf(const std::vector<FileColumn>& columns, const std::vector<size_t>& wanted) {
  std::vector<StructField> fields;
  for (const size_t index : wanted) fields.emplace_back(columns[index].name, columns[index].type, true);
  return DataType::Struct(std::move(fields));
}

class OrcReader : public DataFileReader {
 public:
  OrcReader(ByteSourcePtr source, std::string path) : source_(std::move(source)), path_(std::move(path)) {}

  Status Open() {
    FRAZIL_ASSIGN_OR_RETURN(auto reader, OpenHandle());
    auto schema = reader->ReadSchema();
    if (!schema.ok()) return Failure(schema.status());
    for (const auto& field : (*schema)->fields()) {
      FRAZIL_ASSIGN_OR_RETURN(auto column, ColumnOf(*field));
      columns_.push_back(std::move(column));
    }
    rows_ = reader->NumberOfRows();
    for (int64_t i = 0; i < reader->NumberOfStripes(); ++i) stripes_.push_back(reader->GetStripeInformation(i));
    idle_.push_back(std::move(reader));
    return {};
  }

  std::optional<int64_t> record_count() const override { return rows_; }
  std::vector<int64_t> part_offsets() const override {
    std::vector<int64_t> offsets;
    for (const auto& stripe : stripes_) offsets.push_back(stripe.offset);
    return offsets;
  }
  bool at_end() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return next_ >= stripes_.size();
  }
  Result<std::unique_ptr<BatchReader>> NextPart(const std::vector<size_t>& wanted) override;

  using Handle = std::unique_ptr<orc::ORCFileReader>;
  // A handle is for one thread at a time.
  Result<Handle> Take() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        auto handle = std::move(idle_.back());
        idle_.pop_back();
        return handle;
      }
    }
    return OpenHandle();
  }
  void GiveBack(Handle handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(handle));
  }
  Error Failure(const arrow::Status& status) const {
    return Error::Storage("The ORC file " + path_ + " cannot be read: " + status.message());
  }

 private:
  Result<Handle> OpenHandle() const {
    auto opened = orc::ORCFileReader::Open(std::make_shared<SourceFile>(source_), arrow::default_memory_pool());
    if (!opened.ok()) return Failure(opened.status());
    return std::move(opened).ValueUnsafe();
  }

  ByteSourcePtr source_;
  std::string path_;
  int64_t rows_ = 0;
  std::vector<orc::StripeInformation> stripes_;
  mutable std::mutex mutex_;
  size_t next_ = 0;
  std::vector<Handle> idle_;
};

class StripeReader : public BatchReader {
 public:
  StripeReader(OrcReader& file, const orc::StripeInformation& stripe, DataTypePtr type,
               const std::vector<size_t>& wanted)
      : file_(file), stripe_(stripe), type_(std::move(type)), wanted_(wanted.begin(), wanted.end()) {}
  ~StripeReader() override {
    batches_.reset();
    if (handle_ != nullptr) file_.GiveBack(std::move(handle_));
  }

  int64_t first_row() const override { return stripe_.first_row_id; }

  Result<bool> Next(ArrowBatch* batch) override {
    if (wanted_.empty()) {
      if (ended_ || stripe_.num_rows == 0) return false;
      ended_ = true;
      const auto counted = arrow::RecordBatch::Make(arrow::schema({}), stripe_.num_rows, arrow::ArrayVector());
      FRAZIL_ASSIGN_OR_RETURN(*batch, ExportBatch(*counted));
      return true;
    }
    if (batches_ == nullptr) FRAZIL_RETURN_IF_ERROR(Begin());
    std::shared_ptr<arrow::RecordBatch> read;
    const auto status = batches_->ReadNext(&read);
    if (!status.ok()) return file_.Failure(status);
    if (read == nullptr) return false;
    arrow::ArrayVector columns;
    for (int i = 0; i < read->num_columns(); ++i) {
      auto array = read->column(i);
      if (!HasIds(file_.columns())) array = arrow::MakeArray(WithDates(array->data(), FromJulian));
      FRAZIL_ASSIGN_OR_RETURN(auto column, NormalizeArray(std::move(array), layout_->field(i)->type()));
      columns.push_back(std::move(column));
    }
    FRAZIL_ASSIGN_OR_RETURN(*batch,
                            ExportBatch(*arrow::RecordBatch::Make(layout_, read->num_rows(), std::move(columns))));
    return true;
  }

 private:
  Status Begin() {
    FRAZIL_ASSIGN_OR_RETURN(layout_, ToArrowSchema(*type_, "UTC"));
    FRAZIL_ASSIGN_OR_RETURN(handle_, file_.Take());
    const auto sought = handle_->Seek(stripe_.first_row_id);
    if (!sought.ok()) return file_.Failure(sought);
    auto opened = handle_->NextStripeReader(kBatchRows, wanted_);
    if (!opened.ok()) return file_.Failure(opened.status());
    batches_ = std::move(opened).ValueUnsafe();
    return {};
  }

  OrcReader& file_;
  orc::StripeInformation stripe_;
  DataTypePtr type_;
  std::vector<int> wanted_;
  OrcReader::Handle handle_;
  std::shared_ptr<arrow::Schema> layout_;
  std::shared_ptr<arrow::RecordBatchReader> batches_;
  bool ended_ = false;
};

Result<std::unique_ptr<BatchReader>> OrcReader::NextPart(const std::vector<size_t>& wanted) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (next_ >= stripes_.size()) return std::unique_ptr<BatchReader>();
  return std::unique_ptr<BatchReader>(
      std::make_unique<StripeReader>(*this, stripes_[next_++], StructOf(columns_, wanted), wanted));
}

// --- writing
// ----------------------------------------------------------------------------------------------------------------------------------------------

class SinkStream : public arrow::io::OutputStream {
 public:
  explicit SinkStream(ByteSink sink) : sink_(std::move(sink)) {}
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Write(const void* data, int64_t nbytes) override {
    if (nbytes == 0) return arrow::Status::OK();
    auto status = sink_(std::string_view(static_cast<const char*>(data), static_cast<size_t>(nbytes)));
    if (!status.ok()) {
      failure_ = std::move(status);
      return arrow::Status::IOError("the file cannot be written");
    }
    position_ += nbytes;
    return arrow::Status::OK();
  }
  int64_t position() const { return position_; }
  /// What the sink said, where it failed.
  const Status& failure() const { return failure_; }

 private:
  ByteSink sink_;
  Status failure_;
  int64_t position_ = 0;
  bool closed_ = false;
};

Result<arrow::Compression::type> CodecOf(const std::string& name) {
  if (name == "none" || name == "uncompressed") return arrow::Compression::UNCOMPRESSED;
  if (name == "snappy") return arrow::Compression::SNAPPY;
  if (name == "zlib" || name == "gzip") return arrow::Compression::GZIP;
  if (name == "lz4") return arrow::Compression::LZ4;
  if (name == "zstd" || name.empty()) return arrow::Compression::ZSTD;
  return Error::Of("CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
                   {{"codecName", name}, {"availableCodecs", "uncompressed, lz4, snappy, none, zlib, zstd"}});
}

// The field whose buffers are those of the column's layout, and whose type and attributes make the ORC type.
Result<std::shared_ptr<arrow::Field>> OrcField(const FileColumn& column, bool iceberg) {
  auto attributes = std::make_shared<arrow::KeyValueMetadata>();
  if (iceberg && column.field_id >= 0) {
    attributes->Append(kFieldIdAttribute, std::to_string(column.field_id));
    attributes->Append(kRequiredAttribute, column.nullable ? "false" : "true");
  }
  std::shared_ptr<arrow::DataType> type;
  const auto child = [&](size_t i) { return OrcField(column.children[i], iceberg); };
  switch (column.type->id()) {
    case TypeId::kTimestamp:
      type = arrow::timestamp(arrow::TimeUnit::MICRO, iceberg ? "UTC" : "");
      if (!iceberg) attributes->Append(kSparkTypeAttribute, "timestamp");
      break;
    case TypeId::kTimestampNtz:
      type = iceberg ? arrow::timestamp(arrow::TimeUnit::MICRO) : arrow::int64();
      if (!iceberg) attributes->Append(kSparkTypeAttribute, "timestamp_ntz");
      break;
    case TypeId::kYearMonthInterval:
      type = arrow::int32();
      attributes->Append(kSparkTypeAttribute, column.type->SimpleString());
      break;
    case TypeId::kDayTimeInterval:
      type = arrow::int64();
      attributes->Append(kSparkTypeAttribute, column.type->SimpleString());
      break;
    case TypeId::kArray: {
      FRAZIL_ASSIGN_OR_RETURN(auto element, child(0));
      type = arrow::list(std::move(element));
      break;
    }
    case TypeId::kMap: {
      FRAZIL_ASSIGN_OR_RETURN(auto key, child(0));
      FRAZIL_ASSIGN_OR_RETURN(auto value, child(1));
      type = std::make_shared<arrow::MapType>(key->WithNullable(false), std::move(value));
      break;
    }
    case TypeId::kStruct: {
      arrow::FieldVector fields;
      for (size_t i = 0; i < column.children.size(); ++i) {
        FRAZIL_ASSIGN_OR_RETURN(auto field, child(i));
        fields.push_back(std::move(field));
      }
      type = arrow::struct_(std::move(fields));
      break;
    }
    case TypeId::kNull:
    case TypeId::kTime:
    case TypeId::kCalendarInterval:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return Error::Unsupported(column.type->SimpleString() + " columns in ORC files");
    default: {
      FRAZIL_ASSIGN_OR_RETURN(type, ToArrowType(*column.type, "UTC"));
      break;
    }
  }
  return arrow::field(column.name, std::move(type), true, std::move(attributes));
}

// Arrow's adapter writes the fraction of a second before 1970 as a negative number, which only itself understands.
Status CheckTimestamps(const arrow::ArrayData& data, bool iceberg) {
  if (data.type->id() == arrow::Type::TIMESTAMP) {
    const arrow::TimestampArray array(data.Copy());
    for (int64_t i = 0; i < array.length(); ++i) {
      if (array.IsValid(i) && array.Value(i) < 0 && array.Value(i) % 1000000 != 0)
        return Error::Unsupported("timestamps before 1970 with fractions of a second in ORC files");
      if (!iceberg && array.IsValid(i) && array.Value(i) < kFirstGregorianMicros)
        return Error::Unsupported("timestamps before 1582-10-15 in ORC files");
    }
  }
  for (const auto& child : data.child_data) FRAZIL_RETURN_IF_ERROR(CheckTimestamps(*child, iceberg));
  return {};
}

class OrcWriter : public DataFileWriter {
 public:
  OrcWriter(std::shared_ptr<arrow::Schema> schema, bool iceberg, ByteSink sink)
      : schema_(std::move(schema)), iceberg_(iceberg), stream_(std::move(sink)) {}

  Status Open(const orc::WriteOptions& options) {
    FRAZIL_ARROW_ASSIGN_OR_RETURN(writer_, orc::ORCFileWriter::Open(&stream_, options), false);
    // Makes the footer's schema, even if no row comes.
    FRAZIL_ARROW_ASSIGN_OR_RETURN(auto empty, arrow::RecordBatch::MakeEmpty(schema_), false);
    return Checked(writer_->Write(*empty));
  }
  Status Append(ArrowBatch batch) override {
    FRAZIL_ARROW_ASSIGN_OR_RETURN(auto rows, arrow::ImportRecordBatch(batch.mutable_array(), schema_), false);
    arrow::ArrayVector columns;
    for (const auto& column : rows->columns()) {
      FRAZIL_RETURN_IF_ERROR(CheckTimestamps(*column->data(), iceberg_));
      columns.push_back(iceberg_ ? column : arrow::MakeArray(WithDates(column->data(), ToJulian)));
    }
    return Checked(writer_->Write(*arrow::RecordBatch::Make(schema_, rows->num_rows(), std::move(columns))));
  }
  int64_t bytes_written() const override { return stream_.position(); }
  Status Finish() override { return Checked(writer_->Close()); }

 private:
  Status Checked(const arrow::Status& status) const {
    if (!stream_.failure().ok()) return stream_.failure();
    FRAZIL_ARROW_RETURN_IF_ERROR(status, false);
    return {};
  }

  std::shared_ptr<arrow::Schema> schema_;
  bool iceberg_;
  SinkStream stream_;
  std::unique_ptr<orc::ORCFileWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<DataFileReader>> OpenOrcFile(ByteSourcePtr source, std::string path) {
  auto reader = std::make_unique<OrcReader>(std::move(source), std::move(path));
  FRAZIL_RETURN_IF_ERROR(reader->Open());
  return std::unique_ptr<DataFileReader>(std::move(reader));
}

Result<std::unique_ptr<DataFileWriter>> MakeOrcWriter(std::vector<FileColumn> columns, const DataFileOptions& options,
                                                      ByteSink sink) {
  orc::WriteOptions write_options;
  FRAZIL_ASSIGN_OR_RETURN(write_options.compression, CodecOf(options.compression));
  if (options.stripe_bytes > 0) write_options.stripe_size = options.stripe_bytes;
  arrow::FieldVector fields;
  for (const auto& column : columns) {
    FRAZIL_ASSIGN_OR_RETURN(auto field, OrcField(column, options.iceberg_layout));
    fields.push_back(std::move(field));
  }
  auto writer = std::make_unique<OrcWriter>(arrow::schema(std::move(fields)), options.iceberg_layout, std::move(sink));
  FRAZIL_RETURN_IF_ERROR(writer->Open(write_options));
  return std::unique_ptr<DataFileWriter>(std::move(writer));
}

}  // namespace frazil::codec
