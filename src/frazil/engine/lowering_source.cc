#include <duckdb/common/types/column/column_data_collection.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/parser/tableref/column_data_ref.hpp>
#include <duckdb/parser/tableref/emptytableref.hpp>
#include <duckdb/parser/tableref/table_function_ref.hpp>

#include "frazil/engine/arrow_source.h"
#include "frazil/engine/functions/cast.h"
#include "frazil/engine/lowering.h"
#include "frazil/engine/required_columns.h"
#include "frazil/engine/scan_columns.h"
#include "frazil/engine/spatial_type.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/plan/file_metadata.h"
#include "frazil/tables/chosen_columns.h"
#include "frazil/tables/partitioned_rows.h"
#include "frazil/tables/row_lineage.h"

namespace frazil::engine {
namespace {

using TableFunctionRefPtr = duckdb::unique_ptr<duckdb::TableFunctionRef>;

TableFunctionRefPtr TableFunctionOf(const std::string& name, LoweredArguments arguments, const std::string& alias) {
  auto table = duckdb::make_uniq<duckdb::TableFunctionRef>();
  table->function = CallOf(name, std::move(arguments));
  table->alias = alias;
  return table;
}

std::vector<std::string> NamesOf(const std::vector<Attribute>& output) {
  std::vector<std::string> names;
  for (const auto& attribute : output) names.push_back(ColumnName(attribute.id));
  return names;
}

}  // namespace

Result<Block> Lowering::LowerOneRow() {
  Block block;
  block.from = duckdb::make_uniq<duckdb::EmptyTableRef>();
  return block;
}

Result<Block> Lowering::LowerRange(const plan::RangeNode& node) {
  LoweredArguments arguments;
  arguments.push_back(ConstantOf(duckdb::Value::BIGINT(node.start)));
  arguments.push_back(ConstantOf(duckdb::Value::BIGINT(node.end)));
  arguments.push_back(ConstantOf(duckdb::Value::BIGINT(node.step)));
  auto table = TableFunctionOf("spark_range", std::move(arguments), FreshTable());
  auto names = NamesOf(node.output);
  for (const auto& name : names) table->column_name_alias.push_back(name);
  return FromTable(std::move(table), std::move(names));
}

Result<Block> Lowering::LowerRows(const RowSet& rows, const std::vector<Attribute>& output,
                                  const std::vector<size_t>& columns) {
  duckdb::vector<duckdb::LogicalType> types;
  duckdb::vector<std::string> names;
  for (const auto& attribute : output) {
    FRAZIL_RETURN_IF_ERROR(CheckNotSpatial(*attribute.type));
    FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*attribute.type));
    types.push_back(std::move(type));
    names.push_back(ColumnName(attribute.id));
  }
  const bool no_columns = types.empty();
  if (no_columns) {
    types.push_back(duckdb::LogicalType::BOOLEAN);
    names.push_back("no_columns");
  }
  auto collection = duckdb::make_uniq<duckdb::ColumnDataCollection>(duckdb::Allocator::DefaultAllocator(), types);
  duckdb::ColumnDataAppendState append;
  collection->InitializeAppend(append);
  duckdb::DataChunk chunk;
  chunk.Initialize(duckdb::Allocator::DefaultAllocator(), types);
  for (const auto& row : rows.rows) {
    const auto at = chunk.size();
    for (size_t i = 0; i < output.size(); ++i) {
      const size_t index = columns[i];
      if (index >= row.size()) return Error::Internal("A row has fewer values than columns");
      FRAZIL_ASSIGN_OR_RETURN(auto value, ToDuckDbValue(*output[i].type, row[index]));
      chunk.SetValue(i, at, value);
    }
    if (no_columns) chunk.SetValue(0, at, duckdb::Value::BOOLEAN(true));
    chunk.SetCardinality(at + 1);
    if (chunk.size() == STANDARD_VECTOR_SIZE) {
      collection->Append(append, chunk);
      chunk.Reset();
    }
  }
  if (chunk.size() > 0) collection->Append(append, chunk);
  auto table = duckdb::make_uniq<duckdb::ColumnDataRef>(
      duckdb::optionally_owned_ptr<duckdb::ColumnDataCollection>(std::move(collection)), names);
  table->alias = FreshTable();
  return FromTable(std::move(table), NamesOf(output));
}

Result<Block> Lowering::LowerArrowRows(const plan::ArrowRowsNode& node) {
  if (node.output.empty()) {
    // Without columns only the number of rows counts.
    RowSet rows;
    rows.schema = node.data->schema;
    for (const auto& batch : node.data->batches)
      rows.rows.resize(rows.rows.size() + static_cast<size_t>(batch.num_rows()));
    return LowerRows(rows, {}, {});
  }
  for (const auto& attribute : node.output) {
    FRAZIL_RETURN_IF_ERROR(CheckNotSpatial(*attribute.type));
    FRAZIL_RETURN_IF_ERROR(ToDuckDbType(*attribute.type).status());
  }
  auto source = std::make_shared<ArrowSource>(node.data);
  state_.kept.push_back(source);
  LoweredArguments arguments;
  for (auto& value : source->Arguments()) arguments.push_back(ConstantOf(std::move(value)));
  // Not arrow_scan: that one leaves the filters to the producer of the stream.
  Block block = FromTable(TableFunctionOf("arrow_scan_dumb", std::move(arguments), FreshTable()), {});
  for (size_t i = 0; i < node.output.size(); ++i) {
    block.columns.push_back(ColumnName(node.output[i].id));
    block.select.emplace_back(block.columns.back(),
                              AsMappedType(ColumnRefOf(ArrowSource::ColumnName(i)), *node.output[i].type));
  }
  block.has_select = true;
  return block;
}

Result<Block> Lowering::LowerScan(const plan::ScanNode& node) {
  const bool is_partitioned = dynamic_cast<const tables::PartitionedRows*>(node.scan.get()) != nullptr;
  if (node.scan->has_rows() && !is_partitioned) {
    std::vector<Attribute> output;
    std::vector<size_t> columns;
    const auto* choosing = dynamic_cast<const tables::ChosenColumns*>(node.scan.get());
    const auto required = choosing == nullptr ? std::nullopt : RequiredColumns(*root_, node);
    for (size_t i = 0; i < node.columns.size(); ++i) {
      const auto& column = node.columns[i];
      if (column.index < 0)
        return Error::Unsupported("the metadata column " + column.metadata_name + " of " + node.table_name);
      if (required.has_value() && required->count(node.output[i].id) == 0) continue;
      output.push_back(node.output[i]);
      columns.push_back(static_cast<size_t>(column.index));
    }
    FRAZIL_ASSIGN_OR_RETURN(
        const auto rows, required.has_value() ? choosing->RowsOf({columns.begin(), columns.end()}) : node.scan->Rows());
    FRAZIL_ASSIGN_OR_RETURN(Block block, LowerRows(*rows, output, columns));
    if (output.size() == node.output.size()) return block;
    block.columns.clear();
    for (const auto& attribute : node.output) {
      const std::string name = ColumnName(attribute.id);
      block.columns.push_back(name);
      const bool is_there = required->count(attribute.id) > 0;
      block.select.emplace_back(name,
                                is_there ? ColumnRefOf(name) : ConstantOf(duckdb::Value(MappedType(*attribute.type))));
    }
    block.has_select = true;
    return block;
  }
  for (const auto& attribute : node.output) {
    FRAZIL_RETURN_IF_ERROR(CheckNotSpatial(*attribute.type));
    FRAZIL_RETURN_IF_ERROR(ToDuckDbType(*attribute.type).status());
  }
  const auto format = node.scan->format();
  switch (format) {
    case tables::FileFormat::kParquet:
    case tables::FileFormat::kOrc:
    case tables::FileFormat::kAvro:
      break;
    case tables::FileFormat::kCsv:
    case tables::FileFormat::kJson:
    case tables::FileFormat::kText:
    case tables::FileFormat::kBinary:
      return LowerTextScan(node, format);
  }
  const auto index = static_cast<int64_t>(state_.scans.size());
  StatementScan scan;
  scan.owner = root_;
  scan.node = &node;
  LoweredArguments arguments;
  arguments.push_back(ConstantOf(duckdb::Value::BIGINT(index)));
  const std::string alias = FreshTable();
  Block block;
  const auto add_slot = [&](ScanSlot::Kind kind, int slot_index, const std::string& name, const DataTypePtr& type) {
    scan.slots.push_back(ScanSlot{kind, slot_index, name, type});
    return LoweredExpression(duckdb::make_uniq<duckdb::ColumnRefExpression>(name, alias));
  };
  const auto position = [&] {
    return LoweredExpression(duckdb::make_uniq<duckdb::ColumnRefExpression>("file_row_number", alias));
  };
  const auto first_of = [](LoweredExpression kept, LoweredExpression otherwise) {
    LoweredArguments choices;
    choices.push_back(std::move(kept));
    choices.push_back(std::move(otherwise));
    return LoweredExpression(
        duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_COALESCE, std::move(choices)));
  };
  // Row lineage (tables/row_lineage.h): kept in the file, or else what the file's commit gave.
  const auto row_id = [&](const std::string& name) {
    auto kept = add_slot(ScanSlot::Kind::kReservedColumn, tables::kRowIdColumn.field_id, name, DataType::Long());
    auto first = add_slot(ScanSlot::Kind::kFirstRowId, -1, FreshName(), DataType::Long());
    return first_of(std::move(kept), CallOf("+", std::move(first), position()));
  };
  const auto last_updated = [&](const std::string& name) {
    auto kept = add_slot(ScanSlot::Kind::kReservedColumn, tables::kLastUpdatedColumn.field_id, name, DataType::Long());
    return first_of(std::move(kept), add_slot(ScanSlot::Kind::kSequenceNumber, -1, FreshName(), DataType::Long()));
  };
  bool plain = true;
  for (size_t i = 0; i < node.columns.size(); ++i) {
    const auto& column = node.columns[i];
    const std::string name = ColumnName(node.output[i].id);
    LoweredExpression value;
    if (column.index >= 0) {
      value = add_slot(ScanSlot::Kind::kData, column.index, name, node.output[i].type);
    } else if (is_partitioned) {
      return Error::Unsupported("the metadata column " + column.metadata_name + " of " + node.table_name);
    } else if (column.metadata_name == plan::kFilePathColumn) {
      value = add_slot(ScanSlot::Kind::kFilePath, -1, name, node.output[i].type);
    } else if (column.metadata_name == plan::kFilePositionColumn) {
      value = position();
      plain = false;
    } else if (column.metadata_name == plan::kFileMetadataColumn) {
      // Spark's hidden column; the fields in the order of plan::FileMetadataType.
      LoweredArguments fields;
      fields.push_back(add_slot(ScanSlot::Kind::kFileUri, -1, FreshName(), DataType::String()));
      fields.push_back(add_slot(ScanSlot::Kind::kFileName, -1, FreshName(), DataType::String()));
      fields.push_back(add_slot(ScanSlot::Kind::kFileLength, -1, FreshName(), DataType::Long()));
      fields.push_back(ConstantOf(duckdb::Value::BIGINT(0)));
      fields.push_back(add_slot(ScanSlot::Kind::kFileLength, -1, FreshName(), DataType::Long()));
      fields.push_back(add_slot(ScanSlot::Kind::kFileTime, -1, FreshName(), DataType::Timestamp()));
      // The position only of Parquet's rows, what follows only where rows are tracked.
      const size_t shown = node.output[i].type->fields().size();
      if (fields.size() < shown) fields.push_back(position());
      if (fields.size() < shown) {
        fields.push_back(row_id(FreshName()));
        fields.push_back(add_slot(ScanSlot::Kind::kFirstRowId, -1, FreshName(), DataType::Long()));
        fields.push_back(add_slot(ScanSlot::Kind::kSequenceNumber, -1, FreshName(), DataType::Long()));
        fields.push_back(last_updated(FreshName()));
      }
      for (size_t field = 0; field < fields.size(); ++field) fields[field]->SetAlias(StructMemberName(field));
      value = CallOf("struct_pack", std::move(fields));
      plain = false;
    } else if (column.metadata_name == "_spec_id") {
      value = add_slot(ScanSlot::Kind::kSpecId, -1, name, node.output[i].type);
    } else if (column.metadata_name == "_partition") {
      value = add_slot(ScanSlot::Kind::kPartition, -1, name, node.output[i].type);
    } else if (column.metadata_name == "_deleted") {
      // Who names the column sees deleted rows too; who does not must not read what brings them.
      if (Mentions(*root_, node.output[i].id)) {
        LoweredArguments arguments_of_call;
        arguments_of_call.push_back(add_slot(ScanSlot::Kind::kReservedColumn, kIsDeletedFieldId, FreshName(),
                                             DataType::Array(DataType::Long(), false)));
        arguments_of_call.push_back(position());
        value = CallOf("spark_has_position", std::move(arguments_of_call));
      } else {
        value = ConstantOf(duckdb::Value::BOOLEAN(false));
      }
      plain = false;
    } else if (column.metadata_name == tables::kRowIdColumn.name) {
      value = row_id(name);
      plain = false;
    } else if (column.metadata_name == tables::kLastUpdatedColumn.name) {
      value = last_updated(name);
      plain = false;
    } else {
      return Error::Unsupported("the metadata column " + column.metadata_name + " of " + node.table_name);
    }
    block.columns.push_back(name);
    block.select.emplace_back(name, AsMappedType(std::move(value), *node.output[i].type));
  }
  state_.scans.push_back(std::move(scan));
  block.from =
      TableFunctionOf(is_partitioned ? "spark_partitions_scan" : "spark_parquet_scan", std::move(arguments), alias);
  block.has_select = true;
  if (plain) {
    // The table function's own columns are the block's.
    block.select.clear();
    block.has_select = false;
  }
  return block;
}

}  // namespace frazil::engine
