#include "frazil/tables/iceberg/spec_update.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"

namespace frazil::tables::iceberg {
namespace {

std::string Show(const SpecField& field) {
  return std::to_string(field.field_id) + ": " + field.name + ": " + TransformText(field) + "(" +
         std::to_string(field.source_id) + ")";
}

bool IsTime(TransformKind kind) {
  return kind == TransformKind::kYear || kind == TransformKind::kMonth || kind == TransformKind::kDay ||
         kind == TransformKind::kHour;
}

}  // namespace

SpecUpdate::SpecUpdate(const TableMetadata& base) : base_(base), last_field_id_(base.last_partition_id) {
  for (const auto& field : base.spec().fields) items_.push_back(Item{field, false, false});
}

Result<SpecField> SpecUpdate::Resolve(const PartitionField& wanted) const {
  const Schema::Located* source = base_.schema()->Find(wanted.source);
  if (source == nullptr) {
    return Validation("Cannot find field '" + Join(wanted.source, ".") +
                      "' in struct: " + TypeText(*base_.schema()->root()));
  }
  SpecField field;
  field.source_id = source->field->id;
  field.transform = wanted.transform;
  field.parameter = wanted.parameter;
  field.unknown_members.kind = JsonValue::Kind::kObject;
  return field;
}

Status SpecUpdate::Add(const PartitionField& wanted, const std::string& name) {
  FRAZIL_ASSIGN_OR_RETURN(SpecField field, Resolve(wanted));
  std::string term = TransformText(field) + "(" + Join(wanted.source, ".") + ")";
  auto same = [&](const SpecField& other) {
    return other.source_id == field.source_id && TransformText(other) == TransformText(field);
  };
  for (auto& item : items_) {
    if (!same(item.field)) continue;
    if (item.removed) {
      // Taken out and put back in one statement: it stays.
      item.removed = false;
      if (!name.empty()) item.field.name = name;
      return {};
    }
    return IllegalArgument("Cannot add duplicate partition field " + (name.empty() ? std::string("null") : name) + "=" +
                           term + (item.added ? ", already added: " : ", conflicts with ") + Show(item.field));
  }
  if (base_.format_version >= 2) {
    for (const auto& spec : base_.specs) {
      for (const auto& old : spec.fields) {
        if (field.field_id < 0 && same(old) && (name.empty() || old.name == name)) {
          field.field_id = old.field_id;
          field.name = old.name;
        }
      }
    }
  }
  if (field.field_id < 0) field.field_id = ++last_field_id_;
  if (!name.empty()) field.name = name;
  if (field.name.empty()) {
    field.name = DefaultFieldName(base_.schema()->NameOf(field.source_id), field.transform, field.parameter, true);
  }
  if (IsTime(field.transform)) {
    for (const auto& item : items_) {
      if (item.added && item.field.source_id == field.source_id && IsTime(item.field.transform)) {
        return IllegalArgument("Cannot add redundant partition field: " + Show(item.field) + " conflicts with " +
                               Show(field));
      }
    }
  }
  for (auto& item : items_) {
    if (item.field.name != field.name) continue;
    bool gone = item.removed || item.field.transform == TransformKind::kVoid;
    if (item.added || !gone) return IllegalArgument("Cannot add duplicate partition field name: " + field.name);
    // A field that is no longer used makes room for the new one of its name.
    item.field.name += "_" + std::to_string(item.field.field_id);
  }
  items_.push_back(Item{std::move(field), true, false});
  return {};
}

Status SpecUpdate::Remove(const PartitionField& wanted) {
  bool by_name = wanted.source.empty();
  std::string name = by_name ? wanted.name : std::string();
  if (!by_name && wanted.transform == TransformKind::kIdentity && wanted.source.size() == 1 &&
      base_.schema()->Find(wanted.source) == nullptr) {
    // No column of that name: it is the name of a partition field.
    by_name = true;
    name = wanted.source[0];
  }
  SpecField field;
  if (!by_name) {
    FRAZIL_ASSIGN_OR_RETURN(field, Resolve(wanted));
  }
  for (auto& item : items_) {
    bool matches = by_name
                       ? item.field.name == name
                       : item.field.source_id == field.source_id && TransformText(item.field) == TransformText(field);
    if (!matches || item.removed) continue;
    if (item.added) return IllegalArgument("Cannot delete newly added field: " + Show(item.field));
    item.removed = true;
    return {};
  }
  return IllegalArgument("Cannot find partition field to remove: " +
                         (by_name ? name : TransformText(field) + "(" + Join(wanted.source, ".") + ")"));
}

Status SpecUpdate::Apply(const TableChange& change) {
  for (const auto& item : items_) {
    if (!item.field.unknown_transform.empty()) {
      return IllegalArgument("Cannot update partition spec with unknown transform: " + Show(item.field));
    }
  }
  switch (change.type) {
    case TableChange::Type::kAddPartitionField:
      return Add(change.field, change.has_field_name ? change.field.name : std::string());
    case TableChange::Type::kDropPartitionField:
      return Remove(change.field);
    case TableChange::Type::kReplacePartitionField:
      FRAZIL_RETURN_IF_ERROR(Remove(change.field));
      return Add(change.new_field, change.has_field_name ? change.new_field.name : std::string());
    default:
      return Error::Internal("not a change of partition fields");
  }
}

PartitionSpec SpecUpdate::Build() const {
  PartitionSpec spec;
  for (const auto& item : items_) {
    if (!item.removed) {
      spec.fields.push_back(item.field);
    } else if (base_.format_version < 2) {
      // The ids of v1 fields are their positions, so the place is kept.
      SpecField kept = item.field;
      kept.transform = TransformKind::kVoid;
      kept.parameter = 0;
      spec.fields.push_back(std::move(kept));
    }
  }
  return spec;
}

}  // namespace frazil::tables::iceberg
