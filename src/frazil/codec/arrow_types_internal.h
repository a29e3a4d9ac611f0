#pragma once

// Spark's types as Arrow C++ types. Internal to codec/.

#include <memory>
#include <string>

#include <arrow/api.h>

#include "frazil/base/result.h"
#include "frazil/types/arrow_c.h"
#include "frazil/types/data_type.h"

namespace frazil::codec {

/// The Arrow type of the layout that types/arrow_c.h gives a Spark type.
Result<std::shared_ptr<arrow::DataType>> ToArrowType(const DataType& type, const std::string& time_zone);
Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const DataType& schema, const std::string& time_zone);
/// The Spark type that values of an Arrow type become.
Result<DataTypePtr> FromArrowType(const arrow::DataType& type);
Result<DataTypePtr> FromArrowSchema(const arrow::Schema& schema);

/// The array in the layout of types/arrow_c.h: `wanted` as ToArrowType gives it.
Result<std::shared_ptr<arrow::Array>> NormalizeArray(std::shared_ptr<arrow::Array> array,
                                                     const std::shared_ptr<arrow::DataType>& wanted);
Result<ArrowBatch> ExportBatch(const arrow::RecordBatch& batch);

/// An Arrow status as ours: what a client sent is the user's fault, anything else a defect.
Error ArrowFailure(const arrow::Status& status, bool from_client);

}  // namespace frazil::codec

#define FRAZIL_ARROW_RETURN_IF_ERROR(expression, from_client)                                              \
  do {                                                                                                     \
    const arrow::Status frazil_arrow_status = (expression);                                                \
    if (!frazil_arrow_status.ok()) return ::frazil::codec::ArrowFailure(frazil_arrow_status, from_client); \
  } while (false)

#define FRAZIL_ARROW_ASSIGN_INNER(result, declaration, expression, from_client)         \
  auto result = (expression);                                                           \
  if (!result.ok()) return ::frazil::codec::ArrowFailure(result.status(), from_client); \
  declaration = std::move(result).ValueUnsafe()
#define FRAZIL_ARROW_ASSIGN_OR_RETURN(declaration, expression, from_client) \
  FRAZIL_ARROW_ASSIGN_INNER(FRAZIL_CONCAT(arrow_result_, __LINE__), declaration, expression, from_client)
