// SPDX-License-Identifier: Apache-2.0

#include "cli/graph/print_picture.h"

#include "cli/graph/render_svg.h"
#include "command_line/commands.h"
#include "command_line/terminal.h"

namespace fairway::cli {

bool is_picture(const std::string& output) {
  return output == "dot" || output == "mermaid" || output == "svg";
}

int print_picture(const std::string& output, const std::vector<graph::DrawnUpdate>& updates,
                  const std::vector<std::string>& asked_for, const std::string& title) {
  const auto format = output == "mermaid" ? graph::PictureFormat::mermaid : graph::PictureFormat::dot;
  Result<std::string> text = graph::draw_updates(updates, asked_for, format, title);
  if (output == "svg") text = render_svg(*text);
  if (!text) return command_line::report(text.error());
  command_line::print(*text);
  return command_line::exit_ok;
}

}  // namespace fairway::cli
