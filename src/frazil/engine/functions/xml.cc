// from_xml, to_xml, XPath.

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "frazil/base/text.h"
#include "frazil/engine/functions/json_value.h"
#include "frazil/engine/functions/record_functions.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/xml_functions.h"
#include "frazil/xml/xml_document.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

// --- from_xml: the element as JSON of the schema's shape, which the reader of JSON writes then

class XmlToJson {
 public:
  explicit XmlToJson(const RecordOptions& options)
      : attribute_prefix_(options.Get("attributeprefix", "_")),
        value_tag_(options.Get("valuetag", "_VALUE")),
        null_value_(options.Get("nullvalue", "null")),
        exclude_attributes_(options.IsTrue("excludeattribute", false)),
        trims_(options.IsTrue("ignoresurroundingspaces", true)) {}

  /// A record's value, and whether all of it fits its types.
  std::optional<Json> OfRecord(const DataType& type, const xml::Element& root, bool* fits) const {
    has_misfit_ = false;
    auto json = OfElement(type, root);
    *fits = !has_misfit_;
    return json;
  }

  /// The value; nothing where it does not fit the type.
  std::optional<Json> OfElement(const DataType& type, const xml::Element& element) const {
    switch (type.id()) {
      case TypeId::kStruct:
        return OfStruct(type, element);
      case TypeId::kMap: {
        if (element.elements.empty() && !TrimBlanks(element.text).empty()) return Misfit();
        Json map;
        map.kind = Json::Kind::kObject;
        const auto add = [&](const std::string& name, std::optional<Json> value) {
          if (value.has_value()) map.members.emplace_back(name, *std::move(value));
        };
        if (!exclude_attributes_) {
          for (const auto& [name, value] : element.attributes)
            add(attribute_prefix_ + name, OfText(*type.value_type(), value));
        }
        for (const auto& child : element.elements) add(child.name, OfElement(*type.value_type(), child));
        return map;
      }
      case TypeId::kArray: {
        Json list;
        list.kind = Json::Kind::kArray;
        if (auto item = OfElement(*type.element_type(), element)) list.items.push_back(*std::move(item));
        return list;
      }
      default:
        break;
    }
    if (type.IsString() && !element.elements.empty()) return OfText(type, xml::InnerXml(element));
    if (!type.IsString() && !element.elements.empty() && type.id() != TypeId::kVariant) return Misfit();
    // Nothing in it: no value, but an empty text.
    if (element.text.empty() && !type.IsString()) return Json();
    return OfText(type, element.text);
  }

  std::optional<Json> OfText(const DataType& type, std::string_view raw) const {
    const std::string_view text = trims_ ? TrimBlanks(raw) : raw;
    Json json;
    if (text == null_value_ || (text.empty() && !type.IsString())) return json;
    json.text = text;
    if (type.IsNumeric()) {
      char* end = nullptr;
      std::strtod(json.text.c_str(), &end);
      if (*end != '\0') return Misfit();
      const bool whole = json.text.find_first_not_of("+-0123456789") == std::string::npos;
      const bool is_number = json.text.find_first_not_of("+-.eE0123456789") == std::string::npos;
      if (json.text[0] == '+') json.text.erase(0, 1);
      json.kind = whole ? Json::Kind::kInteger : is_number ? Json::Kind::kFraction : Json::Kind::kString;
      return json;
    }
    if (type.id() == TypeId::kBoolean) {
      const bool is_true = EqualsIgnoreCase(text, "true") || text == "1";
      if (!is_true && !EqualsIgnoreCase(text, "false") && text != "0") return Misfit();
      json.kind = Json::Kind::kBoolean;
      json.boolean = is_true;
      return json;
    }
    if (type.id() == TypeId::kBinary) return Misfit();
    json.kind = Json::Kind::kString;
    return json;
  }

 private:
  // What does not fit ends the reading of its struct: what comes behind it in the document stays NULL, as in Spark.
  std::optional<Json> OfStruct(const DataType& type, const xml::Element& element) const {
    const auto& fields = type.fields();
    std::vector<std::optional<Json>> values(fields.size());
    ReadAttributes(type, element, &values);
    for (const auto& child : element.elements) {
      if (has_misfit_) break;  // of an attribute
      const int found = type.FieldIndex(child.name, true);
      if (found < 0) continue;
      const auto at = static_cast<size_t>(found);
      const DataType& field = *fields[at].type;
      const bool is_list = field.id() == TypeId::kArray;
      if (is_list && !values[at].has_value()) values[at].emplace().kind = Json::Kind::kArray;
      auto value = OfElement(is_list ? *field.element_type() : field, child);
      if (has_misfit_) break;
      if (!is_list) {
        values[at] = std::move(value);
      } else if (value.has_value()) {
        values[at]->items.push_back(*std::move(value));
      }
    }
    Json object;
    object.kind = Json::Kind::kObject;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (values[i].has_value()) object.members.emplace_back(fields[i].name, *std::move(values[i]));
    }
    return object;
  }

  // The element's attributes and its own text.
  void ReadAttributes(const DataType& type, const xml::Element& element,
                      std::vector<std::optional<Json>>* values) const {
    for (size_t i = 0; i < type.fields().size() && !has_misfit_; ++i) {
      const auto& field = type.fields()[i];
      if (field.name == value_tag_ && !TrimBlanks(element.text).empty())
        (*values)[i] = OfText(*field.type, element.text);
      if (exclude_attributes_ || !field.name.starts_with(attribute_prefix_)) continue;
      for (const auto& [name, text] : element.attributes) {
        if (attribute_prefix_ + name == field.name) (*values)[i] = OfText(*field.type, text);
      }
    }
  }

  std::optional<Json> Misfit() const {
    has_misfit_ = true;
    return std::nullopt;
  }

  const std::string attribute_prefix_, value_tag_, null_value_;
  const bool exclude_attributes_, trims_;
  mutable bool has_misfit_ = false;  ///< Of the record under way.
};

void FromXml(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = RecordDataOf(state);
  const XmlToJson reader(data.options);
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  row_kernel::Reader<std::string_view> texts;
  texts.Prepare(chunk.data[0], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < count; ++row) {
    if (!texts.IsValid(row)) {
      WriteNull(result, row);
      continue;
    }
    const auto root = xml::Parse(texts.Get(row));
    bool complete = true;
    bool fits = true;
    const auto json = root.has_value() ? reader.OfRecord(*data.type, *root, &fits) : std::nullopt;
    const bool is_written = json.has_value() && WriteJson(*data.type, *json, data.options, result, row, &complete);
    if (is_written && complete && fits) continue;
    CheckRecordMode(data.options, kMalformedRecord, texts.Get(row), chunk, row);
    WriteCorruptRecord(*data.type, data.options, texts.Get(row), result, row, is_written);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// --- to_xml

class XmlWriter {
 public:
  explicit XmlWriter(const RecordOptions& options)
      : options_(options),
        attribute_prefix_(options.Get("attributeprefix", "_")),
        value_tag_(options.Get("valuetag", "_VALUE")),
        item_name_(options.Get("arrayelementname", "item")),
        indent_(options.Get("indent", "    ")) {
    if (const auto found = options.values.find("nullvalue"); found != options.values.end()) null_value_ = found->second;
  }

  void Append(const std::string& name, const DataType& type, const VectorReader& reader, idx_t row, size_t depth,
              std::string* out) const {
    if (IsNull(reader, row)) {
      if (null_value_.has_value()) AppendSimple(name, *null_value_, depth, out);
      return;
    }
    const auto at = reader.unified.sel->get_index(row);
    switch (type.id()) {
      case TypeId::kStruct:
        AppendStruct(name, type, reader, at, depth, out);
        return;
      case TypeId::kArray: {
        const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(reader.unified.data)[at];
        const DataType& element = *type.element_type();
        // An array in an array has a name of its own.
        const bool nested = element.id() == TypeId::kArray;
        for (idx_t i = 0; i < entry.length; ++i) {
          if (nested) Break(depth, out, "<" + name + ">");
          Append(nested ? item_name_ : name, element, reader.children[0], entry.offset + i, depth + (nested ? 1 : 0),
                 out);
          if (nested) Break(depth, out, "</" + name + ">");
        }
        return;
      }
      case TypeId::kMap: {
        const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(reader.unified.data)[at];
        const VectorReader& pairs = reader.children[0];
        Break(depth, out, "<" + name + ">");
        for (idx_t i = 0; i < entry.length; ++i) {
          const auto pair = pairs.unified.sel->get_index(entry.offset + i);
          const auto key = SimpleText(*type.key_type(), pairs.children[0], pair, options_);
          Append(key.value_or(""), *type.value_type(), pairs.children[1], pair, depth + 1, out);
        }
        Break(depth, out, "</" + name + ">");
        return;
      }
      default:
        AppendSimple(name, *SimpleText(type, reader, row, options_), depth, out);
        return;
    }
  }

 private:
  static bool IsNull(const VectorReader& reader, idx_t row) {
    return !reader.unified.validity.RowIsValid(reader.unified.sel->get_index(row));
  }
  void Break(size_t depth, std::string* out, const std::string& text) const {
    if (!indent_.empty() && !out->empty()) *out += "\n";
    for (size_t i = 0; i < depth; ++i) *out += indent_;
    *out += text;
  }
  void AppendSimple(const std::string& name, const std::string& text, size_t depth, std::string* out) const {
    Break(depth, out, "<" + name + ">" + xml::Escape(text) + "</" + name + ">");
  }
  void AppendStruct(const std::string& name, const DataType& type, const VectorReader& reader, idx_t at, size_t depth,
                    std::string* out) const {
    std::string begin = "<" + name;
    std::optional<std::string> value;
    std::vector<size_t> elements;
    for (size_t i = 0; i < type.fields().size(); ++i) {
      const auto& field = type.fields()[i];
      if (field.name == value_tag_) {
        value = SimpleText(*field.type, reader.children[i], at, options_);
      } else if (!attribute_prefix_.empty() && field.name.starts_with(attribute_prefix_) && !field.type->IsComplex()) {
        const auto text = SimpleText(*field.type, reader.children[i], at, options_);
        if (text.has_value())
          begin += " " + field.name.substr(attribute_prefix_.size()) + "=\"" + xml::Escape(*text, true) + "\"";
      } else {
        elements.push_back(i);
      }
    }
    std::string inner;
    for (const size_t i : elements) {
      std::string one = " ";
      Append(type.fields()[i].name, *type.fields()[i].type, reader.children[i], at, depth + 1, &one);
      inner += one.substr(1);
    }
    if (inner.empty() && !value.has_value()) {
      Break(depth, out, begin + "/>");
      return;
    }
    Break(depth, out, begin + ">" + xml::Escape(value.value_or("")) + inner);
    if (inner.empty()) {
      *out += "</" + name + ">";
    } else {
      Break(depth, out, "</" + name + ">");
    }
  }

  const RecordOptions& options_;
  const std::string attribute_prefix_, value_tag_, item_name_, indent_;
  std::optional<std::string> null_value_;
};

void ToXml(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = RecordDataOf(state);
  const XmlWriter writer(data.options);
  const std::string tag = data.options.Get("rowtag", "ROW");
  WriteRecordTexts(chunk, result, [&](const VectorReader& reader, idx_t row, std::string* text) {
    writer.Append(tag, *data.type, reader, row, 0, text);
  });
}

// --- XPath

// What select(text, path, &error) finds; NULL where either is empty. Errors as Spark's UDFXPathUtil.
template <typename Select>
auto Find(std::string_view text, std::string_view path, Select select) {
  using Found = decltype(select(text, std::string(path), static_cast<xml::XPathError*>(nullptr)));
  if (text.empty() || path.empty()) return std::optional<Found>();
  xml::XPathError error = xml::XPathError::kNone;
  std::optional<Found> found = select(text, std::string(path), &error);
  if (error == xml::XPathError::kDocument)
    ThrowSparkError(Error::Plain(ExceptionClass::kSparkRuntime, "Invalid XML document: " + std::string(text)));
  if (error == xml::XPathError::kExpression)
    ThrowSparkError(Error::Plain(ExceptionClass::kSparkRuntime, "Invalid XPath '" + std::string(path) + "'"));
  return found;
}

// A number as Java narrows it: NaN is 0, what is too large the greatest.
template <typename T>
T Narrowed(double value) {
  using Wide = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  if (std::isnan(value)) return 0;
  if (value >= static_cast<double>(std::numeric_limits<Wide>::max()))
    return static_cast<T>(std::numeric_limits<Wide>::max());
  if (value <= static_cast<double>(std::numeric_limits<Wide>::min()))
    return static_cast<T>(std::numeric_limits<Wide>::min());
  return static_cast<T>(static_cast<Wide>(value));
}

template <typename T>
std::optional<T> FindNumber(std::string_view text, std::string_view path) {
  const auto number = Find(text, path, xml::SelectNumber);
  if (!number.has_value()) return std::nullopt;
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(*number);
  } else {
    return Narrowed<T>(*number);
  }
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR;
  const auto add = [&](const char* name, const LogicalType& input, const LogicalType& output,
                       duckdb::scalar_function_t run, duckdb::bind_scalar_function_t bind) {
    duckdb::ScalarFunction function(name, {input, V, V, V}, output, std::move(run), bind);
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    function.SetFallible();
    loader.RegisterFunction(function);
  };
  add("spark_from_xml", V, LogicalType::ANY, FromXml, BindRecordReading);
  add("spark_to_xml", LogicalType::ANY, V, ToXml, BindRecordWriting);
  AddRowKernel(
      loader, "spark_xpath", {V, V}, LogicalType::LIST(V),
      [](std::string_view text, std::string_view path) { return Find(text, path, xml::SelectValues); }, kFallible);
  AddRowKernel(
      loader, "spark_xpath_string", {V, V}, V,
      [](std::string_view text, std::string_view path) { return Find(text, path, xml::SelectText); }, kFallible);
  AddRowKernel(
      loader, "spark_xpath_boolean", {V, V}, LogicalType::BOOLEAN,
      [](std::string_view text, std::string_view path) { return Find(text, path, xml::SelectBoolean); }, kFallible);
  AddRowKernel(loader, "spark_xpath_short", {V, V}, LogicalType::SMALLINT, &FindNumber<int16_t>, kFallible);
  AddRowKernel(loader, "spark_xpath_int", {V, V}, LogicalType::INTEGER, &FindNumber<int32_t>, kFallible);
  AddRowKernel(loader, "spark_xpath_long", {V, V}, LogicalType::BIGINT, &FindNumber<int64_t>, kFallible);
  AddRowKernel(loader, "spark_xpath_float", {V, V}, LogicalType::FLOAT, &FindNumber<float>, kFallible);
  AddRowKernel(loader, "spark_xpath_double", {V, V}, LogicalType::DOUBLE, &FindNumber<double>, kFallible);
}

}  // namespace

void RegisterXmlFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("from_xml", WithRecordSchema("spark_from_xml", true));
  registry.AddScalar("to_xml", WithRecordSchema("spark_to_xml", false));
  for (const char* name : {"xpath", "xpath_string", "xpath_boolean", "xpath_short", "xpath_int", "xpath_long",
                           "xpath_float", "xpath_double"})
    registry.AddScalar(name, Direct(std::string("spark_") + name));
}

}  // namespace frazil::engine
