#pragma once

#include <functional>

#include "frazil/catalogs/hive/hive_metastore.h"

namespace frazil::catalogs {

/// What the Metastore holds after a change whose answer was lost.
enum class Effect : uint8_t {
  kDone,       ///< The change came through.
  kNone,       ///< All is as it was: it may be sent again.
  kSomething,  ///< Others have changed it since, so that nobody can tell.
};

/// Makes a change that must not be made twice unknowingly. Where its answer is lost, `look` says what became of it, and
/// it is sent again where nothing did. The answer of a change that was found to be done is an empty one. An error of
/// kind kUnknownCommit: nobody can tell.
Result<MetastoreAnswer> CallForCertain(const std::function<Result<MetastoreAnswer>()>& call,
                                       const std::function<Result<Effect>()>& look);

// --- changes of entries, looked after in this way

Result<MetastoreAnswer> CreateHiveTable(HiveMetastore& metastore, const ThriftValue& table);
/// `former`: the entry as it was read. It may get another name or database.
Result<MetastoreAnswer> AlterHiveTable(HiveMetastore& metastore, const ThriftValue& former, const ThriftValue& next,
                                       const std::map<std::string, std::string>& environment);
/// The files stay. No exception where it is gone already.
Result<MetastoreAnswer> DropHiveTable(HiveMetastore& metastore, const std::string& database, const std::string& name);
Result<MetastoreAnswer> CreateHiveDatabase(HiveMetastore& metastore, const ThriftValue& database);
Result<MetastoreAnswer> DropHiveDatabase(HiveMetastore& metastore, const std::string& name);

}  // namespace frazil::catalogs
