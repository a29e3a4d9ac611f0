// Spark's schema JSON, as kept in table properties, Delta logs and Parquet footers, and as df.schema.json() shows it.

#include <map>
#include <optional>

#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/types/data_type.h"

namespace frazil {
namespace {

// A field's collations stand in its metadata, by path within the field ("field.element"), so that readers without
// collations see plain strings.
constexpr std::string_view kCollationsKey = "__COLLATIONS";

using CollationPaths = std::map<std::string, std::string>;

// Collations of Spark's own kind have the provider "spark"; all others come from ICU.
std::string CollationIdentifier(const std::string& collation) {
  const bool own = AsciiUpper(collation).starts_with("UTF8_");
  return (own ? "spark." : "icu.") + collation;
}

// Paths stop at structs, whose fields have metadata of their own.
void CollectCollations(const DataType& type, const std::string& path, CollationPaths* paths) {
  if (type.id() == TypeId::kString) {
    if (!type.collation().empty()) (*paths)[path] = CollationIdentifier(type.collation());
  } else if (type.id() == TypeId::kArray) {
    CollectCollations(*type.element_type(), path + ".element", paths);
  } else if (type.id() == TypeId::kMap) {
    CollectCollations(*type.key_type(), path + ".key", paths);
    CollectCollations(*type.value_type(), path + ".value", paths);
  }
}

// Name of the coordinate reference system in storage formats.
std::string SpatialReference(int srid) {
  if (srid == -1) return "SRID:ANY";
  if (srid == 0) return "SRID:0";
  if (srid == 4326) return "OGC:CRS84";
  return "EPSG:" + std::to_string(srid);
}

std::optional<int> SpatialReferenceId(std::string_view name) {
  if (EqualsIgnoreCase(name, "SRID:ANY")) return -1;
  if (EqualsIgnoreCase(name, "OGC:CRS84")) return 4326;
  for (const std::string_view prefix : {"SRID:", "EPSG:"}) {
    if (!EqualsIgnoreCase(name.substr(0, prefix.size()), prefix)) continue;
    const auto digits = name.substr(prefix.size());
    if (const auto srid = ParseInteger<int>(digits); srid && *srid >= 0) return srid;
  }
  return std::nullopt;
}

void AppendJson(const DataType& type, bool without_collations, std::string* out);

void AppendFieldJson(const StructField& field, std::string* out) {
  CollationPaths collations;
  CollectCollations(*field.type, field.name, &collations);
  out->append("{\"name\":");
  AppendJsonString(field.name, out);
  out->append(",\"type\":");
  AppendJson(*field.type, true, out);
  out->append(",\"nullable\":").append(field.nullable ? "true" : "false").append(",\"metadata\":{");
  bool first = true;
  for (const auto& [key, json] : field.metadata) {
    if (!first) *out += ',';
    first = false;
    AppendJsonString(key, out);
    out->append(":").append(json);
  }
  if (!collations.empty()) {
    if (!first) *out += ',';
    out->append("\"").append(kCollationsKey).append("\":{");
    first = true;
    for (const auto& [path, collation] : collations) {
      if (!first) *out += ',';
      first = false;
      AppendJsonString(path, out);
      *out += ':';
      AppendJsonString(collation, out);
    }
    *out += '}';
  }
  out->append("}}");
}

void AppendJson(const DataType& type, bool without_collations, std::string* out) {
  switch (type.id()) {
    case TypeId::kArray:
      out->append("{\"type\":\"array\",\"elementType\":");
      AppendJson(*type.element_type(), without_collations, out);
      out->append(",\"containsNull\":").append(type.contains_null() ? "true" : "false").append("}");
      return;
    case TypeId::kMap:
      out->append("{\"type\":\"map\",\"keyType\":");
      AppendJson(*type.key_type(), without_collations, out);
      out->append(",\"valueType\":");
      AppendJson(*type.value_type(), without_collations, out);
      out->append(",\"valueContainsNull\":").append(type.value_contains_null() ? "true" : "false").append("}");
      return;
    case TypeId::kStruct: {
      out->append("{\"type\":\"struct\",\"fields\":[");
      bool first = true;
      for (const auto& field : type.fields()) {
        if (!first) *out += ',';
        first = false;
        AppendFieldJson(field, out);
      }
      out->append("]}");
      return;
    }
    case TypeId::kString:
      AppendJsonString(without_collations && !type.collation().empty() ? "string" : type.TypeName(), out);
      return;
    case TypeId::kGeometry:
      AppendJsonString("geometry(" + SpatialReference(type.srid()) + ")", out);
      return;
    case TypeId::kGeography:
      AppendJsonString("geography(" + SpatialReference(type.srid()) + ", SPHERICAL)", out);
      return;
    case TypeId::kNull:
    case TypeId::kBoolean:
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kBinary:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
    case TypeId::kVariant:
      AppendJsonString(type.TypeName(), out);
      return;
  }
}

Error InvalidType(std::string_view text) {
  return Error::Of("INVALID_JSON_DATA_TYPE", {{"invalidType", std::string(text)}});
}

const std::map<std::string, DataTypePtr>& PlainTypes() {
  static const auto* types = [] {
    auto* map = new std::map<std::string, DataTypePtr>();
    const auto add = [&](const DataTypePtr& type) { (*map)[type->TypeName()] = type; };
    for (const auto& type : {DataType::Null(), DataType::Boolean(), DataType::Byte(), DataType::Short(),
                             DataType::Integer(), DataType::Long(), DataType::Float(), DataType::Double(),
                             DataType::String(), DataType::Binary(), DataType::Date(), DataType::Timestamp(),
                             DataType::TimestampNtz(), DataType::CalendarInterval(), DataType::Variant()}) {
      add(type);
    }
    for (int precision = 0; precision <= 6; ++precision) add(DataType::Time(precision));
    using enum IntervalField;
    for (const auto start : {kYear, kMonth}) {
      for (const auto end : {kYear, kMonth}) {
        if (start <= end) add(DataType::YearMonthInterval(start, end));
      }
    }
    for (const auto start : {kDay, kHour, kMinute, kSecond}) {
      for (const auto end : {kDay, kHour, kMinute, kSecond}) {
        if (start <= end) add(DataType::DayTimeInterval(start, end));
      }
    }
    (*map)["null"] = DataType::Null();  // the name that Spark used before "void"
    (*map)["timestamp_ltz"] = DataType::Timestamp();
    (*map)["decimal"] = DataType::Decimal(10, 0);
    (*map)["geometry"] = DataType::Geometry(4326);
    (*map)["geography"] = DataType::Geography(4326);
    return map;
  }();
  return *types;
}

// "name(1, 2)" gives the trimmed parts within the parentheses; nothing where the text has another form.
std::optional<std::vector<std::string>> Arguments(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  auto parts = Split(text.substr(1, text.size() - 2), ',');
  for (auto& part : parts) part = std::string(TrimBlanks(part));
  return parts;
}

DataTypePtr ParameterisedType(std::string_view name) {
  if (const auto arguments = Arguments(name, "decimal"); arguments && arguments->size() == 2) {
    const auto precision = ParseInteger<int>((*arguments)[0]);
    const auto scale = ParseInteger<int>((*arguments)[1]);
    if (precision && scale && *precision >= 0 && *precision <= 38 && *scale <= *precision) {
      return DataType::Decimal(*precision, *scale);
    }
    return nullptr;
  }
  for (const bool is_char : {true, false}) {
    const auto arguments = Arguments(name, is_char ? "char" : "varchar");
    if (!arguments || arguments->size() != 1) continue;
    const auto length = ParseInteger<int>((*arguments)[0]);
    if (!length || *length < 0) return nullptr;
    return is_char ? DataType::Char(*length) : DataType::Varchar(*length);
  }
  if (const auto arguments = Arguments(name, "geometry"); arguments && arguments->size() == 1) {
    const auto srid = SpatialReferenceId((*arguments)[0]);
    return srid ? DataType::Geometry(*srid) : nullptr;
  }
  if (const auto arguments = Arguments(name, "geography"); arguments && arguments->size() <= 2) {
    const std::string& last = arguments->back();
    const bool has_algorithm = last.find(':') == std::string::npos;
    if (has_algorithm && !EqualsIgnoreCase(last, "SPHERICAL")) return nullptr;
    if (has_algorithm && arguments->size() == 1) return DataType::Geography(4326);
    const auto srid = SpatialReferenceId((*arguments)[0]);
    return srid ? DataType::Geography(*srid) : nullptr;
  }
  constexpr std::string_view kString = "string";
  if (name.starts_with(kString)) {
    auto rest = name.substr(kString.size());
    const auto trimmed = TrimBlanks(rest);
    constexpr std::string_view kCollate = "collate";
    if (trimmed.size() < rest.size() && trimmed.starts_with(kCollate)) {
      rest = trimmed.substr(kCollate.size());
      const auto collation = TrimBlanks(rest);
      if (collation.size() < rest.size() && !collation.empty()) {
        return DataType::StringWithCollation(std::string(collation));
      }
    }
  }
  return nullptr;
}

Result<DataTypePtr> NamedType(const std::string& name) {
  const auto& plain = PlainTypes();
  if (const auto found = plain.find(name); found != plain.end()) return found->second;
  if (auto type = ParameterisedType(name)) return type;
  return InvalidType(name);
}

bool IsBoolean(const JsonValue* value) { return value != nullptr && value->kind == JsonValue::Kind::kBoolean; }

Result<DataTypePtr> ParseType(const JsonValue& json, const std::string& path, const CollationPaths& collations);

Result<StructField> ParseField(const JsonValue& json) {
  const JsonValue* name = json.Find("name");
  const JsonValue* type = json.Find("type");
  if (json.kind != JsonValue::Kind::kObject || name == nullptr || name->kind != JsonValue::Kind::kString ||
      type == nullptr) {
    return InvalidType(json.Write());
  }
  StructField field;
  field.name = name->text;
  CollationPaths collations;
  if (const JsonValue* nullable = json.Find("nullable"); nullable != nullptr) {
    if (!IsBoolean(nullable)) return InvalidType(json.Write());
    field.nullable = nullable->boolean;
  }
  if (const JsonValue* metadata = json.Find("metadata"); metadata != nullptr) {
    if (metadata->kind != JsonValue::Kind::kObject) return InvalidType(json.Write());
    for (const auto& [key, value] : metadata->members) {
      if (key != kCollationsKey) {
        field.metadata[key] = value.Write();
        continue;
      }
      for (const auto& [path, collation] : value.members) {
        const size_t dot = collation.text.find('.');
        if (dot == std::string::npos) return InvalidType(json.Write());
        collations[path] = collation.text.substr(dot + 1);
      }
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(field.type, ParseType(*type, field.name, collations));
  return field;
}

Result<DataTypePtr> ParseType(const JsonValue& json, const std::string& path, const CollationPaths& collations) {
  if (json.kind == JsonValue::Kind::kString) {
    const auto found = collations.find(path);
    if (found == collations.end()) return NamedType(json.text);
    if (json.text != "string") {
      return Error::Of("INVALID_JSON_DATA_TYPE_FOR_COLLATIONS", {{"jsonType", json.text}});
    }
    return DataType::StringWithCollation(found->second);
  }
  const JsonValue* kind = json.Find("type");
  if (json.kind != JsonValue::Kind::kObject || kind == nullptr) return InvalidType(json.Write());
  if (kind->text == "array") {
    const JsonValue* element = json.Find("elementType");
    const JsonValue* contains_null = json.Find("containsNull");
    if (element == nullptr || !IsBoolean(contains_null)) return InvalidType(json.Write());
    FRAZIL_ASSIGN_OR_RETURN(DataTypePtr type, ParseType(*element, path + ".element", collations));
    return DataType::Array(std::move(type), contains_null->boolean);
  }
  if (kind->text == "map") {
    const JsonValue* key = json.Find("keyType");
    const JsonValue* value = json.Find("valueType");
    const JsonValue* contains_null = json.Find("valueContainsNull");
    if (key == nullptr || value == nullptr || !IsBoolean(contains_null)) return InvalidType(json.Write());
    FRAZIL_ASSIGN_OR_RETURN(DataTypePtr key_type, ParseType(*key, path + ".key", collations));
    FRAZIL_ASSIGN_OR_RETURN(DataTypePtr value_type, ParseType(*value, path + ".value", collations));
    return DataType::Map(std::move(key_type), std::move(value_type), contains_null->boolean);
  }
  if (kind->text == "struct") {
    const JsonValue* fields = json.Find("fields");
    if (fields == nullptr || fields->kind != JsonValue::Kind::kArray) return InvalidType(json.Write());
    std::vector<StructField> parsed;
    for (const auto& field : fields->items) {
      FRAZIL_ASSIGN_OR_RETURN(parsed.emplace_back(), ParseField(field));
    }
    return DataType::Struct(std::move(parsed));
  }
  // A user-defined type is seen as the type that stores it.
  if (kind->text == "udt") {
    if (const JsonValue* stored = json.Find("sqlType")) return ParseType(*stored, path, collations);
  }
  return InvalidType(json.Write());
}

}  // namespace

std::string DataType::Json() const {
  std::string out;
  AppendJson(*this, false, &out);
  return out;
}

Result<DataTypePtr> DataType::FromJson(std::string_view json) {
  FRAZIL_ASSIGN_OR_RETURN(const JsonValue value, ParseJson(json));
  return ParseType(value, "", {});
}

}  // namespace frazil
