#include "frazil/tables/iceberg/json_access.h"

#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/tables/iceberg/errors.h"

namespace frazil::tables::iceberg {
namespace {

const JsonValue* Member(const JsonValue& object, std::string_view name) {
  const JsonValue* found = object.Find(name);
  return found == nullptr || found->kind == JsonValue::Kind::kNull ? nullptr : found;
}

Error Missing(std::string_view type, std::string_view name) {
  return IllegalArgument("Cannot parse missing " + std::string(type) + ": " + std::string(name));
}

Error WrongType(std::string_view type, std::string_view name, const JsonValue& value) {
  return IllegalArgument("Cannot parse to " + std::string(type) + ": " + std::string(name) + ": " + value.Write());
}

}  // namespace

Result<int64_t> ToLong(const JsonValue& value) {
  if (value.kind != JsonValue::Kind::kNumber) return IllegalArgument("Not a number: " + value.Write());
  auto number = ParseInteger<int64_t>(value.text);
  if (!number) return IllegalArgument("Not a whole number: " + value.text);
  return *number;
}

Result<std::string> GetText(const JsonValue& object, std::string_view name) {
  const JsonValue* member = Member(object, name);
  if (member == nullptr) return Missing("string", name);
  if (member->kind != JsonValue::Kind::kString) return WrongType("a string value", name, *member);
  return member->text;
}

Result<std::optional<std::string>> GetOptionalText(const JsonValue& object, std::string_view name) {
  if (Member(object, name) == nullptr) return std::optional<std::string>();
  FRAZIL_ASSIGN_OR_RETURN(std::string text, GetText(object, name));
  return std::optional<std::string>(std::move(text));
}

Result<int64_t> GetLong(const JsonValue& object, std::string_view name) {
  const JsonValue* member = Member(object, name);
  if (member == nullptr) return Missing("long", name);
  auto number = ToLong(*member);
  if (!number.ok()) return WrongType("a long value", name, *member);
  return number;
}

Result<std::optional<int64_t>> GetOptionalLong(const JsonValue& object, std::string_view name) {
  if (Member(object, name) == nullptr) return std::optional<int64_t>();
  FRAZIL_ASSIGN_OR_RETURN(int64_t number, GetLong(object, name));
  return std::optional<int64_t>(number);
}

Result<int32_t> GetInt(const JsonValue& object, std::string_view name) {
  const JsonValue* member = Member(object, name);
  if (member == nullptr) return Missing("int", name);
  auto number = ToLong(*member);
  if (!number.ok() || *number < INT32_MIN || *number > INT32_MAX) return WrongType("an integer value", name, *member);
  return static_cast<int32_t>(*number);
}

Result<bool> GetBoolean(const JsonValue& object, std::string_view name) {
  const JsonValue* member = Member(object, name);
  if (member == nullptr) return Missing("boolean", name);
  if (member->kind != JsonValue::Kind::kBoolean) return WrongType("a boolean value", name, *member);
  return member->boolean;
}

Result<const std::vector<JsonValue>*> GetArray(const JsonValue& object, std::string_view name) {
  const JsonValue* member = Member(object, name);
  if (member == nullptr) return Missing("list", name);
  if (member->kind != JsonValue::Kind::kArray) return WrongType("a list", name, *member);
  return &member->items;
}

Result<std::map<std::string, std::string>> GetTextMap(const JsonValue& object, std::string_view name) {
  std::map<std::string, std::string> result;
  const JsonValue* member = Member(object, name);
  if (member == nullptr) return result;
  if (member->kind != JsonValue::Kind::kObject) return WrongType("a map", name, *member);
  for (const auto& [key, value] : member->members) {
    if (value.kind != JsonValue::Kind::kString) return WrongType("a string value", key, value);
    result[key] = value.text;
  }
  return result;
}

JsonObject& JsonObject::AddTextMap(std::string name, const std::map<std::string, std::string>& map) {
  JsonObject object;
  for (const auto& [key, value] : map) object.AddText(key, value);
  return Add(std::move(name), object.Take());
}

JsonObject& JsonObject::AddUnknown(const std::vector<std::pair<std::string, JsonValue>>& members) {
  for (const auto& member : members) object_.members.push_back(member);
  return *this;
}

JsonValue JsonArray(std::vector<JsonValue> items) {
  JsonValue array;
  array.kind = JsonValue::Kind::kArray;
  array.items = std::move(items);
  return array;
}

std::vector<std::pair<std::string, JsonValue>> UnknownMembers(const JsonValue& object,
                                                              const std::vector<std::string_view>& known) {
  std::vector<std::pair<std::string, JsonValue>> result;
  for (const auto& member : object.members) {
    if (std::find(known.begin(), known.end(), member.first) == known.end()) result.push_back(member);
  }
  return result;
}

}  // namespace frazil::tables::iceberg
