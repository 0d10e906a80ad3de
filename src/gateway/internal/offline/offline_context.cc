// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/offline/offline_context.h"

#include <utility>

#include "base/address_range.h"
#include "gateway/internal/model/address_pool.h"

namespace fairway::gateway {

Result<PassContext> offline_context(const OfflineSettings& settings, WallTime now) {
  auto listed = settings.addresses.empty() ? AddressPool() : AddressPool::parse(settings.addresses);
  if (!listed) return fail(listed.error());
  auto permitted = parse_address_ranges(settings.endpoint_cidrs);
  if (!permitted) return fail(permitted.error().within("--endpoint-cidrs"));
  return PassContext{.now = now,
                     .endpoint_cidrs = *std::move(permitted),
                     .listed_addresses = *std::move(listed),
                     .has_all_addresses = true};
}

}  // namespace fairway::gateway
