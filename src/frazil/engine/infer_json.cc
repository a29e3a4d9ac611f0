#include <algorithm>

#include <duckdb/common/file_system.hpp>
#include <duckdb/main/connection.hpp>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/engine/functions/datetime_pattern.h"
#include "frazil/engine/functions/json_value.h"
#include "frazil/engine/functions/text_record.h"
#include "frazil/engine/functions/utf8.h"
#include "frazil/engine/infer_schema.h"
#include "frazil/types/datetime.h"
#include "frazil/types/decimal.h"

namespace frazil::engine {
namespace {

class JsonInference {
 public:
  JsonInference(const ReaderOptions& options, const functions::ExpressionSettings& settings)
      : primitives_as_string_(IsTrue(options, "primitivesasstring", false)),
        prefers_decimal_(IsTrue(options, "prefersdecimal", false)),
        infers_timestamps_(IsTrue(options, "infertimestamp", false)),
        drops_nulls_(IsTrue(options, "dropfieldifallnull", false)),
        ntz_(settings.timestamp_ntz_default),
        timestamp_format_(Get(options, "timestampformat", "")),
        timestamp_ntz_format_(Get(options, "timestampntzformat", "")) {
    auto zone = TimeZone::Find(Get(options, "timezone", settings.time_zone));
    zone_ = zone.ok() ? *zone : TimeZone::Utc();
  }

  DataTypePtr TypeOf(const Json& json) const {
    switch (json.kind) {
      case Json::Kind::kNull:
        return DataType::Null();
      case Json::Kind::kBoolean:
        return primitives_as_string_ ? DataType::String() : DataType::Boolean();
      case Json::Kind::kInteger: {
        if (primitives_as_string_) return DataType::String();
        if (ParseInteger<int64_t>(json.text)) return DataType::Long();
        const auto decimal = ParseDecimal(json.text);
        return decimal.has_value()
                   ? DataType::Decimal(std::max(decimal->shape.precision, decimal->shape.scale), decimal->shape.scale)
                   : DataType::Double();
      }
      case Json::Kind::kFraction: {
        if (primitives_as_string_) return DataType::String();
        if (prefers_decimal_) {
          if (const auto decimal = ParseDecimal(json.text); decimal.has_value()) {
            return DataType::Decimal(std::max(decimal->shape.precision, decimal->shape.scale), decimal->shape.scale);
          }
        }
        return DataType::Double();
      }
      case Json::Kind::kString:
        return TypeOfText(json.text);
      case Json::Kind::kArray: {
        DataTypePtr element = DataType::Null();
        for (const auto& item : json.items) element = Merge(element, TypeOf(item));
        return DataType::Array(element, true);
      }
      case Json::Kind::kObject: {
        std::map<std::string, DataTypePtr> fields;
        for (const auto& [name, value] : json.members) {
          auto& field = fields[name];
          if (field != nullptr) repeated_ = name;
          field = field == nullptr ? TypeOf(value) : Merge(field, TypeOf(value));
        }
        return StructOf(fields);
      }
    }
    return DataType::String();
  }

  DataTypePtr Merge(const DataTypePtr& left, const DataTypePtr& right) const {
    if (left->id() == TypeId::kNull) return right;
    if (right->id() == TypeId::kNull) return left;
    if (left->EqualsIgnoreNullability(*right)) return left;
    const auto is = [&](TypeId a, TypeId b) {
      return (left->id() == a && right->id() == b) || (left->id() == b && right->id() == a);
    };
    if (is(TypeId::kLong, TypeId::kDouble)) return DataType::Double();
    if (is(TypeId::kDecimal, TypeId::kDouble)) return DataType::Double();
    if (is(TypeId::kLong, TypeId::kDecimal) || (left->id() == TypeId::kDecimal && right->id() == TypeId::kDecimal)) {
      return DecimalOf(WiderDecimal(DecimalForType(*left), DecimalForType(*right)));
    }
    if (left->id() == TypeId::kArray && right->id() == TypeId::kArray)
      return DataType::Array(Merge(left->element_type(), right->element_type()), true);
    if (left->id() == TypeId::kStruct && right->id() == TypeId::kStruct) {
      std::map<std::string, DataTypePtr> fields;
      for (const auto& field : left->fields()) fields[field.name] = field.type;
      for (const auto& field : right->fields()) {
        auto& mine = fields[field.name];
        mine = mine == nullptr ? field.type : Merge(mine, field.type);
      }
      return StructOf(fields);
    }
    return DataType::String();
  }

  // What is only ever NULL is a string, or goes by dropFieldIfAllNull; structs without fields and arrays of what goes
  // go too, and fields without a name.
  DataTypePtr Canonical(const DataTypePtr& type) const {
    switch (type->id()) {
      case TypeId::kNull:
        return drops_nulls_ ? nullptr : DataType::String();
      case TypeId::kArray: {
        auto element = Canonical(type->element_type());
        return element == nullptr ? nullptr : DataType::Array(element, true);
      }
      case TypeId::kStruct: {
        std::vector<StructField> fields;
        for (const auto& field : type->fields()) {
          if (field.name.empty()) continue;
          auto inner = Canonical(field.type);
          if (inner != nullptr) fields.emplace_back(field.name, inner, true);
        }
        return fields.empty() ? nullptr : DataType::Struct(std::move(fields));
      }
      default:
        return type;
    }
  }

  // The name of a member that stands twice in one object seen so far.
  const std::optional<std::string>& repeated() const { return repeated_; }

 private:
  // A text without characters says as little as null does.
  DataTypePtr TypeOfText(const std::string& text) const {
    if (text.empty()) return DataType::Null();
    if (prefers_decimal_) {
      if (const auto decimal = ParseDecimal(ReplaceAll(text, ",", "")); decimal.has_value()) {
        return DataType::Decimal(std::max(decimal->shape.precision, decimal->shape.scale), decimal->shape.scale);
      }
    }
    if (!infers_timestamps_) return DataType::String();
    if (ntz_ && (timestamp_ntz_format_.empty() ? ParseTimestampNtz(text, false).has_value()
                                               : DatetimePattern::Of(timestamp_ntz_format_).Parse(text).has_value())) {
      return DataType::TimestampNtz();
    }
    const bool is_timestamp = timestamp_format_.empty()
                                  ? ParseTimestamp(text, *zone_).has_value()
                                  : DatetimePattern::Of(timestamp_format_).Parse(text).has_value();
    return is_timestamp ? DataType::Timestamp() : DataType::String();
  }

  static DataTypePtr StructOf(const std::map<std::string, DataTypePtr>& fields) {
    std::vector<StructField> result;
    for (const auto& [name, type] : fields) result.emplace_back(name, type, true);
    return DataType::Struct(std::move(result));
  }

  bool primitives_as_string_ = false, prefers_decimal_ = false, infers_timestamps_ = false, drops_nulls_ = false,
       ntz_ = false;
  std::string timestamp_format_, timestamp_ntz_format_;
  mutable std::optional<std::string> repeated_;
  std::shared_ptr<const TimeZone> zone_;
};

}  // namespace

Result<DataTypePtr> InferJsonSchema(duckdb::Connection& connection, const std::vector<std::string>& paths,
                                    const ReaderOptions& options, const functions::ExpressionSettings& settings,
                                    const CancelToken* cancel) {
  auto& file_system = duckdb::FileSystem::GetFileSystem(*connection.context);
  FRAZIL_RETURN_IF_ERROR(CheckRecordOptions(tables::FileFormat::kJson, options));
  const JsonInference inference(options, settings);
  const JsonOptions json_options = RecordOptions::Of(options, settings.time_zone).json();
  const std::string mode = AsciiUpper(Get(options, "mode", "PERMISSIVE"));
  const std::string corrupt = Get(options, "columnnameofcorruptrecord", "_corrupt_record");
  DataTypePtr schema = DataType::Struct({});
  bool has_corrupt = false;
  for (const auto& path : paths) {
    RecordReader reader(file_system, storage::LocalPath(path), tables::FileFormat::kJson, options,
                        FileTolerance(options, settings));
    std::string record;
    while (reader.Next(&record)) {
      FRAZIL_RETURN_IF_ERROR(CheckNotCancelled(cancel));
      const auto json = IsValidUtf8(record) ? ReadJson(record, json_options) : std::nullopt;
      // The members of arrays count as records; null and empty arrays say nothing.
      DataTypePtr type = json.has_value() ? inference.TypeOf(*json) : DataType::String();
      if (inference.repeated().has_value())
        return Error::Of("COLUMN_ALREADY_EXISTS", {{"columnName", QuoteIdentifier(*inference.repeated())}});
      while (type->id() == TypeId::kArray) type = type->element_type();
      if (type->id() == TypeId::kNull) continue;
      if (type->id() == TypeId::kStruct) {
        schema = inference.Merge(schema, type);
        continue;
      }
      if (mode == "FAILFAST") {
        return Error::Of("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                         {{"badRecord", MakeValidUtf8(record)}, {"failFastMode", "FAILFAST"}});
      }
      has_corrupt = has_corrupt || mode != "DROPMALFORMED";
    }
  }
  auto canonical = inference.Canonical(schema);
  std::vector<StructField> fields;
  if (canonical != nullptr) fields = canonical->fields();
  if (has_corrupt) {
    StructField field(corrupt, DataType::String(), true);
    const auto place = std::lower_bound(fields.begin(), fields.end(), field.name,
                                        [](const StructField& a, const std::string& name) { return a.name < name; });
    fields.insert(place, std::move(field));
  }
  return DataType::Struct(std::move(fields));
}

}  // namespace frazil::engine
