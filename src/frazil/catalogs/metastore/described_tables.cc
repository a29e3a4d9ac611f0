#include "frazil/catalogs/metastore/described_tables.h"

#include <utility>

#include "frazil/base/text.h"
#include "frazil/catalogs/definition_changes.h"
#include "frazil/catalogs/metastore/described_table.h"
#include "frazil/catalogs/metastore/hive_formats.h"
#include "frazil/catalogs/metastore/metastore_commit_point.h"
#include "frazil/storage/folder.h"

namespace frazil::catalogs {
namespace {

using Entry = MetastoreCommitPoint::Entry;

Error NotSupported(const std::string& full_name, const std::string& operation) {
  return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                   {{"tableName", QuoteIdentifier(Split(full_name, '.'))}, {"operation", operation}});
}

}  // namespace

Result<DescribedTables::Place> DescribedTables::PlaceOf(tables::TableDefinition definition,
                                                        const std::string& full_name) const {
  FRAZIL_ASSIGN_OR_RETURN(definition, AsFiles(std::move(definition)));
  Place place;
  place.format = formats_->Find(AsciiLower(definition.provider));
  if (place.format == nullptr) return Error::Of("DATA_SOURCE_NOT_FOUND", {{"provider", definition.provider}});
  if (!definition.location || definition.location->empty())
    return Error::Unsupported("the table " + full_name + ", which has no location");
  place.entry_location = *definition.location;
  place.context = {nullptr, settings_, full_name};
  FRAZIL_ASSIGN_OR_RETURN(place.context.store, stores_->StoreFor(*definition.location, settings_));
  place.location = storage::FolderOf(*definition.location);
  definition.location = place.location;
  place.definition = std::move(definition);
  return place;
}

Result<tables::TablePtr> DescribedTables::Load(const HiveTable& entry, const std::string& full_name) const {
  FRAZIL_ASSIGN_OR_RETURN(auto definition, DefinitionOf(entry));
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceOf(std::move(definition), full_name));
  if (place.format->self_describing()) {
    return place.format->Load(place.context, place.location,
                              place.format->PathCommitPoint(place.context, place.location));
  }
  // Its writes tell the catalog of new partitions.
  auto commit_point = std::make_shared<MetastoreCommitPoint>(metastore_, entry, Entry::kExists);
  FRAZIL_ASSIGN_OR_RETURN(auto staged,
                          place.format->Stage(place.context, place.definition, place.location, commit_point, true));
  return staged.table;
}

Result<tables::TablePtr> DescribedTables::Create(const HiveTable& place_of_entry,
                                                 const tables::TableDefinition& definition,
                                                 const std::string& full_name) const {
  tables::TableDefinition complete = definition;
  if (!complete.location) complete.location = place_of_entry.storage.location;
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceOf(complete, full_name));
  FRAZIL_ASSIGN_OR_RETURN(const HiveTable entry,
                          EntryOf(place_of_entry.database, place_of_entry.name, place_of_entry.owner, complete));
  tables::CommitPointPtr inner;
  if (place.format->self_describing()) {
    inner = place.format->PathCommitPoint(place.context, place.location);
    FRAZIL_ASSIGN_OR_RETURN(auto current, inner->Current());
    if (current) {
      FRAZIL_ASSIGN_OR_RETURN(auto table, place.format->Load(place.context, place.location, inner));
      FRAZIL_RETURN_IF_ERROR(place.format->CheckDefinition(*table, place.definition));
      FRAZIL_ASSIGN_OR_RETURN(bool made, metastore_->CreateTable(entry));
      if (!made) {
        return Error::Of("TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", QuoteIdentifier(Split(full_name, '.'))}});
      }
      return table;
    }
  }
  auto commit_point = std::make_shared<MetastoreCommitPoint>(metastore_, entry, Entry::kIsNew, inner);
  if (inner != nullptr) return place.format->Create(place.context, place.definition, place.location, commit_point);
  FRAZIL_RETURN_IF_ERROR(place.format->Create(place.context, place.definition, place.location, commit_point).status());
  return Load(entry, full_name);
}

Result<tables::StagedTable> DescribedTables::Stage(const HiveTable& place_of_entry,
                                                   const tables::TableDefinition& definition, const HiveTable* replaced,
                                                   const std::string& full_name) const {
  tables::TableDefinition complete = definition;
  if (replaced != nullptr && !complete.location) {
    complete.location = replaced->storage.location;
    complete.is_external = EqualsIgnoreCase(replaced->type, "EXTERNAL_TABLE");
  }
  if (!complete.location) complete.location = place_of_entry.storage.location;
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceOf(complete, full_name));
  const bool self_describing = place.format->self_describing();
  bool replaces = replaced != nullptr;
  if (replaced != nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(auto former, DefinitionOf(*replaced));
    const auto former_format = formats_->Find(AsciiLower(former.provider));
    // Files of the one would lie among the other's.
    if (former_format == nullptr || former_format->self_describing() != self_describing)
      return NotSupported(full_name, "REPLACE TABLE by a table of provider " + complete.provider);
  }
  tables::CommitPointPtr inner;
  if (self_describing) {
    inner = place.format->PathCommitPoint(place.context, place.location);
    FRAZIL_ASSIGN_OR_RETURN(auto current, inner->Current());
    replaces = replaces && current.has_value();
  }
  FRAZIL_ASSIGN_OR_RETURN(HiveTable entry,
                          EntryOf(place_of_entry.database, place_of_entry.name, place_of_entry.owner, complete));
  auto commit_point = std::make_shared<MetastoreCommitPoint>(
      metastore_, std::move(entry), replaced != nullptr ? Entry::kReplaces : Entry::kIsNew, inner);
  return place.format->Stage(place.context, place.definition, place.location, std::move(commit_point), replaces);
}

Status DescribedTables::Drop(const HiveTable& entry) const {
  const bool owns_files = !EqualsIgnoreCase(entry.type, "EXTERNAL_TABLE");
  std::vector<std::string> folders;
  if (owns_files && !entry.storage.location.empty()) {
    folders.push_back(entry.storage.location);
    if (!entry.partition_keys.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(const auto partitions, metastore_->ListPartitions(entry.database, entry.name));
      for (const auto& partition : partitions) {
        if (!partition.storage.location.starts_with(entry.storage.location + "/"))
          folders.push_back(partition.storage.location);
      }
    }
  }
  // The name goes first: a crash between the two leaves files without a name, never a name without files.
  FRAZIL_RETURN_IF_ERROR(metastore_->DropTable(entry.database, entry.name));
  for (const auto& folder : folders) {
    FRAZIL_ASSIGN_OR_RETURN(auto store, stores_->StoreFor(folder, settings_));
    FRAZIL_RETURN_IF_ERROR(store->DeleteRecursively(storage::FolderOf(folder)));
  }
  return {};
}

Status DescribedTables::Alter(const HiveTable& entry, const std::vector<tables::TableChange>& changes,
                              const std::string& full_name) const {
  FRAZIL_ASSIGN_OR_RETURN(auto definition, DefinitionOf(entry));
  const auto format = formats_->Find(AsciiLower(definition.provider));
  if (format != nullptr && format->self_describing()) {
    FRAZIL_ASSIGN_OR_RETURN(auto table, Load(entry, full_name));
    return table->Alter(changes);
  }
  FRAZIL_RETURN_IF_ERROR(ApplyChanges(changes, &definition));
  HiveTable changed = entry;
  UpdateEntry(definition, &changed);
  return metastore_->AlterTable(changed);
}

}  // namespace frazil::catalogs
