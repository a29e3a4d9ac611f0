#include "frazil/catalogs/hive/certain_call.h"

#include <chrono>
#include <thread>

#include "frazil/base/logging.h"
#include "frazil/catalogs/hive/hive_pointer.h"

namespace frazil::catalogs {
namespace {

constexpr int kAttempts = 6;

std::string Bytes(const ThriftValue& value) {
  std::string bytes;
  WriteThrift(value, &bytes);
  return bytes;
}

/// Whether an entry holds all that was told of it. The Metastore adds parameters (times, figures) and its own defaults.
bool Holds(const ThriftValue& found, const ThriftValue& told) {
  using namespace hive;
  const auto parameters = found.At(table::kParameters).ToStringMap();
  for (const auto& [key, value] : told.At(table::kParameters).ToStringMap()) {
    const auto there = parameters.find(key);
    if (key != "transient_lastDdlTime" && (there == parameters.end() || there->second != value)) return false;
  }
  const auto same_names = [](const ThriftValue& left, const ThriftValue& right) {
    if (left.items.size() != right.items.size()) return false;
    for (size_t i = 0; i < left.items.size(); ++i) {
      for (const int16_t field : {int16_t{1}, int16_t{2}, int16_t{3}}) {
        if (left.items[i].At(field).text != right.items[i].At(field).text) return false;
      }
    }
    return true;
  };
  const ThriftValue& there = found.At(table::kStorage);
  const ThriftValue& wanted = told.At(table::kStorage);
  return found.At(table::kType).text == told.At(table::kType).text &&
         found.At(table::kViewOriginalText).text == told.At(table::kViewOriginalText).text &&
         same_names(found.At(table::kPartitionKeys), told.At(table::kPartitionKeys)) &&
         same_names(there.At(storage_descriptor::kColumns), wanted.At(storage_descriptor::kColumns)) &&
         (wanted.At(storage_descriptor::kLocation).text.empty() ||
          there.At(storage_descriptor::kLocation).text == wanted.At(storage_descriptor::kLocation).text) &&
         there.At(storage_descriptor::kSerDe).At(2).text == wanted.At(storage_descriptor::kSerDe).At(2).text;
}

Result<std::optional<ThriftValue>> FindDatabase(HiveMetastore& metastore, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(auto answer, metastore.GetDatabase(name));
  if (answer.exception == "NoSuchObjectException") return std::optional<ThriftValue>();
  if (!answer.ok()) return metastore.ErrorOf("get_database", answer);
  return std::optional<ThriftValue>(std::move(answer.result));
}

}  // namespace

Result<MetastoreAnswer> CallForCertain(const std::function<Result<MetastoreAnswer>()>& call,
                                       const std::function<Result<Effect>()>& look) {
  Error lost;
  bool sent_before = false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50 << attempt));
    if (sent_before) {
      const auto effect = look();
      if (!effect.ok()) continue;
      if (*effect == Effect::kSomething) break;
      if (*effect == Effect::kDone) {
        Log(LogLevel::kWarn, "A change of the Hive Metastore came through whose outcome was not told",
            {{"error", lost.message}});
        return MetastoreAnswer();
      }
    }
    auto answer = call();
    if (!answer.ok()) {
      if (answer.error().kind != ErrorKind::kUnknownCommit) return answer;
      lost = std::move(answer).error();
      sent_before = true;
      continue;
    }
    if (answer->ok() || !sent_before) return answer;
    // The refusal may be because of an earlier attempt that came through after it was looked for.
    const auto effect = look();
    if (effect.ok() && *effect == Effect::kDone) return MetastoreAnswer();
    return answer;
  }
  return lost;
}

Result<MetastoreAnswer> CreateHiveTable(HiveMetastore& metastore, const ThriftValue& table) {
  return CallForCertain([&] { return metastore.CreateTable(table); },
                        [&]() -> Result<Effect> {
                          FRAZIL_ASSIGN_OR_RETURN(auto now,
                                                  FindHiveTable(metastore, table.At(hive::table::kDatabase).text,
                                                                table.At(hive::table::kName).text));
                          if (!now) return Effect::kNone;
                          return Holds(*now, table) ? Effect::kDone : Effect::kSomething;
                        });
}

Result<MetastoreAnswer> AlterHiveTable(HiveMetastore& metastore, const ThriftValue& former, const ThriftValue& next,
                                       const std::map<std::string, std::string>& environment) {
  using namespace hive;
  const std::string database = former.At(table::kDatabase).text, name = former.At(table::kName).text;
  const std::string new_database = next.At(table::kDatabase).text, new_name = next.At(table::kName).text;
  const bool moves = database != new_database || name != new_name;
  return CallForCertain([&] { return metastore.AlterTable(database, name, next, environment); },
                        [&]() -> Result<Effect> {
                          FRAZIL_ASSIGN_OR_RETURN(auto now, FindHiveTable(metastore, database, name));
                          if (now && Bytes(*now) == Bytes(former)) return Effect::kNone;
                          if (moves && now) return Effect::kSomething;
                          if (moves) {
                            FRAZIL_ASSIGN_OR_RETURN(now, FindHiveTable(metastore, new_database, new_name));
                          }
                          return now && (moves || Holds(*now, next)) ? Effect::kDone : Effect::kSomething;
                        });
}

Result<MetastoreAnswer> DropHiveTable(HiveMetastore& metastore, const std::string& database, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(const auto former, FindHiveTable(metastore, database, name));
  if (!former) return MetastoreAnswer();
  FRAZIL_ASSIGN_OR_RETURN(auto answer,
                          CallForCertain([&] { return metastore.DropTable(database, name); },
                                         [&]() -> Result<Effect> {
                                           FRAZIL_ASSIGN_OR_RETURN(auto now, FindHiveTable(metastore, database, name));
                                           // Another one of the name is another's.
                                           const bool is_there = now &&
                                                                 now->At(hive::table::kCreateTime).number ==
                                                                     former->At(hive::table::kCreateTime).number &&
                                                                 Holds(*now, *former);
                                           return is_there ? Effect::kNone : Effect::kDone;
                                         }));
  if (answer.exception == "NoSuchObjectException") return MetastoreAnswer();
  return answer;
}

Result<MetastoreAnswer> CreateHiveDatabase(HiveMetastore& metastore, const ThriftValue& database) {
  using namespace hive::database;
  return CallForCertain([&] { return metastore.CreateDatabase(database); },
                        [&]() -> Result<Effect> {
                          FRAZIL_ASSIGN_OR_RETURN(const auto now, FindDatabase(metastore, database.At(kName).text));
                          if (!now) return Effect::kNone;
                          const bool same =
                              now->At(kLocation).text == database.At(kLocation).text &&
                              now->At(kOwnerName).text == database.At(kOwnerName).text &&
                              now->At(kParameters).ToStringMap() == database.At(kParameters).ToStringMap();
                          return same ? Effect::kDone : Effect::kSomething;
                        });
}

Result<MetastoreAnswer> DropHiveDatabase(HiveMetastore& metastore, const std::string& name) {
  return CallForCertain([&] { return metastore.DropDatabase(name); },
                        [&]() -> Result<Effect> {
                          FRAZIL_ASSIGN_OR_RETURN(const auto now, FindDatabase(metastore, name));
                          return now ? Effect::kNone : Effect::kDone;
                        });
}

}  // namespace frazil::catalogs
