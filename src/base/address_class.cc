#include "base/address_class.h"

#include <algorithm>
#include <span>

#include "base/address_range.h"

namespace fairway {

namespace {

/// Where the bytes of IPv4 begin in addresses of IPv6 that carry one.
constexpr std::size_t four_at = 12;
constexpr AddressBytes mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr AddressBytes compatible{};
constexpr AddressBytes nat64{0, 0x64, 0xff, 0x9b};
constexpr AddressBytes loopback_six{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

AddressClass classify_four(std::span<const std::uint8_t> bytes) {
  if (bytes[0] == 0) return AddressClass::unspecified;
  if (bytes[0] == 127) return AddressClass::loopback;
  if (bytes[0] == 169 && bytes[1] == 254) return AddressClass::link_local;
  // 240.0.0.0/4 is reserved, its last address is broadcast.
  if (bytes[0] >= 224) return AddressClass::multicast;
  return AddressClass::ordinary;
}

}  // namespace

std::optional<AddressClass> classify_address(std::string_view text) {
  const auto bytes = address_bytes(text);
  if (!bytes) return std::nullopt;
  if (*bytes == loopback_six) return AddressClass::loopback;
  // With :: among the compatible ones, as 0.0.0.0.
  for (const AddressBytes& carrier : {mapped, compatible, nat64}) {
    if (std::equal(carrier.begin(), carrier.begin() + four_at, bytes->begin()))
      return classify_four(std::span(*bytes).subspan(four_at));
  }
  if ((*bytes)[0] == 0xff) return AddressClass::multicast;
  if ((*bytes)[0] == 0xfe && ((*bytes)[1] & 0xc0) == 0x80) return AddressClass::link_local;
  return AddressClass::ordinary;
}

}  // namespace fairway
