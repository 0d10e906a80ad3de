// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/objects/hostname.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace fairway::gateway {

namespace {

bool is_label(std::string_view label) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !label.empty() && label.size() <= 63 && plain(label.front()) && plain(label.back()) &&
         std::ranges::all_of(label, [&](char c) { return plain(c) || c == '-'; });
}

}  // namespace

bool is_hostname(std::string_view text, bool wildcard) {
  if (text.size() > 253) return false;
  const bool is_wildcard = text.starts_with("*.");
  if (is_wildcard && !wildcard) return false;
  const auto labels = split(is_wildcard ? text.substr(2) : text, '.');
  if (!std::ranges::all_of(labels, is_label)) return false;
  // "10.0.0.1" is an address, which the API excludes.
  return is_wildcard || labels.size() != 4 || !std::ranges::all_of(labels, [](std::string_view label) {
           return std::ranges::all_of(label, [](char c) { return c >= '0' && c <= '9'; });
         });
}

bool covers(std::string_view pattern, std::string_view hostname) {
  if (pattern.empty() || pattern == hostname) return true;
  if (!pattern.starts_with("*.") || hostname.empty()) return false;
  const std::string_view rest = hostname.starts_with("*.") ? hostname.substr(1) : hostname;
  const std::string_view suffix = pattern.substr(1);
  return rest.size() > suffix.size() && rest.ends_with(suffix);
}

std::optional<std::string> intersection(std::string_view a, std::string_view b) {
  if (covers(a, b)) return std::string(b);
  if (covers(b, a)) return std::string(a);
  return std::nullopt;
}

std::vector<std::string> served_hostnames(std::string_view listener, const std::vector<std::string>& route) {
  if (route.empty()) return {std::string(listener)};
  std::vector<std::string> served;
  for (const std::string& hostname : route) {
    auto common = intersection(listener, hostname);
    if (common && std::ranges::find(served, *common) == served.end()) served.push_back(*std::move(common));
  }
  return served;
}

bool is_narrower(std::string_view a, std::string_view b) {
  const auto rank = [](std::string_view hostname) {
    const bool is_name = !hostname.empty() && !hostname.starts_with("*.");
    return std::pair(is_name, hostname.size());
  };
  return rank(a) > rank(b);
}

std::map<std::string, std::string, std::less<>> narrowed_hostnames(std::string_view listener,
                                                                   const std::vector<std::string>& route) {
  std::map<std::string, std::string, std::less<>> narrowed;
  if (listener.empty()) return narrowed;
  if (route.empty()) narrowed.emplace(listener, "");
  for (const std::string& hostname : route) {
    const auto common = intersection(listener, hostname);
    if (!common) continue;
    const auto [at, is_new] = narrowed.try_emplace(*common, hostname);
    if (!is_new && is_narrower(hostname, at->second)) at->second = hostname;
  }
  std::erase_if(narrowed, [](const auto& one) { return one.first == one.second; });
  return narrowed;
}

}  // namespace fairway::gateway
