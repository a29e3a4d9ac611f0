#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/catalogs/hive/thrift_value.h"
#include "frazil/net/tcp_connection.h"

namespace frazil::catalogs {

/// Numbers of the fields of the Metastore's structs, of those that are used here.
/// https://github.com/apache/hive/blob/master/standalone-metastore/metastore-common/src/main/thrift/hive_metastore.thrift
namespace hive {
namespace database {
enum : int16_t { kName = 1, kDescription = 2, kLocation = 3, kParameters = 4, kOwnerName = 6, kOwnerType = 7 };
}
namespace table {
enum : int16_t {
  kName = 1,
  kDatabase = 2,
  kOwner = 3,
  kCreateTime = 4,
  kLastAccessTime = 5,
  kRetention = 6,
  kStorage = 7,
  kPartitionKeys = 8,
  kParameters = 9,
  kViewOriginalText = 10,
  kViewExpandedText = 11,
  kType = 12,
};
}
namespace storage_descriptor {
enum : int16_t { kColumns = 1, kLocation = 2, kInputFormat = 3, kOutputFormat = 4, kBuckets = 6, kSerDe = 7 };
}
namespace partition {
enum : int16_t { kValues = 1, kDatabase = 2, kTable = 3, kStorage = 6, kParameters = 7 };
}
}  // namespace hive

/// What a call came to: its result, or the exception that the service declared for it.
struct MetastoreAnswer {
  ThriftValue result;
  std::string exception;  ///< "NoSuchObjectException", ...; empty: none.
  std::string message;
  bool ok() const { return exception.empty(); }
};

/// Calls a Hive Metastore by Thrift's binary protocol, on kept connections. Thread-safe.
class HiveMetastore {
 public:
  /// `uris`: thrift://host:port, separated by commas; the first that answers is taken.
  static Result<std::shared_ptr<HiveMetastore>> Make(const std::string& uris, int64_t timeout_ms);

  Result<MetastoreAnswer> GetDatabase(const std::string& name);
  Result<MetastoreAnswer> GetAllDatabases();
  Result<MetastoreAnswer> CreateDatabase(const ThriftValue& database);
  Result<MetastoreAnswer> AlterDatabase(const std::string& name, const ThriftValue& database);
  Result<MetastoreAnswer> DropDatabase(const std::string& name);
  Result<MetastoreAnswer> GetAllTables(const std::string& database);
  Result<MetastoreAnswer> GetTables(const std::string& database, const std::vector<std::string>& names);
  Result<MetastoreAnswer> GetTable(const std::string& database, const std::string& name);
  Result<MetastoreAnswer> CreateTable(const ThriftValue& table);
  Result<MetastoreAnswer> AlterTable(const std::string& database, const std::string& name, const ThriftValue& table,
                                     const std::map<std::string, std::string>& environment);
  /// The files stay.
  Result<MetastoreAnswer> DropTable(const std::string& database, const std::string& name);

  Result<MetastoreAnswer> GetPartitions(const std::string& database, const std::string& table);
  Result<MetastoreAnswer> AddPartitions(std::vector<ThriftValue> partitions);
  /// The files stay.
  Result<MetastoreAnswer> DropPartition(const std::string& database, const std::string& table,
                                        const std::vector<std::string>& values);

  /// Waits for the exclusive lock of a table at most so long; its id. Error of kind kConflict when the time is over.
  Result<int64_t> Lock(const std::string& database, const std::string& table, int64_t timeout_ms);
  /// Failures are logged only: the service gives up locks that nobody renews.
  void Unlock(int64_t id);

  /// What an exception means that no caller knows better.
  Error ErrorOf(const std::string& method, const MetastoreAnswer& answer) const;

 private:
  struct Address {
    std::string host;
    int port = 0;
  };
  /// Names of the exceptions that a method declares, by field number from 1 on.
  using Exceptions = std::vector<const char*>;

  explicit HiveMetastore(std::vector<Address> addresses, int64_t timeout_ms);
  /// The lock that `agent` has asked for, which may be waiting; nullopt: there is none.
  Result<std::optional<int64_t>> FindLock(const std::string& database, const std::string& table,
                                          const std::string& agent);
  /// Asks for the lock, once: where an answer is lost, it is looked for.
  Result<int64_t> RequestLock(const std::string& database, const std::string& table, bool* acquired);
  Result<std::unique_ptr<net::TcpConnection>> Connect();
  /// `repeatable`: doing it twice is doing it once. An error of kind kUnknownCommit where it may have had its effect.
  Result<MetastoreAnswer> Call(const std::string& method, const ThriftValue& arguments, const Exceptions& exceptions,
                               bool repeatable);
  /// `sent` becomes true when the request may have reached the service.
  Result<MetastoreAnswer> CallOn(net::TcpConnection& connection, const std::string& method, const std::string& message,
                                 const Exceptions& exceptions);

  std::vector<Address> addresses_;
  int64_t timeout_ms_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<net::TcpConnection>> idle_;
};

}  // namespace frazil::catalogs
