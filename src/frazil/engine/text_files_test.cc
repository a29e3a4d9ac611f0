#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "frazil/engine/testing/plan_builder.h"
#include "frazil/storage/memory/memory_store.h"

namespace frazil::engine {
namespace {

using namespace testing;  // NOLINT: the builders
using Lines = std::vector<std::string>;

class TextScan : public tables::TableScan {
 public:
  TextScan(tables::FileFormat format, DataTypePtr schema, tables::ScanPlan plan)
      : format_(format), schema_(std::move(schema)), plan_(std::move(plan)) {}
  const DataTypePtr& schema() const override { return schema_; }
  tables::FileFormat format() const override { return format_; }
  Result<tables::ScanPlan> Plan(const PredicatePtr&) const override { return plan_; }

 private:
  tables::FileFormat format_;
  DataTypePtr schema_;
  tables::ScanPlan plan_;
};

class TextFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("frazil-text-test-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Put(const std::string& name, const std::string& text) {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

  Lines Read(tables::FileFormat format, DataTypePtr schema, const std::vector<std::string>& paths,
             std::map<std::string, std::string> options, std::map<size_t, Value> constants = {}) {
    tables::ScanPlan plan;
    plan.format_options = std::move(options);
    for (const auto& path : paths) {
      tables::ScanFile file;
      file.path = path;
      file.format = format;
      file.constants = constants;
      plan.files.push_back(std::move(file));
    }
    for (const auto& field : schema->fields()) {
      plan.columns.emplace_back();
      plan.columns.back().name = field.name;
      plan.columns.back().type = field.type;
    }
    auto node = std::make_shared<plan::ScanNode>();
    for (size_t i = 0; i < schema->fields().size(); ++i) {
      node->columns.push_back({static_cast<int>(i), ""});
      node->output.push_back(NewAttribute(schema->fields()[i].name, schema->fields()[i].type));
    }
    node->scan = std::make_shared<TextScan>(format, schema, std::move(plan));
    node->table_name = "t";
    return RunRows(node);
  }

  std::string Infer(const std::string& format, const std::string& path, std::map<std::string, std::string> options) {
    auto schema = SharedEngine().InferSchema(format, {path}, options, {});
    return schema.ok() ? (*schema)->SimpleString() : "error: " + schema.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(TextFiles, CancelEndsTheInferenceOfASchema) {
  ExecutionContext context;
  context.cancel = std::make_shared<CancelToken>();
  context.cancel->Cancel();
  const auto infer = [&](const std::string& format, const std::string& path) {
    return SharedEngine().InferSchema(format, {path}, {{"inferschema", "true"}}, context);
  };
  for (const auto& schema : {infer("csv", Put("a.csv", "1\n2\n")), infer("json", Put("a.json", "{\"a\": 1}\n"))}) {
    ASSERT_FALSE(schema.ok());
    EXPECT_EQ(schema.error().kind, ErrorKind::kCancelled);
  }
}

TEST_F(TextFiles, CsvWithHeaderAndInferredTypes) {
  const auto path = Put("a.csv", "id,name,price,day\n1,\"a, b\",1.5,2024-01-31\n2,,2,2024-02-01\n");
  EXPECT_EQ(Infer("csv", path, {{"header", "true"}, {"inferschema", "true"}}),
            "struct<id:int,name:string,price:double,day:date>");
  EXPECT_EQ(Infer("csv", path, {}), "struct<_c0:string,_c1:string,_c2:string,_c3:string>");
  auto schema = DataType::Struct({{"id", DataType::Integer()},
                                  {"name", DataType::String()},
                                  {"price", DataType::Double()},
                                  {"day", DataType::Date()}});
  EXPECT_EQ(Read(tables::FileFormat::kCsv, schema, {path}, {{"header", "true"}}),
            (Lines{"1|a, b|1.5|2024-01-31", "2|NULL|2.0|2024-02-01"}));
}

TEST_F(TextFiles, MalformedCsvByMode) {
  const auto path = Put("b.csv", "1\nx\n3\n");
  auto schema = DataType::Struct({{"id", DataType::Integer()}, {"_corrupt_record", DataType::String()}});
  auto plain = DataType::Struct({{"id", DataType::Integer()}});
  EXPECT_EQ(Read(tables::FileFormat::kCsv, schema, {path}, {}), (Lines{"1|NULL", "NULL|x", "3|NULL"}));
  EXPECT_EQ(Read(tables::FileFormat::kCsv, plain, {path}, {{"mode", "DROPMALFORMED"}}), (Lines{"1", "3"}));
  const auto failed = Read(tables::FileFormat::kCsv, plain, {path}, {{"mode", "FAILFAST"}});
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_NE(failed[0].find("FAILED_READ_FILE.NO_HINT"), std::string::npos) << failed[0];
  EXPECT_NE(failed[0].find("b.csv"), std::string::npos) << failed[0];
}

TEST_F(TextFiles, JsonLinesAndDocuments) {
  const auto lines = Put("a.json", "{\"b\": 1, \"a\": {\"x\": [1, 2]}}\n\n{\"b\": 2.5, \"c\": null}\n");
  EXPECT_EQ(Infer("json", lines, {}), "struct<a:struct<x:array<bigint>>,b:double,c:string>");
  auto schema = DataType::Struct({{"a", DataType::Struct({{"x", DataType::Array(DataType::Long())}})},
                                  {"b", DataType::Double()},
                                  {"p", DataType::Integer()}});
  EXPECT_EQ(Read(tables::FileFormat::kJson, schema, {lines}, {}, {{2, Value(7)}}),
            (Lines{"{[1, 2]}|1.0|7", "NULL|2.5|7"}));
  const auto document = Put("b.json", "[\n {\"b\": 1},\n {\"b\": 2}\n]\n");
  auto narrow = DataType::Struct({{"b", DataType::Long()}});
  EXPECT_EQ(Read(tables::FileFormat::kJson, narrow, {document}, {{"multiline", "true"}}), (Lines{"1", "2"}));
}

TEST_F(TextFiles, TextByLineAndAsAWhole) {
  const auto path = Put("a.txt", "one\r\ntwo\n\nfour");
  auto schema = DataType::Struct({{"value", DataType::String()}});
  EXPECT_EQ(Read(tables::FileFormat::kText, schema, {path}, {}), (Lines{"one", "two", "", "four"}));
  EXPECT_EQ(Read(tables::FileFormat::kText, schema, {path}, {{"wholetext", "true"}}), (Lines{"one\r\ntwo\n\nfour"}));
}

TEST_F(TextFiles, WritesWhatItReads) {
  auto rows =
      Rows({{"id", DataType::Integer()}, {"s", DataType::String()}}, {{Value(1), Value("a,b")}, {Value(2), Value()}});
  const auto write = [&](tables::FileFormat format, std::map<std::string, std::string> options,
                         const std::string& codec) {
    tables::WriteTask task;
    task.location = (folder_ / "out").string();
    task.format = format;
    task.format_options = std::move(options);
    task.compression = codec;
    task.file_name_prefix = "part" + std::to_string(static_cast<int>(format)) + codec;
    for (const auto& [name, type] :
         {std::pair<std::string, DataTypePtr>{"id", DataType::Integer()}, {"s", DataType::String()}}) {
      tables::ScanColumn column;
      column.name = name;
      column.type = type;
      task.columns.push_back(column);
    }
    auto written = SharedEngine().Write(rows, task, {});
    if (!written.ok()) return "error: " + written.error().message;
    return written->at(0).path;
  };
  auto schema = DataType::Struct({{"id", DataType::Integer()}, {"s", DataType::String()}});
  EXPECT_EQ(Read(tables::FileFormat::kCsv, schema, {write(tables::FileFormat::kCsv, {{"header", "true"}}, "none")},
                 {{"header", "true"}}),
            (Lines{"1|a,b", "2|NULL"}));
  EXPECT_EQ(Read(tables::FileFormat::kJson, schema, {write(tables::FileFormat::kJson, {}, "gzip")}, {}),
            (Lines{"1|a,b", "2|NULL"}));
  const auto parquet = write(tables::FileFormat::kParquet, {}, "snappy");
  EXPECT_EQ(Infer("parquet", parquet, {}), "struct<id:int,s:string>");
  EXPECT_EQ(Read(tables::FileFormat::kParquet, schema, {parquet}, {}), (Lines{"1|a,b", "2|NULL"}));
}

TEST_F(TextFiles, ObjectStoresHoldFilesToo) {
  auto store = std::make_shared<storage::MemoryStore>();
  storage::StoreRegistry registry;
  registry.Register("memory",
                    [store](const std::string&, const storage::SettingLookup&) -> Result<storage::ObjectStorePtr> {
                      return storage::ObjectStorePtr(store);
                    });
  ExecutionContext context;
  context.stores = &registry;
  auto range = std::make_shared<plan::RangeNode>();
  range->end = 100000;
  range->output = {NewAttribute("id", DataType::Long())};
  tables::WriteTask task;
  task.location = "memory://bucket/data";
  task.file_name_prefix = "part";
  tables::ScanColumn column;
  column.name = "id";
  column.type = DataType::Long();
  column.field_id = 1;
  task.columns = {column};
  auto written = SharedEngine().Write(range, task, context);
  ASSERT_TRUE(written.ok()) << written.error().message;
  tables::ScanPlan plan;
  plan.columns = {column};
  plan.match_by_field_id = true;
  plan.files.resize(1);
  plan.files[0].path = written->at(0).path;
  auto node = std::make_shared<plan::ScanNode>();
  node->columns.push_back({0, ""});
  node->output.push_back(NewAttribute("id", DataType::Long()));
  node->scan =
      std::make_shared<TextScan>(tables::FileFormat::kParquet, DataType::Struct({{"id", DataType::Long()}}), plan);
  auto sum = plan::MakeAggregate(node, {}, {Aggregate("sum", {Col(node, 0)}, DataType::Long())}, {},
                                 {NewAttribute("s", DataType::Long())});
  EXPECT_EQ(RunRows(sum, context), (Lines{"4999950000"}));
}

}  // namespace
}  // namespace frazil::engine
