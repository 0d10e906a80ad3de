// The addresses of Gateways that name none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway/internal/model/address_pool.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The addresses of Gateways, in the order of their precedence, that name none: that of their status or the
/// one of `before` if it is one of the pool and free, so that it stays, else the first free one. `before`:
/// what has been assigned last, and may not be in a status yet. Gateways for which none is left are not in
/// what is returned.
std::map<k8s::Key, std::string> assign_addresses(const std::vector<const k8s::Dynamic*>& by_age,
                                                 const AddressPool& pool,
                                                 const std::map<k8s::Key, std::string>& before = {});

/// Returns whether a Gateway's spec leaves its address to the controller.
bool wants_address(const k8s::Dynamic& gateway);

}  // namespace fairway::gateway
