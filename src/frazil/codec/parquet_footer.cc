#include "frazil/codec/parquet_footer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

namespace frazil::codec {
namespace {

constexpr int64_t kTailBytes = 64 * 1024;  // Holds the footers of most files.
constexpr int64_t kTrailerBytes = 8;       // The footer's length, and PAR1.

template <typename T>
T Number(const std::string& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof(T), bytes.size()));
  return value;
}

/// Two's complement, most significant byte first.
std::optional<int128> WideNumber(const std::string& bytes) {
  if (bytes.empty() || bytes.size() > 16) return std::nullopt;
  int128 value = (static_cast<unsigned char>(bytes[0]) & 0x80) != 0 ? -1 : 0;
  for (const char byte : bytes) value = value * 256 + static_cast<unsigned char>(byte);
  return value;
}

std::optional<int64_t> MicrosOf(int64_t value, const parquet::ColumnDescriptor& column, bool is_lower) {
  const auto& logical = column.logical_type();
  if (logical == nullptr || !logical->is_timestamp()) return std::nullopt;
  switch (static_cast<const parquet::TimestampLogicalType&>(*logical).time_unit()) {
    case parquet::LogicalType::TimeUnit::MILLIS:
      return value > INT64_MAX / 1000 || value < INT64_MIN / 1000 ? std::nullopt : std::optional(value * 1000);
    case parquet::LogicalType::TimeUnit::MICROS:
      return value;
    case parquet::LogicalType::TimeUnit::NANOS: {
      // Away from the values, which are finer.
      const int64_t whole = value / 1000, rest = value % 1000;
      if (is_lower) return rest < 0 ? whole - 1 : whole;
      return rest > 0 ? whole + 1 : whole;
    }
    default:
      return std::nullopt;
  }
}

template <typename T>
std::optional<Value> FloatOf(T value) {
  if (std::isnan(value)) return std::nullopt;
  return Value(value);
}

/// A bound as the type has it; absent where the file's column has another meaning.
std::optional<Value> BoundOf(const std::string& bytes, const parquet::ColumnDescriptor& column, const DataType& type,
                             bool is_lower) {
  const auto physical = column.physical_type();
  const bool is_integer = physical == parquet::Type::INT32 || physical == parquet::Type::INT64;
  const bool is_text = physical == parquet::Type::BYTE_ARRAY || physical == parquet::Type::FIXED_LEN_BYTE_ARRAY;
  const auto integer = [&]() -> int64_t {
    return physical == parquet::Type::INT32 ? Number<int32_t>(bytes) : Number<int64_t>(bytes);
  };
  const auto& logical = column.logical_type();
  switch (type.id()) {
    case TypeId::kBoolean:
      if (physical != parquet::Type::BOOLEAN) return std::nullopt;
      return Value(Number<uint8_t>(bytes) != 0);
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
      // Dates and times are no numbers of the table's.
      if (!is_integer || !(logical->is_none() || logical->is_int()) ||
          column.sort_order() != parquet::SortOrder::SIGNED)
        return std::nullopt;
      return Value(integer());
    case TypeId::kDate:
      if (physical != parquet::Type::INT32 || !logical->is_date()) return std::nullopt;
      return Value(integer());
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz: {
      if (physical != parquet::Type::INT64) return std::nullopt;
      const auto micros = MicrosOf(integer(), column, is_lower);
      return micros ? std::optional(Value(*micros)) : std::nullopt;
    }
    case TypeId::kFloat:
      if (physical != parquet::Type::FLOAT) return std::nullopt;
      return FloatOf(Number<float>(bytes));
    case TypeId::kDouble:
      if (physical == parquet::Type::FLOAT) return FloatOf(static_cast<double>(Number<float>(bytes)));
      if (physical != parquet::Type::DOUBLE) return std::nullopt;
      return FloatOf(Number<double>(bytes));
    case TypeId::kDecimal: {
      if (!logical->is_decimal()) return std::nullopt;
      if (static_cast<const parquet::DecimalLogicalType&>(*logical).scale() != type.scale()) return std::nullopt;
      const auto unscaled = is_integer ? std::optional<int128>(integer()) : is_text ? WideNumber(bytes) : std::nullopt;
      return unscaled ? std::optional(Value(Decimal128{*unscaled})) : std::nullopt;
    }
    case TypeId::kString:
    case TypeId::kBinary:
      if (physical != parquet::Type::BYTE_ARRAY || logical->is_decimal()) return std::nullopt;
      return Value(bytes);
    default:
      return std::nullopt;
  }
}

/// Which column of the table each leaf column of the file is.
class Matcher {
 public:
  Matcher(const parquet::schema::GroupNode& root, bool by_field_id) : has_ids_(by_field_id) { Leaves(root); }

  void Match(const std::vector<FileColumn>& columns, const parquet::schema::GroupNode& group) {
    for (const auto& column : columns) {
      for (int i = 0; i < group.field_count(); ++i) {
        const auto& node = *group.field(i);
        if (has_ids_ ? node.field_id() == column.field_id : node.name() == column.name) MatchNode(column, node);
      }
    }
  }
  bool found_all() const { return found_.size() == positions_.size(); }
  /// By the position of the leaf.
  const std::map<int, const FileColumn*>& found() const { return found_; }

  static bool HasIds(const parquet::schema::GroupNode& group) {
    for (int i = 0; i < group.field_count(); ++i) {
      if (group.field(i)->field_id() >= 0) return true;
    }
    return false;
  }

 private:
  void Leaves(const parquet::schema::GroupNode& group) {
    for (int i = 0; i < group.field_count(); ++i) {
      const auto& node = group.field(i);
      if (node->is_primitive()) {
        positions_.emplace(node.get(), static_cast<int>(positions_.size()));
      } else {
        Leaves(static_cast<const parquet::schema::GroupNode&>(*node));
      }
    }
  }
  void MatchNode(const FileColumn& column, const parquet::schema::Node& node) {
    if (node.is_primitive()) {
      if (column.children.empty()) found_[positions_.at(&node)] = &column;
      return;
    }
    const auto& group = static_cast<const parquet::schema::GroupNode&>(node);
    if (column.type->id() == TypeId::kStruct) return Match(column.children, group);
    if (!column.type->IsComplex() || group.field_count() != 1 || group.field(0)->is_primitive()) return;
    // Lists and maps: a repeated group with the elements, or with keys and values.
    const auto& repeated = static_cast<const parquet::schema::GroupNode&>(*group.field(0));
    if (static_cast<size_t>(repeated.field_count()) != column.children.size()) return;
    for (int i = 0; i < repeated.field_count(); ++i)
      MatchNode(column.children[static_cast<size_t>(i)], *repeated.field(i));
  }

  bool has_ids_;
  std::map<const parquet::schema::Node*, int> positions_;
  std::map<int, const FileColumn*> found_;
};

void AddBounds(const parquet::Statistics& statistics, const parquet::ColumnDescriptor& column, const DataType& type,
               ColumnFigures* figures) {
  auto lower = BoundOf(statistics.EncodeMin(), column, type, true);
  auto upper = BoundOf(statistics.EncodeMax(), column, type, false);
  if (!lower || !upper) return;
  if (!figures->lower || CompareValues(type, *lower, *figures->lower) < 0) figures->lower = std::move(lower);
  if (!figures->upper || CompareValues(type, *upper, *figures->upper) > 0) figures->upper = std::move(upper);
}

ColumnFigures FiguresOf(const parquet::FileMetaData& footer, int leaf, const DataType& type) {
  ColumnFigures figures;
  figures.null_count = 0;
  bool has_bounds = true;
  for (int i = 0; i < footer.num_row_groups(); ++i) {
    const auto chunk = footer.RowGroup(i)->ColumnChunk(leaf);
    figures.compressed_size += chunk->total_compressed_size();
    figures.value_count += chunk->num_values();
    const auto statistics = chunk->is_stats_set() ? chunk->statistics() : nullptr;
    const bool has_nulls = statistics != nullptr && statistics->HasNullCount();
    if (!has_nulls) figures.null_count.reset();
    if (has_nulls && figures.null_count) *figures.null_count += statistics->null_count();
    // Where all are NULL there are no bounds to know.
    if (has_nulls && statistics->null_count() == chunk->num_values()) continue;
    const bool known = statistics != nullptr && statistics->HasMinMax();
    has_bounds = has_bounds && known;
    if (has_bounds) AddBounds(*statistics, *footer.schema()->Column(leaf), type, &figures);
  }
  if (!has_bounds) figures.lower = figures.upper = std::nullopt;
  return figures;
}

Error Damaged(const std::string& path, const std::string& why) {
  return Error::Storage("The Parquet file " + path + " cannot be read: " + why);
}

/// The bytes of the footer.
Result<std::string> FooterBytes(storage::RangeReader& source, const std::string& path) {
  const int64_t size = source.size();
  if (size < kTrailerBytes) return Damaged(path, "it is too short");
  std::string tail(static_cast<size_t>(std::min(size, kTailBytes)), '\0');
  FRAZIL_RETURN_IF_ERROR(
      source.ReadAt(size - static_cast<int64_t>(tail.size()), static_cast<int64_t>(tail.size()), tail.data()));
  if (!tail.ends_with("PAR1")) return Damaged(path, "it does not end as one");
  const int64_t length = Number<uint32_t>(tail.substr(tail.size() - kTrailerBytes));
  if (length > size - kTrailerBytes) return Damaged(path, "its footer is longer than the file");
  if (length + kTrailerBytes > static_cast<int64_t>(tail.size())) {
    tail.resize(static_cast<size_t>(length));
    FRAZIL_RETURN_IF_ERROR(source.ReadAt(size - kTrailerBytes - length, length, tail.data()));
    return tail;
  }
  return tail.substr(tail.size() - static_cast<size_t>(length + kTrailerBytes), static_cast<size_t>(length));
}

}  // namespace

Result<ParquetFooter> ReadParquetFooter(storage::RangeReader& source, const std::string& path,
                                        const std::vector<FileColumn>& columns) {
  FRAZIL_ASSIGN_OR_RETURN(const std::string bytes, FooterBytes(source, path));
  try {
    const auto footer = parquet::FileMetaData::Make(bytes.data(), static_cast<int64_t>(bytes.size()));
    ParquetFooter result;
    result.record_count = footer->num_rows();
    for (int i = 0; i < footer->num_row_groups(); ++i) {
      const auto group = footer->RowGroup(i);
      if (group->num_columns() == 0) continue;
      const auto first = group->ColumnChunk(0);
      const int64_t data = first->data_page_offset();
      result.split_offsets.push_back(first->has_dictionary_page() ? std::min(first->dictionary_page_offset(), data)
                                                                  : data);
    }
    const auto& root = *footer->schema()->group_node();
    Matcher matcher(root, Matcher::HasIds(root));
    matcher.Match(columns, root);
    for (const auto& [leaf, column] : matcher.found()) {
      if (column->field_id >= 0) result.by_column[column->field_id] = FiguresOf(*footer, leaf, *column->type);
    }
    return result;
  } catch (const std::exception& exception) {
    return Damaged(path, exception.what());
  }
}

Result<bool> HasOtherColumns(storage::RangeReader& source, const std::string& path,
                             const std::vector<FileColumn>& columns, bool by_field_id) {
  FRAZIL_ASSIGN_OR_RETURN(const std::string bytes, FooterBytes(source, path));
  try {
    const auto footer = parquet::FileMetaData::Make(bytes.data(), static_cast<int64_t>(bytes.size()));
    const auto& root = *footer->schema()->group_node();
    Matcher matcher(root, by_field_id);
    matcher.Match(columns, root);
    return !matcher.found_all();
  } catch (const std::exception& exception) {
    return Damaged(path, exception.what());
  }
}

}  // namespace frazil::codec
