// CALL system.register_table: takes a table that is there already into a catalog, by its metadata file.

#include "frazil/catalogs/table_registrar.h"
#include "frazil/commands/procedures_internal.h"

namespace frazil::commands {
namespace {

Result<RowSet> Run(catalogs::Catalog& catalog, const catalogs::Identifier& identifier,
                   const std::vector<Value>& arguments, CommandContext&) {
  auto* registrar = dynamic_cast<catalogs::TableRegistrar*>(&catalog);
  if (registrar == nullptr) {
    return Error::Of("UNSUPPORTED_FEATURE.CATALOG_OPERATION",
                     {{"catalogName", QuoteIdentifier(catalog.name())}, {"operation", "register_table"}});
  }
  const std::string& metadata = arguments[1].string();
  if (metadata.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument, "Cannot handle an empty argument metadata_file");
  }
  FRAZIL_RETURN_IF_ERROR(registrar->RegisterTable(identifier, metadata));
  FRAZIL_ASSIGN_OR_RETURN(auto table, catalog.LoadTable(identifier));
  std::vector<Value> row(3);
  const auto properties = table->properties();
  auto snapshot = properties.find("current-snapshot-id");
  if (snapshot != properties.end() && snapshot->second != "none") {
    row[0] = Value(static_cast<int64_t>(std::stoll(snapshot->second)));
    FRAZIL_ASSIGN_OR_RETURN(auto scan, table->Scan({}));
    FRAZIL_ASSIGN_OR_RETURN(auto plan, scan->Plan(Predicate::True()));
    int64_t records = 0;
    for (const auto& file : plan.files) records += file.record_count;
    row[1] = Value(records);
    row[2] = Value(static_cast<int64_t>(plan.files.size()));
  }
  return RowSet{DataType::Struct({{"current_snapshot_id", DataType::Long(), true},
                                  {"total_records_count", DataType::Long(), true},
                                  {"total_data_files_count", DataType::Long(), true}}),
                {std::move(row)}};
}

}  // namespace

CatalogProcedure RegisterTable() {
  return {"register_table", {{"table", DataType::String(), true}, {"metadata_file", DataType::String(), true}}, 0, Run};
}

}  // namespace frazil::commands
