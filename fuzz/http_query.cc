// SPDX-License-Identifier: Apache-2.0

// Query strings and URLs: decoding never reads beyond its input, and what was read can be written and read
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& [key, value] : fairway::http::parse_query(text)) {
    const auto pairs = fairway::http::parse_query(fairway::http::percent_encode(key) + "=" +
                                                  fairway::http::percent_encode(value));
    if (pairs.size() != 1 || pairs[0].first != key || pairs[0].second != value) std::abort();
  }
  if (const auto url = fairway::http::Url::parse(text)) {
    const auto again = fairway::http::Url::parse(url->to_string());
    if (!again || again->to_string() != url->to_string()) std::abort();
    (void)fairway::http::resolve(*url, text);
  }
  if (const auto base = fairway::http::Url::parse("https://host:8443/a/b?c")) {
    (void)fairway::http::resolve(*base, text);
  }
  return 0;
}
