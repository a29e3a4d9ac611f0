// VACUUM, RESTORE and the others that Delta Lake adds to SQL. https://docs.delta.io/latest/delta-utility.html

#include "frazil/base/text.h"
#include "frazil/commands/delta_commands_internal.h"
#include "frazil/tables/file_check.h"

namespace frazil::commands {
Result<RowSet> RunMaintenance(const plan::MaintenanceCommand& command, CommandContext& context) {
  if (const auto* drop = dynamic_cast<const plan::DropFeatureCommand*>(&command)) return RunDropFeature(*drop, context);
  if (command.type == plan::MaintenanceCommand::Type::kConvert) return RunConvertToDelta(command, context);
  FRAZIL_ASSIGN_OR_RETURN(auto table, ResolveTableName(command.table, context));
  if (dynamic_cast<const plan::CheckFilesCommand*>(&command) != nullptr) {
    const auto* checked = dynamic_cast<const tables::ChecksFiles*>(table.table.get());
    if (checked == nullptr) return Error::Of("DELTA_ONLY_OPERATION", {{"operation", "FSCK REPAIR TABLE"}});
    return checked->CheckFiles(command.dry_run);
  }
  if (table.table->provider() != "delta") {
    const char* names[] = {"OPTIMIZE", "VACUUM", "RESTORE", "CONVERT TO DELTA", "GENERATE"};
    return Error::Of("DELTA_ONLY_OPERATION", {{"operation", names[static_cast<size_t>(command.type)]}});
  }
  switch (command.type) {
    case plan::MaintenanceCommand::Type::kOptimize:
      return RunOptimize(command, table, context);
    case plan::MaintenanceCommand::Type::kVacuum: {
      tables::VacuumOptions options;
      options.retention_hours = command.retain_hours;
      options.dry_run = command.dry_run;
      options.lite = command.lite;
      options.check_retention = !EqualsIgnoreCase(
          context.GetConfig("spark.databricks.delta.retentionDurationCheck.enabled").value_or("true"), "false");
      return table.table->Vacuum(options);
    }
    case plan::MaintenanceCommand::Type::kGenerateManifest:
      FRAZIL_RETURN_IF_ERROR(table.table->GenerateManifest());
      return NoRows();
    case plan::MaintenanceCommand::Type::kConvert:
      break;
    case plan::MaintenanceCommand::Type::kRestore: {
      tables::ScanOptions options;
      options.snapshot_id = command.version;
      if (command.timestamp != nullptr) {
        auto value = analysis::AnalyzeConstant(command.timestamp, DataType::Timestamp(), context);
        if (!value.ok() && value.error().condition != "CAST_INVALID_INPUT") return std::move(value).error();
        if (!value.ok() || value->is_null()) {
          std::string text = "NULL";
          if (!value.ok()) {
            for (const auto& [name, parameter] : value.error().parameters) {
              if (name == "expression") text = parameter;
            }
          }
          return Error::Of("DELTA_TIMESTAMP_INVALID", {{"expr", text}});
        }
        options.timestamp_micros = value->integer();
      }
      return table.table->Restore(options);
    }
  }
  return Error::Internal("unknown maintenance command");
}

}  // namespace frazil::commands
