#pragma once

#include <string>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/server/launch_options.h"

namespace frazil::server {

/// Exit status; an error where the subcommand could not do its work at all.
Result<int> RunServer(const std::vector<std::string>& arguments);
Result<int> RunSql(const std::vector<std::string>& arguments);
Result<int> RunScript(const std::vector<std::string>& arguments);
Result<int> RunShell(const std::vector<std::string>& arguments);

/// Adds spark-defaults.conf of SPARK_CONF_DIR below what the options say, and sets the log level.
Status FinishOptions(LaunchOptions* options);

/// Blocks the signals that end the program, in this thread and those that it starts: they are waited for.
void BlockEndingSignals();

}  // namespace frazil::server
