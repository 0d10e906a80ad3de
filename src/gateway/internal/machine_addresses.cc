// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/machine_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <system_error>

#include "base/address_class.h"
#include "base/log.h"

namespace fairway::gateway {

namespace {

std::string text_of(int family, const void* bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  return ::inet_ntop(family, bytes, text, sizeof text) == nullptr ? "" : text;
}

/// Returns the subnet of an IPv4 address and its netmask: "127.0.0.0/8".
std::string subnet_of(in_addr address, in_addr mask) {
  address.s_addr &= mask.s_addr;
  return text_of(AF_INET, &address) + "/" + std::to_string(std::popcount(mask.s_addr));
}

}  // namespace

AddressFamilies reachable_families() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  AddressFamilies found{.has_four = false, .has_six = false};
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    const int family = one->ifa_addr->sa_family;
    if (family == AF_INET6) {
      const auto* const address = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
      if (classify_address(text_of(AF_INET6, &address->sin6_addr)) == AddressClass::ordinary)
        found.has_six = true;
    } else if (family == AF_INET) {
      const auto* const address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
      if (classify_address(text_of(AF_INET, &address->sin_addr)) == AddressClass::ordinary)
        found.has_four = true;
    }
  }
  return found.has_four || found.has_six ? found : AddressFamilies{};
}

std::vector<AddressRange> machine_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) {
    log::warning("this machine's addresses are not known: any may be one of them",
                 {{"error", std::generic_category().message(errno)}});
    return {*AddressRange::parse("0.0.0.0/0"), *AddressRange::parse("::/0")};
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  // In an order that does not depend on the kernel's.
  std::set<std::string> texts;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    if (one->ifa_addr->sa_family == AF_INET6) {
      texts.insert(text_of(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr));
    } else if (one->ifa_addr->sa_family == AF_INET) {
      const in_addr address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
      const bool is_subnet = (one->ifa_flags & IFF_LOOPBACK) != 0 && one->ifa_netmask != nullptr;
      texts.insert(is_subnet
                       ? subnet_of(address, reinterpret_cast<const sockaddr_in*>(one->ifa_netmask)->sin_addr)
                       : text_of(AF_INET, &address));
    }
  }
  std::vector<AddressRange> ranges;
  for (const std::string& text : texts) {
    if (const auto range = AddressRange::parse(text)) ranges.push_back(*range);
  }
  return ranges;
}

}  // namespace fairway::gateway
