#include <gtest/gtest.h>

#include "frazil/catalogs/metastore/described_table.h"
#include "frazil/catalogs/metastore/hive_formats.h"
#include "frazil/catalogs/metastore/hive_types.h"
#include "frazil/catalogs/metastore/spark_views.h"

namespace frazil::catalogs {
namespace {

HiveTable HiveOwn(const std::string& input, const std::string& serde) {
  HiveTable entry;
  entry.database = "db";
  entry.name = "t";
  entry.type = "MANAGED_TABLE";
  entry.storage.location = "file:/w/db.db/t";
  entry.storage.input_format = input;
  entry.storage.serde = serde;
  entry.storage.columns = {{"id", "bigint", "number"}, {"v", "varchar(10)", ""}};
  entry.partition_keys = {{"city", "string", ""}};
  return entry;
}

constexpr const char* kText = "org.apache.hadoop.mapred.TextInputFormat";
constexpr const char* kLazy = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe";
constexpr const char* kParquet = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe";

TEST(HiveTypes, AreSparks) {
  const std::pair<const char*, const char*> cases[] = {
      {"bigint", "bigint"},
      {"INT", "int"},
      {"decimal(10,2)", "decimal(10,2)"},
      {"decimal", "decimal(10,0)"},
      {"double precision", "double"},
      {"timestamp with local time zone", "timestamp"},
      {"array<struct<a:int,B:map<string,decimal(5, 1)>>>", "array<struct<a:int,B:map<string,decimal(5,1)>>>"},
      {"struct<x:timestamp,y:array<date>>", "struct<x:timestamp,y:array<date>>"},
      {"char(3)", "char(3)"}};
  for (const auto& [text, expected] : cases) {
    auto type = ParseHiveType(text);
    ASSERT_TRUE(type.ok()) << text;
    EXPECT_EQ((*type)->SimpleString(), expected);
  }
  for (const char* bad : {"", "uniontype<int,string>", "array<int", "decimal(50,2)", "map<int>", "int(3)", "struct<a>",
                          "bigint x", "interval_day_time", "varchar"}) {
    EXPECT_FALSE(ParseHiveType(bad).ok()) << bad;
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "array<";
  EXPECT_FALSE(ParseHiveType(deep).ok());
}

TEST(HiveFormats, AreToldByTheSerDe) {
  auto provider = [](const HiveTable& entry) {
    auto kind = FileKindOf(entry.storage, entry.parameters);
    return kind.ok() ? kind->provider : "refused: " + kind.error().message;
  };
  EXPECT_EQ(provider(HiveOwn("org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat", kParquet)), "parquet");
  EXPECT_EQ(provider(HiveOwn("x", "org.apache.hadoop.hive.ql.io.orc.OrcSerde")), "orc");
  EXPECT_EQ(provider(HiveOwn("x", "org.apache.hadoop.hive.serde2.avro.AvroSerDe")), "avro");
  EXPECT_NE(provider(HiveOwn("org.apache.hadoop.mapred.SequenceFileInputFormat", kLazy)).find("SequenceFile"),
            std::string::npos);
  EXPECT_NE(provider(HiveOwn(kText, "com.x.RegexSerDe")).find("com.x.RegexSerDe"), std::string::npos);
  HiveTable text = HiveOwn(kText, kLazy);
  text.storage.serde_parameters = {{"field.delim", ","}, {"serialization.null.format", ""}, {"escape.delim", "\\"}};
  auto kind = FileKindOf(text.storage, {{"skip.header.line.count", "1"}});
  ASSERT_TRUE(kind.ok());
  EXPECT_EQ(kind->options.at("sep") + kind->options.at("escape") + kind->options.at("header"), ",\\true");
  EXPECT_EQ(kind->options.at("nullvalue"), "");
  text.storage.serde_parameters = {{"serialization.format", "1"}};
  EXPECT_EQ(FileKindOf(text.storage, {})->options.at("sep"), "\x01");
  EXPECT_FALSE(FileKindOf(text.storage, {{"skip.footer.line.count", "1"}}).ok());
  EXPECT_FALSE(FileKindOf(text.storage, {{"storage_handler", "x.HBase"}}).ok());
}

TEST(DescribedTables, OfHiveAreReadByTheirEntries) {
  HiveTable entry = HiveOwn("x", kParquet);
  entry.parameters = {{"k", "v"}, {"comment", "c"}, {"numRows", "7"}, {"transient_lastDdlTime", "1"}};
  ASSERT_TRUE(IsDescribedTable(entry));
  auto read = DefinitionOf(entry);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->schema->SimpleString(), "struct<id:bigint,v:varchar(10),city:string>");
  EXPECT_EQ(read->schema->fields()[0].Comment(), "number");
  EXPECT_EQ(read->partitioning[0].name, "city");
  EXPECT_EQ(read->properties, (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(read->comment, "c");
  EXPECT_TRUE(DropStatistics(&entry.parameters));
  EXPECT_FALSE(entry.parameters.contains("numRows"));
  // Spark's schema says how names are written, as long as the columns are the same.
  StructField limited("v", DataType::Varchar(10), true);
  entry.parameters["spark.sql.sources.schema"] =
      DataType::Struct({{"Id", DataType::Long(), true}, limited, {"City", DataType::String(), true}})->Json();
  EXPECT_EQ(DefinitionOf(entry)->schema->fields()[0].name, "Id");
  entry.storage.columns[0].type = "int";
  EXPECT_EQ(DefinitionOf(entry)->schema->fields()[0].name, "id");
}

TEST(DescribedTables, ThatCannotBeReadAreRefused) {
  HiveTable entry = HiveOwn("x", kParquet);
  entry.parameters = {{"transactional", "true"}};
  EXPECT_FALSE(DefinitionOf(entry).ok());
  entry = HiveOwn(kText, kLazy);
  EXPECT_TRUE(DefinitionOf(entry).ok());
  entry.storage.columns[0].type = "array<int>";
  EXPECT_FALSE(DefinitionOf(entry).ok());
  entry.type = "VIRTUAL_VIEW";
  EXPECT_FALSE(IsDescribedTable(entry));
}

TEST(DescribedTables, OfSparkAreReadAsTheyWereWritten) {
  tables::TableDefinition definition;
  definition.schema = DataType::Struct({{"Id", DataType::Long(), true}, {"City", DataType::String(), true}});
  definition.provider = "PARQUET";
  definition.location = "file:/w/db/t";
  definition.comment = "c";
  definition.properties = {{"k", "v"}};
  definition.options = {{"compression", "zstd"}};
  tables::PartitionField field;
  field.name = "City";
  field.source = {"City"};
  definition.partitioning = {field};
  HiveTable entry = *EntryOf("db", "t", "o", definition);
  ASSERT_TRUE(IsDescribedTable(entry) && HasProvider(entry));
  EXPECT_EQ(entry.type, "MANAGED_TABLE");
  // The Metastore knows no capitals.
  EXPECT_EQ(entry.partition_keys[0].name, "city");
  EXPECT_EQ(entry.storage.columns[0].type, "bigint");
  auto read = DefinitionOf(entry);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->schema->SimpleString(), definition.schema->SimpleString());
  EXPECT_EQ(read->provider, "parquet");
  EXPECT_EQ(read->location, definition.location);
  EXPECT_EQ(read->partitioning[0].name, "City");
  EXPECT_EQ(read->properties, definition.properties);
  EXPECT_EQ(read->options, definition.options);
  EXPECT_EQ(read->comment, "c");
  EXPECT_FALSE(read->is_external);
  // Many columns do not fit into one parameter.
  std::vector<StructField> many;
  for (int i = 0; i < 200; ++i) many.emplace_back("Column" + std::to_string(i), DataType::Long(), true);
  definition.schema = DataType::Struct(many);
  definition.partitioning.clear();
  UpdateEntry(definition, &entry);
  EXPECT_FALSE(entry.parameters.contains("spark.sql.sources.schema"));
  EXPECT_EQ(DefinitionOf(entry)->schema->Json(), definition.schema->Json());
}

TEST(HiveFormats, StoredAsSaysTheSerDe) {
  auto serde = [](const std::map<std::string, std::string>& options) {
    auto storage = StorageOfOptions(options);
    return storage.ok() ? storage->serde.substr(storage->serde.rfind('.') + 1) : storage.error().condition;
  };
  EXPECT_EQ(serde({}), "LazySimpleSerDe");
  EXPECT_EQ(serde({{"fileFormat", "ORC"}}), "OrcSerde");
  EXPECT_EQ(serde({{"FILEFORMAT", "avro"}}), "AvroSerDe");
  EXPECT_EQ(serde({{"fileFormat", "textfile"}, {"serde", "a.OpenCSVSerde"}}), "OpenCSVSerde");
  EXPECT_EQ(serde({{"fileFormat", "foo"}}), "_LEGACY_ERROR_TEMP_1059");
  EXPECT_FALSE(StorageOfOptions({{"inputFormat", "a"}}).ok());
  EXPECT_FALSE(StorageOfOptions({{"inputFormat", "a"}, {"outputFormat", "b"}, {"fileFormat", "orc"}}).ok());
  const auto text = StorageOfOptions({{"fieldDelim", "|"}, {"x", "y"}});
  EXPECT_EQ(text->serde_parameters.at("field.delim"), "|");
  EXPECT_EQ(text->serde_parameters.at("x"), "y");
}

TEST(DescribedTables, OfHiveAreReadAsTheyWereWritten) {
  tables::TableDefinition definition;
  definition.schema = DataType::Struct({{"Id", DataType::Long(), true}, {"City", DataType::String(), true}});
  definition.provider = "hive";
  definition.options = {{"fileFormat", "textfile"}, {"field.delim", ","}, {"serialization.format", ","}};
  definition.location = "file:/w/db/t";
  tables::PartitionField field;
  field.source = {"City"};
  definition.partitioning = {field};
  const auto entry = EntryOf("db", "t", "o", definition);
  ASSERT_TRUE(entry.ok()) << entry.error().message;
  EXPECT_FALSE(HasProvider(*entry));
  EXPECT_EQ(entry->storage.input_format, "org.apache.hadoop.mapred.TextInputFormat");
  EXPECT_EQ(entry->storage.columns.size(), 1U);
  const auto read = DefinitionOf(*entry);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->provider, "csv");
  EXPECT_EQ(read->options.at("sep"), ",");
  EXPECT_EQ(read->schema->Json(), definition.schema->Json());
  EXPECT_EQ(read->partitioning[0].name, "City");
  // Without a Metastore it is a table of such files.
  const auto files = AsFiles(definition);
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->provider, read->provider);
  EXPECT_EQ(files->options, read->options);
}

TEST(SparkViews, AreReadAsTheyWereWritten) {
  ViewDefinition view;
  view.query_text = "SELECT a FROM t";
  view.schema = DataType::Struct({{"B", DataType::Integer(), true}});
  view.current_catalog = "spark_catalog";
  view.current_namespace = {"db"};
  view.settings = {{"spark.sql.ansi.enabled", "true"}};
  view.properties = {{"k", "v"}};
  view.comment = "c";
  view.query_column_names = {"a"};
  const HiveTable entry = SparkViewEntry("db", "w", view);
  ASSERT_TRUE(IsSparkView(entry));
  EXPECT_FALSE(IsDescribedTable(entry));
  auto read = SparkViewOf(entry, "spark_catalog");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->query_text, view.query_text);
  EXPECT_EQ(read->current_namespace, view.current_namespace);
  EXPECT_EQ(read->settings, view.settings);
  EXPECT_EQ(read->properties, view.properties);
  EXPECT_EQ(read->query_column_names, view.query_column_names);
  EXPECT_EQ(read->schema->Json(), view.schema->Json());
}

}  // namespace
}  // namespace frazil::catalogs
