#include "frazil/tables/iceberg/manifest_writer.h"

#include <algorithm>
#include <cmath>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/manifest_avro_schema.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {
namespace {

using codec::AvroEncoder;

std::string CodecOf(const TableMetadata& metadata) {
  std::string name = AsciiLower(metadata.Property("write.manifest.compression-codec", "gzip"));
  return name == "uncompressed" || name == "none" ? "null" : "deflate";
}

template <typename T>
void WriteOptional(AvroEncoder& out, const std::optional<T>& value) {
  if (!value) return out.WriteNull();
  out.WritePresent();
  if constexpr (std::is_same_v<T, std::string>) {
    out.WriteBytes(*value);
  } else if constexpr (std::is_same_v<T, bool>) {
    out.WriteBoolean(*value);
  } else {
    out.WriteLong(static_cast<int64_t>(*value));
  }
}

void WriteCounts(AvroEncoder& out, bool present, const CountsById& counts) {
  if (!present) return out.WriteNull();
  out.WritePresent();
  if (!counts.empty()) {
    out.WriteLong(static_cast<int64_t>(counts.size()));
    for (const auto& [id, count] : counts) {
      out.WriteLong(id);
      out.WriteLong(count);
    }
  }
  out.WriteLong(0);
}

void WriteBounds(AvroEncoder& out, bool present, const BoundsById& bounds) {
  if (!present) return out.WriteNull();
  out.WritePresent();
  if (!bounds.empty()) {
    out.WriteLong(static_cast<int64_t>(bounds.size()));
    for (const auto& [id, bytes] : bounds) {
      out.WriteLong(id);
      out.WriteBytes(bytes);
    }
  }
  out.WriteLong(0);
}

/// A decimal in as many bytes as the fixed type of its precision has.
std::string FixedDecimal(const Type& type, int128 value) {
  int bytes = 1;
  long double limit = 127, largest = 1;
  for (int i = 0; i < type.precision; ++i) largest *= 10;
  while (limit < largest - 1) {
    ++bytes;
    limit = limit * 256 + 255;
  }
  std::string out(static_cast<size_t>(bytes), '\0');
  for (int i = bytes - 1; i >= 0; --i) {
    out[static_cast<size_t>(i)] = static_cast<char>(value & 0xFF);
    value >>= 8;
  }
  return out;
}

void WritePartitionValue(AvroEncoder& out, const Type& type, const Value& value) {
  if (value.is_null()) return out.WriteNull();
  out.WritePresent();
  switch (type.kind) {
    case TypeKind::kBoolean:
      return out.WriteBoolean(value.boolean());
    case TypeKind::kFloat:
      return out.WriteFloat(value.float32());
    case TypeKind::kDouble:
      return out.WriteDouble(value.float64());
    case TypeKind::kString:
    case TypeKind::kBinary:
      return out.WriteBytes(value.string());
    case TypeKind::kFixed:
    case TypeKind::kUuid:
      return out.WriteRaw(ToBytes(type, value));
    case TypeKind::kDecimal:
      return out.WriteRaw(FixedDecimal(type, value.decimal()));
    default:
      return out.WriteLong(value.integer());
  }
}

bool HoldsKind(const Type& type, const Value& value) {
  if (value.is_null()) return true;
  const auto& storage = value.storage();
  switch (type.kind) {
    case TypeKind::kBoolean:
      return std::holds_alternative<bool>(storage);
    case TypeKind::kFloat:
      return std::holds_alternative<float>(storage);
    case TypeKind::kDouble:
      return std::holds_alternative<double>(storage);
    case TypeKind::kDecimal:
      return std::holds_alternative<Decimal128>(storage);
    case TypeKind::kString:
    case TypeKind::kBinary:
      return std::holds_alternative<std::string>(storage);
    case TypeKind::kFixed:
      return std::holds_alternative<std::string>(storage) && value.string().size() == static_cast<size_t>(type.length);
    case TypeKind::kUuid:
      return std::holds_alternative<std::string>(storage) && UuidBytes(value.string()).ok();
    default:
      return std::holds_alternative<int64_t>(storage);
  }
}

bool IsNan(const Value& value) {
  if (const auto* number = std::get_if<float>(&value.storage())) return std::isnan(*number);
  if (const auto* number = std::get_if<double>(&value.storage())) return std::isnan(*number);
  return false;
}

}  // namespace

Result<std::unique_ptr<ManifestWriter>> ManifestWriter::Make(const TableMetadata& metadata, int32_t spec_id,
                                                             ManifestContent content, int64_t snapshot_id,
                                                             std::string path) {
  const PartitionSpec* spec = metadata.FindSpec(spec_id);
  if (spec == nullptr) return Validation("Cannot find partition spec " + std::to_string(spec_id));
  for (const auto& field : spec->fields) {
    if (!field.unknown_transform.empty())
      return Error::Unsupported("writing with partition transform " + field.unknown_transform);
  }
  FRAZIL_ASSIGN_OR_RETURN(std::string schema,
                          ManifestAvroSchema(metadata.format_version, *spec, *metadata.SchemaForSpec(*spec)));
  std::map<std::string, std::string> header = {
      {"schema", metadata.schema()->ToJson().Write()},
      {"partition-spec", SpecFieldsToJson(*spec).Write()},
      {"partition-spec-id", std::to_string(spec_id)},
      {"format-version", std::to_string(metadata.format_version)},
  };
  if (metadata.format_version >= 2) header["content"] = content == ManifestContent::kData ? "data" : "deletes";
  std::unique_ptr<ManifestWriter> writer(new ManifestWriter(std::move(schema), std::move(header), CodecOf(metadata)));
  writer->format_version_ = metadata.format_version;
  writer->snapshot_id_ = snapshot_id;
  for (const auto& field : spec->fields) {
    writer->partition_types_.push_back(PartitionFieldType(field, *metadata.SchemaForSpec(*spec)));
    auto spark = ToSparkType(*writer->partition_types_.back());
    writer->summary_types_.push_back(spark.ok() ? *spark : DataType::Long());
  }
  writer->ranges_.resize(spec->fields.size());
  ManifestFile& manifest = writer->manifest_;
  manifest.path = std::move(path);
  manifest.spec_id = spec_id;
  manifest.content = content;
  manifest.sequence_number = kUnassignedSequenceNumber;
  manifest.min_sequence_number = kUnassignedSequenceNumber;
  manifest.added_snapshot_id = snapshot_id;
  manifest.added_files = manifest.existing_files = manifest.deleted_files = 0;
  manifest.added_rows = manifest.existing_rows = manifest.deleted_rows = 0;
  return writer;
}

Status ManifestWriter::Added(DataFilePtr file, std::optional<int64_t> sequence_number) {
  ManifestEntry entry;
  entry.status = EntryStatus::kAdded;
  entry.snapshot_id = snapshot_id_;
  entry.sequence_number = sequence_number;
  *manifest_.added_files += 1;
  *manifest_.added_rows += file->record_count;
  entry.file = std::move(file);
  return Write(entry);
}

Status ManifestWriter::Existing(const ManifestEntry& entry) {
  ManifestEntry copy = entry;
  copy.status = EntryStatus::kExisting;
  *manifest_.existing_files += 1;
  *manifest_.existing_rows += entry.file->record_count;
  return Write(copy);
}

Status ManifestWriter::Deleted(const ManifestEntry& entry) {
  ManifestEntry copy = entry;
  copy.status = EntryStatus::kDeleted;
  copy.snapshot_id = snapshot_id_;
  *manifest_.deleted_files += 1;
  *manifest_.deleted_rows += entry.file->record_count;
  return Write(copy);
}

Status ManifestWriter::Write(const ManifestEntry& entry) {
  const DataFile& file = *entry.file;
  if (file.partition.size() != partition_types_.size()) {
    return Error::Internal("file " + file.path + " has " + std::to_string(file.partition.size()) +
                           " partition values, its spec has " + std::to_string(partition_types_.size()));
  }
  for (size_t i = 0; i < partition_types_.size(); ++i) {
    if (!HoldsKind(*partition_types_[i], Promoted(partition_types_[i]->kind == TypeKind::kDouble, file.partition[i]))) {
      return Error::Internal("file " + file.path + " has a partition value that is no " +
                             TypeText(*partition_types_[i]));
    }
  }
  AvroEncoder& out = writer_.encoder();
  out.WriteLong(static_cast<int64_t>(entry.status));
  if (format_version_ == 1) {
    out.WriteLong(entry.snapshot_id);
  } else {
    out.WritePresent();
    out.WriteLong(entry.snapshot_id);
    // Files that a commit adds get the commit's number when they are read.
    WriteOptional(out, entry.sequence_number);
    WriteOptional(out, entry.status == EntryStatus::kAdded ? std::optional<int64_t>() : entry.file_sequence_number);
  }
  WriteFile(file);
  UpdateSummaries(file);
  if (entry.status != EntryStatus::kDeleted && entry.sequence_number) {
    min_sequence_number_ = std::min(min_sequence_number_.value_or(*entry.sequence_number), *entry.sequence_number);
  }
  return writer_.EndRecord();
}

void ManifestWriter::WriteFile(const DataFile& file) {
  AvroEncoder& out = writer_.encoder();
  if (format_version_ >= 2) out.WriteLong(static_cast<int64_t>(file.content));
  out.WriteBytes(file.path);
  out.WriteBytes(file.format);
  for (size_t i = 0; i < partition_types_.size(); ++i) {
    WritePartitionValue(out, *partition_types_[i],
                        Promoted(partition_types_[i]->kind == TypeKind::kDouble, file.partition[i]));
  }
  out.WriteLong(file.record_count);
  out.WriteLong(file.size);
  if (format_version_ == 1)
    out.WriteLong(64LL * 1024 * 1024);  // block_size_in_bytes: required, and of no meaning any more.
  WriteCounts(out, file.has_column_sizes, file.column_sizes);
  WriteCounts(out, file.has_value_counts, file.value_counts);
  WriteCounts(out, file.has_null_counts, file.null_counts);
  WriteCounts(out, file.has_nan_counts, file.nan_counts);
  WriteBounds(out, file.has_bounds, file.lower_bounds);
  WriteBounds(out, file.has_bounds, file.upper_bounds);
  WriteOptional(out, file.key_metadata);
  if (file.split_offsets) {
    out.WritePresent();
    if (!file.split_offsets->empty()) {
      out.WriteLong(static_cast<int64_t>(file.split_offsets->size()));
      for (int64_t offset : *file.split_offsets) out.WriteLong(offset);
    }
    out.WriteLong(0);
  } else {
    out.WriteNull();
  }
  if (format_version_ >= 2) {
    if (file.equality_ids.empty()) {
      out.WriteNull();
    } else {
      out.WritePresent();
      out.WriteLong(static_cast<int64_t>(file.equality_ids.size()));
      for (int32_t id : file.equality_ids) out.WriteLong(id);
      out.WriteLong(0);
    }
  }
  WriteOptional(out, file.sort_order_id);
  if (format_version_ >= 3) WriteOptional(out, file.first_row_id);
  if (format_version_ >= 2) WriteOptional(out, file.referenced_data_file);
  if (format_version_ >= 3) {
    WriteOptional(out, file.content_offset);
    WriteOptional(out, file.content_size);
  }
}

void ManifestWriter::UpdateSummaries(const DataFile& file) {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    Range& range = ranges_[i];
    Value value = Promoted(partition_types_[i]->kind == TypeKind::kDouble, file.partition[i]);
    if (value.is_null()) {
      range.summary.contains_null = true;
    } else if (IsNan(value)) {
      range.summary.contains_nan = true;
    } else {
      const DataType& type = *summary_types_[i];
      if (!range.lower || CompareValues(type, value, *range.lower) < 0) range.lower = value;
      if (!range.upper || CompareValues(type, value, *range.upper) > 0) range.upper = value;
    }
  }
}

Result<ManifestWriter::Output> ManifestWriter::Finish() {
  Output output;
  FRAZIL_ASSIGN_OR_RETURN(output.data, writer_.Finish());
  output.manifest = std::move(manifest_);
  output.manifest.length = static_cast<int64_t>(output.data.size());
  // Added files take the commit's number, which is greater than all others; a manifest of nothing else has that number
  // as its least.
  output.manifest.min_sequence_number = min_sequence_number_.value_or(kUnassignedSequenceNumber);
  output.manifest.has_summaries = true;
  for (size_t i = 0; i < ranges_.size(); ++i) {
    FieldSummary summary = std::move(ranges_[i].summary);
    if (!summary.contains_nan) summary.contains_nan = false;
    if (ranges_[i].lower) summary.lower = ToBytes(*partition_types_[i], *ranges_[i].lower);
    if (ranges_[i].upper) summary.upper = ToBytes(*partition_types_[i], *ranges_[i].upper);
    output.manifest.summaries.push_back(std::move(summary));
  }
  return output;
}

Result<std::string> WriteManifestList(int format_version, int64_t snapshot_id, std::optional<int64_t> parent_id,
                                      int64_t sequence_number, std::vector<ManifestFile> manifests,
                                      int64_t* next_row_id) {
  std::map<std::string, std::string> header = {{"snapshot-id", std::to_string(snapshot_id)},
                                               {"parent-snapshot-id", parent_id ? std::to_string(*parent_id) : "null"},
                                               {"format-version", std::to_string(format_version)}};
  if (format_version >= 2) header["sequence-number"] = std::to_string(sequence_number);
  if (format_version >= 3) header["first-row-id"] = std::to_string(*next_row_id);
  codec::AvroFileWriter writer(ManifestListAvroSchema(format_version), header, "deflate");
  AvroEncoder& out = writer.encoder();
  for (auto& manifest : manifests) {
    if (manifest.sequence_number == kUnassignedSequenceNumber) manifest.sequence_number = sequence_number;
    if (manifest.min_sequence_number == kUnassignedSequenceNumber) manifest.min_sequence_number = sequence_number;
    if (format_version >= 3 && manifest.content == ManifestContent::kData && !manifest.first_row_id) {
      manifest.first_row_id = *next_row_id;
      *next_row_id += manifest.added_rows.value_or(0) + manifest.existing_rows.value_or(0);
    }
    auto write_summaries = [&] {
      if (!manifest.has_summaries) return out.WriteNull();
      out.WritePresent();
      if (!manifest.summaries.empty()) {
        out.WriteLong(static_cast<int64_t>(manifest.summaries.size()));
        for (const auto& summary : manifest.summaries) {
          out.WriteBoolean(summary.contains_null);
          WriteOptional(out, summary.contains_nan);
          WriteOptional(out, summary.lower);
          WriteOptional(out, summary.upper);
        }
      }
      out.WriteLong(0);
    };
    out.WriteBytes(manifest.path);
    out.WriteLong(manifest.length);
    out.WriteLong(manifest.spec_id);
    if (format_version >= 2) {
      out.WriteLong(static_cast<int64_t>(manifest.content));
      out.WriteLong(manifest.sequence_number);
      out.WriteLong(manifest.min_sequence_number);
      out.WriteLong(manifest.added_snapshot_id);
      if (!manifest.added_files || !manifest.existing_files || !manifest.deleted_files || !manifest.added_rows ||
          !manifest.existing_rows || !manifest.deleted_rows) {
        return Error::Internal("manifest " + manifest.path + " has no counts");
      }
      out.WriteLong(*manifest.added_files);
      out.WriteLong(*manifest.existing_files);
      out.WriteLong(*manifest.deleted_files);
      out.WriteLong(*manifest.added_rows);
      out.WriteLong(*manifest.existing_rows);
      out.WriteLong(*manifest.deleted_rows);
      write_summaries();
      WriteOptional(out, manifest.key_metadata);
      if (format_version >= 3) WriteOptional(out, manifest.first_row_id);
    } else {
      if (manifest.content != ManifestContent::kData) return Validation("Cannot store delete manifests in a v1 table");
      out.WriteLong(manifest.added_snapshot_id);
      WriteOptional(out, manifest.added_files);
      WriteOptional(out, manifest.existing_files);
      WriteOptional(out, manifest.deleted_files);
      write_summaries();
      WriteOptional(out, manifest.added_rows);
      WriteOptional(out, manifest.existing_rows);
      WriteOptional(out, manifest.deleted_rows);
      WriteOptional(out, manifest.key_metadata);
    }
    FRAZIL_RETURN_IF_ERROR(writer.EndRecord());
  }
  return writer.Finish();
}

}  // namespace frazil::tables::iceberg
