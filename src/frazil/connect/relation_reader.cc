#include "frazil/connect/delta_extension_internal.h"
#include "frazil/connect/name_parser.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/python_relations_internal.h"
#include "frazil/plan/watermark.h"
#include "frazil/sql/parser.h"

// Fields that the protocol calls deprecated are what clients of Spark 3.5 and 4.0 send.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;
using NodePtr = std::shared_ptr<plan::Plan>;

Result<NodePtr> Unsupported(std::string feature) {
  auto node = std::make_shared<plan::UnsupportedRelationPlan>();
  node->feature = std::move(feature);
  return NodePtr(node);
}

plan::ExprPtr IntegerLiteral(int32_t value) {
  return plan::MakeLiteralExpr(DataType::Integer(), Value(static_cast<int64_t>(value)));
}

template <typename Names>
std::vector<std::string> NamesOf(const Names& names) {
  return {names.begin(), names.end()};
}

template <typename Options>
plan::Options OptionsOf(const Options& options) {
  return {options.begin(), options.end()};
}

Result<plan::JoinType> ReadJoinType(proto::Join::JoinType type) {
  switch (type) {
    case proto::Join::JOIN_TYPE_INNER:
      return plan::JoinType::kInner;
    case proto::Join::JOIN_TYPE_FULL_OUTER:
      return plan::JoinType::kFullOuter;
    case proto::Join::JOIN_TYPE_LEFT_OUTER:
      return plan::JoinType::kLeftOuter;
    case proto::Join::JOIN_TYPE_RIGHT_OUTER:
      return plan::JoinType::kRightOuter;
    case proto::Join::JOIN_TYPE_LEFT_ANTI:
      return plan::JoinType::kLeftAnti;
    case proto::Join::JOIN_TYPE_LEFT_SEMI:
      return plan::JoinType::kLeftSemi;
    case proto::Join::JOIN_TYPE_CROSS:
      return plan::JoinType::kCross;
    default:
      return InvalidPlan("a join without a type");
  }
}

}  // namespace

Error InvalidPlan(const std::string& what) {
  return Error::Plain(ExceptionClass::kIllegalArgument, "Invalid Spark Connect plan: " + what + ".");
}

PlanReader::PlanReader(session::Session* session)
    : session_(session), parse_ddl_([session](const std::string& text) { return session->ParseDdl(text); }) {}

Result<plan::PlanPtr> PlanReader::ReadRelation(const proto::Relation& message) {
  FRAZIL_ASSIGN_OR_RETURN(auto node, ReadNode(message));
  if (message.common().has_plan_id()) node->plan_id = message.common().plan_id();
  node->origin = ReadOrigin(message.common().origin());
  return plan::PlanPtr(std::move(node));
}

PlanReader::NodeResult PlanReader::ReadNode(const proto::Relation& message) {
  using Kind = proto::Relation::RelTypeCase;
  switch (message.rel_type_case()) {
    case Kind::kRead:
      return ReadRead(message.read());
    case Kind::kProject:
      return ReadProject(message.project());
    case Kind::kFilter: {
      auto node = std::make_shared<plan::FilterPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.filter().input()));
      FRAZIL_ASSIGN_OR_RETURN(node->condition, ReadExpression(message.filter().condition()));
      return NodePtr(node);
    }
    case Kind::kJoin:
      return ReadJoin(message.join());
    case Kind::kSetOp:
      return ReadSetOperation(message.set_op());
    case Kind::kSort:
      return ReadSort(message.sort());
    case Kind::kLimit: {
      auto node = std::make_shared<plan::LimitPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.limit().input()));
      node->limit = IntegerLiteral(message.limit().limit());
      return NodePtr(node);
    }
    case Kind::kOffset: {
      auto node = std::make_shared<plan::OffsetPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.offset().input()));
      node->offset = IntegerLiteral(message.offset().offset());
      return NodePtr(node);
    }
    case Kind::kTail: {
      auto node = std::make_shared<plan::TailPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.tail().input()));
      node->limit = IntegerLiteral(message.tail().limit());
      return NodePtr(node);
    }
    case Kind::kAggregate:
      return ReadAggregate(message.aggregate());
    case Kind::kSql:
      return ReadSql(message.sql());
    case Kind::kLocalRelation:
      return ReadLocalRelation(message.local_relation());
    case Kind::kCachedLocalRelation:
      return ReadCachedLocalRelation(message.cached_local_relation());
    case Kind::kChunkedCachedLocalRelation:
      return ReadChunkedLocalRelation(message.chunked_cached_local_relation());
    case Kind::kSample:
      return ReadSample(message.sample());
    case Kind::kDeduplicate:
      return ReadDeduplicate(message.deduplicate());
    case Kind::kRange: {
      auto node = std::make_shared<plan::RangePlan>();
      node->start = message.range().start();
      node->end = message.range().end();
      node->step = message.range().step();
      return NodePtr(node);
    }
    case Kind::kSubqueryAlias: {
      if (message.subquery_alias().qualifier_size() > 0) return Unsupported("Aliases with a qualifier");
      auto node = std::make_shared<plan::SubqueryAliasPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.subquery_alias().input()));
      node->alias = message.subquery_alias().alias();
      return NodePtr(node);
    }
    case Kind::kRepartition: {
      auto node = std::make_shared<plan::RepartitionPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.repartition().input()));
      node->partitions = message.repartition().num_partitions();
      node->shuffle = message.repartition().shuffle();
      return NodePtr(node);
    }
    case Kind::kRepartitionByExpression:
      return ReadRepartitionByExpression(message.repartition_by_expression());
    case Kind::kToDf: {
      auto node = std::make_shared<plan::ToDfPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.to_df().input()));
      node->names = NamesOf(message.to_df().column_names());
      return NodePtr(node);
    }
    case Kind::kWithColumns:
      return ReadWithColumns(message.with_columns());
    case Kind::kWithColumnsRenamed:
      return ReadWithColumnsRenamed(message.with_columns_renamed());
    case Kind::kDrop:
      return ReadDrop(message.drop());
    case Kind::kHint: {
      auto node = std::make_shared<plan::HintPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.hint().input()));
      node->name = message.hint().name();
      FRAZIL_ASSIGN_OR_RETURN(node->parameters, ReadExpressions(message.hint().parameters()));
      return NodePtr(node);
    }
    case Kind::kUnpivot:
      return ReadUnpivot(message.unpivot());
    case Kind::kToSchema: {
      auto node = std::make_shared<plan::ToSchemaPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.to_schema().input()));
      FRAZIL_ASSIGN_OR_RETURN(node->schema, ReadDataType(message.to_schema().schema(), parse_ddl_));
      return NodePtr(node);
    }
    case Kind::kTranspose: {
      auto node = std::make_shared<plan::TransposePlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.transpose().input()));
      FRAZIL_ASSIGN_OR_RETURN(node->index_columns, ReadExpressions(message.transpose().index_columns()));
      return NodePtr(node);
    }
    case Kind::kShowString: {
      auto node = std::make_shared<plan::ShowStringPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.show_string().input()));
      node->num_rows = message.show_string().num_rows();
      node->truncate = message.show_string().truncate();
      node->vertical = message.show_string().vertical();
      return NodePtr(node);
    }
    case Kind::kHtmlString: {
      auto node = std::make_shared<plan::HtmlStringPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.html_string().input()));
      node->num_rows = message.html_string().num_rows();
      node->truncate = message.html_string().truncate();
      return NodePtr(node);
    }
    case Kind::kCollectMetrics: {
      auto node = std::make_shared<plan::CollectMetricsPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.collect_metrics().input()));
      node->name = message.collect_metrics().name();
      FRAZIL_ASSIGN_OR_RETURN(node->metrics, ReadExpressions(message.collect_metrics().metrics()));
      return NodePtr(node);
    }
    case Kind::kParse:
      return ReadParse(message.parse());
    case Kind::kCachedRemoteRelation: {
      auto node = std::make_shared<plan::CachedRelationPlan>();
      node->relation_id = message.cached_remote_relation().relation_id();
      return NodePtr(node);
    }
    case Kind::kUnresolvedTableValuedFunction: {
      auto node = std::make_shared<plan::TableFunctionPlan>();
      node->name = {message.unresolved_table_valued_function().function_name()};
      FRAZIL_ASSIGN_OR_RETURN(node->arguments, ReadExpressions(message.unresolved_table_valued_function().arguments()));
      return NodePtr(node);
    }
    case Kind::kLateralJoin:
      return ReadLateralJoin(message.lateral_join());
    case Kind::kWithRelations:
      return ReadWithRelations(message.with_relations());
    case Kind::kWithWatermark: {
      auto node = std::make_shared<plan::WatermarkPlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.with_watermark().input()));
      node->event_time = message.with_watermark().event_time();
      node->delay = message.with_watermark().delay_threshold();
      return NodePtr(node);
    }
    case Kind::kFillNa:
    case Kind::kDropNa:
    case Kind::kReplace:
    case Kind::kSummary:
    case Kind::kCrosstab:
    case Kind::kDescribe:
    case Kind::kCov:
    case Kind::kCorr:
    case Kind::kApproxQuantile:
    case Kind::kFreqItems:
    case Kind::kSampleBy:
      return ReadStatistics(message);
    case Kind::kCatalog:
      return ReadCatalog(message.catalog());
    case Kind::kMapPartitions:
      return ReadMapPartitions(*this, message.map_partitions());
    case Kind::kGroupMap:
      return ReadGroupMap(*this, message.group_map());
    case Kind::kCoGroupMap:
      return ReadCoGroupMap(*this, message.co_group_map());
    case Kind::kApplyInPandasWithState:
      return ReadGroupMapWithState(*this, message.apply_in_pandas_with_state());
    case Kind::kCommonInlineUserDefinedTableFunction: {
      FRAZIL_ASSIGN_OR_RETURN(auto function,
                              ReadPythonTableFunction(*this, message.common_inline_user_defined_table_function()));
      return NodePtr(std::move(function));
    }
    case Kind::kCommonInlineUserDefinedDataSource:
      return Unsupported("Data sources written in Python");
    case Kind::kAsOfJoin:
      return Unsupported("As-of joins");
    case Kind::kMlRelation:
      return Unsupported("Spark ML");
    case Kind::kExtension: {
      FRAZIL_ASSIGN_OR_RETURN(auto node, ReadDeltaRelation(*this, message.extension()));
      if (node != nullptr) return node;
      return Unsupported("Relation extension " + message.extension().type_url());
    }
    case Kind::kUnknown:
      return InvalidPlan("a relation of unknown kind");
    case Kind::REL_TYPE_NOT_SET:
      break;
  }
  return Unsupported("A relation that this version of the protocol has not");
}

PlanReader::NodeResult PlanReader::ReadRead(const proto::Read& message) {
  switch (message.read_type_case()) {
    case proto::Read::kNamedTable: {
      auto node = std::make_shared<plan::NamedTablePlan>();
      FRAZIL_ASSIGN_OR_RETURN(node->name, sql::ParseMultipartIdentifier(message.named_table().unparsed_identifier()));
      node->options = OptionsOf(message.named_table().options());
      node->is_streaming = message.is_streaming();
      return NodePtr(node);
    }
    case proto::Read::kDataSource: {
      auto node = std::make_shared<plan::DataSourcePlan>();
      node->format = message.data_source().format();
      node->schema = message.data_source().schema();
      node->options = OptionsOf(message.data_source().options());
      node->paths = NamesOf(message.data_source().paths());
      node->predicates = NamesOf(message.data_source().predicates());
      node->is_streaming = message.is_streaming();
      return NodePtr(node);
    }
    case proto::Read::READ_TYPE_NOT_SET:
      break;
  }
  return InvalidPlan("a read of nothing");
}

PlanReader::NodeResult PlanReader::ReadProject(const proto::Project& message) {
  auto node = std::make_shared<plan::ProjectPlan>();
  if (message.has_input()) {
    FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  } else {
    node->child = std::make_shared<plan::OneRowPlan>();
  }
  FRAZIL_ASSIGN_OR_RETURN(node->expressions, ReadExpressions(message.expressions()));
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadJoin(const proto::Join& message) {
  if (!message.has_left() || !message.has_right()) return InvalidPlan("a join without two inputs");
  if (message.has_join_condition() && message.using_columns_size() > 0) {
    return InvalidPlan("a join with both a condition and USING columns");
  }
  if (message.has_join_data_type()) return Unsupported("joinWith");
  auto node = std::make_shared<plan::JoinPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->left, ReadRelation(message.left()));
  FRAZIL_ASSIGN_OR_RETURN(node->right, ReadRelation(message.right()));
  FRAZIL_ASSIGN_OR_RETURN(node->type, ReadJoinType(message.join_type()));
  if (message.has_join_condition()) {
    FRAZIL_ASSIGN_OR_RETURN(node->condition, ReadExpression(message.join_condition()));
  }
  node->using_columns = NamesOf(message.using_columns());
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadLateralJoin(const proto::LateralJoin& message) {
  auto node = std::make_shared<plan::JoinPlan>();
  node->is_lateral = true;
  FRAZIL_ASSIGN_OR_RETURN(node->left, ReadRelation(message.left()));
  FRAZIL_ASSIGN_OR_RETURN(node->right, ReadRelation(message.right()));
  FRAZIL_ASSIGN_OR_RETURN(node->type, ReadJoinType(message.join_type()));
  if (message.has_join_condition()) {
    FRAZIL_ASSIGN_OR_RETURN(node->condition, ReadExpression(message.join_condition()));
  }
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadSetOperation(const proto::SetOperation& message) {
  auto node = std::make_shared<plan::SetOperationPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->left, ReadRelation(message.left_input()));
  FRAZIL_ASSIGN_OR_RETURN(node->right, ReadRelation(message.right_input()));
  node->all = message.is_all();
  node->by_name = message.by_name();
  node->allow_missing_columns = message.allow_missing_columns();
  switch (message.set_op_type()) {
    case proto::SetOperation::SET_OP_TYPE_UNION:
      node->type = plan::SetOperationType::kUnion;
      if (node->allow_missing_columns && !node->by_name) {
        return InvalidPlan("a union that allows missing columns and is not by name");
      }
      return NodePtr(node);
    case proto::SetOperation::SET_OP_TYPE_INTERSECT:
      node->type = plan::SetOperationType::kIntersect;
      break;
    case proto::SetOperation::SET_OP_TYPE_EXCEPT:
      node->type = plan::SetOperationType::kExcept;
      break;
    default:
      return InvalidPlan("a set operation without a type");
  }
  if (node->by_name) return InvalidPlan("INTERSECT or EXCEPT by name");
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadSort(const proto::Sort& message) {
  auto node = std::make_shared<plan::SortPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  for (const auto& order : message.order()) {
    FRAZIL_ASSIGN_OR_RETURN(auto read, ReadSortOrder(order, ReadOrigin(order.child().common().origin())));
    node->order_by.push_back(std::move(read));
  }
  node->is_global = message.is_global();
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadAggregate(const proto::Aggregate& message) {
  auto node = std::make_shared<plan::AggregatePlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  FRAZIL_ASSIGN_OR_RETURN(auto grouping, ReadExpressions(message.grouping_expressions()));
  FRAZIL_ASSIGN_OR_RETURN(node->aggregates, ReadExpressions(message.aggregate_expressions()));
  node->prepend_grouping = true;
  const auto add_plain_grouping = [&] {
    for (const auto& expression : grouping) {
      plan::GroupingElement element;
      element.sets = {{expression}};
      node->grouping.push_back(std::move(element));
    }
  };
  const auto add_sets = [&](plan::GroupingElement::Type type) {
    plan::GroupingElement element;
    element.type = type;
    for (const auto& expression : grouping) element.sets.push_back({expression});
    node->grouping.push_back(std::move(element));
  };
  switch (message.group_type()) {
    case proto::Aggregate::GROUP_TYPE_GROUPBY:
      add_plain_grouping();
      return NodePtr(node);
    case proto::Aggregate::GROUP_TYPE_ROLLUP:
      add_sets(plan::GroupingElement::Type::kRollup);
      return NodePtr(node);
    case proto::Aggregate::GROUP_TYPE_CUBE:
      add_sets(plan::GroupingElement::Type::kCube);
      return NodePtr(node);
    case proto::Aggregate::GROUP_TYPE_PIVOT: {
      add_plain_grouping();
      FRAZIL_ASSIGN_OR_RETURN(node->pivot_column, ReadExpression(message.pivot().col()));
      for (const auto& value : message.pivot().values()) {
        FRAZIL_ASSIGN_OR_RETURN(auto literal, ReadLiteralExpression(value, {}));
        node->pivot_values.push_back(std::move(literal));
      }
      return NodePtr(node);
    }
    case proto::Aggregate::GROUP_TYPE_GROUPING_SETS: {
      plan::GroupingElement element;
      element.type = plan::GroupingElement::Type::kGroupingSets;
      for (const auto& set : message.grouping_sets()) {
        FRAZIL_ASSIGN_OR_RETURN(auto expressions, ReadExpressions(set.grouping_set()));
        element.sets.push_back(std::move(expressions));
      }
      node->grouping.push_back(std::move(element));
      // The columns in front are those given beside the sets, in their order: as a SELECT list says it.
      node->prepend_grouping = false;
      grouping.insert(grouping.end(), node->aggregates.begin(), node->aggregates.end());
      node->aggregates = std::move(grouping);
      return NodePtr(node);
    }
    default:
      return InvalidPlan("an aggregate without a type");
  }
}

PlanReader::NodeResult PlanReader::ReadSql(const proto::SQL& message) {
  auto node = std::make_shared<plan::SqlQueryPlan>();
  node->text = message.query();
  for (const auto& [name, argument] : message.named_arguments()) {
    FRAZIL_ASSIGN_OR_RETURN(auto expression, ReadExpression(argument));
    node->named_arguments.emplace_back(name, std::move(expression));
  }
  FRAZIL_ASSIGN_OR_RETURN(node->positional_arguments, ReadExpressions(message.pos_arguments()));
  for (const auto& [name, argument] : message.args()) {
    FRAZIL_ASSIGN_OR_RETURN(auto expression, ReadLiteralExpression(argument, {}));
    node->named_arguments.emplace_back(name, std::move(expression));
  }
  for (const auto& argument : message.pos_args()) {
    FRAZIL_ASSIGN_OR_RETURN(auto expression, ReadLiteralExpression(argument, {}));
    node->positional_arguments.push_back(std::move(expression));
  }
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadDeduplicate(const proto::Deduplicate& message) {
  if (message.all_columns_as_keys() == (message.column_names_size() > 0)) {
    return InvalidPlan(message.all_columns_as_keys() ? "deduplication by all columns and by named ones"
                                                     : "deduplication by no column");
  }
  auto node = std::make_shared<plan::DeduplicatePlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  node->columns = NamesOf(message.column_names());
  node->within_watermark = message.within_watermark();
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadSample(const proto::Sample& message) {
  auto node = std::make_shared<plan::SamplePlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  node->lower_bound = message.lower_bound();
  node->upper_bound = message.upper_bound();
  node->with_replacement = message.with_replacement();
  if (message.has_seed()) node->seed = message.seed();
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadWithColumns(const proto::WithColumns& message) {
  auto node = std::make_shared<plan::WithColumnsPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  for (const auto& alias : message.aliases()) {
    if (alias.name_size() != 1) return InvalidPlan("withColumns with a column of several names");
    FRAZIL_ASSIGN_OR_RETURN(auto read, ReadAlias(alias, ReadOrigin(alias.expr().common().origin())));
    node->aliases.push_back(std::move(read));
  }
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadWithColumnsRenamed(const proto::WithColumnsRenamed& message) {
  auto node = std::make_shared<plan::WithColumnsRenamedPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  for (const auto& rename : message.renames()) node->renames.emplace_back(rename.col_name(), rename.new_col_name());
  if (message.renames_size() == 0) {
    for (const auto& [name, new_name] : message.rename_columns_map()) node->renames.emplace_back(name, new_name);
  }
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadDrop(const proto::Drop& message) {
  auto node = std::make_shared<plan::DropColumnsPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  FRAZIL_ASSIGN_OR_RETURN(node->columns, ReadExpressions(message.columns()));
  node->names = NamesOf(message.column_names());
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadUnpivot(const proto::Unpivot& message) {
  auto node = std::make_shared<plan::UnpivotPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  FRAZIL_ASSIGN_OR_RETURN(node->ids, ReadExpressions(message.ids()));
  if (message.has_values()) {
    FRAZIL_ASSIGN_OR_RETURN(auto values, ReadExpressions(message.values().values()));
    node->values.emplace();
    for (auto& value : values) node->values->push_back({std::move(value)});
  }
  node->variable_column = message.variable_column_name();
  node->value_columns = {message.value_column_name()};
  node->include_nulls = true;
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadParse(const proto::Parse& message) {
  auto node = std::make_shared<plan::ParseTextPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  switch (message.format()) {
    case proto::Parse::PARSE_FORMAT_CSV:
      node->format = "csv";
      break;
    case proto::Parse::PARSE_FORMAT_JSON:
      node->format = "json";
      break;
    default:
      return InvalidPlan("a text of unknown format");
  }
  if (message.has_schema()) {
    FRAZIL_ASSIGN_OR_RETURN(node->schema, ReadDataType(message.schema(), parse_ddl_));
  }
  node->options = OptionsOf(message.options());
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadWithRelations(const proto::WithRelations& message) {
  auto node = std::make_shared<plan::WithRelationsPlan>();
  for (const auto& reference : message.references()) {
    FRAZIL_ASSIGN_OR_RETURN(auto plan, ReadRelation(reference));
    if (plan->plan_id.has_value()) references_[*plan->plan_id] = plan;
    node->references.push_back(std::move(plan));
  }
  FRAZIL_ASSIGN_OR_RETURN(node->root, ReadRelation(message.root()));
  return NodePtr(node);
}

PlanReader::NodeResult PlanReader::ReadRepartitionByExpression(const proto::RepartitionByExpression& message) {
  auto node = std::make_shared<plan::RepartitionPlan>();
  FRAZIL_ASSIGN_OR_RETURN(node->child, ReadRelation(message.input()));
  if (message.has_num_partitions()) node->partitions = message.num_partitions();
  if (message.partition_exprs_size() == 1 && message.partition_exprs(0).has_direct_shuffle_partition_id()) {
    // repartitionById: the expression is the partition's number.
    FRAZIL_ASSIGN_OR_RETURN(auto number,
                            ReadExpression(message.partition_exprs(0).direct_shuffle_partition_id().child()));
    node->expressions.push_back(std::move(number));
    return NodePtr(node);
  }
  FRAZIL_ASSIGN_OR_RETURN(node->expressions, ReadExpressions(message.partition_exprs()));
  for (const auto& expression : node->expressions) {
    if (expression->kind == plan::ExprKind::kSortOrder) node->by_range = true;
  }
  return NodePtr(node);
}

}  // namespace frazil::connect
