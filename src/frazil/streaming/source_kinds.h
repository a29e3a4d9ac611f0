#pragma once

// The kinds of streaming sources, by the names that readStream.format() takes.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frazil/plan/unresolved_plan.h"
#include "frazil/streaming/source.h"
#include "frazil/tables/streaming_scan.h"

namespace frazil::streaming {

/// What readStream asks for.
struct SourceDescription {
  std::string format;                          ///< In lower case; of tables that of the table.
  std::map<std::string, std::string> options;  ///< Keys in lower case.
  DataTypePtr schema;
  std::string path;                ///< Files, and tables that are folders.
  std::vector<std::string> table;  ///< Tables of catalogs: the name's parts.
};

/// The streaming relation of a source.
class SourceScan : public tables::StreamingScan {
 public:
  SourceScan(SourceDescription description, std::optional<tables::FileFormat> format, size_t place)
      : StreamingScan(description.schema, format, place), description_(std::move(description)) {}
  const SourceDescription& description() const { return description_; }

 private:
  SourceDescription description_;
};

/// Opens a source for the analysis: DataSourcePlan or NamedTablePlan with is_streaming. Errors: DATA_SOURCE_NOT_FOUND,
/// sources that do not stream, options without meaning, a schema that is missing.
Result<analysis::OpenedDataSource> DescribeSource(const plan::Plan& source, size_t place,
                                                  commands::CommandContext& context);

/// The source as a query reads it. `folder`: its own folder in the query's checkpoint (sources/0, sources/1, ...).
Result<std::unique_ptr<Source>> MakeSource(const SourceDescription& description, const std::string& folder,
                                           commands::CommandContext& context);

// rate_source.cc
Result<DataTypePtr> DescribeRate(const SourceDescription& description);
Result<std::unique_ptr<Source>> MakeRateSource(const SourceDescription& description, const std::string& folder,
                                               commands::CommandContext& context);
Result<std::unique_ptr<Source>> MakeRateMicroBatchSource(const SourceDescription& description);
// socket_source.cc
Result<DataTypePtr> DescribeSocket(const SourceDescription& description);
std::unique_ptr<Source> MakeSocketSource(const SourceDescription& description);
// file_source.cc
Result<std::unique_ptr<Source>> MakeFileSource(const SourceDescription& description, const std::string& folder,
                                               commands::CommandContext& context);
// table_source.cc
/// The table of a description as it is now.
Result<tables::TablePtr> LoadTable(const SourceDescription& description, commands::CommandContext& context);
Result<std::unique_ptr<Source>> MakeTableSource(const SourceDescription& description, const std::string& folder,
                                                commands::CommandContext& context);

// kafka_stream.cc
/// Checks the options.
Result<DataTypePtr> DescribeKafka(const plan::DataSourcePlan& read, const SourceDescription& description);
Result<std::unique_ptr<Source>> MakeKafkaSource(const SourceDescription& description, const std::string& folder,
                                                commands::CommandContext& context);

// python_source.cc
/// Fills in the schema and the options of a source that is registered by the description's format.
Status DescribePythonSource(const plan::DataSourcePlan& read, SourceDescription* about,
                            commands::CommandContext& context);
Result<std::unique_ptr<Source>> MakePythonSource(const SourceDescription& description,
                                                 commands::CommandContext& context);

/// Error UNSUPPORTED_FEATURE.TABLE_OPERATION: the table of a description cannot be read as a stream.
Error NoStream(const SourceDescription& description);

/// A whole number among a source's options; `otherwise` where it is missing. Error: plain IllegalArgumentException.
Result<int64_t> IntegerOption(const SourceDescription& description, const std::string& key, int64_t otherwise);

}  // namespace frazil::streaming
