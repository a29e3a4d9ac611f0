#include "frazil/tables/files/avro_options.h"

#include "frazil/base/text.h"

namespace frazil::tables {

Status CheckAvroOptions(const std::map<std::string, std::string>& options) {
  // The option as Spark writes it, and the value that asks for nothing else than what is done; empty: none does.
  struct Option {
    const char* name;
    const char* harmless;
  };
  static constexpr Option kOptions[] = {
      {"avroSchema", ""},
      {"avroSchemaUrl", ""},
      {"recordName", "topLevelRecord"},
      {"recordNamespace", ""},
      {"ignoreExtension", "true"},
      {"positionalFieldMatching", "false"},
      {"enableStableIdentifiersForUnionType", "false"},
      {"stableIdentifierPrefixForUnionType", "member_"},
      {"recursiveFieldMaxDepth", "-1"},
  };
  for (const auto& option : kOptions) {
    const auto given = options.find(AsciiLower(option.name));
    if (given == options.end() || EqualsIgnoreCase(given->second, option.harmless)) continue;
    return Error::Unsupported(std::string("the Avro option ") + option.name);
  }
  const auto rebase = options.find("datetimerebasemode");
  if (rebase != options.end() && EqualsIgnoreCase(rebase->second, "LEGACY"))
    return Error::Unsupported("the Avro option datetimeRebaseMode with the value LEGACY");
  return {};
}

}  // namespace frazil::tables
