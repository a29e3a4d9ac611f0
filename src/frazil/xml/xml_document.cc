#include "frazil/xml/xml_document.h"

#include <climits>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <limits>
#include <memory>
#include <mutex>

namespace frazil::xml {
namespace {

using Document = std::unique_ptr<xmlDoc, decltype(&xmlFreeDoc)>;
using Context = std::unique_ptr<xmlXPathContext, decltype(&xmlXPathFreeContext)>;
using Compiled = std::unique_ptr<xmlXPathCompExpr, decltype(&xmlXPathFreeCompExpr)>;
using Object = std::unique_ptr<xmlXPathObject, decltype(&xmlXPathFreeObject)>;

void Ignore(void*, const char*, ...) {}
void IgnoreStructured(void*, xmlErrorPtr) {}

// Errors are told by what comes back, not on standard error.
void Silence() {
  static std::once_flag once;
  std::call_once(once, xmlInitParser);
  xmlSetGenericErrorFunc(nullptr, Ignore);
  xmlSetStructuredErrorFunc(nullptr, IgnoreStructured);
}

const xmlChar* CharsOf(const std::string& text) { return reinterpret_cast<const xmlChar*>(text.c_str()); }
std::string TextOf(const xmlChar* text) { return text == nullptr ? "" : reinterpret_cast<const char*>(text); }

std::string TakeText(xmlChar* text) {
  std::string taken = TextOf(text);
  xmlFree(text);
  return taken;
}

Document Read(std::string_view text) {
  Silence();
  if (text.size() > INT_MAX) return {nullptr, &xmlFreeDoc};
  constexpr int kOptions = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
  Document document(xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr, kOptions), &xmlFreeDoc);
  // Entities of the document's own could grow without bound; Spark's reader takes none either.
  const bool has_entities =
      document != nullptr && document->intSubset != nullptr && document->intSubset->entities != nullptr;
  if (has_entities) document.reset();
  return document;
}

// The parser lets nothing be nested deeper than 256 elements.
Element Convert(const xmlNode& node) {
  Element element;
  element.name = TextOf(node.name);
  for (const xmlAttr* attribute = node.properties; attribute != nullptr; attribute = attribute->next) {
    element.attributes.emplace_back(TextOf(attribute->name),
                                    TakeText(xmlNodeListGetString(node.doc, attribute->children, 1)));
  }
  for (xmlNode* child = node.children; child != nullptr; child = child->next) {
    if (child->type == XML_ELEMENT_NODE) {
      element.elements.push_back(Convert(*child));
    } else if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) {
      element.text += TakeText(xmlNodeGetContent(child));
    }
  }
  return element;
}

void AppendElement(const Element& element, std::string* out) {
  *out += "<" + element.name;
  for (const auto& [name, value] : element.attributes) *out += " " + name + "=\"" + Escape(value, true) + "\"";
  *out += ">" + InnerXml(element) + "</" + element.name + ">";
}

// Calls use(result) with the expression's result over the document, which lives as long as that.
template <typename Use>
void Evaluate(std::string_view text, const std::string& expression, XPathError* error, Use&& use) {
  const Document document = Read(text);
  if (document == nullptr) {
    *error = XPathError::kDocument;
    return;
  }
  const Context context(xmlXPathNewContext(document.get()), &xmlXPathFreeContext);
  context->node = reinterpret_cast<xmlNode*>(document.get());  // Paths begin above the root element.
  const Compiled compiled(xmlXPathCtxtCompile(context.get(), CharsOf(expression)), &xmlXPathFreeCompExpr);
  const Object result(compiled == nullptr ? nullptr : xmlXPathCompiledEval(compiled.get(), context.get()),
                      &xmlXPathFreeObject);
  *error = result == nullptr ? XPathError::kExpression : XPathError::kNone;
  if (result != nullptr) use(*result);
}

}  // namespace

std::optional<Element> Parse(std::string_view text) {
  const Document document = Read(text);
  if (document == nullptr) return std::nullopt;
  const xmlNode* root = xmlDocGetRootElement(document.get());
  if (root == nullptr) return std::nullopt;
  return Convert(*root);
}

std::string Escape(std::string_view text, bool in_attribute) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"' && in_attribute) {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string InnerXml(const Element& element) {
  std::string inner = Escape(element.text);
  for (const auto& child : element.elements) AppendElement(child, &inner);
  return inner;
}

bool IsXPath(const std::string& expression) {
  Silence();
  const Compiled compiled(xmlXPathCompile(CharsOf(expression)), &xmlXPathFreeCompExpr);
  return compiled != nullptr;
}

std::vector<std::optional<std::string>> SelectValues(std::string_view text, const std::string& expression,
                                                     XPathError* error) {
  std::vector<std::optional<std::string>> values;
  Evaluate(text, expression, error, [&](const xmlXPathObject& result) {
    if (result.type != XPATH_NODESET) {
      *error = XPathError::kExpression;
      return;
    }
    const int count = result.nodesetval == nullptr ? 0 : result.nodesetval->nodeNr;
    for (int i = 0; i < count; ++i) {
      xmlNode* node = result.nodesetval->nodeTab[i];
      const bool has_value = node->type == XML_ATTRIBUTE_NODE || node->type == XML_TEXT_NODE ||
                             node->type == XML_CDATA_SECTION_NODE || node->type == XML_COMMENT_NODE ||
                             node->type == XML_PI_NODE;
      values.push_back(has_value ? std::optional<std::string>(TakeText(xmlNodeGetContent(node))) : std::nullopt);
    }
  });
  return values;
}

std::string SelectText(std::string_view text, const std::string& expression, XPathError* error) {
  std::string value;
  Evaluate(text, expression, error, [&](xmlXPathObject& result) { value = TakeText(xmlXPathCastToString(&result)); });
  return value;
}

double SelectNumber(std::string_view text, const std::string& expression, XPathError* error) {
  double value = std::numeric_limits<double>::quiet_NaN();
  Evaluate(text, expression, error, [&](xmlXPathObject& result) { value = xmlXPathCastToNumber(&result); });
  return value;
}

bool SelectBoolean(std::string_view text, const std::string& expression, XPathError* error) {
  bool value = false;
  Evaluate(text, expression, error, [&](xmlXPathObject& result) { value = xmlXPathCastToBoolean(&result) != 0; });
  return value;
}

}  // namespace frazil::xml
