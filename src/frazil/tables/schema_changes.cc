#include "frazil/tables/schema_changes.h"

namespace frazil::tables {
namespace {

void Collect(const std::vector<std::string>& path, const DataTypePtr& before, const DataTypePtr& after,
             std::vector<TableChange>* changes) {
  const auto below = [&](const std::string& name) {
    std::vector<std::string> longer = path;
    longer.push_back(name);
    return longer;
  };
  switch (after->id()) {
    case TypeId::kStruct:
      for (const auto& field : after->fields()) {
        const int index = before->FieldIndex(field.name);
        if (index >= 0) {
          const auto& known = before->fields()[static_cast<size_t>(index)];
          Collect(below(known.name), known.type, field.type, changes);
          continue;
        }
        TableChange change;
        change.type = TableChange::Type::kAddColumn;
        change.column = below(field.name);
        change.data_type = field.type;
        changes->push_back(std::move(change));
      }
      return;
    case TypeId::kArray:
      return Collect(below("element"), before->element_type(), after->element_type(), changes);
    case TypeId::kMap:
      Collect(below("key"), before->key_type(), after->key_type(), changes);
      return Collect(below("value"), before->value_type(), after->value_type(), changes);
    default:
      if (before->Equals(*after)) return;
      TableChange change;
      change.type = TableChange::Type::kUpdateColumnType;
      change.column = path;
      change.data_type = after;
      changes->push_back(std::move(change));
  }
}

}  // namespace

std::vector<TableChange> ChangesBetween(const DataTypePtr& before, const DataTypePtr& after) {
  std::vector<TableChange> changes;
  Collect({}, before, after, &changes);
  return changes;
}

}  // namespace frazil::tables
