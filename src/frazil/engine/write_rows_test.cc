#include <filesystem>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "frazil/engine/testing/plan_builder.h"

namespace frazil::engine {
namespace {

using namespace testing;  // NOLINT: the builders
using Lines = std::vector<std::string>;

class WriteRows : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("frazil-write-test-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

// A scan over given files.
class Files : public tables::TableScan {
 public:
  Files(DataTypePtr schema, tables::ScanPlan plan) : schema_(std::move(schema)), plan_(std::move(plan)) {}
  const DataTypePtr& schema() const override { return schema_; }
  Result<tables::ScanPlan> Plan(const PredicatePtr& filter) const override {
    filters.push_back(filter->ToString());
    return plan_;
  }
  mutable std::vector<std::string> filters;

 private:
  DataTypePtr schema_;
  tables::ScanPlan plan_;
};

tables::ScanColumn Column(const std::string& name, DataTypePtr type, int32_t id,
                          std::vector<tables::ScanColumn> children = {}) {
  tables::ScanColumn column;
  column.name = name;
  column.type = std::move(type);
  column.field_id = id;
  column.children = std::move(children);
  return column;
}

std::shared_ptr<plan::ScanNode> Scan(std::shared_ptr<tables::TableScan> scan,
                                     const std::vector<std::string>& metadata = {}) {
  auto node = std::make_shared<plan::ScanNode>();
  for (size_t i = 0; i < scan->schema()->fields().size(); ++i) {
    const auto& field = scan->schema()->fields()[i];
    node->columns.push_back({static_cast<int>(i), ""});
    node->output.push_back(NewAttribute(field.name, field.type));
  }
  for (const auto& name : metadata) {
    node->columns.push_back({-1, name});
    node->output.push_back(NewAttribute(name, name == "_pos" ? DataType::Long() : DataType::String()));
  }
  node->scan = std::move(scan);
  node->table_name = "t";
  return node;
}

tables::WriteTask Task(const std::filesystem::path& folder, std::vector<tables::ScanColumn> columns) {
  tables::WriteTask task;
  task.location = folder.string();
  task.columns = std::move(columns);
  task.file_name_prefix = "part";
  return task;
}

TEST_F(WriteRows, NestedColumnsComeBackByFieldId) {
  const auto pair = DataType::Struct({{"x", DataType::Integer()}, {"y", DataType::String()}});
  const auto list = DataType::Array(pair);
  const auto map = DataType::Map(DataType::String(), DataType::Long());
  auto rows = Rows({{"id", DataType::Long()},
                    {"p", pair},
                    {"l", list},
                    {"m", map},
                    {"t", DataType::Timestamp()},
                    {"d", DataType::Decimal(20, 2)}},
                   {{Value(1), Value(Value::List{Value(7), Value("q")}),
                     Value(Value::List{Value(Value::List{Value(1), Value("a")})}),
                     Value(Value::List{Value("k"), Value(5)}), Value(int64_t{1000000}), Value(Decimal128{12345})},
                    {Value(2), Value(), Value(), Value(), Value(), Value()}});
  std::vector<tables::ScanColumn> columns = {
      Column("id", DataType::Long(), 1),
      Column("p", pair, 2, {Column("x", DataType::Integer(), 3), Column("y", DataType::String(), 4)}),
      Column("l", list, 5,
             {Column("element", pair, 6, {Column("x", DataType::Integer(), 7), Column("y", DataType::String(), 8)})}),
      Column("m", map, 9, {Column("key", DataType::String(), 10), Column("value", DataType::Long(), 11)}),
      Column("t", DataType::Timestamp(), 12),
      Column("d", DataType::Decimal(20, 2), 13)};
  auto written = SharedEngine().Write(rows, Task(folder_, columns), {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  ASSERT_EQ(written->size(), 1u);
  const auto& file = (*written)[0];
  EXPECT_EQ(file.record_count, 2);
  EXPECT_EQ(file.size, static_cast<int64_t>(std::filesystem::file_size(file.path)));
  EXPECT_EQ(file.split_offsets, std::vector<int64_t>{4});
  EXPECT_EQ(file.columns.at(1).lower->integer(), 1);
  EXPECT_EQ(file.columns.at(1).upper->integer(), 2);
  EXPECT_EQ(file.columns.at(3).null_count, 1);
  EXPECT_EQ(file.columns.at(4).upper->string(), "q");
  EXPECT_EQ(file.columns.at(13).lower->decimal(), 12345);
  EXPECT_GT(file.columns.at(8).compressed_size, 0);

  // Read under other names, in another order, with a promoted type, a column that the file lacks and a deleted row.
  auto renamed = columns;
  renamed[0].name = "number";
  renamed[1].children = {Column("why", DataType::String(), 4), Column("ex", DataType::Long(), 3),
                         Column("new", DataType::Integer(), 40)};
  renamed[1].type =
      DataType::Struct({{"why", DataType::String()}, {"ex", DataType::Long()}, {"new", DataType::Integer()}});
  renamed.push_back(Column("extra", DataType::Integer(), 20));
  renamed.back().missing_value = Value(42);
  std::vector<StructField> fields;
  for (const auto& column : renamed) fields.emplace_back(column.name, column.type);
  tables::ScanPlan plan;
  plan.columns = renamed;
  plan.match_by_field_id = true;
  tables::ScanFile scan_file;
  scan_file.path = file.path;
  scan_file.size = file.size;
  scan_file.record_count = 2;
  plan.files = {scan_file};
  auto scan = std::make_shared<Files>(DataType::Struct(fields), plan);
  EXPECT_EQ(RunRows(Scan(scan, {"_pos"})), (Lines{"1|{q, 7, null}|[{1, a}]|{k -> 5}|1970-01-01 00:00:01|123.45|42|0",
                                                  "2|NULL|NULL|NULL|NULL|NULL|42|1"}));

  plan.files[0].deleted_positions = std::make_shared<const std::vector<int64_t>>(std::vector<int64_t>{0});
  auto deleted = std::make_shared<Files>(DataType::Struct(fields), plan);
  auto node = Scan(deleted);
  EXPECT_EQ(RunRows(Project(node, {Col(node, 0)})), (Lines{"2"}));
  auto counted = plan::MakeAggregate(Project(Scan(deleted), {}), {}, {Aggregate("count", {}, DataType::Long())}, {},
                                     {NewAttribute("n", DataType::Long())});
  EXPECT_EQ(RunRows(counted), (Lines{"1"}));
}

TEST_F(WriteRows, FiltersReachTheTable) {
  auto rows = Rows({{"id", DataType::Integer()}, {"s", DataType::String()}},
                   {{Value(1), Value("abc")}, {Value(2), Value("xyz")}});
  std::vector<tables::ScanColumn> columns = {Column("id", DataType::Integer(), 1), Column("s", DataType::String(), 2)};
  auto written = SharedEngine().Write(rows, Task(folder_, columns), {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  tables::ScanPlan plan;
  plan.columns = columns;
  plan.files.resize(1);
  plan.files[0].path = (*written)[0].path;
  plan.files[0].constants[1] = Value("from metadata");
  auto scan = std::make_shared<Files>(DataType::Struct({{"id", DataType::Integer()}, {"s", DataType::String()}}), plan);
  auto node = Scan(scan);
  auto filtered = plan::MakeFilter(node, Call("and",
                                              {Call("greater", {Col(node, 0), Int(1)}, DataType::Boolean()),
                                               Call("is_not_null", {Col(node, 1)}, DataType::Boolean())},
                                              DataType::Boolean()));
  EXPECT_EQ(RunRows(filtered), (Lines{"2|from metadata"}));
  ASSERT_FALSE(scan->filters.empty());
  EXPECT_NE(scan->filters.back().find("id"), std::string::npos) << scan->filters.back();

  tables::ScanPlan nothing = plan;
  nothing.files.clear();
  auto empty = Scan(std::make_shared<Files>(scan->schema(), nothing));
  EXPECT_EQ(RunRows(empty), (Lines{}));
}

TEST_F(WriteRows, PartitionsByTransforms) {
  auto rows = Rows({{"id", DataType::Integer()}, {"s", DataType::String()}, {"d", DataType::Date()}},
                   {{Value(34), Value("a b"), Value(17486)},
                    {Value(34), Value(), Value(17486)},
                    {Value(35), Value("a b"), Value(17487)}});
  auto task = Task(folder_, {Column("id", DataType::Integer(), 1), Column("s", DataType::String(), 2),
                             Column("d", DataType::Date(), 3)});
  const auto field = [](const std::string& name, const std::string& source, tables::TransformKind transform,
                        int32_t parameter = 0) {
    tables::PartitionField result;
    result.name = name;
    result.source = {source};
    result.transform = transform;
    result.parameter = parameter;
    return result;
  };
  task.partitions = {
      field("s", "s", tables::TransformKind::kIdentity), field("id_bucket", "id", tables::TransformKind::kBucket, 16),
      field("d_month", "d", tables::TransformKind::kMonth), field("d_day", "d", tables::TransformKind::kDay)};
  auto written = SharedEngine().Write(rows, task, {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  std::vector<std::string> paths;
  for (const auto& file : *written)
    paths.push_back(std::filesystem::path(file.path).parent_path().lexically_relative(folder_).string());
  std::sort(paths.begin(), paths.end());
  // Iceberg's specification: the hash of the integer 34 is 2017239379.
  const std::string bucket = std::to_string(2017239379 % 16);
  ASSERT_EQ(paths.size(), 3u);
  EXPECT_EQ(paths[0].substr(0, 6), "s=a+b/");
  EXPECT_EQ(paths[2], "s=null/id_bucket=" + bucket + "/d_month=2017-11/d_day=2017-11-16");
  for (const auto& file : *written) EXPECT_EQ(file.partition.size(), 4u);
}

TEST_F(WriteRows, LargeWritesAreCutIntoFiles) {
  auto range = std::make_shared<plan::RangeNode>();
  range->end = 1000000;
  range->output = {NewAttribute("id", DataType::Long())};
  auto task = Task(folder_, {Column("id", DataType::Long(), 1)});
  task.target_file_size = 1024 * 1024;
  auto written = SharedEngine().Write(range, task, {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_GT(written->size(), 1u);
  int64_t total = 0, expected_lower = 0;
  for (const auto& file : *written) {
    total += file.record_count;
    EXPECT_EQ(file.columns.at(1).lower->integer(), expected_lower);
    expected_lower = file.columns.at(1).upper->integer() + 1;
  }
  EXPECT_EQ(total, 1000000);
}

TEST_F(WriteRows, AnErrorLeavesNoFiles) {
  auto rows = Rows({{"s", DataType::String()}}, {{Value("1")}, {Value("x")}});
  auto cast = Project(rows, {MakeCast(Col(rows, 0), DataType::Integer(), EvalMode::kAnsi)});
  auto written = SharedEngine().Write(cast, Task(folder_, {Column("n", DataType::Integer(), 1)}), {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().condition, "CAST_INVALID_INPUT");
  EXPECT_TRUE(!std::filesystem::exists(folder_) || std::filesystem::is_empty(folder_));
}

// A table of ids from 0 on in several files of several row groups, and each id as text.
class WriteManyRows : public WriteRows {
 protected:
  static constexpr int64_t kRows = 700000;

  void SetUp() override {
    WriteRows::SetUp();
    auto range = std::make_shared<plan::RangeNode>();
    range->end = kRows;
    range->output = {NewAttribute("id", DataType::Long())};
    auto rows = Project(range, {Col(range, 0), MakeCast(Col(range, 0), DataType::String(), EvalMode::kAnsi)});
    auto task = Task(folder_ / "from", columns_);
    task.target_file_size = 1024 * 1024;
    task.row_group_size = 2 * 1024 * 1024;
    auto written = SharedEngine().Write(rows, task, {});
    ASSERT_TRUE(written.ok()) << written.error().message;
    ASSERT_GT(written->size(), 1u);
    ASSERT_GT((*written)[0].split_offsets.size(), 1u);
    files_ = FilesOf(*written);
    source_ = Scan(files_);
  }

  std::shared_ptr<Files> FilesOf(const std::vector<tables::WrittenFile>& written) const {
    tables::ScanPlan plan;
    plan.columns = columns_;
    plan.match_by_field_id = true;
    for (const auto& file : written) {
      plan.files.emplace_back();
      plan.files.back().path = file.path;
      plan.files.back().size = file.size;
      plan.files.back().record_count = file.record_count;
    }
    return std::make_shared<Files>(DataType::Struct({{"id", DataType::Long()}, {"s", DataType::String()}}), plan);
  }

  // How many files are in the folder that a test writes to.
  int64_t FilesThatAreThere() const {
    if (!std::filesystem::exists(folder_ / "to")) return 0;
    return std::distance(std::filesystem::directory_iterator(folder_ / "to"), {});
  }

  const std::vector<tables::ScanColumn> columns_ = {Column("id", DataType::Long(), 1),
                                                    Column("s", DataType::String(), 2)};
  std::shared_ptr<Files> files_;
  std::shared_ptr<plan::ScanNode> source_;
};

TEST_F(WriteManyRows, KeepTheirOrderAndStatisticsWhateverTheirBatches) {
  for (const int64_t row_group_size : {int64_t{1} << 30, int64_t{1} << 20}) {
    auto task = Task(folder_ / "to", columns_);
    task.target_file_size = 256 * 1024;
    task.row_group_size = row_group_size;
    ExecutionContext context;
    context.metrics = std::make_shared<ExecutionMetrics>();
    auto written = SharedEngine().Write(source_, task, context);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_GT(written->size(), 1u) << (*written)[0].size
                                   << " bytes, row groups: " << (*written)[0].split_offsets.size();
    EXPECT_EQ(context.metrics->rows_out.load(), kRows);
    int64_t next = 0;
    for (const auto& file : *written) {
      EXPECT_EQ(file.columns.at(1).lower->integer(), next);
      EXPECT_EQ(file.columns.at(1).value_count, file.record_count);
      EXPECT_EQ(file.columns.at(2).null_count, 0);
      EXPECT_GT(file.columns.at(2).compressed_size, 0);
      // Each row stands where it stood.
      auto node = Scan(FilesOf({file}), {"_pos"});
      auto moved = plan::MakeFilter(
          node, Call("or",
                     {Call("not_equal", {Col(node, 0), Call("add", {Col(node, 2), Long(next)}, DataType::Long())},
                           DataType::Boolean()),
                      Call("not_equal", {MakeCast(Col(node, 0), DataType::String(), EvalMode::kAnsi), Col(node, 1)},
                           DataType::Boolean())},
                     DataType::Boolean()));
      EXPECT_EQ(RunRows(moved), Lines{});
      next += file.record_count;
      EXPECT_EQ(file.columns.at(1).upper->integer(), next - 1);
    }
    EXPECT_EQ(next, kRows);
    std::filesystem::remove_all(folder_ / "to");
  }
}

TEST_F(WriteManyRows, ComeFromSeveralThreadsInAnyOrder) {
  auto grouped =
      plan::MakeAggregate(source_, {Col(source_, 0)}, {Aggregate("max", {Col(source_, 1)}, DataType::String())}, {},
                          {NewAttribute("id", DataType::Long()), NewAttribute("s", DataType::String())});
  auto written = SharedEngine().Write(grouped, Task(folder_ / "to", columns_), {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  ASSERT_EQ(written->size(), 1u);
  EXPECT_EQ((*written)[0].record_count, kRows);
  EXPECT_EQ((*written)[0].columns.at(1).lower->integer(), 0);
  EXPECT_EQ((*written)[0].columns.at(1).upper->integer(), kRows - 1);
  auto node = Scan(FilesOf(*written));
  auto counted = plan::MakeAggregate(
      node, {}, {Aggregate("count", {}, DataType::Long()), Aggregate("sum", {Col(node, 0)}, DataType::Long())}, {},
      {NewAttribute("n", DataType::Long()), NewAttribute("sum", DataType::Long())});
  EXPECT_EQ(RunRows(counted), (Lines{std::to_string(kRows) + "|" + std::to_string(kRows * (kRows - 1) / 2)}));
}

TEST_F(WriteManyRows, AreCompressedByTheLevelThatIsAskedFor) {
  std::map<std::string, int64_t> sizes;
  for (const std::string level : {"1", "19"}) {
    auto task = Task(folder_ / "to", columns_);
    task.compression = "zstd";
    task.format_options["write.parquet.compression-level"] = level;
    auto few = plan::MakeFilter(source_, Call("less", {Col(source_, 0), Long(50000)}, DataType::Boolean()));
    auto written = SharedEngine().Write(few, task, {});
    ASSERT_TRUE(written.ok()) << written.error().message;
    for (const auto& file : *written) sizes[level] += file.size;
    std::filesystem::remove_all(folder_ / "to");
  }
  EXPECT_LT(sizes["19"], sizes["1"]);
  auto task = Task(folder_ / "to", columns_);
  task.format_options["write.parquet.compression-level"] = "much";
  auto refused = SharedEngine().Write(source_, task, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "For input string: \"much\"");
}

TEST_F(WriteManyRows, LeaveNoFilesBehindAnErrorOrACancel) {
  // 9 / (id - 600000)
  auto failing =
      Project(source_, {Call("div", {Long(9), Call("subtract", {Col(source_, 0), Long(600000)}, DataType::Long())},
                             DataType::Long(), EvalMode::kAnsi),
                        Col(source_, 1)});
  auto task = Task(folder_ / "to", columns_);
  task.target_file_size = 1024 * 1024;
  auto written = SharedEngine().Write(failing, task, {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().condition, "DIVIDE_BY_ZERO");
  EXPECT_EQ(FilesThatAreThere(), 0);

  auto other = Scan(files_);
  auto pairs = plan::MakeJoin(source_, other, plan::JoinType::kInner,
                              Call("less", {Col(source_, 0), Col(other, 0)}, DataType::Boolean()));
  auto many = Project(pairs, {Col(source_, 0), Col(other, 1)});
  ExecutionContext context;
  context.cancel = std::make_shared<CancelToken>();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    context.cancel->Cancel();
  });
  auto cancelled = SharedEngine().Write(many, task, context);
  canceller.join();
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(FilesThatAreThere(), 0);
}

TEST(Execute, StreamsBoundedBatches) {
  auto range = std::make_shared<plan::RangeNode>();
  range->end = 25000;
  range->output = {NewAttribute("id", DataType::Long())};
  ExecutionContext context;
  context.batch_rows = 10000;
  context.metrics = std::make_shared<ExecutionMetrics>();
  auto stream = SharedEngine().Execute(range, context);
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  std::vector<int64_t> sizes;
  int64_t next = 0;
  while (true) {
    auto batch = (*stream)->Next();
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    if (*batch == nullptr) break;
    sizes.push_back((*batch)->num_rows());
    const auto* values = static_cast<const int64_t*>((*batch)->array().children[0]->buffers[1]);
    for (int64_t i = 0; i < (*batch)->num_rows(); ++i) ASSERT_EQ(values[i], next++);
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{10000, 10000, 5000}));
  EXPECT_EQ(context.metrics->rows_out.load(), 25000);
}

TEST(Execute, CancelEndsAStatementSoon) {
  auto left = std::make_shared<plan::RangeNode>();
  left->end = 3000000;
  left->output = {NewAttribute("a", DataType::Long())};
  auto right = std::make_shared<plan::RangeNode>();
  right->end = 3000000;
  right->output = {NewAttribute("b", DataType::Long())};
  auto join =
      plan::MakeJoin(left, right, plan::JoinType::kInner,
                     Call("less", {MakeColumn(left->output[0]), MakeColumn(right->output[0])}, DataType::Boolean()));
  auto counted = plan::MakeAggregate(join, {}, {Aggregate("count", {}, DataType::Long())}, {},
                                     {NewAttribute("n", DataType::Long())});
  ExecutionContext context;
  context.cancel = std::make_shared<CancelToken>();
  std::chrono::steady_clock::time_point asked;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    asked = std::chrono::steady_clock::now();
    context.cancel->Cancel();
  });
  auto result = SharedEngine().Collect(counted, context);
  const auto ended = std::chrono::steady_clock::now();
  canceller.join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kCancelled);
  EXPECT_LT(std::chrono::duration_cast<std::chrono::milliseconds>(ended - asked).count(), 2000);
}

TEST(Execute, LocalRelationsAreReadFromArrow) {
  auto range = std::make_shared<plan::RangeNode>();
  range->end = 3;
  range->output = {NewAttribute("id", DataType::Long())};
  const auto pair = DataType::Struct({{"x", DataType::Long()}, {"y", DataType::String()}});
  auto made =
      Project(range, {Col(range, 0), Call("named_struct", {Text("x"), Col(range, 0), Text("y"), Text("t")}, pair),
                      MakeNull(DataType::Null()), MakeLiteral(DataType::DayTimeInterval(), Value(int64_t{5000000}))});
  auto stream = SharedEngine().Execute(made, {});
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  auto table = std::make_shared<ArrowTable>();
  table->schema = (*stream)->schema();
  auto batch = (*stream)->Next();
  ASSERT_TRUE(batch.ok() && *batch != nullptr);
  table->batches.push_back(std::move(**batch));
  auto node = std::make_shared<plan::ArrowRowsNode>();
  node->data = table;
  for (const auto& field : table->schema->fields()) node->output.push_back(NewAttribute(field.name, field.type));
  EXPECT_EQ(RunRows(node), (Lines{"0|{0, t}|NULL|INTERVAL '0 00:00:05' DAY TO SECOND",
                                  "1|{1, t}|NULL|INTERVAL '0 00:00:05' DAY TO SECOND",
                                  "2|{2, t}|NULL|INTERVAL '0 00:00:05' DAY TO SECOND"}));
  // Some columns, in another order, and fewer rows.
  const plan::LogicalPlanPtr local = node;
  auto some = Project(plan::MakeFilter(local, Call("greater", {Col(local, 0), Long(0)}, DataType::Boolean())),
                      {Col(local, 1), Col(local, 0)});
  EXPECT_EQ(RunRows(some), (Lines{"{1, t}|1", "{2, t}|2"}));
}

}  // namespace
}  // namespace frazil::engine
