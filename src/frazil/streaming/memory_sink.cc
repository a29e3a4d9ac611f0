// The sink memory: rows kept in the server, which the temporary view of the query's name shows.

#include "frazil/base/uuid.h"
#include "frazil/engine/engine.h"
#include "frazil/plan/unresolved_plan.h"
#include "frazil/streaming/sink.h"
#include "frazil/types/shared_batch.h"

namespace frazil::streaming {
namespace {

class MemorySink : public Sink {
 public:
  MemorySink(DataTypePtr schema, StreamHost& host) : schema_(std::move(schema)), host_(host) {
    auto none = std::make_shared<ArrowTable>();
    none->schema = schema_;
    rows_ = std::move(none);
  }

  void Show(const std::string& name) {
    Publish();
    analysis::TempView view;
    auto relation = std::make_shared<plan::CachedRelationPlan>();
    relation->relation_id = relation_;
    view.plan = std::move(relation);
    host_.PutUserView(name, std::move(view));
  }

  std::string description() const override { return "MemorySink"; }

  Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(auto rows, engine::Materialize(context.engine(), batch.rows, context.execution()));
    const auto& added = rows->As<plan::ArrowRowsNode>().data;
    auto table = std::make_shared<ArrowTable>();
    table->schema = schema_;
    if (batch.mode != OutputMode::kComplete) {
      for (const auto& former : rows_->batches) table->batches.push_back(ShareBatch(rows_, former));
    }
    int64_t count = 0;
    for (const auto& piece : added->batches) {
      count += piece.num_rows();
      if (piece.num_rows() > 0) table->batches.push_back(ShareBatch(added, piece));
    }
    rows_ = std::move(table);
    Publish();
    return std::optional<int64_t>(count);
  }

 private:
  void Publish() {
    auto node = std::make_shared<plan::ArrowRowsNode>();
    AttributeId id = 1;
    for (const auto& field : schema_->fields()) {
      Attribute column;
      column.id = id++;
      column.name = field.name;
      column.type = field.type;
      column.nullable = field.nullable;
      column.metadata = field.metadata;
      node->output.push_back(std::move(column));
    }
    node->data = rows_;
    host_.PutUserRelation(relation_, {std::move(node)});
  }

  const DataTypePtr schema_;
  StreamHost& host_;
  const std::string relation_ = RandomUuidText();
  ArrowTablePtr rows_;
};

}  // namespace

Result<std::unique_ptr<Sink>> MakeMemorySink(const StreamWrite& write, const DataTypePtr& schema, StreamHost& host) {
  if (write.query_name.empty()) return Error::Of("_LEGACY_ERROR_TEMP_1194");
  auto sink = std::make_unique<MemorySink>(schema, host);
  sink->Show(write.query_name);
  return std::unique_ptr<Sink>(std::move(sink));
}

}  // namespace frazil::streaming
