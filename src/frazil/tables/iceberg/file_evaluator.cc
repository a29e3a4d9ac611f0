#include "frazil/tables/iceberg/file_evaluator.h"

#include <algorithm>

#include "frazil/tables/iceberg/projection.h"

namespace frazil::tables::iceberg {

FileEvaluator::FileEvaluator(BoundPredicatePtr filter, const PartitionSpec& spec, SchemaPtr schema)
    : spec_(spec), schema_(std::move(schema)) {
  for (const auto& field : spec_.fields) partition_types_.push_back(PartitionFieldType(field, *schema_));
  inclusive_ = ProjectInclusive(filter, spec_, *schema_);
  root_ = Build(filter);
}

FileEvaluator::Node FileEvaluator::Build(const BoundPredicatePtr& predicate) const {
  Node node;
  node.predicate = predicate;
  for (const auto& child : predicate->children) node.children.push_back(Build(child));
  if (predicate->op != PredicateOp::kTrue && predicate->op != PredicateOp::kFalse && predicate->children.empty()) {
    node.inclusive = ProjectInclusive(predicate, spec_, *schema_);
    node.strict = ProjectStrict(predicate, spec_, *schema_);
    const Schema::Located* column = schema_->Find(predicate->field);
    if (column != nullptr) node.type = column->field->type;
  }
  return node;
}

bool FileEvaluator::ManifestMayMatch(const ManifestFile& manifest) const {
  if (!manifest.has_summaries || manifest.summaries.size() != spec_.fields.size()) {
    return inclusive_->op != PredicateOp::kFalse;
  }
  return iceberg::MayMatch(*inclusive_, [&](int32_t field, const DataType&) {
    auto i = static_cast<size_t>(field);
    return SummaryRange(manifest.summaries[i], *partition_types_[i]);
  });
}

bool FileEvaluator::MayMatch(const DataFile& file) const { return file.record_count != 0 && MayMatch(root_, file); }

bool FileEvaluator::AllMatch(const DataFile& file) const { return AllMatch(root_, file); }

bool FileEvaluator::MayMatch(const Node& node, const DataFile& file) const {
  switch (node.predicate->op) {
    case PredicateOp::kTrue:
      return true;
    case PredicateOp::kFalse:
      return false;
    case PredicateOp::kAnd:
      return std::all_of(node.children.begin(), node.children.end(), [&](const Node& n) { return MayMatch(n, file); });
    case PredicateOp::kOr:
      return std::any_of(node.children.begin(), node.children.end(), [&](const Node& n) { return MayMatch(n, file); });
    default:
      break;
  }
  if (file.partition.size() == spec_.fields.size()) {
    bool by_partition = iceberg::MayMatch(*node.inclusive, [&](int32_t field, const DataType& type) {
      return RangeOf(type, file.partition[static_cast<size_t>(field)]);
    });
    if (!by_partition) return false;
  }
  if (node.type == nullptr || file.content != FileContent::kData) return true;
  return iceberg::MayMatch(*node.predicate,
                           [&](int32_t field, const DataType&) { return FileRange(file, field, *node.type); });
}

bool FileEvaluator::AllMatch(const Node& node, const DataFile& file) const {
  switch (node.predicate->op) {
    case PredicateOp::kTrue:
      return true;
    case PredicateOp::kFalse:
      return false;
    case PredicateOp::kAnd:
      return std::all_of(node.children.begin(), node.children.end(), [&](const Node& n) { return AllMatch(n, file); });
    case PredicateOp::kOr:
      return std::any_of(node.children.begin(), node.children.end(), [&](const Node& n) { return AllMatch(n, file); });
    default:
      break;
  }
  if (file.partition.size() == spec_.fields.size()) {
    bool by_partition = iceberg::AllMatch(*node.strict, [&](int32_t field, const DataType& type) {
      return RangeOf(type, file.partition[static_cast<size_t>(field)]);
    });
    if (by_partition) return true;
  }
  if (node.type == nullptr || file.content != FileContent::kData) return false;
  return iceberg::AllMatch(*node.predicate,
                           [&](int32_t field, const DataType&) { return FileRange(file, field, *node.type); });
}

const FileEvaluator& FileEvaluators::For(const PartitionSpec& spec) {
  auto& found = by_spec_[spec.spec_id];
  if (found == nullptr) found = std::make_unique<FileEvaluator>(filter_, spec, schema_);
  return *found;
}

}  // namespace frazil::tables::iceberg
