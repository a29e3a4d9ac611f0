#pragma once

#include <memory>
#include <vector>

#include "frazil/tables/iceberg/bound_predicate.h"
#include "frazil/tables/iceberg/partition_spec.h"

namespace frazil::tables::iceberg {

/// Tells by metadata what a filter means for the files and manifests of one partition spec: each test is tried on the
/// partition values and on the column metrics. Immutable, thread-safe.
class FileEvaluator {
 public:
  FileEvaluator(BoundPredicatePtr filter, const PartitionSpec& spec, SchemaPtr schema);

  /// Whether the manifest may list a file with matching rows.
  bool ManifestMayMatch(const ManifestFile& manifest) const;
  /// Whether the file may have matching rows.
  bool MayMatch(const DataFile& file) const;
  /// Whether surely all rows of the file match.
  bool AllMatch(const DataFile& file) const;

 private:
  struct Node {
    BoundPredicatePtr predicate;
    std::vector<Node> children;
    BoundPredicatePtr inclusive, strict;  ///< Of a test, on partition values.
    TypePtr type;                         ///< Of the tested column.
  };
  Node Build(const BoundPredicatePtr& predicate) const;
  bool MayMatch(const Node& node, const DataFile& file) const;
  bool AllMatch(const Node& node, const DataFile& file) const;

  PartitionSpec spec_;
  SchemaPtr schema_;
  std::vector<TypePtr> partition_types_;
  BoundPredicatePtr inclusive_;
  Node root_;
};

/// Evaluators of one filter for all specs of a table, made when they are first needed. Not thread-safe: fill it with
/// For() before sharing it.
class FileEvaluators {
 public:
  FileEvaluators(BoundPredicatePtr filter, SchemaPtr schema) : filter_(std::move(filter)), schema_(std::move(schema)) {}
  const FileEvaluator& For(const PartitionSpec& spec);

 private:
  BoundPredicatePtr filter_;
  SchemaPtr schema_;
  std::map<int32_t, std::unique_ptr<FileEvaluator>> by_spec_;
};

}  // namespace frazil::tables::iceberg
