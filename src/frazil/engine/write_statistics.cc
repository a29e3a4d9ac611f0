#include "frazil/engine/write_statistics.h"

#include <cmath>
#include <cstring>

#include "frazil/engine/type_mapping.h"

namespace frazil::engine {

struct StatisticsCollector::Leaf {
  DataTypePtr type;
  int64_t values = 0, nulls = 0, nans = 0;
  bool has_bounds = false;
  // One of these pairs, by the column's type.
  int128 lower_integer = 0, upper_integer = 0;
  double lower_float = 0, upper_float = 0;
  std::string lower_text, upper_text;
};

namespace {

using duckdb::idx_t;
using Leaf = StatisticsCollector::Leaf;

template <typename T>
int128 Wide(T value) {
  if constexpr (std::is_same_v<T, duckdb::hugeint_t>) {
    return FromHugeint(value);
  } else {
    return static_cast<int128>(value);
  }
}

void AddIntegers(Leaf& leaf, int128 lower, int128 upper) {
  if (!leaf.has_bounds || lower < leaf.lower_integer) leaf.lower_integer = lower;
  if (!leaf.has_bounds || upper > leaf.upper_integer) leaf.upper_integer = upper;
  leaf.has_bounds = true;
}

void AddFloats(Leaf& leaf, double lower, double upper) {
  if (!leaf.has_bounds || lower < leaf.lower_float) leaf.lower_float = lower;
  if (!leaf.has_bounds || upper > leaf.upper_float) leaf.upper_float = upper;
  leaf.has_bounds = true;
}

void AddTexts(Leaf& leaf, std::string_view lower, std::string_view upper) {
  if (!leaf.has_bounds || lower < leaf.lower_text) leaf.lower_text = lower;
  if (!leaf.has_bounds || upper > leaf.upper_text) leaf.upper_text = upper;
  leaf.has_bounds = true;
}

template <typename T>
void Integers(Leaf& leaf, const duckdb::UnifiedVectorFormat& format, idx_t count) {
  const auto* data = reinterpret_cast<const T*>(format.data);
  if (count > 0 && !format.sel->IsSet() && format.validity.AllValid()) {
    // The common case has no branch, so that the compiler makes vector instructions of it.
    T lower = data[0], upper = data[0];
    for (idx_t i = 1; i < count; ++i) {
      lower = data[i] < lower ? data[i] : lower;
      upper = upper < data[i] ? data[i] : upper;
    }
    AddIntegers(leaf, Wide(lower), Wide(upper));
    return;
  }
  bool any = false;
  T lower{}, upper{};
  for (idx_t i = 0; i < count; ++i) {
    const auto row = format.sel->get_index(i);
    if (!format.validity.RowIsValid(row)) {
      ++leaf.nulls;
      continue;
    }
    const T value = data[row];
    if (!any) {
      lower = upper = value;
      any = true;
    } else if (value < lower) {
      lower = value;
    } else if (value > upper) {
      upper = value;
    }
  }
  if (any) AddIntegers(leaf, Wide(lower), Wide(upper));
}

template <typename T>
void Floats(Leaf& leaf, const duckdb::UnifiedVectorFormat& format, idx_t count) {
  const auto* data = reinterpret_cast<const T*>(format.data);
  for (idx_t i = 0; i < count; ++i) {
    const auto row = format.sel->get_index(i);
    if (!format.validity.RowIsValid(row)) {
      ++leaf.nulls;
      continue;
    }
    const double value = static_cast<double>(data[row]);
    if (std::isnan(value)) {
      ++leaf.nans;
      continue;
    }
    AddFloats(leaf, value, value);
  }
}

void Texts(Leaf& leaf, const duckdb::UnifiedVectorFormat& format, idx_t count) {
  const auto* data = reinterpret_cast<const duckdb::string_t*>(format.data);
  const duckdb::string_t* lower = nullptr;
  const duckdb::string_t* upper = nullptr;
  for (idx_t i = 0; i < count; ++i) {
    const auto row = format.sel->get_index(i);
    if (!format.validity.RowIsValid(row)) {
      ++leaf.nulls;
      continue;
    }
    const auto& value = data[row];
    if (lower == nullptr || value < *lower) lower = &value;
    if (upper == nullptr || *upper < value) upper = &value;
  }
  if (lower == nullptr) return;
  AddTexts(leaf, {lower->GetData(), lower->GetSize()}, {upper->GetData(), upper->GetSize()});
}

void CountNulls(Leaf& leaf, const duckdb::UnifiedVectorFormat& format, idx_t count) {
  for (idx_t i = 0; i < count; ++i) {
    if (!format.validity.RowIsValid(format.sel->get_index(i))) ++leaf.nulls;
  }
}

void UpdateLeaf(Leaf& leaf, duckdb::Vector& vector, idx_t count) {
  duckdb::UnifiedVectorFormat format;
  vector.ToUnifiedFormat(count, format);
  leaf.values += static_cast<int64_t>(count);
  switch (vector.GetType().InternalType()) {
    case duckdb::PhysicalType::BOOL:
      Integers<bool>(leaf, format, count);
      return;
    case duckdb::PhysicalType::INT8:
      Integers<int8_t>(leaf, format, count);
      return;
    case duckdb::PhysicalType::INT16:
      Integers<int16_t>(leaf, format, count);
      return;
    case duckdb::PhysicalType::INT32:
      Integers<int32_t>(leaf, format, count);
      return;
    case duckdb::PhysicalType::INT64:
      Integers<int64_t>(leaf, format, count);
      return;
    case duckdb::PhysicalType::INT128:
      Integers<duckdb::hugeint_t>(leaf, format, count);
      return;
    case duckdb::PhysicalType::FLOAT:
      Floats<float>(leaf, format, count);
      return;
    case duckdb::PhysicalType::DOUBLE:
      Floats<double>(leaf, format, count);
      return;
    case duckdb::PhysicalType::VARCHAR:
      Texts(leaf, format, count);
      return;
    default:
      CountNulls(leaf, format, count);
      return;
  }
}

Value BoundOf(const Leaf& leaf, bool lower) {
  switch (leaf.type->id()) {
    case TypeId::kBoolean:
      return Value((lower ? leaf.lower_integer : leaf.upper_integer) != 0);
    case TypeId::kDecimal:
      return Value(Decimal128{lower ? leaf.lower_integer : leaf.upper_integer});
    case TypeId::kFloat:
      return Value(static_cast<float>(lower ? leaf.lower_float : leaf.upper_float));
    case TypeId::kDouble:
      return Value(lower ? leaf.lower_float : leaf.upper_float);
    case TypeId::kString:
    case TypeId::kBinary:
      return Value(lower ? leaf.lower_text : leaf.upper_text);
    default:
      return Value(static_cast<int64_t>(lower ? leaf.lower_integer : leaf.upper_integer));
  }
}

}  // namespace

StatisticsCollector::StatisticsCollector(const std::vector<tables::ScanColumn>& columns) : columns_(columns) {}
StatisticsCollector::~StatisticsCollector() = default;

void StatisticsCollector::Update(duckdb::DataChunk& chunk) {
  for (size_t i = 0; i < columns_.size(); ++i) UpdateColumn(columns_[i], chunk.data[i], chunk.size());
}

void StatisticsCollector::Merge(const StatisticsCollector& other) {
  for (const auto& [id, from] : other.leaves_) {
    auto& leaf = leaves_[id];
    if (leaf == nullptr) {
      leaf = std::make_unique<Leaf>(*from);
      continue;
    }
    leaf->values += from->values;
    leaf->nulls += from->nulls;
    leaf->nans += from->nans;
    if (!from->has_bounds) continue;
    // Those that the column's type does not use are all the same.
    const bool had_bounds = leaf->has_bounds;
    AddIntegers(*leaf, from->lower_integer, from->upper_integer);
    leaf->has_bounds = had_bounds;
    AddFloats(*leaf, from->lower_float, from->upper_float);
    leaf->has_bounds = had_bounds;
    AddTexts(*leaf, from->lower_text, from->upper_text);
  }
}

void StatisticsCollector::UpdateColumn(const tables::ScanColumn& column, duckdb::Vector& vector, idx_t count) {
  if (column.type->IsComplex()) {
    if (column.type->id() != TypeId::kStruct) return;
    vector.Flatten(count);
    auto& members = duckdb::StructVector::GetEntries(vector);
    for (size_t i = 0; i < column.children.size() && i < members.size(); ++i)
      UpdateColumn(column.children[i], *members[i], count);
    return;
  }
  if (column.field_id < 0) return;
  auto& leaf = leaves_[column.field_id];
  if (leaf == nullptr) {
    leaf = std::make_unique<Leaf>();
    leaf->type = column.type;
  }
  UpdateLeaf(*leaf, vector, count);
}

std::map<int32_t, tables::ColumnStatistics> StatisticsCollector::Finish() const {
  std::map<int32_t, tables::ColumnStatistics> result;
  for (const auto& [id, leaf] : leaves_) {
    auto& statistics = result[id];
    statistics.value_count = leaf->values;
    statistics.null_count = leaf->nulls;
    if (leaf->type->id() == TypeId::kFloat || leaf->type->id() == TypeId::kDouble) statistics.nan_count = leaf->nans;
    if (leaf->has_bounds && leaf->type->id() != TypeId::kCalendarInterval) {
      statistics.lower = BoundOf(*leaf, true);
      statistics.upper = BoundOf(*leaf, false);
    }
  }
  return result;
}

}  // namespace frazil::engine
