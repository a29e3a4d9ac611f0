#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/schema.h"
#include "frazil/tables/write.h"
#include "frazil/types/value.h"

namespace frazil::tables::iceberg {

constexpr int32_t kFirstPartitionFieldId = 1000;

struct SpecField {
  int32_t source_id = -1;
  int32_t field_id = -1;
  std::string name;
  TransformKind transform = TransformKind::kIdentity;
  int32_t parameter = 0;
  /// Text of a transform that is not known here; empty for known ones. Such a field cannot prune, and tables with it as
  /// their spec cannot be written.
  std::string unknown_transform;
  JsonValue
      unknown_members;  ///< Members of the field's JSON that are not known here ("source-ids", ...), as an object.
};

/// "Partition Specs". Immutable once shared.
struct PartitionSpec {
  int32_t spec_id = 0;
  std::vector<SpecField> fields;

  bool unpartitioned() const;   ///< No field, or only void ones.
  int32_t LastFieldId() const;  ///< kFirstPartitionFieldId - 1 where there is none.
};

/// Text of the transform in JSON.
std::string TransformText(const SpecField& field);
/// Sets transform, parameter or unknown_transform.
void ParseTransformText(const std::string& text, SpecField* field);

Result<PartitionSpec> ParsePartitionSpec(const JsonValue& json);
/// The fields alone: v1's "partition-spec", and the key of that name in manifests.
Result<std::vector<SpecField>> ParseSpecFields(const JsonValue& array);
JsonValue PartitionSpecToJson(const PartitionSpec& spec);
JsonValue SpecFieldsToJson(const PartitionSpec& spec);

/// Iceberg type of a field's values. Sources that the schema no longer has are given as `string` for identity-like
/// transforms: their values are read by what the manifest says, and are not used for pruning.
TypePtr PartitionFieldType(const SpecField& field, const Schema& schema);

/// Same fields in the same order: source, transform, name (ids aside).
bool CompatibleSpecs(const PartitionSpec& left, const PartitionSpec& right);

/// Checks sources, types and names: the texts of Iceberg's ValidationException.
Status CheckSpec(const PartitionSpec& spec, const Schema& schema);

/// The name that Iceberg's Spark gives a field without one: "ts_day", "id_bucket", "name_trunc". ALTER TABLE's names
/// with the number: `with_parameter`.
std::string DefaultFieldName(const std::string& source_name, TransformKind kind, int32_t parameter,
                             bool with_parameter);

/// Fields as the engine needs them. Void fields are included.
Result<std::vector<PartitionField>> ToPartitionFields(const PartitionSpec& spec, const Schema& schema);
/// Folder name of a partition tuple: "a=1/b=2".
std::string SpecPartitionPath(const PartitionSpec& spec, const Schema& schema, const std::vector<Value>& values);

/// A new spec of the fields that a definition names. Ids are counted from kFirstPartitionFieldId.
Result<PartitionSpec> BuildSpec(const Schema& schema, const std::vector<PartitionField>& fields);

}  // namespace frazil::tables::iceberg
