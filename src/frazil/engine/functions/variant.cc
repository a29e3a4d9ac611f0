// VARIANT: from JSON and back, parts by path, schema.

#include <cmath>
#include <cstdlib>
#include <functional>

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/parser/expression/function_expression.hpp>
#include <duckdb/parser/expression/operator_expression.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>

#include "frazil/base/byte_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/functions/json_value.h"
#include "frazil/engine/functions/kernel_arguments.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/spark_functions.h"
#include "frazil/engine/functions/text_record.h"
#include "frazil/engine/functions/variant_cast.h"
#include "frazil/engine/functions/variant_schema.h"
#include "frazil/engine/functions/variant_value.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/engine/variant_text.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"
#include "frazil/types/float_text.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

LogicalType VariantType() { return MappedType(*DataType::Variant()); }

void WriteVariant(duckdb::Vector& result, idx_t row, const Variant& variant) {
  const EncodedVariant encoded = EncodeVariant(variant);
  auto& members = duckdb::StructVector::GetEntries(result);
  duckdb::FlatVector::Validity(result).SetValid(row);
  row_kernel::Write(*members[0], row, encoded.value);
  row_kernel::Write(*members[1], row, encoded.metadata);
}

// --- JSON
// ---------------------------------------------------------------------------------------------------------------------------------------------------------

Variant OfJson(const Json& json) {
  Variant result;
  switch (json.kind) {
    case Json::Kind::kNull:
      break;
    case Json::Kind::kBoolean:
      result.kind = Variant::Kind::kBoolean;
      result.boolean = json.boolean;
      break;
    case Json::Kind::kString:
      result.kind = Variant::Kind::kString;
      result.text = json.text;
      break;
    case Json::Kind::kInteger:
    case Json::Kind::kFraction: {
      errno = 0;
      if (json.kind == Json::Kind::kInteger) {
        const long long value = std::strtoll(json.text.c_str(), nullptr, 10);
        if (errno == 0) {
          result.kind = Variant::Kind::kInteger;
          result.integer = value;
          break;
        }
      }
      // Plain digits are decimals as far as they fit.
      if (json.text.find_first_not_of("-0123456789.") == std::string::npos) {
        const auto parsed = ParseDecimal(json.text);
        if (parsed.has_value() && parsed->shape.precision <= 38 && parsed->shape.scale <= 38) {
          result.kind = Variant::Kind::kDecimal;
          result.unscaled = parsed->unscaled;
          result.scale = parsed->shape.scale;
          break;
        }
      }
      result.kind = Variant::Kind::kDouble;
      result.number = std::strtod(json.text.c_str(), nullptr);
      break;
    }
    case Json::Kind::kArray:
      result.kind = Variant::Kind::kArray;
      for (const auto& item : json.items) result.items.push_back(OfJson(item));
      break;
    case Json::Kind::kObject:
      result.kind = Variant::Kind::kObject;
      for (const auto& [name, value] : json.members) {
        if (result.Find(name) != nullptr) ThrowSparkError("VARIANT_DUPLICATE_KEY", {{"key", name}});
        result.members.emplace_back(name, OfJson(value));
      }
      break;
  }
  return result;
}

std::string ScalarText(const Variant& variant, const TimeZone& zone) {
  switch (variant.kind) {
    case Variant::Kind::kNull:
      return "null";
    case Variant::Kind::kBoolean:
      return variant.boolean ? "true" : "false";
    case Variant::Kind::kInteger:
      return std::to_string(variant.integer);
    case Variant::Kind::kDouble:
      return DoubleToString(variant.number);
    case Variant::Kind::kFloat:
      return FloatToString(static_cast<float>(variant.number));
    case Variant::Kind::kDecimal: {
      std::string text = DecimalToString(variant.unscaled, variant.scale);
      // Zeros at the end of the fraction are not kept.
      if (variant.scale > 0) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
      }
      return text;
    }
    case Variant::Kind::kDate:
      return FormatDate(variant.integer);
    case Variant::Kind::kTimestamp:
      return FormatTimestamp(variant.integer, zone);
    case Variant::Kind::kTimestampNtz:
      return FormatTimestampNtz(variant.integer);
    case Variant::Kind::kBinary:
    case Variant::Kind::kString:
      return variant.text;
    case Variant::Kind::kObject:
    case Variant::Kind::kArray:
      break;
  }
  return {};
}

void AppendJson(const Variant& variant, const TimeZone& zone, std::string* out) {
  switch (variant.kind) {
    case Variant::Kind::kObject: {
      *out += '{';
      for (size_t i = 0; i < variant.members.size(); ++i) {
        if (i > 0) *out += ',';
        AppendJsonText(variant.members[i].first, out);
        *out += ':';
        AppendJson(variant.members[i].second, zone, out);
      }
      *out += '}';
      return;
    }
    case Variant::Kind::kArray:
      *out += '[';
      for (size_t i = 0; i < variant.items.size(); ++i) {
        if (i > 0) *out += ',';
        AppendJson(variant.items[i], zone, out);
      }
      *out += ']';
      return;
    case Variant::Kind::kNull:
    case Variant::Kind::kBoolean:
    case Variant::Kind::kInteger:
    case Variant::Kind::kDecimal:
      *out += ScalarText(variant, zone);
      return;
    case Variant::Kind::kBinary:
      AppendJsonText(Base64Encode(variant.text), out);
      return;
    case Variant::Kind::kTimestamp: {
      // With the offset of the zone at that time.
      const int64_t minutes = (zone.ToLocalMicros(variant.integer) - variant.integer) / (60 * kMicrosPerSecond);
      const int64_t magnitude = std::abs(minutes);
      char offset[16];
      std::snprintf(offset, sizeof(offset), "%c%02d:%02d", minutes < 0 ? '-' : '+', static_cast<int>(magnitude / 60),
                    static_cast<int>(magnitude % 60));
      AppendJsonText(ScalarText(variant, zone) + offset, out);
      return;
    }
    case Variant::Kind::kDouble:
    case Variant::Kind::kFloat: {
      const std::string text = ScalarText(variant, zone);
      if (std::isfinite(variant.number)) {
        *out += text;
      } else {
        AppendJsonText(text, out);
      }
      return;
    }
    default:
      AppendJsonText(ScalarText(variant, zone), out);
      return;
  }
}

// --- paths
// ----------------------------------------------------------------------------------------------------------------------------------------------------

struct Step {
  std::string name;
  size_t index = 0;
  bool is_index = false;
};

std::vector<Step> ParsePath(std::string_view path, const char* function) {
  std::vector<Step> steps;
  const auto fail = [&]() {
    ThrowSparkError("INVALID_VARIANT_GET_PATH",
                    {{"path", std::string(path)}, {"functionName", std::string("`") + function + "`"}});
  };
  if (path.empty() || path[0] != '$') fail();
  for (size_t i = 1; i < path.size();) {
    Step step;
    if (path[i] == '.') {
      const size_t end = std::min(path.find_first_of(".[", i + 1), path.size());
      step.name = path.substr(i + 1, end - i - 1);
      if (step.name.empty()) fail();
      i = end;
    } else if (path[i] == '[' && i + 1 < path.size() && (path[i + 1] == '\'' || path[i + 1] == '"')) {
      const std::string close = std::string(1, path[i + 1]) + "]";
      const size_t end = path.find(close, i + 2);
      if (end == std::string_view::npos) fail();
      step.name = path.substr(i + 2, end - i - 2);
      i = end + 2;
    } else if (path[i] == '[') {
      const size_t end = path.find(']', i);
      if (end == std::string_view::npos || end == i + 1) fail();
      step.is_index = true;
      for (char c : path.substr(i + 1, end - i - 1)) {
        if (c < '0' || c > '9') fail();
        step.index = step.index * 10 + static_cast<size_t>(c - '0');
      }
      i = end + 1;
    } else {
      fail();
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

const Variant* Follow(const Variant& variant, const std::vector<Step>& steps) {
  const Variant* current = &variant;
  for (const auto& step : steps) {
    if (step.is_index) {
      if (current->kind != Variant::Kind::kArray || step.index >= current->items.size()) return nullptr;
      current = &current->items[step.index];
    } else {
      if (current->kind != Variant::Kind::kObject) return nullptr;
      current = current->Find(step.name);
      if (current == nullptr) return nullptr;
    }
  }
  return current;
}

// --- casts
// ----------------------------------------------------------------------------------------------------------------------------------------------------

// False where the value cannot be cast; nothing is written then.
bool WriteCast(const DataType& type, const Variant& variant, const RecordOptions& options, duckdb::Vector& vector,
               idx_t row) {
  if (variant.kind == Variant::Kind::kNull) {
    WriteNull(vector, row);
    return true;
  }
  switch (type.id()) {
    case TypeId::kVariant:
      WriteVariant(vector, row, variant);
      return true;
    case TypeId::kString: {
      std::string text;
      if (variant.kind == Variant::Kind::kObject || variant.kind == Variant::Kind::kArray) {
        AppendJson(variant, *options.zone, &text);
      } else {
        text = ScalarText(variant, *options.zone);
      }
      return WriteText(type, text, options, vector, row);
    }
    case TypeId::kArray: {
      if (variant.kind != Variant::Kind::kArray) return false;
      const idx_t begin = duckdb::ListVector::GetListSize(vector), size = variant.items.size();
      duckdb::ListVector::Reserve(vector, begin + size);
      duckdb::ListVector::SetListSize(vector, begin + size);
      duckdb::FlatVector::GetData<duckdb::list_entry_t>(vector)[row] = {begin, size};
      for (idx_t i = 0; i < size; ++i) {
        if (!WriteCast(*type.element_type(), variant.items[i], options, duckdb::ListVector::GetEntry(vector),
                       begin + i))
          return false;
      }
      return true;
    }
    case TypeId::kMap: {
      if (variant.kind != Variant::Kind::kObject || !type.key_type()->IsString()) return false;
      const idx_t begin = duckdb::ListVector::GetListSize(vector), size = variant.members.size();
      duckdb::ListVector::Reserve(vector, begin + size);
      duckdb::ListVector::SetListSize(vector, begin + size);
      duckdb::FlatVector::GetData<duckdb::list_entry_t>(vector)[row] = {begin, size};
      for (idx_t i = 0; i < size; ++i) {
        row_kernel::Write(duckdb::MapVector::GetKeys(vector), begin + i, variant.members[i].first);
        if (!WriteCast(*type.value_type(), variant.members[i].second, options, duckdb::MapVector::GetValues(vector),
                       begin + i))
          return false;
      }
      return true;
    }
    case TypeId::kStruct: {
      if (variant.kind != Variant::Kind::kObject) return false;
      duckdb::FlatVector::Validity(vector).SetValid(row);
      auto& members = duckdb::StructVector::GetEntries(vector);
      for (size_t i = 0; i < type.fields().size(); ++i) {
        const Variant* member = variant.Find(type.fields()[i].name);
        if (member == nullptr) {
          WriteNull(*members[i], row);
        } else if (!WriteCast(*type.fields()[i].type, *member, options, *members[i], row)) {
          return false;
        }
      }
      return true;
    }
    default:
      break;
  }
  if (variant.kind == Variant::Kind::kObject || variant.kind == Variant::Kind::kArray) return false;
  const auto put = [&](int64_t value) {
    duckdb::FlatVector::GetData<int64_t>(vector)[row] = value;
    duckdb::FlatVector::SetNull(vector, row, false);
    return true;
  };
  if (type.id() == TypeId::kBinary && variant.kind != Variant::Kind::kBinary && variant.kind != Variant::Kind::kString)
    return false;
  // Numbers are seconds.
  if (type.id() == TypeId::kTimestamp && variant.kind == Variant::Kind::kInteger) {
    int64_t micros = 0;
    if (__builtin_mul_overflow(variant.integer, kMicrosPerSecond, &micros))
      micros = variant.integer < 0 ? INT64_MIN : INT64_MAX;
    return put(micros);
  }
  if (type.id() == TypeId::kTimestamp && variant.kind == Variant::Kind::kDecimal) {
    const auto micros = Rescale(variant.unscaled, variant.scale, 6, DecimalRounding::kDown);
    return micros.has_value() && *micros <= INT64_MAX && *micros >= INT64_MIN && put(static_cast<int64_t>(*micros));
  }
  if (type.id() == TypeId::kTimestamp &&
      (variant.kind == Variant::Kind::kDouble || variant.kind == Variant::Kind::kFloat)) {
    const double micros = variant.number * 1e6;
    return std::isfinite(micros) && std::fabs(micros) < 9.2e18 && put(static_cast<int64_t>(micros));
  }
  std::string text = ScalarText(variant, *options.zone);
  const bool is_number = variant.kind == Variant::Kind::kInteger || variant.kind == Variant::Kind::kDecimal ||
                         variant.kind == Variant::Kind::kDouble || variant.kind == Variant::Kind::kFloat;
  if (type.IsIntegral()) {
    if (variant.kind == Variant::Kind::kBoolean) text = variant.boolean ? "1" : "0";
    // Fractions are cut off.
    if (is_number && variant.kind != Variant::Kind::kInteger) {
      if (variant.kind == Variant::Kind::kDecimal) {
        text = text.substr(0, text.find('.'));
        if (text.empty() || text == "-") text = "0";
      } else if (std::fabs(variant.number) < 9.2e18) {
        text = std::to_string(static_cast<int64_t>(variant.number));
      }
    }
  }
  if (type.id() == TypeId::kBoolean && is_number)
    text = variant.integer != 0 || variant.unscaled != 0 || variant.number != 0 ? "true" : "false";
  if (type.IsFractional() && variant.kind == Variant::Kind::kBoolean) text = variant.boolean ? "1" : "0";
  // A cast leaves blanks aside and takes no commas: it is not a reader of files.
  if (type.IsString()) return WriteText(type, text, options, vector, row);
  if (type.id() == TypeId::kDecimal && text.find(',') != std::string::npos) return false;
  return WriteText(type, TrimControls(text), options, vector, row);
}

// --- kernels
// --------------------------------------------------------------------------------------------------------------------------------------------------

Variant Decoded(std::string_view value, std::string_view metadata) {
  auto variant = DecodeVariant(value, metadata);
  if (!variant.has_value()) ThrowSparkError("MALFORMED_VARIANT");
  return *std::move(variant);
}

void ParseJson(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  row_kernel::Reader<std::string_view> texts;
  row_kernel::Reader<bool> strict;
  texts.Prepare(chunk.data[0], count);
  strict.Prepare(chunk.data[1], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  JsonOptions options;
  options.single_quotes = false;
  options.non_numeric_numbers = false;
  for (idx_t row = 0; row < count; ++row) {
    if (!texts.IsValid(row)) {
      WriteNull(result, row);
      continue;
    }
    const auto json = ReadJson(texts.Get(row), options, true);
    if (!json.has_value()) {
      if (strict.Get(row))
        ThrowSparkError("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                        {{"badRecord", std::string(texts.Get(row))}, {"failFastMode", "FAILFAST"}});
      WriteNull(result, row);
      continue;
    }
    WriteVariant(result, row, OfJson(*json));
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// spark_variant_get(value, metadata, path, type as JSON, strict, zone).
struct GetData : duckdb::FunctionData {
  DataTypePtr type;
  std::optional<std::string> path;  ///< Where it is constant; else each row has its own.
  std::vector<Step> steps;          ///< Those of `path`.
  bool strict = false;
  RecordOptions options;
  const char* function() const { return strict ? "variant_get" : "try_variant_get"; }
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<GetData>(*this); }
  bool Equals(const duckdb::FunctionData& other_data) const override {
    const auto& other = other_data.Cast<GetData>();
    return path == other.path && strict == other.strict && type->Equals(*other.type) &&
           options.zone == other.options.zone;
  }
};

duckdb::unique_ptr<duckdb::FunctionData> BindGet(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                 duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto constants = ConstantArguments(context, function, arguments, 3);
  auto data = duckdb::make_uniq<GetData>();
  data->type = ValueOrThrow(DataType::FromJson(constants[0].ToString()));
  data->strict = constants[1].GetValue<bool>();
  data->options = RecordOptions::Of({}, constants[2].ToString());
  if (arguments[2]->IsFoldable()) {
    data->path = duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[2]).ToString();
    data->steps = ParsePath(*data->path, data->function());
  }
  function.SetReturnType(MappedType(*data->type));
  return data;
}

void Get(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<GetData>();
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  row_kernel::Reader<std::string_view> values, metadata, paths;
  values.Prepare(chunk.data[0], count);
  metadata.Prepare(chunk.data[1], count);
  paths.Prepare(chunk.data[2], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < count; ++row) {
    if (!values.IsValid(row) || !metadata.IsValid(row) || !paths.IsValid(row)) {
      WriteNull(result, row);
      continue;
    }
    const Variant variant = Decoded(values.Get(row), metadata.Get(row));
    const Variant* part =
        Follow(variant, data.path.has_value() ? data.steps : ParsePath(paths.Get(row), data.function()));
    if (part == nullptr) {
      WriteNull(result, row);
    } else if (data.type->id() == TypeId::kVariant) {
      WriteVariant(result, row, *part);
    } else if (!WriteCast(*data.type, *part, data.options, result, row)) {
      if (data.strict) {
        std::string text;
        AppendJson(*part, *data.options.zone, &text);
        ThrowSparkError("INVALID_VARIANT_CAST", {{"value", text}, {"dataType", "\"" + data.type->Sql() + "\""}});
      }
      WriteNull(result, row);
    }
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// to_variant_object(value): by way of JSON, which keeps numbers, texts and structure.
Variant OfReader(const DataType& type, const VectorReader& reader, idx_t row, const RecordOptions& options) {
  const auto at = reader.unified.sel->get_index(row);
  Variant result;
  if (!reader.unified.validity.RowIsValid(at)) return result;
  switch (type.id()) {
    case TypeId::kStruct:
      result.kind = Variant::Kind::kObject;
      for (size_t i = 0; i < type.fields().size(); ++i)
        result.members.emplace_back(type.fields()[i].name,
                                    OfReader(*type.fields()[i].type, reader.children[i], at, options));
      return result;
    case TypeId::kArray: {
      result.kind = Variant::Kind::kArray;
      const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(reader.unified.data)[at];
      for (idx_t i = 0; i < entry.length; ++i)
        result.items.push_back(OfReader(*type.element_type(), reader.children[0], entry.offset + i, options));
      return result;
    }
    case TypeId::kMap: {
      result.kind = Variant::Kind::kObject;
      const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(reader.unified.data)[at];
      const VectorReader& pairs = reader.children[0];
      for (idx_t i = 0; i < entry.length; ++i) {
        const auto pair = pairs.unified.sel->get_index(entry.offset + i);
        result.members.emplace_back(SimpleText(*type.key_type(), pairs.children[0], pair, options).value_or(""),
                                    OfReader(*type.value_type(), pairs.children[1], pair, options));
      }
      return result;
    }
    default:
      break;
  }
  const auto value = [&](auto example) { return reinterpret_cast<const decltype(example)*>(reader.unified.data)[at]; };
  switch (type.id()) {
    case TypeId::kBoolean:
      result.kind = Variant::Kind::kBoolean;
      result.boolean = value(bool{});
      return result;
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
      result.kind = Variant::Kind::kInteger;
      result.integer = std::strtoll(SimpleText(type, reader, row, options)->c_str(), nullptr, 10);
      return result;
    case TypeId::kFloat:
      result.kind = Variant::Kind::kFloat;
      result.number = value(float{});
      return result;
    case TypeId::kDouble:
      result.kind = Variant::Kind::kDouble;
      result.number = value(double{});
      return result;
    case TypeId::kDecimal:
      result.kind = Variant::Kind::kDecimal;
      result.scale = type.scale();
      WithDecimalStorage(reader.logical_type, [&](auto example) { result.unscaled = WideOf(value(example)); });
      return result;
    case TypeId::kDate:
      result.kind = Variant::Kind::kDate;
      result.integer = value(int32_t{});
      return result;
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
      result.kind = type.id() == TypeId::kTimestamp ? Variant::Kind::kTimestamp : Variant::Kind::kTimestampNtz;
      result.integer = value(int64_t{});
      return result;
    case TypeId::kString:
    case TypeId::kBinary: {
      const auto text = value(duckdb::string_t{});
      result.kind = type.id() == TypeId::kString ? Variant::Kind::kString : Variant::Kind::kBinary;
      result.text.assign(text.GetData(), text.GetSize());
      return result;
    }
    default:
      ThrowSparkError(Error::Unsupported("VARIANT of " + type.SimpleString()));
  }
}

struct ObjectData : duckdb::FunctionData {
  DataTypePtr type;
  RecordOptions options;
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<ObjectData>(*this); }
  bool Equals(const duckdb::FunctionData& other) const override { return other.Cast<ObjectData>().type->Equals(*type); }
};

duckdb::unique_ptr<duckdb::FunctionData> BindObject(duckdb::ClientContext& context, duckdb::ScalarFunction& function,
                                                    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  auto constants = ConstantArguments(context, function, arguments, 2);
  auto data = duckdb::make_uniq<ObjectData>();
  data->type = ValueOrThrow(DataType::FromJson(constants[0].ToString()));
  data->options = RecordOptions::Of({}, constants[1].ToString());
  function.arguments[0] = arguments[0]->return_type;
  return data;
}

void ToObject(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<ObjectData>();
  ForEachRecord(
      chunk, result,
      [&](const VectorReader& reader, idx_t row) {
        WriteVariant(result, row, OfReader(*data.type, reader, row, data.options));
      },
      [&](idx_t row) { WriteNull(result, row); });
}

// spark_merge_variant_schemas(VARCHAR[]): the text of the schema that holds all of these, which are in JSON.
void MergeSchemas(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const idx_t count = chunk.size();
  duckdb::UnifiedVectorFormat lists, children;
  chunk.data[0].ToUnifiedFormat(count, lists);
  duckdb::ListVector::GetEntry(chunk.data[0]).ToUnifiedFormat(duckdb::ListVector::GetListSize(chunk.data[0]), children);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < count; ++row) {
    const auto index = lists.sel->get_index(row);
    DataTypePtr merged = DataType::Null();
    if (lists.validity.RowIsValid(index)) {
      const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(lists.data)[index];
      for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
        const auto& text = reinterpret_cast<const duckdb::string_t*>(children.data)[children.sel->get_index(i)];
        merged = MergeVariantSchemas(merged, ValueOrThrow(DataType::FromJson(text.GetString())));
      }
    }
    row_kernel::Write(result, row, VariantSchemaText(*merged));
  }
  if (chunk.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// spark_variant_explode(value, metadata) -> STRUCT(pos, key, VARIANT)[]: the elements of an array or object; of any
// other variant none.
void Explode(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const idx_t count = chunk.size();
  row_kernel::Reader<std::string_view> values, metadata;
  values.Prepare(chunk.data[0], count);
  metadata.Prepare(chunk.data[1], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < count; ++row) {
    const idx_t offset = duckdb::ListVector::GetListSize(result);
    idx_t length = 0;
    if (values.IsValid(row) && metadata.IsValid(row)) {
      const Variant variant = Decoded(values.Get(row), metadata.Get(row));
      const bool is_object = variant.kind == Variant::Kind::kObject;
      length = is_object ? variant.members.size() : variant.items.size();
      duckdb::ListVector::Reserve(result, offset + length);
      auto& fields = duckdb::StructVector::GetEntries(duckdb::ListVector::GetEntry(result));
      for (idx_t i = 0; i < length; ++i) {
        row_kernel::Write(*fields[0], offset + i, static_cast<int32_t>(i));
        if (is_object) {
          row_kernel::Write(*fields[1], offset + i, variant.members[i].first);
        } else {
          duckdb::FlatVector::SetNull(*fields[1], offset + i, true);
        }
        WriteVariant(*fields[2], offset + i, is_object ? variant.members[i].second : variant.items[i]);
      }
    }
    duckdb::ListVector::SetListSize(result, offset + length);
    duckdb::FlatVector::GetData<duckdb::list_entry_t>(result)[row] = {offset, length};
  }
  if (chunk.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

void AddKernels(duckdb::ExtensionLoader& loader) {
  const auto V = LogicalType::VARCHAR, B = LogicalType::BLOB, Boolean = LogicalType::BOOLEAN;
  const auto add = [&](duckdb::ScalarFunction function) {
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    function.SetFallible();
    loader.RegisterFunction(function);
  };
  add(duckdb::ScalarFunction("spark_parse_json", {V, Boolean}, VariantType(), ParseJson));
  duckdb::child_list_t<LogicalType> element = {
      {"f0", LogicalType::INTEGER}, {"f1", LogicalType::VARCHAR}, {"f2", VariantType()}};
  add(duckdb::ScalarFunction("spark_variant_explode", {B, B},
                             LogicalType::LIST(LogicalType::STRUCT(std::move(element))), Explode));
  add(duckdb::ScalarFunction("spark_variant_get", {B, B, V, V, Boolean, V}, LogicalType::ANY, Get, BindGet));
  add(duckdb::ScalarFunction("spark_to_variant_object", {LogicalType::ANY, V, V}, VariantType(), ToObject, BindObject));
  AddRowKernel(loader, "spark_is_variant_null", {B, B}, Boolean,
               [](std::optional<std::string_view> value, std::optional<std::string_view>) -> bool {
                 return value.has_value() && !value->empty() && (*value)[0] == '\0';
               });
  AddRowKernel(
      loader, "spark_schema_of_variant", {B, B}, V,
      [](std::string_view value, std::string_view metadata) -> std::string {
        return VariantSchemaText(*VariantSchema(Decoded(value, metadata)));
      },
      kFallible);
  AddRowKernel(
      loader, "spark_variant_schema", {B, B}, V,
      [](std::string_view value, std::string_view metadata) -> std::string {
        return VariantSchema(Decoded(value, metadata))->Json();
      },
      kFallible);
  duckdb::ScalarFunction merge("spark_merge_variant_schemas", {LogicalType::LIST(V)}, V, MergeSchemas);
  add(merge);
  AddRowKernel(
      loader, "spark_variant_to_json", {B, B, V}, V,
      [](std::string_view value, std::string_view metadata, std::string_view zone) -> std::string {
        std::string text;
        AppendJson(Decoded(value, metadata), *ValueOrThrow(TimeZone::Find(zone)), &text);
        return text;
      },
      kFallible);
}

// The two members of the variant, and what `rest` adds.
Result<LoweredExpression> CallOnVariant(const std::string& kernel, LoweredExpression variant, LoweredArguments rest) {
  LoweredArguments arguments;
  auto copy = variant->Copy();
  arguments.push_back(CallOf("struct_extract_at", std::move(variant), ConstantOf(duckdb::Value::BIGINT(1))));
  arguments.push_back(CallOf("struct_extract_at", std::move(copy), ConstantOf(duckdb::Value::BIGINT(2))));
  for (auto& argument : rest) arguments.push_back(std::move(argument));
  return CallOf(kernel, std::move(arguments));
}

Implementation OnVariant(std::string kernel, bool with_zone) {
  return Build([kernel, with_zone](LoweringContext& context, const CallExpression&,
                                   LoweredArguments arguments) -> Result<LoweredExpression> {
    LoweredArguments rest;
    if (with_zone) rest.push_back(ConstantOf(duckdb::Value(context.settings().time_zone)));
    return CallOnVariant(kernel, std::move(arguments[0]), std::move(rest));
  });
}

Result<LoweredExpression> LowerGet(LoweringContext& context, const CallExpression& call, LoweredArguments arguments) {
  LoweredArguments rest;
  rest.push_back(std::move(arguments[1]));
  rest.push_back(ConstantOf(duckdb::Value(call.type->Json())));
  rest.push_back(ConstantOf(duckdb::Value::BOOLEAN(call.mode != EvalMode::kTry)));
  rest.push_back(ConstantOf(duckdb::Value(context.settings().time_zone)));
  return CallOnVariant("spark_variant_get", std::move(arguments[0]), std::move(rest));
}

}  // namespace

Result<std::string> VariantText(std::string_view value, std::string_view metadata, const std::string& time_zone,
                                bool plain) {
  const auto variant = DecodeVariant(value, metadata);
  if (!variant.has_value()) return Error::Of("MALFORMED_VARIANT");
  FRAZIL_ASSIGN_OR_RETURN(const auto zone, TimeZone::Find(time_zone));
  if (plain && variant->kind != Variant::Kind::kObject && variant->kind != Variant::Kind::kArray) {
    return variant->kind == Variant::Kind::kNull ? "null" : ScalarText(*variant, *zone);
  }
  std::string text;
  AppendJson(*variant, *zone, &text);
  return text;
}

Result<LoweredExpression> LowerVariantCast(LoweredExpression child, const DataType& from, const DataType& to,
                                           EvalMode mode, const functions::ExpressionSettings& settings) {
  if (to.id() == TypeId::kVariant) {
    return CallOf("spark_to_variant_object", std::move(child), ConstantOf(duckdb::Value(from.Json())),
                  ConstantOf(duckdb::Value(settings.time_zone)));
  }
  LoweredArguments rest;
  rest.push_back(ConstantOf(duckdb::Value("$")));
  rest.push_back(ConstantOf(duckdb::Value(to.Json())));
  rest.push_back(ConstantOf(duckdb::Value::BOOLEAN(mode != EvalMode::kTry)));
  rest.push_back(ConstantOf(duckdb::Value(settings.time_zone)));
  return CallOnVariant("spark_variant_get", std::move(child), std::move(rest));
}

void RegisterVariantFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddKernels);
  registry.AddScalar("parse_json",
                     ByMode(Template("spark_parse_json($1, true)"), Template("spark_parse_json($1, true)"),
                            Template("spark_parse_json($1, false)")));
  registry.AddScalar("is_variant_null", OnVariant("spark_is_variant_null", false));
  registry.AddScalar("variant_explode", OnVariant("spark_variant_explode", false));
  registry.AddScalar("schema_of_variant", OnVariant("spark_schema_of_variant", false));
  registry.AddAggregate(
      "schema_of_variant_agg", BuildAggregate([](LoweringContext&, const AggregateExpression&,
                                                 LoweredArguments arguments) -> Result<LoweredExpression> {
        FRAZIL_ASSIGN_OR_RETURN(auto schema, CallOnVariant("spark_variant_schema", arguments[0]->Copy(), {}));
        LoweredArguments schemas;
        schemas.push_back(std::move(schema));
        auto filter = duckdb::make_uniq<duckdb::OperatorExpression>(duckdb::ExpressionType::OPERATOR_IS_NOT_NULL,
                                                                    std::move(arguments[0]));
        LoweredExpression list =
            duckdb::make_uniq<duckdb::FunctionExpression>("list", std::move(schemas), std::move(filter), nullptr, true);
        return CallOf("spark_merge_variant_schemas", std::move(list));
      }));
  registry.AddScalar("variant_to_json", OnVariant("spark_variant_to_json", true));
  registry.AddScalar("variant_get", Build(LowerGet));
  registry.AddScalar("to_variant_object", Build([](LoweringContext& context, const CallExpression& call,
                                                   LoweredArguments arguments) -> Result<LoweredExpression> {
                       return CallOf("spark_to_variant_object", std::move(arguments[0]),
                                     ConstantOf(duckdb::Value(call.arguments[0]->type->Json())),
                                     ConstantOf(duckdb::Value(context.settings().time_zone)));
                     }));
}

}  // namespace frazil::engine
