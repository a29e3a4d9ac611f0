#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::net {

/// An element of a small XML document, as services answer with: attributes and comments are left out, prefixes of
/// names too.
struct XmlElement {
  std::string name;
  std::string text;  ///< Of the element itself, entities resolved.
  std::vector<XmlElement> children;

  /// The first child of that name, or null.
  const XmlElement* Find(std::string_view child) const;
  /// Text of the first child of that name, or "".
  std::string TextOf(std::string_view child) const;
};

/// Parses one document. Refuses unbalanced elements and nesting deeper than 64; document types are not read.
Result<XmlElement> ParseXml(std::string_view text);

/// `text` with & < > " ' as entities.
std::string EscapeXml(std::string_view text);

}  // namespace frazil::net
