#include "frazil/catalogs/glue/glue_entries.h"

#include <algorithm>
#include <utility>

#include "frazil/catalogs/glue/glue_pointer.h"
#include "frazil/catalogs/json_members.h"

namespace frazil::catalogs {
namespace {

// As many partitions as one call of BatchCreatePartition takes.
constexpr size_t kBatch = 100;

const Json kNone;

const Json& At(const Json& value, const char* name) {
  const Json* member = Member(value, name);
  return member == nullptr ? kNone : *member;
}

std::vector<HiveColumn> ColumnsOf(const Json& list) {
  std::vector<HiveColumn> columns;
  if (!list.is_array()) return columns;
  for (const auto& item : list)
    columns.push_back({TextMember(item, "Name"), TextMember(item, "Type"), TextMember(item, "Comment")});
  return columns;
}

Json JsonColumns(const std::vector<HiveColumn>& columns) {
  Json list = Json::array();
  for (const auto& column : columns) {
    list.push_back({{"Name", column.name}, {"Type", column.type}});
    if (!column.comment.empty()) list.back()["Comment"] = column.comment;
  }
  return list;
}

HiveStorage StorageOf(const Json& storage) {
  HiveStorage result;
  result.columns = ColumnsOf(At(storage, "Columns"));
  result.location = TextMember(storage, "Location");
  result.input_format = TextMember(storage, "InputFormat");
  result.output_format = TextMember(storage, "OutputFormat");
  const Json& serde = At(storage, "SerdeInfo");
  result.serde = TextMember(serde, "SerializationLibrary");
  result.serde_parameters = TextMembers(Member(serde, "Parameters"));
  result.bucket_count = static_cast<int>(NumberMember(storage, "NumberOfBuckets").value_or(0));
  return result;
}

Json JsonStorage(const HiveStorage& storage, Json former) {
  Json result = former.is_object() ? std::move(former) : Json::object();
  result["Columns"] = JsonColumns(storage.columns);
  if (!storage.location.empty()) result["Location"] = storage.location;
  result["InputFormat"] = storage.input_format;
  result["OutputFormat"] = storage.output_format;
  Json serde = At(result, "SerdeInfo").is_object() ? result["SerdeInfo"] : Json::object();
  serde["SerializationLibrary"] = storage.serde;
  serde["Parameters"] = storage.serde_parameters;
  result["SerdeInfo"] = std::move(serde);
  return result;
}

/// What CreateTable and UpdateTable take. `former`: the table as it is, or null.
Json InputOf(const HiveTable& table, const Json& former) {
  Json input = {{"Name", table.name},
                {"TableType", table.type},
                {"Parameters", table.parameters},
                {"PartitionKeys", JsonColumns(table.partition_keys)},
                {"StorageDescriptor", JsonStorage(table.storage, At(former, "StorageDescriptor"))}};
  // Comments are the table's description here.
  const auto comment = table.parameters.find("comment");
  if (comment != table.parameters.end()) input["Description"] = comment->second;
  if (!table.owner.empty()) input["Owner"] = table.owner;
  if (!table.view_original_text.empty()) {
    input["ViewOriginalText"] = table.view_original_text;
    input["ViewExpandedText"] = table.view_expanded_text;
  }
  if (At(former, "Retention").is_number()) input["Retention"] = former["Retention"];
  return input;
}

}  // namespace

HiveTable HiveTableOf(const Json& table, const std::string& database) {
  HiveTable result;
  result.database = database;
  result.name = TextMember(table, "Name");
  result.owner = TextMember(table, "Owner");
  result.type = TextMember(table, "TableType");
  result.storage = StorageOf(At(table, "StorageDescriptor"));
  result.partition_keys = ColumnsOf(At(table, "PartitionKeys"));
  result.parameters = TextMembers(Member(table, "Parameters"));
  const std::string comment = TextMember(table, "Description");
  if (!comment.empty()) result.parameters["comment"] = comment;
  result.view_original_text = TextMember(table, "ViewOriginalText");
  result.view_expanded_text = TextMember(table, "ViewExpandedText");
  return result;
}

Json GlueEntries::Body(const std::string& database, Json body) const {
  body["DatabaseName"] = database;
  return WithCatalogId(std::move(body), catalog_id_);
}

Result<std::optional<HiveTable>> GlueEntries::FindTable(const std::string& database, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, FindGlueTable(*glue_, {catalog_id_, database, name}));
  if (!table) return std::optional<HiveTable>();
  return std::optional<HiveTable>(HiveTableOf(*table, database));
}

Result<bool> GlueEntries::CreateTable(const HiveTable& table) {
  const Json body = Body(table.database, {{"TableInput", InputOf(table, kNone)}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("CreateTable", body, /*repeatable=*/true));
  if (answer.ok()) return true;
  // A try before may have made it, whose answer was lost.
  if (answer.error == "AlreadyExistsException") return answer.earlier_unknown;
  return glue_->ErrorOf("CreateTable", answer);
}

Status GlueEntries::AlterTable(const HiveTable& table) {
  FRAZIL_ASSIGN_OR_RETURN(auto former, FindGlueTable(*glue_, {catalog_id_, table.database, table.name}));
  const Json body = Body(table.database, {{"TableInput", InputOf(table, former.value_or(kNone))}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("UpdateTable", body, /*repeatable=*/true));
  return answer.ok() ? Status::Ok() : Status(glue_->ErrorOf("UpdateTable", answer));
}

Status GlueEntries::DropTable(const std::string& database, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("DeleteTable", Body(database, {{"Name", name}}), true));
  if (answer.ok() || answer.error == "EntityNotFoundException") return {};
  return glue_->ErrorOf("DeleteTable", answer);
}

Result<std::vector<HivePartition>> GlueEntries::ListPartitions(const std::string& database, const std::string& name) {
  std::vector<HivePartition> partitions;
  std::string token;
  do {
    Json body = Body(database, {{"TableName", name}});
    if (!token.empty()) body["NextToken"] = token;
    FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("GetPartitions", body, true));
    if (!answer.ok()) return glue_->ErrorOf("GetPartitions", answer);
    const Json& list = At(answer.body, "Partitions");
    if (!list.is_array()) return Error::Storage("Glue's answer holds no partitions");
    for (const auto& item : list) {
      HivePartition partition;
      const Json& values = At(item, "Values");
      if (values.is_array()) {
        for (const auto& value : values) partition.values.push_back(value.is_string() ? value.get<std::string>() : "");
      }
      partition.storage = StorageOf(At(item, "StorageDescriptor"));
      partition.parameters = TextMembers(Member(item, "Parameters"));
      partitions.push_back(std::move(partition));
    }
    token = TextMember(answer.body, "NextToken");
  } while (!token.empty());
  return partitions;
}

Status GlueEntries::AddPartitions(const std::string& database, const std::string& name,
                                  const std::vector<HivePartition>& partitions) {
  for (size_t first = 0; first < partitions.size(); first += kBatch) {
    Json list = Json::array();
    for (size_t i = first; i < std::min(first + kBatch, partitions.size()); ++i) {
      list.push_back({{"Values", partitions[i].values},
                      {"StorageDescriptor", JsonStorage(partitions[i].storage, kNone)},
                      {"Parameters", partitions[i].parameters}});
    }
    const Json body = Body(database, {{"TableName", name}, {"PartitionInputList", std::move(list)}});
    FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("BatchCreatePartition", body, true));
    if (!answer.ok()) return glue_->ErrorOf("BatchCreatePartition", answer);
    const Json& errors = At(answer.body, "Errors");
    if (!errors.is_array()) continue;
    for (const auto& item : errors) {
      AwsAnswer refused;
      refused.status = 400;
      refused.error = TextMember(At(item, "ErrorDetail"), "ErrorCode");
      refused.message = TextMember(At(item, "ErrorDetail"), "ErrorMessage");
      if (refused.error != "AlreadyExistsException") return glue_->ErrorOf("BatchCreatePartition", refused);
    }
  }
  return {};
}

Status GlueEntries::DropPartition(const std::string& database, const std::string& name,
                                  const std::vector<std::string>& values) {
  const Json body = Body(database, {{"TableName", name}, {"PartitionValues", values}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, glue_->Call("DeletePartition", body, true));
  if (answer.ok() || answer.error == "EntityNotFoundException") return {};
  return glue_->ErrorOf("DeletePartition", answer);
}

}  // namespace frazil::catalogs
