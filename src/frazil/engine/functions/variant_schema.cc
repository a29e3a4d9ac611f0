#include "frazil/engine/functions/variant_schema.h"

#include <algorithm>

#include "frazil/types/decimal.h"

namespace frazil::engine {
namespace {

DataTypePtr MergeDecimals(const DataType& left, const DataType& right) {
  const int scale = std::max(left.scale(), right.scale());
  const int digits = std::max(left.precision() - left.scale(), right.precision() - right.scale());
  return digits + scale > 38 ? DataType::Double() : DataType::Decimal(digits + scale, scale);
}

// Fields by name; both lists are sorted, as the members of objects are.
DataTypePtr MergeStructs(const DataType& left, const DataType& right) {
  std::vector<StructField> merged;
  size_t i = 0, j = 0;
  const auto& first = left.fields();
  const auto& second = right.fields();
  while (i < first.size() || j < second.size()) {
    if (j == second.size() || (i < first.size() && first[i].name < second[j].name)) {
      merged.push_back(first[i++]);
    } else if (i == first.size() || second[j].name < first[i].name) {
      merged.push_back(second[j++]);
    } else {
      merged.emplace_back(first[i].name, MergeVariantSchemas(first[i].type, second[j].type));
      ++i;
      ++j;
    }
  }
  return DataType::Struct(std::move(merged));
}

}  // namespace

DataTypePtr VariantSchema(const Variant& variant) {
  switch (variant.kind) {
    case Variant::Kind::kNull:
      return DataType::Null();
    case Variant::Kind::kBoolean:
      return DataType::Boolean();
    case Variant::Kind::kInteger:
      return DataType::Long();
    case Variant::Kind::kDouble:
      return DataType::Double();
    case Variant::Kind::kFloat:
      return DataType::Float();
    case Variant::Kind::kDecimal: {
      const std::string digits = Int128ToString(variant.unscaled < 0 ? -variant.unscaled : variant.unscaled);
      return DataType::Decimal(std::max(static_cast<int>(digits.size()), variant.scale), variant.scale);
    }
    case Variant::Kind::kDate:
      return DataType::Date();
    case Variant::Kind::kTimestamp:
      return DataType::Timestamp();
    case Variant::Kind::kTimestampNtz:
      return DataType::TimestampNtz();
    case Variant::Kind::kBinary:
      return DataType::Binary();
    case Variant::Kind::kString:
      return DataType::String();
    case Variant::Kind::kObject: {
      std::vector<StructField> fields;
      for (const auto& [name, member] : variant.members) fields.emplace_back(name, VariantSchema(member));
      std::sort(fields.begin(), fields.end(),
                [](const StructField& left, const StructField& right) { return left.name < right.name; });
      return DataType::Struct(std::move(fields));
    }
    case Variant::Kind::kArray: {
      DataTypePtr element = DataType::Null();
      for (const auto& item : variant.items) element = MergeVariantSchemas(element, VariantSchema(item));
      return DataType::Array(std::move(element));
    }
  }
  return DataType::Null();
}

DataTypePtr MergeVariantSchemas(const DataTypePtr& left, const DataTypePtr& right) {
  const TypeId a = left->id(), b = right->id();
  if (a == TypeId::kNull) return right;
  if (b == TypeId::kNull || left->Equals(*right)) return left;
  if (a == TypeId::kStruct && b == TypeId::kStruct) return MergeStructs(*left, *right);
  if (a == TypeId::kArray && b == TypeId::kArray)
    return DataType::Array(MergeVariantSchemas(left->element_type(), right->element_type()));
  const auto is = [&](TypeId first, TypeId second) {
    return (a == first && b == second) || (a == second && b == first);
  };
  if (a == TypeId::kDecimal && b == TypeId::kDecimal) return MergeDecimals(*left, *right);
  if (is(TypeId::kLong, TypeId::kDecimal))
    return MergeDecimals(a == TypeId::kDecimal ? *left : *right, *DataType::Decimal(20, 0));
  if (is(TypeId::kDouble, TypeId::kDecimal) || is(TypeId::kDouble, TypeId::kLong) ||
      is(TypeId::kDouble, TypeId::kFloat))
    return DataType::Double();
  if (is(TypeId::kFloat, TypeId::kLong)) return DataType::Float();
  if (is(TypeId::kTimestamp, TypeId::kTimestampNtz) || is(TypeId::kTimestamp, TypeId::kDate))
    return DataType::Timestamp();
  if (is(TypeId::kTimestampNtz, TypeId::kDate)) return DataType::TimestampNtz();
  return DataType::Variant();
}

std::string VariantSchemaText(const DataType& type) {
  if (type.id() == TypeId::kArray) return "ARRAY<" + VariantSchemaText(*type.element_type()) + ">";
  if (type.id() != TypeId::kStruct) return type.Sql();
  std::string text = "OBJECT<";
  for (const auto& field : type.fields()) {
    if (text.back() != '<') text += ", ";
    text += field.name + ": " + VariantSchemaText(*field.type);
  }
  return text + ">";
}

}  // namespace frazil::engine
