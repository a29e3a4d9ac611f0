#include "frazil/tables/scan_options.h"

#include "frazil/base/integer_text.h"

namespace frazil::tables {

Result<ScanOptions> ReadScanOptions(const std::map<std::string, std::string>& options) {
  ScanOptions scan;
  int choices = 0;
  for (const auto& [key, text] : options) {
    auto parsed = ParseInteger<int64_t>(text);
    bool is_number = parsed.has_value();
    int64_t number = parsed.value_or(0);
    bool wants_number =
        key == "snapshot-id" || key == "as-of-timestamp" || key == "start-snapshot-id" || key == "end-snapshot-id";
    if (wants_number && !is_number) {
      return Error::Plain(ExceptionClass::kIllegalArgument,
                          "The read option " + key + " must be a number, not '" + text + "'");
    }
    if (key == "snapshot-id") {
      scan.snapshot_id = number;
      ++choices;
    } else if (key == "as-of-timestamp") {
      scan.timestamp_micros = number * 1000;
      ++choices;
    } else if (key == "versionasof") {
      if (is_number) {
        scan.snapshot_id = number;
      } else {
        scan.reference = text;
      }
      ++choices;
    } else if (key == "branch" || key == "tag") {
      scan.reference = text;
      ++choices;
    } else if (key == "start-snapshot-id") {
      scan.start_snapshot_id = number;
    } else if (key == "end-snapshot-id") {
      scan.end_snapshot_id = number;
    } else {
      scan.options[key] = text;
    }
  }
  if (choices > 1) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Can specify only one of snapshot-id (snapshot-id), as-of-timestamp (as-of-timestamp), branch "
                        "(branch), tag (tag), versionAsOf");
  }
  return scan;
}

}  // namespace frazil::tables
