#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <editline/readline.h>

#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/server/registry.h"
#include "frazil/server/result_printer.h"
#include "frazil/server/subcommands_internal.h"
#include "frazil/sql/parser.h"

namespace frazil::server {
namespace {

constexpr int kHistoryLines = 1000;

/// One session in this process, and the statement that runs in it.
class SqlSession {
 public:
  SqlSession(session::SessionPtr session, OutputFormat format) : session_(std::move(session)), format_(format) {}

  /// Runs one statement and prints its rows.
  Result<int64_t> Run(const std::string& statement) {
    FRAZIL_ASSIGN_OR_RETURN(const auto operation, session_->StartOperation(RandomUuidText(), {}));
    {
      const std::lock_guard lock(mutex_);
      running_ = operation;
    }
    auto rows = RunOperation(statement, operation);
    {
      const std::lock_guard lock(mutex_);
      running_.reset();
    }
    session_->EndOperation(operation->id);
    return rows;
  }

  /// Stops the statement that runs, if one does.
  void Cancel() {
    const std::lock_guard lock(mutex_);
    if (running_ != nullptr) running_->cancel->Cancel();
  }

 private:
  Result<int64_t> RunOperation(const std::string& statement, const session::OperationPtr& operation) {
    plan::SqlQueryPlan query;
    query.text = statement;
    FRAZIL_ASSIGN_OR_RETURN(const auto result, session_->Sql(query, operation));
    FRAZIL_ASSIGN_OR_RETURN(auto rows, session_->Execute(result.relation, operation));
    return PrintResult(*rows.stream, format_, session_->GetConfig("spark.sql.session.timeZone").value_or("UTC"),
                       std::cout);
  }

  session::SessionPtr session_;
  OutputFormat format_;
  std::mutex mutex_;
  session::OperationPtr running_;
};

// Waits for Ctrl-C in a thread of its own: what cancels a statement must not run in a signal handler.
class InterruptThread {
 public:
  explicit InterruptThread(SqlSession* session) : thread_([this, session] { Watch(session); }) {}
  ~InterruptThread() {
    ending_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }

 private:
  void Watch(SqlSession* session) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    int signal = 0;
    while (sigwait(&signals, &signal) == 0) {
      session->Cancel();
      if (ending_) return;
      if (signal == SIGTERM) std::_Exit(128 + SIGTERM);
    }
  }

  std::atomic<bool> ending_{false};
  std::thread thread_;
};

std::string HistoryFile() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
    return std::string(state) + "/frazil_history";
  }
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.frazil_history";
}

// Runs the statements of a text; stops at the first that fails.
int RunText(SqlSession* session, const std::string& text) {
  const auto statements = sql::SplitStatements(text);
  if (!statements.ok()) {
    std::cerr << statements.error().message << "\n";
    return 1;
  }
  for (const auto& statement : *statements) {
    const auto rows = session->Run(statement);
    if (!rows.ok()) {
      std::cerr << rows.error().message << "\n";
      return 1;
    }
  }
  return 0;
}

// Whether the text ends a statement: a semicolon that is not within a string, a comment or a block.
bool IsComplete(const std::string& text) {
  const auto statements = sql::SplitStatements(text + "\n;");
  if (!statements.ok()) return TrimBlanks(text).ends_with(';');
  const auto without = sql::SplitStatements(text);
  return TrimBlanks(text).ends_with(';') && without.ok() && without->size() == statements->size();
}

void RunInteractively(SqlSession* session) {
  const std::string history_file = HistoryFile();
  // A Ctrl-D that comes before the editor has the terminal is read as NUL, which editline takes to quote the next
  // character: the next Ctrl-D would become text. Each readline() makes its bindings anew, then calls the hook.
  rl_pre_input_hook = [] { return rl_parse_and_bind("bind ^@ ed-unassigned"); };
  using_history();
  stifle_history(kHistoryLines);
  if (!history_file.empty()) read_history(history_file.c_str());
  std::string text;
  while (true) {
    char* line = readline(text.empty() ? "frazil> " : "      > ");
    if (line == nullptr) break;
    const std::string typed = line;
    std::free(line);
    if (text.empty() && TrimBlanks(typed).empty()) continue;
    std::string_view word = TrimBlanks(typed);
    if (word.ends_with(';')) word.remove_suffix(1);
    if (text.empty() && (EqualsIgnoreCase(word, "exit") || EqualsIgnoreCase(word, "quit"))) break;
    text += text.empty() ? typed : "\n" + typed;
    if (!IsComplete(text)) continue;
    add_history(ReplaceAll(text, "\n", " ").c_str());
    const auto statements = sql::SplitStatements(text);
    text.clear();
    if (!statements.ok()) {
      std::cerr << statements.error().message << "\n";
      continue;
    }
    for (const auto& statement : *statements) {
      const auto start = std::chrono::steady_clock::now();
      const auto rows = session->Run(statement);
      if (!rows.ok()) {
        std::cerr << rows.error().message << "\n";
        break;
      }
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      char seconds[32];
      std::snprintf(seconds, sizeof(seconds), "%.3f", taken.count());
      std::cerr << "Time taken: " << seconds << " seconds, fetched " << *rows << " row(s)\n";
    }
  }
  if (!history_file.empty()) write_history(history_file.c_str());
  std::cout << "\n";
}

std::string ReadAll(std::istream& in) {
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

Result<int> RunSql(const std::vector<std::string>& arguments) {
  LaunchOptions options;
  std::string text;
  bool interactive = true;
  OutputFormat format = OutputFormat::kTable;
  for (size_t at = 0; at < arguments.size();) {
    const std::string argument = arguments[at];
    if (IsOption(argument, "-e")) {
      FRAZIL_ASSIGN_OR_RETURN(const auto statements, TakeOptionValue(arguments, &at));
      text += statements + "\n;\n";
      interactive = false;
    } else if (IsOption(argument, "-f")) {
      FRAZIL_ASSIGN_OR_RETURN(const auto path, TakeOptionValue(arguments, &at));
      std::ifstream file(path, std::ios::binary);
      if (!file) return UsageError("cannot read " + path);
      text += ReadAll(file) + "\n;\n";
      interactive = false;
    } else if (IsOption(argument, "--format")) {
      FRAZIL_ASSIGN_OR_RETURN(const auto name, TakeOptionValue(arguments, &at));
      const auto named = OutputFormatByName(name);
      if (!named.has_value()) return UsageError("'" + name + "' is no format; there are table, csv and json");
      format = *named;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(const bool taken, TakeLaunchOption(arguments, &at, &options));
      if (!taken) return UsageError("sql does not take '" + argument + "'");
    }
  }
  FRAZIL_RETURN_IF_ERROR(FinishOptions(&options));
  BlockEndingSignals();

  FRAZIL_ASSIGN_OR_RETURN(const auto sessions, MakeSessions(options));
  const char* user = std::getenv("USER");
  FRAZIL_ASSIGN_OR_RETURN(auto session, sessions->OpenSession(user != nullptr ? user : "", RandomUuidText(), ""));
  SqlSession sql_session(std::move(session), format);
  const InterruptThread interrupts(&sql_session);
  if (interactive && isatty(STDIN_FILENO) == 0) {
    text = ReadAll(std::cin);
    interactive = false;
  }
  if (!interactive) return RunText(&sql_session, text);
  RunInteractively(&sql_session);
  return 0;
}

}  // namespace frazil::server
