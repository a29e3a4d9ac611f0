#pragma once

// Values of any Spark type from and to the texts of JSON and CSV. Internal to engine/.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <duckdb.hpp>

#include "frazil/engine/functions/json_value.h"
#include "frazil/engine/functions/row_kernel.h"
#include "frazil/types/data_type.h"
#include "frazil/types/time_zone.h"

namespace frazil::engine {

/// What the options of from_json, to_json, from_csv and to_csv say (keys in lower case).
struct RecordOptions {
  std::map<std::string, std::string> values;
  std::shared_ptr<const TimeZone> zone;
  std::string timestamp_format, timestamp_ntz_format, date_format;  ///< Empty: Spark's default.
  bool fail_fast = false;
  bool prefers_decimal = false;

  static RecordOptions Of(std::map<std::string, std::string> values, const std::string& session_zone);
  std::string Get(const std::string& key, std::string fallback) const;
  bool IsTrue(const std::string& key, bool fallback) const;
  JsonOptions json() const;
};

/// Numbers and dates are those of en-US: throws UNSUPPORTED_FEATURE for another `locale` among the options (keys in
/// lower case).
void CheckLocale(const std::map<std::string, std::string>& options);

/// Sets the row to NULL, with what is below it.
void WriteNull(duckdb::Vector& vector, duckdb::idx_t row);
/// Writes the value of a text as a cast to the type reads it. False where it is none: nothing is written then.
bool WriteText(const DataType& type, std::string_view text, const RecordOptions& options, duckdb::Vector& vector,
               duckdb::idx_t row);
/// Writes a JSON value. False where it does not fit the type. Fields of structs that do not fit are NULL, the rest is
/// written and `complete` becomes false; an element of an array or map that does not fit spoils the whole of it.
bool WriteJson(const DataType& type, const Json& json, const RecordOptions& options, duckdb::Vector& vector,
               duckdb::idx_t row, bool* complete);
/// What WriteJson reads of a document that is a record, or an array of records: the same of both.
JsonSelection SelectionOfRecord(const DataType& type);

/// A vector and what is below it, ready to be read.
using VectorReader = duckdb::RecursiveUnifiedVectorFormat;
/// Reads the first argument row by row: `write(reader, row)` for a value, `write_null(row)` for NULL.
template <typename Write, typename WriteNull>
void ForEachRecord(duckdb::DataChunk& chunk, duckdb::Vector& result, Write write, WriteNull write_null) {
  const auto count = chunk.size();
  VectorReader reader;
  duckdb::Vector::RecursiveToUnifiedFormat(chunk.data[0], count, reader);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < count; ++row) {
    if (reader.unified.validity.RowIsValid(reader.unified.sel->get_index(row))) {
      write(reader, row);
    } else {
      write_null(row);
    }
  }
  if (chunk.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}
/// Writes the text of each record, which `append(reader, row, &text)` makes; NULL of NULL.
template <typename Append>
void WriteRecordTexts(duckdb::DataChunk& chunk, duckdb::Vector& result, Append append) {
  ForEachRecord(
      chunk, result,
      [&](const VectorReader& reader, duckdb::idx_t row) {
        std::string text;
        append(reader, row, &text);
        row_kernel::Write(result, row, text);
      },
      [&](duckdb::idx_t row) { duckdb::FlatVector::SetNull(result, row, true); });
}
/// The value as JSON.
void AppendJsonValue(const DataType& type, const VectorReader& reader, duckdb::idx_t row, const RecordOptions& options,
                     std::string* out);
/// The value of a simple type as text; nothing for NULL.
std::optional<std::string> SimpleText(const DataType& type, const VectorReader& reader, duckdb::idx_t row,
                                      const RecordOptions& options);

}  // namespace frazil::engine
