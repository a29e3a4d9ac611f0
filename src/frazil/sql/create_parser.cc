// CREATE and REPLACE of tables, views and namespaces.

#include <algorithm>

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {

Result<bool> Parser::IfNotExists() {
  if (!At(Keyword::kIf) || !(At(Keyword::kNot, 1) || At(TokenType::kBang, 1)) || !At(Keyword::kExists, 2)) return false;
  Skip(3);
  return true;
}

Result<bool> Parser::IfExists() { return AcceptWords({Keyword::kIf, Keyword::kExists}); }

Result<plan::PlanPtr> Parser::Create() {
  const size_t first = pos_;
  Skip();
  if (AtWords({Keyword::kOr, Keyword::kReplace, Keyword::kTable})) {
    Skip(2);
    return CreateTable(first, plan::CreateTableCommand::Mode::kCreateOrReplace);
  }
  const size_t replace = AtWords({Keyword::kOr, Keyword::kReplace}) ? 2 : 0;
  const size_t global = At(Keyword::kGlobal, replace) ? 1 : 0;
  const size_t temporary = At(Keyword::kTemporary, replace + global) ? 1 : 0;
  const size_t object = replace + global + temporary;
  if (At(Keyword::kView, object)) return CreateView(first);
  if (At(Keyword::kFunction, object) && global == 0) {
    Skip(object);
    return CreateFunction(first, replace > 0, temporary > 0);
  }
  if (At(Keyword::kTable, object) && replace == 0 && global == 0) {
    if (temporary > 0) {
      return NotAllowed(first, "CREATE TEMPORARY TABLE ..., use CREATE TEMPORARY VIEW instead");
    }
    return CreateTable(first, plan::CreateTableCommand::Mode::kCreate);
  }
  if (AtWords({Keyword::kExternal, Keyword::kTable}))
    return CreateTable(first, plan::CreateTableCommand::Mode::kCreate);
  if (AtNamespace()) return CreateNamespace(first);
  if (At(Keyword::kIndex)) return UnsupportedRest("CREATE INDEX");
  if (AtWords({Keyword::kMaterialized, Keyword::kView})) return UnsupportedRest("CREATE MATERIALIZED VIEW");
  if (AtWords({Keyword::kStreaming, Keyword::kTable})) return UnsupportedRest("CREATE STREAMING TABLE");
  if (At(Keyword::kFlow)) return UnsupportedRest("CREATE FLOW");
  if (At(Keyword::kRole) || AtWords({Keyword::kTemporary, Keyword::kMacro})) {
    return InvalidStatement(first, "CREATE", At(Keyword::kRole) ? 1 : 2);
  }
  return SyntaxError();
}

Result<plan::PlanPtr> Parser::Replace() {
  const size_t first = pos_;
  Skip();
  if (!At(Keyword::kTable)) return SyntaxError();
  return CreateTable(first, plan::CreateTableCommand::Mode::kReplace);
}

Result<plan::PlanPtr> Parser::CreateTable(size_t first, plan::CreateTableCommand::Mode mode) {
  auto command = std::make_shared<plan::CreateTableCommand>();
  command->mode = mode;
  command->is_external = Accept(Keyword::kExternal);
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kTable));
  FRAZIL_ASSIGN_OR_RETURN(command->if_not_exists, IfNotExists());
  if (command->if_not_exists && mode != plan::CreateTableCommand::Mode::kCreate) return SyntaxErrorAt(pos_ - 3);
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  if (At(Keyword::kLike) && mode == plan::CreateTableCommand::Mode::kCreate)
    return CreateTableLike(std::move(command), first);
  if ((AtText("SHALLOW") || AtText("DEEP")) && AtText("CLONE", 1)) return CreateClone(std::move(command), first);
  if (At(TokenType::kLeftParen) && !AtParenthesizedQuery()) {
    FRAZIL_RETURN_IF_ERROR(TableElements(command.get()));
  }
  if (Accept(Keyword::kUsing)) {
    FRAZIL_ASSIGN_OR_RETURN(const Names provider, MultipartIdentifier());
    command->provider = frazil::Join(provider, ".");
  }
  FRAZIL_RETURN_IF_ERROR(TableClauses(command.get(), first));
  const bool has_as = Accept(Keyword::kAs);
  if (has_as || AtQueryStart() || AtParenthesizedQuery()) {
    FRAZIL_ASSIGN_OR_RETURN(command->query, Query());
    if (!command->columns.empty()) {
      return NotAllowed(first, mode == plan::CreateTableCommand::Mode::kCreate
                                   ? "Schema may not be specified in a Create Table As Select (CTAS) statement"
                                   : "Schema may not be specified in a Replace Table As Select (RTAS) statement");
    }
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Result<plan::PlanPtr> Parser::CreateTableLike(std::shared_ptr<plan::CreateTableCommand> command, size_t first) {
  Skip();
  FRAZIL_ASSIGN_OR_RETURN(command->like, NameReference());
  std::vector<std::string> seen;
  HiveFormat format;
  while (true) {
    if (At(Keyword::kUsing)) {
      if (command->provider) return ErrorFrom(first, "DUPLICATE_CLAUSES", {{"clauseName", "PROVIDER"}});
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(const Names provider, MultipartIdentifier());
      command->provider = frazil::Join(provider, ".");
    } else if (AtAny({Keyword::kRow, Keyword::kStored, Keyword::kLocation, Keyword::kTblproperties})) {
      FRAZIL_ASSIGN_OR_RETURN(const bool taken, TableClause(command.get(), &seen, &format));
      if (!taken) return SyntaxError();
    } else {
      break;
    }
  }
  // Without STORED AS the format is the other table's, whatever delimiters are told.
  if (!format.is_stored && format.serde) return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0047");
  if (format.is_stored || command->provider) {
    FRAZIL_RETURN_IF_ERROR(CheckKnownFormat(format, first));
    FRAZIL_RETURN_IF_ERROR(TakeHiveFormat(format, first, "CREATE TABLE LIKE ...", command.get()));
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

Status Parser::TableClauses(plan::CreateTableCommand* command, size_t first) {
  std::vector<std::string> seen;
  HiveFormat format;
  while (true) {
    FRAZIL_ASSIGN_OR_RETURN(const bool taken, TableClause(command, &seen, &format));
    if (!taken) break;
    for (size_t i = 0; i + 1 < seen.size(); ++i) {
      if (seen[i] == seen.back()) return ErrorFrom(first, "DUPLICATE_CLAUSES", {{"clauseName", seen.back()}});
    }
  }
  const auto path = command->options.find("path");
  if (path != command->options.end() && command->location) {
    return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0032", {{"pathOne", path->second}, {"pathTwo", *command->location}});
  }
  return TakeHiveFormat(format, first, "CREATE TABLE ...", command);
}

/// Takes one clause; false if there is none. `seen` notes its name, `format` what ROW FORMAT and STORED AS say.
Result<bool> Parser::TableClause(plan::CreateTableCommand* command, std::vector<std::string>* seen,
                                 HiveFormat* format) {
  const size_t first = pos_;
  switch (Peek().keyword) {
    case Keyword::kOptions: {
      if (!At(TokenType::kLeftParen, 1)) return false;
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(const plan::Properties options, ExpressionPropertyList());
      for (const auto& [key, value] : options) command->options[key] = value;
      seen->emplace_back("OPTIONS");
      return true;
    }
    case Keyword::kPartitioned:
      FRAZIL_RETURN_IF_ERROR(Partitioning(command));
      seen->emplace_back("PARTITIONED BY");
      return true;
    case Keyword::kCluster: {
      FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kCluster, Keyword::kBy}));
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
      FRAZIL_ASSIGN_OR_RETURN(command->cluster_by, MultipartIdentifierList());
      FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
      seen->emplace_back("CLUSTER BY");
      return true;
    }
    case Keyword::kClustered: {
      FRAZIL_ASSIGN_OR_RETURN(command->bucketing, Bucketing());
      seen->emplace_back("CLUSTERED BY");
      return true;
    }
    case Keyword::kSkewed:
      pos_ = tokens_.size() - 1;
      return NotAllowed(first, "CREATE TABLE ... SKEWED BY");
    case Keyword::kRow:
      if (!At(Keyword::kFormat, 1)) return false;
      FRAZIL_RETURN_IF_ERROR(RowFormat(format));
      seen->emplace_back("ROW FORMAT");
      return true;
    case Keyword::kStored:
      FRAZIL_RETURN_IF_ERROR(StoredAs(format));
      seen->emplace_back("STORED AS/BY");
      return true;
    case Keyword::kLocation: {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->location, StringLiteral());
      seen->emplace_back("LOCATION");
      return true;
    }
    case Keyword::kComment: {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->comment, StringLiteral());
      seen->emplace_back("COMMENT");
      return true;
    }
    case Keyword::kDefault: {
      FRAZIL_ASSIGN_OR_RETURN(command->collation, CollationClause());
      seen->emplace_back("DEFAULT COLLATION");
      return true;
    }
    case Keyword::kTblproperties: {
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->properties, PropertyList());
      seen->emplace_back("TBLPROPERTIES");
      return true;
    }
    default:
      return false;
  }
}

Result<std::string> Parser::CollationClause() {
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kDefault, Keyword::kCollation}));
  return Identifier();
}

Result<plan::BucketSpecification> Parser::Bucketing() {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kClustered, Keyword::kBy}));
  plan::BucketSpecification buckets;
  FRAZIL_ASSIGN_OR_RETURN(buckets.columns, IdentifierList());
  if (AcceptWords({Keyword::kSorted, Keyword::kBy})) {
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
    do {
      FRAZIL_ASSIGN_OR_RETURN(std::string name, Identifier());
      const bool ascending = !At(Keyword::kDesc);
      if (AtAny({Keyword::kAsc, Keyword::kDesc})) Skip();
      buckets.sort_columns.emplace_back(std::move(name), ascending);
    } while (Accept(TokenType::kComma));
    FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kInto));
  FRAZIL_ASSIGN_OR_RETURN(const int64_t count, IntegerValue());
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kBuckets));
  constexpr int64_t kMostBuckets = 100000;
  if (count <= 0 || count > kMostBuckets) {
    return ErrorFrom(first, "INVALID_BUCKET_COUNT",
                     {{"bucketingMaxBuckets", std::to_string(kMostBuckets)}, {"numBuckets", std::to_string(count)}});
  }
  buckets.count = static_cast<int>(count);
  return buckets;
}

Status Parser::Partitioning(plan::CreateTableCommand* command) {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kPartitioned, Keyword::kBy}));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kLeftParen));
  bool has_columns = false;
  bool has_transforms = false;
  do {
    // "a INT" declares the column behind the others (Hive's way); "a", "t.a" and "bucket(4, a)" name what exists.
    const bool declares = IsIdentifier() && !AtListEnd(1) && !At(TokenType::kDot, 1) && !At(TokenType::kLeftParen, 1);
    if (declares) {
      has_columns = true;
      FRAZIL_ASSIGN_OR_RETURN(const StructField field, TypedColumn(false));
      plan::ColumnDefinition column;
      column.name = {field.name};
      column.type = field.type;
      column.nullable = field.nullable;
      if (field.metadata.contains("comment")) column.comment = field.Comment();
      command->columns.push_back(std::move(column));
      plan::PartitionTransform transform;
      transform.column = {field.name};
      command->partitioning.push_back(std::move(transform));
      command->has_partition_columns = true;
    } else {
      has_transforms = true;
      FRAZIL_ASSIGN_OR_RETURN(plan::PartitionTransform transform, Transform());
      command->partitioning.push_back(std::move(transform));
    }
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  if (has_columns && has_transforms) {
    return NotAllowed(first, "PARTITION BY: Cannot mix partition expressions and partition columns");
  }
  return Status::Ok();
}

Result<plan::PartitionTransform> Parser::Transform() {
  const size_t first = pos_;
  plan::PartitionTransform transform;
  const bool is_call = IsIdentifier() && At(TokenType::kLeftParen, 1);
  if (!is_call) {
    FRAZIL_ASSIGN_OR_RETURN(transform.column, MultipartIdentifier());
    return transform;
  }
  FRAZIL_ASSIGN_OR_RETURN(const std::string name, TakeIdentifier());
  transform.transform = AsciiLower(name);
  Skip();
  int columns = 0;
  do {
    if (AtConstant()) {
      FRAZIL_ASSIGN_OR_RETURN(const plan::ExprPtr constant, Constant());
      if (constant->kind != plan::ExprKind::kLiteral) return SyntaxErrorAt(first);
      transform.arguments.push_back(constant->As<plan::LiteralExpr>().value);
      continue;
    }
    FRAZIL_ASSIGN_OR_RETURN(Names column, MultipartIdentifier());
    if (++columns == 1) {
      transform.column = std::move(column);
    } else {
      transform.more_columns.push_back(std::move(column));
    }
  } while (Accept(TokenType::kComma));
  FRAZIL_RETURN_IF_ERROR(Expect(TokenType::kRightParen));
  if (columns == 0) {
    return ErrorFrom(first, "INVALID_SQL_SYNTAX.INVALID_COLUMN_REFERENCE",
                     {{"transform", QuoteIdentifier(name)}, {"expr", SourceFrom(first)}});
  }
  return transform;
}

Result<plan::PlanPtr> Parser::CreateNamespace(size_t first) {
  Skip();
  auto command = std::make_shared<plan::CreateNamespaceCommand>();
  FRAZIL_ASSIGN_OR_RETURN(command->if_not_exists, IfNotExists());
  FRAZIL_ASSIGN_OR_RETURN(command->name, NameReference());
  const auto duplicate = [&](const char* clause) {
    return ErrorFrom(first, "DUPLICATE_CLAUSES", {{"clauseName", clause}});
  };
  bool has_properties = false;
  while (true) {
    if (At(Keyword::kComment)) {
      if (command->comment) return duplicate("COMMENT");
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->comment, StringLiteral());
    } else if (At(Keyword::kLocation)) {
      if (command->location) return duplicate("LOCATION");
      Skip();
      FRAZIL_ASSIGN_OR_RETURN(command->location, StringLiteral());
    } else if (AtWords({Keyword::kDefault, Keyword::kCollation})) {
      FRAZIL_ASSIGN_OR_RETURN(command->collation, CollationClause());
    } else if (At(Keyword::kWith) && AtAny({Keyword::kDbproperties, Keyword::kProperties}, 1)) {
      if (has_properties) return duplicate("WITH PROPERTIES");
      has_properties = true;
      Skip(2);
      FRAZIL_ASSIGN_OR_RETURN(command->properties, PropertyList());
    } else {
      break;
    }
  }
  command->origin = OriginFrom(first);
  return plan::PlanPtr(std::move(command));
}

}  // namespace frazil::sql
