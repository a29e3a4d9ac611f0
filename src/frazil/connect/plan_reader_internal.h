#pragma once

// Spark Connect's relations, expressions and commands as plans.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <spark/connect/base.pb.h>

#include "frazil/base/result.h"
#include "frazil/connect/literal_proto_internal.h"
#include "frazil/connect/type_proto_internal.h"
#include "frazil/plan/unresolved_command.h"
#include "frazil/plan/unresolved_plan.h"
#include "frazil/session/session.h"

namespace frazil::connect {

/// Reads one plan of one session. What the protocol has and Frazil has not becomes an UnsupportedRelationPlan
/// (relations) or an error that names it. Malformed messages are errors of class IllegalArgumentException. The meaning
/// of the messages is that of Spark's own Connect server.
class PlanReader {
 public:
  explicit PlanReader(session::Session* session);

  Result<plan::PlanPtr> ReadRelation(const spark::connect::Relation& message);
  Result<plan::ExprPtr> ReadExpression(const spark::connect::Expression& message);
  /// Commands that run as a plan: writes, views, checkpoint, merge. Others are the caller's.
  Result<plan::PlanPtr> ReadCommand(const spark::connect::Command& message);
  /// The statement of a SqlCommand; `relation` is what a query is answered with.
  Result<std::shared_ptr<const plan::SqlQueryPlan>> ReadSqlCommand(const spark::connect::SqlCommand& message,
                                                                   spark::connect::Relation* relation);

  const DdlParser& parse_ddl() const { return parse_ddl_; }

 private:
  // Any node of the plan as it is made; plan_id and origin are set by ReadRelation.
  using NodeResult = Result<std::shared_ptr<plan::Plan>>;

  NodeResult ReadNode(const spark::connect::Relation& message);
  NodeResult ReadRead(const spark::connect::Read& message);
  NodeResult ReadProject(const spark::connect::Project& message);
  NodeResult ReadJoin(const spark::connect::Join& message);
  NodeResult ReadLateralJoin(const spark::connect::LateralJoin& message);
  NodeResult ReadSetOperation(const spark::connect::SetOperation& message);
  NodeResult ReadSort(const spark::connect::Sort& message);
  NodeResult ReadAggregate(const spark::connect::Aggregate& message);
  NodeResult ReadSql(const spark::connect::SQL& message);
  NodeResult ReadDeduplicate(const spark::connect::Deduplicate& message);
  NodeResult ReadSample(const spark::connect::Sample& message);
  NodeResult ReadWithColumns(const spark::connect::WithColumns& message);
  NodeResult ReadWithColumnsRenamed(const spark::connect::WithColumnsRenamed& message);
  NodeResult ReadDrop(const spark::connect::Drop& message);
  NodeResult ReadUnpivot(const spark::connect::Unpivot& message);
  NodeResult ReadParse(const spark::connect::Parse& message);
  NodeResult ReadWithRelations(const spark::connect::WithRelations& message);
  NodeResult ReadRepartitionByExpression(const spark::connect::RepartitionByExpression& message);
  // relation_reader_local.cc
  NodeResult ReadLocalRelation(const spark::connect::LocalRelation& message);
  NodeResult ReadCachedLocalRelation(const spark::connect::CachedLocalRelation& message);
  NodeResult ReadChunkedLocalRelation(const spark::connect::ChunkedCachedLocalRelation& message);
  Result<DataTypePtr> ReadLocalSchema(const std::string& text);
  NodeResult ReadCatalog(const spark::connect::Catalog& message);
  // relation_reader_statistics.cc
  NodeResult ReadNaFill(const spark::connect::NAFill& message);
  NodeResult ReadNaDrop(const spark::connect::NADrop& message);
  NodeResult ReadNaReplace(const spark::connect::NAReplace& message);
  NodeResult ReadSampleBy(const spark::connect::StatSampleBy& message);
  /// Relations of statistics and of missing values; null for others.
  NodeResult ReadStatistics(const spark::connect::Relation& message);

  // expression_reader.cc
  Result<plan::ExprPtr> ReadLiteralExpression(const spark::connect::Expression::Literal& message, plan::Origin origin);
  Result<plan::ExprPtr> ReadFunction(const spark::connect::Expression::UnresolvedFunction& message,
                                     plan::Origin origin);
  Result<plan::ExprPtr> ReadAlias(const spark::connect::Expression::Alias& message, plan::Origin origin);
  Result<plan::ExprPtr> ReadCast(const spark::connect::Expression::Cast& message, plan::Origin origin);
  Result<plan::ExprPtr> ReadSortOrder(const spark::connect::Expression::SortOrder& message, plan::Origin origin);
  Result<plan::ExprPtr> ReadWindow(const spark::connect::Expression::Window& message, plan::Origin origin);
  Result<plan::UnresolvedFrameBound> ReadFrameBound(
      const spark::connect::Expression::Window::WindowFrame::FrameBoundary& message, FrameBoundType unbounded);
  Result<plan::ExprPtr> ReadStar(const spark::connect::Expression::UnresolvedStar& message, plan::Origin origin);
  Result<plan::ExprPtr> ReadUserFunction(const spark::connect::CommonInlineUserDefinedFunction& message,
                                         plan::Origin origin);
  Result<plan::ExprPtr> ReadSubquery(const spark::connect::SubqueryExpression& message, plan::Origin origin);
  Result<plan::ExprPtr> ReadMergeAction(const spark::connect::MergeAction& message, plan::Origin origin);

  // command_reader.cc
  Result<plan::PlanPtr> ReadWrite(const spark::connect::WriteOperation& message);
  Result<plan::PlanPtr> ReadWriteV2(const spark::connect::WriteOperationV2& message);
  Result<plan::PlanPtr> ReadMerge(const spark::connect::MergeIntoTableCommand& message);

  template <typename Messages>
  Result<std::vector<plan::ExprPtr>> ReadExpressions(const Messages& messages) {
    std::vector<plan::ExprPtr> expressions;
    expressions.reserve(messages.size());
    for (const auto& message : messages) {
      FRAZIL_ASSIGN_OR_RETURN(auto expression, ReadExpression(message));
      expressions.push_back(std::move(expression));
    }
    return expressions;
  }

  session::Session* session_;
  DdlParser parse_ddl_;
  // Plans that WithRelations put beside its root, by plan id: table arguments hold them.
  std::map<int64_t, plan::PlanPtr> references_;
};

/// The message is not a plan that a client makes.
Error InvalidPlan(const std::string& what);

/// The five figures of a StorageLevel as one text, "1,1,0,1,1": disk, memory, off-heap, deserialized, replication. The
/// session keeps this text.
std::string StorageLevelText(const spark::connect::StorageLevel& level);
/// Reads that text, or Spark's name of a level (MEMORY_AND_DISK); an empty text is no storage at all.
void WriteStorageLevel(const std::string& text, spark::connect::StorageLevel* message);

/// Call site of a DataFrame node.
plan::Origin ReadOrigin(const spark::connect::Origin& message);

}  // namespace frazil::connect
