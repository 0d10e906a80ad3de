// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/own_listeners.h"

#include <algorithm>
#include <charconv>

#include "base/address_class.h"
#include "base/text.h"
#include "gateway/internal/model/of_machine.h"

namespace fairway::gateway {

namespace {

/// Returns the bytes of an address, with an IPv4 address that is written as IPv6 as IPv4; those of the
/// unspecified address for an empty text.
std::optional<AddressBytes> bytes_of(std::string_view address) {
  const auto bytes = address_bytes(address.empty() ? "::" : address);
  if (!bytes) return std::nullopt;
  return plain_address(*bytes);
}

}  // namespace

Result<OwnListener> OwnListener::parse(const std::string& flag, std::string_view listen) {
  const std::size_t colon = listen.rfind(':');
  std::string_view host = listen.substr(0, colon);
  const std::string_view digits = colon == std::string_view::npos ? "" : listen.substr(colon + 1);
  OwnListener listener{.flag = flag};
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), listener.port);
  if (fault != std::errc() || end != digits.data() + digits.size() || listener.port < 1 ||
      listener.port > 65'535)
    return fail(ErrorCode::invalid, flag + "=" + printable(listen, 100) + " has no port between 1 and 65535");
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (address_bytes(host)) listener.address = host;
  return listener;
}

const OwnListener* OwnListeners::find(std::string_view address, std::int64_t port) const {
  // Mostly there is none, and endpoints may be thousands.
  if (std::ranges::find(listeners, port, &OwnListener::port) == listeners.end()) return nullptr;
  const auto asked = bytes_of(address);
  if (!asked) return nullptr;
  const bool comes_here = is_any(*asked) || is_of_machine(*asked, machine);
  for (const OwnListener& one : listeners) {
    if (one.port != port) continue;
    const auto own = bytes_of(one.address);
    if (!own) continue;
    if (is_any(*own) ? comes_here : (is_any(*asked) || *own == *asked)) return &one;
  }
  return nullptr;
}

}  // namespace fairway::gateway
