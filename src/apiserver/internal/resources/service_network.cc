// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/service_network.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/ipv4.h"
#include "base/quoted_text.h"

namespace fairway::apiserver::resources {

Result<ServiceNetwork> ServiceNetwork::of(std::string_view cidr) {
  const std::size_t slash = cidr.find('/');
  const auto base = parse_ipv4(cidr.substr(0, slash));
  unsigned bits = 0;
  const std::string_view length = slash == std::string_view::npos ? "" : cidr.substr(slash + 1);
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bits);
  const bool is_number = !length.empty() && error == std::errc() && end == length.data() + length.size();
  // /30 has the first address for default/kubernetes, and one for another Service.
  constexpr unsigned shortest = 8, longest = 30;
  if (!base || !is_number || bits < shortest || bits > longest) {
    return fail(ErrorCode::invalid, "the range of addresses of Services: " + quote(cidr) +
                                        " is no IPv4 network from /8 to /30; give one like 10.96.0.0/12");
  }
  ServiceNetwork made;
  made.size_ = 1U << (32U - bits);
  made.base_ = *base & ~(made.size_ - 1);
  return made;
}

std::uint32_t ServiceNetwork::reserved() const {
  constexpr std::uint32_t least = 16, most = 256, step = 16;
  return size_ <= least ? 0 : std::clamp(size_ / step, least, most);
}

std::string ServiceNetwork::to_string() const {
  return ipv4_text(base_) + "/" + std::to_string(32 - std::countr_zero(size_));
}

bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

}  // namespace fairway::apiserver::resources
