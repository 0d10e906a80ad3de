// SPDX-License-Identifier: Apache-2.0

#include "cli/graph/render_svg.h"

#include <cstdio>

#include "cli/filter_program.h"

namespace fairway::cli {

Result<std::string> render_svg(const std::string& dot) {
  auto drawn = run_filter({"dot", "-Tsvg"}, dot, {});
  if (!drawn) {
    if (drawn.error().code != ErrorCode::not_found) return fail(drawn.error().within("drawing SVG"));
    return fail(ErrorCode::unsupported,
                "-o svg needs Graphviz's `dot`, which is not installed (Debian: apt-get install graphviz); "
                "-o dot and -o mermaid need nothing");
  }
  std::fputs(drawn->errors.c_str(), stderr);
  if (drawn->exit_code != 0) {
    return fail(ErrorCode::internal, "drawing SVG: `dot -Tsvg` failed; -o dot prints what it was given");
  }
  return std::move(drawn->output);
}

}  // namespace fairway::cli
