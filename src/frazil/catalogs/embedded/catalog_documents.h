#pragma once

#include <string>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/function_catalog.h"

namespace frazil::catalogs {

// The JSON documents in which the built-in catalog keeps tables and views. Schemas are in Spark's own JSON form.

std::string WriteTableDocument(const tables::TableDefinition& definition);
Result<tables::TableDefinition> ReadTableDocument(const std::string& document);

std::string WriteViewDocument(const ViewDefinition& view);
Result<ViewDefinition> ReadViewDocument(const std::string& document);

std::string WriteFunctionDocument(const FunctionDefinition& function);
Result<FunctionDefinition> ReadFunctionDocument(const std::string& document);

std::string WritePropertiesDocument(const std::map<std::string, std::string>& properties);
Result<std::map<std::string, std::string>> ReadPropertiesDocument(const std::string& document);

}  // namespace frazil::catalogs
