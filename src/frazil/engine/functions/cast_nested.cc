#include <duckdb/common/vector_operations/unary_executor.hpp>
#include <duckdb/common/vector_operations/vector_operations.hpp>

#include "frazil/engine/functions/cast_internal.h"
#include "frazil/engine/functions/kernel_error.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::Vector;

// Lists (maps are lists of pairs): only the elements that rows refer to are converted, so that no error comes from rows
// that a filter has left out.
VectorCast ListCast(VectorCast element) {
  return [element = std::move(element)](Vector& source, Vector& target, idx_t count) {
    source.Flatten(count);
    const auto* entries = duckdb::FlatVector::GetData<duckdb::list_entry_t>(source);
    const auto& validity = duckdb::FlatVector::Validity(source);
    target.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    auto* out = duckdb::FlatVector::GetData<duckdb::list_entry_t>(target);
    idx_t total = 0;
    for (idx_t row = 0; row < count; ++row) {
      if (validity.RowIsValid(row)) total += entries[row].length;
    }
    duckdb::SelectionVector selection(std::max<idx_t>(total, 1));
    idx_t next = 0;
    for (idx_t row = 0; row < count; ++row) {
      if (!validity.RowIsValid(row)) {
        duckdb::FlatVector::SetNull(target, row, true);
        out[row] = duckdb::list_entry_t(next, 0);
        continue;
      }
      out[row] = duckdb::list_entry_t(next, entries[row].length);
      for (idx_t i = 0; i < entries[row].length; ++i) selection.set_index(next++, entries[row].offset + i);
    }
    duckdb::ListVector::Reserve(target, total);
    if (total > 0) {
      Vector elements(duckdb::ListVector::GetEntry(source), selection, total);
      elements.Flatten(total);
      element(elements, duckdb::ListVector::GetEntry(target), total);
    }
    duckdb::ListVector::SetListSize(target, total);
  };
}

VectorCast StructCast(std::vector<VectorCast> members) {
  return [members = std::move(members)](Vector& source, Vector& target, idx_t count) {
    source.Flatten(count);
    target.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    auto& from = duckdb::StructVector::GetEntries(source);
    auto& to = duckdb::StructVector::GetEntries(target);
    for (size_t i = 0; i < members.size(); ++i) {
      from[i]->Flatten(count);
      members[i](*from[i], *to[i], count);
    }
    const auto& validity = duckdb::FlatVector::Validity(source);
    if (validity.AllValid()) return;
    for (idx_t row = 0; row < count; ++row) {
      if (!validity.RowIsValid(row)) duckdb::FlatVector::SetNull(target, row, true);
    }
  };
}

VectorCast Copy() {
  return
      [](Vector& source, Vector& target, idx_t count) { duckdb::VectorOperations::Copy(source, target, count, 0, 0); };
}

VectorCast AlwaysNull() {
  return [](Vector&, Vector& target, idx_t count) {
    target.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
    for (idx_t row = 0; row < count; ++row) duckdb::FlatVector::SetNull(target, row, true);
  };
}

}  // namespace

VectorCast MakeVectorCast(const DataTypePtr& from, const DataTypePtr& to, const CastSettings& settings) {
  if (from->id() == TypeId::kNull || to->id() == TypeId::kNull) return AlwaysNull();
  if (from->EqualsIgnoreNullability(*to) || (from->IsString() && to->IsString())) return Copy();
  if (from->id() == TypeId::kArray && to->id() == TypeId::kArray) {
    return ListCast(MakeVectorCast(from->element_type(), to->element_type(), settings));
  }
  if (from->id() == TypeId::kMap && to->id() == TypeId::kMap) {
    return ListCast(StructCast({MakeVectorCast(from->key_type(), to->key_type(), settings),
                                MakeVectorCast(from->value_type(), to->value_type(), settings)}));
  }
  if (from->id() == TypeId::kStruct && to->id() == TypeId::kStruct && from->fields().size() == to->fields().size()) {
    if (from->fields().empty()) return Copy();
    std::vector<VectorCast> members;
    for (size_t i = 0; i < from->fields().size(); ++i) {
      members.push_back(MakeVectorCast(from->fields()[i].type, to->fields()[i].type, settings));
    }
    return StructCast(std::move(members));
  }
  VectorCast result;
  if (to->IsString()) result = MakeToStringCast(from, *to, settings);
  if (!result && from->IsString()) result = MakeFromStringCast(from, to, settings);
  if (!result) result = MakeNumericCast(*from, *to, settings);
  if (!result) result = MakeDatetimeCast(*from, *to, settings);
  if (!result) result = MakeIntervalCast(*from, *to, settings);
  if (result) return result;
  ThrowSparkError(
      "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
      {{"sqlExpr", "\"CAST\""}, {"srcType", "\"" + from->Sql() + "\""}, {"targetType", "\"" + to->Sql() + "\""}});
}

}  // namespace frazil::engine
