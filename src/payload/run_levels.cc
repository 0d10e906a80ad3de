// SPDX-License-Identifier: Apache-2.0

#include "payload/run_levels.h"

#include <algorithm>
#include <utility>

namespace fairway::payload {

namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Returns whether a text consists of letters and digits, joined by single "-".
bool is_component(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    const auto end = std::min(text.find_first_not_of(letters_and_digits, at), text.size());
    if (end == at) return false;
    if (end == text.size()) return true;
    if (text[end] != '-') return false;
    at = end + 1;
  }
}

/// Arranges the range [from, to) of the tasks, which contains no Jobs.
std::vector<Level> arrange(const std::vector<OrderedTask>& tasks, std::size_t from, std::size_t to,
                           Mode mode) {
  std::vector<Level> levels;
  bool extends_chain = false;  ///< true if a run level of one component continues the chain before it
  while (from < to) {
    const auto first = run_level(tasks[from].file);
    Level level(1);
    std::string component = first ? first->component : "";
    std::size_t at = from;
    for (; at < to; ++at) {
      const auto next = run_level(tasks[at].file);
      if (at != from && (!first || !next || next->number != first->number)) break;
      if (next && next->component != component) {
        level.emplace_back();
        component = next->component;
      }
      level.back().push_back(at);
    }
    from = at;
    const bool single = level.size() == 1;
    if (mode != Mode::updating) {
      if (levels.empty()) levels.emplace_back();
      for (Chain& chain : level) levels.back().push_back(std::move(chain));
    } else if (single && extends_chain) {
      Chain& before = levels.back().front();
      before.insert(before.end(), level.front().begin(), level.front().end());
    } else {
      levels.push_back(std::move(level));
      extends_chain = single;
    }
  }
  return levels;
}

}  // namespace

std::optional<RunLevel> run_level(std::string_view file) {
  constexpr std::string_view prefix = "0000_";
  if (!file.starts_with(prefix)) return std::nullopt;
  file.remove_prefix(prefix.size());
  const auto number_end = file.find_first_not_of(digits);
  if (number_end == 0 || number_end == std::string_view::npos || file[number_end] != '_') return std::nullopt;
  const std::string_view number = file.substr(0, number_end);
  file.remove_prefix(number_end + 1);
  const auto component_end = file.find('_');
  if (component_end == std::string_view::npos) return std::nullopt;
  const std::string_view component = file.substr(0, component_end);
  if (!is_component(component)) return std::nullopt;
  return RunLevel{.number = std::string(number), .component = std::string(component)};
}

std::vector<Level> run_levels(const std::vector<OrderedTask>& tasks, Mode mode) {
  std::vector<Level> levels;
  const auto add = [&](std::size_t from, std::size_t to) {
    for (Level& level : arrange(tasks, from, to, mode)) levels.push_back(std::move(level));
  };
  std::size_t from = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].is_job) continue;
    add(from, i);
    levels.push_back({{i}});
    from = i + 1;
  }
  add(from, tasks.size());
  return levels;
}

}  // namespace fairway::payload
