#include "frazil/tables/iceberg/partition_spec.h"

#include <algorithm>
#include <set>

#include "frazil/base/byte_text.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/iceberg/errors.h"
#include "frazil/tables/iceberg/json_access.h"
#include "frazil/tables/iceberg/single_value.h"
#include "frazil/tables/iceberg/spark_schema.h"
#include "frazil/tables/transform.h"

namespace frazil::tables::iceberg {
namespace {

/// Whether the transform takes values of an Iceberg type.
bool Accepts(TransformKind kind, const Type& type) {
  if (kind == TransformKind::kVoid) return true;
  auto spark = ToSparkType(type);
  if (spark.ok()) return TransformAccepts(kind, **spark);
  // Types that Spark lacks: partitioned tables of other engines.
  switch (type.kind) {
    case TypeKind::kTime:
      return kind == TransformKind::kIdentity || kind == TransformKind::kBucket;
    case TypeKind::kTimestampNs:
    case TypeKind::kTimestampTzNs:
      return kind != TransformKind::kTruncate;
    default:
      return false;
  }
}

/// A value of a field whose type is not known here: enough to tell partitions apart.
std::string UntypedText(const Value& value) {
  if (value.is_null()) return "null";
  if (const auto* number = std::get_if<int64_t>(&value.storage())) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value.storage())) return *text;
  if (const auto* flag = std::get_if<bool>(&value.storage())) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<float>(&value.storage())) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value.storage())) return std::to_string(*number);
  return "?";
}

/// "1001: ts_day: day(4)", as Iceberg's messages show a field.
std::string Description(const SpecField& field) {
  return std::to_string(field.field_id) + ": " + field.name + ": " + TransformText(field) + "(" +
         std::to_string(field.source_id) + ")";
}

}  // namespace

bool PartitionSpec::unpartitioned() const {
  return std::all_of(fields.begin(), fields.end(), [](const SpecField& f) {
    return f.unknown_transform.empty() && f.transform == TransformKind::kVoid;
  });
}

int32_t PartitionSpec::LastFieldId() const {
  int32_t last = kFirstPartitionFieldId - 1;
  for (const auto& field : fields) last = std::max(last, field.field_id);
  return last;
}

std::string TransformText(const SpecField& field) {
  return field.unknown_transform.empty() ? TransformName(field.transform, field.parameter) : field.unknown_transform;
}

void ParseTransformText(const std::string& text, SpecField* field) {
  field->unknown_transform.clear();
  field->parameter = 0;
  for (TransformKind kind : {TransformKind::kIdentity, TransformKind::kYear, TransformKind::kMonth, TransformKind::kDay,
                             TransformKind::kHour, TransformKind::kVoid}) {
    if (EqualsIgnoreCase(text, TransformName(kind, 0))) {
      field->transform = kind;
      return;
    }
  }
  std::string lower = AsciiLower(text);
  for (auto [prefix, kind] : {std::pair(std::string_view("bucket["), TransformKind::kBucket),
                              std::pair(std::string_view("truncate["), TransformKind::kTruncate)}) {
    if (!lower.starts_with(prefix) || lower.back() != ']') continue;
    auto number =
        ParseInteger<int32_t>(std::string_view(lower).substr(prefix.size(), lower.size() - prefix.size() - 1));
    if (number && *number > 0) {
      field->transform = kind;
      field->parameter = *number;
      return;
    }
  }
  field->unknown_transform = text;
}

Result<std::vector<SpecField>> ParseSpecFields(const JsonValue& array) {
  if (array.kind != JsonValue::Kind::kArray)
    return IllegalArgument("Cannot parse partition spec fields, not an array: " + array.Write());
  std::vector<SpecField> fields;
  for (const auto& json : array.items) {
    SpecField field;
    FRAZIL_ASSIGN_OR_RETURN(field.name, GetText(json, "name"));
    FRAZIL_ASSIGN_OR_RETURN(std::string transform, GetText(json, "transform"));
    ParseTransformText(transform, &field);
    const JsonValue* sources = json.Find("source-ids");
    if (sources != nullptr && sources->kind == JsonValue::Kind::kArray && !sources->items.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(int64_t first, ToLong(sources->items[0]));
      field.source_id = static_cast<int32_t>(first);
      // A transform of several columns is one that is not known here.
      if (sources->items.size() > 1) field.unknown_transform = transform;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(field.source_id, GetInt(json, "source-id"));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto id, GetOptionalLong(json, "field-id"));
    // v1 files of old writers have no ids: they are counted.
    field.field_id = static_cast<int32_t>(id.value_or(kFirstPartitionFieldId + static_cast<int64_t>(fields.size())));
    field.unknown_members.kind = JsonValue::Kind::kObject;
    field.unknown_members.members = UnknownMembers(json, {"name", "transform", "source-id", "field-id"});
    fields.push_back(std::move(field));
  }
  return fields;
}

Result<PartitionSpec> ParsePartitionSpec(const JsonValue& json) {
  PartitionSpec spec;
  FRAZIL_ASSIGN_OR_RETURN(spec.spec_id, GetInt(json, "spec-id"));
  const JsonValue* fields = json.Find("fields");
  if (fields == nullptr) return IllegalArgument("Cannot parse missing list: fields");
  FRAZIL_ASSIGN_OR_RETURN(spec.fields, ParseSpecFields(*fields));
  return spec;
}

JsonValue SpecFieldsToJson(const PartitionSpec& spec) {
  std::vector<JsonValue> fields;
  for (const auto& field : spec.fields) {
    JsonObject object;
    object.AddText("name", field.name).AddText("transform", TransformText(field));
    if (field.unknown_members.Find("source-ids") == nullptr) object.AddLong("source-id", field.source_id);
    object.AddLong("field-id", field.field_id).AddUnknown(field.unknown_members.members);
    fields.push_back(object.Take());
  }
  return JsonArray(std::move(fields));
}

JsonValue PartitionSpecToJson(const PartitionSpec& spec) {
  return JsonObject().AddLong("spec-id", spec.spec_id).Add("fields", SpecFieldsToJson(spec)).Take();
}

TypePtr PartitionFieldType(const SpecField& field, const Schema& schema) {
  if (!field.unknown_transform.empty()) return Type::Primitive(TypeKind::kString);
  switch (field.transform) {
    case TransformKind::kBucket:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kHour:
      return Type::Primitive(TypeKind::kInt);
    case TransformKind::kDay:
      return Type::Primitive(TypeKind::kDate);
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kVoid:
      break;
  }
  const Schema::Located* source = schema.Find(field.source_id);
  return source == nullptr ? Type::Primitive(TypeKind::kString) : source->field->type;
}

bool CompatibleSpecs(const PartitionSpec& left, const PartitionSpec& right) {
  return std::equal(left.fields.begin(), left.fields.end(), right.fields.begin(), right.fields.end(),
                    [](const SpecField& a, const SpecField& b) {
                      return a.source_id == b.source_id && TransformText(a) == TransformText(b) && a.name == b.name;
                    });
}

Status CheckSpec(const PartitionSpec& spec, const Schema& schema) {
  std::set<std::string> names;
  for (const auto& field : spec.fields) {
    if (field.name.empty()) return IllegalArgument("Cannot use empty partition name: " + field.name);
    if (!names.insert(field.name).second)
      return IllegalArgument("Cannot use partition name more than once: " + field.name);
    const Schema::Located* source = schema.Find(field.source_id);
    if (!field.unknown_transform.empty()) continue;
    if (field.transform == TransformKind::kVoid) continue;
    if (source == nullptr) return Validation("Cannot find source column for partition field: " + field.name);
    const NestedField& column = *source->field;
    if (!column.type->IsPrimitive()) {
      return Validation("Cannot partition by non-primitive source field: " + TypeText(*column.type));
    }
    if (source->in_collection) {
      return Validation("Invalid partition field parent: " + Join(source->path, "."));
    }
    if (!Accepts(field.transform, *column.type)) {
      return Validation("Invalid source type " + TypeText(*column.type) + " for transform: " + TransformText(field));
    }
    const Schema::Located* same_name = schema.Find({field.name}, true);
    if (same_name != nullptr &&
        !(field.transform == TransformKind::kIdentity && same_name->field->id == field.source_id)) {
      if (field.transform == TransformKind::kIdentity) {
        return IllegalArgument("Cannot create identity partition sourced from different field in schema: " +
                               field.name);
      }
      return IllegalArgument("Cannot create partition from name that exists in schema: " + field.name);
    }
  }
  return {};
}

std::string DefaultFieldName(const std::string& source_name, TransformKind kind, int32_t parameter,
                             bool with_parameter) {
  std::string number = with_parameter ? "_" + std::to_string(parameter) : std::string();
  switch (kind) {
    case TransformKind::kIdentity:
      return source_name;
    case TransformKind::kBucket:
      return source_name + "_bucket" + number;
    case TransformKind::kTruncate:
      return source_name + "_trunc" + number;
    case TransformKind::kYear:
      return source_name + "_year";
    case TransformKind::kMonth:
      return source_name + "_month";
    case TransformKind::kDay:
      return source_name + "_day";
    case TransformKind::kHour:
      return source_name + "_hour";
    case TransformKind::kVoid:
      return source_name + "_null";
  }
  return source_name;
}

Result<std::vector<PartitionField>> ToPartitionFields(const PartitionSpec& spec, const Schema& schema) {
  std::vector<PartitionField> result;
  for (const auto& field : spec.fields) {
    if (!field.unknown_transform.empty()) {
      return Error::Unsupported("partition transform " + field.unknown_transform + " of field " + field.name);
    }
    PartitionField out;
    out.name = field.name;
    if (const Schema::Located* source = schema.Find(field.source_id)) out.source = source->path;
    out.source_id = field.source_id;
    out.field_id = field.field_id;
    out.transform = field.transform;
    out.parameter = field.parameter;
    FRAZIL_ASSIGN_OR_RETURN(out.result_type, ToSparkType(*PartitionFieldType(field, schema)));
    result.push_back(std::move(out));
  }
  return result;
}

std::string SpecPartitionPath(const PartitionSpec& spec, const Schema& schema, const std::vector<Value>& values) {
  std::string path;
  for (size_t i = 0; i < spec.fields.size() && i < values.size(); ++i) {
    const SpecField& field = spec.fields[i];
    if (i > 0) path += '/';
    path += UrlEncode(field.name) + "=";
    auto type = ToSparkType(*PartitionFieldType(field, schema));
    bool known = field.unknown_transform.empty() && type.ok() && (*type)->id() != TypeId::kNull &&
                 schema.Find(field.source_id) != nullptr;
    path += UrlEncode(
        known ? PartitionValueText(field.transform, **type, Promoted((*type)->id() == TypeId::kDouble, values[i]))
              : UntypedText(values[i]));
  }
  return path;
}

Result<PartitionSpec> BuildSpec(const Schema& schema, const std::vector<PartitionField>& fields) {
  PartitionSpec spec;
  for (const auto& wanted : fields) {
    const Schema::Located* source = schema.Find(wanted.source);
    if (source == nullptr) {
      return Validation("Cannot find source column: " + Join(wanted.source, "."));
    }
    SpecField field;
    field.source_id = source->field->id;
    field.field_id = kFirstPartitionFieldId + static_cast<int32_t>(spec.fields.size());
    field.transform = wanted.transform;
    field.parameter = wanted.parameter;
    field.name = wanted.name.empty()
                     ? DefaultFieldName(Join(source->path, "."), wanted.transform, wanted.parameter, false)
                     : wanted.name;
    spec.fields.push_back(std::move(field));
  }
  FRAZIL_RETURN_IF_ERROR(CheckSpec(spec, schema));
  std::map<std::pair<int32_t, std::string>, const SpecField*> transforms;
  for (const auto& field : spec.fields) {
    // Two transforms of time of one column are redundant, as are two of one name.
    bool of_time = field.transform == TransformKind::kYear || field.transform == TransformKind::kMonth ||
                   field.transform == TransformKind::kDay || field.transform == TransformKind::kHour;
    auto [first, is_new] =
        transforms.emplace(std::pair(field.source_id, of_time ? "time" : TransformText(field)), &field);
    if (!is_new) {
      return IllegalArgument("Cannot add redundant partition: " + Description(*first->second) + " conflicts with " +
                             Description(field));
    }
  }
  return spec;
}

}  // namespace frazil::tables::iceberg
