#include "frazil/engine/scan_batches.h"

#include <algorithm>
#include <map>

#include <duckdb/common/multi_file/multi_file_reader.hpp>
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/function/table/arrow.hpp>
#include <duckdb/planner/expression/bound_conjunction_expression.hpp>
#include <duckdb/planner/expression/bound_reference_expression.hpp>

#include "frazil/base/text.h"
#include "frazil/engine/arrow_source.h"
#include "frazil/engine/data_files.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/engine/variant_files.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;

constexpr const char* kFormatOption = "frazil_format";
constexpr const char* kReaderType = "FrazilBatches";

duckdb::MultiFileColumnDefinition DefinitionOf(const codec::FileColumn& column, std::string name) {
  duckdb::MultiFileColumnDefinition definition(std::move(name), NamedType(*column.type));
  if (column.field_id >= 0) definition.identifier = duckdb::Value::INTEGER(column.field_id);
  switch (column.type->id()) {
    case TypeId::kStruct:
      for (const auto& child : column.children) definition.children.push_back(DefinitionOf(child, child.name));
      break;
    case TypeId::kArray:
      definition.children.push_back(DefinitionOf(column.children[0], "list"));
      break;
    case TypeId::kMap: {
      // As DuckDB shows maps of Parquet files: one child, the entries.
      duckdb::MultiFileColumnDefinition entries("key_value", duckdb::ListType::GetChildType(definition.type));
      entries.children.push_back(DefinitionOf(column.children[0], "key"));
      entries.children.push_back(DefinitionOf(column.children[1], "value"));
      definition.children.push_back(std::move(entries));
      break;
    }
    default:
      break;
  }
  return definition;
}

struct RowCountData : duckdb::BaseUnionData {
  RowCountData(duckdb::OpenFileInfo file_info, duckdb::optional_idx row_count)
      : BaseUnionData(std::move(file_info)), rows(row_count) {}
  duckdb::optional_idx TryGetCardinalityEstimate() const override { return rows; }
  duckdb::optional_idx rows;
};

class BatchFileReader : public duckdb::BaseFileReader {
 public:
  BatchFileReader(duckdb::ClientContext& client, const duckdb::OpenFileInfo& info, tables::FileFormat format)
      : BaseFileReader(info) {
    auto opened = OpenDataFile(client, info.path, format);
    if (!opened.ok()) ThrowSparkError(ReadFailure(std::move(opened).error(), info.path));
    file_ = *std::move(opened);
    for (const auto& column : file_->columns()) columns.push_back(DefinitionOf(column, column.name));
  }

  const std::vector<codec::FileColumn>& file_columns() const { return file_->columns(); }
  std::string GetReaderType() const override { return kReaderType; }

  void AddVirtualColumn(duckdb::column_t column) override {
    if (column != duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER)
      throw duckdb::InternalException("Unsupported virtual column of a data file");
  }

  duckdb::shared_ptr<duckdb::BaseUnionData> GetUnionData(idx_t) override {
    const auto rows = file_->record_count();
    return duckdb::make_shared_ptr<RowCountData>(
        file, rows.has_value() ? duckdb::optional_idx(static_cast<idx_t>(*rows)) : duckdb::optional_idx());
  }

  bool TryInitializeScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState&,
                         duckdb::LocalTableFunctionState& local) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!prepared_) Prepare(context);
    auto part = file_->NextPart(wanted_);
    if (!part.ok()) ThrowSparkError(ReadFailure(std::move(part).error(), GetFileName()));
    if (*part == nullptr) {
      states_.erase(&local);
      return false;
    }
    auto& state = states_[&local];
    if (state == nullptr) state = std::make_unique<State>(context, *this);
    state->Begin(*std::move(part));
    return true;
  }

  duckdb::AsyncResult Scan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState&,
                           duckdb::LocalTableFunctionState& local, duckdb::DataChunk& chunk) override {
    State* state = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      state = states_.at(&local).get();
    }
    if (!state->NextRows(context, *this, chunk)) return duckdb::SourceResultType::FINISHED;
    return duckdb::SourceResultType::HAVE_MORE_OUTPUT;
  }

 private:
  // What one thread reads.
  struct State {
    State(duckdb::ClientContext& context, BatchFileReader& reader) {
      raw.Initialize(context, reader.raw_types_.empty()
                                  ? duckdb::vector<duckdb::LogicalType>{duckdb::LogicalType::BOOLEAN}
                                  : reader.raw_types_);
      if (auto condition = reader.ConditionOf())
        condition_executor = duckdb::make_uniq<duckdb::ExpressionExecutor>(context, *(filter = std::move(condition)));
      for (const auto& [column, expression] : reader.expression_map) {
        executors[column] = duckdb::make_uniq<duckdb::ExpressionExecutor>(context, *expression);
      }
    }

    void Begin(std::unique_ptr<codec::BatchReader> next) {
      part = std::move(next);
      row = part->first_row();
      batch.reset();
    }

    // False at the end of the part.
    bool NextRows(duckdb::ClientContext& context, BatchFileReader& reader, duckdb::DataChunk& chunk) {
      while (batch == nullptr || offset >= batch_rows) {
        ArrowBatch next;
        auto more = part->Next(&next);
        if (!more.ok()) ThrowSparkError(ReadFailure(std::move(more).error(), reader.GetFileName()));
        if (!*more) {
          batch.reset();
          part.reset();
          return false;
        }
        batch_rows = static_cast<idx_t>(next.num_rows());
        offset = 0;
        auto wrapper = duckdb::make_uniq<duckdb::ArrowArrayWrapper>();
        wrapper->arrow_array = *next.mutable_array();
        next.mutable_array()->release = nullptr;
        batch = duckdb::make_uniq<duckdb::ArrowScanLocalState>(std::move(wrapper), context);
      }
      const idx_t count = std::min<idx_t>(STANDARD_VECTOR_SIZE, batch_rows - offset);
      raw.Reset();
      raw.SetCardinality(count);
      if (!reader.wanted_.empty()) {
        batch->chunk_offset = offset;
        duckdb::ArrowTableFunction::ArrowToDuckDB(*batch, reader.arrow_columns_->GetColumns(), raw);
      }
      chunk.SetCardinality(count);
      for (idx_t i = 0; i < reader.column_ids.size(); ++i) Fill(reader, i, count, chunk.data[i]);
      const auto first = static_cast<duckdb::row_t>(row);
      offset += count;
      row += static_cast<int64_t>(count);
      Select(reader, first, count, chunk);
      return true;
    }

    void Fill(BatchFileReader& reader, idx_t i, idx_t count, duckdb::Vector& target) {
      const auto column = reader.column_ids[duckdb::MultiFileLocalIndex(i)].GetId();
      if (column >= reader.file_columns().size()) {
        // The row's position in the file.
        target.Sequence(row, 1, count);
        return;
      }
      auto& source = raw.data[reader.raw_position_[column]];
      const auto executor = executors.find(column);
      if (executor == executors.end()) {
        target.Reference(source);
        return;
      }
      duckdb::DataChunk input;
      input.InitializeEmpty({source.GetType()});
      input.data[0].Reference(source);
      input.SetCardinality(count);
      executor->second->ExecuteExpression(input, target);
    }

    // Leaves the rows that are not deleted and pass the filters.
    void Select(BatchFileReader& reader, duckdb::row_t first, idx_t count, duckdb::DataChunk& chunk) {
      if (reader.deletion_filter != nullptr) {
        duckdb::SelectionVector left;
        const idx_t kept = reader.deletion_filter->Filter(first, count, left);
        if (kept != count) chunk.Slice(left, kept);
      }
      if (condition_executor == nullptr || chunk.size() == 0) return;
      duckdb::SelectionVector passing(STANDARD_VECTOR_SIZE);
      const idx_t kept = condition_executor->SelectExpression(chunk, passing);
      if (kept != chunk.size()) chunk.Slice(passing, kept);
    }

    std::unique_ptr<codec::BatchReader> part;
    duckdb::unique_ptr<duckdb::ArrowScanLocalState> batch;
    idx_t batch_rows = 0, offset = 0;
    int64_t row = 0;  ///< Position in the file of the next row.
    duckdb::DataChunk raw;
    duckdb::unique_ptr<duckdb::Expression> filter;
    duckdb::unique_ptr<duckdb::ExpressionExecutor> condition_executor;
    std::map<duckdb::column_t, duckdb::unique_ptr<duckdb::ExpressionExecutor>> executors;
  };

  // What rows must fulfil that the scan puts out; null: nothing. Filters that only save work are left to those who want
  // them.
  duckdb::unique_ptr<duckdb::Expression> ConditionOf() {
    if (filters == nullptr) return nullptr;
    auto all = duckdb::make_uniq<duckdb::BoundConjunctionExpression>(duckdb::ExpressionType::CONJUNCTION_AND);
    for (const auto& [position, filter] : filters->filters) {
      if (filter->filter_type == duckdb::TableFilterType::OPTIONAL_FILTER) continue;
      const auto column = column_ids[duckdb::MultiFileLocalIndex(position)].GetId();
      const auto expression = expression_map.find(column);
      const auto& type = expression != expression_map.end() ? expression->second->return_type : columns[column].type;
      all->children.push_back(filter->ToExpression(duckdb::BoundReferenceExpression(type, position)));
    }
    if (all->children.empty()) return nullptr;
    if (all->children.size() == 1) return std::move(all->children[0]);
    return all;
  }

  // Which columns of the file are read, now that the mapping is known.
  void Prepare(duckdb::ClientContext& context) {
    for (idx_t i = 0; i < column_ids.size(); ++i) {
      const auto column = column_ids[duckdb::MultiFileLocalIndex(i)].GetId();
      if (column < file_columns().size()) wanted_.push_back(column);
    }
    std::sort(wanted_.begin(), wanted_.end());
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
    std::vector<StructField> fields;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      const auto& column = file_columns()[wanted_[i]];
      raw_position_[wanted_[i]] = i;
      raw_types_.push_back(columns[wanted_[i]].type);
      fields.emplace_back(column.name, column.type, true);
    }
    arrow_columns_ = duckdb::make_uniq<duckdb::ArrowTableSchema>();
    if (!fields.empty()) {
      duckdb::ArrowSchemaWrapper schema;
      FillSchemaForDuckDb(*DataType::Struct(std::move(fields)), &schema.arrow_schema);
      duckdb::ArrowTableFunction::PopulateArrowTableSchema(context, *arrow_columns_, schema.arrow_schema);
    }
    prepared_ = true;
  }

  std::unique_ptr<codec::DataFileReader> file_;
  bool prepared_ = false;
  std::vector<size_t> wanted_;             ///< Columns of the file, ascending.
  std::map<size_t, size_t> raw_position_;  ///< Column of the file -> position in what is read.
  duckdb::vector<duckdb::LogicalType> raw_types_;
  duckdb::unique_ptr<duckdb::ArrowTableSchema> arrow_columns_;
  std::mutex mutex_;
  /// By the thread's own state of DuckDB. Parts point to the file, and so go first.
  std::map<const duckdb::LocalTableFunctionState*, std::unique_ptr<State>> states_;
};

std::optional<tables::FileFormat> NotedFormat(const duckdb::OpenFileInfo& file) {
  if (file.extended_info == nullptr) return std::nullopt;
  const auto found = file.extended_info->options.find(kFormatOption);
  if (found == file.extended_info->options.end()) return std::nullopt;
  return static_cast<tables::FileFormat>(found->second.GetValue<uint8_t>());
}

// Hands everything but the opening of our own formats to DuckDB's interface for Parquet.
class DataFileInterface : public duckdb::MultiFileReaderInterface {
 public:
  explicit DataFileInterface(duckdb::unique_ptr<duckdb::MultiFileReaderInterface> parquet)
      : parquet_(std::move(parquet)) {}

  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(duckdb::ClientContext& context,
                                                          duckdb::GlobalTableFunctionState& global,
                                                          const duckdb::OpenFileInfo& file, idx_t file_index,
                                                          const duckdb::MultiFileBindData& bind_data) override {
    if (const auto format = NotedFormat(file)) return duckdb::make_shared_ptr<BatchFileReader>(context, file, *format);
    return WithVariantsAsGroups(context, parquet_->CreateReader(context, global, file, file_index, bind_data));
  }
  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(duckdb::ClientContext& context,
                                                          const duckdb::OpenFileInfo& file,
                                                          duckdb::BaseFileReaderOptions& options,
                                                          const duckdb::MultiFileOptions& file_options) override {
    if (const auto format = NotedFormat(file)) return duckdb::make_shared_ptr<BatchFileReader>(context, file, *format);
    return WithVariantsAsGroups(context, parquet_->CreateReader(context, file, options, file_options));
  }
  duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(duckdb::ClientContext& context,
                                                          duckdb::GlobalTableFunctionState& global,
                                                          duckdb::BaseUnionData& union_data,
                                                          const duckdb::MultiFileBindData& bind_data) override {
    return parquet_->CreateReader(context, global, union_data, bind_data);
  }
  duckdb::unique_ptr<MultiFileReaderInterface> Copy() override {
    return duckdb::make_uniq<DataFileInterface>(parquet_->Copy());
  }

  void InitializeInterface(duckdb::ClientContext& context, duckdb::MultiFileReader& reader,
                           duckdb::MultiFileList& files) override {
    parquet_->InitializeInterface(context, reader, files);
  }
  duckdb::unique_ptr<duckdb::BaseFileReaderOptions> InitializeOptions(
      duckdb::ClientContext& context, duckdb::optional_ptr<duckdb::TableFunctionInfo> info) override {
    return parquet_->InitializeOptions(context, info);
  }
  bool ParseCopyOption(duckdb::ClientContext& context, const std::string& key,
                       const duckdb::vector<duckdb::Value>& values, duckdb::BaseFileReaderOptions& options,
                       duckdb::vector<std::string>& names, duckdb::vector<duckdb::LogicalType>& types) override {
    return parquet_->ParseCopyOption(context, key, values, options, names, types);
  }
  bool ParseOption(duckdb::ClientContext& context, const std::string& key, const duckdb::Value& value,
                   duckdb::MultiFileOptions& file_options, duckdb::BaseFileReaderOptions& options) override {
    return parquet_->ParseOption(context, key, value, file_options, options);
  }
  void FinalizeCopyBind(duckdb::ClientContext& context, duckdb::BaseFileReaderOptions& options,
                        const duckdb::vector<std::string>& names,
                        const duckdb::vector<duckdb::LogicalType>& types) override {
    parquet_->FinalizeCopyBind(context, options, names, types);
  }
  duckdb::unique_ptr<duckdb::TableFunctionData> InitializeBindData(
      duckdb::MultiFileBindData& bind_data, duckdb::unique_ptr<duckdb::BaseFileReaderOptions> options) override {
    return parquet_->InitializeBindData(bind_data, std::move(options));
  }
  void BindReader(duckdb::ClientContext& context, duckdb::vector<duckdb::LogicalType>& types,
                  duckdb::vector<std::string>& names, duckdb::MultiFileBindData& bind_data) override {
    parquet_->BindReader(context, types, names, bind_data);
  }
  void FinalizeBindData(duckdb::MultiFileBindData& bind_data) override { parquet_->FinalizeBindData(bind_data); }
  void GetBindInfo(const duckdb::TableFunctionData& bind_data, duckdb::BindInfo& info) override {
    parquet_->GetBindInfo(bind_data, info);
  }
  duckdb::optional_idx MaxThreads(const duckdb::MultiFileBindData& bind_data,
                                  const duckdb::MultiFileGlobalState& global,
                                  duckdb::FileExpandResult expanded) override {
    return parquet_->MaxThreads(bind_data, global, expanded);
  }
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitializeGlobalState(
      duckdb::ClientContext& context, duckdb::MultiFileBindData& bind_data,
      duckdb::MultiFileGlobalState& global) override {
    return parquet_->InitializeGlobalState(context, bind_data, global);
  }
  duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitializeLocalState(
      duckdb::ExecutionContext& context, duckdb::GlobalTableFunctionState& global) override {
    return parquet_->InitializeLocalState(context, global);
  }
  void FinishReading(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& global,
                     duckdb::LocalTableFunctionState& local) override {
    parquet_->FinishReading(context, global, local);
  }
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(const duckdb::MultiFileBindData& bind_data,
                                                            idx_t file_count) override {
    return parquet_->GetCardinality(bind_data, file_count);
  }
  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(duckdb::ClientContext& context,
                                                            const duckdb::MultiFileBindData& bind_data,
                                                            idx_t file_count) override {
    return parquet_->GetCardinality(context, bind_data, file_count);
  }
  void GetVirtualColumns(duckdb::ClientContext& context, duckdb::MultiFileBindData& bind_data,
                         duckdb::virtual_column_map_t& result) override {
    parquet_->GetVirtualColumns(context, bind_data, result);
  }
  duckdb::FileGlobInput GetGlobInput() override { return parquet_->GetGlobInput(); }

 private:
  duckdb::unique_ptr<duckdb::MultiFileReaderInterface> parquet_;
};

// Whether each value of `from` has one of `to`.
bool IsReadableAs(const DataType& from, const DataType& to) {
  if (from.id() == TypeId::kNull || from.EqualsIgnoreNullability(to)) return true;
  switch (to.id()) {
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
      return from.IsIntegral() && from.id() < to.id();
    case TypeId::kFloat:
      return from.id() == TypeId::kByte || from.id() == TypeId::kShort;
    case TypeId::kDouble:
      return from.id() == TypeId::kFloat || (from.IsIntegral() && from.id() != TypeId::kLong);
    case TypeId::kDecimal:
      return from.id() == TypeId::kDecimal && from.scale() <= to.scale() &&
             from.precision() - from.scale() <= to.precision() - to.scale();
    case TypeId::kString:
      return from.IsString();
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
      // Wall clocks are kept as instants of UTC.
      return from.id() == TypeId::kTimestamp || from.id() == TypeId::kTimestampNtz;
    case TypeId::kYearMonthInterval:
      return from.id() == TypeId::kInteger || from.id() == TypeId::kYearMonthInterval;
    case TypeId::kDayTimeInterval:
      return from.id() == TypeId::kLong || from.id() == TypeId::kDayTimeInterval;
    case TypeId::kArray:
      return from.id() == TypeId::kArray && IsReadableAs(*from.element_type(), *to.element_type());
    case TypeId::kMap:
      return from.id() == TypeId::kMap && IsReadableAs(*from.key_type(), *to.key_type()) &&
             IsReadableAs(*from.value_type(), *to.value_type());
    case TypeId::kStruct:
      return from.id() == TypeId::kStruct &&
             std::all_of(to.fields().begin(), to.fields().end(), [&](const StructField& field) {
               const int index = from.FieldIndex(field.name);
               return index < 0 || IsReadableAs(*from.fields()[static_cast<size_t>(index)].type, *field.type);
             });
    default:
      return false;
  }
}

}  // namespace

duckdb::unique_ptr<duckdb::MultiFileReaderInterface> MakeDataFileInterface(
    duckdb::unique_ptr<duckdb::MultiFileReaderInterface> parquet) {
  return duckdb::make_uniq<DataFileInterface>(std::move(parquet));
}

void NoteFormat(duckdb::OpenFileInfo& file, tables::FileFormat format) {
  if (file.extended_info == nullptr) file.extended_info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
  file.extended_info->options[kFormatOption] = duckdb::Value::UTINYINT(static_cast<uint8_t>(format));
}

bool IsBatchReader(const duckdb::BaseFileReader& reader) { return reader.GetReaderType() == kReaderType; }

void CheckBatchColumnType(const duckdb::BaseFileReader& reader, const std::string& column, const DataType& wanted) {
  if (!IsBatchReader(reader)) return;
  for (const auto& found : reader.Cast<BatchFileReader>().file_columns()) {
    if (found.name != column || IsReadableAs(*found.type, wanted)) continue;
    ThrowSparkError(Error::Unsupported("reading the column " + column + " of type " + found.type->SimpleString() +
                                       " as " + wanted.SimpleString() + " from " + reader.GetFileName()));
  }
}

}  // namespace frazil::engine
