#include "frazil/connect/plan_reader_internal.h"
#include "frazil/connect/service_internal.h"

namespace frazil::connect {
namespace {

namespace proto = spark::connect;

// Settings that Spark warns of. Source: https://spark.apache.org/docs/latest/configuration.html and the migration
// guides.
struct DeprecatedSetting {
  std::string_view key;
  std::string_view version;
  std::string_view comment;
};
constexpr DeprecatedSetting kDeprecatedSettings[] = {
    {"spark.sql.variable.substitute.depth", "2.1", "The SQL config is not used by Spark anymore."},
    {"spark.sql.execution.pandas.respectSessionTimeZone", "2.3",
     "Behavior for `false` config value is considered as a bug, and it will be prohibited in the future releases."},
    {"spark.sql.execution.arrow.enabled", "3.0", "Use 'spark.sql.execution.arrow.pyspark.enabled' instead of it."},
    {"spark.sql.execution.arrow.fallback.enabled", "3.0",
     "Use 'spark.sql.execution.arrow.pyspark.fallback.enabled' instead of it."},
    {"spark.sql.adaptive.shuffle.targetPostShuffleInputSize", "3.0",
     "Use 'spark.sql.adaptive.advisoryPartitionSizeInBytes' instead of it."},
    {"spark.sql.hive.verifyPartitionPath", "3.0", "This config is replaced by 'spark.files.ignoreMissingFiles'."},
    {"spark.sql.optimizer.metadataOnly", "3.0",
     "Avoid to depend on this optimization to prevent a potential correctness "
     "issue."},
};

void AddWarning(const std::string& key, proto::ConfigResponse* response) {
  for (const auto& setting : kDeprecatedSettings) {
    if (key != setting.key) continue;
    response->add_warnings("The SQL config '" + key + "' has been deprecated in Spark v" +
                           std::string(setting.version) + " and may be removed in the future. " +
                           std::string(setting.comment));
  }
}

void AddPair(const std::string& key, const std::optional<std::string>& value, proto::ConfigResponse* response) {
  auto* pair = response->add_pairs();
  pair->set_key(key);
  if (value.has_value()) pair->set_value(*value);
}

}  // namespace

Status SparkConnectService::Config(const proto::ConfigRequest& request, proto::ConfigResponse* response) {
  FRAZIL_ASSIGN_OR_RETURN(const auto session, SessionOf(request, response));
  const auto& operation = request.operation();
  using Kind = proto::ConfigRequest::Operation::OpTypeCase;
  switch (operation.op_type_case()) {
    case Kind::kSet:
      for (const auto& pair : operation.set().pairs()) {
        if (!pair.has_value()) return InvalidPlan("a setting without a value (" + pair.key() + ")");
        const Status status = session->SetConfig(pair.key(), pair.value());
        // Builder options are set silently: those that cannot be changed now are left as they are.
        if (!status.ok() && !operation.set().silent()) return status;
        if (!status.ok()) {
          response->add_warnings("Failed to set " + pair.key() + " to Some(" + pair.value() + ") due to " +
                                 status.error().message);
        }
        AddPair(pair.key(), std::nullopt, response);
        AddWarning(pair.key(), response);
      }
      return Status::Ok();
    case Kind::kGet:
      for (const auto& key : operation.get().keys()) {
        auto value = session->GetConfig(key);
        if (!value.has_value()) {
          return Error::Of(ExceptionClass::kNoSuchElement, "SQL_CONF_NOT_FOUND", {{"sqlConf", "\"" + key + "\""}});
        }
        AddPair(key, value, response);
        AddWarning(key, response);
      }
      return Status::Ok();
    case Kind::kGetWithDefault:
      for (const auto& pair : operation.get_with_default().pairs()) {
        auto value = session->GetConfig(pair.key());
        if (!value.has_value() && pair.has_value()) value = pair.value();
        AddPair(pair.key(), value, response);
        AddWarning(pair.key(), response);
      }
      return Status::Ok();
    case Kind::kGetOption:
      for (const auto& key : operation.get_option().keys()) {
        AddPair(key, session->GetConfig(key), response);
        AddWarning(key, response);
      }
      return Status::Ok();
    case Kind::kGetAll:
      for (const auto& entry : session->AllConfigs(operation.get_all().prefix())) {
        AddPair(entry.key, entry.value, response);
        AddWarning(entry.key, response);
      }
      return Status::Ok();
    case Kind::kUnset:
      for (const auto& key : operation.unset().keys()) {
        FRAZIL_RETURN_IF_ERROR(session->UnsetConfig(key));
        AddPair(key, std::nullopt, response);
        AddWarning(key, response);
      }
      return Status::Ok();
    case Kind::kIsModifiable:
      for (const auto& key : operation.is_modifiable().keys()) {
        AddPair(key, session->IsModifiable(key) ? "true" : "false", response);
        AddWarning(key, response);
      }
      return Status::Ok();
    case Kind::OP_TYPE_NOT_SET:
      break;
  }
  return Error::Unsupported("A configuration call that this version of the protocol has not");
}

}  // namespace frazil::connect
