#include "frazil/tables/iceberg/metrics_config.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/data_file_format.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/single_value.h"

namespace frazil::tables::iceberg {
namespace {

constexpr char kColumnPrefix[] = "write.metadata.metrics.column.";
constexpr char kStatisticsPrefix[] = "write.parquet.stats-enabled.column.";

bool ParseMode(std::string_view text, MetricsMode* mode) {
  std::string lower = AsciiLower(TrimBlanks(text));
  if (lower == "none") {
    *mode = {false, false, 0};
  } else if (lower == "counts") {
    *mode = {true, false, 0};
  } else if (lower == "full") {
    *mode = {true, true, 0};
  } else if (lower.starts_with("truncate(") && lower.back() == ')') {
    auto length = ParseInteger<size_t>(std::string_view(lower).substr(9, lower.size() - 10));
    if (!length || *length == 0) return false;
    *mode = {true, true, *length};
  } else {
    return false;
  }
  return true;
}

void CollectLeaves(const std::vector<NestedField>& fields, std::vector<int32_t>* out) {
  for (const auto& field : fields) {
    if (field.type->IsNested()) {
      CollectLeaves(field.type->fields, out);
    } else {
      out->push_back(field.id);
    }
  }
}

bool FloatBound(const Value& value, bool is_lower, Value* out) {
  if (const auto* number = std::get_if<float>(&value.storage())) {
    if (std::isnan(*number)) return false;
    // Both zeros are one value to a reader, so the bounds take in both.
    *out = *number == 0.0f ? Value(is_lower ? -0.0f : 0.0f) : value;
    return true;
  }
  if (const auto* number = std::get_if<double>(&value.storage())) {
    if (std::isnan(*number)) return false;
    *out = *number == 0.0 ? Value(is_lower ? -0.0 : 0.0) : value;
    return true;
  }
  *out = value;
  return true;
}

/// The bound in binary form, or nullopt where none can be kept.
std::optional<std::string> BoundBytes(const Type& type, const std::optional<Value>& value, const MetricsMode& mode,
                                      bool is_lower) {
  Value bound;
  if (!value || value->is_null() || !FloatBound(*value, is_lower, &bound)) return std::nullopt;
  switch (type.kind) {
    case TypeKind::kString:
    case TypeKind::kBinary: {
      if (!std::holds_alternative<std::string>(bound.storage())) return std::nullopt;
      const std::string& text = bound.string();
      bool is_text = type.kind == TypeKind::kString;
      if (mode.length == 0) return text;
      if (is_lower) return TruncateLowerBound(is_text, text, mode.length);
      std::string upper;
      if (!TruncateUpperBound(is_text, text, mode.length, &upper)) return std::nullopt;
      return upper;
    }
    case TypeKind::kUuid:
    case TypeKind::kFixed:
      if (!std::holds_alternative<std::string>(bound.storage())) return std::nullopt;
      return ToBytes(type, bound);
    case TypeKind::kBoolean:
      return std::holds_alternative<bool>(bound.storage()) ? std::optional(ToBytes(type, bound)) : std::nullopt;
    case TypeKind::kFloat:
      return std::holds_alternative<float>(bound.storage()) ? std::optional(ToBytes(type, bound)) : std::nullopt;
    case TypeKind::kDouble:
      return std::holds_alternative<double>(bound.storage()) ? std::optional(ToBytes(type, bound)) : std::nullopt;
    case TypeKind::kDecimal:
      return std::holds_alternative<Decimal128>(bound.storage()) ? std::optional(ToBytes(type, bound)) : std::nullopt;
    case TypeKind::kInt:
    case TypeKind::kLong:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      return std::holds_alternative<int64_t>(bound.storage()) ? std::optional(ToBytes(type, bound)) : std::nullopt;
    case TypeKind::kUnknown:
    case TypeKind::kVariant:
    case TypeKind::kGeometry:
    case TypeKind::kGeography:
    case TypeKind::kStruct:
    case TypeKind::kList:
    case TypeKind::kMap:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

MetricsConfig MetricsConfig::Of(const TableMetadata& metadata) {
  MetricsConfig config;
  MetricsMode default_mode;
  auto own_default = metadata.properties.find("write.metadata.metrics.default");
  bool has_default = own_default != metadata.properties.end() && ParseMode(own_default->second, &default_mode);
  std::vector<int32_t> leaves;
  CollectLeaves(metadata.schema()->fields(), &leaves);
  size_t limit = leaves.size();
  if (!has_default)
    limit = static_cast<size_t>(
        std::max<int64_t>(0, metadata.PropertyAsLong("write.metadata.metrics.max-inferred-column-defaults", 100)));
  for (size_t i = 0; i < leaves.size() && i < limit; ++i) config.by_field_[leaves[i]] = default_mode;
  // The columns that the table is sorted by are worth their bounds.
  for (const auto& field : metadata.sort_order().fields) {
    MetricsMode& mode = config.by_field_.try_emplace(field.term.source_id, MetricsMode{false, false, 0}).first->second;
    if (!mode.bounds) mode = MetricsMode{};
  }
  for (const auto& [key, value] : metadata.properties) {
    if (!key.starts_with(kColumnPrefix)) continue;
    const Schema::Located* column = metadata.schema()->Find({key.substr(sizeof(kColumnPrefix) - 1)}, true);
    MetricsMode mode;
    if (column != nullptr && ParseMode(value, &mode)) config.by_field_[column->field->id] = mode;
  }
  for (const auto& [key, value] : metadata.properties) {
    if (!key.starts_with(kStatisticsPrefix) || EqualsIgnoreCase(value, "true")) continue;
    const Schema::Located* column = metadata.schema()->Find({key.substr(sizeof(kStatisticsPrefix) - 1)}, true);
    if (column != nullptr) config.bare_in_parquet_.insert(column->field->id);
  }
  return config;
}

const MetricsMode& MetricsConfig::For(int32_t field_id) const {
  auto found = by_field_.find(field_id);
  return found == by_field_.end() ? none_ : found->second;
}

Result<DataFilePtr> ToDataFile(const WrittenFile& written, const TableMetadata& metadata, const PartitionSpec& spec,
                               int32_t sort_order_id, const MetricsConfig& metrics) {
  if (written.partition.size() != spec.fields.size()) {
    return Error::Internal("the written file " + written.path + " has " + std::to_string(written.partition.size()) +
                           " partition values, the table's spec has " + std::to_string(spec.fields.size()));
  }
  auto file = std::make_shared<DataFile>();
  file->path = written.path;
  FRAZIL_ASSIGN_OR_RETURN(file->format, FileFormatName(written.format));
  file->spec_id = spec.spec_id;
  file->partition = written.partition;
  file->record_count = written.record_count;
  file->size = written.size;
  // Empty rather than missing where nothing is known: some readers do not expect them to be missing.
  file->has_column_sizes = file->has_value_counts = file->has_null_counts = file->has_nan_counts = file->has_bounds =
      true;
  for (const auto& [id, statistics] : written.columns) {
    const Schema::Located* column = metadata.schema()->Find(id);
    if (column == nullptr || column->field->type->IsNested()) continue;
    const MetricsMode& mode = metrics.For(id);
    if (!mode.counts) continue;
    if (statistics.compressed_size > 0) file->column_sizes.emplace_back(id, statistics.compressed_size);
    if (statistics.value_count < 0) continue;
    if (written.format == FileFormat::kParquet && metrics.IsBareInParquet(id)) continue;
    // As Iceberg's own writers: elements of lists and maps, of which a row has any number, are not counted.
    if (column->in_collection) continue;
    file->value_counts.emplace_back(id, statistics.value_count);
    file->null_counts.emplace_back(id, statistics.null_count);
    if (statistics.nan_count) file->nan_counts.emplace_back(id, *statistics.nan_count);
    if (!mode.bounds) continue;
    const Type& type = *column->field->type;
    if (auto lower = BoundBytes(type, statistics.lower, mode, true))
      file->lower_bounds.emplace_back(id, *std::move(lower));
    if (auto upper = BoundBytes(type, statistics.upper, mode, false))
      file->upper_bounds.emplace_back(id, *std::move(upper));
  }
  if (!written.split_offsets.empty()) file->split_offsets = written.split_offsets;
  file->sort_order_id = sort_order_id;
  return DataFilePtr(std::move(file));
}

}  // namespace frazil::tables::iceberg
