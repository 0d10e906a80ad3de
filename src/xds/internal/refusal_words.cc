// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/refusal_words.h"

#include <string_view>

namespace fairway::xds {

std::string refusal_words(const std::string& said) {
  constexpr std::string_view of_message = "goo.gle/debug", begin = "Proto constraint validation failed";
  if (!said.starts_with(of_message)) return said;
  // The last: what is printed before may have these words, too.
  const std::size_t at = said.rfind(": " + std::string(begin));
  if (at != std::string::npos) return said.substr(at + 2);
  return std::string(begin) + " (a value is missing or out of its range; Envoy does not say which)";
}

}  // namespace fairway::xds
