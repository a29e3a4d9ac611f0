#pragma once

#include "frazil/tables/iceberg/bound_predicate.h"
#include "frazil/tables/iceberg/partition_spec.h"

namespace frazil::tables::iceberg {

/// Predicates on columns turned into predicates on partition values, whose fields are positions in the spec. Source:
/// Iceberg spec, "Scan Planning".

/// True for the partition of every row for which `predicate` is true (and maybe for others).
BoundPredicatePtr ProjectInclusive(const BoundPredicatePtr& predicate, const PartitionSpec& spec, const Schema& schema);
/// True only for partitions all of whose rows make `predicate` true.
BoundPredicatePtr ProjectStrict(const BoundPredicatePtr& predicate, const PartitionSpec& spec, const Schema& schema);

}  // namespace frazil::tables::iceberg
