// The sources rate and rate-micro-batch, which make their rows.
// Source: RateStreamProvider and RatePerMicroBatchProvider of Spark, whose options, offsets and rows these are.

#include <algorithm>
#include <cstdio>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/json.h"
#include "frazil/base/text.h"
#include "frazil/sql/parser.h"
#include "frazil/streaming/metadata_log.h"
#include "frazil/streaming/source_kinds.h"

namespace frazil::streaming {
namespace {

constexpr int64_t kMillis = 1000;

/// Rows `first` up to `last` (exclusive) as a relation: `milliseconds` is the SQL text of their time, over `id`.
Result<SourceRows> NumberedRows(int64_t first, int64_t last, const std::string& milliseconds,
                                commands::CommandContext& context) {
  SourceRows rows;
  rows.count = last - first;
  FRAZIL_ASSIGN_OR_RETURN(
      rows.stream.rows,
      sql::ParseQuery("SELECT timestamp_millis(" + milliseconds + ") AS timestamp, id AS value FROM range(" +
                          std::to_string(first) + ", " + std::to_string(last) + ")",
                      context.parser_options()));
  return rows;
}

std::string OptionOr(const SourceDescription& description, const std::string& key, const std::string& otherwise) {
  const auto found = description.options.find(key);
  return found == description.options.end() ? otherwise : found->second;
}

/// How many rows there are in the first `seconds`: the speed grows evenly over the first `ramp_up` seconds.
int64_t RowsAfter(int64_t seconds, int64_t rows_per_second, int64_t ramp_up) {
  const int64_t faster_each_second = std::max<int64_t>(1, rows_per_second / (ramp_up + 1));
  if (seconds > ramp_up) {
    return RowsAfter(ramp_up, rows_per_second, ramp_up) + (seconds - ramp_up) * rows_per_second;
  }
  return seconds % 2 == 1 ? (seconds + 1) / 2 * faster_each_second * seconds
                          : seconds / 2 * faster_each_second * (seconds + 1);
}

Result<int64_t> ReadOffset(const Offset& offset) {
  const auto number = ParseInteger<int64_t>(offset);
  if (!number) return Error::Plain(ExceptionClass::kSpark, "The offset '" + offset + "' is none of the source rate");
  return *number;
}

/// `rowsPerSecond` rows a second, numbered from 0 on; an offset is the seconds since the query began.
class RateSource : public Source {
 public:
  RateSource(int64_t rows_per_second, int64_t ramp_up, std::string partitions, int64_t created_ms)
      : rows_per_second_(rows_per_second),
        ramp_up_(ramp_up),
        partitions_(std::move(partitions)),
        created_ms_(created_ms) {}

  std::string description() const override {
    return "RateStreamV2[rowsPerSecond=" + std::to_string(rows_per_second_) +
           ", rampUpTimeSeconds=" + std::to_string(ramp_up_) + ", numPartitions=" + partitions_ + "]";
  }
  Result<std::optional<Offset>> InitialOffset(commands::CommandContext&) override { return std::optional<Offset>("0"); }

  Result<std::optional<Offset>> NextOffset(const std::optional<Offset>& start, bool,
                                           commands::CommandContext&) override {
    if (!stopped_) newest_ = std::max(newest_, SecondsNow());
    int64_t begin = 0;
    if (start) {
      FRAZIL_ASSIGN_OR_RETURN(begin, ReadOffset(*start));
    }
    return std::optional<Offset>(std::to_string(std::max(newest_, begin)));
  }

  Result<SourceRows> Rows(const std::optional<Offset>& start, const Offset& end,
                          commands::CommandContext& context) override {
    int64_t first_second = 0;
    if (start) {
      FRAZIL_ASSIGN_OR_RETURN(first_second, ReadOffset(*start));
    }
    FRAZIL_ASSIGN_OR_RETURN(const int64_t last_second, ReadOffset(end));
    const int64_t first = RowsAfter(first_second, rows_per_second_, ramp_up_);
    const int64_t last = RowsAfter(last_second, rows_per_second_, ramp_up_);
    // The rows' times are spread over the seconds of the batch.
    char spacing[64];
    const double millis = static_cast<double>((last_second - first_second) * kMillis);
    std::snprintf(spacing, sizeof(spacing), "%.17eD", last > first ? millis / static_cast<double>(last - first) : 0.0);
    return NumberedRows(first, last,
                        std::to_string(created_ms_ + first_second * kMillis) + " + CAST(round((id - " +
                            std::to_string(first) + ") * " + spacing + ") AS BIGINT)",
                        context);
  }

  Status StopAtPresent(commands::CommandContext&) override {
    newest_ = SecondsNow();
    stopped_ = true;
    return {};
  }
  std::optional<Offset> newest() const override { return std::to_string(newest_); }

 private:
  int64_t SecondsNow() const { return std::max<int64_t>(0, (NowMicros() / kMillis - created_ms_) / kMillis); }

  const int64_t rows_per_second_, ramp_up_;
  const std::string partitions_;
  const int64_t created_ms_;
  int64_t newest_ = 0;
  bool stopped_ = false;
};

/// `rowsPerBatch` rows in each batch, all of one time, which goes on by `advanceMillisPerBatch` from batch to batch.
class RateMicroBatchSource : public Source {
 public:
  RateMicroBatchSource(int64_t rows, int64_t partitions, int64_t first_ms, int64_t advance_ms)
      : rows_(rows), partitions_(partitions), first_ms_(first_ms), advance_ms_(advance_ms) {}

  std::string description() const override {
    return "RatePerMicroBatchStream[rowsPerBatch=" + std::to_string(rows_) +
           ", numPartitions=" + std::to_string(partitions_) + ", startTimestamp=" + std::to_string(first_ms_) +
           ", advanceMillisPerBatch=" + std::to_string(advance_ms_) + "]";
  }
  Result<std::optional<Offset>> InitialOffset(commands::CommandContext&) override {
    return std::optional<Offset>(Text({0, first_ms_}));
  }
  Result<std::optional<Offset>> NextOffset(const std::optional<Offset>& start, bool,
                                           commands::CommandContext&) override {
    FRAZIL_ASSIGN_OR_RETURN(const Place begin, Read(start));
    if (stopped_ && newest_) return newest_;
    newest_ = Text({begin.row + rows_, begin.ms + advance_ms_});
    return newest_;
  }
  Result<SourceRows> Rows(const std::optional<Offset>& start, const Offset& end,
                          commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(const Place begin, Read(start));
    FRAZIL_ASSIGN_OR_RETURN(const Place last, Read(end));
    return NumberedRows(begin.row, last.row, std::to_string(begin.ms), context);
  }
  Status StopAtPresent(commands::CommandContext&) override {
    newest_.reset();
    stopped_ = true;
    return {};
  }
  std::optional<Offset> newest() const override { return newest_; }

 private:
  struct Place {
    int64_t row = 0, ms = 0;
  };
  static Offset Text(const Place& place) {
    return "{\"offset\":" + std::to_string(place.row) + ",\"timestamp\":" + std::to_string(place.ms) + "}";
  }
  Result<Place> Read(const std::optional<Offset>& offset) const {
    if (!offset) return Place{0, first_ms_};
    FRAZIL_ASSIGN_OR_RETURN(auto object, ParseJson(*offset));
    const auto* row = object.Find("offset");
    const auto* time = object.Find("timestamp");
    if (row == nullptr || time == nullptr)
      return Error::Plain(ExceptionClass::kSpark,
                          "The offset '" + *offset + "' is none of the source rate-micro-batch");
    return Place{ParseInteger<int64_t>(row->text).value_or(0), ParseInteger<int64_t>(time->text).value_or(0)};
  }

  const int64_t rows_, partitions_, first_ms_, advance_ms_;
  std::optional<Offset> newest_;
  bool stopped_ = false;
};

Error InvalidOption(const std::string& key, const std::string& value, const std::string& rule) {
  return Error::Plain(ExceptionClass::kIllegalArgument,
                      "Invalid value '" + value + "'. The option '" + key + "' must be " + rule);
}

/// "5s", "5 seconds", or a number of seconds.
Result<int64_t> SecondsOption(const SourceDescription& description, const std::string& key) {
  const auto found = description.options.find(key);
  if (found == description.options.end()) return int64_t{0};
  std::string text = AsciiLower(TrimBlanks(found->second));
  int64_t unit = 1;
  for (const auto& [suffix, seconds] :
       {std::pair<std::string_view, int64_t>{"ms", 0}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"s", 1}}) {
    if (!text.ends_with(suffix)) continue;
    text = std::string(TrimBlanks(text.substr(0, text.size() - suffix.size())));
    unit = seconds;
    break;
  }
  const auto number = ParseInteger<int64_t>(text);
  if (!number || *number < 0) return InvalidOption("rampUpTime", found->second, "a time of zero or more");
  return unit == 0 ? *number / kMillis : *number * unit;
}

}  // namespace

Result<int64_t> IntegerOption(const SourceDescription& description, const std::string& key, int64_t otherwise) {
  const auto found = description.options.find(key);
  if (found == description.options.end()) return otherwise;
  const auto number = ParseInteger<int64_t>(found->second);
  if (!number) return InvalidOption(key, found->second, "a whole number");
  return *number;
}

Result<DataTypePtr> DescribeRate(const SourceDescription& description) {
  // Refused when the query is made, not in its first batch.
  if (description.format == "rate") {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t rows, IntegerOption(description, "rowspersecond", 1));
    if (rows <= 0) return InvalidOption("rowsPerSecond", std::to_string(rows), "positive");
    FRAZIL_RETURN_IF_ERROR(SecondsOption(description, "rampuptime").status());
  } else {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t rows, IntegerOption(description, "rowsperbatch", 0));
    if (rows <= 0) return InvalidOption("rowsPerBatch", std::to_string(rows), "positive");
    for (const char* key : {"starttimestamp", "advancemillisperbatch"}) {
      FRAZIL_ASSIGN_OR_RETURN(const int64_t number, IntegerOption(description, key, 0));
      if (number < 0) return InvalidOption(key, std::to_string(number), "non-negative");
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(const int64_t partitions, IntegerOption(description, "numpartitions", 1));
  if (partitions <= 0) return InvalidOption("numPartitions", std::to_string(partitions), "positive");
  return DataType::Struct({{"timestamp", DataType::Timestamp(), true}, {"value", DataType::Long(), true}});
}

Result<std::unique_ptr<Source>> MakeRateSource(const SourceDescription& description, const std::string& folder,
                                               commands::CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(const int64_t rows, IntegerOption(description, "rowspersecond", 1));
  FRAZIL_ASSIGN_OR_RETURN(const int64_t ramp_up, SecondsOption(description, "rampuptime"));
  // When the query began is kept over restarts.
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(folder, context.execution().store_settings));
  MetadataLog log(store, folder);
  std::string text = "v1\n" + std::to_string(NowMicros() / kMillis);
  FRAZIL_ASSIGN_OR_RETURN(auto kept, log.Get(0));
  if (!kept) {
    FRAZIL_RETURN_IF_ERROR(log.Add(0, text).status());
    kept = text;
  }
  const size_t line = kept->find('\n');
  const auto created = line == std::string::npos
                           ? std::nullopt
                           : ParseInteger<int64_t>(TrimBlanks(std::string_view(*kept).substr(line + 1)));
  if (!created) return Error::Plain(ExceptionClass::kSpark, "The file " + folder + "/0 is no start of a source rate");
  return std::unique_ptr<Source>(
      std::make_unique<RateSource>(rows, ramp_up, OptionOr(description, "numpartitions", "default"), *created));
}

Result<std::unique_ptr<Source>> MakeRateMicroBatchSource(const SourceDescription& description) {
  FRAZIL_ASSIGN_OR_RETURN(const int64_t rows, IntegerOption(description, "rowsperbatch", 1));
  FRAZIL_ASSIGN_OR_RETURN(const int64_t partitions, IntegerOption(description, "numpartitions", 1));
  FRAZIL_ASSIGN_OR_RETURN(const int64_t first, IntegerOption(description, "starttimestamp", 0));
  FRAZIL_ASSIGN_OR_RETURN(const int64_t advance, IntegerOption(description, "advancemillisperbatch", kMillis));
  return std::unique_ptr<Source>(std::make_unique<RateMicroBatchSource>(rows, partitions, first, advance));
}

}  // namespace frazil::streaming
