// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/given_version.h"

#include <charconv>
#include <string>
#include <string_view>

#include "base/quoted_text.h"

namespace fairway::apiserver::objects {

k8s::StatusResult<std::uint64_t> version_in(const k8s::Dynamic& object) {
  const std::string_view text = object.resource_version();
  if (text.empty()) return 0;
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  const bool is_whole = end == text.data() + text.size();
  if (error == std::errc{} && is_whole) return version;
  const bool is_large = error == std::errc::result_out_of_range && is_whole;
  return std::unexpected(k8s::Status::of({.message = "strconv.ParseUint: parsing " + quote(text) + ": " +
                                                     (is_large ? "value out of range" : "invalid syntax"),
                                          .code = 500}));
}

}  // namespace fairway::apiserver::objects
