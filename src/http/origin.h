// SPDX-License-Identifier: Apache-2.0

// Origins (RFC 6454): credentials for one go to no other.
#pragma once

#include "http/url.h"

namespace fairway::http {

/// Returns whether scheme, host and port are the same (RFC 6454, section 5).
inline bool same_origin(const Url& a, const Url& b) {
  return a.scheme == b.scheme && a.host == b.host && a.port == b.port;
}

}  // namespace fairway::http
