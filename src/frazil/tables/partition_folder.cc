#include "frazil/tables/partition_folder.h"

#include "frazil/base/byte_text.h"

namespace frazil::tables {

std::string EscapePathName(std::string_view text) {
  static constexpr std::string_view kSpecial = "\"#%'*/:=?\\{[]^\x7f";
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || kSpecial.find(c) != std::string_view::npos) {
      AppendPercentEncoded(c, &out);
    } else {
      out += c;
    }
  }
  return out;
}

std::string PartitionFolder(std::string_view column, const std::optional<std::string>& value) {
  const bool is_default = !value || value->empty();
  return EscapePathName(column) + "=" + (is_default ? kHiveDefaultPartition : EscapePathName(*value));
}

}  // namespace frazil::tables
