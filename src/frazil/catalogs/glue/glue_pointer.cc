#include "frazil/catalogs/glue/glue_pointer.h"

#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/catalogs/glue/glue_columns.h"
#include "frazil/catalogs/json_members.h"

namespace frazil::catalogs {
namespace {

/// What Glue says of a table that describes this metadata. `former`: the table as it is, or null.
Json TableInput(const std::string& name, const Json& former, const std::optional<std::string>& expected,
                const std::string& next, const Json& metadata) {
  Json parameters = former.is_object() && former.contains("Parameters") ? former["Parameters"] : Json::object();
  parameters["table_type"] = "ICEBERG";
  parameters["metadata_location"] = next;
  if (expected) parameters["previous_metadata_location"] = *expected;
  Json input = {
      {"Name", name},
      {"TableType", "EXTERNAL_TABLE"},
      {"Parameters", std::move(parameters)},
      {"StorageDescriptor", {{"Location", TextMember(metadata, "location")}, {"Columns", GlueColumns(metadata)}}}};
  const Json properties = metadata.is_object() ? metadata.value("properties", Json::object()) : Json::object();
  std::string comment = TextMember(properties, "comment");
  if (comment.empty()) comment = TextMember(former, "Description");
  if (!comment.empty()) input["Description"] = comment;
  for (const char* kept : {"Owner", "PartitionKeys", "Retention"}) {
    if (former.is_object() && former.contains(kept)) input[kept] = former[kept];
  }
  return input;
}

}  // namespace

Json WithCatalogId(Json body, const std::string& catalog_id) {
  if (!catalog_id.empty()) body["CatalogId"] = catalog_id;
  return body;
}

Result<std::optional<Json>> FindGlueTable(AwsJsonClient& glue, const GlueTableName& name) {
  const Json body = WithCatalogId({{"DatabaseName", name.database}, {"Name", name.table}}, name.catalog_id);
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue.Call("GetTable", body, true));
  if (answer.error == "EntityNotFoundException") return std::optional<Json>();
  if (!answer.ok()) return glue.ErrorOf("GetTable", answer);
  if (!answer.body.is_object()) return Error::Storage("Glue's answer holds no table");
  return std::optional<Json>(answer.body.value("Table", Json::object()));
}

std::optional<std::string> MetadataLocationOf(const Json& table) {
  if (!table.is_object() || !table.contains("Parameters")) return std::nullopt;
  const Json& parameters = table["Parameters"];
  const std::string location = TextMember(parameters, "metadata_location");
  if (!EqualsIgnoreCase(TextMember(parameters, "table_type"), "iceberg") || location.empty()) return std::nullopt;
  return location;
}

GluePointer::GluePointer(std::shared_ptr<AwsJsonClient> glue, std::shared_ptr<DynamoDbLock> lock, GlueTableName name,
                         std::string full_name, bool skip_archive)
    : glue_(std::move(glue)),
      lock_(std::move(lock)),
      name_(std::move(name)),
      full_name_(std::move(full_name)),
      skip_archive_(skip_archive) {}

Result<std::optional<std::string>> GluePointer::Read() {
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindGlueTable(*glue_, name_));
  return table ? MetadataLocationOf(*table) : std::nullopt;
}

Result<bool> GluePointer::Move(const std::optional<std::string>& expected, const std::string& next,
                               const std::string& metadata) {
  if (lock_ == nullptr) return MoveLocked(expected, next, metadata);
  const std::string owner = RandomUuidText();
  FRAZIL_RETURN_IF_ERROR(lock_->Acquire(full_name_, owner));
  auto moved = MoveLocked(expected, next, metadata);
  lock_->Release(full_name_, owner);
  return moved;
}

Result<bool> GluePointer::MoveLocked(const std::optional<std::string>& expected, const std::string& next,
                                     const std::string& metadata) {
  const Json parsed = Json::parse(metadata, nullptr, /*allow_exceptions=*/false);
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindGlueTable(*glue_, name_));
  const auto now = table ? MetadataLocationOf(*table) : std::nullopt;
  if (now != expected || (table && !expected)) return false;
  Json body = {{"DatabaseName", name_.database},
               {"TableInput", TableInput(name_.table, table.value_or(Json()), expected, next, parsed)}};
  const char* operation = "CreateTable";
  if (table) {
    operation = "UpdateTable";
    body["SkipArchive"] = skip_archive_;
    const std::string version = TextMember(*table, "VersionId");
    if (!version.empty()) body["VersionId"] = version;
  }
  FRAZIL_ASSIGN_OR_RETURN(
      auto answer, glue_->Call(operation, WithCatalogId(std::move(body), name_.catalog_id), /*repeatable=*/false));
  if (answer.ok()) return true;
  const bool lost = answer.error == "ConcurrentModificationException" || answer.error == "AlreadyExistsException" ||
                    answer.error == "EntityNotFoundException";
  Error error = glue_->ErrorOf(operation, answer);
  // After a try whose answer was lost, this one may have been refused because of it.
  if (answer.earlier_unknown) error.kind = ErrorKind::kUnknownCommit;
  if (lost && !answer.earlier_unknown) return false;
  return error;
}

}  // namespace frazil::catalogs
