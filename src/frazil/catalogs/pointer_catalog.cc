#include "frazil/catalogs/pointer_catalog.h"

#include "frazil/catalogs/iceberg_view.h"
#include "frazil/codec/deflate.h"

namespace frazil::catalogs {

Status PointerCatalog::Initialize(const CatalogContext& context) {
  name_ = context.name;
  settings_ = context.settings;
  stores_ = context.stores;
  lookup_ = SettingsWithin(context.settings, context.session_settings);
  format_ = context.formats->Find("iceberg");
  texts_ = dynamic_cast<const tables::MetadataText*>(format_.get());
  if (texts_ == nullptr) return Error::Internal("the table format iceberg is not registered");
  table_properties_ = TableProperties::Of(context.settings);
  return {};
}

std::string PointerCatalog::SettingOf(const std::string& key) const {
  auto found = settings_.find(key);
  return found == settings_.end() ? std::string() : found->second;
}

Result<PointerCatalog::Place> PointerCatalog::PlaceAt(const Identifier& identifier, const std::string& location) {
  Place place;
  place.context.name = DottedName(*this, identifier);
  place.context.settings = lookup_;
  FRAZIL_ASSIGN_OR_RETURN(place.context.store, stores_->StoreFor(location, lookup_));
  place.commit_point =
      std::make_shared<PointerCommitPoint>(PointerOf(identifier), place.context.store, place.context.name);
  return place;
}

Result<bool> PointerCatalog::TableExists(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto named, FindNamed(identifier));
  return named && named->is_table;
}

Result<tables::TablePtr> PointerCatalog::LoadOther(const Identifier& identifier) {
  return TableNotFound(*this, identifier);
}

Status PointerCatalog::DropOther(const Identifier& identifier) { return TableNotFound(*this, identifier); }

Result<tables::TablePtr> PointerCatalog::LoadTable(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto named, FindNamed(identifier));
  if (!named) return TableNotFound(*this, identifier);
  if (!named->metadata_location) return LoadOther(identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, *named->metadata_location));
  return format_->Load(place.context, *named->metadata_location, place.commit_point);
}

Result<tables::TablePtr> PointerCatalog::CreateTable(const Identifier& identifier,
                                                     const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, DefaultLocation(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto named, FindNamed(identifier));
  if (named) return TableExistsAlready(*this, identifier);
  if (definition.location) location = *definition.location;
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, location));
  return format_->Create(place.context, table_properties_.Complete(definition), location, place.commit_point);
}

Result<tables::StagedTable> PointerCatalog::StageTable(const Identifier& identifier,
                                                       const tables::TableDefinition& definition, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto location, DefaultLocation(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto named, FindNamed(identifier));
  const bool is_iceberg = named && named->metadata_location;
  if (named && (!replace || !is_iceberg)) return TableExistsAlready(*this, identifier);
  if (definition.location) {
    location = *definition.location;
  } else if (is_iceberg) {
    FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(identifier));
    location = table->location();
  }
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, location));
  return format_->Stage(place.context, table_properties_.Complete(definition), location, place.commit_point,
                        is_iceberg);
}

Status PointerCatalog::DropTable(const Identifier& identifier, bool purge) {
  FRAZIL_ASSIGN_OR_RETURN(auto named, FindNamed(identifier));
  if (!named) return TableNotFound(*this, identifier);
  if (!named->metadata_location) return DropOther(identifier);
  if (!purge) return RemoveName(identifier);
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, *named->metadata_location));
  FRAZIL_RETURN_IF_ERROR(texts_->CheckDeletable(place.context, *named->metadata_location));
  // The name goes first: what stays after a crash is files without a name.
  FRAZIL_RETURN_IF_ERROR(RemoveName(identifier));
  return texts_->DeleteFiles(place.context, *named->metadata_location);
}

Status PointerCatalog::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(identifier));
  return table->Alter(changes);
}

Status PointerCatalog::RegisterTable(const Identifier& identifier, const std::string& metadata_location) {
  // Names of the namespace are checked before the file is read, so that a wrong one is what the user hears of.
  FRAZIL_RETURN_IF_ERROR(DefaultLocation(identifier).status());
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceAt(identifier, metadata_location));
  FRAZIL_ASSIGN_OR_RETURN(auto bytes, place.context.store->Read(metadata_location));
  FRAZIL_ASSIGN_OR_RETURN(const auto metadata, codec::GunzipIfGzip(std::move(bytes)));
  FRAZIL_ASSIGN_OR_RETURN(bool registered, PointerOf(identifier)->Move(std::nullopt, metadata_location, metadata));
  return registered ? Status::Ok() : Status(TableExistsAlready(*this, identifier));
}

Result<std::optional<ViewDefinition>> PointerCatalog::LoadViewAt(const Identifier& identifier,
                                                                 const std::string& location) {
  FRAZIL_ASSIGN_OR_RETURN(auto store, stores_->StoreFor(location, lookup_));
  FRAZIL_ASSIGN_OR_RETURN(auto text, store->Read(location));
  FRAZIL_ASSIGN_OR_RETURN(auto view,
                          ReadViewMetadata(*texts_, ParseJsonOrNull(text), DottedName(*this, identifier), name_));
  return std::optional<ViewDefinition>(std::move(view));
}

Result<PointerCatalog::ViewFile> PointerCatalog::WriteView(const ViewDefinition& view, const std::string& folder,
                                                           const std::optional<std::string>& former) {
  FRAZIL_ASSIGN_OR_RETURN(auto store, stores_->StoreFor(folder, lookup_));
  Json former_metadata;
  if (former) {
    FRAZIL_ASSIGN_OR_RETURN(auto text, store->Read(*former));
    former_metadata = ParseJsonOrNull(text);
  }
  ViewFile file;
  FRAZIL_ASSIGN_OR_RETURN(file.metadata, ViewMetadataOf(*texts_, view, folder, former_metadata));
  const std::string text = file.metadata.dump();
  file.location = NextMetadataLocation(former, text);
  FRAZIL_RETURN_IF_ERROR(store->WriteNew(file.location, text));
  return file;
}

}  // namespace frazil::catalogs
