#include "frazil/catalogs/metastore/metastore_catalog.h"

#include "frazil/base/text.h"
#include "frazil/catalogs/metastore/described_table.h"
#include "frazil/catalogs/metastore/spark_views.h"

namespace frazil::catalogs {
namespace {

bool IsIceberg(const tables::TableDefinition& definition) {
  return definition.provider.empty() || EqualsIgnoreCase(definition.provider, "iceberg");
}

Error NotOfIceberg(const tables::TableDefinition& definition) {
  return Error::Unsupported("tables of provider " + definition.provider + " in a catalog of Iceberg's");
}

}  // namespace

void MetastoreCatalog::UseEntries(std::shared_ptr<TableMetastore> entries, const CatalogContext& context) {
  entries_ = std::move(entries);
  if (context.name != "spark_catalog") return;
  described_ = std::make_unique<DescribedTables>(entries_, context.formats, context.stores, lookup_);
}

Result<std::optional<HiveTable>> MetastoreCatalog::FindEntryOf(const Identifier& identifier) {
  if (!HasOneLevel(identifier.name_space)) return std::optional<HiveTable>();
  const HiveTable name = NameOfEntry(identifier);
  return entries_->FindTable(name.database, name.name);
}

Result<HiveTable> MetastoreCatalog::FindDescribed(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntryOf(identifier));
  if (!entry || !is_session() || !IsDescribedTable(*entry)) return TableNotFound(*this, identifier);
  return *std::move(entry);
}

Result<tables::TablePtr> MetastoreCatalog::CreateTable(const Identifier& identifier,
                                                       const tables::TableDefinition& definition) {
  if (IsIceberg(definition)) return PointerCatalog::CreateTable(identifier, definition);
  if (!is_session()) return NotOfIceberg(definition);
  FRAZIL_ASSIGN_OR_RETURN(const auto location, DefaultLocation(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto taken, FindEntryOf(identifier));
  if (taken) return TableExistsAlready(*this, identifier);
  HiveTable place = NameOfEntry(identifier);
  place.storage.location = location;
  return described_->Create(place, definition, DottedName(*this, identifier));
}

Result<tables::StagedTable> MetastoreCatalog::StageTable(const Identifier& identifier,
                                                         const tables::TableDefinition& definition, bool replace) {
  if (IsIceberg(definition)) return PointerCatalog::StageTable(identifier, definition, replace);
  if (!is_session()) return NotOfIceberg(definition);
  FRAZIL_ASSIGN_OR_RETURN(const auto location, DefaultLocation(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto former, FindEntryOf(identifier));
  if (former && (!replace || !IsDescribedTable(*former))) return TableExistsAlready(*this, identifier);
  HiveTable place = NameOfEntry(identifier);
  place.storage.location = location;
  return described_->Stage(place, definition, former ? &*former : nullptr, DottedName(*this, identifier));
}

Result<tables::TablePtr> MetastoreCatalog::LoadOther(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(const auto table, FindDescribed(identifier));
  return described_->Load(table, DottedName(*this, identifier));
}

Status MetastoreCatalog::DropOther(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(const auto table, FindDescribed(identifier));
  return described_->Drop(table);
}

Status MetastoreCatalog::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(auto named, FindNamed(identifier));
  if (!named || named->metadata_location) return PointerCatalog::AlterTable(identifier, changes);
  FRAZIL_ASSIGN_OR_RETURN(const auto table, FindDescribed(identifier));
  return described_->Alter(table, changes, DottedName(*this, identifier));
}

Result<bool> MetastoreCatalog::OwnsFiles(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntryOf(identifier));
  if (!entry) return TableNotFound(*this, identifier);
  return !EqualsIgnoreCase(entry->type, "EXTERNAL_TABLE");
}

// --- views

Result<std::optional<ViewDefinition>> MetastoreCatalog::LoadSparkView(const Identifier& identifier) {
  if (!is_session()) return std::optional<ViewDefinition>();
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntryOf(identifier));
  if (!entry || !IsSparkView(*entry)) return std::optional<ViewDefinition>();
  FRAZIL_ASSIGN_OR_RETURN(auto view, SparkViewOf(*entry, name_));
  return std::optional<ViewDefinition>(std::move(view));
}

Status MetastoreCatalog::CreateSparkView(const Identifier& identifier, const ViewDefinition& view, bool replace) {
  const HiveTable name = NameOfEntry(identifier);
  const HiveTable next = SparkViewEntry(name.database, name.name, view);
  FRAZIL_ASSIGN_OR_RETURN(auto former, FindEntryOf(identifier));
  if (former && (!replace || !IsSparkView(*former))) return TableExistsAlready(*this, identifier);
  if (former) return entries_->AlterTable(next);
  FRAZIL_ASSIGN_OR_RETURN(bool made, entries_->CreateTable(next));
  return made ? Status::Ok() : Status(TableExistsAlready(*this, identifier));
}

Result<bool> MetastoreCatalog::DropSparkView(const Identifier& identifier) {
  if (!is_session()) return false;
  FRAZIL_ASSIGN_OR_RETURN(auto entry, FindEntryOf(identifier));
  if (!entry || !IsSparkView(*entry)) return false;
  FRAZIL_RETURN_IF_ERROR(entries_->DropTable(entry->database, entry->name));
  return true;
}

}  // namespace frazil::catalogs
