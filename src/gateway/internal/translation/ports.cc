// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/ports.h"

#include <utility>

#include "gateway/internal/objects/hostname.h"

namespace fairway::gateway {

bool is_narrower(std::string_view a, std::string_view b) {
  const auto rank = [](std::string_view hostname) {
    const bool is_name = !hostname.empty() && !hostname.starts_with("*.");
    return std::pair(is_name, hostname.size());
  };
  return rank(a) > rank(b);
}

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
