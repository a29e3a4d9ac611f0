#pragma once

#include <string>

#include "frazil/base/result.h"

namespace frazil::storage {

/// A path of Google Cloud Storage or Azure taken apart: "gs://bucket/key",
/// "abfss://container@account.dfs.core.windows.net/key" (abfs, wasb, wasbs alike).
struct CloudLocation {
  std::string scheme;     ///< In lower case.
  std::string root;       ///< Everything in front of the key, without the slash.
  std::string container;  ///< The bucket, or Azure's container.
  std::string host;       ///< Azure: "account.dfs.core.windows.net"; else empty.
  std::string key;        ///< Without slashes at its ends.

  /// As Arrow's file systems name it: "container/key".
  std::string ArrowPath() const { return key.empty() ? container : container + "/" + key; }
  /// Azure: the host up to its first dot.
  std::string Account() const { return host.substr(0, host.find('.')); }
};

/// Errors: IllegalArgument where the path is not of the form above.
Result<CloudLocation> ParseCloudLocation(const std::string& path);

}  // namespace frazil::storage
