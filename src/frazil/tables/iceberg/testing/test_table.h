#pragma once

// What the tests of this folder share: tables in memory, and files that nobody has to write.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frazil/storage/memory/memory_store.h"
#include "frazil/tables/iceberg/iceberg_format.h"
#include "frazil/tables/iceberg/iceberg_table.h"
#include "frazil/tables/table_format.h"

namespace frazil::tables::iceberg::testing {

inline DataTypePtr TripsSchema() {
  StructField id("id", DataType::Long(), false);
  id.SetComment("the key");
  return DataType::Struct({id, StructField("city", DataType::String()), StructField("fare", DataType::Decimal(10, 2)),
                           StructField("tags", DataType::Array(DataType::String()))});
}

/// A table id BIGINT, city STRING, fare DECIMAL, tags ARRAY, partitioned by city, in a store of its own.
class TestTable {
 public:
  explicit TestTable(std::map<std::string, std::string> properties = {}, bool partitioned = true,
                     storage::ObjectStorePtr store = std::make_shared<storage::MemoryStore>(),
                     std::string location = "/w/t")
      : store_(std::move(store)), location_(std::move(location)), context_{store_, {}, "ice.db.t"} {
    TableDefinition definition;
    definition.schema = TripsSchema();
    definition.properties = std::move(properties);
    if (partitioned) {
      PartitionField city;
      city.source = {"city"};
      definition.partitioning.push_back(city);
    }
    point_ = format_.PathCommitPoint(context_, location_);
    auto created = format_.Create(context_, definition, location_, point_);
    EXPECT_TRUE(created.ok()) << created.error().message;
  }

  TablePtr Load() const {
    auto table = format_.Load(context_, location_, point_);
    EXPECT_TRUE(table.ok());
    return *table;
  }
  const TableMetadata& Metadata() {
    kept_.push_back(Load());
    return static_cast<const IcebergTable&>(*kept_.back()).metadata();
  }

  /// A written file of a city with ids first..first+count-1; the file itself is a few bytes.
  WrittenFile File(const std::string& name, const std::string& city, int64_t first, int64_t count,
                   bool partitioned = true) {
    WrittenFile file;
    file.path = location_ + "/data/" + name;
    EXPECT_TRUE(store_->Write(file.path, "data").ok());
    file.record_count = count;
    file.size = 100;
    if (partitioned) file.partition = {Value(city)};
    ColumnStatistics id;
    id.value_count = count;
    id.lower = Value(first);
    id.upper = Value(first + count - 1);
    file.columns[1] = id;
    ColumnStatistics cities;
    cities.value_count = count;
    cities.lower = cities.upper = Value(city);
    file.columns[2] = cities;
    return file;
  }

  Result<CommitOutcome> Write(const TablePtr& table, WriteOptions options, std::vector<WrittenFile> files,
                              std::vector<std::string> removed = {}) {
    auto write = table->StartWrite(options);
    if (!write.ok()) return std::move(write).error();
    (*write)->AddFiles(std::move(files));
    (*write)->RemoveFiles(std::move(removed));
    return (*write)->Commit();
  }
  /// Appends to the newest state.
  void Append(std::vector<WrittenFile> files) {
    auto outcome = Write(Load(), WriteOptions{}, std::move(files));
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    ASSERT_EQ(outcome->state, CommitState::kCommitted) << outcome->conflict;
  }

  /// Names of the files that a scan of the newest state plans.
  std::vector<std::string> Planned(const PredicatePtr& filter = nullptr, const ScanOptions& options = {}) const {
    auto scan = Load()->Scan(options);
    EXPECT_TRUE(scan.ok()) << scan.error().message;
    if (!scan.ok()) return {};
    auto plan = (*scan)->Plan(filter);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    std::vector<std::string> names;
    if (plan.ok()) {
      for (const auto& file : plan->files) names.push_back(file.path.substr(file.path.find_last_of('/') + 1));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string location() const { return location_; }
  storage::MemoryStore& memory() const { return static_cast<storage::MemoryStore&>(*store_); }
  storage::ObjectStore& store() const { return *store_; }
  const IcebergFormat& format() const { return format_; }
  const TableContext& context() const { return context_; }
  const CommitPointPtr& point() const { return point_; }

 private:
  storage::ObjectStorePtr store_;
  std::string location_;
  IcebergFormat format_;
  TableContext context_;
  CommitPointPtr point_;
  std::vector<TablePtr> kept_;
};

inline PredicatePtr CityIs(const std::string& city) {
  return Predicate::Test(PredicateOp::kEqual, {"city"}, DataType::String(), {Value(city)});
}
inline PredicatePtr IdTest(PredicateOp op, int64_t id) {
  return Predicate::Test(op, {"id"}, DataType::Long(), {Value(id)});
}

inline WriteOptions Mode(WriteMode mode, PredicatePtr filter = nullptr,
                         std::map<std::string, std::string> options = {}) {
  WriteOptions result;
  result.mode = mode;
  result.filter = std::move(filter);
  result.options = std::move(options);
  return result;
}

}  // namespace frazil::tables::iceberg::testing
