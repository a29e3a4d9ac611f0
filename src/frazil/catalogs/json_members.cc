#include "frazil/catalogs/json_members.h"

namespace frazil::catalogs {

Json ParseJsonOrNull(const std::string& text) {
  Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? Json() : parsed;
}

const Json* Member(const Json& value, std::string_view name) {
  if (!value.is_object()) return nullptr;
  auto found = value.find(name);
  return found == value.end() ? nullptr : &*found;
}

std::string TextMember(const Json& value, std::string_view name) {
  const Json* member = Member(value, name);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

std::optional<int64_t> NumberMember(const Json& value, std::string_view name) {
  const Json* member = Member(value, name);
  if (member == nullptr || !member->is_number_integer()) return std::nullopt;
  return member->get<int64_t>();
}

Settings TextMembers(const Json* value) {
  Settings result;
  if (value == nullptr || !value->is_object()) return result;
  for (const auto& [key, text] : value->items()) {
    if (text.is_string()) result[key] = text.get<std::string>();
  }
  return result;
}

}  // namespace frazil::catalogs
