#include "frazil/tables/kafka/kafka_writer.h"

#include <string_view>
#include <vector>

#include "frazil/base/text.h"
#include "frazil/tables/arrow_column.h"
#include "frazil/tables/kafka/kafka_handle.h"
#include "frazil/tables/kafka/kafka_reader.h"

namespace frazil::tables {
namespace {

constexpr int kWaitMs = 100;

std::optional<std::string_view> BytesOf(const ArrowColumn& column, int64_t row) {
  return column.IsNull(row) ? std::nullopt : std::optional<std::string_view>(column.Text(row));
}

Error Refused(const std::string& message) { return Error::Of("_LEGACY_ERROR_TEMP_3080", {{"msg", message}}); }

/// The column of a name, which has to have one of the types.
Result<std::optional<size_t>> FindColumn(const DataType& schema, const std::string& name,
                                         const std::vector<DataTypePtr>& types) {
  for (size_t i = 0; i < schema.fields().size(); ++i) {
    const auto& field = schema.fields()[i];
    if (field.name != name) continue;
    std::vector<std::string> texts;
    for (const auto& type : types) {
      if (field.type->EqualsIgnoreNullability(*type)) return std::optional<size_t>(i);
      texts.push_back(type->SimpleString());
    }
    return Refused(name + " attribute unsupported type " + field.type->SimpleString() + ". " + name + " must be a(n) " +
                   Join(texts, " or "));
  }
  return std::optional<size_t>();
}

// What librdkafka takes: a null pointer is NULL, and not the empty text. It does not write to it.
void* Pointer(const std::optional<std::string_view>& bytes) {
  if (!bytes) return nullptr;
  return const_cast<char*>(bytes->empty() ? "" : bytes->data());
}
size_t Size(const std::optional<std::string_view>& bytes) { return bytes ? bytes->size() : 0; }

struct HeadersDeleter {
  void operator()(rd_kafka_headers_t* headers) const { rd_kafka_headers_destroy(headers); }
};
using Headers = std::unique_ptr<rd_kafka_headers_t, HeadersDeleter>;

Headers HeadersOf(const ArrowColumn& column, int64_t row) {
  if (column.IsNull(row)) return nullptr;
  const auto [begin, end] = column.Range(row);
  Headers headers(rd_kafka_headers_new(static_cast<size_t>(end - begin)));
  const ArrowColumn items = column.Elements();
  const ArrowColumn names = items.Field("key"), values = items.Field("value");
  for (int64_t i = begin; i < end; ++i) {
    const auto name = BytesOf(names, i).value_or("");
    const auto value = BytesOf(values, i);
    rd_kafka_header_add(headers.get(), name.data(), static_cast<ssize_t>(name.size()), Pointer(value),
                        static_cast<ssize_t>(Size(value)));
  }
  return headers;
}

}  // namespace

struct KafkaWriter::Row {
  std::string topic;
  std::optional<std::string_view> key, value;
  int32_t partition = RD_KAFKA_PARTITION_UA;
  Headers headers;
};

KafkaWriter::~KafkaWriter() = default;

Result<KafkaWriter::Columns> KafkaWriter::FindColumns(const DataType& schema, bool has_topic) {
  const std::vector<DataTypePtr> bytes = {DataType::String(), DataType::Binary()};
  Columns columns;
  if (!has_topic) {
    FRAZIL_ASSIGN_OR_RETURN(columns.topic, FindColumn(schema, "topic", {DataType::String()}));
    if (!columns.topic) {
      return Refused(
          "topic option required when no 'topic' attribute is present. Use the topic option for setting a topic.");
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(columns.key, FindColumn(schema, "key", bytes));
  FRAZIL_ASSIGN_OR_RETURN(columns.value, FindColumn(schema, "value", bytes));
  if (!columns.value) return Refused("Required attribute 'value' not found");
  FRAZIL_ASSIGN_OR_RETURN(columns.headers, FindColumn(schema, "headers", {KafkaHeadersType()}));
  FRAZIL_ASSIGN_OR_RETURN(columns.partition, FindColumn(schema, "partition", {DataType::Integer()}));
  return columns;
}

Result<std::unique_ptr<KafkaWriter>> KafkaWriter::Open(const std::map<std::string, std::string>& options,
                                                       const DataTypePtr& schema) {
  std::unique_ptr<KafkaWriter> writer(new KafkaWriter());
  writer->schema_ = schema;
  FRAZIL_ASSIGN_OR_RETURN(const auto properties, ReadKafkaProducer(options));
  if (const auto topic = options.find("topic"); topic != options.end()) writer->topic_ = TrimControls(topic->second);
  FRAZIL_ASSIGN_OR_RETURN(writer->columns_, FindColumns(*schema, writer->topic_.has_value()));
  // As the Java client: a key goes to the partition that it would choose, and no record is there twice.
  KafkaProperties defaults = {{"partitioner", "murmur2_random"}, {"delivery.timeout.ms", "120000"}};
  if (!properties.contains("acks") && !properties.contains("enable.idempotence") && !properties.contains("retries") &&
      !properties.contains("max.in.flight.requests.per.connection")) {
    defaults["enable.idempotence"] = "true";
  }
  FRAZIL_ASSIGN_OR_RETURN(writer->client_,
                          KafkaHandle::Make(KafkaHandle::Role::kProducer, properties, std::move(defaults)));
  return writer;
}

Status KafkaWriter::Send(const Row& row, const StopFlag& stop) {
  while (true) {
    FRAZIL_RETURN_IF_ERROR(stop.Check());
    if (const auto code = client_->undelivered(); code != RD_KAFKA_RESP_ERR_NO_ERROR) return client_->Failure(code);
    // What is sent owns its headers: a try that fails has to leave ours alone.
    rd_kafka_headers_t* headers = row.headers == nullptr ? nullptr : rd_kafka_headers_copy(row.headers.get());
    const auto code = rd_kafka_producev(
        client_->get(), RD_KAFKA_V_TOPIC(row.topic.c_str()), RD_KAFKA_V_PARTITION(row.partition),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(Pointer(row.key), Size(row.key)),
        RD_KAFKA_V_VALUE(Pointer(row.value), Size(row.value)), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
    if (headers != nullptr) rd_kafka_headers_destroy(headers);
    if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) return client_->Failure(code);
    rd_kafka_poll(client_->get(), kWaitMs);
  }
}

Status KafkaWriter::Write(const ArrowBatch& rows, const ReadWatch& watch) {
  const StopFlag stop(watch);
  const auto column = [&](const std::optional<size_t>& index) -> std::optional<ArrowColumn> {
    if (!index) return std::nullopt;
    return ArrowColumn(*rows.array().children[*index], *schema_->fields()[*index].type, rows.array().offset);
  };
  const auto topic = column(columns_.topic), key = column(columns_.key), value = column(columns_.value),
             headers = column(columns_.headers), partition = column(columns_.partition);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    Row row;
    const auto name = topic ? BytesOf(*topic, i) : std::optional<std::string_view>(*topic_);
    if (!name) return Error::Of("KAFKA_NULL_TOPIC_IN_DATA");
    row.topic = *name;
    if (key) row.key = BytesOf(*key, i);
    row.value = BytesOf(*value, i);
    if (partition && !partition->IsNull(i)) {
      row.partition = static_cast<int32_t>(partition->Integer(i));
      if (row.partition < 0) {
        return Error::Plain(ExceptionClass::kIllegalArgument,
                            "Invalid partition: " + std::to_string(row.partition) +
                                ". Partition number should always be non-negative or null.");
      }
    }
    if (headers) row.headers = HeadersOf(*headers, i);
    FRAZIL_RETURN_IF_ERROR(Send(row, stop));
  }
  // Reports of delivery wait to be heard.
  rd_kafka_poll(client_->get(), 0);
  return {};
}

Status KafkaWriter::Flush(const ReadWatch& watch) {
  const StopFlag stop(watch);
  while (rd_kafka_flush(client_->get(), kWaitMs) == RD_KAFKA_RESP_ERR__TIMED_OUT) {
    FRAZIL_RETURN_IF_ERROR(stop.Check());
    if (client_->undelivered() != RD_KAFKA_RESP_ERR_NO_ERROR) break;
  }
  if (const auto code = client_->undelivered(); code != RD_KAFKA_RESP_ERR_NO_ERROR) return client_->Failure(code);
  return {};
}

}  // namespace frazil::tables
