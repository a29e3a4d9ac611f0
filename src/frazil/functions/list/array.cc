// Arrays.
// https://spark.apache.org/docs/latest/api/sql/#array-functions

#include <algorithm>

#include "frazil/functions/constant.h"
#include "frazil/functions/list/topics.h"

namespace frazil::functions {
namespace {

const char* const kGroup = "array_funcs";

FunctionDefinition Described(FunctionDefinition definition, std::string since, std::string usage,
                             std::vector<std::string> aliases = {}) {
  definition.since = std::move(since);
  definition.usage = std::move(usage);
  definition.aliases = std::move(aliases);
  return definition;
}

bool IsArray(const ExpressionPtr& expression) { return expression->type->id() == TypeId::kArray; }

// array(a, b, ...).
Result<ExpressionPtr> BindArray(const FunctionCall& call) {
  std::string sql = CallSql("array", call.arguments);
  if (call.arguments.empty()) {
    auto setting = call.settings->lookup
                       ? call.settings->lookup("spark.sql.legacy.createEmptyCollectionUsingStringType")
                       : std::nullopt;
    return MakeCall("array", {},
                    DataType::Array(setting.value_or("false") == "true" ? DataType::String() : DataType::Null(), false),
                    false, ModeOf(call), sql);
  }
  FRAZIL_ASSIGN_OR_RETURN(auto arguments, CoerceToCommonType(call, sql, call.arguments));
  DataTypePtr type = DataType::Array(arguments[0]->type, AnyNullable(arguments));
  return MakeCall("array", std::move(arguments), type, false, ModeOf(call), sql);
}

// An array and a value of its element type.
struct ArrayAndElement {
  ExpressionPtr array, element;
};
Result<ArrayAndElement> CoerceArrayAndElement(const FunctionCall& call, const std::string& sql, ExpressionPtr array,
                                              ExpressionPtr element, bool null_is_error) {
  if (array->type->id() == TypeId::kNull && !null_is_error)
    array = MakeCast(array, DataType::Array(element->type), ModeOf(call));
  if (!IsArray(array)) {
    if (null_is_error && (array->type->id() == TypeId::kNull || element->type->id() == TypeId::kNull)) {
      return Mismatch("NULL_TYPE", sql, {{"functionName", QuoteIdentifier(call.name)}});
    }
    return UnexpectedInput(sql, 0, "\"ARRAY\"", *array);
  }
  if (null_is_error && element->type->id() == TypeId::kNull)
    return Mismatch("NULL_TYPE", sql, {{"functionName", QuoteIdentifier(call.name)}});
  auto common = WiderTypeWithoutText(array->type->element_type(), element->type, IsAnsi(call));
  if (common == nullptr) {
    return Mismatch("ARRAY_FUNCTION_DIFF_TYPES", sql,
                    {{"functionName", QuoteIdentifier(call.name)},
                     {"dataType", "\"ARRAY\""},
                     {"leftType", QuotedType(*array->type)},
                     {"rightType", QuotedType(*element->type)}});
  }
  common = WithoutLength(common);
  if (!array->type->element_type()->EqualsIgnoreNullability(*common))
    array = CastTo(array, DataType::Array(common, array->type->contains_null()), call);
  if (!element->type->EqualsIgnoreNullability(*common)) element = CastTo(element, common, call);
  return ArrayAndElement{array, element};
}

Status CheckOrdered(const FunctionCall& call, const std::string& sql, const DataType& element) {
  if (IsOrderable(element)) return Status::Ok();
  return Mismatch("INVALID_ORDERING_TYPE", sql,
                  {{"functionName", QuoteIdentifier(call.name)}, {"dataType", QuotedType(element)}});
}

enum class ElementResult : uint8_t { kBoolean, kPosition, kArray };

// array_contains, array_position, array_remove.
FunctionDefinition Search(std::string name, ElementResult result, std::string since, std::string usage) {
  return Described(Custom(name, 2, 2,
                          [name, result](const FunctionCall& call) -> Result<ExpressionPtr> {
                            std::string sql = CallSql(name, call.arguments);
                            FRAZIL_ASSIGN_OR_RETURN(auto both, CoerceArrayAndElement(call, sql, call.arguments[0],
                                                                                     call.arguments[1], true));
                            FRAZIL_RETURN_IF_ERROR(CheckOrdered(call, sql, *both.element->type));
                            bool nullable = both.array->nullable || both.element->nullable;
                            DataTypePtr type = DataType::Long();
                            switch (result) {
                              case ElementResult::kBoolean:
                                type = DataType::Boolean();
                                nullable = nullable || both.array->type->contains_null();
                                break;
                              case ElementResult::kPosition:
                                break;
                              case ElementResult::kArray:
                                type = both.array->type;
                                break;
                            }
                            return MakeCall(name, {both.array, both.element}, type, nullable, ModeOf(call), sql);
                          }),
                   std::move(since), std::move(usage));
}

// array_append, array_prepend.
FunctionDefinition Extend(std::string name, std::string since, std::string usage) {
  return Described(
      Custom(name, 2, 2,
             [name](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql(name, call.arguments);
               FRAZIL_ASSIGN_OR_RETURN(auto both,
                                       CoerceArrayAndElement(call, sql, call.arguments[0], call.arguments[1], false));
               DataTypePtr type = DataType::Array(both.array->type->element_type(),
                                                  both.array->type->contains_null() || both.element->nullable);
               return MakeCall(name, {both.array, both.element}, type, both.array->nullable, ModeOf(call), sql);
             }),
      std::move(since), std::move(usage));
}

Result<ExpressionPtr> BindInsert(const FunctionCall& call) {
  std::string sql = CallSql("array_insert", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto both, CoerceArrayAndElement(call, sql, call.arguments[0], call.arguments[2], false));
  FRAZIL_ASSIGN_OR_RETURN(auto position, CoerceArgument(call, sql, call.arguments[1], 1, Int()));
  DataTypePtr type = DataType::Array(both.array->type->element_type(), true);
  return MakeCall("array_insert", {both.array, position, both.element}, type,
                  both.array->nullable || position->nullable, ModeOf(call), sql);
}

// array_union, array_intersect, array_except, arrays_overlap: two arrays of one type.
FunctionDefinition SetOperation(std::string name, bool is_boolean, std::string usage) {
  return Described(
      Custom(name, 2, 2,
             [name, is_boolean](const FunctionCall& call) -> Result<ExpressionPtr> {
               std::string sql = CallSql(name, call.arguments);
               ExpressionPtr left = call.arguments[0], right = call.arguments[1];
               if (left->type->id() == TypeId::kNull && IsArray(right)) left = CastTo(left, right->type, call);
               if (right->type->id() == TypeId::kNull && IsArray(left)) right = CastTo(right, left->type, call);
               DataTypePtr common;
               if (IsArray(left) && IsArray(right))
                 common = WiderTypeWithoutText(left->type, right->type, IsAnsi(call));
               if (common == nullptr) {
                 return Mismatch("BINARY_ARRAY_DIFF_TYPES", sql,
                                 {{"functionName", QuoteIdentifier(name)},
                                  {"arrayType", "\"ARRAY\""},
                                  {"leftType", QuotedType(*left->type)},
                                  {"rightType", QuotedType(*right->type)}});
               }
               FRAZIL_RETURN_IF_ERROR(CheckOrdered(call, sql, *common->element_type()));
               bool contains_null = left->type->contains_null() || right->type->contains_null();
               if (name == "array_except") contains_null = left->type->contains_null();
               if (name == "array_intersect")
                 contains_null = left->type->contains_null() && right->type->contains_null();
               auto cast = [&](const ExpressionPtr& side) {
                 return side->type->EqualsIgnoreNullability(*common)
                            ? side
                            : CastTo(side, DataType::Array(common->element_type(), side->type->contains_null()), call);
               };
               bool nullable = left->nullable || right->nullable || (is_boolean && contains_null);
               return MakeCall(
                   name, {cast(left), cast(right)},
                   is_boolean ? DataType::Boolean() : DataType::Array(common->element_type(), contains_null), nullable,
                   ModeOf(call), sql);
             }),
      "2.4.0", std::move(usage));
}

FunctionDefinition Extreme(std::string name, std::string usage) {
  return Described(Custom(name, 1, 1,
                          [name](const FunctionCall& call) -> Result<ExpressionPtr> {
                            std::string sql = CallSql(name, call.arguments);
                            FRAZIL_ASSIGN_OR_RETURN(
                                auto array, CoerceArgument(call, sql, call.arguments[0], 0, AnyArray().Strict()));
                            FRAZIL_RETURN_IF_ERROR(CheckOrdered(call, sql, *array->type->element_type()));
                            return MakeCall(name, {array}, array->type->element_type(), true, ModeOf(call), sql);
                          }),
                   "2.4.0", std::move(usage));
}

Result<ExpressionPtr> BindSize(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto value,
                          CoerceArgument(call, sql, call.arguments[0], 0, OneOf({AnyArray(), AnyMap()}).Strict()));
  bool legacy = call.settings->legacy_size_of_null && !IsAnsi(call);
  auto size = MakeCall("size", {value}, DataType::Integer(), value->nullable, ModeOf(call), sql);
  if (!legacy) return size;
  return MakeCall("coalesce", {size, IntLiteral(-1)}, DataType::Integer(), false, ModeOf(call), sql);
}

Result<ExpressionPtr> BindSequence(const FunctionCall& call) {
  std::string sql = CallSql("sequence", call.arguments);
  ExpressionPtr start = call.arguments[0], stop = call.arguments[1];
  ExpressionPtr step = call.arguments.size() > 2 ? call.arguments[2] : nullptr;
  auto wrong = [&]() {
    return Mismatch("SEQUENCE_WRONG_INPUT_TYPES", sql,
                    {{"functionName", "`sequence`"},
                     {"startType", "(\"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"DATE\")"},
                     {"stepType", "(\"INTERVAL\" or \"INTERVAL YEAR TO MONTH\" or \"INTERVAL DAY TO SECOND\")"},
                     {"otherStartType", "\"INTEGRAL\""}});
  };
  auto common = WiderTypeWithoutText(start->type, stop->type, IsAnsi(call));
  if (common == nullptr) return wrong();
  if (common->IsIntegral()) {
    if (step != nullptr) {
      auto with_step = WiderTypeWithoutText(common, step->type, IsAnsi(call));
      if (with_step == nullptr || !with_step->IsIntegral()) return wrong();
      common = with_step;
      step = CastTo(step, common, call);
    }
  } else if (common->IsDatetime()) {
    if (step == nullptr)
      step =
          MakeLiteral(DataType::DayTimeInterval(IntervalField::kDay, IntervalField::kDay), Value(int64_t{86400000000}));
    if (step->type->id() == TypeId::kNull) step = CastTo(step, DataType::DayTimeInterval(), call);
    if (!step->type->IsAnsiInterval() && step->type->id() != TypeId::kCalendarInterval) return wrong();
  } else {
    return wrong();
  }
  Arguments arguments = {CastTo(start, common, call), CastTo(stop, common, call)};
  if (step != nullptr) arguments.push_back(step);
  bool nullable = AnyNullable(arguments);
  return MakeCall("sequence", std::move(arguments), DataType::Array(common, false), nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindSortArray(const FunctionCall& call) {
  Arguments arguments = call.arguments;
  if (arguments.size() == 1) arguments.push_back(BoolLiteral(true));
  std::string sql = CallSql("sort_array", arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto array, CoerceArgument(call, sql, arguments[0], 0, AnyArray().Strict()));
  if (arguments[1]->type->id() != TypeId::kBoolean) return UnexpectedInput(sql, 1, "\"BOOLEAN\"", *arguments[1]);
  FRAZIL_RETURN_IF_ERROR(CheckOrdered(call, sql, *array->type->element_type()));
  return MakeCall("sort_array", {array, arguments[1]}, array->type, array->nullable || arguments[1]->nullable,
                  ModeOf(call), sql);
}

// arrays_zip: fields are named as the columns, or numbered.
Result<ExpressionPtr> BindZip(const FunctionCall& call) {
  std::string sql = CallSql("arrays_zip", call.arguments);
  Arguments arguments;
  std::vector<StructField> fields;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto array, CoerceArgument(call, sql, call.arguments[i], i, AnyArray().Strict()));
    std::string name = std::to_string(i);
    if (call.arguments[i]->kind == ExpressionKind::kColumn) name = call.arguments[i]->As<ColumnExpression>().name;
    if (call.arguments[i]->kind == ExpressionKind::kCall &&
        call.arguments[i]->As<CallExpression>().function == "get_field") {
      const auto& path = call.arguments[i]->sql;
      name = path.substr(path.rfind('.') + 1);
    }
    fields.emplace_back(name, array->type->element_type(), true);
    arguments.push_back(array);
  }
  if (arguments.empty())
    return MakeCall("array", {}, DataType::Array(DataType::Struct({}), false), false, ModeOf(call), sql);
  bool nullable = AnyNullable(arguments);
  return MakeCall("arrays_zip", std::move(arguments), DataType::Array(DataType::Struct(std::move(fields)), false),
                  nullable, ModeOf(call), sql);
}

Result<ExpressionPtr> BindRepeat(const FunctionCall& call) {
  std::string sql = CallSql("array_repeat", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto count, CoerceArgument(call, sql, call.arguments[1], 1, Int()));
  return MakeCall("array_repeat", {call.arguments[0], count},
                  DataType::Array(call.arguments[0]->type, call.arguments[0]->nullable), count->nullable, ModeOf(call),
                  sql);
}

Result<ExpressionPtr> BindFlatten(const FunctionCall& call) {
  std::string sql = CallSql("flatten", call.arguments);
  const auto& array = call.arguments[0];
  if (!IsArray(array) || array->type->element_type()->id() != TypeId::kArray)
    return UnexpectedInput(sql, 0, "\"ARRAY\" of \"ARRAY\"", *array);
  return MakeCall("flatten", {array}, array->type->element_type(), array->nullable || array->type->contains_null(),
                  ModeOf(call), sql);
}

// element_at(array, n), element_at(map, key) and their try_ form.
Result<ExpressionPtr> BindElementAt(const FunctionCall& call) {
  std::string sql = CallSql(call.name, call.arguments);
  EvalMode mode = call.name == "try_element_at" ? EvalMode::kTry : ModeOf(call);
  ExpressionPtr container = call.arguments[0], key = call.arguments[1];
  if (IsArray(container)) {
    if (key->type->id() == TypeId::kNull) key = CastTo(key, DataType::Integer(), call);
    if (!key->type->IsIntegral() || key->type->id() == TypeId::kLong) return UnexpectedInput(sql, 1, "\"INT\"", *key);
    key = CastTo(key, DataType::Integer(), call);
    return MakeCall("element_at", {container, key}, container->type->element_type(), true, mode, sql);
  }
  if (container->type->id() == TypeId::kMap) {
    auto common = WiderTypeWithoutText(container->type->key_type(), key->type, IsAnsi(call));
    if (common == nullptr) {
      return Mismatch("MAP_FUNCTION_DIFF_TYPES", sql,
                      {{"functionName", QuoteIdentifier(call.name)},
                       {"dataType", "\"MAP\""},
                       {"leftType", QuotedType(*container->type)},
                       {"rightType", QuotedType(*key->type)}});
    }
    common = WithoutLength(common);
    if (!container->type->key_type()->EqualsIgnoreNullability(*common)) {
      container =
          CastTo(container,
                 DataType::Map(common, container->type->value_type(), container->type->value_contains_null()), call);
    }
    key = CastTo(key, common, call);
    return MakeCall("element_at", {container, key}, container->type->value_type(), true, mode, sql);
  }
  return UnexpectedInput(sql, 0, "(\"ARRAY\" or \"MAP\")", *container);
}

Result<ExpressionPtr> BindGet(const FunctionCall& call) {
  std::string sql = CallSql("get", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto array, CoerceArgument(call, sql, call.arguments[0], 0, AnyArray().Strict()));
  FRAZIL_ASSIGN_OR_RETURN(auto index, CoerceArgument(call, sql, call.arguments[1], 1, Integral()));
  return MakeCall("get", {array, CastTo(index, DataType::Integer(), call)}, array->type->element_type(), true,
                  ModeOf(call), sql);
}

Result<ExpressionPtr> BindJoin(const FunctionCall& call) {
  std::string sql = CallSql("array_join", call.arguments);
  FRAZIL_ASSIGN_OR_RETURN(auto arguments,
                          CoerceArguments(call, sql, call.arguments, {ArrayOf(Text()), Text(), Text()}));
  return MakeCall("array_join", arguments, DataType::String(), AnyNullable(arguments), ModeOf(call), sql);
}

// Same array, other order or fewer elements.
FunctionDefinition OfArray(std::string name, bool drops_null, bool must_order, std::string since, std::string usage) {
  return Described(Custom(name, 1, 1,
                          [name, drops_null, must_order](const FunctionCall& call) -> Result<ExpressionPtr> {
                            std::string sql = CallSql(name, call.arguments);
                            FRAZIL_ASSIGN_OR_RETURN(
                                auto array, CoerceArgument(call, sql, call.arguments[0], 0, AnyArray().Strict()));
                            if (must_order)
                              FRAZIL_RETURN_IF_ERROR(CheckOrdered(call, sql, *array->type->element_type()));
                            DataTypePtr type =
                                drops_null ? DataType::Array(array->type->element_type(), false) : array->type;
                            return MakeCall(name, {array}, type, array->nullable, ModeOf(call), sql);
                          }),
                   std::move(since), std::move(usage));
}

}  // namespace

void AddArrayFunctions(FunctionList& list) {
  list.Group(kGroup);
  list.Add(Described(Custom("array", 0, -1, BindArray), "1.1.0", "An array of the values."));
  list.Add(Search("array_contains", ElementResult::kBoolean, "1.5.0", "Whether the value is in the array."));
  list.Add(Search("array_position", ElementResult::kPosition, "2.4.0",
                  "Position of the value in the array, from 1; 0 where it is not in it."));
  list.Add(Search("array_remove", ElementResult::kArray, "2.4.0", "The array without the value."));
  list.Add(Extend("array_append", "3.4.0", "The array with a value added at its end."));
  list.Add(Extend("array_prepend", "3.5.0", "The array with a value added at its beginning."));
  list.Add(Described(Custom("array_insert", 3, 3, BindInsert), "3.4.0", "The array with a value put at a position."));
  list.Add(SetOperation("array_union", false, "Distinct elements of either array."));
  list.Add(SetOperation("array_intersect", false, "Distinct elements of both arrays."));
  list.Add(SetOperation("array_except", false, "Distinct elements of the first array that are not in the second."));
  list.Add(SetOperation("arrays_overlap", true, "Whether the arrays have a common element."));
  list.Add(Extreme("array_max", "Greatest element."));
  list.Add(Extreme("array_min", "Least element."));
  list.Add(OfArray("array_distinct", false, true, "2.4.0", "The array without repeated elements."));
  list.Add(OfArray("array_compact", true, false, "3.4.0", "The array without NULLs."));
  list.Add(Described(Custom("shuffle", 1, 2,
                            [](const FunctionCall& call) -> Result<ExpressionPtr> {
                              std::string sql = CallSql("shuffle", {call.arguments[0]});
                              FRAZIL_ASSIGN_OR_RETURN(
                                  auto array, CoerceArgument(call, sql, call.arguments[0], 0, AnyArray().Strict()));
                              Arguments arguments = {array};
                              if (call.arguments.size() == 2) {
                                FRAZIL_ASSIGN_OR_RETURN(auto seed,
                                                        CoerceArgument(call, sql, call.arguments[1], 1, Long()));
                                arguments.push_back(seed);
                              }
                              return MakeCall("shuffle", arguments, array->type, array->nullable, ModeOf(call), sql);
                            }),
                     "2.4.0", "The array in random order."));
  list.Add(Described(Custom("array_join", 2, 3, BindJoin), "2.4.0", "The elements as text, joined by a delimiter."));
  list.Add(Described(Custom("array_repeat", 2, 2, BindRepeat), "2.4.0", "An array of the value n times."));
  list.Add(Described(Custom("arrays_zip", 0, -1, BindZip), "2.4.0",
                     "An array of structs of the elements at the same position."));
  list.Add(Described(Custom("flatten", 1, 1, BindFlatten), "2.4.0", "An array of arrays as one array."));
  list.Add(Described(Custom("get", 2, 2, BindGet), "3.4.0", "The element at an index from 0; NULL outside."));
  list.Add(Described(Custom("sort_array", 1, 2, BindSortArray), "1.5.0",
                     "The array sorted; NULLs first (descending: last)."));
  list.Add(Scalar("slice", {AnyArray().Strict(), Int(), Int()}, SameAs(0))
               .Group(kGroup, "2.4.0", "Elements from a position on (negative: from the end), at most that many."));
  list.Add(Scalar("array_size", {AnyArray().Strict()}, DataType::Integer())
               .Calls("size")
               .Group(kGroup, "3.3.0", "Number of elements."));
  list.Group("collection_funcs");
  list.Add(
      Described(Custom("size", 1, 1, BindSize), "1.5.0", "Number of elements of an array or map.", {"cardinality"}));
  list.Add(Described(Custom("element_at", 2, 2, BindElementAt), "2.4.0",
                     "The element at a position from 1 (negative: from the end), or the value of a key."));
  list.Add(
      Described(Custom("try_element_at", 2, 2, BindElementAt), "3.5.0", "As element_at; NULL where there is none."));
  list.Add(
      Described(Custom("sequence", 2, 3, BindSequence), "2.4.0", "Numbers, dates or timestamps from start to stop."));
}

}  // namespace frazil::functions
