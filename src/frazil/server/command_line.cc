#include "frazil/server/command_line.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "frazil/base/logging.h"
#include "frazil/server/subcommands_internal.h"
#include "frazil/types/local_time_zone.h"

namespace frazil::server {
namespace {

constexpr std::string_view kHelp =
    R"(Frazil: Spark SQL and DataFrames over Iceberg tables and files, without a JVM.

usage: frazil COMMAND [OPTION]... [ARGUMENT]...

commands:
  server                 serve Spark Connect (PySpark: SparkSession.builder.remote("sc://HOST:PORT"))
  sql                    run SQL statements: -e TEXT, -f FILE, or interactively
  run SCRIPT [ARGS]      run a PySpark script on a server of its own
  shell                  an interactive PySpark on a server of its own
  version                print the version
  help                   print this

options of server, sql, run and shell:
  --warehouse DIR        folder of the built-in catalog (default: ./spark-warehouse)
  --conf KEY=VALUE       a Spark setting; may be repeated
  --properties-file FILE settings in the syntax of spark-defaults.conf
                         (default: $SPARK_CONF_DIR/spark-defaults.conf, if there is one)
  --log-level LEVEL      trace, debug, info, warn (default), error or off; the log goes to standard error

options of server:
  --host HOST            address to listen on (default: 127.0.0.1)
  --port PORT            port to listen on (default: 15002; 0 takes a free one)
  --token TOKEN          bearer token that clients must send; --token-file FILE reads it from a file

options of sql:
  -e TEXT                run these statements and end
  -f FILE                run the statements of a file and end
  --format FORMAT        table (default), csv or json
)";

}  // namespace

Status FinishOptions(LaunchOptions* options) {
  if (!options->log_level.empty()) {
    const auto level = LogLevelByName(options->log_level);
    if (!level.has_value()) return UsageError("'" + options->log_level + "' is no log level");
    SetLogLevel(*level);
  }
  if (const char* folder = std::getenv("SPARK_CONF_DIR")) {
    const std::string path = std::string(folder) + "/spark-defaults.conf";
    std::error_code failure;
    if (std::filesystem::exists(path, failure)) {
      FRAZIL_ASSIGN_OR_RETURN(auto defaults, ReadPropertiesFile(path));
      options->settings.merge(defaults);
    }
  }
  // Where nobody says otherwise, sessions live in the machine's zone, as Spark's do.
  const std::string zone = LocalTimeZoneName();
  if (zone != "UTC") options->settings.try_emplace("spark.sql.session.timeZone", zone);
  return Status::Ok();
}

void BlockEndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

int RunCommandLine(const std::vector<std::string>& arguments, std::string_view version) {
  std::signal(SIGPIPE, SIG_IGN);
  if (arguments.empty()) {
    std::cerr << kHelp;
    return 2;
  }
  const std::string& command = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const bool asks_for_help = !rest.empty() && (rest.front() == "--help" || rest.front() == "-h");
  if (command == "--help" || command == "-h" || command == "help" || asks_for_help) {
    std::cout << kHelp;
    return 0;
  }
  if (command == "version" || command == "--version") {
    std::cout << "frazil " << version << "\n";
    return 0;
  }
  Result<int> status = UsageError("there is no command '" + command + "'");
  if (command == "server") status = RunServer(rest);
  if (command == "sql") status = RunSql(rest);
  if (command == "run") status = RunScript(rest);
  if (command == "shell") status = RunShell(rest);
  if (status.ok()) return *status;
  const Error& error = status.error();
  if (IsUsageError(error)) {
    std::cerr << error.message << "\nTry 'frazil --help'.\n";
    return 2;
  }
  std::cerr << "frazil: " << error.message << "\n";
  return 1;
}

}  // namespace frazil::server
