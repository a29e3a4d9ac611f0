#include <gtest/gtest.h>

#include "frazil/catalogs/glue/glue_columns.h"
#include "frazil/catalogs/glue/glue_pointer.h"
#include "frazil/catalogs/json_members.h"
#include "frazil/net/testing/test_server.h"
#include "frazil/storage/memory/memory_store.h"

namespace frazil::catalogs {
namespace {

using net::ReceivedRequest;
using net::TestAnswer;
using net::TestServer;

constexpr const char* kMetadata = R"json({"location": "s3://w/db/t", "current-schema-id": 1,
  "properties": {"comment": "c"}, "metadata-log": [{"metadata-file": "m1"}],
  "schemas": [
    {"schema-id": 0, "fields": [{"id": 1, "name": "a", "required": true, "type": "int"},
                                {"id": 2, "name": "gone", "required": false, "type": "timestamptz"}]},
    {"schema-id": 1, "fields": [{"id": 1, "name": "a", "required": true, "type": "long", "doc": "number"},
                                {"id": 3, "name": "d", "required": false, "type": "decimal(7, 2)"}]}]})json";

TEST(GlueColumns, AreThoseOfTheSchemaAndOfFormerOnes) {
  const Json columns = GlueColumns(Json::parse(kMetadata));
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[0]["Name"], "a");
  EXPECT_EQ(columns[0]["Type"], "bigint");
  EXPECT_EQ(columns[0]["Comment"], "number");
  EXPECT_EQ(columns[0]["Parameters"]["iceberg.field.optional"], "false");
  EXPECT_EQ(columns[1]["Type"], "decimal(7,2)");
  EXPECT_EQ(columns[1]["Parameters"]["iceberg.field.id"], "3");
  EXPECT_EQ(columns[2]["Name"], "gone");
  EXPECT_EQ(columns[2]["Type"], "timestamp");
  EXPECT_EQ(columns[2]["Parameters"]["iceberg.field.current"], "false");
  EXPECT_TRUE(GlueColumns(Json()).empty());
}

TEST(GlueColumns, HaveTypesOfHive) {
  EXPECT_EQ(HiveTypeText("uuid"), "string");
  EXPECT_EQ(HiveTypeText("fixed[16]"), "binary");
  EXPECT_EQ(HiveTypeText("boolean"), "boolean");
  EXPECT_EQ(HiveTypeText(Json::parse(R"({"type": "struct", "fields": [
      {"name": "l", "type": {"type": "list", "element": "long"}},
      {"name": "m", "type": {"type": "map", "key": "string", "value": "timestamp"}}]})")),
            "struct<l:array<bigint>,m:map<string,timestamp>>");
}

TEST(MetadataLocation, CountsOn) {
  EXPECT_TRUE(NextMetadataLocation(std::nullopt, kMetadata).starts_with("s3://w/db/t/metadata/00000-"));
  EXPECT_TRUE(
      NextMetadataLocation("s3://x/00041-uuid.metadata.json", kMetadata).starts_with("s3://w/db/t/metadata/00042-"));
  EXPECT_TRUE(NextMetadataLocation("odd", R"({"location": "l", "properties": {"write.metadata.path": "p/q"}})")
                  .starts_with("p/q/00000-"));
}

/// Glue with one table, whose updates can be made to fail.
class GlueTest : public testing::Test {
 protected:
  GlueTest()
      : server_([this](const ReceivedRequest& request) {
          const std::string operation = request.Header("X-Amz-Target");
          const Json body = Json::parse(request.body);
          EXPECT_NE(request.Header("Authorization").find("/glue/aws4_request"), std::string::npos);
          EXPECT_EQ(body["CatalogId"], "77");
          if (operation == "AWSGlue.GetTable") {
            if (table_.is_null()) return Problem("EntityNotFoundException");
            return TestAnswer{200, Json{{"Table", table_}}.dump(), {}};
          }
          if (operation == "AWSGlue.UpdateTable") {
            EXPECT_EQ(body["VersionId"], table_["VersionId"]);
            EXPECT_EQ(body["SkipArchive"], true);
          }
          if (applies_) table_ = body["TableInput"];
          table_["VersionId"] = "2";
          return answer_.status == 0 ? TestAnswer{200, "{}", {}} : answer_;
        }) {
    const std::map<std::string, std::string> settings = {{"glue.endpoint", server_.url()},
                                                         {"client.region", "r"},
                                                         {"client.access-key-id", "key"},
                                                         {"client.secret-access-key", "hidden"}};
    glue_ = std::make_shared<AwsJsonClient>(AwsJsonClient::Service{"glue", "AWSGlue"}, settings);
    auto pointer = std::make_shared<GluePointer>(glue_, nullptr, GlueTableName{"77", "db", "t"}, "c.db.t", true);
    point_ = std::make_unique<PointerCommitPoint>(pointer, store_, "c.db.t");
  }

  static TestAnswer Problem(const std::string& type, int status = 400) {
    return {status, Json{{"__type", "com.amazonaws.glue#" + type}, {"Message", "why"}}.dump(), {}};
  }

  void HasTable() {
    table_ = Json::parse(R"({"Name": "t", "VersionId": "1", "Owner": "o",
        "Parameters": {"table_type": "iceberg", "metadata_location": "m1", "kept": "k"}})");
  }

  Json table_;
  bool applies_ = true;
  TestAnswer answer_{0, "", {}};
  TestServer server_;
  std::shared_ptr<storage::MemoryStore> store_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<AwsJsonClient> glue_;
  std::unique_ptr<PointerCommitPoint> point_;
  std::string written_;
};

TEST_F(GlueTest, MakesATable) {
  EXPECT_FALSE(point_->Current()->has_value());
  EXPECT_EQ(*point_->Swap(std::nullopt, kMetadata, &written_), tables::CommitState::kCommitted);
  EXPECT_EQ(table_["Parameters"]["metadata_location"], written_);
  EXPECT_EQ(table_["TableType"], "EXTERNAL_TABLE");
  EXPECT_EQ(table_["Description"], "c");
  EXPECT_EQ(table_["StorageDescriptor"]["Location"], "s3://w/db/t");
  EXPECT_EQ(*store_->Read(written_), kMetadata);
  // Now there is one.
  EXPECT_EQ(*point_->Swap(std::nullopt, kMetadata, &written_), tables::CommitState::kConflict);
  EXPECT_EQ(store_->Paths().size(), 1u);
}

TEST_F(GlueTest, MovesThePointerAndKeepsWhatElseIsThere) {
  HasTable();
  EXPECT_EQ(**point_->Current(), "m1");
  EXPECT_EQ(*point_->Swap("m1", kMetadata, &written_), tables::CommitState::kCommitted);
  EXPECT_EQ(table_["Parameters"]["previous_metadata_location"], "m1");
  EXPECT_EQ(table_["Parameters"]["kept"], "k");
  EXPECT_EQ(table_["Owner"], "o");
  EXPECT_EQ(*point_->Swap("m1", kMetadata, &written_), tables::CommitState::kConflict);
}

TEST_F(GlueTest, LosesToAnotherAndLeavesNoFile) {
  HasTable();
  applies_ = false;
  answer_ = Problem("ConcurrentModificationException");
  EXPECT_EQ(*point_->Swap("m1", kMetadata, &written_), tables::CommitState::kConflict);
  EXPECT_TRUE(store_->Paths().empty());
}

TEST_F(GlueTest, FindsACommitWhoseAnswerWasLost) {
  HasTable();
  answer_.status = 200;
  answer_.drop = true;
  auto state = point_->Swap("m1", kMetadata, &written_);
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(*state, tables::CommitState::kCommitted);
}

TEST_F(GlueTest, KeepsTheFileOfACommitThatMayHaveComeThrough) {
  HasTable();
  applies_ = false;
  answer_ = Problem("InternalServiceException", 500);
  auto state = point_->Swap("m1", kMetadata, &written_);
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().kind, ErrorKind::kUnknownCommit);
  EXPECT_EQ(store_->Paths().size(), 1u);
}

TEST_F(GlueTest, NamesWhoWasRefusedWithoutTheSecret) {
  HasTable();
  applies_ = false;
  answer_ = Problem("AccessDeniedException");
  auto state = point_->Swap("m1", kMetadata, &written_);
  ASSERT_FALSE(state.ok());
  for (const char* part : {"Access denied", "UpdateTable", "access key key (setting client.access-key-id)", "why"})
    EXPECT_NE(state.error().message.find(part), std::string::npos) << state.error().message;
  EXPECT_EQ(state.error().message.find("hidden"), std::string::npos);
  EXPECT_TRUE(store_->Paths().empty());
}

TEST_F(GlueTest, DoesNotTakeOtherTablesForItsOwn) {
  table_ = Json::parse(R"({"Name": "t", "Parameters": {"classification": "parquet"}})");
  EXPECT_FALSE(point_->Current()->has_value());
  EXPECT_EQ(*point_->Swap(std::nullopt, kMetadata, &written_), tables::CommitState::kConflict);
}

/// DynamoDB with one item.
TEST(DynamoDbLock, IsTakenWhenFreeOrLeftBehind) {
  Json item;
  bool has_table = false;
  TestServer server([&](const ReceivedRequest& request) {
    const std::string operation = request.Header("X-Amz-Target").substr(std::string("DynamoDB_20120810.").size());
    const Json body = Json::parse(request.body);
    auto fail = [](const char* type) { return TestAnswer{400, Json{{"__type", type}}.dump(), {}}; };
    if (operation == "DescribeTable") {
      if (!has_table) return fail("ResourceNotFoundException");
      return TestAnswer{200, R"({"Table": {"TableStatus": "ACTIVE"}})", {}};
    }
    if (operation == "CreateTable") has_table = true;
    if (operation == "GetItem") return TestAnswer{200, item.is_null() ? "{}" : Json{{"Item", item}}.dump(), {}};
    if (operation == "PutItem") {
      const bool wants_none = body["ConditionExpression"] == "attribute_not_exists(entityId)";
      if (wants_none != item.is_null()) return fail("ConditionalCheckFailedException");
      item = body["Item"];
    }
    if (operation == "DeleteItem") item = Json();
    return TestAnswer{200, "{}", {}};
  });
  auto lock = DynamoDbLock::Make({{"dynamodb.endpoint", server.url()},
                                  {"lock.table", "locks"},
                                  {"lock.acquire-interval-ms", "10"},
                                  {"lock.acquire-timeout-ms", "100"},
                                  {"client.region", "r"},
                                  {"client.access-key-id", "k"},
                                  {"client.secret-access-key", "s"}});
  ASSERT_TRUE(lock.ok()) << lock.error().message;
  EXPECT_TRUE(has_table);
  ASSERT_TRUE((*lock)->Acquire("t", "me").ok());
  EXPECT_EQ(item["ownerId"]["S"], "me");
  const auto refused = (*lock)->Acquire("t", "other");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  // Whoever held it does not come back.
  item["leaseDurationMs"] = {{"N", "20"}};
  EXPECT_TRUE((*lock)->Acquire("t", "other").ok());
  (*lock)->Release("t", "other");
  EXPECT_TRUE(item.is_null());
  EXPECT_FALSE(DynamoDbLock::Make({}).ok());
}

}  // namespace
}  // namespace frazil::catalogs
