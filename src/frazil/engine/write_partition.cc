#include "frazil/engine/write_partition.h"

#include <cstdio>

#include <duckdb/parser/expression/columnref_expression.hpp>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/functions/utf8.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/tables/partition_folder.h"
#include "frazil/tables/transform.h"
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
      // Names of files are texts.
      if (types[i]->id() == TypeId::kBinary) text = MakeValidUtf8(text);
      folder += tables::PartitionFolder(fields[i].name, text);
    } else {
      folder += UrlEncode(fields[i].name) + "=" +
                UrlEncode(tables::PartitionValueText(fields[i].transform, *types[i], values[i]));
    }
  }
  return folder;
}

}  // namespace frazil::engine
