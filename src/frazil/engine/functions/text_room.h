#pragma once

// What calls that make long texts of short ones ask beforehand: DuckDB's memory limit does not count the texts of
// vectors. Internal to engine/.

#include <duckdb.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

namespace frazil::engine {

/// Each gives back its first argument (VARCHAR or BLOB), after CheckListRoom for all results of the chunk together:
/// spark_repeat_room(text, times), spark_pad_room(text, length, padding), spark_replace_room(text, search,
/// replacement). A single result of more than 2 GiB is refused as well: Spark has none.
void RegisterTextRoomKernels(duckdb::ExtensionLoader& loader);

}  // namespace frazil::engine
