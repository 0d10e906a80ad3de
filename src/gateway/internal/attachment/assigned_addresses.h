// SPDX-License-Identifier: Apache-2.0

// The addresses of Gateways that name none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway/internal/model/address_pool.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// Returns addresses for the Gateways that name none, in the order of their precedence. A Gateway keeps the
/// address of its status, or else that of `before`, if it is in the pool and free; otherwise it gets the
/// first free one. `before`: the addresses assigned last, which may not be in a status yet. Gateways for
/// which no address is left are not in the result.
std::map<k8s::Key, std::string> assign_addresses(const std::vector<const k8s::Dynamic*>& by_age,
                                                 const AddressPool& pool,
                                                 const std::map<k8s::Key, std::string>& before = {});

/// Returns whether a Gateway's spec leaves its address to the controller.
bool wants_address(const k8s::Dynamic& gateway);

}  // namespace fairway::gateway
