// SPDX-License-Identifier: Apache-2.0

// URLs, as Go's net/url parses them: absolute, or a path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace fairway::cel {

struct UrlParts {
  std::string_view scheme, user, host, path, query;
  bool has_query = false;
};

struct UrlValue : Opaque {
  UrlParts parts;
};

/// Returns the parts of url.ParseRequestURI, which takes an absolute URL or an absolute path without
/// fragment.
std::optional<UrlParts> parse_url(std::string_view text);
std::string url_text(const UrlValue& url);

}  // namespace fairway::cel
