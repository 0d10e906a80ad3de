// SPDX-License-Identifier: Apache-2.0

#include "cli/markdown.h"

#include "base/text.h"

namespace fairway::cli {

std::string markdown_code(std::string_view text) {
  const std::string shown = printable(text, 400);
  if (shown.find_first_of("`|\\") == std::string::npos) return "`" + shown + "`";
  std::string out = "<code>";
  for (const char c : shown) {
    if (std::string_view("`|\\&<>*_~[]()!@#").contains(c)) {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      out += c;
    }
  }
  return out + "</code>";
}

}  // namespace fairway::cli
