#include <algorithm>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/tables/kafka/kafka_reader.h"

namespace frazil::tables {
namespace {

/// Records that are read at once, which are in memory together.
constexpr int64_t kMostRecords = 200'000;

std::string RangeText(const OffsetRange& range) {
  return range.partition.topic + "\n" + std::to_string(range.partition.partition) + "\n" + std::to_string(range.from) +
         "\n" + std::to_string(range.until);
}

Result<OffsetRange> ParseRange(const std::string& text) {
  const auto parts = Split(text, '\n');
  OffsetRange range;
  if (parts.size() == 4) {
    range.partition.topic = parts[0];
    const auto partition = ParseInteger<int32_t>(parts[1]);
    const auto from = ParseInteger<int64_t>(parts[2]), until = ParseInteger<int64_t>(parts[3]);
    if (partition && from && until) {
      range.partition.partition = *partition;
      range.from = *from;
      range.until = *until;
      return range;
    }
  }
  return Error::Internal("no range of offsets: " + text);
}

class KafkaScan : public PartitionedRows {
 public:
  KafkaScan(std::shared_ptr<KafkaReader> reader, std::optional<std::vector<OffsetRange>> ranges)
      : reader_(std::move(reader)),
        ranges_(std::move(ranges)),
        schema_(KafkaSchema(reader_->options().include_headers)) {}

  const DataTypePtr& schema() const override { return schema_; }

  Result<Partitions> PlanPartitions(const PredicatePtr& /*filter*/, const ReadWatch& watch) const override {
    std::vector<OffsetRange> ranges;
    if (ranges_) {
      ranges = *ranges_;
    } else {
      FRAZIL_ASSIGN_OR_RETURN(ranges, reader_->BatchRanges(watch));
    }
    // Piece by piece over all partitions, so that threads that read side by side read different ones.
    Partitions planned;
    for (bool more = true; more;) {
      more = false;
      for (auto& range : ranges) {
        if (range.from >= range.until) continue;
        OffsetRange piece = range;
        piece.until = range.from + std::min(kMostRecords, range.until - range.from);
        planned.partitions.push_back(RangeText(piece));
        range.from = piece.until;
        more = more || range.from < range.until;
      }
    }
    return planned;
  }

  Result<ArrowTablePtr> ReadPartition(const Partitions& planned, size_t index, const ReadWatch& watch) const override {
    FRAZIL_ASSIGN_OR_RETURN(const auto range, ParseRange(planned.partitions[index]));
    return reader_->Read(range, watch);
  }

 private:
  const std::shared_ptr<KafkaReader> reader_;
  const std::optional<std::vector<OffsetRange>> ranges_;
  const DataTypePtr schema_;
};

}  // namespace

TableScanPtr MakeKafkaScan(std::shared_ptr<KafkaReader> reader, std::optional<std::vector<OffsetRange>> ranges) {
  return std::make_shared<KafkaScan>(std::move(reader), std::move(ranges));
}

}  // namespace frazil::tables
