// SPDX-License-Identifier: Apache-2.0

// RouteConfigurations with many virtual hosts, served in shards: a change of a route costs its shard alone.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// Number of exact hostnames of its own from which a table is served in shards. That depends on the objects
/// alone, so all replicas decide alike.
constexpr std::size_t least_sharded = 256;
constexpr std::size_t shard_count = 64;

/// Returns whether a RouteConfiguration is served in shards.
bool is_sharded(const xds::Resource& table);
/// Returns the shard of an exact hostname. The Lua filter that chooses it computes the same.
std::size_t shard_of(std::string_view hostname);
/// Returns the RouteConfigurations of a table by their names, `NAME#~07`: each has the exact hostnames of a
/// shard. Hostnames with a wildcard are in another one, `NAME#~wild`, for requests whose hostname is not in
/// its shard.
std::map<std::string, xds::Resource> shards_of(const std::string& name, const xds::Resource& table);
/// Returns the scopes that lead to the shards of a table, by their names.
std::map<std::string, json::Object> scopes_of(const std::string& name);
/// Returns the name of the table that a RouteConfiguration is a shard of; `name`, if it is no shard.
std::string_view table_of(std::string_view name);

/// Makes the listener choose among the shards of a table where it names the table.
void use_shards(json::Object& listener, const std::string& table);

}  // namespace fairway::gateway
