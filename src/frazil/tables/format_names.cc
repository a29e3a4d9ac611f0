#include "frazil/tables/format_names.h"

#include <string_view>

#include "frazil/base/text.h"

namespace frazil::tables {

std::string ShortFormatName(const std::string& format) {
  std::string name = AsciiLower(format);
  if (name == "org.apache.iceberg.spark.source.icebergsource") return "iceberg";
  if (name == "io.delta.sql.deltadatasource" || name == "org.apache.spark.sql.delta.sources.deltadatasource")
    return "delta";
  if (name == "org.apache.spark.sql.kafka010.kafkasourceprovider") return "kafka";
  static constexpr std::string_view kPrefix = "org.apache.spark.sql.execution.datasources.";
  if (name.starts_with(kPrefix)) {
    std::string rest = name.substr(kPrefix.size());
    if (rest.starts_with("v2.")) rest = rest.substr(3);
    return rest.substr(0, rest.find('.'));
  }
  return name;
}

}  // namespace frazil::tables
