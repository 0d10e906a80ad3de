// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/plan_texts.h"

#include <vector>

#include "base/cut_text.h"
#include "base/text.h"

namespace fairway::adm {

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string text_of(const RiskNames& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names.names) shown.push_back(printable(name, max_name));
  if (shown.empty()) return counted(names.more, "risk");
  return join(shown, ", ") + (names.more > 0 ? " and " + std::to_string(names.more) + " more" : "");
}

std::string paragraph(std::string_view text, std::size_t indent) {
  std::string out;
  for (const char c : cut_text(text, max_message)) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

}  // namespace fairway::adm
