#pragma once

#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/table_metadata.h"
#include "frazil/tables/table.h"

namespace frazil::tables::iceberg {

/// Changes of the default partition spec ("Partition Evolution"): removed fields become void in v1 and go in v2; a
/// field that was there before gets its id back.
class SpecUpdate {
 public:
  explicit SpecUpdate(const TableMetadata& base);
  /// kAddPartitionField, kDropPartitionField, kReplacePartitionField.
  Status Apply(const TableChange& change);
  PartitionSpec Build() const;

 private:
  Status Add(const PartitionField& wanted, const std::string& name);
  Status Remove(const PartitionField& wanted);
  Result<SpecField> Resolve(const PartitionField& wanted) const;

  const TableMetadata& base_;
  struct Item {
    SpecField field;
    bool added = false;
    bool removed = false;
  };
  std::vector<Item> items_;
  int32_t last_field_id_;
};

}  // namespace frazil::tables::iceberg
