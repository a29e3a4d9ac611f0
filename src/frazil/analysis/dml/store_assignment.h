#pragma once

#include <string>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/expressions/expression.h"
#include "frazil/plan/logical_plan.h"

namespace frazil::analysis {

/// The table whose columns get values.
struct AssignedTable {
  std::string name;  ///< For errors, quoted.
  /// Delta casts what can be cast at all, also where single values may fail, and has conditions of its own.
  /// https://docs.delta.io/latest/delta-update.html
  bool is_delta = false;
  bool is_insert = true;  ///< Delta's UPDATE and MERGE name failures otherwise.
};

/// A value on its way into a table's column: cast by spark.sql.storeAssignmentPolicy, and checked (NOT NULL, CHAR and
/// VARCHAR lengths). Errors INCOMPATIBLE_DATA_FOR_TABLE.*, of Delta DATATYPE_MISMATCH.CAST_*; at run time
/// CAST_OVERFLOW_IN_TABLE_INSERT, CAST_INVALID_INPUT and the like.
/// https://spark.apache.org/docs/latest/sql-ref-ansi-compliance.html#store-assignment
Result<ExpressionPtr> AssignToColumn(ExpressionPtr value, const StructField& column, const AssignedTable& table,
                                     AnalysisContext& context);

/// What becomes of fields of the column's structs that the value does not have.
struct MissingFields {
  bool become_null = false;      ///< Without: INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA.
  ExpressionPtr kept = nullptr;  ///< The column's present value: its fields stay. Null: none. With `become_null`.
};
/// The value with the fields of structs in it, at every level, found by name and put into the order of `type`; the
/// types of the leaves stay. Error INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS.
Result<ExpressionPtr> WithFieldsByName(ExpressionPtr value, const DataType& type, const std::string& column,
                                       const MissingFields& missing, const AssignedTable& table,
                                       AnalysisContext& context);
/// AssignToColumn of the value with its fields found by name.
Result<ExpressionPtr> AssignByName(ExpressionPtr value, const StructField& column, const MissingFields& missing,
                                   const AssignedTable& table, AnalysisContext& context);

/// How the columns of an INSERT's query meet those of the table.
struct InsertShape {
  AssignedTable table;
  DataTypePtr table_schema;
  bool by_name = false;
  bool fills_fields = false;         ///< With `by_name`: fields of structs that the query lacks are NULL.
  std::vector<std::string> columns;  ///< INSERT INTO t (columns): by position of this list; others get their defaults.
  std::vector<std::pair<std::string, plan::ExprPtr>> static_partition;  ///< PARTITION (name = constant).
  bool partition_texts = false;  ///< Those constants are texts, as folders' names have them, of whatever type.
};

/// A plan with exactly the table's columns, in its order. Errors INSERT_COLUMN_ARITY_MISMATCH.*,
/// INCOMPATIBLE_DATA_FOR_TABLE.*, UNRESOLVED_COLUMN.*, STATIC_PARTITION_*.
Result<plan::LogicalPlanPtr> ShapeForTable(plan::LogicalPlanPtr query, const InsertShape& shape,
                                           AnalysisContext& context);

/// The SQL text of the column's default, as it was written, where it has one.
std::optional<std::string> DefaultText(const StructField& column);
/// Value of a column that an INSERT leaves out: its default, or NULL (error for NOT NULL columns without one).
Result<ExpressionPtr> ColumnDefault(const StructField& column, const AssignedTable& table, AnalysisContext& context);

/// Replaces DEFAULT in VALUES by the column's default. `plan` other than VALUES stays as it is.
Result<plan::PlanPtr> ReplaceDefaults(const plan::PlanPtr& plan, const InsertShape& shape);

}  // namespace frazil::analysis
