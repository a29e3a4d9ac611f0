#include "frazil/engine/duckdb_engine.h"

#include <filesystem>
#include <unistd.h>

#include <duckdb/catalog/catalog.hpp>
#include <duckdb/catalog/catalog_entry/schema_catalog_entry.hpp>
#include <duckdb/main/config.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/main/valid_checker.hpp>

#include "frazil/base/logging.h"
#include "frazil/engine/arrow_result.h"
#include "frazil/engine/error_origins.h"
#include "frazil/engine/python_gathering.h"
#include "frazil/engine/scan_functions.h"
#include "frazil/engine/statement.h"
#include "frazil/engine/store_file_system.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/engine/write_rows.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/make_logical.h"

namespace frazil::engine {
namespace {

void Must(duckdb::unique_ptr<duckdb::MaterializedQueryResult> result) {
  if (result->HasError()) result->ThrowError();
}

// The names of DuckDB's aggregate functions: those that take DISTINCT, FILTER and OVER.
std::vector<std::string> AggregateNames(duckdb::Connection& connection) {
  std::vector<std::string> names;
  auto result =
      connection.Query("SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'");
  if (result->HasError()) result->ThrowError();
  for (auto& row : *result) names.push_back(row.GetValue<std::string>(0));
  return names;
}

plan::LogicalPlanPtr OneRowProject(std::vector<ExpressionPtr> expressions, std::vector<std::string> names,
                                   plan::LogicalPlanPtr child, AttributeId first_id) {
  auto project = std::make_shared<plan::ProjectNode>();
  for (size_t i = 0; i < expressions.size(); ++i) {
    Attribute attribute;
    attribute.id = first_id + i;
    attribute.name = names[i];
    attribute.type = expressions[i]->type;
    project->output.push_back(std::move(attribute));
  }
  project->expressions = std::move(expressions);
  project->child = std::move(child);
  return project;
}

// Replaces each aggregate below an expression by a column of the aggregate node's output.
ExpressionPtr PullAggregates(const ExpressionPtr& expression, plan::AggregateNode& node, AttributeId& next_id) {
  if (expression->kind == ExpressionKind::kAggregate) {
    Attribute attribute;
    attribute.id = next_id++;
    attribute.name = "metric";
    attribute.type = expression->type;
    node.output.push_back(attribute);
    node.aggregates.push_back(expression);
    return MakeColumn(attribute);
  }
  auto children = Children(*expression);
  if (children.empty()) return expression;
  for (auto& child : children) child = PullAggregates(child, node, next_id);
  return WithChildren(*expression, std::move(children));
}

// Ids that no column of the statement has: they count from far above.
constexpr AttributeId kOwnIds = AttributeId{1} << 62;

class StatementStream : public ResultStream {
 public:
  StatementStream(DuckDbEngine& engine, std::unique_ptr<Statement> statement, plan::LogicalPlanPtr plan,
                  DataTypePtr schema, duckdb::vector<duckdb::LogicalType> types)
      : engine_(engine),
        statement_(std::move(statement)),
        plan_(std::move(plan)),
        schema_(std::move(schema)),
        builder_(statement_->client(), schema_, std::move(types)) {}

  const DataTypePtr& schema() const override { return schema_; }

  Result<std::unique_ptr<ArrowBatch>> Next() override {
    const auto& context = statement_->state().context;
    try {
      while (true) {
        if (chunk_ == nullptr || at_ >= chunk_->size()) {
          if (ended_) break;
          FRAZIL_ASSIGN_OR_RETURN(chunk_, statement_->NextChunk());
          at_ = 0;
          if (chunk_ == nullptr) {
            ended_ = true;
            FRAZIL_RETURN_IF_ERROR(engine_.ReportObserved(statement_->observed(), context));
            break;
          }
        }
        const auto room = static_cast<duckdb::idx_t>(std::max<int64_t>(1, context.batch_rows - builder_.rows()));
        const auto end = std::min(chunk_->size(), at_ + room);
        builder_.Append(*chunk_, at_, end);
        at_ = end;
        if (builder_.rows() >= context.batch_rows || builder_.bytes() >= context.batch_bytes) break;
      }
      if (builder_.rows() == 0) return std::unique_ptr<ArrowBatch>();
      if (context.metrics != nullptr) context.metrics->rows_out.fetch_add(builder_.rows());
      return std::make_unique<ArrowBatch>(builder_.Finish());
    } catch (const std::exception& exception) {
      return ErrorFromException(exception);
    }
  }

 private:
  DuckDbEngine& engine_;
  std::unique_ptr<Statement> statement_;
  plan::LogicalPlanPtr plan_;
  DataTypePtr schema_;
  ArrowBatchBuilder builder_;
  duckdb::unique_ptr<duckdb::DataChunk> chunk_;
  duckdb::idx_t at_ = 0;
  bool ended_ = false;
};

Result<duckdb::vector<duckdb::LogicalType>> TypesOf(const plan::LogicalPlan& plan) {
  duckdb::vector<duckdb::LogicalType> types;
  for (const auto& attribute : plan.output) {
    FRAZIL_ASSIGN_OR_RETURN(auto type, ToDuckDbType(*attribute.type));
    types.push_back(std::move(type));
  }
  if (types.empty()) types.push_back(duckdb::LogicalType::BOOLEAN);
  return types;
}

}  // namespace

Result<plan::LogicalPlanPtr> Materialize(Engine& engine, const plan::LogicalPlanPtr& plan,
                                         const ExecutionContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto stream, engine.Execute(plan, context));
  auto table = std::make_shared<ArrowTable>();
  table->schema = plan::OutputSchema(*plan);
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(auto batch, stream->Next());
    if (batch == nullptr) break;
    table->batches.push_back(std::move(*batch));
  }
  auto node = std::make_shared<plan::ArrowRowsNode>();
  node->data = std::move(table);
  node->output = plan->output;
  return plan::LogicalPlanPtr(std::move(node));
}

Result<std::unique_ptr<Engine>> Engine::Open(const EngineOptions& options) {
  try {
    return std::unique_ptr<Engine>(std::make_unique<DuckDbEngine>(options));
  } catch (const std::exception& exception) {
    return ErrorFromException(exception);
  }
}

DuckDbEngine::DuckDbEngine(const EngineOptions& options)
    : options_(options), spill_directory_(options.spill_directory) {
  if (spill_directory_.empty()) {
    spill_directory_ = (std::filesystem::temp_directory_path() / ("frazil-spill-" + std::to_string(getpid()))).string();
    owns_spill_directory_ = true;
  }
  RegisterAllFunctions(registry_);
  database_ = OpenDatabase();
  duckdb::Connection connection(*database_);
  registry_.SetDuckDbAggregates(AggregateNames(connection));
}

duckdb::shared_ptr<duckdb::DuckDB> DuckDbEngine::OpenDatabase() {
  duckdb::DBConfig config;
  config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));
  config.SetOptionByName("autoload_known_extensions", duckdb::Value::BOOLEAN(false));
  if (options_.memory_limit_bytes > 0)
    config.SetOptionByName("memory_limit", duckdb::Value(std::to_string(options_.memory_limit_bytes) + "B"));
  if (options_.threads > 0) config.SetOptionByName("threads", duckdb::Value::BIGINT(options_.threads));
  config.SetOptionByName("temp_directory", duckdb::Value(spill_directory_));
  auto database = duckdb::make_shared_ptr<duckdb::DuckDB>(nullptr, &config);

  RegisterErrorOrigins(database->instance->config);
  RegisterPythonGathering(database->instance->config);

  duckdb::Connection connection(*database);
  Must(connection.Query("SET GLOBAL TimeZone = 'UTC'"));
  Must(connection.Query("SET GLOBAL max_expression_depth = 100000"));
  // Footers of data files, which never change; those of other files are forgotten when they do (changed_files.h).
  Must(connection.Query("SET GLOBAL parquet_metadata_cache = true"));
  RegisterStoreFileSystem(*database->instance);
  duckdb::ExtensionLoader loader(*database->instance, "frazil");
  for (const auto& registrar : registry_.kernels()) registrar(loader);
  RegisterRangeFunction(loader);
  RegisterPartitionsFunction(loader);
  RegisterScanFunctions(loader);
  RegisterWriteFunctions(loader);
  return database;
}

duckdb::shared_ptr<duckdb::DuckDB> DuckDbEngine::Database() {
  const std::lock_guard lock(database_mutex_);
  if (duckdb::ValidChecker::IsInvalidated(*database_->instance)) {
    Log(LogLevel::kError, "The execution core gave up; a fresh one takes its place",
        {{"error", duckdb::ValidChecker::InvalidatedMessage(*database_->instance)}});
    database_ = OpenDatabase();
  }
  return database_;
}

DuckDbEngine::~DuckDbEngine() {
  database_.reset();
  if (owns_spill_directory_) {
    std::error_code ignored;  // The folder may never have been made.
    std::filesystem::remove_all(spill_directory_, ignored);
  }
}

Result<std::unique_ptr<ResultStream>> DuckDbEngine::Execute(const plan::LogicalPlanPtr& given,
                                                            const ExecutionContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto plan, WithObservedRows(given, context));
  FRAZIL_ASSIGN_OR_RETURN(auto types, TypesOf(*plan));
  try {
    auto statement = std::make_unique<Statement>(*Database()->instance, registry_, context);
    FRAZIL_RETURN_IF_ERROR(statement->StartQuery(plan));
    return std::unique_ptr<ResultStream>(std::make_unique<StatementStream>(
        *this, std::move(statement), plan, plan::OutputSchema(*plan), std::move(types)));
  } catch (const std::exception& exception) {
    return ErrorFromException(exception);
  }
}

Result<RowSet> DuckDbEngine::Collect(const plan::LogicalPlanPtr& given, const ExecutionContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto plan, WithObservedRows(given, context));
  try {
    Statement statement(*Database()->instance, registry_, context);
    FRAZIL_RETURN_IF_ERROR(statement.StartQuery(plan));
    RowSet rows;
    rows.schema = plan::OutputSchema(*plan);
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(auto chunk, statement.NextChunk());
      if (chunk == nullptr) break;
      for (duckdb::idx_t i = 0; i < chunk->size(); ++i) {
        std::vector<Value> row;
        row.reserve(plan->output.size());
        for (size_t column = 0; column < plan->output.size(); ++column) {
          row.push_back(FromDuckDbValue(*plan->output[column].type, chunk->GetValue(column, i)));
        }
        rows.rows.push_back(std::move(row));
      }
    }
    if (context.metrics != nullptr) context.metrics->rows_out.fetch_add(static_cast<int64_t>(rows.rows.size()));
    FRAZIL_RETURN_IF_ERROR(ReportObserved(statement.observed(), context));
    return rows;
  } catch (const std::exception& exception) {
    return ErrorFromException(exception);
  }
}

Result<std::vector<tables::WrittenFile>> DuckDbEngine::Write(const plan::LogicalPlanPtr& given,
                                                             const tables::WriteTask& task,
                                                             const ExecutionContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const auto plan, WithObservedRows(given, context));
  try {
    Statement statement(*Database()->instance, registry_, context);
    FRAZIL_ASSIGN_OR_RETURN(auto files, WriteRows(statement, registry_, plan, task));
    FRAZIL_RETURN_IF_ERROR(ReportObserved(statement.observed(), context));
    return files;
  } catch (const std::exception& exception) {
    return ErrorFromException(exception);
  }
}

Result<Value> DuckDbEngine::Evaluate(const ExpressionPtr& expression, const ExecutionContext& context) {
  if (expression->kind == ExpressionKind::kLiteral) return expression->As<LiteralExpression>().value;
  FRAZIL_ASSIGN_OR_RETURN(
      auto rows,
      Collect(OneRowProject({expression}, {"value"}, std::make_shared<plan::OneRowNode>(), kOwnIds), context));
  if (rows.rows.size() != 1 || rows.rows[0].size() != 1)
    return Error::Internal("A constant expression gave no single value");
  return std::move(rows.rows[0][0]);
}

bool DuckDbEngine::HasFunction(std::string_view name) const {
  return registry_.Has(ImplementationClass::kScalar, name) || registry_.Has(ImplementationClass::kAggregate, name) ||
         registry_.Has(ImplementationClass::kWindow, name);
}

Result<plan::LogicalPlanPtr> DuckDbEngine::WithObservedRows(const plan::LogicalPlanPtr& plan,
                                                            const ExecutionContext& context) {
  if (!context.on_observed) return plan;
  auto inputs = plan::Inputs(*plan);
  bool changed = false;
  for (auto& input : inputs) {
    FRAZIL_ASSIGN_OR_RETURN(auto replaced, WithObservedRows(input, context));
    changed = changed || replaced != input;
    input = std::move(replaced);
  }
  if (plan->kind == plan::LogicalKind::kCollectMetrics && !plan::IsDeterministic(*inputs[0])) {
    // What is observed further below is reported by this run; its rows are no rows of the statement's own.
    ExecutionContext inner = context;
    inner.metrics = nullptr;
    FRAZIL_ASSIGN_OR_RETURN(inputs[0], Materialize(*this, inputs[0], inner));
    changed = true;
  }
  return changed ? plan::WithInputs(*plan, std::move(inputs)) : plan;
}

Status DuckDbEngine::ReportObserved(const std::vector<const plan::CollectMetricsNode*>& nodes,
                                    const ExecutionContext& context) {
  if (!context.on_observed) return Status::Ok();
  for (const auto* node : nodes) {
    auto aggregate = std::make_shared<plan::AggregateNode>();
    aggregate->child = node->child;
    AttributeId next_id = kOwnIds;
    std::vector<ExpressionPtr> expressions;
    for (const auto& metric : node->metrics) expressions.push_back(PullAggregates(metric, *aggregate, next_id));
    ExecutionContext inner = context;
    inner.on_observed = nullptr;
    inner.metrics = nullptr;
    FRAZIL_ASSIGN_OR_RETURN(
        const auto rows, Collect(OneRowProject(std::move(expressions), node->metric_names, aggregate, next_id), inner));
    ObservedMetrics observed;
    observed.name = node->name;
    observed.plan_id = node->plan_id;
    observed.keys = node->metric_names;
    for (const auto& field : rows.schema->fields()) observed.types.push_back(field.type);
    if (!rows.rows.empty()) observed.values = rows.rows[0];
    context.on_observed(std::move(observed));
  }
  return Status::Ok();
}

}  // namespace frazil::engine
