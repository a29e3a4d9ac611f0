#pragma once

#include <map>
#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/iceberg/schema.h"
#include "frazil/tables/table.h"

namespace frazil::tables::iceberg {

/// Changes of columns, made one after the other on a copy of a schema. Names are found ignoring case. Errors have
/// Iceberg's texts.
class SchemaUpdate {
 public:
  SchemaUpdate(const Schema& base, int32_t last_column_id);

  /// Changes of columns and identifier fields only.
  Status Apply(const TableChange& change);

  Result<SchemaPtr> Build() const;
  int32_t last_column_id() const { return last_column_id_; }
  /// Old full name to new one, of columns that were renamed (those inside them follow); "" for dropped ones.
  const std::map<std::string, std::string>& renamed() const { return renamed_; }

 private:
  /// A field and where it stands.
  struct Place {
    std::vector<NestedField>* siblings = nullptr;
    size_t index = 0;
    NestedField* field = nullptr;
    bool in_map_key = false;
    bool in_struct = true;  ///< Else the element of a list, or the key or value of a map.
  };
  /// Mutable copy of a schema: types are copied on the way down.
  Place Find(const std::vector<std::string>& path);
  /// The fields of the struct that a path names; lists and maps stand for their element and value. Null where there is
  /// none.
  std::vector<NestedField>* FieldsOf(const std::vector<std::string>& path, Error* error);

  Status AddColumn(const TableChange& change);
  Status Move(const TableChange& change, std::vector<NestedField>* siblings, size_t index);
  Status UpdateType(const TableChange& change, NestedField* field);
  Status SetIdentifierFields(const TableChange& change);
  Status DropIdentifierFields(const TableChange& change);

  int32_t schema_id_;
  std::vector<NestedField> fields_;
  std::vector<int32_t> identifier_ids_;
  int32_t last_column_id_;
  std::map<std::string, std::string> renamed_;
};

/// Whether a column of one type may become one of the other: int to long, float to double, decimals of more digits
/// ("Schema Evolution").
bool IsPromotionAllowed(const Type& from, const Type& to);

}  // namespace frazil::tables::iceberg
