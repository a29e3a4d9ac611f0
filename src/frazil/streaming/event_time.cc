#include "frazil/streaming/event_time.h"

#include <algorithm>
#include <set>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/plan/watermark.h"

namespace frazil::streaming {
namespace {

using plan::LogicalKind;
using plan::LogicalPlan;

bool IsWatermark(const LogicalPlan& node) {
  return node.kind == LogicalKind::kCollectMetrics &&
         node.As<plan::CollectMetricsNode>().name.starts_with(plan::kWatermarkMetric);
}

int64_t DelayOf(const plan::CollectMetricsNode& watermark) {
  const auto parts = Split(watermark.name, ':');
  return parts.size() > 1 ? ParseInteger<int64_t>(parts[1]).value_or(0) : 0;
}

/// Finds the columns of a plan, from the sources on.
class Finder {
 public:
  void Visit(const LogicalPlan& node) {
    if (node.kind == LogicalKind::kWith) {
      const auto& with = node.As<plan::WithNode>();
      for (const auto& definition : with.definitions) {
        Visit(*definition.plan);
        definitions_[definition.id] = definition.plan.get();
      }
      return Visit(*with.child);
    }
    for (const auto& input : plan::Inputs(node)) Visit(*input);
    if (IsWatermark(node)) {
      const auto& watermark = node.As<plan::CollectMetricsNode>();
      for (const auto& metric : watermark.metrics) {
        VisitExpression(*metric, [&](const Expression& part) {
          if (part.kind == ExpressionKind::kColumn) columns_[part.As<ColumnExpression>().id] = DelayOf(watermark);
          return true;
        });
      }
    } else if (node.kind == LogicalKind::kGenerate) {
      // Sliding windows: one row for each window that a time falls into.
      const auto& generate = node.As<plan::GenerateNode>();
      if (generate.generator != "explode" || generate.arguments.size() != 1) return;
      if (node.output.back().name == plan::kWindowNumber) window_numbers_.insert(node.output.back().id);
      if (!IsWindow(*node.output.back().type)) return;
      if (const auto delay = MadeFromTimes(*generate.arguments[0])) columns_[node.output.back().id] = *delay;
    } else if (node.kind == LogicalKind::kProject) {
      const auto& project = node.As<plan::ProjectNode>();
      for (size_t i = 0; i < project.expressions.size(); ++i) AddResult(*project.expressions[i], project.output[i]);
    } else if (node.kind == LogicalKind::kAggregate) {
      const auto& aggregate = node.As<plan::AggregateNode>();
      for (size_t i = 0; i < aggregate.grouping.size(); ++i) AddResult(*aggregate.grouping[i], aggregate.output[i]);
    } else if (node.kind == LogicalKind::kSetOperation) {
      const auto& operation = node.As<plan::SetOperationNode>();
      AddSame(operation.inputs[0]->output, node.output);
    } else if (node.kind == LogicalKind::kCteReference) {
      const auto definition = definitions_.find(node.As<plan::CteReferenceNode>().id);
      if (definition != definitions_.end()) AddSame(definition->second->output, node.output);
    }
  }

  std::map<AttributeId, int64_t> Take() { return std::move(columns_); }

 private:
  void AddSame(const std::vector<Attribute>& from, const std::vector<Attribute>& to) {
    for (size_t i = 0; i < to.size() && i < from.size(); ++i) {
      if (const auto column = columns_.find(from[i].id); column != columns_.end()) columns_[to[i].id] = column->second;
    }
  }

  void AddResult(const Expression& expression, const Attribute& result) {
    if (result.metadata.contains(plan::kSessionWindowKey)) {
      // Its end is as far from the time as the gap says.
      VisitExpression(expression, [&](const Expression& part) {
        if (part.kind != ExpressionKind::kColumn) return true;
        const auto column = columns_.find(part.As<ColumnExpression>().id);
        if (column != columns_.end()) columns_[result.id] = column->second;
        return true;
      });
      return;
    }
    const bool keeps = expression.kind == ExpressionKind::kColumn || IsWindow(*expression.type) ||
                       expression.sql.starts_with("window_time(");
    if (!keeps) return;
    if (const auto delay = MadeFromTimes(expression)) columns_[result.id] = *delay;
  }

  /// The delay, where all columns of the expression are event times.
  std::optional<int64_t> MadeFromTimes(const Expression& expression) const {
    std::optional<int64_t> delay;
    bool all = true;
    VisitExpression(expression, [&](const Expression& part) {
      if (part.kind != ExpressionKind::kColumn) return all;
      if (window_numbers_.contains(part.As<ColumnExpression>().id)) return all;
      const auto column = columns_.find(part.As<ColumnExpression>().id);
      all = all && column != columns_.end();
      if (all) delay = column->second;
      return all;
    });
    return all ? delay : std::nullopt;
  }

  std::map<AttributeId, int64_t> columns_;
  std::map<uint64_t, const LogicalPlan*> definitions_;
  std::set<AttributeId> window_numbers_;
};

void CollectWatermarks(const LogicalPlan& node, std::vector<std::string>* names) {
  if (IsWatermark(node)) {
    const auto& name = node.As<plan::CollectMetricsNode>().name;
    if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
  }
  for (const auto& input : plan::Inputs(node)) CollectWatermarks(*input, names);
}

}  // namespace

std::map<AttributeId, int64_t> EventTimeColumns(const LogicalPlan& plan) {
  Finder finder;
  finder.Visit(plan);
  return finder.Take();
}

std::optional<size_t> EventTimeColumn(const LogicalPlan& plan, const std::vector<ExpressionPtr>& columns) {
  const auto times = EventTimeColumns(plan);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i]->kind == ExpressionKind::kColumn && times.contains(columns[i]->As<ColumnExpression>().id)) return i;
  }
  return std::nullopt;
}

bool IsWindow(const DataType& type) {
  return type.id() == TypeId::kStruct && type.fields().size() == 2 && type.fields()[0].name == "start" &&
         type.fields()[1].name == "end";
}

std::string EventMicros(const std::string& name, const DataType& type) {
  return "unix_micros(to_timestamp_ltz(" + (IsWindow(type) ? name + ".end" : name) + "))";
}

std::string MicrosOf(int64_t millis) { return std::to_string(millis) + "000L"; }

std::vector<std::string> WatermarkNames(const LogicalPlan& plan) {
  std::vector<std::string> names;
  CollectWatermarks(plan, &names);
  return names;
}

}  // namespace frazil::streaming
