#include "gateway/internal/attachment/own_listeners.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace fairway::gateway {

namespace {

/// The bytes of an address; those of the unspecified one for all addresses.
std::optional<AddressBytes> bytes_of(std::string_view address) {
  return address_bytes(address.empty() ? "::" : address);
}

bool is_any(const AddressBytes& address) {
  return address == address_bytes("::") || address == address_bytes("0.0.0.0");
}

bool is_loopback(const AddressBytes& address) {
  static const AddressRange four = *AddressRange::parse("127.0.0.0/8");
  return four.contains(address) || address == address_bytes("::1");
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
  const bool is_of_machine =
      is_any(*asked) || is_loopback(*asked) ||
      std::ranges::any_of(machine, [&](const AddressRange& range) { return range.contains(*asked); });
  for (const OwnListener& one : listeners) {
    if (one.port != port) continue;
    const auto own = bytes_of(one.address);
    if (!own) continue;
    if (is_any(*own) ? is_of_machine : (is_any(*asked) || *own == *asked)) return &one;
  }
  return nullptr;
}

}  // namespace fairway::gateway
