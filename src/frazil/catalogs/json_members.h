#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace frazil::catalogs {

using Json = nlohmann::json;
using Settings = std::map<std::string, std::string>;

// --- members of what services answer and files hold, without exceptions

/// The document, or null where the text is none.
Json ParseJsonOrNull(const std::string& text);

/// The member, or null where there is none or the value is no object.
const Json* Member(const Json& value, std::string_view name);
std::string TextMember(const Json& value, std::string_view name);
std::optional<int64_t> NumberMember(const Json& value, std::string_view name);
/// The members of an object whose values are texts.
Settings TextMembers(const Json* value);

}  // namespace frazil::catalogs
