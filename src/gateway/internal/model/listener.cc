// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/listener.h"

#include <tuple>

#include "base/text.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

bool Listener::is_same(const Listener& other) const {
  const auto all = [](const Listener& one) {
    return std::tie(one.owner, one.hostname, one.kinds, one.invalid, one.unresolved, one.conflict,
                    one.overlap, one.expired, one.is_guarded, one.certified);
  };
  return &spec.json() == &other.spec.json() && all(*this) == all(other);
}

std::string Listener::describe() const {
  return "listener " + printable(spec.name()) + " of " + gateway::describe(*owner);
}

}  // namespace fairway::gateway
