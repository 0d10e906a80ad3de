// SPDX-License-Identifier: Apache-2.0

#include "base/ipv4.h"

#include <arpa/inet.h>

#include <array>

namespace fairway {

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  in_addr address{};
  if (::inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::string ipv4_text(std::uint32_t address) {
  const in_addr network{.s_addr = htonl(address)};
  std::array<char, INET_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET, &network, text.data(), text.size());
}

}  // namespace fairway
