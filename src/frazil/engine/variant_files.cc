#include "frazil/engine/variant_files.h"

#include <algorithm>
#include <parquet_reader.hpp>

#include <duckdb/function/cast/default_casts.hpp>

#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/engine/functions/variant_value.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/engine/variant_layout.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

constexpr const char* kTypedValue = "typed_value";

[[noreturn]] void ThrowMalformed() { ThrowSparkError("MALFORMED_VARIANT", {}); }

bool HasVariant(const duckdb_parquet::FileMetaData& metadata) {
  return std::any_of(metadata.schema.begin(), metadata.schema.end(), [](const duckdb_parquet::SchemaElement& element) {
    return element.__isset.logicalType && element.logicalType.__isset.VARIANT;
  });
}

const duckdb::Value* Member(const duckdb::Value& group, const char* name) {
  const auto& members = duckdb::StructType::GetChildTypes(group.type());
  for (idx_t i = 0; i < members.size(); ++i) {
    if (members[i].first == name) return &duckdb::StructValue::GetChildren(group)[i];
  }
  return nullptr;
}

Variant OfInteger(Variant::Kind kind, int64_t integer) {
  Variant result;
  result.kind = kind;
  result.integer = integer;
  return result;
}

Variant OfText(Variant::Kind kind, std::string text) {
  Variant result;
  result.kind = kind;
  result.text = std::move(text);
  return result;
}

std::optional<Variant> Unshredded(const duckdb::Value& group, std::string_view metadata);

int128 UnscaledOf(const duckdb::Value& value) {
  switch (value.type().InternalType()) {
    case duckdb::PhysicalType::INT16:
      return value.GetValueUnsafe<int16_t>();
    case duckdb::PhysicalType::INT32:
      return value.GetValueUnsafe<int32_t>();
    case duckdb::PhysicalType::INT64:
      return value.GetValueUnsafe<int64_t>();
    default: {
      const auto wide = value.GetValueUnsafe<duckdb::hugeint_t>();
      return static_cast<int128>(static_cast<unsigned __int128>(static_cast<uint64_t>(wide.upper)) << 64 | wide.lower);
    }
  }
}

// A typed value that is there. Of objects: without the members that the group's own value has.
Variant OfTyped(const duckdb::Value& value, std::string_view metadata) {
  switch (value.type().id()) {
    case LogicalTypeId::BOOLEAN: {
      Variant result;
      result.kind = Variant::Kind::kBoolean;
      result.boolean = duckdb::BooleanValue::Get(value);
      return result;
    }
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
      return OfInteger(Variant::Kind::kInteger, value.GetValue<int64_t>());
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE: {
      Variant result;
      result.kind = value.type().id() == LogicalTypeId::FLOAT ? Variant::Kind::kFloat : Variant::Kind::kDouble;
      result.number = value.type().id() == LogicalTypeId::FLOAT ? static_cast<double>(duckdb::FloatValue::Get(value))
                                                                : duckdb::DoubleValue::Get(value);
      return result;
    }
    case LogicalTypeId::DECIMAL: {
      Variant result;
      result.kind = Variant::Kind::kDecimal;
      result.scale = duckdb::DecimalType::GetScale(value.type());
      result.unscaled = UnscaledOf(value);
      return result;
    }
    case LogicalTypeId::DATE:
      return OfInteger(Variant::Kind::kDate, value.GetValueUnsafe<duckdb::date_t>().days);
    case LogicalTypeId::TIMESTAMP_TZ:
      return OfInteger(Variant::Kind::kTimestamp, value.GetValueUnsafe<duckdb::timestamp_t>().value);
    case LogicalTypeId::TIMESTAMP:
      return OfInteger(Variant::Kind::kTimestampNtz, value.GetValueUnsafe<duckdb::timestamp_t>().value);
    case LogicalTypeId::BLOB:
      return OfText(Variant::Kind::kBinary, duckdb::StringValue::Get(value));
    case LogicalTypeId::VARCHAR:
      return OfText(Variant::Kind::kString, duckdb::StringValue::Get(value));
    case LogicalTypeId::LIST: {
      Variant result;
      result.kind = Variant::Kind::kArray;
      for (const auto& element : duckdb::ListValue::GetChildren(value)) {
        // An element is never missing.
        auto item = element.IsNull() ? std::nullopt : Unshredded(element, metadata);
        if (!item.has_value()) ThrowMalformed();
        result.items.push_back(*std::move(item));
      }
      return result;
    }
    case LogicalTypeId::STRUCT: {
      Variant result;
      result.kind = Variant::Kind::kObject;
      const auto& fields = duckdb::StructType::GetChildTypes(value.type());
      const auto& children = duckdb::StructValue::GetChildren(value);
      for (idx_t i = 0; i < fields.size(); ++i) {
        if (children[i].IsNull()) continue;
        auto member = Unshredded(children[i], metadata);
        if (member.has_value()) result.members.emplace_back(fields[i].first, *std::move(member));
      }
      return result;
    }
    default:
      ThrowSparkError(Error::Unsupported("VARIANT values that Parquet files shred as " + value.type().ToString()));
  }
}

// The value of a group {value, typed_value}; nothing where both are NULL, as members of objects are that are missing.
std::optional<Variant> Unshredded(const duckdb::Value& group, std::string_view metadata) {
  const duckdb::Value* value = Member(group, kVariantMembers[0]);
  const duckdb::Value* typed = Member(group, kTypedValue);
  const bool has_value = value != nullptr && !value->IsNull(), has_typed = typed != nullptr && !typed->IsNull();
  if (!has_value && !has_typed) return std::nullopt;
  std::optional<Variant> rest;
  if (has_value) {
    rest = DecodeVariant(duckdb::StringValue::Get(*value), metadata);
    if (!rest.has_value()) ThrowMalformed();
    if (!has_typed) return rest;
  }
  Variant result = OfTyped(*typed, metadata);
  if (!rest.has_value()) return result;
  // Both: an object of which some members are shredded.
  if (result.kind != Variant::Kind::kObject || rest->kind != Variant::Kind::kObject) ThrowMalformed();
  const auto& fields = duckdb::StructType::GetChildTypes(typed->type());
  for (auto& [name, member] : rest->members) {
    if (std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; }))
      ThrowMalformed();
    result.members.emplace_back(name, std::move(member));
  }
  return result;
}

bool CastShredded(duckdb::Vector& source, duckdb::Vector& result, idx_t count, duckdb::CastParameters&) {
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto& members = duckdb::StructVector::GetEntries(result);
  for (idx_t row = 0; row < count; ++row) {
    const duckdb::Value group = source.GetValue(row);
    if (group.IsNull()) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const duckdb::Value* metadata = Member(group, kVariantMembers[1]);
    if (metadata == nullptr || metadata->IsNull()) ThrowMalformed();
    auto variant = Unshredded(group, duckdb::StringValue::Get(*metadata));
    if (!variant.has_value()) ThrowMalformed();
    const EncodedVariant encoded = EncodeVariant(*variant);
    row_kernel::Write(*members[0], row, encoded.value);
    row_kernel::Write(*members[1], row, encoded.metadata);
  }
  return true;
}

duckdb::BoundCastInfo BindShredded(duckdb::BindCastInput& input, const LogicalType& source, const LogicalType& target) {
  if (IsShreddedVariant(source)) return duckdb::BoundCastInfo(CastShredded);
  return duckdb::DefaultCasts::GetDefaultCastFunction(input, source, target);
}

}  // namespace

duckdb::shared_ptr<duckdb::BaseFileReader> WithVariantsAsGroups(duckdb::ClientContext& context,
                                                                duckdb::shared_ptr<duckdb::BaseFileReader> reader) {
  if (reader->GetReaderType() != "Parquet") return reader;
  auto& parquet = reader->Cast<duckdb::ParquetReader>();
  if (!HasVariant(*parquet.GetFileMetadata())) return reader;
  auto metadata = duckdb::make_uniq<duckdb_parquet::FileMetaData>(*parquet.GetFileMetadata());
  for (auto& element : metadata->schema) {
    if (!element.__isset.logicalType || !element.logicalType.__isset.VARIANT) continue;
    element.logicalType = {};
    element.__isset.logicalType = false;
  }
  const auto& known = *parquet.metadata;
  auto crypto = known.crypto_metadata ? duckdb::make_uniq<duckdb_parquet::FileCryptoMetaData>(*known.crypto_metadata)
                                      : duckdb::make_uniq<duckdb_parquet::FileCryptoMetaData>();
  auto changed = duckdb::make_shared_ptr<duckdb::ParquetFileMetadataCache>(
      std::move(metadata), parquet.GetHandle(), nullptr, std::move(crypto), known.footer_size);
  return duckdb::make_shared_ptr<duckdb::ParquetReader>(context, parquet.file, parquet.parquet_options,
                                                        std::move(changed));
}

bool IsShreddedVariant(const LogicalType& in_file) {
  if (in_file.id() != LogicalTypeId::STRUCT) return false;
  const auto& members = duckdb::StructType::GetChildTypes(in_file);
  const auto has = [&](const char* name) {
    return std::any_of(members.begin(), members.end(), [&](const auto& member) { return member.first == name; });
  };
  return has(kTypedValue) && has(kVariantMembers[1]);
}

void RegisterVariantFileCasts(duckdb::ExtensionLoader& loader) {
  // How DuckDB's map of casts calls structs of any members.
  loader.RegisterCastFunction(LogicalType::STRUCT({{"any", LogicalType::ANY}}), MappedType(*DataType::Variant()),
                              BindShredded);
}

}  // namespace frazil::engine
