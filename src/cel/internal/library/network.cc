// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/library/network.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <new>

#include "base/text.h"
#include "cel/internal/library/libraries.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

std::optional<Address> parse_ipv4(std::string_view text) {
  Address address;
  const std::vector<std::string_view> parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string_view part = parts[i];
    // Leading zeros would be octal to some.
    if (part.empty() || part.size() > 3 || (part.size() > 1 && part[0] == '0')) return std::nullopt;
    int value = 0;
    for (const char c : part) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    if (value > 255) return std::nullopt;
    address.bytes[i] = static_cast<std::uint8_t>(value);
  }
  return address;
}

std::optional<Address> parse_ipv6(std::string_view text) {
  std::array<std::uint8_t, 16> before{};
  std::size_t at = 0;
  std::optional<std::size_t> gap;
  if (text.starts_with("::")) {
    gap = 0;
    text.remove_prefix(2);
  }
  while (!text.empty()) {
    if (at >= 16) return std::nullopt;
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == std::string_view::npos && group.find('.') != std::string_view::npos) {
      const std::optional<Address> tail = parse_ipv4(group);
      if (!tail || at > 12) return std::nullopt;
      std::copy_n(tail->bytes.begin(), 4, before.begin() + static_cast<std::ptrdiff_t>(at));
      at += 4;
      break;
    }
    unsigned value = 0;
    const auto [end, status] = std::from_chars(group.data(), group.data() + group.size(), value, 16);
    if (group.empty() || group.size() > 4 || status != std::errc{} || end != group.data() + group.size())
      return std::nullopt;
    before[at++] = static_cast<std::uint8_t>(value >> 8);
    before[at++] = static_cast<std::uint8_t>(value & 255);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;
    if (text.starts_with(':')) {
      if (gap) return std::nullopt;
      gap = at;
      text.remove_prefix(1);
    }
  }
  if (!gap && at != 16) return std::nullopt;
  if (gap && at >= 16) return std::nullopt;
  Address address;
  address.size = 16;
  const std::size_t head = gap.value_or(16);
  std::copy_n(before.begin(), std::min(head, at), address.bytes.begin());
  if (gap)
    std::copy(before.begin() + static_cast<std::ptrdiff_t>(head),
              before.begin() + static_cast<std::ptrdiff_t>(at),
              address.bytes.end() - static_cast<std::ptrdiff_t>(at - head));
  return address;
}

bool is_v4_in_v6(const Address& address) {
  return address.size == 16 &&
         std::all_of(address.bytes.begin(), address.bytes.begin() + 10, [](auto b) { return b == 0; }) &&
         address.bytes[10] == 0xff && address.bytes[11] == 0xff;
}

struct Range {
  Address address;
  std::uint8_t bits = 0;
};

std::optional<Range> parse_range(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::optional<Address> address = parse_address(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  if (!address || digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0'))
    return std::nullopt;
  unsigned bits = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (status != std::errc{} || end != digits.data() + digits.size() || bits > address->size * 8u)
    return std::nullopt;
  return Range{*address, static_cast<std::uint8_t>(bits)};
}

Address masked(Address address, unsigned bits) {
  for (std::size_t i = 0; i < address.size; ++i) {
    const unsigned kept = bits > 8 * i ? std::min<unsigned>(8, bits - 8 * static_cast<unsigned>(i)) : 0;
    address.bytes[i] &= static_cast<std::uint8_t>(0xff00 >> kept);
  }
  return address;
}

Value made_ip(CallContext& context, const Address& address) {
  void* place = context.scratch().allocate(sizeof(IpValue));
  if (!place) return context.out_of_memory();
  auto* value = new (place) IpValue;
  value->kind = Opaque::Kind::ip;
  value->address = address;
  return Value::opaque(value);
}
Value made_cidr(CallContext& context, const Address& address, std::uint8_t bits) {
  void* place = context.scratch().allocate(sizeof(CidrValue));
  if (!place) return context.out_of_memory();
  auto* value = new (place) CidrValue;
  value->kind = Opaque::Kind::cidr;
  value->address = address;
  value->bits = bits;
  return Value::opaque(value);
}
const Address& ip_of(const Value& value) {
  return static_cast<const IpValue&>(value.opaque()).address;
}
const CidrValue& cidr_of(const Value& value) {
  return static_cast<const CidrValue&>(value.opaque());
}

Value ip(CallContext& context, const Value* a) {
  const std::optional<Address> address = parse_address(a[0].text());
  if (!address)
    return context.error("IP Address '" + std::string(a[0].text()) +
                         "' parse error during conversion from string");
  return made_ip(context, *address);
}
Value is_ip(CallContext&, const Value* a) {
  return Value::boolean(parse_address(a[0].text()).has_value());
}
Value is_canonical(CallContext& context, const Value* a) {
  const std::optional<Address> address = parse_address(a[0].text());
  if (!address)
    return context.error("IP Address '" + std::string(a[0].text()) +
                         "' parse error during conversion from string");
  return Value::boolean(address_text(*address) == a[0].text());
}
Value family(CallContext&, const Value* a) {
  return Value::integer(ip_of(a[0]).size == 4 ? 4 : 6);
}
bool all_zero(const Address& address, std::size_t count) {
  return std::all_of(address.bytes.begin(), address.bytes.begin() + static_cast<std::ptrdiff_t>(count),
                     [](auto b) { return b == 0; });
}
bool unspecified(const Address& address) {
  return all_zero(address, address.size);
}
bool loopback(const Address& address) {
  if (address.size == 4) return address.bytes[0] == 127;
  return all_zero(address, 15) && address.bytes[15] == 1;
}
bool multicast(const Address& address) {
  return address.size == 4 ? (address.bytes[0] & 0xf0) == 0xe0 : address.bytes[0] == 0xff;
}
bool link_local_multicast(const Address& address) {
  if (address.size == 4) return address.bytes[0] == 224 && address.bytes[1] == 0 && address.bytes[2] == 0;
  return address.bytes[0] == 0xff && (address.bytes[1] & 0x0f) == 0x02;
}
bool link_local_unicast(const Address& address) {
  if (address.size == 4) return address.bytes[0] == 169 && address.bytes[1] == 254;
  return address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}
bool global_unicast(const Address& address) {
  const bool broadcast = address.size == 4 && std::all_of(address.bytes.begin(), address.bytes.begin() + 4,
                                                          [](auto b) { return b == 255; });
  return !broadcast && !unspecified(address) && !loopback(address) && !multicast(address) &&
         !link_local_unicast(address);
}
template <bool (*test)(const Address&)>
Value tested(CallContext&, const Value* a) {
  return Value::boolean(test(ip_of(a[0])));
}
Value text_of_ip(CallContext& context, const Value* a) {
  return context.string(address_text(ip_of(a[0])));
}

Value cidr(CallContext& context, const Value* a) {
  const std::optional<Range> range = parse_range(a[0].text());
  if (!range) return context.error("network address parse error during conversion from string");
  return made_cidr(context, range->address, range->bits);
}
Value is_cidr(CallContext&, const Value* a) {
  return Value::boolean(parse_range(a[0].text()).has_value());
}
bool contains(const CidrValue& range, const Address& address) {
  return range.address.size == address.size &&
         masked(range.address, range.bits) == masked(address, range.bits);
}
Value contains_ip(CallContext&, const Value* a) {
  return Value::boolean(contains(cidr_of(a[0]), ip_of(a[1])));
}
Value contains_ip_text(CallContext& context, const Value* a) {
  const std::optional<Address> address = parse_address(a[1].text());
  if (!address)
    return context.error("IP Address '" + std::string(a[1].text()) +
                         "' parse error during conversion from string");
  return Value::boolean(contains(cidr_of(a[0]), *address));
}
Value contains_cidr(CallContext&, const Value* a) {
  const CidrValue& inner = cidr_of(a[1]);
  return Value::boolean(cidr_of(a[0]).bits <= inner.bits &&
                        contains(cidr_of(a[0]), masked(inner.address, inner.bits)));
}
Value contains_cidr_text(CallContext& context, const Value* a) {
  const std::optional<Range> inner = parse_range(a[1].text());
  if (!inner) return context.error("network address parse error during conversion from string");
  return Value::boolean(cidr_of(a[0]).bits <= inner->bits &&
                        contains(cidr_of(a[0]), masked(inner->address, inner->bits)));
}
Value ip_of_cidr(CallContext& context, const Value* a) {
  return made_ip(context, cidr_of(a[0]).address);
}
Value prefix_length(CallContext&, const Value* a) {
  return Value::integer(cidr_of(a[0]).bits);
}
Value masked_cidr(CallContext& context, const Value* a) {
  return made_cidr(context, masked(cidr_of(a[0]).address, cidr_of(a[0]).bits), cidr_of(a[0]).bits);
}
Value text_of_cidr(CallContext& context, const Value* a) {
  return context.string(address_text(cidr_of(a[0]).address) + "/" + std::to_string(cidr_of(a[0]).bits));
}

constexpr Overload network_rows[] = {
    {"ip", false, "string -> net.IP", ip, CallCost::traverse},
    {"ip", true, "net.CIDR -> net.IP", ip_of_cidr},
    {"isIP", false, "string -> bool", is_ip, CallCost::traverse},
    {"ip.isCanonical", false, "string -> bool", is_canonical, CallCost::traverse_twice},
    {"family", true, "net.IP -> int", family},
    {"isUnspecified", true, "net.IP -> bool", tested<unspecified>},
    {"isLoopback", true, "net.IP -> bool", tested<loopback>},
    {"isLinkLocalMulticast", true, "net.IP -> bool", tested<link_local_multicast>},
    {"isLinkLocalUnicast", true, "net.IP -> bool", tested<link_local_unicast>},
    {"isGlobalUnicast", true, "net.IP -> bool", tested<global_unicast>},
    {"string", false, "net.IP -> string", text_of_ip},
    {"cidr", false, "string -> net.CIDR", cidr, CallCost::traverse},
    {"isCIDR", false, "string -> bool", is_cidr, CallCost::traverse},
    {"containsIP", true, "net.CIDR, string -> bool", contains_ip_text, CallCost::contains_ip_text},
    {"containsIP", true, "net.CIDR, net.IP -> bool", contains_ip, CallCost::contains_ip},
    {"containsCIDR", true, "net.CIDR, string -> bool", contains_cidr_text, CallCost::contains_cidr_text},
    {"containsCIDR", true, "net.CIDR, net.CIDR -> bool", contains_cidr, CallCost::contains_cidr},
    {"prefixLength", true, "net.CIDR -> int", prefix_length},
    {"masked", true, "net.CIDR -> net.CIDR", masked_cidr},
    {"string", false, "net.CIDR -> string", text_of_cidr},
};

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return parse_ipv4(text);
  const std::optional<Address> address = parse_ipv6(text);
  // Kubernetes takes no IPv4 in IPv6: the two would be unequal to some.
  return address && is_v4_in_v6(*address) ? std::nullopt : address;
}

std::string address_text(const Address& address) {
  std::string out;
  if (address.size == 4) {
    for (std::size_t i = 0; i < 4; ++i) out += (i > 0 ? "." : "") + std::to_string(address.bytes[i]);
    return out;
  }
  // The longest run of two or more zero groups becomes "::" (RFC 5952).
  const auto group = [&](std::size_t i) { return address.bytes[2 * i] << 8 | address.bytes[2 * i + 1]; };
  std::size_t best = 8, best_size = 1;
  for (std::size_t i = 0; i < 8;) {
    std::size_t end = i;
    while (end < 8 && group(end) == 0) ++end;
    if (end - i > best_size) {
      best = i;
      best_size = end - i;
    }
    i = end == i ? i + 1 : end;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == best) {
      out += "::";
      i += best_size - 1;
      continue;
    }
    if (i > 0 && !out.ends_with(':')) out += ':';
    char text[8];
    std::snprintf(text, sizeof text, "%x", group(i));
    out += text;
  }
  return out;
}

std::uint64_t network_size(const Opaque& value) {
  if (value.kind == Opaque::Kind::ip) return static_cast<const IpValue&>(value).address.size;
  if (value.kind == Opaque::Kind::cidr) return (static_cast<const CidrValue&>(value).bits + 7u) / 8;
  return 1;
}

std::span<const Overload> network_overloads() {
  return network_rows;
}

}  // namespace fairway::cel
