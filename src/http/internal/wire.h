// SPDX-License-Identifier: Apache-2.0

// The text of heads: the pieces that prepared and ordinary replies share.
#pragma once

#include <string>
#include <string_view>

namespace fairway::http {

/// Appends "name: value\r\n". Control characters become spaces, so that no value can add a line of its own.
void append_field(std::string& out, std::string_view name, std::string_view value);
/// Appends "HTTP/1.1 200 OK\r\n".
void append_status_line(std::string& out, int status);
/// Returns whether a reply of this status has a body and a Content-Length (RFC 9110, section 6.4.1).
bool may_have_body(int status);

}  // namespace fairway::http
