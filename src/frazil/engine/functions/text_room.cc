#include "frazil/engine/functions/text_room.h"

#include <algorithm>
#include <array>

#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/functions/list_room.h"

namespace frazil::engine {
namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

constexpr idx_t kLongestText = INT32_MAX - 15;  // Java's longest array of bytes.
constexpr idx_t kMostBytesOfCharacter = 4;
constexpr idx_t kWorthCounting = 1 << 16;  // Below, the most there can be is near enough.

// The arguments of a call, row by row.
class Arguments {
 public:
  explicit Arguments(duckdb::DataChunk& chunk) : count_(std::min(chunk.ColumnCount(), formats_.size())) {
    for (idx_t i = 0; i < count_; ++i) chunk.data[i].ToUnifiedFormat(chunk.size(), formats_[i]);
  }
  bool HasNull(idx_t row) const {
    return std::any_of(formats_.begin(), formats_.begin() + static_cast<std::ptrdiff_t>(count_),
                       [&](const auto& format) { return !format.validity.RowIsValid(format.sel->get_index(row)); });
  }
  std::string_view Text(idx_t argument, idx_t row) const {
    const auto& text =
        reinterpret_cast<const duckdb::string_t*>(formats_[argument].data)[formats_[argument].sel->get_index(row)];
    return {text.GetData(), text.GetSize()};
  }
  /// INTEGER or BIGINT; negative numbers are 0.
  idx_t Number(idx_t argument, idx_t row) const {
    const auto& format = formats_[argument];
    const auto at = format.sel->get_index(row);
    const int64_t number = format.physical_type == duckdb::PhysicalType::INT32
                               ? reinterpret_cast<const int32_t*>(format.data)[at]
                               : reinterpret_cast<const int64_t*>(format.data)[at];
    return static_cast<idx_t>(std::max<int64_t>(number, 0));
  }

 private:
  std::array<duckdb::UnifiedVectorFormat, 3> formats_;
  idx_t count_;
};

idx_t BytesOfRepeat(const Arguments& arguments, idx_t row) {
  return arguments.Text(0, row).size() * arguments.Number(1, row);
}

idx_t BytesOfPad(const Arguments& arguments, idx_t row) {
  const auto padding = arguments.Text(2, row);
  const bool is_ascii = std::all_of(padding.begin(), padding.end(), [](char c) { return (c & 0x80) == 0; });
  return arguments.Text(0, row).size() + arguments.Number(1, row) * (is_ascii ? 1 : kMostBytesOfCharacter);
}

idx_t BytesOfReplace(const Arguments& arguments, idx_t row) {
  const auto text = arguments.Text(0, row), search = arguments.Text(1, row), by = arguments.Text(2, row);
  if (search.empty() || by.size() <= search.size()) return text.size();
  const idx_t most = text.size() + text.size() / search.size() * by.size();
  if (most <= kWorthCounting) return most;
  idx_t found = 0;
  for (size_t at = text.find(search); at != std::string_view::npos; at = text.find(search, at + search.size())) ++found;
  return text.size() + found * (by.size() - search.size());
}

template <idx_t (*kBytes)(const Arguments&, idx_t)>
void Room(duckdb::DataChunk& chunk, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const Arguments arguments(chunk);
  const idx_t rows = chunk.AllConstant() ? std::min<idx_t>(chunk.size(), 1) : chunk.size();
  idx_t bytes = 0;
  for (idx_t row = 0; row < rows; ++row) {
    if (arguments.HasNull(row)) continue;
    const idx_t mine = kBytes(arguments, row);
    if (mine > kLongestText) {
      ThrowSparkError(Error::Of(ExceptionClass::kSpark, "UNABLE_TO_ACQUIRE_MEMORY",
                                {{"requestedBytes", std::to_string(mine)}, {"receivedBytes", "0"}}));
    }
    bytes += mine;
  }
  CheckListRoom(state, bytes, 1);
  result.Reference(chunk.data[0]);
}

}  // namespace

void RegisterTextRoomKernels(duckdb::ExtensionLoader& loader) {
  const auto add = [&](const char* name, duckdb::vector<LogicalType> rest, duckdb::scalar_function_t function) {
    duckdb::ScalarFunctionSet set(name);
    for (const auto& type : {LogicalType::VARCHAR, LogicalType::BLOB}) {
      duckdb::vector<LogicalType> types = {type};
      for (const auto& other : rest) types.push_back(other.id() == duckdb::LogicalTypeId::ANY ? type : other);
      duckdb::ScalarFunction kernel(types, type, function);
      kernel.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
      kernel.SetFallible();
      set.AddFunction(kernel);
    }
    loader.RegisterFunction(set);
  };
  add("spark_repeat_room", {LogicalType::INTEGER}, Room<BytesOfRepeat>);
  add("spark_pad_room", {LogicalType::INTEGER, LogicalType::ANY}, Room<BytesOfPad>);
  add("spark_replace_room", {LogicalType::ANY, LogicalType::ANY}, Room<BytesOfReplace>);
}

}  // namespace frazil::engine
