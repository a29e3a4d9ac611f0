// Names in FROM: common table expressions, temporary views, tables and views of catalogs, metadata tables, paths; time
// travel.

#include <algorithm>
#include <functional>
#include <limits>

#include "frazil/analysis/analyzer_internal.h"
#include "frazil/analysis/expression_rewrite_internal.h"
#include "frazil/analysis/name_scope_internal.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/catalogs/session_names.h"
#include "frazil/functions/constant.h"
#include "frazil/plan/delta_command.h"
#include "frazil/plan/determinism.h"
#include "frazil/plan/file_metadata.h"
#include "frazil/plan/make_logical.h"
#include "frazil/plan/streaming.h"
#include "frazil/tables/located_scan.h"
#include "frazil/tables/named_states.h"
#include "frazil/types/cast_rules.h"

namespace frazil::analysis {
namespace {

constexpr size_t kMaxViewDepth = 100;

std::shared_ptr<const SourceObject> ViewObject(std::string name) {
  return std::make_shared<const SourceObject>(SourceObject{"VIEW", std::move(name)});
}

// Times beyond what microseconds can tell are the last one that they can.
int64_t MicrosOf(int64_t millis) {
  int64_t micros = 0;
  if (!__builtin_mul_overflow(millis, int64_t{1000}, &micros)) return micros;
  return millis < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

const std::string* FindOption(const std::map<std::string, std::string>& options, std::string_view key) {
  for (const auto& [name, value] : options) {
    if (EqualsIgnoreCase(name, key)) return &value;
  }
  return nullptr;
}

// Iceberg's selectors at the end of a name: t.branch_x, t.tag_x, t.snapshot_id_5, t.at_timestamp_1700000000000.
std::optional<tables::ScanOptions> SelectorOf(const std::string& part) {
  tables::ScanOptions options;
  const auto after = [&](std::string_view prefix) -> std::optional<std::string> {
    if (!part.starts_with(prefix) || part.size() == prefix.size()) return std::nullopt;
    return part.substr(prefix.size());
  };
  if (const auto branch = after("branch_")) {
    options.reference = *branch;
  } else if (const auto tag = after("tag_")) {
    options.options["tag"] = *tag;
  } else if (const auto id = after("snapshot_id_")) {
    options.snapshot_id = ParseInteger<int64_t>(*id);
    if (!options.snapshot_id) return std::nullopt;
  } else if (const auto at = after("at_timestamp_")) {
    const auto millis = ParseInteger<int64_t>(*at);
    if (!millis) return std::nullopt;
    options.timestamp_micros = MicrosOf(*millis);
  } else {
    return std::nullopt;
  }
  return options;
}

bool IsNotFound(const Error& error) {
  return error.condition == "TABLE_OR_VIEW_NOT_FOUND" || error.condition == "SCHEMA_NOT_FOUND" ||
         error.condition == "CATALOG_NOT_FOUND" || error.condition == "REQUIRES_SINGLE_PART_NAMESPACE";
}

bool IsDeltaTable(const plan::NamedTablePlan& table) {
  return dynamic_cast<const plan::DeltaTablePlan*>(&table) != nullptr;
}

Error NotOfDelta(const std::vector<std::string>& name) {
  return Error::Of("DELTA_MISSING_DELTA_TABLE", {{"tableName", QuoteIdentifier(name)}});
}

}  // namespace

Error Analyzer::TableNotFound(const std::vector<std::string>& name) const {
  // Of more parts than the session catalog has, which is then the one that is asked.
  const bool names_catalog = name.size() > 1 && context_.HasCatalog(name[0]);
  const size_t levels = name.size() - 1 - (names_catalog ? 1 : 0);
  const std::string catalog = names_catalog           ? name[0]
                              : view_catalog_.empty() ? context_.current_catalog()
                                                      : view_catalog_;
  if (levels > 1 && catalog == catalogs::kSessionCatalog) {
    return catalogs::SinglePartNamespace(catalog, {name.begin() + (names_catalog ? 1 : 0), name.end() - 1});
  }
  return Error::Of("TABLE_OR_VIEW_NOT_FOUND", {{"relationName", QuoteIdentifier(name)}});
}

bool Analyzer::IsPathName(const std::vector<std::string>& name) const {
  return name.size() == 2 && context_.IsDataSourceName(name[0]) &&
         (name[1].find('/') != std::string::npos || name[1].find(':') != std::string::npos);
}

Result<ResolvedIdentifier> Analyzer::SplitName(const std::vector<std::string>& name) {
  ResolvedIdentifier resolved;
  if (name.empty()) return Error::Internal("A table name is empty.");
  const std::string current = view_catalog_.empty() ? context_.current_catalog() : view_catalog_;
  if (name.size() == 1) {
    FRAZIL_ASSIGN_OR_RETURN(resolved.catalog, context_.ResolveCatalog(current));
    resolved.identifier.name_space = view_catalog_.empty() ? context_.current_namespace() : view_namespace_;
    resolved.identifier.name = name[0];
    return resolved;
  }
  const bool names_catalog = context_.HasCatalog(name[0]);
  FRAZIL_ASSIGN_OR_RETURN(resolved.catalog, context_.ResolveCatalog(names_catalog ? name[0] : current));
  resolved.identifier.name_space.assign(name.begin() + (names_catalog ? 1 : 0), name.end() - 1);
  resolved.identifier.name = name.back();
  if (resolved.identifier.name_space.empty()) resolved.identifier.name_space = resolved.catalog->default_namespace();
  return resolved;
}

Result<ResolvedTable> Analyzer::LoadTableByName(const std::vector<std::string>& name) {
  const auto load = [&](const std::vector<std::string>& parts) -> Result<ResolvedTable> {
    FRAZIL_ASSIGN_OR_RETURN(auto split, SplitName(parts));
    ResolvedTable resolved;
    FRAZIL_ASSIGN_OR_RETURN(resolved.table, context_.LoadTable(split.catalog, split.identifier));
    resolved.full_name = FullName(*split.catalog, split.identifier);
    resolved.catalog = std::move(split.catalog);
    resolved.identifier = std::move(split.identifier);
    return resolved;
  };
  if (IsPathName(name)) {
    FRAZIL_ASSIGN_OR_RETURN(auto opened, context_.OpenPathTable(name[0], name[1]));
    if (opened.table != nullptr) {
      ResolvedTable resolved;
      resolved.table = std::move(opened.table);
      resolved.full_name = name;
      resolved.scan_options = std::move(opened.scan);
      return resolved;
    }
  }
  auto whole = load(name);
  if (whole.ok()) return whole;
  if (!IsNotFound(whole.error())) return whole;
  if (name.size() >= 2) {
    const std::vector<std::string> parent(name.begin(), name.end() - 1);
    auto base = load(parent);
    if (base.ok()) {
      if (auto selector = SelectorOf(name.back())) {
        const auto* states = dynamic_cast<const tables::NamesStates*>(base->table.get());
        if (states == nullptr) return TableNotFound(name);
        // A state that is not there is no table, whatever the statement does with it.
        if (!selector->reference.empty()) {
          FRAZIL_RETURN_IF_ERROR(states->IsBranch(selector->reference).status());
        } else {
          FRAZIL_RETURN_IF_ERROR(base->table->Scan(*selector).status());
        }
        base->scan_options = *std::move(selector);
        return base;
      }
      FRAZIL_ASSIGN_OR_RETURN(auto metadata, base->table->MetadataTable(AsciiLower(name.back())));
      if (metadata != nullptr) {
        base->table = std::move(metadata);
        base->full_name.push_back(name.back());
        return base;
      }
    } else if (!IsNotFound(base.error())) {
      return base;
    }
  }
  return TableNotFound(name);
}

plan::LogicalPlanPtr Analyzer::ScanOf(const tables::TableScanPtr& scan, const std::string& name,
                                      const std::vector<std::string>& qualifier, bool with_metadata_columns,
                                      bool with_file_metadata) {
  auto node = std::make_shared<plan::ScanNode>();
  node->scan = scan;
  node->table_name = name;
  node->output = NewAttributes(*scan->schema(), qualifier);
  // Queries see CHAR and VARCHAR columns as STRING.
  for (auto& attribute : node->output) attribute.type = StringsWithoutLength(attribute.type);
  for (size_t i = 0; i < node->output.size(); ++i) node->columns.push_back({static_cast<int>(i), {}});
  // Of lines it is not known where they stand in their file; of Parquet alone Spark tells users.
  const auto is_of = [&](tables::FileFormat format) { return !scan->has_rows() && scan->format() == format; };
  const bool is_parquet = is_of(tables::FileFormat::kParquet);
  const bool has_positions = is_parquet || is_of(tables::FileFormat::kOrc) || is_of(tables::FileFormat::kAvro);
  if (with_metadata_columns) {
    std::vector<StructField> metadata = {{plan::kFilePathColumn, DataType::String(), false}};
    if (has_positions) metadata.emplace_back(plan::kFilePositionColumn, DataType::Long(), false);
    for (auto& column : scan->metadata_columns()) metadata.push_back(std::move(column));
    for (const auto& column : metadata) {
      node->output.push_back(NewAttribute(column.name, column.type, column.nullable));
      node->output.back().qualifier = qualifier;
      node->columns.push_back({-1, column.name});
    }
  }
  if (with_file_metadata && scan->schema()->FieldIndex(plan::kFileMetadataColumn) < 0) {
    const auto* located = dynamic_cast<const tables::LocatedScan*>(scan.get());
    const auto kind = !is_parquet                                    ? plan::FileMetadataKind::kFile
                      : located != nullptr && located->tracks_rows() ? plan::FileMetadataKind::kTrackedRow
                                                                     : plan::FileMetadataKind::kRow;
    auto about = NewAttribute(plan::kFileMetadataColumn, plan::FileMetadataType(kind), false);
    about.qualifier = qualifier;
    node->output.push_back(std::move(about));
    node->columns.push_back({-1, plan::kFileMetadataColumn});
  }
  return node;
}

Result<tables::ScanOptions> Analyzer::MakeScanOptions(const plan::NamedTablePlan& table) {
  tables::ScanOptions options;
  for (const auto& [key, value] : table.options) options.options[AsciiLower(key)] = value;
  const auto integer = [&](std::string_view key) -> std::optional<int64_t> {
    const auto* text = FindOption(table.options, key);
    return text == nullptr ? std::nullopt : ParseInteger<int64_t>(*text);
  };
  options.snapshot_id = integer("snapshot-id");
  if (const auto millis = integer("as-of-timestamp")) options.timestamp_micros = MicrosOf(*millis);
  options.start_snapshot_id = integer("start-snapshot-id");
  options.end_snapshot_id = integer("end-snapshot-id");
  for (const char* key : {"branch", "tag"}) {
    if (const auto* reference = FindOption(table.options, key)) options.reference = *reference;
  }
  plan::ExprPtr timestamp = table.time_travel ? table.time_travel->timestamp : nullptr;
  std::optional<std::string> version = table.time_travel ? table.time_travel->version : std::nullopt;
  if (const auto* text = FindOption(table.options, "timestampAsOf"))
    timestamp = plan::MakeLiteralExpr(DataType::String(), Value(*text));
  if (const auto* text = FindOption(table.options, "versionAsOf")) version = *text;
  if (version) {
    options.snapshot_id = ParseInteger<int64_t>(*version);
    if (!options.snapshot_id) options.reference = *version;
  }
  if (timestamp != nullptr) {
    Scope scope;
    FRAZIL_ASSIGN_OR_RETURN(auto typed, AnalyzeScalar(timestamp, scope));
    const auto fail = [&](const char* reason) {
      return At(
          Error::Of(std::string("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.") + reason, {{"expr", "\"" + typed->sql + "\""}}),
          timestamp->origin);
    };
    const auto id = typed->type->id();
    if (!typed->type->IsString() && !typed->type->IsDatetime() && !typed->type->IsNumeric()) return fail("INPUT");
    if (typed->type->IsNumeric()) {
      // Seconds since the epoch, as Iceberg takes them.
      typed = MakeCast(MakeCast(typed, DataType::Long(), settings_.eval_mode()), DataType::Timestamp(),
                       settings_.eval_mode());
    } else if (id != TypeId::kTimestamp) {
      typed = MakeCast(typed, DataType::Timestamp(), EvalMode::kTry);
    }
    if (ContainsKind(*typed, ExpressionKind::kColumn) || plan::CallsNondeterministicFunction(*typed))
      return fail("NON_DETERMINISTIC");
    FRAZIL_ASSIGN_OR_RETURN(auto value, context_.EvaluateConstant(typed));
    if (value.is_null()) return fail("INPUT");
    options.timestamp_micros = value.integer();
  }
  return options;
}

namespace {

using ScanRelationOf = std::function<Relation(const tables::TableScanPtr&, const std::string&)>;
using RowsRelationOf = std::function<Result<Relation>(const plan::PlanPtr&)>;

/// A streaming source: its scan, or the rows that stand for it in a micro-batch.
Result<Relation> StreamRelation(AnalysisContext& context, const plan::Plan& source,
                                const std::vector<std::string>& qualifier, const ScanRelationOf& of_scan,
                                const RowsRelationOf& of_rows) {
  FRAZIL_ASSIGN_OR_RETURN(auto opened, context.OpenStream(source));
  if (opened.scan.scan != nullptr) return of_scan(opened.scan.scan, opened.scan.name);
  FRAZIL_ASSIGN_OR_RETURN(auto relation, of_rows(opened.rows));
  for (auto& attribute : relation.output) attribute.qualifier = qualifier;
  return relation;
}

}  // namespace

Result<Relation> Analyzer::AnalyzeNamedTable(const plan::NamedTablePlan& table) {
  if (IsDeltaTable(table)) {
    auto relation = AnalyzeTableByName(table, table.name);
    if (relation.ok() || (!IsNotFound(relation.error()) && relation.error().condition != "DELTA_PATH_DOES_NOT_EXIST"))
      return relation;
    return NotOfDelta(table.name);
  }
  if (table.identifier == nullptr) return AnalyzeTableByName(table, table.name);
  FRAZIL_ASSIGN_OR_RETURN(auto name, AnalyzeIdentifierText(table.identifier));
  return AnalyzeTableByName(table, name);
}

Result<Relation> Analyzer::AnalyzeTableByName(const plan::NamedTablePlan& table, const std::vector<std::string>& name) {
  const bool in_catalog_view = !view_catalog_.empty() && object_ != nullptr && !in_temporary_view_;
  const auto no_time_travel = [&] {
    return Error::Of("UNSUPPORTED_FEATURE.TIME_TRAVEL", {{"relationId", QuoteIdentifier(name)}});
  };
  if (name.size() == 1) {
    if (auto cte = FindCte(name[0])) {
      if (table.time_travel) return no_time_travel();
      return *std::move(cte);
    }
    const auto referenced = referenced_views_.find(AsciiLower(name[0]));
    if (referenced != referenced_views_.end()) {
      FRAZIL_ASSIGN_OR_RETURN(auto relation, AnalyzePlan(referenced->second));
      for (auto& attribute : relation.output) attribute.qualifier = {name[0]};
      return relation;
    }
    const bool hides_temporary = permanent_function_ != nullptr && !permanent_function_->is_being_created;
    if (!in_catalog_view && !hides_temporary) {
      if (const auto view = FindTempView(name[0])) {
        FRAZIL_RETURN_IF_ERROR(CheckNothingTemporary("VIEW", name[0]));
        if (table.time_travel) return no_time_travel();
        if (IsDeltaTable(table)) return NotOfDelta(name);
        FRAZIL_ASSIGN_OR_RETURN(auto relation, AnalyzeTempView(*view, name[0], {name[0]}));
        if (table.is_streaming && context_.bound_streams.empty() && !plan::IsStreaming(*relation.plan)) {
          return Error::Of("_LEGACY_ERROR_TEMP_1008", {{"quoted", Join(name, ".")}});
        }
        return relation;
      }
    }
  }
  if (name.size() == 2 && EqualsIgnoreCase(name[0], context_.global_temp_database())) {
    if (const auto view = context_.FindGlobalTempView(name[1])) {
      if (table.time_travel) return no_time_travel();
      return AnalyzeTempView(*view, name[1], {context_.global_temp_database(), name[1]});
    }
    return TableNotFound(name);
  }
  // format.`path`
  if (IsPathName(name)) {
    plan::DataSourcePlan source;
    source.format = name[0];
    source.paths = {name[1]};
    source.options = table.options;
    source.is_streaming = table.is_streaming;
    if (table.time_travel) {
      FRAZIL_ASSIGN_OR_RETURN(auto options, MakeScanOptions(table));
      if (options.snapshot_id) source.options["snapshot-id"] = std::to_string(*options.snapshot_id);
      if (options.timestamp_micros)
        source.options["as-of-timestamp"] = std::to_string(*options.timestamp_micros / 1000);
      if (!options.reference.empty()) source.options["branch"] = options.reference;
    }
    return AnalyzeDataSource(source);
  }
  if (table.is_streaming) {
    return StreamRelation(
        context_, table, name, [&](const auto& scan, const auto& title) { return ScanRelation(scan, title, name); },
        [&](const auto& rows) { return AnalyzePlan(rows); });
  }
  // Views come first: a catalog's tables and views share their names.
  FRAZIL_ASSIGN_OR_RETURN(auto split, SplitName(name));
  if (split.catalog->supports_views()) {
    auto view = split.catalog->LoadView(split.identifier);
    if (!view.ok() && !IsNotFound(view.error())) return std::move(view).error();
    if (view.ok() && view->has_value() && IsDeltaTable(table)) return NotOfDelta(name);
    if (view.ok() && view->has_value() && table.time_travel) {
      return Error::Of("UNSUPPORTED_FEATURE.TIME_TRAVEL",
                       {{"relationId", QuoteIdentifier(FullName(*split.catalog, split.identifier))}});
    }
    if (view.ok() && view->has_value()) return AnalyzeCatalogView(**view, FullName(*split.catalog, split.identifier));
  }
  FRAZIL_ASSIGN_OR_RETURN(auto resolved, LoadTableByName(name));
  if (IsDeltaTable(table) && resolved.table->provider() != "delta") return NotOfDelta(name);
  FRAZIL_ASSIGN_OR_RETURN(auto options, MakeScanOptions(table));
  const bool travels = table.time_travel.has_value();
  if (travels && !resolved.table->capabilities().time_travel) {
    return Error::Of("UNSUPPORTED_FEATURE.TIME_TRAVEL", {{"relationId", QuoteIdentifier(resolved.full_name)}});
  }
  const auto& selected = resolved.scan_options;
  if (travels && (selected.snapshot_id || selected.timestamp_micros || !selected.reference.empty() ||
                  selected.options.contains("tag"))) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        !selected.reference.empty()
                            ? "Can't time travel in branch"
                            : "Can't time travel using selector and Spark time travel spec at the same time");
  }
  if (selected.snapshot_id) options.snapshot_id = selected.snapshot_id;
  if (selected.timestamp_micros) options.timestamp_micros = selected.timestamp_micros;
  if (!selected.reference.empty()) options.reference = selected.reference;
  for (const auto& [key, value] : selected.options) options.options[key] = value;
  FRAZIL_ASSIGN_OR_RETURN(auto scan, resolved.table->Scan(options));
  return ScanRelation(scan, Join(resolved.full_name, "."), resolved.full_name);
}

Relation Analyzer::ScanRelation(const tables::TableScanPtr& scan, const std::string& name,
                                const std::vector<std::string>& qualifier) {
  // Rows of files know where they come from; these columns are there for who names them.
  const bool has_files = !scan->has_rows();
  Relation relation = RelationOf(ScanOf(scan, name, qualifier, has_files, has_files));
  const size_t columns = scan->schema()->fields().size();
  for (size_t i = columns; i < relation.plan->output.size(); ++i)
    relation.hidden.push_back({relation.plan->output[i], false});
  relation.output.resize(std::min(columns, relation.output.size()));
  return relation;
}

Result<Relation> Analyzer::CastToViewSchema(const Relation& relation, const DataTypePtr& schema,
                                            const std::vector<std::string>& qualifier) {
  if (schema != nullptr && schema->fields().size() != relation.output.size()) {
    return Error::Of("INCOMPATIBLE_VIEW_SCHEMA_CHANGE",
                     {{"viewName", QuoteIdentifier(qualifier)},
                      {"colName", QuoteIdentifier(schema->fields().empty() ? std::string() : schema->fields()[0].name)},
                      {"expectedNum", std::to_string(schema->fields().size())},
                      {"actualCols", "[]"},
                      {"viewDDL", ""},
                      {"suggestion", ""}});
  }
  Relation exact = ExactRelation(relation);
  if (schema != nullptr) {
    std::vector<DataTypePtr> types;
    for (size_t i = 0; i < exact.output.size(); ++i) {
      const auto& wanted = schema->fields()[i].type;
      types.push_back(exact.output[i].type->EqualsIgnoreNullability(*wanted) ? exact.output[i].type : wanted);
    }
    exact.plan = CastOutput(exact.plan, types);
    exact.output = exact.plan->output;
    for (size_t i = 0; i < exact.output.size(); ++i) {
      exact.output[i].name = schema->fields()[i].name;
      for (const auto& [key, value] : schema->fields()[i].metadata) exact.output[i].metadata[key] = value;
    }
  }
  for (auto& attribute : exact.output) attribute.qualifier = qualifier;
  return exact;
}

std::optional<TempView> Analyzer::FindTempView(const std::string& name) {
  if (captured_views_ == nullptr) return context_.FindTempView(name);
  const auto found = captured_views_->find(AsciiLower(name));
  if (found == captured_views_->end()) return std::nullopt;
  return found->second;
}

Result<Relation> Analyzer::AnalyzeTempView(const TempView& view, const std::string& name,
                                           const std::vector<std::string>& qualifier) {
  if (open_views_.size() >= kMaxViewDepth) {
    return Error::Of("VIEW_EXCEED_MAX_NESTED_DEPTH",
                     {{"viewName", QuoteIdentifier(name)}, {"maxNestedDepth", std::to_string(kMaxViewDepth)}});
  }
  open_views_.push_back(name);
  Result<Relation> relation = [&]() -> Result<Relation> {
    const Restored scopes(&scopes_, {});
    const Restored lambdas(&lambda_scopes_, {});
    const Restored ctes(&ctes_, {});
    const Restored windows(&named_windows_, {});
    const Restored subqueries(&subqueries_, {});
    const Restored catalog(&view_catalog_, view.current_catalog);
    const Restored name_space(&view_namespace_, view.current_namespace);
    const Restored object(&object_, view.query_text.empty() ? nullptr : ViewObject(Join(qualifier, ".")));
    const Restored temporary(&in_temporary_view_, true);
    const Restored captured(&captured_views_, view.captured_views);
    return AnalyzePlan(view.plan);
  }();
  open_views_.pop_back();
  if (!relation.ok()) return relation;
  return CastToViewSchema(*relation, view.schema, qualifier);
}

Result<Relation> Analyzer::AnalyzeCatalogView(const catalogs::ViewDefinition& view,
                                              const std::vector<std::string>& full_name) {
  const std::string shown = QuoteIdentifier(full_name);
  if (std::find(open_views_.begin(), open_views_.end(), shown) != open_views_.end()) {
    std::string path;
    for (const auto& open : open_views_) path += open + " -> ";
    return Error::Of("RECURSIVE_VIEW", {{"viewIdent", shown}, {"newPath", path + shown}});
  }
  if (open_views_.size() >= kMaxViewDepth) {
    return Error::Of("VIEW_EXCEED_MAX_NESTED_DEPTH",
                     {{"viewName", shown}, {"maxNestedDepth", std::to_string(kMaxViewDepth)}});
  }
  open_views_.push_back(shown);
  auto settings = settings_;
  const auto setting = [&](const char* key) -> const std::string* { return FindOption(view.settings, key); };
  if (const auto* ansi = setting("spark.sql.ansi.enabled")) settings.ansi = *ansi == "true";
  if (const auto* zone = setting("spark.sql.session.timeZone")) settings.time_zone = *zone;
  auto options = context_.parser_options();
  options.ansi = settings.ansi;
  Result<Relation> relation = [&]() -> Result<Relation> {
    FRAZIL_ASSIGN_OR_RETURN(auto parsed, sql::ParseQuery(view.query_text, options));
    const Restored scopes(&scopes_, {});
    const Restored lambdas(&lambda_scopes_, {});
    const Restored ctes(&ctes_, {});
    const Restored windows(&named_windows_, {});
    const Restored subqueries(&subqueries_, {});
    const Restored parameters(&own_parameters_, true);
    const Restored named(&named_parameters_, {});
    const Restored positional(&positional_parameters_, {});
    const Restored catalog(&view_catalog_, view.current_catalog);
    const Restored name_space(&view_namespace_, view.current_namespace);
    const Restored object(&object_, ViewObject(Join(full_name, ".")));
    const Restored temporary(&in_temporary_view_, false);
    const Restored view_settings(&settings_, settings);
    return AnalyzePlan(parsed);
  }();
  open_views_.pop_back();
  if (!relation.ok()) return relation;
  return BindViewColumns(*relation, view, full_name);
}

Result<Relation> Analyzer::BindViewColumns(const Relation& relation, const catalogs::ViewDefinition& view,
                                           const std::vector<std::string>& full_name) {
  const std::string mode = AsciiUpper(view.schema_binding);
  if (mode == "EVOLUTION" || view.schema == nullptr) return CastToViewSchema(relation, nullptr, full_name);
  const auto& fields = view.schema->fields();
  const auto changed = [&](const std::string& column, size_t expected, size_t actual) {
    std::string columns;
    for (const auto& attribute : relation.output) columns += (columns.empty() ? "" : ", ") + attribute.name;
    return Error::Of("INCOMPATIBLE_VIEW_SCHEMA_CHANGE",
                     {{"viewName", QuoteIdentifier(full_name)},
                      {"colName", QuoteIdentifier(column)},
                      {"expectedNum", std::to_string(expected)},
                      {"actualCols", "[" + (actual > 0 ? columns : std::string()) + "]"},
                      {"viewDDL", "CREATE OR REPLACE VIEW " + Join(full_name, ".") + " AS " + view.query_text},
                      {"suggestion", "CREATE OR REPLACE VIEW " + Join(full_name, ".") + " AS " + view.query_text}});
  };
  Relation bound = relation;
  if (view.query_column_names.size() == fields.size()) {
    // Columns are found by the names that the query gave them when the view was made; several of one name by their
    // order.
    const auto same = [&](const std::string& left, const std::string& right) {
      return settings_.case_sensitive ? left == right : EqualsIgnoreCase(left, right);
    };
    bound.output.clear();
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto& wanted = view.query_column_names[i];
      size_t ordinal = 0, expected = 0;
      for (size_t other = 0; other < fields.size(); ++other) {
        if (!same(view.query_column_names[other], wanted)) continue;
        if (other < i) ++ordinal;
        ++expected;
      }
      std::vector<const Attribute*> found;
      for (const auto& attribute : relation.output) {
        if (same(attribute.name, wanted)) found.push_back(&attribute);
      }
      if (found.size() != expected) return changed(wanted, expected, found.size());
      bound.output.push_back(*found[ordinal]);
    }
  } else if (relation.output.size() < fields.size()) {
    return changed(fields[relation.output.size()].name, 1, 0);
  } else {
    bound.output.resize(fields.size());
  }
  DataTypePtr schema = view.schema;
  if (mode == "TYPE EVOLUTION") {
    auto evolved = fields;
    for (size_t i = 0; i < evolved.size(); ++i) evolved[i].type = bound.output[i].type;
    schema = DataType::Struct(std::move(evolved));
  }
  for (size_t i = 0; i < bound.output.size(); ++i) {
    const auto& from = *bound.output[i].type;
    const auto& to = *schema->fields()[i].type;
    if (from.EqualsIgnoreNullability(to)) continue;
    if (mode == "BINDING" && !CanUpCast(from, to)) {
      return Error::Of("CANNOT_UP_CAST_DATATYPE",
                       {{"expression", Join(full_name, ".") + "." + bound.output[i].name},
                        {"sourceType", "\"" + from.Sql() + "\""},
                        {"targetType", "\"" + to.Sql() + "\""},
                        {"details",
                         "The type path of the target object is:\n\nYou can either add an explicit cast to the input "
                         "data or choose a higher precision type of the field in the target object"}});
    }
    if (!CanAnsiCast(from, to)) {
      return Error::Of("DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
                       {{"sqlExpr", "\"CAST(" + bound.output[i].name + " AS " + to.Sql() + ")\""},
                        {"srcType", "\"" + from.Sql() + "\""},
                        {"targetType", "\"" + to.Sql() + "\""}});
    }
  }
  const Restored ansi(&settings_.ansi, true);
  return CastToViewSchema(bound, schema, full_name);
}

Result<Relation> Analyzer::AnalyzeDataSource(const plan::DataSourcePlan& source) {
  if (source.is_streaming) {
    return StreamRelation(
        context_, source, {}, [&](const auto& scan, const auto& title) { return ScanRelation(scan, title, {}); },
        [&](const auto& rows) { return AnalyzePlan(rows); });
  }
  FRAZIL_ASSIGN_OR_RETURN(auto opened, context_.OpenDataSource(source));
  return ScanRelation(opened.scan, opened.name, {});
}

}  // namespace frazil::analysis
