#include "frazil/catalogs/embedded/embedded_catalog.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "frazil/catalogs/catalog_kinds.h"
#include "frazil/storage/local/local_store.h"

namespace frazil::catalogs {
namespace {

/// A format whose tables are nothing but their definition.
class NamesOnlyFormat : public tables::TableFormat {
 public:
  class NamesOnlyTable : public tables::Table {
   public:
    explicit NamesOnlyTable(tables::TableDefinition definition) : definition_(std::move(definition)) {}
    std::string provider() const override { return "parquet"; }
    const DataTypePtr& schema() const override { return definition_.schema; }
    std::string location() const override { return *definition_.location; }
    std::map<std::string, std::string> properties() const override { return definition_.properties; }
    tables::TableCapabilities capabilities() const override { return {}; }
    Result<tables::TableScanPtr> Scan(const tables::ScanOptions&) const override { return Error::Internal("no rows"); }

   private:
    tables::TableDefinition definition_;
  };

  std::string name() const override { return "parquet"; }
  bool self_describing() const override { return false; }
  tables::CommitPointPtr PathCommitPoint(const tables::TableContext&, const std::string&) const override {
    return nullptr;
  }
  Result<tables::TablePtr> Load(const tables::TableContext&, const std::string&,
                                tables::CommitPointPtr) const override {
    return Error::Internal("not self-describing");
  }
  Result<tables::TablePtr> LoadDefined(const tables::TableContext&,
                                       const tables::TableDefinition& definition) const override {
    return tables::TablePtr(std::make_shared<NamesOnlyTable>(definition));
  }
  Result<tables::TablePtr> Create(const tables::TableContext& context, const tables::TableDefinition& definition,
                                  const std::string& location, tables::CommitPointPtr commit_point) const override {
    FRAZIL_RETURN_IF_ERROR(context.store->CreateFolder(location));
    std::string written;
    FRAZIL_ASSIGN_OR_RETURN(auto state, commit_point->Swap(std::nullopt, "", &written));
    if (state == tables::CommitState::kConflict)
      return Error::Of("TABLE_OR_VIEW_ALREADY_EXISTS", {{"relationName", context.name}});
    return LoadDefined(context, definition);
  }
  Result<tables::StagedTable> Stage(const tables::TableContext&, const tables::TableDefinition&, const std::string&,
                                    tables::CommitPointPtr, bool) const override {
    return Error::Internal("not staged here");
  }
};

class EmbeddedCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/frazil-catalog-XXXXXX";
    folder_ = mkdtemp(pattern);
    formats_.Register(std::make_shared<NamesOnlyFormat>());
    storage::RegisterLocalStore(&stores_);
    catalog_ = Open();
  }
  void TearDown() override {
    catalog_.reset();
    std::filesystem::remove_all(folder_);
  }

  CatalogPtr Open() {
    CatalogContext context;
    context.name = "spark_catalog";
    context.formats = &formats_;
    context.stores = &stores_;
    context.session_settings = [](std::string_view) { return std::nullopt; };
    context.default_warehouse = folder_;
    auto made = EmbeddedCatalog::Make(context);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return *made;
  }

  tables::TableDefinition Definition() {
    tables::TableDefinition definition;
    definition.schema = DataType::Struct({{"a", DataType::Integer()}});
    definition.provider = "parquet";
    definition.properties["k"] = "v";
    return definition;
  }

  std::string folder_;
  tables::FormatRegistry formats_;
  storage::StoreRegistry stores_;
  CatalogPtr catalog_;
};

TEST_F(EmbeddedCatalogTest, KeepsNamesAcrossARestart) {
  ASSERT_TRUE(catalog_->CreateNamespace({"db"}, {{"comment", "mine"}}).ok());
  ASSERT_TRUE(catalog_->CreateTable({{"db"}, "T"}, Definition()).ok());
  ViewDefinition view;
  view.query_text = "SELECT 1";
  ASSERT_TRUE(catalog_->CreateView({{"db"}, "v"}, view, false).ok());
  catalog_.reset();
  catalog_ = Open();
  EXPECT_EQ(*catalog_->ListNamespaces({}), (std::vector<Namespace>{{"db"}, {"default"}}));
  EXPECT_EQ(*catalog_->ListTables({"db"}), std::vector<std::string>{"t"});
  EXPECT_EQ((*catalog_->LoadView({{"DB"}, "V"}))->query_text, "SELECT 1");
  auto table = catalog_->LoadTable({{"db"}, "t"});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->location(), folder_ + "/db.db/t");
  EXPECT_EQ((*table)->properties().at("k"), "v");
  EXPECT_EQ((*table)->schema()->SimpleString(), "struct<a:int>");
}

TEST_F(EmbeddedCatalogTest, KeepsFunctionsAcrossARestart) {
  const auto functions = [&] { return dynamic_cast<FunctionCatalog*>(catalog_.get()); };
  FunctionDefinition definition;
  definition.statement = "CREATE FUNCTION f() RETURN 1";
  definition.current_namespace = {"default"};
  definition.created_millis = 5;
  EXPECT_TRUE(*functions()->CreateFunction({{"default"}, "F"}, definition, false));
  EXPECT_FALSE(*functions()->CreateFunction({{"default"}, "f"}, definition, false));
  definition.created_millis = 6;
  EXPECT_TRUE(*functions()->CreateFunction({{"default"}, "f"}, definition, true));
  EXPECT_EQ(functions()->CreateFunction({{"nowhere"}, "f"}, definition, false).error().condition, "SCHEMA_NOT_FOUND");
  catalog_.reset();
  catalog_ = Open();
  const auto read = functions()->LoadFunction({{"DEFAULT"}, "F"});
  ASSERT_TRUE(read.ok() && read->has_value());
  EXPECT_EQ((*read)->statement, definition.statement);
  EXPECT_EQ((*read)->created_millis, 6);
  EXPECT_EQ(*functions()->ListFunctions({"default"}), std::vector<std::string>{"f"});
  EXPECT_TRUE(*functions()->DropFunction({{"default"}, "f"}));
  EXPECT_FALSE(*functions()->DropFunction({{"default"}, "f"}));
}

TEST_F(EmbeddedCatalogTest, DatabasesWithFunctionsAreNotEmpty) {
  ASSERT_TRUE(catalog_->CreateNamespace({"db"}, {}).ok());
  auto* functions = dynamic_cast<FunctionCatalog*>(catalog_.get());
  ASSERT_TRUE(*functions->CreateFunction({{"db"}, "f"}, {}, false));
  EXPECT_EQ(catalog_->DropNamespace({"db"}, false).error().condition, "SCHEMA_NOT_EMPTY");
  ASSERT_TRUE(catalog_->DropNamespace({"db"}, true).ok());
  ASSERT_TRUE(catalog_->CreateNamespace({"db"}, {}).ok());
  EXPECT_TRUE(functions->ListFunctions({"db"})->empty());
}

TEST_F(EmbeddedCatalogTest, RefusesWhatExistsAndWhatDoesNot) {
  ASSERT_TRUE(catalog_->CreateTable({{"default"}, "t"}, Definition()).ok());
  EXPECT_EQ(catalog_->CreateTable({{"default"}, "T"}, Definition()).error().condition, "TABLE_OR_VIEW_ALREADY_EXISTS");
  EXPECT_EQ(catalog_->LoadTable({{"default"}, "u"}).error().condition, "TABLE_OR_VIEW_NOT_FOUND");
  EXPECT_EQ(catalog_->ListTables({"nowhere"}).error().condition, "SCHEMA_NOT_FOUND");
  EXPECT_EQ(catalog_->CreateNamespace({"default"}, {}).error().condition, "SCHEMA_ALREADY_EXISTS");
  auto unknown = Definition();
  unknown.provider = "nosuch";
  EXPECT_EQ(catalog_->CreateTable({{"default"}, "u"}, unknown).error().condition, "DATA_SOURCE_NOT_FOUND");
  EXPECT_FALSE(*catalog_->TableExists({{"default"}, "u"}));
}

TEST_F(EmbeddedCatalogTest, DropsManagedFilesAndKeepsExternalOnes) {
  ASSERT_TRUE(catalog_->CreateTable({{"default"}, "managed"}, Definition()).ok());
  auto external = Definition();
  external.location = folder_ + "/elsewhere";
  ASSERT_TRUE(catalog_->CreateTable({{"default"}, "external"}, external).ok());
  ASSERT_TRUE(catalog_->DropTable({{"default"}, "managed"}, false).ok());
  ASSERT_TRUE(catalog_->DropTable({{"default"}, "external"}, true).ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/managed"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/elsewhere"));
}

TEST_F(EmbeddedCatalogTest, DropsNamespacesOnlyWhenEmptyOrCascading) {
  ASSERT_TRUE(catalog_->CreateNamespace({"db"}, {}).ok());
  ASSERT_TRUE(catalog_->CreateTable({{"db"}, "t"}, Definition()).ok());
  EXPECT_EQ(catalog_->DropNamespace({"db"}, false).error().condition, "SCHEMA_NOT_EMPTY");
  ASSERT_TRUE(catalog_->DropNamespace({"db"}, true).ok());
  EXPECT_FALSE(*catalog_->NamespaceExists({"db"}));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/db.db"));
}

TEST_F(EmbeddedCatalogTest, RenamesAndAlters) {
  ASSERT_TRUE(catalog_->CreateTable({{"default"}, "a"}, Definition()).ok());
  ASSERT_TRUE(catalog_->CreateTable({{"default"}, "b"}, Definition()).ok());
  EXPECT_EQ(catalog_->RenameTable({{"default"}, "a"}, {{"default"}, "b"}).error().condition,
            "TABLE_OR_VIEW_ALREADY_EXISTS");
  ASSERT_TRUE(catalog_->RenameTable({{"default"}, "a"}, {{"default"}, "c"}).ok());
  tables::TableChange add;
  add.type = tables::TableChange::Type::kAddColumn;
  add.column = {"d"};
  add.data_type = DataType::Date();
  ASSERT_TRUE(catalog_->AlterTable({{"default"}, "c"}, {add}).ok());
  EXPECT_EQ((*catalog_->LoadTable({{"default"}, "c"}))->schema()->SimpleString(), "struct<a:int,d:date>");
  EXPECT_EQ(catalog_->AlterTable({{"default"}, "c"}, {add}).error().condition, "FIELD_ALREADY_EXISTS");
}

TEST(CatalogKinds, RefuseUnknownClasses) {
  CatalogRegistry registry;
  RegisterCatalogKinds(&registry);
  CatalogContext context;
  context.name = "c";
  context.class_name = "com.example.NoCatalog";
  auto made = registry.Make(context);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("com.example.NoCatalog"), std::string::npos);
}

}  // namespace
}  // namespace frazil::catalogs
