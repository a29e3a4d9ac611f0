#include <csignal>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frazil/server/registry.h"
#include "frazil/server/subcommands_internal.h"

namespace frazil::server {
namespace {

// A server for as long as the object lives.
class OwnServer {
 public:
  static Result<std::unique_ptr<OwnServer>> Start(const LaunchOptions& options) {
    auto own = std::make_unique<OwnServer>();
    FRAZIL_ASSIGN_OR_RETURN(own->options_, ConnectOptionsOf(options));
    if (!options.port.has_value()) own->options_.port = 0;
    FRAZIL_ASSIGN_OR_RETURN(auto sessions, MakeSessions(options));
    FRAZIL_ASSIGN_OR_RETURN(own->server_, connect::ConnectServer::Start(std::move(sessions), own->options_));
    return own;
  }

  /// What SPARK_REMOTE takes. "localhost", because the client sends a token only there without TLS.
  std::string Remote() const {
    std::string host = options_.host;
    if (host == "127.0.0.1" || host == "0.0.0.0" || host == "::" || host == "::1") host = "localhost";
    std::string remote = "sc://" + host + ":" + std::to_string(server_->port());
    if (!options_.token.empty()) remote += "/;token=" + options_.token;
    return remote;
  }

 private:
  connect::ConnectServerOptions options_;
  std::unique_ptr<connect::ConnectServer> server_;
};

std::string PythonProgram() {
  const char* named = std::getenv("FRAZIL_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

// Runs a program in the foreground with the environment of this one and SPARK_REMOTE; returns its exit status, 128 + n
// after signal n.
Result<int> RunProgram(const std::vector<std::string>& command, const std::string& remote) {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "SPARK_REMOTE=", 13) != 0) environment.emplace_back(*variable);
  }
  environment.push_back("SPARK_REMOTE=" + remote);
  const auto pointers = [](const std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
  };

  // Our signals are blocked; the program's must not be.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, command.front().c_str(), nullptr, &attributes, pointers(command).data(),
                                   pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    return Error::Plain(ExceptionClass::kSpark, "cannot run " + command.front() + ": " + std::strerror(failure));
  }

  // Ctrl-C reaches the program by itself, as one of the terminal's foreground; SIGTERM does not.
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGTERM);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    const timespec interval{1, 0};
    if (sigtimedwait(&awaited, nullptr, &interval) == SIGTERM) kill(child, SIGTERM);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void BlockSignals() {
  BlockEndingSignals();
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &child, nullptr);
}

}  // namespace

Result<int> RunScript(const std::vector<std::string>& arguments) {
  LaunchOptions options;
  size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with("-")) {
    const std::string argument = arguments[at];
    FRAZIL_ASSIGN_OR_RETURN(const bool taken, TakeLaunchOption(arguments, &at, &options));
    if (!taken) return UsageError("run does not take '" + argument + "'");
  }
  if (at == arguments.size()) return UsageError("run needs a script");
  FRAZIL_RETURN_IF_ERROR(FinishOptions(&options));
  BlockSignals();
  FRAZIL_ASSIGN_OR_RETURN(const auto server, OwnServer::Start(options));
  std::vector<std::string> command = {PythonProgram()};
  command.insert(command.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at), arguments.end());
  return RunProgram(command, server->Remote());
}

Result<int> RunShell(const std::vector<std::string>& arguments) {
  LaunchOptions options;
  for (size_t at = 0; at < arguments.size();) {
    const std::string argument = arguments[at];
    FRAZIL_ASSIGN_OR_RETURN(const bool taken, TakeLaunchOption(arguments, &at, &options));
    if (!taken) return UsageError("shell does not take '" + argument + "'");
  }
  FRAZIL_RETURN_IF_ERROR(FinishOptions(&options));
  BlockSignals();
  FRAZIL_ASSIGN_OR_RETURN(const auto server, OwnServer::Start(options));
  // PySpark's own start-up file needs the whole of PySpark; this works with its client alone.
  static constexpr const char* kStartUp = R"(
import atexit, os
os.environ.setdefault("SPARK_CONNECT_PROGRESS_BAR_ENABLED", "1")
import pyspark
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
sql = spark.sql
atexit.register(spark.stop)
print(f"PySpark {pyspark.__version__} on Frazil. The session is 'spark'.")
)";
  return RunProgram({PythonProgram(), "-i", "-c", kStartUp}, server->Remote());
}

}  // namespace frazil::server
