#include "frazil/tables/iceberg/manifest_reader.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/codec/avro_file.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/manifest_fields.h"
#include "frazil/tables/iceberg/single_value.h"

namespace frazil::tables::iceberg {
namespace {

using codec::AvroDecoder;
using codec::AvroSchema;
using codec::AvroType;

/// Steps into an optional field. False where it is null. `schema` becomes the schema of the value.
bool Present(AvroDecoder& decoder, const AvroSchema*& schema) {
  if (schema->type != AvroType::kUnion) return true;
  int64_t branch = decoder.ReadLong();
  if (branch < 0 || branch >= static_cast<int64_t>(schema->branches.size())) {
    decoder.Fail();
    return false;
  }
  schema = schema->branches[static_cast<size_t>(branch)].get();
  return schema->type != AvroType::kNull;
}

int64_t Whole(AvroDecoder& decoder, const AvroSchema& schema) {
  if (schema.type != AvroType::kInt && schema.type != AvroType::kLong) {
    decoder.Fail();
    return 0;
  }
  return decoder.ReadLong();
}

std::string Text(AvroDecoder& decoder, const AvroSchema& schema) {
  if (schema.type == AvroType::kFixed) return std::string(decoder.ReadRaw(static_cast<uint64_t>(schema.size)));
  if (schema.type != AvroType::kString && schema.type != AvroType::kBytes) {
    decoder.Fail();
    return {};
  }
  return std::string(decoder.ReadBytes());
}

/// A map with int keys: an array of records of key and value.
template <typename T, typename Read>
void ReadById(AvroDecoder& decoder, const AvroSchema& schema, std::vector<std::pair<int32_t, T>>* out, Read&& read) {
  if (schema.type != AvroType::kArray || schema.element->type != AvroType::kRecord ||
      schema.element->fields.size() != 2) {
    decoder.Fail();
    return;
  }
  const AvroSchema& value_schema = *schema.element->fields[1].schema;
  decoder.ReadItems([&] {
    auto key = static_cast<int32_t>(decoder.ReadLong());
    const AvroSchema* present = &value_schema;
    if (Present(decoder, present)) out->emplace_back(key, read(*present));
  });
  auto by_id = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(out->begin(), out->end(), by_id)) std::sort(out->begin(), out->end(), by_id);
}

Value ReadPartitionValue(AvroDecoder& decoder, const AvroSchema* schema) {
  if (!Present(decoder, schema)) return Value();
  switch (schema->type) {
    case AvroType::kBoolean:
      return Value(decoder.ReadBoolean());
    case AvroType::kInt:
    case AvroType::kLong:
      return Value(decoder.ReadLong());
    case AvroType::kFloat:
      return Value(decoder.ReadFloat());
    case AvroType::kDouble:
      return Value(decoder.ReadDouble());
    case AvroType::kString:
    case AvroType::kBytes:
    case AvroType::kFixed: {
      std::string bytes = Text(decoder, *schema);
      if (schema->logical_type == "decimal") {
        auto value = FromBytes(*Type::Decimal(schema->precision, schema->scale), bytes);
        if (value.ok()) return *value;
        decoder.Fail();
        return Value();
      }
      if (schema->logical_type == "uuid" && bytes.size() == 16) return Value(UuidText(bytes));
      return Value(std::move(bytes));
    }
    case AvroType::kNull:
    case AvroType::kRecord:
    case AvroType::kEnum:
    case AvroType::kArray:
    case AvroType::kMap:
    case AvroType::kUnion:
      break;
  }
  decoder.Fail();
  return Value();
}

void ReadPartition(AvroDecoder& decoder, const AvroSchema& schema, const PartitionSpec& spec, std::vector<Value>* out) {
  out->resize(spec.fields.size());
  if (schema.type != AvroType::kRecord) return decoder.Fail();
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    const auto& field = schema.fields[i];
    size_t position = spec.fields.size();
    for (size_t k = 0; k < spec.fields.size(); ++k) {
      if (spec.fields[k].field_id == field.field_id) position = k;
    }
    // Files of early writers lack the ids; they have the fields of the spec in its order.
    if (position == spec.fields.size() && field.field_id < 0 && i < spec.fields.size()) position = i;
    if (position == spec.fields.size()) {
      decoder.Skip(*field.schema);
    } else {
      (*out)[position] = ReadPartitionValue(decoder, field.schema.get());
    }
  }
}

void ReadDataFile(AvroDecoder& decoder, const AvroSchema& record, const PartitionSpec& spec, DataFile* file) {
  if (record.type != AvroType::kRecord) return decoder.Fail();
  auto count = [&](const AvroSchema& schema) { return Whole(decoder, schema); };
  auto bytes = [&](const AvroSchema& schema) { return Text(decoder, schema); };
  for (const auto& field : record.fields) {
    const AvroSchema* schema = field.schema.get();
    int32_t id = field.field_id;
    if (id == DataFileField::kPartition) {
      ReadPartition(decoder, *schema, spec, &file->partition);
      continue;
    }
    if (!IsDataFileField(id)) {
      decoder.Skip(*schema);
      continue;
    }
    if (!Present(decoder, schema)) continue;
    switch (id) {
      case DataFileField::kContent: {
        int64_t content = count(*schema);
        if (content < 0 || content > 2) return decoder.Fail();
        file->content = static_cast<FileContent>(content);
        break;
      }
      case DataFileField::kFilePath:
        file->path = Text(decoder, *schema);
        break;
      case DataFileField::kFileFormat:
        file->format = AsciiUpper(Text(decoder, *schema));
        break;
      case DataFileField::kRecordCount:
        file->record_count = count(*schema);
        break;
      case DataFileField::kFileSize:
        file->size = count(*schema);
        break;
      case DataFileField::kColumnSizes:
        file->has_column_sizes = true;
        ReadById(decoder, *schema, &file->column_sizes, count);
        break;
      case DataFileField::kValueCounts:
        file->has_value_counts = true;
        ReadById(decoder, *schema, &file->value_counts, count);
        break;
      case DataFileField::kNullCounts:
        file->has_null_counts = true;
        ReadById(decoder, *schema, &file->null_counts, count);
        break;
      case DataFileField::kNanCounts:
        file->has_nan_counts = true;
        ReadById(decoder, *schema, &file->nan_counts, count);
        break;
      case DataFileField::kLowerBounds:
        file->has_bounds = true;
        ReadById(decoder, *schema, &file->lower_bounds, bytes);
        break;
      case DataFileField::kUpperBounds:
        file->has_bounds = true;
        ReadById(decoder, *schema, &file->upper_bounds, bytes);
        break;
      case DataFileField::kKeyMetadata:
        file->key_metadata = Text(decoder, *schema);
        break;
      case DataFileField::kSplitOffsets: {
        std::vector<int64_t> offsets;
        decoder.ReadItems([&] { offsets.push_back(decoder.ReadLong()); });
        file->split_offsets = std::move(offsets);
        break;
      }
      case DataFileField::kEqualityIds:
        decoder.ReadItems([&] { file->equality_ids.push_back(decoder.ReadInt()); });
        break;
      case DataFileField::kSortOrderId:
        file->sort_order_id = static_cast<int32_t>(count(*schema));
        break;
      case DataFileField::kFirstRowId:
        file->first_row_id = count(*schema);
        break;
      case DataFileField::kReferencedDataFile:
        file->referenced_data_file = Text(decoder, *schema);
        break;
      case DataFileField::kContentOffset:
        file->content_offset = count(*schema);
        break;
      case DataFileField::kContentSize:
        file->content_size = count(*schema);
        break;
      default:
        return decoder.Fail();
    }
  }
}

}  // namespace

bool IsDataFileField(int32_t id) {
  switch (id) {
    case DataFileField::kContent:
    case DataFileField::kFilePath:
    case DataFileField::kFileFormat:
    case DataFileField::kRecordCount:
    case DataFileField::kFileSize:
    case DataFileField::kColumnSizes:
    case DataFileField::kValueCounts:
    case DataFileField::kNullCounts:
    case DataFileField::kNanCounts:
    case DataFileField::kLowerBounds:
    case DataFileField::kUpperBounds:
    case DataFileField::kKeyMetadata:
    case DataFileField::kSplitOffsets:
    case DataFileField::kEqualityIds:
    case DataFileField::kSortOrderId:
    case DataFileField::kFirstRowId:
    case DataFileField::kReferencedDataFile:
    case DataFileField::kContentOffset:
    case DataFileField::kContentSize:
      return true;
    default:
      return false;
  }
}

Result<std::vector<ManifestEntry>> ReadManifest(std::string data, const ManifestFile& manifest,
                                                const PartitionSpec& spec) {
  if (manifest.key_metadata && !manifest.key_metadata->empty()) return Error::Unsupported("encrypted Iceberg tables");
  FRAZIL_ASSIGN_OR_RETURN(auto reader, codec::AvroFileReader::Open(std::move(data), manifest.path));
  if (reader.schema().type != AvroType::kRecord) return DamagedMetadata("Not a manifest: " + manifest.path);
  std::vector<ManifestEntry> entries;
  std::optional<int64_t> next_row_id = manifest.first_row_id;
  auto status = reader.ForEachRecord([&](AvroDecoder& decoder) -> Status {
    ManifestEntry entry;
    auto file = std::make_shared<DataFile>();
    file->spec_id = spec.spec_id;
    bool has_snapshot_id = false;
    for (const auto& field : reader.schema().fields) {
      const AvroSchema* schema = field.schema.get();
      switch (field.field_id) {
        case EntryField::kStatus: {
          if (!Present(decoder, schema)) break;
          int64_t value = Whole(decoder, *schema);
          if (value < 0 || value > 2) {
            decoder.Fail();
          } else {
            entry.status = static_cast<EntryStatus>(value);
          }
          break;
        }
        case EntryField::kSnapshotId:
          if (Present(decoder, schema)) {
            entry.snapshot_id = Whole(decoder, *schema);
            has_snapshot_id = true;
          }
          break;
        case EntryField::kSequenceNumber:
          if (Present(decoder, schema)) entry.sequence_number = Whole(decoder, *schema);
          break;
        case EntryField::kFileSequenceNumber:
          if (Present(decoder, schema)) entry.file_sequence_number = Whole(decoder, *schema);
          break;
        case EntryField::kDataFile:
          ReadDataFile(decoder, *schema, spec, file.get());
          break;
        default:
          decoder.Skip(*schema);
      }
      if (!decoder.ok()) return DamagedMetadata("Not a sound manifest: " + manifest.path);
    }
    if (file->key_metadata && !file->key_metadata->empty()) return Error::Unsupported("encrypted Iceberg tables");
    if (!has_snapshot_id) entry.snapshot_id = manifest.added_snapshot_id;
    // Only files that this manifest added inherit its number; manifests of v1 have the number 0 for all.
    bool inherits = entry.status == EntryStatus::kAdded || manifest.sequence_number == 0;
    if (!entry.sequence_number && inherits && manifest.sequence_number != kUnassignedSequenceNumber) {
      entry.sequence_number = manifest.sequence_number;
    }
    if (!entry.file_sequence_number && inherits && manifest.sequence_number != kUnassignedSequenceNumber) {
      entry.file_sequence_number = manifest.sequence_number;
    }
    if (next_row_id && file->content == FileContent::kData && entry.status != EntryStatus::kDeleted &&
        !file->first_row_id) {
      file->first_row_id = *next_row_id;
      *next_row_id += file->record_count;
    }
    entry.file = std::move(file);
    entries.push_back(std::move(entry));
    return {};
  });
  FRAZIL_RETURN_IF_ERROR(status);
  return entries;
}

Result<std::vector<ManifestFile>> ReadManifestList(std::string data, const std::string& path) {
  FRAZIL_ASSIGN_OR_RETURN(auto reader, codec::AvroFileReader::Open(std::move(data), path));
  if (reader.schema().type != AvroType::kRecord) return DamagedMetadata("Not a manifest list: " + path);
  std::vector<ManifestFile> manifests;
  auto status = reader.ForEachRecord([&](AvroDecoder& decoder) -> Status {
    ManifestFile manifest;
    for (const auto& field : reader.schema().fields) {
      const AvroSchema* schema = field.schema.get();
      bool known = (field.field_id >= 500 && field.field_id <= 520) && field.field_id != 508;
      if (!known) {
        decoder.Skip(*schema);
        continue;
      }
      if (!Present(decoder, schema)) continue;
      switch (field.field_id) {
        case ManifestField::kPath:
          manifest.path = Text(decoder, *schema);
          break;
        case ManifestField::kLength:
          manifest.length = Whole(decoder, *schema);
          break;
        case ManifestField::kSpecId:
          manifest.spec_id = static_cast<int32_t>(Whole(decoder, *schema));
          break;
        case ManifestField::kContent:
          manifest.content = Whole(decoder, *schema) == 0 ? ManifestContent::kData : ManifestContent::kDeletes;
          break;
        case ManifestField::kSequenceNumber:
          manifest.sequence_number = Whole(decoder, *schema);
          break;
        case ManifestField::kMinSequenceNumber:
          manifest.min_sequence_number = Whole(decoder, *schema);
          break;
        case ManifestField::kAddedSnapshotId:
          manifest.added_snapshot_id = Whole(decoder, *schema);
          break;
        case ManifestField::kAddedFiles:
          manifest.added_files = static_cast<int32_t>(Whole(decoder, *schema));
          break;
        case ManifestField::kExistingFiles:
          manifest.existing_files = static_cast<int32_t>(Whole(decoder, *schema));
          break;
        case ManifestField::kDeletedFiles:
          manifest.deleted_files = static_cast<int32_t>(Whole(decoder, *schema));
          break;
        case ManifestField::kAddedRows:
          manifest.added_rows = Whole(decoder, *schema);
          break;
        case ManifestField::kExistingRows:
          manifest.existing_rows = Whole(decoder, *schema);
          break;
        case ManifestField::kDeletedRows:
          manifest.deleted_rows = Whole(decoder, *schema);
          break;
        case ManifestField::kKeyMetadata:
          manifest.key_metadata = Text(decoder, *schema);
          break;
        case ManifestField::kFirstRowId:
          manifest.first_row_id = Whole(decoder, *schema);
          break;
        case ManifestField::kPartitions: {
          if (schema->type != AvroType::kArray) {
            decoder.Fail();
            break;
          }
          manifest.has_summaries = true;
          const AvroSchema& element = *schema->element;
          decoder.ReadItems([&] {
            FieldSummary summary;
            for (const auto& part : element.fields) {
              const AvroSchema* part_schema = part.schema.get();
              if (!Present(decoder, part_schema)) continue;
              switch (part.field_id) {
                case ManifestField::kContainsNull:
                  summary.contains_null = decoder.ReadBoolean();
                  break;
                case ManifestField::kContainsNan:
                  summary.contains_nan = decoder.ReadBoolean();
                  break;
                case ManifestField::kLowerBound:
                  summary.lower = Text(decoder, *part_schema);
                  break;
                case ManifestField::kUpperBound:
                  summary.upper = Text(decoder, *part_schema);
                  break;
                default:
                  decoder.Skip(*part_schema);
              }
            }
            manifest.summaries.push_back(std::move(summary));
          });
          break;
        }
        default:
          decoder.Skip(*schema);
      }
      if (!decoder.ok()) return DamagedMetadata("Not a sound manifest list: " + path);
    }
    manifests.push_back(std::move(manifest));
    return {};
  });
  FRAZIL_RETURN_IF_ERROR(status);
  return manifests;
}

}  // namespace frazil::tables::iceberg
