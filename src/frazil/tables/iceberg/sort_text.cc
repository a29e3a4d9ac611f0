#include "frazil/tables/iceberg/sort_text.h"

#include "frazil/tables/transform.h"

namespace frazil::tables::iceberg {
namespace {

std::string TermText(const SpecField& term, const Schema& schema) {
  std::string name = schema.NameOf(term.source_id);
  if (!term.unknown_transform.empty()) return term.unknown_transform + "(" + name + ")";
  switch (term.transform) {
    case TransformKind::kIdentity:
      return name;
    case TransformKind::kBucket:
      return "bucket(" + std::to_string(term.parameter) + ", " + name + ")";
    case TransformKind::kTruncate:
      return "truncate(" + name + ", " + std::to_string(term.parameter) + ")";
    case TransformKind::kYear:
      return "years(" + name + ")";
    case TransformKind::kMonth:
      return "months(" + name + ")";
    case TransformKind::kDay:
      return "days(" + name + ")";
    case TransformKind::kHour:
      return "hours(" + name + ")";
    case TransformKind::kVoid:
      return "void(" + name + ")";
  }
  return name;
}

}  // namespace

std::string SortOrderText(const SortOrder& order, const Schema& schema) {
  std::string text;
  for (const auto& field : order.fields) {
    if (!text.empty()) text += ", ";
    text += TermText(field.term, schema);
    text += field.ascending ? " ASC" : " DESC";
    text += field.nulls_first ? " NULLS FIRST" : " NULLS LAST";
  }
  return text;
}

}  // namespace frazil::tables::iceberg
