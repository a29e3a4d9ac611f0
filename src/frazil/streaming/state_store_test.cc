#include "frazil/streaming/state_store.h"

#include <gtest/gtest.h>

#include "frazil/storage/memory/memory_store.h"

namespace frazil::streaming {
namespace {

class StateStoreTest : public testing::Test {
 protected:
  StateStore Open() { return StateStore(store_, "/c/state/0/0"); }
  /// A table without rows: which version it is of tells the path.
  ArrowTablePtr Table() const {
    auto table = std::make_shared<ArrowTable>();
    table->schema = schema_;
    return table;
  }
  bool Has(const std::string& name) const { return *store_->Exists("/c/state/0/0/" + name); }

  std::shared_ptr<storage::MemoryStore> store_ = std::make_shared<storage::MemoryStore>();
  DataTypePtr schema_ = DataType::Struct({StructField("k0", DataType::Long(), true)});
};

TEST_F(StateStoreTest, TheFirstVersionHasNoRows) {
  auto state = Open();
  EXPECT_TRUE((*state.Load(0, schema_))->batches.empty());
  EXPECT_EQ(*state.SnapshotUpTo(5), 0);
}

TEST_F(StateStoreTest, KeepsTheSnapshotThatDeltasStandOn) {
  auto state = Open();
  ASSERT_TRUE(state.Save(1, Table()).ok());
  ASSERT_TRUE(state.SaveDelta(2, *Table()).ok());
  ASSERT_TRUE(state.SaveDelta(3, *Table()).ok());
  ASSERT_TRUE(state.RemoveBefore(3).ok());
  EXPECT_TRUE(Has("1.arrow"));
  EXPECT_TRUE(Has("2.delta.arrow"));
  ASSERT_TRUE(state.Save(4, Table()).ok());
  ASSERT_TRUE(state.SaveDelta(5, *Table()).ok());
  ASSERT_TRUE(state.RemoveBefore(5).ok());
  EXPECT_FALSE(Has("1.arrow"));
  EXPECT_FALSE(Has("3.delta.arrow"));
  EXPECT_TRUE(Has("4.arrow"));
  EXPECT_EQ(*state.SnapshotUpTo(5), 4);
  EXPECT_EQ(*Open().SnapshotUpTo(5), 4);
  EXPECT_EQ(*Open().SnapshotUpTo(3), 0);
}

TEST_F(StateStoreTest, ABatchThatRunsAgainMayWriteTheOtherKind) {
  auto state = Open();
  ASSERT_TRUE(state.Save(1, Table()).ok());
  ASSERT_TRUE(state.SaveDelta(2, *Table()).ok());
  auto again = Open();
  ASSERT_TRUE(again.Save(2, Table()).ok());
  EXPECT_TRUE(Has("2.arrow"));
  EXPECT_FALSE(Has("2.delta.arrow"));
  ASSERT_TRUE(again.SaveDelta(2, *Table()).ok());
  EXPECT_FALSE(Has("2.arrow"));
  EXPECT_EQ(*again.SnapshotUpTo(2), 1);
}

TEST_F(StateStoreTest, SaysWhatItCannotRead) {
  auto state = Open();
  const auto gone = state.Load(3, schema_);
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.error().message.find("/c/state/0/0/3.arrow"), std::string::npos);
  ASSERT_TRUE(state.Save(1, Table()).ok());
  EXPECT_FALSE(Open().Load(1, DataType::Struct({StructField("k0", DataType::String(), true)})).ok());
  ASSERT_TRUE(store_->Write("/c/state/0/0/2.delta", "").ok());
  const auto foreign = Open().Load(2, schema_);
  ASSERT_FALSE(foreign.ok());
  EXPECT_NE(foreign.error().message.find("written by another engine"), std::string::npos);
}

}  // namespace
}  // namespace frazil::streaming
