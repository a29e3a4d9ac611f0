#pragma once

// XML documents as trees, and XPath 1.0 over them. Nothing outside of the text is read: no DTD, no entity of a file or
// of the network. https://www.w3.org/TR/xml/, https://www.w3.org/TR/1999/REC-xpath-19991116/

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frazil::xml {

/// An element; prefixes of names are left out.
struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Element> elements;
  std::string text;  ///< All text directly in it, as it stands.
};

/// The root; nothing where the text is no well-formed document.
std::optional<Element> Parse(std::string_view text);

/// What is in an element, as XML again.
std::string InnerXml(const Element& element);
/// The text with <, > and & escaped, in an attribute " too.
std::string Escape(std::string_view text, bool in_attribute = false);

enum class XPathError : uint8_t { kNone, kDocument, kExpression };

/// Whether an expression is one of XPath.
bool IsXPath(const std::string& expression);
/// The values of a set of nodes: of attributes and texts; elements have none. Other results are an error of the
/// expression.
std::vector<std::optional<std::string>> SelectValues(std::string_view text, const std::string& expression,
                                                     XPathError* error);
std::string SelectText(std::string_view text, const std::string& expression, XPathError* error);
double SelectNumber(std::string_view text, const std::string& expression, XPathError* error);
bool SelectBoolean(std::string_view text, const std::string& expression, XPathError* error);

}  // namespace frazil::xml
