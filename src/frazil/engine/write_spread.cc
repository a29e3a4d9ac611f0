#include "frazil/engine/write_spread.h"

#include <map>

namespace frazil::engine {
namespace {

// The column that an expression passes on: itself, or one that is cast. Equal values stay equal by that.
const ColumnExpression* PassedColumn(const ExpressionPtr& expression) {
  const Expression* passed = expression.get();
  while (passed->kind == ExpressionKind::kCast) passed = passed->As<CastExpression>().child.get();
  return passed->kind == ExpressionKind::kColumn ? &passed->As<ColumnExpression>() : nullptr;
}

}  // namespace

RowSpread SpreadOf(const plan::LogicalPlan& plan, const tables::WriteTask& task) {
  const bool has_field_ids = !task.columns.empty() && task.columns[0].field_id >= 0;
  if (!task.sort.empty() || (has_field_ids && task.write_field_ids && !task.partitions.empty())) return {};
  // Where the columns of the level that was reached come out at the top.
  std::map<AttributeId, size_t> outputs;
  for (size_t i = 0; i < plan.output.size(); ++i) outputs.emplace(plan.output[i].id, i);
  const plan::LogicalPlan* level = &plan;
  while (level->kind != plan::LogicalKind::kRepartition) {
    if (level->kind == plan::LogicalKind::kProject) {
      const auto& project = level->As<plan::ProjectNode>();
      std::map<AttributeId, size_t> below;
      for (size_t i = 0; i < project.expressions.size(); ++i) {
        const auto found = outputs.find(project.output[i].id);
        const auto* column = PassedColumn(project.expressions[i]);
        if (found != outputs.end() && column != nullptr) below.emplace(column->id, found->second);
      }
      outputs = std::move(below);
      level = project.child.get();
    } else if (level->kind == plan::LogicalKind::kFilter) {
      level = level->As<plan::FilterNode>().child.get();
    } else {
      return {};
    }
  }
  const auto& repartition = level->As<plan::RepartitionNode>();
  RowSpread spread;
  if (!repartition.partitions || *repartition.partitions < 2) return spread;
  spread.files = static_cast<size_t>(*repartition.partitions);
  for (const auto& expression : repartition.expressions) {
    const auto* column = PassedColumn(expression);
    const auto found = column == nullptr ? outputs.end() : outputs.find(column->id);
    // A value that the rows do not have any more cannot choose their file.
    if (found == outputs.end()) return {spread.files, {}};
    spread.columns.push_back(found->second);
  }
  return spread;
}

}  // namespace frazil::engine
