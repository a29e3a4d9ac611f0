#pragma once

#include <map>
#include <memory>
#include <string>

#include "frazil/catalogs/glue/aws_json_client.h"

namespace frazil::catalogs {

/// Locks by name, kept as items of a DynamoDB table, as Iceberg's DynamoDbLockManager keeps them: writers of both kinds
/// wait for each other. A lock whose owner does not renew it can be taken over when its lease is over.
/// https://iceberg.apache.org/docs/latest/aws/#dynamodb-lock-manager
class DynamoDbLock {
 public:
  /// Makes the table (setting lock.table) where it is missing.
  static Result<std::shared_ptr<DynamoDbLock>> Make(const std::map<std::string, std::string>& settings);

  /// Waits for the lock at most as lock.acquire-timeout-ms says. Error of kind kConflict when it is over.
  Status Acquire(const std::string& name, const std::string& owner);
  /// Failures are logged only: the lease ends by itself.
  void Release(const std::string& name, const std::string& owner);

 private:
  explicit DynamoDbLock(const std::map<std::string, std::string>& settings);
  Status EnsureTable();

  AwsJsonClient client_;
  std::string table_;
  int64_t acquire_interval_ms_ = 5000;
  int64_t acquire_timeout_ms_ = 180000;
  int64_t lease_ms_ = 60000;
};

}  // namespace frazil::catalogs
