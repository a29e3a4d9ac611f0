#include "frazil/tables/delta/parsed_statistics.h"

#include <vector>

#include "frazil/base/json.h"
#include "frazil/types/value.h"

namespace frazil::tables::delta {
namespace {

bool HasPlainBounds(const DataType& type) {
  return type.id() == TypeId::kInteger || type.id() == TypeId::kLong || type.id() == TypeId::kDate ||
         type.id() == TypeId::kString;
}

/// The columns under the names that files have; leaves of `leaf` type, or of their own where that is null.
std::vector<StructField> Leaves(const DataType& schema, ColumnMapping mapping, const DataTypePtr& leaf) {
  std::vector<StructField> fields;
  for (const auto& field : schema.fields()) {
    if (field.type->id() == TypeId::kStruct) {
      auto inner = Leaves(*field.type, mapping, leaf);
      if (!inner.empty()) fields.emplace_back(PhysicalName(field, mapping), DataType::Struct(std::move(inner)));
    } else if (HasPlainBounds(*field.type)) {
      // Lengths of CHAR and VARCHAR are the table's matter.
      const DataTypePtr own = field.type->IsString() ? DataType::String() : field.type;
      fields.emplace_back(PhysicalName(field, mapping), leaf != nullptr ? leaf : own);
    }
  }
  return fields;
}

std::string LeafText(const ArrowColumn& column, const DataType& type, int64_t row) {
  if (type.id() == TypeId::kString) return JsonString(std::string(column.Text(row)));
  const Value value(column.Integer(row));
  return type.id() == TypeId::kDate ? JsonString(ValueToString(type, value)) : std::to_string(value.integer());
}

std::string ObjectText(const ArrowColumn& column, const DataType& type, int64_t row) {
  std::string text = "{";
  for (const auto& field : type.fields()) {
    const ArrowColumn member = column.Field(field.name);
    if (member.IsNull(row)) continue;
    text += (text.size() > 1 ? "," : "") + JsonString(field.name) + ":";
    text +=
        field.type->id() == TypeId::kStruct ? ObjectText(member, *field.type, row) : LeafText(member, *field.type, row);
  }
  return text + "}";
}

}  // namespace

DataTypePtr ParsedStatisticsType(const DataType& schema, ColumnMapping mapping) {
  std::vector<StructField> fields = {{"numRecords", DataType::Long()}};
  auto bounds = Leaves(schema, mapping, nullptr);
  if (!bounds.empty()) {
    fields.emplace_back("minValues", DataType::Struct(bounds));
    fields.emplace_back("maxValues", DataType::Struct(std::move(bounds)));
    fields.emplace_back("nullCount", DataType::Struct(Leaves(schema, mapping, DataType::Long())));
  }
  return DataType::Struct(std::move(fields));
}

std::string ParsedStatisticsText(const ArrowColumn& statistics, const DataType& type, int64_t row) {
  if (statistics.IsNull(row) || statistics.Field("numRecords").IsNull(row)) return {};
  return ObjectText(statistics, type, row);
}

}  // namespace frazil::tables::delta
