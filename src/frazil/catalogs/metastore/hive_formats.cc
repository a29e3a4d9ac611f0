#include "frazil/catalogs/metastore/hive_formats.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"

namespace frazil::catalogs {
namespace {

using Parameters = std::map<std::string, std::string>;

std::string Find(const Parameters& parameters, const std::string& key) {
  const auto found = parameters.find(key);
  return found == parameters.end() ? std::string() : found->second;
}

/// A delimiter of Hive's text: a character, or the number of one.
std::optional<std::string> Delimiter(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto number = ParseInteger<int>(text);
  // A digit alone is a number here, as in LazyUtils.getByte.
  if (number && *number >= -128 && *number <= 127) return std::string(1, static_cast<char>(*number));
  return text.substr(0, 1);
}

/// Fields cut by a delimiter, without quotes: org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe.
Result<FileKind> DelimitedText(const Parameters& serde) {
  const auto given = [&](std::initializer_list<const char*> keys) -> std::optional<std::string> {
    for (const char* key : keys) {
      if (auto found = Delimiter(Find(serde, key))) return found;
    }
    return std::nullopt;
  };
  FileKind kind;
  kind.provider = "csv";
  kind.options["hivetext"] = "true";
  kind.options["sep"] = given({"field.delim", "serialization.format"}).value_or("\x01");
  kind.options["quote"] = "";
  kind.options["escape"] = given({"escape.delim"}).value_or("");
  kind.options["nullvalue"] =
      serde.contains("serialization.null.format") ? Find(serde, "serialization.null.format") : std::string("\\N");
  const std::string line = Find(serde, "line.delim");
  if (!line.empty() && line != "\n" && line != "10")
    return Error::Unsupported("a table of Hive with the line delimiter " + line);
  const std::string encoding = Find(serde, "serialization.encoding");
  if (!encoding.empty() && !EqualsIgnoreCase(encoding, "UTF-8") && !EqualsIgnoreCase(encoding, "UTF8"))
    return Error::Unsupported("a table of Hive in the encoding " + encoding);
  if (EqualsIgnoreCase(Find(serde, "serialization.last.column.takes.rest"), "true"))
    return Error::Unsupported("a table of Hive with serialization.last.column.takes.rest");
  return kind;
}

/// org.apache.hadoop.hive.serde2.OpenCSVSerde.
FileKind QuotedCsv(const Parameters& serde) {
  const auto or_else = [&](const char* key, const char* otherwise) {
    const std::string text = Find(serde, key);
    return text.empty() ? std::string(otherwise) : text.substr(0, 1);
  };
  FileKind kind;
  kind.provider = "csv";
  kind.all_text = true;
  kind.options["hivetext"] = "true";
  kind.options["sep"] = or_else("separatorChar", ",");
  kind.options["quote"] = or_else("quoteChar", "\"");
  kind.options["escape"] = or_else("escapeChar", "\\");
  kind.options["quoteall"] = "true";
  return kind;
}

Status TakeHeader(const Parameters& parameters, FileKind* kind) {
  const auto count = [&](const char* key) { return ParseInteger<int>(Find(parameters, key)).value_or(0); };
  if (count("skip.footer.line.count") > 0) return Error::Unsupported("a table of Hive with skip.footer.line.count");
  const int lines = count("skip.header.line.count");
  if (lines > 1) return Error::Unsupported("a table of Hive with skip.header.line.count over 1");
  if (lines == 1) kind->options["header"] = "true";
  return {};
}

}  // namespace

Result<FileKind> FileKindOf(const HiveStorage& storage, const Parameters& parameters) {
  const std::string handler = Find(parameters, "storage_handler");
  if (!handler.empty()) return Error::Unsupported("a table of Hive with the storage handler " + handler);
  const std::string serde = storage.serde.substr(storage.serde.rfind('.') + 1);
  const std::string input = storage.input_format.substr(storage.input_format.rfind('.') + 1);
  FileKind kind;
  if (serde == "ParquetHiveSerDe" || input == "MapredParquetInputFormat" || input == "DeprecatedParquetInputFormat") {
    kind.provider = "parquet";
    return kind;
  }
  if (serde == "OrcSerde" || input == "OrcInputFormat") {
    kind.provider = "orc";
    return kind;
  }
  if (serde == "AvroSerDe" || input == "AvroContainerInputFormat") {
    kind.provider = "avro";
    return kind;
  }
  if (input != "TextInputFormat") {
    return Error::Unsupported("a table of Hive with the input format " + storage.input_format + " and the SerDe " +
                              storage.serde);
  }
  if (serde == "LazySimpleSerDe") {
    FRAZIL_ASSIGN_OR_RETURN(kind, DelimitedText(storage.serde_parameters));
  } else if (serde == "OpenCSVSerde") {
    kind = QuotedCsv(storage.serde_parameters);
  } else {
    return Error::Unsupported("a table of Hive with the SerDe " + storage.serde);
  }
  FRAZIL_RETURN_IF_ERROR(TakeHeader(parameters, &kind));
  return kind;
}

Status CheckTextColumns(const DataType& schema) {
  for (const auto& field : schema.fields()) {
    if (field.type->IsComplex() || field.type->id() == TypeId::kBinary)
      return Error::Unsupported("a column of type " + field.type->Sql() + " in a text table of Hive");
  }
  return {};
}

Result<HiveStorage> StorageOfOptions(const std::map<std::string, std::string>& options) {
  HiveStorage storage;
  std::string format = "textfile", serde;
  bool has_format = false;
  for (const auto& [key, value] : options) {
    const std::string name = AsciiLower(key);
    if (name == "fileformat") {
      format = AsciiLower(value);
      has_format = true;
    } else if (name == "inputformat") {
      storage.input_format = value;
    } else if (name == "outputformat") {
      storage.output_format = value;
    } else if (name == "serde") {
      serde = value;
    } else if (name == "fielddelim") {
      storage.serde_parameters["field.delim"] = value;
      storage.serde_parameters.try_emplace("serialization.format", value);
    } else if (name == "escapedelim") {
      storage.serde_parameters["escape.delim"] = value;
    } else if (name == "collectiondelim") {
      storage.serde_parameters["colelction.delim"] = value;  // Written so by Hive.
    } else if (name == "mapkeydelim") {
      storage.serde_parameters["mapkey.delim"] = value;
    } else if (name == "linedelim") {
      storage.serde_parameters["line.delim"] = value;
    } else {
      storage.serde_parameters[key] = value;
    }
  }
  if (storage.input_format.empty() != storage.output_format.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Cannot specify only inputFormat or outputFormat, you have to specify both of them.");
  }
  if (has_format && !storage.input_format.empty()) {
    return Error::Plain(ExceptionClass::kIllegalArgument,
                        "Cannot specify fileFormat and inputFormat/outputFormat together for Hive data source.");
  }
  constexpr const char* kLazy = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe";
  storage.serde = serde.empty() ? kLazy : serde;
  if (!storage.input_format.empty()) return storage;
  if (format == "parquet" || format == "orc" || format == "avro") {
    const std::string own = std::move(storage.serde);
    SetFormat(format, &storage);
    if (!serde.empty()) storage.serde = own;
  } else if (format == "textfile") {
    storage.input_format = "org.apache.hadoop.mapred.TextInputFormat";
    storage.output_format = "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat";
  } else if (format == "sequencefile") {
    storage.input_format = "org.apache.hadoop.mapred.SequenceFileInputFormat";
    storage.output_format = "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat";
  } else if (format == "rcfile") {
    storage.input_format = "org.apache.hadoop.hive.ql.io.RCFileInputFormat";
    storage.output_format = "org.apache.hadoop.hive.ql.io.RCFileOutputFormat";
    if (serde.empty()) storage.serde = "org.apache.hadoop.hive.serde2.columnar.LazyBinaryColumnarSerDe";
  } else {
    return Error::Of("_LEGACY_ERROR_TEMP_1059", {{"serdeInfo", format}});
  }
  return storage;
}

Result<tables::TableDefinition> AsFiles(tables::TableDefinition definition) {
  if (!EqualsIgnoreCase(definition.provider, "hive")) return definition;
  FRAZIL_ASSIGN_OR_RETURN(const HiveStorage storage, StorageOfOptions(definition.options));
  FRAZIL_ASSIGN_OR_RETURN(auto kind, FileKindOf(storage, definition.properties));
  definition.provider = std::move(kind.provider);
  definition.options = std::move(kind.options);
  if (definition.options.contains("hivetext")) FRAZIL_RETURN_IF_ERROR(CheckTextColumns(*definition.schema));
  if (!kind.all_text) return definition;
  std::vector<StructField> fields = definition.schema->fields();
  for (auto& field : fields) {
    const bool is_key = std::any_of(
        definition.partitioning.begin(), definition.partitioning.end(),
        [&](const auto& key) { return !key.source.empty() && EqualsIgnoreCase(key.source[0], field.name); });
    if (!is_key) field.type = DataType::String();
  }
  definition.schema = DataType::Struct(std::move(fields));
  return definition;
}

void SetFormat(const std::string& provider, HiveStorage* storage) {
  if (EqualsIgnoreCase(provider, "parquet")) {
    storage->input_format = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat";
    storage->output_format = "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat";
    storage->serde = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe";
  } else if (EqualsIgnoreCase(provider, "orc")) {
    storage->input_format = "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat";
    storage->output_format = "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat";
    storage->serde = "org.apache.hadoop.hive.ql.io.orc.OrcSerde";
  } else if (EqualsIgnoreCase(provider, "avro")) {
    storage->input_format = "org.apache.hadoop.hive.ql.io.avro.AvroContainerInputFormat";
    storage->output_format = "org.apache.hadoop.hive.ql.io.avro.AvroContainerOutputFormat";
    storage->serde = "org.apache.hadoop.hive.serde2.avro.AvroSerDe";
  } else {
    // Spark writes these for what Hive cannot read as Spark does.
    storage->input_format = "org.apache.hadoop.mapred.SequenceFileInputFormat";
    storage->output_format = "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat";
    storage->serde = "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe";
  }
}

}  // namespace frazil::catalogs
