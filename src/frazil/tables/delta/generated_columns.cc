#include "frazil/tables/delta/generated_columns.h"

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"

namespace frazil::tables::delta {
namespace {

constexpr const char* kExpression = "delta.generationExpression";
constexpr const char* kStart = "delta.identity.start";
constexpr const char* kStep = "delta.identity.step";
constexpr const char* kLast = "delta.identity.highWaterMark";
constexpr const char* kTakesValues = "delta.identity.allowExplicitInsert";

const std::string* Note(const StructField& field, const char* key) {
  auto found = field.metadata.find(key);
  return found == field.metadata.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<GeneratedColumn> GeneratedColumnsOf(const DataType& schema) {
  std::vector<GeneratedColumn> columns;
  for (const auto& field : schema.fields()) {
    GeneratedColumn column;
    column.name = field.name;
    if (const std::string* text = Note(field, kExpression)) {
      auto json = ParseJson(*text);
      if (json.ok() && json->kind == JsonValue::Kind::kString) column.text = json->text;
    } else if (const std::string* start = Note(field, kStart)) {
      column.is_identity = true;
      column.start = ParseInteger<int64_t>(*start).value_or(1);
      if (const std::string* step = Note(field, kStep)) column.step = ParseInteger<int64_t>(*step).value_or(1);
      if (const std::string* last = Note(field, kLast)) column.last = ParseInteger<int64_t>(*last);
      const std::string* takes = Note(field, kTakesValues);
      column.takes_values = takes != nullptr && *takes == "true";
    }
    if (column.is_identity || !column.text.empty()) columns.push_back(std::move(column));
  }
  return columns;
}

DataTypePtr WithLastValues(const DataTypePtr& schema, const std::map<std::string, int64_t>& last) {
  std::vector<StructField> fields = schema->fields();
  for (auto& field : fields) {
    if (auto found = last.find(field.name); found != last.end()) field.metadata[kLast] = std::to_string(found->second);
  }
  return DataType::Struct(std::move(fields));
}

}  // namespace frazil::tables::delta
