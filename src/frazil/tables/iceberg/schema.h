#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/type.h"

namespace frazil::tables::iceberg {

class Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

/// The columns of a table at one time. Immutable; fields are found by id and by name.
class Schema {
 public:
  static SchemaPtr Make(int32_t schema_id, std::vector<NestedField> fields,
                        std::vector<int32_t> identifier_field_ids = {});
  static Result<SchemaPtr> FromJson(const JsonValue& json);
  JsonValue ToJson() const;

  int32_t schema_id() const { return schema_id_; }
  const std::vector<NestedField>& fields() const { return root_->fields; }
  const TypePtr& root() const { return root_; }
  const std::vector<int32_t>& identifier_field_ids() const { return identifier_field_ids_; }

  struct Located {
    const NestedField* field = nullptr;
    std::vector<std::string> path;  ///< Name path from the top; list elements "element", map parts "key", "value".
    int32_t parent_id = -1;         ///< -1 at the top.
    bool in_collection = false;     ///< Below a list or map: many values in a row.
    bool optional_above = false;    ///< Some struct above is optional.
  };
  /// Null where there is none.
  const Located* Find(int32_t field_id) const;
  /// By name path: exactly, or else ignoring ASCII case. A name with dots may stand for several parts, as Iceberg's own
  /// names do.
  const Located* Find(const std::vector<std::string>& path, bool case_sensitive = false) const;
  /// "a.b" of a field, or "".
  std::string NameOf(int32_t field_id) const;

  /// Same columns in the same order and the same identifier fields; ids of the schemas aside.
  bool SameAs(const Schema& other) const;
  SchemaPtr WithId(int32_t schema_id) const;

 private:
  void Index(const Type& type, const Located& parent, int32_t parent_id);

  int32_t schema_id_ = 0;
  TypePtr root_;
  std::vector<int32_t> identifier_field_ids_;
  std::unordered_map<int32_t, Located> by_id_;
  std::unordered_map<std::string, int32_t> by_name_;
  std::unordered_map<std::string, int32_t> by_lower_name_;
};

/// Gives every field a new id, level by level as Iceberg does for new tables: all fields of a struct first, then what
/// is inside each of them.
std::vector<NestedField> AssignFreshIds(const std::vector<NestedField>& fields,
                                        const std::function<int32_t()>& next_id);

/// Error where a schema has types or defaults that the format version does not know: "Invalid schema for v2: ...".
Status CheckCompatibility(const Schema& schema, int format_version);

}  // namespace frazil::tables::iceberg
