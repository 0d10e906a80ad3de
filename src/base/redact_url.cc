// SPDX-License-Identifier: Apache-2.0

#include "base/redact_url.h"

#include "base/redact.h"

namespace fairway {

std::string redact_url(std::string_view url) {
  constexpr std::string_view reference = "//";
  if (url.contains("://") || url.starts_with(reference)) return redact_urls(url);
  // It begins where a reference without a scheme does: with who asks, and the host.
  return redact_urls(std::string(reference) + std::string(url)).substr(reference.size());
}

}  // namespace fairway
