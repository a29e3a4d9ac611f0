#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "frazil/tables/iceberg/metrics_config.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/snapshot_summary.h"
#include "frazil/tables/iceberg/testing/test_table.h"

namespace frazil::tables::iceberg {
namespace {

using testing::TestTable;
using Properties = std::map<std::string, std::string>;

TableMetadata MetadataWith(Properties properties, int columns = 3) {
  TableMetadata metadata;
  std::vector<NestedField> fields;
  for (int i = 1; i <= columns; ++i) {
    NestedField field;
    field.id = i;
    field.name = "c" + std::to_string(i);
    field.type = Type::Primitive(i % 2 == 1 ? TypeKind::kString : TypeKind::kDouble);
    fields.push_back(std::move(field));
  }
  NestedField list;
  list.id = columns + 1;
  list.name = "l";
  list.type = Type::List(columns + 2, false, Type::Primitive(TypeKind::kLong));
  fields.push_back(list);
  metadata.schemas.push_back(Schema::Make(0, std::move(fields)));
  metadata.specs.emplace_back();
  metadata.sort_orders.emplace_back();
  metadata.properties = std::move(properties);
  return metadata;
}

WrittenFile Written() {
  WrittenFile file;
  file.path = "/t/a.parquet";
  file.record_count = 10;
  ColumnStatistics text;
  text.value_count = 10;
  text.null_count = 1;
  text.compressed_size = 99;
  text.lower = Value("aaaaaaaaaaaaaaaaaaaaaaaa");
  text.upper = Value("zzzzzzzzzzzzzzzzzzzzzzzz");
  file.columns[1] = text;
  file.columns[3] = text;
  ColumnStatistics number;
  number.value_count = 10;
  number.nan_count = 2;
  number.lower = Value(0.0);
  number.upper = Value(-0.0);
  file.columns[2] = number;
  ColumnStatistics element;
  element.value_count = 30;
  element.lower = element.upper = Value(int64_t{1});
  file.columns[5] = element;
  return file;
}

DataFilePtr Convert(const TableMetadata& metadata) {
  auto file =
      ToDataFile(Written(), metadata, metadata.specs[0], metadata.default_sort_order_id, MetricsConfig::Of(metadata));
  EXPECT_TRUE(file.ok());
  return *file;
}

TEST(MetricsConfig, BoundsAreCutToSixteenCharacters) {
  DataFilePtr file = Convert(MetadataWith({}));
  EXPECT_EQ(*FindById(file->lower_bounds, 1), "aaaaaaaaaaaaaaaa");
  EXPECT_EQ(*FindById(file->upper_bounds, 1), "zzzzzzzzzzzzzzz{");
  EXPECT_EQ(*FindById(file->value_counts, 1), 10);
  EXPECT_EQ(*FindById(file->null_counts, 1), 1);
  EXPECT_EQ(*FindById(file->column_sizes, 1), 99);
  EXPECT_EQ(FindById(file->nan_counts, 1), nullptr);
  EXPECT_EQ(*FindById(file->nan_counts, 2), 2);
  // Both zeros lie between the bounds.
  EXPECT_TRUE(
      std::signbit(FromBytes(*Type::Primitive(TypeKind::kDouble), *FindById(file->lower_bounds, 2))->float64()));
  EXPECT_FALSE(
      std::signbit(FromBytes(*Type::Primitive(TypeKind::kDouble), *FindById(file->upper_bounds, 2))->float64()));
  // Elements of lists are neither counted nor have they bounds, as by Iceberg's own writers.
  EXPECT_EQ(FindById(file->value_counts, 5), nullptr);
  EXPECT_EQ(FindById(file->lower_bounds, 5), nullptr);
  EXPECT_EQ(file->format, "PARQUET");
}

TEST(MetricsConfig, Modes) {
  DataFilePtr file = Convert(MetadataWith({{"write.metadata.metrics.default", "counts"},
                                           {"write.metadata.metrics.column.c1", "full"},
                                           {"write.metadata.metrics.column.c3", "truncate(2)"},
                                           {"write.metadata.metrics.column.c2", "none"}}));
  EXPECT_EQ(FindById(file->upper_bounds, 1)->size(), 24u);
  EXPECT_EQ(*FindById(file->upper_bounds, 3), "z{");
  EXPECT_EQ(FindById(file->value_counts, 2), nullptr);
  EXPECT_EQ(FindById(file->value_counts, 5), nullptr);
  DataFilePtr bad = Convert(MetadataWith({{"write.metadata.metrics.default", "everything"}}));
  EXPECT_EQ(FindById(bad->upper_bounds, 1)->size(), 16u);
}

TEST(MetricsConfig, ManyColumnsAndSortedOnes) {
  TableMetadata metadata = MetadataWith({{"write.metadata.metrics.max-inferred-column-defaults", "1"}});
  DataFilePtr file = Convert(metadata);
  EXPECT_NE(FindById(file->value_counts, 1), nullptr);
  EXPECT_EQ(FindById(file->value_counts, 3), nullptr);
  SortOrder order;
  order.order_id = 1;
  order.fields.emplace_back();
  order.fields[0].term.source_id = 3;
  metadata.sort_orders.push_back(order);
  metadata.default_sort_order_id = 1;
  file = Convert(metadata);
  EXPECT_NE(FindById(file->lower_bounds, 3), nullptr);
  EXPECT_EQ(file->sort_order_id, 1);
}

TEST(MetricsConfig, ValuesOfAnotherKindAreNoBounds) {
  TableMetadata metadata = MetadataWith({});
  WrittenFile written = Written();
  written.columns[1].lower = Value(5);
  written.columns[2].lower = Value(std::numeric_limits<double>::quiet_NaN());
  auto file =
      ToDataFile(written, metadata, metadata.specs[0], metadata.default_sort_order_id, MetricsConfig::Of(metadata));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(FindById((*file)->lower_bounds, 1), nullptr);
  EXPECT_EQ(FindById((*file)->lower_bounds, 2), nullptr);
  EXPECT_NE(FindById((*file)->upper_bounds, 1), nullptr);
  written.partition = {Value(1)};
  EXPECT_FALSE(
      ToDataFile(written, metadata, metadata.specs[0], metadata.default_sort_order_id, MetricsConfig::Of(metadata))
          .ok());
  written = Written();
  written.format = FileFormat::kCsv;
  EXPECT_FALSE(
      ToDataFile(written, metadata, metadata.specs[0], metadata.default_sort_order_id, MetricsConfig::Of(metadata))
          .ok());
}

TEST(SnapshotSummary, PartitionsAndTotals) {
  DataFile file;
  file.record_count = 5;
  file.size = 100;
  DataFile vector;
  vector.content = FileContent::kPositionDeletes;
  vector.format = "PUFFIN";
  vector.record_count = 2;
  vector.size = 1000;
  vector.content_size = 40;
  SnapshotSummary summary;
  summary.SetPartitionLimit(2);
  summary.Added(file, "p=1");
  summary.Removed(file, "p=2");
  summary.Removed(file, "p=2");
  summary.Added(vector, "p=1");
  Snapshot previous;
  previous.summary = {{"total-records", "20"}, {"total-files-size", "oops"}, {"total-data-files", "4"}};
  auto built = summary.Build(&previous);
  EXPECT_EQ(built["engine-name"], "frazil");
  EXPECT_FALSE(built["engine-version"].empty());
  EXPECT_EQ(built["iceberg-version"], "Frazil " + built["engine-version"]);
  EXPECT_EQ(built["added-dvs"], "1");
  EXPECT_EQ(built["added-files-size"], "140");
  EXPECT_EQ(built["total-records"], "15");
  EXPECT_EQ(built["total-data-files"], "3");
  EXPECT_EQ(built.count("total-files-size"), 0u);    // The former total cannot be read.
  EXPECT_EQ(built.count("total-delete-files"), 0u);  // The former snapshot has none.
  EXPECT_EQ(built["changed-partition-count"], "2");
  EXPECT_EQ(built["partition-summaries-included"], "true");
  EXPECT_EQ(built["partitions.p=2"], "deleted-data-files=2,deleted-records=10,removed-files-size=200");
  EXPECT_EQ(summary.Build(nullptr)["total-delete-files"], "1");
}

TEST(Cache, IsBoundedAndForgetsTheOldest) {
  ManifestCache cache(100);
  auto entries = std::make_shared<const std::vector<ManifestEntry>>();
  cache.Put("a", entries, 40);
  cache.Put("b", entries, 40);
  EXPECT_NE(cache.FindEntries("a"), nullptr);
  cache.Put("c", entries, 40);
  EXPECT_NE(cache.FindEntries("a"), nullptr);
  EXPECT_EQ(cache.FindEntries("b"), nullptr);
  cache.Put("d", entries, 1000);
  EXPECT_EQ(cache.FindEntries("d"), nullptr);
  EXPECT_NE(cache.FindEntries("c"), nullptr);
}

TEST(NameMapping, NamesOfFilesWithoutIds) {
  TestTable table(Properties{
      {"schema.name-mapping.default",
       R"([{"field-id":1,"names":["id","key"]},{"field-id":4,"names":["tags"],"fields":[{"field-id":5,"names":["element"]}]}])"}});
  auto plan = (*table.Load()->Scan({}))->Plan(nullptr);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->columns[0].names_without_ids, (std::vector<std::string>{"id", "key"}));
  EXPECT_TRUE(plan->columns[1].names_without_ids.empty());
  EXPECT_EQ(plan->columns[3].children[0].names_without_ids, std::vector<std::string>{"element"});
  TableChange rename;
  rename.type = TableChange::Type::kRenameColumn;
  rename.column = {"id"};
  rename.new_name = "ident";
  ASSERT_TRUE(table.Load()->Alter({rename}).ok());
  plan = (*table.Load()->Scan({}))->Plan(nullptr);
  EXPECT_EQ(plan->columns[0].names_without_ids, (std::vector<std::string>{"id", "key", "ident"}));
}

}  // namespace
}  // namespace frazil::tables::iceberg
