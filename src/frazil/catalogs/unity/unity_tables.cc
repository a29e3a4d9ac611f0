#include "frazil/catalogs/unity/unity_tables.h"

#include <algorithm>
#include <map>

#include "frazil/base/text.h"
#include "frazil/net/url.h"

namespace frazil::catalogs {
namespace {

Result<Settings> KeysOf(const Json& answer) {
  Settings keys;
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) keys[key] = value;
  };
  const auto end = NumberMember(answer, "expiration_time");
  const std::string end_text = end && *end > 0 ? std::to_string(*end) : std::string();
  if (const Json* aws = Member(answer, "aws_temp_credentials"); aws != nullptr && aws->is_object()) {
    put("s3.access-key-id", TextMember(*aws, "access_key_id"));
    put("s3.secret-access-key", TextMember(*aws, "secret_access_key"));
    put("s3.session-token", TextMember(*aws, "session_token"));
    put("s3.session-token-expires-at-ms", end_text);
  }
  if (const Json* azure = Member(answer, "azure_user_delegation_sas"); azure != nullptr && azure->is_object())
    put("adls.sas-token", TextMember(*azure, "sas_token"));
  if (const Json* google = Member(answer, "gcp_oauth_token"); google != nullptr && google->is_object()) {
    put("gcs.oauth2.token", TextMember(*google, "oauth_token"));
    put("gcs.oauth2.token-expires-at", end_text);
  }
  return keys;
}

/// Asks for the right to write; where that is refused, to read.
Result<Settings> AskForKeys(UnityClient& client, const std::string& path, Json body, const char* write,
                            const char* read) {
  for (const char* operation : {write, read}) {
    body["operation"] = operation;
    FRAZIL_ASSIGN_OR_RETURN(const auto answer, client.Send("POST", path, &body, /*repeatable=*/true));
    if (answer.ok()) return KeysOf(answer.body);
    if (operation == read || answer.status != 403) return client.ErrorOf("POST", path, answer);
  }
  return Settings();
}

/// The type of a column as the service tells it: Spark's JSON of the field, or of its type, or the type's name.
Result<StructField> FieldOf(const Json& column) {
  StructField field(TextMember(column, "name"), DataType::String(), true);
  const Json described = ParseJsonOrNull(TextMember(column, "type_json"));
  const Json* type = Member(described, "type");
  const bool is_field = described.is_object() && described.contains("name") && type != nullptr;
  if (is_field) {
    FRAZIL_ASSIGN_OR_RETURN(field.type, DataType::FromJson(type->dump()));
  } else if (!described.is_null()) {
    FRAZIL_ASSIGN_OR_RETURN(field.type, DataType::FromJson(described.dump()));
  } else {
    FRAZIL_ASSIGN_OR_RETURN(field.type, DataType::FromJson(Json(TextMember(column, "type_text")).dump()));
  }
  if (const Json* nullable = Member(column, "nullable"); nullable != nullptr && nullable->is_boolean())
    field.nullable = nullable->get<bool>();
  if (const std::string comment = TextMember(column, "comment"); !comment.empty()) field.SetComment(comment);
  return field;
}

const std::map<TypeId, const char*>& TypeNames() {
  static const std::map<TypeId, const char*> names = {{TypeId::kBoolean, "BOOLEAN"},
                                                      {TypeId::kByte, "BYTE"},
                                                      {TypeId::kShort, "SHORT"},
                                                      {TypeId::kInteger, "INT"},
                                                      {TypeId::kLong, "LONG"},
                                                      {TypeId::kFloat, "FLOAT"},
                                                      {TypeId::kDouble, "DOUBLE"},
                                                      {TypeId::kDecimal, "DECIMAL"},
                                                      {TypeId::kString, "STRING"},
                                                      {TypeId::kBinary, "BINARY"},
                                                      {TypeId::kDate, "DATE"},
                                                      {TypeId::kTimestamp, "TIMESTAMP"},
                                                      {TypeId::kTimestampNtz, "TIMESTAMP_NTZ"},
                                                      {TypeId::kArray, "ARRAY"},
                                                      {TypeId::kMap, "MAP"},
                                                      {TypeId::kStruct, "STRUCT"}};
  return names;
}

}  // namespace

std::string UnityTablePath(const Catalog& catalog, const Identifier& identifier) {
  return net::PercentEncode(catalog.name() + "." + Join(identifier.name_space, ".") + "." + identifier.name);
}

bool IsUnityView(const Json& table) { return TextMember(table, "table_type").ends_with("VIEW"); }

Result<tables::TableDefinition> UnityDefinitionOf(const Json& table) {
  tables::TableDefinition definition;
  const std::string type = TextMember(table, "table_type");
  if (type != "MANAGED" && type != "EXTERNAL") return Error::Unsupported("tables of Unity Catalog of type " + type);
  definition.provider = AsciiLower(TextMember(table, "data_source_format"));
  definition.is_external = type == "EXTERNAL";
  definition.comment = TextMember(table, "comment");
  definition.properties = TextMembers(Member(table, "properties"));
  definition.location = TextMember(table, "storage_location");
  if (definition.location->empty())
    return Error::Storage("Unity Catalog says no location of the table " + TextMember(table, "name"));
  std::vector<std::pair<int64_t, StructField>> columns, keys;
  if (const Json* listed = Member(table, "columns"); listed != nullptr && listed->is_array()) {
    for (const auto& column : *listed) {
      FRAZIL_ASSIGN_OR_RETURN(auto field, FieldOf(column));
      if (const auto key = NumberMember(column, "partition_index")) keys.emplace_back(*key, field);
      columns.emplace_back(NumberMember(column, "position").value_or(static_cast<int64_t>(columns.size())),
                           std::move(field));
    }
  }
  const auto by_number = [](const auto& left, const auto& right) { return left.first < right.first; };
  std::stable_sort(columns.begin(), columns.end(), by_number);
  std::stable_sort(keys.begin(), keys.end(), by_number);
  std::vector<StructField> fields;
  for (auto& [position, field] : columns) fields.push_back(std::move(field));
  definition.schema = DataType::Struct(std::move(fields));
  for (const auto& [index, field] : keys) {
    tables::PartitionField part;
    part.name = field.name;
    part.source = {field.name};
    part.result_type = field.type;
    definition.partitioning.push_back(std::move(part));
  }
  return definition;
}

Json UnityTableOf(const Catalog& catalog, const Identifier& identifier, const tables::TableDefinition& definition) {
  std::string location = definition.location.value_or("");
  if (location.starts_with('/')) location = "file://" + location;
  Json body = {{"name", identifier.name},
               {"catalog_name", catalog.name()},
               {"schema_name", identifier.name_space[0]},
               {"table_type", "EXTERNAL"},
               {"data_source_format", AsciiUpper(definition.provider)},
               {"storage_location", location},
               {"columns", Json::array()},
               {"properties", definition.properties}};
  if (!definition.comment.empty()) body["comment"] = definition.comment;
  int position = 0;
  for (const auto& field : definition.schema->fields()) {
    const Json type = Json::parse(field.type->Json(), nullptr, /*allow_exceptions=*/false);
    const auto name = TypeNames().find(field.type->id());
    Json column = {
        {"name", field.name},
        {"type_text", field.type->SimpleString()},
        {"type_name", name == TypeNames().end() ? "USER_DEFINED_TYPE" : name->second},
        {"type_json",
         Json{{"name", field.name}, {"type", type}, {"nullable", field.nullable}, {"metadata", Json::object()}}.dump()},
        {"position", position++},
        {"nullable", field.nullable}};
    if (field.type->id() == TypeId::kDecimal) {
      column["type_precision"] = field.type->precision();
      column["type_scale"] = field.type->scale();
    }
    if (!field.Comment().empty()) column["comment"] = field.Comment();
    for (size_t i = 0; i < definition.partitioning.size(); ++i) {
      const auto& source = definition.partitioning[i].source;
      if (!source.empty() && EqualsIgnoreCase(source[0], field.name)) column["partition_index"] = i;
    }
    body["columns"].push_back(std::move(column));
  }
  return body;
}

Status MakeUnityTable(UnityClient& client, const Json& table, const Error& taken) {
  FRAZIL_ASSIGN_OR_RETURN(const auto answer, client.Send("POST", "/tables", &table, /*repeatable=*/false));
  if (answer.ok()) return {};
  const bool is_taken = answer.status == 409 || TextMember(answer.body, "error_code").ends_with("ALREADY_EXISTS");
  // What an earlier attempt made is ours: the name was free before it.
  if (is_taken && answer.earlier_unknown) return {};
  if (is_taken) return taken;
  return client.ErrorOf("POST", "/tables", answer);
}

Result<Settings> UnityTableKeys(UnityClient& client, const std::string& table_id) {
  return AskForKeys(client, "/temporary-table-credentials", {{"table_id", table_id}}, "READ_WRITE", "READ");
}

Result<Settings> UnityPathKeys(UnityClient& client, const std::string& location) {
  return AskForKeys(client, "/temporary-path-credentials", {{"url", location}}, "PATH_CREATE_TABLE", "PATH_READ");
}

Result<std::optional<std::string>> UnityCommitPoint::Current() {
  if (inner_ != nullptr) return inner_->Current();
  return std::optional<std::string>();
}

Result<tables::CommitState> UnityCommitPoint::Swap(const std::optional<std::string>& expected,
                                                   const std::string& metadata, std::string* written) {
  if (inner_ != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(const auto state, inner_->Swap(expected, metadata, written));
    if (state != tables::CommitState::kCommitted || known_) return state;
  }
  Status made = MakeUnityTable(*client_, table_, taken_);
  if (!made.ok()) {
    Error error = std::move(made).error();
    // The table is in its folder and stays there without the name.
    if (inner_ != nullptr) error.kind = ErrorKind::kUnknownCommit;
    return error;
  }
  known_ = true;
  return tables::CommitState::kCommitted;
}

}  // namespace frazil::catalogs
