#include "frazil/engine/scan_columns.h"

#include <algorithm>

#include <duckdb/parser/expression/constant_expression.hpp>

#include "frazil/base/text.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/engine/variant_files.h"
#include "frazil/engine/variant_layout.h"

namespace frazil::engine {
namespace {

using duckdb::MultiFileColumnDefinition;
using FileColumns = duckdb::vector<MultiFileColumnDefinition>;

constexpr const char* kNoSuchName = "\x01 not in this file";

bool HasFieldIds(const FileColumns& columns) {
  for (const auto& column : columns) {
    if (!column.identifier.IsNull() && column.identifier.type().id() == duckdb::LogicalTypeId::INTEGER) return true;
    if (HasFieldIds(column.children)) return true;
  }
  return false;
}

const MultiFileColumnDefinition* FindById(const FileColumns& columns, int32_t field_id) {
  for (const auto& column : columns) {
    if (!column.identifier.IsNull() && column.identifier.type().id() == duckdb::LogicalTypeId::INTEGER &&
        column.GetIdentifierFieldId() == field_id) {
      return &column;
    }
  }
  return nullptr;
}

const MultiFileColumnDefinition* FindByName(const FileColumns& columns, const std::string& name) {
  for (const auto& column : columns) {
    if (column.name == name) return &column;
  }
  for (const auto& column : columns) {
    if (EqualsIgnoreCase(column.name, name)) return &column;
  }
  return nullptr;
}

enum class Matching { kFieldId, kMappedName, kName };

const MultiFileColumnDefinition* Find(const tables::ScanColumn& column, const FileColumns& columns, Matching matching,
                                      bool is_root) {
  switch (matching) {
    case Matching::kFieldId:
      return FindById(columns, column.field_id);
    case Matching::kMappedName:
      // Iceberg, "Column Projection": a file without ids is read by the name mapping, else the ids count its columns
      // from 1. The mapping's names are what the files have, letter by letter.
      for (const auto& name : column.names_without_ids) {
        for (const auto& in_file : columns) {
          if (in_file.name == name) return &in_file;
        }
      }
      if (!column.names_without_ids.empty()) return nullptr;
      if (!is_root) return FindByName(columns, column.name);
      if (column.field_id >= 1 && static_cast<size_t>(column.field_id) <= columns.size())
        return &columns[static_cast<size_t>(column.field_id) - 1];
      return nullptr;
    case Matching::kName:
      return FindByName(columns, column.name);
  }
  return nullptr;
}

Matching MatchingOf(const FileColumns& columns, bool match_by_field_id) {
  if (!match_by_field_id) return Matching::kName;
  return HasFieldIds(columns) ? Matching::kFieldId : Matching::kMappedName;
}

duckdb::unique_ptr<duckdb::ParsedExpression> DefaultOf(const tables::ScanColumn& column, const DataType& type) {
  if (column.missing_value.has_value()) {
    return duckdb::make_uniq<duckdb::ConstantExpression>(ValueOrThrow(ToDuckDbValue(type, *column.missing_value)));
  }
  return duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(MappedType(type)));
}

MultiFileColumnDefinition Resolve(const std::string& name, const tables::ScanColumn& column, const DataType& type,
                                  const FileColumns& columns, Matching matching, bool is_root);

// Children of a list or map are found by what they are, not by their names, which writers choose freely.
MultiFileColumnDefinition ResolveElement(const std::string& name, const tables::ScanColumn* column,
                                         const DataType& type, const MultiFileColumnDefinition& in_file,
                                         Matching matching);

void ResolveChildren(MultiFileColumnDefinition& result, const tables::ScanColumn* column, const DataType& type,
                     const MultiFileColumnDefinition& in_file, Matching matching) {
  const auto child_column = [&](size_t i) {
    return column != nullptr && i < column->children.size() ? &column->children[i] : nullptr;
  };
  switch (type.id()) {
    case TypeId::kStruct:
      for (size_t i = 0; i < type.fields().size(); ++i) {
        const auto& field = type.fields()[i];
        tables::ScanColumn by_name;
        by_name.name = field.name;
        const auto* child = child_column(i);
        result.children.push_back(Resolve(StructMemberName(i), child != nullptr ? *child : by_name, *field.type,
                                          in_file.children, child != nullptr ? matching : Matching::kName, false));
      }
      return;
    case TypeId::kArray:
      if (!in_file.children.empty()) {
        result.children.push_back(
            ResolveElement("list", child_column(0), *type.element_type(), in_file.children[0], matching));
      }
      return;
    case TypeId::kMap:
      if (!in_file.children.empty() && in_file.children[0].children.size() == 2) {
        const auto& entry = in_file.children[0].children;
        result.children.push_back(ResolveElement("key", child_column(0), *type.key_type(), entry[0], matching));
        result.children.push_back(ResolveElement("value", child_column(1), *type.value_type(), entry[1], matching));
      }
      return;
    case TypeId::kVariant: {
      // The group as a whole: a cast puts its parts together.
      if (IsShreddedVariant(in_file.type)) return;
      // Files that Frazil wrote before it knew better have their members under the names that they have in queries.
      const bool is_named = FindByName(in_file.children, kVariantMembers[0]) != nullptr;
      for (size_t i = 0; i < kVariantMembers.size(); ++i) {
        const std::string member = StructMemberName(i);
        MultiFileColumnDefinition child(member, duckdb::LogicalType::BLOB);
        child.default_expression = duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(child.type));
        child.identifier = duckdb::Value(is_named ? std::string(kVariantMembers[i]) : member);
        result.children.push_back(std::move(child));
      }
      return;
    }
    default:
      return;
  }
}

MultiFileColumnDefinition ResolveElement(const std::string& name, const tables::ScanColumn* column,
                                         const DataType& type, const MultiFileColumnDefinition& in_file,
                                         Matching matching) {
  MultiFileColumnDefinition result(name, MappedType(type));
  result.default_expression = duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(result.type));
  result.identifier = duckdb::Value(in_file.name);
  ResolveChildren(result, column, type, in_file, matching);
  return result;
}

MultiFileColumnDefinition Resolve(const std::string& name, const tables::ScanColumn& column, const DataType& type,
                                  const FileColumns& columns, Matching matching, bool is_root) {
  MultiFileColumnDefinition result(name, MappedType(type));
  result.default_expression = DefaultOf(column, type);
  const auto* found = Find(column, columns, matching, is_root);
  if (found == nullptr) {
    result.identifier = duckdb::Value(kNoSuchName);
    return result;
  }
  result.identifier = duckdb::Value(found->name);
  ResolveChildren(result, &column, type, *found, matching);
  return result;
}

}  // namespace

MultiFileColumnDefinition ColumnInFile(const std::string& name, const tables::ScanColumn& column, const DataType& type,
                                       const FileColumns& file_columns, bool match_by_field_id) {
  return Resolve(name, column, type, file_columns, MatchingOf(file_columns, match_by_field_id), true);
}

const MultiFileColumnDefinition* FindColumnInFile(const tables::ScanColumn& column, const FileColumns& file_columns,
                                                  bool match_by_field_id) {
  return Find(column, file_columns, MatchingOf(file_columns, match_by_field_id), true);
}

MultiFileColumnDefinition ReservedColumnInFile(const std::string& name, int32_t field_id, const DataType& type,
                                               const tables::ScanPlan& plan, const FileColumns& file_columns) {
  tables::ScanColumn column;
  const auto named = std::find_if(plan.columns.begin(), plan.columns.end(),
                                  [&](const tables::ScanColumn& known) { return known.field_id == field_id; });
  if (named != plan.columns.end()) {
    column.name = named->name;
    return Resolve(name, column, type, file_columns, Matching::kName, true);
  }
  column.field_id = field_id;
  return Resolve(name, column, type, file_columns, Matching::kFieldId, true);
}

MultiFileColumnDefinition AbsentColumn(const std::string& name, const duckdb::LogicalType& type, duckdb::Value value) {
  MultiFileColumnDefinition result(name, type);
  result.default_expression = duckdb::make_uniq<duckdb::ConstantExpression>(std::move(value));
  result.identifier = duckdb::Value(kNoSuchName);
  return result;
}

}  // namespace frazil::engine
