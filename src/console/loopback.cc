// SPDX-License-Identifier: Apache-2.0

#include "console/loopback.h"

#include "base/address_class.h"
#include "base/text.h"

namespace fairway::console {

bool is_loopback_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return equals_ignoring_case(host, "localhost") || classify_address(host) == AddressClass::loopback;
}

bool listens_on_loopback(std::string_view listen) {
  return is_loopback_host(listen.substr(0, listen.rfind(':')));
}

}  // namespace fairway::console
