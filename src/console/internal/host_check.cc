// SPDX-License-Identifier: Apache-2.0

#include "console/internal/host_check.h"

#include <algorithm>

#include "base/address_class.h"
#include "base/text.h"

namespace fairway::console {
namespace {

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool accepts_host(std::string_view host, std::span<const std::string> hosts) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view rest = host.substr(end + 1);
    if (!rest.empty() && !(rest.starts_with(':') && is_port(rest.substr(1)))) return false;
    return classify_address(host.substr(1, end - 1)).has_value();
  }
  std::string_view name = host;
  if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
    if (!is_port(host.substr(colon + 1))) return false;
    name = host.substr(0, colon);
  }
  if (equals_ignoring_case(name, "localhost") || classify_address(name).has_value()) return true;
  return std::ranges::any_of(hosts, [&](const std::string& own) { return equals_ignoring_case(name, own); });
}

}  // namespace fairway::console
