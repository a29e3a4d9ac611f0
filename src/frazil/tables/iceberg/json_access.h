#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/json.h"
#include "frazil/base/result.h"

namespace frazil::tables::iceberg {

/// Members of a JSON object with the types that the specification gives them. JSON null counts as missing.

Result<std::string> GetText(const JsonValue& object, std::string_view name);
Result<std::optional<std::string>> GetOptionalText(const JsonValue& object, std::string_view name);
Result<int64_t> GetLong(const JsonValue& object, std::string_view name);
Result<std::optional<int64_t>> GetOptionalLong(const JsonValue& object, std::string_view name);
Result<int32_t> GetInt(const JsonValue& object, std::string_view name);
Result<bool> GetBoolean(const JsonValue& object, std::string_view name);
/// The array's items; an error where the member is missing or no array.
Result<const std::vector<JsonValue>*> GetArray(const JsonValue& object, std::string_view name);
Result<std::map<std::string, std::string>> GetTextMap(const JsonValue& object, std::string_view name);

Result<int64_t> ToLong(const JsonValue& value);

/// Builds an object member by member.
class JsonObject {
 public:
  JsonObject() { object_.kind = JsonValue::Kind::kObject; }
  JsonObject& Add(std::string name, JsonValue value) {
    object_.members.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  JsonObject& AddText(std::string name, std::string text) {
    return Add(std::move(name), JsonValue::OfString(std::move(text)));
  }
  JsonObject& AddLong(std::string name, int64_t value) {
    return Add(std::move(name), JsonValue::OfNumber(std::to_string(value)));
  }
  JsonObject& AddBoolean(std::string name, bool value) { return Add(std::move(name), JsonValue::OfBoolean(value)); }
  JsonObject& AddTextMap(std::string name, const std::map<std::string, std::string>& map);
  /// Members that were in the file and that nobody here knows.
  JsonObject& AddUnknown(const std::vector<std::pair<std::string, JsonValue>>& members);
  JsonValue Take() { return std::move(object_); }

 private:
  JsonValue object_;
};

JsonValue JsonArray(std::vector<JsonValue> items = {});

/// The members whose names are not in `known`.
std::vector<std::pair<std::string, JsonValue>> UnknownMembers(const JsonValue& object,
                                                              const std::vector<std::string_view>& known);

}  // namespace frazil::tables::iceberg
