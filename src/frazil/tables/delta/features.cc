#include "frazil/tables/delta/features.h"

#include <algorithm>
#include <set>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::tables::delta {
namespace {

constexpr const char* kDeltaVersion = "4.3.0";  // Whose features this is up to, for messages.
// What Spark calls the feature that delta.enableVariantShredding turns on.
constexpr std::string_view kVariantShreddingPreview = "variantShredding-preview";
constexpr int kListedReader = 3, kListedWriter = 7;

template <typename Matches>
bool AnyField(const DataType& type, const Matches& matches) {
  switch (type.id()) {
    case TypeId::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [&](const StructField& field) { return matches(field) || AnyField(*field.type, matches); });
    case TypeId::kArray:
      return AnyField(*type.element_type(), matches) || matches(StructField("", type.element_type()));
    case TypeId::kMap:
      return AnyField(*type.key_type(), matches) || AnyField(*type.value_type(), matches) ||
             matches(StructField("", type.key_type())) || matches(StructField("", type.value_type()));
    default:
      return false;
  }
}

bool HasType(const DataType& schema, TypeId id) {
  return AnyField(schema, [&](const StructField& field) { return field.type->id() == id; });
}

bool HasNote(const DataType& schema, std::string_view key) {
  return AnyField(
      schema, [&](const StructField& field) { return field.metadata.find(std::string(key)) != field.metadata.end(); });
}

bool HasConstraint(const Metadata& metadata) {
  return std::any_of(metadata.configuration.begin(), metadata.configuration.end(),
                     [](const auto& entry) { return entry.first.starts_with("delta.constraints."); });
}

/// Whether a property or a column of the table makes use of the feature.
bool IsInUse(const TableFeature& feature, const Metadata& metadata, const DataType& schema) {
  const std::string_view name = feature.name;
  if (name == "appendOnly") return metadata.IsTrue("delta.appendOnly");
  if (name == "invariants") {
    return HasNote(schema, "delta.invariants") ||
           AnyField(schema, [](const StructField& field) { return !field.name.empty() && !field.nullable; });
  }
  if (name == "checkConstraints") return HasConstraint(metadata);
  if (name == "changeDataFeed") return metadata.IsTrue("delta.enableChangeDataFeed");
  if (name == "generatedColumns") return HasNote(schema, "delta.generationExpression");
  if (name == "columnMapping") {
    const std::string* mode = metadata.Property("delta.columnMapping.mode");
    return mode != nullptr && !EqualsIgnoreCase(*mode, "none");
  }
  if (name == "identityColumns") return HasNote(schema, "delta.identity.start");
  if (name == "allowColumnDefaults") return HasNote(schema, "CURRENT_DEFAULT");
  if (name == "deletionVectors") return metadata.IsTrue("delta.enableDeletionVectors");
  if (name == "rowTracking") return metadata.IsTrue("delta.enableRowTracking");
  if (name == "timestampNtz") return HasType(schema, TypeId::kTimestampNtz);
  if (name == "typeWidening") return metadata.IsTrue("delta.enableTypeWidening");
  if (name == "v2Checkpoint") {
    const std::string* policy = metadata.Property("delta.checkpointPolicy");
    return policy != nullptr && EqualsIgnoreCase(*policy, "v2");
  }
  if (name == "variantType") return HasType(schema, TypeId::kVariant);
  if (name == kVariantShreddingPreview) return metadata.IsTrue("delta.enableVariantShredding");
  if (name == "inCommitTimestamp") return metadata.IsTrue("delta.enableInCommitTimestamps");
  if (name == "icebergCompatV1") return metadata.IsTrue("delta.enableIcebergCompatV1");
  if (name == "icebergCompatV2") return metadata.IsTrue("delta.enableIcebergCompatV2");
  if (name == "icebergCompatV3") return metadata.IsTrue("delta.enableIcebergCompatV3");
  return false;
}

Error InvalidVersions(const Protocol& protocol, const std::string& table) {
  return Error::Of("DELTA_INVALID_PROTOCOL_VERSION", {{"tableNameOrPath", table},
                                                      {"readerRequired", std::to_string(protocol.min_reader_version)},
                                                      {"writerRequired", std::to_string(protocol.min_writer_version)},
                                                      {"deltaVersion", kDeltaVersion},
                                                      {"supportedReaders", "1, 2, 3"},
                                                      {"supportedWriters", "1, 2, 3, 4, 5, 6, 7"}});
}

void Insert(std::optional<std::vector<std::string>>* list, std::string_view name) {
  if (!list->has_value()) list->emplace();
  auto& names = **list;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

/// Turns a feature on, with a list where the versions alone do not say it.
void Enable(Protocol* protocol, const TableFeature& feature) {
  if (HasFeature(*protocol, feature.name)) return;
  // Once a protocol lists features, what held by its versions is listed too.
  std::vector<std::string> former = FeaturesOf(*protocol);
  if (feature.is_reader_feature && protocol->min_reader_version < kListedReader) {
    protocol->reader_features.emplace();
    for (const auto& name : former) {
      if (const auto* known = FindFeature(name); known != nullptr && known->is_reader_feature)
        Insert(&protocol->reader_features, name);
    }
    protocol->min_reader_version = kListedReader;
  }
  if (protocol->min_writer_version < kListedWriter) {
    protocol->writer_features.emplace();
    for (const auto& name : former) Insert(&protocol->writer_features, name);
    protocol->min_writer_version = kListedWriter;
  }
  if (feature.is_reader_feature) Insert(&protocol->reader_features, feature.name);
  Insert(&protocol->writer_features, feature.name);
}

}  // namespace

const std::vector<TableFeature>& TableFeatures() {
  // Versions: PROTOCOL.md, "Valid Feature Names in Table Features".
  static const std::vector<TableFeature> features = {
      {"appendOnly", false, 0, 2, true, true, "Only appends are let through while delta.appendOnly is set."},
      {"invariants", false, 0, 2, true, true, "NOT NULL is kept; other invariants of columns refuse the write."},
      {"checkConstraints", false, 0, 3, true, true, "", true},
      {"changeDataFeed", false, 0, 4, true, true,
       "Changes of rows are written for it. It is read, but for versions whose deletion vectors alone tell the "
       "changes."},
      {"generatedColumns", false, 0, 4, true, true, "Values are made, and those that rows bring are checked."},
      {"columnMapping", true, 2, 5, true, true, "Both modes; the mode name can be turned on for a table that exists."},
      {"identityColumns", false, 0, 6, true, true,
       "Values are made; writers at once conflict, since each notes its last one."},
      {"deletionVectors", true, 0, 0, true, true,
       "Read; DELETE, UPDATE and MERGE write them while delta.enableDeletionVectors is set.", true},
      {"rowTracking", false, 0, 0, true, true,
       "Files get row ids. With delta.enableRowTracking rows keep theirs from file to file, and _metadata shows them.",
       false, "domainMetadata"},
      {"timestampNtz", true, 0, 0, true, true, ""},
      {"typeWidening", true, 0, 0, true, true,
       "Columns' types are widened by ALTER TABLE, not by the rows that are written.", true},
      {"typeWidening-preview", true, 0, 0, true, true, "", true},
      {"domainMetadata", false, 0, 0, true, true, "Kept.", true},
      {"v2Checkpoint", true, 0, 0, true, true, "Read; classic checkpoints are written, which the feature allows.",
       true},
      {"icebergCompatV1", false, 0, 0, true, true, "Its rules are kept; Iceberg metadata is not written.", false,
       "columnMapping"},
      {"icebergCompatV2", false, 0, 0, true, true, "Its rules are kept; Iceberg metadata is not written.", false,
       "columnMapping"},
      {"icebergCompatV3", false, 0, 0, true, false, "Read; writes are refused.", false, "columnMapping"},
      {"clustering", false, 0, 0, true, true,
       "OPTIMIZE orders what is new along a Hilbert curve over the columns; OPTIMIZE FULL all.", false,
       "domainMetadata"},
      {"vacuumProtocolCheck", true, 0, 0, true, true, "VACUUM writes nothing where the protocol is unknown.", true},
      {"inCommitTimestamp", false, 0, 0, true, true, "", true},
      {"inCommitTimestamp-preview", false, 0, 0, true, false, "Read; writes are refused."},
      {kCheckpointProtection, false, 0, 0, true, true, "Protected versions leave the log all at once.", true},
      {"allowColumnDefaults", false, 0, 0, true, true, ""},
      {"variantType", true, 0, 0, true, true, ""},
      {"variantType-preview", true, 0, 0, true, true, ""},
      {"variantShredding", true, 0, 0, true, true,
       "Shredded files are read; new files are not shredded, as the feature allows.", false, "variantType"},
      {kVariantShreddingPreview, true, 0, 0, true, true, "As variantShredding, which is its later name.", false,
       "variantType"},
      {"collations", false, 0, 0, true, false, "Read without collation; writes are refused."},
      {"catalogManaged", true, 0, 0, false, false, "Refused: the catalog holds the newest commits."},
      {"materializePartitionColumns", false, 0, 0, true, true, "Files get the partition columns too."},
  };
  return features;
}

const TableFeature* FindFeature(std::string_view name) {
  for (const auto& feature : TableFeatures()) {
    if (feature.name == name) return &feature;
  }
  return nullptr;
}

std::vector<std::string> FeaturesOf(const Protocol& protocol) {
  std::set<std::string> names;
  if (protocol.min_writer_version < kListedWriter) {
    for (const auto& feature : TableFeatures()) {
      if (feature.min_writer_version > 0 && feature.min_writer_version <= protocol.min_writer_version)
        names.insert(std::string(feature.name));
    }
  } else if (protocol.writer_features) {
    names.insert(protocol.writer_features->begin(), protocol.writer_features->end());
  }
  if (protocol.min_reader_version >= kListedReader && protocol.reader_features) {
    names.insert(protocol.reader_features->begin(), protocol.reader_features->end());
  }
  return {names.begin(), names.end()};
}

bool HasFeature(const Protocol& protocol, std::string_view name) {
  auto features = FeaturesOf(protocol);
  return std::find(features.begin(), features.end(), name) != features.end();
}

Protocol WithFeature(Protocol protocol, std::string_view name) {
  Enable(&protocol, *FindFeature(name));
  return protocol;
}

Protocol WithoutFeature(const Protocol& protocol, std::string_view name) {
  std::vector<std::string> remaining = FeaturesOf(protocol);
  std::erase(remaining, name);
  const auto is_reader_feature = [](const std::string& feature) {
    const auto* known = FindFeature(feature);
    return known != nullptr && known->is_reader_feature;
  };
  const bool maps_columns = std::find(remaining.begin(), remaining.end(), "columnMapping") != remaining.end();
  for (int version = 1; version < kListedWriter; ++version) {
    Protocol by_versions;
    by_versions.min_reader_version = maps_columns ? 2 : 1;
    by_versions.min_writer_version = version;
    if (FeaturesOf(by_versions) == remaining) return by_versions;
  }
  Protocol result;
  result.min_writer_version = kListedWriter;
  result.writer_features = remaining;
  if (std::any_of(remaining.begin(), remaining.end(), is_reader_feature)) {
    result.min_reader_version = kListedReader;
    result.reader_features.emplace();
    for (const auto& feature : remaining) {
      if (is_reader_feature(feature)) result.reader_features->push_back(feature);
    }
  }
  return result;
}

Status CheckRead(const Protocol& protocol, const std::string& table) {
  if (protocol.min_reader_version > kListedReader || protocol.min_reader_version < 1)
    return InvalidVersions(protocol, table);
  if (protocol.min_reader_version < kListedReader || !protocol.reader_features) return {};
  std::vector<std::string> unknown;
  for (const auto& name : *protocol.reader_features) {
    const TableFeature* feature = FindFeature(name);
    if (feature == nullptr || !feature->can_read) unknown.push_back(name);
  }
  if (unknown.empty()) return {};
  Error error =
      Error::Of("DELTA_UNSUPPORTED_FEATURES_FOR_READ",
                {{"tableNameOrPath", table}, {"deltaVersion", kDeltaVersion}, {"unsupported", Join(unknown, ", ")}});
  error.kind = ErrorKind::kUnsupported;
  return error;
}

Status CheckWrite(const Protocol& protocol, const Metadata& metadata, const DataType& schema,
                  const std::string& table) {
  FRAZIL_RETURN_IF_ERROR(CheckRead(protocol, table));
  if (protocol.min_writer_version > kListedWriter || protocol.min_writer_version < 1)
    return InvalidVersions(protocol, table);
  bool by_list = protocol.min_writer_version >= kListedWriter;
  std::vector<std::string> refused;
  for (const auto& name : FeaturesOf(protocol)) {
    const TableFeature* feature = FindFeature(name);
    if (feature == nullptr) {
      refused.push_back(name);
    } else if (!feature->can_write) {
      // Features that hold by a version alone, or that do nothing until they are used, are no hindrance while they are
      // not.
      bool idle = !IsInUse(*feature, metadata, schema) && (!by_list || feature->min_writer_version > 0);
      if (!idle) refused.push_back(name);
    }
  }
  if (std::find(refused.begin(), refused.end(), "invariants") == refused.end() && HasNote(schema, "delta.invariants"))
    refused.push_back("invariants");
  if (metadata.IsTrue("delta.enableRowTracking") && metadata.IsTrue("delta.rowTrackingSuspended")) {
    return Error::Of("DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION",
                     {{"property1", "delta.enableRowTracking"}, {"property2", "delta.rowTrackingSuspended"}});
  }
  if (refused.empty()) return {};
  Error error =
      Error::Of("DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
                {{"tableNameOrPath", table}, {"deltaVersion", kDeltaVersion}, {"unsupported", Join(refused, ", ")}});
  error.kind = ErrorKind::kUnsupported;
  return error;
}

Result<Protocol> RequiredProtocol(Protocol base, Metadata* metadata, const DataType& schema) {
  std::vector<std::string> wanted;
  for (auto entry = metadata->configuration.begin(); entry != metadata->configuration.end();) {
    const auto& [key, value] = *entry;
    if (key == "delta.minReaderVersion" || key == "delta.minWriterVersion") {
      const auto version = ParseInteger<int32_t>(value);
      bool is_reader = key == "delta.minReaderVersion";
      if (!version || *version < 1 || *version > (is_reader ? kListedReader : kListedWriter)) {
        return Error::Plain(ExceptionClass::kIllegalArgument,
                            key + " needs to be an integer between 1 and " +
                                std::to_string(is_reader ? kListedReader : kListedWriter) + ", not '" + value + "'");
      }
      auto& current = is_reader ? base.min_reader_version : base.min_writer_version;
      if (*version > current) {
        std::vector<std::string> former = FeaturesOf(base);
        current = *version;
        if (is_reader && *version == kListedReader && !base.reader_features) base.reader_features.emplace();
        if (!is_reader && *version == kListedWriter && !base.writer_features) base.writer_features = std::move(former);
      }
      entry = metadata->configuration.erase(entry);
    } else if (key.starts_with("delta.feature.")) {
      if (!EqualsIgnoreCase(value, "supported") && !EqualsIgnoreCase(value, "enabled")) {
        return Error::Of("DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", {{"configs", key + "=" + value}});
      }
      wanted.push_back(key.substr(14));
      entry = metadata->configuration.erase(entry);
    } else {
      ++entry;
    }
  }
  for (const auto& name : wanted) {
    const TableFeature* feature = FindFeature(name);
    if (feature == nullptr || (!feature->can_read && feature->is_reader_feature) || !feature->can_write) {
      return Error::Of("DELTA_UNSUPPORTED_FEATURES_IN_CONFIG", {{"configs", "delta.feature." + name}});
    }
    Enable(&base, *feature);
  }
  for (const auto& feature : TableFeatures()) {
    // Either name of the feature will do.
    if (feature.name == kVariantShreddingPreview && HasFeature(base, "variantShredding")) continue;
    if (IsInUse(feature, *metadata, schema)) Enable(&base, feature);
  }
  for (const auto& feature : TableFeatures()) {
    if (!feature.needs.empty() && HasFeature(base, feature.name)) Enable(&base, *FindFeature(feature.needs));
  }
  return base;
}

}  // namespace frazil::tables::delta
