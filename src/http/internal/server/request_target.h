// SPDX-License-Identifier: Apache-2.0

// The head of a request, and the rules for its target and its host that both versions of HTTP share.
#pragma once

#include <string_view>
#include <vector>

#include "http/message.h"

namespace fairway::http {

/// The parsed head of a request; all views point into the buffer that was fed.
struct RequestHead {
  std::string_view method, target, path, query;
  std::vector<Field> fields;
  int minor_version = 1;  ///< 0 for HTTP/1.0
  bool keep_alive = true;
  bool expects_continue = false;
};

/// Returns whether this is "name", "name:port", "[address]:port", or nothing (RFC 9110, section 7.2). RFC
/// 3986 allows a comma in a name, but a proxy that joins two Host headers puts one between them.
bool is_host(std::string_view value);

/// Splits a target into path and query. False for forms that this server does not support (RFC 9112, section
/// 3.2).
bool split_target(RequestHead& head);

}  // namespace fairway::http
