// SPDX-License-Identifier: Apache-2.0

// Names that Envoys of Fairway keep for themselves: no route may match or set them.
#pragma once

#include <string_view>

namespace fairway::gateway {

/// The host that Envoy itself answers for on HTTP listeners that are probed. It cannot be a name of DNS (RFC
/// 6761).
inline constexpr std::string_view probe_host = "ready.fairway.invalid";
/// The header of that answer: the configuration of the listener that answers (`Probe::configuration`).
inline constexpr std::string_view probe_header = "x-fairway-configuration";

/// The header by which Envoy chooses a shard. Envoy alone sets it: a client's header of this name is removed,
/// and backends do not see it.
inline constexpr std::string_view shard_header = "x-fairway-shard";

/// The header in which Envoy carries X-Forwarded-For of a mirrored request past a change of its own. Backends
/// do not see it.
inline constexpr std::string_view mirrored_header = "x-fairway-mirrored-for";

}  // namespace fairway::gateway
