#include "frazil/engine/write_rows.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include <duckdb/main/connection.hpp>
#include <duckdb/parallel/task_scheduler.hpp>
#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/parser/result_modifier.hpp>
#include <duckdb/parser/tableref/subqueryref.hpp>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/data_files.h"
#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/lowering.h"
#include "frazil/engine/sketch_kernels.h"
#include "frazil/engine/spatial_type.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/engine/write_batches.h"
#include "frazil/engine/write_copy.h"
#include "frazil/engine/write_parquet.h"
#include "frazil/engine/write_partition.h"
#include "frazil/engine/write_spread.h"
#include "frazil/engine/write_text.h"
#include "frazil/tables/partition_folder.h"

namespace frazil::engine {
namespace {

constexpr int kFolderAttempts = 100;

struct WritePlan {
  ParquetLayout layout;
  TextLayout text;
  BatchLayout batches;
  std::vector<size_t> file_columns;  ///< Positions in the result of the columns that go into files.
  /// Columns that files are not to hold, with the positions of the answers whether a row has a value all the same.
  std::vector<std::pair<size_t, std::string>> unstored_columns;
  size_t first_partition = 0;  ///< Position of the first partition value.
  std::vector<DataTypePtr> partition_types;
  size_t spread_files = 1;            ///< Over so many files rows are spread ...
  std::optional<size_t> spread_hash;  ///< ... by the hash at this position, or in turn.
};

const char* NameOf(tables::FileFormat format) {
  switch (format) {
    case tables::FileFormat::kParquet:
      return "Parquet";
    case tables::FileFormat::kCsv:
      return "CSV";
    case tables::FileFormat::kJson:
      return "JSON";
    case tables::FileFormat::kText:
      return "Text";
    case tables::FileFormat::kOrc:
      return "ORC";
    case tables::FileFormat::kAvro:
      return "Avro";
    case tables::FileFormat::kBinary:
      return "binaryFile";
  }
  return "";
}

// Whether files of the format can hold the type at all.
bool IsWritable(const DataType& type, tables::FileFormat format) {
  switch (type.id()) {
    case TypeId::kNull:
      return format == tables::FileFormat::kJson;
    case TypeId::kCalendarInterval:
      return false;
    case TypeId::kTime:
    case TypeId::kVariant:
      return !IsBatchFormat(format) && format != tables::FileFormat::kText;
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
      return format != tables::FileFormat::kAvro && format != tables::FileFormat::kText;
    case TypeId::kArray:
      return format != tables::FileFormat::kCsv && IsWritable(*type.element_type(), format);
    case TypeId::kMap:
      return format != tables::FileFormat::kCsv && IsWritable(*type.key_type(), format) &&
             IsWritable(*type.value_type(), format);
    case TypeId::kStruct:
      return format != tables::FileFormat::kCsv &&
             std::all_of(type.fields().begin(), type.fields().end(),
                         [&](const StructField& field) { return IsWritable(*field.type, format); });
    default:
      return format != tables::FileFormat::kText || type.IsString();
  }
}

Status CheckWritable(const tables::ScanColumn& column, tables::FileFormat format) {
  FRAZIL_RETURN_IF_ERROR(CheckNotSpatial(*column.type));
  if (IsWritable(*column.type, format)) return ToDuckDbType(*column.type).status();
  return Error::Of("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", {{"columnName", QuoteIdentifier(column.name)},
                                                            {"columnType", "\"" + column.type->Sql() + "\""},
                                                            {"format", NameOf(format)}});
}

// Iceberg's columns of type unknown, and those whose values nothing here can bring into a file, are left out: they read
// as NULL.
bool IsUnstored(const tables::WriteTask& task, const tables::ScanColumn& column) {
  const TypeId id = column.type->id();
  return task.write_field_ids && column.field_id >= 0 &&
         (id == TypeId::kNull || id == TypeId::kGeometry || id == TypeId::kGeography);
}

bool IsPartitionColumn(const tables::WriteTask& task, const tables::ScanColumn& column) {
  for (const auto& field : task.partitions) {
    if (field.source.size() == 1 && field.source[0] == column.name) return true;
  }
  return false;
}

// Whether folders are called as Hive calls them.
bool HasHiveFolders(const tables::WriteTask& task) {
  return task.drop_partition_columns || task.format_options.contains(tables::kPartitionColumnsLast);
}

// The task's columns that files hold, in the files' order.
std::vector<size_t> ColumnsOfFiles(const tables::WriteTask& task) {
  const bool are_last = task.format_options.contains(tables::kPartitionColumnsLast);
  std::vector<size_t> columns, last;
  for (size_t i = 0; i < task.columns.size(); ++i) {
    const bool is_partition = (task.drop_partition_columns || are_last) && IsPartitionColumn(task, task.columns[i]);
    if (is_partition && task.drop_partition_columns) continue;
    (is_partition ? last : columns).push_back(i);
  }
  columns.insert(columns.end(), last.begin(), last.end());
  return columns;
}

// SELECT the columns as files show them, then the partition values, in the order that the task asks for.
Result<duckdb::unique_ptr<duckdb::SelectNode>> LowerWrite(Lowering& lowering, const plan::LogicalPlanPtr& plan,
                                                          const tables::WriteTask& task, WritePlan& write) {
  if (plan->output.size() != task.columns.size()) return Error::Internal("A write has other columns than its table");
  FRAZIL_ASSIGN_OR_RETURN(auto inner, lowering.LowerStatement(plan));
  std::vector<std::string> names;
  for (const auto& attribute : plan->output) names.push_back(ColumnName(attribute.id));

  auto node = duckdb::make_uniq<duckdb::SelectNode>();
  size_t position = 0;
  std::vector<StructField> fields;
  std::vector<ExpressionPtr> record;
  std::set<std::string> seen;
  for (const auto& column : task.columns) {
    const std::string key = lowering.settings().case_sensitive ? column.name : AsciiLower(column.name);
    if (column.field_id < 0 && !seen.insert(key).second)
      return Error::Of("COLUMN_ALREADY_EXISTS", {{"columnName", QuoteIdentifier(key)}});
  }
  for (const size_t i : ColumnsOfFiles(task)) {
    const auto& column = task.columns[i];
    if (IsUnstored(task, column)) {
      LoweredExpression has_value = duckdb::make_uniq<duckdb::OperatorExpression>(
          duckdb::ExpressionType::OPERATOR_IS_NOT_NULL, ColumnRefOf(names[i]));
      has_value->SetAlias("w" + std::to_string(position));
      node->select_list.push_back(std::move(has_value));
      write.unstored_columns.emplace_back(position++, column.name);
      continue;
    }
    FRAZIL_RETURN_IF_ERROR(CheckWritable(column, task.format));
    fields.emplace_back(column.name, column.type);
    if (IsBatchFormat(task.format)) {
      LoweredExpression value = ColumnRefOf(names[i]);
      value->SetAlias("w" + std::to_string(position));
      node->select_list.push_back(std::move(value));
      write.file_columns.push_back(position++);
      write.layout.types.push_back(MappedType(*column.type));
      AddColumn(column, write.batches);
      continue;
    }
    if (task.format != tables::FileFormat::kParquet) {
      record.push_back(MakeLiteral(DataType::String(), Value(column.name)));
      record.push_back(MakeColumn(plan->output[i]));
      continue;
    }
    auto type = NamedType(*column.type);
    LoweredExpression value = ColumnRefOf(names[i]);
    if (type != MappedType(*column.type))
      value = CallOf("spark_reshape", std::move(value), ConstantOf(duckdb::Value(type)));
    value->SetAlias("w" + std::to_string(position));
    node->select_list.push_back(std::move(value));
    write.file_columns.push_back(position++);
    write.layout.types.push_back(std::move(type));
    write.layout.names.push_back(column.name);
    write.layout.columns.push_back(column);
  }
  if (task.format != tables::FileFormat::kParquet && !IsBatchFormat(task.format)) {
    // Text files: each row becomes a line.
    write.text = TextLayoutOf(task.format, fields, task.format_options, task.compression);
    ExpressionPtr line;
    if (task.format == tables::FileFormat::kText) {
      if (fields.size() != 1)
        return Error::Of("UNSUPPORTED_FEATURE.NAMED", {{"feature", "text files of more or less than one column"}});
      line = record[1];
    } else {
      auto row = MakeCall("named_struct", std::move(record), DataType::Struct(fields), false);
      line = MakeCall(task.format == tables::FileFormat::kCsv ? "to_csv" : "to_json",
                      {row, MakeLiteral(DataType::String(), Value(write.text.options_json))}, DataType::String(), true);
    }
    FRAZIL_ASSIGN_OR_RETURN(auto value, lowering.Lower(*line));
    value->SetAlias("w" + std::to_string(position));
    node->select_list.push_back(std::move(value));
    write.file_columns.push_back(position++);
    write.layout.types.push_back(duckdb::LogicalType::VARCHAR);
  } else if (task.format == tables::FileFormat::kParquet && !fields.empty() && task.columns[0].field_id < 0) {
    // Spark's own note of the schema, by which it reads intervals and lengths of text back.
    write.layout.metadata.emplace_back("org.apache.spark.sql.parquet.row.metadata", DataType::Struct(fields)->Json());
  }
  write.first_partition = position;
  for (const auto& field : task.partitions) {
    FRAZIL_ASSIGN_OR_RETURN(auto value, LowerTransform(field, task.columns, names));
    FRAZIL_ASSIGN_OR_RETURN(auto type, TransformType(field, task.columns));
    value = CastOf(std::move(value), MappedType(*type));
    value->SetAlias("p" + std::to_string(position++));
    node->select_list.push_back(std::move(value));
    write.partition_types.push_back(std::move(type));
  }
  const RowSpread spread = SpreadOf(*plan, task);
  write.spread_files = spread.files;
  if (!spread.columns.empty()) {
    std::vector<ExpressionPtr> hashed;
    for (const size_t i : spread.columns) hashed.push_back(MakeColumn(plan->output[i]));
    FRAZIL_ASSIGN_OR_RETURN(auto hash,
                            lowering.Lower(*MakeCall("hash", std::move(hashed), DataType::Integer(), false)));
    hash->SetAlias("h");
    write.spread_hash = position++;
    node->select_list.push_back(std::move(hash));
  }
  if (!task.sort.empty()) {
    auto order = duckdb::make_uniq<duckdb::OrderModifier>();
    for (const auto& term : task.sort) {
      FRAZIL_ASSIGN_OR_RETURN(auto value, LowerTransform(term.term, task.columns, names));
      order->orders.emplace_back(
          term.ascending ? duckdb::OrderType::ASCENDING : duckdb::OrderType::DESCENDING,
          term.nulls_first ? duckdb::OrderByNullType::NULLS_FIRST : duckdb::OrderByNullType::NULLS_LAST,
          std::move(value));
    }
    node->modifiers.push_back(std::move(order));
  }
  node->from_table = duckdb::make_uniq<duckdb::SubqueryRef>(std::move(inner), "rows");
  return node;
}

// A key that is equal for equal partition values.
void AppendKey(std::string& key, const duckdb::UnifiedVectorFormat& format, duckdb::PhysicalType type,
               duckdb::idx_t i) {
  const auto row = format.sel->get_index(i);
  if (!format.validity.RowIsValid(row)) {
    key += '\0';
    return;
  }
  key += '\1';
  if (type == duckdb::PhysicalType::VARCHAR) {
    const auto& text = reinterpret_cast<const duckdb::string_t*>(format.data)[row];
    const auto size = static_cast<uint32_t>(text.GetSize());
    key.append(reinterpret_cast<const char*>(&size), sizeof(size));
    key.append(text.GetData(), text.GetSize());
  } else {
    const auto width = duckdb::GetTypeIdSize(type);
    key.append(reinterpret_cast<const char*>(format.data + row * width), width);
  }
}

class Writer {
 public:
  /// `max_records`: most rows of a file; 0: any number.
  Writer(duckdb::ClientContext& client, const tables::WriteTask& task, const WritePlan& write,
         const std::string& time_zone, duckdb::idx_t max_records)
      : client_(client),
        task_(task),
        write_(write),
        time_zone_(time_zone),
        max_records_(max_records),
        file_system_(duckdb::FileSystem::GetFileSystem(client)),
        pool_(static_cast<size_t>(duckdb::TaskScheduler::GetScheduler(client).NumberOfThreads())) {}

  void Append(duckdb::DataChunk& chunk) {
    rows_ += chunk.size();
    CheckUnstored(chunk);
    duckdb::DataChunk files;
    files.InitializeEmpty(write_.layout.types);
    for (size_t i = 0; i < write_.file_columns.size(); ++i) files.data[i].Reference(chunk.data[write_.file_columns[i]]);
    files.SetCardinality(chunk.size());
    if (task_.partitions.empty() && write_.spread_files == 1) {
      AppendTo(partitions_[""], files);
      return;
    }
    duckdb::UnifiedVectorFormat hashes;
    if (write_.spread_hash) chunk.data[*write_.spread_hash].ToUnifiedFormat(chunk.size(), hashes);
    // Rows by partition, in their order.
    std::vector<duckdb::UnifiedVectorFormat> formats(task_.partitions.size());
    for (size_t k = 0; k < formats.size(); ++k)
      chunk.data[write_.first_partition + k].ToUnifiedFormat(chunk.size(), formats[k]);
    std::map<std::string, std::vector<duckdb::idx_t>> groups;
    std::string key, last_key;
    std::vector<duckdb::idx_t>* group = nullptr;
    for (duckdb::idx_t i = 0; i < chunk.size(); ++i) {
      key.clear();
      if (write_.spread_files > 1) AppendSpread(key, hashes, rows_ - chunk.size() + i, i);
      for (size_t k = 0; k < formats.size(); ++k) {
        AppendKey(key, formats[k], chunk.data[write_.first_partition + k].GetType().InternalType(), i);
      }
      if (group == nullptr || key != last_key) {
        group = &groups[key];
        last_key = key;
      }
      group->push_back(i);
    }
    for (const auto& [partition_key, rows] : groups) {
      auto [found, is_new] = partitions_.try_emplace(partition_key);
      for (size_t k = 0; is_new && k < task_.partitions.size(); ++k) {
        found->second.values.push_back(
            FromDuckDbValue(*write_.partition_types[k], chunk.GetValue(write_.first_partition + k, rows[0])));
      }
      if (groups.size() == 1) {
        AppendTo(found->second, files);
        continue;
      }
      duckdb::DataChunk part;
      Slice(files, rows, part);
      AppendTo(found->second, part);
    }
  }

  // The writer of all rows of Parquet files that are neither partitioned nor cut by a number of rows.
  ParquetPartitionWriter& Whole() {
    auto& whole = partitions_[""];
    if (whole.writer == nullptr) whole.writer = NewWriter({});
    return static_cast<ParquetPartitionWriter&>(*whole.writer);
  }

  std::vector<tables::WrittenFile> Finish() {
    for (auto& [key, partition] : partitions_) {
      if (partition.writer != nullptr) partition.writer->Finish(false);
    }
    // A plain folder gets a file even without rows, so that its schema can be read back.
    const bool plain = !task_.columns.empty() && task_.columns[0].field_id < 0;
    if (written_.empty() && plain && task_.partitions.empty()) NewWriter({})->Finish(true);
    return std::move(written_);
  }

  // Removes every file that was begun.
  void Discard() {
    partitions_.clear();
    for (const auto& path : begun_) {
      try {
        file_system_.TryRemoveFile(storage::LocalPath(path));
      } catch (const std::exception&) {
        // The statement fails with its own error; a file that cannot be removed is an orphan for maintenance.
      }
    }
  }

 private:
  struct Partition {
    std::vector<Value> values;
    std::unique_ptr<PartitionWriter> writer;  ///< Null: the next row begins a file.
    duckdb::idx_t rows = 0;                   ///< Given to `writer`.
  };

  // Values must not get lost.
  void CheckUnstored(duckdb::DataChunk& chunk) const {
    for (const auto& [position, name] : write_.unstored_columns) {
      duckdb::UnifiedVectorFormat answers;
      chunk.data[position].ToUnifiedFormat(chunk.size(), answers);
      const auto* has_value = duckdb::UnifiedVectorFormat::GetData<bool>(answers);
      for (duckdb::idx_t i = 0; i < chunk.size(); ++i) {
        if (!has_value[answers.sel->get_index(i)]) continue;
        ThrowSparkError(Error::Unsupported("writing values of the column " + QuoteIdentifier(name) +
                                           ", whose type in the table has no like in Spark"));
      }
    }
  }

  // Which of the files of the spread a row goes to.
  void AppendSpread(std::string& key, const duckdb::UnifiedVectorFormat& hashes, size_t row, duckdb::idx_t i) const {
    size_t file = row % write_.spread_files;
    if (write_.spread_hash) {
      const auto files = static_cast<int64_t>(write_.spread_files);
      const int64_t hash = duckdb::UnifiedVectorFormat::GetData<int32_t>(hashes)[hashes.sel->get_index(i)];
      file = static_cast<size_t>((hash % files + files) % files);
    }
    key.append(reinterpret_cast<const char*>(&file), sizeof(file));
  }

  void Slice(duckdb::DataChunk& rows, const std::vector<duckdb::idx_t>& positions, duckdb::DataChunk& part) const {
    duckdb::SelectionVector selection(positions.size());
    for (size_t i = 0; i < positions.size(); ++i) selection.set_index(i, positions[i]);
    part.InitializeEmpty(write_.layout.types);
    part.Slice(rows, selection, positions.size());
    part.SetCardinality(positions.size());
  }

  // Hands rows of one partition over; a file that is full ends.
  void AppendTo(Partition& partition, duckdb::DataChunk& rows) {
    for (duckdb::idx_t done = 0; done < rows.size();) {
      if (partition.writer == nullptr) {
        partition.writer = NewWriter(partition.values);
        partition.rows = 0;
      }
      duckdb::idx_t count = rows.size() - done;
      if (max_records_ > 0) count = std::min(count, max_records_ - partition.rows);
      if (count == rows.size()) {
        partition.writer->Append(rows);
      } else {
        std::vector<duckdb::idx_t> positions(count);
        std::iota(positions.begin(), positions.end(), done);
        duckdb::DataChunk part;
        Slice(rows, positions, part);
        partition.writer->Append(part);
      }
      done += count;
      partition.rows += count;
      if (partition.rows != max_records_) continue;
      partition.writer->Finish(false);
      partition.writer.reset();
    }
  }

  std::unique_ptr<PartitionWriter> NewWriter(std::vector<Value> values) {
    std::string partition;
    if (!task_.partitions.empty()) {
      partition = PartitionFolder(task_.partitions, write_.partition_types, values, HasHiveFolders(task_), time_zone_);
    }
    auto next_path = [this, partition] { return NextPath(partition); };
    if (task_.format == tables::FileFormat::kParquet) {
      return std::make_unique<ParquetPartitionWriter>(client_, write_.layout, pool_, std::move(next_path),
                                                      std::move(values), written_, begun_);
    }
    if (IsBatchFormat(task_.format)) {
      return std::make_unique<BatchPartitionWriter>(client_, write_.batches, pool_, std::move(next_path),
                                                    std::move(values), written_, begun_);
    }
    return std::make_unique<TextPartitionWriter>(client_, write_.text, std::move(next_path), std::move(values),
                                                 written_, begun_);
  }

  std::string NextPath(const std::string& partition) {
    char number[16];
    std::snprintf(number, sizeof(number), "%05d", next_file_++);
    std::string name = task_.file_name_prefix;
    if (const size_t star = name.find('*'); star != std::string::npos) {
      name.replace(star, 1, number);
    } else {
      name += std::string("-") + number;
    }
    name += task_.format == tables::FileFormat::kParquet ? ".parquet"
            : IsBatchFormat(task_.format)                ? write_.batches.extension
                                                         : write_.text.extension;
    std::string path = storage::JoinPath(task_.location, PathInLocation(partition, name));
    const std::string folder = path.substr(0, path.rfind('/'));
    if (storage::SchemeOf(folder).empty() || storage::SchemeOf(folder) == "file")
      MakeFolder(storage::LocalPath(folder));
    return path;
  }

  // Another writer may take away an empty folder on the way in between: then once more.
  void MakeFolder(const std::string& folder) {
    for (int attempt = 0; attempt < kFolderAttempts; ++attempt) {
      try {
        return file_system_.CreateDirectoriesRecursive(folder);
      } catch (const duckdb::IOException&) {
        if (attempt + 1 == kFolderAttempts) throw;
      }
    }
  }

  // partition/name; with the format option write.object-storage.enabled below folders that a hash chooses, so that
  // object stores can spread them (Iceberg's ObjectStoreLocationProvider).
  std::string PathInLocation(const std::string& partition, const std::string& name) const {
    const auto is_true = [&](const char* key, bool otherwise) {
      const auto found = task_.format_options.find(key);
      return found == task_.format_options.end() ? otherwise : EqualsIgnoreCase(found->second, "true");
    };
    const std::string whole = partition.empty() ? name : storage::JoinPath(partition, name);
    if (!is_true("write.object-storage.enabled", false)) return whole;
    const bool by_partition = is_true("write.object-storage.partitioned-paths", true);
    const std::string& hashed = by_partition ? whole : name;
    const uint32_t hash = HashOfBytes(hashed);
    std::string folders;
    for (int bit = 19; bit >= 0; --bit) {
      folders += (hash >> bit & 1) != 0 ? '1' : '0';
      if (bit == 16 || bit == 12 || bit == 8) folders += '/';
    }
    return folders + (by_partition ? "/" : "-") + hashed;
  }

  duckdb::ClientContext& client_;
  const tables::WriteTask& task_;
  const WritePlan& write_;
  std::string time_zone_;
  duckdb::idx_t max_records_;
  duckdb::FileSystem& file_system_;
  EncodePool pool_;
  std::vector<tables::WrittenFile> written_;
  std::vector<std::string> begun_;
  std::unordered_map<std::string, Partition> partitions_;
  size_t rows_ = 0;
  int next_file_ = 0;
};

Result<int64_t> NumberOf(const std::string& text) {
  const auto number = ParseInteger<int64_t>(text);
  if (number.has_value()) return *number;
  return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + text + "\"");
}

// The write's option maxRecordsPerFile, else the setting; Iceberg knows neither.
Result<duckdb::idx_t> MaxRecordsPerFile(const tables::WriteTask& task, const functions::ExpressionSettings& settings) {
  std::optional<std::string> text;
  if (const auto found = task.format_options.find("maxrecordsperfile"); found != task.format_options.end())
    text = found->second;
  const bool is_iceberg = task.write_field_ids && !task.columns.empty() && task.columns[0].field_id >= 0;
  if (!text.has_value() && !is_iceberg && settings.lookup) text = settings.lookup("spark.sql.files.maxRecordsPerFile");
  if (!text.has_value()) return duckdb::idx_t{0};
  FRAZIL_ASSIGN_OR_RETURN(const int64_t records, NumberOf(*text));
  return static_cast<duckdb::idx_t>(std::max<int64_t>(records, 0));
}

}  // namespace

Result<std::vector<tables::WrittenFile>> WriteRows(Statement& statement, const FunctionLoweringRegistry& registry,
                                                   const plan::LogicalPlanPtr& plan, const tables::WriteTask& task) {
  if (task.format == tables::FileFormat::kBinary) {
    return Error::Unsupported(std::string("writing ") + NameOf(task.format) + " files");
  }
  FRAZIL_ASSIGN_OR_RETURN(const auto max_records, MaxRecordsPerFile(task, statement.state().context.settings));
  WritePlan write;
  write.batches = BatchLayoutOf(task);
  write.layout.compression = task.compression;
  write.layout.write_field_ids = task.write_field_ids;
  if (const auto level = task.format_options.find("write.parquet.compression-level");
      level != task.format_options.end()) {
    FRAZIL_ASSIGN_OR_RETURN(write.layout.zstd_level, NumberOf(level->second));
  }
  write.layout.target_file_bytes = std::max<int64_t>(task.target_file_size, 1);
  // Files are cut between row groups: none may hold more than a file should.
  write.layout.row_group_bytes = std::clamp<int64_t>(task.row_group_size, 1, write.layout.target_file_bytes);
  // The files are written beside the query's own connection, which is busy.
  duckdb::Connection connection(*statement.client().db);
  connection.context->registered_state->Insert(
      StatementState::kKey, statement.client().registered_state->Get<StatementState>(StatementState::kKey));
  Writer writer(*connection.context, task, write, statement.state().context.settings.time_zone, max_records);
  bool is_copy = false;
  FRAZIL_RETURN_IF_ERROR(
      statement.Start([&](StatementState& state) -> Result<duckdb::unique_ptr<duckdb::SQLStatement>> {
        Lowering lowering(registry, state);
        auto lowered = LowerWrite(lowering, plan, task, write);
        statement.SetObserved(lowering.observed());
        if (!lowered.ok()) return lowered.status().error();
        is_copy = task.format == tables::FileFormat::kParquet && task.partitions.empty() && write.spread_files == 1 &&
                  max_records == 0 && write.unstored_columns.empty();
        if (is_copy) {
          state.copy_target = &writer.Whole();
          return CopyOf(*std::move(lowered));
        }
        auto select = duckdb::make_uniq<duckdb::SelectStatement>();
        select->node = *std::move(lowered);
        return duckdb::unique_ptr<duckdb::SQLStatement>(std::move(select));
      }));
  Status failure;
  try {
    while (true) {
      auto chunk = statement.NextChunk();
      if (!chunk.ok()) {
        failure = chunk.status();
        break;
      }
      if (*chunk == nullptr) break;
      if (is_copy) continue;
      if (auto& metrics = statement.state().context.metrics; metrics != nullptr)
        metrics->rows_out.fetch_add(static_cast<int64_t>((*chunk)->size()));
      writer.Append(**chunk);
    }
    if (failure.ok()) return writer.Finish();
  } catch (const std::exception& exception) {
    failure = ErrorFromException(exception);
  }
  statement.Stop();
  writer.Discard();
  return std::move(failure).error();
}

void RegisterWriteFunctions(duckdb::ExtensionLoader& loader) {
  RegisterTransformKernels(loader);
  RegisterSketchKernels(loader);
  RegisterRowCopy(loader);
}

}  // namespace frazil::engine
