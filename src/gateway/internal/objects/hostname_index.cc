// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/objects/hostname_index.h"

#include <algorithm>
#include <functional>

namespace fairway::gateway {

namespace {

bool is_wildcard(std::string_view hostname) {
  return hostname.starts_with("*.");
}

/// Calls `use` with the suffix, the part after the "*", of each wildcard that covers the hostname: ".example"
/// for "*.a.example".
template <typename Use>
void for_each_suffix(std::string_view hostname, const Use& use) {
  const std::string_view rest = is_wildcard(hostname) ? hostname.substr(1) : hostname;
  for (std::size_t dot = rest.find('.', 1); dot != std::string_view::npos; dot = rest.find('.', dot + 1))
    use(rest.substr(dot));
}

}  // namespace

void HostnameIndex::Least::add(std::size_t owner) {
  if (owner == least || owner == second) return;
  if (!least || owner < *least) {
    second = least;
    least = owner;
  } else if (!second || owner < *second) {
    second = owner;
  }
}

std::optional<std::size_t> HostnameIndex::Least::but(std::optional<std::size_t> except) const {
  return least && least == except ? second : least;
}

void HostnameIndex::expect(std::string_view hostname) {
  if (is_wildcard(hostname)) below_.try_emplace(std::string(hostname.substr(1)));
}

void HostnameIndex::add(std::string_view hostname, std::size_t owner) {
  all_.add(owner);
  exact_[std::string(hostname)].add(owner);
  if (is_wildcard(hostname)) wildcards_[std::string(hostname.substr(1))].add(owner);
  if (below_.empty()) return;
  for_each_suffix(hostname, [&](std::string_view suffix) {
    if (const auto found = below_.find(suffix); found != below_.end()) found->second.add(owner);
  });
}

std::optional<std::size_t> HostnameIndex::first(std::string_view hostname,
                                                std::optional<std::size_t> except) const {
  // Every name has all names below it.
  if (hostname.empty()) return all_.but(except);
  std::optional<std::size_t> least;
  const auto look = [&](const Owners& owners, std::string_view key) {
    const auto found = owners.find(key);
    if (found == owners.end()) return;
    const auto one = found->second.but(except);
    if (one && (!least || *one < *least)) least = one;
  };
  look(exact_, "");
  look(exact_, hostname);
  for_each_suffix(hostname, [&](std::string_view suffix) { look(wildcards_, suffix); });
  if (is_wildcard(hostname)) look(below_, hostname.substr(1));
  return least;
}

}  // namespace fairway::gateway
