#include "frazil/tables/iceberg/manifest_avro_schema.h"

#include <set>

#include "frazil/codec/avro_schema.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"
#include "frazil/tables/iceberg/manifest_fields.h"

namespace frazil::tables::iceberg {
namespace {

JsonValue Text(const char* text) { return JsonValue::OfString(text); }

JsonValue Optional(JsonValue type) { return JsonArray({Text("null"), std::move(type)}); }

/// Collects the fields of a record.
class Record {
 public:
  explicit Record(const char* name) : name_(name) {}
  Record& Required(int32_t id, const std::string& name, JsonValue type) {
    return Add(id, name, std::move(type), false);
  }
  Record& Required(int32_t id, const std::string& name, const char* type) { return Add(id, name, Text(type), false); }
  Record& Optional(int32_t id, const std::string& name, JsonValue type) { return Add(id, name, std::move(type), true); }
  Record& Optional(int32_t id, const std::string& name, const char* type) { return Add(id, name, Text(type), true); }
  JsonValue Take() {
    return JsonObject()
        .AddText("type", "record")
        .AddText("name", name_)
        .Add("fields", JsonArray(std::move(fields_)))
        .Take();
  }

 private:
  Record& Add(int32_t id, const std::string& name, JsonValue type, bool optional) {
    JsonObject field;
    std::string avro_name = codec::AvroName(name);
    field.AddText("name", avro_name);
    if (optional) {
      field.Add("type", iceberg::Optional(std::move(type))).Add("default", JsonValue());
    } else {
      field.Add("type", std::move(type));
    }
    if (avro_name != name) field.AddText("iceberg-field-name", name);
    field.AddLong("field-id", id);
    fields_.push_back(field.Take());
    return *this;
  }

  std::string name_;
  std::vector<JsonValue> fields_;
};

/// A map with int keys, as Iceberg writes it in Avro.
JsonValue MapById(int32_t key_id, int32_t value_id, const char* value_type) {
  std::string name = "k" + std::to_string(key_id) + "_v" + std::to_string(value_id);
  Record entry(name.c_str());
  entry.Required(key_id, "key", "int").Required(value_id, "value", value_type);
  return JsonObject().AddText("type", "array").Add("items", entry.Take()).AddText("logicalType", "map").Take();
}

JsonValue ListOf(int32_t element_id, const char* type) {
  return JsonObject().AddText("type", "array").AddText("items", type).AddLong("element-id", element_id).Take();
}

JsonValue Logical(const char* type, const char* logical) {
  return JsonObject().AddText("type", type).AddText("logicalType", logical).Take();
}

/// A named type is written out once and referred to by name afterwards.
JsonValue Fixed(const std::string& name, int64_t size, std::set<std::string>* seen, const JsonObject& logical) {
  if (!seen->insert(name).second) return JsonValue::OfString(name);
  JsonObject object;
  object.AddText("type", "fixed").AddText("name", name).AddLong("size", size);
  JsonObject copy = logical;
  object.AddUnknown(copy.Take().members);
  return object.Take();
}

Result<JsonValue> PartitionAvroType(const Type& type, std::set<std::string>* seen) {
  auto timestamp = [](const char* logical, bool utc) {
    return JsonObject().AddText("type", "long").AddText("logicalType", logical).AddBoolean("adjust-to-utc", utc).Take();
  };
  switch (type.kind) {
    case TypeKind::kBoolean:
      return Text("boolean");
    case TypeKind::kInt:
      return Text("int");
    case TypeKind::kLong:
      return Text("long");
    case TypeKind::kFloat:
      return Text("float");
    case TypeKind::kDouble:
      return Text("double");
    case TypeKind::kDate:
      return Logical("int", "date");
    case TypeKind::kTime:
      return Logical("long", "time-micros");
    case TypeKind::kTimestamp:
      return timestamp("timestamp-micros", false);
    case TypeKind::kTimestampTz:
      return timestamp("timestamp-micros", true);
    case TypeKind::kTimestampNs:
      return timestamp("timestamp-nanos", false);
    case TypeKind::kTimestampTzNs:
      return timestamp("timestamp-nanos", true);
    case TypeKind::kString:
      return Text("string");
    case TypeKind::kBinary:
      return Text("bytes");
    case TypeKind::kUuid:
      return Fixed("uuid_fixed", 16, seen, JsonObject().AddText("logicalType", "uuid"));
    case TypeKind::kFixed:
      return Fixed("fixed_" + std::to_string(type.length), type.length, seen, JsonObject());
    case TypeKind::kDecimal:
      return Fixed("decimal_" + std::to_string(type.precision) + "_" + std::to_string(type.scale),
                   codec::DecimalBytes(type.precision), seen,
                   JsonObject()
                       .AddText("logicalType", "decimal")
                       .AddLong("precision", type.precision)
                       .AddLong("scale", type.scale));
    case TypeKind::kUnknown:
    case TypeKind::kVariant:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      break;
  }
  return Error::Unsupported("partitioning by type " + TypeText(type));
}

Result<JsonValue> PartitionRecord(const PartitionSpec& spec, const Schema& schema) {
  std::set<std::string> seen;
  Record record("r102");
  for (const auto& field : spec.fields) {
    FRAZIL_ASSIGN_OR_RETURN(JsonValue type, PartitionAvroType(*PartitionFieldType(field, schema), &seen));
    record.Optional(field.field_id, field.name, std::move(type));
  }
  return record.Take();
}

}  // namespace

std::string ManifestListAvroSchema(int format_version) {
  using F = ManifestField;
  Record summary("r508");
  summary.Required(F::kContainsNull, "contains_null", "boolean")
      .Optional(F::kContainsNan, "contains_nan", "boolean")
      .Optional(F::kLowerBound, "lower_bound", "bytes")
      .Optional(F::kUpperBound, "upper_bound", "bytes");
  JsonValue summaries = JsonObject()
                            .AddText("type", "array")
                            .Add("items", summary.Take())
                            .AddLong("element-id", F::kPartitionsElement)
                            .Take();
  Record record("manifest_file");
  record.Required(F::kPath, "manifest_path", "string")
      .Required(F::kLength, "manifest_length", "long")
      .Required(F::kSpecId, "partition_spec_id", "int");
  if (format_version >= 2) {
    record.Required(F::kContent, "content", "int")
        .Required(F::kSequenceNumber, "sequence_number", "long")
        .Required(F::kMinSequenceNumber, "min_sequence_number", "long")
        .Required(F::kAddedSnapshotId, "added_snapshot_id", "long")
        .Required(F::kAddedFiles, "added_files_count", "int")
        .Required(F::kExistingFiles, "existing_files_count", "int")
        .Required(F::kDeletedFiles, "deleted_files_count", "int")
        .Required(F::kAddedRows, "added_rows_count", "long")
        .Required(F::kExistingRows, "existing_rows_count", "long")
        .Required(F::kDeletedRows, "deleted_rows_count", "long")
        .Optional(F::kPartitions, "partitions", std::move(summaries))
        .Optional(F::kKeyMetadata, "key_metadata", "bytes");
    if (format_version >= 3) record.Optional(F::kFirstRowId, "first_row_id", "long");
  } else {
    record.Required(F::kAddedSnapshotId, "added_snapshot_id", "long")
        .Optional(F::kAddedFiles, "added_files_count", "int")
        .Optional(F::kExistingFiles, "existing_files_count", "int")
        .Optional(F::kDeletedFiles, "deleted_files_count", "int")
        .Optional(F::kPartitions, "partitions", std::move(summaries))
        .Optional(F::kAddedRows, "added_rows_count", "long")
        .Optional(F::kExistingRows, "existing_rows_count", "long")
        .Optional(F::kDeletedRows, "deleted_rows_count", "long")
        .Optional(F::kKeyMetadata, "key_metadata", "bytes");
  }
  return record.Take().Write();
}

Result<std::string> ManifestAvroSchema(int format_version, const PartitionSpec& spec, const Schema& schema) {
  using F = DataFileField;
  FRAZIL_ASSIGN_OR_RETURN(JsonValue partition, PartitionRecord(spec, schema));
  Record file("r2");
  if (format_version >= 2) file.Required(F::kContent, "content", "int");
  file.Required(F::kFilePath, "file_path", "string").Required(F::kFileFormat, "file_format", "string");
  file.Required(F::kPartition, "partition", std::move(partition));
  file.Required(F::kRecordCount, "record_count", "long").Required(F::kFileSize, "file_size_in_bytes", "long");
  if (format_version == 1) file.Required(F::kBlockSize, "block_size_in_bytes", "long");
  file.Optional(F::kColumnSizes, "column_sizes", MapById(117, 118, "long"))
      .Optional(F::kValueCounts, "value_counts", MapById(119, 120, "long"))
      .Optional(F::kNullCounts, "null_value_counts", MapById(121, 122, "long"))
      .Optional(F::kNanCounts, "nan_value_counts", MapById(138, 139, "long"))
      .Optional(F::kLowerBounds, "lower_bounds", MapById(126, 127, "bytes"))
      .Optional(F::kUpperBounds, "upper_bounds", MapById(129, 130, "bytes"))
      .Optional(F::kKeyMetadata, "key_metadata", "bytes")
      .Optional(F::kSplitOffsets, "split_offsets", ListOf(133, "long"));
  if (format_version >= 2) file.Optional(F::kEqualityIds, "equality_ids", ListOf(136, "int"));
  file.Optional(F::kSortOrderId, "sort_order_id", "int");
  if (format_version >= 3) file.Optional(F::kFirstRowId, "first_row_id", "long");
  if (format_version >= 2) file.Optional(F::kReferencedDataFile, "referenced_data_file", "string");
  if (format_version >= 3)
    file.Optional(F::kContentOffset, "content_offset", "long")
        .Optional(F::kContentSize, "content_size_in_bytes", "long");
  Record entry("manifest_entry");
  entry.Required(EntryField::kStatus, "status", "int");
  if (format_version == 1) {
    entry.Required(EntryField::kSnapshotId, "snapshot_id", "long");
  } else {
    entry.Optional(EntryField::kSnapshotId, "snapshot_id", "long")
        .Optional(EntryField::kSequenceNumber, "sequence_number", "long")
        .Optional(EntryField::kFileSequenceNumber, "file_sequence_number", "long");
  }
  entry.Required(EntryField::kDataFile, "data_file", file.Take());
  return entry.Take().Write();
}

}  // namespace frazil::tables::iceberg
