#include "frazil/catalogs/definition_changes.h"

#include <algorithm>
#include <utility>

#include "frazil/base/text.h"
#include "frazil/storage/object_store.h"

namespace frazil::catalogs {
namespace {

Status ApplyColumnChange(const tables::TableChange& change, std::vector<StructField>* fields) {
  using Type = tables::TableChange::Type;
  auto found = std::find_if(fields->begin(), fields->end(), [&](const StructField& field) {
    return !change.column.empty() && EqualsIgnoreCase(field.name, change.column[0]);
  });
  if (change.column.size() != 1) {
    return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                     {{"tableName", ""}, {"operation", "ALTER of nested columns"}});
  }
  if (change.type != Type::kAddColumn && found == fields->end()) {
    return Error::Of("FIELD_NOT_FOUND",
                     {{"fieldName", QuoteIdentifier(change.column)}, {"fields", DataType::Struct(*fields)->Sql()}});
  }
  switch (change.type) {
    case Type::kAddColumn: {
      if (found != fields->end()) {
        return Error::Of("FIELD_ALREADY_EXISTS", {{"op", "add"},
                                                  {"fieldNames", QuoteIdentifier(change.column)},
                                                  {"struct", DataType::Struct(*fields)->Sql()}});
      }
      StructField field(change.column[0], change.data_type, change.nullable);
      if (!change.value.empty()) field.SetComment(change.value);
      fields->push_back(std::move(field));
      return Status::Ok();
    }
    case Type::kUpdateColumnComment:
      found->SetComment(change.value);
      return Status::Ok();
    case Type::kUpdateColumnType:
      found->type = change.data_type;
      return Status::Ok();
    default:
      return Error::Of("UNSUPPORTED_FEATURE.TABLE_OPERATION",
                       {{"tableName", ""}, {"operation", "this ALTER TABLE of a table of plain files"}});
  }
}

}  // namespace

Status ApplyChanges(const std::vector<tables::TableChange>& changes, tables::TableDefinition* definition) {
  std::vector<StructField> fields = definition->schema->fields();
  for (const auto& change : changes) {
    switch (change.type) {
      case tables::TableChange::Type::kSetProperty:
        if (change.new_name == "comment") {
          definition->comment = change.value;
        } else {
          definition->properties[change.new_name] = change.value;
        }
        break;
      case tables::TableChange::Type::kRemoveProperty:
        definition->properties.erase(change.new_name);
        break;
      case tables::TableChange::Type::kSetLocation:
        definition->location = storage::LocalPath(change.value);
        break;
      default:
        FRAZIL_RETURN_IF_ERROR(ApplyColumnChange(change, &fields));
    }
  }
  definition->schema = DataType::Struct(std::move(fields));
  return {};
}

}  // namespace frazil::catalogs
