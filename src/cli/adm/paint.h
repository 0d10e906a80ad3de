// SPDX-License-Identifier: Apache-2.0

// Colours of what `adm upgrade` shows on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "command_line/terminal.h"

namespace fairway::cli {

/// Returns the text with its lines and tabs, and every other control character escaped: texts of an update
/// service must not control the administrator's terminal. `oc adm upgrade` prints them raw.
std::string without_controls(std::string_view text);

/// Returns the text with its headings in bold, and lines that need attention in a colour. If `style` has no
/// colours, the text is unchanged: programs that parse `oc adm upgrade` get the bytes that they expect.
std::string painted(std::string_view text, const command_line::Style& style);

}  // namespace fairway::cli
