#include "conformance/apiserver/programs.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace fairway::conformance {

void run_judge(const std::string& name, const std::vector<std::string>& arguments,
               const std::function<void(std::string_view)>& output) {
  const char* folder = std::getenv("FAIRWAY_JUDGES");
  if (folder == nullptr) {
    throw std::runtime_error(
        "FAIRWAY_JUDGES names no folder with programs: start this by ./dev conformance apiserver");
  }
  std::string command = "'" + std::string(folder) + "/" + name + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::array<char, 1 << 16> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
    output(std::string_view(piece.data(), size));
  }
  if (const int status = ::pclose(pipe); status != 0) {
    throw std::runtime_error(command + " failed: " + std::to_string(status));
  }
}

std::uint64_t seed() {
  const char* text = std::getenv("FAIRWAY_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

bool everything() {
  return std::getenv("FAIRWAY_ALL") != nullptr;
}

}  // namespace fairway::conformance
