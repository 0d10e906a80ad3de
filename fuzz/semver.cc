// SPDX-License-Identifier: Apache-2.0

// Whatever the text: no crash, and what is read is written back as it was.
#include "base/semver.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto version = fairway::Version::parse(text);
  if (!version) return 0;
  if (version->to_string() != text) std::abort();
  const auto again = fairway::Version::parse(version->to_string());
  if (!again || *again != *version || (*again <=> *version) != 0) std::abort();
  return 0;
}
