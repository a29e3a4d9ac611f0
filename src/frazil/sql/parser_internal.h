#pragma once

// The recursive-descent parser. Its methods stand in files by topic:
//   parser_core.cc        tokens, names, strings, errors
//   expression_parser.cc  operators and predicates (by precedence)
//   primary_parser.cc     what operators stand between: names, parentheses, postfix forms
//   function_parser.cc    function calls, keyword functions, windows
//   literal_parser.cc     literals; interval_parser.cc: INTERVAL
//   type_parser.cc        data types, column lists
//   query_parser.cc       SELECT and everything around it; relation_parser.cc: FROM; pipe_parser.cc: |>
//   dml_parser.cc         INSERT, DELETE, UPDATE, MERGE, CALL
//   create_parser.cc, alter_parser.cc, iceberg_parser.cc, drop_parser.cc, function_ddl_parser.cc   DDL
//   scripting_parser.cc   BEGIN ... END
//   show_parser.cc, session_parser.cc   SHOW, DESCRIBE; SET, USE, CACHE, ...
// Words are keywords only where the grammar expects them, so decisions look at the words that follow, never at a second
// attempt to parse.

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/plan/script.h"
#include "frazil/sql/lexer.h"
#include "frazil/sql/parser.h"

namespace frazil::sql {

class Parser {
 public:
  Parser(std::string_view text, const ParserOptions& options);

  // Whole texts: each ends at the end of the text.
  Result<plan::PlanPtr> SingleStatement();
  Result<plan::PlanPtr> SingleQuery();
  Result<plan::ExprPtr> SingleExpression();
  Result<DataTypePtr> SingleDataType();
  Result<DataTypePtr> SingleTableSchema();
  Result<std::vector<std::string>> SingleMultipartIdentifier();
  Result<std::vector<plan::AlterAction::OrderField>> SingleWriteOrder();

 private:
  using Names = std::vector<std::string>;
  using Expressions = std::vector<plan::ExprPtr>;
  using Partition = std::vector<std::pair<std::string, plan::ExprPtr>>;

  // --- parser_core.cc: tokens ---
  const Token& Peek(size_t offset = 0) const;
  bool At(TokenType type, size_t offset = 0) const { return Peek(offset).type == type; }
  bool At(Keyword keyword, size_t offset = 0) const { return Peek(offset).keyword == keyword; }
  /// The next tokens are these words.
  bool AtWords(std::initializer_list<Keyword> keywords, size_t offset = 0) const;
  /// The next token is this unquoted word (in upper case), keyword or not.
  bool AtText(std::string_view word, size_t offset = 0) const;
  bool AtAny(std::initializer_list<Keyword> keywords, size_t offset = 0) const;
  void Skip(size_t count = 1) { pos_ += count; }
  bool Accept(TokenType type);
  bool Accept(Keyword keyword);
  bool AcceptWords(std::initializer_list<Keyword> keywords);
  bool AcceptText(std::string_view word);
  Status Expect(TokenType type);
  Status Expect(Keyword keyword);
  Status ExpectWords(std::initializer_list<Keyword> keywords);
  Status ExpectText(std::string_view word);
  Status ExpectEnd();
  /// Nothing follows that an expression or a name could go on with: end, ")", ",", ";".
  bool AtListEnd(size_t offset = 0) const;
  /// Leaves with an error where the nesting would overflow the stack.
  Status CheckDepth() const;

  // Positions.
  plan::Origin OriginFrom(size_t first) const;
  /// Source text of the tokens from `first` up to the one before the current.
  std::string SourceFrom(size_t first) const;
  std::string Source(size_t first, size_t last) const;
  template <typename Node>
  std::shared_ptr<Node> Make(size_t first) const {
    auto node = std::make_shared<Node>();
    node->origin = OriginFrom(first);
    return node;
  }

  // Errors.
  Error SyntaxError() const { return SyntaxErrorAt(pos_); }
  Error SyntaxErrorAt(size_t token, std::string hint = "") const;
  /// An error about the tokens from `first` up to the current one.
  Error ErrorFrom(size_t first, std::string_view condition, Error::Parameters parameters = {}) const;
  /// "Operation not allowed: ...".
  Error NotAllowed(size_t first, std::string message) const;
  /// INVALID_STATEMENT_OR_CLAUSE for a statement of Hive that Spark knows by name only: `operation`, then `count` words
  /// from here on. Nothing of the statement is left to read.
  Error InvalidStatement(size_t first, std::string operation, size_t count);
  Status CheckUnclosedComment() const;
  /// Notes an error of meaning: it counts only if the rest of the text is well-formed.
  void Defer(Error error);

  // Names.
  bool IsIdentifier(size_t offset = 0) const;
  bool IsStrictIdentifier(size_t offset = 0) const;
  bool IsStringToken(size_t offset = 0) const;
  /// Text of an identifier token, quotes removed. Precondition: IsIdentifier.
  Result<std::string> TakeIdentifier();
  /// An identifier in a place where "a-b" is surely meant as one name: INVALID_IDENTIFIER then.
  Result<std::string> Identifier();
  Result<std::string> StrictIdentifier();
  /// One part of a dotted name: IDENTIFIER('a.b') gives several.
  Status AppendIdentifier(Names* parts);
  Result<Names> MultipartIdentifier();
  /// At IDENTIFIER('a' :p ...), which is a part of a name: strings, and markers whose bound values are strings.
  bool AtIdentifierLiteral(size_t offset = 0) const;
  Result<Names> IdentifierLiteralParts();
  Result<plan::NameClause> NameReference();
  Result<Names> IdentifierList();  ///< (a, b)
  Result<Names> IdentifierSequence();
  Result<std::vector<Names>> MultipartIdentifierList();

  // Strings and numbers.
  bool AtParameter(size_t offset = 0) const;
  bool AtStringLiteral(size_t offset = 0) const;
  Result<std::string> StringLiteral(bool coalesce = true);
  Result<plan::ExprPtr> ParameterLiteral();
  /// The value of the marker at token `token`, by its name or (if that is empty) by its place; null if it has none.
  plan::ExprPtr BoundParameter(size_t token, const std::string& name) const;
  /// How many tokens the string, or the marker bound to one, at `offset` has; 0 if neither stands there. Its text is
  /// added to `text`, which may be null.
  size_t BoundString(size_t offset, std::string* text) const;
  Result<int64_t> IntegerValue();

  /// At a word that begins the next clause and therefore is no alias.
  bool AtClauseStart(size_t offset = 0) const;
  /// The "(" at `offset` opens a query.
  bool AtParenthesizedQuery(size_t offset = 0) const;
  bool AtQueryStart(size_t offset = 0) const;
  /// A word stands in the parentheses that open at `offset`, outside of inner ones.
  bool HasTopLevel(size_t offset, Keyword keyword) const;
  int CountTopLevelCommas(size_t offset) const;

  // --- expression_parser.cc ---
  Result<plan::ExprPtr> Expression();
  Result<plan::ExprPtr> ValueExpression();
  Result<plan::ExprPtr> Binary(int minimum);
  Result<plan::ExprPtr> Prefix(int minimum);
  Result<plan::ExprPtr> LogicalChain(plan::ExprPtr left, size_t first, Keyword keyword, int precedence);
  Result<plan::ExprPtr> Predicate(plan::ExprPtr value, size_t first);
  Result<plan::ExprPtr> InPredicate(plan::ExprPtr value, size_t first);
  Result<plan::ExprPtr> LikePredicate(plan::ExprPtr value, size_t first, bool is_not);
  Result<plan::ExprPtr> IsPredicate(plan::ExprPtr value, size_t first);
  bool AtPredicate() const;
  plan::ExprPtr Operator(size_t first, std::string name, Expressions arguments) const;
  plan::ExprPtr Not(size_t first, plan::ExprPtr child) const;
  Result<plan::ExprPtr> NamedExpression();
  Result<Expressions> NamedExpressionList();
  Result<Expressions> ExpressionList();
  Result<plan::ExprPtr> SortItem();
  Result<Expressions> SortItems();

  // --- primary_parser.cc ---
  Result<plan::ExprPtr> Primary();
  Result<plan::ExprPtr> PrimaryBase();
  Result<plan::ExprPtr> Postfix(plan::ExprPtr base, size_t first);
  Result<plan::ExprPtr> Parenthesized();
  Result<plan::ExprPtr> KeywordPrimary(bool* handled);
  Result<plan::ExprPtr> NameOrCall();
  Result<plan::ExprPtr> Star(size_t first, Names target);
  Result<plan::ExprPtr> Lambda();
  Result<plan::ExprPtr> Case();
  Result<plan::ExprPtr> IdentifierClause();
  Result<std::string> SemiStructuredPath();
  Result<plan::ExprPtr> Subquery(size_t first, SubqueryKind kind);

  // --- function_parser.cc ---
  Result<plan::ExprPtr> FunctionCall(size_t first, Names name);
  Result<plan::ExprPtr> FunctionSuffixes(size_t first, std::shared_ptr<plan::FunctionExpr> function);
  Result<plan::ExprPtr> FunctionArgument();
  Result<plan::ExprPtr> CastCall();
  Result<plan::ExprPtr> StructCall();
  Result<plan::ExprPtr> IgnoreNullsCall();
  Result<plan::ExprPtr> PositionCall();
  Result<plan::ExprPtr> ExtractCall();
  Result<plan::ExprPtr> SubstringCall();
  Result<plan::ExprPtr> TrimCall();
  Result<plan::ExprPtr> OverlayCall();
  Result<plan::ExprPtr> TimestampUnitCall(const char* name);
  bool AtTimestampUnitCall() const;
  Result<plan::WindowSpecification> Window();
  Result<plan::UnresolvedFrame> WindowFrameClause();
  Result<plan::UnresolvedFrameBound> FrameBound();

  // --- literal_parser.cc ---
  bool AtNumber(size_t offset = 0) const;
  bool AtConstant() const;
  /// A constant of the grammar: NULL, parameter, interval, typed literal, number, boolean, string.
  Result<plan::ExprPtr> Constant();
  Result<plan::ExprPtr> Parameter();
  bool AtMixedString() const;
  Result<plan::ExprPtr> MixedString();
  Result<plan::ExprPtr> Number();
  Result<plan::ExprPtr> TypedLiteral();
  plan::ExprPtr StringExpr(size_t first, std::string value) const;

  // --- interval_parser.cc ---
  bool AtInterval() const;
  Result<plan::ExprPtr> Interval();
  Result<plan::ExprPtr> IntervalFromText(size_t first, const std::string& text);
  Result<plan::ExprPtr> UnitToUnitInterval(size_t first);

  // --- type_parser.cc ---
  Result<DataTypePtr> Type();
  Result<DataTypePtr> PrimitiveType();
  Result<DataTypePtr> IntervalType(size_t first);
  Status ExpectTypeClose();
  Result<std::vector<StructField>> TypedColumns(bool colon_allowed);
  Result<StructField> TypedColumn(bool colon_allowed);
  Result<std::string> Collation();

  // --- query_parser.cc ---
  Result<plan::PlanPtr> Query();
  Result<plan::PlanPtr> QueryAfterWith();
  Result<plan::PlanPtr> QueryTerm(int minimum);
  Result<plan::PlanPtr> QueryPrimary();
  Result<plan::PlanPtr> Select(plan::PlanPtr from);
  Result<plan::PlanPtr> FromFirst();
  Result<plan::PlanPtr> QueryClauses(plan::PlanPtr child, size_t first, bool pipe);
  Result<std::shared_ptr<plan::WithPlan>> With();
  /// The query of an expression, with the definitions that stand before the command around it, if they do.
  Result<plan::PlanPtr> SubqueryPlan();
  plan::PlanPtr UnderCommandWith(plan::PlanPtr query) const;
  Result<std::vector<plan::GroupingElement>> GroupBy(bool* all);
  Result<plan::GroupingElement> GroupingItem();
  Result<std::vector<plan::ExprPtr>> GroupingSet();
  Result<plan::GroupingElement> GroupingAnalytics();
  bool AtGroupingAnalytics() const;
  Result<std::vector<std::pair<std::string, plan::WindowSpecification>>> NamedWindows();
  struct Hint {
    std::string name;
    Expressions parameters;
    plan::Origin origin;
  };
  Result<std::vector<Hint>> Hints();
  bool AtSetOperation() const;
  Result<plan::PlanPtr> SetOperation(plan::PlanPtr left, size_t first, plan::PlanPtr right, Keyword keyword, bool all);
  bool AtTransform() const;

  // --- relation_parser.cc ---
  Result<plan::PlanPtr> FromClause();
  Result<plan::PlanPtr> Relation(plan::PlanPtr left);
  Result<plan::PlanPtr> RelationExtensions(plan::PlanPtr left, size_t first);
  Result<plan::PlanPtr> RelationPrimary();
  Result<plan::PlanPtr> TableName();
  Result<plan::PlanPtr> TableFunction(size_t first, plan::NameClause name);
  Result<plan::ExprPtr> TableFunctionArgument();
  Result<plan::ExprPtr> TableArgument(size_t first);
  Result<plan::PlanPtr> InlineTable();
  bool AtJoin() const;
  Result<plan::PlanPtr> Join(plan::PlanPtr left, size_t first);
  Result<plan::PlanPtr> Sample(plan::PlanPtr child, size_t first);
  Result<plan::PlanPtr> LateralViews(plan::PlanPtr child, size_t first);
  Result<plan::PlanPtr> Pivot(plan::PlanPtr child, size_t first);
  Result<plan::PlanPtr> Unpivot(plan::PlanPtr child, size_t first);
  bool AtPivot() const;
  bool AtUnpivot() const;
  Result<std::optional<plan::TimeTravel>> TemporalClause();
  struct TableAlias {
    std::string name;
    Names columns;
    bool present = false;
  };
  Result<TableAlias> OptionalTableAlias();
  plan::PlanPtr WithAlias(plan::PlanPtr child, TableAlias alias, size_t first) const;
  Result<plan::Options> OptionsClause();

  // --- pipe_parser.cc ---
  Result<plan::PlanPtr> PipeOperator(plan::PlanPtr left, size_t first);
  Result<plan::PlanPtr> PipeSet(plan::PlanPtr left, size_t first);
  Result<plan::PlanPtr> PipeAggregate(plan::PlanPtr left, size_t first);
  plan::PlanPtr HideQualifiers(plan::PlanPtr plan, size_t first) const;

  // --- statement_parser.cc ---
  Result<plan::PlanPtr> Statement();
  Result<plan::PlanPtr> Unsupported(std::string feature);
  Result<plan::PlanPtr> UnsupportedRest(std::string feature);

  // --- dml_parser.cc ---
  Result<plan::PlanPtr> DmlStatement();
  Result<plan::PlanPtr> Insert();
  /// INSERT up to the query.
  Result<std::shared_ptr<plan::InsertCommand>> InsertTarget();
  Status InsertDirectory(plan::InsertCommand* command);
  /// FROM relation INSERT ... SELECT ...: null, and nothing taken, where no INSERT follows the relation.
  Result<plan::PlanPtr> FromInsert(const plan::WithPlan* with);
  Result<plan::PlanPtr> Delete();
  Result<plan::PlanPtr> Update();
  Result<plan::PlanPtr> Merge();
  Result<std::shared_ptr<const plan::MergeActionExpr>> MergeWhen(plan::MergeCommand* command);
  Status MergeInsert(plan::MergeActionExpr* action);
  Result<std::vector<plan::Assignment>> Assignments();
  Result<plan::PlanPtr> Call();
  Result<Partition> PartitionSpecification(bool values_required = false);
  Status OptionalPartition(Partition* partition, bool values_required = false);

  // --- hive_format_parser.cc ---
  /// ROW FORMAT and STORED AS.
  struct HiveFormat {
    std::string text;                          ///< As written; empty: neither was.
    bool is_stored = false;                    ///< STORED AS was written ...
    std::optional<std::string> name;           ///< ... with a format's name, ...
    std::optional<std::string> input, output;  ///< ... or with classes.
    bool is_delimited = false;                 ///< ROW FORMAT DELIMITED.
    std::optional<std::string> serde;          ///< ROW FORMAT SERDE.
    plan::Options properties;                  ///< Of the SerDe.
  };
  Status RowFormat(HiveFormat* format);
  Status StoredAs(HiveFormat* format);
  /// Error where the two clauses do not fit together.
  Status CheckHiveFormat(const HiveFormat& format, size_t first);
  /// Error where STORED AS names a format that Hive does not have.
  Status CheckKnownFormat(const HiveFormat& format, size_t first);
  /// As options of the provider "hive".
  static void PutHiveFormat(const HiveFormat& format, plan::Options* options);
  /// The table's provider and its options, where one of the clauses was written. `statement`: for the error where the
  /// provider is told as well.
  Status TakeHiveFormat(const HiveFormat& format, size_t first, const std::string& statement,
                        plan::CreateTableCommand* command);

  // --- create_parser.cc ---
  Result<plan::PlanPtr> Create();
  Result<plan::PlanPtr> Replace();
  Result<plan::PlanPtr> CreateTable(size_t first, plan::CreateTableCommand::Mode mode);
  Result<plan::PlanPtr> CreateTableLike(std::shared_ptr<plan::CreateTableCommand> command, size_t first);
  Status TableElements(plan::CreateTableCommand* command);
  Status TableClauses(plan::CreateTableCommand* command, size_t first);
  Result<bool> TableClause(plan::CreateTableCommand* command, std::vector<std::string>* seen, HiveFormat* format);
  Status Partitioning(plan::CreateTableCommand* command);
  Result<plan::PartitionTransform> Transform();
  Result<plan::BucketSpecification> Bucketing();
  Result<plan::ColumnDefinition> ColumnDefinitionItem(plan::CreateTableCommand* command);
  Status ColumnOption(plan::ColumnDefinition* column, std::vector<std::string>* seen,
                      plan::CreateTableCommand* command);
  Status GeneratedColumn(plan::ColumnDefinition* column);
  Status IdentityOptions(plan::ColumnDefinition* column);
  bool AtTableConstraint() const;
  Result<plan::TableConstraint> Constraint(const std::string& column);
  Status ConstraintCharacteristics();
  Result<plan::PlanPtr> CreateView(size_t first);
  Result<plan::PlanPtr> CreateViewUsing(std::shared_ptr<plan::CreateViewCommand> command, size_t first);
  Result<std::string> SchemaBinding();
  Result<plan::PlanPtr> CreateNamespace(size_t first);
  Result<bool> IfNotExists();
  Result<bool> IfExists();
  bool AtNamespace(size_t offset = 0) const {
    return AtAny({Keyword::kNamespace, Keyword::kDatabase, Keyword::kSchema}, offset);
  }
  Result<plan::Properties> PropertyList(bool values_required = true);
  Result<plan::Properties> ExpressionPropertyList();
  Result<std::string> PropertyKey();
  Result<Names> PropertyKeyList();
  /// DEFAULT expression: its text.
  Result<std::string> ExpressionText();
  Result<std::string> CollationClause();  ///< DEFAULT COLLATION name

  // --- alter_parser.cc ---
  Result<plan::PlanPtr> Alter();
  Result<plan::PlanPtr> AlterTable(size_t first);
  Result<plan::PlanPtr> AlterView(size_t first);
  Result<plan::PlanPtr> AlterNamespace(size_t first);
  Result<std::vector<plan::AlterAction>> AlterActions();
  Result<plan::AlterAction> AlterAdd();
  Result<plan::AlterAction> AlterDrop();
  Result<plan::AlterAction> AlterSet();
  Result<plan::AlterAction> AlterRename(Partition partition);
  Result<std::vector<plan::AlterAction>> AlterColumns(bool has_partition);
  Result<std::vector<plan::AlterAction>> AlterColumnActions(Names column, const std::string& verb);
  Result<plan::AlterAction> AlterReplaceColumns();
  Result<std::vector<plan::ColumnDefinition>> AddedColumns();
  Status ColumnPosition(plan::ColumnDefinition* column);

  // --- iceberg_parser.cc ---
  bool AtIcebergAction() const;
  Result<plan::AlterAction> IcebergAction();
  Result<plan::AlterAction> WriteOrder();
  Result<std::vector<plan::AlterAction::OrderField>> WriteOrderFields();
  Result<plan::AlterAction> CreateReference();
  Status ReferenceOptions(plan::AlterAction* action);
  Result<int64_t> DurationMillis(int64_t count);
  Result<std::vector<Names>> FieldList();

  // --- drop_parser.cc ---
  Result<plan::PlanPtr> Drop();

  // --- function_ddl_parser.cc ---
  Result<plan::PlanPtr> CreateFunction(size_t first, bool or_replace, bool temporary);
  Status RoutineCharacteristics();
  Result<plan::PlanPtr> DropFunction(size_t first, bool temporary);
  Result<plan::PlanPtr> DeclareVariable();
  Result<plan::PlanPtr> SetVariable(size_t first);
  Result<plan::PlanPtr> ExecuteImmediate();

  // --- scripting_parser.cc ---
  /// A script: BEGIN ... END as a whole statement.
  Result<plan::PlanPtr> Script();
  /// `label`: the one before it, or empty.
  Result<plan::ScriptNodePtr> ScriptBlock(const std::string& label);
  Result<plan::ScriptBody> ScriptBodyOf(bool takes_declarations, plan::ScriptNode* block);
  bool AtBodyEnd() const;
  Result<plan::ScriptNodePtr> ScriptStatement();
  Result<plan::ScriptNodePtr> ScriptStep(const std::string& label);
  Result<plan::ScriptNodePtr> ScriptIf();
  Result<plan::ScriptNodePtr> ScriptCase();
  Result<plan::ScriptNodePtr> ScriptLoop(const std::string& label);
  Result<plan::ScriptNode::Branch> ScriptCondition();
  Status DeclareCondition(bool is_allowed, plan::ScriptNode* block);
  Status DeclareHandler(plan::ScriptNode* block);
  Result<std::string> SqlState();
  Status OpenLabel(const std::string& label, bool is_loop);
  Status CloseLabel(const std::string& label);

  // --- show_parser.cc ---
  Result<plan::PlanPtr> Show();
  Result<plan::PlanPtr> ShowFunctions(size_t first);
  Result<plan::PlanPtr> ShowWithNamespace(size_t first, plan::ShowCommand::Type type);
  Result<plan::PlanPtr> Describe();

  // --- maintenance_parser.cc ---
  /// OPTIMIZE, VACUUM and RESTORE; null where none of them begins here.
  Result<plan::PlanPtr> Maintenance();
  Result<plan::PlanPtr> CreateClone(std::shared_ptr<plan::CreateTableCommand> command, size_t first);
  Result<plan::PlanPtr> ConvertToDelta(size_t first);
  Result<plan::PlanPtr> GenerateManifest(size_t first);
  Result<plan::PlanPtr> Reorganize(size_t first);
  Result<plan::PlanPtr> CheckFiles(size_t first);
  /// WHERE condition, where it stands.
  Status PartitionCondition(plan::MaintenanceCommand* command);
  /// DESCRIBE HISTORY and DESCRIBE DETAIL, behind DESCRIBE; null where it is another one.
  Result<plan::PlanPtr> DescribeLog(size_t first);
  /// A table's name, or a text: the path of a Delta table.
  Result<plan::NameClause> TableOrPath();
  Status OptionalNamespace(plan::ShowCommand* command);
  Status OptionalPattern(plan::ShowCommand* command);

  // --- session_parser.cc ---
  Result<plan::PlanPtr> Set();
  Result<plan::PlanPtr> SetTimeZone(size_t first);
  Result<plan::PlanPtr> SetConfiguration(size_t first);
  Result<plan::PlanPtr> Reset();
  Result<plan::PlanPtr> Use();
  Result<plan::PlanPtr> Explain();
  Result<plan::PlanPtr> Cache();
  Result<plan::PlanPtr> Uncache();
  Result<plan::PlanPtr> Refresh();
  Result<plan::PlanPtr> Analyze();
  Result<plan::PlanPtr> Comment();
  Result<plan::PlanPtr> Truncate();
  /// Source text behind the token at `token`, up to the end.
  std::string_view RemainderAfter(size_t token) const;

  const ParserOptions& options_;
  bool enforce_reserved_ = false;
  bool double_quoted_identifiers_ = false;
  std::shared_ptr<const std::string> text_;
  std::vector<Token> tokens_;
  bool unclosed_comment_ = false;
  size_t pos_ = 0;
  std::shared_ptr<const plan::WithPlan> command_with_;  ///< WITH before the DELETE, UPDATE or MERGE that is read.
  /// The run of "(" tokens that was looked at last, so that each of them need not look for its end.
  mutable size_t paren_run_begin_ = 1;
  mutable size_t paren_run_end_ = 0;
  std::optional<Error> deferred_;
  bool default_allowed_ = false;  ///< In the query of an INSERT, where DEFAULT alone stands for the column's default.
  const char* stack_base_ = nullptr;
  struct ScriptLabel {
    std::string name;
    bool is_loop = false;
  };
  std::vector<ScriptLabel> script_labels_;  ///< Those of the statements around the one that is read.
  bool in_for_query_ = false;               ///< In the query of a FOR of a script, which DO ends.
};

}  // namespace frazil::sql
