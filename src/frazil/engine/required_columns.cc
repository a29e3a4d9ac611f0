#include "frazil/engine/required_columns.h"

#include <algorithm>

#include "frazil/expressions/expression.h"

namespace frazil::engine {
namespace {

bool MentionsInExpression(const ExpressionPtr& expression, AttributeId id) {
  bool found = false;
  VisitExpression(*expression, [&](const Expression& part) {
    if (part.kind == ExpressionKind::kColumn) found = found || part.As<ColumnExpression>().id == id;
    if (part.kind == ExpressionKind::kSubquery)
      found = found || Mentions(static_cast<const plan::LogicalPlan&>(*part.As<SubqueryExpression>().plan), id);
    return !found;
  });
  return found;
}

bool NodeMentions(const plan::LogicalPlan& node, AttributeId id) {
  const auto expressions = plan::NodeExpressions(node);
  return std::any_of(expressions.begin(), expressions.end(),
                     [&](const auto& expression) { return MentionsInExpression(expression, id); });
}

// The nodes from `node` down to the scan; false where it is not below.
bool PathTo(const plan::LogicalPlan& node, const plan::ScanNode& scan, std::vector<const plan::LogicalPlan*>& path) {
  if (&node == &scan) return true;
  path.push_back(&node);
  for (const auto& input : plan::Inputs(node)) {
    if (PathTo(*input, scan, path)) return true;
  }
  path.pop_back();
  return false;
}

}  // namespace

bool Mentions(const plan::LogicalPlan& plan, AttributeId id) {
  if (NodeMentions(plan, id)) return true;
  const auto inputs = plan::Inputs(plan);
  return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return Mentions(*input, id); });
}

std::optional<std::set<AttributeId>> RequiredColumns(const plan::LogicalPlan& root, const plan::ScanNode& scan) {
  std::vector<const plan::LogicalPlan*> path;
  if (!PathTo(root, scan, path)) return std::nullopt;
  std::set<AttributeId> required;
  for (auto node = path.rbegin(); node != path.rend(); ++node) {
    using plan::LogicalKind;
    const LogicalKind kind = (*node)->kind;
    const bool ends = kind == LogicalKind::kProject || kind == LogicalKind::kAggregate;
    const bool passes = kind == LogicalKind::kFilter || kind == LogicalKind::kSort || kind == LogicalKind::kLimit ||
                        kind == LogicalKind::kTail;
    if (!ends && !passes) return std::nullopt;
    for (const auto& attribute : scan.output) {
      if (NodeMentions(**node, attribute.id)) required.insert(attribute.id);
    }
    if (ends) return required;
  }
  for (const auto& attribute : scan.output) required.insert(attribute.id);
  return required;
}

}  // namespace frazil::engine
