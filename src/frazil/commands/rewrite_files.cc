#include "frazil/commands/rewrite_files.h"

#include <algorithm>

#include "frazil/analysis/dml/row_level.h"
#include "frazil/base/text.h"
#include "frazil/commands/table_writer.h"
#include "frazil/plan/make_logical.h"

namespace frazil::commands {

namespace {

constexpr int kMostBits = 12;

/// The rows sorted by their place on the curve: each column gives one coordinate, the number of the part that a row is
/// in when all rows are sorted by the column.
Result<plan::LogicalPlanPtr> InCurveOrder(const analysis::TargetRows& rows, const CurveOrder& curve,
                                          CommandContext& context) {
  const int bits = std::min<int>(kMostBits, 62 / static_cast<int>(curve.columns.size()));
  if (bits < 1) return Error::Unsupported("an order by more than 62 columns at once");
  std::vector<ExpressionPtr> place = {MakeLiteral(DataType::Boolean(), Value(curve.is_hilbert)),
                                      MakeLiteral(DataType::Integer(), Value(static_cast<int64_t>(bits)))};
  auto plan = rows.plan;
  if (curve.columns.size() == 1) return plan::MakeSort(plan, {SortKey{MakeColumn(rows.columns[curve.columns[0]])}});
  for (const size_t index : curve.columns) {
    const Attribute& column = rows.columns[index];
    auto part = std::make_shared<WindowExpression>();
    part->function = "ntile";
    part->arguments = {MakeLiteral(DataType::Integer(), Value(int64_t{1} << bits))};
    part->type = DataType::Integer();
    part->nullable = false;
    part->order_by = {SortKey{MakeColumn(column), true, true}};
    part->frame.type = FrameType::kRows;
    part->frame.start.type = FrameBoundType::kUnboundedPreceding;
    Attribute coordinate;
    coordinate.id = context.NextId();
    coordinate.name = "part of " + column.name;
    coordinate.type = DataType::Integer();
    coordinate.nullable = false;
    plan = plan::MakeWindow(plan, {part}, {coordinate});
    place.push_back(MakeColumn(coordinate));
  }
  auto position = MakeCall("curve_position", std::move(place), DataType::Long(), false);
  return plan::MakeSort(plan, {SortKey{std::move(position), true, true}});
}

}  // namespace

Result<RewrittenFiles> RewriteFiles(const analysis::ResolvedTable& table, const tables::TableScanPtr& scan,
                                    const std::vector<std::vector<std::string>>& groups,
                                    const tables::WriteOptions& options, CommandContext& context,
                                    const std::optional<CurveOrder>& curve) {
  const analysis::RowLevelTarget target{scan, QuoteIdentifier(table.full_name), Join(table.full_name, "."),
                                        table.full_name, table.table->schema()};
  FRAZIL_ASSIGN_OR_RETURN(auto write, table.table->StartWrite(options));
  RewrittenFiles rewritten;
  for (size_t i = 0; i < groups.size(); ++i) {
    FRAZIL_ASSIGN_OR_RETURN(auto rows, analysis::ScanTargetFiles(target, groups[i], context));
    tables::WriteTask task = write->task();
    // One name for each group: its files are numbered from the start again.
    if (i > 0) task.file_name_prefix += "-g" + std::to_string(i + 1);
    if (curve) {
      FRAZIL_ASSIGN_OR_RETURN(rows.plan, InCurveOrder(rows, *curve, context));
      task.sort.clear();
    }
    FRAZIL_ASSIGN_OR_RETURN(auto files, WriteFiles(analysis::CopiedRows(rows), *write, task, context));
    rewritten.removed += static_cast<int64_t>(groups[i].size());
    rewritten.added += static_cast<int64_t>(files.size());
    for (const auto& file : files) rewritten.added_bytes.push_back(file.size);
    write->AddFiles(std::move(files));
    write->RemoveFiles(groups[i]);
  }
  FRAZIL_RETURN_IF_ERROR(CommitWrite(*write));
  return rewritten;
}

}  // namespace frazil::commands
