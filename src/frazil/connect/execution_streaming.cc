// Commands of streaming queries. Source: SparkConnectPlanner.handleStreamingQueryCommand and its neighbours.

#include "frazil/connect/execution_internal.h"
#include "frazil/connect/local_url_internal.h"
#include "frazil/connect/plan_reader_internal.h"
#include "frazil/streaming/queries.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

template <typename Names>
std::vector<std::string> NamesOf(const Names& names) {
  return {names.begin(), names.end()};
}

Result<streaming::Trigger> ReadTrigger(const proto::WriteStreamOperationStart& message) {
  streaming::Trigger trigger;
  switch (message.trigger_case()) {
    case proto::WriteStreamOperationStart::kProcessingTimeInterval: {
      FRAZIL_ASSIGN_OR_RETURN(trigger.interval_ms, streaming::ParseTriggerInterval(message.processing_time_interval()));
      return trigger;
    }
    case proto::WriteStreamOperationStart::kAvailableNow:
      trigger.kind = streaming::Trigger::Kind::kAvailableNow;
      return trigger;
    case proto::WriteStreamOperationStart::kOnce:
      trigger.kind = streaming::Trigger::Kind::kOnce;
      return trigger;
    case proto::WriteStreamOperationStart::kContinuousCheckpointInterval:
      return Error::Unsupported("Continuous processing of streams");
    case proto::WriteStreamOperationStart::TRIGGER_NOT_SET:
      break;
  }
  return trigger;
}

Result<std::optional<streaming::PythonCallback>> ReadCallback(const proto::WriteStreamOperationStart& message,
                                                              const session::Session& session) {
  using Callback = streaming::PythonCallback;
  if (!message.has_foreach_writer() && !message.has_foreach_batch()) return std::optional<Callback>();
  const bool is_batch = message.has_foreach_batch();
  const auto& function = is_batch ? message.foreach_batch() : message.foreach_writer();
  if (!function.has_python_function())
    return Error::Unsupported("Functions of Scala and Java in foreach and foreachBatch");
  Callback callback;
  callback.kind = is_batch ? Callback::Kind::kBatch : Callback::Kind::kRows;
  callback.command = function.python_function().command();
  callback.version = function.python_function().python_ver();
  callback.url = LocalUrl() + ";user_id=" + session.user_id() + ";session_id=" + session.id();
  return std::optional<Callback>(std::move(callback));
}

Result<streaming::StreamWrite> ReadStreamWrite(const proto::WriteStreamOperationStart& message, PlanReader& reader,
                                               const session::Session& session) {
  streaming::StreamWrite write;
  FRAZIL_ASSIGN_OR_RETURN(write.input, reader.ReadRelation(message.input()));
  write.format = message.format();
  write.options = {message.options().begin(), message.options().end()};
  write.partition_columns = NamesOf(message.partitioning_column_names());
  write.clustering_columns = NamesOf(message.clustering_column_names());
  FRAZIL_ASSIGN_OR_RETURN(write.trigger, ReadTrigger(message));
  write.output_mode = message.output_mode();
  write.query_name = message.query_name();
  if (message.has_path()) write.path = message.path();
  if (message.has_table_name()) write.table_name = message.table_name();
  FRAZIL_ASSIGN_OR_RETURN(write.callback, ReadCallback(message, session));
  return write;
}

// As Java shows an exception.
std::string ExceptionText(const Error& error) {
  return "org.apache.spark.sql.streaming.StreamingQueryException: " + error.message;
}

void WriteQuery(const streaming::StreamingQuery& query,
                proto::StreamingQueryManagerCommandResult::StreamingQueryInstance* message) {
  message->mutable_id()->set_id(query.id());
  message->mutable_id()->set_run_id(query.run_id());
  if (!query.name().empty()) message->set_name(query.name());
}

}  // namespace

Status Execution::StartStream(const proto::WriteStreamOperationStart& command) {
  PlanReader reader(session_.get());
  FRAZIL_ASSIGN_OR_RETURN(const auto write, ReadStreamWrite(command, reader, *session_));
  FRAZIL_ASSIGN_OR_RETURN(const auto query, session_->StartStream(write));
  auto response = NewResponse();
  auto* result = response.mutable_write_stream_operation_start_result();
  result->mutable_query_id()->set_id(query->id());
  result->mutable_query_id()->set_run_id(query->run_id());
  result->set_name(query->name());
  if (session_->streams().has_listener()) {
    result->set_query_started_event_json(
        streaming::StartedEventJson(query->id(), query->run_id(), query->name(), query->started_ms()));
  }
  return Send(std::move(response));
}

Status Execution::RunStreamCommand(const proto::StreamingQueryCommand& command) {
  using Kind = proto::StreamingQueryCommand::CommandCase;
  const auto query = session_->streams().Find(command.query_id().id(), command.query_id().run_id());
  if (query == nullptr) {
    return Error::Plain(ExceptionClass::kIllegalArgument, "Streaming query " + command.query_id().id() + " with run " +
                                                              command.query_id().run_id() + " is not found");
  }
  auto response = NewResponse();
  auto* result = response.mutable_streaming_query_command_result();
  *result->mutable_query_id() = command.query_id();
  switch (command.command_case()) {
    case Kind::kStatus: {
      const auto status = query->status();
      auto* message = result->mutable_status();
      message->set_status_message(status.message);
      message->set_is_data_available(status.is_data_available);
      message->set_is_trigger_active(status.is_trigger_active);
      message->set_is_active(status.is_active);
      break;
    }
    case Kind::kLastProgress:
    case Kind::kRecentProgress: {
      auto progress = query->recent_progress();
      auto* message = result->mutable_recent_progress();
      if (command.has_last_progress() && progress.size() > 1) progress.erase(progress.begin(), progress.end() - 1);
      for (auto& json : progress) message->add_recent_progress_json(std::move(json));
      break;
    }
    case Kind::kStop:
      query->Stop();
      break;
    case Kind::kProcessAllAvailable:
      FRAZIL_RETURN_IF_ERROR(query->ProcessAllAvailable(operation_->cancel.get()));
      break;
    case Kind::kExplain: {
      FRAZIL_ASSIGN_OR_RETURN(auto text, query->Explain(command.explain().extended()));
      result->mutable_explain()->set_result(std::move(text));
      break;
    }
    case Kind::kException: {
      const auto error = query->exception();
      auto* message = result->mutable_exception();
      if (!error) break;
      message->set_exception_message(ExceptionText(*error));
      message->set_error_class(error->condition);
      break;
    }
    case Kind::kAwaitTermination: {
      std::optional<int64_t> timeout;
      if (command.await_termination().has_timeout_ms()) timeout = command.await_termination().timeout_ms();
      FRAZIL_ASSIGN_OR_RETURN(const bool terminated, query->AwaitTermination(timeout, operation_->cancel.get()));
      result->mutable_await_termination()->set_terminated(terminated);
      break;
    }
    case Kind::COMMAND_NOT_SET:
      return InvalidPlan("a command of a streaming query that says nothing");
  }
  return Send(std::move(response));
}

Status Execution::RunStreamsCommand(const proto::StreamingQueryManagerCommand& command) {
  using Kind = proto::StreamingQueryManagerCommand::CommandCase;
  auto& streams = session_->streams();
  auto response = NewResponse();
  auto* result = response.mutable_streaming_query_manager_command_result();
  switch (command.command_case()) {
    case Kind::kActive: {
      auto* active = result->mutable_active();
      for (const auto& query : streams.Active()) WriteQuery(*query, active->add_active_queries());
      break;
    }
    case Kind::kGetQuery:
      if (const auto query = streams.Find(command.get_query(), "")) WriteQuery(*query, result->mutable_query());
      break;
    case Kind::kAwaitAnyTermination: {
      std::optional<int64_t> timeout;
      if (command.await_any_termination().has_timeout_ms()) timeout = command.await_any_termination().timeout_ms();
      FRAZIL_ASSIGN_OR_RETURN(const bool terminated, streams.AwaitAny(timeout, operation_->cancel.get()));
      result->mutable_await_any_termination()->set_terminated(terminated);
      break;
    }
    case Kind::kResetTerminated:
      streams.ResetTerminated();
      result->set_reset_terminated(true);
      break;
    case Kind::kAddListener:
    case Kind::kRemoveListener:
    case Kind::kListListeners:
      return Error::Unsupported("Listeners of streaming queries that run in the server");
    case Kind::COMMAND_NOT_SET:
      return InvalidPlan("a command about streaming queries that says nothing");
  }
  return Send(std::move(response));
}

Status Execution::RunListenerCommand(const proto::StreamingQueryListenerBusCommand& command) {
  auto& streams = session_->streams();
  if (command.has_remove_listener_bus_listener()) {
    streams.RemoveListener();
    return Status::Ok();
  }
  if (!command.has_add_listener_bus_listener()) {
    return Error::Of(ExceptionClass::kIllegalArgument, "INVALID_PARAMETER_VALUE.STREAMING_LISTENER_COMMAND_MISSING");
  }
  const auto events = streams.AddListener();
  auto added = NewResponse();
  added.mutable_streaming_query_listener_events_result()->set_listener_bus_listener_added(true);
  FRAZIL_RETURN_IF_ERROR(Send(std::move(added)));
  // A client that lost the answer asks again: its events come from the first request.
  if (events == nullptr) return Status::Ok();
  while (const auto event = events->Next(operation_->cancel.get())) {
    auto response = NewResponse();
    auto* message = response.mutable_streaming_query_listener_events_result()->add_events();
    message->set_event_json(event->json);
    switch (event->kind) {
      case streaming::EventKind::kProgress:
        message->set_event_type(proto::QUERY_PROGRESS_EVENT);
        break;
      case streaming::EventKind::kTerminated:
        message->set_event_type(proto::QUERY_TERMINATED_EVENT);
        break;
      case streaming::EventKind::kIdle:
        message->set_event_type(proto::QUERY_IDLE_EVENT);
        break;
    }
    const Status sent = Send(std::move(response));
    if (!sent.ok()) {
      streams.RemoveListener();
      return sent;
    }
  }
  if (operation_->cancel->cancelled()) streams.RemoveListener();
  return engine::CheckNotCancelled(operation_->cancel.get());
}

}  // namespace frazil::connect
