#pragma once

#include <string>

namespace frazil::connect {

/// Where programs on this machine reach the server of this process, as Spark Connect's clients are told:
/// "sc://127.0.0.1:15002/", and its token where it asks for one. Thread-safe.
std::string LocalUrl();
/// Called by the server when it listens.
void SetLocalUrl(const std::string& host, int port, const std::string& token);

}  // namespace frazil::connect
