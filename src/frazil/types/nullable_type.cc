#include "frazil/types/nullable_type.h"

namespace frazil {

DataTypePtr AsNullable(const DataTypePtr& type) {
  switch (type->id()) {
    case TypeId::kArray:
      return DataType::Array(AsNullable(type->element_type()), true);
    case TypeId::kMap:
      return DataType::Map(AsNullable(type->key_type()), AsNullable(type->value_type()), true);
    case TypeId::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) {
        field.type = AsNullable(field.type);
        field.nullable = true;
      }
      return DataType::Struct(std::move(fields));
    }
    default:
      return type;
  }
}

}  // namespace frazil
