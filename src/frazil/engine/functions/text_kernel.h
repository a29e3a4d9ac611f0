#pragma once

// Row kernels that build their text: such a function returns void and takes a std::string& as a further first
// parameter, to which it appends the row's text. All rows of a batch share its room. Internal to engine/.
//
//   AddRowKernel(loader, "spark_reverse", {VARCHAR}, VARCHAR, [](std::string& out, std::string_view text) { ... });

#include "frazil/engine/functions/row_kernel.h"

namespace frazil::engine::row_kernel {

template <typename... Parameters>
struct Caller<void(std::string&, Parameters...)> {
  template <typename Function>
  static duckdb::scalar_function_t Make(Function function) {
    return [function](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
      std::string text;
      const auto with_text = [&](Parameters... parameters) -> std::string_view {
        text.clear();
        function(text, parameters...);
        return text;
      };
      Caller<std::string_view(Parameters...)>::Run(with_text, arguments, result,
                                                   std::index_sequence_for<Parameters...>());
    };
  }
};

}  // namespace frazil::engine::row_kernel
