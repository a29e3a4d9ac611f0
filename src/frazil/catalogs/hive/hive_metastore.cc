#include "frazil/catalogs/hive/hive_metastore.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"

namespace frazil::catalogs {
namespace {

constexpr uint32_t kVersion = 0x80010000;
constexpr uint8_t kCall = 1, kException = 3;
constexpr int kTries = 4;

// Numbers of hive_metastore.thrift's enums.
constexpr int32_t kExclusive = 3, kTableLevel = 2, kUnset = 5;
constexpr int64_t kAcquired = 1, kWaiting = 2;
constexpr int16_t kLockAgent = 13;  // Of ShowLocksResponseElement.
const std::vector<const char*> kLockExceptions = {"NoSuchTxnException", "TxnAbortedException", "NoSuchLockException"};

ThriftValue Arguments(std::vector<ThriftValue> values) {
  ThriftValue arguments = ThriftValue::Struct();
  for (size_t i = 0; i < values.size(); ++i) arguments.fields[static_cast<int16_t>(i + 1)] = std::move(values[i]);
  return arguments;
}

ThriftValue Text(const std::string& text) { return ThriftValue::String(text); }

}  // namespace

HiveMetastore::HiveMetastore(std::vector<Address> addresses, int64_t timeout_ms)
    : addresses_(std::move(addresses)), timeout_ms_(timeout_ms) {}

Result<std::shared_ptr<HiveMetastore>> HiveMetastore::Make(const std::string& uris, int64_t timeout_ms) {
  std::vector<Address> addresses;
  for (const auto& part : Split(uris, ',')) {
    const std::string uri(TrimBlanks(part));
    if (uri.empty()) continue;
    const size_t colon = uri.rfind(':');
    const auto port = colon == std::string::npos ? std::nullopt : ParseInteger<int>(uri.substr(colon + 1));
    if (!uri.starts_with("thrift://") || colon <= 9 || !port) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "The setting uri of a hive catalog must be thrift://host:port, not '" + uri + "'");
    }
    addresses.push_back({uri.substr(9, colon - 9), *port});
  }
  if (addresses.empty())
    return Error::Plain(ExceptionClass::kIllegalArgument, "A catalog of type hive needs the setting uri");
  return std::shared_ptr<HiveMetastore>(new HiveMetastore(std::move(addresses), timeout_ms));
}

Result<std::unique_ptr<net::TcpConnection>> HiveMetastore::Connect() {
  Error last;
  for (const auto& address : addresses_) {
    auto connection = net::TcpConnection::Open(address.host, address.port, timeout_ms_);
    if (connection.ok()) return connection;
    last = connection.error();
  }
  return last;
}

Result<MetastoreAnswer> HiveMetastore::CallOn(net::TcpConnection& connection, const std::string& method,
                                              const std::string& message, const Exceptions& exceptions) {
  FRAZIL_RETURN_IF_ERROR(connection.Send(message));
  const ThriftSource source = [&](char* out, size_t length) { return connection.Receive(out, length); };
  FRAZIL_ASSIGN_OR_RETURN(const uint64_t header, ReadNumber(source, 4));
  if ((header & 0xFFFF0000) != kVersion) {
    return Error::Storage(
        "The Metastore does not answer in Thrift's binary protocol (does it ask for SASL or Kerberos, "
        "which are not supported?)");
  }
  FRAZIL_ASSIGN_OR_RETURN(auto name, ReadThrift(source, ThriftType::kString));
  FRAZIL_RETURN_IF_ERROR(ReadNumber(source, 4));
  FRAZIL_ASSIGN_OR_RETURN(auto body, ReadThrift(source, ThriftType::kStruct));
  if ((header & 255) == kException)
    return MetastoreAnswer{{}, "TApplicationException", method + ": " + body.At(1).text};
  MetastoreAnswer answer;
  answer.result = body.At(0);
  for (const auto& [id, field] : body.fields) {
    if (id == 0) continue;
    const auto index = static_cast<size_t>(id) - 1;
    answer.exception = index < exceptions.size() ? exceptions[index] : "Exception";
    answer.message = field.At(1).text;
  }
  return answer;
}

Result<MetastoreAnswer> HiveMetastore::Call(const std::string& method, const ThriftValue& arguments,
                                            const Exceptions& exceptions, bool repeatable) {
  std::string message;
  WriteNumber(kVersion | kCall, 4, &message);
  WriteThrift(ThriftValue::String(method), &message);
  WriteNumber(0, 4, &message);
  WriteThrift(arguments, &message);
  for (int attempt = 1;; ++attempt) {
    std::unique_ptr<net::TcpConnection> connection;
    // A kept connection may be closed by now, which only shows after sending: not for what must not be done twice.
    if (repeatable) {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        connection = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (connection == nullptr) {
      auto opened = Connect();
      if (!opened.ok()) {
        if (attempt == kTries) return std::move(opened).error();
        std::this_thread::sleep_for(std::chrono::milliseconds(100 << attempt));
        continue;
      }
      connection = *std::move(opened);
    }
    auto answer = CallOn(*connection, method, message, exceptions);
    if (answer.ok()) {
      std::lock_guard lock(mutex_);
      if (idle_.size() < 16) idle_.push_back(std::move(connection));
      return answer;
    }
    Error error = std::move(answer).error();
    error.message += ", for " + method + " of the Hive Metastore";
    if (!repeatable) {
      error.kind = ErrorKind::kUnknownCommit;
      return error;
    }
    if (attempt == kTries) return error;
    // The others of its age are closed, too.
    std::lock_guard lock(mutex_);
    idle_.clear();
  }
}

Result<MetastoreAnswer> HiveMetastore::GetDatabase(const std::string& name) {
  return Call("get_database", Arguments({Text(name)}), {"NoSuchObjectException", "MetaException"}, true);
}

Result<MetastoreAnswer> HiveMetastore::GetAllDatabases() {
  return Call("get_all_databases", Arguments({}), {"MetaException"}, true);
}

Result<MetastoreAnswer> HiveMetastore::CreateDatabase(const ThriftValue& database) {
  return Call("create_database", Arguments({database}),
              {"AlreadyExistsException", "InvalidObjectException", "MetaException"}, false);
}

Result<MetastoreAnswer> HiveMetastore::AlterDatabase(const std::string& name, const ThriftValue& database) {
  return Call("alter_database", Arguments({Text(name), database}), {"MetaException", "NoSuchObjectException"}, true);
}

Result<MetastoreAnswer> HiveMetastore::DropDatabase(const std::string& name) {
  return Call("drop_database", Arguments({Text(name), ThriftValue::Bool(false), ThriftValue::Bool(false)}),
              {"NoSuchObjectException", "InvalidOperationException", "MetaException"}, false);
}

Result<MetastoreAnswer> HiveMetastore::GetAllTables(const std::string& database) {
  return Call("get_all_tables", Arguments({Text(database)}), {"MetaException"}, true);
}

Result<MetastoreAnswer> HiveMetastore::GetTables(const std::string& database, const std::vector<std::string>& names) {
  std::vector<ThriftValue> items;
  for (const auto& name : names) items.push_back(Text(name));
  return Call("get_table_objects_by_name",
              Arguments({Text(database), ThriftValue::List(ThriftType::kString, std::move(items))}), {}, true);
}

Result<MetastoreAnswer> HiveMetastore::GetTable(const std::string& database, const std::string& name) {
  return Call("get_table", Arguments({Text(database), Text(name)}), {"MetaException", "NoSuchObjectException"}, true);
}

Result<MetastoreAnswer> HiveMetastore::CreateTable(const ThriftValue& table) {
  return Call("create_table", Arguments({table}),
              {"AlreadyExistsException", "InvalidObjectException", "MetaException", "NoSuchObjectException"}, false);
}

Result<MetastoreAnswer> HiveMetastore::AlterTable(const std::string& database, const std::string& name,
                                                  const ThriftValue& table,
                                                  const std::map<std::string, std::string>& environment) {
  return Call("alter_table_with_environment_context",
              Arguments({Text(database), Text(name), table,
                         ThriftValue::Struct({{int16_t{1}, ThriftValue::StringMap(environment)}})}),
              {"InvalidOperationException", "MetaException"}, false);
}

Result<MetastoreAnswer> HiveMetastore::DropTable(const std::string& database, const std::string& name) {
  return Call("drop_table", Arguments({Text(database), Text(name), ThriftValue::Bool(false)}),
              {"NoSuchObjectException", "MetaException"}, false);
}

Result<MetastoreAnswer> HiveMetastore::GetPartitions(const std::string& database, const std::string& table) {
  ThriftValue all;
  all.type = ThriftType::kI16;
  all.number = -1;
  return Call("get_partitions", Arguments({Text(database), Text(table), all}),
              {"NoSuchObjectException", "MetaException"}, true);
}

Result<MetastoreAnswer> HiveMetastore::AddPartitions(std::vector<ThriftValue> partitions) {
  return Call("add_partitions", Arguments({ThriftValue::List(ThriftType::kStruct, std::move(partitions))}),
              {"InvalidObjectException", "AlreadyExistsException", "MetaException"}, false);
}

Result<MetastoreAnswer> HiveMetastore::DropPartition(const std::string& database, const std::string& table,
                                                     const std::vector<std::string>& values) {
  std::vector<ThriftValue> items;
  for (const auto& value : values) items.push_back(Text(value));
  return Call("drop_partition",
              Arguments({Text(database), Text(table), ThriftValue::List(ThriftType::kString, std::move(items)),
                         ThriftValue::Bool(false)}),
              {"NoSuchObjectException", "MetaException"}, false);
}

Result<std::optional<int64_t>> HiveMetastore::FindLock(const std::string& database, const std::string& table,
                                                       const std::string& agent) {
  const ThriftValue request = ThriftValue::Struct({{int16_t{1}, Text(database)}, {int16_t{2}, Text(table)}});
  FRAZIL_ASSIGN_OR_RETURN(auto answer, Call("show_locks", Arguments({request}), {}, true));
  if (!answer.ok()) return ErrorOf("show_locks", answer);
  for (const auto& lock : answer.result.At(1).items) {
    if (lock.At(kLockAgent).text == agent) return std::optional<int64_t>(lock.At(1).number);
  }
  return std::optional<int64_t>();
}

Result<int64_t> HiveMetastore::RequestLock(const std::string& database, const std::string& table, bool* acquired) {
  const std::string agent = "Frazil-" + RandomUuidText();
  const ThriftValue component = ThriftValue::Struct({{int16_t{1}, ThriftValue::I32(kExclusive)},
                                                     {int16_t{2}, ThriftValue::I32(kTableLevel)},
                                                     {int16_t{3}, Text(database)},
                                                     {int16_t{4}, Text(table)},
                                                     {int16_t{6}, ThriftValue::I32(kUnset)}});
  const ThriftValue request = ThriftValue::Struct({{int16_t{1}, ThriftValue::List(ThriftType::kStruct, {component})},
                                                   {int16_t{3}, Text("frazil")},
                                                   {int16_t{4}, Text("localhost")},
                                                   {int16_t{5}, Text(agent)}});
  for (int attempt = 1;; ++attempt) {
    auto answer = Call("lock", Arguments({request}), kLockExceptions, false);
    if (answer.ok() && !answer->ok()) return ErrorOf("lock", *answer);
    if (answer.ok()) {
      *acquired = answer->result.At(2).number == kAcquired;
      return answer->result.At(1).number;
    }
    if (attempt == kTries || answer.error().kind != ErrorKind::kUnknownCommit) return std::move(answer).error();
    // A lock that nobody knows of would keep all others out until the service gives it up.
    FRAZIL_ASSIGN_OR_RETURN(const auto found, FindLock(database, table, agent));
    if (found) {
      *acquired = false;
      return *found;
    }
  }
}

Result<int64_t> HiveMetastore::Lock(const std::string& database, const std::string& table, int64_t timeout_ms) {
  const int64_t end = SteadyMillis() + timeout_ms;
  bool acquired = false;
  FRAZIL_ASSIGN_OR_RETURN(const int64_t id, RequestLock(database, table, &acquired));
  int64_t wait = 50;
  while (!acquired && SteadyMillis() < end) {
    const ThriftValue check = ThriftValue::Struct({{int16_t{1}, ThriftValue::I64(id)}});
    auto answer = Call("check_lock", Arguments({check}), kLockExceptions, true);
    if (!answer.ok() || !answer->ok()) {
      Unlock(id);
      return answer.ok() ? ErrorOf("check_lock", *answer) : std::move(answer).error();
    }
    const int64_t state = answer->result.At(2).number;
    acquired = state == kAcquired;
    if (state != kWaiting) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    wait = std::min<int64_t>(wait * 3 / 2, 5000);
  }
  if (acquired) return id;
  Unlock(id);
  Error error = Error::Plain(ExceptionClass::kSpark,
                             "org.apache.iceberg.exceptions.CommitFailedException: Timed out waiting for the lock on " +
                                 database + "." + table);
  error.kind = ErrorKind::kConflict;
  return error;
}

void HiveMetastore::Unlock(int64_t id) {
  const ThriftValue request = ThriftValue::Struct({{int16_t{1}, ThriftValue::I64(id)}});
  auto answer = Call("unlock", Arguments({request}), {"NoSuchLockException", "TxnOpenException"}, true);
  const bool gone = answer.ok() && (answer->ok() || answer->exception == "NoSuchLockException");
  if (gone) return;
  Log(LogLevel::kWarn, "A lock of the Hive Metastore could not be released",
      {{"lock", id}, {"error", answer.ok() ? answer->message : answer.error().message}});
}

Error HiveMetastore::ErrorOf(const std::string& method, const MetastoreAnswer& answer) const {
  return Error::Plain(ExceptionClass::kSpark, "The Hive Metastore at " + addresses_[0].host + ":" +
                                                  std::to_string(addresses_[0].port) + " refused " + method + ": " +
                                                  answer.exception + ": " + answer.message);
}

}  // namespace frazil::catalogs
