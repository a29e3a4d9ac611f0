// LIMIT over a stream: so many rows of all batches together. Source: StreamingGlobalLimitExec of Spark.

#include <algorithm>

#include "frazil/plan/make_logical.h"
#include "frazil/streaming/stateful.h"
#include "frazil/streaming/statements.h"
#include "frazil/tables/arrow_column.h"

namespace frazil::streaming {

using plan::LogicalPlanPtr;

Result<LogicalPlanPtr> StatefulOperators::Limit(const plan::LimitNode& node, const LogicalPlanPtr& child,
                                                const StatefulBatch& batch, commands::CommandContext& context) {
  StateStore& store = NextStore();
  Statements statements(context);
  StateReport report;
  report.operator_name = "globalLimit";
  // How many rows have been given so far.
  const auto schema = DataType::Struct({StructField("given", DataType::Long(), true)});
  auto former = std::make_shared<plan::ArrowRowsNode>();
  former->output.push_back(NewColumn(context, "given", DataType::Long()));
  FRAZIL_ASSIGN_OR_RETURN(former->data, store.Load(batch.id, schema));
  int64_t given = 0;
  for (const auto& rows : former->data->batches)
    if (rows.num_rows() > 0) given = tables::ArrowColumn::OfBatch(rows, *schema).Field("given").Integer(0);
  // All rows of the batch run, for what its sources and watermarks observe.
  FRAZIL_ASSIGN_OR_RETURN(auto rows, statements.RunTyped(child));
  FRAZIL_ASSIGN_OR_RETURN(
      rows, statements.RunTyped(plan::MakeLimit(std::move(rows), std::max<int64_t>(0, *node.limit - given))));
  const std::string total = std::to_string(given + RowCount(*rows)) + "L";
  FRAZIL_ASSIGN_OR_RETURN(const auto next_query,
                          statements.Group(statements.Put(former), {}, {total + " + 0L * count(1) AS given"}));
  FRAZIL_ASSIGN_OR_RETURN(const auto next, statements.Run(next_query));
  FRAZIL_RETURN_IF_ERROR(store.Save(batch.id + 1, next->As<plan::ArrowRowsNode>().data));
  report.rows_total = 1;
  report.rows_updated = 1;
  reports_.push_back(std::move(report));
  std::vector<ExpressionPtr> outputs;
  for (const auto& column : rows->output) outputs.push_back(MakeColumn(column));
  return plan::MakeProject(std::move(rows), std::move(outputs), node.output);
}

}  // namespace frazil::streaming
