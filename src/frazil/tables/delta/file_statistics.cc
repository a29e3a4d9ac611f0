#include "frazil/tables/delta/file_statistics.h"

#include <algorithm>
#include <cmath>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/delta/partition_values.h"
#include "frazil/types/float_text.h"

namespace frazil::tables::delta {
namespace {

constexpr size_t kTextPrefix = 32;  // Characters of a text's bounds, as Spark keeps them.
constexpr std::string_view kGreatestCharacter = "\xF4\x8F\xBF\xBF";

const JsonValue* FindPath(const JsonValue* object, const std::vector<std::string>& path) {
  for (const auto& name : path) {
    if (object == nullptr || object->kind != JsonValue::Kind::kObject) return nullptr;
    object = object->Find(name);
  }
  return object;
}

/// Where the JSON value ends that begins at `at`; npos where there is none.
size_t ValueEnd(std::string_view text, size_t at) {
  const auto string_end = [&](size_t quote) {
    for (size_t i = quote + 1; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        return i + 1;
      }
    }
    return std::string_view::npos;
  };
  if (at >= text.size()) return std::string_view::npos;
  if (text[at] == '"') return string_end(at);
  if (text[at] != '{' && text[at] != '[') return text.find_first_of(",}] \t\r\n", at);
  size_t depth = 0;
  for (size_t i = at; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = string_end(i);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return i + 1;
    ++i;
  }
  return std::string_view::npos;
}

/// The text of an object's members, without building their values: 100,000 files are told apart by little more than a
/// walk over their statistics. False where the text is nothing so plain.
template <typename Visit>
bool VisitMembers(std::string_view object, const Visit& visit) {
  size_t at = 1;
  if (object.size() < 2 || object[0] != '{') return false;
  while (at < object.size() && object[at] != '}') {
    const size_t key_end = object[at] == '"' ? object.find('"', at + 1) : std::string_view::npos;
    if (key_end == std::string_view::npos || key_end + 1 >= object.size() || object[key_end + 1] != ':') return false;
    const std::string_view key = object.substr(at + 1, key_end - at - 1);
    if (key.find('\\') != std::string_view::npos) return false;
    const size_t end = ValueEnd(object, key_end + 2);
    if (end == std::string_view::npos || end >= object.size() || (object[end] != ',' && object[end] != '}'))
      return false;
    visit(key, object.substr(key_end + 2, end - key_end - 2));
    at = object[end] == ',' ? end + 1 : end;
  }
  return at + 1 == object.size();
}

/// The text of the value at a path below an object; empty where there is none.
bool FindText(std::string_view object, const std::vector<std::string>& path, std::string_view* found) {
  *found = object;
  for (const auto& name : path) {
    std::string_view member;
    if (found->empty()) return true;
    if (!VisitMembers(*found, [&](std::string_view key, std::string_view value) {
          if (key == name && member.empty()) member = value;
        })) {
      return false;
    }
    *found = member;
  }
  return true;
}

/// What the statistics say of one column; null: nothing.
struct LeafStatistics {
  JsonValue lower, upper, null_count, row_count;
};

/// The value of a plain text, mostly without a parser at work.
bool ReadLeaf(std::string_view text, JsonValue* value) {
  const bool is_number = text[0] == '-' || (text[0] >= '0' && text[0] <= '9');
  if (is_number && text.find_first_not_of("0123456789.-", 1) == std::string_view::npos) {
    *value = JsonValue::OfNumber(std::string(text));
    return true;
  }
  if (text[0] == '"' && text.find('\\') == std::string_view::npos) {
    *value = JsonValue::OfString(std::string(text.substr(1, text.size() - 2)));
    return true;
  }
  auto parsed = ParseJson(text);
  if (parsed.ok()) *value = *std::move(parsed);
  return parsed.ok();
}

/// Reads of a text what concerns one column; nullopt where it is not plain enough.
std::optional<LeafStatistics> ReadPlainly(const std::string& stats, const std::vector<std::string>& path) {
  LeafStatistics leaf;
  bool plain = true;
  const auto visit = [&](std::string_view key, std::string_view text) {
    JsonValue* target = key == "minValues"    ? &leaf.lower
                        : key == "maxValues"  ? &leaf.upper
                        : key == "nullCount"  ? &leaf.null_count
                        : key == "numRecords" ? &leaf.row_count
                                              : nullptr;
    if (target == nullptr) return;
    std::string_view value = text;
    if (target != &leaf.row_count) plain = FindText(text, path, &value) && plain;
    if (plain && !value.empty()) plain = ReadLeaf(value, target);
  };
  return VisitMembers(stats, visit) && plain ? std::optional<LeafStatistics>(std::move(leaf)) : std::nullopt;
}

std::optional<Value> BoundValue(const JsonValue& json, const DataType& type) {
  switch (json.kind) {
    case JsonValue::Kind::kBoolean:
      return type.id() == TypeId::kBoolean ? std::optional<Value>(Value(json.boolean)) : std::nullopt;
    case JsonValue::Kind::kNumber:
    case JsonValue::Kind::kString: {
      auto value = ReadValueText(json.text, type, *TimeZone::Utc());
      // NaN is no bound.
      if (value && type.id() == TypeId::kDouble && std::isnan(value->float64())) return std::nullopt;
      if (value && type.id() == TypeId::kFloat && std::isnan(value->float32())) return std::nullopt;
      return value;
    }
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> CountAt(const JsonValue& json) {
  return json.kind == JsonValue::Kind::kNumber ? ParseInteger<int64_t>(json.text) : std::nullopt;
}

std::optional<ColumnBounds> BoundsOfLeaf(const LeafStatistics& leaf, const DataType& type) {
  ColumnBounds bounds;
  bounds.lower = BoundValue(leaf.lower, type);
  bounds.upper = BoundValue(leaf.upper, type);
  bool is_timestamp = type.id() == TypeId::kTimestamp || type.id() == TypeId::kTimestampNtz;
  if (is_timestamp && bounds.upper) {
    if (bounds.upper->integer() > INT64_MAX - 1000) {
      bounds.upper.reset();
    } else {
      bounds.upper = Value(bounds.upper->integer() + 999);
    }
  }
  bounds.null_count = CountAt(leaf.null_count);
  bounds.value_count = CountAt(leaf.row_count);
  if (!bounds.lower && !bounds.upper && !bounds.null_count) return std::nullopt;
  return bounds;
}

/// The first characters of a text, and where they end.
std::string_view Prefix(std::string_view text) {
  size_t end = 0;
  for (size_t characters = 0; end < text.size(); ++end) {
    bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && characters++ == kTextPrefix) break;
  }
  return text.substr(0, end);
}

/// JSON of a bound, or nothing for what has no place in the statistics.
std::optional<std::string> BoundJson(const DataType& type, const Value& value, bool upper) {
  switch (type.id()) {
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
      return std::to_string(value.integer());
    case TypeId::kFloat:
      if (!std::isfinite(value.float32())) return std::nullopt;
      return FloatToString(value.float32());
    case TypeId::kDouble:
      if (!std::isfinite(value.float64())) return std::nullopt;
      return DoubleToString(value.float64());
    case TypeId::kDecimal:
      return ValueToString(type, value);
    case TypeId::kDate:
      return JsonString(ValueToString(type, value));
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz: {
      int64_t micros = value.integer();
      // Statistics have milliseconds: the bound must stay one.
      if (upper && micros <= INT64_MAX - 999) micros += 999;
      return JsonString(IsoTimestamp(micros, 3, type.id() == TypeId::kTimestamp));
    }
    case TypeId::kString: {
      const std::string& text = value.string();
      if (!IsValidUtf8(text)) return std::nullopt;
      std::string_view prefix = Prefix(text);
      if (prefix.size() == text.size()) return JsonString(text);
      if (!upper) return JsonString(prefix);
      // What was cut off must not make the bound smaller.
      if (std::string_view(text).substr(prefix.size()).starts_with(kGreatestCharacter)) return std::nullopt;
      return JsonString(std::string(prefix) + std::string(kGreatestCharacter));
    }
    default:
      return std::nullopt;
  }
}

struct StatisticsJson {
  std::string lower, upper, nulls;  ///< Members of the three objects, without braces.
};

void AppendMember(std::string_view name, std::string_view json, std::string* out) {
  if (!out->empty()) *out += ',';
  AppendJsonString(name, out);
  *out += ':';
  *out += json;
}

void Describe(const ScanColumn& column, const WrittenFile& file, int64_t* left, StatisticsJson* out) {
  if (column.type->id() == TypeId::kStruct) {
    StatisticsJson inner;
    for (const auto& child : column.children) Describe(child, file, left, &inner);
    if (!inner.lower.empty()) AppendMember(column.name, "{" + inner.lower + "}", &out->lower);
    if (!inner.upper.empty()) AppendMember(column.name, "{" + inner.upper + "}", &out->upper);
    if (!inner.nulls.empty()) AppendMember(column.name, "{" + inner.nulls + "}", &out->nulls);
    return;
  }
  if (*left == 0) return;
  --*left;
  auto found = file.columns.find(column.field_id);
  if (found == file.columns.end()) return;
  const ColumnStatistics& statistics = found->second;
  // Inside lists and maps nothing is counted.
  if (column.type->IsComplex()) return;
  AppendMember(column.name, std::to_string(statistics.null_count), &out->nulls);
  if (statistics.lower) {
    if (auto json = BoundJson(*column.type, *statistics.lower, false)) AppendMember(column.name, *json, &out->lower);
  }
  // NaN is greater than every number, and has no place in JSON.
  if (statistics.upper && statistics.nan_count.value_or(0) == 0) {
    if (auto json = BoundJson(*column.type, *statistics.upper, true)) AppendMember(column.name, *json, &out->upper);
  }
}

void Number(ScanColumn* column, int32_t* next) {
  if (column->type->IsComplex()) {
    for (auto& child : column->children) Number(&child, next);
  } else {
    column->field_id = (*next)++;
  }
}

}  // namespace

std::optional<ColumnBounds> BoundsOf(const JsonValue& stats, const std::vector<std::string>& path,
                                     const DataType& type) {
  const auto at = [&](const char* member) {
    const JsonValue* found = FindPath(stats.Find(member), path);
    return found != nullptr ? *found : JsonValue();
  };
  const JsonValue* rows = stats.Find("numRecords");
  return BoundsOfLeaf({at("minValues"), at("maxValues"), at("nullCount"), rows != nullptr ? *rows : JsonValue()}, type);
}

std::optional<ColumnBounds> BoundsCache::Find(const std::string& stats, const std::vector<std::string>& path,
                                              const DataType& type) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& entry : entries_) {
    // Of decimals the scale matters as well.
    if (entry.type == type.id() && type.id() != TypeId::kDecimal && entry.path == path) return entry.bounds;
  }
  std::optional<ColumnBounds> bounds;
  if (auto plain = ReadPlainly(stats, path)) {
    bounds = BoundsOfLeaf(*plain, type);
  } else if (auto json = ParseJson(stats); json.ok()) {
    bounds = BoundsOf(*json, path, type);
  }
  if (type.id() != TypeId::kDecimal) entries_.push_back({path, type.id(), bounds});
  return bounds;
}

std::string WithWideBounds(const std::string& stats) {
  auto json = ParseJson(stats);
  if (!json.ok() || json->kind != JsonValue::Kind::kObject) return stats;
  std::erase_if(json->members, [](const auto& member) { return member.first == "tightBounds"; });
  json->members.emplace_back("tightBounds", JsonValue::OfBoolean(false));
  return json->Write();
}

void NumberLeaves(std::vector<ScanColumn>* columns) {
  int32_t next = 1;
  for (auto& column : *columns) Number(&column, &next);
}

std::string StatisticsText(const WrittenFile& file, const std::vector<ScanColumn>& columns,
                           const std::vector<std::string>& left_out, int64_t indexed_columns) {
  StatisticsJson members;
  int64_t left = indexed_columns;
  for (const auto& column : columns) {
    if (std::find(left_out.begin(), left_out.end(), column.name) != left_out.end()) continue;
    Describe(column, file, &left, &members);
  }
  return "{\"numRecords\":" + std::to_string(file.record_count) + ",\"minValues\":{" + members.lower +
         "},\"maxValues\":{" + members.upper + "},\"nullCount\":{" + members.nulls + "}}";
}

}  // namespace frazil::tables::delta
