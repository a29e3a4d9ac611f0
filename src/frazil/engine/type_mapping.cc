#include "frazil/engine/type_mapping.h"

#include <duckdb/common/types/interval.hpp>
#include <duckdb/common/types/value.hpp>

#include "frazil/engine/functions/kernel_error.h"

namespace frazil::engine {

using duckdb::LogicalType;

std::string StructMemberName(size_t index) { return "f" + std::to_string(index); }

Result<LogicalType> ToDuckDbType(const DataType& type) {
  switch (type.id()) {
    case TypeId::kNull:
      return LogicalType(LogicalType::INTEGER);
    case TypeId::kBoolean:
      return LogicalType(LogicalType::BOOLEAN);
    case TypeId::kByte:
      return LogicalType(LogicalType::TINYINT);
    case TypeId::kShort:
      return LogicalType(LogicalType::SMALLINT);
    case TypeId::kInteger:
      return LogicalType(LogicalType::INTEGER);
    case TypeId::kLong:
      return LogicalType(LogicalType::BIGINT);
    case TypeId::kFloat:
      return LogicalType(LogicalType::FLOAT);
    case TypeId::kDouble:
      return LogicalType(LogicalType::DOUBLE);
    case TypeId::kDecimal:
      return LogicalType::DECIMAL(type.precision(), type.scale());
    case TypeId::kString:
      return LogicalType(LogicalType::VARCHAR);
    case TypeId::kBinary:
      return LogicalType(LogicalType::BLOB);
    case TypeId::kDate:
      return LogicalType(LogicalType::DATE);
    case TypeId::kTimestamp:
      return LogicalType(LogicalType::TIMESTAMP_TZ);
    case TypeId::kTimestampNtz:
      return LogicalType(LogicalType::TIMESTAMP);
    case TypeId::kTime:
      return LogicalType(LogicalType::TIME);
    case TypeId::kYearMonthInterval:
      return LogicalType(LogicalType::INTEGER);
    case TypeId::kDayTimeInterval:
      return LogicalType(LogicalType::BIGINT);
    case TypeId::kCalendarInterval:
      return LogicalType(LogicalType::INTERVAL);
    case TypeId::kArray: {
      FRAZIL_ASSIGN_OR_RETURN(auto element, ToDuckDbType(*type.element_type()));
      return LogicalType::LIST(element);
    }
    case TypeId::kMap: {
      FRAZIL_ASSIGN_OR_RETURN(auto key, ToDuckDbType(*type.key_type()));
      FRAZIL_ASSIGN_OR_RETURN(auto value, ToDuckDbType(*type.value_type()));
      return LogicalType::MAP(key, value);
    }
    case TypeId::kStruct: {
      duckdb::child_list_t<LogicalType> members;
      for (const auto& field : type.fields()) {
        FRAZIL_ASSIGN_OR_RETURN(auto member, ToDuckDbType(*field.type));
        members.emplace_back(StructMemberName(members.size()), member);
      }
      // DuckDB has no struct without members.
      if (members.empty()) members.emplace_back(StructMemberName(0), LogicalType::BOOLEAN);
      return LogicalType::STRUCT(std::move(members));
    }
    case TypeId::kVariant:
      // Spark's encoding, as its clients read it: value, metadata.
      return LogicalType::STRUCT({{StructMemberName(0), LogicalType(LogicalType::BLOB)},
                                  {StructMemberName(1), LogicalType(LogicalType::BLOB)}});
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return LogicalType(LogicalType::BLOB);
  }
  return Error::Internal("Unknown type id");
}

LogicalType MappedType(const DataType& type) { return ValueOrThrow(ToDuckDbType(type)); }

Result<duckdb::Value> ToDuckDbValue(const DataType& type, const Value& value) {
  FRAZIL_ASSIGN_OR_RETURN(auto mapped, ToDuckDbType(type));
  if (value.is_null()) return duckdb::Value(mapped);
  switch (type.id()) {
    case TypeId::kNull:
      return duckdb::Value(mapped);
    case TypeId::kBoolean:
      return duckdb::Value::BOOLEAN(value.boolean());
    case TypeId::kByte:
      return duckdb::Value::TINYINT(static_cast<int8_t>(value.integer()));
    case TypeId::kShort:
      return duckdb::Value::SMALLINT(static_cast<int16_t>(value.integer()));
    case TypeId::kInteger:
    case TypeId::kYearMonthInterval:
      return duckdb::Value::INTEGER(static_cast<int32_t>(value.integer()));
    case TypeId::kLong:
    case TypeId::kDayTimeInterval:
      return duckdb::Value::BIGINT(value.integer());
    case TypeId::kFloat:
      return duckdb::Value::FLOAT(value.float32());
    case TypeId::kDouble:
      return duckdb::Value::DOUBLE(value.float64());
    case TypeId::kDecimal: {
      const auto width = static_cast<uint8_t>(type.precision());
      const auto scale = static_cast<uint8_t>(type.scale());
      const int128 unscaled = value.decimal();
      switch (mapped.InternalType()) {
        case duckdb::PhysicalType::INT16:
          return duckdb::Value::DECIMAL(static_cast<int16_t>(unscaled), width, scale);
        case duckdb::PhysicalType::INT32:
          return duckdb::Value::DECIMAL(static_cast<int32_t>(unscaled), width, scale);
        case duckdb::PhysicalType::INT64:
          return duckdb::Value::DECIMAL(static_cast<int64_t>(unscaled), width, scale);
        default:
          return duckdb::Value::DECIMAL(ToHugeint(unscaled), width, scale);
      }
    }
    case TypeId::kString: {
      if (!duckdb::Value::StringIsValid(value.string().data(), value.string().size())) {
        // Strings of Spark may hold any bytes; DuckDB's vectors take them, its Value constructor does not.
        return Error::Unsupported("string literals that are not UTF-8");
      }
      return duckdb::Value(value.string());
    }
    case TypeId::kBinary:
      return duckdb::Value::BLOB(reinterpret_cast<duckdb::const_data_ptr_t>(value.string().data()),
                                 value.string().size());
    case TypeId::kDate:
      return duckdb::Value::DATE(duckdb::date_t(static_cast<int32_t>(value.integer())));
    case TypeId::kTimestamp:
      return duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(value.integer()));
    case TypeId::kTimestampNtz:
      return duckdb::Value::TIMESTAMP(duckdb::timestamp_t(value.integer()));
    case TypeId::kTime:
      return duckdb::Value::TIME(duckdb::dtime_t(value.integer()));
    case TypeId::kCalendarInterval: {
      const auto& interval = value.calendar_interval();
      return duckdb::Value::INTERVAL(interval.months, interval.days, interval.micros);
    }
    case TypeId::kArray: {
      duckdb::vector<duckdb::Value> elements;
      for (const auto& element : value.list()) {
        FRAZIL_ASSIGN_OR_RETURN(auto converted, ToDuckDbValue(*type.element_type(), element));
        elements.push_back(std::move(converted));
      }
      return duckdb::Value::LIST(duckdb::ListType::GetChildType(mapped), std::move(elements));
    }
    case TypeId::kMap: {
      duckdb::vector<duckdb::Value> keys, values;
      for (size_t i = 0; i + 1 < value.list().size(); i += 2) {
        FRAZIL_ASSIGN_OR_RETURN(auto key, ToDuckDbValue(*type.key_type(), value.list()[i]));
        FRAZIL_ASSIGN_OR_RETURN(auto item, ToDuckDbValue(*type.value_type(), value.list()[i + 1]));
        keys.push_back(std::move(key));
        values.push_back(std::move(item));
      }
      return duckdb::Value::MAP(duckdb::MapType::KeyType(mapped), duckdb::MapType::ValueType(mapped), std::move(keys),
                                std::move(values));
    }
    case TypeId::kStruct: {
      duckdb::vector<duckdb::Value> members;
      for (size_t i = 0; i < type.fields().size(); ++i) {
        FRAZIL_ASSIGN_OR_RETURN(auto member, ToDuckDbValue(*type.fields()[i].type, value.list()[i]));
        members.push_back(std::move(member));
      }
      if (members.empty()) members.push_back(duckdb::Value(LogicalType::BOOLEAN));
      return duckdb::Value::STRUCT(mapped, std::move(members));
    }
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return Error::Internal("Unknown type id");
}

Value FromDuckDbValue(const DataType& type, const duckdb::Value& value) {
  if (value.IsNull()) return Value();
  switch (type.id()) {
    case TypeId::kNull:
      return Value();
    case TypeId::kBoolean:
      return Value(value.GetValueUnsafe<bool>());
    case TypeId::kByte:
      return Value(static_cast<int64_t>(value.GetValueUnsafe<int8_t>()));
    case TypeId::kShort:
      return Value(static_cast<int64_t>(value.GetValueUnsafe<int16_t>()));
    case TypeId::kInteger:
    case TypeId::kYearMonthInterval:
      return Value(static_cast<int64_t>(value.GetValueUnsafe<int32_t>()));
    case TypeId::kLong:
    case TypeId::kDayTimeInterval:
      return Value(value.GetValueUnsafe<int64_t>());
    case TypeId::kFloat:
      return Value(value.GetValueUnsafe<float>());
    case TypeId::kDouble:
      return Value(value.GetValueUnsafe<double>());
    case TypeId::kDecimal:
      switch (value.type().InternalType()) {
        case duckdb::PhysicalType::INT16:
          return Value(Decimal128{value.GetValueUnsafe<int16_t>()});
        case duckdb::PhysicalType::INT32:
          return Value(Decimal128{value.GetValueUnsafe<int32_t>()});
        case duckdb::PhysicalType::INT64:
          return Value(Decimal128{value.GetValueUnsafe<int64_t>()});
        default:
          return Value(Decimal128{FromHugeint(value.GetValueUnsafe<duckdb::hugeint_t>())});
      }
    case TypeId::kString:
    case TypeId::kBinary:
      return Value(duckdb::StringValue::Get(value));
    case TypeId::kDate:
      return Value(static_cast<int64_t>(value.GetValueUnsafe<duckdb::date_t>().days));
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
      return Value(value.GetValueUnsafe<duckdb::timestamp_t>().value);
    case TypeId::kTime:
      return Value(value.GetValueUnsafe<duckdb::dtime_t>().micros);
    case TypeId::kCalendarInterval: {
      const auto interval = value.GetValueUnsafe<duckdb::interval_t>();
      return Value(CalendarIntervalValue{interval.months, interval.days, interval.micros});
    }
    case TypeId::kArray: {
      Value::List list;
      for (const auto& element : duckdb::ListValue::GetChildren(value))
        list.push_back(FromDuckDbValue(*type.element_type(), element));
      return Value(std::move(list));
    }
    case TypeId::kMap: {
      Value::List list;
      for (const auto& entry : duckdb::ListValue::GetChildren(value)) {
        const auto& pair = duckdb::StructValue::GetChildren(entry);
        list.push_back(FromDuckDbValue(*type.key_type(), pair[0]));
        list.push_back(FromDuckDbValue(*type.value_type(), pair[1]));
      }
      return Value(std::move(list));
    }
    case TypeId::kStruct: {
      Value::List list;
      const auto& members = duckdb::StructValue::GetChildren(value);
      for (size_t i = 0; i < type.fields().size(); ++i)
        list.push_back(FromDuckDbValue(*type.fields()[i].type, members[i]));
      return Value(std::move(list));
    }
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return Value();
}

}  // namespace frazil::engine
