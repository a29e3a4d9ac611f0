#include "frazil/commands/z_order.h"

#include <algorithm>

#include "frazil/analysis/analyzer.h"
#include "frazil/plan/make_logical.h"
#include "frazil/sql/parser.h"

namespace frazil::commands {
namespace {

constexpr size_t kKeyBits = 60, kMostBits = 12;

Attribute NewColumn(std::string name, DataTypePtr type, CommandContext& context) {
  Attribute attribute;
  attribute.id = context.NextId();
  attribute.name = std::move(name);
  attribute.type = std::move(type);
  attribute.nullable = false;
  return attribute;
}

}  // namespace

Result<plan::LogicalPlanPtr> AlongZCurve(const plan::LogicalPlanPtr& rows, const std::vector<size_t>& columns,
                                         CommandContext& context) {
  if (columns.size() == 1) return plan::MakeSort(rows, {{MakeColumn(rows->output[columns[0]])}});
  const size_t bits = std::min(kMostBits, kKeyBits / columns.size());
  std::vector<ExpressionPtr> windows;
  std::vector<Attribute> ranks;
  for (size_t i = 0; i < columns.size(); ++i) {
    // Which of 2^bits parts of the rows, of about the same size, the row is in by this column.
    auto window = std::make_shared<WindowExpression>();
    window->function = "ntile";
    window->type = DataType::Integer();
    window->arguments = {MakeLiteral(DataType::Integer(), Value(int64_t{1} << bits))};
    window->order_by.push_back({MakeColumn(rows->output[columns[i]])});
    window->frame.type = FrameType::kRows;
    window->frame.start.type = FrameBoundType::kUnboundedPreceding;
    window->sql = "ntile";
    windows.push_back(std::move(window));
    ranks.push_back(NewColumn("z" + std::to_string(i), DataType::Integer(), context));
  }
  std::string key;
  for (size_t bit = 0; bit < bits; ++bit) {
    for (size_t i = 0; i < columns.size(); ++i) {
      key += (key.empty() ? "" : " | ") + std::string("shiftleft(shiftright(CAST(z") + std::to_string(i) +
             " - 1 AS BIGINT), " + std::to_string(bit) + ") & 1L, " +
             std::to_string(bit * columns.size() + columns.size() - 1 - i) + ")";
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(auto parsed, sql::ParseExpression(key, context.parser_options()));
  FRAZIL_ASSIGN_OR_RETURN(auto value, analysis::AnalyzeExpression(parsed, ranks, context));
  auto ranked = plan::MakeWindow(rows, std::move(windows), ranks);
  return plan::MakeColumnProject(plan::MakeSort(std::move(ranked), {{std::move(value)}}), rows->output);
}

}  // namespace frazil::commands
