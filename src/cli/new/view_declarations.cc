// SPDX-License-Identifier: Apache-2.0

#include "cli/new/view_declarations.h"

#include <cctype>
#include <cstddef>

#include "base/text.h"

namespace fairway::cli {

namespace {

constexpr std::size_t columns = 110;
constexpr std::string_view beginning = "  static constexpr k8s::Resource resource{";

/// Returns the words of a kind with underscores between them, as `fairway_crd_paths` does: `GearBox` is
/// `gear_box`, `HTTPRoute` is `http_route`.
std::string snake_case(std::string_view kind) {
  const auto is_upper = [&](std::size_t at) {
    return at < kind.size() && std::isupper(static_cast<unsigned char>(kind[at])) != 0;
  };
  std::string words;
  for (std::size_t at = 0; at < kind.size(); ++at) {
    const bool begins_word =
        at > 0 && is_upper(at) && (!is_upper(at - 1) || (at + 1 < kind.size() && !is_upper(at + 1)));
    if (begins_word) words += '_';
    words += kind[at];
  }
  return to_lower(words);
}

}  // namespace

std::string view_heading(const ProjectNames& names, std::string_view version) {
  const std::string name = "class " + names.cpp_class;
  const std::string base = ": public k8s::Checked<k8s::Dynamic, crd::" + snake_case(names.kind) + "_" +
                           std::string(version) + "> {";
  const bool fits = name.size() + 1 + base.size() <= columns;
  return name + (fits ? " " : "\n    ") + base;
}

std::string resource_declaration(const ProjectNames& names, std::string_view version) {
  std::string text(beginning);
  std::size_t column = beginning.size();
  const auto add = [&](const std::string& part) {
    if (text.size() == beginning.size()) {
      // The first one stands behind the brace.
    } else if (column + 1 + part.size() > columns) {
      text += "\n" + std::string(beginning.size(), ' ');
      column = beginning.size();
    } else {
      text += ' ';
      ++column;
    }
    text += part;
    column += part.size();
  };
  add("\"" + names.group + "\",");
  add("\"" + std::string(version) + "\",");
  add("\"" + names.kind + "\",");
  add("\"" + names.plural + "\"};");
  return text;
}

}  // namespace fairway::cli
