// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/windows_user.h"

#include <algorithm>

#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

constexpr std::size_t longest_domain = 255, longest_user = 104, longest_net_bios = 15;

bool has_any(std::string_view text, std::string_view of) {
  return text.find_first_of(of) != std::string_view::npos;
}

bool is_net_bios(std::string_view domain) {
  return !domain.empty() && domain.size() <= longest_net_bios && domain.front() != '.' &&
         !has_any(domain, "\\/:*?\"<>|");
}

}  // namespace

k8s::Faults check_windows_user(std::string_view text) {
  if (text.empty()) return {"runAsUserName cannot be an empty string"};
  if (std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    return {"runAsUserName cannot contain control characters"};
  const auto parts = split(text, '\\');
  if (parts.size() > 2) return {"runAsUserName cannot contain more than one backslash"};
  const bool has_domain = parts.size() == 2;
  const std::string_view domain = has_domain ? parts.front() : std::string_view(), user = parts.back();
  k8s::Faults faults;
  if (domain.size() > longest_domain)
    faults.emplace_back("runAsUserName's Domain length must be under 256 characters");
  const auto labels = split(domain, '.');
  const bool is_domain = std::ranges::all_of(
      labels, [](std::string_view label) { return k8s::check_dns_label(to_lower(label)).empty(); });
  if (has_domain && !is_net_bios(domain) && !is_domain)
    faults.emplace_back("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user.empty()) faults.emplace_back("runAsUserName's User cannot be empty");
  if (user.size() > longest_user)
    faults.emplace_back("runAsUserName's User length must not be longer than 104 characters");
  if (!user.empty() && std::ranges::all_of(user, [](char c) { return c == '.' || c == ' '; }))
    faults.emplace_back("runAsUserName's User cannot contain only periods or spaces");
  if (has_any(user, "\"/\\:;|=,+*?<>@[]"))
    faults.emplace_back("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  return faults;
}

}  // namespace fairway::apiserver::validation
