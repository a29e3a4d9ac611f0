#include "frazil/engine/write_partition.h"

#include <cstdio>

#include <duckdb/parser/expression/columnref_expression.hpp>

#include "frazil/base/text.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/types/calendar.h"
#include "frazil/types/datetime.h"
#include "frazil/types/value.h"

namespace frazil::engine {
namespace {

struct Source {
  LoweredExpression value;
  DataTypePtr type;
};

Result<Source> SourceOf(const tables::PartitionField& field, const std::vector<tables::ScanColumn>& columns,
                        const std::vector<std::string>& names) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool same_id = field.source_id >= 0 && columns[i].field_id == field.source_id;
    const bool same_name = !field.source.empty() && columns[i].name == field.source[0];
    if (!same_id && !same_name) continue;
    Source source{LoweredExpression(duckdb::make_uniq<duckdb::ColumnRefExpression>(names[i])), columns[i].type};
    for (size_t part = 1; !same_id && part < field.source.size(); ++part) {
      const int index = source.type->id() == TypeId::kStruct ? source.type->FieldIndex(field.source[part], true) : -1;
      if (index < 0) return Error::Internal("The partition field " + field.name + " names no column");
      source.value = CallOf("struct_extract_at", std::move(source.value), ConstantOf(duckdb::Value::BIGINT(index + 1)));
      source.type = source.type->fields()[static_cast<size_t>(index)].type;
    }
    return source;
  }
  return Error::Internal("The partition field " + field.name + " names no column");
}

// java.net.URLEncoder with UTF-8, as Iceberg's PartitionSpec.partitionToPath.
std::string UrlEncode(std::string_view text) {
  std::string result;
  for (const unsigned char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '*';
    if (plain) {
      result += static_cast<char>(c);
    } else if (c == ' ') {
      result += '+';
    } else {
      char buffer[4];
      std::snprintf(buffer, sizeof(buffer), "%%%02X", c);
      result += buffer;
    }
  }
  return result;
}

// Hive's escaping of folder names, as Spark's ExternalCatalogUtils.escapePathName.
std::string HiveEscape(std::string_view text) {
  std::string result;
  for (const unsigned char c : text) {
    if (c < 0x20 || c == 0x7f ||
        std::string_view("\"#%'*/:=?\\{[]^").find(static_cast<char>(c)) != std::string_view::npos) {
      char buffer[4];
      std::snprintf(buffer, sizeof(buffer), "%%%02X", c);
      result += buffer;
    } else {
      result += static_cast<char>(c);
    }
  }
  return result;
}

std::string Base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = static_cast<unsigned char>(bytes[i]) << 16;
    if (i + 1 < bytes.size()) group |= static_cast<unsigned char>(bytes[i + 1]) << 8;
    if (i + 2 < bytes.size()) group |= static_cast<unsigned char>(bytes[i + 2]);
    result += kDigits[group >> 18];
    result += kDigits[(group >> 12) & 63];
    result += i + 1 < bytes.size() ? kDigits[(group >> 6) & 63] : '=';
    result += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
  return result;
}

std::string TimestampText(int64_t micros, bool with_zone) {
  std::string text = FormatTimestampNtz(micros);
  const size_t blank = text.find(' ');
  if (blank != std::string::npos) text[blank] = 'T';
  return with_zone ? text + "Z" : text;
}

// Iceberg's "human string" of a partition value.
std::string IcebergText(const tables::PartitionField& field, const DataType& type, const Value& value) {
  if (value.is_null()) return "null";
  char buffer[48];
  switch (field.transform) {
    case tables::TransformKind::kYear:
      std::snprintf(buffer, sizeof(buffer), "%04lld", static_cast<long long>(1970 + value.integer()));
      return buffer;
    case tables::TransformKind::kMonth:
      std::snprintf(buffer, sizeof(buffer), "%04lld-%02lld",
                    static_cast<long long>(1970 + FloorDivide(value.integer(), 12)),
                    static_cast<long long>(FloorModulo(value.integer(), 12) + 1));
      return buffer;
    case tables::TransformKind::kDay:
      return FormatDate(value.integer());
    case tables::TransformKind::kHour:
      std::snprintf(buffer, sizeof(buffer), "%s-%02lld", FormatDate(FloorDivide(value.integer(), 24)).c_str(),
                    static_cast<long long>(FloorModulo(value.integer(), 24)));
      return buffer;
    case tables::TransformKind::kVoid:
      return "null";
    case tables::TransformKind::kIdentity:
    case tables::TransformKind::kBucket:
    case tables::TransformKind::kTruncate:
      break;
  }
  switch (type.id()) {
    case TypeId::kTimestamp:
      return TimestampText(value.integer(), true);
    case TypeId::kTimestampNtz:
      return TimestampText(value.integer(), false);
    case TypeId::kBinary:
      return Base64(value.string());
    default:
      return ValueToString(type, value);
  }
}

}  // namespace

Result<DataTypePtr> TransformType(const tables::PartitionField& field, const std::vector<tables::ScanColumn>& columns) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, SourceOf(field, columns, std::vector<std::string>(columns.size(), "c")));
  switch (field.transform) {
    case tables::TransformKind::kIdentity:
    case tables::TransformKind::kTruncate:
    case tables::TransformKind::kVoid:
      return source.type;
    case tables::TransformKind::kDay:
      return DataType::Date();
    case tables::TransformKind::kBucket:
    case tables::TransformKind::kYear:
    case tables::TransformKind::kMonth:
    case tables::TransformKind::kHour:
      return DataType::Integer();
  }
  return DataType::Integer();
}

Result<LoweredExpression> LowerTransform(const tables::PartitionField& field,
                                         const std::vector<tables::ScanColumn>& columns,
                                         const std::vector<std::string>& column_names) {
  FRAZIL_ASSIGN_OR_RETURN(auto source, SourceOf(field, columns, column_names));
  const auto parameter = [&] { return ConstantOf(duckdb::Value::INTEGER(field.parameter)); };
  switch (field.transform) {
    case tables::TransformKind::kIdentity:
      return std::move(source.value);
    case tables::TransformKind::kVoid:
      return ConstantOf(duckdb::Value(MappedType(*source.type)));
    case tables::TransformKind::kBucket:
      return CallOf("spark_partition_bucket", std::move(source.value), parameter());
    case tables::TransformKind::kTruncate:
      return CallOf("spark_partition_truncate", std::move(source.value), parameter());
    case tables::TransformKind::kYear:
      return CallOf("spark_partition_year", std::move(source.value));
    case tables::TransformKind::kMonth:
      return CallOf("spark_partition_month", std::move(source.value));
    case tables::TransformKind::kDay:
      return CallOf("spark_partition_day", std::move(source.value));
    case tables::TransformKind::kHour:
      return CallOf("spark_partition_hour", std::move(source.value));
  }
  return Error::Internal("Unknown partition transform");
}

std::string PartitionFolder(const std::vector<tables::PartitionField>& fields, const std::vector<DataTypePtr>& types,
                            const std::vector<Value>& values, bool hive, const std::string& time_zone) {
  std::string folder;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!folder.empty()) folder += '/';
    if (hive) {
      std::string text = values[i].is_null() ? "" : ValueToString(*types[i], values[i], time_zone);
      folder += HiveEscape(fields[i].name) + "=" + (text.empty() ? "__HIVE_DEFAULT_PARTITION__" : HiveEscape(text));
    } else {
      folder += UrlEncode(fields[i].name) + "=" + UrlEncode(IcebergText(fields[i], *types[i], values[i]));
    }
  }
  return folder;
}

}  // namespace frazil::engine
