// SPDX-License-Identifier: Apache-2.0

// SVG by Graphviz.
#pragma once

#include <string>

#include "base/result.h"

namespace fairway::cli {

/// Runs `dot -Tsvg` on a text in Graphviz's language, and returns the picture. Errors: `dot` is not installed
/// (`unsupported`), or failed.
Result<std::string> render_svg(const std::string& dot);

}  // namespace fairway::cli
