// Colours of what `adm upgrade` shows on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "command_line/terminal.h"

namespace fairway::cli {

/// The text with its lines and tabs, and every other control character escaped: what an update service says
/// of a release or a risk must not steer the terminal of the administrator. `oc adm upgrade` has them raw.
std::string without_controls(std::string_view text);

/// The text with its headings in bold, and lines that want attention in a colour. The same text where `style`
/// has no colours: programs that read `oc adm upgrade` get the bytes that they know.
std::string painted(std::string_view text, const command_line::Style& style);

}  // namespace fairway::cli
