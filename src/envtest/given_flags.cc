// SPDX-License-Identifier: Apache-2.0

#include "envtest/given_flags.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::envtest {
namespace {

bool is_flag(std::string_view word) {
  return word.size() > 1 && word.starts_with('-');
}

}  // namespace

std::string GivenFlags::value(std::string_view name) const {
  const auto found = values.find(name);
  return found != values.end() ? found->second.back() : std::string();
}

std::vector<std::string> GivenFlags::list(std::string_view name) const {
  std::vector<std::string> items;
  const auto found = values.find(name);
  if (found == values.end()) return items;
  for (const std::string& value : found->second) {
    for (const std::string_view item : split(value, ',')) {
      if (!trim(item).empty()) items.emplace_back(trim(item));
    }
  }
  return items;
}

bool GivenFlags::is_set(std::string_view name, bool otherwise) const {
  const std::string text = value(name);
  // As Go's strconv.ParseBool has them.
  if (text == "true" || text == "1" || text == "t" || text == "T" || text == "TRUE" || text == "True")
    return true;
  if (text == "false" || text == "0" || text == "f" || text == "F" || text == "FALSE" || text == "False")
    return false;
  return otherwise;
}

GivenFlags read_flags(std::span<const std::string> words,
                      const std::function<std::optional<bool>(std::string_view name)>& is_bool) {
  GivenFlags given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "--" || !is_flag(word)) {
      if (word != "--") given.others.emplace_back(word);
      continue;
    }
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    const std::size_t equals = word.find('=');
    std::string name(word.substr(0, equals));
    const auto boolean = is_bool(name);
    std::string value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (boolean == true) {
      value = "true";
    } else if (i + 1 < words.size() && (boolean.has_value() || !is_flag(words[i + 1]))) {
      value = words[++i];
    }
    if (!boolean && std::ranges::find(given.unknown, name) == given.unknown.end()) {
      given.unknown.push_back(name);
    }
    given.values[std::move(name)].push_back(std::move(value));
  }
  return given;
}

}  // namespace fairway::envtest
