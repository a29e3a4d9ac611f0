#include "frazil/catalogs/glue/dynamodb_lock.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/base/uuid.h"
#include "frazil/catalogs/json_members.h"

namespace frazil::catalogs {
namespace {

void Sleep(int64_t milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

Json Text(const std::string& value) { return {{"S", value}}; }

/// The value of an attribute of an item, whatever its type.
std::string AttributeOf(const Json& item, const char* name) {
  if (!item.is_object() || !item.contains(name) || !item[name].is_object() || item[name].empty()) return {};
  const auto& value = item[name].begin().value();
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace

DynamoDbLock::DynamoDbLock(const std::map<std::string, std::string>& settings)
    : client_({"dynamodb", "DynamoDB_20120810", "1.0"}, settings) {
  auto text = [&](const char* key) {
    auto found = settings.find(key);
    return found == settings.end() ? std::string() : found->second;
  };
  table_ = text("lock.table");
  acquire_interval_ms_ = ParseInteger<int64_t>(text("lock.acquire-interval-ms")).value_or(acquire_interval_ms_);
  acquire_timeout_ms_ = ParseInteger<int64_t>(text("lock.acquire-timeout-ms")).value_or(acquire_timeout_ms_);
  // Iceberg renews its leases while it commits; ours are long enough for a commit instead.
  lease_ms_ = std::max(lease_ms_, ParseInteger<int64_t>(text("lock.heartbeat-timeout-ms")).value_or(0));
}

Result<std::shared_ptr<DynamoDbLock>> DynamoDbLock::Make(const std::map<std::string, std::string>& settings) {
  std::shared_ptr<DynamoDbLock> lock(new DynamoDbLock(settings));
  if (lock->table_.empty())
    return Error::Plain(ExceptionClass::kIllegalArgument, "DynamoDB lock table name must not be null");
  FRAZIL_RETURN_IF_ERROR(lock->EnsureTable());
  return lock;
}

Status DynamoDbLock::EnsureTable() {
  for (int attempt = 0; attempt < 60; ++attempt) {
    FRAZIL_ASSIGN_OR_RETURN(auto answer, client_.Call("DescribeTable", {{"TableName", table_}}, true));
    if (answer.ok()) {
      const Json table = answer.body.value("Table", Json::object());
      if (table.is_object() && table.value("TableStatus", Json()) == "ACTIVE") return {};
      Sleep(1000);
      continue;
    }
    if (answer.error != "ResourceNotFoundException") return client_.ErrorOf("DescribeTable", answer);
    const Json body = {{"TableName", table_},
                       {"KeySchema", Json::array({{{"AttributeName", "entityId"}, {"KeyType", "HASH"}}})},
                       {"AttributeDefinitions", Json::array({{{"AttributeName", "entityId"}, {"AttributeType", "S"}}})},
                       {"BillingMode", "PAY_PER_REQUEST"}};
    FRAZIL_ASSIGN_OR_RETURN(auto made, client_.Call("CreateTable", body, true));
    // Another may make it at the same time.
    if (!made.ok() && made.error != "ResourceInUseException") return client_.ErrorOf("CreateTable", made);
  }
  return Error::Storage("The lock table " + table_ + " of DynamoDB does not become active");
}

Status DynamoDbLock::Acquire(const std::string& name, const std::string& owner) {
  const int64_t end = SteadyMillis() + acquire_timeout_ms_;
  std::string seen;        // The version of another's lock ...
  int64_t seen_until = 0;  // ... and when it may be taken over if it is still that.
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(
        auto found,
        client_.Call("GetItem", {{"TableName", table_}, {"Key", {{"entityId", Text(name)}}}, {"ConsistentRead", true}},
                     true));
    if (!found.ok()) return client_.ErrorOf("GetItem", found);
    const Json item = found.body.is_object() ? found.body.value("Item", Json()) : Json();
    const std::string version = AttributeOf(item, "version");
    const bool is_free = !item.is_object() || item.empty();
    if (!is_free && version != seen) {
      seen = version;
      seen_until = SteadyMillis() + ParseInteger<int64_t>(AttributeOf(item, "leaseDurationMs")).value_or(lease_ms_);
    }
    if (is_free || SteadyMillis() >= seen_until) {
      Json body = {{"TableName", table_},
                   {"Item",
                    {{"entityId", Text(name)},
                     {"version", Text(RandomUuidText())},
                     {"leaseDurationMs", {{"N", std::to_string(lease_ms_)}}},
                     {"ownerId", Text(owner)}}}};
      if (is_free) {
        body["ConditionExpression"] = "attribute_not_exists(entityId)";
      } else {
        body["ConditionExpression"] = "version = :v";
        body["ExpressionAttributeValues"] = {{":v", Text(seen)}};
      }
      FRAZIL_ASSIGN_OR_RETURN(auto put, client_.Call("PutItem", body, true));
      if (put.ok()) return {};
      if (put.error != "ConditionalCheckFailedException") return client_.ErrorOf("PutItem", put);
      if (put.earlier_unknown) {
        // An attempt whose answer was lost may have taken it.
        FRAZIL_ASSIGN_OR_RETURN(
            auto mine,
            client_.Call("GetItem",
                         {{"TableName", table_}, {"Key", {{"entityId", Text(name)}}}, {"ConsistentRead", true}}, true));
        if (mine.ok() && mine.body.is_object() && AttributeOf(mine.body.value("Item", Json()), "ownerId") == owner)
          return {};
      }
    }
    if (SteadyMillis() >= end) {
      Error error = Error::Plain(ExceptionClass::kSpark,
                                 "org.apache.iceberg.exceptions.CommitFailedException: Cannot get the lock " + name +
                                     " of the DynamoDB table " + table_);
      error.kind = ErrorKind::kConflict;
      return error;
    }
    Sleep(std::min<int64_t>(acquire_interval_ms_, 500));
  }
}

void DynamoDbLock::Release(const std::string& name, const std::string& owner) {
  auto answer = client_.Call("DeleteItem",
                             {{"TableName", table_},
                              {"Key", {{"entityId", Text(name)}}},
                              {"ConditionExpression", "ownerId = :o"},
                              {"ExpressionAttributeValues", {{":o", Text(owner)}}}},
                             true);
  const bool gone = answer.ok() && (answer->ok() || answer->error == "ConditionalCheckFailedException");
  if (gone) return;
  Log(LogLevel::kWarn, "A lock could not be released",
      {{"lock", name}, {"error", answer.ok() ? answer->message : answer.error().message}});
}

}  // namespace frazil::catalogs
