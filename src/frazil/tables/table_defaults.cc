// What the interfaces of tables do where a kind of table does not say otherwise: refuse, by the name of the feature.
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

Result<bool> Table::CanDeleteByMetadata(const PredicatePtr&, const WriteOptions&) const { return false; }

Result<CommitOutcome> Table::DeleteByMetadata(const PredicatePtr&, const WriteOptions&) const {
  return Error::Unsupported("DELETE from a table of provider " + provider());
}

Status Table::Alter(const std::vector<TableChange>&) const {
  return Error::Unsupported("ALTER TABLE of a table of provider " + provider());
}

Result<TablePtr> Table::MetadataTable(const std::string&) const { return TablePtr(); }

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
