#include "frazil/tables/delta/actions.h"

#include <charconv>

#include "frazil/base/text.h"

namespace frazil::tables::delta {
namespace {

std::string TextOf(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  return value != nullptr && value->kind == JsonValue::Kind::kString ? value->text : std::string();
}

std::optional<std::string> OptionalText(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::kString) return std::nullopt;
  return value->text;
}

std::optional<int64_t> OptionalInteger(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::kNumber) return std::nullopt;
  int64_t number = 0;
  auto [end, error] = std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
  if (error != std::errc()) return std::nullopt;
  // "1.7E12": a writer that had the number as a double.
  if (end != value->text.data() + value->text.size())
    return static_cast<int64_t>(std::strtod(value->text.c_str(), nullptr));
  return number;
}

bool BooleanOf(const JsonValue& object, std::string_view key, bool otherwise) {
  const JsonValue* value = object.Find(key);
  return value != nullptr && value->kind == JsonValue::Kind::kBoolean ? value->boolean : otherwise;
}

PartitionTexts PartitionOf(const JsonValue& object) {
  PartitionTexts partition;
  const JsonValue* values = object.Find("partitionValues");
  if (values == nullptr) return partition;
  for (const auto& [name, value] : values->members) {
    partition.emplace_back(
        name, value.kind == JsonValue::Kind::kString ? std::optional<std::string>(value.text) : std::nullopt);
  }
  return partition;
}

std::optional<StringMap> TextsOf(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::kObject) return std::nullopt;
  StringMap texts;
  for (const auto& [name, member] : value->members) {
    if (member.kind == JsonValue::Kind::kString) texts.emplace_back(name, member.text);
  }
  return texts;
}

std::optional<std::vector<std::string>> ListOf(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::kArray) return std::nullopt;
  std::vector<std::string> texts;
  for (const auto& item : value->items) texts.push_back(item.text);
  return texts;
}

std::optional<DeletionVectorDescriptor> VectorOf(const JsonValue& object) {
  const JsonValue* value = object.Find("deletionVector");
  if (value == nullptr || value->kind != JsonValue::Kind::kObject) return std::nullopt;
  DeletionVectorDescriptor vector;
  vector.storage_type = TextOf(*value, "storageType");
  vector.path_or_inline = TextOf(*value, "pathOrInlineDv");
  if (auto offset = OptionalInteger(*value, "offset")) vector.offset = static_cast<int32_t>(*offset);
  vector.size_in_bytes = static_cast<int32_t>(OptionalInteger(*value, "sizeInBytes").value_or(0));
  vector.cardinality = OptionalInteger(*value, "cardinality").value_or(0);
  return vector;
}

FileAction FileOf(const JsonValue& object, bool removed) {
  FileAction file;
  file.path = TextOf(object, "path");
  file.partition = PartitionOf(object);
  file.size = OptionalInteger(object, "size").value_or(-1);
  file.modification_time = OptionalInteger(object, "modificationTime").value_or(0);
  file.data_change = BooleanOf(object, "dataChange", true);
  file.stats = TextOf(object, "stats");
  file.record_count = RecordCountOf(file.stats);
  file.tags = TextsOf(object, "tags");
  file.deletion_vector = VectorOf(object);
  file.base_row_id = OptionalInteger(object, "baseRowId");
  file.default_row_commit_version = OptionalInteger(object, "defaultRowCommitVersion");
  file.clustering_provider = TextOf(object, "clusteringProvider");
  file.is_removed = removed;
  file.deletion_timestamp = OptionalInteger(object, "deletionTimestamp");
  file.has_extended_metadata = BooleanOf(object, "extendedFileMetadata", false);
  return file;
}

Metadata MetadataOf(const JsonValue& object) {
  Metadata metadata;
  metadata.id = TextOf(object, "id");
  metadata.name = OptionalText(object, "name");
  metadata.description = OptionalText(object, "description");
  if (const JsonValue* format = object.Find("format")) {
    metadata.provider = TextOf(*format, "provider");
    metadata.format_options = TextsOf(*format, "options").value_or(StringMap());
  }
  metadata.schema_string = TextOf(object, "schemaString");
  metadata.partition_columns = ListOf(object, "partitionColumns").value_or(std::vector<std::string>());
  for (auto& [key, value] : TextsOf(object, "configuration").value_or(StringMap())) metadata.configuration[key] = value;
  metadata.created_time = OptionalInteger(object, "createdTime");
  return metadata;
}

// --- writing

/// A JSON object, member by member.
class ObjectWriter {
 public:
  void Raw(std::string_view key, std::string_view json) {
    text_ += text_.empty() ? '{' : ',';
    AppendJsonString(key, &text_);
    text_ += ':';
    text_ += json;
  }
  void Text(std::string_view key, std::string_view value) { Raw(key, JsonString(value)); }
  void Integer(std::string_view key, int64_t value) { Raw(key, std::to_string(value)); }
  void Boolean(std::string_view key, bool value) { Raw(key, value ? "true" : "false"); }
  std::string Finish() {
    if (text_.empty()) text_ = "{";
    text_ += '}';
    return std::move(text_);
  }

 private:
  std::string text_;
};

std::string PartitionJson(const PartitionTexts& partition) {
  ObjectWriter object;
  for (const auto& [name, value] : partition) {
    if (value) {
      object.Text(name, *value);
    } else {
      object.Raw(name, "null");
    }
  }
  return object.Finish();
}

template <typename Texts>
std::string MapJson(const Texts& texts) {
  ObjectWriter object;
  for (const auto& [key, value] : texts) object.Text(key, value);
  return object.Finish();
}

std::string ListJson(const std::vector<std::string>& texts) {
  std::string json = "[";
  for (const auto& text : texts) {
    if (json.size() > 1) json += ',';
    AppendJsonString(text, &json);
  }
  return json + "]";
}

std::string VectorJson(const DeletionVectorDescriptor& vector) {
  ObjectWriter object;
  object.Text("storageType", vector.storage_type);
  object.Text("pathOrInlineDv", vector.path_or_inline);
  if (vector.offset) object.Integer("offset", *vector.offset);
  object.Integer("sizeInBytes", vector.size_in_bytes);
  object.Integer("cardinality", vector.cardinality);
  return object.Finish();
}

std::string Wrapped(std::string_view name, std::string content) {
  ObjectWriter action;
  action.Raw(name, content);
  return action.Finish();
}

std::string Write(const FileAction& file) {
  ObjectWriter object;
  object.Text("path", file.path);
  if (file.is_removed) {
    if (file.deletion_timestamp) object.Integer("deletionTimestamp", *file.deletion_timestamp);
    object.Boolean("dataChange", file.data_change);
    object.Boolean("extendedFileMetadata", file.has_extended_metadata);
    if (file.has_extended_metadata) object.Raw("partitionValues", PartitionJson(file.partition));
    if (file.size >= 0) object.Integer("size", file.size);
    if (!file.stats.empty()) object.Text("stats", file.stats);
  } else {
    object.Raw("partitionValues", PartitionJson(file.partition));
    object.Integer("size", file.size);
    object.Integer("modificationTime", file.modification_time);
    object.Boolean("dataChange", file.data_change);
    if (!file.stats.empty()) object.Text("stats", file.stats);
  }
  if (file.tags) object.Raw("tags", MapJson(*file.tags));
  if (file.deletion_vector) object.Raw("deletionVector", VectorJson(*file.deletion_vector));
  if (file.base_row_id) object.Integer("baseRowId", *file.base_row_id);
  if (file.default_row_commit_version) object.Integer("defaultRowCommitVersion", *file.default_row_commit_version);
  if (!file.is_removed && !file.clustering_provider.empty())
    object.Text("clusteringProvider", file.clustering_provider);
  return Wrapped(file.is_removed ? "remove" : "add", object.Finish());
}

std::string Write(const Protocol& protocol) {
  ObjectWriter object;
  object.Integer("minReaderVersion", protocol.min_reader_version);
  object.Integer("minWriterVersion", protocol.min_writer_version);
  if (protocol.reader_features) object.Raw("readerFeatures", ListJson(*protocol.reader_features));
  if (protocol.writer_features) object.Raw("writerFeatures", ListJson(*protocol.writer_features));
  return Wrapped("protocol", object.Finish());
}

std::string Write(const Metadata& metadata) {
  ObjectWriter object;
  object.Text("id", metadata.id);
  if (metadata.name) object.Text("name", *metadata.name);
  if (metadata.description) object.Text("description", *metadata.description);
  ObjectWriter format;
  format.Text("provider", metadata.provider);
  format.Raw("options", MapJson(metadata.format_options));
  object.Raw("format", format.Finish());
  object.Text("schemaString", metadata.schema_string);
  object.Raw("partitionColumns", ListJson(metadata.partition_columns));
  object.Raw("configuration", MapJson(metadata.configuration));
  if (metadata.created_time) object.Integer("createdTime", *metadata.created_time);
  return Wrapped("metaData", object.Finish());
}

std::string Write(const Transaction& transaction) {
  ObjectWriter object;
  object.Text("appId", transaction.app_id);
  object.Integer("version", transaction.version);
  if (transaction.last_updated) object.Integer("lastUpdated", *transaction.last_updated);
  return Wrapped("txn", object.Finish());
}

std::string Write(const DomainMetadata& domain) {
  ObjectWriter object;
  object.Text("domain", domain.domain);
  object.Text("configuration", domain.configuration);
  object.Boolean("removed", domain.removed);
  return Wrapped("domainMetadata", object.Finish());
}

std::string Write(const Sidecar& sidecar) {
  ObjectWriter object;
  object.Text("path", sidecar.path);
  object.Integer("sizeInBytes", sidecar.size_in_bytes);
  return Wrapped("sidecar", object.Finish());
}

std::string Write(const ChangeFile& file) {
  ObjectWriter object;
  object.Text("path", file.path);
  object.Raw("partitionValues", PartitionJson(file.partition));
  object.Integer("size", file.size);
  object.Boolean("dataChange", false);
  return Wrapped("cdc", object.Finish());
}

std::string Write(const CommitInfo& info) { return Wrapped("commitInfo", info.content.Write()); }

}  // namespace

std::string DeletionVectorDescriptor::UniqueId() const {
  return storage_type + path_or_inline + (offset ? "@" + std::to_string(*offset) : std::string());
}

std::string FileAction::Key() const {
  if (!deletion_vector) return path;
  return path + "\n" + deletion_vector->UniqueId();
}

FileAction FileAction::Removed(int64_t timestamp_ms, bool changes_data) const {
  FileAction removed = *this;
  removed.is_removed = true;
  removed.deletion_timestamp = timestamp_ms;
  removed.data_change = changes_data;
  removed.has_extended_metadata = true;
  return removed;
}

const std::string* Metadata::Property(std::string_view key) const {
  auto found = configuration.find(std::string(key));
  return found == configuration.end() ? nullptr : &found->second;
}

bool Metadata::IsTrue(std::string_view key) const {
  const std::string* value = Property(key);
  return value != nullptr && EqualsIgnoreCase(*value, "true");
}

int64_t CommitInfo::Integer(std::string_view key, int64_t otherwise) const {
  return OptionalInteger(content, key).value_or(otherwise);
}
std::string CommitInfo::Text(std::string_view key) const { return TextOf(content, key); }
bool CommitInfo::IsTrue(std::string_view key) const { return BooleanOf(content, key, false); }

int64_t RecordCountOf(std::string_view stats) {
  constexpr std::string_view kKey = "\"numRecords\":";
  size_t at = stats.find(kKey);
  if (at == std::string_view::npos) return -1;
  at += kKey.size();
  while (at < stats.size() && stats[at] == ' ') ++at;
  int64_t count = -1;
  auto [end, error] = std::from_chars(stats.data() + at, stats.data() + stats.size(), count);
  return error == std::errc() ? count : -1;
}

Result<std::optional<Action>> ParseAction(std::string_view line) {
  FRAZIL_ASSIGN_OR_RETURN(JsonValue json, ParseJson(line));
  for (auto& [name, content] : json.members) {
    if (content.kind != JsonValue::Kind::kObject) continue;
    if (name == "add") return std::optional<Action>(FileOf(content, false));
    if (name == "remove") return std::optional<Action>(FileOf(content, true));
    if (name == "commitInfo") return std::optional<Action>(CommitInfo{std::move(content)});
    if (name == "metaData") return std::optional<Action>(MetadataOf(content));
    if (name == "protocol") {
      Protocol protocol;
      protocol.min_reader_version = static_cast<int32_t>(OptionalInteger(content, "minReaderVersion").value_or(1));
      protocol.min_writer_version = static_cast<int32_t>(OptionalInteger(content, "minWriterVersion").value_or(1));
      protocol.reader_features = ListOf(content, "readerFeatures");
      protocol.writer_features = ListOf(content, "writerFeatures");
      return std::optional<Action>(std::move(protocol));
    }
    if (name == "txn") {
      return std::optional<Action>(Transaction{TextOf(content, "appId"),
                                               OptionalInteger(content, "version").value_or(0),
                                               OptionalInteger(content, "lastUpdated")});
    }
    if (name == "domainMetadata") {
      return std::optional<Action>(DomainMetadata{TextOf(content, "domain"), TextOf(content, "configuration"),
                                                  BooleanOf(content, "removed", false)});
    }
    if (name == "sidecar") {
      return std::optional<Action>(
          Sidecar{TextOf(content, "path"), OptionalInteger(content, "sizeInBytes").value_or(0)});
    }
    if (name == "cdc") {
      return std::optional<Action>(
          ChangeFile{TextOf(content, "path"), PartitionOf(content), OptionalInteger(content, "size").value_or(-1)});
    }
  }
  return std::optional<Action>();
}

Result<std::vector<Action>> ParseCommit(std::string_view text, const std::string& path) {
  std::vector<Action> actions;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = TrimBlanks(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty()) continue;
    auto action = ParseAction(line);
    if (!action.ok())
      return Error::Storage("The commit " + path + " holds a line that is no action: " + action.error().message);
    if (action->has_value()) actions.push_back(**std::move(action));
  }
  return actions;
}

std::string WriteAction(const Action& action) {
  return std::visit([](const auto& content) { return Write(content); }, action);
}

}  // namespace frazil::tables::delta
