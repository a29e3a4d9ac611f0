// ROW FORMAT and STORED AS: how Hive stores a table's rows.

#include <array>

#include "frazil/base/text.h"
#include "frazil/sql/parser_internal.h"

namespace frazil::sql {
namespace {

/// Formats that STORED AS may name.
constexpr std::array kKnownFormats = {"sequencefile", "rcfile", "orc", "parquet", "textfile", "avro"};

}  // namespace

Status Parser::RowFormat(HiveFormat* format) {
  const size_t first = pos_;
  FRAZIL_RETURN_IF_ERROR(ExpectWords({Keyword::kRow, Keyword::kFormat}));
  if (Accept(Keyword::kSerde)) {
    FRAZIL_ASSIGN_OR_RETURN(format->serde, StringLiteral());
    if (AcceptWords({Keyword::kWith, Keyword::kSerdeproperties})) {
      FRAZIL_ASSIGN_OR_RETURN(const plan::Properties properties, PropertyList());
      for (const auto& [key, value] : properties) format->properties[key] = value;
    }
  } else {
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kDelimited));
    format->is_delimited = true;
    const auto take = [&](std::initializer_list<const char*> keys) -> Status {
      FRAZIL_ASSIGN_OR_RETURN(const std::string text, StringLiteral());
      for (const char* key : keys) format->properties[key] = text;
      return {};
    };
    if (AcceptWords({Keyword::kFields, Keyword::kTerminated, Keyword::kBy})) {
      FRAZIL_RETURN_IF_ERROR(take({"field.delim", "serialization.format"}));
      if (AcceptWords({Keyword::kEscaped, Keyword::kBy})) FRAZIL_RETURN_IF_ERROR(take({"escape.delim"}));
    }
    if (AcceptWords({Keyword::kCollection, Keyword::kItems, Keyword::kTerminated, Keyword::kBy}))
      FRAZIL_RETURN_IF_ERROR(take({"colelction.delim"}));  // Written so by Hive.
    if (AcceptWords({Keyword::kMap, Keyword::kKeys, Keyword::kTerminated, Keyword::kBy}))
      FRAZIL_RETURN_IF_ERROR(take({"mapkey.delim"}));
    if (AcceptWords({Keyword::kLines, Keyword::kTerminated, Keyword::kBy})) {
      FRAZIL_RETURN_IF_ERROR(take({"line.delim"}));
      const std::string& line = format->properties["line.delim"];
      if (line != "\n") {
        return ErrorFrom(first, "_LEGACY_ERROR_TEMP_0064",
                         {{"msg", "LINES TERMINATED BY only supports newline '\\n' right now: " + line}});
      }
    }
    // Hive's meaning of it; Spark takes the clause and forgets it.
    if (AcceptWords({Keyword::kNull, Keyword::kDefined, Keyword::kAs}))
      FRAZIL_RETURN_IF_ERROR(take({"serialization.null.format"}));
  }
  format->text += (format->text.empty() ? "" : " ") + SourceFrom(first);
  return {};
}

Status Parser::StoredAs(HiveFormat* format) {
  const size_t first = pos_;
  Skip();
  if (Accept(Keyword::kBy)) {
    FRAZIL_RETURN_IF_ERROR(StringLiteral().status());
    if (AcceptWords({Keyword::kWith, Keyword::kSerdeproperties})) FRAZIL_RETURN_IF_ERROR(PropertyList().status());
    return ErrorFrom(first, "INVALID_STATEMENT_OR_CLAUSE", {{"operation", "STORED BY"}});
  }
  FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kAs));
  format->is_stored = true;
  if (Accept(Keyword::kInputformat)) {
    FRAZIL_ASSIGN_OR_RETURN(format->input, StringLiteral());
    FRAZIL_RETURN_IF_ERROR(Expect(Keyword::kOutputformat));
    FRAZIL_ASSIGN_OR_RETURN(format->output, StringLiteral());
  } else {
    if (!IsIdentifier()) return SyntaxError();
    FRAZIL_ASSIGN_OR_RETURN(format->name, TakeIdentifier());
  }
  format->text += (format->text.empty() ? "" : " ") + SourceFrom(first);
  return {};
}

Status Parser::CheckHiveFormat(const HiveFormat& format, size_t first) {
  if (!format.name) return {};
  const std::string name = AsciiLower(*format.name);
  const bool takes_serde = name == "sequencefile" || name == "textfile" || name == "rcfile";
  if (format.serde && !takes_serde) {
    return NotAllowed(first,
                      "ROW FORMAT SERDE is incompatible with format '" + name + "', which also specifies a serde");
  }
  if (format.is_delimited && name != "textfile")
    return NotAllowed(first, "ROW FORMAT DELIMITED is only compatible with 'textfile', not '" + name + "'");
  return {};
}

Status Parser::CheckKnownFormat(const HiveFormat& format, size_t first) {
  if (!format.name) return {};
  for (const char* known : kKnownFormats) {
    if (EqualsIgnoreCase(*format.name, known)) return {};
  }
  return NotAllowed(first, "STORED AS with file format '" + *format.name + "'");
}

void Parser::PutHiveFormat(const HiveFormat& format, plan::Options* options) {
  for (const auto& [key, value] : format.properties) (*options)[key] = value;
  if (format.name) (*options)["fileFormat"] = *format.name;
  if (format.input) (*options)["inputFormat"] = *format.input;
  if (format.output) (*options)["outputFormat"] = *format.output;
  if (format.serde) (*options)["serde"] = *format.serde;
}

Status Parser::TakeHiveFormat(const HiveFormat& format, size_t first, const std::string& statement,
                              plan::CreateTableCommand* command) {
  if (format.text.empty()) return {};
  FRAZIL_RETURN_IF_ERROR(CheckHiveFormat(format, first));
  if (command->provider) {
    std::string stored;
    if (format.name) stored = "STORED AS " + AsciiUpper(*format.name) + " ";
    if (format.input) stored = "STORED AS INPUTFORMAT " + *format.input + " OUTPUTFORMAT " + *format.output + " ";
    const std::string serde = format.serde ? "ROW FORMAT SERDE " + *format.serde + " " : std::string();
    return ErrorFrom(first, "INVALID_STATEMENT_OR_CLAUSE", {{"operation", statement + " USING ... " + serde + stored}});
  }
  command->serde_text = format.text;
  command->provider = "hive";
  PutHiveFormat(format, &command->options);
  return {};
}

}  // namespace frazil::sql
