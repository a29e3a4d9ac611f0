#include "frazil/types/data_type.h"

#include <functional>

#include "frazil/base/json.h"
#include "frazil/base/text.h"

namespace frazil {

/// Reaches the members of DataType while one is made.
struct DataTypeFactory {
  template <typename Fill>
  static DataTypePtr Make(TypeId id, Fill fill) {
    std::shared_ptr<DataType> type(new DataType());
    type->id_ = id;
    fill(type.get());
    return type;
  }
  static DataTypePtr Make(TypeId id) {
    return Make(id, [](DataType*) {});
  }
  static DataTypePtr WithPrecision(TypeId id, int precision, int scale = 0) {
    return Make(id, [&](DataType* type) {
      type->precision_ = precision;
      type->scale_ = scale;
    });
  }
  static DataTypePtr OfLength(StringLength kind, int length) {
    return Make(TypeId::kString, [&](DataType* type) {
      type->length_kind_ = kind;
      type->precision_ = length;
    });
  }
  static DataTypePtr Collated(std::string collation) {
    return Make(TypeId::kString, [&](DataType* type) { type->collation_ = std::move(collation); });
  }
  static DataTypePtr Interval(TypeId id, IntervalField start, IntervalField end) {
    return Make(id, [&](DataType* type) {
      type->start_field_ = start;
      type->end_field_ = end;
    });
  }
  static DataTypePtr Nested(TypeId id, std::vector<StructField> children) {
    return Make(id, [&](DataType* type) { type->children_ = std::move(children); });
  }
};

std::string StructField::Comment() const {
  const auto found = metadata.find("comment");
  if (found == metadata.end()) return {};
  const auto parsed = ParseJson(found->second);
  return parsed.ok() && parsed->kind == JsonValue::Kind::kString ? parsed->text : found->second;
}

void StructField::SetComment(std::string_view comment) { metadata["comment"] = JsonString(comment); }

#define FRAZIL_SIMPLE_TYPE(name, id)                                   \
  const DataTypePtr& DataType::name() {                                \
    static const DataTypePtr type = DataTypeFactory::Make(TypeId::id); \
    return type;                                                       \
  }

FRAZIL_SIMPLE_TYPE(Null, kNull)
FRAZIL_SIMPLE_TYPE(Boolean, kBoolean)
FRAZIL_SIMPLE_TYPE(Byte, kByte)
FRAZIL_SIMPLE_TYPE(Short, kShort)
FRAZIL_SIMPLE_TYPE(Integer, kInteger)
FRAZIL_SIMPLE_TYPE(Long, kLong)
FRAZIL_SIMPLE_TYPE(Float, kFloat)
FRAZIL_SIMPLE_TYPE(Double, kDouble)
FRAZIL_SIMPLE_TYPE(String, kString)
FRAZIL_SIMPLE_TYPE(Binary, kBinary)
FRAZIL_SIMPLE_TYPE(Date, kDate)
FRAZIL_SIMPLE_TYPE(Timestamp, kTimestamp)
FRAZIL_SIMPLE_TYPE(TimestampNtz, kTimestampNtz)
FRAZIL_SIMPLE_TYPE(CalendarInterval, kCalendarInterval)
FRAZIL_SIMPLE_TYPE(Variant, kVariant)

#undef FRAZIL_SIMPLE_TYPE

DataTypePtr DataType::Decimal(int precision, int scale) {
  return DataTypeFactory::WithPrecision(TypeId::kDecimal, precision, scale);
}
DataTypePtr DataType::Char(int length) { return DataTypeFactory::OfLength(StringLength::kChar, length); }
DataTypePtr DataType::Varchar(int length) { return DataTypeFactory::OfLength(StringLength::kVarchar, length); }

DataTypePtr DataType::StringWithCollation(std::string collation) {
  if (collation.empty() || EqualsIgnoreCase(collation, "UTF8_BINARY")) return String();
  return DataTypeFactory::Collated(std::move(collation));
}

DataTypePtr DataType::Time(int precision) { return DataTypeFactory::WithPrecision(TypeId::kTime, precision); }

DataTypePtr DataType::YearMonthInterval(IntervalField start, IntervalField end) {
  return DataTypeFactory::Interval(TypeId::kYearMonthInterval, start, end);
}
DataTypePtr DataType::DayTimeInterval(IntervalField start, IntervalField end) {
  return DataTypeFactory::Interval(TypeId::kDayTimeInterval, start, end);
}

DataTypePtr DataType::Array(DataTypePtr element, bool contains_null) {
  return DataTypeFactory::Nested(TypeId::kArray, {StructField("element", std::move(element), contains_null)});
}

DataTypePtr DataType::Map(DataTypePtr key, DataTypePtr value, bool value_contains_null) {
  return DataTypeFactory::Nested(TypeId::kMap, {StructField("key", std::move(key), false),
                                                StructField("value", std::move(value), value_contains_null)});
}

DataTypePtr DataType::Struct(std::vector<StructField> fields) {
  return DataTypeFactory::Nested(TypeId::kStruct, std::move(fields));
}
DataTypePtr DataType::Geometry(int srid) { return DataTypeFactory::WithPrecision(TypeId::kGeometry, srid); }
DataTypePtr DataType::Geography(int srid) { return DataTypeFactory::WithPrecision(TypeId::kGeography, srid); }

int DataType::FieldIndex(std::string_view name, bool case_sensitive) const {
  for (size_t i = 0; i < children_.size(); ++i) {
    const std::string& field = children_[i].name;
    if (case_sensitive ? field == name : EqualsIgnoreCase(field, name)) return static_cast<int>(i);
  }
  return -1;
}

namespace {

bool SameType(const DataType& left, const DataType& right, bool with_nullability) {
  if (&left == &right) return true;
  if (left.id() != right.id()) return false;
  switch (left.id()) {
    case TypeId::kNull:
    case TypeId::kBoolean:
    case TypeId::kByte:
    case TypeId::kShort:
    case TypeId::kInteger:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kBinary:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kCalendarInterval:
    case TypeId::kVariant:
      return true;
    case TypeId::kDecimal:
      return left.precision() == right.precision() && left.scale() == right.scale();
    case TypeId::kString:
      return left.length_kind() == right.length_kind() && left.length() == right.length() &&
             EqualsIgnoreCase(left.collation(), right.collation());
    case TypeId::kTime:
      return left.time_precision() == right.time_precision();
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
      return left.start_field() == right.start_field() && left.end_field() == right.end_field();
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return left.srid() == right.srid();
    case TypeId::kArray:
    case TypeId::kMap:
    case TypeId::kStruct:
      break;
  }
  const auto& left_fields = left.fields();
  const auto& right_fields = right.fields();
  if (left_fields.size() != right_fields.size()) return false;
  for (size_t i = 0; i < left_fields.size(); ++i) {
    if (left_fields[i].name != right_fields[i].name) return false;
    if (with_nullability && left_fields[i].nullable != right_fields[i].nullable) return false;
    if (!SameType(*left_fields[i].type, *right_fields[i].type, with_nullability)) return false;
  }
  return true;
}

}  // namespace

bool DataType::Equals(const DataType& other) const { return SameType(*this, other, true); }
bool DataType::EqualsIgnoreNullability(const DataType& other) const { return SameType(*this, other, false); }

}  // namespace frazil
