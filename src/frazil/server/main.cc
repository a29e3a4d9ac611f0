#include <string>
#include <vector>

#include "frazil/server/command_line.h"

int main(int argc, char** argv) {
  return frazil::server::RunCommandLine(std::vector<std::string>(argv + 1, argv + argc), FRAZIL_VERSION);
}
