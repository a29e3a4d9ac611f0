// Rows that the client sent, and the messages of spark.catalog.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/codec/arrow_ipc.h"
#include "frazil/connect/plan_reader_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;
using NodePtr = std::shared_ptr<plan::Plan>;

// Levels by Spark's names: disk, memory, off-heap, deserialized, replication.
constexpr std::pair<std::string_view, std::string_view> kNamedLevels[] = {
    {"NONE", "0,0,0,0,1"},
    {"DISK_ONLY", "1,0,0,0,1"},
    {"DISK_ONLY_2", "1,0,0,0,2"},
    {"DISK_ONLY_3", "1,0,0,0,3"},
    {"MEMORY_ONLY", "0,1,0,1,1"},
    {"MEMORY_ONLY_2", "0,1,0,1,2"},
    {"MEMORY_ONLY_SER", "0,1,0,0,1"},
    {"MEMORY_ONLY_SER_2", "0,1,0,0,2"},
    {"MEMORY_AND_DISK", "1,1,0,1,1"},
    {"MEMORY_AND_DISK_2", "1,1,0,1,2"},
    {"MEMORY_AND_DISK_SER", "1,1,0,0,1"},
    {"MEMORY_AND_DISK_SER_2", "1,1,0,0,2"},
    {"OFF_HEAP", "1,1,1,0,1"},
};

// The field's value as text, or nothing where it is absent, a message or a map.
std::optional<std::string> FieldText(const google::protobuf::Message& message,
                                     const google::protobuf::FieldDescriptor& field) {
  if (field.is_repeated()) return std::nullopt;
  const auto* reflection = message.GetReflection();
  if (field.has_presence() && !reflection->HasField(message, &field)) return std::nullopt;
  using Type = google::protobuf::FieldDescriptor::CppType;
  switch (field.cpp_type()) {
    case Type::CPPTYPE_STRING:
      return reflection->GetString(message, &field);
    case Type::CPPTYPE_BOOL:
      return reflection->GetBool(message, &field) ? "true" : "false";
    case Type::CPPTYPE_INT32:
      return std::to_string(reflection->GetInt32(message, &field));
    case Type::CPPTYPE_INT64:
      return std::to_string(reflection->GetInt64(message, &field));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string StorageLevelText(const proto::StorageLevel& level) {
  return std::to_string(level.use_disk()) + "," + std::to_string(level.use_memory()) + "," +
         std::to_string(level.use_off_heap()) + "," + std::to_string(level.deserialized()) + "," +
         std::to_string(level.replication());
}

void WriteStorageLevel(const std::string& text, proto::StorageLevel* message) {
  std::string figures = text.empty() ? "0,0,0,0,1" : text;
  for (const auto& [name, level] : kNamedLevels) {
    if (EqualsIgnoreCase(text, name)) figures = level;
  }
  std::vector<int32_t> numbers;
  for (const auto& part : Split(figures, ',')) numbers.push_back(ParseInteger<int32_t>(part).value_or(0));
  numbers.resize(5, 0);
  message->set_use_disk(numbers[0] != 0);
  message->set_use_memory(numbers[1] != 0);
  message->set_use_off_heap(numbers[2] != 0);
  message->set_deserialized(numbers[3] != 0);
  message->set_replication(numbers[4]);
}

Result<DataTypePtr> PlanReader::ReadLocalSchema(const std::string& text) {
  FRAZIL_ASSIGN_OR_RETURN(auto type, ReadTypeText(text, parse_ddl_));
  if (type->id() == TypeId::kStruct) return type;
  return DataType::Struct({StructField("value", std::move(type))});
}

PlanReader::NodeResult PlanReader::ReadLocalRelation(const proto::LocalRelation& message) {
  auto node = std::make_shared<plan::LocalRelationPlan>();
  if (message.has_schema() && !message.schema().empty()) {
    FRAZIL_ASSIGN_OR_RETURN(node->schema, ReadLocalSchema(message.schema()));
  }
  if (message.has_data() && !message.data().empty()) {
    FRAZIL_ASSIGN_OR_RETURN(node->data, codec::DecodeIpcStream(message.data()));
  } else if (node->schema == nullptr) {
    return InvalidPlan("a local relation with neither rows nor a schema");
  }
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadCachedLocalRelation(const proto::CachedLocalRelation& message) {
  FRAZIL_ASSIGN_OR_RETURN(const auto bytes, session_->LoadArtifact("cache/" + message.hash()));
  proto::LocalRelation relation;
  if (!relation.ParseFromString(bytes)) return InvalidPlan("a cached local relation that cannot be read");
  return ReadLocalRelation(relation);
}

PlanReader::NodeResult PlanReader::ReadChunkedLocalRelation(const proto::ChunkedCachedLocalRelation& message) {
  auto node = std::make_shared<plan::LocalRelationPlan>();
  if (message.has_schemahash()) {
    FRAZIL_ASSIGN_OR_RETURN(const auto text, session_->LoadArtifact("cache/" + message.schemahash()));
    FRAZIL_ASSIGN_OR_RETURN(node->schema, ReadLocalSchema(text));
  }
  std::shared_ptr<ArrowTable> table;
  for (const auto& hash : message.datahashes()) {
    FRAZIL_ASSIGN_OR_RETURN(const auto bytes, session_->LoadArtifact("cache/" + hash));
    FRAZIL_ASSIGN_OR_RETURN(auto chunk, codec::DecodeIpcStream(bytes));
    if (table == nullptr) {
      table = std::move(chunk);
      continue;
    }
    if (!table->schema->EqualsIgnoreNullability(*chunk->schema)) {
      return InvalidPlan("chunks of a local relation with different schemas");
    }
    for (auto& batch : chunk->batches) table->batches.push_back(std::move(batch));
  }
  if (table == nullptr && node->schema == nullptr) {
    return InvalidPlan("a local relation with neither rows nor a schema");
  }
  node->data = std::move(table);
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadCatalog(const proto::Catalog& message) {
  const auto* oneof = proto::Catalog::descriptor()->FindOneofByName("cat_type");
  const auto* reflection = message.GetReflection();
  const auto* chosen = reflection->GetOneofFieldDescriptor(message, oneof);
  if (chosen == nullptr) {
    auto unknown = std::make_shared<plan::UnsupportedRelationPlan>();
    unknown->feature = "A catalog call that this version of the protocol has not";
    return NodePtr(unknown);
  }
  const auto& call = reflection->GetMessage(message, chosen);
  auto node = std::make_shared<plan::CatalogCallPlan>();
  node->call = call.GetDescriptor()->name();
  for (int i = 0; i < call.GetDescriptor()->field_count(); ++i) {
    const auto* field = call.GetDescriptor()->field(i);
    if (auto text = FieldText(call, *field)) node->arguments[field->name()] = *std::move(text);
  }
  if (message.has_create_table()) {
    node->options = {message.create_table().options().begin(), message.create_table().options().end()};
    if (message.create_table().has_schema()) {
      FRAZIL_ASSIGN_OR_RETURN(node->schema, ReadDataType(message.create_table().schema(), parse_ddl_));
    }
  }
  if (message.has_create_external_table()) {
    node->options = {message.create_external_table().options().begin(),
                     message.create_external_table().options().end()};
    if (message.create_external_table().has_schema()) {
      FRAZIL_ASSIGN_OR_RETURN(node->schema, ReadDataType(message.create_external_table().schema(), parse_ddl_));
    }
  }
  if (message.has_cache_table() && message.cache_table().has_storage_level()) {
    node->arguments["storage_level"] = StorageLevelText(message.cache_table().storage_level());
  }
  return NodePtr(node);
}

}  // namespace frazil::connect
