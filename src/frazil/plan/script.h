#pragma once

// SQL scripts: BEGIN ... END and what stands in it.
// https://spark.apache.org/docs/latest/sql-ref-scripting.html

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frazil/plan/unresolved_command.h"

namespace frazil::plan {

struct ScriptNode;
using ScriptNodePtr = std::shared_ptr<const ScriptNode>;
using ScriptBody = std::vector<ScriptNodePtr>;

/// DECLARE EXIT | CONTINUE HANDLER FOR ...
struct ScriptHandler {
  bool goes_on = false;                 ///< CONTINUE.
  std::vector<std::string> conditions;  ///< Names of conditions, in upper case.
  std::vector<std::string> states;      ///< SQLSTATEs, in upper case.
  bool any_error = false;               ///< SQLEXCEPTION.
  bool not_found = false;               ///< NOT FOUND.
  ScriptNodePtr body;                   ///< A kBlock.
};

/// A statement of a script.
struct ScriptNode {
  enum class Kind : uint8_t { kStatement, kBlock, kIf, kWhile, kRepeat, kLoop, kFor, kLeave, kIterate };
  Kind kind = Kind::kStatement;
  Origin origin;
  /// kBlock and loops: in lower case, their own or a made-up one. kLeave, kIterate: the label they name.
  std::string label;
  PlanPtr statement;  ///< kStatement; the query of kFor.
  /// kIf (CASE too): one after the other; kWhile, kRepeat: the first. With the text of each condition.
  struct Branch {
    ExprPtr condition;
    std::string text;
    ScriptBody body;
  };
  std::vector<Branch> branches;
  ScriptBody body;                                ///< kBlock, kLoop, kFor; the ELSE of kIf.
  std::string variable;                           ///< kFor: the name before AS; empty where it has none.
  std::map<std::string, std::string> conditions;  ///< kBlock: DECLARE name CONDITION: SQLSTATE by name.
  std::vector<ScriptHandler> handlers;            ///< kBlock.
};

struct ScriptCommand : Command {
  ScriptCommand() : Command(CommandKind::kScript) {}
  ScriptNodePtr block;
  std::string text;
};

}  // namespace frazil::plan
