// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/ports.h"

#include "gateway/internal/objects/hostname.h"

namespace fairway::gateway {

const Listener* Port::owner_of(std::string_view hostname) const {
  const Listener* owner = nullptr;
  for (const Listener* listener : listeners) {
    if (covers(listener->hostname, hostname) &&
        (owner == nullptr || is_narrower(listener->hostname, owner->hostname)))
      owner = listener;
  }
  return owner;
}

}  // namespace fairway::gateway
