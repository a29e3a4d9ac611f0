// get_json_object, json_tuple, json_array_length, json_object_keys.

#include <map>

#include "frazil/engine/functions/json_value.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {
namespace {

using duckdb::LogicalType;

struct Step {
  enum class Kind : uint8_t { kName, kAnyName, kIndex, kAnyIndex };
  Kind kind = Kind::kName;
  std::string name;
  size_t index = 0;
};
using Path = std::vector<Step>;

// $, .name, ['name'], [n], [*], .*; nothing for other texts.
std::optional<Path> ParsePath(std::string_view text) {
  if (text.empty() || text[0] != '$') return std::nullopt;
  Path path;
  for (size_t i = 1; i < text.size();) {
    Step step;
    if (text[i] == '.') {
      ++i;
      const size_t end = std::min(text.find_first_of(".[", i), text.size());
      if (end == i) return std::nullopt;
      step.name = text.substr(i, end - i);
      if (step.name == "*") step.kind = Step::Kind::kAnyName;
      i = end;
    } else if (text.substr(i, 2) == "['") {
      const size_t end = text.find("']", i + 2);
      if (end == std::string_view::npos) return std::nullopt;
      step.name = text.substr(i + 2, end - i - 2);
      if (step.name.find('?') != std::string::npos) return std::nullopt;
      i = end + 2;
    } else if (text[i] == '[') {
      const size_t end = text.find(']', i);
      if (end == std::string_view::npos || end == i + 1) return std::nullopt;
      const auto inner = text.substr(i + 1, end - i - 1);
      if (inner == "*") {
        step.kind = Step::Kind::kAnyIndex;
      } else {
        step.kind = Step::Kind::kIndex;
        for (char c : inner) {
          if (c < '0' || c > '9' || step.index > 100000000) return std::nullopt;
          step.index = step.index * 10 + static_cast<size_t>(c - '0');
        }
      }
      i = end + 1;
    } else {
      return std::nullopt;
    }
    path.push_back(std::move(step));
  }
  return path;
}

// What Evaluate looks at of a document.
JsonSelection SelectionOf(const Path& path, size_t at) {
  JsonSelection selection;
  if (at == path.size()) return selection;
  const Step& step = path[at];
  if (step.kind == Step::Kind::kAnyName) return selection;
  if (step.kind == Step::Kind::kName) {
    selection.fields.emplace_back(step.name, SelectionOf(path, at + 1));
  } else {
    // Two wildcards in a row skip a level.
    JsonSelection item = SelectionOf(path, at + 1);
    if (item.all || (at + 1 < path.size() && path[at + 1].kind == Step::Kind::kAnyIndex)) return selection;
    selection.items.push_back(std::move(item));
  }
  selection.all = false;
  return selection;
}

struct KnownPath {
  std::optional<Path> path;
  JsonSelection selection;
};

const KnownPath& PathOf(std::string_view text) {
  thread_local std::map<std::string, KnownPath, std::less<>> known;
  thread_local const std::pair<const std::string, KnownPath>* last = nullptr;
  if (last != nullptr && last->first == text) return last->second;
  auto found = known.find(text);
  if (found == known.end()) {
    if (known.size() >= 256) {
      known.clear();
      last = nullptr;
    }
    KnownPath made{ParsePath(text), {}};
    if (made.path.has_value()) made.selection = SelectionOf(*made.path, 0);
    found = known.emplace(std::string(text), std::move(made)).first;
  }
  last = &*found;
  return found->second;
}

// How what is found is put out: a lone text without quotes, everything as JSON, or arrays flattened into the one around
// them.
enum class Style : uint8_t { kRaw, kQuoted, kFlatten };

// Array elements that are put out are parted by commas here.
class Output {
 public:
  void Open() {
    Separate();
    text_ += '[';
    first_ = true;
  }
  void Close() {
    text_ += ']';
    first_ = false;
  }
  void Value(const std::string& text) {
    Separate();
    text_ += text;
  }
  std::string& text() { return text_; }

 private:
  void Separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

bool Evaluate(const Json& json, const Path& path, size_t at, Style style, Output* out) {
  if (at == path.size()) {
    if (json.kind == Json::Kind::kString && style == Style::kRaw) {
      out->Value(json.text);
      return true;
    }
    if (json.kind == Json::Kind::kArray && style == Style::kFlatten) {
      bool any = false;
      for (const auto& item : json.items) any = Evaluate(item, path, at, style, out) || any;
      return any;
    }
    out->Value(json.ToText());
    return true;
  }
  const Step& step = path[at];
  const bool double_wildcard =
      step.kind == Step::Kind::kAnyIndex && at + 1 < path.size() && path[at + 1].kind == Step::Kind::kAnyIndex;
  if (json.kind == Json::Kind::kObject) {
    // Spark reads ".*", and finds nothing by it.
    if (step.kind != Step::Kind::kName) return false;
    for (const auto& [name, value] : json.members) {
      if (name != step.name || value.kind == Json::Kind::kNull) continue;
      if (Evaluate(value, path, at + 1, style, out)) return true;
    }
    return false;
  }
  if (json.kind != Json::Kind::kArray) return false;
  if (double_wildcard) {
    out->Open();
    bool any = false;
    for (const auto& item : json.items) any = Evaluate(item, path, at + 2, Style::kFlatten, out) || any;
    out->Close();
    return any;
  }
  if (step.kind == Step::Kind::kAnyIndex && style != Style::kQuoted) {
    // One match stands alone, more make an array.
    const Style inner = style == Style::kRaw ? Style::kQuoted : Style::kFlatten;
    Output buffer;
    size_t matches = 0;
    for (const auto& item : json.items) matches += Evaluate(item, path, at + 1, inner, &buffer) ? 1 : 0;
    if (matches > 1) out->Value("[" + buffer.text() + "]");
    if (matches == 1) out->Value(buffer.text());
    return matches > 0;
  }
  if (step.kind == Step::Kind::kAnyIndex) {
    out->Open();
    bool any = false;
    for (const auto& item : json.items) any = Evaluate(item, path, at + 1, Style::kQuoted, out) || any;
    out->Close();
    return any;
  }
  if (step.kind != Step::Kind::kIndex || step.index >= json.items.size()) return false;
  const bool wildcard_follows = at + 1 < path.size() && path[at + 1].kind == Step::Kind::kAnyIndex;
  const Json& item = json.items[step.index];
  if (item.kind == Json::Kind::kNull && at + 1 == path.size() && style == Style::kRaw) return false;
  return Evaluate(item, path, at + 1, wildcard_follows ? Style::kQuoted : style, out);
}

std::optional<std::string> GetObject(std::string_view text, std::string_view path_text) {
  const auto& [path, selection] = PathOf(path_text);
  if (!path.has_value()) return std::nullopt;
  const auto json = ReadJson(text, {}, false, selection);
  if (!json.has_value()) return std::nullopt;
  Output out;
  if (!Evaluate(*json, *path, 0, Style::kRaw, &out)) return std::nullopt;
  return std::move(out.text());
}

std::optional<std::string> TupleField(std::string_view text, std::string_view name) {
  JsonSelection selection;
  selection.all = false;
  selection.fields.emplace_back(name, JsonSelection());
  const auto json = ReadJson(text, {}, false, selection);
  if (!json.has_value() || json->kind != Json::Kind::kObject) return std::nullopt;
  const Json* value = json->Find(name);
  if (value == nullptr || value->kind == Json::Kind::kNull) return std::nullopt;
  return value->kind == Json::Kind::kString ? value->text : value->ToText();
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR;
  AddRowKernel(loader, "spark_get_json_object", {V, V}, V, &GetObject);
  AddRowKernel(loader, "spark_json_tuple_field", {V, V}, V, &TupleField);
  AddRowKernel(loader, "spark_json_array_length", {V}, LogicalType::INTEGER,
               [](std::string_view text) -> std::optional<int32_t> {
                 JsonSelection selection;
                 selection.all = false;
                 const auto json = ReadJson(text, {}, false, selection);
                 if (!json.has_value() || json->kind != Json::Kind::kArray) return std::nullopt;
                 return static_cast<int32_t>(json->items.size());
               });
  AddRowKernel(loader, "spark_json_object_keys", {V}, LogicalType::LIST(V),
               [](std::string_view text) -> std::optional<std::vector<std::string>> {
                 const auto json = ReadJson(text);
                 if (!json.has_value() || json->kind != Json::Kind::kObject) return std::nullopt;
                 std::vector<std::string> keys;
                 for (const auto& [name, value] : json->members) keys.push_back(name);
                 return keys;
               });
}

}  // namespace

void RegisterJsonPathFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  for (const char* name : {"get_json_object", "json_tuple_field", "json_array_length", "json_object_keys"})
    registry.AddScalar(name, Direct(std::string("spark_") + name));
}

}  // namespace frazil::engine
