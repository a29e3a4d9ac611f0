#pragma once

#include "frazil/catalogs/rest/rest_client.h"

namespace frazil::catalogs {

/// The body of a commit: {"requirements": [...], "updates": [...]}, as the REST catalog's protocol names the single
/// changes that lead from one table metadata to another (both as Iceberg's JSON). `base` null: the table is new.
/// Requirements are those that Iceberg's own clients send: whatever a change builds on must be as it was; other commits
/// are merged by the service. What the service keeps itself (logs, times of update) is left out.
Json CommitBody(const Json& base, const Json& next);

/// Whether all that leads from `base` to `next` is in `current` already, so that the commit has come through: its new
/// snapshots are there, or, where there are none, nothing that it changed differs.
bool IsApplied(const Json& base, const Json& next, const Json& current);

}  // namespace frazil::catalogs
