#include <filesystem>

#include <gtest/gtest.h>

#include "frazil/base/uuid.h"
#include "frazil/catalogs/jdbc/jdbc_names.h"
#include "frazil/catalogs/sql/sqlite_connection.h"

namespace frazil::catalogs {
namespace {

using Kind = JdbcNames::Kind;

class JdbcNamesTest : public ::testing::Test {
 protected:
  JdbcNamesTest()
      : folder_(std::filesystem::temp_directory_path() / ("jdbc-" + RandomUuidText())), path_(folder_ / "names.db") {}
  ~JdbcNamesTest() override { std::filesystem::remove_all(folder_); }

  std::shared_ptr<SqliteConnection> Connection() { return *SqliteConnection::Open(path_.string()); }
  std::shared_ptr<JdbcNames> Names(const std::string& catalog = "c", bool upgrade = false) {
    auto names = JdbcNames::Open(Connection(), catalog, /*create=*/true, upgrade);
    EXPECT_TRUE(names.ok()) << (names.ok() ? "" : names.error().message);
    return *names;
  }

  std::filesystem::path folder_, path_;
};

TEST_F(JdbcNamesTest, OfTwoWritersOneMovesThePointer) {
  auto one = Names(), other = Names();
  const Identifier t{{"n"}, "t"};
  EXPECT_FALSE((*one->Find(t)).has_value());
  EXPECT_TRUE(*one->Move(t, Kind::kTable, std::nullopt, "m0"));
  EXPECT_FALSE(*other->Move(t, Kind::kTable, std::nullopt, "x0"));
  EXPECT_TRUE(*other->Move(t, Kind::kTable, "m0", "m1"));
  EXPECT_FALSE(*one->Move(t, Kind::kTable, "m0", "x1"));
  EXPECT_EQ((*one->Find(t))->metadata_location, "m1");
  auto former = Connection()->Run("SELECT previous_metadata_location, iceberg_type FROM iceberg_tables");
  EXPECT_EQ(former->rows, (std::vector<std::vector<SqlConnection::Text>>{{"m0", "TABLE"}}));
}

TEST_F(JdbcNamesTest, CatalogsOfOneDatabaseAreApart) {
  auto one = Names("one"), other = Names("other");
  EXPECT_TRUE(*one->Move({{"n"}, "t"}, Kind::kTable, std::nullopt, "m"));
  EXPECT_TRUE(*one->AddNamespace({"p"}, {}));
  EXPECT_FALSE((*other->Find({{"n"}, "t"})).has_value());
  EXPECT_TRUE((*other->ListNamespaces({})).empty());
  EXPECT_EQ(*one->ListNamespaces({}), (std::vector<Namespace>{{"n"}, {"p"}}));
}

TEST_F(JdbcNamesTest, TablesAndViewsShareNames) {
  auto names = Names();
  EXPECT_TRUE(*names->Move({{"n"}, "v"}, Kind::kView, std::nullopt, "m"));
  EXPECT_FALSE(*names->Move({{"n"}, "v"}, Kind::kTable, std::nullopt, "m"));
  // A view is not moved as a table.
  EXPECT_FALSE(*names->Move({{"n"}, "v"}, Kind::kTable, "m", "m1"));
  EXPECT_TRUE(*names->Move({{"n"}, "t"}, Kind::kTable, std::nullopt, "m"));
  EXPECT_EQ(*names->List({"n"}, Kind::kTable), (std::vector<std::string>{"t"}));
  EXPECT_EQ(*names->List({"n"}, Kind::kView), (std::vector<std::string>{"v"}));
  EXPECT_FALSE(*names->Rename({{"n"}, "t"}, {{"n"}, "v"}));
  EXPECT_TRUE(*names->Rename({{"n"}, "t"}, {{"m"}, "u"}));
  ASSERT_TRUE(names->Remove({{"n"}, "v"}, Kind::kTable).ok());
  EXPECT_EQ((*names->Find({{"n"}, "v"}))->kind, Kind::kView);
}

TEST_F(JdbcNamesTest, NamespacesAreFoundExactly) {
  auto names = Names();
  for (const Namespace& one : {Namespace{"a_b"}, Namespace{"a_b", "c"}, Namespace{"axb", "c"}, Namespace{"A_B", "d"},
                               Namespace{"a%", "e"}, Namespace{"a!", "f"}, Namespace{"a_bc"}, Namespace{"it's"}}) {
    EXPECT_TRUE(*names->AddNamespace(one, {{"k", "v"}}));
  }
  EXPECT_EQ(*names->ListNamespaces({"a_b"}), (std::vector<Namespace>{{"a_b"}, {"a_b", "c"}}));
  EXPECT_EQ(*names->ListNamespaces({"a%"}), (std::vector<Namespace>{{"a%", "e"}}));
  EXPECT_EQ(*names->ListNamespaces({"a!"}), (std::vector<Namespace>{{"a!", "f"}}));
  EXPECT_EQ((*names->ListNamespaces({})).size(), 8u);
  EXPECT_FALSE(*names->AddNamespace({"a_b"}, {}));
  EXPECT_TRUE(CanBeKept({"a", "b c"}));
  EXPECT_FALSE(CanBeKept({"a.b"}));
  EXPECT_FALSE(CanBeKept({"a", ""}));
}

TEST_F(JdbcNamesTest, KeepsPropertiesOfNamespaces) {
  auto names = Names();
  EXPECT_TRUE(*names->AddNamespace({"n"}, {{"comment", "it's ours"}, {"k", "1"}}));
  ASSERT_TRUE(names->SetProperty({"n"}, "k", "2").ok());
  ASSERT_TRUE(names->SetProperty({"n"}, "new", "").ok());
  ASSERT_TRUE(names->RemoveProperty({"n"}, "comment").ok());
  EXPECT_EQ(*names->PropertiesOf({"n"}), (std::map<std::string, std::string>{{"k", "2"}, {"new", ""}}));
  ASSERT_TRUE(names->RemoveNamespace({"n"}).ok());
  EXPECT_TRUE((*names->ListNamespaces({})).empty());
}

TEST_F(JdbcNamesTest, TakesTheTablesOfOlderWriters) {
  // As Iceberg made them before there were views.
  ASSERT_TRUE(Connection()
                  ->Run("CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) "
                        "NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
                        "previous_metadata_location VARCHAR(1000), PRIMARY KEY (catalog_name, table_namespace, "
                        "table_name))")
                  .ok());
  ASSERT_TRUE(Connection()->Run("INSERT INTO iceberg_tables VALUES ('c', 'n', 't', 'm', NULL)").ok());
  auto old = Names();
  EXPECT_FALSE(old->has_views());
  EXPECT_EQ((*old->Find({{"n"}, "t"}))->metadata_location, "m");
  EXPECT_TRUE(*old->Move({{"n"}, "t"}, Kind::kTable, "m", "m1"));
  EXPECT_TRUE((*old->List({"n"}, Kind::kView)).empty());
  auto upgraded = Names("c", /*upgrade=*/true);
  EXPECT_TRUE(upgraded->has_views());
  // Its rows have no type: they are tables.
  EXPECT_EQ((*upgraded->Find({{"n"}, "t"}))->kind, Kind::kTable);
  EXPECT_TRUE(*upgraded->Move({{"n"}, "t"}, Kind::kTable, "m1", "m2"));
  EXPECT_EQ(*upgraded->List({"n"}, Kind::kTable), (std::vector<std::string>{"t"}));
}

TEST_F(JdbcNamesTest, MakesNoTablesWhereItMustNot) {
  auto names = JdbcNames::Open(Connection(), "c", /*create=*/false, false);
  ASSERT_FALSE(names.ok());
  EXPECT_NE(names.error().message.find("jdbc.init-catalog-tables"), std::string::npos) << names.error().message;
}

}  // namespace
}  // namespace frazil::catalogs
