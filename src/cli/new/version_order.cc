// SPDX-License-Identifier: Apache-2.0

#include "cli/new/version_order.h"

#include <charconv>
#include <utility>

namespace fairway::cli {

namespace {

/// Takes a number from 1 on, without leading zeros, off the front of a text; std::nullopt if there is none.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || number < 1 || text.front() == '0') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<KindVersion> KindVersion::parse(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  const auto major = take_number(text);
  if (!major) return std::nullopt;
  KindVersion version{.major = *major};
  if (text.empty()) return version;
  for (const auto& [word, stage] :
       {std::pair<std::string_view, Stage>{"alpha", Stage::alpha}, {"beta", Stage::beta}}) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    const auto number = take_number(text);
    if (!number || !text.empty()) return std::nullopt;
    version.stage = stage;
    version.number = *number;
    return version;
  }
  return std::nullopt;
}

std::string KindVersion::to_string() const {
  std::string text = "v" + std::to_string(major);
  if (stage == Stage::stable) return text;
  return text + (stage == Stage::alpha ? "alpha" : "beta") + std::to_string(number);
}

}  // namespace fairway::cli
