// SPDX-License-Identifier: Apache-2.0

// Accept, Accept-Encoding and If-None-Match: any bytes get an answer, and it is one of the offers.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/negotiate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::array<std::string_view, 3> offers = {"application/vnd.redhat.cincinnati.v1+json",
                                                      "application/json", "text/html"};
  const auto chosen = fairway::http::choose_media_type(text, offers);
  if (chosen && *chosen >= offers.size()) std::abort();
  (void)fairway::http::accepts_gzip(text);
  (void)fairway::http::etag_matches(text, "\"0123\"");
  return 0;
}
