// SPDX-License-Identifier: Apache-2.0

// A literal as CEL's text has it.
#pragma once

#include <string>
#include <string_view>

namespace fairway::cel {

/// Appends `text` in double quotes, with escapes for quotes, backslashes and control characters. `bytes`: a
/// bytes literal, b"...", in which non-ASCII bytes are escaped, too.
void append_quoted(std::string& out, std::string_view text, bool bytes);

}  // namespace fairway::cel
