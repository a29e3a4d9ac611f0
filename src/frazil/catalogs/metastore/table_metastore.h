#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::catalogs {

/// A column as the Hive Metastore and Glue show it.
struct HiveColumn {
  std::string name;
  std::string type;  ///< Hive's name of it.
  std::string comment;
};

/// How files are stored, as Hive says it.
struct HiveStorage {
  std::vector<HiveColumn> columns;
  std::string location, input_format, output_format, serde;
  std::map<std::string, std::string> serde_parameters;
  int bucket_count = 0;  ///< Less than one: no buckets.
};

/// The entry of a table in a catalog of Hive's kind.
struct HiveTable {
  std::string database, name, owner;
  std::string type;  ///< MANAGED_TABLE, EXTERNAL_TABLE, VIRTUAL_VIEW.
  HiveStorage storage;
  std::vector<HiveColumn> partition_keys;
  std::map<std::string, std::string> parameters;
  std::string view_original_text, view_expanded_text;
};

struct HivePartition {
  std::vector<std::string> values;  ///< As texts, NULL as __HIVE_DEFAULT_PARTITION__.
  HiveStorage storage;
  std::map<std::string, std::string> parameters;
};

/// A catalog that describes tables as Hive does: a Hive Metastore, AWS Glue. Thread-safe. Names are in lower case.
class TableMetastore {
 public:
  virtual ~TableMetastore() = default;
  virtual Result<std::optional<HiveTable>> FindTable(const std::string& database, const std::string& name) = 0;
  /// False: the name is taken.
  virtual Result<bool> CreateTable(const HiveTable& table) = 0;
  /// What the entry holds beyond HiveTable stays.
  virtual Status AlterTable(const HiveTable& table) = 0;
  /// The files stay. No error where it is gone already.
  virtual Status DropTable(const std::string& database, const std::string& name) = 0;
  virtual Result<std::vector<HivePartition>> ListPartitions(const std::string& database, const std::string& name) = 0;
  /// Those that are there already stay as they are.
  virtual Status AddPartitions(const std::string& database, const std::string& name,
                               const std::vector<HivePartition>& partitions) = 0;
  /// The files stay. No error where it is gone already.
  virtual Status DropPartition(const std::string& database, const std::string& name,
                               const std::vector<std::string>& values) = 0;
};

}  // namespace frazil::catalogs
