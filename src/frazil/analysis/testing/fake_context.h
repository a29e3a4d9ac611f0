#pragma once

// A session for tests of the analysis: tables with columns and no rows, constants folded without an engine.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frazil/analysis/analysis_context.h"
#include "frazil/functions/constant.h"
#include "frazil/sql/parser.h"

namespace frazil::analysis::testing {

class FakeScan : public tables::TableScan {
 public:
  explicit FakeScan(DataTypePtr schema) : schema_(std::move(schema)) {}
  const DataTypePtr& schema() const override { return schema_; }
  Result<tables::ScanPlan> Plan(const PredicatePtr&) const override { return tables::ScanPlan(); }

 private:
  DataTypePtr schema_;
};

class FakeTable : public tables::Table {
 public:
  explicit FakeTable(DataTypePtr schema) : schema_(std::move(schema)) {}
  std::string provider() const override { return "fake"; }
  const DataTypePtr& schema() const override { return schema_; }
  std::string location() const override { return {}; }
  std::map<std::string, std::string> properties() const override { return {}; }
  tables::TableCapabilities capabilities() const override { return {}; }
  Result<tables::TableScanPtr> Scan(const tables::ScanOptions&) const override {
    return tables::TableScanPtr(std::make_shared<FakeScan>(schema_));
  }
  Result<tables::TablePtr> MetadataTable(const std::string&) const override { return tables::TablePtr(); }

 private:
  DataTypePtr schema_;
};

class FakeCatalog : public catalogs::Catalog {
 public:
  std::map<std::string, tables::TablePtr> tables;
  int loads = 0;  ///< How often a table was loaded.

  const std::string& name() const override { return name_; }
  Result<std::vector<catalogs::Namespace>> ListNamespaces(const catalogs::Namespace&) override {
    return std::vector<catalogs::Namespace>{{"default"}};
  }
  Result<bool> NamespaceExists(const catalogs::Namespace&) override { return true; }
  Result<std::map<std::string, std::string>> LoadNamespace(const catalogs::Namespace&) override {
    return std::map<std::string, std::string>();
  }
  Status CreateNamespace(const catalogs::Namespace&, const std::map<std::string, std::string>&) override {
    return Refuse();
  }
  Status AlterNamespace(const catalogs::Namespace&, const std::map<std::string, std::string>&,
                        const std::vector<std::string>&) override {
    return Refuse();
  }
  Status DropNamespace(const catalogs::Namespace&, bool) override { return Refuse(); }
  Result<std::vector<std::string>> ListTables(const catalogs::Namespace&) override {
    return std::vector<std::string>();
  }
  Result<bool> TableExists(const catalogs::Identifier& identifier) override {
    return tables.count(identifier.name) > 0;
  }
  Result<frazil::tables::TablePtr> LoadTable(const catalogs::Identifier& identifier) override {
    ++loads;
    const auto found = tables.find(identifier.name);
    if (found == tables.end())
      return Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier(identifier.name)}});
    return found->second;
  }
  Result<frazil::tables::TablePtr> CreateTable(const catalogs::Identifier&,
                                               const frazil::tables::TableDefinition&) override {
    return Refuse();
  }
  Result<frazil::tables::StagedTable> StageTable(const catalogs::Identifier&, const frazil::tables::TableDefinition&,
                                                 bool) override {
    return Refuse();
  }
  Status DropTable(const catalogs::Identifier&, bool) override { return Refuse(); }
  Status RenameTable(const catalogs::Identifier&, const catalogs::Identifier&) override { return Refuse(); }
  Status AlterTable(const catalogs::Identifier&, const std::vector<frazil::tables::TableChange>&) override {
    return Refuse();
  }

 private:
  static Error Refuse() { return Error::Unsupported("CHANGES IN A FAKE CATALOG"); }
  std::string name_ = "spark_catalog";
};

class FakeContext : public AnalysisContext {
 public:
  void AddTable(const std::string& name, const std::string& columns) {
    auto schema = sql::ParseTableSchema(columns);
    if (schema.ok()) catalog_->tables[name] = std::make_shared<FakeTable>(*schema);
  }
  std::map<std::string, TempView> temp_views;
  FakeCatalog& catalog() { return *catalog_; }

  const functions::ExpressionSettings& settings() const override { return settings_; }
  sql::ParserOptions parser_options() const override { return {}; }
  std::string current_catalog() const override { return "spark_catalog"; }
  catalogs::Namespace current_namespace() const override { return {"default"}; }
  bool HasCatalog(const std::string& name) const override { return name == "spark_catalog"; }
  Result<catalogs::CatalogPtr> ResolveCatalog(const std::string&) override { return catalogs::CatalogPtr(catalog_); }
  std::optional<TempView> FindTempView(const std::string& name) override {
    const auto found = temp_views.find(name);
    return found == temp_views.end() ? std::nullopt : std::optional<TempView>(found->second);
  }
  std::optional<TempView> FindGlobalTempView(const std::string&) override { return std::nullopt; }
  Result<OpenedDataSource> OpenDataSource(const plan::DataSourcePlan& source) override {
    return Error::Unsupported(source.format);
  }
  bool IsDataSourceName(const std::string& name) const override { return name == "parquet"; }
  Result<Value> EvaluateConstant(const ExpressionPtr& expression) override {
    if (auto value = functions::ConstantValue(*expression)) return *value;
    return Error::Internal("A fake context computes nothing: " + expression->sql);
  }
  Result<RowSet> CollectRows(const plan::LogicalPlanPtr& plan) override {
    RowSet rows;
    rows.schema = plan::OutputSchema(*plan);
    return rows;
  }
  Result<CachedRelation> FindCachedRelation(const std::string& relation_id) override {
    return Error::Internal("No relation " + relation_id);
  }
  Result<std::shared_ptr<const RowSet>> CallCatalog(const plan::CatalogCallPlan& call) override {
    return Error::Unsupported(call.call);
  }
  Result<std::shared_ptr<const RowSet>> RunCommand(const plan::PlanPtr&) override {
    return Error::Unsupported("COMMANDS");
  }

 private:
  functions::ExpressionSettings settings_;
  std::shared_ptr<FakeCatalog> catalog_ = std::make_shared<FakeCatalog>();
};

}  // namespace frazil::analysis::testing
