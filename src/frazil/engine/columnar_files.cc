#include "frazil/engine/columnar_files.h"

#include "frazil/plan/logical_plan.h"
#include "frazil/tables/stored_files.h"

namespace frazil::engine {
namespace {

/// One file with columns by name.
class OneFileScan : public tables::TableScan, public tables::StoredFiles {
 public:
  OneFileScan(std::string path, DataTypePtr schema, storage::ObjectStorePtr store)
      : path_(std::move(path)), schema_(std::move(schema)), store_(std::move(store)) {}
  storage::ObjectStorePtr file_store() const override { return store_; }
  const DataTypePtr& schema() const override { return schema_; }
  Result<tables::ScanPlan> Plan(const PredicatePtr&) const override {
    tables::ScanPlan plan;
    for (const auto& field : schema_->fields()) {
      tables::ScanColumn column;
      column.name = field.name;
      column.type = field.type;
      plan.columns.push_back(std::move(column));
    }
    tables::ScanFile file;
    file.path = path_;
    plan.files.push_back(std::move(file));
    return plan;
  }

 private:
  std::string path_;
  DataTypePtr schema_;
  storage::ObjectStorePtr store_;
};

std::vector<Attribute> AttributesOf(const DataType& schema) {
  std::vector<Attribute> attributes;
  for (const auto& field : schema.fields()) {
    Attribute attribute;
    attribute.id = static_cast<AttributeId>(attributes.size() + 1);
    attribute.name = field.name;
    attribute.type = field.type;
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

class EngineColumnarFiles : public tables::ColumnarFiles {
 public:
  EngineColumnarFiles(Engine* engine, const storage::StoreRegistry* stores) : engine_(engine), stores_(stores) {}

  Status Read(const tables::TableContext& context, const std::string& path, const DataTypePtr& schema,
              const std::function<Status(const ArrowBatch&)>& consume) const override {
    auto node = std::make_shared<plan::ScanNode>();
    node->scan = std::make_shared<OneFileScan>(path, schema, context.store);
    node->table_name = path;
    node->output = AttributesOf(*schema);
    for (size_t i = 0; i < node->output.size(); ++i) node->columns.push_back({static_cast<int>(i), {}});
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
    ExecutionContext execution = ContextFor(context);
    const auto stores = storage::WithLocation(*stores_, task.location, context.store);
    execution.stores = &stores;
    return engine_->Write(node, task, execution);
  }

 private:
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
