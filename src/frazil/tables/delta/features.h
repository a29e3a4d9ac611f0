#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/result.h"
#include "frazil/tables/delta/actions.h"
#include "frazil/types/data_type.h"

namespace frazil::tables::delta {

/// A table feature of the protocol, and what is done with it here. Source: PROTOCOL.md, "Table Features".
struct TableFeature {
  std::string_view name;
  bool is_reader_feature = false;  ///< Also listed in readerFeatures.
  /// Versions from which the feature holds without a list; 0: only by name.
  int min_reader_version = 0;
  int min_writer_version = 0;
  bool can_read = false;
  /// A table with the feature can be written. (Whether the feature is in use is another matter: see CheckWrite.)
  bool can_write = false;
  std::string_view note;  ///< For the reference page: what is done, or what is missing.
  bool is_removable =
      false;  ///< ALTER TABLE ... DROP FEATURE. Past versions with a reader feature need protection then.
  std::string_view needs = {};  ///< Another feature, without which this one cannot be.
};

/// Keeps versions that make use of a dropped feature from being read half.
inline constexpr std::string_view kCheckpointProtection = "checkpointProtection";

/// All features of the protocol.
const std::vector<TableFeature>& TableFeatures();
const TableFeature* FindFeature(std::string_view name);

/// Names of the features that a protocol turns on, by version or list.
std::vector<std::string> FeaturesOf(const Protocol& protocol);
bool HasFeature(const Protocol& protocol, std::string_view name);
/// The protocol with a known feature more, or with one less: by versions alone again, where these say the same.
Protocol WithFeature(Protocol protocol, std::string_view name);
Protocol WithoutFeature(const Protocol& protocol, std::string_view name);

/// Errors DELTA_INVALID_PROTOCOL_VERSION and DELTA_UNSUPPORTED_FEATURES_FOR_READ. `table`: for the message.
Status CheckRead(const Protocol& protocol, const std::string& table);
/// The same for writing (which needs reading too).
Status CheckWrite(const Protocol& protocol, const Metadata& metadata, const DataType& schema, const std::string& table);

/// The protocol that a table with these properties and columns needs at least; `base` keeps what it has. Properties
/// "delta.feature.NAME" = "supported", "delta.minReaderVersion" and "delta.minWriterVersion" count, and are taken out
/// of the metadata's configuration. Error for unknown features.
Result<Protocol> RequiredProtocol(Protocol base, Metadata* metadata, const DataType& schema);

}  // namespace frazil::tables::delta
