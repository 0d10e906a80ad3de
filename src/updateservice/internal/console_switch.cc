// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/console_switch.h"

#include "base/address_class.h"
#include "base/text.h"

namespace fairway::updateservice {

bool is_loopback_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return equals_ignoring_case(host, "localhost") || classify_address(host) == AddressClass::loopback;
}

bool listens_on_loopback(std::string_view listen) {
  return is_loopback_host(listen.substr(0, listen.rfind(':')));
}

std::function<bool()> console_switch(const ServiceOptions& options, const ServingState& serving) {
  if (options.console != ConsoleSetting::automatic)
    return [on = options.console == ConsoleSetting::on] { return on; };
  // A public URL on another host is a proxy's: it leads others to a listener on loopback.
  const bool is_public = !options.public_host.empty() && !is_loopback_host(options.public_host);
  return [loopback = listens_on_loopback(options.server.listen) && !is_public,
          rules_file = !options.reloadable.private_channels_file.empty(), &serving] {
    if (!loopback) return false;
    const Responses* const responses = serving.responses();
    return responses != nullptr ? responses->rules->empty() : !rules_file;
  };
}

}  // namespace fairway::updateservice
