#pragma once

// Statements that stateful operators run over relations in memory, written as SQL expressions over their columns.

#include <string>
#include <vector>

#include "frazil/commands/command_context.h"
#include "frazil/plan/logical_plan.h"
#include "frazil/plan/unresolved_plan.h"

namespace frazil::streaming {

/// A column that the statement's plans do not have yet.
Attribute NewColumn(commands::CommandContext& context, std::string name, DataTypePtr type);

/// Relations of a batch and statements over them; the relations go with it. Items are SQL expressions, with " AS name"
/// behind them where they are to have a name.
class Statements {
 public:
  explicit Statements(commands::CommandContext& context) : context_(context) {}
  ~Statements();
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;

  plan::PlanPtr Put(plan::LogicalPlanPtr plan);
  Result<plan::PlanPtr> Filter(plan::PlanPtr child, const std::string& condition);
  Result<plan::PlanPtr> Select(plan::PlanPtr child, const std::vector<std::string>& items);
  Result<plan::PlanPtr> Group(plan::PlanPtr child, const std::vector<std::string>& keys,
                              const std::vector<std::string>& items);
  static plan::PlanPtr UnionAll(plan::PlanPtr left, plan::PlanPtr right);
  /// The sides are called l and r in the condition.
  Result<plan::PlanPtr> Join(plan::PlanPtr left, plan::PlanPtr right, plan::JoinType type,
                             const std::string& condition);
  /// The rows of a plan in memory: an ArrowRowsNode.
  Result<plan::LogicalPlanPtr> Run(const plan::PlanPtr& plan);
  Result<plan::LogicalPlanPtr> RunTyped(const plan::LogicalPlanPtr& plan);

 private:
  Result<plan::ExprPtr> Expr(const std::string& text);
  Result<std::vector<plan::ExprPtr>> Exprs(const std::vector<std::string>& texts);

  commands::CommandContext& context_;
  std::vector<std::string> relations_;
};

/// The number of rows of an ArrowRowsNode.
int64_t RowCount(const plan::LogicalPlan& rows);
/// Null-safe equality of the columns k0, k1, ... of two relations l and r.
std::string SameKeys(size_t keys);

}  // namespace frazil::streaming
