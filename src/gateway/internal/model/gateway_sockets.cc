// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/gateway_sockets.h"

#include "base/address_class.h"
#include "gateway/internal/model/of_machine.h"

namespace fairway::gateway {

void GatewaySockets::add(const AddressBytes& address, std::int64_t port, bool is_udp) {
  ports_[{port, is_udp}].addresses.insert(plain_address(address));
}

void GatewaySockets::add_everywhere(std::int64_t port, bool is_udp) {
  ports_[{port, is_udp}].is_everywhere = true;
}

bool GatewaySockets::is_of_machine(const AddressBytes& address) const {
  return gateway::is_of_machine(plain_address(address), machine_);
}

bool GatewaySockets::has(std::string_view address, std::int64_t port, bool is_udp) const {
  // Mostly there is none, and endpoints may be thousands.
  const auto found = ports_.find({port, is_udp});
  if (found == ports_.end()) return false;
  const auto bytes = address_bytes(address);
  if (!bytes) return false;
  const AddressBytes plain = plain_address(*bytes);
  if (is_any(plain) || found->second.addresses.contains(plain)) return true;
  return found->second.is_everywhere && gateway::is_of_machine(plain, machine_);
}

}  // namespace fairway::gateway
