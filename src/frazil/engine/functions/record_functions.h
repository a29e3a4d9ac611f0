#pragma once

// What the kernels of from_json, to_json, from_csv, to_csv, from_xml and to_xml share. Internal to engine/.

#include <string>
#include <string_view>

#include <duckdb.hpp>

#include "frazil/engine/functions/function_lowering.h"
#include "frazil/engine/functions/text_record.h"

namespace frazil::engine {

/// Kernels take the schema as JSON, the options as a JSON object, and the session's zone, all constant.
struct RecordData : duckdb::FunctionData {
  DataTypePtr type;
  RecordOptions options;
  JsonSelection selection;  ///< What reading a record looks at of a document.
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override { return duckdb::make_uniq<RecordData>(*this); }
  bool Equals(const duckdb::FunctionData& other_data) const override {
    const auto& other = other_data.Cast<RecordData>();
    return type->Equals(*other.type) && options.values == other.options.values && options.zone == other.options.zone;
  }
};

duckdb::unique_ptr<duckdb::FunctionData> BindRecordReading(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments);
duckdb::unique_ptr<duckdb::FunctionData> BindRecordWriting(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments);
const RecordData& RecordDataOf(duckdb::ExpressionState& state);

inline constexpr const char* kMalformedRecord = "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION";

/// Ends the statement where the mode says so. Readers of files pass the path of the record's file behind the record.
void CheckRecordMode(const RecordOptions& options, const char* condition, std::string_view text,
                     const duckdb::DataChunk& chunk, duckdb::idx_t row);
/// A record that cannot be read: all fields NULL, and the text in the column for corrupt records where the schema has
/// one.
void WriteCorruptRecord(const DataType& type, const RecordOptions& options, std::string_view text,
                        duckdb::Vector& result, duckdb::idx_t row, bool keep_fields);
/// name(value, options as JSON text[, path of the file]): the schema is that of the result, or of the value.
Implementation WithRecordSchema(std::string kernel, bool reads);

}  // namespace frazil::engine
