#include <duckdb/main/connection.hpp>

#include "frazil/base/text.h"
#include "frazil/engine/data_files.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/infer_schema.h"

namespace frazil::engine {
namespace {

constexpr const char* kSparkSchemaKey = "org.apache.spark.sql.parquet.row.metadata";

// One element of a file's schema, as parquet_schema lists them.
struct Element {
  std::string name, type, repetition, converted, logical;
  int64_t children = 0, precision = 0, scale = 0;
};

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

duckdb::unique_ptr<duckdb::QueryResult> Run(duckdb::Connection& connection, const std::string& query,
                                            const std::string& path) {
  auto statement = connection.Prepare(query);
  if (statement->HasError()) statement->error.Throw();
  duckdb::vector<duckdb::Value> arguments = {duckdb::Value(storage::LocalPath(path))};
  auto result = statement->Execute(arguments, false);
  if (result->HasError()) result->ThrowError();
  return result;
}

std::string TextOf(const duckdb::Value& value) { return value.IsNull() ? std::string() : value.ToString(); }
int64_t NumberOf(const duckdb::Value& value) { return value.IsNull() ? 0 : value.GetValue<int64_t>(); }

std::vector<Element> ElementsOf(duckdb::Connection& connection, const std::string& path) {
  auto result = Run(connection,
                    "SELECT name, type, repetition_type, converted_type, logical_type, num_children, \"precision\", "
                    "\"scale\" FROM parquet_schema($1)",
                    path);
  std::vector<Element> elements;
  while (auto chunk = result->Fetch()) {
    if (chunk->size() == 0) break;
    for (duckdb::idx_t i = 0; i < chunk->size(); ++i) {
      Element element;
      element.name = TextOf(chunk->GetValue(0, i));
      element.type = TextOf(chunk->GetValue(1, i));
      element.repetition = TextOf(chunk->GetValue(2, i));
      element.converted = TextOf(chunk->GetValue(3, i));
      element.logical = TextOf(chunk->GetValue(4, i));
      element.children = NumberOf(chunk->GetValue(5, i));
      element.precision = NumberOf(chunk->GetValue(6, i));
      element.scale = NumberOf(chunk->GetValue(7, i));
      elements.push_back(std::move(element));
    }
  }
  return elements;
}

Error Unsupported(const Element& element) {
  return Error::Of("PARQUET_TYPE_NOT_SUPPORTED",
                   {{"parquetType", element.type + (element.logical.empty() ? "" : " (" + element.logical + ")")}});
}

// The type of a leaf. Source: Spark's Parquet data source; Parquet's LogicalTypes.md.
Result<DataTypePtr> LeafType(const Element& element) {
  const auto& logical = element.logical;
  const auto& converted = element.converted;
  if (Has(converted, "DECIMAL") || Has(logical, "Decimal")) {
    return DataType::Decimal(static_cast<int>(element.precision), static_cast<int>(element.scale));
  }
  if (element.type == "BOOLEAN") return DataType::Boolean();
  if (element.type == "FLOAT") return DataType::Float();
  if (element.type == "DOUBLE") return DataType::Double();
  if (element.type == "INT96") return DataType::Timestamp();
  if (element.type == "INT32") {
    if (Has(converted, "DATE") || Has(logical, "Date")) return DataType::Date();
    if (Has(converted, "TIME") || Has(logical, "Time")) return DataType::Time(3);
    if (Has(converted, "UINT_8")) return DataType::Short();
    if (Has(converted, "UINT_16")) return DataType::Integer();
    if (Has(converted, "UINT_32")) return DataType::Long();
    if (Has(converted, "INT_8")) return DataType::Byte();
    if (Has(converted, "INT_16")) return DataType::Short();
    return DataType::Integer();
  }
  if (element.type == "INT64") {
    if (Has(logical, "Timestamp")) {
      const bool instant = Has(logical, "isAdjustedToUTC=1") || Has(logical, "isAdjustedToUTC=true");
      return instant ? DataType::Timestamp() : DataType::TimestampNtz();
    }
    if (Has(converted, "TIMESTAMP")) return DataType::Timestamp();
    if (Has(converted, "TIME") || Has(logical, "Time")) return DataType::Time();
    if (Has(converted, "UINT_64")) return DataType::Decimal(20, 0);
    return DataType::Long();
  }
  if (element.type == "BYTE_ARRAY") {
    if (Has(converted, "UTF8") || Has(converted, "ENUM") || Has(converted, "JSON") || Has(logical, "String") ||
        Has(logical, "Enum") || Has(logical, "Json")) {
      return DataType::String();
    }
    return DataType::Binary();
  }
  if (element.type == "FIXED_LEN_BYTE_ARRAY") {
    if (Has(converted, "INTERVAL")) return Unsupported(element);
    if (Has(logical, "UUID")) return DataType::String();
    if (Has(logical, "Float16")) return DataType::Float();
    return DataType::Binary();
  }
  return Unsupported(element);
}

// The type of the element at `at`, which moves behind it and its children.
Result<DataTypePtr> TypeAt(const std::vector<Element>& elements, size_t& at, bool inside_repeated = false) {
  const Element& element = elements[at++];
  const bool repeated = element.repetition == "REPEATED" && !inside_repeated;
  DataTypePtr type;
  if (element.children == 0) {
    FRAZIL_ASSIGN_OR_RETURN(type, LeafType(element));
  } else if (Has(element.converted, "MAP") || Has(element.logical, "Map")) {
    // MAP { repeated key_value { key; value } }
    ++at;
    FRAZIL_ASSIGN_OR_RETURN(auto key, TypeAt(elements, at));
    FRAZIL_ASSIGN_OR_RETURN(auto value, TypeAt(elements, at));
    type = DataType::Map(std::move(key), std::move(value), true);
  } else if (Has(element.converted, "LIST") || Has(element.logical, "List")) {
    // LIST { repeated list { element } }, or older: LIST { repeated element }
    const Element& middle = elements[at];
    const bool wraps = middle.children == 1 && middle.name != "array" && middle.name != element.name + "_tuple";
    if (wraps) ++at;
    FRAZIL_ASSIGN_OR_RETURN(auto item, TypeAt(elements, at, !wraps));
    type = DataType::Array(std::move(item), true);
  } else {
    std::vector<StructField> fields;
    for (int64_t i = 0; i < element.children; ++i) {
      const std::string name = elements[at].name;
      FRAZIL_ASSIGN_OR_RETURN(auto field, TypeAt(elements, at));
      fields.emplace_back(name, std::move(field), true);
    }
    type = DataType::Struct(std::move(fields));
  }
  return repeated ? DataType::Array(std::move(type), true) : type;
}

DataTypePtr AllNullable(const DataTypePtr& type) {
  switch (type->id()) {
    case TypeId::kArray:
      return DataType::Array(AllNullable(type->element_type()), true);
    case TypeId::kMap:
      return DataType::Map(AllNullable(type->key_type()), AllNullable(type->value_type()), true);
    case TypeId::kStruct: {
      auto fields = type->fields();
      for (auto& field : fields) {
        field.type = AllNullable(field.type);
        field.nullable = true;
      }
      return DataType::Struct(std::move(fields));
    }
    default:
      return type;
  }
}

// Of files that come as Arrow batches.
Result<DataTypePtr> BatchSchemaOf(duckdb::Connection& connection, const std::string& path, tables::FileFormat format) {
  auto opened = OpenDataFile(*connection.context, path, format);
  if (!opened.ok() && opened.error().kind == ErrorKind::kStorage)
    return Error::Of("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", {{"path", path}});
  if (!opened.ok()) return std::move(opened).error();
  std::vector<StructField> fields;
  for (const auto& column : (*opened)->columns()) fields.emplace_back(column.name, column.type, true);
  return AllNullable(DataType::Struct(std::move(fields)));
}

Result<DataTypePtr> SchemaOf(duckdb::Connection& connection, const std::string& path, tables::FileFormat format) {
  if (IsBatchFormat(format)) return BatchSchemaOf(connection, path, format);
  auto metadata = Run(
      connection,
      "SELECT decode(value) FROM parquet_kv_metadata($1) WHERE decode(key) = '" + std::string(kSparkSchemaKey) + "'",
      path);
  if (auto chunk = metadata->Fetch(); chunk != nullptr && chunk->size() > 0) {
    auto type = DataType::FromJson(TextOf(chunk->GetValue(0, 0)));
    if (type.ok()) return AllNullable(*type);
  }
  const auto elements = ElementsOf(connection, path);
  if (elements.empty()) return Error::Of("FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", {{"path", path}});
  size_t at = 0;
  return TypeAt(elements, at);
}

// Null: the file is left out.
Result<DataTypePtr> SchemaIfReadable(duckdb::Connection& connection, const std::string& path, tables::FileFormat format,
                                     const FileTolerance& tolerance) {
  auto& file_system = duckdb::FileSystem::GetFileSystem(*connection.context);
  try {
    auto schema = SchemaOf(connection, path, format);
    if (!schema.ok() && tolerance.Forgives(file_system, storage::LocalPath(path))) return DataTypePtr();
    return schema;
  } catch (const std::exception&) {
    if (!tolerance.Forgives(file_system, storage::LocalPath(path))) throw;
    return DataTypePtr();
  }
}

// Fields of both; the wider of two numeric types of one family.
Result<DataTypePtr> Merge(const DataTypePtr& left, const DataTypePtr& right) {
  std::vector<StructField> fields = left->fields();
  for (const auto& field : right->fields()) {
    const int index = left->FieldIndex(field.name);
    if (index < 0) {
      fields.push_back(field);
      continue;
    }
    auto& mine = fields[static_cast<size_t>(index)].type;
    if (mine->EqualsIgnoreNullability(*field.type)) continue;
    if (mine->id() == TypeId::kStruct && field.type->id() == TypeId::kStruct) {
      FRAZIL_ASSIGN_OR_RETURN(mine, Merge(mine, field.type));
    } else if (mine->id() == TypeId::kDecimal && field.type->id() == TypeId::kDecimal &&
               mine->scale() == field.type->scale()) {
      mine = DataType::Decimal(std::max(mine->precision(), field.type->precision()), mine->scale());
    } else {
      return Error::Of("CANNOT_MERGE_SCHEMAS",
                       {{"left", "\"" + left->Sql() + "\""}, {"right", "\"" + right->Sql() + "\""}});
    }
  }
  return DataType::Struct(std::move(fields));
}

const char* FormatTitle(tables::FileFormat format) {
  if (format == tables::FileFormat::kOrc) return "ORC";
  return format == tables::FileFormat::kAvro ? "Avro" : "Parquet";
}

}  // namespace

Result<DataTypePtr> InferColumnarSchema(duckdb::Connection& connection, tables::FileFormat format,
                                        const std::vector<std::string>& paths, const ReaderOptions& options,
                                        const functions::ExpressionSettings& settings, const CancelToken* cancel) {
  const FileTolerance tolerance(options, settings);
  DataTypePtr schema;
  for (const auto& path : paths) {
    FRAZIL_RETURN_IF_ERROR(CheckNotCancelled(cancel));
    auto next = SchemaIfReadable(connection, path, format, tolerance);
    if (!next.ok()) return next;
    if (*next == nullptr) continue;
    if (schema == nullptr) {
      schema = *std::move(next);
    } else {
      FRAZIL_ASSIGN_OR_RETURN(schema, Merge(schema, *next));
    }
    if (!IsTrue(options, "mergeschema", false)) break;
  }
  if (schema == nullptr) return Error::Of("UNABLE_TO_INFER_SCHEMA", {{"format", FormatTitle(format)}});
  return schema;
}

}  // namespace frazil::engine
