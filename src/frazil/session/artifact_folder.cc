#include "frazil/session/artifact_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace frazil::session {

ArtifactFolder::~ArtifactFolder() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Status ArtifactFolder::Add(const std::string& name, std::string_view bytes) {
  const auto slash = name.find('/');
  const std::string kind = name.substr(0, slash);
  if (slash == std::string::npos || (kind != "pyfiles" && kind != "files" && kind != "archives")) return {};
  const std::filesystem::path file = std::filesystem::path(name.substr(slash + 1)).filename();
  const std::lock_guard lock(mutex_);
  if (folder_.empty()) {
    std::string made = (std::filesystem::temp_directory_path() / "frazil-artifacts-XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr)
      return Error::Storage("cannot make a folder for artifacts: " + std::string(std::strerror(errno)));
    folder_ = made;
  }
  // Archives are unpacked by the processes that use them.
  std::filesystem::path folder = folder_;
  if (kind == "archives") folder /= ".archives";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  std::ofstream out(folder / file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) return Error::Storage("cannot write the artifact " + (folder / file).string());
  ++changes_;
  return {};
}

std::optional<std::string> ArtifactFolder::Place() const {
  const std::lock_guard lock(mutex_);
  if (folder_.empty()) return std::nullopt;
  return folder_.string() + "\n" + std::to_string(changes_);
}

}  // namespace frazil::session
