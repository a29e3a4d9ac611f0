// Spatial values: to and from well-known binary, reference systems.
// https://spark.apache.org/docs/latest/api/sql/#st_asbinary

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "st_funcs";
constexpr int kAnySystem = -1;

FunctionDefinition Described(FunctionDefinition definition, std::string usage) {
  definition.group = kGroup;
  definition.since = "4.1.0";
  definition.usage = std::move(usage);
  return definition;
}

bool IsSpatial(const DataType& type) { return type.id() == TypeId::kGeometry || type.id() == TypeId::kGeography; }

// The spatial argument; NULL counts as one.
Result<ExpressionPtr> SpatialArgument(const FunctionCall& call, const std::string& sql) {
  const auto& argument = call.arguments[0];
  if (argument->type->id() == TypeId::kNull) return MakeNull(DataType::Geometry(kAnySystem));
  if (!IsSpatial(*argument->type)) return UnexpectedInput(sql, 0, "(\"GEOMETRY\" or \"GEOGRAPHY\")", *argument);
  return argument;
}

BindRule OfSpatial(std::string function, DataTypePtr type) {
  return [function = std::move(function), type](const FunctionCall& call) -> Result<ExpressionPtr> {
    const std::string sql = CallSql(call.name, call.arguments);
    FRAZIL_ASSIGN_OR_RETURN(auto value, SpatialArgument(call, sql));
    const bool nullable = value->nullable;
    return MakeCall(function, {std::move(value)}, type, nullable, ModeOf(call), sql);
  };
}

BindRule FromBinary(DataTypePtr type) {
  return [type](const FunctionCall& call) -> Result<ExpressionPtr> {
    const std::string sql = CallSql(call.name, call.arguments);
    FRAZIL_ASSIGN_OR_RETURN(auto binary, CoerceArgument(call, sql, call.arguments[0], 0, Bytes()));
    const bool nullable = binary->nullable;
    return MakeCall("spatial_from_binary", {std::move(binary), IntLiteral(type->srid())}, type, nullable, ModeOf(call),
                    sql);
  };
}

// Systems that Spark 4.1 knows: of geographies only WGS 84.
bool IsKnownSystem(const DataType& type, int64_t srid) {
  return srid == 4326 || (type.id() == TypeId::kGeometry && (srid == 0 || srid == 3857));
}

Result<ExpressionPtr> BindSetSrid(const FunctionCall& call) {
  const std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto value, SpatialArgument(call, sql));
  FRAZIL_ASSIGN_OR_RETURN(auto srid, CoerceArgument(call, sql, call.arguments[1], 1, Int()));
  const bool is_geography = value->type->id() == TypeId::kGeography;
  // A constant system is part of the type.
  const auto constant = ConstantInteger(*srid);
  if (constant.has_value() && !IsKnownSystem(*value->type, *constant))
    return Error::Of("ST_INVALID_SRID_VALUE", {{"srid", std::to_string(*constant)}});
  const int system = constant.has_value() ? static_cast<int>(*constant) : kAnySystem;
  const auto type = is_geography ? DataType::Geography(system) : DataType::Geometry(system);
  const bool nullable = value->nullable || srid->nullable;
  return MakeCall("st_setsrid", {std::move(value), std::move(srid), BoolLiteral(is_geography)}, type, nullable,
                  ModeOf(call), sql);
}

}  // namespace

void AddGeospatialFunctions(FunctionList& list) {
  list.Add(Described(Custom("st_geogfromwkb", 1, 1, FromBinary(DataType::Geography(4326))),
                     "A geography from its well-known binary."));
  list.Add(Described(Custom("st_geomfromwkb", 1, 1, FromBinary(DataType::Geometry(0))),
                     "A geometry from its well-known binary."));
  list.Add(Described(Custom("st_asbinary", 1, 1, OfSpatial("st_asbinary", DataType::Binary())),
                     "The well-known binary of a geometry or geography."));
  list.Add(Described(Custom("st_srid", 1, 1, OfSpatial("st_srid", DataType::Integer())),
                     "The identifier of the spatial reference system."));
  list.Add(Described(Custom("st_setsrid", 2, 2, BindSetSrid), "The same value in another spatial reference system."));
}

}  // namespace frazil::functions
