#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/base/result.h"

namespace frazil::session {

/// The files that a client sent for its Python functions (addArtifact: pyfiles, files, archives), in a folder of their
/// own below the system's for temporary files. It goes with the last session that has it. Thread-safe.
class ArtifactFolder {
 public:
  ArtifactFolder() = default;
  ArtifactFolder(const ArtifactFolder&) = delete;
  ArtifactFolder& operator=(const ArtifactFolder&) = delete;
  ~ArtifactFolder();

  /// Keeps an artifact by its name ("pyfiles/a.py", "archives/a.zip#b"); those of other kinds have no place here.
  /// Error: the file cannot be written.
  Status Add(const std::string& name, std::string_view bytes);
  /// As udf::PythonPlace::artifacts; nullopt where there is none.
  std::optional<std::string> Place() const;

 private:
  mutable std::mutex mutex_;
  std::filesystem::path folder_;  ///< Empty: nothing was added.
  int64_t changes_ = 0;
};

}  // namespace frazil::session
