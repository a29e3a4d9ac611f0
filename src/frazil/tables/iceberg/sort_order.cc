#include "frazil/tables/iceberg/sort_order.h"

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"
#include "frazil/tables/iceberg/spark_schema.h"

namespace frazil::tables::iceberg {

Result<SortOrder> ParseSortOrder(const JsonValue& json) {
  SortOrder order;
  FRAZIL_ASSIGN_OR_RETURN(order.order_id, GetInt(json, "order-id"));
  FRAZIL_ASSIGN_OR_RETURN(const auto* items, GetArray(json, "fields"));
  for (const auto& item : *items) {
    SortOrderField field;
    FRAZIL_ASSIGN_OR_RETURN(std::string transform, GetText(item, "transform"));
    ParseTransformText(transform, &field.term);
    FRAZIL_ASSIGN_OR_RETURN(auto source, GetOptionalLong(item, "source-id"));
    field.term.source_id = static_cast<int32_t>(source.value_or(-1));
    field.term.unknown_members.kind = JsonValue::Kind::kObject;
    field.term.unknown_members.members = UnknownMembers(item, {"transform", "source-id", "direction", "null-order"});
    if (!source && field.term.unknown_transform.empty()) field.term.unknown_transform = transform;
    FRAZIL_ASSIGN_OR_RETURN(std::string direction, GetText(item, "direction"));
    field.ascending = EqualsIgnoreCase(direction, "asc");
    FRAZIL_ASSIGN_OR_RETURN(std::string nulls, GetText(item, "null-order"));
    field.nulls_first = EqualsIgnoreCase(nulls, "nulls-first");
    order.fields.push_back(std::move(field));
  }
  return order;
}

JsonValue SortOrderToJson(const SortOrder& order) {
  std::vector<JsonValue> fields;
  for (const auto& field : order.fields) {
    JsonObject object;
    object.AddText("transform", TransformText(field.term));
    if (field.term.source_id >= 0) object.AddLong("source-id", field.term.source_id);
    object.AddText("direction", field.ascending ? "asc" : "desc");
    object.AddText("null-order", field.nulls_first ? "nulls-first" : "nulls-last");
    object.AddUnknown(field.term.unknown_members.members);
    fields.push_back(object.Take());
  }
  return JsonObject().AddLong("order-id", order.order_id).Add("fields", JsonArray(std::move(fields))).Take();
}

bool SameSortOrder(const SortOrder& left, const SortOrder& right) {
  return std::equal(left.fields.begin(), left.fields.end(), right.fields.begin(), right.fields.end(),
                    [](const SortOrderField& a, const SortOrderField& b) {
                      return a.term.source_id == b.term.source_id && TransformText(a.term) == TransformText(b.term) &&
                             a.ascending == b.ascending && a.nulls_first == b.nulls_first;
                    });
}

Status CheckSortOrder(const SortOrder& order, const Schema& schema) {
  for (const auto& field : order.fields) {
    if (!field.term.unknown_transform.empty()) continue;
    const Schema::Located* source = schema.Find(field.term.source_id);
    std::string shown = TransformText(field.term) + "(" + std::to_string(field.term.source_id) + ")";
    if (source == nullptr) return Validation("Cannot find source column for sort field: " + shown);
    if (!source->field->type->IsPrimitive()) {
      return Validation("Cannot sort by non-primitive source field: " + TypeText(*source->field->type));
    }
  }
  return {};
}

Result<SortOrder> BuildSortOrder(const Schema& schema, const std::vector<SortField>& fields) {
  SortOrder order;
  order.order_id = fields.empty() ? 0 : 1;
  for (const auto& wanted : fields) {
    const Schema::Located* source = schema.Find(wanted.term.source);
    if (source == nullptr)
      return Validation("Cannot find field '" + Join(wanted.term.source, ".") + "' in the table's schema");
    SortOrderField field;
    field.term.source_id = source->field->id;
    field.term.transform = wanted.term.transform;
    field.term.parameter = wanted.term.parameter;
    field.term.unknown_members.kind = JsonValue::Kind::kObject;
    field.ascending = wanted.ascending;
    field.nulls_first = wanted.nulls_first;
    order.fields.push_back(std::move(field));
  }
  FRAZIL_RETURN_IF_ERROR(CheckSortOrder(order, schema));
  return order;
}

Result<std::vector<SortField>> ToSortFields(const SortOrder& order, const Schema& schema) {
  PartitionSpec terms;
  for (const auto& field : order.fields) terms.fields.push_back(field.term);
  FRAZIL_ASSIGN_OR_RETURN(auto converted, ToPartitionFields(terms, schema));
  std::vector<SortField> result;
  for (size_t i = 0; i < converted.size(); ++i) {
    result.push_back(SortField{std::move(converted[i]), order.fields[i].ascending, order.fields[i].nulls_first});
  }
  return result;
}

}  // namespace frazil::tables::iceberg
