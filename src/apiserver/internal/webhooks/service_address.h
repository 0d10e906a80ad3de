// SPDX-License-Identifier: Apache-2.0

// The address at which this server reaches a Service.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/internal/storage/storage.h"
#include "base/result.h"

namespace fairway::apiserver::webhooks {

struct ServiceAddress {
  std::string host;
  std::uint16_t port = 0;
};

/// Returns an external name, or an address of the Service's Endpoints or EndpointSlices, since its own
/// address may not be routed here; without any, the address of the Service itself. Errors: `not_found`, and
/// those of reading.
Result<ServiceAddress> find_service(storage::Storage& storage, std::string_view namespace_name,
                                    std::string_view name, std::uint16_t port);

}  // namespace fairway::apiserver::webhooks
