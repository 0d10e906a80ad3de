// SPDX-License-Identifier: Apache-2.0

#include "cel/checker/environment.h"

#include <algorithm>

namespace fairway::cel {

std::size_t Environment::declare(std::string name, TypePtr type) {
  variables_.push_back({std::move(name), std::move(type)});
  return variables_.size() - 1;
}

std::vector<std::string> Environment::candidates(std::string_view name) const {
  if (name.starts_with('.')) return {std::string(name.substr(1))};
  std::vector<std::string> result;
  std::string_view around = container_;
  while (!around.empty()) {
    result.push_back(std::string(around) + "." + std::string(name));
    const std::size_t dot = around.rfind('.');
    around = dot == std::string_view::npos ? std::string_view{} : around.substr(0, dot);
  }
  result.emplace_back(name);
  return result;
}

std::optional<std::size_t> Environment::find_variable(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  if (found == variables_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - variables_.begin());
}

TypePtr Environment::find_type_name(std::string_view name) const {
  const auto found = functions_->type_names().find(name);
  return found == functions_->type_names().end() ? nullptr : found->second;
}

}  // namespace fairway::cel
