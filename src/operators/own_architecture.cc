// SPDX-License-Identifier: Apache-2.0

#include "operators/own_architecture.h"

#include <sys/utsname.h>

namespace fairway::operators {

std::string architecture_of(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

std::string own_architecture() {
  utsname system{};
  if (uname(&system) != 0) return "";
  return architecture_of(system.machine);
}

}  // namespace fairway::operators
