// SPDX-License-Identifier: Apache-2.0

#include "base/address_class.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

namespace fairway {

namespace {

using Four = std::array<std::uint8_t, 4>;

/// Index of the bytes of IPv4 in addresses of IPv6 that end with one.
constexpr std::size_t four_at = 12;
constexpr AddressBytes mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr AddressBytes compatible{};
constexpr AddressBytes translated{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr AddressBytes nat64{0, 0x64, 0xff, 0x9b};
constexpr std::array<std::uint8_t, 6> local_nat64{0, 0x64, 0xff, 0x9b, 0, 1};
constexpr AddressBytes loopback_six{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

/// The services that give credentials of a cloud to anybody who asks from the machine: Alibaba Cloud, Azure,
/// and Oracle Cloud. Those at 169.254.0.0/16 are link-local.
constexpr std::array<Four, 3> metadata_four{{{100, 100, 100, 200}, {168, 63, 129, 16}, {192, 0, 0, 192}}};

/// AWS (instances, and pods of EKS), Google Cloud, and Oracle Cloud: fd00:ec2::254, fd00:ec2::23,
/// fd20:ce::254, fd00:c1::a9fe:a9fe.
constexpr std::array<AddressBytes, 4> metadata_six{
    {{0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54},
     {0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x23},
     {0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54},
     {0xfd, 0, 0, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe}}};

bool begins_with(const AddressBytes& address, std::span<const std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), address.begin());
}

AddressClass classify_four(const Four& bytes) {
  if (bytes[0] == 0) return AddressClass::unspecified;
  if (bytes[0] == 127) return AddressClass::loopback;
  if (bytes[0] == 169 && bytes[1] == 254) return AddressClass::link_local;
  // 240.0.0.0/4 is reserved, its last address is broadcast.
  if (bytes[0] >= 224) return AddressClass::multicast;
  if (std::ranges::find(metadata_four, bytes) != metadata_four.end()) return AddressClass::metadata;
  return AddressClass::ordinary;
}

Four four_of(const AddressBytes& address, const std::array<std::size_t, 4>& places) {
  return {address[places[0]], address[places[1]], address[places[2]], address[places[3]]};
}

Four last_four(const AddressBytes& address) {
  return four_of(address, {four_at, four_at + 1, four_at + 2, four_at + 3});
}

/// Returns whether the address ends with one of IPv4, and is another form of it. :: is among the compatible
/// ones, as 0.0.0.0.
bool ends_with_four(const AddressBytes& address) {
  return std::ranges::any_of(
      std::initializer_list<const AddressBytes*>{&mapped, &compatible, &translated, &nat64},
      [&](const AddressBytes* carrier) { return begins_with(address, std::span(*carrier).first(four_at)); });
}

/// The class of the first that is not ordinary.
AddressClass worst_of(std::initializer_list<Four> all) {
  for (const Four& one : all) {
    if (const AddressClass its_class = classify_four(one); its_class != AddressClass::ordinary)
      return its_class;
  }
  return AddressClass::ordinary;
}

/// Returns the class of an address in 64:ff9b:1::/48. The position of the IPv4 address depends on a prefix of
/// 48, 56, 64 or 96 bits, so each is tried. spec: RFC 6052, 2.2: the byte 8 and those behind the address are
/// zero.
AddressClass classify_local_nat64(const AddressBytes& address) {
  struct Form {
    std::array<std::size_t, 4> places;
    std::size_t end;
  };
  for (const Form& form : {Form{{6, 7, 9, 10}, 11}, {{7, 9, 10, 11}, 12}, {{9, 10, 11, 12}, 13}}) {
    const auto rest = std::span(address).subspan(form.end);
    if (address[8] != 0 || std::ranges::any_of(rest, [](std::uint8_t byte) { return byte != 0; })) continue;
    if (const AddressClass its_class = classify_four(four_of(address, form.places));
        its_class != AddressClass::ordinary)
      return its_class;
  }
  return classify_four(last_four(address));
}

AddressClass classify_six(const AddressBytes& bytes) {
  if (begins_with(bytes, local_nat64)) return classify_local_nat64(bytes);
  // 6to4.
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return classify_four(four_of(bytes, {2, 3, 4, 5}));
  // Teredo, which turns the bits of the client's address over.
  if (bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0 && bytes[3] == 0) {
    Four client = last_four(bytes);
    for (std::uint8_t& byte : client) byte = static_cast<std::uint8_t>(~byte);
    return worst_of({four_of(bytes, {4, 5, 6, 7}), client});
  }
  if (bytes[0] == 0xff) return AddressClass::multicast;
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80) return AddressClass::link_local;
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0xc0) return AddressClass::site_local;
  if (std::ranges::find(metadata_six, bytes) != metadata_six.end()) return AddressClass::metadata;
  return AddressClass::ordinary;
}

}  // namespace

std::optional<AddressClass> classify_address(std::string_view text) {
  const auto bytes = address_bytes(text);
  if (!bytes) return std::nullopt;
  if (*bytes == loopback_six) return AddressClass::loopback;
  return ends_with_four(*bytes) ? classify_four(last_four(*bytes)) : classify_six(*bytes);
}

AddressBytes plain_address(const AddressBytes& address) {
  if (address == loopback_six || address == compatible) return address;
  if (!ends_with_four(address) && !begins_with(address, local_nat64)) return address;
  AddressBytes plain = mapped;
  std::copy(address.begin() + four_at, address.end(), plain.begin() + four_at);
  return plain;
}

}  // namespace fairway
