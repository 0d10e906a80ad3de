// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/assigned_addresses.h"

#include <algorithm>
#include <set>

#include "gateway/internal/objects/values.h"

namespace fairway::gateway {

using k8s::View;

bool wants_address(const k8s::Dynamic& gateway) {
  return std::ranges::all_of(gateway.items("spec.addresses"), [](const View& address) {
    return address.text("value").empty() && address.text("type", "IPAddress") == "IPAddress" &&
           address.text("routability").empty();
  });
}

std::map<k8s::Key, std::string> assign_addresses(const std::vector<const k8s::Dynamic*>& by_age,
                                                 const AddressPool& pool,
                                                 const std::map<k8s::Key, std::string>& before) {
  std::set<std::string> taken;
  for (const k8s::Dynamic* gateway : by_age) {
    for (const View& address : gateway->items("spec.addresses"))
      taken.insert(canonical_address(std::string(address.text("value"))));
  }
  std::map<k8s::Key, std::string> assigned;
  const auto assign = [&](const k8s::Dynamic& gateway, const std::string& address) {
    taken.insert(address);
    assigned.emplace(gateway.key(), address);
  };
  for (const k8s::Dynamic* gateway : by_age) {
    if (!wants_address(*gateway)) continue;
    for (const View& had : gateway->items("status.addresses")) {
      const std::string address(had.text("value"));
      if (!pool.contains(address) || taken.contains(address)) continue;
      assign(*gateway, address);
      break;
    }
  }
  for (const k8s::Dynamic* gateway : by_age) {
    const auto had = before.find(gateway->key());
    if (had == before.end() || !wants_address(*gateway) || assigned.contains(gateway->key())) continue;
    if (pool.contains(had->second) && !taken.contains(had->second)) assign(*gateway, had->second);
  }
  for (const k8s::Dynamic* gateway : by_age) {
    if (!wants_address(*gateway) || assigned.contains(gateway->key())) continue;
    if (const auto address = pool.first_free(taken)) assign(*gateway, *address);
  }
  return assigned;
}

}  // namespace fairway::gateway
