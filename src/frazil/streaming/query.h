#pragma once

// One streaming query: a thread that turns what its sources get into batches of its sink.
// Source: MicroBatchExecution of Spark, whose checkpoints, order of steps and reports these are.

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frazil/streaming/metadata_log.h"
#include "frazil/streaming/progress.h"
#include "frazil/streaming/sink.h"
#include "frazil/streaming/source.h"
#include "frazil/streaming/stateful.h"
#include "frazil/streaming/stream_host.h"
#include "frazil/streaming/stream_write.h"

namespace frazil::streaming {

struct QueryStatus {
  std::string message;
  bool is_data_available = false;
  bool is_trigger_active = false;
  bool is_active = true;
};

/// Thread-safe.
class StreamingQuery {
 public:
  /// Analyzes the query and makes its sources and its sink, so that whoever starts it gets the errors. `on_event` hears
  /// of all that happens to it, from its own thread.
  static Result<std::shared_ptr<StreamingQuery>> Make(const StreamWrite& write, std::unique_ptr<StreamHost> host,
                                                      std::function<void(const StreamEvent&)> on_event);
  /// Stops it.
  ~StreamingQuery();

  /// Starts the thread, once. `on_end` is called when it has come to an end, after the last event.
  void Start(std::function<void()> on_end);

  const std::string& id() const { return id_; }
  const std::string& run_id() const { return run_id_; }
  const std::string& name() const { return write_.query_name; }
  int64_t started_ms() const { return started_ms_; }

  QueryStatus status() const;
  /// JSON of the last triggers that had something to do, oldest first.
  std::vector<std::string> recent_progress() const;
  /// Why it failed: error STREAM_FAILED; nullopt while it runs, and where it ended well.
  std::optional<Error> exception() const;
  bool is_active() const;

  /// Stops the batch that is under way, and waits for the end.
  void Stop();
  /// Whether the query has come to an end within the time (nullopt: waits for ever). Its error where it has failed.
  Result<bool> AwaitTermination(std::optional<int64_t> timeout_ms, engine::CancelToken* cancel) const;
  /// Waits until everything that was there at the time of the call is written.
  Status ProcessAllAvailable(engine::CancelToken* cancel) const;
  /// The plan of the last batch.
  Result<std::string> Explain(bool extended) const;

 private:
  struct OpenSource {
    size_t place = 0;  ///< In the plan.
    DataTypePtr schema;
    std::unique_ptr<Source> source;
    std::optional<Offset> begin, end;  ///< Of the batch that is next or under way.
    bool is_read = false;              ///< An earlier batch had a place in it.
  };

  StreamingQuery(StreamWrite write, std::unique_ptr<StreamHost> host, std::function<void(const StreamEvent&)> on_event);

  Status Prepare();
  Status PrepareCheckpoint(commands::CommandContext& context);
  void Run();
  Status RunTriggers();
  /// Finds out from the checkpoint which batch is next.
  Status Recover();
  /// Whether there is a batch to run; its offsets are in the checkpoint then.
  Result<bool> PlanBatch(Progress* progress);
  bool IsTimeForTimeouts() const;
  Status RunBatch(Progress* progress);
  /// What a batch has observed: the rows of its sources, event times, and the user's metrics.
  void TakeObserved(Progress* progress);
  void Report(const Progress& progress);
  /// Until the next trigger, a stop, or for a short while where there is no interval.
  void WaitForTrigger(int64_t trigger_started_ms, bool had_data);

  std::unique_ptr<commands::CommandContext> NewStatement(std::optional<int64_t> now_ms) const;
  void SetMessage(const std::string& message);
  bool stopping() const { return cancel_->cancelled(); }

  const StreamWrite write_;
  const std::unique_ptr<StreamHost> host_;
  const std::function<void(const StreamEvent&)> on_event_;
  const std::string run_id_;
  const int64_t started_ms_;
  const std::shared_ptr<engine::CancelToken> cancel_ = std::make_shared<engine::CancelToken>();
  std::string id_;
  OutputMode mode_ = OutputMode::kAppend;
  std::string checkpoint_;
  bool checkpoint_is_temporary_ = false;
  storage::ObjectStorePtr checkpoint_store_;
  std::unique_ptr<MetadataLog> offsets_, commits_;
  std::vector<OpenSource> sources_;
  std::unique_ptr<Sink> sink_;
  std::unique_ptr<StatefulOperators> stateful_;  ///< Null: the query has none.
  bool times_out_by_clock_ = false;

  // Of the query's thread.
  int64_t batch_id_ = 0;
  bool batch_is_planned_ = false;
  bool batch_has_rows_ = true;  ///< False: it is there for time-outs or a later watermark alone.
  BatchOffsets batch_;
  std::optional<int64_t> previous_trigger_ms_;
  int64_t watermark_ms_ = 0;                  ///< Of the next batch.
  int64_t former_watermark_ms_ = 0;           ///< Of the batch before the one that is planned.
  std::vector<std::string> watermark_names_;  ///< In the plan of the batch under way.
  std::map<size_t, int64_t> watermarks_;      ///< Of each watermark of the plan, by its place there.
  bool watermark_is_greatest_ = false;        ///< The query's is the greatest of them, not the least.
  int64_t last_idle_ms_ = 0;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::thread thread_;
  QueryStatus status_;
  std::deque<std::string> progress_;
  std::optional<Error> error_;
  plan::LogicalPlanPtr last_plan_;
  uint64_t triggers_begun_ = 0;
  uint64_t idle_trigger_ = 0;  ///< The last trigger that found nothing new.
  bool is_started_ = false;
  bool ended_ = false;
  mutable std::mutex observed_mutex_;
  mutable std::vector<engine::ObservedMetrics> observed_;
  mutable std::shared_ptr<engine::ExecutionMetrics> metrics_;
};
using StreamingQueryPtr = std::shared_ptr<StreamingQuery>;

}  // namespace frazil::streaming
