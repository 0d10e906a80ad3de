// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/console_switch.h"

#include "base/address_class.h"
#include "base/text.h"

namespace fairway::updateservice {

bool listens_on_loopback(std::string_view listen) {
  std::string_view host = listen.substr(0, listen.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return equals_ignoring_case(host, "localhost") || classify_address(host) == AddressClass::loopback;
}

std::function<bool()> console_switch(const ServiceOptions& options, const ServingState& serving) {
  if (options.console != ConsoleSetting::automatic)
    return [on = options.console == ConsoleSetting::on] { return on; };
  return [loopback = listens_on_loopback(options.server.listen),
          rules_file = !options.reloadable.private_channels_file.empty(), &serving] {
    if (!loopback) return false;
    const Responses* const responses = serving.responses();
    return responses != nullptr ? responses->rules->empty() : !rules_file;
  };
}

}  // namespace fairway::updateservice
