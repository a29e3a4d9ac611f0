#include "frazil/catalogs/path/path_tables.h"

#include "frazil/base/text.h"
#include "frazil/storage/folder.h"

namespace frazil::catalogs {
namespace {

Error Refused(const std::string& operation) {
  return Error::Unsupported(operation + " of a table that is named by its path");
}

}  // namespace

bool PathTables::IsPathName(const std::vector<std::string>& name, const tables::FormatRegistry& formats) {
  if (name.size() != 2 || (name[1].find('/') == std::string::npos && name[1].find(':') == std::string::npos))
    return false;
  auto format = formats.Find(AsciiLower(name[0]));
  return format != nullptr && format->self_describing() && format->creates_at_path();
}

Result<PathTables::Place> PathTables::PlaceOf(const Identifier& identifier) const {
  Place place;
  if (identifier.name_space.size() == 1) place.format = formats_->Find(AsciiLower(identifier.name_space[0]));
  if (place.format == nullptr) return TableNotFound(*this, identifier);
  place.folder = storage::FolderOf(identifier.name);
  FRAZIL_ASSIGN_OR_RETURN(auto store, stores_->StoreFor(place.folder, settings_));
  place.context = {std::move(store), settings_, place.folder};
  place.commit_point = place.format->PathCommitPoint(place.context, place.folder);
  return place;
}

Result<tables::TableDefinition> PathTables::Complete(const Identifier& identifier,
                                                     const tables::TableDefinition& definition) const {
  tables::TableDefinition complete = definition;
  std::string folder = storage::FolderOf(identifier.name);
  if (definition.location && storage::FolderOf(*definition.location) != folder) {
    return Error::Plain(ExceptionClass::kAnalysis,
                        "Creating a path-based table with a different location isn't supported. Identifier: " + folder +
                            ", Location: " + *definition.location);
  }
  complete.location = folder;
  complete.is_external = true;
  return complete;
}

Result<std::vector<Namespace>> PathTables::ListNamespaces(const Namespace&) { return std::vector<Namespace>(); }

Result<bool> PathTables::NamespaceExists(const Namespace& name_space) {
  return name_space.size() == 1 && formats_->Find(AsciiLower(name_space[0])) != nullptr;
}

Result<std::map<std::string, std::string>> PathTables::LoadNamespace(const Namespace& name_space) {
  return NamespaceNotFound(*this, name_space);
}

Status PathTables::CreateNamespace(const Namespace& name_space, const std::map<std::string, std::string>&) {
  return NamespaceExistsAlready(*this, name_space);
}

Status PathTables::AlterNamespace(const Namespace& name_space, const std::map<std::string, std::string>&,
                                  const std::vector<std::string>&) {
  return NamespaceNotFound(*this, name_space);
}

Status PathTables::DropNamespace(const Namespace& name_space, bool) { return NamespaceNotFound(*this, name_space); }

Result<std::vector<std::string>> PathTables::ListTables(const Namespace&) { return std::vector<std::string>(); }

Result<bool> PathTables::TableExists(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceOf(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto current, place.commit_point->Current());
  return current.has_value();
}

Result<tables::TablePtr> PathTables::LoadTable(const Identifier& identifier) {
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceOf(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto current, place.commit_point->Current());
  if (!current.has_value()) return TableNotFound(*this, identifier);
  return place.format->Load(place.context, place.folder, place.commit_point);
}

Result<tables::TablePtr> PathTables::CreateTable(const Identifier& identifier,
                                                 const tables::TableDefinition& definition) {
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceOf(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto complete, Complete(identifier, definition));
  FRAZIL_ASSIGN_OR_RETURN(auto current, place.commit_point->Current());
  if (current.has_value()) return TableExistsAlready(*this, identifier);
  return place.format->Create(place.context, complete, place.folder, place.commit_point);
}

Result<tables::StagedTable> PathTables::StageTable(const Identifier& identifier,
                                                   const tables::TableDefinition& definition, bool replace) {
  FRAZIL_ASSIGN_OR_RETURN(auto place, PlaceOf(identifier));
  FRAZIL_ASSIGN_OR_RETURN(auto complete, Complete(identifier, definition));
  FRAZIL_ASSIGN_OR_RETURN(auto current, place.commit_point->Current());
  if (current.has_value() && !replace) return TableExistsAlready(*this, identifier);
  return place.format->Stage(place.context, complete, place.folder, place.commit_point, replace && current.has_value());
}

Status PathTables::DropTable(const Identifier&, bool) { return Refused("DROP TABLE"); }

Status PathTables::RenameTable(const Identifier&, const Identifier&) { return Refused("RENAME"); }

Status PathTables::AlterTable(const Identifier& identifier, const std::vector<tables::TableChange>& changes) {
  FRAZIL_ASSIGN_OR_RETURN(auto table, LoadTable(identifier));
  return table->Alter(changes);
}

}  // namespace frazil::catalogs
