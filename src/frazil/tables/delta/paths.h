#pragma once

#include <string>
#include <string_view>

namespace frazil::tables::delta {

// Paths of the log are URIs: relative to the table, or absolute. Source: PROTOCOL.md, "Add File and Remove File".

/// The path under which a file of the log is opened.
std::string FilePathOf(const std::string& table, std::string_view log_path);
/// A file below the table's folder as the log names it.
std::string LogPathOf(const std::string& table, std::string_view file_path);

/// The same path in the log of another table: absolute.
std::string AbsoluteLogPathOf(const std::string& table, std::string_view log_path);

/// How the log names a file by its absolute path: as Hadoop's paths are written, which Spark compares as text.
std::string UriOf(const std::string& file_path);

}  // namespace frazil::tables::delta
