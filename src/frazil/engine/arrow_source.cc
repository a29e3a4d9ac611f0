#include "frazil/engine/arrow_source.h"

#include <cstring>
#include <string>
#include <vector>

#include <duckdb/common/arrow/arrow_wrapper.hpp>
#include <duckdb/function/table/arrow.hpp>

#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/type_mapping.h"

namespace frazil::engine {
namespace {

// Format strings of the Arrow C data interface for what types/arrow_c.h lays out, as DuckDB shall read them: intervals
// as the integers they are.
std::string FormatOf(const DataType& type) {
  switch (type.id()) {
    case TypeId::kNull:
      return "n";
    case TypeId::kBoolean:
      return "b";
    case TypeId::kByte:
      return "c";
    case TypeId::kShort:
      return "s";
    case TypeId::kInteger:
    case TypeId::kYearMonthInterval:
      return "i";
    case TypeId::kLong:
    case TypeId::kDayTimeInterval:
      return "l";
    case TypeId::kFloat:
      return "f";
    case TypeId::kDouble:
      return "g";
    case TypeId::kDecimal:
      return "d:" + std::to_string(type.precision()) + "," + std::to_string(type.scale());
    case TypeId::kString:
      return "u";
    case TypeId::kBinary:
      return "z";
    case TypeId::kDate:
      return "tdD";
    case TypeId::kTimestamp:
      return "tsu:UTC";
    case TypeId::kTimestampNtz:
      return "tsu:";
    case TypeId::kTime:
      return "ttn";
    case TypeId::kCalendarInterval:
      return "tin";
    case TypeId::kArray:
      return "+l";
    case TypeId::kMap:
      return "+m";
    case TypeId::kStruct:
      return "+s";
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  ThrowSparkError(Error::Unsupported(type.SimpleString() + " columns in local relations"));
}

struct SchemaHolder {
  std::string format, name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

void ReleaseSchema(ArrowSchema* schema) {
  if (schema->release == nullptr) return;
  auto* holder = static_cast<SchemaHolder*>(schema->private_data);
  for (auto& child : holder->children) {
    if (child.release != nullptr) child.release(&child);
  }
  schema->release = nullptr;
  delete holder;
}

void FillSchema(const DataType& type, std::string name, ArrowSchema* out);

void AddChild(SchemaHolder& holder, const DataType& type, std::string name) {
  holder.children.emplace_back();
  FillSchema(type, std::move(name), &holder.children.back());
}

void FillSchema(const DataType& type, std::string name, ArrowSchema* out) {
  auto holder = std::make_unique<SchemaHolder>();
  holder->format = FormatOf(type);
  holder->name = std::move(name);
  holder->children.reserve(std::max<size_t>(2, type.id() == TypeId::kStruct ? type.fields().size() : 0));
  if (type.id() == TypeId::kArray) AddChild(*holder, *type.element_type(), "element");
  if (type.id() == TypeId::kMap) {
    AddChild(*holder, *DataType::Struct({{"key", type.key_type(), false}, {"value", type.value_type()}}), "entries");
  }
  if (type.id() == TypeId::kStruct) {
    for (size_t i = 0; i < type.fields().size(); ++i) AddChild(*holder, *type.fields()[i].type, StructMemberName(i));
  }
  for (auto& child : holder->children) holder->pointers.push_back(&child);
  std::memset(out, 0, sizeof(*out));
  out->format = holder->format.c_str();
  out->name = holder->name.c_str();
  out->flags = ARROW_FLAG_NULLABLE;
  out->n_children = static_cast<int64_t>(holder->pointers.size());
  out->children = holder->pointers.data();
  out->release = ReleaseSchema;
  out->private_data = holder.release();
}

void FillTableSchema(const DataType& schema, ArrowSchema* out) {
  FillSchema(schema, "", out);
  auto* holder = static_cast<SchemaHolder*>(out->private_data);
  for (size_t i = 0; i < holder->children.size(); ++i) {
    auto* child = static_cast<SchemaHolder*>(holder->children[i].private_data);
    child->name = ArrowSource::ColumnName(i);
    holder->children[i].name = child->name.c_str();
  }
}

// A stream over the batches. The buffers stay with the table.
struct Stream {
  ArrowTablePtr table;
  std::vector<size_t> columns;
  size_t next = 0;
};

struct BatchView {
  ArrowTablePtr table;
  std::vector<ArrowArray> columns;
  std::vector<ArrowArray*> pointers;
  const void* no_validity = nullptr;
};

void ReleaseColumn(ArrowArray* array) { array->release = nullptr; }

void ReleaseBatch(ArrowArray* array) {
  if (array->release == nullptr) return;
  array->release = nullptr;
  delete static_cast<BatchView*>(array->private_data);
}

int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  const auto& state = *static_cast<Stream*>(stream->private_data);
  FillTableSchema(*state.table->schema, out);
  return 0;
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  auto& state = *static_cast<Stream*>(stream->private_data);
  if (state.next >= state.table->batches.size()) {
    out->release = nullptr;
    return 0;
  }
  const ArrowArray& batch = state.table->batches[state.next++].array();
  auto view = std::make_unique<BatchView>();
  view->table = state.table;
  view->columns.reserve(state.columns.size());
  for (const size_t column : state.columns) {
    view->columns.push_back(*batch.children[column]);
    view->columns.back().release = ReleaseColumn;
  }
  for (auto& column : view->columns) view->pointers.push_back(&column);
  std::memset(out, 0, sizeof(*out));
  out->length = batch.length;
  out->offset = batch.offset;
  out->n_buffers = 1;
  out->buffers = &view->no_validity;
  out->n_children = static_cast<int64_t>(view->pointers.size());
  out->children = view->pointers.data();
  out->release = ReleaseBatch;
  out->private_data = view.release();
  return 0;
}

const char* GetLastError(ArrowArrayStream*) { return nullptr; }

void ReleaseStream(ArrowArrayStream* stream) {
  if (stream->release == nullptr) return;
  stream->release = nullptr;
  delete static_cast<Stream*>(stream->private_data);
}

duckdb::unique_ptr<duckdb::ArrowArrayStreamWrapper> Produce(uintptr_t address, duckdb::ArrowStreamParameters&) {
  const auto& source = *reinterpret_cast<const ArrowSource*>(address);
  auto stream = std::make_unique<Stream>();
  stream->table = source.table;
  // arrow_scan_dumb takes all columns and filters them itself.
  for (size_t i = 0; i < source.table->schema->fields().size(); ++i) stream->columns.push_back(i);
  auto wrapper = duckdb::make_uniq<duckdb::ArrowArrayStreamWrapper>();
  auto& target = wrapper->arrow_array_stream;
  target.get_schema = GetSchema;
  target.get_next = GetNext;
  target.get_last_error = GetLastError;
  target.release = ReleaseStream;
  target.private_data = stream.release();
  wrapper->number_of_rows = -1;
  return wrapper;
}

void DescribeTable(ArrowArrayStream* address, ArrowSchema& schema) {
  const auto& source = *reinterpret_cast<const ArrowSource*>(address);
  FillTableSchema(*source.table->schema, &schema);
}

}  // namespace

void FillSchemaForDuckDb(const DataType& schema, ArrowSchema* out) { FillTableSchema(schema, out); }

duckdb::vector<duckdb::Value> ArrowSource::Arguments() const {
  duckdb::vector<duckdb::Value> arguments;
  arguments.push_back(duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(this)));
  arguments.push_back(duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(&Produce)));
  arguments.push_back(duckdb::Value::POINTER(reinterpret_cast<uintptr_t>(&DescribeTable)));
  return arguments;
}

}  // namespace frazil::engine
