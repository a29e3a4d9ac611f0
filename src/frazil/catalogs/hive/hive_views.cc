// Views of a Hive Metastore: an entry that points to Iceberg's view metadata, as Iceberg's own Hive catalog keeps them.
// Those of the session catalog are Spark's own, whose text is in the entry.

#include "frazil/base/text.h"
#include "frazil/catalogs/hive/certain_call.h"
#include "frazil/catalogs/hive/hive_catalog.h"
#include "frazil/catalogs/hive/hive_columns.h"
#include "frazil/catalogs/hive/hive_pointer.h"
#include "frazil/catalogs/json_members.h"

namespace frazil::catalogs {

Result<std::vector<std::string>> HiveCatalog::ListViews(const Namespace& name_space) {
  return ListNames(name_space, kHiveIcebergView);
}

Result<std::optional<ViewDefinition>> HiveCatalog::LoadView(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntry(identifier));
  const auto location = entry ? HiveMetadataLocation(*entry, kHiveIcebergView) : std::nullopt;
  if (!location) return LoadSparkView(identifier);
  return LoadViewAt(identifier, *location);
}

Status HiveCatalog::CreateView(const Identifier& identifier, const ViewDefinition& view, bool replace) {
  using namespace hive;
  FRAZIL_ASSIGN_OR_RETURN(auto folder, DefaultLocation(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntry(identifier));
  const auto former_location = entry ? HiveMetadataLocation(*entry, kHiveIcebergView) : std::nullopt;
  if (is_session() && !former_location) return CreateSparkView(identifier, view, replace);
  if (entry && (!replace || !former_location)) return TableExistsAlready(*this, identifier);
  FRAZIL_ASSIGN_OR_RETURN(const auto file, WriteView(view, folder, former_location));
  const Json& metadata = file.metadata;

  std::vector<ThriftValue> columns;
  Json as_table = {{"current-schema-id", metadata["schemas"].back()["schema-id"]}, {"schemas", metadata["schemas"]}};
  for (const auto& column : CurrentHiveColumns(as_table)) {
    columns.push_back(ThriftValue::Struct({{int16_t{1}, ThriftValue::String(column.name)},
                                           {int16_t{2}, ThriftValue::String(column.type)},
                                           {int16_t{3}, ThriftValue::String(column.comment)}}));
  }
  ThriftValue next = entry ? *entry : ThriftValue::Struct();
  auto parameters = next.At(table::kParameters).ToStringMap();
  parameters["table_type"] = kHiveIcebergView;
  parameters["metadata_location"] = file.location;
  if (former_location) parameters["previous_metadata_location"] = *former_location;
  next.fields[table::kName] = ThriftValue::String(AsciiLower(identifier.name));
  next.fields[table::kDatabase] = ThriftValue::String(AsciiLower(identifier.name_space[0]));
  next.fields[table::kOwner] = ThriftValue::String(view.owner);
  next.fields[table::kType] = ThriftValue::String("VIRTUAL_VIEW");
  next.fields[table::kViewOriginalText] = ThriftValue::String(view.query_text);
  next.fields[table::kViewExpandedText] = ThriftValue::String(view.query_text);
  next.fields[table::kPartitionKeys] = ThriftValue::List(ThriftType::kStruct, {});
  next.fields[table::kParameters] = ThriftValue::StringMap(parameters);
  next.fields[table::kStorage] = ThriftValue::Struct(
      {{storage_descriptor::kColumns, ThriftValue::List(ThriftType::kStruct, std::move(columns))},
       {storage_descriptor::kLocation, ThriftValue::String(folder)},
       {storage_descriptor::kSerDe, ThriftValue::Struct({{int16_t{3}, ThriftValue::StringMap({})}})}});
  if (former_location) {
    FRAZIL_ASSIGN_OR_RETURN(auto altered, AlterHiveTable(*metastore_, *entry, next, {}));
    return altered.ok() ? Status::Ok() : Status(metastore_->ErrorOf("alter_table", altered));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto made, CreateHiveTable(*metastore_, next));
  if (made.ok()) return {};
  if (made.exception == "AlreadyExistsException") return TableExistsAlready(*this, identifier);
  return metastore_->ErrorOf("create_table", made);
}

Status HiveCatalog::DropView(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntry(identifier));
  if (!entry || !HiveMetadataLocation(*entry, kHiveIcebergView)) {
    FRAZIL_ASSIGN_OR_RETURN(const bool dropped, DropSparkView(identifier));
    return dropped ? Status::Ok() : Status(TableNotFound(*this, identifier));
  }
  FRAZIL_ASSIGN_OR_RETURN(
      auto answer, DropHiveTable(*metastore_, AsciiLower(identifier.name_space[0]), AsciiLower(identifier.name)));
  if (answer.ok()) return {};
  return metastore_->ErrorOf("drop_table", answer);
}

}  // namespace frazil::catalogs
