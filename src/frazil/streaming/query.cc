#include "frazil/streaming/query.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "frazil/analysis/analyzer.h"
#include "frazil/base/clock.h"
#include "frazil/base/deep_stack.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/logging.h"
#include "frazil/base/text.h"
#include "frazil/base/uuid.h"
#include "frazil/commands/table_writer.h"
#include "frazil/plan/streaming.h"
#include "frazil/plan/watermark.h"
#include "frazil/storage/folder.h"
#include "frazil/streaming/event_time.h"
#include "frazil/streaming/operations.h"
#include "frazil/streaming/source_kinds.h"
#include "frazil/streaming/wait.h"
#include "frazil/tables/files/batch_file_log.h"

namespace frazil::streaming {
namespace {

int64_t NowMillis() { return NowMicros() / 1000; }

/// How long a query without an interval waits before it asks its sources again (spark.sql.streaming.pollingDelay).
constexpr int64_t kPollMillis = 10;
constexpr const char* kWatermarkPolicy = "spark.sql.streaming.multipleWatermarkPolicy";
/// How often groups that time out by the clock get a batch where there are no rows.
constexpr int64_t kTimeoutPollMillis = 200;
constexpr int64_t kDefaultProgressKept = 100;
constexpr int64_t kDefaultLogEntriesKept = 100;
constexpr int64_t kDefaultIdleInterval = 10000;

int64_t IntegerSetting(const commands::CommandContext& context, const std::string& key, int64_t otherwise) {
  const auto text = context.GetConfig(key);
  return text ? ParseInteger<int64_t>(*text).value_or(otherwise) : otherwise;
}

/// Adds what a step took to its duration.
class StepTimer {
 public:
  StepTimer(Progress* progress, const char* step) : progress_(progress), step_(step), begun_(SteadyMillis()) {}
  ~StepTimer() { progress_->durations_ms[step_] += SteadyMillis() - begun_; }
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

 private:
  Progress* progress_;
  const char* step_;
  int64_t begun_;
};

/// The relation, with its rows counted as those of the source.
plan::PlanPtr Counted(plan::PlanPtr rows, size_t source) {
  auto counted = std::make_shared<plan::CollectMetricsPlan>();
  counted->child = std::move(rows);
  counted->name = std::string(plan::kSourceMetric) + ":" + std::to_string(source);
  counted->metrics = {plan::MakeAliasExpr(
      plan::MakeFunctionExpr("count", {plan::MakeLiteralExpr(DataType::Integer(), Value(int64_t{1}))}), "rows")};
  return counted;
}

plan::PlanPtr NoRowsOf(const DataTypePtr& schema) {
  auto none = std::make_shared<plan::LocalRelationPlan>();
  none->schema = schema;
  return none;
}

}  // namespace

StreamingQuery::StreamingQuery(StreamWrite write, std::unique_ptr<StreamHost> host,
                               std::function<void(const StreamEvent&)> on_event)
    : write_(std::move(write)),
      host_(std::move(host)),
      on_event_(std::move(on_event)),
      run_id_(RandomUuidText()),
      started_ms_(NowMillis()) {
  status_.message = "Initializing sources";
}

StreamingQuery::~StreamingQuery() { Stop(); }

Result<std::shared_ptr<StreamingQuery>> StreamingQuery::Make(const StreamWrite& write, std::unique_ptr<StreamHost> host,
                                                             std::function<void(const StreamEvent&)> on_event) {
  std::shared_ptr<StreamingQuery> query(new StreamingQuery(write, std::move(host), std::move(on_event)));
  Status prepared = query->Prepare();
  if (prepared.ok()) return query;
  if (query->checkpoint_is_temporary_ && query->checkpoint_store_ != nullptr)
    (void)query->checkpoint_store_->DeleteRecursively(query->checkpoint_).ok();
  return std::move(prepared).error();
}

std::unique_ptr<commands::CommandContext> StreamingQuery::NewStatement(std::optional<int64_t> now_ms) const {
  StatementRun run;
  run.cancel = cancel_;
  run.metrics = std::make_shared<engine::ExecutionMetrics>();
  metrics_ = run.metrics;
  run.on_observed = [this](engine::ObservedMetrics metrics) {
    const std::lock_guard lock(observed_mutex_);
    observed_.push_back(std::move(metrics));
  };
  if (now_ms) run.now_micros = *now_ms * 1000;
  return host_->NewStatement(run);
}

Status StreamingQuery::Prepare() {
  auto context = NewStatement(std::nullopt);
  FRAZIL_ASSIGN_OR_RETURN(mode_, ParseOutputMode(write_.output_mode));
  FRAZIL_ASSIGN_OR_RETURN(auto typed, analysis::AnalyzeRelation(write_.input, *context));
  typed = plan::WithoutCtes(typed);
  const auto scans = plan::StreamingScans(*typed);
  if (scans.empty()) return Error::Of(ExceptionClass::kAnalysis, "WRITE_STREAM_NOT_ALLOWED");
  FRAZIL_RETURN_IF_ERROR(CheckOperations(*typed, mode_));
  FRAZIL_RETURN_IF_ERROR(PrepareCheckpoint(*context));
  for (size_t i = 0; i < scans.size(); ++i) {
    const auto* scan = dynamic_cast<const SourceScan*>(scans[i]);
    if (scan == nullptr) return Error::Internal("A streaming relation has no source.");
    OpenSource opened;
    opened.place = scan->place();
    opened.schema = scan->schema();
    const std::string folder = storage::JoinPath(storage::JoinPath(checkpoint_, "sources"), std::to_string(i));
    FRAZIL_ASSIGN_OR_RETURN(opened.source, MakeSource(scan->description(), folder, *context));
    sources_.push_back(std::move(opened));
  }
  times_out_by_clock_ = TimesOutByClock(*typed);
  if (HasStatefulOperators(*typed))
    stateful_ = std::make_unique<StatefulOperators>(checkpoint_store_, storage::JoinPath(checkpoint_, "state"));
  FRAZIL_ASSIGN_OR_RETURN(sink_, MakeSink(write_, mode_, plan::OutputSchema(*typed), *host_, *context));
  return {};
}

Status StreamingQuery::PrepareCheckpoint(commands::CommandContext& context) {
  const auto options = commands::LowerKeys(write_.options);
  const auto given = options.find("checkpointlocation");
  const std::string root = context.GetConfig("spark.sql.streaming.checkpointLocation").value_or("");
  if (given != options.end() && !given->second.empty()) {
    checkpoint_ = storage::FolderOf(given->second);
  } else if (!root.empty()) {
    checkpoint_ = storage::JoinPath(storage::FolderOf(root), name().empty() ? RandomUuidText() : name());
  } else if (TakesTemporaryCheckpoint(write_)) {
    std::error_code failure;
    const auto folder = std::filesystem::temp_directory_path(failure);
    if (failure) return Error::Storage("There is no folder for temporary files: " + failure.message());
    checkpoint_ = (folder / ("temporary-" + RandomUuidText())).string();
    checkpoint_is_temporary_ = true;
  } else {
    return Error::Of("_LEGACY_ERROR_TEMP_1298", {{"config", "spark.sql.streaming.checkpointLocation"}});
  }
  FRAZIL_ASSIGN_OR_RETURN(checkpoint_store_,
                          context.stores().StoreFor(checkpoint_, context.execution().store_settings));
  offsets_ = std::make_unique<MetadataLog>(checkpoint_store_, storage::JoinPath(checkpoint_, "offsets"));
  commits_ = std::make_unique<MetadataLog>(checkpoint_store_, storage::JoinPath(checkpoint_, "commits"));
  // What the server kept in memory is gone after a restart, unless each batch gives all of it.
  if (EqualsIgnoreCase(write_.format, "memory") && mode_ != OutputMode::kComplete) {
    FRAZIL_ASSIGN_OR_RETURN(auto latest, offsets_->Latest());
    if (latest) {
      return Error::Of("_LEGACY_ERROR_TEMP_1299", {{"checkpointPath", offsets_->folder()}});
    }
  }
  FRAZIL_ASSIGN_OR_RETURN(id_, CheckpointQueryId(*checkpoint_store_, checkpoint_));
  return {};
}

void StreamingQuery::Start(std::function<void()> on_end) {
  const std::lock_guard lock(mutex_);
  is_started_ = true;
  thread_ = std::thread([this, on_end = std::move(on_end)] {
    RunOnDeepStack([this] { Run(); });
    on_end();
  });
}

void StreamingQuery::Run() {
  const Status ran = RunTriggers();
  std::optional<Error> error;
  if (!ran.ok() && !stopping()) {
    error = Error::Of(ExceptionClass::kSpark, "STREAM_FAILED",
                      {{"id", id_}, {"runId", run_id_}, {"message", ran.error().message}})
                .CausedBy(ran.error());
    Log(LogLevel::kError, "A streaming query failed",
        {{"id", id_}, {"run", run_id_}, {"name", name()}, {"error", ran.error().message}});
  }
  if (checkpoint_is_temporary_) (void)checkpoint_store_->DeleteRecursively(checkpoint_).ok();
  {
    const std::lock_guard lock(mutex_);
    status_.message = error ? "Terminated with exception: " + ran.error().message : "Stopped";
    status_.is_active = status_.is_data_available = status_.is_trigger_active = false;
    error_ = error;
  }
  on_event_({EventKind::kTerminated, TerminatedEventJson(id_, run_id_, error ? &*error : nullptr)});
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

Status StreamingQuery::Recover() {
  auto context = NewStatement(std::nullopt);
  const auto begin_new = [&]() -> Status {
    for (auto& source : sources_) {
      if (source.begin) continue;
      FRAZIL_ASSIGN_OR_RETURN(source.begin, source.source->InitialOffset(*context));
    }
    return {};
  };
  watermark_is_greatest_ = AsciiLower(context->GetConfig(kWatermarkPolicy).value_or("min")) == "max";
  FRAZIL_ASSIGN_OR_RETURN(auto latest, offsets_->Latest());
  if (!latest) {
    // Without its offsets a query would begin again, and write again what it has written.
    FRAZIL_ASSIGN_OR_RETURN(auto written, commits_->Latest());
    if (written) {
      return Error::Of("STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY", {{"checkpointLocation", commits_->folder()}});
    }
    return begin_new();
  }
  const auto load = [&](int64_t batch) -> Result<BatchOffsets> {
    FRAZIL_ASSIGN_OR_RETURN(auto text, offsets_->Get(batch));
    if (!text) {
      return Error::Plain(ExceptionClass::kSpark,
                          "batch " + std::to_string(batch) + " doesn't exist in the offset log " + offsets_->folder());
    }
    auto parsed = BatchOffsets::Parse(*text);
    if (!parsed.ok()) return tables::InLogFile(offsets_->PathOf(batch), std::move(parsed).error());
    BatchOffsets offsets = *std::move(parsed);
    if (offsets.ends.size() != sources_.size()) {
      return Error::Plain(ExceptionClass::kSpark,
                          "assertion failed: There are [" + std::to_string(offsets.ends.size()) +
                              "] sources in the checkpoint offsets and now there are [" +
                              std::to_string(sources_.size()) + "] sources requested by the query. Cannot continue.");
    }
    return offsets;
  };
  FRAZIL_ASSIGN_OR_RETURN(batch_, load(*latest));
  FRAZIL_ASSIGN_OR_RETURN(auto committed, commits_->Get(*latest));
  watermark_ms_ = batch_.watermark_ms;
  // The policy is that of the query's first start.
  const auto policy = batch_.settings.find(kWatermarkPolicy);
  if (policy != batch_.settings.end()) watermark_is_greatest_ = AsciiLower(policy->second) == "max";
  if (committed) {
    auto commit = BatchCommit::Parse(*committed);
    if (!commit.ok()) return tables::InLogFile(commits_->PathOf(*latest), std::move(commit).error());
    watermark_ms_ = std::max(watermark_ms_, commit->next_watermark_ms);
    batch_id_ = *latest + 1;
    for (size_t i = 0; i < sources_.size(); ++i) {
      sources_[i].begin = batch_.ends[i];
      sources_[i].is_read = batch_.ends[i].has_value();
    }
    return begin_new();
  }
  // It may have been written or not; the sink finds out.
  batch_id_ = *latest;
  batch_is_planned_ = true;
  if (batch_id_ > 0) {
    FRAZIL_ASSIGN_OR_RETURN(auto former, load(batch_id_ - 1));
    for (size_t i = 0; i < sources_.size(); ++i) sources_[i].begin = former.ends[i];
    former_watermark_ms_ = former.watermark_ms;
  }
  for (size_t i = 0; i < sources_.size(); ++i) sources_[i].end = batch_.ends[i];
  return begin_new();
}

Status StreamingQuery::RunTriggers() {
  FRAZIL_RETURN_IF_ERROR(Recover());
  if (write_.trigger.kind == Trigger::Kind::kAvailableNow) {
    auto context = NewStatement(std::nullopt);
    for (auto& source : sources_) FRAZIL_RETURN_IF_ERROR(source.source->StopAtPresent(*context));
  }
  last_idle_ms_ = NowMillis();
  while (!stopping()) {
    const int64_t began_ms = NowMillis();
    const int64_t began = SteadyMillis();
    uint64_t trigger = 0;
    {
      const std::lock_guard lock(mutex_);
      trigger = ++triggers_begun_;
      status_.is_trigger_active = true;
    }
    Progress progress;
    progress.timestamp_ms = began_ms;
    bool has_batch = batch_is_planned_;
    if (!has_batch) {
      FRAZIL_ASSIGN_OR_RETURN(has_batch, PlanBatch(&progress));
    }
    {
      const std::lock_guard lock(mutex_);
      status_.is_data_available = has_batch;
    }
    if (has_batch) {
      FRAZIL_RETURN_IF_ERROR(RunBatch(&progress));
      progress.durations_ms["triggerExecution"] = SteadyMillis() - began;
      Report(progress);
      previous_trigger_ms_ = began_ms;
      last_idle_ms_ = NowMillis();
    }
    {
      const std::lock_guard lock(mutex_);
      status_.is_trigger_active = false;
      if (!has_batch || !batch_has_rows_) idle_trigger_ = trigger;
      changed_.notify_all();
    }
    if (write_.trigger.kind == Trigger::Kind::kOnce) return {};
    if (write_.trigger.kind == Trigger::Kind::kAvailableNow && !has_batch) return {};
    WaitForTrigger(began_ms, has_batch);
  }
  return {};
}

void StreamingQuery::WaitForTrigger(int64_t trigger_started_ms, bool had_data) {
  int64_t wait_ms = 0;
  const int64_t now = NowMillis();
  if (!had_data) {
    SetMessage("Waiting for data to arrive");
    auto context = NewStatement(std::nullopt);
    const int64_t interval =
        IntegerSetting(*context, "spark.sql.streaming.noDataProgressEventInterval", kDefaultIdleInterval);
    if (now - last_idle_ms_ >= interval) {
      last_idle_ms_ = now;
      on_event_({EventKind::kIdle, IdleEventJson(id_, run_id_, now)});
    }
  }
  if (write_.trigger.kind == Trigger::Kind::kProcessingTime && write_.trigger.interval_ms > 0) {
    const int64_t interval = write_.trigger.interval_ms;
    wait_ms = std::max<int64_t>(0, (trigger_started_ms / interval + 1) * interval - now);
    if (had_data && wait_ms > 0) SetMessage("Waiting for next trigger");
  } else if (!had_data) {
    wait_ms = kPollMillis;
  }
  if (wait_ms == 0) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(wait_ms), [this] { return stopping(); });
}

bool StreamingQuery::IsTimeForTimeouts() const {
  return times_out_by_clock_ && batch_id_ > 0 && write_.trigger.kind == Trigger::Kind::kProcessingTime &&
         NowMillis() - batch_.timestamp_ms >= kTimeoutPollMillis;
}

Result<bool> StreamingQuery::PlanBatch(Progress* progress) {
  auto context = NewStatement(std::nullopt);
  bool any = false;
  {
    const StepTimer timer(progress, "latestOffset");
    for (auto& source : sources_) {
      SetMessage("Getting offsets from " + source.source->description());
      const bool all = write_.trigger.kind == Trigger::Kind::kOnce;
      FRAZIL_ASSIGN_OR_RETURN(source.end, source.source->NextOffset(source.begin, all, *context));
      // As in Spark a query's first batch comes with the sources' first places, whether there are rows or not.
      any = any || (source.end && (source.end != source.begin || !source.is_read));
      if (stopping()) return false;
    }
  }
  // Without new rows a batch still gives what a later watermark has completed, and forgets what it has passed.
  const bool advanced =
      stateful_ != nullptr && batch_id_ > 0 && watermark_ms_ > batch_.watermark_ms &&
      !EqualsIgnoreCase(context->GetConfig("spark.sql.streaming.noDataMicroBatches.enabled").value_or("true"), "false");
  if (!any && !advanced && !IsTimeForTimeouts()) return false;
  batch_has_rows_ = any;
  const StepTimer timer(progress, "walCommit");
  former_watermark_ms_ = batch_id_ > 0 ? batch_.watermark_ms : 0;
  batch_.watermark_ms = watermark_ms_;
  batch_.timestamp_ms = NowMillis();
  batch_.settings = {{kWatermarkPolicy, watermark_is_greatest_ ? "max" : "min"}};
  batch_.ends.clear();
  for (auto& source : sources_) batch_.ends.push_back(source.end);
  FRAZIL_ASSIGN_OR_RETURN(bool added, offsets_->Add(batch_id_, batch_.Text()));
  if (!added)
    return Error::Of(ExceptionClass::kSpark, "CONCURRENT_STREAM_LOG_UPDATE", {{"batchId", std::to_string(batch_id_)}});
  batch_is_planned_ = true;
  const int64_t kept = IntegerSetting(*context, "spark.sql.streaming.minBatchesToRetain", kDefaultLogEntriesKept);
  if (batch_id_ > kept) {
    FRAZIL_RETURN_IF_ERROR(offsets_->RemoveBefore(batch_id_ - kept));
    FRAZIL_RETURN_IF_ERROR(commits_->RemoveBefore(batch_id_ - kept));
  }
  return true;
}

Status StreamingQuery::RunBatch(Progress* progress) {
  SetMessage("Processing new data");
  progress->id = id_;
  progress->run_id = run_id_;
  progress->name = name();
  progress->batch_id = batch_id_;
  progress->previous_timestamp_ms = previous_trigger_ms_;
  progress->sink = sink_->description();
  auto context = NewStatement(batch_.timestamp_ms);
  const auto metrics = metrics_;
  {
    const std::lock_guard lock(observed_mutex_);
    observed_.clear();
  }
  StatefulBatch state;
  state.id = batch_id_;
  state.mode = mode_;
  state.watermark_ms = batch_.watermark_ms;
  state.timestamp_ms = batch_.timestamp_ms;
  state.late_watermark_ms = former_watermark_ms_;
  int64_t scanned = 0;  // Rows of which the source knows how many there are, and that the engine counts too.
  std::optional<size_t> uncounted;
  {
    const StepTimer timer(progress, "getBatch");
    for (auto& source : sources_) {
      SourceProgress about;
      about.description = source.source->description();
      about.start = source.begin;
      about.end = source.end;
      about.latest = source.source->newest();
      if (source.end) about.metrics = source.source->Metrics(*source.end);
      SourceRows rows;
      if (source.end && source.end != source.begin) {
        FRAZIL_ASSIGN_OR_RETURN(rows, source.source->Rows(source.begin, *source.end, *context));
        about.rows = rows.count.value_or(0);
        if (rows.count && rows.stream.scan.scan != nullptr) scanned += *rows.count;
        if (!rows.count && rows.stream.scan.scan != nullptr) uncounted = progress->sources.size();
      } else {
        rows.stream.rows = NoRowsOf(source.schema);
      }
      if (rows.stream.scan.scan != nullptr) {
        state.bound_scans.insert(rows.stream.scan.scan.get());
      } else {
        rows.stream.rows = Counted(std::move(rows.stream.rows), progress->sources.size());
      }
      context->bound_streams[source.place] = std::move(rows.stream);
      progress->sources.push_back(std::move(about));
    }
  }
  Batch batch;
  batch.id = batch_id_;
  batch.query_id = id_;
  batch.mode = mode_;
  {
    const StepTimer timer(progress, "queryPlanning");
    FRAZIL_ASSIGN_OR_RETURN(batch.rows, analysis::AnalyzeRelation(write_.input, *context));
    batch.rows = plan::WithoutCtes(batch.rows);
    watermark_names_ = WatermarkNames(*batch.rows);
    const std::lock_guard lock(mutex_);
    last_plan_ = batch.rows;
  }
  {
    const StepTimer timer(progress, "addBatch");
    if (stateful_ != nullptr) {
      FRAZIL_ASSIGN_OR_RETURN(batch.rows, stateful_->Apply(batch.rows, state, *context));
      for (const auto& report : stateful_->reports()) progress->state_operators.push_back(report.Json());
    }
    FRAZIL_ASSIGN_OR_RETURN(progress->rows_written, sink_->AddBatch(batch, *context));
  }
  if (uncounted) progress->sources[*uncounted].rows = std::max<int64_t>(0, metrics->rows_read.load() - scanned);
  TakeObserved(progress);
  {
    const StepTimer timer(progress, "commitOffsets");
    FRAZIL_ASSIGN_OR_RETURN(bool added, commits_->Add(batch_id_, BatchCommit{watermark_ms_}.Text()));
    if (!added) {
      return Error::Of(ExceptionClass::kSpark, "CONCURRENT_STREAM_LOG_UPDATE",
                       {{"batchId", std::to_string(batch_id_)}});
    }
    for (auto& source : sources_) {
      if (source.end && source.end != source.begin)
        FRAZIL_RETURN_IF_ERROR(source.source->Committed(*source.end, *context));
      source.begin = source.end;
      source.is_read = source.end.has_value();
    }
  }
  // The version that the batch began with stays as well as the one that the next begins with.
  if (stateful_ != nullptr) FRAZIL_RETURN_IF_ERROR(stateful_->RemoveBefore(batch_id_));
  ++batch_id_;
  batch_is_planned_ = false;
  return {};
}

void StreamingQuery::TakeObserved(Progress* progress) {
  std::vector<engine::ObservedMetrics> observed;
  {
    const std::lock_guard lock(observed_mutex_);
    observed.swap(observed_);
  }
  std::optional<int64_t> greatest, least;
  double mean = 0;
  for (auto& metrics : observed) {
    const auto parts = Split(metrics.name, ':');
    if (metrics.name.starts_with(plan::kSourceMetric)) {
      const auto source = ParseInteger<size_t>(parts.back());
      if (source && *source < progress->sources.size() && !metrics.values.empty())
        progress->sources[*source].rows = metrics.values[0].integer();
      continue;
    }
    if (!metrics.name.starts_with(plan::kWatermarkMetric)) {
      progress->observed.push_back(std::move(metrics));
      continue;
    }
    const auto place = std::find(watermark_names_.begin(), watermark_names_.end(), metrics.name);
    int64_t& watermark = watermarks_.emplace(place - watermark_names_.begin(), 0).first->second;
    if (metrics.values.size() < 3 || metrics.values[0].is_null()) continue;
    const int64_t delay = parts.size() > 1 ? ParseInteger<int64_t>(parts[1]).value_or(0) : 0;
    const int64_t most = metrics.values[0].integer();
    watermark = std::max(watermark, most - delay);
    greatest = std::max(greatest.value_or(most), most);
    least = std::min(least.value_or(metrics.values[1].integer()), metrics.values[1].integer());
    mean = metrics.values[2].float64();
  }
  if (watermarks_.empty()) return;
  progress->event_time["watermark"] = IsoTime(batch_.watermark_ms);
  if (greatest) {
    progress->event_time["max"] = IsoTime(*greatest);
    progress->event_time["min"] = IsoTime(*least);
    progress->event_time["avg"] = IsoTime(static_cast<int64_t>(mean));
  }
  // By the least of all none of the streams is cut off; it never goes back.
  const auto [slowest, fastest] =
      std::minmax_element(watermarks_.begin(), watermarks_.end(),
                          [](const auto& left, const auto& right) { return left.second < right.second; });
  watermark_ms_ = std::max(watermark_ms_, watermark_is_greatest_ ? fastest->second : slowest->second);
}

void StreamingQuery::Report(const Progress& progress) {
  std::string json = progress.Json();
  on_event_({EventKind::kProgress, ProgressEventJson(json)});
  auto context = NewStatement(std::nullopt);
  const auto kept = static_cast<size_t>(std::max<int64_t>(
      1, IntegerSetting(*context, "spark.sql.streaming.numRecentProgressUpdates", kDefaultProgressKept)));
  const std::lock_guard lock(mutex_);
  progress_.push_back(std::move(json));
  while (progress_.size() > kept) progress_.pop_front();
}

void StreamingQuery::SetMessage(const std::string& message) {
  const std::lock_guard lock(mutex_);
  status_.message = message;
}

QueryStatus StreamingQuery::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool StreamingQuery::is_active() const {
  const std::lock_guard lock(mutex_);
  return status_.is_active;
}

std::vector<std::string> StreamingQuery::recent_progress() const {
  const std::lock_guard lock(mutex_);
  return {progress_.begin(), progress_.end()};
}

std::optional<Error> StreamingQuery::exception() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void StreamingQuery::Stop() {
  cancel_->Cancel();
  {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    if (!is_started_) return;
    ending = std::move(thread_);
  }
  if (ending.joinable()) ending.join();
  // Another call may be joining.
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_; });
}

Result<bool> StreamingQuery::AwaitTermination(std::optional<int64_t> timeout_ms, engine::CancelToken* cancel) const {
  bool ended = false;
  std::optional<Error> error;
  AwaitOrCancel(
      mutex_, changed_, timeout_ms, cancel, [this] { return ended_; },
      [&] {
        ended = ended_;
        error = error_;
      });
  FRAZIL_RETURN_IF_ERROR(ended ? Status() : engine::CheckNotCancelled(cancel));
  if (error) return *error;
  return ended;
}

Status StreamingQuery::ProcessAllAvailable(engine::CancelToken* cancel) const {
  std::optional<Error> error;
  std::optional<uint64_t> begun;
  AwaitOrCancel(
      mutex_, changed_, std::nullopt, cancel,
      [&] {
        if (!begun) begun = triggers_begun_;
        return ended_ || idle_trigger_ > *begun;
      },
      [&] { error = error_; });
  FRAZIL_RETURN_IF_ERROR(engine::CheckNotCancelled(cancel));
  if (error) return *error;
  return {};
}

Result<std::string> StreamingQuery::Explain(bool extended) const {
  plan::LogicalPlanPtr plan;
  {
    const std::lock_guard lock(mutex_);
    plan = last_plan_;
  }
  if (plan == nullptr) return std::string("No physical plan. Waiting for data.");
  StatementRun run;
  run.cancel = std::make_shared<engine::CancelToken>();
  run.metrics = std::make_shared<engine::ExecutionMetrics>();
  auto context = host_->NewStatement(run);
  auto relation = std::make_shared<plan::CachedRelationPlan>();
  relation->relation_id = context->PutCachedRelation({plan});
  auto text = context->Explain(relation, extended ? plan::ExplainMode::kExtended : plan::ExplainMode::kSimple);
  context->DropCachedRelation(relation->relation_id);
  return text;
}

}  // namespace frazil::streaming
