// foreachBatch and foreach: a Python function of the user gets the batches, in a process that the query has for itself
// as long as it is busy.

#include "frazil/base/json.h"
#include "frazil/base/uuid.h"
#include "frazil/codec/arrow_ipc.h"
#include "frazil/streaming/sink.h"
#include "frazil/udf/python_worker.h"

namespace frazil::streaming {
namespace {

class CallbackSink : public Sink {
 public:
  CallbackSink(PythonCallback callback, DataTypePtr schema, StreamHost& host, udf::PythonPlace place)
      : callback_(std::move(callback)), schema_(std::move(schema)), host_(host), place_(std::move(place)) {}

  std::string description() const override { return is_batch() ? "ForeachBatchSink" : "ForeachWriterTable"; }

  Result<std::optional<int64_t>> AddBatch(const Batch& batch, commands::CommandContext& context) override {
    std::string header = "{\"eval_type\":" + std::string(is_batch() ? "\"foreachBatch\"" : "\"foreach\"") +
                         ",\"python\":" + JsonString(callback_.version) + ",\"url\":" + JsonString(callback_.url) +
                         ",\"input\":" + JsonString(schema_->Json()) + "}";
    const std::string function = udf::DescribeFunction(header, callback_.command);
    const auto cancel = context.execution().cancel;
    const auto watch = [&](std::function<void()> stop) -> std::function<void()> {
      const int64_t interrupt = cancel->AddInterrupt(std::move(stop));
      return [cancel, interrupt] { cancel->RemoveInterrupt(interrupt); };
    };
    if (!is_batch()) return CallWithRows(batch, function, watch, context);
    const std::string relation = RandomUuidText();
    host_.PutUserRelation(relation, {batch.rows});
    auto answer = udf::CallPython(
        place_, function, "{\"relation\":\"" + relation + "\",\"batch\":" + std::to_string(batch.id) + "}", watch);
    host_.DropUserRelation(relation);
    FRAZIL_RETURN_IF_ERROR(engine::CheckNotCancelled(cancel.get()));
    if (!answer.ok()) {
      return Error::Of(ExceptionClass::kSpark, "FOREACH_BATCH_USER_FUNCTION_ERROR",
                       {{"reason", answer.error().message}})
          .CausedBy(answer.error());
    }
    return std::optional<int64_t>();
  }

 private:
  bool is_batch() const { return callback_.kind == PythonCallback::Kind::kBatch; }

  Result<std::optional<int64_t>> CallWithRows(const Batch& batch, const std::string& function,
                                              const udf::CallWatch& watch, commands::CommandContext& context) {
    FRAZIL_ASSIGN_OR_RETURN(auto stream, context.engine().Execute(batch.rows, context.execution()));
    std::vector<ArrowBatch> pieces;
    int64_t count = 0;
    while (true) {
      FRAZIL_ASSIGN_OR_RETURN(auto piece, stream->Next());
      if (piece == nullptr) break;
      count += piece->num_rows();
      pieces.push_back(std::move(*piece));
    }
    codec::IpcOptions options;
    options.time_zone = context.settings().time_zone;
    std::string rows;
    if (pieces.empty()) {
      FRAZIL_ASSIGN_OR_RETURN(rows, codec::EncodeSchema(*schema_, options));
    } else {
      FRAZIL_ASSIGN_OR_RETURN(rows, codec::EncodeBatches(*schema_, std::move(pieces), options));
    }
    auto answer = udf::CallPython(place_, function, "{\"batch\":" + std::to_string(batch.id) + "}\n" + rows, watch);
    FRAZIL_RETURN_IF_ERROR(engine::CheckNotCancelled(context.execution().cancel.get()));
    FRAZIL_RETURN_IF_ERROR(answer.status());
    return std::optional<int64_t>(count);
  }

  const PythonCallback callback_;
  const DataTypePtr schema_;
  StreamHost& host_;
  const udf::PythonPlace place_;
};

}  // namespace

Result<std::unique_ptr<Sink>> MakeCallbackSink(const StreamWrite& write, const DataTypePtr& schema, StreamHost& host,
                                               commands::CommandContext& context) {
  // A place of its own: what the function keeps between two batches is not seen by other queries.
  auto place =
      udf::PlaceOf(context.execution().store_settings, context.settings().current_user + "/" + RandomUuidText());
  return std::unique_ptr<Sink>(std::make_unique<CallbackSink>(*write.callback, schema, host, std::move(place)));
}

}  // namespace frazil::streaming
