#include "frazil/xml/xml_document.h"

#include <cmath>

#include <gtest/gtest.h>

namespace frazil::xml {
namespace {

TEST(XmlDocumentTest, Tree) {
  const auto root = Parse("<?xml version='1.0'?><p a='1'>x &lt; y<b>2</b><!-- no --><b><![CDATA[<3>]]></b></p>");
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->name, "p");
  EXPECT_EQ(root->attributes.at(0), (std::pair<std::string, std::string>("a", "1")));
  EXPECT_EQ(root->text, "x < y");
  ASSERT_EQ(root->elements.size(), 2u);
  EXPECT_EQ(root->elements[1].text, "<3>");
  EXPECT_EQ(InnerXml(*root), "x &lt; y<b>2</b><b>&lt;3&gt;</b>");
}

TEST(XmlDocumentTest, WhatIsNotWellFormedIsNoDocument) {
  for (const char* text : {"", "text", "<a>", "<a><b></a></b>", "<a>&unknown;</a>", "<a/><b/>"})
    EXPECT_FALSE(Parse(text).has_value()) << text;
}

// No file is read, and nothing grows without bound.
TEST(XmlDocumentTest, EntitiesOfTheDocumentAreRefused) {
  EXPECT_FALSE(Parse("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><a>[&e;]</a>").has_value());
  std::string bomb = "<!DOCTYPE a [<!ENTITY e0 'xxxxxxxxxx'>";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "&e" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY e" + std::to_string(i) + " '";
    for (int j = 0; j < 10; ++j) bomb += before;
    bomb += "'>";
  }
  EXPECT_FALSE(Parse(bomb + "]><a>&e11;</a>").has_value());
}

TEST(XPathTest, Values) {
  const char* const text = "<a><b id='x'>b1</b><b>b2</b><c>3</c></a>";
  XPathError error;
  EXPECT_EQ(SelectValues(text, "a/b/text()", &error), (std::vector<std::optional<std::string>>{"b1", "b2"}));
  EXPECT_EQ(SelectValues(text, "a/b", &error), (std::vector<std::optional<std::string>>{std::nullopt, std::nullopt}));
  EXPECT_EQ(SelectValues(text, "//@id", &error), (std::vector<std::optional<std::string>>{"x"}));
  EXPECT_EQ(SelectText(text, "a/c", &error), "3");
  EXPECT_EQ(SelectNumber(text, "sum(a/c) + 1", &error), 4);
  EXPECT_TRUE(std::isnan(SelectNumber(text, "a/b", &error)));
  EXPECT_TRUE(SelectBoolean(text, "a/b = 'b2'", &error));
  EXPECT_FALSE(SelectBoolean(text, "a/d", &error));
  EXPECT_EQ(error, XPathError::kNone);
}

TEST(XPathTest, Errors) {
  XPathError error;
  SelectText("<a>", "a", &error);
  EXPECT_EQ(error, XPathError::kDocument);
  SelectText("<a/>", "a[", &error);
  EXPECT_EQ(error, XPathError::kExpression);
  SelectValues("<a/>", "count(a)", &error);
  EXPECT_EQ(error, XPathError::kExpression);
  EXPECT_TRUE(IsXPath("a/b[1]"));
  EXPECT_FALSE(IsXPath("a/b["));
}

}  // namespace
}  // namespace frazil::xml
