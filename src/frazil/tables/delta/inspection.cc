// DESCRIBE HISTORY and DESCRIBE DETAIL. Columns: https://docs.delta.io/latest/delta-utility.html

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/delta/delta_table.h"
#include "frazil/tables/delta/features.h"

namespace frazil::tables::delta {
namespace {

const DataTypePtr& HistorySchema() {
  static const DataTypePtr schema = DataType::Struct({
      {"version", DataType::Long()},
      {"timestamp", DataType::Timestamp()},
      {"userId", DataType::String()},
      {"userName", DataType::String()},
      {"operation", DataType::String()},
      {"operationParameters", DataType::Map(DataType::String(), DataType::String())},
      {"job", DataType::Struct({{"jobId", DataType::String()},
                                {"jobName", DataType::String()},
                                {"jobRunId", DataType::String()},
                                {"runId", DataType::String()},
                                {"jobOwnerId", DataType::String()},
                                {"triggerType", DataType::String()}})},
      {"notebook", DataType::Struct({{"notebookId", DataType::String()}})},
      {"clusterId", DataType::String()},
      {"readVersion", DataType::Long()},
      {"isolationLevel", DataType::String()},
      {"isBlindAppend", DataType::Boolean()},
      {"operationMetrics", DataType::Map(DataType::String(), DataType::String())},
      {"userMetadata", DataType::String()},
      {"engineInfo", DataType::String()},
  });
  return schema;
}

const DataTypePtr& DetailSchema() {
  static const DataTypePtr schema = DataType::Struct({
      {"format", DataType::String()},
      {"id", DataType::String()},
      {"name", DataType::String()},
      {"description", DataType::String()},
      {"location", DataType::String()},
      {"createdAt", DataType::Timestamp()},
      {"lastModified", DataType::Timestamp()},
      {"partitionColumns", DataType::Array(DataType::String())},
      {"clusteringColumns", DataType::Array(DataType::String())},
      {"numFiles", DataType::Long()},
      {"sizeInBytes", DataType::Long()},
      {"properties", DataType::Map(DataType::String(), DataType::String())},
      {"minReaderVersion", DataType::Integer()},
      {"minWriterVersion", DataType::Integer()},
      {"tableFeatures", DataType::Array(DataType::String())},
  });
  return schema;
}

Value TextOrNull(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  return value != nullptr && value->kind == JsonValue::Kind::kString ? Value(value->text) : Value();
}

/// An object as a map of texts: what is no text stands as JSON.
Value MapOrNull(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::kObject) return Value();
  Value::List entries;
  for (const auto& [name, member] : value->members) {
    entries.emplace_back(name);
    if (member.kind == JsonValue::Kind::kNull) {
      entries.emplace_back();
    } else {
      entries.emplace_back(member.kind == JsonValue::Kind::kString ? member.text : member.Write());
    }
  }
  return Value(std::move(entries));
}

Value Texts(const std::vector<std::string>& texts) {
  Value::List list;
  for (const auto& text : texts) list.emplace_back(text);
  return Value(std::move(list));
}

}  // namespace

Result<RowSet> DeltaTable::History(std::optional<int64_t> limit) const {
  const auto& context = target_.context;
  FRAZIL_ASSIGN_OR_RETURN(auto listing, ListLog(*context.store, target_.log->log()));
  RowSet rows;
  rows.schema = HistorySchema();
  int64_t last_ms = INT64_MIN;
  std::vector<int64_t> times;
  for (const auto& commit : listing.commits) {
    // Clocks of file systems may go back; the times of versions do not.
    last_ms = std::max(commit.modified_micros / 1000, last_ms == INT64_MIN ? INT64_MIN : last_ms + 1);
    times.push_back(last_ms);
  }
  for (size_t i = listing.commits.size(); i-- > 0;) {
    const auto& commit = listing.commits[i];
    if (commit.version > snapshot_->version) continue;
    if (limit && static_cast<int64_t>(rows.rows.size()) >= *limit) break;
    FRAZIL_ASSIGN_OR_RETURN(std::string text, context.store->Read(commit.path));
    FRAZIL_ASSIGN_OR_RETURN(auto actions, ParseCommit(text, commit.path));
    CommitInfo info;
    info.content.kind = JsonValue::Kind::kObject;
    for (auto& action : actions) {
      if (auto* found = std::get_if<CommitInfo>(&action)) info = std::move(*found);
    }
    const JsonValue& content = info.content;
    int64_t time_ms = info.Integer("inCommitTimestamp", times[i]);
    const JsonValue* blind = content.Find("isBlindAppend");
    int64_t read_version = info.Integer("readVersion", -1);
    rows.rows.push_back({Value(commit.version), Value(time_ms * 1000), TextOrNull(content, "userId"),
                         TextOrNull(content, "userName"), TextOrNull(content, "operation"),
                         MapOrNull(content, "operationParameters"), Value(), Value(), TextOrNull(content, "clusterId"),
                         read_version < 0 ? Value() : Value(read_version), TextOrNull(content, "isolationLevel"),
                         blind != nullptr && blind->kind == JsonValue::Kind::kBoolean ? Value(blind->boolean) : Value(),
                         MapOrNull(content, "operationMetrics"), TextOrNull(content, "userMetadata"),
                         TextOrNull(content, "engineInfo")});
  }
  return rows;
}

Result<RowSet> DeltaTable::Detail() const {
  RowSet rows;
  rows.schema = DetailSchema();
  bool by_path = target_.context.name == location();
  Value::List properties;
  for (const auto& [key, value] : metadata_.configuration) {
    properties.emplace_back(key);
    properties.emplace_back(value);
  }
  bool is_local = storage::SchemeOf(location()).empty();
  std::vector<std::string> clustering;
  for (const auto& column : clustering_columns()) clustering.push_back(Join(column, "."));
  rows.rows.push_back({Value("delta"), Value(metadata_.id),
                       by_path ? Value(metadata_.name ? Value(*metadata_.name) : Value()) : Value(target_.context.name),
                       metadata_.description ? Value(*metadata_.description) : Value(),
                       Value((is_local ? "file:" : "") + location()),
                       metadata_.created_time ? Value(*metadata_.created_time * 1000) : Value(),
                       Value(snapshot_->timestamp_ms * 1000), Texts(metadata_.partition_columns), Texts(clustering),
                       Value(snapshot_->files.live_count()), Value(snapshot_->files.live_bytes()),
                       Value(std::move(properties)), Value(static_cast<int64_t>(protocol_.min_reader_version)),
                       Value(static_cast<int64_t>(protocol_.min_writer_version)), Texts(FeaturesOf(protocol_))});
  return rows;
}

}  // namespace frazil::tables::delta
