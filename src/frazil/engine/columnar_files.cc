#include "frazil/engine/columnar_files.h"

#include <algorithm>

#include "frazil/plan/logical_plan.h"
#include "frazil/plan/make_logical.h"
#include "frazil/storage/located_stores.h"
#include "frazil/tables/stored_files.h"

namespace frazil::engine {
namespace {

/// Files that are known already.
class PlannedFiles : public tables::TableScan, public tables::StoredFiles {
 public:
  PlannedFiles(tables::ScanPlan plan, storage::ObjectStorePtr store)
      : plan_(std::move(plan)), store_(std::move(store)) {
    std::vector<StructField> fields;
    for (const auto& column : plan_.columns) fields.emplace_back(column.name, column.type, column.nullable);
    schema_ = DataType::Struct(std::move(fields));
  }
  const DataTypePtr& schema() const override { return schema_; }
  storage::ObjectStorePtr file_store() const override { return store_; }
  Result<tables::ScanPlan> Plan(const PredicatePtr&) const override { return plan_; }

 private:
  tables::ScanPlan plan_;
  storage::ObjectStorePtr store_;
  DataTypePtr schema_;
};

/// One file with columns by name.
tables::ScanPlan PlanOf(const std::string& path, const DataType& schema, tables::FileFormat format) {
  tables::ScanPlan plan;
  for (const auto& field : schema.fields()) {
    tables::ScanColumn column;
    column.name = field.name;
    column.type = field.type;
    plan.columns.push_back(std::move(column));
  }
  tables::ScanFile file;
  file.path = path;
  file.format = format;
  plan.files.push_back(std::move(file));
  return plan;
}

std::vector<Attribute> AttributesOf(const DataType& schema, AttributeId first_id = 1) {
  std::vector<Attribute> attributes;
  for (const auto& field : schema.fields()) {
    Attribute attribute;
    attribute.id = first_id + static_cast<AttributeId>(attributes.size());
    attribute.name = field.name;
    attribute.type = field.type;
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

/// Floating-point numbers are equal as Java's objects are: NaN to itself, 0.0 not to -0.0. Their texts tell all apart.
ExpressionPtr ComparedAs(const Attribute& column) {
  const TypeId id = column.type->id();
  if (id != TypeId::kFloat && id != TypeId::kDouble) return MakeColumn(column);
  return MakeCast(MakeColumn(column), DataType::String(), EvalMode::kLegacy);
}

class EngineColumnarFiles : public tables::ColumnarFiles {
 public:
  EngineColumnarFiles(Engine* engine, const storage::StoreRegistry* stores) : engine_(engine), stores_(stores) {}

  Status Read(const tables::TableContext& context, const std::string& path, const DataTypePtr& schema,
              const std::function<Status(const ArrowBatch&)>& consume, tables::FileFormat format) const override {
    auto node = ScanOf(context, PlanOf(path, *schema, format), path, 1);
    FRAZIL_ASSIGN_OR_RETURN(auto stream, engine_->Execute(node, ContextFor(context)));
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(auto batch, stream->Next());
      if (batch == nullptr) return {};
      FRAZIL_RETURN_IF_ERROR(consume(*batch));
    }
  }

  Result<std::string> Write(const tables::TableContext& context, const std::string& folder, const std::string& prefix,
                            const ArrowTablePtr& rows) const override {
    tables::WriteTask task;
    task.location = folder;
    task.file_name_prefix = prefix;
    task.compression = "snappy";
    task.target_file_size = INT64_MAX;
    for (const auto& field : rows->schema->fields()) {
      tables::ScanColumn column;
      column.name = field.name;
      column.type = field.type;
      task.columns.push_back(std::move(column));
    }
    FRAZIL_ASSIGN_OR_RETURN(auto files, WriteFiles(context, task, rows));
    if (files.size() != 1)
      return Error::Internal("a file of metadata became " + std::to_string(files.size()) + " files");
    return std::move(files[0].path);
  }

  Result<std::vector<tables::WrittenFile>> WriteFiles(const tables::TableContext& context,
                                                      const tables::WriteTask& task,
                                                      const ArrowTablePtr& rows) const override {
    auto node = std::make_shared<plan::ArrowRowsNode>();
    node->data = rows;
    node->output = AttributesOf(*rows->schema);
    return Run(context, task, node);
  }

  Result<std::vector<tables::WrittenFile>> WriteRows(const tables::TableContext& context, const tables::WriteTask& task,
                                                     std::shared_ptr<const RowSet> rows) const override {
    auto node = std::make_shared<plan::RowsNode>();
    node->output = AttributesOf(*rows->schema);
    node->rows = std::move(rows);
    return Run(context, task, node);
  }

  Result<std::vector<int64_t>> MatchingRows(const tables::TableContext& context, tables::ScanPlan rows,
                                            tables::ScanPlan others) const override {
    const std::string name = rows.files.empty() ? std::string() : rows.files[0].path;
    const auto width = static_cast<AttributeId>(rows.columns.size());
    auto left = ScanOf(context, std::move(rows), name, 1);
    auto right = ScanOf(context, std::move(others), name, width + 1);
    Attribute position;
    position.id = 2 * width + 1;
    position.name = plan::kFilePositionColumn;
    position.type = DataType::Long();
    position.nullable = false;
    ExpressionPtr condition;
    for (size_t i = 0; i < left->output.size(); ++i) {
      auto equal = MakeCall("null_safe_equal", {ComparedAs(left->output[i]), ComparedAs(right->output[i])},
                            DataType::Boolean(), false);
      condition = condition == nullptr ? equal : MakeCall("and", {condition, equal}, DataType::Boolean(), false);
    }
    left->output.push_back(position);
    left->columns.push_back({-1, plan::kFilePositionColumn});
    auto matching = plan::MakeColumnProject(
        plan::MakeJoin(left, right, plan::JoinType::kLeftSemi, std::move(condition)), {position});
    FRAZIL_ASSIGN_OR_RETURN(auto found, engine_->Collect(matching, ContextFor(context)));
    std::vector<int64_t> positions;
    for (const auto& row : found.rows) positions.push_back(row[0].integer());
    std::sort(positions.begin(), positions.end());
    return positions;
  }

 private:
  /// The columns get ids from `first_id` on.
  std::shared_ptr<plan::ScanNode> ScanOf(const tables::TableContext& context, tables::ScanPlan plan, std::string name,
                                         AttributeId first_id) const {
    auto node = std::make_shared<plan::ScanNode>();
    node->scan = std::make_shared<PlannedFiles>(std::move(plan), context.store);
    node->table_name = std::move(name);
    node->output = AttributesOf(*node->scan->schema(), first_id);
    for (size_t i = 0; i < node->output.size(); ++i) node->columns.push_back({static_cast<int>(i), {}});
    return node;
  }

  Result<std::vector<tables::WrittenFile>> Run(const tables::TableContext& context, const tables::WriteTask& task,
                                               const plan::LogicalPlanPtr& rows) const {
    ExecutionContext execution = ContextFor(context);
    const auto stores = storage::WithLocation(*stores_, task.location, context.store);
    execution.stores = &stores;
    return engine_->Write(rows, task, execution);
  }

  ExecutionContext ContextFor(const tables::TableContext& context) const {
    ExecutionContext execution;
    execution.store_settings = context.settings;
    execution.stores = stores_;
    return execution;
  }

  Engine* engine_;
  const storage::StoreRegistry* stores_;
};

}  // namespace

tables::ColumnarFilesPtr MakeColumnarFiles(Engine* engine, const storage::StoreRegistry* stores) {
  return std::make_shared<EngineColumnarFiles>(engine, stores);
}

}  // namespace frazil::engine
