#include "frazil/tables/delta/iceberg_compat.h"

#include <algorithm>

#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/features.h"
#include "frazil/tables/delta/schema.h"

namespace frazil::tables::delta {
namespace {

constexpr int kVersions = 3;

std::string PropertyOf(int version) { return "delta.enableIcebergCompatV" + std::to_string(version); }

Error Violation(int version, const std::string& kind, Error::Parameters parameters = {}) {
  parameters.emplace_back("version", std::to_string(version));
  return Error::Of("DELTA_ICEBERG_COMPAT_VIOLATION." + kind, std::move(parameters));
}

/// Whether columns of the type itself (not of what it is made of) may be.
bool IsAllowed(int version, const DataType& type) {
  switch (type.id()) {
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kBoolean:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kDate:
    case TypeId::kStruct:
      return true;
    case TypeId::kArray:
    case TypeId::kMap:
      return version > 1;
    default:
      return false;
  }
}

/// The first type that may not be; null: all may.
const DataType* FindForbidden(int version, const DataType& type) {
  if (!IsAllowed(version, type)) return &type;
  switch (type.id()) {
    case TypeId::kStruct:
      for (const auto& field : type.fields()) {
        if (const auto* found = FindForbidden(version, *field.type)) return found;
      }
      return nullptr;
    case TypeId::kArray:
      return FindForbidden(version, *type.element_type());
    case TypeId::kMap: {
      const auto* found = FindForbidden(version, *type.key_type());
      return found != nullptr ? found : FindForbidden(version, *type.value_type());
    }
    default:
      return nullptr;
  }
}

/// Iceberg's own widenings: int to long, float to double, decimals of more digits. Source: Iceberg's specification,
/// "Schema Evolution"; what is smaller than an INT is one in Iceberg.
bool IcebergWidens(const DataType& from, const DataType& to) {
  const auto is_small = [](const DataType& type) {
    return type.id() == TypeId::kByte || type.id() == TypeId::kShort || type.id() == TypeId::kInteger;
  };
  if (is_small(from)) return is_small(to) || to.id() == TypeId::kLong;
  if (from.id() == TypeId::kFloat) return to.id() == TypeId::kDouble;
  return from.id() == TypeId::kDecimal && to.id() == TypeId::kDecimal && from.scale() == to.scale() &&
         from.precision() <= to.precision();
}

Status CheckWidening(int version, const DataType& type, const std::vector<std::string>& path) {
  switch (type.id()) {
    case TypeId::kStruct:
      for (const auto& field : type.fields()) {
        std::vector<std::string> inner = path;
        inner.push_back(field.name);
        if (auto noted = field.metadata.find("delta.typeChanges"); noted != field.metadata.end()) {
          FRAZIL_ASSIGN_OR_RETURN(auto changes, ParseJson(noted->second));
          for (const auto& change : changes.items) {
            const JsonValue* from_name = change.Find("fromType");
            const JsonValue* to_name = change.Find("toType");
            if (from_name == nullptr || to_name == nullptr) continue;
            FRAZIL_ASSIGN_OR_RETURN(auto from, DataType::FromJson(from_name->Write()));
            FRAZIL_ASSIGN_OR_RETURN(auto to, DataType::FromJson(to_name->Write()));
            if (IcebergWidens(*from, *to)) continue;
            std::string place = Join(inner, ".");
            if (const JsonValue* within = change.Find("fieldPath")) place += "." + within->text;
            return Violation(
                version, "UNSUPPORTED_TYPE_WIDENING",
                {{"fieldPath", place}, {"prevType", "\"" + from->Sql() + "\""}, {"newType", "\"" + to->Sql() + "\""}});
          }
        }
        FRAZIL_RETURN_IF_ERROR(CheckWidening(version, *field.type, inner));
      }
      return {};
    case TypeId::kArray:
      return CheckWidening(version, *type.element_type(), path);
    case TypeId::kMap:
      FRAZIL_RETURN_IF_ERROR(CheckWidening(version, *type.key_type(), path));
      return CheckWidening(version, *type.value_type(), path);
    default:
      return {};
  }
}

/// "array" of array<int>.
std::string NameOf(const DataType& type) {
  const std::string text = type.SimpleString();
  return text.substr(0, text.find_first_of("<("));
}

bool MarksRows(const Protocol& protocol, const Metadata& metadata) {
  return HasFeature(protocol, "deletionVectors") && metadata.IsTrue("delta.enableDeletionVectors");
}

}  // namespace

int IcebergCompatVersion(const Metadata& metadata) {
  for (int version = 1; version <= kVersions; ++version) {
    if (metadata.IsTrue(PropertyOf(version))) return version;
  }
  return 0;
}

void CompleteIcebergCompat(Metadata* metadata) {
  if (IcebergCompatVersion(*metadata) == 0) return;
  metadata->configuration.emplace("delta.columnMapping.mode", "name");
  metadata->configuration.emplace("delta.universalFormat.iceberg.atomicConversion.supported", "true");
}

bool WritesPartitionColumns(const Protocol& protocol, const Metadata& metadata) {
  return IcebergCompatVersion(metadata) > 0 || HasFeature(protocol, "materializePartitionColumns");
}

Status CheckIcebergCompat(const Snapshot* former, const Protocol& protocol, const Metadata& metadata,
                          const DataType& schema, const std::vector<FileAction>& files) {
  const int version = IcebergCompatVersion(metadata);
  if (version == 0) return {};
  for (int other = version + 1; other <= kVersions; ++other) {
    if (metadata.IsTrue(PropertyOf(other))) return Violation(version, "VERSION_MUTUAL_EXCLUSIVE");
  }
  FRAZIL_ASSIGN_OR_RETURN(ColumnMapping mapping, ColumnMappingOf(metadata));
  if (mapping == ColumnMapping::kNone) {
    return Violation(version, "WRONG_REQUIRED_TABLE_PROPERTY",
                     {{"key", "delta.columnMapping.mode"}, {"requiredValue", "name"}, {"actualValue", "NoMapping"}});
  }
  for (const auto& file : files) {
    if (!file.is_removed && file.record_count < 0) {
      return Error::Plain(ExceptionClass::kUnsupportedOperation,
                          "[tableId=" + metadata.id + "] IcebergCompatV" + std::to_string(version) +
                              " requires all AddFiles to contain the numRecords statistic. AddFile " + file.path +
                              " is missing this statistic. Stats: " + file.stats);
    }
  }
  if (const DataType* forbidden = FindForbidden(version, schema)) {
    return Violation(version, "UNSUPPORTED_DATA_TYPE",
                     {{"dataType", NameOf(*forbidden)}, {"schema", SchemaTreeString(schema)}});
  }
  if (MarksRows(protocol, metadata) || (former != nullptr && MarksRows(former->protocol, *former->metadata)))
    return Violation(version, "DELETION_VECTORS_SHOULD_BE_DISABLED");
  if (former != nullptr && IcebergCompatVersion(*former->metadata) != version) {
    const auto live = former->LiveFiles();
    const bool has_vectors =
        std::any_of(live.begin(), live.end(), [](const auto& file) { return file->deletion_vector.has_value(); });
    if (has_vectors) return Violation(version, "DELETION_VECTORS_NOT_PURGED");
  }
  if (former != nullptr && !former->metadata->partition_columns.empty() &&
      former->metadata->partition_columns != metadata.partition_columns) {
    return Violation(version, "REPLACE_TABLE_CHANGE_PARTITION_NAMES",
                     {{"prevPartitionSpec", "(" + Join(former->metadata->partition_columns, ",") + ")"},
                      {"newPartitionSpec", "(" + Join(metadata.partition_columns, ",") + ")"}});
  }
  return CheckWidening(version, schema, {});
}

}  // namespace frazil::tables::delta
