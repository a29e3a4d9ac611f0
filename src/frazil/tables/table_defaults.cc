// What the interfaces of tables do where a kind of table does not say otherwise: refuse, by the name of the feature.
#include "frazil/tables/row_changes.h"
#include "frazil/tables/scan.h"
#include "frazil/tables/table.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables {

Result<std::shared_ptr<const TableScan>> TableScan::RestrictTo(const std::vector<std::string>&) const {
  return Error::Unsupported("reading chosen files of this kind of table");
}

Result<std::unique_ptr<TableWrite>> Table::StartWrite(const WriteOptions&) const {
  return Error::Unsupported("writing to a table of provider " + provider());
}

Result<std::unique_ptr<RowChanges>> Table::StartRowChanges(const WriteOptions&) const {
  return Error::Unsupported("changes of single rows of a table of provider " + provider());
}

Result<bool> Table::CanDeleteByMetadata(const PredicatePtr&, const WriteOptions&) const { return false; }

Result<CommitOutcome> Table::DeleteByMetadata(const PredicatePtr&, const WriteOptions&) const {
  return Error::Unsupported("DELETE from a table of provider " + provider());
}

Status Table::Alter(const std::vector<TableChange>&) const {
  return Error::Unsupported("ALTER TABLE of a table of provider " + provider());
}

Result<TablePtr> Table::MetadataTable(const std::string&) const { return TablePtr(); }

Result<RowSet> Table::History(std::optional<int64_t>) const {
  return Error::Unsupported("DESCRIBE HISTORY of a table of provider " + provider());
}

Result<RowSet> Table::Detail() const {
  return Error::Unsupported("DESCRIBE DETAIL of a table of provider " + provider());
}

Result<RowSet> Table::Restore(const ScanOptions&) const {
  return Error::Unsupported("RESTORE of a table of provider " + provider());
}

Result<RowSet> Table::Vacuum(const VacuumOptions&) const {
  return Error::Unsupported("VACUUM of a table of provider " + provider());
}

Status Table::GenerateManifest() const { return Error::Unsupported("GENERATE for a table of provider " + provider()); }

PathReference TableFormat::ReadPath(const std::string& path) const {
  PathReference reference;
  size_t hash = path.rfind('#');
  reference.folder = path.substr(0, hash);
  if (hash != std::string::npos) reference.metadata_table = path.substr(hash + 1);
  return reference;
}

Result<TablePtr> TableFormat::LoadDefined(const TableContext&, const TableDefinition&) const {
  return Error::Unsupported("tables of provider " + name() + " without metadata of their own");
}

void FormatRegistry::Register(TableFormatPtr format) {
  std::string name = format->name();
  formats_[std::move(name)] = std::move(format);
}

TableFormatPtr FormatRegistry::Find(std::string_view name) const {
  auto found = formats_.find(name);
  return found == formats_.end() ? nullptr : found->second;
}

}  // namespace frazil::tables
