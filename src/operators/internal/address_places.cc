// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/address_places.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/address_class.h"

namespace fairway::operators {

std::string network_of(const http::Peer* peer) {
  if (peer == nullptr) return {};
  std::string_view host = std::string_view(peer->address).substr(0, peer->address.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto bytes = address_bytes(host);
  if (!bytes) return std::string(host);
  // An address of IPv4 is one, also where the port listens for IPv6.
  const AddressBytes plain = plain_address(*bytes);
  constexpr std::size_t mapped_bytes = 10, network_bytes = 8;
  const bool is_v4 =
      std::all_of(plain.begin(), plain.begin() + mapped_bytes, [](auto b) { return b == 0; }) &&
      plain[mapped_bytes] == 0xff && plain[mapped_bytes + 1] == 0xff;
  return {plain.begin(), plain.begin() + (is_v4 ? plain.size() : network_bytes)};
}

struct AddressPlaces::Held {
  Held(std::shared_ptr<Counts> counts_of, std::string address_of)
      : counts(std::move(counts_of)), address(std::move(address_of)) {}
  ~Held() {
    const std::lock_guard lock(counts->mutex);
    --counts->taken;
    const auto known = counts->of_address.find(address);
    if (--known->second == 0) counts->of_address.erase(known);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  const std::shared_ptr<Counts> counts;
  const std::string address;
};

std::expected<AddressPlaces::Place, AddressPlaces::Shortage> AddressPlaces::take(std::string address) {
  {
    const std::lock_guard lock(counts_->mutex);
    if (counts_->taken >= all_) return std::unexpected(Shortage::places);
    std::size_t& own = counts_->of_address[address];
    if (own >= per_address_) return std::unexpected(Shortage::address);
    ++own;
    ++counts_->taken;
  }
  return std::make_shared<const Held>(counts_, std::move(address));
}

}  // namespace fairway::operators
