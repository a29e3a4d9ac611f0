#include "frazil/engine/spatial_type.h"

namespace frazil::engine {

Status CheckNotSpatial(const DataType& type) {
  switch (type.id()) {
    case TypeId::kGeometry:
      return Error::Unsupported("GEOMETRY values in tables");
    case TypeId::kGeography:
      return Error::Unsupported("GEOGRAPHY values in tables");
    case TypeId::kArray:
      return CheckNotSpatial(*type.element_type());
    case TypeId::kMap:
      FRAZIL_RETURN_IF_ERROR(CheckNotSpatial(*type.key_type()));
      return CheckNotSpatial(*type.value_type());
    case TypeId::kStruct:
      for (const auto& field : type.fields()) FRAZIL_RETURN_IF_ERROR(CheckNotSpatial(*field.type));
      return Status::Ok();
    default:
      return Status::Ok();
  }
}

}  // namespace frazil::engine
