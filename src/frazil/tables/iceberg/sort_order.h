#pragma once

#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/partition_spec.h"
#include "frazil/tables/iceberg/schema.h"
#include "frazil/tables/write.h"

namespace frazil::tables::iceberg {

struct SortOrderField {
  SpecField term;  ///< Only source and transform are used.
  bool ascending = true;
  bool nulls_first = true;
};

/// "Sorting". Order 0 is "unsorted".
struct SortOrder {
  int32_t order_id = 0;
  std::vector<SortOrderField> fields;
};

Result<SortOrder> ParseSortOrder(const JsonValue& json);
JsonValue SortOrderToJson(const SortOrder& order);
/// Same terms, ids aside.
bool SameSortOrder(const SortOrder& left, const SortOrder& right);
/// Sources exist and can be sorted by.
Status CheckSortOrder(const SortOrder& order, const Schema& schema);
/// An order of the fields that a statement names; order_id is 1, or 0 where there are no fields.
Result<SortOrder> BuildSortOrder(const Schema& schema, const std::vector<SortField>& fields);
Result<std::vector<SortField>> ToSortFields(const SortOrder& order, const Schema& schema);

}  // namespace frazil::tables::iceberg
