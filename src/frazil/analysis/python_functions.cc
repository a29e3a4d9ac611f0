#include "frazil/analysis/python_functions_internal.h"
#include "frazil/expressions/python_call.h"

namespace frazil::analysis {
namespace {

// pyspark.util.PythonEvalType.
enum EvalType {
  kBatched = 100,
  kArrowBatched = 101,
  kScalarPandas = 200,
  kGroupedMapPandas = 201,
  kGroupedAggregatePandas = 202,
  kScalarPandasIterator = 204,
  kMapPandasIterator = 205,
  kMapArrowIterator = 207,
  kGroupedMapPandasWithState = 208,
  kGroupedMapArrow = 209,
  kGroupedMapArrowIterator = 215,
  kTransformWithStatePandas = 211,
  kTransformWithStatePandasInitial = 212,
  kTransformWithStateRows = 213,
  kTransformWithStateRowsInitial = 214,
  kGroupedMapPandasIterator = 216,
  kScalarArrow = 250,
  kScalarArrowIterator = 251,
  kGroupedAggregateArrow = 252,
  kTable = 300,
  kArrowTable = 301,
  kTableOfArrow = 302,
  kCogroupedMapPandas = 206,
  kCogroupedMapArrow = 210,
};

// How the rows of the input and of the result meet.
enum class Shape { kScalar, kAggregate, kMapBatch, kMapGroup };

Result<Shape> ShapeOf(const plan::PythonFunctionExpr& function) {
  switch (function.eval_type) {
    case kBatched:
    case kArrowBatched:
    case kScalarPandas:
    case kScalarPandasIterator:
    case kScalarArrow:
    case kScalarArrowIterator:
      return Shape::kScalar;
    case kGroupedAggregatePandas:
    case kGroupedAggregateArrow:
      return Shape::kAggregate;
    case kMapPandasIterator:
    case kMapArrowIterator:
      return Shape::kMapBatch;
    case kGroupedMapPandas:
    case kGroupedMapPandasIterator:
    case kGroupedMapPandasWithState:
    case kGroupedMapArrow:
    case kGroupedMapArrowIterator:
    case kCogroupedMapPandas:
    case kCogroupedMapArrow:
    case kTable:
    case kArrowTable:
    case kTableOfArrow:
    case kTransformWithStatePandas:
    case kTransformWithStatePandasInitial:
    case kTransformWithStateRows:
    case kTransformWithStateRowsInitial:
      return Shape::kMapGroup;
    default:
      return Error::Unsupported("Python functions of the kind " + std::to_string(function.eval_type) + " (" +
                                function.name + ")");
  }
}

}  // namespace

Result<ExpressionPtr> MakePythonCall(const plan::PythonFunctionExpr& function,
                                     const std::vector<plan::ExprPtr>& sources, std::vector<ExpressionPtr> arguments,
                                     const sql::ParserOptions& options, const CollectRows& collect) {
  FRAZIL_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(function));
  PythonFunction code;
  code.name = function.name;
  code.eval_type = function.eval_type;
  code.command = function.command;
  code.python_version = function.python_version;
  std::string sql = function.name + "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) sql += ", ";
    auto& name = code.argument_names.emplace_back();
    if (sources[i]->kind == plan::ExprKind::kNamedArgument) {
      name = sources[i]->As<plan::NamedArgumentExpr>().name;
      sql += name + " => ";
    }
    sql += arguments[i]->sql;
  }
  sql += ")";
  DataTypePtr type = function.output_type;
  if (type == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(type, sql::ParseDataType(function.output_type_text, options));
  }
  // What foreach() sends gives NULL, or no rows, of a struct without fields, which the engine does not have.
  if (type->id() == TypeId::kStruct && type->fields().empty())
    type = DataType::Struct({StructField("_0", DataType::Boolean())});
  const bool maps = shape == Shape::kMapBatch || shape == Shape::kMapGroup;
  if (maps) {
    if (type->id() != TypeId::kStruct) return Error::Unsupported("Functions over rows that do not give a struct");
    type = DataType::Array(std::move(type), false);
  }
  if (shape == Shape::kAggregate) {
    FRAZIL_ASSIGN_OR_RETURN(auto rows, collect(std::move(arguments)));
    arguments = {std::move(rows)};
  }
  arguments.insert(arguments.begin(), MakeLiteral(DataType::Binary(), Value(code.Encode())));
  // A batch is not to be computed twice, nor cut.
  const bool once = function.deterministic && shape != Shape::kMapBatch;
  return MakeCall(once ? kPythonFunction : kNondeterministicPythonFunction, std::move(arguments), std::move(type), true,
                  EvalMode::kAnsi, std::move(sql));
}

Status CheckNoPythonCall(const Expression& lambda_body) {
  Status status;
  VisitExpression(lambda_body, [&](const Expression& part) {
    if (status.ok() && IsPythonCall(part)) {
      status = Error::Of("UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_PYTHON_UDF", {{"funcName", "\"" + part.sql + "\""}});
    }
    return status.ok();
  });
  return status;
}

}  // namespace frazil::analysis
