// The texts that Spark shows for types: simpleString (catalogString), sql, typeName, tree string.

#include "frazil/base/error.h"
#include "frazil/base/text.h"
#include "frazil/types/data_type.h"

namespace frazil {
namespace {

std::string_view FieldName(IntervalField field) {
  switch (field) {
    case IntervalField::kYear:
      return "year";
    case IntervalField::kMonth:
      return "month";
    case IntervalField::kDay:
      return "day";
    case IntervalField::kHour:
      return "hour";
    case IntervalField::kMinute:
      return "minute";
    case IntervalField::kSecond:
      return "second";
  }
  return {};
}

std::string IntervalName(const DataType& type) {
  std::string name = "interval ";
  name += FieldName(type.start_field());
  if (type.start_field() != type.end_field()) name.append(" to ").append(FieldName(type.end_field()));
  return name;
}

std::string StringName(const DataType& type) {
  switch (type.length_kind()) {
    case StringLength::kChar:
      return "char(" + std::to_string(type.length()) + ")";
    case StringLength::kVarchar:
      return "varchar(" + std::to_string(type.length()) + ")";
    case StringLength::kUnbounded:
      break;
  }
  return type.collation().empty() ? "string" : "string collate " + type.collation();
}

// The spatial reference -1 stands for values of several reference systems.
std::string SpatialName(std::string_view name, int srid) {
  return std::string(name) + "(" + (srid == -1 ? std::string("any") : std::to_string(srid)) + ")";
}

std::string FieldSql(const StructField& field) {
  std::string sql = QuoteIdentifierIfNeeded(field.name) + ": " + field.type->Sql();
  if (!field.nullable) sql += " NOT NULL";
  if (field.metadata.contains("comment")) sql += " COMMENT '" + ReplaceAll(field.Comment(), "'", "\\'") + "'";
  return sql;
}

std::string EscapeForTree(std::string_view name) {
  std::string escaped;
  for (const char character : name) {
    switch (character) {
      case '\n':
        escaped += "\\n";
        break;
      case '\r':
        escaped += "\\r";
        break;
      case '\t':
        escaped += "\\t";
        break;
      case '\f':
        escaped += "\\f";
        break;
      case '\b':
        escaped += "\\b";
        break;
      case '\v':
        escaped += "\\v";
        break;
      case '\a':
        escaped += "\\a";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

std::string_view BooleanText(bool value) { return value ? "true" : "false"; }

void AppendTree(const DataType& type, const std::string& prefix, int levels, std::string* out);

void AppendTreeLine(const std::string& prefix, std::string_view name, const DataType& type, std::string_view property,
                    int levels, std::string* out) {
  out->append(prefix).append("-- ").append(name).append(": ").append(type.TypeName()).append(property).append("\n");
  AppendTree(type, prefix + "    |", levels - 1, out);
}

// Each nesting level takes one from `levels`; nothing is printed at 0.
void AppendTree(const DataType& type, const std::string& prefix, int levels, std::string* out) {
  if (levels <= 0) return;
  const auto property = [](std::string_view name, bool value) {
    return " (" + std::string(name) + " = " + std::string(BooleanText(value)) + ")";
  };
  if (type.id() == TypeId::kStruct) {
    for (const auto& field : type.fields()) {
      AppendTreeLine(prefix, EscapeForTree(field.name), *field.type, property("nullable", field.nullable), levels, out);
    }
  } else if (type.id() == TypeId::kArray) {
    AppendTreeLine(prefix, "element", *type.element_type(), property("containsNull", type.contains_null()), levels,
                   out);
  } else if (type.id() == TypeId::kMap) {
    AppendTreeLine(prefix, "key", *type.key_type(), "", levels, out);
    AppendTreeLine(prefix, "value", *type.value_type(), property("valueContainsNull", type.value_contains_null()),
                   levels, out);
  }
}

}  // namespace

std::string DataType::TypeName() const {
  switch (id_) {
    case TypeId::kNull:
      return "void";
    case TypeId::kBoolean:
      return "boolean";
    case TypeId::kByte:
      return "byte";
    case TypeId::kShort:
      return "short";
    case TypeId::kInteger:
      return "integer";
    case TypeId::kLong:
      return "long";
    case TypeId::kFloat:
      return "float";
    case TypeId::kDouble:
      return "double";
    case TypeId::kDecimal:
      return "decimal(" + std::to_string(precision_) + "," + std::to_string(scale_) + ")";
    case TypeId::kString:
      return StringName(*this);
    case TypeId::kBinary:
      return "binary";
    case TypeId::kDate:
      return "date";
    case TypeId::kTimestamp:
      return "timestamp";
    case TypeId::kTimestampNtz:
      return "timestamp_ntz";
    case TypeId::kTime:
      return "time(" + std::to_string(precision_) + ")";
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
      return IntervalName(*this);
    case TypeId::kCalendarInterval:
      return "interval";
    case TypeId::kArray:
      return "array";
    case TypeId::kMap:
      return "map";
    case TypeId::kStruct:
      return "struct";
    case TypeId::kVariant:
      return "variant";
    case TypeId::kGeometry:
      return SpatialName("geometry", precision_);
    case TypeId::kGeography:
      return SpatialName("geography", precision_);
  }
  return {};
}

std::string DataType::SimpleString() const {
  switch (id_) {
    case TypeId::kByte:
      return "tinyint";
    case TypeId::kShort:
      return "smallint";
    case TypeId::kInteger:
      return "int";
    case TypeId::kLong:
      return "bigint";
    case TypeId::kArray:
      return "array<" + element_type()->SimpleString() + ">";
    case TypeId::kMap:
      return "map<" + key_type()->SimpleString() + "," + value_type()->SimpleString() + ">";
    case TypeId::kStruct: {
      std::string text = "struct<";
      for (size_t i = 0; i < children_.size(); ++i) {
        if (i > 0) text += ",";
        text += children_[i].name + ":" + children_[i].type->SimpleString();
      }
      return text + ">";
    }
    case TypeId::kNull:
    case TypeId::kBoolean:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampNtz:
    case TypeId::kTime:
    case TypeId::kYearMonthInterval:
    case TypeId::kDayTimeInterval:
    case TypeId::kCalendarInterval:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  return TypeName();
}

std::string DataType::Sql() const {
  if (id_ == TypeId::kArray) return "ARRAY<" + element_type()->Sql() + ">";
  if (id_ == TypeId::kMap) return "MAP<" + key_type()->Sql() + ", " + value_type()->Sql() + ">";
  if (id_ == TypeId::kStruct) {
    std::string text = "STRUCT<";
    for (size_t i = 0; i < children_.size(); ++i) {
      if (i > 0) text += ", ";
      text += FieldSql(children_[i]);
    }
    return text + ">";
  }
  return AsciiUpper(SimpleString());
}

std::string SchemaTreeString(const DataType& schema, int level) {
  std::string text = "root\n";
  AppendTree(schema, " |", level <= 0 ? 1 << 30 : level, &text);
  return text;
}

}  // namespace frazil
