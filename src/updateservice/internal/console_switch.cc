// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/console_switch.h"

#include "console/loopback.h"

namespace fairway::updateservice {

std::function<bool()> console_switch(const ServiceOptions& options, const ServingState& serving) {
  if (options.console != ConsoleSetting::automatic)
    return [on = options.console == ConsoleSetting::on] { return on; };
  // A public URL on another host is a proxy's: it leads others to a listener on loopback.
  const bool is_public = !options.public_host.empty() && !console::is_loopback_host(options.public_host);
  return [loopback = console::listens_on_loopback(options.server.listen) && !is_public,
          rules_file = !options.reloadable.private_channels_file.empty(), &serving] {
    if (!loopback) return false;
    const Responses* const responses = serving.responses();
    return responses != nullptr ? responses->rules->empty() : !rules_file;
  };
}

}  // namespace fairway::updateservice
