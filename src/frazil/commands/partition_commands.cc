#include "frazil/commands/partition_commands.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/storage/folder.h"
#include "frazil/tables/files/file_table.h"
#include "frazil/tables/partition_folder.h"

namespace frazil::commands {

namespace {

using Type = plan::AlterAction::Type;

bool IsPlain(const analysis::ResolvedTable& table) {
  return dynamic_cast<const tables::FileTable*>(table.table.get()) != nullptr;
}

bool IsExternal(const analysis::ResolvedTable& table) {
  for (const auto& [key, value] : table.table->details()) {
    if (key == "Type") return value == "EXTERNAL";
  }
  return false;
}

/// "default.t": Spark leaves the catalog out in these messages.
std::string ShortName(const analysis::ResolvedTable& table) {
  return QuoteIdentifier(std::vector<std::string>(table.full_name.begin() + 1, table.full_name.end()));
}

const char* NameOf(Type type) {
  switch (type) {
    case Type::kAddPartition:
      return "ALTER TABLE ADD PARTITION";
    case Type::kDropPartition:
      return "ALTER TABLE DROP PARTITION";
    case Type::kRenamePartition:
      return "ALTER TABLE RENAME PARTITION";
    default:
      return "ALTER TABLE RECOVER PARTITIONS";
  }
}

/// A partition's values as texts, in the order of the table's partition columns; nullopt: the statement does not say.
struct Named {
  std::vector<std::pair<std::string, std::optional<std::string>>> parts;

  bool complete() const {
    return std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part.second.has_value(); });
  }
  /// "a=1/b=x".
  std::string folder() const {
    std::string path;
    for (const auto& [name, text] : parts) {
      if (text.has_value()) path += (path.empty() ? "" : "/") + tables::PartitionFolder(name, text);
    }
    return path;
  }
  std::string shown() const {
    std::string text;
    for (const auto& [name, value] : parts) {
      if (value.has_value()) text += (text.empty() ? "" : ", ") + QuoteIdentifier(name) + " = " + *value;
    }
    return "PARTITION (" + text + ")";
  }
  /// Whether "a=1/b=x", a folder of the table, has the values that are said.
  bool Matches(const std::string& folder) const {
    const auto values = Split(folder, '/');
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].second.has_value() && values[i] != tables::PartitionFolder(parts[i].first, parts[i].second))
        return false;
    }
    return true;
  }
};

Result<Named> NamePartition(const analysis::ResolvedTable& table, const PartitionSpecification& specification,
                            CommandContext& context) {
  Named named;
  for (const auto& field : table.table->partitioning()) named.parts.emplace_back(field.source[0], std::nullopt);
  std::vector<std::string> unknown;
  std::vector<std::string> given;
  bool has_empty = false;
  for (const auto& [name, value] : specification) {
    const auto found = std::find_if(named.parts.begin(), named.parts.end(),
                                    [&](const auto& part) { return EqualsIgnoreCase(part.first, name); });
    if (found == named.parts.end()) {
      unknown.push_back(QuoteIdentifier(name));
      continue;
    }
    const auto& field = table.table->schema()->fields()[table.table->schema()->FieldIndex(found->first)];
    FRAZIL_ASSIGN_OR_RETURN(const auto constant, analysis::AnalyzeConstant(value, field.type, context));
    found->second = constant.is_null() ? tables::kHiveDefaultPartition
                                       : ValueToString(*field.type, constant, context.settings().time_zone);
    has_empty = has_empty || found->second->empty();
    given.push_back(found->first + "=" + *found->second);
  }
  if (!unknown.empty()) {
    return Error::Of("PARTITIONS_NOT_FOUND",
                     {{"partitionList", Join(unknown, ", ")}, {"tableName", QuoteIdentifier(table.full_name)}});
  }
  if (has_empty) {
    return Error::Of("_LEGACY_ERROR_TEMP_1076",
                     {{"details", "The spec ([" + Join(given, ", ") + "]) contains an empty partition column value"}});
  }
  return named;
}

Status CheckComplete(const Named& named, const analysis::ResolvedTable& table) {
  if (named.complete()) return Status::Ok();
  std::vector<std::string> given, all;
  for (const auto& [name, text] : named.parts) {
    all.push_back(name);
    if (text.has_value()) given.push_back(name);
  }
  return Error::Of("_LEGACY_ERROR_TEMP_1232", {{"specKeys", Join(given, ", ")},
                                               {"partitionColumnNames", Join(all, ", ")},
                                               {"tableName", QuoteIdentifier(table.full_name)}});
}

Error NotFound(const std::vector<Named>& missing, const analysis::ResolvedTable& table) {
  std::vector<std::string> shown;
  for (const auto& named : missing) shown.push_back(named.shown());
  return Error::Of("PARTITIONS_NOT_FOUND", {{"partitionList", Join(shown, ", ")}, {"tableName", ShortName(table)}});
}

Error ExistAlready(const std::vector<Named>& present, const analysis::ResolvedTable& table) {
  std::vector<std::string> shown;
  for (const auto& named : present) shown.push_back(named.shown());
  return Error::Of("PARTITIONS_ALREADY_EXIST", {{"partitionList", Join(shown, ", ")}, {"tableName", ShortName(table)}});
}

/// The partitions of a table: those that its catalog keeps, else its folders.
class Partitions {
 public:
  static Result<Partitions> Of(const analysis::ResolvedTable& table, CommandContext& context) {
    FRAZIL_ASSIGN_OR_RETURN(auto store,
                            context.stores().StoreFor(table.table->location(), context.execution().store_settings));
    Partitions partitions(std::move(store), table.table->location());
    for (const auto& field : table.table->partitioning()) partitions.names_.push_back(field.source[0]);
    partitions.registry_ = dynamic_cast<const tables::FileTable&>(*table.table).partition_registry();
    if (partitions.registry_ == nullptr) return partitions;
    FRAZIL_ASSIGN_OR_RETURN(auto known, partitions.registry_->ListPartitions());
    for (auto& partition : known) {
      std::string folder;
      for (size_t i = 0; i < partitions.names_.size(); ++i)
        folder += (i == 0 ? "" : "/") + tables::PartitionFolder(partitions.names_[i], partition.values[i]);
      partitions.known_[folder] = std::move(partition);
    }
    return partitions;
  }

  std::string PathOf(const std::string& folder) const {
    const auto found = known_.find(folder);
    return found != known_.end() ? storage::FolderOf(found->second.location) : storage::JoinPath(location_, folder);
  }
  std::string PathOf(const Named& named) const { return PathOf(named.folder()); }
  Result<bool> Has(const Named& named) const {
    if (registry_ != nullptr) return known_.contains(named.folder());
    return store_->Exists(PathOf(named));
  }
  storage::ObjectStore& store() const { return *store_; }
  tables::PartitionRegistry* registry() const { return registry_; }

  /// A new one; `location` is where it lies, or empty.
  Status Add(const Named& named, const std::string& location) {
    if (registry_ == nullptr) return store_->CreateFolder(PathOf(named));
    tables::KnownPartition partition;
    partition.values = ValuesOf(named.folder());
    partition.location = location.empty() ? storage::JoinPath(location_, named.folder()) : location;
    if (location.empty()) FRAZIL_RETURN_IF_ERROR(store_->CreateFolder(partition.location));
    return registry_->AddPartitions({std::move(partition)});
  }
  /// Its files go where they are the table's own.
  Status Drop(const std::string& folder, bool owns_files) {
    if (registry_ != nullptr) FRAZIL_RETURN_IF_ERROR(registry_->DropPartitions({ValuesOf(folder)}));
    return owns_files ? store_->DeleteRecursively(PathOf(folder)) : Status::Ok();
  }
  Status Rename(const Named& from, const Named& to, bool owns_files) {
    std::string target = storage::JoinPath(location_, to.folder());
    if (owns_files) {
      FRAZIL_RETURN_IF_ERROR(store_->CreateFolder(target.substr(0, target.rfind('/'))));
      FRAZIL_RETURN_IF_ERROR(store_->Rename(PathOf(from), target));
    } else {
      target = PathOf(from);
    }
    if (registry_ == nullptr) return {};
    FRAZIL_RETURN_IF_ERROR(registry_->AddPartitions({{ValuesOf(to.folder()), target, {}}}));
    return registry_->DropPartitions({ValuesOf(from.folder())});
  }

  Result<std::vector<std::string>> List() const {
    if (registry_ == nullptr) return ListFolders();
    std::vector<std::string> folders;
    for (const auto& [folder, partition] : known_) folders.push_back(folder);
    return folders;
  }

  /// MSCK REPAIR: folders become partitions, partitions without a folder are none any more.
  Status Repair(bool adds, bool drops) {
    if (registry_ == nullptr) return {};
    FRAZIL_ASSIGN_OR_RETURN(const auto folders, ListFolders());
    std::vector<tables::KnownPartition> fresh;
    for (const auto& folder : folders) {
      if (adds && !known_.contains(folder))
        fresh.push_back({ValuesOf(folder), storage::JoinPath(location_, folder), {}});
    }
    FRAZIL_RETURN_IF_ERROR(registry_->AddPartitions(fresh));
    if (!drops) return {};
    std::vector<tables::PartitionValues> gone;
    for (const auto& [folder, partition] : known_) {
      FRAZIL_ASSIGN_OR_RETURN(const bool is_there, store_->Exists(storage::FolderOf(partition.location)));
      if (!is_there) gone.push_back(partition.values);
    }
    return registry_->DropPartitions(gone);
  }

 private:
  Partitions(storage::ObjectStorePtr store, std::string location)
      : store_(std::move(store)), location_(std::move(location)) {}

  static tables::PartitionValues ValuesOf(const std::string& folder) {
    tables::PartitionValues values;
    for (const auto& part : Split(folder, '/')) {
      const std::string text = PercentDecode(part.substr(part.find('=') + 1));
      values.push_back(text == tables::kHiveDefaultPartition ? std::nullopt : std::optional<std::string>(text));
    }
    return values;
  }

  /// All folders with a name=value for each partition column, below the table's.
  Result<std::vector<std::string>> ListFolders() const {
    std::vector<std::string> folders = {""};
    for (const auto& column : names_) {
      std::vector<std::string> next;
      for (const auto& folder : folders) {
        const std::string above = storage::JoinPath(location_, folder);
        FRAZIL_ASSIGN_OR_RETURN(const bool exists, store_->Exists(above));
        if (!exists) continue;
        FRAZIL_ASSIGN_OR_RETURN(const auto entries, store_->List(above, false));
        for (const auto& entry : entries) {
          std::string path = entry.path;
          while (path.ends_with('/')) path.pop_back();
          const std::string name = path.substr(path.rfind('/') + 1);
          const size_t equals = name.find('=');
          if (!entry.is_directory || equals == std::string::npos || name.starts_with('.')) continue;
          // Where the catalog keeps partitions, folders of other names are none of the table's.
          if (registry_ != nullptr && !EqualsIgnoreCase(PercentDecode(name.substr(0, equals)), column)) continue;
          next.push_back(folder.empty() ? name : folder + "/" + name);
        }
      }
      folders = std::move(next);
    }
    std::sort(folders.begin(), folders.end());
    return folders;
  }

  storage::ObjectStorePtr store_;
  std::string location_;
  std::vector<std::string> names_;
  tables::PartitionRegistry* registry_ = nullptr;
  std::map<std::string, tables::KnownPartition> known_;  ///< By "a=1/b=x".
};

Status Add(const analysis::ResolvedTable& table, const plan::AlterAction& action, Partitions& folders,
           CommandContext& context) {
  std::vector<Named> present;
  std::vector<std::pair<Named, std::string>> wanted;
  for (size_t i = 0; i < action.partitions.size(); ++i) {
    const std::string& location = action.partition_locations[i];
    if (!location.empty() && folders.registry() == nullptr)
      return Error::Unsupported("ALTER TABLE ADD PARTITION with a LOCATION");
    FRAZIL_ASSIGN_OR_RETURN(auto named, NamePartition(table, action.partitions[i], context));
    FRAZIL_RETURN_IF_ERROR(CheckComplete(named, table));
    FRAZIL_ASSIGN_OR_RETURN(const bool exists, folders.Has(named));
    if (exists) {
      present.push_back(std::move(named));
    } else {
      wanted.emplace_back(std::move(named), location);
    }
  }
  if (!present.empty() && !action.if_not_exists) return ExistAlready(present, table);
  for (const auto& [named, location] : wanted) FRAZIL_RETURN_IF_ERROR(folders.Add(named, location));
  return Status::Ok();
}

Status Drop(const analysis::ResolvedTable& table, const plan::AlterAction& action, Partitions& folders,
            CommandContext& context) {
  // As Hive: some of the keys name all partitions that have them.
  std::set<std::string> there;
  std::vector<Named> missing;
  std::optional<std::vector<std::string>> all;
  for (const auto& specification : action.partitions) {
    FRAZIL_ASSIGN_OR_RETURN(auto named, NamePartition(table, specification, context));
    bool exists = false;
    if (named.complete()) {
      FRAZIL_ASSIGN_OR_RETURN(exists, folders.Has(named));
      if (exists) there.insert(named.folder());
    } else {
      if (!all) {
        FRAZIL_ASSIGN_OR_RETURN(all, folders.List());
      }
      for (const auto& folder : *all) {
        if (!named.Matches(folder)) continue;
        exists = true;
        there.insert(folder);
      }
    }
    if (!exists) missing.push_back(std::move(named));
  }
  if (!missing.empty() && !action.if_exists) return NotFound(missing, table);
  const bool owns_files = !IsExternal(table);
  if (!there.empty() && !owns_files && folders.registry() == nullptr)
    return Error::Unsupported("ALTER TABLE DROP PARTITION of an external table");
  for (const auto& folder : there) FRAZIL_RETURN_IF_ERROR(folders.Drop(folder, owns_files));
  return Status::Ok();
}

Status Rename(const analysis::ResolvedTable& table, const plan::AlterAction& action, Partitions& folders,
              CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto from, NamePartition(table, action.partitions[0], context));
  FRAZIL_ASSIGN_OR_RETURN(const auto to, NamePartition(table, action.partitions[1], context));
  FRAZIL_RETURN_IF_ERROR(CheckComplete(from, table));
  FRAZIL_RETURN_IF_ERROR(CheckComplete(to, table));
  FRAZIL_ASSIGN_OR_RETURN(const bool is_there, folders.Has(from));
  if (!is_there) return NotFound({from}, table);
  FRAZIL_ASSIGN_OR_RETURN(const bool is_taken, folders.Has(to));
  if (is_taken) return ExistAlready({to}, table);
  if (IsExternal(table) && folders.registry() == nullptr)
    return Error::Unsupported("ALTER TABLE RENAME PARTITION of an external table");
  return folders.Rename(from, to, !IsExternal(table));
}

}  // namespace

bool IsPartitionAction(const plan::AlterAction& action) {
  return action.type == Type::kAddPartition || action.type == Type::kDropPartition ||
         action.type == Type::kRenamePartition || action.type == Type::kRecoverPartitions;
}

Status RunPartitionAction(const analysis::ResolvedTable& table, const plan::AlterAction& action,
                          CommandContext& context) {
  const bool recovers = action.type == Type::kRecoverPartitions;
  if (!IsPlain(table)) {
    if (recovers) {
      return Error::Of("NOT_SUPPORTED_COMMAND_FOR_V2_TABLE",
                       {{"cmd", action.text.empty() ? "ALTER TABLE ... RECOVER PARTITIONS" : action.text}});
    }
    return Error::Of("INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED",
                     {{"name", QuoteIdentifier(table.full_name)}});
  }
  if (table.table->partitioning().empty()) {
    if (recovers) {
      return Error::Of("NOT_A_PARTITIONED_TABLE",
                       {{"operation", action.text.empty() ? NameOf(action.type) : action.text},
                        {"tableIdentWithDB", QuoteIdentifier(table.full_name)}});
    }
    return Error::Of("_LEGACY_ERROR_TEMP_1251",
                     {{"action", NameOf(action.type)}, {"tableName", table.full_name.back()}});
  }
  FRAZIL_ASSIGN_OR_RETURN(auto folders, Partitions::Of(table, context));
  // ADD is what MSCK does unless it is told DROP; SYNC is both.
  if (recovers) return folders.Repair(!action.if_exists || action.if_not_exists, action.if_exists);
  switch (action.type) {
    case Type::kAddPartition:
      return Add(table, action, folders, context);
    case Type::kDropPartition:
      return Drop(table, action, folders, context);
    default:
      return Rename(table, action, folders, context);
  }
}

Result<std::vector<std::string>> ListPartitions(const analysis::ResolvedTable& table,
                                                const PartitionSpecification& wanted, CommandContext& context) {
  if (!IsPlain(table)) {
    return Error::Of("INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED",
                     {{"name", QuoteIdentifier(table.full_name)}});
  }
  if (table.table->partitioning().empty()) {
    return Error::Of("INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY",
                     {{"name", QuoteIdentifier(table.full_name)}});
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto named, NamePartition(table, wanted, context));
  FRAZIL_ASSIGN_OR_RETURN(const auto folders, Partitions::Of(table, context));
  FRAZIL_ASSIGN_OR_RETURN(auto found, folders.List());
  std::erase_if(found, [&](const std::string& folder) { return !named.Matches(folder); });
  return found;
}

Result<std::string> DescribePartition(const analysis::ResolvedTable& table, const PartitionSpecification& wanted,
                                      CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto found, ListPartitions(table, wanted, context));
  FRAZIL_ASSIGN_OR_RETURN(const auto named, NamePartition(table, wanted, context));
  FRAZIL_RETURN_IF_ERROR(CheckComplete(named, table));
  if (found.empty()) return NotFound({named}, table);
  FRAZIL_ASSIGN_OR_RETURN(const auto folders, Partitions::Of(table, context));
  const std::string path = folders.PathOf(named);
  FRAZIL_ASSIGN_OR_RETURN(const auto files, folders.store().List(path, true));
  int64_t bytes = 0;
  for (const auto& file : files) bytes += file.size;
  std::string values;
  for (const auto& [name, text] : named.parts) values += (values.empty() ? "" : ", ") + name + "=" + text.value_or("");
  return "Partition Values: [" + values + "]\nLocation: " + (storage::SchemeOf(path).empty() ? "file:" : "") + path +
         "\nPartition Parameters: [numFiles=" + std::to_string(files.size()) + ", totalSize=" + std::to_string(bytes) +
         "]\nLast Access: UNKNOWN\n";
}

Status CheckTruncatable(const analysis::ResolvedTable& table, const PartitionSpecification& partition,
                        CommandContext& context) {
  if (!IsPlain(table)) {
    if (partition.empty()) return Status::Ok();
    return Error::Of("INVALID_PARTITION_OPERATION.PARTITION_MANAGEMENT_IS_UNSUPPORTED",
                     {{"name", QuoteIdentifier(table.full_name)}});
  }
  if (IsExternal(table))
    return Error::Of("_LEGACY_ERROR_TEMP_1266", {{"tableIdentWithDB", QuoteIdentifier(table.full_name)}});
  if (!partition.empty() && table.table->partitioning().empty())
    return Error::Of("_LEGACY_ERROR_TEMP_1267", {{"tableIdentWithDB", QuoteIdentifier(table.full_name)}});
  return NamePartition(table, partition, context).status();
}

}  // namespace frazil::commands
