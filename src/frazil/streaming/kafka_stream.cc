// Topics of Kafka as streams. Source: KafkaMicroBatchStream of Spark, whose options, offsets and checkpoints these are.

#include <algorithm>
#include <cmath>
#include <limits>

#include "frazil/base/clock.h"
#include "frazil/base/text.h"
#include "frazil/commands/kafka.h"
#include "frazil/commands/table_writer.h"
#include "frazil/streaming/metadata_log.h"
#include "frazil/streaming/sink.h"
#include "frazil/streaming/source_kinds.h"

namespace frazil::streaming {
namespace {

using tables::PartitionOffsets;

/// Shares the limit among the partitions by what each has; none of them gets nothing.
PartitionOffsets Limited(int64_t limit, const PartitionOffsets& from, const PartitionOffsets& until) {
  double total = 0;
  for (const auto& [partition, end] : until)
    total += static_cast<double>(std::max<int64_t>(0, end - from.at(partition)));
  if (total < 1) return until;
  PartitionOffsets ends = until;
  for (auto& [partition, end] : ends) {
    const int64_t begin = from.at(partition);
    if (end <= begin) continue;
    const double share = static_cast<double>(limit) * (static_cast<double>(end - begin) / total);
    const double whole = share < 1 ? std::ceil(share) : std::floor(share);
    if (whole < static_cast<double>(end - begin)) end = begin + static_cast<int64_t>(whole);
  }
  return ends;
}

class KafkaSource : public Source {
 public:
  KafkaSource(tables::KafkaReadOptions options, MetadataLog first_offsets)
      : reader_(std::make_shared<tables::KafkaReader>(std::move(options))), first_offsets_(std::move(first_offsets)) {}

  std::string description() const override { return "KafkaV2[" + reader_->options().subscription.Text() + "]"; }

  Result<std::optional<Offset>> InitialOffset(commands::CommandContext& context) override {
    // Where the query began is kept: over a restart before the first batch the ends of the topics move on.
    const std::string version = "v1\n";
    FRAZIL_ASSIGN_OR_RETURN(auto kept, first_offsets_.Get(0));
    if (!kept) {
      FRAZIL_ASSIGN_OR_RETURN(const auto first, reader_->StartingOffsets(commands::KafkaWatch(context)));
      kept = std::string(1, '\0') + version + tables::OffsetsJson(first);
      FRAZIL_RETURN_IF_ERROR(first_offsets_.Add(0, *kept).status());
    }
    // A zero byte comes first, for the sake of very old versions of Spark.
    std::string_view text = std::string_view(*kept).substr(1);
    if (!text.starts_with(version)) {
      return Error::Of("MALFORMED_LOG_FILE", {{"text", std::string(text.substr(0, text.find('\n')))}});
    }
    return std::optional<Offset>(std::string(text.substr(version.size())));
  }

  Result<std::optional<Offset>> NextOffset(const std::optional<Offset>& start, bool all,
                                           commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(const Offset begin, Begin(start, context));
    FRAZIL_ASSIGN_OR_RETURN(auto from, ParsePlace(begin));
    PartitionOffsets until;
    if (present_) {
      until = *present_;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(until, reader_->Latest(commands::KafkaWatch(context)));
    }
    newest_ = tables::OffsetsJson(until);
    if (!all) {
      FRAZIL_RETURN_IF_ERROR(AddNewPartitions(until, &from, context));
      if (IsTooLittle(from, until)) return std::optional<Offset>(begin);
      const auto limit = reader_->options().max_offsets_per_trigger;
      if (limit) until = Limited(*limit, from, until);
    }
    // The same place may be written otherwise.
    FRAZIL_ASSIGN_OR_RETURN(const auto same, ParsePlace(begin));
    if (until == same) return std::optional<Offset>(begin);
    return std::optional<Offset>(tables::OffsetsJson(until));
  }

  Result<SourceRows> Rows(const std::optional<Offset>& start, const Offset& end,
                          commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(const Offset begin, Begin(start, context));
    FRAZIL_ASSIGN_OR_RETURN(const auto from, ParsePlace(begin));
    FRAZIL_ASSIGN_OR_RETURN(const auto until, ParsePlace(end));
    FRAZIL_ASSIGN_OR_RETURN(auto ranges, reader_->RangesBetween(from, until, commands::KafkaWatch(context)));
    SourceRows rows;
    rows.stream.scan = {tables::MakeKafkaScan(reader_, std::move(ranges)), description()};
    return rows;
  }

  Status StopAtPresent(commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(present_, reader_->Latest(commands::KafkaWatch(context)));
    return {};
  }
  std::optional<Offset> newest() const override { return newest_; }

  /// How far the batch stays behind the ends of the partitions.
  std::map<std::string, std::string> Metrics(const Offset& end) const override {
    const auto consumed = tables::ParseOffsets(end);
    const auto latest = newest_ ? tables::ParseOffsets(*newest_) : std::nullopt;
    if (!consumed || !latest || latest->empty()) return {};
    int64_t least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min(), total = 0;
    for (const auto& [partition, offset] : *latest) {
      const auto found = consumed->find(partition);
      const int64_t behind = found == consumed->end() ? offset : offset - found->second;
      least = std::min(least, behind);
      most = std::max(most, behind);
      total += behind;
    }
    const double mean = static_cast<double>(total) / static_cast<double>(latest->size());
    return {{"minOffsetsBehindLatest", std::to_string(least)},
            {"maxOffsetsBehindLatest", std::to_string(most)},
            {"avgOffsetsBehindLatest", ValueToString(*DataType::Double(), Value(mean))}};
  }

 private:
  static Result<PartitionOffsets> ParsePlace(const Offset& offset) {
    auto parsed = tables::ParseOffsets(offset);
    if (parsed) return *std::move(parsed);
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Expected e.g. {\"topicA\":{\"0\":23,\"1\":-1},\"topicB\":{\"0\":-2}}, got " + offset);
  }

  Result<Offset> Begin(const std::optional<Offset>& start, commands::CommandContext& context) {
    if (start) return *start;
    FRAZIL_ASSIGN_OR_RETURN(const auto first, InitialOffset(context));
    return *first;
  }

  /// Partitions that the query has not seen yet begin at their first record.
  Status AddNewPartitions(const PartitionOffsets& until, PartitionOffsets* from, commands::CommandContext& context) {
    const auto is_new = [&](const auto& entry) { return !from->contains(entry.first); };
    if (std::none_of(until.begin(), until.end(), is_new)) return {};
    FRAZIL_ASSIGN_OR_RETURN(const auto first, reader_->Earliest(commands::KafkaWatch(context)));
    for (const auto& [partition, end] : until) {
      if (from->contains(partition)) continue;
      const auto found = first.find(partition);
      (*from)[partition] = found == first.end() ? end : found->second;
    }
    return {};
  }

  /// minOffsetsPerTrigger: a batch waits for more, but not for ever.
  bool IsTooLittle(const PartitionOffsets& from, const PartitionOffsets& until) {
    const auto& options = reader_->options();
    if (!options.min_offsets_per_trigger) return false;
    int64_t count = 0;
    for (const auto& [partition, end] : until) count += end - from.at(partition);
    const int64_t now = SteadyMillis();
    const bool is_time = !triggered_ms_ || now - *triggered_ms_ >= options.max_trigger_delay_ms;
    if (!is_time && count < *options.min_offsets_per_trigger) return true;
    triggered_ms_ = now;
    return false;
  }

  const std::shared_ptr<tables::KafkaReader> reader_;
  MetadataLog first_offsets_;
  std::optional<Offset> newest_;
  std::optional<PartitionOffsets> present_;
  std::optional<int64_t> triggered_ms_;  ///< When minOffsetsPerTrigger last let a batch pass.
};

/// At least once, as Spark's: a batch that was under way when the query ended is written again.
class KafkaSink : public Sink {
 public:
  explicit KafkaSink(std::unique_ptr<tables::KafkaWriter> writer) : writer_(std::move(writer)) {}
  std::string description() const override { return "org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable"; }
  Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) override {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t count, commands::WriteToKafka(*writer_, batch.rows, context));
    return std::optional<int64_t>(count);
  }

 private:
  const std::unique_ptr<tables::KafkaWriter> writer_;
};

}  // namespace

Result<DataTypePtr> DescribeKafka(const plan::DataSourcePlan& read, const SourceDescription& description) {
  FRAZIL_ASSIGN_OR_RETURN(const auto options, tables::ReadKafkaOptions(description.options, true));
  if (!read.schema.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "requirement failed: Kafka source has a fixed schema and cannot be set with a custom one");
  }
  return tables::KafkaSchema(options.include_headers);
}

Result<std::unique_ptr<Source>> MakeKafkaSource(const SourceDescription& description, const std::string& folder,
                                                commands::CommandContext& context) {
  FRAZIL_ASSIGN_OR_RETURN(auto options, tables::ReadKafkaOptions(description.options, true));
  FRAZIL_ASSIGN_OR_RETURN(auto store, context.stores().StoreFor(folder, context.execution().store_settings));
  return std::unique_ptr<Source>(std::make_unique<KafkaSource>(std::move(options), MetadataLog(store, folder)));
}

Result<std::unique_ptr<Sink>> MakeKafkaSink(const StreamWrite& write, const DataTypePtr& schema) {
  FRAZIL_ASSIGN_OR_RETURN(auto writer, tables::KafkaWriter::Open(commands::LowerKeys(write.options), schema));
  return std::unique_ptr<Sink>(std::make_unique<KafkaSink>(std::move(writer)));
}

}  // namespace frazil::streaming
