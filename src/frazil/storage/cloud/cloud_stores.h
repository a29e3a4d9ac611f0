#pragma once

#include "frazil/storage/cloud/cloud_location.h"
#include "frazil/storage/object_store.h"

namespace frazil::storage {

/// Google Cloud Storage ("gs"), by Iceberg's names (gcs.*) and those of Google's Hadoop connector (fs.gs.*). Errors:
/// IllegalArgument for what cannot be obeyed. https://iceberg.apache.org/docs/latest/gcp/
/// https://github.com/GoogleCloudDataproc/hadoop-connectors/blob/master/gcs/CONFIGURATION.md
Result<ObjectStorePtr> GoogleStore(const CloudLocation& location, const SettingLookup& settings);

/// Azure ("abfs", "abfss", "wasb", "wasbs"), by Iceberg's names (adls.*) and those of Hadoop (fs.azure.*). Errors:
/// IllegalArgument for what cannot be obeyed. https://iceberg.apache.org/docs/latest/azure/
/// https://hadoop.apache.org/docs/stable/hadoop-azure/abfs.html
Result<ObjectStorePtr> AzureStore(const CloudLocation& location, const SettingLookup& settings);

/// Registers all of these schemes. Stores of equal options share their connections.
void RegisterCloudStores(StoreRegistry* registry);

}  // namespace frazil::storage
