// SPDX-License-Identifier: Apache-2.0

#include "k8s/patch/json_pointer.h"

#include "base/text.h"

namespace fairway::k8s {

Result<std::vector<std::string>> parse_json_pointer(std::string_view text) {
  std::vector<std::string> names;
  if (text.empty()) return names;
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::invalid, "'" + printable(text) + "' is no JSON pointer: " + std::string(why));
  };
  if (text.front() != '/') return bad("it must be empty or begin with /");
  for (const std::string_view escaped : split(text.substr(1), '/')) {
    std::string& name = names.emplace_back();
    for (std::size_t at = 0; at < escaped.size(); ++at) {
      if (escaped[at] != '~') {
        name += escaped[at];
      } else if (const std::string_view pair = escaped.substr(at++, 2); pair == "~0" || pair == "~1") {
        name += pair == "~0" ? '~' : '/';
      } else {
        return bad("write ~0 for ~ and ~1 for / in a name");
      }
    }
  }
  return names;
}

std::string escape_json_pointer(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

std::string json_pointer(std::initializer_list<std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += "/" + escape_json_pointer(name);
  return text;
}

}  // namespace fairway::k8s
