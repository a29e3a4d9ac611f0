#pragma once

// What the program is told when it starts: options, spark-defaults.conf, settings.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"

namespace frazil::server {

/// An error that is about the arguments: the program prints it with a hint at --help and ends with status 2.
Error UsageError(const std::string& message);
bool IsUsageError(const Error& error);

/// Options that every subcommand with a server or session takes.
struct LaunchOptions {
  std::string host;         ///< Empty: spark.connect.grpc.binding.address, else loopback.
  std::optional<int> port;  ///< Absent: spark.connect.grpc.binding.port, else 15002.
  std::string warehouse;    ///< Empty: spark.sql.warehouse.dir, else ./spark-warehouse.
  std::string token;
  std::string log_level;
  std::map<std::string, std::string> settings;  ///< spark-defaults.conf, then --conf.
};

/// Takes the launch option at `arguments[*at]` and leaves `*at` behind it. False where that is no launch option.
Result<bool> TakeLaunchOption(const std::vector<std::string>& arguments, size_t* at, LaunchOptions* options);

/// The value of an option: "--name=value", or the next argument.
Result<std::string> TakeOptionValue(const std::vector<std::string>& arguments, size_t* at);
/// Whether the argument is `--name` or `--name=value`.
bool IsOption(std::string_view argument, std::string_view name);

/// Spark's properties file: "key value", "key=value" or "key: value" a line, '#' and '!' begin comments, '\' at the end
/// continues. Keys without "spark." are left out, as spark-submit does.
std::map<std::string, std::string> ParseProperties(std::string_view text);
Result<std::map<std::string, std::string>> ReadPropertiesFile(const std::string& path);

/// Spark's sizes, "2g", "512m", "1024" (bytes), in bytes. Error of class NumberFormatException.
Result<int64_t> ParseByteSize(std::string_view text);
/// Spark's durations, "60s", "5min", "1h", "250ms"; without a unit: seconds.
Result<int64_t> ParseSeconds(std::string_view text);

}  // namespace frazil::server
