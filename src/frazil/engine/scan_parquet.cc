// spark_parquet_scan: DuckDB's Parquet reader, and ours of ORC and Avro, over a table's files: own file list, own
// matching of columns, constants per file, deleted positions.

#include <duckdb/catalog/catalog.hpp>
#include <duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp>
#include <duckdb/common/multi_file/base_file_reader.hpp>
#include <duckdb/common/multi_file/multi_file_column_mapper.hpp>
#include <duckdb/common/multi_file/multi_file_reader.hpp>
#include <duckdb/common/multi_file/multi_file_states.hpp>
#include <duckdb/function/partition_stats.hpp>
#include <duckdb/storage/statistics/node_statistics.hpp>

#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/parquet_type_check.h"
#include "frazil/engine/scan_batches.h"
#include "frazil/engine/scan_columns.h"
#include "frazil/engine/scan_files.h"
#include "frazil/engine/scan_functions.h"
#include "frazil/engine/scan_text.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/engine/variant_files.h"

namespace frazil::engine {
namespace {

using duckdb::ColumnIndex;
using duckdb::MultiFileColumnDefinition;
using duckdb::MultiFileOptions;

// Columns that are found by their ids may have been of other types once: numbers are cast.
bool MayBePromoted(const duckdb::LogicalType& in_file, const DataType& wanted) {
  return in_file.IsNested() || in_file.id() == duckdb::LogicalTypeId::BLOB ||
         in_file.id() == duckdb::LogicalTypeId::UUID || (in_file.IsNumeric() && wanted.IsNumeric());
}

// Leaves out the rows of a file that are deleted.
class DeletedRows : public duckdb::DeleteFilter {
 public:
  explicit DeletedRows(tables::DeletedPositions positions) : positions_(std::move(positions)) {}

  duckdb::idx_t Filter(duckdb::row_t start_row_index, duckdb::idx_t count,
                       duckdb::SelectionVector& result_sel) override {
    result_sel.Initialize(STANDARD_VECTOR_SIZE);
    auto next = std::lower_bound(positions_->begin(), positions_->end(), start_row_index);
    duckdb::idx_t kept = 0;
    for (duckdb::idx_t i = 0; i < count; ++i) {
      if (next != positions_->end() && *next == start_row_index + static_cast<int64_t>(i)) {
        ++next;
        continue;
      }
      result_sel.set_index(kept++, i);
    }
    return kept;
  }

 private:
  tables::DeletedPositions positions_;
};

duckdb::Value PositionList(const tables::DeletedPositions& positions) {
  duckdb::vector<duckdb::Value> values;
  if (positions != nullptr) {
    for (int64_t position : *positions) values.push_back(duckdb::Value::BIGINT(position));
  }
  return duckdb::Value::LIST(duckdb::LogicalType::BIGINT, std::move(values));
}

// spark_has_position(ascending positions, position): whether it is one of them.
void HasPosition(duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
  auto& list = arguments.data[0];
  duckdb::UnifiedVectorFormat lists, elements, positions;
  list.ToUnifiedFormat(arguments.size(), lists);
  auto& child = duckdb::ListVector::GetEntry(list);
  child.ToUnifiedFormat(duckdb::ListVector::GetListSize(list), elements);
  arguments.data[1].ToUnifiedFormat(arguments.size(), positions);
  const auto* entries = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(lists);
  const auto* values = duckdb::UnifiedVectorFormat::GetData<int64_t>(elements);
  const auto* wanted = duckdb::UnifiedVectorFormat::GetData<int64_t>(positions);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* found = duckdb::FlatVector::GetData<bool>(result);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    const auto& entry = entries[lists.sel->get_index(row)];
    const int64_t position = wanted[positions.sel->get_index(row)];
    duckdb::idx_t low = entry.offset, high = entry.offset + entry.length;
    while (low < high) {
      const duckdb::idx_t middle = low + (high - low) / 2;
      if (values[elements.sel->get_index(middle)] < position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    found[row] = low < entry.offset + entry.length && values[elements.sel->get_index(low)] == position;
  }
}

struct TableReader : duckdb::MultiFileReader {
  duckdb::unique_ptr<duckdb::MultiFileReader> Copy() const override {
    auto copy = duckdb::make_uniq<TableReader>();
    copy->function_name = function_name;
    return copy;
  }

  duckdb::vector<std::string> ParsePaths(const duckdb::Value& input) override { return {input.ToString()}; }

  duckdb::shared_ptr<duckdb::MultiFileList> CreateFileList(duckdb::ClientContext& context,
                                                           const duckdb::vector<std::string>& paths,
                                                           const duckdb::FileGlobInput&) override {
    return duckdb::make_shared_ptr<ScanFileList>(context, std::stoul(paths[0]));
  }

  bool Bind(MultiFileOptions&, duckdb::MultiFileList& files, duckdb::vector<duckdb::LogicalType>& return_types,
            duckdb::vector<std::string>& names, duckdb::MultiFileReaderBindData& bind_data) override {
    const auto& list = files.Cast<ScanFileList>();
    for (const auto& slot : list.scan().slots) {
      return_types.push_back(MappedType(*slot.type));
      names.push_back(slot.name);
      bind_data.schema.push_back(AbsentColumn(slot.name, return_types.back(), duckdb::Value(return_types.back())));
    }
    if (names.empty()) {
      // Only rows are counted: DuckDB needs some column to exist.
      names.push_back("no_columns");
      return_types.push_back(duckdb::LogicalType::BOOLEAN);
      bind_data.schema.push_back(
          AbsentColumn("no_columns", duckdb::LogicalType::BOOLEAN, duckdb::Value::BOOLEAN(true)));
    }
    bind_data.mapping = duckdb::MultiFileColumnMappingMode::BY_NAME;
    return true;
  }

  duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
      duckdb::ClientContext&, duckdb::MultiFileList& files, const MultiFileOptions&,
      duckdb::MultiFilePushdownInfo& info, duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) override {
    return files.Cast<ScanFileList>().Filtered(info, filters);
  }

  duckdb::unique_ptr<duckdb::MultiFileReaderGlobalState> InitializeGlobalState(
      duckdb::ClientContext&, const MultiFileOptions&, const duckdb::MultiFileReaderBindData&,
      const duckdb::MultiFileList& file_list, const duckdb::vector<MultiFileColumnDefinition>&,
      const duckdb::vector<ColumnIndex>&) override {
    return duckdb::make_uniq<duckdb::MultiFileReaderGlobalState>(duckdb::vector<duckdb::LogicalType>(), &file_list);
  }

  void FinalizeBind(duckdb::MultiFileReaderData& reader_data, const MultiFileOptions&,
                    const duckdb::MultiFileReaderBindData&,
                    const duckdb::vector<MultiFileColumnDefinition>& global_columns,
                    const duckdb::vector<ColumnIndex>& global_column_ids, duckdb::ClientContext& context,
                    duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState> global_state) override {
    const auto& list = global_state->file_list->Cast<ScanFileList>();
    const auto& planned = list.planned();
    const auto index = reader_data.reader->file_list_idx.GetIndex();
    const auto& file = planned.plan.files[index];
    const auto& slots = list.scan().slots;
    bool shows_deleted = false;
    for (size_t i = 0; i < global_column_ids.size(); ++i) {
      const auto column = global_column_ids[i].GetPrimaryIndex();
      if (column >= slots.size()) continue;  // A virtual column, or the one that stands for none.
      if (IsDeletedRows(slots[column])) {
        shows_deleted = true;
        reader_data.constant_map.Add(duckdb::MultiFileGlobalIndex(i), PositionList(planned.deleted[index]));
        continue;
      }
      auto value = ConstantOf(slots[column], planned.plan, file, global_columns[column].type);
      if (!value.has_value()) value = FileFigure(context, slots[column], file);
      if (value.has_value()) reader_data.constant_map.Add(duckdb::MultiFileGlobalIndex(i), *value);
    }
    if (!shows_deleted && planned.deleted[index] != nullptr && !planned.deleted[index]->empty()) {
      reader_data.reader->deletion_filter = duckdb::make_uniq<DeletedRows>(planned.deleted[index]);
    }
    if (auto& metrics = StatementState::Of(context).context.metrics; metrics != nullptr) {
      metrics->files_read.fetch_add(1);
      if (file.size > 0) metrics->bytes_read.fetch_add(file.size);
    }
  }

  duckdb::ReaderInitializeType CreateMapping(duckdb::ClientContext& context, duckdb::MultiFileReaderData& reader_data,
                                             const duckdb::vector<MultiFileColumnDefinition>& global_columns,
                                             const duckdb::vector<ColumnIndex>& global_column_ids,
                                             duckdb::optional_ptr<duckdb::TableFilterSet> filters,
                                             duckdb::MultiFileList& multi_file_list,
                                             const duckdb::MultiFileReaderBindData&,
                                             const duckdb::virtual_column_map_t& virtual_columns) override {
    const auto& list = multi_file_list.Cast<ScanFileList>();
    const auto& plan = list.planned().plan;
    const auto& slots = list.scan().slots;
    NameElements(reader_data.reader->columns);
    const auto& in_file = reader_data.reader->GetColumns();
    duckdb::vector<MultiFileColumnDefinition> columns;
    for (size_t i = 0; i < global_columns.size(); ++i) {
      if (i >= slots.size()) {
        columns.push_back(global_columns[i]);
        continue;
      }
      const auto& slot = slots[i];
      if (slot.kind == ScanSlot::Kind::kData) {
        // A plan that leaves out a column would read as NULLs.
        if (static_cast<size_t>(slot.index) >= plan.columns.size())
          ThrowSparkError(Error::Internal("A scan plan has fewer columns than its schema"));
        columns.push_back(ColumnInFile(slot.name, plan.columns[static_cast<size_t>(slot.index)], *slot.type, in_file,
                                       plan.match_by_field_id));
      } else if (slot.kind == ScanSlot::Kind::kReservedColumn && !IsDeletedRows(slot)) {
        columns.push_back(ReservedColumnInFile(slot.name, slot.index, *slot.type, plan, in_file));
      } else {
        columns.push_back(global_columns[i]);
      }
    }
    // Before filters are compared with the file's statistics, which would fail on values of another kind.
    for (const auto& id : global_column_ids) {
      const auto column = id.GetPrimaryIndex();
      if (column >= slots.size() || slots[column].kind != ScanSlot::Kind::kData) continue;
      const auto* found =
          FindColumnInFile(plan.columns[static_cast<size_t>(slots[column].index)], in_file, plan.match_by_field_id);
      if (found == nullptr) continue;
      if (plan.match_by_field_id && MayBePromoted(found->type, *slots[column].type)) continue;
      if (IsBatchReader(*reader_data.reader)) {
        CheckBatchColumnType(*reader_data.reader, found->name, *slots[column].type);
      } else {
        CheckParquetColumnType(*found, *slots[column].type, reader_data.reader->GetFileName());
      }
    }
    duckdb::MultiFileColumnMapper mapper(context, *this, reader_data, columns, global_column_ids, filters,
                                         multi_file_list, virtual_columns);
    return mapper.CreateMapping(duckdb::MultiFileColumnMappingMode::BY_NAME);
  }

  void FinalizeChunk(duckdb::ClientContext& context, const duckdb::MultiFileBindData& bind_data,
                     duckdb::BaseFileReader& reader, const duckdb::MultiFileReaderData& reader_data,
                     duckdb::DataChunk& input_chunk, duckdb::DataChunk& output_chunk,
                     duckdb::ExpressionExecutor& executor,
                     duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState> global_state) override {
    duckdb::MultiFileReader::FinalizeChunk(context, bind_data, reader, reader_data, input_chunk, output_chunk, executor,
                                           global_state);
    if (auto& metrics = StatementState::Of(context).context.metrics; metrics != nullptr) {
      metrics->rows_read.fetch_add(static_cast<int64_t>(output_chunk.size()));
    }
  }

 private:
  // Old writers call the repeated group of a list "bag" or "array"; DuckDB finds the elements as "list".
  static void NameElements(duckdb::vector<MultiFileColumnDefinition>& columns) {
    for (auto& column : columns) {
      if (column.type.id() == duckdb::LogicalTypeId::LIST && column.children.size() == 1)
        column.children[0].name = "list";
      NameElements(column.children);
    }
  }

  // What only the file system tells of a file, if the slot is that.
  static std::optional<duckdb::Value> FileFigure(duckdb::ClientContext& context, const ScanSlot& slot,
                                                 const tables::ScanFile& file) {
    if (slot.kind != ScanSlot::Kind::kFileTime && slot.kind != ScanSlot::Kind::kFileLength) return std::nullopt;
    auto& file_system = duckdb::FileSystem::GetFileSystem(context);
    auto handle = file_system.OpenFile(storage::LocalPath(file.path), duckdb::FileFlags::FILE_FLAGS_READ);
    if (slot.kind == ScanSlot::Kind::kFileLength) return duckdb::Value::BIGINT(file_system.GetFileSize(*handle));
    return duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(file_system.GetLastModifiedTime(*handle).value));
  }

  // The value that a slot has for all rows of a file, if it is one.
  static std::optional<duckdb::Value> ConstantOf(const ScanSlot& slot, const tables::ScanPlan& plan,
                                                 const tables::ScanFile& file, const duckdb::LogicalType& type) {
    switch (slot.kind) {
      case ScanSlot::Kind::kData: {
        const auto found = file.constants.find(static_cast<size_t>(slot.index));
        if (found == file.constants.end()) return std::nullopt;
        return ValueOrThrow(ToDuckDbValue(*slot.type, found->second));
      }
      case ScanSlot::Kind::kFilePath:
        return duckdb::Value(file.path);
      case ScanSlot::Kind::kFileUri:
        return duckdb::Value(storage::SchemeOf(file.path).empty() ? "file:" + file.path : file.path);
      case ScanSlot::Kind::kFileName:
        return duckdb::Value(file.path.substr(file.path.rfind('/') + 1));
      case ScanSlot::Kind::kSpecId:
        return duckdb::Value::INTEGER(file.partition_spec_id);
      case ScanSlot::Kind::kPartition:
        if (plan.partition_type == nullptr || file.partition.empty()) return duckdb::Value(type);
        return ValueOrThrow(ToDuckDbValue(*slot.type, Value(file.partition)));
      case ScanSlot::Kind::kFirstRowId:
        return file.first_row_id.has_value() ? duckdb::Value::BIGINT(*file.first_row_id)
                                             : duckdb::Value(duckdb::LogicalType::BIGINT);
      case ScanSlot::Kind::kSequenceNumber:
        // Without ids (files from before the table had lineage) rows have no lineage at all.
        return file.first_row_id.has_value() ? duckdb::Value::BIGINT(file.data_sequence_number)
                                             : duckdb::Value(duckdb::LogicalType::BIGINT);
      case ScanSlot::Kind::kReservedColumn:
      case ScanSlot::Kind::kRecord:
      case ScanSlot::Kind::kFileTime:
      case ScanSlot::Kind::kFileLength:
        return std::nullopt;
    }
    return std::nullopt;
  }
};

duckdb::unique_ptr<duckdb::MultiFileReader> MakeReader(const duckdb::TableFunction&) {
  return duckdb::make_uniq<TableReader>();
}

duckdb::table_function_bind_t parquet_bind = nullptr;  // DuckDB's own, the same for every engine of the process.

duckdb::unique_ptr<duckdb::FunctionData> BindScan(duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
                                                  duckdb::vector<duckdb::LogicalType>& return_types,
                                                  duckdb::vector<std::string>& names) {
  // NaN is the greatest number here, and footers do not count it: no row group may be left out for its maximum.
  input.named_parameters["can_have_nan"] = duckdb::Value::BOOLEAN(true);
  auto data = parquet_bind(context, input, return_types, names);
  // Other formats than Parquet are chosen file by file.
  auto& opening = data->Cast<duckdb::MultiFileBindData>().interface;
  opening = MakeDataFileInterface(std::move(opening));
  return data;
}

// Rows of all files: as the table knows them, else as the first file's footer and the sizes of all let expect.
duckdb::unique_ptr<duckdb::NodeStatistics> CardinalityOf(duckdb::ClientContext& context,
                                                         const duckdb::FunctionData* data) {
  const auto& bind_data = data->Cast<duckdb::MultiFileBindData>();
  const auto& list = bind_data.file_list->Cast<ScanFileList>();
  if (auto known = list.GetCardinality(context)) return known;
  const auto reader = list.FirstReader(bind_data);
  if (reader == nullptr) return duckdb::make_uniq<duckdb::NodeStatistics>(0);
  const auto in_first = reader->GetUnionData(0)->TryGetCardinalityEstimate();
  if (!in_first.IsValid()) return nullptr;
  const auto rows = static_cast<double>(in_first.GetIndex());
  const auto& files = list.planned().plan.files;
  double first_files = 0;  // How many times the first file.
  for (const auto& file : files) {
    first_files +=
        file.size > 0 && files[0].size > 0 ? static_cast<double>(file.size) / static_cast<double>(files[0].size) : 1;
  }
  return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<duckdb::idx_t>(rows * first_files));
}

// All rows as one partition: DuckDB answers count(*) by it.
duckdb::vector<duckdb::PartitionStatistics> PartitionStatisticsOf(duckdb::ClientContext&,
                                                                  duckdb::GetPartitionStatsInput& input) {
  const auto& list = input.bind_data->Cast<duckdb::MultiFileBindData>().file_list->Cast<ScanFileList>();
  const auto rows = list.ExactRowCount();
  if (!rows.has_value()) return {};
  duckdb::PartitionStatistics all;
  all.count = static_cast<duckdb::idx_t>(*rows);
  all.count_type = duckdb::CountType::COUNT_EXACT;
  return {all};
}

// What the footer of a scan's only file says of a column: bounds and absence of NULLs, for orders of joins and narrow
// keys. Deleted rows only make the bounds wider than need be. Several files would have to be opened before the query
// starts.
duckdb::unique_ptr<duckdb::BaseStatistics> StatisticsOf(duckdb::ClientContext& context,
                                                        const duckdb::FunctionData* data, duckdb::column_t column) {
  const auto& bind_data = data->Cast<duckdb::MultiFileBindData>();
  const auto& list = bind_data.file_list->Cast<ScanFileList>();
  const auto& slots = list.scan().slots;
  if (column >= slots.size() || slots[column].kind != ScanSlot::Kind::kData) return nullptr;
  const auto& plan = list.planned().plan;
  const auto index = static_cast<size_t>(slots[column].index);
  if (plan.files.size() != 1 || plan.files[0].constants.count(index) > 0 || index >= plan.columns.size())
    return nullptr;
  const auto& type = bind_data.types[column];
  // Footers do not count NaN.
  if (type.IsNested() || type.id() == duckdb::LogicalTypeId::FLOAT || type.id() == duckdb::LogicalTypeId::DOUBLE)
    return nullptr;
  const auto reader = list.FirstReader(bind_data);
  const auto* found = FindColumnInFile(plan.columns[index], reader->GetColumns(), plan.match_by_field_id);
  if (found == nullptr || found->type != type) return nullptr;
  return reader->GetStatistics(context, found->name);
}

}  // namespace

void RegisterScanFunctions(duckdb::ExtensionLoader& loader) {
  duckdb::TableFunction scan = loader.GetTableFunction("parquet_scan").functions.GetFunctionByOffset(0);
  parquet_bind = scan.bind;
  scan.name = "spark_parquet_scan";
  scan.arguments = {duckdb::LogicalType::BIGINT};
  scan.bind = BindScan;
  scan.get_multi_file_reader = MakeReader;
  scan.cardinality = CardinalityOf;
  scan.statistics = StatisticsOf;
  scan.get_partition_stats = PartitionStatisticsOf;
  // These look at footers alone, without deletes, constants and defaults.
  scan.statistics_extended = nullptr;
  scan.get_row_id_columns = nullptr;
  scan.late_materialization = false;
  scan.serialize = nullptr;
  scan.deserialize = nullptr;
  scan.set_scan_order = nullptr;
  loader.RegisterFunction(scan);
  loader.RegisterFunction(duckdb::ScalarFunction(
      "spark_has_position", {duckdb::LogicalType::LIST(duckdb::LogicalType::BIGINT), duckdb::LogicalType::BIGINT},
      duckdb::LogicalType::BOOLEAN, HasPosition));
  RegisterTextScanFunctions(loader);
  RegisterVariantFileCasts(loader);
}

}  // namespace frazil::engine
