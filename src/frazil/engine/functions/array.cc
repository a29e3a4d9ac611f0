// Arrays: elements added, removed, found, sorted; sets of elements.

#include <algorithm>
#include <random>

#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/lambda_expression.hpp>

#include "frazil/engine/functions/array_kernel.h"
#include "frazil/engine/functions/group_key.h"
#include "frazil/engine/functions/spark_functions.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using enum ArrayPart;
using Range = ArrayArguments::Range;

constexpr ArrayKernelOptions kComparing{true, true, {}};
constexpr ArrayKernelOptions kThrowing{false, true, {true, false}};
constexpr int64_t kMaximumElements = 2147483632;

void Append(const Range& range, Places* out) {
  for (idx_t i = 0; i < range.size; ++i) out->push_back(range.begin + i);
}

bool ContainsNull(const ArrayArguments& arguments, const Range& range) {
  for (idx_t i = 0; i < range.size; ++i) {
    if (arguments.ElementIsNull(range.begin + i)) return true;
  }
  return false;
}

// Elements of a range, each once, that `wanted` takes.
template <typename Wanted>
void AppendDistinct(const ArrayArguments& arguments, const Range& range, ElementKeySet* seen, Places* out,
                    Wanted&& wanted) {
  for (idx_t i = 0; i < range.size; ++i) {
    const idx_t place = range.begin + i;
    const auto key = arguments.Key(place);
    if (wanted(key) && seen->Insert(key)) out->push_back(place);
  }
}

ElementKeySet KeysOf(const ArrayArguments& arguments, const Range& range) {
  ElementKeySet keys;
  for (idx_t i = 0; i < range.size; ++i) keys.Insert(arguments.Key(range.begin + i));
  return keys;
}

// As std::stable_sort, which takes room for each call.
template <typename Before>
void SortFew(Places::iterator begin, Places::iterator end, const Before& before) {
  constexpr std::ptrdiff_t kFew = 16;
  if (end - begin > kFew) {
    std::stable_sort(begin, end, before);
    return;
  }
  for (auto next = begin; next != end; ++next) {
    const idx_t place = *next;
    auto at = next;
    for (; at != begin && before(place, *(at - 1)); --at) *at = *(at - 1);
    *at = place;
  }
}

// Sorted by key; NULLs first or last apart from the direction.
void AppendSorted(const ArrayArguments& arguments, const Range& range, bool ascending, bool nulls_first, Places* out) {
  const auto append = [&](bool nulls) {
    for (idx_t i = 0; i < range.size; ++i) {
      if (arguments.ElementIsNull(range.begin + i) == nulls) out->push_back(range.begin + i);
    }
  };
  if (nulls_first) append(true);
  const auto first = static_cast<std::ptrdiff_t>(out->size());
  append(false);
  SortFew(out->begin() + first, out->end(), [&](idx_t a, idx_t b) {
    return ascending ? arguments.Key(a) < arguments.Key(b) : arguments.Key(b) < arguments.Key(a);
  });
  if (!nulls_first) append(true);
}

int64_t Extreme(const ArrayArguments& arguments, const Range& range, bool greatest) {
  int64_t best = -1;
  for (idx_t i = 0; i < range.size; ++i) {
    const idx_t place = range.begin + i;
    if (arguments.ElementIsNull(place)) continue;
    if (best < 0 || (greatest ? arguments.Key(static_cast<idx_t>(best)) < arguments.Key(place)
                              : arguments.Key(place) < arguments.Key(static_cast<idx_t>(best))))
      best = static_cast<int64_t>(place);
  }
  return best;
}

[[noreturn]] void ThrowTooManyElements(const char* function, const char* parameter, int64_t count) {
  ThrowSparkError("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                  {{"numberOfElements", std::to_string(count)},
                   {"maxRoundedArrayLength", std::to_string(kMaximumElements)},
                   {"functionName", std::string("`") + function + "`"},
                   {"parameter", std::string("`") + parameter + "`"}});
}

bool Insert(const ArrayArguments& arguments, idx_t row, Places* out) {
  const Range range = arguments.List(0, row);
  const int64_t position = arguments.Integer(1, row);
  const idx_t element = arguments.Element(2, row);
  const auto size = static_cast<int64_t>(range.size);
  if (position == 0) ThrowSparkError("INVALID_INDEX_OF_ZERO");
  if (std::abs(position) > kMaximumElements) ThrowTooManyElements("array_insert", "pos", std::abs(position));
  const auto fill = [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i) out->push_back(arguments.null_place());
  };
  const int64_t index = position > 0 ? position - 1 : size + position + 1;
  if (index < 0) {
    out->push_back(element);
    fill(-index);
    Append(range, out);
    return true;
  }
  if (index >= size) {
    Append(range, out);
    fill(index - size);
    out->push_back(element);
    return true;
  }
  Append({range.begin, static_cast<idx_t>(index)}, out);
  out->push_back(element);
  Append({range.begin + static_cast<idx_t>(index), range.size - static_cast<idx_t>(index)}, out);
  return true;
}

bool Slice(const ArrayArguments& arguments, idx_t row, Places* out) {
  const Range range = arguments.List(0, row);
  const int64_t start = arguments.Integer(1, row), length = arguments.Integer(2, row);
  if (start == 0)
    ThrowSparkError("INVALID_PARAMETER_VALUE.START", {{"parameter", "`start`"}, {"functionName", "`slice`"}});
  if (length < 0)
    ThrowSparkError("INVALID_PARAMETER_VALUE.LENGTH",
                    {{"parameter", "`length`"}, {"functionName", "`slice`"}, {"length", std::to_string(length)}});
  const auto size = static_cast<int64_t>(range.size);
  const int64_t index = start > 0 ? start - 1 : size + start;
  if (index < 0 || index >= size) return true;
  Append({range.begin + static_cast<idx_t>(index), static_cast<idx_t>(std::min(length, size - index))}, out);
  return true;
}

void AddChangingKernels(duckdb::ExtensionLoader& loader) {
  AddArrayKernel(loader, "spark_array_append", {kList, kElement}, [](const ArrayArguments& a, idx_t row, Places* out) {
    Append(a.List(0, row), out);
    out->push_back(a.Element(1, row));
    return true;
  });
  AddArrayKernel(loader, "spark_array_prepend", {kList, kElement}, [](const ArrayArguments& a, idx_t row, Places* out) {
    out->push_back(a.Element(1, row));
    Append(a.List(0, row), out);
    return true;
  });
  AddArrayKernel(loader, "spark_array_insert", {kList, kInteger, kElement}, Insert, kThrowing);
  AddArrayKernel(loader, "spark_slice", {kList, kInteger, kInteger}, Slice, kThrowing);
  AddArrayKernel(loader, "spark_array_compact", {kList}, [](const ArrayArguments& a, idx_t row, Places* out) {
    const Range range = a.List(0, row);
    for (idx_t i = 0; i < range.size; ++i) {
      if (!a.ElementIsNull(range.begin + i)) out->push_back(range.begin + i);
    }
    return true;
  });
  AddArrayKernel(loader, "spark_array_reverse", {kList}, [](const ArrayArguments& a, idx_t row, Places* out) {
    const Range range = a.List(0, row);
    for (idx_t i = range.size; i-- > 0;) out->push_back(range.begin + i);
    return true;
  });
  AddArrayKernel(loader, "spark_array_concat", {kList, kList}, [](const ArrayArguments& a, idx_t row, Places* out) {
    Append(a.List(0, row), out);
    Append(a.List(1, row), out);
    return true;
  });
  AddArrayKernel(
      loader, "spark_array_repeat", {kElement, kInteger},
      [](const ArrayArguments& a, idx_t row, Places* out) {
        const int64_t count = a.Integer(1, row);
        if (count > kMaximumElements) ThrowTooManyElements("array_repeat", "count", count);
        a.CheckRoom(out->size() + static_cast<idx_t>(std::max<int64_t>(count, 0)));
        for (int64_t i = 0; i < count; ++i) out->push_back(a.Element(0, row));
        return true;
      },
      kThrowing);
  AddArrayKernel(loader, "spark_shuffle", {kList},
                 [](const ArrayArguments& a, idx_t row, Places* out) {
                   thread_local std::mt19937_64 random{std::random_device{}()};
                   const size_t first = out->size();
                   Append(a.List(0, row), out);
                   std::shuffle(out->begin() + static_cast<ptrdiff_t>(first), out->end(), random);
                   return true;
                 },
                 {false, true, {false, true}});
}

void AddComparingKernels(duckdb::ExtensionLoader& loader) {
  AddNumberKernel(
      loader, "spark_array_contains", {kList, kElement}, LogicalType::BOOLEAN,
      [](const ArrayArguments& a, idx_t row) -> std::optional<int64_t> {
        const idx_t wanted = a.Element(1, row);
        if (a.ElementIsNull(wanted)) return std::nullopt;
        const Range range = a.List(0, row);
        if (a.Find(range, wanted) < range.size) return 1;
        if (ContainsNull(a, range)) return std::nullopt;
        return 0;
      },
      kComparing);
  AddNumberKernel(
      loader, "spark_array_position", {kList, kElement}, LogicalType::BIGINT,
      [](const ArrayArguments& a, idx_t row) -> std::optional<int64_t> {
        const idx_t wanted = a.Element(1, row);
        if (a.ElementIsNull(wanted)) return std::nullopt;
        const Range range = a.List(0, row);
        const idx_t found = a.Find(range, wanted);
        return found < range.size ? static_cast<int64_t>(found) + 1 : 0;
      },
      kComparing);
  AddArrayKernel(
      loader, "spark_array_remove", {kList, kElement},
      [](const ArrayArguments& a, idx_t row, Places* out) {
        const idx_t unwanted = a.Element(1, row);
        if (a.ElementIsNull(unwanted)) return false;
        const Range range = a.List(0, row);
        for (idx_t i = 0; i < range.size; ++i) {
          if (a.Key(range.begin + i) != a.Key(unwanted)) out->push_back(range.begin + i);
        }
        return true;
      },
      kComparing);
  const auto any = [](const ElementKey&) { return true; };
  AddArrayKernel(
      loader, "spark_array_distinct", {kList},
      [any](const ArrayArguments& a, idx_t row, Places* out) {
        ElementKeySet seen;
        AppendDistinct(a, a.List(0, row), &seen, out, any);
        return true;
      },
      kComparing);
  AddArrayKernel(
      loader, "spark_array_union", {kList, kList},
      [any](const ArrayArguments& a, idx_t row, Places* out) {
        ElementKeySet seen;
        AppendDistinct(a, a.List(0, row), &seen, out, any);
        AppendDistinct(a, a.List(1, row), &seen, out, any);
        return true;
      },
      kComparing);
  AddArrayKernel(
      loader, "spark_array_intersect", {kList, kList},
      [](const ArrayArguments& a, idx_t row, Places* out) {
        const ElementKeySet other = KeysOf(a, a.List(1, row));
        ElementKeySet seen;
        AppendDistinct(a, a.List(0, row), &seen, out, [&](const ElementKey& key) { return other.Has(key); });
        return true;
      },
      kComparing);
  AddArrayKernel(
      loader, "spark_array_except", {kList, kList},
      [](const ArrayArguments& a, idx_t row, Places* out) {
        const ElementKeySet other = KeysOf(a, a.List(1, row));
        ElementKeySet seen;
        AppendDistinct(a, a.List(0, row), &seen, out, [&](const ElementKey& key) { return !other.Has(key); });
        return true;
      },
      kComparing);
  AddNumberKernel(
      loader, "spark_arrays_overlap", {kList, kList}, LogicalType::BOOLEAN,
      [](const ArrayArguments& a, idx_t row) -> std::optional<int64_t> {
        const Range left = a.List(0, row), right = a.List(1, row);
        ElementKeySet keys;
        for (idx_t i = 0; i < left.size; ++i) {
          if (!a.ElementIsNull(left.begin + i)) keys.Insert(a.Key(left.begin + i));
        }
        for (idx_t i = 0; i < right.size; ++i) {
          if (!a.ElementIsNull(right.begin + i) && keys.Has(a.Key(right.begin + i))) return 1;
        }
        if (left.size > 0 && right.size > 0 && (ContainsNull(a, left) || ContainsNull(a, right))) return std::nullopt;
        return 0;
      },
      kComparing);
  AddElementKernel(
      loader, "spark_array_max", {kList},
      [](const ArrayArguments& a, idx_t row) { return Extreme(a, a.List(0, row), true); }, kComparing);
  AddElementKernel(
      loader, "spark_array_min", {kList},
      [](const ArrayArguments& a, idx_t row) { return Extreme(a, a.List(0, row), false); }, kComparing);
  AddArrayKernel(
      loader, "spark_sort_array", {kList, kInteger},
      [](const ArrayArguments& a, idx_t row, Places* out) {
        const bool ascending = a.Integer(1, row) != 0;
        AppendSorted(a, a.List(0, row), ascending, ascending, out);
        return true;
      },
      kComparing);
  AddArrayKernel(
      loader, "spark_array_sort", {kList},
      [](const ArrayArguments& a, idx_t row, Places* out) {
        AppendSorted(a, a.List(0, row), true, false, out);
        return true;
      },
      kComparing);
}

void AddAccessKernels(duckdb::ExtensionLoader& loader) {
  AddElementKernel(loader, "spark_get", {kList, kInteger}, [](const ArrayArguments& a, idx_t row) -> int64_t {
    const Range range = a.List(0, row);
    const int64_t index = a.Integer(1, row);
    if (index < 0 || index >= static_cast<int64_t>(range.size)) return -1;
    return static_cast<int64_t>(range.begin) + index;
  });
  AddElementKernel(
      loader, "spark_elt", {kList, kInteger, kInteger},
      [](const ArrayArguments& a, idx_t row) -> int64_t {
        const Range range = a.List(0, row);
        const int64_t index = a.Integer(1, row);
        if (index < 1 || index > static_cast<int64_t>(range.size)) {
          if (a.Integer(2, row) != 0) ThrowInvalidArrayIndex(index, static_cast<int64_t>(range.size));
          return -1;
        }
        return static_cast<int64_t>(range.begin) + index - 1;
      },
      kThrowing);
}

// Texts joined by a separator; a NULL is left out, or replaced where there is a third argument.
void JoinTexts(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const auto count = constant ? 1 : chunk.size();
  duckdb::UnifiedVectorFormat lists, children;
  chunk.data[0].ToUnifiedFormat(count, lists);
  duckdb::ListVector::GetEntry(chunk.data[0]).ToUnifiedFormat(duckdb::ListVector::GetListSize(chunk.data[0]), children);
  row_kernel::Reader<std::string_view> separators, replacements;
  separators.Prepare(chunk.data[1], count);
  const bool replaces = chunk.ColumnCount() > 2;
  if (replaces) replacements.Prepare(chunk.data[2], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (idx_t row = 0; row < count; ++row) {
    const auto index = lists.sel->get_index(row);
    if (!lists.validity.RowIsValid(index) || !separators.IsValid(row) || (replaces && !replacements.IsValid(row))) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(lists.data)[index];
    std::string joined;
    bool first = true;
    for (idx_t i = entry.offset; i < entry.offset + entry.length; ++i) {
      const auto at = children.sel->get_index(i);
      const bool valid = children.validity.RowIsValid(at);
      if (!valid && !replaces) continue;
      if (!first) joined += separators.Get(row);
      first = false;
      if (valid) {
        const auto& text = reinterpret_cast<const duckdb::string_t*>(children.data)[at];
        joined.append(text.GetData(), text.GetSize());
      } else {
        joined += replacements.Get(row);
      }
    }
    row_kernel::Write(result, row, joined);
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

// An array of arrays as one; NULL where one of the inner arrays is.
void Flatten(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const auto count = constant ? 1 : chunk.size();
  duckdb::UnifiedVectorFormat outer, inner;
  chunk.data[0].ToUnifiedFormat(count, outer);
  auto& child = duckdb::ListVector::GetEntry(chunk.data[0]);
  child.ToUnifiedFormat(duckdb::ListVector::GetListSize(chunk.data[0]), inner);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* entries = duckdb::FlatVector::GetData<duckdb::list_entry_t>(result);
  Places places;
  const idx_t first = duckdb::ListVector::GetListSize(result);
  for (idx_t row = 0; row < count; ++row) {
    const auto index = outer.sel->get_index(row);
    const size_t before = places.size();
    entries[row] = {first + before, 0};
    bool is_null = !outer.validity.RowIsValid(index);
    if (!is_null) {
      const auto entry = reinterpret_cast<const duckdb::list_entry_t*>(outer.data)[index];
      for (idx_t i = entry.offset; i < entry.offset + entry.length && !is_null; ++i) {
        const auto at = inner.sel->get_index(i);
        if (!inner.validity.RowIsValid(at)) {
          is_null = true;
          break;
        }
        const auto part = reinterpret_cast<const duckdb::list_entry_t*>(inner.data)[at];
        for (idx_t j = 0; j < part.length; ++j) places.push_back(part.offset + j);
      }
    }
    if (is_null) {
      places.resize(before);
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    entries[row].length = places.size() - before;
  }
  AppendToList(result, duckdb::ListVector::GetEntry(child), places);
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

duckdb::unique_ptr<duckdb::FunctionData> BindFlatten(
    duckdb::ClientContext&, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments[0] = arguments[0]->return_type;
  function.SetReturnType(duckdb::ListType::GetChildType(arguments[0]->return_type));
  return nullptr;
}

// spark_place(list, places): element i goes to places[i].
void PlaceElements(duckdb::DataChunk& chunk, duckdb::ExpressionState&, duckdb::Vector& result) {
  const bool constant = chunk.AllConstant();
  const idx_t count = constant ? 1 : chunk.size();
  duckdb::UnifiedVectorFormat lists, orders, numbers;
  chunk.data[0].ToUnifiedFormat(count, lists);
  chunk.data[1].ToUnifiedFormat(count, orders);
  auto& order = duckdb::ListVector::GetEntry(chunk.data[1]);
  order.ToUnifiedFormat(duckdb::ListVector::GetListSize(chunk.data[1]), numbers);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* entries = duckdb::FlatVector::GetData<duckdb::list_entry_t>(result);
  Places places;
  for (idx_t row = 0; row < count; ++row) {
    const auto index = lists.sel->get_index(row);
    entries[row] = {places.size(), 0};
    if (!lists.validity.RowIsValid(index)) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const auto list = reinterpret_cast<const duckdb::list_entry_t*>(lists.data)[index];
    const auto ranks = reinterpret_cast<const duckdb::list_entry_t*>(orders.data)[orders.sel->get_index(row)];
    const size_t first = places.size();
    places.resize(first + list.length, duckdb::DConstants::INVALID_INDEX);
    for (idx_t i = 0; i < list.length; ++i) {
      const auto rank =
          static_cast<size_t>(reinterpret_cast<const int64_t*>(numbers.data)[numbers.sel->get_index(ranks.offset + i)]);
      if (rank >= list.length || places[first + rank] != duckdb::DConstants::INVALID_INDEX) {
        ThrowSparkError(
            Error::Plain(ExceptionClass::kIllegalArgument, "Comparison method violates its general contract!"));
      }
      places[first + rank] = list.offset + i;
    }
    entries[row].length = list.length;
  }
  AppendToList(result, duckdb::ListVector::GetEntry(chunk.data[0]), places);
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

duckdb::unique_ptr<duckdb::FunctionData> BindPlace(duckdb::ClientContext&, duckdb::ScalarFunction& function,
                                                   duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.arguments[0] = arguments[0]->return_type;
  function.SetReturnType(arguments[0]->return_type);
  return nullptr;
}

void AddOtherKernels(duckdb::ExtensionLoader& loader) {
  const LogicalType texts = LogicalType::LIST(LogicalType::VARCHAR);
  for (bool replaces : {false, true}) {
    duckdb::vector<LogicalType> types = {texts, LogicalType::VARCHAR};
    if (replaces) types.emplace_back(LogicalType::VARCHAR);
    duckdb::ScalarFunction join("spark_join", types, LogicalType::VARCHAR, JoinTexts);
    join.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    loader.RegisterFunction(join);
  }
  duckdb::ScalarFunction place("spark_place", {LogicalType::ANY, LogicalType::LIST(LogicalType::BIGINT)},
                               LogicalType::ANY, PlaceElements, BindPlace);
  place.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  place.SetFallible();
  loader.RegisterFunction(place);
  AddRowKernel(
      loader, "spark_comes_before", {LogicalType::INTEGER, LogicalType::BIGINT, LogicalType::BIGINT},
      LogicalType::INTEGER,
      [](std::optional<int32_t> comparison, int64_t left, int64_t right) -> int32_t {
        // An element is not compared with itself.
        if (left == right) return 0;
        if (!comparison.has_value())
          ThrowSparkError("COMPARATOR_RETURNS_NULL", {{"firstValue", ""}, {"secondValue", ""}});
        return *comparison < 0 || (*comparison == 0 && left < right) ? 1 : 0;
      },
      kFallible);
  duckdb::ScalarFunction flatten("spark_flatten", {LogicalType::ANY}, LogicalType::ANY, Flatten, BindFlatten);
  flatten.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(flatten);
}

duckdb::unique_ptr<duckdb::ParsedExpression> LambdaOf(std::vector<std::string> parameters, LoweredExpression body) {
  return duckdb::make_uniq<duckdb::LambdaExpression>(duckdb::vector<std::string>(parameters.begin(), parameters.end()),
                                                     std::move(body));
}

// array_sort(list, (left, right) -> comparison): an element's place is the number of elements that come before it. With
// x as `right` and y as `left` that is, for each x, how often the comparison of y with x is negative, or 0 for a y that
// stands before x.
Result<LoweredExpression> LowerComparatorSort(LoweringContext& context, const CallExpression& call,
                                              LoweredArguments arguments) {
  const auto& lambda = call.arguments[1]->As<frazil::LambdaExpression>();
  FRAZIL_ASSIGN_OR_RETURN(auto comparison, context.Lower(*lambda.body));
  std::vector<std::string> names;
  for (const auto& parameter : lambda.parameters) names.push_back("l" + std::to_string(parameter->id));
  while (names.size() < 2) names.push_back(context.FreshName());
  const std::string inner_index = context.FreshName(), outer_index = context.FreshName();
  const auto reference = [](const std::string& name) { return duckdb::make_uniq<duckdb::ColumnRefExpression>(name); };
  LoweredArguments before;
  before.push_back(CastOf(std::move(comparison), LogicalType::INTEGER));
  before.push_back(reference(inner_index));
  before.push_back(reference(outer_index));
  auto counts = CallOf("list_transform", arguments[0]->Copy(),
                       LambdaOf({names[0], inner_index}, CallOf("spark_comes_before", std::move(before))));
  auto place = CallOf("list_sum", std::move(counts));
  auto places = CallOf("list_transform", arguments[0]->Copy(),
                       LambdaOf({names[1], outer_index}, CastOf(std::move(place), LogicalType::BIGINT)));
  return CallOf("spark_place", std::move(arguments[0]), std::move(places));
}

// array_concat(a, b, c, ...): two by two.
Result<LoweredExpression> LowerConcat(LoweringContext&, const CallExpression&, LoweredArguments arguments) {
  LoweredExpression result = std::move(arguments[0]);
  for (size_t i = 1; i < arguments.size(); ++i)
    result = CallOf("spark_array_concat", std::move(result), std::move(arguments[i]));
  return result;
}

}  // namespace

void RegisterArrayFunctions(FunctionLoweringRegistry& registry) {
  registry.AddKernels(AddChangingKernels);
  registry.AddKernels(AddComparingKernels);
  registry.AddKernels(AddAccessKernels);
  registry.AddKernels(AddOtherKernels);
  for (const char* name : {"array_append", "array_prepend", "array_insert", "slice", "array_compact", "array_reverse",
                           "array_repeat", "array_contains", "array_position", "array_remove", "arrays_overlap",
                           "array_max", "array_min", "sort_array", "get", "flatten"}) {
    registry.AddScalar(name, Direct(std::string("spark_") + name));
  }
  // What these put out are keys, as those of groups.
  for (const char* name : {"array_distinct", "array_union", "array_intersect", "array_except"}) {
    registry.AddScalar(
        name, Build([kernel = std::string("spark_") + name](LoweringContext&, const CallExpression& call,
                                                            LoweredArguments arguments) -> Result<LoweredExpression> {
          for (size_t i = 0; i < arguments.size(); ++i)
            arguments[i] = GroupKeyOf(*call.arguments[i]->type, std::move(arguments[i]));
          return CallOf(kernel, std::move(arguments));
        }));
  }
  registry.AddScalar("array_sort_default", Direct("spark_array_sort"));
  registry.AddScalar("array_sort", Build(LowerComparatorSort));
  registry.AddScalar("array_concat", Build(LowerConcat));
  registry.AddScalar("array_join", Direct("spark_join"));
  registry.AddScalar(
      "size",
      Build([](LoweringContext&, const CallExpression& call, LoweredArguments arguments) -> Result<LoweredExpression> {
        return CallOf(call.arguments[0]->type->id() == TypeId::kMap ? "cardinality" : "len", std::move(arguments));
      }));
}

}  // namespace frazil::engine
