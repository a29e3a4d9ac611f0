#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frazil/base/json.h"
#include "frazil/base/result.h"

namespace frazil::tables::delta {

// The actions of Delta's log. Source: PROTOCOL.md, "Actions".

/// Names and values of a file's partition columns as the log keeps them; nullopt: NULL.
using PartitionTexts = std::vector<std::pair<std::string, std::optional<std::string>>>;
using StringMap = std::vector<std::pair<std::string, std::string>>;

/// "Deletion Vector Descriptor Schema".
struct DeletionVectorDescriptor {
  std::string storage_type;  ///< "u": relative path from a UUID; "i": inline; "p": absolute path.
  std::string path_or_inline;
  std::optional<int32_t> offset;
  int32_t size_in_bytes = 0;
  int64_t cardinality = 0;
  /// Names the vector in the key of a file.
  std::string UniqueId() const;
  bool operator==(const DeletionVectorDescriptor&) const = default;
};

class BoundsCache;

/// add and remove: a logical file, which is a data file together with its deletion vector.
struct FileAction {
  std::string path;  ///< As in the log: URI-encoded, relative to the table or absolute.
  PartitionTexts partition;
  int64_t size = -1;
  int64_t modification_time = 0;  ///< Milliseconds.
  bool data_change = true;
  std::string stats;          ///< JSON text; empty: none.
  int64_t record_count = -1;  ///< numRecords of `stats`, deleted rows included; -1: unknown.
  std::optional<StringMap> tags;
  std::optional<DeletionVectorDescriptor> deletion_vector;
  std::optional<int64_t> base_row_id, default_row_commit_version;
  std::string clustering_provider;
  // A tombstone's:
  bool is_removed = false;
  std::optional<int64_t> deletion_timestamp;
  bool has_extended_metadata = false;
  /// When it came into the table's state, for the order of rows: later files are greater.
  int64_t order = 0;
  /// What has been read of `stats`; null for an action that is no part of a table's state.
  std::shared_ptr<BoundsCache> bounds;

  /// Identifies the logical file within a table's state.
  std::string Key() const;
  /// The tombstone of an added file.
  FileAction Removed(int64_t timestamp_ms, bool changes_data) const;
};
using FileActionPtr = std::shared_ptr<const FileAction>;

struct Protocol {
  int32_t min_reader_version = 1;
  int32_t min_writer_version = 2;
  std::optional<std::vector<std::string>> reader_features, writer_features;
  bool operator==(const Protocol&) const = default;
};

struct Metadata {
  std::string id;
  std::optional<std::string> name, description;
  std::string provider = "parquet";
  StringMap format_options;
  std::string schema_string;
  std::vector<std::string> partition_columns;
  std::map<std::string, std::string> configuration;
  std::optional<int64_t> created_time;
  bool operator==(const Metadata&) const = default;

  /// The value of a table property, or nullptr.
  const std::string* Property(std::string_view key) const;
  bool IsTrue(std::string_view key) const;
};
using MetadataPtr = std::shared_ptr<const Metadata>;

struct Transaction {
  std::string app_id;
  int64_t version = 0;
  std::optional<int64_t> last_updated;
};

struct DomainMetadata {
  std::string domain;
  std::string configuration;
  bool removed = false;
};

/// A file of checkpoint actions beside a V2 checkpoint.
struct Sidecar {
  std::string path;
  int64_t size_in_bytes = 0;
};

/// cdc: a file of changes, relative to the table.
struct ChangeFile {
  std::string path;
  PartitionTexts partition;
  int64_t size = -1;
};

/// commitInfo: kept as it stands, since its contents are free.
struct CommitInfo {
  JsonValue content;
  int64_t Integer(std::string_view key, int64_t otherwise) const;
  std::string Text(std::string_view key) const;
  bool IsTrue(std::string_view key) const;
};

using Action =
    std::variant<FileAction, Protocol, Metadata, Transaction, DomainMetadata, Sidecar, ChangeFile, CommitInfo>;

/// One line of a commit. Nothing for actions that are unknown here or need no handling (checkpointMetadata). Error
/// where the line is no action.
Result<std::optional<Action>> ParseAction(std::string_view line);
/// All actions of a commit file.
Result<std::vector<Action>> ParseCommit(std::string_view text, const std::string& path);
/// One line without its end.
std::string WriteAction(const Action& action);

/// numRecords of a file's statistics; -1 where they do not tell.
int64_t RecordCountOf(std::string_view stats);

}  // namespace frazil::tables::delta
