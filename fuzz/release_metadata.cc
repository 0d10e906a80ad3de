// SPDX-License-Identifier: Apache-2.0

// Release metadata as an image holds it, and release lists: reading them never crashes, and what is read is
// usable.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "graph/release.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto document = json::parse(text)) {
    const auto release = graph::read_release_metadata(*document, "amd64", "fuzz");
    if (release && !Version::parse(release->version.to_string())) std::abort();
  }
  if (const auto list = graph::read_release_list(text, "fuzz")) {
    for (const auto& release : list->releases) {
      if (release.arch.empty() || !release.version.build().empty()) std::abort();
    }
  }
  return 0;
}
