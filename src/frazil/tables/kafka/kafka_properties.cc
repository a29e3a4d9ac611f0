// Properties of Kafka's Java clients in the words of librdkafka.
// Source: https://kafka.apache.org/documentation/#configuration and librdkafka's CONFIGURATION.md

#include <set>

#include "frazil/base/text.h"
#include "frazil/tables/kafka/kafka_handle.h"
#include "frazil/tables/kafka/kafka_options.h"

namespace frazil::tables {
namespace {

/// Those that mean the same, by their names there. No others are handed on: some of librdkafka's own would let whoever
/// may read a topic load libraries into the server, or run programs.
const std::map<std::string, std::string>& SameMeaning() {
  static const std::map<std::string, std::string> kNames = [] {
    std::map<std::string, std::string> names = {{"fetch.max.wait.ms", "fetch.wait.max.ms"},
                                                {"max.request.size", "message.max.bytes"},
                                                {"receive.buffer.bytes", "socket.receive.buffer.bytes"},
                                                {"send.buffer.bytes", "socket.send.buffer.bytes"},
                                                {"sasl.mechanism", "sasl.mechanisms"}};
    for (const char* name : {"acks",
                             "allow.auto.create.topics",
                             "batch.size",
                             "bootstrap.servers",
                             "check.crcs",
                             "client.dns.lookup",
                             "client.id",
                             "client.rack",
                             "compression.type",
                             "connections.max.idle.ms",
                             "delivery.timeout.ms",
                             "enable.idempotence",
                             "fetch.max.bytes",
                             "fetch.min.bytes",
                             "group.id",
                             "group.instance.id",
                             "heartbeat.interval.ms",
                             "isolation.level",
                             "linger.ms",
                             "max.in.flight.requests.per.connection",
                             "max.partition.fetch.bytes",
                             "metadata.max.age.ms",
                             "reconnect.backoff.max.ms",
                             "reconnect.backoff.ms",
                             "request.timeout.ms",
                             "retries",
                             "retry.backoff.ms",
                             "sasl.kerberos.service.name",
                             "security.protocol",
                             "session.timeout.ms",
                             "ssl.cipher.suites",
                             "ssl.key.password",
                             "ssl.keystore.password"}) {
      names.emplace(name, name);
    }
    return names;
  }();
  return kNames;
}

/// The value of name="value" (or without quotes) in a line of JAAS; empty where there is none.
std::string JaasValue(const std::string& line, const std::string& name) {
  for (size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
    const bool begins_word = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\n' || line[at - 1] == '\t';
    size_t value = line.find_first_not_of(" \t", at + name.size());
    if (!begins_word || value == std::string::npos || line[value] != '=') continue;
    value = line.find_first_not_of(" \t", value + 1);
    if (value == std::string::npos) return "";
    if (line[value] != '"') return line.substr(value, line.find_first_of(" ;\n\t", value) - value);
    std::string text;
    for (size_t i = value + 1; i < line.size() && line[i] != '"'; ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) ++i;
      text += line[i];
    }
    return text;
  }
  return "";
}

/// sasl.jaas.config: who logs in, and how.
Status TranslateJaas(const std::string& line, KafkaProperties* native) {
  if (line.find("Krb5LoginModule") != std::string::npos) {
    const std::string principal = JaasValue(line, "principal"), key_table = JaasValue(line, "keyTab");
    if (!principal.empty()) (*native)["sasl.kerberos.principal"] = principal;
    if (!key_table.empty()) (*native)["sasl.kerberos.keytab"] = key_table;
    return {};
  }
  if (line.find("PlainLoginModule") == std::string::npos && line.find("ScramLoginModule") == std::string::npos)
    return Error::Unsupported("Kafka option 'sasl.jaas.config' with a login module other than Plain, Scram and Krb5");
  (*native)["sasl.username"] = JaasValue(line, "username");
  (*native)["sasl.password"] = JaasValue(line, "password");
  return {};
}

/// Certificates and keys: librdkafka reads PEM, and PKCS#12 of the own key.
Status TranslateStore(const std::string& name, const std::string& value, const KafkaProperties& properties,
                      KafkaProperties* native) {
  const auto type_of = [&](const std::string& key) {
    const auto found = properties.find(key);
    return found == properties.end() ? std::string("JKS") : AsciiUpper(found->second);
  };
  if (name == "ssl.truststore.location") {
    if (type_of("ssl.truststore.type") != "PEM")
      return Error::Unsupported("Kafka option 'ssl.truststore.type' other than PEM");
    (*native)["ssl.ca.location"] = value;
  } else if (name == "ssl.truststore.certificates") {
    (*native)["ssl.ca.pem"] = value;
  } else if (name == "ssl.keystore.location") {
    const std::string type = type_of("ssl.keystore.type");
    if (type == "PEM") {
      (*native)["ssl.certificate.location"] = value;
      (*native)["ssl.key.location"] = value;
    } else if (type == "PKCS12") {
      (*native)["ssl.keystore.location"] = value;
    } else {
      return Error::Unsupported("Kafka option 'ssl.keystore.type' other than PEM and PKCS12");
    }
  } else if (name == "ssl.keystore.certificate.chain") {
    (*native)["ssl.certificate.pem"] = value;
  } else if (name == "ssl.keystore.key") {
    (*native)["ssl.key.pem"] = value;
  }
  return {};
}

}  // namespace

Result<KafkaProperties> NativeProperties(const KafkaProperties& properties) {
  static const std::set<std::string> kStores = {"ssl.truststore.location", "ssl.truststore.certificates",
                                                "ssl.keystore.location", "ssl.keystore.certificate.chain",
                                                "ssl.keystore.key"};
  // Read with the stores that they belong to, or of no use to PEM.
  static const std::set<std::string> kOfStores = {"ssl.truststore.type", "ssl.truststore.password", "ssl.keystore.type",
                                                  "ssl.protocol", "ssl.enabled.protocols"};
  KafkaProperties native;
  for (const auto& [name, value] : properties) {
    if (name == "sasl.jaas.config") {
      FRAZIL_RETURN_IF_ERROR(TranslateJaas(value, &native));
    } else if (kStores.contains(name)) {
      FRAZIL_RETURN_IF_ERROR(TranslateStore(name, value, properties, &native));
    } else if (kOfStores.contains(name)) {
      continue;
    } else if (name == "ssl.endpoint.identification.algorithm") {
      native[name] = value.empty() ? "none" : value;
    } else if (const auto same = SameMeaning().find(name); same != SameMeaning().end()) {
      FRAZIL_RETURN_IF_ERROR(KafkaHandle::CheckProperty(same->second, value));
      native[same->second] = value;
    } else if (name.starts_with("ssl.") || name.starts_with("sasl.") || name == "partitioner.class") {
      return Error::Unsupported("Kafka option '" + name + "'");
    }
  }
  return native;
}

}  // namespace frazil::tables
