#pragma once

#include <optional>
#include <string>

#include "frazil/catalogs/catalog.h"
#include "frazil/catalogs/json_members.h"
#include "frazil/tables/metadata_text.h"

namespace frazil::catalogs {

/// Views as Iceberg describes them: https://iceberg.apache.org/view-spec/. The SQL is kept under the dialect "spark".

/// Iceberg's schema for the columns of a view.
Result<Json> ViewSchemaOf(const tables::MetadataText& texts, const DataTypePtr& columns);
/// A version of a view.
Json ViewVersionOf(const ViewDefinition& view, int64_t version_id, int64_t schema_id);
Json ViewPropertiesOf(const ViewDefinition& view);

/// The whole metadata of a view that is new, or (`former` not null) the next version of one.
Result<Json> ViewMetadataOf(const tables::MetadataText& texts, const ViewDefinition& view, const std::string& location,
                            const Json& former);

/// The view that metadata describes. `catalog_name`: where names in its SQL are looked up unless it says another.
/// Unsupported where it has no SQL for Spark.
Result<ViewDefinition> ReadViewMetadata(const tables::MetadataText& texts, const Json& metadata,
                                        const std::string& full_name, const std::string& catalog_name);

}  // namespace frazil::catalogs
