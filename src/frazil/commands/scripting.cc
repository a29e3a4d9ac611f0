// Scripts: BEGIN ... END runs its statements one by one; the result is that of the last one that has a result.
// https://spark.apache.org/docs/latest/sql-ref-scripting.html

#include <algorithm>
#include <optional>

#include "frazil/base/error_condition_names.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/commands/statements_internal.h"
#include "frazil/plan/script.h"

namespace frazil::commands {
namespace {

using plan::ScriptNode;

// What follows a statement: the next one, or the end or next round of what has that label.
struct Flow {
  enum class Kind : uint8_t { kNext, kLeave, kIterate };
  Kind kind = Kind::kNext;
  std::string label;
};

bool HasHandler(const ScriptNode& node, bool goes_on);

bool AnyHasHandler(const plan::ScriptBody& body, bool goes_on) {
  return std::any_of(body.begin(), body.end(), [&](const auto& node) { return HasHandler(*node, goes_on); });
}

bool HasHandler(const ScriptNode& node, bool goes_on) {
  for (const auto& handler : node.handlers) {
    if (handler.goes_on == goes_on || HasHandler(*handler.body, goes_on)) return true;
  }
  for (const auto& branch : node.branches) {
    if (AnyHasHandler(branch.body, goes_on)) return true;
  }
  return AnyHasHandler(node.body, goes_on);
}

class Script {
 public:
  explicit Script(CommandContext& context) : context_(context) {}

  Result<Flow> Run(const ScriptNode& node) {
    // Loops without a statement in them can be cancelled, too.
    FRAZIL_RETURN_IF_ERROR(engine::CheckNotCancelled(context_.execution().cancel.get()));
    switch (node.kind) {
      case ScriptNode::Kind::kStatement: {
        Status status = RunStatement(*node.statement, node.statement);
        if (!status.ok()) return Handle(std::move(status).error());
        return Flow();
      }
      case ScriptNode::Kind::kBlock:
        return RunBlock(node);
      case ScriptNode::Kind::kIf:
        return RunIf(node);
      case ScriptNode::Kind::kWhile:
      case ScriptNode::Kind::kRepeat:
      case ScriptNode::Kind::kLoop:
        return RunLoop(node);
      case ScriptNode::Kind::kFor:
        return RunFor(node);
      case ScriptNode::Kind::kLeave:
        return Flow{Flow::Kind::kLeave, node.label};
      case ScriptNode::Kind::kIterate:
        return Flow{Flow::Kind::kIterate, node.label};
    }
    return Error::Internal("unknown statement of a script");
  }

  std::optional<RowSet> TakeResult() { return std::move(result_); }

 private:
  // A block that is under way: its handlers, and the scopes that they see.
  struct OpenBlock {
    const ScriptNode* node = nullptr;
    size_t scopes = 0;
  };

  Status RunStatement(const plan::Plan& statement, const plan::PlanPtr& plan) {
    context_.BeginStatement();
    if (const auto* variable = dynamic_cast<const plan::VariableCommand*>(&statement);
        variable != nullptr && variable->type == plan::VariableCommand::Type::kDrop) {
      return Error::Of("UNSUPPORTED_FEATURE.SQL_SCRIPTING_DROP_TEMPORARY_VARIABLE");
    }
    FRAZIL_ASSIGN_OR_RETURN(auto rows, context_.RunStatement(plan));
    // Of a command that shows nothing there is no result.
    const bool is_command = statement.kind == plan::PlanKind::kCommand;
    if (!rows.schema->fields().empty() && (!is_command || !rows.rows.empty())) result_ = std::move(rows);
    return {};
  }

  Result<bool> IsTrue(const ScriptNode::Branch& branch) {
    auto project = std::make_shared<plan::ProjectPlan>();
    project->child = std::make_shared<plan::OneRowPlan>();
    project->expressions = {plan::MakeAliasExpr(branch.condition, "condition")};
    context_.BeginStatement();
    FRAZIL_ASSIGN_OR_RETURN(const auto rows, context_.RunStatement(project));
    const auto& fields = rows.schema->fields();
    if (fields.size() != 1 || fields[0].type->id() != TypeId::kBoolean || rows.rows.size() != 1)
      return Error::Of("INVALID_BOOLEAN_STATEMENT", {{"invalidStatement", branch.text}});
    const Value& value = rows.rows[0][0];
    return !value.is_null() && value.boolean();
  }

  Result<Flow> RunBody(const plan::ScriptBody& body) {
    for (const auto& node : body) {
      FRAZIL_ASSIGN_OR_RETURN(auto flow, Run(*node));
      if (flow.kind != Flow::Kind::kNext) return flow;
    }
    return Flow();
  }

  Result<Flow> RunBlock(const ScriptNode& block) {
    context_.local_scopes.push_back({block.label, {}});
    open_blocks_.push_back({&block, context_.local_scopes.size()});
    auto flow = RunBody(block.body);
    open_blocks_.pop_back();
    context_.local_scopes.pop_back();
    if (flow.ok() && flow->kind == Flow::Kind::kLeave && flow->label == block.label) return Flow();
    return flow;
  }

  Result<Flow> RunIf(const ScriptNode& node) {
    for (const auto& branch : node.branches) {
      auto is_true = IsTrue(branch);
      if (!is_true.ok()) return Handle(std::move(is_true).error());
      if (*is_true) return RunBody(branch.body);
    }
    return RunBody(node.body);
  }

  // Whether the loop ends with what its body came to; `flow` is then what follows the loop.
  static bool EndsLoop(const ScriptNode& loop, Flow* flow) {
    if (flow->kind == Flow::Kind::kNext) return false;
    const bool is_own = flow->label == loop.label;
    const bool goes_on = is_own && flow->kind == Flow::Kind::kIterate;
    if (is_own) *flow = Flow();
    return !goes_on;
  }

  Result<Flow> RunLoop(const ScriptNode& loop) {
    const auto* branch = loop.branches.empty() ? nullptr : &loop.branches.front();
    while (true) {
      if (loop.kind == ScriptNode::Kind::kWhile) {
        auto is_true = IsTrue(*branch);
        if (!is_true.ok()) return Handle(std::move(is_true).error());
        if (!*is_true) return Flow();
      }
      FRAZIL_RETURN_IF_ERROR(engine::CheckNotCancelled(context_.execution().cancel.get()));
      FRAZIL_ASSIGN_OR_RETURN(auto flow, RunBody(branch == nullptr ? loop.body : branch->body));
      if (EndsLoop(loop, &flow)) return flow;
      if (loop.kind == ScriptNode::Kind::kRepeat) {
        auto is_true = IsTrue(*branch);
        if (!is_true.ok()) return Handle(std::move(is_true).error());
        if (*is_true) return Flow();
      }
    }
  }

  Result<Flow> RunFor(const ScriptNode& loop) {
    context_.BeginStatement();
    auto rows = context_.RunStatement(loop.statement);
    if (!rows.ok()) return Handle(std::move(rows).error());
    const auto& fields = rows->schema->fields();
    const std::string label = loop.variable.empty() ? RandomUuidText() : AsciiLower(loop.variable);
    for (auto& row : rows->rows) {
      analysis::LocalScope scope{label, {}};
      for (size_t i = 0; i < fields.size(); ++i) {
        for (const auto& other : scope.variables) {
          if (!EqualsIgnoreCase(other.name, fields[i].name)) continue;
          return Handle(Error::Of("VARIABLE_ALREADY_EXISTS",
                                  {{"variableName", QuoteIdentifier({label, AsciiLower(fields[i].name)})}}));
        }
        scope.variables.push_back({fields[i].name, fields[i].type, std::move(row[i])});
      }
      context_.local_scopes.push_back(std::move(scope));
      auto flow = RunBody(loop.body);
      context_.local_scopes.pop_back();
      if (!flow.ok() || EndsLoop(loop, &*flow)) return flow;
    }
    return Flow();
  }

  // The handler of a block for an error; null where it has none. Conditions come before states, these before classes.
  const plan::ScriptHandler* FindHandler(const OpenBlock& block, const Error& error) const {
    const auto& handlers = block.node->handlers;
    const auto find = [&](const auto& fits) -> const plan::ScriptHandler* {
      const auto found = std::find_if(handlers.begin(), handlers.end(), fits);
      return found == handlers.end() ? nullptr : &*found;
    };
    const auto names = [&](const std::string& condition) {
      return find([&](const plan::ScriptHandler& handler) {
        return std::find(handler.conditions.begin(), handler.conditions.end(), condition) != handler.conditions.end();
      });
    };
    const std::string& state = error.sql_state;
    if (!error.condition.empty()) {
      const std::string condition = AsciiUpper(error.condition);
      if (const auto* found = names(condition)) return found;
      if (const auto* found = names(condition.substr(0, condition.find('.')))) return found;
    }
    if (const auto* found = find([&](const plan::ScriptHandler& handler) {
          return std::any_of(handler.states.begin(), handler.states.end(),
                             [&](const auto& own) { return own == state; }) ||
                 std::any_of(handler.conditions.begin(), handler.conditions.end(),
                             [&](const auto& name) { return StateOf(block, name) == state; });
        }))
      return found;
    if (state.starts_with("02")) return find([](const plan::ScriptHandler& handler) { return handler.not_found; });
    if (state.starts_with("XX")) return nullptr;
    return find([](const plan::ScriptHandler& handler) { return handler.any_error; });
  }

  // The SQLSTATE of a condition that this block or one around it declares; nullopt: it is one of Spark's own.
  std::optional<std::string> StateOf(const OpenBlock& block, const std::string& condition) const {
    for (auto open = open_blocks_.rbegin(); open != open_blocks_.rend(); ++open) {
      if (open->scopes > block.scopes) continue;
      const auto found = open->node->conditions.find(condition);
      if (found != open->node->conditions.end()) return found->second;
    }
    return std::nullopt;
  }

  Result<Flow> Handle(Error error) {
    if (error.kind == ErrorKind::kCancelled) return error;
    for (size_t i = open_blocks_.size(); i-- > 0;) {
      const OpenBlock block = open_blocks_[i];
      const auto* handler = FindHandler(block, error);
      if (handler == nullptr) continue;
      // The handler runs in the scope of its block, and only handlers further out are there for its own errors.
      const auto cut = static_cast<std::ptrdiff_t>(block.scopes);
      auto& scopes = context_.local_scopes;
      std::vector<analysis::LocalScope> inner_scopes(std::make_move_iterator(scopes.begin() + cut),
                                                     std::make_move_iterator(scopes.end()));
      scopes.resize(block.scopes);
      const std::vector<OpenBlock> inner_blocks(open_blocks_.begin() + static_cast<std::ptrdiff_t>(i),
                                                open_blocks_.end());
      open_blocks_.resize(i);
      auto flow = Run(*handler->body);
      open_blocks_.insert(open_blocks_.end(), inner_blocks.begin(), inner_blocks.end());
      scopes.insert(scopes.end(), std::make_move_iterator(inner_scopes.begin()),
                    std::make_move_iterator(inner_scopes.end()));
      if (!flow.ok() || flow->kind != Flow::Kind::kNext) return flow;
      if (handler->goes_on) return Flow();
      return Flow{Flow::Kind::kLeave, block.node->label};
    }
    return error;
  }

  CommandContext& context_;
  std::vector<OpenBlock> open_blocks_;
  std::optional<RowSet> result_;
};

// What is wrong with the handlers of a block, as Spark finds it before anything runs.
Status CheckHandlers(const ScriptNode& node, std::vector<const ScriptNode*>* blocks);

Status CheckBody(const plan::ScriptBody& body, std::vector<const ScriptNode*>* blocks) {
  for (const auto& node : body) FRAZIL_RETURN_IF_ERROR(CheckHandlers(*node, blocks));
  return {};
}

Status CheckHandlers(const ScriptNode& node, std::vector<const ScriptNode*>* blocks) {
  const auto twice = [](const char* what, const std::string& name) {
    const bool is_state = std::string_view(what) == "SQLSTATE";
    return Error::Of(std::string("DUPLICATE_EXCEPTION_HANDLER.") + what, {{is_state ? "sqlState" : "condition", name}});
  };
  const bool is_block = node.kind == ScriptNode::Kind::kBlock;
  if (is_block) blocks->push_back(&node);
  std::vector<std::string> conditions, states;
  const auto note = [](std::vector<std::string>* seen, const std::string& name) {
    const bool is_new = std::find(seen->begin(), seen->end(), name) == seen->end();
    seen->push_back(name);
    return is_new;
  };
  for (const auto& handler : node.handlers) {
    for (const auto& condition : handler.conditions) {
      const bool is_declared = std::any_of(blocks->begin(), blocks->end(),
                                           [&](const auto* block) { return block->conditions.contains(condition); });
      if (!is_declared && !IsErrorConditionName(condition))
        return Error::Of("INVALID_HANDLER_DECLARATION.CONDITION_NOT_FOUND", {{"condition", condition}});
      if (!note(&conditions, condition)) return twice("CONDITION", condition);
    }
    for (const auto& state : handler.states) {
      if (!note(&states, state)) return twice("SQLSTATE", state);
    }
    if (handler.any_error && !note(&conditions, "SQLEXCEPTION")) return twice("CONDITION", "SQLEXCEPTION");
    if (handler.not_found && !note(&conditions, "NOT FOUND")) return twice("CONDITION", "NOT FOUND");
    FRAZIL_RETURN_IF_ERROR(CheckHandlers(*handler.body, blocks));
  }
  for (const auto& branch : node.branches) FRAZIL_RETURN_IF_ERROR(CheckBody(branch.body, blocks));
  FRAZIL_RETURN_IF_ERROR(CheckBody(node.body, blocks));
  if (is_block) blocks->pop_back();
  return {};
}

}  // namespace

Result<RowSet> RunScript(const plan::ScriptCommand& command, CommandContext& context) {
  if (EqualsIgnoreCase(context.GetConfig("spark.sql.scripting.enabled").value_or("true"), "false")) {
    return Error::Of("UNSUPPORTED_FEATURE.SQL_SCRIPTING", {{"sqlScriptingEnabled", "\"spark.sql.scripting.enabled\""}});
  }
  if (!context.positional_parameters.empty())
    return Error::Of("UNSUPPORTED_FEATURE.SQL_SCRIPTING_WITH_POSITIONAL_PARAMETERS");
  const bool may_go_on =
      EqualsIgnoreCase(context.GetConfig("spark.sql.scripting.continueHandlerEnabled").value_or("false"), "true");
  if (!may_go_on && HasHandler(*command.block, true))
    return Error::Of("UNSUPPORTED_FEATURE.CONTINUE_EXCEPTION_HANDLER");
  std::vector<const ScriptNode*> blocks;
  FRAZIL_RETURN_IF_ERROR(CheckHandlers(*command.block, &blocks));
  Script script(context);
  FRAZIL_ASSIGN_OR_RETURN(auto flow, script.Run(*command.block));
  static_cast<void>(flow);
  auto result = script.TakeResult();
  return result ? *std::move(result) : NoRows();
}

}  // namespace frazil::commands
