#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/json.h"
#include "frazil/base/result.h"

namespace frazil::codec {

/// Where a blob stands in its file.
struct PuffinBlob {
  int64_t offset = 0;
  int64_t length = 0;
};

/// Makes a Puffin file in memory: blobs without compression and the footer that describes them.
/// Source: Puffin specification, "File structure" and "Footer".
class PuffinWriter {
 public:
  PuffinWriter();

  /// `type`: one of the specification's blob types. `fields`: ids of the columns that the blob is about. Snapshot and
  /// sequence number are -1 where the commit that brings the file gives them.
  PuffinBlob Add(std::string_view type, const std::vector<int32_t>& fields,
                 const std::map<std::string, std::string>& properties, int64_t snapshot_id, int64_t sequence_number,
                 std::string_view data);
  /// The whole file; the writer is spent.
  std::string Finish();

 private:
  std::string file_;
  std::string blobs_;  ///< The footer's list, as JSON.
};

/// The description of a file's blobs: the specification's FileMetadata, and where it begins in the file.
struct PuffinFooter {
  int64_t offset = 0;
  JsonValue metadata;
};

/// The footer of a whole file. Damaged ones are an Error of kind kStorage, compressed ones are unsupported by name.
Result<PuffinFooter> ReadPuffinFooter(std::string_view file);
/// The file with this footer in the place of its own: the blobs stay where they are.
std::string ReplacePuffinFooter(std::string_view file, const PuffinFooter& footer);

}  // namespace frazil::codec
