#include "frazil/server/result_printer.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "frazil/base/byte_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/engine/variant_text.h"
#include "frazil/server/arrow_cells.h"

namespace frazil::server {
namespace {

constexpr size_t kMeasuredRows = 1000;

using Row = std::vector<std::string>;

// Bytes as Spark writes them: base64 in JSON, "[0A FF]" where a person reads (show() and CSV).
std::string BytesText(const std::string& bytes, OutputFormat format) {
  if (format == OutputFormat::kJson) return Base64Encode(bytes);
  std::string text = "[";
  for (const char byte : bytes) {
    if (text.size() > 1) text += ' ';
    text += HexUpper({&byte, 1});
  }
  return text + ']';
}

bool HoldsBytes(const DataType& type) {
  switch (type.id()) {
    case TypeId::kVariant:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return true;
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [](const StructField& field) { return HoldsBytes(*field.type); });
    default:
      return false;
  }
}

// The value with text in the place of its bytes and variants, however deep they lie.
Result<Value> WithBytesAsText(const DataType& type, Value value, OutputFormat format, const std::string& time_zone) {
  if (value.is_null() || !HoldsBytes(type)) return value;
  if (type.id() == TypeId::kVariant) {
    const auto& parts = value.list();
    FRAZIL_ASSIGN_OR_RETURN(
        auto text, engine::VariantText(parts[0].string(), parts[1].string(), time_zone, format != OutputFormat::kJson));
    return Value(std::move(text));
  }
  if (!type.IsComplex()) return Value(BytesText(value.string(), format));
  Value::List members = value.list();
  const size_t kinds = type.fields().size();
  for (size_t i = 0; i < members.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(members[i],
                            WithBytesAsText(*type.fields()[i % kinds].type, std::move(members[i]), format, time_zone));
  }
  return Value(std::move(members));
}

std::string CellText(const DataType& type, const Value& value, const std::string& time_zone) {
  return value.is_null() ? "NULL" : ValueToString(type, value, time_zone);
}

// A table whose widths come from the rows that were held back.
class TablePrinter {
 public:
  TablePrinter(const DataType& schema, std::ostream& out) : out_(out) {
    for (const auto& field : schema.fields()) {
      header_.push_back(field.name);
      widths_.push_back(std::max<size_t>(Utf8Length(field.name), 1));
    }
  }

  void Add(Row row) {
    if (begun_) return PrintRow(row);
    held_.push_back(std::move(row));
    if (held_.size() >= kMeasuredRows) Begin();
  }

  void End() {
    if (!begun_) Begin();
    PrintLine();
  }

 private:
  void Begin() {
    begun_ = true;
    for (const auto& row : held_) {
      for (size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], Utf8Length(row[i]));
    }
    PrintLine();
    PrintRow(header_);
    PrintLine();
    for (const auto& row : held_) PrintRow(row);
    held_.clear();
  }

  void PrintLine() {
    for (const size_t width : widths_) out_ << '+' << std::string(width, '-');
    out_ << "+\n";
  }

  void PrintRow(const Row& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      const size_t length = Utf8Length(row[i]);
      out_ << '|' << row[i] << std::string(widths_[i] - std::min(widths_[i], length), ' ');
    }
    out_ << "|\n";
  }

  std::ostream& out_;
  Row header_;
  std::vector<size_t> widths_;
  std::vector<Row> held_;
  bool begun_ = false;
};

void PrintCsvCell(const std::string& text, std::ostream& out) {
  // An empty text is "" and null is nothing, as Spark's writer has them.
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) {
    out << text;
  } else {
    out << '"' << ReplaceAll(text, "\"", "\"\"") << '"';
  }
}

std::string JsonText(const DataType& type, const Value& value, const std::string& time_zone);

std::string JsonObject(const DataType& type, const Value::List& values, const std::string& time_zone) {
  std::string text = "{";
  for (size_t i = 0; i < type.fields().size(); ++i) {
    if (i > 0) text += ',';
    AppendJsonString(type.fields()[i].name, &text);
    text += ':';
    text += JsonText(*type.fields()[i].type, values[i], time_zone);
  }
  return text + '}';
}

std::string JsonText(const DataType& type, const Value& value, const std::string& time_zone) {
  if (value.is_null()) return "null";
  switch (type.id()) {
    case TypeId::kBoolean:
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kDecimal:
    case TypeId::kVariant:  // JSON already.
      return ValueToString(type, value, time_zone);
    case TypeId::kFloat:
      if (!std::isfinite(value.float32())) return JsonString(ValueToString(type, value, time_zone));
      return ValueToString(type, value, time_zone);
    case TypeId::kDouble:
      if (!std::isfinite(value.float64())) return JsonString(ValueToString(type, value, time_zone));
      return ValueToString(type, value, time_zone);
    case TypeId::kArray: {
      std::string text = "[";
      for (size_t i = 0; i < value.list().size(); ++i) {
        if (i > 0) text += ',';
        text += JsonText(*type.element_type(), value.list()[i], time_zone);
      }
      return text + ']';
    }
    case TypeId::kMap: {
      std::string text = "{";
      for (size_t i = 0; i + 1 < value.list().size(); i += 2) {
        if (i > 0) text += ',';
        AppendJsonString(ValueToString(*type.key_type(), value.list()[i], time_zone), &text);
        text += ':';
        text += JsonText(*type.value_type(), value.list()[i + 1], time_zone);
      }
      return text + '}';
    }
    case TypeId::kStruct:
      return JsonObject(type, value.list(), time_zone);
    default:
      return JsonString(ValueToString(type, value, time_zone));
  }
}

}  // namespace

std::optional<OutputFormat> OutputFormatByName(std::string_view name) {
  if (EqualsIgnoreCase(name, "table")) return OutputFormat::kTable;
  if (EqualsIgnoreCase(name, "csv")) return OutputFormat::kCsv;
  if (EqualsIgnoreCase(name, "json")) return OutputFormat::kJson;
  return std::nullopt;
}

Result<int64_t> PrintResult(engine::ResultStream& stream, OutputFormat format, const std::string& time_zone,
                            std::ostream& out) {
  const DataType& schema = *stream.schema();
  const auto& fields = schema.fields();
  TablePrinter table(schema, out);
  if (format == OutputFormat::kCsv && !fields.empty()) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) out << ',';
      PrintCsvCell(fields[i].name, out);
    }
    out << '\n';
  }
  int64_t rows = 0;
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(const auto batch, stream.Next());
    if (batch == nullptr) break;
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      Value::List values;
      for (size_t i = 0; i < fields.size(); ++i) {
        Value value = ReadCell(*fields[i].type, *batch->array().children[i], row + batch->array().offset);
        FRAZIL_ASSIGN_OR_RETURN(value, WithBytesAsText(*fields[i].type, std::move(value), format, time_zone));
        values.push_back(std::move(value));
      }
      switch (format) {
        case OutputFormat::kTable: {
          Row cells;
          for (size_t i = 0; i < fields.size(); ++i) cells.push_back(CellText(*fields[i].type, values[i], time_zone));
          table.Add(std::move(cells));
          break;
        }
        case OutputFormat::kCsv:
          for (size_t i = 0; i < fields.size(); ++i) {
            if (i > 0) out << ',';
            if (!values[i].is_null()) PrintCsvCell(ValueToString(*fields[i].type, values[i], time_zone), out);
          }
          out << '\n';
          break;
        case OutputFormat::kJson:
          out << JsonObject(schema, values, time_zone) << '\n';
          break;
      }
    }
    rows += batch->num_rows();
  }
  if (format == OutputFormat::kTable && !fields.empty()) table.End();
  out.flush();
  return rows;
}

}  // namespace frazil::server
