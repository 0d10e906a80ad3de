// SVG by Graphviz.
#pragma once

#include <string>

#include "base/result.h"

namespace fairway::cli {

/// Runs `dot -Tsvg` on a text in Graphviz's language. Errors: it is not installed (`unsupported`), or it
/// failed.
Result<std::string> render_svg(const std::string& dot);

}  // namespace fairway::cli
