// spark_record_scan: the records of text files, and what lies above it for each format.

#include "frazil/engine/scan_text.h"

#include <duckdb/common/file_system.hpp>
#include <duckdb/common/multi_file/multi_file_list.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/parser/tableref/table_function_ref.hpp>
#include <duckdb/planner/operator/logical_get.hpp>
#include <duckdb/storage/statistics/node_statistics.hpp>

#include "frazil/base/text.h"
#include "frazil/engine/functions/cast.h"
#include "frazil/engine/functions/csv_line.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/lowering.h"
#include "frazil/engine/required_columns.h"
#include "frazil/engine/scan_predicate.h"
#include "frazil/engine/scan_records.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/functions/text_options.h"
#include "frazil/plan/file_metadata.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;

struct RecordBindData : duckdb::TableFunctionData {
  const StatementScan* scan = nullptr;
  PredicatePtr filter = Predicate::True();
  mutable std::mutex mutex;
  mutable std::shared_ptr<const tables::ScanPlan> plan;

  const tables::ScanPlan& Planned() const {
    std::lock_guard<std::mutex> lock(mutex);
    if (plan == nullptr) plan = std::make_shared<tables::ScanPlan>(ValueOrThrow(scan->node->scan->Plan(filter)));
    return *plan;
  }
};

struct RecordGlobalState : duckdb::GlobalTableFunctionState {
  std::atomic<size_t> next_file{0};
  std::atomic<int64_t> bytes_read{0};
  size_t files = 0;
  duckdb::vector<duckdb::column_t> columns;
  idx_t MaxThreads() const override { return std::max<size_t>(files, 1); }
};

struct RecordLocalState : duckdb::LocalTableFunctionState {
  std::unique_ptr<RecordReader> reader;
  size_t file = 0;
  std::vector<duckdb::Value> constants;  ///< By output column; the record's place is unused.
  std::string record;
};

duckdb::unique_ptr<duckdb::FunctionData> BindRecords(duckdb::ClientContext& context,
                                                     duckdb::TableFunctionBindInput& input,
                                                     duckdb::vector<duckdb::LogicalType>& return_types,
                                                     duckdb::vector<std::string>& names) {
  auto data = duckdb::make_uniq<RecordBindData>();
  data->scan = &StatementState::Of(context).scans[static_cast<size_t>(input.inputs[0].GetValue<int64_t>())];
  for (const auto& slot : data->scan->slots) {
    return_types.push_back(MappedType(*slot.type));
    names.push_back(slot.name);
  }
  return data;
}

void PushFilters(duckdb::ClientContext&, duckdb::LogicalGet& get, duckdb::FunctionData* bind_data,
                 duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  auto& data = bind_data->Cast<RecordBindData>();
  const duckdb::MultiFilePushdownInfo info(get);
  data.filter = PredicateOf(filters, info, data.scan->slots, *data.scan->node->scan->schema());
  data.plan.reset();
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitRecords(duckdb::ClientContext&,
                                                                 duckdb::TableFunctionInitInput& input) {
  const auto& data = input.bind_data->Cast<RecordBindData>();
  auto state = duckdb::make_uniq<RecordGlobalState>();
  state->files = data.Planned().files.size();
  state->columns = input.column_ids;
  return state;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitRecordThread(duckdb::ExecutionContext&,
                                                                     duckdb::TableFunctionInitInput&,
                                                                     duckdb::GlobalTableFunctionState*) {
  return duckdb::make_uniq<RecordLocalState>();
}

int64_t StoredBytes(const RecordBindData& data) {
  int64_t bytes = 0;
  for (const auto& file : data.Planned().files) bytes += std::max<int64_t>(file.size, 0);
  return bytes;
}

duckdb::unique_ptr<duckdb::NodeStatistics> RecordCardinality(duckdb::ClientContext&,
                                                             const duckdb::FunctionData* bind_data) {
  const int64_t bytes = StoredBytes(bind_data->Cast<RecordBindData>());
  return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<idx_t>(bytes / 100 + 1));
}

double RecordProgress(duckdb::ClientContext&, const duckdb::FunctionData* bind_data,
                      const duckdb::GlobalTableFunctionState* state) {
  const int64_t bytes = StoredBytes(bind_data->Cast<RecordBindData>());
  if (bytes == 0) return -1;
  const auto read = static_cast<double>(state->Cast<RecordGlobalState>().bytes_read.load());
  return std::min(100.0, 100.0 * read / static_cast<double>(bytes));
}

// enforceSchema=false: whether the header of a CSV file says what the schema says.
bool HeaderFits(const StatementScan& scan, const std::string& header, bool case_sensitive) {
  const auto cells = SplitCsvLine(header, CsvShape(scan.options));
  const auto& wanted = scan.header_columns;
  // Of a part of the columns only their names are looked at.
  const bool all = !wanted.empty() && wanted.rbegin()->first + 1 == wanted.size();
  if (all && cells.size() != wanted.size()) return false;
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& column) {
    const std::string found = column.first < cells.size() ? cells[column.first].value_or("") : "";
    return case_sensitive ? found == column.second : EqualsIgnoreCase(found, column.second);
  });
}

// Opens the next file that nobody reads yet.
bool OpenNext(duckdb::ClientContext& context, const RecordBindData& data, RecordGlobalState& global,
              RecordLocalState& local) {
  const auto& plan = data.Planned();
  const size_t index = global.next_file.fetch_add(1);
  if (index >= plan.files.size()) return false;
  const auto& file = plan.files[index];
  local.file = index;
  auto& file_system = duckdb::FileSystem::GetFileSystem(context);
  const std::string path = storage::LocalPath(file.path);
  local.constants.clear();
  for (const auto column : global.columns) {
    duckdb::Value value;
    if (column < data.scan->slots.size()) {
      const auto& slot = data.scan->slots[column];
      const auto constant = file.constants.find(static_cast<size_t>(std::max(slot.index, 0)));
      switch (slot.kind) {
        case ScanSlot::Kind::kData:
          value = constant == file.constants.end() ? duckdb::Value(MappedType(*slot.type))
                                                   : ValueOrThrow(ToDuckDbValue(*slot.type, constant->second));
          break;
        case ScanSlot::Kind::kFilePath:
          value = duckdb::Value(file.path);
          break;
        case ScanSlot::Kind::kFileUri:
          value = duckdb::Value(storage::SchemeOf(file.path).empty() ? "file:" + file.path : file.path);
          break;
        case ScanSlot::Kind::kFileName:
          value = duckdb::Value(file.path.substr(file.path.rfind('/') + 1));
          break;
        case ScanSlot::Kind::kFileTime: {
          auto handle = file_system.OpenFile(path, duckdb::FileFlags::FILE_FLAGS_READ);
          value = duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(file_system.GetLastModifiedTime(*handle).value));
          break;
        }
        case ScanSlot::Kind::kFileLength: {
          auto handle = file_system.OpenFile(path, duckdb::FileFlags::FILE_FLAGS_READ);
          value = duckdb::Value::BIGINT(file_system.GetFileSize(*handle));
          break;
        }
        default:
          break;
      }
    }
    local.constants.push_back(std::move(value));
  }
  local.reader =
      std::make_unique<RecordReader>(file_system, path, data.scan->format, data.scan->options,
                                     FileTolerance(data.scan->options, StatementState::Of(context).context.settings));
  if (!IsTrue(data.scan->options, "enforceschema", true) && local.reader->header().has_value() &&
      !HeaderFits(*data.scan, *local.reader->header(), StatementState::Of(context).context.settings.case_sensitive)) {
    ThrowSparkError("FAILED_READ_FILE.NO_HINT",
                    {{"path", file.path.starts_with('/') ? "file://" + file.path : file.path}});
  }
  if (auto& metrics = StatementState::Of(context).context.metrics; metrics != nullptr) {
    metrics->files_read.fetch_add(1);
    if (file.size > 0) metrics->bytes_read.fetch_add(file.size);
  }
  return true;
}

void ReadRecords(duckdb::ClientContext& context, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  const auto& data = input.bind_data->Cast<RecordBindData>();
  auto& global = input.global_state->Cast<RecordGlobalState>();
  auto& local = input.local_state->Cast<RecordLocalState>();
  while (true) {
    if (local.reader == nullptr && !OpenNext(context, data, global, local)) return;
    idx_t count = 0;
    while (count < STANDARD_VECTOR_SIZE && local.reader->Next(&local.record)) {
      for (size_t i = 0; i < global.columns.size(); ++i) {
        const auto column = global.columns[i];
        if (column >= data.scan->slots.size() || data.scan->slots[column].kind != ScanSlot::Kind::kRecord) continue;
        auto& vector = output.data[i];
        duckdb::FlatVector::GetData<duckdb::string_t>(vector)[count] =
            duckdb::StringVector::AddStringOrBlob(vector, local.record);
      }
      ++count;
    }
    global.bytes_read.fetch_add(local.reader->TakeBytesRead());
    if (count < STANDARD_VECTOR_SIZE) local.reader.reset();
    if (count == 0) continue;
    for (size_t i = 0; i < global.columns.size(); ++i) {
      const auto column = global.columns[i];
      if (column >= data.scan->slots.size()) {
        output.data[i].SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
        duckdb::ConstantVector::SetNull(output.data[i], true);
      } else if (data.scan->slots[column].kind != ScanSlot::Kind::kRecord) {
        output.data[i].Reference(local.constants[i]);
      }
    }
    output.SetCardinality(count);
    if (auto& metrics = StatementState::Of(context).context.metrics; metrics != nullptr)
      metrics->rows_read.fetch_add(static_cast<int64_t>(count));
    return;
  }
}

// enforceSchema=false: the columns whose names the header of a CSV file must have, by their positions.
std::map<size_t, std::string> HeaderColumnsOf(const plan::ScanNode& node, const plan::LogicalPlan& root,
                                              size_t data_columns) {
  const auto required = RequiredColumns(root, node);
  std::map<size_t, std::string> names;
  for (size_t i = 0; i < node.columns.size(); ++i) {
    const int index = node.columns[i].index;
    if (index < 0 || static_cast<size_t>(index) >= data_columns) continue;
    if (required.has_value() && !required->contains(node.output[i].id)) continue;
    names[static_cast<size_t>(index)] = node.scan->schema()->fields()[static_cast<size_t>(index)].name;
  }
  return names;
}

ExpressionPtr OptionsLiteral(const ReaderOptions& options) {
  return MakeLiteral(DataType::String(), Value(functions::OptionsJson(options)));
}

}  // namespace

void RegisterTextScanFunctions(duckdb::ExtensionLoader& loader) {
  duckdb::TableFunction scan("spark_record_scan", {duckdb::LogicalType::BIGINT}, ReadRecords, BindRecords, InitRecords,
                             InitRecordThread);
  scan.projection_pushdown = true;
  scan.pushdown_complex_filter = PushFilters;
  scan.cardinality = RecordCardinality;
  scan.table_scan_progress = RecordProgress;
  loader.RegisterFunction(scan);
}

Result<Block> Lowering::LowerTextScan(const plan::ScanNode& node, tables::FileFormat format) {
  FRAZIL_ASSIGN_OR_RETURN(const auto plan, node.scan->Plan(Predicate::True()));
  FRAZIL_RETURN_IF_ERROR(CheckRecordOptions(format, plan.format_options));
  const auto& schema = node.scan->schema()->fields();
  // Columns that come from folders stand behind those of the files. Without files there are no rows, and nothing to
  // know.
  size_t data_columns = schema.size();
  if (!plan.files.empty()) data_columns -= plan.files[0].constants.size();

  StatementScan scan;
  scan.owner = root_;
  scan.node = &node;
  scan.format = format;
  scan.options = plan.format_options;
  if (format == tables::FileFormat::kCsv) scan.header_columns = HeaderColumnsOf(node, *root_, data_columns);
  const auto index = static_cast<int64_t>(state_.scans.size());
  LoweredArguments arguments;
  arguments.push_back(ConstantOf(duckdb::Value::BIGINT(index)));
  auto table = duckdb::make_uniq<duckdb::TableFunctionRef>();
  table->function = CallOf("spark_record_scan", std::move(arguments));
  table->alias = FreshTable();
  Block block = FromTable(std::move(table), {});
  const auto add_slot = [&](ScanSlot::Kind kind, int column, const DataTypePtr& type) {
    scan.slots.push_back(ScanSlot{kind, column, FreshName(), type});
    block.columns.push_back(scan.slots.back().name);
    return ColumnRefOf(scan.slots.back().name);
  };

  // Spark's hidden column _metadata from columns with what is in it, in the order of plan::FileMetadataType.
  using Slots = std::vector<std::pair<ScanSlot::Kind, DataTypePtr>>;
  const Slots about = {{ScanSlot::Kind::kFileUri, DataType::String()},
                       {ScanSlot::Kind::kFileName, DataType::String()},
                       {ScanSlot::Kind::kFileLength, DataType::Long()},
                       {ScanSlot::Kind::kFileTime, DataType::Timestamp()}};
  const auto metadata_of = [](const std::vector<std::string>& names) {
    LoweredArguments members;
    members.push_back(ColumnRefOf(names[0]));
    members.push_back(ColumnRefOf(names[1]));
    members.push_back(ColumnRefOf(names[2]));
    members.push_back(ConstantOf(duckdb::Value::BIGINT(0)));
    members.push_back(ColumnRefOf(names[2]));
    members.push_back(ColumnRefOf(names[3]));
    for (size_t i = 0; i < members.size(); ++i) members[i]->SetAlias(StructMemberName(i));
    return CallOf("struct_pack", std::move(members));
  };

  // The records become structs of the files' columns: one by from_csv, any number by json_rows.
  std::vector<StructField> fields(schema.begin(), schema.begin() + static_cast<std::ptrdiff_t>(data_columns));
  for (const auto& field : fields) {
    if (format != tables::FileFormat::kCsv) break;
    const TypeId id = field.type->id();
    if (id == TypeId::kVariant) return Error::Unsupported("the type VARIANT in CSV files");
    if (field.type->IsComplex() || id == TypeId::kNull) {
      return Error::Of("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", {{"columnName", QuoteIdentifier(field.name)},
                                                                {"columnType", "\"" + field.type->Sql() + "\""},
                                                                {"format", "CSV"}});
    }
  }
  const std::string mode = AsciiUpper(Get(plan.format_options, "mode", "PERMISSIVE"));
  std::string record, parsed;
  int dropped_by = -1;
  if (format == tables::FileFormat::kCsv || format == tables::FileFormat::kJson) {
    ReaderOptions options = plan.format_options;
    std::string corrupt = Get(options, "columnnameofcorruptrecord", "");
    if (corrupt.empty()) {
      corrupt = settings().lookup ? settings().lookup("spark.sql.columnNameOfCorruptRecord").value_or("_corrupt_record")
                                  : "_corrupt_record";
      options["columnnameofcorruptrecord"] = corrupt;
    }
    if (const auto required = RequiredColumns(*root_, node); required.has_value() && required->size() == 1) {
      for (const auto& attribute : node.output) {
        if (*required->begin() == attribute.id && attribute.name == corrupt)
          return Error::Of("UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN");
      }
    }
    if (mode == "DROPMALFORMED") {
      options["mode"] = "PERMISSIVE";
      for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name == corrupt) dropped_by = static_cast<int>(i);
      }
      if (dropped_by < 0) {
        dropped_by = static_cast<int>(fields.size());
        fields.emplace_back(corrupt, DataType::String());
      }
    }
    auto text = add_slot(ScanSlot::Kind::kRecord, -1, DataType::String());
    record = block.columns.back();
    Attribute text_attribute;
    const auto struct_type = DataType::Struct(fields);
    const bool many = format == tables::FileFormat::kJson;
    const auto result_type = many ? DataType::Array(struct_type) : struct_type;
    // A stand-in for the record column: its name is put in afterwards.
    const auto call = std::make_shared<CallExpression>();
    call->function = format == tables::FileFormat::kCsv ? "from_csv" : "json_rows";
    call->type = result_type;
    call->arguments = {MakeNull(DataType::String()), OptionsLiteral(options)};
    parsed = FreshName();
    std::vector<std::pair<std::string, LoweredExpression>> columns;
    for (size_t i = data_columns; i < schema.size(); ++i) {
      auto constant = add_slot(ScanSlot::Kind::kData, static_cast<int>(i), schema[i].type);
      columns.emplace_back(block.columns.back(), std::move(constant));
    }
    auto path = add_slot(ScanSlot::Kind::kFilePath, -1, DataType::String());
    const std::string path_name = block.columns.back();
    columns.emplace_back(path_name, std::move(path));
    std::vector<std::string> about_names;
    for (const auto& [kind, type] : about) {
      auto value = add_slot(kind, -1, type);
      about_names.push_back(block.columns.back());
      columns.emplace_back(about_names.back(), std::move(value));
    }
    LoweredArguments lowered;
    lowered.push_back(std::move(text));
    FRAZIL_ASSIGN_OR_RETURN(auto option_text, Lower(*call->arguments[1]));
    lowered.push_back(std::move(option_text));
    if (mode == "FAILFAST") lowered.push_back(ColumnRefOf(path_name));
    FRAZIL_ASSIGN_OR_RETURN(auto value, registry_.LowerScalar(*this, *call, std::move(lowered)));
    if (many) value = CallOf("unnest", std::move(value));
    columns.emplace_back(parsed, std::move(value));
    const size_t first_constant = 1;
    std::vector<std::string> constant_names;
    for (size_t i = first_constant; scan.slots[i].kind == ScanSlot::Kind::kData; ++i)
      constant_names.push_back(scan.slots[i].name);
    state_.scans.push_back(std::move(scan));
    Block rows = Wrap(Select(std::move(block), std::move(columns), true));
    const auto member = [&](size_t i) {
      return CallOf("struct_extract_at", ColumnRefOf(parsed),
                    ConstantOf(duckdb::Value::BIGINT(static_cast<int64_t>(i) + 1)));
    };
    if (dropped_by >= 0) {
      rows.where.push_back(duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_IS_NULL,
                                                                         member(static_cast<size_t>(dropped_by))));
    }
    std::vector<std::pair<std::string, LoweredExpression>> output;
    for (size_t i = 0; i < node.columns.size(); ++i) {
      const auto& column = node.columns[i];
      const std::string name = ColumnName(node.output[i].id);
      if (column.index >= 0 && static_cast<size_t>(column.index) < data_columns) {
        output.emplace_back(name, member(static_cast<size_t>(column.index)));
      } else if (column.index >= 0) {
        output.emplace_back(name, ColumnRefOf(constant_names[static_cast<size_t>(column.index) - data_columns]));
      } else if (column.metadata_name == plan::kFilePathColumn) {
        output.emplace_back(name, ColumnRefOf(path_name));
      } else if (column.metadata_name == plan::kFileMetadataColumn) {
        output.emplace_back(name, metadata_of(about_names));
      } else {
        return Error::Unsupported("the metadata column " + column.metadata_name + " of " + node.table_name);
      }
    }
    return Select(std::move(rows), std::move(output), false);
  }

  std::vector<std::pair<std::string, LoweredExpression>> output;
  for (size_t i = 0; i < node.columns.size(); ++i) {
    const auto& column = node.columns[i];
    LoweredExpression value;
    if (column.metadata_name == plan::kFileMetadataColumn) {
      std::vector<std::string> names;
      for (const auto& [kind, type] : about) {
        add_slot(kind, -1, type);
        names.push_back(block.columns.back());
      }
      value = metadata_of(names);
    } else if (column.index < 0) {
      if (column.metadata_name != plan::kFilePathColumn)
        return Error::Unsupported("the metadata column " + column.metadata_name + " of " + node.table_name);
      value = add_slot(ScanSlot::Kind::kFilePath, -1, DataType::String());
    } else if (static_cast<size_t>(column.index) >= data_columns) {
      value = add_slot(ScanSlot::Kind::kData, column.index, schema[static_cast<size_t>(column.index)].type);
    } else if (format == tables::FileFormat::kText) {
      value = add_slot(ScanSlot::Kind::kRecord, -1, DataType::String());
    } else {
      const std::string& name = schema[static_cast<size_t>(column.index)].name;
      if (name == "path") value = add_slot(ScanSlot::Kind::kFilePath, -1, DataType::String());
      if (name == "modificationTime") value = add_slot(ScanSlot::Kind::kFileTime, -1, DataType::Timestamp());
      if (name == "length") value = add_slot(ScanSlot::Kind::kFileLength, -1, DataType::Long());
      if (name == "content") value = add_slot(ScanSlot::Kind::kRecord, -1, DataType::Binary());
      if (value == nullptr) return Error::Unsupported("the column " + name + " of binary files");
    }
    output.emplace_back(ColumnName(node.output[i].id), std::move(value));
  }
  if (scan.slots.empty()) add_slot(ScanSlot::Kind::kFilePath, -1, DataType::String());
  state_.scans.push_back(std::move(scan));
  return Select(std::move(block), std::move(output), false);
}

}  // namespace frazil::engine
