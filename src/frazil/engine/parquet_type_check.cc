#include "frazil/engine/parquet_type_check.h"

#include "frazil/base/text.h"
#include "frazil/engine/functions/kernel_error.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalTypeId;
using Column = duckdb::MultiFileColumnDefinition;

constexpr int kIntegerDigits = 10, kLongDigits = 20;

// The physical type as Parquet calls it.
const char* PhysicalName(const duckdb::LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return "BOOLEAN";
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::UTINYINT:
    case LogicalTypeId::USMALLINT:
    case LogicalTypeId::UINTEGER:
    case LogicalTypeId::DATE:
      return "INT32";
    case LogicalTypeId::FLOAT:
      return "FLOAT";
    case LogicalTypeId::DOUBLE:
      return "DOUBLE";
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::BLOB:
      return "BINARY";
    case LogicalTypeId::UUID:
    case LogicalTypeId::INTERVAL:
      return "FIXED_LEN_BYTE_ARRAY";
    case LogicalTypeId::DECIMAL:
      return duckdb::DecimalType::GetWidth(type) <= 9    ? "INT32"
             : duckdb::DecimalType::GetWidth(type) <= 18 ? "INT64"
                                                         : "FIXED_LEN_BYTE_ARRAY";
    default:
      return "INT64";
  }
}

// Whether a decimal has room for all whole numbers of so many digits.
bool HoldsDigits(const DataType& wanted, int digits) {
  return wanted.id() == TypeId::kDecimal && wanted.precision() - wanted.scale() >= digits;
}

bool IsReadable(const duckdb::LogicalType& in_file, const DataType& wanted) {
  const TypeId id = wanted.id();
  switch (in_file.id()) {
    case LogicalTypeId::BOOLEAN:
      return id == TypeId::kBoolean;
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::UTINYINT:
    case LogicalTypeId::USMALLINT:
    case LogicalTypeId::UINTEGER:
      return id == TypeId::kByte || id == TypeId::kShort || id == TypeId::kInteger || id == TypeId::kLong ||
             id == TypeId::kDouble || id == TypeId::kYearMonthInterval || HoldsDigits(wanted, kIntegerDigits);
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UBIGINT:
      return id == TypeId::kLong || id == TypeId::kDayTimeInterval || HoldsDigits(wanted, kLongDigits);
    case LogicalTypeId::FLOAT:
      return id == TypeId::kFloat || id == TypeId::kDouble;
    case LogicalTypeId::DOUBLE:
      return id == TypeId::kDouble;
    case LogicalTypeId::DECIMAL: {
      if (id != TypeId::kDecimal) return false;
      const int scale_added = wanted.scale() - duckdb::DecimalType::GetScale(in_file);
      return scale_added >= 0 && wanted.precision() - duckdb::DecimalType::GetWidth(in_file) >= scale_added;
    }
    case LogicalTypeId::DATE:
      return id == TypeId::kDate || id == TypeId::kTimestampNtz;
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
    case LogicalTypeId::TIMESTAMP_SEC:
    case LogicalTypeId::TIMESTAMP_MS:
    case LogicalTypeId::TIMESTAMP_NS:
      return id == TypeId::kTimestamp || id == TypeId::kTimestampNtz;
    case LogicalTypeId::TIME:
    case LogicalTypeId::TIME_NS:
    case LogicalTypeId::TIME_TZ:
      return id == TypeId::kTime;
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::UUID:
      return id == TypeId::kString;
    case LogicalTypeId::BLOB:
      // Spark takes the bytes of texts for BINARY and those of BINARY for texts; DuckDB would write them in
      // hexadecimal.
      return id == TypeId::kBinary;
    default:
      // What has no plain counterpart is up to the reader.
      return true;
  }
}

void Check(const Column& in_file, const DataType& wanted, const std::string& name, const std::string& file) {
  const auto kind = in_file.type.id();
  const bool nested = in_file.type.IsNested() && kind != LogicalTypeId::VARIANT;
  bool fits = true;
  switch (wanted.id()) {
    case TypeId::kStruct:
      fits = kind == LogicalTypeId::STRUCT;
      for (size_t i = 0; fits && i < wanted.fields().size(); ++i) {
        for (const auto& child : in_file.children) {
          if (!EqualsIgnoreCase(child.name, wanted.fields()[i].name)) continue;
          Check(child, *wanted.fields()[i].type, name + ", " + child.name, file);
          break;
        }
      }
      break;
    case TypeId::kArray:
      fits = kind == LogicalTypeId::LIST;
      if (fits && !in_file.children.empty())
        Check(in_file.children[0], *wanted.element_type(), name + ", list, element", file);
      break;
    case TypeId::kMap:
      fits = kind == LogicalTypeId::MAP;
      if (fits && !in_file.children.empty() && in_file.children[0].children.size() == 2) {
        Check(in_file.children[0].children[0], *wanted.key_type(), name + ", key_value, key", file);
        Check(in_file.children[0].children[1], *wanted.value_type(), name + ", key_value, value", file);
      }
      break;
    case TypeId::kVariant:
    case TypeId::kNull:
      break;
    default:
      fits = !nested && IsReadable(in_file.type, wanted);
  }
  if (fits) return;
  ThrowSparkError("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
                  {{"path", file.starts_with('/') ? "file://" + file : file},
                   {"column", "[" + name + "]"},
                   {"expectedType", wanted.SimpleString()},
                   {"actualType", nested ? AsciiLower(in_file.type.ToString()) : PhysicalName(in_file.type)}});
}

}  // namespace

void CheckParquetColumnType(const Column& in_file, const DataType& wanted, const std::string& file) {
  Check(in_file, wanted, in_file.name, file);
}

}  // namespace frazil::engine
