// Maps.
// https://spark.apache.org/docs/latest/api/sql/#map-functions

#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "map_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  return definition;
}

Error MapKeyError(const std::string& sql, const DataType& key) {
  return Mismatch("INVALID_MAP_KEY_TYPE", sql, {{"keyType", QuotedType(key)}});
}

// LAST_WIN or EXCEPTION for equal keys: the implementation's further argument.
ExpressionPtr DeduplicationPolicy(const FunctionCall& call) {
  auto setting = call.settings->lookup ? call.settings->lookup("spark.sql.mapKeyDedupPolicy") : std::nullopt;
  return BoolLiteral(setting.value_or("EXCEPTION") == "LAST_WIN");
}

Result<ExpressionPtr> BindMap(const FunctionCall& call) {
  std::string sql = CallSql("map", call.arguments);
  if (call.arguments.size() % 2 != 0) {
    return Error::Of("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", {{"functionName", "`map`"},
                                                           {"expectedNum", "2n (n > 0)"},
                                                           {"actualNum", std::to_string(call.arguments.size())},
                                                           {"docroot", "https://spark.apache.org/docs/latest"}});
  }
  if (call.arguments.empty())
    return MakeCall("map", {}, DataType::Map(DataType::Null(), DataType::Null(), false), false, ModeOf(call), sql);
  Arguments keys, values;
  std::vector<DataTypePtr> key_types, value_types;
  for (size_t i = 0; i < call.arguments.size(); i += 2) {
    keys.push_back(call.arguments[i]);
    values.push_back(call.arguments[i + 1]);
    key_types.push_back(call.arguments[i]->type);
    value_types.push_back(call.arguments[i + 1]->type);
  }
  auto list_types = [](const std::vector<DataTypePtr>& types) {
    std::string text = "[";
    for (size_t i = 0; i < types.size(); ++i) text += (i > 0 ? ", " : "") + QuotedType(*types[i]);
    return text + "]";
  };
  auto key_type = WiderCommonType(key_types, IsAnsi(call));
  if (key_type == nullptr)
    return Mismatch("CREATE_MAP_KEY_DIFF_TYPES", sql, {{"functionName", "`map`"}, {"dataType", list_types(key_types)}});
  auto value_type = WiderCommonType(value_types, IsAnsi(call));
  if (value_type == nullptr)
    return Mismatch("CREATE_MAP_VALUE_DIFF_TYPES", sql,
                    {{"functionName", "`map`"}, {"dataType", list_types(value_types)}});
  key_type = WithoutLength(key_type);
  value_type = WithoutLength(value_type);
  if (ContainsMap(*key_type)) return MapKeyError(sql, *key_type);
  Arguments arguments;
  for (size_t i = 0; i < keys.size(); ++i) {
    arguments.push_back(CastTo(keys[i], key_type, call));
    arguments.push_back(CastTo(values[i], value_type, call));
  }
  bool value_null = AnyNullable(values);
  return MakeCall("map", std::move(arguments), DataType::Map(key_type, value_type, value_null), false, ModeOf(call),
                  sql);
}

Result<ExpressionPtr> BindMapConcat(const FunctionCall& call) {
  std::string sql = CallSql("map_concat", call.arguments);
  if (call.arguments.empty())
    return MakeCall("map", {}, DataType::Map(DataType::String(), DataType::String(), false), false, ModeOf(call), sql);
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    if (call.arguments[i]->type->id() != TypeId::kMap) {
      std::string types = "[";
      for (size_t j = 0; j < call.arguments.size(); ++j)
        types += (j > 0 ? ", " : "") + QuotedType(*call.arguments[j]->type);
      return Mismatch("MAP_CONCAT_DIFF_TYPES", sql, {{"functionName", "`map_concat`"}, {"dataType", types + "]"}});
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceToCommonType(call, sql, call.arguments));
  DataTypePtr type = arguments[0]->type;
  bool nullable = AnyNullable(arguments);
  arguments.insert(arguments.begin(), DeduplicationPolicy(call));
  return MakeCall("map_concat", std::move(arguments), type, nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindMapFromArrays(const FunctionCall& call) {
  std::string sql = CallSql("map_from_arrays", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceArguments(call, sql, call.arguments, {AnyArray().Strict()}));
  if (ContainsMap(*arguments[0]->type->element_type())) return MapKeyError(sql, *arguments[0]->type->element_type());
  DataTypePtr type = DataType::Map(arguments[0]->type->element_type(), arguments[1]->type->element_type(),
                                   arguments[1]->type->contains_null());
  bool nullable = AnyNullable(arguments);
  arguments.insert(arguments.begin(), DeduplicationPolicy(call));
  return MakeCall("map_from_arrays", std::move(arguments), type, nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindMapFromEntries(const FunctionCall& call) {
  std::string sql = CallSql("map_from_entries", call.arguments);
  const auto& entries = call.arguments[0];
  bool is_pairs = entries->type->id() == TypeId::kArray && entries->type->element_type()->id() == TypeId::kStruct &&
                  entries->type->element_type()->fields().size() == 2;
  if (!is_pairs) return UnexpectedInput(sql, 0, "\"ARRAY\" of pair \"STRUCT\"", *entries);
  const auto& fields = entries->type->element_type()->fields();
  if (ContainsMap(*fields[0].type)) return MapKeyError(sql, *fields[0].type);
  return MakeCall("map_from_entries", {DeduplicationPolicy(call), entries},
                  DataType::Map(fields[0].type, fields[1].type, fields[1].nullable),
                  entries->nullable || entries->type->contains_null(), ModeOf(call), sql);
}

Result<ExpressionPtr> BindContainsKey(const FunctionCall& call) {
  std::string sql = CallSql("map_contains_key", call.arguments);
  ExpressionPtr map = call.arguments[0], key = call.arguments[1];
  if (map->type->id() == TypeId::kNull || key->type->id() == TypeId::kNull)
    return Mismatch("NULL_TYPE", sql, {{"functionName", "`map_contains_key`"}});
  if (map->type->id() != TypeId::kMap) return UnexpectedInput(sql, 0, "\"MAP\"", *map);
  auto common = WiderTypeWithoutText(map->type->key_type(), key->type, IsAnsi(call));
  if (common == nullptr) {
    return Mismatch("MAP_FUNCTION_DIFF_TYPES", sql,
                    {{"functionName", "`map_contains_key`"},
                     {"dataType", "\"MAP\""},
                     {"leftType", QuotedType(*map->type)},
                     {"rightType", QuotedType(*key->type)}});
  }
  if (!map->type->key_type()->EqualsIgnoreNullability(*common))
    map = CastTo(map, DataType::Map(common, map->type->value_type(), map->type->value_contains_null()), call);
  return MakeCall("map_contains_key", {map, CastTo(key, common, call)}, DataType::Boolean(),
                  map->nullable || key->nullable, ModeOf(call), sql);
}

Entry OfMap(std::string name, std::function<DataTypePtr(const DataType&)> type, std::string since, std::string usage) {
  return Scalar(std::move(name), {AnyMap().Strict()},
                [type](const Arguments& arguments) -> Result<DataTypePtr> { return type(*arguments[0]->type); })
      .Group(kGroup, std::move(since), std::move(usage));
}

}  // namespace

void AddMapFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Described(Custom("map", 0, -1, BindMap), "2.0.0", "A map of keys and values in turn."));
  list.Add(Described(Custom("map_concat", 0, -1, BindMapConcat), "2.4.0", "One map of all."));
  list.Add(Described(Custom("map_from_arrays", 2, 2, BindMapFromArrays), "2.4.0",
                     "A map of an array of keys and one of values."));
  list.Add(Described(Custom("map_from_entries", 1, 1, BindMapFromEntries), "2.4.0", "A map of an array of pairs."));
  list.Add(Described(Custom("map_contains_key", 2, 2, BindContainsKey), "3.3.0", "Whether the map has the key."));
  list.Add(OfMap(
      "map_keys", [](const DataType& map) { return DataType::Array(map.key_type(), false); }, "2.0.0", "The keys."));
  list.Add(OfMap(
      "map_values", [](const DataType& map) { return DataType::Array(map.value_type(), map.value_contains_null()); },
      "2.0.0", "The values."));
  list.Add(OfMap(
      "map_entries",
      [](const DataType& map) {
        return DataType::Array(DataType::Struct({StructField("key", map.key_type(), false),
                                                 StructField("value", map.value_type(), map.value_contains_null())}),
                               false);
      },
      "3.0.0", "The pairs of key and value."));
  list.Add(
      Scalar("str_to_map", {Text(), Text(), Text()}, DataType::Map(DataType::String(), DataType::String(), true))
          .Defaults({TextLiteral(","), TextLiteral(":")})
          .Makes([](const FunctionCall& call, Arguments arguments, const std::string& sql) -> Result<ExpressionPtr> {
            bool nullable = AnyNullable(arguments);
            arguments.insert(arguments.begin(), DeduplicationPolicy(call));
            return MakeCall("str_to_map", std::move(arguments),
                            DataType::Map(DataType::String(), DataType::String(), true), nullable, ModeOf(call), sql);
          })
          .Group(kGroup, "2.0.1", "Text as a map, cut at two delimiters."));
}

}  // namespace frazil::functions
